/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * No branch and no address depends on a secret: run under valgrind with keys and texts marked as undefined, which then
 * complains of each branch taken and each address made from them. It cannot run VAES or AVX-512; for those the same
 * program is built with clang's memory sanitizer (msan.py), and trace.c looks at what they execute.
 *
 * What comes out must be undefined too: were it not, some step would have hidden the secrets from the checker.
 *
 * Argument --planted: does what it is not to do, once by a branch (exit status of valgrind says so), --planted-table:
 * once by a table. --planted-known: forgets to mark the secrets.
 */
#include "ops.h"
#include "t.h"

#include <valgrind/memcheck.h>

static struct job job;
static volatile uint8_t table[256];
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

static void one(const struct ct_op *op, int impl, size_t key_len, size_t len) {
  memset(&job, 0, sizeof job);
  job.impl = impl;
  job.key_len = key_len;
  job.len = len;
  t_fill(job.raw, sizeof job.raw);
  t_fill(job.in, sizeof job.in);
  t_fill(job.aad, sizeof job.aad);
  t_fill(job.iv, sizeof job.iv);
  unsigned before = (unsigned)VALGRIND_COUNT_ERRORS;
  /* The key set-up of XTS ends in a verdict, whether the halves differ: public. There the key is poisoned after. */
  if (!op->aes256_is_64)
    poison(job.raw, sizeof job.raw);
  poison(job.in, sizeof job.in);
  poison(job.aad, sizeof job.aad);
  poison(job.iv, sizeof job.iv);
  op->init(&job);
  if (op->aes256_is_64)
    poison((uint8_t *)&job.key + 16, sizeof job.key.xts - 16); /* behind the head: implementation, rounds */
  if (plant_known)
    clear(&job, sizeof job);
  op->run(&job);
  if (known(job.out, sizeof job.out) || known(job.tag_out, 16))
    t_fail(__FILE__, __LINE__, "%s: the result is not made of secrets", op->name);
  clear(&job, sizeof job);
  CHECK_EQ(job.err, RIJN_OK);
  CHECK_EQ(VALGRIND_COUNT_ERRORS - before, 0);
  if (VALGRIND_COUNT_ERRORS != before)
    fprintf(stderr, "%s, %s, key %zu, length %zu\n", op->name, rijn_impl_name(impl), key_len, len);
}

int main(int argc, char **argv) {
  static const size_t lens[] = {0, 1, 16, 31, 100, 256, 512, 1024};
  const char *plant = argc > 1 ? argv[1] : "";
  REQUIRE(RUNNING_ON_VALGRIND);
  if (strcmp(plant, "--planted-known") == 0) {
    plant_known = true;
    argc = 1;
  } else if (strncmp(plant, "--planted", 9) == 0) {
    uint8_t secret = 5;
    poison(&secret, 1);
    if (strcmp(plant, "--planted-table") == 0)
      table[secret] = 1;
    else if (secret & 1)
      table[0] = 1;
    return 0;
  }
  t_init(argc, argv);
  T_IMPLS(impl) {
    for (int o = 0; o < ct_ops_n; o++) {
      const struct ct_op *op = &ct_ops[o];
      for (size_t k = 16; k <= 32; k += 8) {
        size_t key_len = ct_key_len(op, k);
        for (size_t l = 0; key_len != 0 && !op->verdict && l < sizeof lens / sizeof lens[0]; l++) {
          if (ct_takes(op, lens[l]) && (k == 32 || lens[l] == 100 || lens[l] == 512))
            one(op, impl, key_len, lens[l]);
        }
      }
    }
  }
  return t_done();
}
