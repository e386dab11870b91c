/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: AES encryption (FIPS 197 5.1) of n vectors of counters, for GCM. Round keys as key_t.h leaves them.
 * Parameter: VECTOR_BLOCKS, blocks in a vector. Needs v_ operations of the instruction set; each vector is a variable
 * x[i] of an array that EACH (isa.h) walks, so that it stays in a register, and all of them go through a round before
 * the next begins: the instruction of a round takes its time, and several vectors are under way in it ("in flight").
 *
 * v_aes_round(x, k0, k1) is the round between round keys k0 and k1; x86 and POWER add k1 at its end, Arm adds k0 at its
 * start (ops_arm.h). A state of Arm therefore has not the last round key yet that is spoken of here.
 */

/* For each block c that is zeros but for its counter: the state of c after round 1, plus that of counter 0 (round1 in
 * impl.h). k0: the first round key. That of round 1 would go away in the sum: zeros stand in its place. */
INLINE v_t aes_round1(v_t c, v_t k0) {
  return v_aes_round_add(v_aes_first(c, k0), k0, v_aes_round(v_aes_first(v_zero(), k0), k0, v_zero()));
}

/* AES_XOR: x[i] becomes d[i] plus the keystream of the counters x[i], which have the first round key added already, or
 * are states after `skip` rounds; keys: all round keys. For n vectors, n a constant; the round keys come from memory,
 * each loaded once. left: how many rounds are written out, the last among them; those before are a loop. held: where
 * the keys of those that are written out stay from call to call, in registers; first: they are read now; or a constant
 * NULL: none stay. AES_ROUND: one round with that key; pin: PIN, where steps between the rounds shall stay there, or
 * (void).
 * The rounds that only longer keys have are a loop of two a turn that counts down, which has fewer instructions than
 * one of one a turn that counts up (T-110; two branches, a loop over all: T-111, T-112). */
#define AES_ROUND(n, x, k0, k1, key, pin)                                                                              \
  do {                                                                                                                 \
    k1 = key;                                                                                                          \
    EACH(i, n, x[i] = v_aes_round(x[i], k0, k1); pin(x[i]));                                                           \
    k0 = k1;                                                                                                           \
  } while (0)
#define AES_XOR(n, x, d, keys, rounds, skip, left, held, first)                                                        \
  do {                                                                                                                 \
    const uint8_t *p_ = (keys) + 16 * (skip);                                                                          \
    v_t k0_ = v_bcast_mem(p_), k1_;                                                                                    \
    for (unsigned r_ = (rounds) - (unsigned)(skip) - (unsigned)(left); r_; r_ -= 2)                                    \
      EACH(t_, 2, AES_ROUND(n, x, k0_, k1_, v_bcast_mem(p_ += 16), (void)));                                           \
    EACH(t_, (held) && (first) ? (left) : 0, (held)[t_] = v_bcast_mem(p_ + 16 + 16 * t_));                             \
    EACH(t_, (held) ? (left)-1 : 0, AES_ROUND(n, x, k0_, k1_, (held)[t_], (void)));                                    \
    _Pragma("GCC unroll 9") for (int r_ = (held) ? 1 : (left); --r_;)                                                  \
        AES_ROUND(n, x, k0_, k1_, v_bcast_mem(p_ += 16), (void));                                                      \
    k1_ = (held) ? (held)[(left)-1] : v_bcast_mem(p_ + 16);                                                            \
    EACH(i, n, x[i] = v_aes_last_xor(x[i], k0_, k1_, d));                                                              \
  } while (0)
