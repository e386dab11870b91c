/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Operations on four blocks in a zmm register (VECTOR_BLOCKS == 4); lane i is block i. Their meaning:
 * ops_x86_128.h. */
#include "ops_x86_128.h"

typedef __m512i v_t;

INLINE v_t v_zero(void) { return _mm512_setzero_si512(); }
INLINE v_t v_load(const void *p) { return _mm512_loadu_si512(p); }
INLINE void v_store(void *p, v_t a) { _mm512_storeu_si512(p, a); }
INLINE v_t v_xor(v_t a, v_t b) { return _mm512_xor_si512(a, b); }
INLINE v_t v_bcast(b_t a) { return _mm512_broadcast_i32x4(a); }
INLINE v_t v_from128(b_t a) { return _mm512_zextsi128_si512(a); }
INLINE __m256i v_pair(b_t a, b_t b) { return _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1); }
INLINE v_t v_set2(b_t a, b_t b) { return _mm512_zextsi256_si512(v_pair(a, b)); }
INLINE v_t v_set4(b_t a, b_t b, b_t c, b_t d) { return _mm512_inserti64x4(v_set2(a, b), v_pair(c, d), 1); }
INLINE b_t v_first(v_t a) { return _mm512_castsi512_si128(a); }
INLINE v_t v_with_last(v_t a, b_t b) { return _mm512_inserti32x4(a, b, 3); }
INLINE v_t v_xor_last(v_t a, v_t b) { /* a ^ (b & mask) */
  return _mm512_ternarylogic_epi64(a, b, _mm512_set_epi64(-1, -1, 0, 0, 0, 0, 0, 0), 0x78);
}
INLINE b_t v_fold128(v_t a) {
  __m256i half = _mm256_xor_si256(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
  return b_xor(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}
INLINE v_t v_lanes(int i) { return _mm512_set_epi32(0, 0, 0, i + 3, 0, 0, 0, i + 2, 0, 0, 0, i + 1, 0, 0, 0, i); }

#define V_OP(op) _mm512_##op
#define V_MASK(n) _bzhi_u64(~0ull, (uint32_t)(n))
#define v_const(a, b) _mm512_set4_epi64(a, b, a, b)
#include "ops_x86_wide.h"

/* Each word of the nonce goes to every word of a vector; two selections put them together, and the third adds k.
 * No shuffle, because those wait for the products of the message before (T-181). Words, because callers write 4 bytes
 * and a counter of 8 just before, or 8 and 4, and a load that has bytes of two stores waits until both are in the cache
 * (T-297). */
INLINE v_t v_nonce_first(const uint8_t *p, v_t k) {
  v_t a = _mm512_set1_epi32((int)part_get(p, 4)), b = _mm512_set1_epi32((int)part_get(p + 4, 4));
  v_t c = _mm512_set1_epi32((int)part_get(p + 8, 4)), mask = _mm512_set4_epi32(0, -1, -1, -1);
  v_t one = _mm512_set4_epi32(0, 0, 0, -1), two = _mm512_set4_epi32(0, 0, -1, -1);
  v_t ab = _mm512_ternarylogic_epi64(one, a, b, 0xca);
  return _mm512_ternarylogic_epi64(_mm512_ternarylogic_epi64(two, ab, c, 0xca), mask, k, 0x6a);
}

#include "ops_x86_modes.h"
