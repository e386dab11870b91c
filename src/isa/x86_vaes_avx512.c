/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AVX-512 in its full width: four blocks a vector, 32 registers, masked loads and stores, an XOR of three. */
#define ISA x86_vaes_avx512
#define NARROW rijn_impl_x86_vaes_avx512_256
/* clang-format off */
#define TUNING \
  TUNE(VECTOR_BLOCKS, 4) \
  TUNE(REGISTERS, 32) \
  TUNE(HAS_MASKS, 1) \
  TUNE(BLOCK_IS_INTEGER, 0) \
  TUNE(SPILLS, 0) \
  TUNE(FRAME_MORE, 0) \
  TUNE(PIN_GCM, 1) \
  TUNE(PIN_MODES, 1) \
  TUNE(MODE_VECTORS, 8) \
  TUNE(PASS_VECTORS, 4) \
  TUNE(POWERS, 72) /* More powers cost a key's set-up, fewer cost long packets (T-162 to T-164, T-292). */ \
  TUNE(POWERS_AHEAD, 0) \
  /* Beyond one sum that are two or three, because passes take long to begin and to end (T-165). */ \
  TUNE(ONE_CALL_BYTES, 2048) \
  TUNE(COUNTER_PAGES, 1) \
  TUNE(TABLE_FROM, 16384) \
  TUNE(ONE_LOOP, 0) \
  TUNE(KEEP_TEXT, 1) \
  TUNE(MIDDLE_TERM, FOUR_MULS) \
  TUNE(HASH_PAIRS, 0) \
  TUNE(KEEP_LANES, 0) \
  TUNE(STITCH_ROUNDS, 5) \
  TUNE(STITCH_TABLED, 7) \
  TUNE(GROUP_LEAST, 1) \
  TUNE(GROUPS_JOINED, 0) \
  TUNE(GROUPS_LOOP, 0) \
  TUNE(MASK_EARLY, 1) /* (T-293) */ \
  TUNE(J0_ALONE, 0) \
  /* There are three ports for narrower vectors, two for 512 bits, and fewer lanes to add up (T-160; up to 64 \
   * bytes: T-161). */ \
  TUNE(NARROW_ENCRYPT, 32) \
  TUNE(NARROW_DECRYPT, 32) \
  TUNE(NARROW_AAD, 0) \
  TUNE(BATCH_BYTES, 1856)
/* clang-format on */
#include "../mode/tune.h"

#include "ops_x86_512.h"
#include "ops_x86_batch.h"
#include "../mode/all_t.h"
