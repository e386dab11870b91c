/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The same with EOR3 of SHA-3, an XOR of three. */
#define ISA arm_ce_sha3
/* clang-format off */
#define TUNING \
  TUNE(VECTOR_BLOCKS, 1) \
  TUNE(REGISTERS, 32) \
  TUNE(HAS_MASKS, 0) \
  TUNE(BLOCK_IS_INTEGER, 0) \
  TUNE(SPILLS, 1) \
  TUNE(FRAME_MORE, 0) \
  /* gcc's own order, in which it makes EOR3 of two sums that PIN keeps apart; not in CTR, where that loses \
   * (T-210). */ \
  TUNE(PIN_GCM, BY_COMPILER(0, 1)) \
  TUNE(PIN_MODES, 1) \
  TUNE(MODE_VECTORS, 8) \
  TUNE(PASS_VECTORS, 8) \
  TUNE(POWERS, 17) \
  TUNE(POWERS_AHEAD, 0) \
  TUNE(ONE_CALL_BYTES, 240) \
  TUNE(COUNTER_PAGES, 0) \
  TUNE(TABLE_FROM, 0) \
  TUNE(ONE_LOOP, 1) \
  TUNE(KEEP_TEXT, 0) \
  TUNE(MIDDLE_TERM, HALVES_KEPT) \
  TUNE(HASH_PAIRS, 0) \
  TUNE(KEEP_LANES, 0) \
  TUNE(STITCH_ROUNDS, 8) \
  TUNE(STITCH_TABLED, 8) \
  TUNE(GROUP_LEAST, 1) \
  TUNE(GROUPS_JOINED, 0) \
  TUNE(GROUPS_LOOP, 0) \
  TUNE(MASK_EARLY, 0) \
  TUNE(J0_ALONE, 0) \
  TUNE(NARROW_ENCRYPT, 0) \
  TUNE(NARROW_DECRYPT, 0) \
  TUNE(NARROW_AAD, 0) \
  TUNE(BATCH_BYTES, 0)
/* clang-format on */
#include "../mode/tune.h"

#include "ops_arm.h"
#include "../mode/all_t.h"
