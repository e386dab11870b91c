/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#define ISA_NAME "x86-vaes-avx2"
#define ISA_IMPL rijn_impl_x86_vaes_avx2
#define ISA_NEEDS RIJN_CPUS_VAES
#define VB 2
/* REJECTED: GCM_NV 4 and 5. 1420 bytes in 414 and 396 cycles instead of 387. */
#define GCM_NV 6
/* PERF: 500 bytes in 173 cycles instead of 230, for they are all tail. 48 and not 36: 576 to 736 bytes in 3 to 17 % fewer, and
 * key set-up takes 40 more. REJECTED: 60, set-up 100 more, 1420 bytes and 16 KiB as with 48. */
#define GCM_POWERS 48

#include "isa.h"
#include "ops_x86_256.h"
#include "../mode/all_t.h"
