/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AVX-512 at half of its width, for processors that slow down beyond: two blocks a vector, with 32 registers and
 * masks. */
#define ISA x86_vaes_avx512_256
/* clang-format off */
#define TUNING \
  TUNE(VB, 2) \
  TUNE(REGISTERS, 32) \
  TUNE(V_MASKED, 1) \
  TUNE(BLOCK_IS_INTEGER, 0) \
  TUNE(GCM_SPILLS, 0) \
  TUNE(BURN_MORE, 0) \
  TUNE(PIN_GCM, 1) \
  TUNE(PIN_MODES, 1) \
  TUNE(MODE_NV, 8) \
  TUNE(GCM_NV, 8) \
  /* 72, as the sets have it that hand this one their short messages, cost a key's set-up (T-166, T-167). */ \
  TUNE(GCM_POWERS, 52) \
  TUNE(GCM_REACH, 1920) /* Beyond one sum that are several; 2048 bytes are faster by passes (T-168). */ \
  TUNE(GCM_PAGES, 1) \
  TUNE(GCM_CACHE, 16384) \
  TUNE(GCM_ROUND1, 1) \
  TUNE(GCM_ONE_LOOP, 0) \
  TUNE(GCM_KEEP, 0) \
  TUNE(GF_KARATSUBA, FOUR_MULS) \
  TUNE(GF_PAIRS, 0) \
  TUNE(BCAST_COSTS, 0) \
  TUNE(STITCH_ROUNDS, 7) \
  TUNE(STITCH_TABLED, 7) \
  TUNE(TAIL_FROM, 1) \
  TUNE(TAIL_JOINED, 0) \
  TUNE(TAIL_LOOPS, 0) \
  TUNE(TAIL_MASK, 0) \
  TUNE(J0_ALONE, 0) \
  TUNE(NARROW_ENC, 0) \
  TUNE(NARROW_DEC, 0) \
  TUNE(NARROW_AAD, 0) \
  TUNE(BATCH_LEN, 0)
/* clang-format on */
#include "../mode/tune.h"

#include "ops_x86_256.h"
#include "../mode/all_t.h"
