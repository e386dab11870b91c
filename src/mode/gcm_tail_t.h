/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: the end of a GCM message, and all of a short one: what the powers of H reach. Parameter:
 *   V_MASKED  1: partial loads and stores are single instructions; 0: they are long, and go through a buffer
 *
 * Text lies in vectors as it lies in memory, and the last lane of the last vector is not for text: there J0 is
 * encrypted, and there the associated data is hashed, for the place of a block in a sum of products is free as long as its
 * power goes with it. So a short message is one sum with one reduction, whatever its length, and no lane has to move.
 *
 * REJECTED: J0 and the associated data in lane 0, text behind it. It had to be turned by shuffles there and back:
 * 16, 64, 200 bytes 33, 48, 81 cycles instead of 28, 41, 66.
 */
#define CTR_1(i)                                                                                                       \
  { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (i) }
#define CTR_5(i) CTR_1(i), CTR_1((i) + 1), CTR_1((i) + 2), CTR_1((i) + 3), CTR_1((i) + 4)
#define CTR_20(i) CTR_5(i), CTR_5((i) + 5), CTR_5((i) + 10), CTR_5((i) + 15)
/* The counters of a short message's text, and of J0. */
static const uint8_t tail_ctr[40][16] = {CTR_20(2), CTR_20(22)}, tail_j0[16] = CTR_1(1);
_Static_assert(N_POW - 2 + VB <= 40, "too few counters");

/* Vectors in the last group at most. REJECTED: 3 (200 bytes with 512-bit vectors 68 cycles instead of 63), 5 (500 bytes with 256-bit
 * vectors 155 instead of 135). */
enum { TAIL_TV = 4, TAIL_V = 16 * VB, TAIL_REACH = 16 * (N_POW - 2) };

typedef struct {
  sum_t s;                  /* the lengths' product at least */
  v_t base;                 /* in each lane: the nonce, a counter of 0, and the first round key added */
  b_t a;                    /* associated data, hashed to a block; VB == 1: it is in s */
  size_t hp;                /* place in the powers of the next block of text */
  b_t ap, ah;               /* the power for a, and its halves */
  const uint8_t (*ctr)[16]; /* of the next block of text */
} tail_t;

#if !V_MASKED
_Static_assert(VB <= 2, "a last vector has no text, or a block");
/* The text of the last two vectors: as it lies, or, if its last block is partial, the vector with that in a buffer. */
typedef struct {
  const uint8_t *in[2];
  uint8_t *out[2];
  size_t n[2];
} edge_t;
/* n bytes, of at most a vector; out has room for a vector. */
NOINLINE void edge_load(uint8_t *buf, const uint8_t *in, size_t n) {
  size_t whole = n & ~(size_t)15;
  v_store(buf, v_zero());
  if (VB > 1 && whole)
    b_store(buf, b_load(in));
  b_store(buf + whole, b_load_part(in + whole, n & 15));
}
NOINLINE void edge_store(uint8_t *out, uint8_t *buf, size_t n) {
  size_t whole = n & ~(size_t)15;
  if (VB > 1 && whole)
    b_store(out, b_load(buf));
  b_store_part(out + whole, b_load(buf + whole), n & 15);
  v_store(buf, v_zero());
  __asm__ volatile("" ::"r"(buf) : "memory");
}
#endif

/* Text from vector i on; more than a vector's is a vector's. */
#define TAIL_LEFT(n, i) ((n) > (size_t)TAIL_V * (i) ? (n)-TAIL_V * (i) : 0)

/* c vectors; in the last group, J0 and n bytes of text. c, last and enc are constants. Returns the last keystream. */
INLINE v_t tail_group(tail_t *g, const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t n, const void *edge,
                      const int c, const int last, const int enc) {
  v_t x[9], d[9], p[9], h[9], end = g->base; /* 9: what EACH can reach */
  (void)n, (void)edge;
  EACH(i, c, {
    v_t ctr = v_load(g->ctr + VB * i);
    x[i] = v_xor(g->base, last && i == c - 1 ? v_with_last(ctr, b_load(tail_j0)) : ctr);
  });
  EACH(i, c, {
    if (!last || i < c - 2) {
      d[i] = v_load(in + TAIL_V * i);
    } else {
#if V_MASKED
      d[i] = v_load_part(in + TAIL_V * i, TAIL_LEFT(n, i));
#else
      const edge_t *e = edge;
      d[i] = i < c - 1 ? v_load(e->in[0]) : VB > 1 && e->n[1] ? v_from128(b_load(e->in[1])) : v_zero();
#endif
    }
  });
  AES_XOR(c, x, d, k->rk.b, k->rounds);
  EACH(i, c, {
    if (!last || i < c - 2) {
      v_store(out + TAIL_V * i, x[i]);
      d[i] = enc ? x[i] : d[i];
    } else {
#if V_MASKED
      v_store_part(out + TAIL_V * i, x[i], TAIL_LEFT(n, i));
      if (i < c - 1)
        d[i] = enc ? v_keep(x[i], TAIL_LEFT(n, i)) : d[i];
      else
        d[i] = enc ? v_keep_with_last(x[i], TAIL_LEFT(n, i), g->a) : v_with_last(d[i], g->a);
#else
      const edge_t *e = edge;
      if (i < c - 1) {
        v_store(e->out[0], x[i]);
        d[i] = enc ? v_keep(x[i], e->n[0]) : d[i];
      } else {
        if (VB > 1 && e->n[1])
          b_store(e->out[1], v_first(x[i]));
        d[i] = v_with_last(enc && VB > 1 ? v_keep(x[i], e->n[1]) : d[i], g->a);
      }
#endif
    }
    end = x[i];
    if (VB > 1 || !last || i < c - 1) {
      p[i] = v_load(k->h.pow[g->hp + VB * i]);
      h[i] = GF_KARATSUBA ? v_load(k->h.aux[g->hp + VB * i]) : p[i];
      if (last && i == c - 1) {
        p[i] = v_with_last(p[i], g->ap);
        h[i] = GF_KARATSUBA ? v_with_last(h[i], g->ah) : p[i];
      }
      d[i] = v_bswap(d[i]);
    }
  });
  const int hashed = VB == 1 && last ? c - 1 : c;
  EACH(i, hashed, {
    if (i % 2 == 1)
      gf_mac2(&g->s, d[i - (i > 0)], p[i - (i > 0)], h[i - (i > 0)], d[i], p[i], h[i]);
    else if (i == hashed - 1)
      gf_mac(&g->s, d[i], p[i], h[i]);
  });
  return end;
}

/* What is left of a message. Returns the tag. */
INLINE b_t tail_all(tail_t *g, const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const int enc) {
  size_t c = (len + 15) / TAIL_V + 1; /* vectors, J0's among them */
  v_t end;
  /* One fewer than the last group can have: at least two vectors stay, so that the text's end lies in the last group. */
  enum { GROUP = TAIL_TV - 1 };
  g->ap = b_load(k->h.pow[g->hp - 1]);
  g->ah = b_load((GF_KARATSUBA ? k->h.aux : k->h.pow)[g->hp - 1]);
  for (; c > TAIL_TV; c -= GROUP) {
    tail_group(g, k, out, in, 0, NULL, GROUP, 0, enc);
    in += TAIL_V * GROUP, out += TAIL_V * GROUP, len -= TAIL_V * GROUP;
    g->hp += VB * GROUP, g->ctr += VB * GROUP;
  }
  const void *edge = NULL;
#if !V_MASKED
  _Alignas(16 * VB) uint8_t buf[TAIL_V];
  size_t at1 = (c - 1) * TAIL_V, at0 = c > 1 ? at1 - TAIL_V : 0, part = len & 15;
  size_t n1 = len > at1 ? len - at1 : 0, n0 = len - n1 - at0;
  edge_t e = {{in + at0, in + at1}, {out + at0, out + at1}, {n0, n1}};
  int j = VB > 1 && n1;
  if (part) {
    edge_load(buf, e.in[j], e.n[j]);
    e.in[j] = e.out[j] = buf;
  }
  edge = &e;
#endif
  switch (c) {
#define TAIL_CASE(c)                                                                                                   \
  case c:                                                                                                              \
    end = tail_group(g, k, out, in, len, edge, c, 1, enc);                                                             \
    break;
    TAIL_CASE(1)
    TAIL_CASE(2)
    TAIL_CASE(3)
    TAIL_CASE(4)
#undef TAIL_CASE
  default:
    __builtin_unreachable();
  }
#if !V_MASKED
  if (part)
    edge_store(out + (j ? at1 : at0), buf, j ? n1 : n0);
#endif
  return v_fold128(v_xor_last(v_bswap(gf_reduce(g->s)), end));
}

/* The end of every kernel. */
NOINLINE int tail_end(int r) {
  CLEAR_REGS();
  return r;
}
