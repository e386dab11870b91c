/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What the two sets for Zen with AVX-512 have in common, included by each of them: processors that start one carry-less
 * multiply in two cycles, whatever its width, but two rounds of AES in one cycle (Zen 4 one of 512 bits). So they
 * multiply less and have more vectors in AES. Figures are those of Zen 5. */
#define ISA_NEEDS RIJN_CPUS_VAES | RIJN_CPUS_AVX512
#define VB 4
/* PERF: 16 KiB in 2271 cycles (AES-256: 2606) instead of 2375 (2985) with 4, which wait for AES; on Zen 4 3 to 8 %
 * fewer. REJECTED: 6, up to 3000 bytes level, beyond 3 to 5 % more; on Zen 4 1 to 4 % more. */
#define GCM_NV 8
/* PERF: 200 to 2048 bytes in 7 to 14 % fewer cycles than with four multiplies (x86_vaes_avx512.c), encrypted with
 * AES-256 in 1 to 9 %. On Zen 4 4 to 16 KiB in 6 to 8 % fewer, 128 to 400 bytes in up to 3 % more. */
#define GF_KARATSUBA 3
/* PERF: gcc's own order, in GCM from 4096 bytes on up to 1 % fewer cycles, in XTS level; clang's 3 to 9 % more. */
#ifndef __clang__
#define PIN(v) ((void)0)
#endif
#define GCM_POWERS 72
/* REJECTED: 1120: 1420 bytes in 289 cycles instead of 258, on Zen 4 encrypted in 12 to 15 % more. */
#define GCM_REACH 2048
#define GCM_NARROW rijn_impl_x86_vaes_avx512_256

#include "ops_x86_512.h"
#include "ops_x86_batch.h"
#include "../mode/all_t.h"
