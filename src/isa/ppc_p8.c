/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* POWER8: one block a vector, 64 registers, of which 32 do AES and multiplies; blocks are hashed two by two. */
#define ISA ppc_p8
/* clang-format off */
#define TUNING \
  TUNE(VB, 1) \
  TUNE(REGISTERS, 64) \
  TUNE(V_MASKED, 0) \
  TUNE(BLOCK_IS_INTEGER, 1) \
  TUNE(GCM_SPILLS, 1) \
  TUNE(BURN_MORE, 512) \
  TUNE(PIN_GCM, BY_COMPILER(0, 1)) /* gcc's own order (T-211). */ \
  TUNE(PIN_MODES, 1) \
  TUNE(MODE_NV, 8) \
  TUNE(GCM_NV, 8) \
  TUNE(GCM_POWERS, 17) \
  TUNE(GCM_REACH, 240) \
  TUNE(GCM_PAGES, 0) \
  TUNE(GCM_CACHE, 0) \
  TUNE(GCM_ROUND1, 0) \
  TUNE(GCM_ONE_LOOP, 1) \
  TUNE(GCM_KEEP, 0) \
  TUNE(GF_KARATSUBA, FOUR_MULS) \
  TUNE(GF_PAIRS, 1) \
  TUNE(BCAST_COSTS, 0) \
  TUNE(STITCH_ROUNDS, 8) \
  TUNE(STITCH_TABLED, 8) \
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

#include "ops_ppc.h"
#include "../mode/all_t.h"
