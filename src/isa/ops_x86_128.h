/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Operations on one block in an xmm register, for every x86 level: b_ names. With VECTOR_BLOCKS == 1 the v_ names are
 * the same (ops_one.h); those for wider vectors are in ops_x86_256.h and ops_x86_512.h. Instructions are SSE's or AVX's
 * (VEX) as the compiler's flags have it.
 *
 * What the operations mean, for all instruction sets. A block has its 16 bytes in the order of memory. An integer is a
 * block whose bytes are reversed by b_bswap (on POWER there is nothing to reverse), so that the machine can reckon with
 * it: counters and elements of GHASH are integers. b_ is of a block, v_ of a vector, lane by lane where nothing else is
 * said; most exist as both.
 *
 *   b_load(p)  b_store(p, a)      at any address
 *   b_load_part(p, n)             n bytes, 0 to 15, and zeros; no byte beyond is read. b_store_part(p, a, n): no byte
 *                                 beyond is written. b_.._upto16: n may be 16. v_.._part: n may be VECTOR_BYTES
 *   b_load12(p)                   12 bytes, and zeros
 *   b_keep(a, n)                  the first n bytes of a (0 to 16; v_: to VECTOR_BYTES), and zeros
 *   v_load_mask(p, m)             as v_load_part(p, n), m = V_MASK(n), which takes longer to make than
 *                                 to use. v_store_mask, v_keep_mask: likewise
 *   b_xor(a, b)  v_xor3(a, b, c)  the sum of two, of three
 *   b_set64(hi, lo)               integer: hi * 2^64 + lo
 *   b_int(n)  b_set32(a, n)       integer: n, below 2^31; a with n as its lowest 32 bits
 *   b_add32(a, n)  v_add32(a, b)  integers: the lowest 32 bits added, which wrap. v_lanes(i): i, i + 1 .. in the lanes
 *   b_aes_first(a, k)             AES: the first round key
 *   b_aes_round(a, kprev, k)      the round between round keys kprev and k; b_aes_last: the last one. Both keys are
 *                                 given, for sets differ in which of them a round adds
 *   b_aes_last_xor(a, .., k, d)   the last round, and d added
 *   b_gf_lo  b_gf_hi  b_gf_mid    the three terms of a carry-less product of integers (ghash_t.h)
 *   v_gf_mid_add(s, a, b)         s plus the middle term
 *   b_gf_fold(a)                  what a step of the reduction makes of a term. v_gf_fold_add(s, a): s plus that
 *   b_gf_mul_x_inv(a)                the element times x^-1
 *   b_halves(a)                   the sum of a's halves, in both. v_halves2(a, b): a's in the low, b's in the high half
 *   v_gf_lows(a, b, c)            a's low half times b's low half, plus a's high half times c's low half. v_gf_highs:
 *                                 the same with the high halves of b and c
 *   b_differ(a, b)                0 if all bytes are equal
 *   v_bcast(b)  v_bcast_mem(p)    a block in each lane
 *   v_from128(b)  v_first(a)      a block in lane 0, zeros in the others; and back
 *   v_with_last(a, b)             a, with the block b in the last lane; v_last(a): that lane
 *   v_xor_last(a, b)              a, with the last lane of the vector b added to its own
 *   v_set2  v_set4                lanes from blocks
 *   v_fold128(a)                  the sum of all lanes, a block
 *   v_nonce_first(p, k)           in each lane a nonce of 12 bytes and a counter of 0, through v_aes_first
 *   v_counter(page, row)          the counter blocks of a page and a vector of rows (gcm_t.h)
 */
#include "isa.h"
#include "ops_x86_clear.h"
#include "part.h"
#include "x86_intrin.h"

typedef __m128i b_t;

INLINE b_t b_zero(void) { return _mm_setzero_si128(); }
INLINE b_t b_load(const void *p) { return _mm_loadu_si128((const __m128i *)p); }
INLINE void b_store(void *p, b_t a) { _mm_storeu_si128((__m128i *)p, a); }
INLINE b_t b_xor(b_t a, b_t b) { return _mm_xor_si128(a, b); }
INLINE b_t b_set64(uint64_t hi, uint64_t lo) { return _mm_set_epi64x((long long)hi, (long long)lo); }
INLINE b_t b_bswap(b_t a) { return _mm_shuffle_epi8(a, b_set64(0x0001020304050607, 0x08090a0b0c0d0e0f)); }
INLINE b_t b_add32(b_t a, uint32_t n) { return _mm_add_epi32(a, _mm_cvtsi32_si128((int)n)); }

INLINE b_t b_set32(b_t a, uint32_t n) { return _mm_insert_epi32(a, (int)n, 0); }
INLINE b_t b_int(int n) { return _mm_cvtsi32_si128(n); }

/* AES (FIPS 197). */
INLINE b_t b_aes_first(b_t a, b_t k) { return b_xor(a, k); }
INLINE b_t b_aes_round(b_t a, UNUSED b_t kprev, b_t k) { return _mm_aesenc_si128(a, k); }
INLINE b_t b_aes_last(b_t a, UNUSED b_t kprev, b_t k) { return _mm_aesenclast_si128(a, k); }

/* In the high product b is the operand that an instruction with two operands overwrites, because a is wanted afterwards
 * and would have to be copied, and b is not (T-183). */
INLINE b_t b_gf_lo(b_t a, b_t b) { return _mm_clmulepi64_si128(a, b, 0x00); }
INLINE b_t b_gf_hi(b_t a, b_t b) { return _mm_clmulepi64_si128(b, a, 0x11); }
INLINE b_t b_gf_mid(b_t a, b_t b) { return b_xor(_mm_clmulepi64_si128(a, b, 0x10), _mm_clmulepi64_si128(a, b, 0x01)); }
/* The halves change places: the high half of a is at bit 64 of the product, where the next term has its low half, and
 * the low half L takes part as L * 2^64. The multiply is L times the polynomial (ghash_t.h). */
INLINE b_t b_gf_fold(b_t a) {
  b_t poly = b_set64(0xc200000000000000u, 1);
  return b_xor(_mm_shuffle_epi32(a, 0x4e), _mm_clmulepi64_si128(a, poly, 0x10));
}
INLINE b_t b_halves(b_t a) { return b_xor(a, _mm_shuffle_epi32(a, 0x4e)); }
/* Times x^-1: each coefficient goes one bit up, that of x^0 out at the top; it comes in as x^-1, which the polynomial
 * of SP 800-38D 6.3 says is x^127 + x^6 + x + 1: bits 0, 121, 126 and 127. CT: the top bit becomes a mask. */
INLINE b_t b_gf_mul_x_inv(b_t a) {
  b_t out = _mm_srai_epi32(_mm_shuffle_epi32(a, 0xdf), 31); /* word 3's top bit, and in word 2 that of word 1 */
  return b_xor(_mm_add_epi64(a, a), _mm_and_si128(out, _mm_set_epi32((int)0xc2000000, 1, 0, 1)));
}
/* 0 or 1: where they differ is told by no register. */
INLINE uint32_t b_differ(b_t a, b_t b) { return (uint32_t)!_mm_testz_si128(b_xor(a, b), b_xor(a, b)); }

/* CT: n is a length, public. */
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
/* WHY words: callers write 4 bytes and a counter of 8 just before, or 8 and 4, and a load that has bytes of two stores
 * waits until both are in the cache (T-297). */
INLINE b_t b_load12(const uint8_t *p) {
  b_t a = _mm_cvtsi32_si128((int)part_get(p, 4)), b = _mm_cvtsi32_si128((int)part_get(p + 4, 4));
  return _mm_unpacklo_epi64(_mm_unpacklo_epi32(a, b), _mm_cvtsi32_si128((int)part_get(p + 8, 4)));
}
INLINE b_t b_load_upto16(const uint8_t *p, size_t n) {
  return __builtin_expect(n == 16, 1) ? b_load(p) : b_load_part(p, n);
}
INLINE void b_store_upto16(uint8_t *p, b_t a, size_t n) {
  __builtin_expect(n == 16, 1) ? b_store(p, a) : b_store_part(p, a, n);
}
/* Ones, then zeros: from 32 - n on, ones for the first n bytes. */
static const uint8_t keep_mask[64] = {[0 ... 31] = 255};
INLINE b_t b_keep(b_t a, size_t n) { return _mm_and_si128(a, b_load(keep_mask + 32 - n)); }

/* For functions that use a part of the registers (wipe_t.h says which); the lists are in ops_x86_clear.h, and
 * REGS_MIDDLE and REGS_TOP are the two parts of REGS_16_31. Between RESERVE_REGS(list) and CLEAR_UNRESERVED() the
 * compiler has the other registers only: it is told that those of the list hold something that is wanted at the end. So
 * they need not be cleared (T-154). VZEROALL is slower (T-155). */
#if GROUPS_JOINED /* groups with round keys want 28 registers, or else lie on the stack */
#define REGS_MIDDLE(c, op) REGS_16_19(c, op) REGS_20_23(c, op) REGS_24_27(c, op)
#define REGS_TOP REGS_28_31
#else
#define REGS_MIDDLE REGS_16_19
#define REGS_TOP(c, op) REGS_20_23(c, op) REGS_24_27(c, op) REGS_28_31(c, op)
#endif
#if defined(__AVX512F__) && defined(__x86_64__) && !defined RIJN_EMULATED /* test/emulated */
#define RESERVE_VAR(op, n) register b_t held_##n __asm__("xmm" #n);
#define RESERVE_ARG(op, n) , op(held_##n)
#define RESERVE_REGS(list)                                                                                             \
  int held_;                                                                                                           \
  list(RESERVE_VAR, ) __asm__ volatile("" : "=r"(held_)list(RESERVE_ARG, "=v"))
#define CLEAR_UNRESERVED()                                                                                             \
  __asm__ volatile("vzeroupper\n\t" REGS_0_7(ZERO_3, vpxor)                                                            \
                       REGS_8_15(ZERO_3, vpxor)::"i"(0)REGS_16_31(RESERVE_ARG, "v")                                    \
                   : CLOBBERS_16)
/* At the end of a function that had 20 registers, or 28: clears those from 16 on. To have all 32 and clear 16 is slower
 * (T-156). */
#define CLEAR_MIDDLE()                                                                                                 \
  __asm__ volatile(REGS_MIDDLE(ZERO_3, vpxord)::"i"(0)REGS_TOP(RESERVE_ARG, "v") : "memory" REGS_MIDDLE(CLOBBER, ))
/* In a caller that has used all 32: clears those that its callees left alone. */
#define CLEAR_REST() __asm__ volatile(REGS_16_31(ZERO_3, vpxord)::: CLOBBERS_32)
#endif
#define VECTOR_REG "v"
#define v_counter v_xor

#if VECTOR_BLOCKS == 1
#define v_halves2(a, b) v_xor(_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b))
#define b_add32v _mm_add_epi32
#define v_gf_lows(a, b, c) v_xor(_mm_clmulepi64_si128(a, b, 0x00), _mm_clmulepi64_si128(a, c, 0x01))
#define v_gf_highs(a, b, c) v_xor(_mm_clmulepi64_si128(a, b, 0x10), _mm_clmulepi64_si128(a, c, 0x11))
#include "ops_one.h"
#include "ops_x86_modes.h"
#endif
