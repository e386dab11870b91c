/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: AES-GCM (SP 800-38D 7). Parameters as in ghash_t.h, and
 *   GCM_SPILLS 1: too few registers, so that the stack is cleared. PERF: not where they suffice (portable.residue tells):
 *              loads wait for stores with the same address modulo 4096, and 512 bytes took 185 cycles instead of 152 by chance
 *
 * A message within the reach of the powers is all tail (gcm_tail_t.h). A longer one has passes of P blocks before, whose AES
 * covers the multiplies of the pass before (encryption) or of the same (decryption, whose ciphertext is there already).
 *
 * Counters are kept in memory order where the nonce has 12 bytes: the counter is public there, and so is the test whether its last byte
 * overflows within the pass. A stream's may be secret (J0 is a GHASH then): those are kept as integers, and
 * turned, without a branch.
 */
/* Counters start at 2: a pass that lies in a page starts at 2, 2 + P .. and so does the table. */
enum { GCM_TABLE = 16 * (256 - P_BLOCKS) + 64 };
enum { PASS = 16 * P_BLOCKS };

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

/* A vector of whole blocks, n bytes (16 .. 16 * VB) of a stream's text, with consecutive powers. */
INLINE void gcm_vector(gcm_t *g, const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t n, int enc) {
  v_t x[9], d[9]; /* 9: what EACH can reach */
  d[0] = v_load_part(in, n);
  GCM_COUNTERS(g, x, 1, SECRET);
  x[0] = v_aes_first(x[0], v_bcast_mem(k->rk.b));
  AES_XOR(1, x, d, k->rk.b, k->rounds);
  v_store_part(out, x[0], n);
  gcm_hash(g, &k->h, enc ? v_keep(x[0], n) : d[0]);
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
    /* A vector stays, for the sum of the last pass is added to it. */
    for (; *len >= PASS + 16 * VB; *len -= PASS, *in += PASS, *out += PASS)
      gcm_pass(g, k, *out, *in, *in, kind);
    g->hp = N_POW - extra - (*len + 15) / 16;
  }
}

#include "gcm_tail_t.h"

/* Associated data as one block: whole blocks hashed, and added to the last. It is public: the call may lose what it loses. */
NOINLINE b_t gcm_aad(const struct rijn_gcm *k, const uint8_t *aad, size_t n) {
  size_t most = n ? (n - 1) / 16 * 16 : 0;
  b_t last = b_load_upto16(aad + most, n - most);
  return n <= 16 ? last : b_xor(b_bswap(ghash_bytes(&k->h, b_zero(), aad, most)), last);
}
/* The sums and the place of a message that is all tail. */
INLINE void gcm_start(tail_t *g, const struct rijn_gcm *k, size_t len, b_t a, size_t aad_len, const uint8_t *nonce) {
  v_t lengths = v_from128(b_set64((uint64_t)aad_len << 3, (uint64_t)len << 3)), h = v_load(k->h.pow[N_POW - 1]);
  g->s.lo = v_gf_lo(lengths, h);
  g->s.hi = v_gf_hi(lengths, h);
#if GF_KARATSUBA
  g->s.mid = v_gf_lo(v_halves(lengths), v_load(k->h.aux[N_POW - 1]));
#else
  g->s.mid = v_gf_mid_add(v_zero(), lengths, h);
#endif
  g->hp = N_POW - 1 - (len + 15) / 16;
  g->base = v_nonce_first(nonce, v_bcast_mem(k->rk.b));
  g->ctr = tail_ctr;
  g->a = a;
  if (VB == 1)
    gf_mac_run(&g->s, v_bswap(v_from128(a)), &k->h, g->hp - 1);
}

/* A message beyond the reach of the powers, or with more associated data than a block: up to its tail, whose counters go
 * to ctr. */
enum { LONG_CTR = P_BLOCKS + 3 * VB };
INLINE void gcm_long(tail_t *t, const struct rijn_gcm *k, uint8_t **out, const uint8_t **in, size_t *len,
                     const uint8_t *aad, size_t aad_len, const uint8_t *nonce, uint8_t *table, uint8_t (*ctr)[16],
                     int enc) {
  b_t a = gcm_aad(k, aad, aad_len);
  if (*len <= TAIL_REACH) {
    gcm_start(t, k, *len, a, aad_len, nonce);
    return;
  }
  b_t base = b_load12(nonce);
  gcm_t g;
  uint64_t text_len = *len;
  g.s = gf_zero();
  g.acc = v_from128(b_gf_mul(b_bswap(a), b_load(k->h.pow[N_POW - 1])));
  g.ctr = v_xor(v_bcast(base), v_lanes_be(2));
  g.next = 2;
  g.table = table;
  g.delta = v_zero();
  gcm_bulk(&g, k, out, in, len, 1, enc, PUBLIC);
  /* What waits to be added to the next vector goes into the sum, by the powers of that. */
  if (!enc)
    gf_mac_run(&g.s, g.acc, &k->h, g.hp);
  gf_mac_run(&g.s, v_from128(b_set64((uint64_t)aad_len << 3, text_len << 3)), &k->h, N_POW - 1);
  t->s = g.s;
  t->hp = g.hp;
  t->base = v_nonce_first(nonce, v_bcast_mem(k->rk.b));
  t->a = b_zero();
  t->ctr = (const uint8_t(*)[16])ctr;
  for (size_t i = 0; i <= *len / 16 + 1; i += VB)
    v_store(ctr[i], v_bswap(v_add32(v_bcast(b_set32(b_zero(), g.next + (uint32_t)i)), v_lanes(0))));
}

static void gcm_init(struct rijn_gcm *k, const uint8_t *raw) {
  expand_key(k->rk.b, raw, k->rounds);
  ghash_powers(&k->h, b_encrypt(b_zero(), k->rk.b, k->rounds));
  CLEAR_REGS();
}
static void ghash_init(struct rijn_ghash *k, const uint8_t h[16]) {
  ghash_powers(&k->h, b_load(h));
  CLEAR_REGS();
}
/* PERF: where nothing has to follow, these are functions of their own, so that the short way saves no register for them. */
#if GCM_SPILLS
#define GCM_OTHER INLINE
#else
#define GCM_OTHER NOINLINE
#endif
#ifdef GCM_NARROW
extern const struct rijn_impl GCM_NARROW; /* same key, narrower vectors: takes messages up to GCM_NARROW_MAX bytes */
#define GCM_SHORT NOINLINE
#else
#define GCM_SHORT INLINE
#endif
#define GCM_ENC 1
#include "gcm_call_t.h"
#define GCM_ENC 0
#include "gcm_call_t.h"

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
    gcm_vector(&g, k, out, in, n, enc);
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
    burn_512();                                                                                                        \
  }
GCM_BLOCKS(gcm_enc_blocks, 1)
GCM_BLOCKS(gcm_dec_blocks, 0)
static void ghash_blocks(const struct rijn_hpow *h, uint8_t acc[16], const uint8_t *in, size_t nblk) {
  b_store(acc, b_bswap(ghash_bytes(h, b_bswap(b_load(acc)), in, 16 * nblk)));
  CLEAR_REGS();
  burn_384();
}
