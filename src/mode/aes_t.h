/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: AES key schedule and the cipher on one block (FIPS 197). Needs the b_ operations.
 *
 * Round keys lie in memory in the order of use, 16 bytes each, as the standard has them.
 */

/* SPEC: FIPS 197 5.2. a ^ (a moved up one word) ^ (two) ^ (three): the running XOR of the words. */
INLINE b_t b_prefix_xor(b_t a) {
  a = b_xor(a, b_word_up(a));
  return b_xor(a, b_words_up2(a));
}

/* Computes each round key and hands it to the body as (r, k), k in a register. */
INLINE void expand_128(uint8_t *rk, const uint8_t *raw) {
  b_t k = b_load(raw);
  uint32_t rcon = 1;
  b_store(rk, k);
  for (int r = 1; r <= 10; r++) {
    k = b_xor(b_prefix_xor(k), b_ks_rot(k, rcon));
    b_store(rk + 16 * r, k);
    rcon = (rcon << 1) ^ (0x11bu & (0u - (rcon >> 7))); /* x^(r-1) in GF(2^8); CT: a constant sequence */
  }
}
INLINE void expand_256(uint8_t *rk, const uint8_t *raw) {
  b_t a = b_load(raw), b = b_load(raw + 16);
  uint32_t rcon = 1;
  b_store(rk, a);
  b_store(rk + 16, b);
  for (int r = 2;; r += 2) {
    a = b_xor(b_prefix_xor(a), b_ks_rot(b, rcon));
    b_store(rk + 16 * r, a);
    if (r == 14)
      break;
    b = b_xor(b_prefix_xor(b), b_ks_sub(a));
    b_store(rk + 16 * r + 16, b);
    rcon <<= 1;
  }
}
/* Six words a step, a = w0..w3 and the low half of b = w4, w5; two steps make three round keys. */
INLINE void expand_192_step(b_t *a, b_t *b, uint32_t rcon) {
  *a = b_xor(b_prefix_xor(*a), b_ks_rot(b_lo_lo(*b, *b), rcon)); /* w5 is the last word there */
  *b = b_xor(b_xor(*b, b_word_up(*b)), b_last_word(*a));
}
INLINE void expand_192(uint8_t *rk, const uint8_t *raw) {
  uint8_t last[16] = {0};
  memcpy(last, raw + 16, 8);
  b_t a = b_load(raw), b = b_load(last);
  uint32_t rcon = 1;
  b_store(rk, a);
  for (int r = 1;; r += 3) {
    b_t b0 = b;
    expand_192_step(&a, &b, rcon);
    b_store(rk + 16 * r, b_lo_lo(b0, a));
    b_store(rk + 16 * r + 16, b_hi_lo(a, b));
    expand_192_step(&a, &b, rcon << 1);
    b_store(rk + 16 * r + 32, a);
    if (r == 10)
      break;
    rcon <<= 2;
  }
  b = b_zero();
  b_store(last, b);
  __asm__ volatile("" ::"r"(last) : "memory");
}
INLINE void expand_key(uint8_t *rk, const uint8_t *raw, unsigned rounds) {
  if (rounds == 10)
    expand_128(rk, raw);
  else if (rounds == 12)
    expand_192(rk, raw);
  else
    expand_256(rk, raw);
}
/* SPEC: FIPS 197 5.3.5, the equivalent inverse cipher's keys, in the order of use. */
INLINE void invert_key(uint8_t *dk, const uint8_t *rk, unsigned rounds) {
  b_store(dk, b_load(rk + 16 * rounds));
  for (unsigned r = 1; r < rounds; r++)
    b_store(dk + 16 * r, b_aes_imc(b_load(rk + 16 * (rounds - r))));
  b_store(dk + 16 * rounds, b_load(rk));
}

INLINE b_t b_encrypt(b_t a, const uint8_t *rk, unsigned rounds) {
  b_t k0 = b_load(rk), k;
  a = b_aes_first(a, k0);
  for (unsigned r = 1; r < rounds; r++, k0 = k) {
    k = b_load(rk + 16 * r);
    a = b_aes_round(a, k0, k);
  }
  return b_aes_last(a, k0, b_load(rk + 16 * rounds));
}

/* n vectors in flight through all rounds; the round keys come from memory, each loaded once. n is a constant.
 * PERF: key size is a loop count for the first 0, 2 or 4 rounds only; the last ten are written out. A loop
 * over all costs a 16-byte message a tenth. */
#define AES_ROUND(n, x, round, k0, k1, p)                                                                              \
  do {                                                                                                                 \
    k1 = v_bcast_mem(p);                                                                                               \
    EACH(i, n, x[i] = round(x[i], k0, k1));                                                                            \
    k0 = k1;                                                                                                           \
  } while (0)
#define AES_ALL(n, x, keys, rounds, round, last)                                                                       \
  do {                                                                                                                 \
    const uint8_t *p_ = (keys);                                                                                        \
    v_t k0_ = v_bcast_mem(p_), k1_;                                                                                    \
    EACH(i, n, x[i] = v_aes_first(x[i], k0_));                                                                         \
    for (unsigned r_ = 10; r_ < (rounds); r_ += V_MASKED ? 2 : 1) {                                                    \
      AES_ROUND(n, x, round, k0_, k1_, p_ += 16);                                                                      \
      if (V_MASKED)                                                                                                    \
        AES_ROUND(n, x, round, k0_, k1_, p_ += 16);                                                                    \
    }                                                                                                                  \
    AES_ROUND(n, x, round, k0_, k1_, p_ + 16);                                                                         \
    AES_ROUND(n, x, round, k0_, k1_, p_ + 32);                                                                         \
    AES_ROUND(n, x, round, k0_, k1_, p_ + 48);                                                                         \
    AES_ROUND(n, x, round, k0_, k1_, p_ + 64);                                                                         \
    AES_ROUND(n, x, round, k0_, k1_, p_ + 80);                                                                         \
    AES_ROUND(n, x, round, k0_, k1_, p_ + 96);                                                                         \
    AES_ROUND(n, x, round, k0_, k1_, p_ + 112);                                                                        \
    AES_ROUND(n, x, round, k0_, k1_, p_ + 128);                                                                        \
    AES_ROUND(n, x, round, k0_, k1_, p_ + 144);                                                                        \
    k1_ = v_bcast_mem(p_ + 160);                                                                                       \
    EACH(i, n, x[i] = last(x[i], k0_, k1_));                                                                           \
  } while (0)
#define AES_ENCRYPT(n, x, rk, rounds) AES_ALL(n, x, rk, rounds, v_aes_round, v_aes_last)
#define AES_DECRYPT(n, x, dk, rounds) AES_ALL(n, x, dk, rounds, v_aesd_round, v_aesd_last)
