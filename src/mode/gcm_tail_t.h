/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: the end of a GCM message, and all of a short one: up to GCM_REACH bytes. Parameter:
 *   V_MASKED  1: partial loads and stores are single instructions; 0: they are long, and go through a buffer
 *   TAIL_FROM 1; or 2 where V_MASKED and another set has the messages of less than a vector: the last group has two vectors at least, and up to five
 *
 * Text lies in vectors as it lies in memory, and the last lane of the last vector is not for text: there J0 is encrypted. The
 * lengths and the associated data are in the sum before, for the place of a block in a sum of products is free as long as its power
 * goes with it. So a short message is one sum with one reduction, whatever its length, and no lane has to move. One of up to
 * GCM_REACH bytes is several.
 *
 * REJECTED: J0 and the associated data in lane 0, text behind it. It had to be turned by shuffles there and back:
 * 16, 64, 200 bytes 33, 48, 81 cycles instead of 28, 41, 66.
 * REJECTED: the lengths and the associated data in spare lanes of the last vector. Four multiplies fewer, but these wait for the
 * cipher, and the others do not: 64 bytes 43 cycles instead of 40.
 * Encrypted with AVX-512, a group is hashed behind the AES of the next (gcm_call_t.h), so that it waits for nothing. REJECTED: the first
 * group's AES before the loop, and the last hash behind it: 840 bytes more, and no faster; with AVX2 too: up to 544 bytes in 1 to 7 % more
 * cycles; one function for both directions: 300 to 800 bytes in 2 to 5 % more. Longer messages by such groups, with a reduction where
 * the powers end: 4096 bytes as passes have it, 8192 bytes 9 % more.
 */
/* Vectors in the last group at most, and bytes of text. REJECTED: 3 vectors (200 bytes with 512-bit vectors 68 cycles instead of 63), 5 (500
 * bytes with 256-bit vectors 155 instead of 135). On Zen 3, which looks ahead less far, 6 (one block a vector) took
 * 64 to 320 bytes in 5 to 20 % fewer cycles, 8 (256-bit vectors) 128 to 544 in 4 to 17 %; kernels of 4 to 12 KB more, which is too much. */
enum { TAIL_TV = TAIL_FROM + 3, TAIL_V = 16 * VB, TAIL_LAST = TAIL_TV * TAIL_V - 16 };
/* Vectors in another, one fewer: at least two stay for the last, so that the text's end lies there; and their bytes. */
enum { TAIL_GROUP = TAIL_TV - 1, TAIL_STEP = TAIL_GROUP * TAIL_V };
/* Bytes of text in one sum, and in a sum that another follows, which has to have a group. */
enum { TAIL_REACH = 16 * (GCM_POWERS - 2), TAIL_SUM = (TAIL_REACH - TAIL_LAST) / TAIL_STEP * TAIL_STEP };
#ifndef GCM_REACH
#define GCM_REACH TAIL_REACH
#endif
_Static_assert((GCM_REACH / 16 / VB + 1) * VB < (GCM_ROUND1 ? (int)GCM_ROWS : RIJN_COUNTERS), "too few counters");

typedef struct {
  sum_t s;  /* the products of the lengths and of associated data at least */
  v_t base; /* in each lane: the nonce, a counter of 0, and the first round key added; if GCM_ROUND1, after that round */
  const uint8_t (*ctr)[16]; /* what the counter of the next block of text adds to it */
  const uint8_t *pow;       /* powers from that on which belongs to this block */
  sum_t last;               /* of several sums, what the last begins with: the product of the lengths */
} tail_t;
/* Powers from that on which belongs to the first of n bytes that are left in a sum; aux has what goes with each TAIL_AUX bytes behind. */
enum { TAIL_AUX = GF_AUX ? offsetof(struct rijn_hpow, aux) : 0 };
INLINE const uint8_t *tail_pow(const struct rijn_gcm *k, size_t n) {
  return (const uint8_t *)k->h.pow + (16 * (N_POW - 1) - ((n + 15) & ~(size_t)15));
}
/* How many of the n bytes that are left are in the sum that starts with them? */
INLINE size_t tail_sum(size_t n) { return GCM_REACH > TAIL_REACH && n > TAIL_REACH ? TAIL_SUM : n; }

#if !V_MASKED
_Static_assert(VB <= 2, "a last vector has no text, or a block");
/* n bytes, of at most a vector; buf has room for a vector. PERF: one store, for a load of what several have stored waits until they
 * are in the cache, and so messages do not overlap: 63 bytes with 256-bit vectors 20 % fewer cycles. */
NOINLINE void edge_load(uint8_t *buf, const uint8_t *in, size_t n) { v_store(buf, v_load_part(in, n)); }
NOINLINE void edge_store(uint8_t *out, uint8_t *buf, size_t n) {
  v_store_part(out, v_load(buf), n);
  wipe(buf, TAIL_V);
}
#endif

/* The next sum, with n bytes left. It begins with the sum before, times a power of H for each block that is to come; the one that the
 * lengths add is there already, for each sum is made as though they stood at its end.
 * PERF: behind the AES of a group, which then has not to wait. REJECTED: before it: 1420 bytes in 7 % more cycles, not 4; at the end,
 * with both sums kept: 200 bytes with 256-bit vectors 5 % more. */
INLINE void tail_next(tail_t *g, const struct rijn_gcm *k, size_t n) {
  v_t before = gf_reduce(g->s);
  g->pow = tail_pow(k, tail_sum(n));
  g->s = tail_sum(n) == n ? g->last : gf_zero();
  gf_mac(&g->s, before, v_bcast_mem(g->pow + 16), v_bcast_mem(g->pow + 16 + TAIL_AUX));
}
/* Is vector i one of whole text? */
#define TAIL_WHOLE(i) (!last || (i) < c - 2 || (V_MASKED && (i) == c - 2 && n >= at))
/* Is the last vector but one loaded by a mask, be it whole or not? It is less code, where there is no room for two ways, and 1 % more cycles
 * (Zen 4, up to 304 bytes; none with 256-bit vectors). */
#define TAIL_ONE_LOAD(c) (V_MASKED && (VB == 2 ? (c) == TAIL_TV : GF_KARATSUBA == 3 && (c) >= 2 * TAIL_FROM))

/* Vector i of c goes into the sum; d: text as it lies in memory. Two at once where there are two. */
INLINE void tail_mac(tail_t *g, v_t *d, int i, const int c, const int last) {
  const uint8_t *p = g->pow + TAIL_V * i;
  d[i] = v_bswap(d[i]);
  if (i % 2 == 1 && !(last && i == c - 1))
    gf_mac2(&g->s, d[i - (i > 0)], v_load(p - TAIL_V), v_load(p - TAIL_V + TAIL_AUX), d[i], v_load(p),
            v_load(p + TAIL_AUX));
  else if (i >= c - 2 + (c % 2 == 1 || !last))
    gf_mac(&g->s, d[i], v_load(p), v_load(p + TAIL_AUX));
}
/* A group goes into the sum, with n bytes left. */
INLINE void tail_hash(tail_t *g, const struct rijn_gcm *k, v_t *d, size_t n) {
  if (GCM_REACH > TAIL_REACH && __builtin_expect(g->pow == tail_pow(k, 0), 0))
    tail_next(g, k, n);
  EACH(i, TAIL_GROUP, tail_mac(g, d, i, TAIL_GROUP, 0));
  g->pow += TAIL_STEP;
}

/* c vectors of the n bytes left; in the last group all of them, and J0. c, last and enc are constants. edge is for what is less
 * than a vector, unless V_MASKED. Returns the last keystream. */
INLINE v_t tail_group(tail_t *g, const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t n, uint8_t *edge,
                      v_t *d, const int c, const int last, const int enc) {
  v_t x[9]; /* 9: what EACH can reach */
  /* Rounds written out. PERF: where passes are long and so groups have not room for all: 300 to 2048 bytes in up to 1 % more cycles. */
  const int left = last || GF_KARATSUBA != 3 ? 10 - GCM_ROUND1 : 5;
  const size_t at = TAIL_V * (size_t)(c - 1);
  const int text = !last || (VB > 1 && ((V_MASKED && c == 1) || n > at)); /* the last vector has some */
  (void)edge;
  EACH(i, c, {
    v_t ctr = v_load(g->ctr + VB * i);
    x[i] =
        v_xor(g->base, last && i == c - 1 ? v_with_last(ctr, b_load(GCM_ROUND1 ? k->round1[0] : *COUNTERS(1))) : ctr);
  });
  EACH(i, c, {
    d[i] = v_zero();
    if (TAIL_WHOLE(i) && !(last && i == c - 2 && TAIL_ONE_LOAD(c)))
      d[i] = v_load(in + TAIL_V * i);
    else if (i < c - 1 || text)
#if V_MASKED
      d[i] = v_load_part(in + TAIL_V * i, n - TAIL_V * i);
#else
      d[i] = i < c - 1 ? v_load(n < at ? edge : in + TAIL_V * i) : v_from128(b_load(n & 15 ? edge : in + at));
#endif
  });
  AES_XOR(c, x, d, k->rk.b + 16 * GCM_ROUND1, k->rounds, GCM_ROUND1, left);
  EACH(i, c, {
    if (i < c - 1 || text) {
      if (enc)
        d[i] = x[i];
      if (TAIL_WHOLE(i)) {
        v_store(out + TAIL_V * i, x[i]);
      } else {
#if V_MASKED
        v_store_part(out + TAIL_V * i, x[i], n - TAIL_V * i);
#else
        if (i < c - 1)
          v_store(n < at ? edge : out + TAIL_V * i, x[i]);
        else
          b_store(n & 15 ? edge : out + at, v_first(x[i]));
#endif
        if (enc)
          d[i] = v_keep(x[i], V_MASKED ? n - TAIL_V * i : size_min(n - TAIL_V * i, TAIL_V));
      }
      if (last)
        tail_mac(g, d, i, c, 1);
    }
  });
  return x[c - 1];
}

/* What is left of a message, at most TAIL_LAST bytes. Returns the tag. */
INLINE b_t tail_all(tail_t *g, const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const int enc) {
  uint8_t *edge = NULL;
  g->pow = tail_pow(k, len);
#if !V_MASKED
  _Alignas(16 * VB) uint8_t buf[TAIL_V];
  size_t part = len & 15, at = part ? (len - 1) / TAIL_V * TAIL_V : 0;
  edge = buf;
  if (part)
    edge_load(buf, in + at, len - at);
#endif
#define TAIL_END(c) tail_group(g, k, out, in, len, edge, d, c, 1, enc)
  v_t d[9], end = len <= TAIL_FROM * TAIL_V - 16         ? TAIL_END(TAIL_FROM)
                  : len <= (TAIL_FROM + 1) * TAIL_V - 16 ? TAIL_END(TAIL_FROM + 1)
                  : len <= (TAIL_FROM + 2) * TAIL_V - 16 ? TAIL_END(TAIL_FROM + 2)
                                                         : TAIL_END(TAIL_TV);
#if !V_MASKED
  if (part)
    edge_store(out + at, buf, len - at);
#endif
  return v_fold128(v_xor_last(v_bswap(gf_reduce(g->s)), end));
}

/* The text of a message that is not authentic is not handed out. */
NOINLINE int tail_forged(uint8_t *out, size_t len) {
  memset(out, 0, len);
  return -1;
}
