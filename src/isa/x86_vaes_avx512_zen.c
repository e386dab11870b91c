/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Zen 5 and later: processors that start a carry-less multiply every other cycle, whatever its width, but two rounds of
 * AES in each. So this set multiplies less than that of x86_vaes_avx512.c, and has more vectors in AES. */
#define ISA x86_vaes_avx512_zen
#define NARROW rijn_impl_x86_vaes_avx512_256
/* clang-format off */
#define TUNING \
  TUNE(VECTOR_BLOCKS, 4) \
  TUNE(REGISTERS, 32) \
  TUNE(HAS_MASKS, 1) \
  TUNE(BLOCK_IS_INTEGER, 0) \
  TUNE(SPILLS, 0) \
  TUNE(FRAME_MORE, 384) \
  TUNE(PIN_GCM, BY_COMPILER(0, 1)) /* gcc's own order is as good, clang's is not (T-189). */ \
  TUNE(PIN_MODES, BY_COMPILER(0, 1)) \
  TUNE(MODE_VECTORS, 8) \
  TUNE(PASS_VECTORS, 8) /* Four vectors would wait for AES (T-186), and six do (T-187). */ \
  TUNE(POWERS, 72) \
  TUNE(POWERS_AHEAD, 0) \
  TUNE(ONE_CALL_BYTES, 2048) /* Beyond one sum that are several; passes are slower (T-190). */ \
  TUNE(COUNTER_PAGES, 1) \
  TUNE(TABLE_FROM, 16384) \
  TUNE(ONE_LOOP, 1) \
  TUNE(KEEP_TEXT, 0) \
  TUNE(MIDDLE_TERM, HALVES_MADE) /* Three multiplies a block, not four as in x86_vaes_avx512.c (T-188). */ \
  TUNE(HASH_PAIRS, 0) \
  TUNE(KEEP_LANES, 0) \
  TUNE(STITCH_ROUNDS, 7) \
  TUNE(STITCH_TABLED, 7) \
  TUNE(GROUP_LEAST, 1) \
  TUNE(GROUPS_JOINED, 0) \
  TUNE(GROUPS_LOOP, 1) \
  TUNE(MASK_EARLY, 1) \
  TUNE(J0_ALONE, 0) \
  TUNE(NARROW_ENCRYPT, 16) \
  /* Decrypted they are slower (T-191, T-192). An empty text goes there too: it may count as either. */ \
  TUNE(NARROW_DECRYPT, 0) \
  TUNE(NARROW_AAD, 0) \
  TUNE(BATCH_BYTES, 1856)
/* clang-format on */
#include "../mode/tune.h"

#include "ops_x86_512.h"
#include "ops_x86_batch.h"
#include "../mode/all_t.h"
