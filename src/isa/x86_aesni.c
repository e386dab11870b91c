/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-NI and PCLMULQDQ without AVX: one block a vector, 16 registers, or eight on 32-bit x86. */
#define ISA x86_aesni
#define VB 1
/* Fewer vectors leave AES waiting (T-169, T-170). */
#define GCM_NV 8
/* (22 - 2) * 16 = 320 bytes of text are all tail (T-171). */
#define GCM_POWERS 22

#include "ops_x86_128.h"
#include "../mode/all_t.h"
