/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AArch64 with AES and PMULL: one block a vector, 32 registers. */
#define ISA arm_ce
#define VB 1
#ifndef GCM_NV
#define GCM_NV 8
#endif
#define GCM_SPILLS 1
#define V_MASKED 0
#define GF_KARATSUBA 1

#include "ops_arm.h"
#include "../mode/all_t.h"
