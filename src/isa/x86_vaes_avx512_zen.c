/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Zen 5 and later: processors that start a carry-less multiply every other cycle, whatever its width, but two rounds of
 * AES in each. So this set multiplies less than that of x86_vaes_avx512.c, and has more vectors in AES. */
#define ISA x86_vaes_avx512_zen
#define GCM_NARROW rijn_impl_x86_vaes_avx512_256
/* clang-format off */
#define TUNING \
  TUNE(VB, 4) \
  TUNE(REGISTERS, 32) \
  TUNE(V_MASKED, 1) \
  TUNE(BLOCK_IS_INTEGER, 0) \
  TUNE(GCM_SPILLS, 0) \
  TUNE(BURN_MORE, 384) \
  TUNE(PIN_GCM, BY_COMPILER(0, 1)) /* gcc's own order is as good, clang's is not (T-189). */ \
  TUNE(PIN_MODES, BY_COMPILER(0, 1)) \
  TUNE(MODE_NV, 8) \
  TUNE(GCM_NV, 8) /* Four vectors would wait for AES (T-186), and six do (T-187). */ \
  TUNE(GCM_POWERS, 72) \
  TUNE(GCM_REACH, 2048) /* Beyond one sum that are several; passes are slower (T-190). */ \
  TUNE(GCM_PAGES, 1) \
  TUNE(GCM_CACHE, 16384) \
  TUNE(GCM_ROUND1, 1) \
  TUNE(GCM_ONE_LOOP, 1) \
  TUNE(GCM_KEEP, 0) \
  TUNE(GF_KARATSUBA, HALVES_MADE) /* Three multiplies a block, not four as in x86_vaes_avx512.c (T-188). */ \
  TUNE(GF_PAIRS, 0) \
  TUNE(BCAST_COSTS, 0) \
  TUNE(STITCH_ROUNDS, 7) \
  TUNE(STITCH_TABLED, 7) \
  TUNE(TAIL_FROM, 1) \
  TUNE(TAIL_JOINED, 0) \
  TUNE(TAIL_LOOPS, 1) \
  TUNE(TAIL_MASK, 1) \
  TUNE(J0_ALONE, 0) \
  TUNE(NARROW_ENC, 16) \
  /* Decrypted they are slower (T-191, T-192). An empty text goes there too: it may count as either. */ \
  TUNE(NARROW_DEC, 0) \
  TUNE(NARROW_AAD, 0) \
  TUNE(BATCH_LEN, 1856)
/* clang-format on */
#include "../mode/tune.h"

#include "ops_x86_512.h"
#include "ops_x86_batch.h"
#include "../mode/all_t.h"
