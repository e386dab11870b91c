/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: the cipher (FIPS 197 5.1) on vectors in flight. Round keys as key_t.h leaves them.
 */

/* What counters c, as blocks of zeros else, add to the state after round 1 of counter 0. k0: the first round key. */
INLINE v_t aes_round1(v_t c, v_t k0) {
  return v_aes_round_add(v_aes_first(c, k0), k0, v_aes_round(v_aes_first(v_zero(), k0), k0, v_zero()));
}

/* d[i] plus the keystream of x[i], which has the first round key added already, for n vectors in flight; the round keys come
 * from memory, each loaded once. n is a constant.
 * skip: rounds that have been; left: those written out, the last among them.
 * pin: PIN, where steps between the rounds shall stay there, or (void).
 * PERF: the rounds that only longer keys have are a loop of two a turn that counts down: with AES-256 5 to 9 % fewer instructions, 3 to
 * 5 % fewer cycles up to 64 bytes, than one of one a turn that counts up. REJECTED: two branches: level, 450 bytes more; a loop over all:
 * a 16-byte message a tenth more. */
#define AES_ROUND(n, x, k0, k1, p, pin)                                                                                \
  do {                                                                                                                 \
    k1 = v_bcast_mem(p);                                                                                               \
    EACH(i, n, x[i] = v_aes_round(x[i], k0, k1); pin(x[i]));                                                           \
    k0 = k1;                                                                                                           \
  } while (0)
#define AES_XOR(n, x, d, keys, rounds, skip, left)                                                                     \
  do {                                                                                                                 \
    const uint8_t *p_ = (keys);                                                                                        \
    v_t k0_ = v_bcast_mem(p_), k1_;                                                                                    \
    for (unsigned r_ = (rounds) - (unsigned)(skip) - (unsigned)(left); r_; r_ -= 2)                                    \
      EACH(t_, 2, AES_ROUND(n, x, k0_, k1_, p_ += 16, (void)));                                                        \
    _Pragma("GCC unroll 9") for (int r_ = 1; r_ < (left); r_++) AES_ROUND(n, x, k0_, k1_, p_ + 16 * r_, (void));       \
    k1_ = v_bcast_mem(p_ + 16 * (left));                                                                               \
    EACH(i, n, x[i] = v_aes_last_xor(x[i], k0_, k1_, d[i]));                                                           \
  } while (0)
