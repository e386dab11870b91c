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
/* PERF: what a packet of Ethernet holds is one sum. 560, 752, 944 bytes 115, 147, 178 cycles instead of 136, 181, 208 with 36 powers,
 * whose key set-up takes 80 cycles less; 1420 encrypted are as fast. REJECTED: 76, set-up in 216 instead of 239 cycles, and 1200 bytes
 * 11 % more, decrypted 15 %. */
#define GCM_POWERS 92

#include "isa.h"
#include "ops_x86_512.h"
#include "ops_x86_batch.h"
#include "../mode/all_t.h"
