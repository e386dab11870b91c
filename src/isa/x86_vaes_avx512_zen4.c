/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Zen 4: as x86_vaes_avx512_zen.c, but it runs 512 bits as two halves, a round of AES in each cycle: what comes out of
 * AES has to be waited for longer. */
#define ISA x86_vaes_avx512_zen4
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
  TUNE(POWERS_AHEAD, 1) \
  TUNE(ONE_CALL_BYTES, 2048) /* Beyond one sum that are several; passes are slower (T-190). */ \
  TUNE(COUNTER_PAGES, 1) \
  TUNE(TABLE_FROM, 0) /* The table gains from 32 KiB on only (T-196). */ \
  TUNE(ONE_LOOP, 1) \
  TUNE(KEEP_TEXT, 0) \
  TUNE(MIDDLE_TERM, HALVES_MADE) /* Three multiplies a block, not four as in x86_vaes_avx512.c (T-188). */ \
  TUNE(HASH_PAIRS, 0) \
  TUNE(KEEP_LANES, 1) \
  TUNE(STITCH_ROUNDS, 7) \
  TUNE(STITCH_TABLED, 7) \
  /* Groups of an even number of vectors have no single one to multiply, and four wait less for AES than three \
   * (T-197). PORT: clang has one register too few for five vectors, and the stack gets it. */ \
  TUNE(GROUP_LEAST, BY_COMPILER(2, 1)) \
  /* The other sets with 512-bit vectors have 0, because it has not been measured where they are chosen (T-198). */ \
  TUNE(GROUPS_JOINED, 1) \
  TUNE(GROUPS_LOOP, 1) \
  TUNE(MASK_EARLY, 1) \
  TUNE(J0_ALONE, 0) \
  TUNE(NARROW_ENCRYPT, 96) /* Narrower vectors wait less for AES (T-193); 112 bytes gain nothing more (T-194). */ \
  TUNE(NARROW_DECRYPT, 96) \
  TUNE(NARROW_AAD, 48) /* So do those with some associated data; with 64 bytes of it they do not (T-195). */ \
  /* Longer texts of a batch by the call for one, which is faster here since GROUPS_JOINED (T-236; from 256 bytes \
   * on it is not: T-237). */ \
  TUNE(BATCH_BYTES, 448)
/* clang-format on */
#include "../mode/tune.h"

#include "ops_x86_512.h"
#include "ops_x86_batch.h"
#include "../mode/all_t.h"
