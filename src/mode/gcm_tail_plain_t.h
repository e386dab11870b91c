/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: a tail without masks, included by gcm_tail_t.h. Groups are as large as registers allow. Text is handled
 * after the AES of all their vectors, vector by vector, in code that all sizes share: a core that looks ahead one
 * group at most has no other in its AES units (T-055 to T-057).
 *
 * The time of a short message is that of its instructions, so this code keeps no variable but those it is given: each
 * would be a register to save. Vectors that nobody looks at have UNDEFINED_VALUE (T-061).
 */
/* A vector of text, or its last n bytes: x is the keystream. Ciphertext goes into the sum.
 * PORT: without the pins gcc works on several vectors at a time, and then has a register too few. */
INLINE void tail_text(tail_t *tail, const struct text *t, v_t x, size_t n, const enum direction dir) {
  v_t text = n == VECTOR_BYTES ? v_load(t->in) : v_load_part(t->in, n), made = v_xor(x, text);
  if (n == VECTOR_BYTES)
    v_store(t->out, made);
  else
    v_store_part(t->out, made, n);
  v_t cipher = text;
  if (dir == ENCRYPT)
    cipher = n == VECTOR_BYTES ? made : v_keep(made, n);
  sum_add(&tail->s, v_bswap(cipher), tail->pow);
  tail->pow += VECTOR_BYTES;
  PIN(tail->s.lo);
  PIN(tail->s.mid);
  PIN(tail->s.hi);
}
/* x[LAST_PLACE] always holds the last vector of the group's keystream, however many vectors there are: its last lane is
 * E(J0), or it is the seventh vector of text. A fixed place keeps it in one register for groups of all sizes. */
enum { LAST_PLACE = GROUP_VECTORS - 1 };
/* The keystream of c vectors into x; if j0 the last block of the last vector is E(J0). With one block a vector J0 fills
 * that vector: v_with_last drops the row, and compilers its load.
 * J0 goes to its lane from memory: from a register that is a shuffle, and AES would wait for it (v_nonce_first, T-058).
 * All rounds are written out for up to two vectors, or four of two blocks (T-059, T-060). */
INLINE void group_keystream(const tail_t *tail, const struct rijn_gcm *k, v_t *x, const int c, const int j0) {
  const unsigned written_out = c > 2 * VECTOR_BLOCKS ? 2 : 10; /* rounds; the others are a loop */
  v_t y[9];
  EACH(i, c, y[i] = v_xor(tail->base, v_load(tail->row + VECTOR_BLOCKS * i)));
  if (j0)
    y[c - 1] = v_xor(tail->base, v_with_last(v_load(tail->row + VECTOR_BLOCKS * (c - 1)), j0_row()));
  aes_xor(y, NULL, k->rk.b, k->rounds, written_out, c);
  EACH(i, VECTOR_BLOCKS == 1 ? c - 1 : c, x[i] = y[i]); /* with one block a vector, J0's vector holds no text */
  x[LAST_PLACE] = y[c - 1];
}
/* The keystream of a group: of the fewest vectors that have room for what is left and for J0, or of all. */
INLINE void tail_keystream(const tail_t *tail, const struct rijn_gcm *k, v_t *x, uint32_t left) {
  EACH(i, GROUP_VECTORS, UNDEFINED_VALUE(x[i]));
  EACH(i, GROUP_VECTORS, {
    if (i + 1 == GROUP_VECTORS || left <= (uint32_t)GROUP_ROOM(i + 1)) {
      group_keystream(tail, k, x, i + 1, i + 1 < GROUP_VECTORS || left <= LAST_ROOM);
      return;
    }
  });
}
/* If a message's last group has no room for both the end of the text and J0: is J0 encrypted alone, not in one more
 * group? It is where an encryption gains by it, whose hash waits for the keystream (T-270). */
#define J0_GOES_ALONE(dir) (J0_ALONE && (dir) == ENCRYPT)
/* The whole vectors of text of a group. Returns 1 if the message ends in this group: x[0] is then the keystream of the
 * last, partial vector. Returns 0 if another group must follow, for one of two reasons. Either all vectors were text:
 * row has moved on by the last of them. Or the last vector has the end of the text and no lane for J0: its keystream is
 * dropped, row has not moved, and the next group makes that keystream again, with J0. In both cases the caller moves
 * row on by the vectors before the last.
 * PORT: the pins: with two exits gcc computes all positions beforehand, in registers that it has to save (T-305). */
INLINE int tail_whole(tail_t *tail, struct text *t, v_t *x, const enum direction dir) {
  EACH(i, GROUP_VECTORS, {
    x[0] = x[i];
    if ((uint32_t)t->left < VECTOR_BYTES)
      return J0_GOES_ALONE(dir) || i + 1 < GROUP_VECTORS || (uint32_t)t->left <= (uint32_t)GROUP_ROOM(1);
    tail_text(tail, t, x[0], VECTOR_BYTES, dir);
    text_skip(t, VECTOR_BYTES);
    if (J0_GOES_ALONE(dir))
      __asm__("" : "+r"(t->left), "+r"(t->in), "+r"(t->out));
  });
  if (J0_GOES_ALONE(dir))
    __asm__("" : "+r"(tail->pow));
  tail->row += VECTOR_BLOCKS;
  return 0;
}
/* Hashes the last pass, while the AES of the group just begun runs (T-062). */
INLINE void tail_last_pass(tail_t *tail, const uint8_t *out) {
  _Pragma("GCC unroll 1") for (size_t i = PASS; i; i -= VECTOR_BYTES)
      sum_add(&tail->s, v_bswap(v_load(out - i)), tail->pow - i);
}
INLINE b_t tail_end(tail_t *tail, const struct rijn_gcm *k, struct text *t, size_t packed, const enum direction dir) {
  v_t x[9];
  tail->pow = sum_powers(k, left_bytes(packed));
  for (;; packed = t->left) { /* what is left with this group; after the first nothing is deferred */
    PIN(tail->base);          /* PORT: else gcc keeps its sum with J0, on the stack */
    tail_keystream(tail, k, x, (uint32_t)packed);
    if (dir == ENCRYPT && left_deferred(packed) == LAST_PASS)
      tail_last_pass(tail, t->out);
    if (tail_whole(tail, t, x, dir))
      break;
    tail->row += VECTOR_BLOCKS * LAST_PLACE; /* as many vectors are before the last */
  }
  if (J0_GOES_ALONE(dir) && __builtin_expect((uint32_t)packed > LAST_ROOM, 0)) /* the text's end left J0 no room */
    x[LAST_PLACE] = v_with_last(v_zero(), j0_alone(tail, k));
  if (t->left)
    tail_text(tail, t, x[0], t->left, dir);
  return v_fold128(v_xor_last(v_bswap(gf_reduce(tail->s)), x[LAST_PLACE]));
}
