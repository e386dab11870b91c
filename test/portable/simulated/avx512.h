/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Included before the sources: the 512-bit instructions that they use, as the manual has them, made of those that every
 * processor with AVX2 and AES-NI has; and VAES and VPCLMULQDQ of 256 bits. Slow; for the sense of the code, and not for
 * its time. */
#ifndef SIMULATED_AVX512_H
#define SIMULATED_AVX512_H
#define _MM_MALLOC_H_INCLUDED
#define __MM_MALLOC_H
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define SIM static inline __attribute__((always_inline, unused))
typedef union {
  __m512i v;
  __m128i q[4];
  __m256i h[2];
  uint64_t w[8];
  uint32_t d[16];
  uint8_t b[64];
} sim_t;
typedef union {
  __m256i v;
  __m128i q[2];
  uint64_t w[4];
} sim2_t;

/* Lane by lane. x, y: the operands' lane. */
#define SIM_LANES(n, type, of_x, of_y, body)                                                                           \
  __extension__({                                                                                                      \
    type x_ = {.v = (of_x)}, y_ = {.v = (of_y)}, r_;                                                                   \
    for (int i_ = 0; i_ < (n); i_++) {                                                                                 \
      const __m128i x = x_.q[i_], y = y_.q[i_];                                                                        \
      (void)y;                                                                                                         \
      r_.q[i_] = (body);                                                                                               \
    }                                                                                                                  \
    r_.v;                                                                                                              \
  })
#define SIM_4(a, b, body) SIM_LANES(4, sim_t, a, b, body)
#define SIM_2(a, b, body) SIM_LANES(2, sim2_t, a, b, body)
#define SIM_BINARY(name, op)                                                                                           \
  SIM __m512i name(__m512i a, __m512i b) { return SIM_4(a, b, op(x, y)); }
SIM_BINARY(sim_xor, _mm_xor_si128)
SIM_BINARY(sim_and, _mm_and_si128)
SIM_BINARY(sim_andnot, _mm_andnot_si128)
SIM_BINARY(sim_add64, _mm_add_epi64)
SIM_BINARY(sim_sub64, _mm_sub_epi64)
SIM_BINARY(sim_add32, _mm_add_epi32)
SIM_BINARY(sim_sub32, _mm_sub_epi32)
SIM_BINARY(sim_shuffle8, _mm_shuffle_epi8)
SIM_BINARY(sim_unpackhi, _mm_unpackhi_epi64)
SIM_BINARY(sim_unpacklo, _mm_unpacklo_epi64)
SIM_BINARY(sim_aesenc, _mm_aesenc_si128)
SIM_BINARY(sim_aesenclast, _mm_aesenclast_si128)
SIM_BINARY(sim_aesdec, _mm_aesdec_si128)
SIM_BINARY(sim_aesdeclast, _mm_aesdeclast_si128)
#define SIM_BINARY_2(name, op)                                                                                         \
  SIM __m256i name(__m256i a, __m256i b) { return SIM_2(a, b, op(x, y)); }
SIM_BINARY_2(sim2_aesenc, _mm_aesenc_si128)
SIM_BINARY_2(sim2_aesenclast, _mm_aesenclast_si128)
SIM_BINARY_2(sim2_aesdec, _mm_aesdec_si128)
SIM_BINARY_2(sim2_aesdeclast, _mm_aesdeclast_si128)

/* Word by word: bit 4a + 2b + c of m. */
SIM uint64_t sim_ternary64(uint64_t a, uint64_t b, uint64_t c, int m) {
  uint64_t r = 0;
  for (int k = 0; k < 8; k++)
    if (m >> k & 1)
      r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  return r;
}
SIM __m512i sim_ternary(__m512i a, __m512i b, __m512i c, int m) {
  sim_t x = {.v = a}, y = {.v = b}, z = {.v = c};
  for (int i = 0; i < 8; i++)
    x.w[i] = sim_ternary64(x.w[i], y.w[i], z.w[i], m);
  return x.v;
}
SIM __m256i sim2_ternary(__m256i a, __m256i b, __m256i c, int m) {
  sim2_t x = {.v = a}, y = {.v = b}, z = {.v = c};
  for (int i = 0; i < 4; i++)
    x.w[i] = sim_ternary64(x.w[i], y.w[i], z.w[i], m);
  return x.v;
}
SIM uint64_t sim_shift64(uint64_t a, uint64_t n, int left) { return n > 63 ? 0 : left ? a << n : a >> n; }
SIM __m512i sim_shift(__m512i a, __m512i n, int left) {
  sim_t x = {.v = a}, y = {.v = n};
  for (int i = 0; i < 8; i++)
    x.w[i] = sim_shift64(x.w[i], y.w[i], left);
  return x.v;
}
SIM __m512i sim_sra32(__m512i a, int n) {
  sim_t x = {.v = a};
  for (int i = 0; i < 16; i++)
    x.d[i] = (uint32_t)((int32_t)x.d[i] >> n);
  return x.v;
}

SIM __m512i sim_bcast(__m128i a) { return ((sim_t){.q = {a, a, a, a}}).v; }
SIM __m128i sim_lane(__m512i a, int i) { return ((sim_t){.v = a}).q[i]; }
SIM __m256i sim_half(__m512i a, int i) { return ((sim_t){.v = a}).h[i]; }
SIM __m512i sim_with_lane(__m512i a, __m128i b, int i) {
  sim_t x = {.v = a};
  x.q[i] = b;
  return x.v;
}
SIM __m512i sim_with_half(__m512i a, __m256i b, int i) {
  sim_t x = {.v = a};
  x.h[i] = b;
  return x.v;
}
SIM __m512i sim_load(const void *p) {
  sim_t r;
  memcpy(&r, p, sizeof r);
  return r.v;
}
SIM void sim_store(void *p, __m512i a) { memcpy(p, &a, sizeof a); }
/* Highest first. */
SIM __m512i sim_set64(long long h, long long g, long long f, long long e, long long d, long long c, long long b,
                      long long a) {
  const long long r[] = {a, b, c, d, e, f, g, h};
  return sim_load(r);
}
SIM __m512i sim_set32(int p, int o, int n, int m, int l, int k, int j, int i, int h, int g, int f, int e, int d, int c,
                      int b, int a) {
  const int r[] = {a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p};
  return sim_load(r);
}
/* Words of b, then of a, from word n on. */
SIM __m512i sim_align64(__m512i a, __m512i b, int n) {
  sim_t x = {.v = a}, y = {.v = b}, r;
  for (int i = 0; i < 8; i++)
    r.w[i] = i + n < 8 ? y.w[i + n] : x.w[i + n - 8];
  return r.v;
}
SIM __m512i sim_lanes_of(__m512i a, __m512i b, int m) {
  sim_t x = {.v = a}, y = {.v = b};
  return ((sim_t){.q = {x.q[m & 3], x.q[m >> 2 & 3], y.q[m >> 4 & 3], y.q[m >> 6 & 3]}}).v;
}
SIM __m512i sim_permute2(__m512i a, __m512i index, __m512i b) {
  sim_t x = {.v = a}, y = {.v = b}, k = {.v = index}, r;
  for (int i = 0; i < 8; i++)
    r.w[i] = k.w[i] & 8 ? y.w[k.w[i] & 7] : x.w[k.w[i] & 7];
  return r.v;
}

/* Masks. */
#define SIM_COMPARE(name, test)                                                                                        \
  SIM __mmask8 name(unsigned among, __m512i a, __m512i b) {                                                            \
    sim_t x_ = {.v = a}, y_ = {.v = b};                                                                                \
    unsigned m = 0;                                                                                                    \
    for (int i = 0; i < 8; i++) {                                                                                      \
      const uint64_t x = x_.w[i], y = y_.w[i];                                                                         \
      m |= (unsigned)(test) << i;                                                                                      \
    }                                                                                                                  \
    return (__mmask8)(m & among);                                                                                      \
  }
SIM_COMPARE(sim_differ, x != y)
SIM_COMPARE(sim_common, (x & y) != 0)
SIM_COMPARE(sim_less, x < y)
SIM_COMPARE(sim_upto, x <= y)
#define SIM_MASKED(bytes, type)                                                                                        \
  SIM type sim_load_masked_##bytes(uint64_t k, const void *p) {                                                        \
    uint8_t r[bytes] = {0};                                                                                            \
    type v;                                                                                                            \
    for (int i = 0; i < (bytes); i++)                                                                                  \
      if (k >> i & 1)                                                                                                  \
        r[i] = ((const uint8_t *)p)[i];                                                                                \
    memcpy(&v, r, sizeof v);                                                                                           \
    return v;                                                                                                          \
  }                                                                                                                    \
  SIM type sim_keep_##bytes(uint64_t k, type v) { return sim_load_masked_##bytes(k, &v); }                             \
  SIM void sim_store_masked_##bytes(void *p, uint64_t k, type v) {                                                     \
    uint8_t r[bytes];                                                                                                  \
    memcpy(r, &v, sizeof r);                                                                                           \
    for (int i = 0; i < (bytes); i++)                                                                                  \
      if (k >> i & 1)                                                                                                  \
        ((uint8_t *)p)[i] = r[i];                                                                                      \
  }
SIM_MASKED(64, __m512i)
SIM_MASKED(32, __m256i)
SIM_MASKED(16, __m128i)
SIM __m512i sim_load_words(__m512i other, unsigned k, const void *p) {
  sim_t x = {.v = other};
  for (int i = 0; i < 16; i++)
    if (k >> i & 1)
      memcpy(&x.d[i], (const uint8_t *)p + 4 * i, 4);
  return x.v;
}
SIM __m512i sim_mask_bytes(uint64_t k) {
  sim_t x;
  for (int i = 0; i < 64; i++)
    x.b[i] = k >> i & 1 ? 255 : 0;
  return x.v;
}

#undef _mm512_alignr_epi64
#undef _mm512_bslli_epi128
#undef _mm512_bsrli_epi128
#undef _mm512_clmulepi64_epi128
#undef _mm512_cmpneq_epi64_mask
#undef _mm512_extracti32x4_epi32
#undef _mm512_extracti64x4_epi64
#undef _mm512_inserti32x4
#undef _mm512_inserti64x4
#undef _mm512_mask_cmple_epu64_mask
#undef _mm512_mask_cmplt_epu64_mask
#undef _mm512_shuffle_epi32
#undef _mm512_shuffle_i64x2
#undef _mm512_slli_epi64
#undef _mm512_srai_epi32
#undef _mm512_srli_epi64
#undef _mm512_ternarylogic_epi64
#undef _mm256_clmulepi64_epi128
#undef _mm256_ternarylogic_epi64
#define _mm512_add_epi32 sim_add32
#define _mm512_add_epi64 sim_add64
#define _mm512_aesdec_epi128 sim_aesdec
#define _mm512_aesdeclast_epi128 sim_aesdeclast
#define _mm512_aesenc_epi128 sim_aesenc
#define _mm512_aesenclast_epi128 sim_aesenclast
#define _mm512_alignr_epi64 sim_align64
#define _mm512_and_si512 sim_and
#define _mm512_andnot_si512 sim_andnot
#define _mm512_broadcast_i32x4 sim_bcast
#define _mm512_bslli_epi128(a, n) SIM_4(a, a, _mm_slli_si128(x, n))
#define _mm512_bsrli_epi128(a, n) SIM_4(a, a, _mm_srli_si128(x, n))
#define _mm512_castsi512_si128(a) sim_lane(a, 0)
#define _mm512_castsi512_si256(a) sim_half(a, 0)
#define _mm512_clmulepi64_epi128(a, b, n) SIM_4(a, b, _mm_clmulepi64_si128(x, y, n))
#define _mm512_cmpneq_epi64_mask(a, b) sim_differ(255, a, b)
#define _mm512_extracti32x4_epi32 sim_lane
#define _mm512_extracti64x4_epi64 sim_half
#define _mm512_inserti32x4 sim_with_lane
#define _mm512_inserti64x4 sim_with_half
#define _mm512_loadu_si512 sim_load
#define _mm512_mask_cmple_epu64_mask sim_upto
#define _mm512_mask_cmplt_epu64_mask sim_less
#define _mm512_mask_loadu_epi32 sim_load_words
#define _mm512_mask_storeu_epi8 sim_store_masked_64
#define _mm512_maskz_loadu_epi8 sim_load_masked_64
#define _mm512_maskz_mov_epi8 sim_keep_64
#define _mm512_movm_epi8 sim_mask_bytes
#define _mm512_permutex2var_epi64 sim_permute2
#define _mm512_set1_epi32(a) sim_bcast(_mm_set1_epi32(a))
#define _mm512_set1_epi64(a) sim_bcast(_mm_set1_epi64x(a))
#define _mm512_set4_epi32(d, c, b, a) sim_bcast(_mm_set_epi32(d, c, b, a))
#define _mm512_set4_epi64(d, c, b, a) sim_set64(d, c, b, a, d, c, b, a)
#define _mm512_set_epi32 sim_set32
#define _mm512_set_epi64 sim_set64
#define _mm512_setzero_si512() sim_bcast(_mm_setzero_si128())
#define _mm512_shuffle_epi32(a, n) SIM_4(a, a, _mm_shuffle_epi32(x, n))
#define _mm512_shuffle_epi8 sim_shuffle8
#define _mm512_shuffle_i64x2 sim_lanes_of
#define _mm512_slli_epi64(a, n) sim_shift(a, _mm512_set1_epi64(n), 1)
#define _mm512_sllv_epi64(a, n) sim_shift(a, n, 1)
#define _mm512_srai_epi32 sim_sra32
#define _mm512_srli_epi64(a, n) sim_shift(a, _mm512_set1_epi64(n), 0)
#define _mm512_srlv_epi64(a, n) sim_shift(a, n, 0)
#define _mm512_storeu_si512 sim_store
#define _mm512_sub_epi32 sim_sub32
#define _mm512_sub_epi64 sim_sub64
#define _mm512_ternarylogic_epi64 sim_ternary
#define _mm512_test_epi64_mask(a, b) sim_common(255, a, b)
#define _mm512_unpackhi_epi64 sim_unpackhi
#define _mm512_unpacklo_epi64 sim_unpacklo
#define _mm512_xor_si512 sim_xor
#define _mm512_zextsi128_si512(a) sim_with_lane(_mm512_setzero_si512(), a, 0)
#define _mm512_zextsi256_si512(a) sim_with_half(_mm512_setzero_si512(), a, 0)
#define _mm256_aesdec_epi128 sim2_aesdec
#define _mm256_aesdeclast_epi128 sim2_aesdeclast
#define _mm256_aesenc_epi128 sim2_aesenc
#define _mm256_aesenclast_epi128 sim2_aesenclast
#define _mm256_clmulepi64_epi128(a, b, n) SIM_2(a, b, _mm_clmulepi64_si128(x, y, n))
#define _mm256_mask_storeu_epi8 sim_store_masked_32
#define _mm256_maskz_loadu_epi8 sim_load_masked_32
#define _mm256_maskz_mov_epi8 sim_keep_32
#define _mm256_ternarylogic_epi64 sim2_ternary
#define _mm_mask_storeu_epi8 sim_store_masked_16
#define _mm_maskz_loadu_epi8 sim_load_masked_16
#define _kortestz_mask8_u8(a, b) ((unsigned char)((__mmask8)((a) | (b)) == 0))
#define _kortestc_mask8_u8(a, b) ((unsigned char)((__mmask8)((a) | (b)) == 255))

/* What the sources ask: the test says of which file. */
#ifdef SIMULATED_512
#define __AVX512F__ 1
#define __AVX512VL__ 1
#define __AVX512BW__ 1
#define __AVX512DQ__ 1
#endif
#endif
