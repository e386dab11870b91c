/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AVX-512 in its full width: four blocks a vector, 32 registers, masked loads and stores, an XOR of three. */
#define ISA x86_vaes_avx512
#define NARROW rijn_impl_x86_vaes_avx512_256

/* Facts. */
#define VECTOR_BLOCKS 4
#define REGISTERS 32
#define HAS_MASKS 1
#define BLOCK_IS_INTEGER 0
#define SPILLS 0
#define FRAME_MORE 0
#define COUNTER_PAGES 1

/* Choices. */
#define PIN_GCM 1
#define PIN_MODES 1
#define MODE_VECTORS 8
#define PASS_VECTORS 4
#define POWERS 72 /* More powers cost a key's set-up, fewer cost long packets (T-162 to T-164, T-292). */
#define POWERS_AHEAD 0
/* Beyond one sum that are two or three, because passes take long to begin and to end (T-165). */
#define ONE_CALL_BYTES 2048
#define TABLE_FROM 16384
#define ONE_LOOP 0
#define KEEP_TEXT 1
#define MIDDLE_TERM FOUR_MULS
#define HASH_PAIRS 0
#define KEEP_LANES 0
#define STITCH_ROUNDS 5
#define STITCH_TABLED 7
#define GROUP_LEAST 1
#define GROUPS_JOINED 0
#define GROUPS_LOOP 0
#define MASK_EARLY 1 /* (T-293) */
#define J0_ALONE 0
/* There are three ports for narrower vectors, two for 512 bits, and fewer lanes to add up (T-160; up to 64
 * bytes: T-161). */
#define NARROW_ENCRYPT 32
#define NARROW_DECRYPT 32
#define NARROW_AAD 0
#define BATCH_BYTES 1856

#include "../mode/tune.h"

#include "ops_x86_512.h"
#include "ops_x86_batch.h"
#include "../mode/all_t.h"
