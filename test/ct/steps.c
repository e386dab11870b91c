/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * The operations of ops.c one after the other, for steps.py, which has the emulator write down each instruction
 * between steps_begin and steps_end. One line a case: its name and result.
 *
 * usage: steps WHAT IMPL SECRET
 *   WHAT: all            key set-up and operation
 *         vectors        the operation alone, of those that have their secrets in vector registers
 *         branch, table  faults, to be found
 */
#include "ops.h"
#include "t.h"

void steps_begin(void);
void steps_end(void);
__attribute__((noinline)) void steps_begin(void) { __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void steps_end(void) { __asm__ volatile("" ::: "memory"); }
/* Key words are left in registers that nobody reads any more. */
static void clear(void) {
  __asm__ volatile(".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17\n\tmov x\\n, xzr\n\t.endr" ::
                       : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
                         "x15", "x16", "x17", "cc", "memory");
}

static struct job job;
static volatile unsigned secret; /* not in a register, where it would differ */
static volatile uint8_t table[256];
static volatile uint8_t sink;

static void nothing(struct job *j) { j->err = RIJN_OK; }
static void plant_branch(struct job *j) {
  for (size_t i = 0; i < 16; i++)
    if (j->raw[i] & 1)
      sink = 1;
}
static void plant_table(struct job *j) {
  for (size_t i = 0; i < 16; i++)
    sink = table[j->raw[i]];
}
static const struct ct_op planted[] = {
    {"planted branch", NULL, nothing, plant_branch, 1, 0, 0, 0, 1},
    {"planted table", NULL, nothing, plant_table, 1, 0, 0, 0, 1},
};

static void one(const struct ct_op *op, bool vectors, int impl, size_t key_len, size_t len) {
  memset(&job, 0, sizeof job);
  job.impl = impl;
  job.key_len = key_len;
  job.len = len;
  t_fill(job.raw, sizeof job.raw);
  t_fill(job.in, len);
  t_fill(job.aad, sizeof job.aad);
  t_fill(job.tag, sizeof job.tag);
  t_fill(job.iv, sizeof job.iv);
  if (op->prepare)
    op->prepare(&job, secret);
  if (vectors)
    op->init(&job);
  clear();
  steps_begin();
  if (!vectors)
    op->init(&job);
  op->run(&job);
  steps_end();
  printf("%s, key %zu, length %zu: %d\n", op->name, key_len, len, job.err);
}

int main(int argc, char **argv) {
  REQUIRE(argc == 4);
  bool vectors = strcmp(argv[1], "all") != 0;
  int impl = rijn_impl_find(argv[2]);
  secret = (unsigned)atoi(argv[3]);
  REQUIRE(rijn_impl_supported(impl));
  t_seed(secret);
  if (strcmp(argv[1], "branch") == 0 || strcmp(argv[1], "table") == 0) {
    one(&planted[argv[1][0] == 't'], true, impl, 16, 16);
    return 0;
  }
  for (int o = 0; o < ct_ops_n; o++) {
    const struct ct_op *op = &ct_ops[o];
    size_t shortest = op->multiple == 1 ? 31 : op->multiple == 16 ? 64 : 512;
    if (vectors && op->vectors_only != 1) /* CT_MASKED: there are no masks here */
      continue;
    for (size_t k = 16; k <= 32; k += 8) {
      size_t key_len = ct_key_len(op, k);
      if (key_len != 0 && (k != 24 || strcmp(op->name, "ecb encrypt") == 0))
        one(op, vectors, impl, key_len, shortest);
    }
    one(op, vectors, impl, ct_key_len(op, 32), 512);
  }
  return 0;
}
