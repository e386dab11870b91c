/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What the two sets for Zen with AVX-512 have in common, included by each of them: processors that start a carry-less
 * multiply every other cycle, whatever its width, but two rounds of AES in each (Zen 4 one of 512 bits). So they
 * multiply less and have more vectors in AES. */
#define VB 4
/* Four vectors would wait for AES (T-186), and six do (T-187). */
#define GCM_NV 8
/* Three multiplies a block, not four as in x86_vaes_avx512.c (T-188). */
#define GF_KARATSUBA 3
/* gcc's own order is as good, clang's is not (T-189). */
#ifndef __clang__
#define PIN(v) ((void)0)
#endif
#define GCM_POWERS 72
/* Beyond (72 - 2) * 16 = 1120 that are several sums; passes are slower (T-190). */
#define GCM_REACH 2048
#define GCM_NARROW rijn_impl_x86_vaes_avx512_256

#include "ops_x86_512.h"
#include "ops_x86_batch.h"
#include "../mode/all_t.h"
