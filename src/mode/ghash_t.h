/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: GHASH (SP 800-38D 6.4), the hash of GCM, and the powers of H that a key has for it; and POLYVAL (RFC 8452
 * 3), the hash of AES-GCM-SIV, which is the same but for the order of bytes (the end of this comment).
 *
 * Parameters (tune.def has them all). They are GCM's as well:
 *   PASS_VECTORS  vectors in a pass. In passes a long message is done: P = VECTOR_BLOCKS * PASS_VECTORS blocks go
 *                 through the rounds of AES side by side, with multiplies between the rounds (gcm_passes_t.h). Even
 *                 with HALVES_PAIRED and HALVES_MADE
 *   POWERS        powers of H in a key: at least 2P + VECTOR_BLOCKS, for the last pass, whose ciphertext may still have
 *                 to be hashed, up to P blocks behind it, and the lengths. A multiple of VECTOR_BLOCKS, of 2
 *                 VECTOR_BLOCKS with those two
 *   MIDDLE_TERM   how the middle term of a product is made (below).
 *                 FOUR_MULS: by two multiplies, so that a product has four. With AVX2 slower (T-081, T-082)
 *                 HALVES_KEPT: by one, of the sums of the factors' halves, and aux has those sums for all powers
 *                 HALVES_PAIRED: as HALVES_KEPT, and in passes one vector takes the sums for two, side by side: one
 *                 addition and one load fewer for two vectors (T-080); none fewer on Arm, where b_bswap has swapped the
 *                 halves already
 *                 HALVES_MADE: as HALVES_PAIRED everywhere, and only passes have tables; other code makes the powers'
 *                 sums when it needs them: where multiplies are slow
 *   KEEP_LANES    1: a load that puts a block into all lanes occupies the units that AES and multiplies use, a load of
 *                 a whole vector does not (Zen 4). Then passes keep round keys in registers, lanes are multiplied by
 *                 consecutive powers, and are added up at each reduction. 0: none of this (T-083). More in a key costs
 *                 more where many keys take turns (T-084, T-087)
 *   HASH_PAIRS    1 (POWER; VECTOR_BLOCKS is 1, FOUR_MULS): a pass takes blocks two by two (pairs_t.h)
 *
 * The result. With acc = 0, GHASH of blocks X1 .. Xm is acc = (acc + Xi) * H for each i in turn, which is
 *     X1 H^m + X2 H^(m-1) + ... + Xm H.
 * So with the powers in a table nothing has to wait for the block before, and one reduction serves the whole sum.
 *
 * The product. A block is a polynomial over GF(2), its first bit the coefficient of x^0. With its bytes reversed
 * (v_bswap) it is an integer that has x^i at bit 127 - i. The carry-less product of two such integers has x^k at bit
 * 254 - k; but in 256 bits of the same order x^k is at bit 255 - k. So what comes out, read in that order, is the
 * product times x. To make up for it a key has H * x^-1 in place of H: that is the integer doubled, with a reduction
 * (b_gf_mul_x_inv). The powers are products of that value, so each again has the factor x^-1 that the next product
 * takes away.
 *
 * The three terms. A product has 256 bits, lo + mid * 2^64 + hi * 2^128: lo is the product of the factors' low halves,
 * hi that of their high halves, mid the sum of the two products crosswise. Karatsuba's method makes mid with one
 * multiply: (a_lo + a_hi) * (b_lo + b_hi) plus lo plus hi.
 *
 * The reduction. High powers of x are at the low end. The polynomial x^128 + x^7 + x^2 + x + 1 is, as an integer of
 * this order, 1 + 0xc2 * 2^120 + 2^128. Let L be the product's low 64 bits: adding L times the polynomial clears them,
 * and adds from bit 64 on L * 0xc200000000000000 + L * 2^64. b_gf_fold(lo) is that, plus the upper half of lo, which
 * lies at bit 64 already: all that is to be added to mid. b_gf_fold of the new mid, added to hi, is the result. It is
 * linear, so that the three terms of many products are summed up first.
 *
 * The lanes. In a long run each lane has a sum of its own: it hashes every VECTOR_BLOCKS-th block, under
 * H^VECTOR_BLOCKS. Only the last group, which must begin with a whole vector, is multiplied by consecutive powers, and
 * then the lanes are added to one another. With four lanes and ten blocks:
 *
 *     lane             0         1         2         3
 *     lane's sum       X1 H^4    X2 H^4    X3 H^4    X4 H^4       is added to the next line's block before its product
 *     last group       X5 H^6    X6 H^5    X7 H^4    X8 H^3
 *                      X9 H^2    X10 H^1
 *
 * If KEEP_LANES, a long run has consecutive powers as well: the lanes' sums become one with each reduction, and that
 * is added to lane 0 of the next line.
 *
 * POLYVAL. SPEC: RFC 8452 3 and appendix A. A block of POLYVAL is a little-endian integer that has x^i at bit i of the
 * polynomial x^128 + x^127 + x^126 + x^121 + 1, and its product is a * b * x^-128. Read in the other direction, x^i at
 * bit 127 - i, these are the integers, the polynomial and the product of GHASH, with the factor x^-1 that a key of
 * GHASH has to be given (the product, above) in it already. So all of this file serves both: a block of POLYVAL becomes
 * an integer by the other order of its bytes (gf_int), and its H is taken as it is.
 */
/* GCM_DEFER: how many passes share one reduction: as many as the powers reach. On other machines than x86 none do:
 * it would be in the way. */
#define GCM_DEFER (COUNTER_PAGES ? POWERS / P_BLOCKS : 1)
/* GF_HAS_AUX: has a key aux? GF_HAS_PAIRS: has it halves of two powers side by side? */
enum {
  GF_HAS_AUX = MIDDLE_TERM == HALVES_KEPT || MIDDLE_TERM == HALVES_PAIRED,
  GF_HAS_PAIRS = MIDDLE_TERM >= HALVES_PAIRED
};
/* Powers end before pow[N_POW] (struct rijn_hpow). Without aux that is the same place whatever their number, so that
 * sets can share a key. */
enum { P_BLOCKS = VECTOR_BLOCKS * PASS_VECTORS, N_POW = GF_HAS_AUX || HASH_PAIRS ? POWERS : RIJN_GCM_POWERS };
/* gf_halves_pair(h, i, n), if GF_HAS_PAIRS, for i a multiple of 2 VECTOR_BLOCKS: the sum of the halves of pow[i] in the
 * low half of a block, that of pow[i + VECTOR_BLOCKS] in its high half; n counts such pairs from there on. A pass
 * multiplies all lanes of a vector by one power: these are the powers of its vectors 0 and 1, 2 and 3, and so on. If
 * KEEP_LANES, in lane l those of pow[i + l] and pow[i + VECTOR_BLOCKS + l]. Without aux only the last powers have
 * halves, which passes use: from pow[GF_FIRST_PAIR] on. */
enum {
  GF_PAIRS_IN_SIDES = GF_HAS_PAIRS && !GF_HAS_AUX,
  GF_FIRST_PAIR = GF_PAIRS_IN_SIDES ? (int)N_POW - 2 * RIJN_GCM_SIDES : 0
};
enum { GF_PAIR_BLOCKS = KEEP_LANES ? VECTOR_BLOCKS : 1 }; /* blocks that the halves of two vectors of powers take */
_Static_assert(GF_FIRST_PAIR % (2 * VECTOR_BLOCKS) == 0, "the first pair of halves is one of the powers' pairs");
INLINE uint8_t *gf_halves_pair(const struct rijn_hpow *h, size_t i, size_t n) {
  const uint8_t *first = GF_PAIRS_IN_SIDES ? *h->sides : *h->halves;
  return (uint8_t *)(uintptr_t)first + 16 * (GF_PAIR_BLOCKS * ((i - GF_FIRST_PAIR) / (2 * VECTOR_BLOCKS) + n));
}

/* Which hash blocks are of; and a block as an integer: on little-endian machines one of POLYVAL already is, on
 * POWER one of GHASH. gf_int is its own inverse. */
enum hash { GHASH, POLYVAL };
#if BLOCK_IS_INTEGER
#define GF_LITTLE(a) b_reverse(a)
#else
#define GF_LITTLE(a) (a)
#endif
INLINE v_t gf_int(v_t a, const enum hash hash) { return hash == GHASH ? v_bswap(a) : GF_LITTLE(a); }

/* A sum of products that is not reduced yet, in each lane. With Karatsuba's method mid has lo and hi in it as well,
 * until the reduction takes them out. */
typedef struct {
  v_t lo, mid, hi;
} sum_t;

INLINE sum_t gf_zero(void) { return (sum_t){v_zero(), v_zero(), v_zero()}; }

/* s plus the middle term of x * p; ph: the halves of p added up, if GF_HAS_AUX. */
INLINE v_t gf_mid_add(v_t s, v_t x, v_t p, v_t ph) {
  if (MIDDLE_TERM == FOUR_MULS)
    return v_gf_mid_add(s, x, p);
  return v_xor(s, v_gf_lo(v_halves(x), GF_HAS_AUX ? ph : v_halves(p)));
}
/* The same for two vectors; m: the halves of both, side by side; ph: those of their powers. */
INLINE v_t gf_mid_add2(v_t s, v_t m, v_t ph) { return v_xor3(s, v_gf_lo(m, ph), v_gf_hi(m, ph)); }
/* s += x * p, lane by lane. */
INLINE void gf_mul_add(sum_t *s, v_t x, v_t p, v_t ph) {
  s->lo = v_xor(s->lo, v_gf_lo(x, p));
  s->hi = v_xor(s->hi, v_gf_hi(x, p));
  s->mid = gf_mid_add(s->mid, x, p, ph);
}
/* s += x * p + y * q. */
INLINE void gf_mul_add2(sum_t *s, v_t x, v_t p, v_t ph, v_t y, v_t q, v_t qh) {
  s->lo = v_xor3(s->lo, v_gf_lo(x, p), v_gf_lo(y, q));
  s->hi = v_xor3(s->hi, v_gf_hi(x, p), v_gf_hi(y, q));
  s->mid = MIDDLE_TERM == HALVES_MADE ? gf_mid_add2(s->mid, v_halves2(x, y), v_halves2(p, q))
                                      : gf_mid_add(gf_mid_add(s->mid, x, p, ph), y, q, qh);
}
/* For long runs: gf_load_lanes loads the lanes' factor, one power for all, or consecutive ones if KEEP_LANES,
 * that gf_store_lanes stored. gf_join_lanes: a reduced sum, its lanes apart, or added into lane 0. */
INLINE v_t gf_load_lanes(const void *p) { return KEEP_LANES ? v_load(p) : v_bcast_mem(p); }
INLINE void gf_store_lanes(void *p, v_t a) { KEEP_LANES ? v_store(p, a) : b_store(p, v_first(a)); }
INLINE v_t gf_join_lanes(v_t a) { return KEEP_LANES ? v_from128(v_fold128(a)) : a; }
/* s += x times consecutive powers: lane l by pow[i + l]. */
INLINE void gf_mul_add_powers(sum_t *s, v_t x, const struct rijn_hpow *h, size_t i) {
  gf_mul_add(s, x, v_load(h->pow[i]), GF_HAS_AUX ? v_load(h->aux[i]) : x);
}
/* s += the len bytes at p, a multiple of 16, times consecutive powers from pow[i] on; before, an integer, is added to
 * the first vector. */
INLINE void gf_mul_add_bytes(sum_t *s, v_t before, const struct rijn_hpow *h, size_t i, const uint8_t *p, size_t len,
                             const enum hash hash) {
  for (size_t n; len; len -= n, p += n, i += VECTOR_BLOCKS) {
    n = VECTOR_BLOCKS == 1 ? 16 : size_min(len, VECTOR_BYTES);
    v_t x;
    if (n == VECTOR_BYTES)
      x = v_load(p);
    else
      x = HAS_MASKS ? v_load_part(p, n) : v_from128(b_load(p));
    gf_mul_add_powers(s, v_xor(before, gf_int(x, hash)), h, i);
    before = v_zero();
  }
}
/* The reduction's first step, lo into mid; and all of it. */
INLINE v_t gf_reduce_mid(sum_t s) {
  return v_gf_fold_add(MIDDLE_TERM != FOUR_MULS ? v_xor3(s.mid, s.hi, s.lo) : s.mid, s.lo);
}
INLINE v_t gf_reduce(sum_t s) { return v_gf_fold_add(s.hi, gf_reduce_mid(s)); }
INLINE b_t b_gf_mul(b_t a, b_t b) {
  return b_xor(b_gf_hi(a, b), b_gf_fold(b_xor(b_gf_mid(a, b), b_gf_fold(b_gf_lo(a, b)))));
}
INLINE b_t b_gf_square(b_t a) { return b_xor(b_gf_hi(a, a), b_gf_fold(b_gf_fold(b_gf_lo(a, a)))); }

#if HASH_PAIRS
#include "pairs_t.h"
#endif

/* x * p, reduced, with one step of the reduction behind the product instead of two. WHY it is enough: p, at bit 0, is
 * the same element as folded at bit 64. With folded in place of p, the product of x's low half begins at bit 64, as
 * that of its high half does, so that the first step has nothing left to do. folded is made once if p stays the
 * same. Winograd's inner product has four multiplies, not five, but more XORs, which want the same units (T-090). */
INLINE v_t v_gf_mul(v_t x, v_t p) {
  v_t folded = v_gf_fold_add(v_zero(), p);
  return v_gf_fold_add(v_gf_highs(x, folded, p), v_gf_lows(x, folded, p));
}
/* Stores the vector p of powers at pow[i], and what belongs to it. */
INLINE v_t gf_store_power(struct rijn_hpow *h, int i, v_t p) {
  v_store(h->pow[i], p);
  if (GF_HAS_AUX)
    v_store(h->aux[i], v_halves(p));
  if (GF_HAS_PAIRS && i % (2 * VECTOR_BLOCKS) == 0 && i >= GF_FIRST_PAIR)
    gf_store_lanes(gf_halves_pair(h, (size_t)i, 0), v_halves2(p, v_load(h->pow[i + VECTOR_BLOCKS])));
  return p;
}
/* The first n powers from h1, which is H for POLYVAL and H * x^-1 for GHASH, and zeros behind; n is a multiple of
 * VECTOR_BLOCKS, of 2 VECTOR_BLOCKS if GF_HAS_PAIRS, and at least 2 VECTOR_BLOCKS. From the last vector of the table to
 * the first: three come one by one, from then on each is the last but one times H^(2 VECTOR_BLOCKS), so that two
 * products are under way at a time, which is enough to fill the multiplier. Distances that double, or four at a time,
 * are slower (T-092, T-093). */
INLINE void gf_make_powers(struct rijn_hpow *h, b_t h1, int n) {
#if VECTOR_BLOCKS == 1
  v_t p = h1, step = h1;
#elif VECTOR_BLOCKS == 2
  b_t h2 = b_gf_square(h1);
  v_t p = v_set2(h2, h1), step = v_bcast(h2);
#else
  b_t h2 = b_gf_square(h1), h4 = b_gf_square(h2);
  v_t p = v_set4(h4, b_gf_mul(h2, h1), h2, h1), step = v_bcast(h4);
#endif
  gf_store_power(h, N_POW - 1, v_zero()); /* its first lane will be H */
  v_t q = gf_store_power(h, N_POW - 2 * VECTOR_BLOCKS, v_gf_mul(gf_store_power(h, N_POW - VECTOR_BLOCKS, p), step));
  if (n == 2 * VECTOR_BLOCKS) /* a short message under a key of its own (T-295) */
    return;
  p = gf_store_power(h, N_POW - 3 * VECTOR_BLOCKS, v_gf_mul(q, step));
  step = v_bcast(v_first(q));
  for (int i = N_POW - 4 * VECTOR_BLOCKS; i >= N_POW - n; i -= VECTOR_BLOCKS) {
    v_t next = gf_store_power(h, i, v_gf_mul(q, step));
    q = p;
    p = next;
  }
#if HASH_PAIRS
  if (n == POWERS)
    gf_pairs_table(h);
#endif
}
/* Zeros in blocks from .. to-1, constants. WHY unrolled: the end of a loop would be mispredicted (T-153), and of a
 * plain one gcc makes a REP STOS, which takes long to start. */
INLINE void gf_clear_blocks(struct rijn_hpow *h, int from, const int to) {
  _Pragma("GCC unroll 72") for (; from + VECTOR_BLOCKS <= to; from += VECTOR_BLOCKS) v_store(h->pow[from], v_zero());
  for (; from < to; from++)
    b_store(h->pow[from], b_zero());
}
/* Zeros in all blocks that hold no power, aux or halves: another set's key may have been there. */
INLINE void gf_clear_rest(struct rijn_hpow *h) {
  enum {
    AUX = offsetof(struct rijn_hpow, aux) / 16,
    HALVES = offsetof(struct rijn_hpow, halves) / 16,
    PAIRED = GF_HAS_PAIRS ? GF_PAIR_BLOCKS * (N_POW - GF_FIRST_PAIR) / (2 * VECTOR_BLOCKS) : 0,
    ALL = sizeof *h / 16
  };
  gf_clear_blocks(h, GF_PAIRS_IN_SIDES ? PAIRED : 0, N_POW - POWERS);
  gf_clear_blocks(h, N_POW, GF_HAS_AUX || HASH_PAIRS ? AUX : ALL);
  if (GF_HAS_AUX || HASH_PAIRS) {
    gf_clear_blocks(h, AUX + (GF_HAS_AUX ? POWERS : 3 * PASS_VECTORS), HALVES);
    gf_clear_blocks(h, GF_PAIRS_IN_SIDES ? HALVES : HALVES + PAIRED, ALL);
  }
}
/* All powers of H, given in the standard's byte order. */
NOINLINE void ghash_powers(struct rijn_hpow *h, b_t hash_subkey) {
  gf_make_powers(h, b_gf_mul_x_inv(b_bswap(hash_subkey)), POWERS);
}

#if !HASH_PAIRS
/* 2P blocks at p, lane by lane: each vector times one power, H^(VECTOR_BLOCKS * j) for the j-th from the end. acc: the
 * lanes' sums so far. Twice as many as a pass of GCM has, because nothing else hides the reduction here (T-094). */
INLINE v_t gf_pass(const struct rijn_hpow *h, v_t acc, const uint8_t *p, const enum hash hash) {
  sum_t s = gf_zero();
  const uint8_t(*aux)[16] = GF_HAS_AUX ? h->aux : h->pow;
  size_t q = N_POW - 2 * P_BLOCKS;
  _Pragma("GCC unroll 1") for (int j = 0; j < PASS_VECTORS; j++, p += 32 * VECTOR_BLOCKS, q += 2 * VECTOR_BLOCKS) {
    v_t x = v_xor(acc, gf_int(v_load(p), hash)), y = gf_int(v_load(p + VECTOR_BYTES), hash), mid = s.mid;
    gf_mul_add2(&s, x, gf_load_lanes(h->pow[q]), gf_load_lanes(aux[q]), y, gf_load_lanes(h->pow[q + VECTOR_BLOCKS]),
                gf_load_lanes(aux[q + VECTOR_BLOCKS]));
    if (GF_HAS_PAIRS)
      s.mid = gf_mid_add2(mid, v_halves2(x, y), gf_load_lanes(gf_halves_pair(h, q, 0)));
    acc = v_zero();
  }
  return gf_join_lanes(gf_reduce(s));
}
#endif
/* The hash acc, an integer, goes on over len bytes at p, a multiple of 16. CT: len is public. */
INLINE b_t gf_bytes(const struct rijn_hpow *h, b_t acc, const uint8_t *p, size_t len, const enum hash hash) {
  v_t sum = v_from128(acc);
  if (len == 0)
    return acc;
  for (; len >= 16 * (2 * P_BLOCKS + VECTOR_BLOCKS); len -= 32 * P_BLOCKS, p += 32 * P_BLOCKS)
    sum = gf_pass(h, sum, p, hash);
  sum_t s = gf_zero();
  gf_mul_add_bytes(&s, sum, h, N_POW - len / 16, p, len, hash);
  return v_fold128(gf_reduce(s));
}
NOINLINE b_t ghash_bytes(const struct rijn_hpow *h, b_t acc, const uint8_t *p, size_t len) {
  return gf_bytes(h, acc, p, len, GHASH);
}
