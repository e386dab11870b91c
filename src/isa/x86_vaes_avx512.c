/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AVX-512 in its full width: four blocks a vector, 32 registers, masked loads and stores, an XOR of three. */
#define ISA x86_vaes_avx512
#define VB 4
#define GCM_NV 4
/* The set that does short messages, with the same key and narrower vectors: there are three ports for these, two for
 * 512 bits, and fewer lanes to add up (T-160; up to 64 bytes: T-161). */
#define GCM_NARROW rijn_impl_x86_vaes_avx512_256
#define GCM_NARROW_MAX 32
/* (72 - 2) * 16 = 1120 bytes of text are one sum (T-162). More powers cost a key's set-up, fewer cost long
 * packets (T-163, T-164). */
#define GCM_POWERS 72
/* Beyond 1120 that are two or three sums, for passes take long to begin and to end (T-165). */
#define GCM_REACH 2048

#include "ops_x86_512.h"
#include "ops_x86_batch.h"
#include "../mode/all_t.h"
