/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Operations that the key schedule, CTR, CBC and XTS need beyond those of ops_x86_128.h, for all x86 widths. (GCM takes
 * two of them: b_down and v_xor_and.) Included last by ops_x86_128.h, ops_x86_256.h and ops_x86_512.h.
 *
 * A tweak is a block that is a polynomial, its coefficients from the lowest on in byte 0 to 15 and in each byte from
 * the lowest bit on (IEEE 1619 5.2): x86's own order of bytes and bits. What the operations mean, for all instruction
 * sets, lane by lane:
 *
 * b_add128(a, n)            integer plus n, below 2^63, all 128 bits
 * b_up(a, n)  b_down(a, n)  block: bytes move n places (0..16, public) up, towards byte 15, or down; and zeros
 * b_le64(n)                 block: n, lowest byte first, and zeros
 * b_splat32(a)              an integer's lowest 32 bits in each word
 * b_xts_double(t)           tweak times x
 * v_and  v_xor_and(a, b, c) a & b;  a ^ (b & c)
 * v_gt32(a, n)              words: all ones where a word is above n, both small
 * v_pick(m, a, b)           bits of a where m has ones, else of b
 * v_words(i)                all words of lane j: i + j
 * v_add128(a, b)            as b_add128, b below 2^63
 * v_prev(b, a)              lanes b, a[0] .. a[VECTOR_BLOCKS-2]: the block before each one
 * v_aes_first_xor(a, b, k)  v_aes_first(a ^ b, k)
 * b_aesd_..                 as b_aes_.., for decryption (FIPS 197 5.3.5)
 * v_xts_lanes(a)            lane i times x^i
 * v_xts_next(a)             times x^VECTOR_BLOCKS
 * v_xts_mul(a, n)           times x^(8n), n = 1, 2, 4 or 8
 */

/* Decryption. */
INLINE b_t b_aesd_round(b_t a, UNUSED b_t kprev, b_t k) { return _mm_aesdec_si128(a, k); }
INLINE b_t b_aesd_last(b_t a, UNUSED b_t kprev, b_t k) { return _mm_aesdeclast_si128(a, k); }
INLINE b_t b_aes_imc(b_t k) { return _mm_aesimc_si128(k); } /* InvMixColumns of a round key */

/* Key schedule. b_ks_rotword: word 3, RotWord n times (0..3), in every word. b_ks_sub_add: SubWord of words that are
 * all equal, plus x. b_ks_rot: word 3 through RotWord and SubWord in every word, rcon is in every word too. A shuffle
 * and AESENCLAST in place of AESKEYGENASSIST, which is slower (T-103): ShiftRows moves nothing, all columns are
 * equal. */
INLINE b_t b_ks_rotword(b_t a, int n) {
  const uint32_t from = 0x0f0e0d0c;
  return _mm_shuffle_epi8(a, _mm_set1_epi32((int)(n ? from >> 8 * n | from << (32 - 8 * n) : from)));
}
INLINE b_t b_ks_sub_add(b_t a, b_t x) { return _mm_aesenclast_si128(a, x); }
INLINE b_t b_ks_rot(b_t a, uint32_t rcon) { return b_ks_sub_add(b_ks_rotword(a, 1), _mm_set1_epi32((int)rcon)); }
INLINE b_t b_word_up(b_t a) { return _mm_slli_si128(a, 4); } /* word i to word i+1, 0 to word 0 */
INLINE b_t b_words_up2(b_t a) { return _mm_slli_si128(a, 8); }
INLINE b_t b_last_word(b_t a) { return _mm_shuffle_epi32(a, 0xff); } /* word 3 in every word */
/* For AES-192: words 2, 3 of a then 0, 1 of b; words 0, 1 of a then 0, 1 of b. */
INLINE b_t b_hi_lo(b_t a, b_t b) {
  return _mm_castpd_si128(_mm_shuffle_pd(_mm_castsi128_pd(a), _mm_castsi128_pd(b), 1));
}
INLINE b_t b_lo_lo(b_t a, b_t b) { return _mm_unpacklo_epi64(a, b); }
/* Words 2, 3 of a block in memory, and zeros. */
INLINE b_t b_load_upper(const uint8_t *p) { return _mm_loadl_epi64((const __m128i *)(p + 8)); }

#if VECTOR_BLOCKS == 2
INLINE v_t v_aesd_round(v_t a, UNUSED v_t kprev, v_t k) { return _mm256_aesdec_epi128(a, k); }
INLINE v_t v_aesd_last(v_t a, UNUSED v_t kprev, v_t k) { return _mm256_aesdeclast_epi128(a, k); }
#elif VECTOR_BLOCKS == 4
INLINE v_t v_aesd_round(v_t a, UNUSED v_t kprev, v_t k) { return _mm512_aesdec_epi128(a, k); }
INLINE v_t v_aesd_last(v_t a, UNUSED v_t kprev, v_t k) { return _mm512_aesdeclast_epi128(a, k); }
INLINE b_t v_last(v_t a) { return _mm512_extracti32x4_epi32(a, 3); }
#endif

INLINE b_t b_and(b_t a, b_t b) { return _mm_and_si128(a, b); }
INLINE b_t b_le64(uint64_t n) { return b_set64(0, n); }
INLINE b_t b_splat32(b_t a) { return _mm_shuffle_epi32(a, 0); }
static const uint8_t byte_places[48] = {128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
                                        0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,
                                        128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128};
INLINE b_t b_up(b_t a, size_t n) { return _mm_shuffle_epi8(a, b_load(byte_places + 16 - n)); }
INLINE b_t b_down(b_t a, size_t n) { return _mm_shuffle_epi8(a, b_load(byte_places + 16 + n)); }
/* CT: the carry from the low half to the high one is computed, for n below 2^63: it is there where the low half's top
 * bit was 1 and is 0. */
INLINE b_t b_add128v(b_t a, b_t n) {
  b_t s = _mm_add_epi64(a, n), gone = _mm_andnot_si128(s, a);
#ifdef __SSE4_2__ /* a compare is not on the port of 512-bit AES, a shift is (T-184) */
  return _mm_sub_epi64(s, _mm_slli_si128(_mm_cmpgt_epi64(_mm_setzero_si128(), gone), 8));
#else
  return _mm_add_epi64(s, _mm_slli_si128(_mm_srli_epi64(gone, 63), 8));
#endif
}
INLINE b_t b_add128(b_t a, uint64_t n) { return b_add128v(a, b_set64(0, n)); }
INLINE b_t b_aes_last_xor(b_t a, b_t kprev, b_t k, b_t d) { return b_aes_last(a, kprev, b_xor(k, d)); }
INLINE b_t b_aesd_last_xor(b_t a, b_t kprev, b_t k, b_t d) { return b_aesd_last(a, kprev, b_xor(k, d)); }
/* CT: the bit shifted out becomes a mask. */
INLINE b_t b_xts_double(b_t a) {
  b_t out = _mm_shuffle_epi32(_mm_srai_epi32(a, 31), 0x13);
  return b_xor(_mm_add_epi64(a, a), _mm_and_si128(out, _mm_set_epi32(0, 1, 0, 0x87)));
}

/* Tweak products. Bytes move up n places (v_up), and what falls out at the top comes in below times 0x87, because x^128
 * = x^7 + x^2 + x + 1. lo, hi: which half of a is multiplied.
 * Whole bytes, because a bit shift of a 512-bit vector takes AES's port (T-139). */
#if VECTOR_BLOCKS == 1
#define b_pick(m, a, b) b_xor(b, b_and(m, b_xor(a, b)))
#define b_gt32(a, n) _mm_cmpgt_epi32(a, _mm_set1_epi32(n))
#define b_words _mm_set1_epi32
#define v_up(a, n) _mm_slli_si128(a, n)
#define v_down(a, n) _mm_srli_si128(a, n)
INLINE v_t v_0x87_lo(v_t a) { return _mm_clmulepi64_si128(a, _mm_cvtsi32_si128(0x87), 0x00); }
INLINE v_t v_0x87_hi(v_t a) { return _mm_clmulepi64_si128(a, _mm_cvtsi32_si128(0x87), 0x01); }
#elif VECTOR_BLOCKS == 2
INLINE v_t v_and(v_t a, v_t b) { return _mm256_and_si256(a, b); }
INLINE v_t v_xor_and(v_t a, v_t b, v_t c) {
#ifdef __AVX512VL__
  return _mm256_ternarylogic_epi64(a, b, c, 0x78);
#else
  return v_xor(a, v_and(b, c));
#endif
}
INLINE v_t v_pick(v_t m, v_t a, v_t b) { return v_xor_and(b, m, v_xor(a, b)); }
INLINE v_t v_gt32(v_t a, int n) { return _mm256_cmpgt_epi32(a, _mm256_set1_epi32(n)); }
INLINE v_t v_words(int i) { return _mm256_set_epi32(i + 1, i + 1, i + 1, i + 1, i, i, i, i); }
INLINE v_t v_add128(v_t a, v_t n) {
  v_t s = _mm256_add_epi64(a, n);
  v_t carry = _mm256_srli_epi64(_mm256_andnot_si256(s, a), 63);
  return _mm256_add_epi64(s, _mm256_bslli_epi128(carry, 8));
}
INLINE v_t v_prev(b_t b, v_t a) { return v_set2(b, v_first(a)); }
INLINE v_t v_aes_first_xor(v_t a, v_t b, v_t k) { return v_xor3(a, b, k); }
INLINE v_t v_aesd_last_xor(v_t a, v_t kprev, v_t k, v_t d) { return v_aesd_last(a, kprev, v_xor(k, d)); }
#define v_up(a, n) _mm256_bslli_epi128(a, n)
#define v_down(a, n) _mm256_bsrli_epi128(a, n)
INLINE v_t v_0x87_lo(v_t a) { return _mm256_clmulepi64_epi128(a, v_bcast(_mm_cvtsi32_si128(0x87)), 0x00); }
INLINE v_t v_0x87_hi(v_t a) { return _mm256_clmulepi64_epi128(a, v_bcast(_mm_cvtsi32_si128(0x87)), 0x01); }
INLINE v_t v_xts_lanes(v_t a) {
  v_t out = _mm256_srlv_epi64(a, _mm256_set_epi64x(63, 63, 64, 64));
  return v_xor3(_mm256_sllv_epi64(a, _mm256_set_epi64x(1, 1, 0, 0)), v_up(out, 8), v_0x87_hi(out));
}
INLINE v_t v_xts_next(v_t a) {
  v_t out = _mm256_srli_epi64(a, 62);
  return v_xor3(_mm256_slli_epi64(a, 2), v_up(out, 8), v_0x87_hi(out));
}
#else
INLINE v_t v_and(v_t a, v_t b) { return _mm512_and_si512(a, b); }
INLINE v_t v_xor_and(v_t a, v_t b, v_t c) { return _mm512_ternarylogic_epi64(a, b, c, 0x78); }
INLINE v_t v_pick(v_t m, v_t a, v_t b) { return _mm512_ternarylogic_epi64(m, a, b, 0xca); }
INLINE v_t v_gt32(v_t a, int n) { return _mm512_srai_epi32(_mm512_sub_epi32(_mm512_set1_epi32(n), a), 31); }
INLINE v_t v_words(int i) {
  return _mm512_set_epi32(i + 3, i + 3, i + 3, i + 3, i + 2, i + 2, i + 2, i + 2, i + 1, i + 1, i + 1, i + 1, i, i, i,
                          i);
}
INLINE v_t v_add128(v_t a, v_t n) {
  v_t s = _mm512_add_epi64(a, n);
  v_t carry = _mm512_srli_epi64(_mm512_andnot_si512(s, a), 63);
  return _mm512_add_epi64(s, _mm512_bslli_epi128(carry, 8));
}
INLINE v_t v_prev(b_t b, v_t a) { return _mm512_alignr_epi64(a, v_bcast(b), 6); }
INLINE v_t v_aes_first_xor(v_t a, v_t b, v_t k) { return v_xor3(a, b, k); }
INLINE v_t v_aesd_last_xor(v_t a, v_t kprev, v_t k, v_t d) { return v_aesd_last(a, kprev, v_xor(k, d)); }
#define v_up(a, n) _mm512_bslli_epi128(a, n)
#define v_down(a, n) _mm512_bsrli_epi128(a, n)
INLINE v_t v_0x87_lo(v_t a) { return _mm512_clmulepi64_epi128(a, v_bcast(_mm_cvtsi32_si128(0x87)), 0x00); }
INLINE v_t v_0x87_hi(v_t a) { return _mm512_clmulepi64_epi128(a, v_bcast(_mm_cvtsi32_si128(0x87)), 0x01); }
INLINE v_t v_xts_lanes(v_t a) {
  v_t out = _mm512_srlv_epi64(a, _mm512_set_epi64(61, 61, 62, 62, 63, 63, 64, 64));
  return v_xor3(_mm512_sllv_epi64(a, _mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0)), v_up(out, 8), v_0x87_hi(out));
}
INLINE v_t v_xts_next(v_t a) {
  v_t out = _mm512_srli_epi64(a, 60);
  return v_xor3(_mm512_slli_epi64(a, 4), v_up(out, 8), v_0x87_hi(out));
}
#endif
/* x^64: what falls out is the high half as it stands. */
#define v_xts_mul(a, n) v_xor(v_up(a, n), (n) == 8 ? v_0x87_hi(a) : v_0x87_lo(v_down(a, 16 - (n))))
