/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What the targets share: how an input of the fuzzer becomes numbers, and what happens when something is wrong. */
#ifndef RIJN_FUZZ_H
#define RIJN_FUZZ_H

#include "ref.h"
#include "t.h"

/* The input. Behind its end there are zeros, so that every input means something. */
struct feed {
  const uint8_t *p;
  size_t n;
};

static inline uint8_t feed_8(struct feed *f) {
  if (f->n == 0)
    return 0;
  f->n--;
  return *f->p++;
}
static inline size_t feed_16(struct feed *f) {
  size_t hi = feed_8(f);
  return hi << 8 | feed_8(f);
}
/* 0 .. most. The lengths that kernels are cut at come up by themselves: small numbers, and neighbours of multiples of
 * 16. */
static inline size_t feed_len(struct feed *f, size_t most) {
  size_t v = feed_16(f);
  return v % (most + 1);
}
/* Keys and texts: what they are does not matter for the paths taken, so a few bytes of input make all of them. */
static inline void feed_seed(struct feed *f) {
  uint64_t seed = 0;
  for (int i = 0; i < 4; i++)
    seed = seed << 8 | feed_8(f);
  t_seed(seed);
}

/* With RIJN_FUZZ_PLANTED in the environment each target sees a fault that is not there: its fuzzer must find it. */
static inline bool planted(void) { return getenv("RIJN_FUZZ_PLANTED") != NULL; }

/* Ends the run when a check has failed: the fuzzer keeps the input. */
static inline void fuzz_end(void) {
  if (t_failures() != 0)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
