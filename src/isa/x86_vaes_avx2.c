/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* VAES and VPCLMULQDQ without AVX-512: two blocks a vector, 16 registers. */
#define ISA x86_vaes_avx2
/* clang-format off */
#define TUNING \
  TUNE(VECTOR_BLOCKS, 2) \
  TUNE(REGISTERS, 16) \
  TUNE(HAS_MASKS, 0) \
  TUNE(BLOCK_IS_INTEGER, 0) \
  TUNE(SPILLS, 1) \
  TUNE(FRAME_MORE, 0) \
  TUNE(PIN_GCM, 1) \
  TUNE(PIN_MODES, 1) \
  TUNE(MODE_VECTORS, 8) \
  /* Fewer vectors leave AES waiting, eight have too few registers (T-173 to T-175); other orders of the \
   * multiplies gain nothing (T-176, T-177). */ \
  TUNE(PASS_VECTORS, 6) \
  TUNE(POWERS, 36) /* (T-178) */ \
  TUNE(POWERS_AHEAD, 0) \
  /* Longer texts go by passes, which keep more at work than groups (2048 and 1024: T-179, T-180). */ \
  TUNE(ONE_CALL_BYTES, 544) \
  TUNE(COUNTER_PAGES, 1) \
  TUNE(TABLE_FROM, 16384) \
  TUNE(ONE_LOOP, 0) \
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

#include "ops_x86_256.h"
#include "../mode/all_t.h"
