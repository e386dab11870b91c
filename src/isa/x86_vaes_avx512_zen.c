/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* For processors that do two rounds of AES in a cycle at any width, and one multiply in two: Zen 5, whose figures these are. */
#define ISA_NAME "x86-vaes-avx512-zen"
#define ISA_IMPL rijn_impl_x86_vaes_avx512_zen
#define ISA_NEEDS RIJN_CPUS_VAES | RIJN_CPUS_AVX512
#define VB 4
/* PERF: 16 KiB in 2271 cycles (AES-256: 2606) instead of 2375 (2985) with 4, which wait for AES. REJECTED: 6, up to 3000 bytes level,
 * beyond 3 to 5 % more. */
#define GCM_NV 8
/* PERF: 200 to 2048 bytes in 7 to 14 % fewer cycles than with four multiplies (x86_vaes_avx512.c), encrypted with AES-256 in 1 to 9 %. */
#define GF_KARATSUBA 3
/* PERF: gcc's own order, in GCM from 4096 bytes on up to 1 % fewer cycles, in XTS level; clang's 3 to 9 % more. */
#ifndef __clang__
#define PIN(v) ((void)0)
#endif
#define GCM_POWERS 72
/* REJECTED: 1120: 1420 bytes in 289 cycles instead of 258. */
#define GCM_REACH 2048
/* PERF: encrypted, up to 16 bytes in 43 cycles (AES-256: 49) instead of 46 (53). REJECTED: decrypted too, 43 instead of 40. Nothing to
 * decrypt may go either way. */
#define GCM_NARROW rijn_impl_x86_vaes_avx512_256
#define GCM_NARROW_MAX (GCM_ENC ? 16 : 0)

#include "ops_x86_512.h"
#include "ops_x86_batch.h"
#include "../mode/all_t.h"
