/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * x86 intrinsics for CBMC, in place of <immintrin.h>: proof/run adds a macro for every intrinsic that src/isa names and
 * that is not below, which is ANY_OF its arguments.
 *
 * Only where memory is read and written is modelled, and exactly. Of values nothing is known but that every byte
 * that comes from a vector is MARK: so a harness can see whether a byte of output was written.
 */
#ifndef PROOF_VECTORS_H
#define PROOF_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MARK 0xa5
typedef struct {
  uint64_t q[2];
} vector;
typedef vector __m128i, __m128d, __m256i, __m512i;
typedef uint16_t __mmask16;
typedef uint32_t __mmask32;
typedef uint64_t __mmask64;

static const vector any_vector = {{0xa5a5a5a5a5a5a5a5u, 0xa5a5a5a5a5a5a5a5u}};
#define ANY_OF(...) ((void)(0, ##__VA_ARGS__), any_vector)

/* A byte of output that a harness watches. Vectors do not go to memory, for harnesses read none back. */
static const uint8_t *watched;
static bool watched_written;

static inline vector vector_load(const void *p, size_t n) {
  __CPROVER_assert(n == 0 || __CPROVER_r_ok(p, n), "a vector is loaded from where it may be");
  return any_vector;
}
static inline void vector_store(void *p, size_t n) {
  __CPROVER_assert(n == 0 || __CPROVER_w_ok(p, n), "a vector is stored where it may be");
  if (n != 0 && __CPROVER_same_object(p, watched) && __CPROVER_POINTER_OFFSET(watched) >= __CPROVER_POINTER_OFFSET(p) &&
      __CPROVER_POINTER_OFFSET(watched) - __CPROVER_POINTER_OFFSET(p) < n)
    watched_written = true;
}
static inline __m128i _mm_loadu_si128(const void *p) { return vector_load(p, 16); }
static inline __m128i _mm_loadl_epi64(const void *p) { return vector_load(p, 8); }
static inline void _mm_storeu_si128(void *p, __m128i a) { (void)a, vector_store(p, 16); }
static inline __m256i _mm256_loadu_si256(const void *p) { return vector_load(p, 32); }
static inline void _mm256_storeu_si256(void *p, __m256i a) { (void)a, vector_store(p, 32); }
static inline __m512i _mm512_loadu_si512(const void *p) { return vector_load(p, 64); }
static inline void _mm512_storeu_si512(void *p, __m512i a) { (void)a, vector_store(p, 64); }

/* Masks of lengths: the first bytes, and only what they select is touched. */
static inline size_t mask_bytes(uint64_t mask) {
  __CPROVER_assert((mask & (mask + 1)) == 0, "a mask selects the first bytes");
  return mask == 0 ? 0 : 64 - (size_t)__builtin_clzll(mask);
}
static inline __m128i _mm_maskz_loadu_epi8(__mmask16 k, const void *p) { return vector_load(p, mask_bytes(k)); }
static inline __m256i _mm256_maskz_loadu_epi8(__mmask32 k, const void *p) { return vector_load(p, mask_bytes(k)); }
static inline __m512i _mm512_maskz_loadu_epi8(__mmask64 k, const void *p) { return vector_load(p, mask_bytes(k)); }
static inline void _mm_mask_storeu_epi8(void *p, __mmask16 k, __m128i a) { (void)a, vector_store(p, mask_bytes(k)); }
static inline void _mm256_mask_storeu_epi8(void *p, __mmask32 k, __m256i a) { (void)a, vector_store(p, mask_bytes(k)); }
static inline void _mm512_mask_storeu_epi8(void *p, __mmask64 k, __m512i a) { (void)a, vector_store(p, mask_bytes(k)); }

/* Bits from the n-th on become zero; n is a byte. */
static inline uint64_t _bzhi_u64(uint64_t a, uint32_t n) {
  n &= 255;
  return n >= 64 ? a : a & ((UINT64_C(1) << n) - 1);
}
static inline uint32_t _bzhi_u32(uint32_t a, uint32_t n) { return (uint32_t)_bzhi_u64(a, n); }

/* The only numbers that come from vectors, and so from secrets. */
int nondet_int(void);
static inline int _mm_testz_si128(__m128i a, __m128i b) {
  (void)a, (void)b;
  return nondet_int();
}

#endif
