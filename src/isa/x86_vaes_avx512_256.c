/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AVX-512 at half of its width, for processors that slow down beyond: two blocks a vector, with 32 registers and
 * masks. */
#define ISA x86_vaes_avx512_256
#define VB 2
#define GCM_NV 8
/* (52 - 2) * 16 = 800 bytes of text are one sum (T-166). 72, as the sets have it that hand this one their short
 * messages, cost a key's set-up (T-167). */
#define GCM_POWERS 52
/* Beyond 800 that are several sums; 2048 bytes are faster by passes (T-168). */
#define GCM_REACH 1920

#include "ops_x86_256.h"
#include "../mode/all_t.h"
