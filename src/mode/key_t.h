/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: AES key schedule (FIPS 197 5.2), for all modes. Needs the b_ operations.
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
