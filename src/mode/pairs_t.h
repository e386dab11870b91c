/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: GHASH two blocks at a time, for a machine whose multiply adds the products of both halves of its operands
 * (v_gf_sum). Included by ghash_t.h if GF_PAIRS is 1, in place of its own loops; VB is 1, GF_KARATSUBA 0, GCM_NV even.
 *   v_pair_lo(x, y), v_pair_hi(x, y)  the low, the high halves of two vectors side by side
 *   v_load_own(p), v_store_own(p, x)  aligned, in any order of bytes
 *
 * Two blocks need sum(lo * p), sum(hi * p) and a middle term, which Karatsuba makes of sum((lo + hi) * (p_lo + p_hi)):
 * three multiplies, where one block after the other needs six.
 */
_Static_assert(VB == 1 && !GF_KARATSUBA && GCM_NV % 2 == 0 && 3 * GCM_NV <= RIJN_GCM_POWERS_AUX + 4, "no pairs");

/* The powers of blocks 2j and 2j + 1 of 2P: in aux[3j ..] their low halves, their high halves, and the sums of these. */
INLINE void gf_pairs_table(struct rijn_hpow *h) {
  for (int j = 0; j < GCM_NV; j++) {
    v_t a = v_load(h->pow[N_POW - 2 * GCM_NV + 2 * j]), b = v_load(h->pow[N_POW - 2 * GCM_NV + 2 * j + 1]);
    v_t lo = v_pair_lo(a, b), hi = v_pair_hi(a, b);
    v_store_own(h->aux[3 * j], lo);
    v_store_own(h->aux[3 * j + 1], hi);
    v_store_own(h->aux[3 * j + 2], v_xor(lo, hi));
  }
}
/* The middle terms become what gf_reduce expects. */
INLINE void gf_pairs_end(sum_t *s) { s->mid = v_xor3(s->mid, s->lo, s->hi); }

/* 2P blocks at p; acc is the sum so far. */
INLINE v_t ghash_pass(const struct rijn_hpow *h, v_t acc, const uint8_t *p) {
  sum_t s = gf_zero();
  for (int j = 0; j < GCM_NV; j++, p += 32) {
    v_t x = v_bswap(v_load(p)), y = v_bswap(v_load(p + 16));
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

/* gcm_t.h's steps under the rounds: three a pair, three for the reduction, the rest nothing.
 * PERF: the reduction waits for itself, and must be through when the pass ends: 119 cycles a pass of 8 blocks become 110 in the
 * model of POWER9. */
enum { STITCH_PAIRS = 3 * GCM_NV / 2, STITCH_STEPS = STITCH_PAIRS + 8 };
typedef struct {
  v_t x, y; /* the low and the high halves of two blocks */
  sum_t s;
} stitch_t;
INLINE void pairs_stitch(stitch_t *t, v_t *acc, const struct rijn_hpow *h, const uint8_t *p, int step) {
  int j = step / 3;
  const uint8_t(*pairs)[16] = h->aux + 3 * (GCM_NV / 2 + j);
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
/* As gcm_bulk_t.h calls it. */
#define gcm_stitch(g, t, h, p, step) pairs_stitch(t, &(g)->acc, h, p, step)
