/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Zen 5 and later: processors that start a carry-less multiply every other cycle, whatever its width, but two rounds of
 * AES in each. So this set multiplies less than that of x86_vaes_avx512.c, and has more vectors in AES. */
#define ISA x86_vaes_avx512_zen
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
#define POWERS_AHEAD 0
#define ONE_CALL_BYTES 2048 /* Beyond one sum that are several; passes are slower (T-190). */
#define TABLE_FROM 16384
#define ONE_LOOP 1
#define KEEP_TEXT 0
#define MIDDLE_TERM HALVES_MADE /* Three multiplies a block, not four as in x86_vaes_avx512.c (T-188). */
#define HASH_PAIRS 0
#define KEEP_LANES 0
#define STITCH_ROUNDS 7
#define STITCH_TABLED 7
#define GROUP_LEAST 1
#define GROUPS_JOINED 0
#define GROUPS_LOOP 1
#define MASK_EARLY 1
#define J0_ALONE 0
#define NARROW_ENCRYPT 16
/* Decrypted they are slower (T-191, T-192). An empty text goes there too: it may count as either. */
#define NARROW_DECRYPT 0
#define NARROW_AAD 0
#define BATCH_BYTES 1856

#include "../mode/tune.h"

#include "ops_x86_512.h"
#include "ops_x86_batch.h"
#include "../mode/all_t.h"
