/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* VAES and VPCLMULQDQ without AVX-512: two blocks a vector, 16 registers. */
#define ISA x86_vaes_avx2

/* Facts. */
#define VECTOR_BLOCKS 2
#define REGISTERS 16
#define HAS_MASKS 0
#define BLOCK_IS_INTEGER 0
#define SPILLS 1
#define FRAME_MORE 0
#define COUNTER_PAGES 1

/* Choices. */
#define PIN_GCM 1
#define PIN_MODES 1
#define MODE_VECTORS 8
/* Fewer vectors leave AES waiting, eight have too few registers (T-173 to T-175); other orders of the
 * multiplies gain nothing (T-176, T-177). */
#define PASS_VECTORS 6
#define POWERS 36 /* (T-178) */
#define POWERS_AHEAD 0
/* Longer texts go by passes, which keep more at work than groups (2048 and 1024: T-179, T-180). */
#define ONE_CALL_BYTES 544
#define TABLE_FROM 16384
#define ONE_LOOP 0
#define KEEP_TEXT 0
#define MIDDLE_TERM HALVES_PAIRED
#define HASH_PAIRS 0
#define KEEP_LANES 0
#define STITCH_ROUNDS 7
#define STITCH_TABLED 7
#define GROUP_LEAST 1
#define GROUPS_JOINED 0
#define GROUPS_LOOP 0
#define MASK_EARLY 0
#define J0_ALONE 1 /* The hash waits for the keystream (T-270). */
#define NARROW_ENCRYPT 0
#define NARROW_DECRYPT 0
#define NARROW_AAD 0
#define BATCH_BYTES 0

#include "../mode/tune.h"

#include "ops_x86_256.h"
#include "../mode/all_t.h"
