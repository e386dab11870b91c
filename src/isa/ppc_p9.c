/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* POWER9 and later: the same with loads and stores of n bytes. */
#define ISA ppc_p9
/* gcc's own order in GCM; not in the other modes, where it loses (T-212). */
#ifndef __clang__
#define PIN(v) ((void)0)
#define MODE_PINNED
#endif
#define VB 1
#ifndef GCM_NV
#define GCM_NV 8
#endif
#define GCM_SPILLS 1
#define V_MASKED 1
#define GF_KARATSUBA 0
#define GF_PAIRS (GCM_NV % 2 == 0)

#include "ops_ppc.h"
#include "../mode/all_t.h"
