/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The same with instructions of three operands: one block a vector, 16 registers. */
#define ISA_NAME "x86-aesni-avx"
#define ISA_IMPL rijn_impl_x86_aesni_avx
#define ISA_NEEDS RIJN_CPU(AESNI) | RIJN_CPU(PCLMUL) | RIJN_CPU(SSSE3) | RIJN_CPU(SSE41) | RIJN_CPU(AVX)
#define VB 1
#define GCM_NV 8
/* (22 - 2) * 16 = 320 bytes of text are all tail (T-171). More powers cost a key's set-up (T-172). */
#define GCM_POWERS 22

#include "ops_x86_128.h"
#include "../mode/all_t.h"
