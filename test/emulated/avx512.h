/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * AVX-512 and VAES made of AVX2 and AES-NI, so that the sets that need them are tested on machines without them. Only
 * what src/isa uses is here. It is included before each of these sets by the test build (CMakeLists.txt beside this
 * file), and names each intrinsic anew. What it cannot show: what is left in registers and on the stack, and time.
 *
 * A masked load or store touches the bytes whose bit is 1 and no other, as the instruction does: tests with guard pages
 * look at that.
 */
#ifndef RIJN_EMULATED_AVX512_H
#define RIJN_EMULATED_AVX512_H

#include <stdint.h>
#include <string.h>

#include "../../src/isa/x86_intrin.h"

#define __AVX512F__ 1
#define __AVX512BW__ 1
#define __AVX512VL__ 1
#define __AVX512DQ__ 1

/* No vector register has 64 bytes here, so nothing can be pinned to one. */
#define PIN(v) ((void)0)
#define UNDEFINED_VALUE(v) ((v) = v_zero())
#define CLEAR_MASKS() ((void)0)

#define EMU static inline __attribute__((unused))

typedef union {
  __m512i all;
  __m256i half[2];
  __m128i lane[4];
  uint64_t q[8];
  uint32_t d[16];
  uint8_t b[64];
} emu_t;
typedef union {
  __m256i all;
  __m128i lane[2];
  uint8_t b[32];
} emu256_t;

/* ---------------------------------------------------------------- lane by lane */

#define EMU_1(name, call)                                                                                              \
  EMU __m512i emu_##name(__m512i a, int n) {                                                                           \
    emu_t x = {a};                                                                                                     \
    for (int i = 0; i < 2; i++)                                                                                        \
      x.half[i] = call;                                                                                                \
    (void)n;                                                                                                           \
    return x.all;                                                                                                      \
  }
#define EMU_2(name, part, parts, call)                                                                                 \
  EMU __m512i emu_##name(__m512i a, __m512i b) {                                                                       \
    emu_t x = {a}, y = {b};                                                                                            \
    for (int i = 0; i < (parts); i++)                                                                                  \
      x.part[i] = call(x.part[i], y.part[i]);                                                                          \
    return x.all;                                                                                                      \
  }
EMU_2(xor, half, 2, _mm256_xor_si256)
EMU_2(and, half, 2, _mm256_and_si256)
EMU_2(andnot, half, 2, _mm256_andnot_si256)
EMU_2(add32, half, 2, _mm256_add_epi32)
EMU_2(sub32, half, 2, _mm256_sub_epi32)
EMU_2(add64, half, 2, _mm256_add_epi64)
EMU_2(sub64, half, 2, _mm256_sub_epi64)
EMU_2(unpacklo, half, 2, _mm256_unpacklo_epi64)
EMU_2(unpackhi, half, 2, _mm256_unpackhi_epi64)
EMU_2(shuffle8, half, 2, _mm256_shuffle_epi8)
EMU_2(srlv, half, 2, _mm256_srlv_epi64)
EMU_2(sllv, half, 2, _mm256_sllv_epi64)
EMU_2(aesenc, lane, 4, _mm_aesenc_si128)
EMU_2(aesenclast, lane, 4, _mm_aesenclast_si128)
EMU_2(aesdec, lane, 4, _mm_aesdec_si128)
EMU_2(aesdeclast, lane, 4, _mm_aesdeclast_si128)
EMU_1(srli64, _mm256_srli_epi64(x.half[i], n))
EMU_1(slli64, _mm256_slli_epi64(x.half[i], n))
EMU_1(srai32, _mm256_srai_epi32(x.half[i], n))
/* What takes a constant has one function for each of the few that are used. */
#define EMU_SHIFT(name, call)                                                                                          \
  EMU __m512i emu_##name(__m512i a, int n) {                                                                           \
    emu_t x = {a}, r = {.b = {0}};                                                                                     \
    for (int i = 0; i < 64; i++)                                                                                       \
      if (i % 16 call n >= 0 && i % 16 call n < 16)                                                                    \
        r.b[i call n] = x.b[i];                                                                                        \
    return r.all;                                                                                                      \
  }
EMU_SHIFT(bslli, +)
EMU_SHIFT(bsrli, -)
EMU __m512i emu_shuffle32(__m512i a, int n) {
  emu_t x = {a}, r;
  for (int i = 0; i < 16; i++)
    r.d[i] = x.d[(i & ~3) | (n >> (2 * (i & 3)) & 3)];
  return r.all;
}
EMU __m128i emu_clmul_lane(__m128i a, __m128i b, int n) {
  if (n & 1)
    a = _mm_srli_si128(a, 8);
  if (n & 16)
    b = _mm_srli_si128(b, 8);
  return _mm_clmulepi64_si128(a, b, 0);
}
EMU __m512i emu_clmul(__m512i a, __m512i b, int n) {
  emu_t x = {a}, y = {b};
  for (int i = 0; i < 4; i++)
    x.lane[i] = emu_clmul_lane(x.lane[i], y.lane[i], n);
  return x.all;
}
/* Bit n of the constant is the result for bits whose values are n, that of a the highest. */
#define EMU_LOGIC(a, b, c, n)                                                                                          \
  __extension__({                                                                                                      \
    __typeof__(a) r_ = (a) ^ (a);                                                                                      \
    for (int i_ = 0; i_ < 8; i_++)                                                                                     \
      if ((n) >> i_ & 1)                                                                                               \
        r_ = r_ | ((i_ & 4 ? (a) : ~(a)) & (i_ & 2 ? (b) : ~(b)) & (i_ & 1 ? (c) : ~(c)));                             \
    r_;                                                                                                                \
  })
EMU __m512i emu_logic(__m512i a, __m512i b, __m512i c, int n) { return EMU_LOGIC(a, b, c, n); }
EMU __m256i emu256_logic(__m256i a, __m256i b, __m256i c, int n) { return EMU_LOGIC(a, b, c, n); }

/* ---------------------------------------------------------------- between lanes */

EMU __m512i emu_set64(long long h, long long g, long long f, long long e, long long d, long long c, long long b,
                      long long a) {
  return (__m512i){a, b, c, d, e, f, g, h};
}
EMU __m512i emu_set32(int p, int o, int n, int m, int l, int k, int j, int i, int h, int g, int f, int e, int d, int c,
                      int b, int a) {
  const int words[16] = {a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p};
  emu_t x;
  memcpy(x.b, words, 64);
  return x.all;
}
EMU __m512i emu_of_lanes(__m128i a, __m128i b, __m128i c, __m128i d) { return (emu_t){.lane = {a, b, c, d}}.all; }
EMU __m512i emu_bcast(__m128i a) { return emu_of_lanes(a, a, a, a); }
EMU __m512i emu_from128(__m128i a) {
  __m128i zero = _mm_setzero_si128();
  return emu_of_lanes(a, zero, zero, zero);
}
EMU __m512i emu_from256(__m256i a) { return (emu_t){.half = {a, _mm256_setzero_si256()}}.all; }
EMU __m256i emu_half(__m512i a, int i) { return (emu_t){a}.half[i]; }
EMU __m128i emu_lane(__m512i a, int i) { return (emu_t){a}.lane[i]; }
EMU __m512i emu_put_lane(__m512i a, __m128i b, int i) {
  emu_t x = {a};
  x.lane[i] = b;
  return x.all;
}
EMU __m512i emu_put_half(__m512i a, __m256i b, int i) {
  emu_t x = {a};
  x.half[i] = b;
  return x.all;
}
EMU __m512i emu_shuffle_lanes(__m512i a, __m512i b, int n) {
  emu_t x = {a}, y = {b};
  return emu_of_lanes(x.lane[n & 3], x.lane[n >> 2 & 3], y.lane[n >> 4 & 3], y.lane[n >> 6 & 3]);
}
EMU __m512i emu_permute2(__m512i a, __m512i index, __m512i b) {
  emu_t x = {a}, y = {b}, n = {index}, r;
  for (int i = 0; i < 8; i++)
    r.q[i] = n.q[i] & 8 ? y.q[n.q[i] & 7] : x.q[n.q[i] & 7];
  return r.all;
}
EMU __m512i emu_align(__m512i a, __m512i b, int n) {
  emu_t x = {a}, y = {b}, r;
  for (int i = 0; i < 8; i++)
    r.q[i] = i + n < 8 ? y.q[i + n] : x.q[i + n - 8];
  return r.all;
}

/* ---------------------------------------------------------------- memory and masks */

EMU __m512i emu_load(const void *p) {
  emu_t x;
  memcpy(x.b, p, 64);
  return x.all;
}
EMU void emu_store(void *p, __m512i a) {
  emu_t x = {a};
  memcpy(p, x.b, 64);
}
/* Bytes go through volatile: a compiler must not read or write one that the mask leaves out.
 * But a mask of nothing touches its first byte here: where there is no page, or none to write to, a processor has to
 * leave out a fault, by microcode that takes some hundred cycles. So who has nothing to load or to store gives an
 * address that has memory; who does not faults here. */
EMU void emu_load_bytes(uint8_t *to, const void *from, uint64_t mask, int n) {
  if (mask == 0)
    (void)*(const volatile uint8_t *)from;
  for (int i = 0; i < n; i++)
    to[i] = mask >> i & 1 ? ((const volatile uint8_t *)from)[i] : 0;
}
EMU void emu_store_bytes(void *to, const uint8_t *from, uint64_t mask, int n) {
  if (mask == 0)
    *(volatile uint8_t *)to = *(volatile uint8_t *)to;
  for (int i = 0; i < n; i++)
    if (mask >> i & 1)
      ((volatile uint8_t *)to)[i] = from[i];
}
EMU __m512i emu_load_mask(uint64_t mask, const void *p) {
  emu_t x;
  emu_load_bytes(x.b, p, mask, 64);
  return x.all;
}
EMU void emu_store_mask(void *p, uint64_t mask, __m512i a) {
  emu_t x = {a};
  emu_store_bytes(p, x.b, mask, 64);
}
EMU __m512i emu_keep(uint64_t mask, __m512i a) {
  emu_t x = {a};
  return emu_load_mask(mask, x.b);
}
EMU __m512i emu_load_words(__m512i a, uint16_t mask, const void *p) {
  emu_t x = {a};
  for (int i = 0; i < 16; i++)
    if (mask >> i & 1)
      memcpy(&x.d[i], (const uint8_t *)p + 4 * i, 4);
  return x.all;
}
EMU __m512i emu_ones(uint64_t mask) {
  emu_t x;
  memset(x.b, 255, 64);
  return emu_keep(mask, x.all);
}
#define EMU_COMPARE(name, op)                                                                                          \
  EMU __mmask8 emu_##name(__m512i a, __m512i b) {                                                                      \
    emu_t x = {a}, y = {b};                                                                                            \
    unsigned mask = 0;                                                                                                 \
    for (int i = 0; i < 8; i++)                                                                                        \
      mask |= (unsigned)(x.q[i] op y.q[i]) << i;                                                                       \
    return (__mmask8)mask;                                                                                             \
  }
EMU_COMPARE(le, <=)
EMU_COMPARE(lt, <)
EMU_COMPARE(ne, !=)
EMU __mmask8 emu_test(__m512i a, __m512i b) { return emu_ne(emu_and(a, b), emu_xor(a, a)); }

EMU __m128i emu128_load_mask(uint16_t mask, const void *p) {
  uint8_t x[16];
  emu_load_bytes(x, p, mask, 16);
  return _mm_loadu_si128((const __m128i *)(const void *)x);
}
EMU void emu128_store_mask(void *p, uint16_t mask, __m128i a) {
  uint8_t x[16];
  memcpy(x, &a, 16);
  emu_store_bytes(p, x, mask, 16);
}
EMU __m256i emu256_load_mask(uint32_t mask, const void *p) {
  emu256_t x;
  emu_load_bytes(x.b, p, mask, 32);
  return x.all;
}
EMU void emu256_store_mask(void *p, uint32_t mask, __m256i a) {
  emu256_t x = {a};
  emu_store_bytes(p, x.b, mask, 32);
}
EMU __m256i emu256_keep(uint32_t mask, __m256i a) {
  emu256_t x = {a};
  return emu256_load_mask(mask, x.b);
}
#define EMU256_2(name, call)                                                                                           \
  EMU __m256i emu256_##name(__m256i a, __m256i b) {                                                                    \
    emu256_t x = {a}, y = {b};                                                                                         \
    for (int i = 0; i < 2; i++)                                                                                        \
      x.lane[i] = call(x.lane[i], y.lane[i]);                                                                          \
    return x.all;                                                                                                      \
  }
EMU256_2(aesenc, _mm_aesenc_si128)
EMU256_2(aesenclast, _mm_aesenclast_si128)
EMU256_2(aesdec, _mm_aesdec_si128)
EMU256_2(aesdeclast, _mm_aesdeclast_si128)
EMU __m256i emu256_clmul(__m256i a, __m256i b, int n) {
  emu256_t x = {a}, y = {b};
  for (int i = 0; i < 2; i++)
    x.lane[i] = emu_clmul_lane(x.lane[i], y.lane[i], n);
  return x.all;
}

#include "avx512_names.h"

#endif
