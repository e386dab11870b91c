/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The same with instructions of three operands: one block a vector, 16 registers. */
#define ISA x86_aesni_avx
#define VB 1
#define GCM_NV 8
/* (22 - 2) * 16 = 320 bytes of text are all tail (T-171). More powers cost a key's set-up (T-172). */
#define GCM_POWERS 22

#include "ops_x86_128.h"
#include "../mode/all_t.h"
