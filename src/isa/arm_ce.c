/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AArch64 with AES and PMULL: one block a vector, 32 registers. */
#define ISA arm_ce
/* clang-format off */
#define TUNING \
  TUNE(VB, 1) \
  TUNE(REGISTERS, 32) \
  TUNE(V_MASKED, 0) \
  TUNE(BLOCK_IS_INTEGER, 0) \
  TUNE(GCM_SPILLS, 1) \
  TUNE(BURN_MORE, 0) \
  TUNE(PIN_GCM, 1) \
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
  TUNE(GF_KARATSUBA, HALVES_KEPT) \
  TUNE(GF_PAIRS, 0) \
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

#include "ops_arm.h"
#include "../mode/all_t.h"
