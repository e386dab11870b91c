/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#define ISA_NAME "x86-vaes-avx512"
#define ISA_IMPL rijn_impl_x86_vaes_avx512
#define ISA_NEEDS RIJN_CPUS_VAES | RIJN_CPUS_AVX512
#define VB 4
#define GCM_NV 4
/* The same key with narrower vectors, for short messages. PERF: three ports for 256-bit vectors, two for 512, and fewer lanes to
 * fold: 16 bytes 33 cycles instead of 37. REJECTED: up to 64 bytes, 40 (AES-256: 45.5) instead of 38 (44). */
#define GCM_NARROW rijn_impl_x86_vaes_avx512_256
#define GCM_NARROW_MAX 32
/* PERF: set-up in 211 cycles, and texts of up to 1120 bytes are one sum. REJECTED: 92, 241 cycles, and 1120 to 1440 bytes in 3 to 5 %
 * fewer; 36, and 560, 752, 944 bytes in 136, 181, 208 cycles instead of 115, 147, 178. */
#define GCM_POWERS 72
/* PERF: 1456 to 2048 bytes in 9 to 15 % fewer cycles than by passes, which take 40 to begin and end. */
#define GCM_REACH 2048

#include "ops_x86_512.h"
#include "ops_x86_batch.h"
#include "../mode/all_t.h"
