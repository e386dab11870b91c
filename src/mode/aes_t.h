/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: AES (FIPS 197 5.1, 5.3), for all modes: the rounds of n vectors side by side, and of n blocks. Round keys
 * as key_t.h leaves them. Parameter: VECTOR_BLOCKS, blocks in a vector. Needs v_ and b_ operations of the instruction
 * set.
 *
 * Each vector is a variable x[i] of an array that EACH (isa.h) walks, so that it stays in a register, and all of them
 * go through a round before the next begins: the instruction of a round takes its time, and several vectors are under
 * way in it ("in flight"). n and the direction are constants.
 *
 * v_aes_round(x, k0, k1) is the round between round keys k0 and k1; x86 and POWER add k1 at its end, Arm adds k0 at its
 * start (ops_arm.h). A state of Arm therefore has not the last round key yet that is spoken of here.
 */

/* ---------------------------------------------------------------- one round */

INLINE v_t v_round(v_t a, v_t k0, v_t k1, const enum direction dir) {
  return dir == ENCRYPT ? v_aes_round(a, k0, k1) : v_aesd_round(a, k0, k1);
}
INLINE v_t v_round_last(v_t a, v_t k0, v_t k1, const enum direction dir) {
  return dir == ENCRYPT ? v_aes_last(a, k0, k1) : v_aesd_last(a, k0, k1);
}
INLINE b_t b_round(b_t a, b_t k0, b_t k1, const enum direction dir) {
  return dir == ENCRYPT ? b_aes_round(a, k0, k1) : b_aesd_round(a, k0, k1);
}
INLINE b_t b_round_last(b_t a, b_t k0, b_t k1, const enum direction dir) {
  return dir == ENCRYPT ? b_aes_last(a, k0, k1) : b_aesd_last(a, k0, k1);
}

/* Whether the compiler may move a round's vectors: PIN (isa.h) holds those of GCM's passes, among which multiplies
 * stand; MODE_PIN those of the other modes, though PIN may be nothing. */
enum pins { NO_PINS, PASS_PINS, MODE_PINS };
#if PIN_MODES && !PIN_GCM
#define MODE_PIN(v) __asm__ volatile("" : "+" VECTOR_REG(v))
#else
#define MODE_PIN(v) PIN(v)
#endif
/* A round of x[0 .. n-1]. k: the round key before, which becomes key. */
INLINE void aes_round(v_t *x, v_t *k, v_t key, const int n, const enum direction dir, const enum pins pins) {
  EACH(i, n, {
    x[i] = v_round(x[i], *k, key, dir);
    if (pins == PASS_PINS)
      PIN(x[i]);
    if (pins == MODE_PINS)
      MODE_PIN(x[i]);
  });
  *k = key;
}

/* ---------------------------------------------------------------- vectors, for GCM */

/* Rounds of n vectors that have the round key at rk already, of `rounds` to come, all but the last `written_out`. k
 * becomes the round key that they have then, rk its place. written_out is even, as all numbers of rounds are.
 * A loop of two a turn that counts down has fewer instructions than one of one a turn that counts up (T-110; two
 * branches, a loop over all: T-111, T-112). */
INLINE void aes_loop(v_t *x, v_t *k, const uint8_t **rk, unsigned rounds, const unsigned written_out, const int n) {
  *k = v_bcast_mem(*rk);
  for (unsigned r = rounds - written_out; r; r -= 2)
    EACH(i, 2, *rk += 16; aes_round(x, k, v_bcast_mem(*rk), n, ENCRYPT, NO_PINS));
}
/* The same, and after the loop those that are written out, but for the very last round. */
INLINE void aes_to_last(v_t *x, v_t *k, const uint8_t **rk, unsigned rounds, const unsigned written_out, const int n) {
  aes_loop(x, k, rk, rounds, written_out, n);
  _Pragma("GCC unroll 9") for (unsigned r = written_out; --r;) {
    *rk += 16;
    aes_round(x, k, v_bcast_mem(*rk), n, ENCRYPT, NO_PINS);
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

/* ---------------------------------------------------------------- vectors, for the other modes */

/* A round with the key after *rk, which moves on to it. */
INLINE void aes_next_round(v_t *x, v_t *k, const uint8_t **rk, const int n, const enum direction dir) {
  *rk += 16;
  aes_round(x, k, v_bcast_mem(*rk), n, dir, MODE_PINS);
}
/* The rounds that only longer keys have. */
INLINE void aes_extra_rounds(v_t *x, v_t *k, const uint8_t **rk, unsigned rounds, const int n,
                             const enum direction dir) {
  for (unsigned r = 10; r < rounds; r += 2)
    EACH(i, 2, aes_next_round(x, k, rk, n, dir));
}
/* The last seven of aes_middle_rounds. */
INLINE void aes_last_seven(v_t *x, v_t *k, const uint8_t **rk, const int n, const enum direction dir) {
  EACH(i, 7, aes_next_round(x, k, rk, n, dir));
  *rk += 16;
}
/* Rounds 1 .. rounds-1 of x[0 .. n-1], all but the last; of these the last nine are written out. k: the first round
 * key, which x has been through v_aes_first with; becomes the last but one. rk: the round keys; becomes the place of
 * the last one. */
INLINE void aes_middle_rounds(v_t *x, v_t *k, const uint8_t **rk, unsigned rounds, const int n,
                              const enum direction dir) {
  aes_extra_rounds(x, k, rk, rounds, n, dir);
  EACH(i, 2, aes_next_round(x, k, rk, n, dir));
  aes_last_seven(x, k, rk, n, dir);
}

/* ---------------------------------------------------------------- blocks */

/* The same for n blocks, each in a register of 128 bits; and for one. Calls for one have a way of their own (QUIC's
 * header protection, the end of a CTR text), with a small frame and where there are masks half of the registers to
 * clear (T-144). */
INLINE void b_next_round(b_t *x, b_t *k, const uint8_t **rk, const int n, const enum direction dir) {
  *rk += 16;
  b_t key = b_load(*rk);
  EACH(i, n, x[i] = b_round(x[i], *k, key, dir));
  *k = key;
}
INLINE void b_middle_rounds_n(b_t *x, b_t *k, const uint8_t **rk, unsigned rounds, const int n,
                              const enum direction dir) {
  for (unsigned r = 10; r < rounds; r += 2)
    EACH(i, 2, b_next_round(x, k, rk, n, dir));
  EACH(i, 9, b_next_round(x, k, rk, n, dir));
  *rk += 16;
}
INLINE void b_middle_rounds(b_t *x, b_t *k, const uint8_t **rk, unsigned rounds, const enum direction dir) {
  b_middle_rounds_n(x, k, rk, rounds, 1, dir);
}
/* The same in a loop, where code has to be small: rounds-1 rounds of n blocks, which have the round key at rk
 * already. */
INLINE void b_loop(b_t *x, b_t *k, const uint8_t **rk, unsigned rounds, const int n, const enum direction dir) {
  b_t k0 = b_load(*rk), k1;
  const uint8_t *at = *rk;
  for (const uint8_t *end = at + 16 * rounds; (at += 16) != end; k0 = k1) {
    k1 = b_load(at);
    EACH(i, n, x[i] = b_round(x[i], k0, k1, dir));
  }
  *k = k0;
  *rk = at;
}
/* The last n rounds of a block, which has the round key at rk already; and one block encrypted. */
INLINE b_t b_rounds(b_t a, const uint8_t *rk, unsigned n) {
  b_t x[9] = {a}, k; /* 9: what EACH can reach */
  b_loop(x, &k, &rk, n, 1, ENCRYPT);
  return b_aes_last(x[0], k, b_load(rk));
}
INLINE b_t b_encrypt(b_t a, const uint8_t *rk, unsigned rounds) {
  return b_rounds(b_aes_first(a, b_load(rk)), rk, rounds);
}
