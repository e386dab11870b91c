/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What this machine can do at best, measured by short loops of single instructions in the same run. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>

#define LOOPS 64
#define CLOBBERS                                                                                                       \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",  \
      "xmm14", "xmm15", "memory"
#define TWELVE(OP) OP(0) OP(1) OP(2) OP(3) OP(4) OP(5) OP(6) OP(7) OP(8) OP(9) OP(10) OP(11)
#define FOUR_TIMES(s) s s s s

/* A function of LOOPS * 48 independent instructions, twelve in flight; %0 points to 12 * 64 bytes. */
#define RULER(NAME, TARGET, OP, END)                                                                                   \
  __attribute__((target(TARGET), noinline)) static void NAME(uint8_t *p) {                                             \
    for (int i = 0; i < LOOPS; i++)                                                                                    \
      __asm__ volatile(FOUR_TIMES(TWELVE(OP)) END : : "r"(p) : CLOBBERS);                                              \
  }
#define AES_X(n) "aesenc %%xmm15, %%xmm" #n "\n\t"
#define AES_Y(n) "vaesenc %%ymm15, %%ymm" #n ", %%ymm" #n "\n\t"
#define AES_Z(n) "vaesenc %%zmm15, %%zmm" #n ", %%zmm" #n "\n\t"
#define MUL_X(n) "pclmulqdq $0x10, %%xmm15, %%xmm" #n "\n\t"
#define MUL_Y(n) "vpclmulqdq $0x10, %%ymm15, %%ymm" #n ", %%ymm" #n "\n\t"
#define MUL_Z(n) "vpclmulqdq $0x10, %%zmm15, %%zmm" #n ", %%zmm" #n "\n\t"
#define LOAD_X(n) "movdqu 64*" #n "(%0), %%xmm" #n "\n\t"
#define LOAD_Y(n) "vmovdqu 64*" #n "(%0), %%ymm" #n "\n\t"
#define LOAD_Z(n) "vmovdqu64 64*" #n "(%0), %%zmm" #n "\n\t"
#define CHAIN_X(n) "aesenc %%xmm15, %%xmm0\n\t"
RULER(aes_x, "aes", AES_X, "")
RULER(aes_y, "avx2,vaes", AES_Y, "vzeroupper")
RULER(aes_z, "avx512f,vaes", AES_Z, "vzeroupper")
RULER(mul_x, "pclmul", MUL_X, "")
RULER(mul_y, "avx2,vpclmulqdq", MUL_Y, "vzeroupper")
RULER(mul_z, "avx512f,vpclmulqdq", MUL_Z, "vzeroupper")
RULER(load_x, "sse2", LOAD_X, "")
RULER(load_y, "avx2", LOAD_Y, "vzeroupper")
RULER(load_z, "avx512f", LOAD_Z, "vzeroupper")
RULER(aes_chain, "aes", CHAIN_X, "")

#define XOR_BYTES 16384
/* dst ^= src over XOR_BYTES, dst at p, src 2048 bytes behind it in the page (see b_setup_make). */
#define XOR(NAME, TARGET, TYPE, BYTES, LOAD, STORE, OP)                                                                \
  __attribute__((target(TARGET), noinline)) static void NAME(uint8_t *p) {                                             \
    const uint8_t *q = p + XOR_BYTES + 2048;                                                                           \
    for (size_t i = 0; i < XOR_BYTES; i += 4 * (BYTES)) {                                                              \
      TYPE a = OP(LOAD((const void *)(p + i)), LOAD((const void *)(q + i)));                                           \
      TYPE b = OP(LOAD((const void *)(p + i + (BYTES))), LOAD((const void *)(q + i + (BYTES))));                       \
      TYPE c = OP(LOAD((const void *)(p + i + 2 * (BYTES))), LOAD((const void *)(q + i + 2 * (BYTES))));               \
      TYPE d = OP(LOAD((const void *)(p + i + 3 * (BYTES))), LOAD((const void *)(q + i + 3 * (BYTES))));               \
      STORE((void *)(p + i), a);                                                                                       \
      STORE((void *)(p + i + (BYTES)), b);                                                                             \
      STORE((void *)(p + i + 2 * (BYTES)), c);                                                                         \
      STORE((void *)(p + i + 3 * (BYTES)), d);                                                                         \
    }                                                                                                                  \
  }
XOR(xor_x, "sse2", __m128i, 16, _mm_loadu_si128, _mm_storeu_si128, _mm_xor_si128)
XOR(xor_y, "avx2", __m256i, 32, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_xor_si256)
XOR(xor_z, "avx512f", __m512i, 64, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_xor_si512)

static double cycles(void (*f)(uint8_t *), uint8_t *p) {
  double best = INFINITY;
  for (int i = 0; i < 5; i++)
    f(p);
  for (int i = 0; i < 25; i++) {
    double before = b_clock_probe();
    uint64_t t0 = b_ticks_start();
    f(p);
    double t = (double)(b_ticks_end() - t0) - b_ticks_overhead();
    double after = b_clock_probe(), rate = (before + after) / 2;
    if (fabs(before - after) < 0.12 * rate && t * rate < best)
      best = t * rate;
  }
  return best;
}

void b_rulers_measure(struct b_rulers *r) {
  memset(r, 0, sizeof *r);
  uint8_t *p = aligned_alloc(4096, 65536);
  if (!p)
    return;
  memset(p, 0, 65536);
  bool avx2 = b_cpu_has("avx2"), avx512 = b_cpu_has("avx512f");
  bool has[3] = {true, avx2, avx512};
  void (*const aes[3])(uint8_t *) = {aes_x, aes_y, aes_z};
  void (*const mul[3])(uint8_t *) = {mul_x, mul_y, mul_z};
  void (*const load[3])(uint8_t *) = {load_x, load_y, load_z};
  void (*const exor[3])(uint8_t *) = {xor_x, xor_y, xor_z};
  for (int i = 0; i < 3; i++) {
    double n = LOOPS * 48.0;
    if (!has[i])
      continue;
    if (b_cpu_has(i ? "vaes" : "aes")) {
      r->aes[i] = cycles(aes[i], p) / n;
      double block = r->aes[i] / (1 << i);
      if (r->aes_block_round == 0 || block < r->aes_block_round)
        r->aes_block_round = block;
    }
    if (b_cpu_has(i ? "vpclmulqdq" : "pclmul"))
      r->mul[i] = cycles(mul[i], p) / n;
    r->load[i] = cycles(load[i], p) / n;
    r->xor_aligned[i] = cycles(exor[i], p);
    r->xor_misaligned[i] = cycles(exor[i], p + 1);
  }
  if (b_cpu_has("aes"))
    r->aes_latency = cycles(aes_chain, p) / (LOOPS * 48.0);
  free(p);
}
#else
void b_rulers_measure(struct b_rulers *r) {
  memset(r, 0, sizeof *r); /* no ruler for this architecture: the column stays empty */
}
#endif

static double message_limit(const struct b_rulers *r, const struct b_case *c, size_t size) {
  const struct b_mode *m = b_mode(c);
  double rounds = c->key_bits / 32 + 6;
  double blocks = (double)((size + 15) / 16 + m->extra_blocks);
  if (m->limit == B_LIMIT_ONE)
    return rounds * r->aes_latency;
  if (m->limit == B_LIMIT_CHAIN &&
      c->dir == B_ENC) /* only a long one hides nothing of itself behind the next message's */
    return size < 4096 ? 0 : blocks * rounds * r->aes_latency;
  return m->limit == B_LIMIT_NONE ? 0 : blocks * rounds * r->aes_block_round;
}

double b_limit_cycles(const struct b_rulers *r, const struct b_case *c) {
  uint32_t lens[B_MIX_N];
  double sum = 0;
  if (!c->mix)
    return message_limit(r, c, c->size);
  size_t n = b_mix_lengths(lens, c);
  for (size_t i = 0; i < n; i++)
    sum += message_limit(r, c, lens[i]);
  return sum / (double)n;
}
