/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: what ECB, CTR, CBC and XTS share: AES (FIPS 197 5.1, 5.3) on vectors that go through a round side by side
 * ("in flight"), and on one block. Of the parameters in tune.def:
 *   MODE_NV    vectors in flight
 *   PIN_MODES  steps stay where they are in these modes, though PIN (isa.h) may be nothing, as GCM wants it
 *
 * A pass is MODE_NV vectors through all rounds. Of what is left (not in XTS) four vectors go together, then two, then
 * vector by vector, and these overlap as far as the processor looks ahead. Four together are half of the
 * instructions (T-140), two are faster than singles (T-141). They are asked for within the loop of the single ones, not
 * before it (T-142).
 *
 * CTR, CBC and ECB live with 16 registers (HOLD_REGS in wipe_t.h): with AVX-512 there are 16 fewer to clear (T-143).
 */
#if PIN_MODES && !PIN_GCM
#define MODE_PIN(v) __asm__ volatile("" : "+" VECTOR_REG(v))
#else
#define MODE_PIN(v) PIN(v)
#endif
enum { MODE_BLOCKS = VB * MODE_NV, MODE_BYTES = 16 * MODE_BLOCKS, VEC = 16 * VB, MODE_FEW = 4 };
#define MODE_ROOM 9 /* elements of an array that EACH (isa.h) walks. PORT: clang warns of those that it skips */

/* Rounds 1 .. rounds-1 of x[0 .. n-1], all but the last; of these the last nine are written out. round: v_aes_round, or
 * v_aesd_round for decryption. k: in, the first round key, which x has been through v_aes_first with; out, the last but
 * one. rk: in, the round keys; out, the place of the last one. n is a constant. AES_MIDDLE is all of them: AES_LONGER
 * those that only longer keys have, two of AES_STEP, and AES_SEVEN. AES_BY: one of them, with that key. */
#define AES_MIDDLE(round, n, x, k, rk, rounds)                                                                         \
  do {                                                                                                                 \
    AES_LONGER(round, n, x, k, rk, rounds);                                                                            \
    AES_STEP(round, n, x, k, rk);                                                                                      \
    AES_STEP(round, n, x, k, rk);                                                                                      \
    AES_SEVEN(round, n, x, k, rk);                                                                                     \
  } while (0)
#define AES_LONGER(round, n, x, k, rk, rounds)                                                                         \
  for (unsigned r_ = 10; r_ < (rounds); r_ += 2) {                                                                     \
    AES_STEP(round, n, x, k, rk);                                                                                      \
    AES_STEP(round, n, x, k, rk);                                                                                      \
  }
#define AES_SEVEN(round, n, x, k, rk)                                                                                  \
  do {                                                                                                                 \
    AES_STEP(round, n, x, k, rk);                                                                                      \
    AES_STEP(round, n, x, k, rk);                                                                                      \
    AES_STEP(round, n, x, k, rk);                                                                                      \
    AES_STEP(round, n, x, k, rk);                                                                                      \
    AES_STEP(round, n, x, k, rk);                                                                                      \
    AES_STEP(round, n, x, k, rk);                                                                                      \
    AES_STEP(round, n, x, k, rk);                                                                                      \
    rk += 16;                                                                                                          \
  } while (0)
#define AES_STEP(round, n, x, k, rk)                                                                                   \
  do {                                                                                                                 \
    rk += 16;                                                                                                          \
    AES_BY(round, n, x, k, v_bcast_mem(rk));                                                                           \
  } while (0)
#define AES_BY(round, n, x, k, key)                                                                                    \
  do {                                                                                                                 \
    v_t k_ = key;                                                                                                      \
    EACH(i, n, x[i] = round(x[i], k, k_); MODE_PIN(x[i]));                                                             \
    k = k_;                                                                                                            \
  } while (0)

/* The same for one block, in a register of 128 bits. Calls for one have a way of their own (QUIC's header
 * protection, the end of a CTR text), with a small frame and where there are masks half of the registers to clear
 * (T-144). */
#define B_STEP(round, x, k, rk)                                                                                        \
  do {                                                                                                                 \
    b_t k_ = b_load(rk += 16);                                                                                         \
    x = round(x, k, k_);                                                                                               \
    k = k_;                                                                                                            \
  } while (0)
#define B_MIDDLE(round, x, k, rk, rounds)                                                                              \
  do {                                                                                                                 \
    for (unsigned r_ = 10; r_ < (rounds); r_ += 2)                                                                     \
      EACH(i_, 2, B_STEP(round, x, k, rk));                                                                            \
    EACH(i_, 9, B_STEP(round, x, k, rk));                                                                              \
    rk += 16;                                                                                                          \
  } while (0)

static void aes_init(struct rijn_aes *k, const uint8_t *raw) {
  expand_key(k->rk.b, raw, k->rounds);
  IN_MEMORY(k->rk.b);
  invert_key(k->dk.b, k->rk.b, k->rounds);
  KEY_END();
}

#include "cbc_t.h"
#include "ctr_t.h"
#include "ecb_t.h"
#include "xts_t.h"

/* The kernels' fields in struct rijn_impl. */
#define MODE_KERNELS                                                                                                   \
  .aes_init = aes_init, .xts_init = xts_init, .ecb_enc = ecb_enc, .ecb_dec = ecb_dec, .ctr_blocks = ctr_blocks,        \
  .ctr32_blocks = ctr32_blocks, .ctr_public = CTR_PUBLIC, .cbc_enc = cbc_enc, .cbc_dec = cbc_dec, .xts_enc = xts_enc,  \
  .xts_dec = xts_dec, .xts_enc_sectors = xts_enc_sectors, .xts_dec_sectors = xts_dec_sectors
