/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AVX-512 in its full width: four blocks a vector, 32 registers, masked loads and stores, an XOR of three. */
#define ISA x86_vaes_avx512
#define GCM_NARROW rijn_impl_x86_vaes_avx512_256
/* clang-format off */
#define TUNING \
  TUNE(VB, 4) \
  TUNE(REGISTERS, 32) \
  TUNE(V_MASKED, 1) \
  TUNE(BLOCK_IS_INTEGER, 0) \
  TUNE(GCM_SPILLS, 0) \
  TUNE(BURN_MORE, 0) \
  TUNE(PIN_GCM, 1) \
  TUNE(PIN_MODES, 1) \
  TUNE(MODE_NV, 8) \
  TUNE(GCM_NV, 4) \
  TUNE(GCM_POWERS, 72) /* More powers cost a key's set-up, fewer cost long packets (T-162 to T-164). */ \
  /* Beyond one sum that are two or three, because passes take long to begin and to end (T-165). */ \
  TUNE(GCM_REACH, 2048) \
  TUNE(GCM_PAGES, 1) \
  TUNE(GCM_CACHE, 16384) \
  TUNE(GCM_ROUND1, 1) \
  TUNE(GCM_ONE_LOOP, 0) \
  TUNE(GCM_KEEP, 1) \
  TUNE(GF_KARATSUBA, FOUR_MULS) \
  TUNE(GF_PAIRS, 0) \
  TUNE(BCAST_COSTS, 0) \
  TUNE(STITCH_ROUNDS, 5) \
  TUNE(STITCH_TABLED, 7) \
  TUNE(TAIL_FROM, 1) \
  TUNE(TAIL_JOINED, 0) \
  TUNE(TAIL_LOOPS, 0) \
  TUNE(TAIL_MASK, 0) \
  TUNE(J0_ALONE, 0) \
  /* There are three ports for narrower vectors, two for 512 bits, and fewer lanes to add up (T-160; up to 64 \
   * bytes: T-161). */ \
  TUNE(NARROW_ENC, 32) \
  TUNE(NARROW_DEC, 32) \
  TUNE(NARROW_AAD, 0) \
  TUNE(BATCH_LEN, 1856)
/* clang-format on */
#include "../mode/tune.h"

#include "ops_x86_512.h"
#include "ops_x86_batch.h"
#include "../mode/all_t.h"
