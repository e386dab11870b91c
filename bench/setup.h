/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Buffers, nonces and lengths of a case, and something to decrypt. */
#ifndef RIJN_BENCH_SETUP_H
#define RIJN_BENCH_SETUP_H

#include "bench.h"

struct b_setup {
  uint8_t *arena;
  size_t arena_size, total; /* total: bytes of text of one message, batch or run */
  uint8_t *in, *out, *aad, *nonces, *tags, *want_out, *want_tags, *cipher;
  uint8_t raw[64];
  size_t raw_len;
  uint32_t lens[B_MIX_N];
  size_t lmask;
  struct b_msg msgs[128];
  struct b_job job;
};

/* ref makes the ciphertexts and tags that decryption starts from. 0 or an exit status. */
int b_setup_make(struct b_setup *s, const struct b_options *o, const struct b_case *c, const struct b_subject *ref);
void b_setup_free(struct b_setup *s);

/* A generator (splitmix64) that always starts the same, or from the placement of this launch. */
void b_random_seed(uint64_t seed);
uint64_t b_random(void);

#endif
