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

/* A round of n vectors, n a constant; k: the round key before, which becomes key. */
INLINE void aes_round(v_t *x, v_t *k, v_t key, const int n) {
  EACH(i, n, x[i] = v_aes_round(x[i], *k, key));
  *k = key;
}
/* Rounds of n vectors that have the round key at rk already, of `rounds` to come, all but the last `written_out`. k
 * becomes the round key that they have then, rk its place. written_out is even, as all numbers of rounds are.
 * A loop of two a turn that counts down has fewer instructions than one of one a turn that counts up (T-110; two
 * branches, a loop over all: T-111, T-112). */
INLINE void aes_loop(v_t *x, v_t *k, const uint8_t **rk, unsigned rounds, const unsigned written_out, const int n) {
  *k = v_bcast_mem(*rk);
  for (unsigned r = rounds - written_out; r; r -= 2)
    EACH(i, 2, *rk += 16; aes_round(x, k, v_bcast_mem(*rk), n));
}
/* The same, and behind the loop those that are written out, but for the very last round. */
INLINE void aes_to_last(v_t *x, v_t *k, const uint8_t **rk, unsigned rounds, const unsigned written_out, const int n) {
  aes_loop(x, k, rk, rounds, written_out, n);
  _Pragma("GCC unroll 9") for (unsigned r = written_out; --r;) {
    *rk += 16;
    aes_round(x, k, v_bcast_mem(*rk), n);
  }
}
/* x[i] becomes d[i], or if d is NULL zeros, plus the keystream of the counters x[i]. The round keys come from memory,
 * each loaded once. */
INLINE void aes_xor(v_t *x, const v_t *d, const uint8_t *rk, unsigned rounds, const unsigned written_out, const int n) {
  v_t k;
  aes_to_last(x, &k, &rk, rounds, written_out, n);
  v_t last = v_bcast_mem(rk + 16);
  EACH(i, n, x[i] = v_aes_last_xor(x[i], k, last, d ? d[i] : v_zero()));
}
