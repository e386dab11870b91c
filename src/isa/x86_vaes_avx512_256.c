/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AVX-512 at half of its width, for processors that slow down beyond: two blocks a vector, with 32 registers and
 * masks. */
#define ISA_NAME "x86-vaes-avx512-256"
#define ISA_IMPL rijn_impl_x86_vaes_avx512_256
#define ISA_NEEDS RIJN_CPUS_VAES | RIJN_CPUS_AVX512
#define VB 2
#define GCM_NV 8
/* (52 - 2) * 16 = 800 bytes of text are one sum. PERF: set-up in 213 cycles; with 72, as the sets have it that hand
 * this one their short messages, 261, and 816 to 1120 bytes in 1 to 4 % fewer. */
#define GCM_POWERS 52
/* PERF: 1456 bytes in 6 to 13 % fewer cycles than by passes; 2048 bytes with AES-256 in 7 % more. */
#define GCM_REACH 1920

#include "ops_x86_256.h"
#include "../mode/all_t.h"
