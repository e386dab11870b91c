/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Zen 4: as x86_vaes_avx512_zen.c, but it runs 512 bits as two halves, a round of AES in each cycle: what comes out of
 * AES has to be waited for longer. */
#define ISA x86_vaes_avx512_zen4
#define NARROW rijn_impl_x86_vaes_avx512_256

/* Facts. */
#define VECTOR_BLOCKS 4
#define REGISTERS 32
#define HAS_MASKS 1
#define BLOCK_IS_INTEGER 0
#define SPILLS 0
#define FRAME_MORE 384
#define COUNTER_PAGES 1

/* Choices. */
#define PIN_GCM BY_COMPILER(0, 1) /* gcc's own order is as good, clang's is not (T-189). */
#define PIN_MODES BY_COMPILER(0, 1)
#define MODE_VECTORS 8
#define PASS_VECTORS 8 /* Four vectors would wait for AES (T-186), and six do (T-187). */
#define POWERS 72
#define POWERS_AHEAD 1
#define ONE_CALL_BYTES 2048 /* Beyond one sum that are several; passes are slower (T-190). */
#define TABLE_FROM 0        /* The table gains from 32 KiB on only (T-196). */
#define ONE_LOOP 1
#define KEEP_TEXT 0
#define MIDDLE_TERM HALVES_MADE /* Three multiplies a block, not four as in x86_vaes_avx512.c (T-188). */
#define HASH_PAIRS 0
#define KEEP_LANES 1
#define STITCH_ROUNDS 7
#define STITCH_TABLED 7
/* Groups of an even number of vectors have no single one to multiply, and four wait less for AES than three
 * (T-197). PORT: clang has one register too few for five vectors, and the stack gets it. */
#define GROUP_LEAST BY_COMPILER(2, 1)
/* The other sets with 512-bit vectors have 0, because it has not been measured where they are chosen (T-198). */
#define GROUPS_JOINED 1
#define GROUPS_LOOP 1
#define MASK_EARLY 1
#define J0_ALONE 0
#define NARROW_ENCRYPT 96 /* Narrower vectors wait less for AES (T-193); 112 bytes gain nothing more (T-194). */
#define NARROW_DECRYPT 96
#define NARROW_AAD 48 /* So do those with some associated data; with 64 bytes of it they do not (T-195). */
/* Longer texts of a batch by the call for one, which is faster here since GROUPS_JOINED (T-236; from 256 bytes
 * on it is not: T-237). */
#define BATCH_BYTES 448

#include "../mode/tune.h"

#include "ops_x86_512.h"
#include "ops_x86_batch.h"
#include "../mode/all_t.h"
