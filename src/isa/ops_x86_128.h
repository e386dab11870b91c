/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Operations on one block in an xmm register, for every x86 level: b_ names. With VB == 1 the v_ names are the same.
 *
 * A block holds its 16 bytes in memory order. An integer is a block reversed by b_bswap: the counter and
 * the elements of GHASH are integers. The caller's VEX or SSE encoding follows from the compiler's flags.
 */
#include "isa.h"
#include "part.h"
#include "x86_intrin.h"

typedef __m128i b_t;

INLINE b_t b_zero(void) { return _mm_setzero_si128(); }
INLINE b_t b_load(const void *p) { return _mm_loadu_si128((const __m128i *)p); }
INLINE void b_store(void *p, b_t a) { _mm_storeu_si128((__m128i *)p, a); }
INLINE b_t b_xor(b_t a, b_t b) { return _mm_xor_si128(a, b); }
INLINE b_t b_set64(uint64_t hi, uint64_t lo) { return _mm_set_epi64x((long long)hi, (long long)lo); }
INLINE b_t b_bswap(b_t a) {
  return _mm_shuffle_epi8(a, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}
/* Integer: adds n to the lowest 32 bits, which wrap. v_lanes(i) is i, i+1 .. in these bits of each lane. */
INLINE b_t b_add32(b_t a, uint32_t n) { return _mm_add_epi32(a, _mm_cvtsi32_si128((int)n)); }

/* Integer: n in the lowest 32 bits. */
INLINE b_t b_set32(b_t a, uint32_t n) { return _mm_insert_epi32(a, (int)n, 0); }
INLINE b_t b_int(int n) { return _mm_cvtsi32_si128(n); }

/* AES (FIPS 197). */
INLINE b_t b_aes_first(b_t a, b_t k) { return b_xor(a, k); }
INLINE b_t b_aes_round(b_t a, b_t kprev, b_t k) { return (void)kprev, _mm_aesenc_si128(a, k); }
INLINE b_t b_aes_last(b_t a, b_t kprev, b_t k) { return (void)kprev, _mm_aesenclast_si128(a, k); }

/* Carry-less products of integers: of the low halves, of the high halves, and the middle term. PERF: b is what is multiplied in place, for
 * where an instruction has two operands a copy of a would be needed, and b is not wanted any more. */
INLINE b_t b_gf_lo(b_t a, b_t b) { return _mm_clmulepi64_si128(a, b, 0x00); }
INLINE b_t b_gf_hi(b_t a, b_t b) { return _mm_clmulepi64_si128(b, a, 0x11); }
INLINE b_t b_gf_mid(b_t a, b_t b) { return b_xor(_mm_clmulepi64_si128(a, b, 0x10), _mm_clmulepi64_si128(a, b, 0x01)); }
/* One step of the reduction: moves the low half of a up by 64 bits. Add it to the next term. */
INLINE b_t b_gf_fold(b_t a) {
  b_t poly = b_set64(0xc200000000000000u, 1);
  return b_xor(_mm_shuffle_epi32(a, 0x4e), _mm_clmulepi64_si128(a, poly, 0x10));
}
INLINE b_t b_halves(b_t a) { return b_xor(a, _mm_shuffle_epi32(a, 0x4e)); } /* hi ^ lo, in both halves */
/* Integer times x, with the reduction by the polynomial of SP 800-38D 6.3 in this bit order.
 * CT: the top bit becomes a mask. */
INLINE b_t b_gf_double(b_t a) {
  b_t out = _mm_srai_epi32(_mm_shuffle_epi32(a, 0xdf), 31); /* word 3's top bit, and in word 2 that of word 1 */
  return b_xor(_mm_add_epi64(a, a), _mm_and_si128(out, _mm_set_epi32((int)0xc2000000, 1, 0, 1)));
}
/* 0 when all bytes are equal, else 1: where they differ is told by no register. */
INLINE uint32_t b_differ(b_t a, b_t b) {
  b_t x = b_xor(a, b);
  return (uint32_t)!_mm_testz_si128(x, x);
}

/* n bytes (0..15) and zeros. CT: n is a length, public. */
#ifdef __AVX512BW__
#define B_MASK(n) (__mmask16) _bzhi_u32(0xffff, (uint32_t)(n))
INLINE b_t b_load_part(const uint8_t *p, size_t n) { return _mm_maskz_loadu_epi8(B_MASK(n), p); }
INLINE void b_store_part(uint8_t *p, b_t a, size_t n) { _mm_mask_storeu_epi8(p, B_MASK(n), a); }
#else
INLINE b_t b_load_part(const uint8_t *p, size_t n) {
  part_t r = part_load(p, n);
  return b_set64(r.hi, r.lo);
}
INLINE void b_store_part(uint8_t *p, b_t a, size_t n) {
  part_t q;
  memcpy(&q, &a, 16);
  part_store(p, q, n);
}
#endif
/* 12 bytes and four zero bytes. */
INLINE b_t b_load12(const uint8_t *p) {
  return _mm_insert_epi32(_mm_loadl_epi64((const __m128i *)p), (int)part_get(p + 8, 4), 2);
}
/* n bytes (0..16) and zeros. */
INLINE b_t b_load_upto16(const uint8_t *p, size_t n) {
  return __builtin_expect(n == 16, 1) ? b_load(p) : b_load_part(p, n);
}
INLINE void b_store_upto16(uint8_t *p, b_t a, size_t n) {
  __builtin_expect(n == 16, 1) ? b_store(p, a) : b_store_part(p, a, n);
}
/* Zeros all but the first n bytes (0..16). */
static const uint8_t keep_mask[64] = {[0 ... 31] = 255};
INLINE b_t b_keep(b_t a, size_t n) { return _mm_and_si128(a, b_load(keep_mask + 32 - n)); }

/* Clears all vector registers that code of this level may have used. VZEROUPPER tells the
 * processor that the upper halves are unused: without it SSE code in the caller runs 100 ns a message slower. */
#define CLEAR_3(op, n) #op " %%xmm" #n ",%%xmm" #n ",%%xmm" #n "\n\t"
#define CLEAR_2(op, n) #op " %%xmm" #n ",%%xmm" #n "\n\t"
#define CLEAR_LOW(c, op) c(op, 0) c(op, 1) c(op, 2) c(op, 3) c(op, 4) c(op, 5) c(op, 6) c(op, 7)
#define CLEAR_HIGH(c, op) c(op, 8) c(op, 9) c(op, 10) c(op, 11) c(op, 12) c(op, 13) c(op, 14) c(op, 15)
#define CLEAR_FEW(c, op) c(op, 16) c(op, 17) c(op, 18) c(op, 19)
#define CLEAR_4(c, op) c(op, 20) c(op, 21) c(op, 22) c(op, 23)
#define CLEAR_8(c, op) c(op, 24) c(op, 25) c(op, 26) c(op, 27) c(op, 28) c(op, 29) c(op, 30) c(op, 31)
#define CLEAR_MORE(c, op) CLEAR_FEW(c, op) CLEAR_4(c, op) CLEAR_8(c, op)
#if TAIL_FROM == 2 /* groups of four vectors want 24 registers, or else lie on the stack */
#define CLEAR_SOME(c, op) CLEAR_FEW(c, op) CLEAR_4(c, op)
#define CLEAR_MOST CLEAR_8
#else
#define CLEAR_SOME CLEAR_FEW
#define CLEAR_MOST(c, op) CLEAR_4(c, op) CLEAR_8(c, op)
#endif
#define LIST_ONE(op, n) , "xmm" #n
#define LIST_LOW "memory" CLEAR_LOW(LIST_ONE, )
#define LIST_HIGH LIST_LOW CLEAR_HIGH(LIST_ONE, )
#define LIST_MORE LIST_HIGH CLEAR_MORE(LIST_ONE, )
#if defined(__AVX512F__)
#define CLEAR_TEXT "vzeroupper\n\t" CLEAR_LOW(CLEAR_3, vpxor) CLEAR_HIGH(CLEAR_3, vpxor) CLEAR_MORE(CLEAR_3, vpxord)
#define CLEAR_LIST LIST_MORE
#elif defined(__AVX__)
#define CLEAR_TEXT "vzeroupper\n\t" CLEAR_LOW(CLEAR_3, vpxor) CLEAR_HIGH(CLEAR_3, vpxor)
#define CLEAR_LIST LIST_HIGH
#elif defined(__x86_64__)
#define CLEAR_TEXT CLEAR_LOW(CLEAR_2, pxor) CLEAR_HIGH(CLEAR_2, pxor)
#define CLEAR_LIST LIST_HIGH
#else
#define CLEAR_TEXT CLEAR_LOW(CLEAR_2, pxor)
#define CLEAR_LIST LIST_LOW
#endif
/* Between the two the compiler has few registers only: it is told that others, list, hold something that is wanted at the end. So
 * they need not be cleared. PERF: 16 bytes 3 cycles. REJECTED: VZEROALL, 16 bytes 41 cycles instead of 33. */
#ifdef __AVX512F__
#define HOLD_VAR(op, n) register b_t held_##n __asm__("xmm" #n);
#define HOLD_ARG(op, n) , op(held_##n)
#define HOLD_REGS(list)                                                                                                \
  int held_;                                                                                                           \
  list(HOLD_VAR, ) __asm__ volatile("" : "=r"(held_)list(HOLD_ARG, "=v"))
#define CLEAR_HELD()                                                                                                   \
  __asm__ volatile("vzeroupper\n\t" CLEAR_LOW(CLEAR_3, vpxor)                                                          \
                       CLEAR_HIGH(CLEAR_3, vpxor)::"i"(0)CLEAR_MORE(HOLD_ARG, "v")                                     \
                   : LIST_HIGH)
/* Where 20 were to be had, or 24: the last of them. PERF: REJECTED: to have all and clear 16, 300 to 512 bytes in 2 to 7 % more cycles. */
#define CLEAR_MIDDLE()                                                                                                 \
  __asm__ volatile(CLEAR_SOME(CLEAR_3, vpxord)::"i"(0)CLEAR_MOST(HOLD_ARG, "v") : "memory" CLEAR_SOME(LIST_ONE, ))
/* What is left when that is done: the other registers, or what lies on the stack. */
#define CLEAR_REST() __asm__ volatile(CLEAR_MORE(CLEAR_3, vpxord)::: LIST_MORE)
#endif
#define CLEAR_REGS() __asm__ volatile(CLEAR_TEXT ::: CLEAR_LIST)
/* Parameters of the templates that go with the level. AVX-512 has masks, registers enough, and an XOR of three, beside which four
 * multiplies cost less than Karatsuba's additions, unless a set says that they are slow. */
#ifdef __AVX512F__
#define V_MASKED 1
#define GCM_LONG INLINE
#else
#define V_MASKED 0
#define GCM_LONG NOINLINE
#endif
#ifndef GF_KARATSUBA
#define GF_KARATSUBA (V_MASKED ? 0 : 2)
#endif
#define PIN_CONSTRAINT(v) "+v"(v)
#define GF_PAIRS 0
#define BLOCK_IS_INTEGER 0
#define v_counter v_xor
#define GCM_SPILLS !V_MASKED
#define GCM_KEEP (VB == 4 && GCM_NV == 4)
#define GCM_PAGES 1
#ifndef GCM_CACHE
#define GCM_CACHE 16384
#define TAIL_FROM 1
#endif
#define GCM_ROUND1 (VB > 1)
#define GCM_SPREAD(kind) (VB == 4 && !GCM_ONE_LOOP && (kind) != CACHED ? 5 : 7)
#define v_aes_round_add v_aes_round
#define FEW_REGISTERS (__SIZEOF_POINTER__ == 4)
#define BURN_MORE (VB * GCM_NV > 16 ? 384 : 0)

#if VB == 1
#define v_halves2(a, b) v_xor(_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b))
#define b_add32v _mm_add_epi32
/* a's low half times the low half of b, plus its high half times that of c; the same with the high halves of b and c. */
#define v_gf_lows(a, b, c) v_xor(_mm_clmulepi64_si128(a, b, 0x00), _mm_clmulepi64_si128(a, c, 0x01))
#define v_gf_highs(a, b, c) v_xor(_mm_clmulepi64_si128(a, b, 0x10), _mm_clmulepi64_si128(a, c, 0x11))
#include "ops_one.h"
#include "ops_x86_modes.h"
#endif
