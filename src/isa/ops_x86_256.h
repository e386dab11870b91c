/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Operations on two blocks in a ymm register (VB == 2); lane i is block i. Comments as in ops_x86_128.h. */
#include "ops_x86_128.h"

typedef __m256i v_t;

INLINE v_t v_zero(void) { return _mm256_setzero_si256(); }
INLINE v_t v_load(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }
INLINE void v_store(void *p, v_t a) { _mm256_storeu_si256((__m256i *)p, a); }
INLINE v_t v_xor(v_t a, v_t b) { return _mm256_xor_si256(a, b); }
INLINE v_t v_xor3(v_t a, v_t b, v_t c) {
#ifdef __AVX512VL__
  return _mm256_ternarylogic_epi64(a, b, c, 0x96);
#else
  return v_xor(v_xor(a, b), c);
#endif
}
INLINE v_t v_bcast(b_t a) { return _mm256_broadcastsi128_si256(a); }
INLINE v_t v_bcast_mem(const void *p) { return v_bcast(b_load(p)); }
INLINE v_t v_from128(b_t a) { return _mm256_zextsi128_si256(a); }
INLINE v_t v_set2(b_t a, b_t b) { return _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1); }
INLINE b_t v_first(v_t a) { return _mm256_castsi256_si128(a); }
INLINE v_t v_with_last(v_t a, b_t b) { return _mm256_inserti128_si256(a, b, 1); }
INLINE v_t v_xor_last(v_t a, v_t b) { return v_xor(a, _mm256_and_si256(b, _mm256_set_epi64x(-1, -1, 0, 0))); }
INLINE b_t v_last(v_t a) { return _mm256_extracti128_si256(a, 1); }
INLINE b_t v_fold128(v_t a) { return b_xor(v_first(a), v_last(a)); }
INLINE v_t v_bswap(v_t a) {
  return _mm256_shuffle_epi8(
      a, _mm256_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f, 0x0001020304050607, 0x08090a0b0c0d0e0f));
}
INLINE v_t v_add32(v_t a, v_t b) { return _mm256_add_epi32(a, b); }
INLINE v_t v_lanes(int i) { return _mm256_set_epi32(0, 0, 0, i + 1, 0, 0, 0, i); }

INLINE v_t v_aes_first(v_t a, v_t k) { return v_xor(a, k); }
INLINE v_t v_aes_round(v_t a, v_t kprev, v_t k) { return (void)kprev, _mm256_aesenc_epi128(a, k); }
INLINE v_t v_aes_last(v_t a, v_t kprev, v_t k) { return (void)kprev, _mm256_aesenclast_epi128(a, k); }
/* The last round, and the text added: one operation fewer, for the key takes the text up first. */
INLINE v_t v_aes_last_xor(v_t a, v_t kprev, v_t k, v_t d) { return v_aes_last(a, kprev, v_xor(k, d)); }

INLINE v_t v_gf_lo(v_t a, v_t b) { return _mm256_clmulepi64_epi128(a, b, 0x00); }
INLINE v_t v_gf_hi(v_t a, v_t b) { return _mm256_clmulepi64_epi128(a, b, 0x11); }
/* s + the middle term; s + one step of the reduction of a. */
INLINE v_t v_gf_mid_add(v_t s, v_t a, v_t b) {
  return v_xor3(s, _mm256_clmulepi64_epi128(a, b, 0x10), _mm256_clmulepi64_epi128(a, b, 0x01));
}
INLINE v_t v_gf_fold_add(v_t s, v_t a) {
  const long long hi = (long long)0xc200000000000000u;
  v_t poly = _mm256_set_epi64x(hi, 1, hi, 1);
  return v_xor3(s, _mm256_shuffle_epi32(a, 0x4e), _mm256_clmulepi64_epi128(a, poly, 0x10));
}
#define v_gf_lows(a, b, c) v_xor(_mm256_clmulepi64_epi128(a, b, 0x00), _mm256_clmulepi64_epi128(a, c, 0x01))
#define v_gf_highs(a, b, c) v_xor(_mm256_clmulepi64_epi128(a, b, 0x10), _mm256_clmulepi64_epi128(a, c, 0x11))
INLINE v_t v_halves(v_t a) { return v_xor(a, _mm256_shuffle_epi32(a, 0x4e)); }
#define v_halves2(a, b) v_xor(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)) /* of two, side by side */

/* n bytes, 0..32. CT: n is a length, public. */
#ifdef __AVX512BW__
INLINE v_t v_load_part(const uint8_t *p, size_t n) {
  return _mm256_maskz_loadu_epi8((__mmask32)_bzhi_u32(~0u, (uint32_t)n), p);
}
INLINE void v_store_part(uint8_t *p, v_t a, size_t n) {
  _mm256_mask_storeu_epi8(p, (__mmask32)_bzhi_u32(~0u, (uint32_t)n), a);
}
INLINE v_t v_keep(v_t a, size_t n) { return _mm256_maskz_mov_epi8((__mmask32)_bzhi_u32(~0u, (uint32_t)n), a); }
#else
INLINE v_t v_load_part(const uint8_t *p, size_t n) {
  size_t most = n < 16 ? 0 : 16;
  b_t last = b_load_upto16(p + most, n - most);
  return most ? v_set2(b_load(p), last) : v_from128(last);
}
INLINE void v_store_part(uint8_t *p, v_t a, size_t n) {
  b_t b = v_first(a);
  if (n >= 16) {
    b_store(p, b);
    b = v_last(a), p += 16, n -= 16;
  }
  b_store_upto16(p, b, n);
}
INLINE v_t v_keep(v_t a, size_t n) { return _mm256_and_si256(a, v_load(keep_mask + 32 - n)); }
#endif

INLINE v_t v_nonce_first(const uint8_t *p, v_t k) { return v_xor(v_bcast(b_load12(p)), k); }

#include "ops_x86_modes.h"
