/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: the passes of GCM (SP 800-38D 6.4, 6.5), included by gcm_t.h, which has the parameters and the words. A
 * pass is P blocks through AES; between its rounds stand the multiplies of P blocks of ciphertext:
 *
 *     encryption    AES     1    2    3    ..    n
 *                   hash         1    2    ..    n-1     and n in the sum of the tail (gcm_bulk)
 *     decryption    AES     1    2    3    ..    n
 *                   hash    1    2    3    ..    n
 *
 * Both directions run the same code: the hash is told where the ciphertext is. The lanes of a vector are hashed side by
 * side, as ghash_t.h has it: a vector is multiplied by one power, which all lanes share (by consecutive ones, if
 * BCAST_COSTS).
 *
 * Where GCM_ONE_LOOP is 1 one loop asks each pass whether there is a table (cache_t.h), and has the states after round
 * 2 either way: 1.8 KB less code, no cycle. REJECTED: with GCM_ROUND1 too, where multiplies are not slow: 4096 bytes
 * 2 % more cycles (512-bit vectors), 4 to 6 %, 8192 8 % (256-bit); two ways that join before round 2: 6 to 9 % more
 * (128- and 256-bit).
 */
/* Where a pass puts its ciphertext when it makes it, and where vector j of it is when it is hashed: in registers, or
 * behind p. */
#define GCM_MADE (GCM_KEEP ? g->kept : x)
#define GCM_KEPT(g, p, j) (GCM_KEEP ? (g)->kept[j] : v_load((p) + 16 * VB * (j)))

#if !GF_PAIRS
/* The multiplies of a pass are cut into steps: 2 a vector, 2 for the reduction. GCM_DEFER passes share a reduction: the
 * first of them takes the powers from H^(GCM_DEFER * P) down, which begin at HP_FIRST, the last those from H^P down, at
 * HP_LAST. */
enum { STITCH_STEPS = 2 * GCM_NV + 2, HP_FIRST = N_POW - GCM_DEFER * P_BLOCKS, HP_LAST = N_POW - P_BLOCKS };
typedef struct {
  v_t x, even, lo, hi, pow; /* even: x of the vector before */
} stitch_t;
/* Step `step` of a pass whose ciphertext is at p or kept. Steps 2j and 2j + 1 are vector j's: lo and hi, then mid; the
 * last two are the reduction, or where it has to wait, the turn to the next pass's powers. Products are added two by
 * two, which is one operation where there is ternary logic. */
INLINE void gcm_stitch(gcm_t *g, stitch_t *t, const struct rijn_hpow *h, const uint8_t *p, const int step) {
  sum_t *s = &g->s;
  const int j = step / 2;
  const size_t hp = GCM_DEFER > 1 ? g->hp : HP_LAST, q = hp + (size_t)(VB * j);
  if (j < GCM_NV && step % 2 == 0) {
    if (j % 2 == 1)
      t->even = t->x;
    t->x = j == 0 ? v_xor(v_bswap(GCM_KEPT(g, p, j)), g->acc) : v_bswap(GCM_KEPT(g, p, j));
    v_t pow = t->pow = gf_get(h->pow[q]), lo = v_gf_lo(t->x, pow), hi = v_gf_hi(t->x, pow);
    if (!GF_AUX && j % 2 == 0) {
      t->lo = lo, t->hi = hi;
      PIN(t->lo);
      PIN(t->hi);
    } else {
      s->lo = GF_AUX ? v_xor(s->lo, lo) : v_xor3(s->lo, t->lo, lo);
      s->hi = GF_AUX ? v_xor(s->hi, hi) : v_xor3(s->hi, t->hi, hi);
      PIN(s->lo);
      PIN(s->hi);
    }
  } else if (j < GCM_NV) {
    if (!GF_SIDE)
      s->mid = gf_mid(s->mid, t->x, t->pow, GF_AUX ? v_bcast_mem(h->aux[q]) : t->x);
    else if (j % 2 == 1)
      s->mid = gf_mid2(s->mid, v_halves2(t->even, t->x), gf_get(GF_HALVES2(h, hp, j / 2)));
    PIN(s->mid);
  } else if (GCM_DEFER > 1 && g->hp != HP_LAST) {
    g->acc = v_zero();
    g->hp += step % 2 == 0 ? 0 : P_BLOCKS;
  } else if (step % 2 == 0) {
    s->mid = gf_reduce_mid(*s);
    PIN(s->mid);
  } else {
    g->acc = gf_end(v_gf_fold_add(s->hi, s->mid));
    PIN(g->acc);
    *s = gf_zero();
    g->hp = HP_FIRST;
  }
}
#endif

/* The states of the next P blocks after STATES rounds into x: from the call's table (CACHED), else from the key's
 * round1 if their counters are there, else by the rounds. Passes on the first page fill the call's table: kind is
 * CACHED then, or this is the first pass of an encryption (first), which is not in the loop of the others. turns: does
 * this pass reach, or come up, to the next page?
 * CT: a place in the key's table is a counter, of a nonce of 12 bytes.
 * PERF: that table fills the call's own: 16 KiB in 1 to 2 % fewer cycles with AVX-512. REJECTED: with AVX2, AES-256 1 %
 * more. */
enum { STATES = GCM_PAGES ? 2 : 1 };
INLINE void gcm_states(gcm_t *g, const struct rijn_gcm *k, v_t *x, const int kind, const int first) {
  const uint32_t at = g->next, low = (uint8_t)at;
  const int turns = low >= 256 - P_BLOCKS, fills = (kind == CACHED && at < 256) || (GCM_CACHE && first && g->table);
  uint8_t *row = fills || kind == CACHED ? g->table + 16 * low : NULL;
  if (kind == CACHED && !fills) {
    EACH(i, GCM_NV, x[i] = v_xor(v_load(row + 16 * VB * i), g->delta));
    if (__builtin_expect(turns, 0))
      EACH(i, GCM_NV, x[i] = v_xor_and(x[i], g->turn, v_load(CACHE_OVER(low) + 16 * VB * i)));
  } else {
    v_t k0 = v_bcast_mem(k->rk.b), k1;
    if (GCM_ROUND1 && (kind == PUBLIC || (V_MASKED && kind == CACHED)) && at <= GCM_ROWS + 1 - P_BLOCKS) {
      k0 = v_bcast_mem(k->rk.b + 16);
      const uint8_t *p = (const uint8_t *)k + offsetof(struct rijn_gcm, round1) - 16 + 16 * (size_t)at; /* [at - 1] */
      EACH(i, GCM_NV, x[i] = v_xor(v_load(p + 16 * VB * i), g->base));
    } else {
      GCM_COUNTERS(g, x, GCM_NV, kind, k0);
      AES_ROUND(GCM_NV, x, k0, k1, v_bcast_mem(k->rk.b + 16), (void));
    }
    if (STATES == 2)
      AES_ROUND(GCM_NV, x, k0, k1, v_bcast_mem(k->rk.b + 32), (void));
    if (fills && !turns)
      EACH(i, GCM_NV, v_store(row + 16 * VB * i, x[i]));
    if (fills && turns) {
      g->turn = cache_turn(k->rk.b, v_first(g->ctr), 0);
      EACH(i, GCM_NV, v_store(row + 16 * VB * i, v_xor_and(x[i], g->turn, v_load(CACHE_OVER(low) + 16 * VB * i))));
      cache_wrap(g->table);
    }
  }
  g->next += P_BLOCKS;
  if (kind == CACHED && __builtin_expect(turns, 0)) {
    g->delta = v_xor(g->delta, g->turn);
    g->turn = cache_turn(k->rk.b, v_first(g->ctr), g->next & ~UINT32_C(255));
  }
}

#define GCM_ROUND(key) AES_ROUND(GCM_NV, x, k0, k1, key, PIN)
/* A pass: P blocks of in plus keystream to out, and if hash, the P blocks of ciphertext at hashed (or kept) into the
 * sum. */
INLINE void gcm_pass(gcm_t *g, const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, const uint8_t *hashed,
                     const int hash, const int kind) {
  const uint8_t *rk = k->rk.b + 16 * STATES;
  const int spread = GCM_SPREAD(kind), held = BCAST_COSTS && hash && kind != SECRET;
  stitch_t t;
  v_t x[9], k0, k1;
  kind == CACHED ? gcm_states(g, k, x, CACHED, 0) : gcm_states(g, k, x, kind == SECRET ? SECRET : PUBLIC, !hash);
  k0 = v_bcast_mem(rk);
  if (!hash) {
    for (const uint8_t *end = k->rk.b + 16 * k->rounds - 16; rk != end; rk += 16)
      GCM_ROUND(v_bcast_mem(rk + 16));
    rk -= 16 * (9 - STATES);
  } else {
    /* The steps of the multiplies stand behind the first rounds in equal parts, `spread` of them. The rounds that only
     * longer keys have stand in the middle, behind round 5. PERF: not before all: AES-256 with 256-bit vectors 16 KiB
     * in 3 % fewer cycles. By two branches: a loop costs register moves, 2 %. */
#define GCM_STITCHED(r)                                                                                                \
  do {                                                                                                                 \
    const int from = STITCH_STEPS * ((r)-STATES - 1) / spread, to = STITCH_STEPS * ((r)-STATES) / spread;              \
    GCM_ROUND(held ? g->held[(r)-STATES - 1] : v_bcast_mem(rk + 16 * ((r)-STATES)));                                   \
    EACH(i, 9, if (from + i < to && from + i < STITCH_STEPS) gcm_stitch(g, &t, &k->h, hashed, from + i));              \
  } while (0)
    EACH(r, 4, if (r + 2 > STATES) GCM_STITCHED(r + 2));
    if (k->rounds > 10) {
      EACH(i_, 2, GCM_ROUND(v_bcast_mem(rk + 16 * (6 - STATES + i_))));
      rk += 32;
      if (k->rounds > 12) {
        EACH(i_, 2, GCM_ROUND(v_bcast_mem(rk + 16 * (6 - STATES + i_))));
        rk += 32;
      }
    }
    /* PORT: else gcc loads keys ahead of the branches, and then needs shuffles to broadcast them. */
    if (GCM_KEEP)
      __asm__ volatile("" : "+r"(rk));
    EACH(r, 4, GCM_STITCHED(r + 6));
  }
#undef GCM_STITCHED
#undef GCM_ROUND
  k1 = held ? g->held[9 - STATES] : v_bcast_mem(rk + 16 * (10 - STATES));
  EACH(i, GCM_NV, GCM_MADE[i] = v_aes_last_xor(x[i], k0, k1, v_load(in + 16 * VB * i)); if (GCM_KEEP) PIN(GCM_MADE[i]));
  EACH(i, GCM_NV, v_store(out + 16 * VB * i, GCM_MADE[i]));
}

/* n more passes. hashed: the ciphertext that the first of them hashes, of the pass before (enc) or its own. */
INLINE void gcm_passes(gcm_t *g, const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, const uint8_t *hashed,
                       size_t n, int enc, const int kind) {
  if (GCM_KEEP && n)
    EACH(i, GCM_NV, g->kept[i] = v_load(hashed + 16 * VB * i));
  for (; n; n--, out += PASS, hashed += PASS) {
    gcm_pass(g, k, out, in, hashed, 1, kind);
    in += PASS;
    if (GCM_KEEP && !enc && n > 1)
      EACH(i, GCM_NV, g->kept[i] = v_load(in + 16 * VB * i));
  }
}
/* PERF: functions of their own, for a loop has other needs for registers than what stands around it. They return the
 * lanes' sums; what else of gcm_t changes follows from n. */
#define GCM_PASSES(name, kind)                                                                                         \
  NOINLINE v_t name(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, const uint8_t *hashed, size_t n,        \
                    int enc, size_t hp, uint32_t next, uint8_t *table, v_t ctr, v_t acc) {                             \
    gcm_t g = {.ctr = ctr, .acc = acc, .s = gf_zero(), .hp = hp, .next = next, .table = table, .delta = v_zero()};     \
    g.turn = g.delta, g.page = 0, g.stop = RIJN_COUNTERS - P_BLOCKS;                                                   \
    g.base = v_aes_round(ctr, v_zero(), v_bcast_mem(k->rk.b + 16));                                                    \
    EACH(i, BCAST_COSTS ? 8 : 0, g.held[i] = v_bcast_mem(k->rk.b + 16 * (i < 3 ? i + 3u : k->rounds + i - 7ul)));      \
    gcm_passes(&g, k, out, in, hashed, n, enc, kind);                                                                  \
    return g.acc;                                                                                                      \
  }
GCM_PASSES(gcm_passes_public, GCM_CACHE &&GCM_ONE_LOOP &&table ? CACHED : PUBLIC)
GCM_PASSES(gcm_passes_cached, CACHED)

/* All passes. extra: blocks that are hashed behind the text, that of the lengths. Moves *out, *in and *len on to what
 * is left, and sets hp to the power of that. In encryption the last pass's ciphertext has gone into the sum then, too,
 * by consecutive powers; or if TAIL_LATE hp is the power of its first vector. */
INLINE void gcm_bulk(gcm_t *g, const struct rijn_gcm *k, uint8_t **out, const uint8_t **in, size_t *len, size_t extra,
                     const int enc, const int kind) {
  const uint8_t *hashed = *in;
  const int first = enc && *len >= PASS;
  /* Decryption leaves a vector at least, for the lanes' sums of the last pass have to be added to one. */
  size_t n = first ? *len / PASS - 1 : enc || *len < 16 * VB ? 0 : (*len - 16 * VB) / PASS;
  g->hp = N_POW - P_BLOCKS * (1 + (n + GCM_DEFER - 1) % GCM_DEFER);
  if (first) {
    hashed = *out;
    gcm_pass(g, k, *out, *in, NULL, 0, kind);
    *in += PASS, *out += PASS, *len -= PASS;
  }
  if (GCM_PAGES && kind == PUBLIC) {
    g->acc = (!GCM_ONE_LOOP && g->table ? gcm_passes_cached : gcm_passes_public)(k, *out, *in, hashed, n, enc, g->hp,
                                                                                 g->next, g->table, g->ctr, g->acc);
    g->next += (uint32_t)(P_BLOCKS * n);
  } else {
    gcm_passes(g, k, *out, *in, hashed, n, enc, kind);
  }
  *in += PASS * n, *out += PASS * n, *len -= PASS * n;
  g->hp = N_POW - extra - (first ? P_BLOCKS : 0) - (*len + 15) / 16;
  /* If TAIL_LATE the tail does this for a message. REJECTED: with masks, too: 256-bit vectors 1420 bytes in 1 to 2 %
   * fewer cycles, 4096 in 2 % more. */
  __asm__("" : "+r"(g->hp)); /* PORT: else gcc makes each vector's place anew from the length: 20 instructions */
  if (first && !(TAIL_LATE && extra))
    _Pragma("GCC unroll 1") for (int j = 0; j < GCM_NV; j++, g->hp += VB, g->acc = v_zero())
        gf_mac_run(&g->s, v_xor(v_bswap(v_load(*out - PASS + 16 * VB * j)), g->acc), &k->h, g->hp);
}
