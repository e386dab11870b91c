/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * No branch depends on a secret: the processor steps through each operation one instruction at a time (the trap flag),
 * and the sequence of addresses of instructions must be the same whatever the key, the text, the tag, the padding or
 * the place of a wrong byte. It looks at what really runs, above all at what valgrind cannot run.
 *
 * No address of data depends on a secret: where a kernel has all its secrets in vector registers, every general
 * register must have the same value at each step as well, and addresses are made of nothing else (these kernels gather
 * nothing). For rules, which have bytes in general registers, poison.c looks.
 *
 * Without RIJN_TEST_SLOW: the implementations with VAES. With it: all, and more lengths.
 */
#define _GNU_SOURCE
#include "ops.h"
#include "t.h"

#include <signal.h>
#include <ucontext.h>

enum { SECRETS = 2, VARIANTS = 3 };

static struct { uint64_t hash, regs, steps; } trail;
static uint64_t total;

static void on_step(int sig, siginfo_t *info, void *context) {
  const ucontext_t *c = context;
  (void)sig, (void)info;
  trail.hash = (trail.hash ^ (uint64_t)c->uc_mcontext.gregs[REG_RIP]) * UINT64_C(0x100000001b3);
  if (trail.steps++ == 0)
    trail.regs = 0;
  for (int r = REG_R8; r <= REG_RSP; r++) /* all sixteen */
    trail.regs = trail.regs * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)c->uc_mcontext.gregs[r] + 1;
  total++;
}

/* Compiled without a red zone (CMakeLists.txt), because these push. */
#define TRAP_ON() __asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq" ::: "memory", "cc")
#define TRAP_OFF() __asm__ volatile("pushfq\n andq $~0x100, (%%rsp)\n popfq" ::: "memory", "cc")

/* What is left in registers from before must not differ between two traces. */
#define CLEAR()                                                                                                        \
  __asm__ volatile("xorl %%eax, %%eax\n xorl %%ebx, %%ebx\n xorl %%ecx, %%ecx\n xorl %%edx, %%edx\n"                   \
                   "xorl %%esi, %%esi\n xorl %%edi, %%edi\n xorl %%ebp, %%ebp\n xorl %%r8d, %%r8d\n"                   \
                   "xorl %%r9d, %%r9d\n xorl %%r10d, %%r10d\n xorl %%r11d, %%r11d\n xorl %%r12d, %%r12d\n"             \
                   "xorl %%r13d, %%r13d\n xorl %%r14d, %%r14d\n xorl %%r15d, %%r15d\n" ::                              \
                       : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8", "r9", "r10", "r11", "r12", "r13",      \
                         "r14", "r15", "memory", "cc")

/* In memory, because the registers are cleared. */
static const struct ct_op *volatile tracing;
static struct job *volatile traced;

static __attribute__((noinline)) void trace_init(void) {
  CLEAR();
  TRAP_ON();
  tracing->init(traced);
  TRAP_OFF();
}
static __attribute__((noinline)) void trace_run(void) {
  CLEAR();
  TRAP_ON();
  tracing->run(traced);
  TRAP_OFF();
}

/* Instructions of both; registers of run alone. WHY: key set-up has key words in general registers. */
static uint64_t trace(const struct ct_op *op, struct job *j) {
  uint64_t init_steps;
  trail.hash = UINT64_C(0xcbf29ce484222325);
  tracing = op;
  traced = j;
  trail.steps = 0;
  trace_init();
  init_steps = trail.steps;
  trail.steps = 0;
  trace_run();
  trail.steps += init_steps;
  return trail.hash;
}

static struct job job, fresh;

/* Does this implementation do op with its secrets in vector registers? */
static bool vectors_only(const struct ct_op *op, int impl) {
  const char *name = rijn_impl_name(impl);
  return op->vectors_only && strncmp(name, op->vectors_only == CT_MASKED ? "x86-vaes-avx512" : "x86-vaes",
                                     op->vectors_only == CT_MASKED ? 15 : 8) == 0;
}

static void one(const struct ct_op *op, int impl, size_t key_len, size_t len) {
  uint64_t first = 0, first_regs = 0, steps = 0;
  int err = 0;
  for (unsigned s = 0; s <= (op->prepare ? VARIANTS : SECRETS); s++) {
    memset(&fresh, 0, sizeof fresh);
    fresh.impl = impl;
    fresh.key_len = key_len;
    fresh.len = len;
    t_fill(fresh.raw, sizeof fresh.raw);
    t_fill(fresh.in, sizeof fresh.in);
    t_fill(fresh.aad, sizeof fresh.aad);
    t_fill(fresh.tag, sizeof fresh.tag);
    t_fill(fresh.iv, sizeof fresh.iv);
    if (op->prepare)
      op->prepare(&fresh, s);
    memcpy(&job, &fresh, sizeof job);
    if (s == 0) { /* untraced: what happens at a first call only is over then */
      op->init(&job);
      op->run(&job);
      continue;
    }
    uint64_t hash = trace(op, &job);
    if (s == 1) {
      first = hash;
      first_regs = trail.regs;
      steps = trail.steps;
      err = job.err;
      CHECK(steps > 20);
    } else if (hash != first || trail.steps != steps || job.err != err) {
      t_fail(__FILE__, __LINE__, "%s, %s, key %zu, length %zu: %llu steps and %llu, results %d and %d", op->name,
             rijn_impl_name(impl), key_len, len, (unsigned long long)steps, (unsigned long long)trail.steps, err,
             job.err);
      return;
    } else if (vectors_only(op, impl) && trail.regs != first_regs) {
      t_fail(__FILE__, __LINE__, "%s, %s, key %zu, length %zu: a general register depends on a secret", op->name,
             rijn_impl_name(impl), key_len, len);
      return;
    } else {
      CHECK(hash == first);
    }
  }
}

/* Faults of both kinds, planted: the method must find them. */
static volatile uint8_t table[256]; /* zeros */
static volatile uint8_t sink;
static void planted_branch(struct job *j) {
  for (size_t i = 0; i < 16; i++) {
    if (j->raw[i] & 1)
      sink = 1;
  }
}
static void planted_table(struct job *j) {
  for (size_t i = 0; i < 16; i++)
    sink = table[j->raw[i]];
}
static void planted_init(struct job *j) { j->err = 0; }

static void check_planted(void) {
  static const struct ct_op branch = {"branch", NULL, planted_init, planted_branch, 1, 0, 0, 0, 0};
  static const struct ct_op index = {"table", NULL, planted_init, planted_table, 1, 0, 0, 0, 0};
  uint64_t hash[2][2], regs[2][2];
  for (uint8_t s = 0; s < 2; s++) {
    memset(&job, 0, sizeof job);
    job.raw[3] = s;
    hash[0][s] = trace(&branch, &job);
    regs[0][s] = trail.regs;
    hash[1][s] = trace(&index, &job);
    regs[1][s] = trail.regs;
  }
  CHECK(hash[0][0] != hash[0][1]);
  CHECK(hash[1][0] == hash[1][1]);
  CHECK(regs[1][0] != regs[1][1]);
  /* And nothing where there is nothing to find. */
  uint64_t again = trace(&index, &job);
  CHECK(again == hash[1][1] && trail.regs == regs[1][1]);
}

/* A secret counter in CTR's table. */
static void check_counter(int impl) {
  uint64_t hash[2];
  for (uint8_t s = 0; s < 2; s++) {
    memset(&job, 0, sizeof job);
    job.impl = impl;
    job.key_len = 16;
    job.len = CT_CACHED;
    job.iv[15] = (uint8_t)(100 * s);
    hash[s] = trace(&ct_unsaid, &job);
  }
  CHECK(hash[0] != hash[1]);
}

int main(int argc, char **argv) {
  static const size_t lens[] = {0, 1, 16, 100, 256, 512, 1024}; /* with RIJN_TEST_SLOW */
  t_init(argc, argv);
  struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
  sigemptyset(&action.sa_mask);
  REQUIRE(sigaction(SIGTRAP, &action, NULL) == 0);
  check_planted();
  T_IMPLS(impl) {
    bool vaes = strncmp(rijn_impl_name(impl), "x86-vaes", 8) == 0;
    if (!vaes && !t_slow()) {
      printf("%s: poison.c looks at it; with RIJN_TEST_SLOW=1 this test does too\n", rijn_impl_name(impl));
      continue;
    }
    uint64_t before = total;
    if (vaes)
      check_counter(impl);
    for (int o = 0; o < ct_ops_n; o++) {
      const struct ct_op *op = &ct_ops[o];
      size_t shortest = op->multiple == 1 ? 31 : op->multiple == 16 ? 64 : 512;
      bool long_too = op->vectors_only == CT_MASKED;
      for (size_t k = 16; k <= 32; k += 8) {
        size_t key_len = ct_key_len(op, k);
        /* The key set-up of AES-192 is that of ECB for all modes. */
        if (key_len != 0 && (k != 24 || strcmp(op->name, "ecb encrypt") == 0 || t_slow()))
          one(op, impl, key_len, shortest);
      }
      if (vaes && long_too && !op->verdict) /* the tables of counters, which those that are public may have */
        one(op, impl, 32, CT_CACHED);
      for (size_t l = 0; vaes && t_slow() && l < sizeof lens / sizeof lens[0]; l++) {
        if (ct_takes(op, lens[l]))
          one(op, impl, ct_key_len(op, 32), lens[l]);
      }
    }
    printf("%s: %llu steps\n", rijn_impl_name(impl), (unsigned long long)(total - before));
  }
  return t_done();
}
