/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* VAES and VPCLMULQDQ without AVX-512: two blocks a vector, 16 registers. */
#define ISA x86_vaes_avx2
#define VB 2
/* Fewer vectors leave AES waiting, eight have too few registers (T-173 to T-175); other orders of the multiplies gain
 * nothing (T-176, T-177). */
#define GCM_NV 6
/* (36 - 2) * 16 = 544 bytes of text are all tail (T-178). Longer texts go by passes, which keep more at work than
 * groups (GCM_REACH 2048 and 1024: T-179, T-180). */
#define GCM_POWERS 36

#include "ops_x86_256.h"
#include "../mode/all_t.h"
