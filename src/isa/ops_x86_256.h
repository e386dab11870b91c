/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Operations on two blocks in a ymm register (VECTOR_BLOCKS == 2); lane i is block i. What they mean: ops_x86_128.h. */
#include "ops_x86_128.h"

typedef __m256i v_t;

INLINE v_t v_zero(void) { return _mm256_setzero_si256(); }
INLINE v_t v_load(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }
INLINE void v_store(void *p, v_t a) { _mm256_storeu_si256((__m256i *)p, a); }
INLINE v_t v_xor(v_t a, v_t b) { return _mm256_xor_si256(a, b); }
INLINE v_t v_bcast(b_t a) { return _mm256_broadcastsi128_si256(a); }
INLINE v_t v_from128(b_t a) { return _mm256_zextsi128_si256(a); }
INLINE v_t v_set2(b_t a, b_t b) { return _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1); }
INLINE b_t v_first(v_t a) { return _mm256_castsi256_si128(a); }
INLINE v_t v_with_last(v_t a, b_t b) { return _mm256_inserti128_si256(a, b, 1); }
INLINE v_t v_xor_last(v_t a, v_t b) { return v_xor(a, _mm256_and_si256(b, _mm256_set_epi64x(-1, -1, 0, 0))); }
INLINE b_t v_last(v_t a) { return _mm256_extracti128_si256(a, 1); }
INLINE b_t v_fold128(v_t a) { return b_xor(v_first(a), v_last(a)); }
INLINE v_t v_lanes(int i) { return _mm256_set_epi32(0, 0, 0, i + 1, 0, 0, 0, i); }

#define V_OP(op) _mm256_##op
#define V_MASK(n) (__mmask32) _bzhi_u32(~0u, (uint32_t)(n))
#define v_const(a, b) _mm256_set_epi64x(a, b, a, b)
#include "ops_x86_wide.h"

#ifndef __AVX512BW__
/* n bytes, 0..32. CT: n is a length, public. */
INLINE v_t v_load_part(const uint8_t *p, size_t n) {
  return n <= 16 ? v_from128(b_load_upto16(p, n)) : v_set2(b_load(p), b_load_upto16(p + 16, n - 16));
}
INLINE void v_store_part(uint8_t *p, v_t a, size_t n) {
  n <= 16 ? b_store_upto16(p, v_first(a), n) : (b_store(p, v_first(a)), b_store_upto16(p + 16, v_last(a), n - 16));
}
INLINE v_t v_keep(v_t a, size_t n) { return _mm256_and_si256(a, v_load(keep_mask + 32 - n)); }
/* Loads and selections, no shuffle: ops_x86_512.h says why. With AVX-512 those of 256 bits do not gain (T-182). */
INLINE v_t v_nonce_first(const uint8_t *p, v_t k) {
  v_t a = _mm256_set1_epi32((int)part_get(p, 4)), b = _mm256_set1_epi32((int)part_get(p + 4, 4));
  v_t c = _mm256_set1_epi32((int)part_get(p + 8, 4));
  v_t ab = _mm256_blend_epi32(a, b, 0x22);
  return _mm256_blend_epi32(v_xor(_mm256_blend_epi32(ab, c, 0x44), k), k, 0x88);
}
#else
INLINE v_t v_nonce_first(const uint8_t *p, v_t k) { return v_xor(v_bcast(b_load12(p)), k); }
#endif

#include "ops_x86_modes.h"
