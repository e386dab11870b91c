/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Zen 4 runs 512 bits as two halves: what comes out of AES has to be waited for longer. */
#define ISA_NAME "x86-vaes-avx512-zen4"
#define ISA_IMPL rijn_impl_x86_vaes_avx512_zen4
/* PERF: 64 bytes in 58 cycles (AES-256: 66) instead of 69 (80), decrypted in 60 (63) instead of 64 (70). REJECTED: 112,
 * level encrypted, decrypted 2 cycles more. */
#define GCM_NARROW_MAX 96
/* PERF: with 28 bytes of associated data 16 and 32 bytes in 12 to 20 % fewer cycles, 64 and 96 in 2 to 10 %, but
 * decrypted with AES-128 level; longer texts 1 to 4 cycles more. With 64 bytes of it 64 bytes are slower. */
#define GCM_NARROW_WIDE(len, aad_len) ((len) && (len) <= GCM_NARROW_MAX && (aad_len) <= 48)
#define GCM_WIDE NOINLINE
/* No table of cache_t.h. REJECTED: from 16 KiB on, where it is level; 32 KiB in 3 % fewer cycles (AES-256: 6 %), 64 KiB
 * in 5 % (8 %). But it takes 1.7 KB of the 16 that kernels may have, and so do larger groups (TAIL_FROM 2), with which
 * 512 to 2048 bytes take 5 to 9 % fewer (decrypted; encrypted 3 to 7 %, from 800 bytes on), 250 to 304 bytes 15 %: even
 * ones have no single vector to multiply, and four wait less for AES than three. Encrypted, 305 to 400 bytes take 2 to
 * 8 % more. */
#define GCM_CACHE 0
#define BCAST_COSTS 1
/* PERF: encrypted, 320 to 2048 bytes in 4 to 9 % fewer cycles, 4 KiB in 2; decrypted, 1 to 2 KB in 3 to 6 %, 200 bytes
 * in 3; 128 to 300 bytes level, or 1 % more. The other sets with 512-bit vectors gain here as well, by all of it but
 * the round keys; where they are chosen it has not been measured, so they have 0. */
#define TAIL_JOINED 1
/* PERF: longer texts of a batch by the call for one, which is faster here since TAIL_JOINED: 512 to 1420 bytes in 2 to
 * 9 % fewer cycles, lengths from 64 to 1500 in 2 to 5 %. REJECTED: 256, 1.5 KB less code, but 400 bytes in 2 to 8 %
 * more. */
#define BATCH_LEN 448
#ifdef __clang__ /* PORT: which has one register too few for five vectors, and the stack gets it */
#define TAIL_FROM 1
#else
#define TAIL_FROM 2
#endif
#include "x86_zen.h"
