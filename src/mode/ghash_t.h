/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: GHASH (SP 800-38D 6.4). Parameters:
 *   VB            blocks in a vector: 1, 2 or 4
 *   GCM_NV        vectors in a pass; P = VB * GCM_NV blocks
 *   GCM_POWERS    powers of H in a key, at least what a pass and a last group need: 2P + VB
 *   GCM_CACHE     bytes from which a message caches the first two rounds of its counters; 0: never
 *   GCM_PAGES     1: rows of rijn_counters are read with each pass, and some passes have one reduction; 0
 *   GF_KARATSUBA  1: three multiplies and a table of halves; 2: and in passes the middle terms of two vectors at once, with halves side
 *                 by side; 3: so everywhere, and only passes have a table, for all else the halves of powers are made when they are
 *                 wanted: where multiplies are slow; 0: four multiplies.
 *                 PERF: 2 has one addition and one load fewer for two vectors: 16 KiB in 2 to 3 % fewer cycles on x86; none fewer on
 *                 Arm, where b_bswap has swapped the halves already.
 *                 REJECTED: 0 with AVX2: 2 % more than 2, and in the model of Zen 3 13 %; 0 for short messages alone, and so room for 48
 *                 powers: 64 bytes 4 % fewer, but 17 % more in that model
 *   GF_PAIRS      1: a pass takes blocks two by two, as pairs_t.h has it; 0
 *
 * The mathematics. A block is a polynomial over GF(2), its first bit the coefficient of x^0. Reversed bytewise (v_bswap)
 * it is an integer whose top bit is the coefficient of x^0, so that the carry-less product of two such integers is the
 * product of the polynomials with its bits reversed and moved one place: the product times x. We store H * x^-1 in
 * the integer's sense, that is H doubled once at key set-up (b_gf_double): then products need no correction, and powers of that
 * value have the same property.
 *
 * A 256-bit product is held as three 128-bit terms, lo + mid * 2^64 + hi * 2^128. Reduction works from the low end,
 * where the high powers of x are: the low 64 bits, times the polynomial, vanish into the 128 bits above
 * them (gf_fold); twice is all. It is linear, so that the products of many blocks are summed first: the result of m
 * blocks is  X1 H^m + X2 H^(m-1) + ... + Xm H,  with one reduction.
 *
 * Long runs keep a sum in each lane: with VB lanes, lane l hashes blocks l, l + VB, ... under H^VB. Only the last
 * group, which must begin with a whole vector, uses consecutive powers; there the lanes become one.
 */
/* Passes of a message with one reduction. Elsewhere than on x86 more than one would be in the way. */
#define GCM_DEFER (GCM_PAGES ? GCM_POWERS / P_BLOCKS : 1)
/* Has a key aux, and halves side by side? */
enum { GF_AUX = GF_KARATSUBA == 1 || GF_KARATSUBA == 2, GF_SIDE = GF_KARATSUBA > 1 };
/* Powers end before pow[N_POW]; where there is no aux at the same place, so that sets can share a key. */
enum { P_BLOCKS = VB * GCM_NV, N_POW = GF_AUX || GF_PAIRS ? GCM_POWERS : RIJN_GCM_POWERS };
/* Rows of round1 are made beside the powers: one for each, and from the fourth vector of powers on ROW_TURNS more, to the last of all.
 * PERF: with 256-bit vectors and AVX2 127; all 133 made set-up 8 % longer. */
enum { ROW_SPAN = GCM_POWERS - 3 * VB, ROW_TURNS = (RIJN_GCM_ROUND1 - GCM_POWERS + ROW_SPAN / 2) / ROW_SPAN };
enum { ROWS = 1 + GCM_POWERS + ROW_TURNS * ROW_SPAN, GCM_ROWS = ROWS < RIJN_GCM_ROUND1 ? ROWS : RIJN_GCM_ROUND1 };
_Static_assert(GCM_POWERS >= 2 * P_BLOCKS + VB && (!GCM_ROUND1 || ROW_TURNS < 9), "few, or more than EACH can reach");
_Static_assert(GCM_POWERS <= (N_POW < RIJN_GCM_POWERS ? RIJN_GCM_POWERS_AUX : N_POW), "powers do not fit the key");
/* If GF_SIDE: the halves of power i, where that of an even vector of a pass begins, and of power i + VB beside them. */
#define GF_HALVES2(h, i) (h)->halves[(i) / (2 * VB)]
_Static_assert(GCM_POWERS % (GF_SIDE ? 2 * VB : VB) == 0 &&
                   (!GF_SIDE || (GCM_NV % 2 == 0 && N_POW / (2 * VB) <= RIJN_GCM_HALVES)),
               "odd, or too many");

typedef struct {
  v_t lo, mid, hi;
} sum_t;

INLINE sum_t gf_zero(void) { return (sum_t){v_zero(), v_zero(), v_zero()}; }

/* s plus the middle term of x * p; ph: the halves of p, if GF_AUX. */
INLINE v_t gf_mid(v_t s, v_t x, v_t p, v_t ph) {
  return GF_KARATSUBA ? v_xor(s, v_gf_lo(v_halves(x), GF_AUX ? ph : v_halves(p))) : v_gf_mid_add(s, x, p);
}
/* The same for two vectors, m the halves of both, ph those of their powers. */
INLINE v_t gf_mid2(v_t s, v_t m, v_t ph) { return v_xor3(s, v_gf_lo(m, ph), v_gf_hi(m, ph)); }
/* s += x * p */
INLINE void gf_mac(sum_t *s, v_t x, v_t p, v_t ph) {
  s->lo = v_xor(s->lo, v_gf_lo(x, p));
  s->hi = v_xor(s->hi, v_gf_hi(x, p));
  s->mid = gf_mid(s->mid, x, p, ph);
}
/* Two at once. */
INLINE void gf_mac2(sum_t *s, v_t x, v_t p, v_t ph, v_t y, v_t q, v_t qh) {
  s->lo = v_xor3(s->lo, v_gf_lo(x, p), v_gf_lo(y, q));
  s->hi = v_xor3(s->hi, v_gf_hi(x, p), v_gf_hi(y, q));
  s->mid = GF_KARATSUBA == 3 ? gf_mid2(s->mid, v_halves2(x, y), v_halves2(p, q))
                             : gf_mid(gf_mid(s->mid, x, p, ph), y, q, qh);
}
/* The same with consecutive powers from pow[i] on. */
INLINE void gf_mac_run(sum_t *s, v_t x, const struct rijn_hpow *h, size_t i) {
  gf_mac(s, x, v_load(h->pow[i]), GF_AUX ? v_load(h->aux[i]) : x);
}
/* len bytes at p, a multiple of 16, with consecutive powers from pow[i] on; before is added to the first vector. */
INLINE void gf_mac_bytes(sum_t *s, v_t before, const struct rijn_hpow *h, size_t i, const uint8_t *p, size_t len) {
  for (size_t n; len; len -= n, p += n, i += VB, before = v_zero()) {
    n = VB == 1 ? 16 : size_min(len, 16 * VB);
    v_t x = n == 16 * VB ? v_load(p) : V_MASKED ? v_load_part(p, n) : v_from128(b_load(p));
    gf_mac_run(s, v_xor(before, v_bswap(x)), h, i);
  }
}
/* The reduction's first step, and all of it. */
INLINE v_t gf_reduce_mid(sum_t s) { return v_gf_fold_add(GF_KARATSUBA ? v_xor3(s.mid, s.hi, s.lo) : s.mid, s.lo); }
INLINE v_t gf_reduce(sum_t s) { return v_gf_fold_add(s.hi, gf_reduce_mid(s)); }
INLINE b_t b_gf_mul(b_t a, b_t b) {
  return b_xor(b_gf_hi(a, b), b_gf_fold(b_xor(b_gf_mid(a, b), b_gf_fold(b_gf_lo(a, b)))));
}
INLINE b_t b_gf_square(b_t a) { return b_xor(b_gf_hi(a, a), b_gf_fold(b_gf_fold(b_gf_lo(a, a)))); }

#if GF_PAIRS
#include "pairs_t.h"
#endif

/* x * p with one step of the reduction, not two. The other is taken with p, once if p stays the same: for x's low half. */
INLINE v_t gf_by(v_t x, v_t p) {
  v_t folded = v_gf_fold_add(v_zero(), p);
  return v_gf_fold_add(v_gf_highs(x, folded, p), v_gf_lows(x, folded, p));
}
/* rows: NULL, or the key's round1, of which n vectors are filled beside; k0: the first round key. PERF: the multiplier is what is busy
 * here. REJECTED: all of them before, under the key schedule: 231 cycles. */
INLINE v_t gf_power(struct rijn_hpow *h, uint8_t (*rows)[16], v_t k0, int i, const int n, v_t p) {
  v_store(h->pow[i], p);
  if (GCM_ROUND1 && rows)
    EACH(j, n, {
      int c = i + GCM_POWERS - N_POW + (j ? GCM_ROWS - 1 - (1 + ROW_TURNS - j) * ROW_SPAN : 0);
      v_store(rows[1 + c], aes_round1(v_load(COUNTERS(2 + c)), k0));
    });
  if (GF_AUX)
    v_store(h->aux[i], v_halves(p));
  if (GF_SIDE && i % (2 * VB) == 0)
    b_store(GF_HALVES2(h, i), v_first(v_halves2(p, v_load(h->pow[i + VB]))));
  return p;
}
/* All powers from H in the byte order of the standard, and zeros behind. Three vectors come one by one, from then on each is
 * the last but one times H^(2VB): two products at a time are enough to fill the multiplier.
 * REJECTED: vector i + d is vector i times H^(VB*d), d doubling, with two steps of the reduction: 70 to 150 cycles more.
 * REJECTED: four at a time, 248 instead of 239 (512-bit vectors): the first four come later.
 */
NOINLINE void ghash_powers(struct rijn_hpow *h, b_t hash_subkey, uint8_t (*rows)[16], v_t k0) {
  b_t h1 = b_gf_double(b_bswap(hash_subkey));
  if (GCM_ROUND1 && rows)
    b_store(rows[0], v_first(aes_round1(v_bcast_mem(COUNTERS(1)), k0)));
#if VB == 1
  v_t p = h1, step = h1;
#elif VB == 2
  b_t h2 = b_gf_square(h1);
  v_t p = v_set2(h2, h1), step = v_bcast(h2);
#else
  b_t h2 = b_gf_square(h1), h4 = b_gf_square(h2);
  v_t p = v_set4(h4, b_gf_mul(h2, h1), h2, h1), step = v_bcast(h4);
#endif
  gf_power(h, NULL, k0, N_POW - 1, 0, v_zero()); /* its first lane will be H */
  v_t q = gf_power(h, rows, k0, N_POW - 2 * VB, 1, gf_by(gf_power(h, rows, k0, N_POW - VB, 1, p), step));
  p = gf_power(h, rows, k0, N_POW - 3 * VB, 1, gf_by(q, step));
  step = v_bcast(v_first(q));
  for (int i = N_POW - 4 * VB; i >= N_POW - GCM_POWERS; i -= VB) {
    v_t next = gf_power(h, rows, k0, i, 1 + ROW_TURNS, gf_by(q, step));
    q = p, p = next;
  }
#if GF_PAIRS
  gf_pairs_table(h);
#endif
}

#if !GF_PAIRS
/* 2P blocks at p, lane by lane; acc is the sum so far.
 * PERF: twice a pass of GCM, for nothing else hides the reduction here: 16 KiB took 2228 cycles with P. */
INLINE v_t ghash_pass(const struct rijn_hpow *h, v_t acc, const uint8_t *p) {
  sum_t s = gf_zero();
  const uint8_t(*aux)[16] = GF_AUX ? h->aux : h->pow;
  size_t q = N_POW - 2 * P_BLOCKS;
  _Pragma("GCC unroll 1") for (int j = 0; j < GCM_NV; j++, p += 32 * VB, q += 2 * VB) {
    v_t x = v_xor(acc, v_bswap(v_load(p))), y = v_bswap(v_load(p + 16 * VB)), mid = s.mid;
    gf_mac2(&s, x, v_bcast_mem(h->pow[q]), v_bcast_mem(aux[q]), y, v_bcast_mem(h->pow[q + VB]),
            v_bcast_mem(aux[q + VB]));
    if (GF_SIDE)
      s.mid = gf_mid2(mid, v_halves2(x, y), v_bcast_mem(GF_HALVES2(h, q)));
    acc = v_zero();
  }
  return gf_reduce(s);
}
#endif
/* acc (an integer) and len bytes, a multiple of 16. CT: len is public. */
NOINLINE b_t ghash_bytes(const struct rijn_hpow *h, b_t acc, const uint8_t *p, size_t len) {
  v_t sum = v_from128(acc);
  if (len == 0)
    return acc;
  for (; len >= 16 * (2 * P_BLOCKS + VB); len -= 32 * P_BLOCKS, p += 32 * P_BLOCKS)
    sum = ghash_pass(h, sum, p);
  sum_t s = gf_zero();
  gf_mac_bytes(&s, sum, h, N_POW - len / 16, p, len);
  return v_fold128(gf_reduce(s));
}
