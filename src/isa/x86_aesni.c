/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-NI and PCLMULQDQ without AVX: one block a vector, 16 registers, or eight on 32-bit x86. */
#define ISA x86_aesni
/* clang-format off */
#define TUNING \
  TUNE(VB, 1) \
  TUNE(REGISTERS, BY_WIDTH(8, 16)) \
  TUNE(V_MASKED, 0) \
  TUNE(BLOCK_IS_INTEGER, 0) \
  TUNE(GCM_SPILLS, 1) \
  TUNE(BURN_MORE, 0) \
  TUNE(PIN_GCM, 1) \
  TUNE(PIN_MODES, 1) \
  TUNE(MODE_NV, BY_WIDTH(4, 8)) \
  TUNE(GCM_NV, 8) /* Fewer vectors leave AES waiting (T-169, T-170). */ \
  TUNE(GCM_POWERS, 22) /* (T-171) */ \
  TUNE(GCM_REACH, 320) \
  TUNE(GCM_PAGES, 1) \
  TUNE(GCM_CACHE, 16384) \
  TUNE(GCM_ROUND1, 0) \
  TUNE(GCM_ONE_LOOP, 1) \
  TUNE(GCM_KEEP, 0) \
  TUNE(GF_KARATSUBA, HALVES_PAIRED) \
  TUNE(GF_PAIRS, 0) \
  TUNE(BCAST_COSTS, 0) \
  TUNE(STITCH_ROUNDS, 7) \
  TUNE(STITCH_TABLED, 7) \
  TUNE(TAIL_FROM, 1) \
  TUNE(TAIL_JOINED, 0) \
  TUNE(TAIL_LOOPS, 0) \
  TUNE(TAIL_MASK, 0) \
  TUNE(J0_ALONE, 0) /* Sixteen registers are one too few for it, with two operands (T-270). */ \
  TUNE(NARROW_ENC, 0) \
  TUNE(NARROW_DEC, 0) \
  TUNE(NARROW_AAD, 0) \
  TUNE(BATCH_LEN, 0)
/* clang-format on */
#include "../mode/tune.h"

#include "ops_x86_128.h"
#include "../mode/all_t.h"
