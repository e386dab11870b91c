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
enum { MODE_BLOCKS = VECTOR_BLOCKS * MODE_VECTORS, MODE_BYTES = 16 * MODE_BLOCKS, MODE_FEW = 4 };
#define MODE_ROOM 9 /* elements of an array that EACH (isa.h) walks. PORT: clang warns of those that it skips */

/* The round keys of a call. */
struct keys {
  const uint8_t *rk;
  unsigned rounds;
};

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
