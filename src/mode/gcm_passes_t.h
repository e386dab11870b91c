/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: the passes of GCM (SP 800-38D 6.4, 6.5), included by gcm_t.h, which has the parameters and the words. A
 * pass is P blocks through AES; between its rounds stand the multiplies of P blocks of ciphertext:
 *
 *     encryption    AES     1    2    3    ..    n
 *                   hash         1    2    ..    n-1     and n at the end (passes_last_hash) or under the tail's AES
 *     decryption    AES     1    2    3    ..    n
 *                   hash    1    2    3    ..    n
 *
 * Both directions run the same code: the hash is told where the ciphertext is. The lanes of a vector are hashed side by
 * side, as ghash_t.h has it: a vector is multiplied by one power, which all lanes share (by consecutive ones, if
 * KEEP_LANES).
 *
 * Where ONE_LOOP is 1 one loop asks each pass whether there is a table (table_t.h), and has the states after round
 * 2 either way: less code, and no slower (T-070). With fast multiplies it is slower, and there are two loops (T-071,
 * T-072).
 */

/* A pass under way. */
typedef struct {
  v_t x[9]; /* its counters, states, and at last its text plus keystream; 9: what EACH can reach */
  v_t key;  /* the round key of the round before */
  const uint8_t
      *rk; /* the round keys from that of the pass's first round here; moves past those that only longer keys have */
  const uint8_t *hashed; /* the ciphertext that is hashed under it, unless KEEP_TEXT */
} pass_t;

#if !HASH_PAIRS
/* The multiplies of a pass are cut into steps: 2 a vector, 2 for the reduction. GCM_DEFER passes share a reduction: the
 * first of them takes the powers from H^(GCM_DEFER * P) down, which begin at HP_FIRST, the last those from H^P down, at
 * HP_LAST. */
enum { STITCH_STEPS = 2 * PASS_VECTORS + 2, HP_FIRST = N_POW - GCM_DEFER * P_BLOCKS, HP_LAST = N_POW - P_BLOCKS };
typedef struct {
  v_t x, even, lo, hi, pow; /* even: x of the vector before */
} stitch_t;
/* The first step of vector j: its two outer products. They are added two by two, which is one operation where there is
 * ternary logic. */
INLINE void stitch_outer(gcm_t *g, stitch_t *t, const struct rijn_hpow *h, const uint8_t *p, const int j) {
  sum_t *s = &g->s;
  const size_t hp = GCM_DEFER > 1 ? g->hp : HP_LAST;
  if (j % 2 == 1)
    t->even = t->x;
  t->x = v_bswap(KEEP_TEXT ? g->kept[j] : v_load(p + VECTOR_BYTES * j));
  if (j == 0)
    t->x = v_xor(t->x, g->acc);
  t->pow = gf_load_lanes(h->pow[hp + (size_t)(VECTOR_BLOCKS * j)]);
  v_t lo = v_gf_lo(t->x, t->pow), hi = v_gf_hi(t->x, t->pow);
  if (!GF_HAS_AUX && j % 2 == 0) {
    t->lo = lo;
    t->hi = hi;
    PIN(t->lo);
    PIN(t->hi);
  } else {
    s->lo = GF_HAS_AUX ? v_xor(s->lo, lo) : v_xor3(s->lo, t->lo, lo);
    s->hi = GF_HAS_AUX ? v_xor(s->hi, hi) : v_xor3(s->hi, t->hi, hi);
    PIN(s->lo);
    PIN(s->hi);
  }
}
/* The second: the middle term, if GF_HAS_PAIRS that of two vectors with the second of them. */
INLINE void stitch_middle(gcm_t *g, stitch_t *t, const struct rijn_hpow *h, const int j) {
  const size_t hp = GCM_DEFER > 1 ? g->hp : HP_LAST;
  if (!GF_HAS_PAIRS)
    g->s.mid =
        gf_mid_add(g->s.mid, t->x, t->pow, GF_HAS_AUX ? v_bcast_mem(h->aux[hp + (size_t)(VECTOR_BLOCKS * j)]) : t->x);
  else if (j % 2 == 1)
    g->s.mid = gf_mid_add2(g->s.mid, v_halves2(t->even, t->x), gf_load_lanes(gf_halves_pair(h, hp, (size_t)j / 2)));
  PIN(g->s.mid);
}
/* The two steps behind all vectors: the reduction, or where it has to wait, the turn to the next pass's powers. */
INLINE void stitch_end(gcm_t *g, const int second) {
  if (GCM_DEFER > 1 && g->hp != HP_LAST) {
    g->acc = v_zero();
    g->hp += second ? P_BLOCKS : 0;
  } else if (!second) {
    g->s.mid = gf_reduce_mid(g->s);
    PIN(g->s.mid);
  } else {
    g->acc = gf_join_lanes(v_gf_fold_add(g->s.hi, g->s.mid));
    PIN(g->acc);
    g->s = gf_zero();
    g->hp = HP_FIRST;
  }
}
#endif
/* Step `step` of the multiplies of a pass whose ciphertext is at p or kept. */
INLINE void gcm_stitch(gcm_t *g, stitch_t *t, const struct rijn_hpow *h, const uint8_t *p, const int step) {
#if HASH_PAIRS
  pairs_stitch(t, &g->acc, h, p, step);
#else
  if (step >= 2 * PASS_VECTORS)
    stitch_end(g, step % 2);
  else if (step % 2 == 0)
    stitch_outer(g, t, h, p, step / 2);
  else
    stitch_middle(g, t, h, step / 2);
#endif
}

/* Rounds that are done when a pass's states are made. */
enum { STATES = COUNTER_PAGES ? 2 : 1 };
/* One round of all vectors of a pass. */
INLINE void pass_round(pass_t *p, v_t key) { aes_round(p->x, &p->key, key, PASS_VECTORS, ENCRYPT, PASS_PINS); }
/* The same where the order is the compiler's: in the rounds that make the states. */
INLINE void pass_round_free(pass_t *p, v_t key) { aes_round(p->x, &p->key, key, PASS_VECTORS, ENCRYPT, NO_PINS); }
/* The states of the pass after STATES rounds, from the call's table. turns: the pass reaches, or comes up, to the next
 * page. */
INLINE void states_of_table(gcm_t *g, pass_t *p, uint32_t low, const int turns) {
  const uint8_t *row = g->table + 16 * low;
  EACH(i, PASS_VECTORS, p->x[i] = v_xor(v_load(row + VECTOR_BYTES * i), g->delta));
  if (__builtin_expect(turns, 0))
    EACH(i, PASS_VECTORS, p->x[i] = v_xor_and(p->x[i], g->delta_step, v_load(TABLE_OVER(low) + VECTOR_BYTES * i)));
}
/* The same by the rounds. */
INLINE void states_by_rounds(gcm_t *g, const struct rijn_gcm *k, pass_t *p, const enum counters kind) {
  p->key = v_bcast_mem(k->rk.b);
  gcm_counters(g, p->x, PASS_VECTORS, kind, p->key);
  pass_round_free(p, v_bcast_mem(k->rk.b + 16));
  if (STATES == 2)
    pass_round_free(p, v_bcast_mem(k->rk.b + 32));
}
/* The states of a pass of the first page go into the call's table. */
INLINE void states_keep(gcm_t *g, const struct rijn_gcm *k, const pass_t *p, uint32_t low, const int turns) {
  uint8_t *row = g->table + 16 * low;
  if (!turns) {
    EACH(i, PASS_VECTORS, v_store(row + VECTOR_BYTES * i, p->x[i]));
  } else {
    g->delta_step = table_delta_step(k->rk.b, v_first(g->ctr), 0);
    EACH(
        i, PASS_VECTORS,
        v_store(row + VECTOR_BYTES * i, v_xor_and(p->x[i], g->delta_step, v_load(TABLE_OVER(low) + VECTOR_BYTES * i))));
    table_wrap(g->table);
  }
}
/* The states of the next P blocks after STATES rounds. Passes on the first page fill the call's table: kind is TABLED
 * then, or this is the first pass of an encryption (first), which is not in the loop of the others. */
INLINE void gcm_states(gcm_t *g, const struct rijn_gcm *k, pass_t *p, const enum counters kind, const int first) {
  const uint32_t low = (uint8_t)g->next;
  const int turns = low >= 256 - P_BLOCKS;
  const int fills = (kind == TABLED && g->next < 256) || (TABLE_FROM && first && g->table);
  if (kind == TABLED && !fills) {
    states_of_table(g, p, low, turns);
  } else {
    states_by_rounds(g, k, p, kind);
    if (fills)
      states_keep(g, k, p, low, turns);
  }
  g->next += P_BLOCKS;
  if (kind == TABLED && __builtin_expect(turns, 0)) {
    g->delta = v_xor(g->delta, g->delta_step);
    g->delta_step = table_delta_step(k->rk.b, v_first(g->ctr), g->next & ~UINT32_C(255));
  }
}

/* Round r (of AES-128's ten), and behind it its part of the multiplies: the steps stand behind the first rounds in
 * equal parts, `spread` of them. With 512-bit vectors these are not all, because additions share two ports with AES and
 * multiplies there (T-003). held: round keys are in registers. */
INLINE void pass_stitched(gcm_t *g, const struct rijn_hpow *h, pass_t *p, stitch_t *t, const int r, const int spread,
                          const int held) {
  const int from = STITCH_STEPS * (r - STATES - 1) / spread, to = STITCH_STEPS * (r - STATES) / spread;
  pass_round(p, held ? g->held[r - STATES - 1] : v_bcast_mem(p->rk + 16 * (r - STATES)));
  EACH(i, 9, {
    if (from + i < to && from + i < STITCH_STEPS)
      gcm_stitch(g, t, h, p->hashed, from + i);
  });
}
/* All rounds but the last, with multiplies between them. Those that only longer keys have stand in the middle, behind
 * round 5, and not before all (T-075). Two branches: a loop would cost register moves (T-076). */
INLINE void pass_rounds_hashing(gcm_t *g, const struct rijn_gcm *k, pass_t *p, const int spread, const int held) {
  stitch_t t;
  EACH(r, 4, {
    if (r + 2 > STATES)
      pass_stitched(g, &k->h, p, &t, r + 2, spread, held);
  });
  if (k->rounds > 10) {
    EACH(i, 2, pass_round(p, v_bcast_mem(p->rk + 16 * (6 - STATES + i))));
    p->rk += 32;
    if (k->rounds > 12) {
      EACH(i, 2, pass_round(p, v_bcast_mem(p->rk + 16 * (6 - STATES + i))));
      p->rk += 32;
    }
  }
  /* PORT: else gcc loads keys ahead of the branches, and then needs shuffles to broadcast them. */
  if (KEEP_TEXT)
    __asm__ volatile("" : "+r"(p->rk));
  EACH(r, 4, pass_stitched(g, &k->h, p, &t, r + 6, spread, held));
}
/* The same without. */
INLINE void pass_rounds(const struct rijn_gcm *k, pass_t *p) {
  for (const uint8_t *end = k->rk.b + 16 * k->rounds - 16; p->rk != end; p->rk += 16)
    pass_round(p, v_bcast_mem(p->rk + 16));
  p->rk -= 16 * (9 - STATES);
}
/* A pass: P blocks of in plus keystream to out. hash: is there ciphertext to be hashed under it? Only the first pass of
 * an encryption has none. */
INLINE void gcm_pass(gcm_t *g, const struct rijn_gcm *k, pass_t *p, struct text *t, const int hash,
                     const enum counters kind) {
  const int held = KEEP_LANES && hash && kind != SECRET;
  if (kind == TABLED)
    gcm_states(g, k, p, TABLED, 0);
  else
    gcm_states(g, k, p, kind == SECRET ? SECRET : PUBLIC, !hash);
  p->rk = k->rk.b + 16 * STATES;
  p->key = v_bcast_mem(p->rk);
  if (hash)
    pass_rounds_hashing(g, k, p, STITCHED(kind), held);
  else
    pass_rounds(k, p);
  v_t last = held ? g->held[9 - STATES] : v_bcast_mem(p->rk + 16 * (10 - STATES));
  v_t *made = KEEP_TEXT ? g->kept : p->x;
  EACH(i, PASS_VECTORS, {
    made[i] = v_aes_last_xor(p->x[i], p->key, last, v_load(t->in + VECTOR_BYTES * i));
    if (KEEP_TEXT)
      PIN(made[i]);
  });
  EACH(i, PASS_VECTORS, v_store(t->out + VECTOR_BYTES * i, made[i]));
  text_skip(t, PASS);
}

/* n passes. hashed: the ciphertext that the first of them hashes: of the pass before (encryption) or its own. */
INLINE void gcm_passes(gcm_t *g, const struct rijn_gcm *k, struct text text, const uint8_t *hashed, size_t n,
                       enum direction dir, const enum counters kind) {
  pass_t p = {.hashed = hashed};
  if (KEEP_TEXT && n)
    EACH(i, PASS_VECTORS, g->kept[i] = v_load(hashed + VECTOR_BYTES * i));
  for (; n; n--) {
    gcm_pass(g, k, &p, &text, 1, kind);
    p.hashed += PASS;
    if (KEEP_TEXT && dir == DECRYPT && n > 1)
      EACH(i, PASS_VECTORS, g->kept[i] = v_load(text.in + VECTOR_BYTES * i));
  }
}
/* If POWERS_AHEAD: a text with passes asks for its powers (powers_ahead in gcm_tail_t.h), in the order in which passes
 * read them: for the second-level cache alone, because the round keys, which are wanted first, would have to wait for
 * them (T-310). */
INLINE void passes_ahead(const struct rijn_gcm *k) {
  enum { NEAR_L2 = 2 };
  _Pragma("GCC unroll 8") for (size_t i = 0; i < RIJN_GCM_SIDES; i += VECTOR_BLOCKS) {
    __builtin_prefetch(k->h.pow[GF_FIRST_PAIR + 2 * i], 0, NEAR_L2);
    __builtin_prefetch(k->h.pow[GF_FIRST_PAIR + 2 * i + VECTOR_BLOCKS], 0, NEAR_L2);
    __builtin_prefetch(k->h.sides[i], 0, NEAR_L2);
  }
}
/* n passes are to come: with which powers does the first begin, so that the last of them has a reduction? */
INLINE size_t passes_powers(size_t n) { return N_POW - P_BLOCKS * (1 + (n + GCM_DEFER - 1) % GCM_DEFER); }
/* The loops for whole messages are functions of their own, because a loop has other needs for registers than what
 * stands around it (T-077). from.left: the bytes of these passes. ctr, acc: of gcm_t. They return the lanes' sums. */
INLINE v_t passes_loop(struct dst to, struct src from, uint8_t *table, enum direction dir, v_t ctr, v_t acc,
                       const enum counters kind) {
  const struct rijn_gcm *k = to.k;
  const size_t n = from.left / PASS;
  gcm_t g = {.ctr = ctr, .acc = acc, .s = gf_zero(), .hp = passes_powers(n), .table = table};
  g.delta = g.delta_step = v_zero();
  g.next = dir == ENCRYPT ? 2 + P_BLOCKS : 2;
  g.page = 0;
  g.stop = RIJN_COUNTERS - P_BLOCKS;
  EACH(i, KEEP_LANES ? 8 : 0, g.held[i] = v_bcast_mem(k->rk.b + 16 * (i < 3 ? i + 3u : k->rounds + i - 7ul)));
  const uint8_t *hashed = dir == ENCRYPT ? to.out - PASS : from.in;
  gcm_passes(&g, k, (struct text){to.out, from.in, 0}, hashed, n, dir, kind);
  return g.acc;
}
NOINLINE v_t gcm_passes_public(struct dst to, struct src from, uint8_t *table, enum direction dir, v_t ctr, v_t acc) {
  return passes_loop(to, from, table, dir, ctr, acc, TABLE_FROM && ONE_LOOP && table ? TABLED : PUBLIC);
}
NOINLINE v_t gcm_passes_tabled(struct dst to, struct src from, uint8_t *table, enum direction dir, v_t ctr, v_t acc) {
  return passes_loop(to, from, table, dir, ctr, acc, TABLED);
}

/* The last pass of an encryption goes into the sum, by consecutive powers. */
INLINE void passes_last_hash(gcm_t *g, const struct rijn_gcm *k, const uint8_t *pass) {
  _Pragma("GCC unroll 1") for (int j = 0; j < PASS_VECTORS; j++) {
    gf_mul_add_powers(&g->s, v_xor(v_bswap(v_load(pass + VECTOR_BYTES * j)), g->acc), &k->h, g->hp);
    g->hp += VECTOR_BLOCKS;
    g->acc = v_zero();
  }
}
/* All passes of a text: moves t on to what is left, and sets hp to the power of that. extra: blocks that are hashed
 * behind the text: 1, that of the lengths, in a message, 0 in a stream. In encryption the last pass's ciphertext has
 * gone into the sum then, too; or in a message, if LAST_PASS_LATE, hp is the power of its first vector (T-062,
 * T-078). */
INLINE void text_passes(gcm_t *g, const struct rijn_gcm *k, struct text *t, size_t extra, enum direction dir,
                        const enum counters kind) {
  const uint8_t *hashed = t->in;
  const int first = dir == ENCRYPT && t->left >= PASS;
  size_t n = 0;
  if (first)
    n = t->left / PASS - 1;
  else if (dir == DECRYPT &&
           t->left >= VECTOR_BYTES) /* a vector is left at least: the lanes' last sums are added to one */
    n = (t->left - VECTOR_BYTES) / PASS;
  g->hp = passes_powers(n);
  if (first) {
    pass_t p;
    hashed = t->out;
    gcm_pass(g, k, &p, t, 0, kind);
  }
  if (COUNTER_PAGES && kind == PUBLIC) {
    struct dst to = {k, t->out};
    struct src from = {t->in, PASS * n};
    if (!ONE_LOOP && g->table)
      g->acc = gcm_passes_tabled(to, from, g->table, dir, g->ctr, g->acc);
    else
      g->acc = gcm_passes_public(to, from, g->table, dir, g->ctr, g->acc);
    g->next += (uint32_t)(P_BLOCKS * n);
  } else {
    gcm_passes(g, k, *t, hashed, n, dir, kind);
  }
  text_skip(t, PASS * n);
  g->hp = N_POW - extra - (first ? P_BLOCKS : 0) - (t->left + 15) / 16;
  __asm__("" : "+r"(g->hp)); /* PORT: else gcc makes each vector's place anew from the length (T-079) */
  if (first && !(LAST_PASS_LATE && extra))
    passes_last_hash(g, k, t->out - PASS);
}
