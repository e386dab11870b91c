/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* VAES and VPCLMULQDQ without AVX-512: two blocks a vector, 16 registers. */
#define ISA x86_vaes_avx2
/* clang-format off */
#define TUNING \
  TUNE(VB, 2) \
  TUNE(REGISTERS, 16) \
  TUNE(V_MASKED, 0) \
  TUNE(BLOCK_IS_INTEGER, 0) \
  TUNE(GCM_SPILLS, 1) \
  TUNE(BURN_MORE, 0) \
  TUNE(PIN_GCM, 1) \
  TUNE(PIN_MODES, 1) \
  TUNE(MODE_NV, 8) \
  /* Fewer vectors leave AES waiting, eight have too few registers (T-173 to T-175); other orders of the \
   * multiplies gain nothing (T-176, T-177). */ \
  TUNE(GCM_NV, 6) \
  TUNE(GCM_POWERS, 36) /* (T-178) */ \
  /* Longer texts go by passes, which keep more at work than groups (2048 and 1024: T-179, T-180). */ \
  TUNE(GCM_REACH, 544) \
  TUNE(GCM_PAGES, 1) \
  TUNE(GCM_CACHE, 16384) \
  TUNE(GCM_ROUND1, 1) \
  TUNE(GCM_ONE_LOOP, 0) \
  TUNE(GCM_KEEP, 0) \
  TUNE(GF_KARATSUBA, HALVES_PAIRED) \
  TUNE(GF_PAIRS, 0) \
  TUNE(BCAST_COSTS, 0) \
  TUNE(STITCH_ROUNDS, 7) \
  TUNE(STITCH_TABLED, 7) \
  TUNE(TAIL_FROM, 1) \
  TUNE(TAIL_JOINED, 0) \
  TUNE(TAIL_LOOPS, 0) \
  TUNE(TAIL_MASK, 0) \
  TUNE(J0_ALONE, 1) /* The hash waits for the keystream (T-270). */ \
  TUNE(NARROW_ENC, 0) \
  TUNE(NARROW_DEC, 0) \
  TUNE(NARROW_AAD, 0) \
  TUNE(BATCH_LEN, 0)
/* clang-format on */
#include "../mode/tune.h"

#include "ops_x86_256.h"
#include "../mode/all_t.h"
