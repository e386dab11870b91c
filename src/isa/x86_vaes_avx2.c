/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* VAES and VPCLMULQDQ without AVX-512: two blocks a vector, 16 registers. */
#define ISA_NAME "x86-vaes-avx2"
#define ISA_IMPL rijn_impl_x86_vaes_avx2
#define ISA_NEEDS RIJN_CPUS_VAES
#define VB 2
/* REJECTED: 4 and 5, 1420 bytes in 414 and 396 cycles instead of 387. On Zen 3 4: 16 KiB in 5 to 8 % more; 8: 4096
 * bytes with AES-256 in 8 to 14 % more; multiplies under 4, 5 or 6 rounds, and all of two vectors together: level; PIN
 * as nothing: 1 to 5 % more. */
#define GCM_NV 6
/* (36 - 2) * 16 = 544 bytes of text are all tail. PERF: 500 bytes in 173 cycles instead of 230. REJECTED: GCM_REACH
 * 2048: 560 bytes in 12 % fewer, decrypted 4 to 12 % up to 1024, but encrypted 4 to 20 % more from 1280 bytes on, for
 * passes keep more at work than groups; 1024: 2 to 20 % fewer up to 900, but 1 to 3 % more up to 544, which are
 * most. */
#define GCM_POWERS 36

#include "ops_x86_256.h"
#include "../mode/all_t.h"
