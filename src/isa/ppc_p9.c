/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* POWER9 and later: the same with loads and stores of n bytes. */
#define ISA ppc_p9

/* Facts. */
#define VECTOR_BLOCKS 1
#define REGISTERS 64
#define HAS_MASKS 1
#define BLOCK_IS_INTEGER 1
#define SPILLS 1
#define FRAME_MORE 512
#define COUNTER_PAGES 0

/* Choices. */
#define PIN_GCM BY_COMPILER(0, 1) /* gcc's own order; not in the other modes, where it loses (T-212). */
#define PIN_MODES 1
#define MODE_VECTORS 8
#define PASS_VECTORS 8
#define POWERS 17
#define POWERS_AHEAD 0
#define ONE_CALL_BYTES 240
#define TABLE_FROM 0
#define ONE_LOOP 1
#define KEEP_TEXT 0
#define MIDDLE_TERM FOUR_MULS
#define HASH_PAIRS 1
#define KEEP_LANES 0
#define STITCH_ROUNDS 8
#define STITCH_TABLED 8
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

#include "ops_ppc.h"
#include "../mode/all_t.h"
