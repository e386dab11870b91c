/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: what ECB, CTR, CBC and XTS share: AES (FIPS 197 5.1, 5.3) on vectors that go through a round side by side
 * ("in flight"), and on one block. Of the parameters in tune.def:
 *   MODE_VECTORS  vectors in flight
 *   PIN_MODES     steps stay where they are in these modes, though PIN (isa.h) may be nothing, as GCM wants it
 *
 * A pass is MODE_VECTORS vectors through all rounds. Of what is left (not in XTS) four vectors go together, then two,
 * then vector by vector, and these overlap as far as the processor looks ahead. Four together are half of the
 * instructions (T-140), two are faster than singles (T-141). They are asked for within the loop of the single ones, not
 * before it (T-142).
 *
 * CTR, CBC and ECB live with 16 registers (RESERVE_REGS in wipe_t.h): with AVX-512 there are 16 fewer to clear (T-143).
 */
#if PIN_MODES && !PIN_GCM
#define MODE_PIN(v) __asm__ volatile("" : "+" VECTOR_REG(v))
#else
#define MODE_PIN(v) PIN(v)
#endif
enum { MODE_BLOCKS = VECTOR_BLOCKS * MODE_VECTORS, MODE_BYTES = 16 * MODE_BLOCKS, MODE_FEW = 4 };
#define MODE_ROOM 9 /* elements of an array that EACH (isa.h) walks. PORT: clang warns of those that it skips */

/* The round keys of a call. */
struct keys {
  const uint8_t *rk;
  unsigned rounds;
};

/* Rounds of either direction, which is a constant: v_aes_round and its like, or v_aesd_round for decryption. */
INLINE v_t v_round(v_t a, v_t k0, v_t k1, const enum direction dir) {
  return dir == ENCRYPT ? v_aes_round(a, k0, k1) : v_aesd_round(a, k0, k1);
}
INLINE v_t v_round_last(v_t a, v_t k0, v_t k1, const enum direction dir) {
  return dir == ENCRYPT ? v_aes_last(a, k0, k1) : v_aesd_last(a, k0, k1);
}
INLINE b_t b_round(b_t a, b_t k0, b_t k1, const enum direction dir) {
  return dir == ENCRYPT ? b_aes_round(a, k0, k1) : b_aesd_round(a, k0, k1);
}
INLINE b_t b_round_last(b_t a, b_t k0, b_t k1, const enum direction dir) {
  return dir == ENCRYPT ? b_aes_last(a, k0, k1) : b_aesd_last(a, k0, k1);
}

/* A round of x[0 .. n-1]; n is a constant. k: the round key before, which becomes key. */
INLINE void aes_mode_round(v_t *x, v_t *k, v_t key, const int n, const enum direction dir) {
  EACH(i, n, x[i] = v_round(x[i], *k, key, dir); MODE_PIN(x[i]));
  *k = key;
}
/* The same with the key behind *rk, which moves on to it. */
INLINE void aes_next_round(v_t *x, v_t *k, const uint8_t **rk, const int n, const enum direction dir) {
  *rk += 16;
  aes_mode_round(x, k, v_bcast_mem(*rk), n, dir);
}
/* The rounds that only longer keys have. */
INLINE void aes_extra_rounds(v_t *x, v_t *k, const uint8_t **rk, unsigned rounds, const int n,
                             const enum direction dir) {
  for (unsigned r = 10; r < rounds; r += 2)
    EACH(i, 2, aes_next_round(x, k, rk, n, dir));
}
/* The last seven of aes_middle_rounds. */
INLINE void aes_last_seven(v_t *x, v_t *k, const uint8_t **rk, const int n, const enum direction dir) {
  EACH(i, 7, aes_next_round(x, k, rk, n, dir));
  *rk += 16;
}
/* Rounds 1 .. rounds-1 of x[0 .. n-1], all but the last; of these the last nine are written out. k: the first round
 * key, which x has been through v_aes_first with; becomes the last but one. rk: the round keys; becomes the place of
 * the last one. */
INLINE void aes_middle_rounds(v_t *x, v_t *k, const uint8_t **rk, unsigned rounds, const int n,
                              const enum direction dir) {
  aes_extra_rounds(x, k, rk, rounds, n, dir);
  EACH(i, 2, aes_next_round(x, k, rk, n, dir));
  aes_last_seven(x, k, rk, n, dir);
}

/* The same for n blocks, each in a register of 128 bits; and for one. Calls for one have a way of their own (QUIC's
 * header protection, the end of a CTR text), with a small frame and where there are masks half of the registers to
 * clear (T-144). */
INLINE void b_next_round(b_t *x, b_t *k, const uint8_t **rk, const int n, const enum direction dir) {
  *rk += 16;
  b_t key = b_load(*rk);
  EACH(i, n, x[i] = b_round(x[i], *k, key, dir));
  *k = key;
}
INLINE void b_middle_rounds_n(b_t *x, b_t *k, const uint8_t **rk, unsigned rounds, const int n,
                              const enum direction dir) {
  for (unsigned r = 10; r < rounds; r += 2)
    EACH(i, 2, b_next_round(x, k, rk, n, dir));
  EACH(i, 9, b_next_round(x, k, rk, n, dir));
  *rk += 16;
}
INLINE void b_middle_rounds(b_t *x, b_t *k, const uint8_t **rk, unsigned rounds, const enum direction dir) {
  b_middle_rounds_n(x, k, rk, rounds, 1, dir);
}

static void aes_init(struct rijn_aes *k, const uint8_t *raw) {
  expand_key(k->rk.b, raw, k->rounds);
  IN_MEMORY(k->rk.b);
  invert_key(k->dk.b, k->rk.b, k->rounds);
  KEY_END();
}

#include "cbc_t.h"
#ifndef RIJN_IN_KERNEL
#include "ccm_t.h"
#else
/* WHY none: Linux's module offers neither. */
#define CHAIN_KERNELS .cfb_enc = NULL, .cfb_dec = NULL, .cbc_enc_many = NULL, .ccm_enc = NULL, .ccm_dec = NULL
#endif
#include "ctr_t.h"
#include "ecb_t.h"
#include "xts_t.h"

/* The kernels' fields in struct rijn_impl. */
#define MODE_KERNELS                                                                                                   \
  .aes_init = aes_init, .xts_init = xts_init, .ecb_enc = ecb_enc, .ecb_dec = ecb_dec, .ctr_blocks = ctr_blocks,        \
  .ctr32_blocks = ctr32_blocks, .ctr_public = CTR_PUBLIC, .cbc_enc = cbc_enc, .cbc_dec = cbc_dec, .xts_enc = xts_enc,  \
  .xts_dec = xts_dec, .xts_enc_part = xts_enc_part, .xts_dec_part = xts_dec_part, XTS_SECTORS, CHAIN_KERNELS
