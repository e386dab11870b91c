/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * No branch and no address depends on a secret: run under valgrind with keys and texts marked as undefined, which then
 * complains of each branch taken and each address made from them. It cannot run VAES or AVX-512; for those the same
 * program is built with clang's memory sanitizer (msan.py), and trace.c looks at what they execute.
 *
 * What comes out must be undefined too: were it not, some step would have hidden the secrets from the checker.
 *
 * A verdict (the tag fits, the padding is valid, the halves of the key differ) is public, and one branch on it is
 * meant. memcheck goes on after a complaint, so these are counted: one, and no more. A comparison that stops at the
 * first difference complains for each byte of a tag that fits.
 *
 * Arguments: --planted (a branch), --planted-table and --planted-compare do what must not be done, --planted-counter
 * hands CTR a secret counter as if it were public (where a table is kept: on x86), --planted-known forgets to mark the
 * secrets: then a check must fail.
 */
#include "ops.h"
#include "t.h"

#include <valgrind/memcheck.h>

/* The memory sanitizer ends the program at the first complaint. There, what ends in a verdict is left out, and an XTS
 * key, whose set-up has one, is poisoned when it is made. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define ENDS_AT_FIRST 1
#endif
#endif
#ifndef ENDS_AT_FIRST
#define ENDS_AT_FIRST 0
#endif

#ifdef __powerpc64__
/* PORT: valgrind knows POWER's instructions for AES, and does not say so in AT_HWCAP2. The linker puts this in the
 * library's way (--wrap). */
#include "../../src/cpu.h"
void __real_rijn_cpu_read(struct rijn_cpu *cpu);
void __wrap_rijn_cpu_read(struct rijn_cpu *cpu);
void __wrap_rijn_cpu_read(struct rijn_cpu *cpu) {
  __real_rijn_cpu_read(cpu);
  cpu->has |= RIJN_CPU(PPC_VCRYPTO);
}
#endif

static struct job job, fresh;
static bool plant_known;

static void poison(void *p, size_t n) { (void)VALGRIND_MAKE_MEM_UNDEFINED(p, n); }
static void clear(void *p, size_t n) { (void)VALGRIND_MAKE_MEM_DEFINED(p, n); }

/* Results lay in zeros: is there a byte that was written and is defined? */
static bool known(const uint8_t *p, size_t n) {
  uint8_t undefined = 0;
  for (size_t i = 0; i < n; i++) {
    (void)VALGRIND_GET_VBITS(p + i, &undefined, 1);
    if (undefined == 0 && p[i] != 0)
      return true;
  }
  return false;
}

static void one(const struct ct_op *op, int impl, size_t key_len, size_t len, unsigned variant) {
  bool judged_key = op->aes256_is_64 && !ENDS_AT_FIRST;
  unsigned allowed = ENDS_AT_FIRST ? 0 : op->aes256_is_64 ? 1 : (unsigned)op->verdict, before, complaints;
  memset(&fresh, 0, sizeof fresh);
  fresh.impl = impl;
  fresh.key_len = key_len;
  fresh.len = len;
  t_fill(fresh.raw, sizeof fresh.raw);
  t_fill(fresh.in, sizeof fresh.in);
  t_fill(fresh.aad, sizeof fresh.aad);
  t_fill(fresh.iv, sizeof fresh.iv);
  if (op->prepare)
    op->prepare(&fresh, variant);
  memset(fresh.out, 0, sizeof fresh.out);
  memset(fresh.tag_out, 0, sizeof fresh.tag_out);

  /* Once with nothing poisoned, for the result. */
  memcpy(&job, &fresh, sizeof job);
  op->init(&job);
  op->run(&job);
  int want = job.err;

  memcpy(&job, &fresh, sizeof job);
  before = (unsigned)VALGRIND_COUNT_ERRORS;
  if (!op->aes256_is_64 || judged_key)
    poison(job.raw, sizeof job.raw);
  poison(job.in, sizeof job.in);
  poison(job.aad, sizeof job.aad);
  poison(job.tag, sizeof job.tag);
  poison(job.iv, sizeof job.iv);
  op->init(&job);
  if (op->aes256_is_64 && !judged_key)
    poison((uint8_t *)&job.key + 16, sizeof job.key.xts - 16); /* behind the head: implementation, rounds */
  if (plant_known)
    clear(&job, sizeof job);
  op->run(&job);
  complaints = (unsigned)VALGRIND_COUNT_ERRORS - before;
  if (known(job.out, len) || known(job.tag_out, 16))
    t_fail(__FILE__, __LINE__, "%s: the result is not made of secrets", op->name);
  clear(&job, sizeof job);
  CHECK_EQ(job.err, want);
  CHECK(complaints <= allowed);
  if (complaints > allowed)
    t_fail(__FILE__, __LINE__, "%s, %s, key %zu, length %zu, variant %u: %u complaints, %u allowed", op->name,
           rijn_impl_name(impl), key_len, len, variant, complaints, allowed);
}

/* ---- faults */
static volatile uint8_t table[256];
static void plant_nothing(struct job *j) { j->err = RIJN_OK; }
static void plant_branch(struct job *j) {
  if (j->raw[0] & 1)
    table[0] = 1;
}
static void plant_table(struct job *j) { table[j->raw[0]] = 1; }
static void make_equal(struct job *j, unsigned variant) {
  (void)variant;
  memcpy(j->in, j->tag, 16);
}
static void plant_compare(struct job *j) {
  for (size_t i = 0; i < 16 && j->err == RIJN_OK; i++)
    if (j->in[i] != j->tag[i])
      j->err = RIJN_EAUTH;
}
static const struct {
  const char *argument;
  struct ct_op op;
} planted[] = {
    {"--planted", {"planted", NULL, plant_nothing, plant_branch, 1, 0, 0, 0, 0}},
    {"--planted-table", {"planted", NULL, plant_nothing, plant_table, 1, 0, 0, 0, 0}},
    {"--planted-compare", {"planted", make_equal, plant_nothing, plant_compare, 1, 0, 0, 1, 0}},
};

int main(int argc, char **argv) {
  static const size_t lens[] = {0, 1, 16, 31, 100, 256, 512, 1024};
  const char *plant = argc > 1 && strncmp(argv[1], "--planted", 9) == 0 ? argv[1] : "";
  REQUIRE(RUNNING_ON_VALGRIND);
  t_init(*plant ? 1 : argc, argv);
  plant_known = strcmp(plant, "--planted-known") == 0;
  if (*plant && !plant_known) {
    for (size_t i = 0; i < sizeof planted / sizeof planted[0]; i++)
      if (strcmp(plant, planted[i].argument) == 0)
        one(&planted[i].op, t_portable(), 16, 16, 0);
    if (strcmp(plant, "--planted-counter") == 0)
      T_IMPLS(impl) { one(&ct_unsaid, impl, 32, CT_CACHED, 0); }
    return t_done();
  }
  T_IMPLS(impl) {
    for (int o = 0; o < ct_ops_n; o++) {
      const struct ct_op *op = &ct_ops[o];
      if (op->verdict && ENDS_AT_FIRST)
        continue;
      for (size_t k = 16; k <= 32; k += 8) {
        size_t key_len = ct_key_len(op, k);
        for (size_t l = 0; key_len != 0 && l < sizeof lens / sizeof lens[0]; l++) {
          if (ct_takes(op, lens[l]) && (k == 32 || lens[l] == 100 || lens[l] == 512))
            for (unsigned v = 0; v < (op->verdict ? CT_VARIANTS : 1); v++)
              one(op, impl, key_len, lens[l], op->verdict ? v : (unsigned)l);
        }
      }
      if (op->vectors_only == CT_MASKED && !op->verdict) /* the table of counters */
        one(op, impl, 32, CT_CACHED, 0);
    }
  }
  return t_done();
}
