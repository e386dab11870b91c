/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AVX-512 at half of its width, for processors that slow down beyond: two blocks a vector, with 32 registers and
 * masks. */
#define ISA x86_vaes_avx512_256

/* Facts. */
#define VECTOR_BLOCKS 2
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
#define PASS_VECTORS 8
/* 72, as the sets have it that hand this one their short messages, cost a key's set-up (T-166, T-167). */
#define POWERS 52
#define POWERS_AHEAD 0
#define ONE_CALL_BYTES 1920 /* Beyond one sum that are several; 2048 bytes are faster by passes (T-168). */
#define TABLE_FROM 16384
#define ONE_LOOP 0
#define KEEP_TEXT 0
#define MIDDLE_TERM FOUR_MULS
#define HASH_PAIRS 0
#define KEEP_LANES 0
#define STITCH_ROUNDS 7
#define STITCH_TABLED 7
#define GROUP_LEAST 1
#define GROUPS_JOINED 0
#define GROUPS_LOOP 0
#define MASK_EARLY 0
#define J0_ALONE 0
#define NARROW_ENCRYPT 0
#define NARROW_DECRYPT 0
#define NARROW_AAD 0
#define BATCH_BYTES 0

#include "../mode/tune.h"

#include "ops_x86_256.h"
#include "../mode/all_t.h"
