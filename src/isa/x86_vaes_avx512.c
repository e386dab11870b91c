/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AVX-512 in its full width: four blocks a vector, 32 registers, masked loads and stores, an XOR of three. */
#define ISA_NAME "x86-vaes-avx512"
#define ISA_IMPL rijn_impl_x86_vaes_avx512
#define ISA_NEEDS RIJN_CPUS_VAES | RIJN_CPUS_AVX512
#define VB 4
#define GCM_NV 4
/* The set that does short messages, with the same key and narrower vectors. PERF: three ports for 256-bit vectors, two
 * for 512, and fewer lanes to add up: 16 bytes 33 cycles instead of 37. REJECTED: up to 64 bytes, 40 (AES-256: 45.5)
 * instead of 38 (44). */
#define GCM_NARROW rijn_impl_x86_vaes_avx512_256
#define GCM_NARROW_MAX 32
/* (72 - 2) * 16 = 1120 bytes of text are one sum. PERF: set-up in 211 cycles. REJECTED: 92, 241 cycles, and 1120 to
 * 1440 bytes in 3 to 5 % fewer; 36, and 560, 752, 944 bytes in 136, 181, 208 cycles instead of 115, 147, 178. */
#define GCM_POWERS 72
/* Beyond 1120 that are two or three sums. PERF: 1456 to 2048 bytes in 9 to 15 % fewer cycles than by passes, which take
 * 40 to begin and end. */
#define GCM_REACH 2048

#include "ops_x86_512.h"
#include "ops_x86_batch.h"
#include "../mode/all_t.h"
