/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: a tail with masks, included by gcm_tail_t.h. All groups but the last are full: FULL_VECTORS vectors of
 * text. The last has from GROUP_LEAST to GROUP_VECTORS vectors, and J0.
 *
 * In encryption a full group is hashed behind the AES of the next: its ciphertext is ready by then, and its multiplies
 * do not fill the scheduler while they wait for it (T-035). If GROUPS_JOINED, the last groups of all sizes join behind
 * their AES, and what multiplies comes once. There the last full group is hashed first, which reads its ciphertext back
 * from `out` (T-036; in registers, in one function, or for passes: T-037 to T-039).
 * Other shapes of the loop in tail_groups lose (T-040 to T-043).
 */
/* If GROUPS_JOINED: how many round keys, the last ones, full groups keep in registers (T-047 to T-049, T-294). */
enum { HELD_KEYS = 6 };
_Static_assert(HELD_KEYS % 2 == 0, "the loop of the other rounds goes by two");

/* A group under way. 9: what EACH can reach. */
typedef struct {
  v_t d[9]; /* its text, then its ciphertext, as it lies in memory */
  v_t x[9]; /* its counters, then its text plus keystream */
  /* The mask of the text's last bytes, if they fill no vector: one for all loads and stores, as AES wants the unit that
   * makes it (T-053). */
  v_mask_t part;
} group_t;

/* Has a sum got all the blocks that its powers reach? */
INLINE int sum_is_full(const tail_t *tail, const struct rijn_gcm *k) { return tail->pow == sum_powers(k, 0); }
/* The next sum, with n bytes left. It begins with the result of the one before, times H as often as this one has blocks
 * of text. The factor H more, for the lengths, is in that result already: in each sum the last block has H^2. Called
 * behind the AES of a group, which then has not to wait (T-050, T-051). */
INLINE void sum_next(tail_t *tail, const struct rijn_gcm *k, size_t n) {
  v_t before = gf_reduce(tail->s);
  tail->pow = sum_powers(k, sum_bytes(n));
  tail->s = sum_bytes(n) == n ? tail->last : gf_zero();
  gf_mul_add(&tail->s, before, v_bcast_mem(tail->pow + 16), v_bcast_mem(tail->pow + 16 + POW_AUX));
}

/* Vectors d[i - 1] and d[i] of ciphertext go into the sum, in one step. (i > 0): copies that never run must not name
 * d[-1]. */
INLINE void hash_two(tail_t *tail, const v_t *d, const int i) {
  const uint8_t *p = tail->pow + VECTOR_BYTES * i;
  gf_mul_add2(&tail->s, d[i - (i > 0)], v_load(p - VECTOR_BYTES), v_load(p - VECTOR_BYTES + POW_AUX), d[i], v_load(p),
              v_load(p + POW_AUX));
}
/* c vectors of ciphertext, as they lie in memory, go into the sum. */
INLINE void hash_group(tail_t *tail, v_t *d, const int c) {
  EACH(i, c, {
    d[i] = v_bswap(d[i]);
    if (i % 2 == 1)
      hash_two(tail, d, i);
    else if (i == c - 1)
      sum_add(&tail->s, d[i], tail->pow + VECTOR_BYTES * i);
  });
}
/* A full group goes into the sum; n bytes are left with it. */
INLINE void tail_hash(tail_t *tail, const struct rijn_gcm *k, v_t *d, size_t n) {
  if (ONE_CALL_BYTES > SUM_REACH && __builtin_expect(sum_is_full(tail, k), 0))
    sum_next(tail, k, n);
  hash_group(tail, d, FULL_VECTORS);
  tail->pow += FULL_BYTES;
}

/* Is vector i of the last group, of c, full of text, so that it needs no mask? n bytes are left. */
INLINE int vector_whole(const int i, const int c, size_t n) {
  return i < c - 2 || (i == c - 2 && n >= VECTOR_BYTES * (size_t)(c - 1));
}
/* Has the last vector of the last group any text? If not, nothing is loaded or stored: an empty mask at an address
 * without a page is slow (T-008). */
INLINE int last_has_text(const int c, size_t n) {
  return c == 1 ? (int)__builtin_expect(n > 0, 1) : n > VECTOR_BYTES * (size_t)(c - 1);
}

/* All rounds of a full group, and its text. Written out are the rounds whose keys stay in registers, or as many where
 * passes are long (T-052); else all. */
INLINE void full_rounds(tail_t *tail, const struct rijn_gcm *k, group_t *q, const int first) {
  const uint8_t *rk = k->rk.b;
  v_t key;
  if (!GROUPS_JOINED) {
    aes_xor(q->x, q->d, rk, k->rounds, GROUPS_LOOP ? HELD_KEYS : 10, FULL_VECTORS);
    return;
  }
  aes_loop(q->x, &key, &rk, k->rounds, HELD_KEYS, FULL_VECTORS);
  if (first)
    EACH(i, HELD_KEYS, tail->held[i] = v_bcast_mem(rk + 16 + 16 * i));
  EACH(i, HELD_KEYS - 1, aes_round(q->x, &key, tail->held[i], FULL_VECTORS, ENCRYPT, NO_PINS));
  EACH(i, FULL_VECTORS, q->x[i] = v_aes_last_xor(q->x[i], key, tail->held[HELD_KEYS - 1], q->d[i]));
}
/* A full group: its text goes through, ciphertext is in q->d. first: no group was before. */
INLINE void tail_full_group(tail_t *tail, const struct rijn_gcm *k, struct text *t, group_t *q, const int first,
                            const enum direction dir) {
  EACH(i, FULL_VECTORS, q->x[i] = v_xor(tail->base, v_load(tail->row + VECTOR_BLOCKS * i)));
  EACH(i, FULL_VECTORS, q->d[i] = v_load(t->in + VECTOR_BYTES * i));
  full_rounds(tail, k, q, first);
  EACH(i, FULL_VECTORS, {
    if (dir == ENCRYPT)
      q->d[i] = q->x[i];
    v_store(t->out + VECTOR_BYTES * i, q->x[i]);
  });
  tail->row += VECTOR_BLOCKS * FULL_VECTORS;
  text_skip(t, FULL_BYTES);
}

/* Text of the last group, of c vectors: whole vectors, and one by its mask. If MASK_EARLY the mask is made
 * before the test that needs it (T-054, T-293). */
INLINE void last_load(const struct text *t, group_t *q, const int c) {
  const size_t n = t->left;
  q->part = MASK_EARLY && (GROUP_LEAST == 1 || c % 2 == 0) ? V_MASK(n % VECTOR_BYTES) : 0;
  EACH(i, c, {
    q->d[i] = v_zero();
    if (vector_whole(i, c, n)) {
      q->d[i] = v_load(t->in + VECTOR_BYTES * i);
    } else if (i < c - 1 || last_has_text(c, n)) {
      q->part = V_MASK(n % VECTOR_BYTES);
      q->d[i] = v_load_mask(t->in + VECTOR_BYTES * i, q->part);
    }
  });
}
/* Vector i of them goes out; q->d[i] becomes its ciphertext. */
INLINE void last_store(const struct text *t, group_t *q, const int c, const int i, const enum direction dir) {
  uint8_t *out = t->out + VECTOR_BYTES * i;
  if (vector_whole(i, c, t->left)) {
    v_store(out, q->x[i]);
    q->d[i] = dir == ENCRYPT ? q->x[i] : q->d[i];
  } else {
    v_store_mask(out, q->x[i], q->part);
    q->d[i] = dir == ENCRYPT ? v_keep_mask(q->x[i], q->part) : q->d[i];
  }
}
/* The last group, of c vectors: all that is left, and J0. Ciphertext goes into the sum as well, unless GROUPS_JOINED:
 * in pairs; but the last vector, and its neighbour if c is even, goes alone, because the last may have no text.
 * Returns the last vector of keystream, of which E(J0) is the last lane. */
INLINE v_t tail_last_group(tail_t *tail, const struct rijn_gcm *k, const struct text *t, group_t *q, const int c,
                           const enum direction dir) {
  EACH(i, c, {
    v_t ctr = v_load(tail->row + VECTOR_BLOCKS * i);
    q->x[i] = v_xor(tail->base, i == c - 1 ? v_with_last(ctr, j0_row()) : ctr);
  });
  last_load(t, q, c);
  aes_xor(q->x, q->d, k->rk.b, k->rounds, 10, c);
  EACH(i, c, {
    if (i < c - 1 || last_has_text(c, t->left)) {
      last_store(t, q, c, i, dir);
      if (!GROUPS_JOINED) {
        q->d[i] = v_bswap(q->d[i]);
        if (i % 2 == 1 && i != c - 1)
          hash_two(tail, q->d, i);
        else if (i >= c - 2 + c % 2)
          sum_add(&tail->s, q->d[i], tail->pow + VECTOR_BYTES * i);
      }
    }
  });
  return q->x[c - 1];
}
/* The smallest last group that has room for what is left. */
INLINE v_t tail_last_groups(tail_t *tail, const struct rijn_gcm *k, const struct text *t, group_t *q,
                            const enum direction dir) {
  if (t->left <= GROUP_ROOM(GROUP_LEAST))
    return tail_last_group(tail, k, t, q, GROUP_LEAST, dir);
  if (t->left <= GROUP_ROOM(GROUP_LEAST + 1))
    return tail_last_group(tail, k, t, q, GROUP_LEAST + 1, dir);
  if (t->left <= GROUP_ROOM(GROUP_LEAST + 2))
    return tail_last_group(tail, k, t, q, GROUP_LEAST + 2, dir);
  return tail_last_group(tail, k, t, q, GROUP_VECTORS, dir);
}

#if GROUPS_JOINED
/* The full group before the last one, which is read back, goes into the sum.
 * PORT: not by hash_group, because clang has too few registers when all are loaded first. */
INLINE void tail_deferred_group(tail_t *tail, const uint8_t *out) {
  v_t w[9];
  tail->pow -= FULL_BYTES;
  EACH(i, FULL_VECTORS, {
    w[i] = v_bswap(v_load(out - FULL_BYTES + VECTOR_BYTES * i));
    if (i % 2 == 1)
      hash_two(tail, w, i);
    else if (i == FULL_VECTORS - 1)
      sum_add(&tail->s, w[i], tail->pow + VECTOR_BYTES * i);
  });
  tail->pow += FULL_BYTES;
}
/* The last group goes into the sum, whatever its size: n bytes. */
INLINE void tail_last_hash(tail_t *tail, v_t *d, size_t n) {
  EACH(i, GROUP_VECTORS, {
    const uint8_t *before = tail->pow + VECTOR_BYTES * (i - (i > 0));
    if (n > VECTOR_BYTES * i || (i % 2 == 0 && i < GROUP_VECTORS - 1)) {
      d[i] = v_bswap(d[i]);
      if (i % 2 == 1)
        hash_two(tail, d, i);
      else if (i == GROUP_VECTORS - 1)
        sum_add(&tail->s, d[i], tail->pow + VECTOR_BYTES * i);
    } else if (i % 2 == 1 && n > VECTOR_BYTES * (i - 1)) {
      sum_add(&tail->s, d[i - (i > 0)], before);
    }
  });
}
/* J0 goes by itself where no text is left beside it (T-033); elsewhere that loses (T-032, T-034). */
INLINE b_t tail_end(tail_t *tail, const struct rijn_gcm *k, struct text *t, size_t packed, const enum direction dir) {
  group_t q;
  v_t end;
  tail->pow = sum_powers(k, t->left);
  EACH(i, GROUP_VECTORS, q.d[i] = v_zero());
  if (__builtin_expect(!t->left, 0))
    end = v_with_last(v_zero(), j0_alone(tail, k));
  else
    end = tail_last_groups(tail, k, t, &q, dir);
  __asm__("" : "+r"(t->left)); /* PORT: else gcc makes a copy of all below for each group above */
  if (dir == ENCRYPT && left_deferred(packed) == LAST_GROUP)
    tail_deferred_group(tail, t->out);
  tail_last_hash(tail, q.d, t->left);
  return v_fold128(v_xor_last(v_bswap(gf_reduce(tail->s)), end));
}
#else
INLINE b_t tail_end(tail_t *tail, const struct rijn_gcm *k, struct text *t, size_t packed, const enum direction dir) {
  group_t q;
  (void)packed;
  tail->pow = sum_powers(k, t->left);
  v_t end = tail_last_groups(tail, k, t, &q, dir);
  return v_fold128(v_xor_last(v_bswap(gf_reduce(tail->s)), end));
}
#endif

/* Of several sums, the last lane of what is known at the start, which has the lengths, is for the last of them. */
INLINE void sum_first(tail_t *tail) {
  const sum_t all = tail->s;
  v_t zero = v_zero();
  tail->last = (sum_t){v_xor_last(zero, all.lo), v_xor_last(zero, all.mid), v_xor_last(zero, all.hi)};
  tail->s = (sum_t){v_xor(all.lo, tail->last.lo), v_xor(all.mid, tail->last.mid), v_xor(all.hi, tail->last.hi)};
}
/* All full groups of a tail of more than LAST_ROOM bytes. Returns what the last group has to hash beside its own. */
INLINE enum deferred tail_groups(tail_t *tail, const struct rijn_gcm *k, struct text *t, const enum direction dir) {
  group_t q;
  v_t waits[9]; /* the ciphertext of the group before, if this is an encryption */
  tail->pow = sum_powers(k, sum_bytes(t->left));
  if (POWERS_AHEAD && t->left >= 2 * FULL_BYTES)
    powers_ahead(k, tail->pow);
  if (sum_bytes(t->left) != t->left)
    sum_first(tail);
  for (int first = 1;; first = 0) {
    const int more = t->left > LAST_ROOM || (GROUPS_JOINED && dir == ENCRYPT && t->left == FULL_BYTES);
    if (more)
      tail_full_group(tail, k, t, &q, first, dir);
    if (dir == DECRYPT && more)
      tail_hash(tail, k, q.d, t->left + FULL_BYTES);
    if (dir == ENCRYPT && !more && GROUPS_JOINED && t->left && !sum_is_full(tail, k))
      return LAST_GROUP;
    if (dir == ENCRYPT && !first)
      tail_hash(tail, k, waits, t->left + (size_t)(more ? 2 : 1) * FULL_BYTES);
    if (!more)
      return NOTHING;
    EACH(i, FULL_VECTORS, waits[i] = q.d[i]);
  }
}
