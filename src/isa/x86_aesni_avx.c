/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The same with instructions of three operands: one block a vector, 16 registers. */
#define ISA x86_aesni_avx
/* clang-format off */
#define TUNING \
  TUNE(VECTOR_BLOCKS, 1) \
  TUNE(REGISTERS, 16) \
  TUNE(HAS_MASKS, 0) \
  TUNE(BLOCK_IS_INTEGER, 0) \
  TUNE(SPILLS, 1) \
  TUNE(FRAME_MORE, 0) \
  TUNE(PIN_GCM, 1) \
  TUNE(PIN_MODES, 1) \
  TUNE(MODE_VECTORS, 8) \
  TUNE(PASS_VECTORS, 8) \
  TUNE(POWERS, 22) /* More powers cost a key's set-up (T-171, T-172). */ \
  TUNE(POWERS_AHEAD, 0) \
  TUNE(ONE_CALL_BYTES, 320) \
  TUNE(COUNTER_PAGES, 1) \
  TUNE(TABLE_FROM, 16384) \
  TUNE(ONE_LOOP, 1) \
  TUNE(KEEP_TEXT, 0) \
  TUNE(MIDDLE_TERM, HALVES_PAIRED) \
  TUNE(HASH_PAIRS, 0) \
  TUNE(KEEP_LANES, 0) \
  TUNE(STITCH_ROUNDS, 7) \
  TUNE(STITCH_TABLED, 7) \
  TUNE(GROUP_LEAST, 1) \
  TUNE(GROUPS_JOINED, 0) \
  TUNE(GROUPS_LOOP, 0) \
  TUNE(MASK_EARLY, 0) \
  TUNE(J0_ALONE, 1) /* The hash waits for the keystream (T-270). */ \
  TUNE(NARROW_ENCRYPT, 0) \
  TUNE(NARROW_DECRYPT, 0) \
  TUNE(NARROW_AAD, 0) \
  TUNE(BATCH_BYTES, 0)
/* clang-format on */
#include "../mode/tune.h"

#include "ops_x86_128.h"
#include "../mode/all_t.h"
