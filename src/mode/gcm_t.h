/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: AES-GCM (SP 800-38D 7). Parameters as in ghash_t.h, and
 *   GCM_TV     vectors in a tail group; GCM_CASES is GCM_CASE(1) .. GCM_CASE(GCM_TV)
 *   GCM_SPILLS 1: too few registers, so that the stack is cleared. PERF: not where they suffice (portable.residue tells):
 *              loads wait for stores with the same address modulo 4096, and 512 bytes took 185 cycles instead of 152 by chance
 *   V_MASKED   1: partial loads and stores are single instructions; 0: they are long, and stand in one place
 *
 * A message up to the reach of the powers is seen as a stream of blocks: one of associated data, the text, the lengths. Where the
 * counter of block p would be, p + 1, the first block has exactly J0: so the head vector, with the associated data in
 * lane 0 and text in the others, makes E(J0) in passing. All is hashed with consecutive powers and one reduction.
 * A longer one has passes of P blocks, whose AES covers the multiplies of the pass before (encryption) or of the same (decryption,
 * whose ciphertext is there already), and then such a last group.
 *
 * Counters are kept in memory order where the nonce has 12 bytes: the counter is public there, and so is the test whether its last byte
 * overflows within the pass. A stream's may be secret (J0 is a GHASH then): those are kept as integers, and
 * turned, without a branch.
 */
/* Counters start at 2: a pass that lies in a page starts at 2, 2 + P .. and so does the table. */
enum { GCM_TABLE = 16 * (256 - P_BLOCKS) + 64 };
enum { PASS = 16 * P_BLOCKS, HEAD = 16 * (VB - 1), GROUP = 16 * VB * GCM_TV };

/* 1 where a block is the integer as it stands: the counter then needs no care. */
#ifndef BLOCK_IS_INTEGER
#define BLOCK_IS_INTEGER 0
#endif

typedef struct {
  v_t ctr;        /* counters of the next vector: blocks in memory order if PUBLIC, else integers */
  v_t acc;        /* sum so far, lane by lane; goes into the next vector that is hashed */
  sum_t s;        /* products that wait for a reduction */
  size_t hp;      /* place in the powers */
  uint32_t next;  /* PUBLIC: the counter of the next block */
  uint8_t *table; /* states after the first round, by the counter's last byte; NULL: none */
  v_t delta;      /* what this page adds to them */
} gcm_t;

enum { SECRET, PUBLIC };

/* Counter blocks of the next n vectors into x; n is a constant.
 * CT: the branch on the counter is taken for a PUBLIC one only. It asks whether the last byte overflows before the vector after. */
#define GCM_IN_BYTE(g, n) ((uint8_t)(g)->next <= 256 - VB * ((n) + 1))
#define GCM_COUNTERS(g, x, n, kind)                                                                                    \
  do {                                                                                                                 \
    if ((kind) == PUBLIC && (BLOCK_IS_INTEGER || __builtin_expect(GCM_IN_BYTE(g, n), 1))) {                            \
      EACH(i, n, x[i] = i ? v_add32((g)->ctr, v_bcast(b_be32(VB * i))) : (g)->ctr);                                    \
      (g)->ctr = v_add32((g)->ctr, v_bcast(b_be32(VB * (n))));                                                         \
    } else {                                                                                                           \
      v_t c_ =                                                                                                         \
          (kind) == SECRET ? (g)->ctr : v_add32(v_bcast(b_set32(b_bswap(v_first((g)->ctr)), (g)->next)), v_lanes(0));  \
      EACH(i, n, x[i] = v_bswap(v_add32(c_, v_bcast(b_int(VB * i)))));                                                 \
      c_ = v_add32(c_, v_bcast(b_int(VB * (n))));                                                                      \
      (g)->ctr = (kind) == SECRET ? c_ : v_bswap(c_);                                                                  \
    }                                                                                                                  \
    (g)->next += (uint32_t)(VB * (n));                                                                                 \
  } while (0)

INLINE void gcm_hash(gcm_t *g, const struct rijn_hpow *h, v_t data) {
  gf_mac_run(&g->s, v_xor(v_bswap(data), g->acc), h, g->hp);
  g->acc = v_zero();
  g->hp += VB;
}

/* Step of the multiplies of one pass: 2 a vector, then 2 of the reduction. */
#if GF_PAIRS
#define gcm_stitch(g, t, h, p, step) pairs_stitch(t, &(g)->acc, h, p, step)
#else
enum { STITCH_STEPS = 2 * GCM_NV + 2 };
typedef struct {
  v_t x;
  sum_t s;
} stitch_t;
INLINE void gcm_stitch(gcm_t *g, stitch_t *t, const struct rijn_hpow *h, const uint8_t *p, int step) {
  int j = step / 2, q = N_POW - VB * (GCM_NV - j);
  if (step < 2 * GCM_NV && step % 2 == 0) {
    t->x = v_bswap(v_load(p + 16 * VB * j));
    if (j == 0)
      t->x = v_xor(t->x, g->acc);
    v_t pow = v_bcast_mem(h->pow[q]);
    t->s.lo = v_xor(t->s.lo, v_gf_lo(t->x, pow));
    t->s.hi = v_xor(t->s.hi, v_gf_hi(t->x, pow));
    PIN(t->s.lo);
    PIN(t->s.hi);
  } else if (step < 2 * GCM_NV) {
#if GF_KARATSUBA
    t->s.mid = v_xor(t->s.mid, v_gf_lo(v_halves(t->x), v_bcast_mem(h->aux[q])));
#else
    t->s.mid = v_gf_mid_add(t->s.mid, t->x, v_bcast_mem(h->pow[q]));
#endif
    PIN(t->s.mid);
  } else if (step == 2 * GCM_NV) {
#if GF_KARATSUBA
    t->s.mid = v_xor3(t->s.mid, t->s.lo, t->s.hi);
#endif
    t->s.mid = v_gf_fold_add(t->s.mid, t->s.lo);
    PIN(t->s.mid);
  } else {
    g->acc = v_gf_fold_add(t->s.hi, t->s.mid);
  }
}
#endif

/* Counters that differ in the last byte only (a page of 256) differ in one column after the first round; those that
 * differ above it, in the other three. So the first page leaves its states after round 1 in a table, and on a later page such a
 * state is the table's, XOR a value that the page has: one load and one XOR for an addition, a key and a round. The idea is
 * Bernstein's and Schwabe's, FACE of TCHES 2018 has it for CTR. The table lies on the stack of the call and is wiped.
 * CT: it is indexed by the counter, which is public here: a stream, whose J0 may come from H, has no table. */
#define GCM_IN_PAGE(ctr) ((uint8_t)(ctr) <= 256 - VB * (GCM_NV + 1))
INLINE v_t gcm_delta(const gcm_t *g, b_t k0, b_t k1) {
  b_t nonce = b_bswap(v_first(g->ctr)), here = b_bswap(b_set32(nonce, g->next & ~UINT32_C(255)));
  b_t first = b_bswap(b_set32(nonce, 0));
  return v_bcast(b_xor(b_aes_round(b_aes_first(here, k0), k0, k1), b_aes_round(b_aes_first(first, k0), k0, k1)));
}

/* P blocks of keystream over in, while the P blocks at hashed (NULL: none) go into acc. */
INLINE void gcm_pass(gcm_t *g, const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, const uint8_t *hashed,
                     int kind) {
  const uint8_t *rk = k->rk.b + 16;
  stitch_t t;
  v_t x[9], k0, k1 = v_bcast_mem(rk);
  t.s = gf_zero();
  if (GCM_CACHE && kind == PUBLIC && g->table && g->next >= 256 && GCM_IN_PAGE(g->next)) {
    EACH(i, GCM_NV, x[i] = v_xor(v_load(g->table + 16 * ((uint8_t)g->next + VB * i)), g->delta));
    g->next += P_BLOCKS;
  } else {
    uint32_t was = g->next;
    GCM_COUNTERS(g, x, GCM_NV, kind);
    k0 = v_bcast_mem(k->rk.b);
    EACH(i, GCM_NV, x[i] = v_aes_first(x[i], k0));
    EACH(i, GCM_NV, x[i] = v_aes_round(x[i], k0, k1));
    if (GCM_CACHE && kind == PUBLIC && g->table) {
      if (GCM_IN_PAGE(was))
        EACH(i, GCM_NV, v_store(g->table + 16 * (was + (uint32_t)(VB * i)), x[i]));
      else
        g->delta = gcm_delta(g, v_first(k0), v_first(k1));
    }
  }
  k0 = k1;
  /* PERF: AES-192 and AES-256 by two branches: a loop here costs register moves, 2 % at 16 KiB. */
#define GCM_ROUND(at)                                                                                                  \
  do {                                                                                                                 \
    k1 = v_bcast_mem(at);                                                                                              \
    EACH(i, GCM_NV, x[i] = v_aes_round(x[i], k0, k1); PIN(x[i]));                                                      \
    k0 = k1;                                                                                                           \
  } while (0)
  if (k->rounds > 10) {
    GCM_ROUND(rk + 16);
    GCM_ROUND(rk + 32);
    if (k->rounds > 12) {
      GCM_ROUND(rk + 48);
      GCM_ROUND(rk + 64);
      rk += 32;
    }
    rk += 32;
  }
  /* Step s of the multiplies stands after round r, where s * 8 / STITCH_STEPS is r - 2. */
#define GCM_STITCHED(r)                                                                                                \
  do {                                                                                                                 \
    enum { FROM = STITCH_STEPS * ((r)-2) / 8, TO = STITCH_STEPS * ((r)-1) / 8 };                                       \
    GCM_ROUND(rk + 16 * ((r)-1));                                                                                      \
    if (hashed)                                                                                                        \
      EACH(i, 3, if (FROM + i < TO) gcm_stitch(g, &t, &k->h, hashed, FROM + i));                                       \
  } while (0)
  GCM_STITCHED(2);
  GCM_STITCHED(3);
  GCM_STITCHED(4);
  GCM_STITCHED(5);
  GCM_STITCHED(6);
  GCM_STITCHED(7);
  GCM_STITCHED(8);
  GCM_STITCHED(9);
#undef GCM_STITCHED
#undef GCM_ROUND
  k1 = v_bcast_mem(rk + 144);
  EACH(i, GCM_NV, x[i] = v_aes_last_xor(x[i], k0, k1, v_load(in + 16 * VB * i)));
  EACH(i, GCM_NV, v_store(out + 16 * VB * i, x[i]));
}

/* c vectors with consecutive powers; the last of them, if partial, has n bytes (1 .. 16 * VB). c is a constant. */
INLINE void gcm_group(gcm_t *g, const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t n, int partial,
                      int enc, const int c) {
  v_t x[9], d[9]; /* 9: what EACH can reach */
  GCM_COUNTERS(g, x, c, SECRET);
  AES_ENCRYPT(c, x, k->rk.b, k->rounds);
  EACH(i, c, {
    uint8_t *o = out + 16 * VB * i;
    if (partial && i == c - 1) {
      d[i] = v_load_part(in + 16 * VB * i, n);
      x[i] = v_keep(v_xor(x[i], d[i]), n);
      v_store_part(o, x[i], n);
    } else {
      d[i] = v_load(in + 16 * VB * i);
      x[i] = v_xor(x[i], d[i]);
      v_store(o, x[i]);
    }
  });
  EACH(i, c, gcm_hash(g, &k->h, enc ? x[i] : d[i]));
}
/* All passes; extra blocks will follow the text. Moves *out, *in and *len on, and sets hp. */
INLINE void gcm_bulk(gcm_t *g, const struct rijn_gcm *k, uint8_t **out, const uint8_t **in, size_t *len, size_t extra,
                     int enc, int kind) {
  if (enc && *len >= PASS) {
    gcm_pass(g, k, *out, *in, NULL, kind);
    for (*len -= PASS; *len >= PASS; *len -= PASS) {
      *in += PASS, *out += PASS;
      gcm_pass(g, k, *out, *in, *out - PASS, kind);
    }
    g->hp = N_POW - extra - P_BLOCKS - (*len + 15) / 16;
    EACH(i, GCM_NV, gcm_hash(g, &k->h, v_load(*out + 16 * VB * i)));
    *in += PASS, *out += PASS;
  } else {
    for (; *len >= 2 * PASS; *len -= PASS, *in += PASS, *out += PASS)
      gcm_pass(g, k, *out, *in, *in, kind);
    g->hp = N_POW - extra - (*len + 15) / 16;
  }
}

/* The head of a message: counters, E(J0) (returned), a (a block of associated data) and the first text. Moves *out, *in and
 * *len on, and hashes it with consecutive powers. */
INLINE b_t gcm_head(gcm_t *g, const struct rijn_gcm *k, uint8_t **out, const uint8_t **in, size_t *len, b_t a,
                    b_t nonce, int enc) {
  size_t n = size_min(*len, HEAD);
  v_t x[1], d;
  x[0] = v_xor(v_bcast(nonce), v_lanes_be(1));
  g->ctr = v_add32(v_bcast(b_bswap(nonce)), v_lanes(1 + VB));
  AES_ENCRYPT(1, x, k->rk.b, k->rounds);
  b_t ej0 = v_first(x[0]);
  d = v_head(a, *in, n);
  x[0] = v_xor(x[0], d);
  v_head_store(*out, x[0], n);
  gcm_hash(g, &k->h, enc ? v_head_keep(x[0], a, n) : d);
  *in = (const uint8_t *)((uintptr_t)*in + n); /* may be NULL with n = 0 */
  *out = (uint8_t *)((uintptr_t)*out + n);
  *len -= n;
  return ej0;
}

/* The end: at most a group of text, and the one reduction; the lengths are in g->s already. Returns the tag.
 * PERF: a function of its own, its vectors in registers, so that short and long messages share it: inlined
 * into both it made 21 KB of text, and a short message save registers that it does not need. */
INLINE b_t gcm_finish(gcm_t g, const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, b_t ej0,
                      int enc) {
  enum { V = 16 * VB };
  switch (V_MASKED ? (len + V - 1) / V : len / V) {
  case 0:
    break;
#define GCM_CASE(c)                                                                                                    \
  case c:                                                                                                              \
    gcm_group(&g, k, out, in, len - V * ((c)-1), V_MASKED, enc, c);                                                    \
    if (!V_MASKED)                                                                                                     \
      in += V * (c), out += V * (c), len -= V * (c);                                                                   \
    break;
    GCM_CASES
#undef GCM_CASE
  default:
    __builtin_unreachable();
  }
  if (!V_MASKED && len)
    gcm_group(&g, k, out, in, len, 1, enc, 1);
  return b_xor(b_bswap(v_fold128(gf_reduce(g.s))), ej0);
}
#define GCM_FINISH_ARGS                                                                                                \
  const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, size_t hp, v_t ctr, v_t acc, v_t lo, v_t mid, \
      v_t hi, b_t ej0
#define GCM_FINISH(k, out, in, len, g, ej0, tag)                                                                       \
  (k, out, in, len, (g).hp, (g).ctr, (g).acc, (g).s.lo, (g).s.mid, (g).s.hi, ej0, tag)
#define GCM_STATE                                                                                                      \
  { ctr, acc, {lo, mid, hi}, hp, 0, NULL, acc }
NOINLINE int gcm_finish_enc(GCM_FINISH_ARGS, uint8_t *tag) {
  b_store_upto16(tag, gcm_finish((gcm_t)GCM_STATE, k, out, in, len, ej0, 1), k->tag_len);
  CLEAR_REGS();
  return 0;
}
/* CT: the verdict is public; where the tags differ is not looked at. */
NOINLINE int gcm_finish_dec(GCM_FINISH_ARGS, const uint8_t *tag) {
  b_t mine = gcm_finish((gcm_t)GCM_STATE, k, out, in, len, ej0, 0);
  uint32_t differ = b_differ(b_keep(mine, k->tag_len), b_load_upto16(tag, k->tag_len));
  __asm__ volatile("" : "+r"(differ)); /* known before the registers are cleared: clang kept the tag until after */
  CLEAR_REGS();
  return differ ? -1 : 0;
}

/* Up to a block of associated data. It is public: the call may lose what it loses. */
#if V_MASKED
INLINE b_t gcm_one_aad(const uint8_t *aad, size_t n) { return b_load_upto16(aad, n); }
#else
NOINLINE b_t gcm_one_aad(const uint8_t *aad, size_t n) { return b_load_upto16(aad, n); }
#endif

/* A message longer than the powers reach, or with associated data of more than a block: up to its last group. */
INLINE b_t gcm_long(gcm_t *g, const struct rijn_gcm *k, uint8_t **out, const uint8_t **in, size_t *len,
                    const uint8_t *aad, size_t aad_len, const uint8_t *nonce, uint8_t *table, int enc) {
  b_t lengths = b_set64((uint64_t)aad_len << 3, (uint64_t)*len << 3), base = b_load12(nonce), a, ej0;
  g->acc = v_zero();
  g->s = gf_zero();
  size_t n = (*len + 15) / 16;
  if (aad_len <= 16) {
    a = gcm_one_aad(aad, aad_len);
  } else {
    size_t most = (aad_len - 1) / 16 * 16;
    a = ghash_bytes(&k->h, b_zero(), aad, most);
    a = b_xor(b_bswap(a), gcm_one_aad(aad + most, aad_len - most));
  }
  if (n <= N_POW - 2) {
    g->hp = N_POW - n - 2;
    ej0 = gcm_head(g, k, out, in, len, a, base, enc);
  } else {
    /* PERF: no text in the head here. Text moved by HEAD bytes crosses cache lines: 16 KiB took 2847 cycles, aligned 2689. */
    ej0 = b_encrypt(b_xor(base, b_be32(1)), k->rk.b, k->rounds);
    g->acc = v_from128(b_gf_mul(b_bswap(a), b_load(k->h.pow[N_POW - 1])));
    g->ctr = v_xor(v_bcast(base), v_lanes_be(2));
    g->next = 2;
    g->table = table;
    g->delta = v_zero();
    gcm_bulk(g, k, out, in, len, 1, enc, PUBLIC);
    g->ctr = v_add32(v_bcast(b_set32(b_bswap(base), g->next)), v_lanes(0));
  }
  for (; *len > GROUP; *len -= GROUP, *in += GROUP, *out += GROUP)
    gcm_group(g, k, *out, *in, 0, 0, enc, GCM_TV);
  gf_mac_run(&g->s, v_from128(lengths), &k->h, N_POW - 1);
  return ej0;
}
INLINE b_t gcm_short(gcm_t *g, const struct rijn_gcm *k, uint8_t **out, const uint8_t **in, size_t *len,
                     const uint8_t *aad, size_t aad_len, const uint8_t *nonce, int enc) {
  b_t lengths = b_set64((uint64_t)aad_len << 3, (uint64_t)*len << 3), a = gcm_one_aad(aad, aad_len);
  g->acc = v_zero();
  g->s = gf_zero();
  g->hp = N_POW - (*len + 15) / 16 - 2;
  b_t ej0 = gcm_head(g, k, out, in, len, a, b_load12(nonce), enc);
  gf_mac_run(&g->s, v_from128(lengths), &k->h, N_POW - 1);
  return ej0;
}

#ifdef GCM_NARROW
extern const struct rijn_impl GCM_NARROW; /* same key, narrower vectors: takes messages up to GCM_NARROW_MAX bytes */
#endif

/* The kernels of struct rijn_impl. CT: lengths and the nonce are public, and so is each branch on them. */
static void gcm_init(struct rijn_gcm *k, const uint8_t *raw) {
  expand_key(k->rk.b, raw, k->rounds);
  ghash_powers(&k->h, b_encrypt(b_zero(), k->rk.b, k->rounds));
  CLEAR_REGS();
}
static void ghash_init(struct rijn_ghash *k, const uint8_t h[16]) {
  ghash_powers(&k->h, b_load(h));
  CLEAR_REGS();
}
#define GCM_IS_LONG (len > HEAD + GROUP || aad_len > 16)
NOINLINE int gcm_encrypt_long(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                              size_t aad_len, const uint8_t *nonce, uint8_t *table, uint8_t *tag) {
  gcm_t g;
  b_t ej0 = gcm_long(&g, k, &out, &in, &len, aad, aad_len, nonce, table, 1);
  return gcm_finish_enc GCM_FINISH(k, out, in, len, g, ej0, tag);
}
NOINLINE int gcm_decrypt_long(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                              size_t aad_len, const uint8_t *nonce, uint8_t *table, const uint8_t *tag) {
  gcm_t g;
  b_t ej0 = gcm_long(&g, k, &out, &in, &len, aad, aad_len, nonce, table, 0);
  return gcm_finish_dec GCM_FINISH(k, out, in, len, g, ej0, tag);
}
NOINLINE int gcm_encrypt_short(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len,
                               const uint8_t *aad, size_t aad_len, const uint8_t *nonce, uint8_t *tag) {
  gcm_t g;
  b_t ej0 = gcm_short(&g, k, &out, &in, &len, aad, aad_len, nonce, 1);
  return gcm_finish_enc GCM_FINISH(k, out, in, len, g, ej0, tag);
}
NOINLINE int gcm_decrypt_short(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len,
                               const uint8_t *aad, size_t aad_len, const uint8_t *nonce, const uint8_t *tag) {
  gcm_t g;
  b_t ej0 = gcm_short(&g, k, &out, &in, &len, aad, aad_len, nonce, 0);
  return gcm_finish_dec GCM_FINISH(k, out, in, len, g, ej0, tag);
}
#if GCM_CACHE
/* With the table, which is wiped.
 * PERF: half a page away from out, for loads wait for stores with the same address modulo 4096: 16 KiB took 3571 cycles
 * instead of 3290 where chance had it so. */
#define GCM_CACHED(name, k, out, in, len, aad, aad_len, nonce, tag)                                                    \
  _Alignas(64) uint8_t room[4096 + GCM_TABLE];                                                                         \
  uint8_t *table = room + (((uintptr_t)out - (uintptr_t)room + 2048) & 4032);                                          \
  int r = name(k, out, in, len, aad, aad_len, nonce, table + 32, tag);                                                 \
  _Pragma("GCC unroll 4") for (int i = 64; i < GCM_TABLE; i += 16 * VB) v_store(table + i, v_zero());                  \
  __asm__ volatile("" ::"r"(room) : "memory");                                                                         \
  return r;
NOINLINE int gcm_encrypt_cached(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len,
                                const uint8_t *aad, size_t aad_len, const uint8_t *nonce, uint8_t *tag){
    GCM_CACHED(gcm_encrypt_long, k, out, in, len, aad, aad_len, nonce, tag)} NOINLINE
    int gcm_decrypt_cached(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                           size_t aad_len, const uint8_t *nonce, const uint8_t *tag) {
  GCM_CACHED(gcm_decrypt_long, k, out, in, len, aad, aad_len, nonce, tag)
}
/* PERF: AES-128 gains later, for there the AES port is not all: at 16 KiB it lost 3 %, at 64 KiB it gains 5 %. */
#define GCM_IS_CACHED (len >= (k->rounds > 10 ? GCM_CACHE : 2 * GCM_CACHE))
#else
#define GCM_IS_CACHED 0
#define gcm_encrypt_cached gcm_encrypt_short
#define gcm_decrypt_cached gcm_decrypt_short
#endif

static int gcm_encrypt(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                       size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t *tag) {
  (void)nonce_len;
#ifdef GCM_NARROW
  if (len <= GCM_NARROW_MAX && aad_len <= 16)
    return GCM_NARROW.gcm_encrypt(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);
#endif
  if (__builtin_expect(GCM_IS_LONG, 0)) {
    if (GCM_IS_CACHED)
      return gcm_encrypt_cached(k, out, in, len, aad, aad_len, nonce, tag);
    gcm_encrypt_long(k, out, in, len, aad, aad_len, nonce, NULL, tag);
    if (GCM_SPILLS)
      burn_768();
    return 0;
  }
  gcm_encrypt_short(k, out, in, len, aad, aad_len, nonce, tag);
  if (GCM_SPILLS)
    burn_384();
  return 0;
}
static int gcm_decrypt(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                       size_t aad_len, const uint8_t *nonce, size_t nonce_len, const uint8_t *tag) {
  int bad;
  (void)nonce_len;
#ifdef GCM_NARROW
  if (len <= GCM_NARROW_MAX && aad_len <= 16)
    return GCM_NARROW.gcm_decrypt(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);
#endif
  if (__builtin_expect(GCM_IS_LONG, 0)) {
    bad = GCM_IS_CACHED ? gcm_decrypt_cached(k, out, in, len, aad, aad_len, nonce, tag)
                        : gcm_decrypt_long(k, out, in, len, aad, aad_len, nonce, NULL, tag);
    if (GCM_SPILLS)
      burn_768();
  } else {
    bad = gcm_decrypt_short(k, out, in, len, aad, aad_len, nonce, tag);
    if (GCM_SPILLS)
      burn_384();
  }
  if (__builtin_expect(bad, 0) && len)
    memset(out, 0, len);
  return bad;
}
INLINE void gcm_blocks(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk, uint8_t ctr[16],
                       uint8_t acc[16], int enc) {
  gcm_t g;
  size_t len = 16 * nblk;
  if (nblk == 0) {
    CLEAR_REGS();
    return;
  }
  b_t j = b_bswap(b_load(ctr));
  g.ctr = v_add32(v_bcast(j), v_lanes(0));
  g.next = 0;
  g.acc = v_from128(b_bswap(b_load(acc)));
  g.s = gf_zero();
  gcm_bulk(&g, k, &out, &in, &len, 0, enc, SECRET);
  for (size_t n; len; in += n, out += n, len -= n) {
    n = size_min(len, 16 * VB);
    gcm_group(&g, k, out, in, n, 1, enc, 1);
  }
  b_store(acc, b_bswap(v_fold128(gf_reduce(g.s))));
  b_store(ctr, b_bswap(b_add32(j, (uint32_t)nblk)));
  CLEAR_REGS();
}
#define GCM_BLOCKS(name, enc)                                                                                          \
  NOINLINE void name##_body(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk, uint8_t ctr[16],   \
                            uint8_t acc[16]) {                                                                         \
    gcm_blocks(k, out, in, nblk, ctr, acc, enc);                                                                       \
  }                                                                                                                    \
  static void name(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk, uint8_t ctr[16],            \
                   uint8_t acc[16]) {                                                                                  \
    name##_body(k, out, in, nblk, ctr, acc);                                                                           \
    burn_384();                                                                                                        \
  }
GCM_BLOCKS(gcm_enc_blocks, 1)
GCM_BLOCKS(gcm_dec_blocks, 0)
static void ghash_blocks(const struct rijn_hpow *h, uint8_t acc[16], const uint8_t *in, size_t nblk) {
  b_store(acc, b_bswap(ghash_bytes(h, b_bswap(b_load(acc)), in, 16 * nblk)));
  CLEAR_REGS();
  burn_384();
}
