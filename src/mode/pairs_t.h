/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: GHASH (SP 800-38D 6.4) two blocks at a time, for a machine with one multiply that makes two products, low
 * half times low half and high half times high half of its operands, and returns their sum (POWER's vpmsumd). Included
 * by ghash_t.h if HASH_PAIRS is 1, in place of its own loops over passes. Parameters: those of ghash_t.h with
 * VECTOR_BLOCKS 1, FOUR_MULS and an even PASS_VECTORS, and
 *   v_gf_sum(x, y)                    that multiply
 *   v_pair_lo(x, y), v_pair_hi(x, y)  the low, the high halves of two vectors side by side
 *   v_load_own(p), v_store_own(p, x)  a load and a store at a multiple of 16, in whatever order of bytes costs least
 *
 * Blocks x and y, to be multiplied by powers p and q, need the three terms (ghash_t.h) of x * p + y * q. With halves
 * side by side each is one multiply:
 *     lo                v_gf_sum of the low halves of x and y, and of p and q
 *     hi                the same with the high halves
 *     mid + lo + hi     the same with the sums of low and high halves: Karatsuba's method
 * These are three, where one block after the other needs six. The powers lie in the key in this form (gf_pairs_table).
 */

/* For blocks 2j and 2j + 1 of 2P blocks, in aux[3j ..]: the low halves of their two powers, the high halves, and the
 * sums of these. */
INLINE void gf_pairs_table(struct rijn_hpow *h) {
  for (int j = 0; j < PASS_VECTORS; j++) {
    v_t a = v_load(h->pow[N_POW - 2 * PASS_VECTORS + 2 * j]), b = v_load(h->pow[N_POW - 2 * PASS_VECTORS + 2 * j + 1]);
    v_t lo = v_pair_lo(a, b), hi = v_pair_hi(a, b);
    v_store_own(h->aux[3 * j], lo);
    v_store_own(h->aux[3 * j + 1], hi);
    v_store_own(h->aux[3 * j + 2], v_xor(lo, hi));
  }
}
/* lo and hi are taken out of the middle term, because with FOUR_MULS gf_reduce expects none there. */
INLINE void gf_pairs_end(sum_t *s) { s->mid = v_xor3(s->mid, s->lo, s->hi); }

/* 2P blocks at p go into the hash; acc is the hash so far. */
INLINE v_t gf_pass(const struct rijn_hpow *h, v_t acc, const uint8_t *p, const enum hash hash) {
  sum_t s = gf_zero();
  for (int j = 0; j < PASS_VECTORS; j++, p += 32) {
    v_t x = gf_int(v_load(p), hash), y = gf_int(v_load(p + 16), hash);
    if (j == 0)
      x = v_xor(x, acc);
    v_t lo = v_pair_lo(x, y), hi = v_pair_hi(x, y);
    s.lo = v_xor(s.lo, v_gf_sum(lo, v_load_own(h->aux[3 * j])));
    s.hi = v_xor(s.hi, v_gf_sum(hi, v_load_own(h->aux[3 * j + 1])));
    s.mid = v_xor(s.mid, v_gf_sum(v_xor(lo, hi), v_load_own(h->aux[3 * j + 2])));
  }
  gf_pairs_end(&s);
  return gf_reduce(s);
}

/* The steps that gcm_passes_t.h puts between the rounds of a pass: three a pair, one multiply each; then the two steps
 * of the reduction, with room for what they wait for, and nothing.
 * Each step of the reduction waits for the one before, and must be through when the pass ends (T-216). */
enum { STITCH_PAIRS = 3 * PASS_VECTORS / 2, STITCH_STEPS = STITCH_PAIRS + 8 };
typedef struct {
  v_t x, y; /* the low and the high halves of two blocks */
  sum_t s;
} stitch_t;
INLINE void pairs_stitch(stitch_t *t, v_t *acc, const struct rijn_hpow *h, const uint8_t *p, int step) {
  int j = step / 3;
  const uint8_t(*pairs)[16] = h->aux + 3 * (PASS_VECTORS / 2 + j);
  if (step == 0)
    t->s = gf_zero();
  if (step == STITCH_PAIRS) {
    gf_pairs_end(&t->s);
    t->s.mid = v_gf_fold_add(t->s.mid, t->s.lo);
    PIN(t->s.mid);
  } else if (step == STITCH_PAIRS + 3) {
    *acc = v_gf_fold_add(t->s.hi, t->s.mid);
    PIN(*acc);
  } else if (step > STITCH_PAIRS) {
    return;
  } else if (step % 3 == 0) {
    v_t a = v_bswap(v_load(p + 32 * j)), b = v_bswap(v_load(p + 32 * j + 16));
    if (j == 0)
      a = v_xor(a, *acc);
    t->x = v_pair_lo(a, b);
    t->y = v_pair_hi(a, b);
    t->s.lo = v_xor(t->s.lo, v_gf_sum(t->x, v_load_own(pairs[0])));
    PIN(t->s.lo);
  } else if (step % 3 == 1) {
    t->s.hi = v_xor(t->s.hi, v_gf_sum(t->y, v_load_own(pairs[1])));
    PIN(t->s.hi);
  } else {
    t->s.mid = v_xor(t->s.mid, v_gf_sum(v_xor(t->x, t->y), v_load_own(pairs[2])));
    PIN(t->s.mid);
  }
}
