/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * No branch depends on a secret: the processor steps through each operation one instruction at a time (the trap flag), and the
 * sequence of addresses of instructions must be the same whatever the key, the text, the tag, the padding or the place of a wrong byte.
 * It looks at what really runs, for every implementation, those that valgrind cannot run among them. That no address of data
 * depends on a secret it does not see: poison.c does.
 */
#define _GNU_SOURCE
#include "ops.h"
#include "t.h"

#include <signal.h>
#include <ucontext.h>

enum { SECRETS = 3 };

static struct { uint64_t hash, steps; } trail;
static uint64_t total;

static void on_step(int sig, siginfo_t *info, void *context) {
  const ucontext_t *c = context;
  (void)sig, (void)info;
  trail.hash = (trail.hash ^ (uint64_t)c->uc_mcontext.gregs[REG_RIP]) * UINT64_C(0x100000001b3);
  trail.steps++;
  total++;
}

/* Compiled without a red zone (CMakeLists.txt), for these push. */
#define TRAP_ON() __asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq" ::: "memory", "cc")
#define TRAP_OFF() __asm__ volatile("pushfq\n andq $~0x100, (%%rsp)\n popfq" ::: "memory", "cc")

static __attribute__((noinline)) uint64_t trace(const struct ct_op *op, struct job *j) {
  trail.hash = UINT64_C(0xcbf29ce484222325);
  trail.steps = 0;
  TRAP_ON();
  op->init(j);
  op->run(j);
  TRAP_OFF();
  return trail.hash;
}

static struct job job, fresh;

static void one(const struct ct_op *op, int impl, size_t key_len, size_t len) {
  uint64_t first = 0, steps = 0;
  int err = 0;
  for (unsigned s = 0; s <= SECRETS; s++) {
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
      steps = trail.steps;
      err = job.err;
      CHECK(steps > 20);
    } else if (hash != first || trail.steps != steps || job.err != err) {
      t_fail(__FILE__, __LINE__, "%s, %s, key %zu, length %zu: %llu steps and %llu, results %d and %d", op->name,
             rijn_impl_name(impl), key_len, len, (unsigned long long)steps, (unsigned long long)trail.steps, err,
             job.err);
      return;
    } else {
      CHECK(hash == first);
    }
  }
}

/* A fault of this kind, planted: the method must find it. */
static void planted_run(struct job *j) {
  volatile uint8_t sum = 0;
  for (size_t i = 0; i < 16; i++) {
    if (j->raw[i] & 1)
      sum = (uint8_t)(sum + 1);
  }
  j->err = 0;
}
static void planted_init(struct job *j) { j->err = 0; }
static const struct ct_op planted = {"planted", NULL, planted_init, planted_run, 1, 0, 0, 0};

static void check_planted(void) {
  struct job *j = &job;
  uint64_t hash[2];
  for (uint8_t s = 0; s < 2; s++) {
    memset(j, 0, sizeof *j);
    j->raw[3] = s;
    planted_run(j);
    hash[s] = trace(&planted, j);
  }
  CHECK(hash[0] != hash[1]);
}

int main(int argc, char **argv) {
  static const size_t lens[] = {0, 1, 16, 100, 256, 512, 1024}; /* with RIJN_TEST_SLOW, which takes many minutes */
  t_init(argc, argv);
  struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
  sigemptyset(&action.sa_mask);
  REQUIRE(sigaction(SIGTRAP, &action, NULL) == 0);
  check_planted();
  T_IMPLS(impl) {
    for (int o = 0; o < ct_ops_n; o++) {
      const struct ct_op *op = &ct_ops[o];
      size_t shortest = op->multiple == 1 ? 31 : op->multiple == 16 ? 64 : 512;
      for (size_t k = 16; k <= 32; k += 8) {
        size_t key_len = ct_key_len(op, k);
        if (key_len != 0)
          one(op, impl, key_len, shortest);
      }
      for (size_t l = 0; t_slow() && l < sizeof lens / sizeof lens[0]; l++) {
        if (ct_takes(op, lens[l]))
          one(op, impl, ct_key_len(op, 32), lens[l]);
      }
    }
    printf("%s: %llu steps\n", rijn_impl_name(impl), (unsigned long long)total);
  }
  return t_done();
}
