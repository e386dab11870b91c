/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* POWER8: one block a vector, 64 registers, of which 32 do AES and multiplies; blocks are hashed two by two. */
#define ISA ppc_p8
/* gcc's own order in GCM (T-211). */
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
#define GF_KARATSUBA 0
#define GF_PAIRS (GCM_NV % 2 == 0)

#include "ops_ppc.h"
#include "../mode/all_t.h"
