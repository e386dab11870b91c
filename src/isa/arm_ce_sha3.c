/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The same with EOR3 of SHA-3, an XOR of three. */
#define ISA arm_ce_sha3
/* gcc's own order in GCM, where it makes EOR3 of two sums that PIN keeps apart; not in CTR, where that loses
 * (T-210). */
#ifndef __clang__
#define PIN(v) ((void)0)
#define MODE_PINNED
#endif
#define VB 1
#ifndef GCM_NV
#define GCM_NV 8
#endif
#define GCM_SPILLS 1
#define V_MASKED 0
#define GF_KARATSUBA 1

#include "ops_arm.h"
#include "../mode/all_t.h"
