/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AVX-512 at half of its width, for processors that slow down beyond: two blocks a vector, with 32 registers and
 * masks. */
#define ISA x86_vaes_avx512_256
/* clang-format off */
#define TUNING \
  TUNE(VECTOR_BLOCKS, 2) \
  TUNE(REGISTERS, 32) \
  TUNE(HAS_MASKS, 1) \
  TUNE(BLOCK_IS_INTEGER, 0) \
  TUNE(SPILLS, 0) \
  TUNE(FRAME_MORE, 0) \
  TUNE(PIN_GCM, 1) \
  TUNE(PIN_MODES, 1) \
  TUNE(MODE_VECTORS, 8) \
  TUNE(PASS_VECTORS, 8) \
  /* 72, as the sets have it that hand this one their short messages, cost a key's set-up (T-166, T-167). */ \
  TUNE(POWERS, 52) \
  TUNE(POWERS_AHEAD, 0) \
  TUNE(ONE_CALL_BYTES, 1920) /* Beyond one sum that are several; 2048 bytes are faster by passes (T-168). */ \
  TUNE(COUNTER_PAGES, 1) \
  TUNE(TABLE_FROM, 16384) \
  TUNE(ONE_LOOP, 0) \
  TUNE(KEEP_TEXT, 0) \
  TUNE(MIDDLE_TERM, FOUR_MULS) \
  TUNE(HASH_PAIRS, 0) \
  TUNE(KEEP_LANES, 0) \
  TUNE(STITCH_ROUNDS, 7) \
  TUNE(STITCH_TABLED, 7) \
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

#include "ops_x86_256.h"
#include "../mode/all_t.h"
