/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Zen 4 runs 512 bits as two halves: what comes out of AES has to be waited for longer. */
#define ISA x86_vaes_avx512_zen4
/* Narrower vectors wait less for AES (T-193); 112 bytes gain nothing more (T-194). */
#define GCM_NARROW_MAX 96
/* So do those with some associated data; with 64 bytes of it they do not (T-195). */
#define GCM_NARROW_WIDE(len, aad_len) ((len) && (len) <= GCM_NARROW_MAX && (aad_len) <= 48)
#define GCM_WIDE NOINLINE
/* No table of cache_t.h, which gains from 32 KiB on only (T-196). */
#define GCM_CACHE 0
#define BCAST_COSTS 1
/* The groups of all sizes share what multiplies (T-198). The other sets with 512-bit vectors have 0, for it has not
 * been measured where they are chosen. */
#define TAIL_JOINED 1
/* Longer texts of a batch by the call for one, which is faster here since TAIL_JOINED (T-236; from 256 bytes on it is
 * not: T-237). */
#define BATCH_LEN 448
/* Groups of an even number of vectors have no single one to multiply, and four wait less for AES than three (T-197). */
#ifdef __clang__ /* PORT: which has one register too few for five vectors, and the stack gets it */
#define TAIL_FROM 1
#else
#define TAIL_FROM 2
#endif
#include "x86_zen.h"
