/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#define ISA_NAME "x86-vaes-avx512"
#define ISA_IMPL rijn_impl_x86_vaes_avx512
#define ISA_NEEDS RIJN_CPUS_VAES | RIJN_CPUS_AVX512
#define VB 4
/* REJECTED: GCM_NV 8. 16 KiB in 2758 cycles instead of 2845 (AES-128), but with 68 powers key set-up took 280 instead of 212. */
#define GCM_NV 4
/* PERF: three ports for 256-bit vectors, two for 512: a block goes to x86_vaes_avx512_256.c, whose key is the same. 20 cycles XXX */
#define GCM_NARROW rijn_impl_x86_vaes_avx512_256
#define GCM_NARROW_MAX 64
#define GCM_POWERS 36

#include "isa.h"
#include "ops_x86_512.h"
#include "ops_x86_batch.h"
#include "../mode/all_t.h"
