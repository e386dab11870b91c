/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: AES-GCM (SP 800-38D 7). Parameters as in ghash_t.h.
 *
 * A message is: associated data; passes of P blocks, in which the AES of one pass covers the multiplies of the pass before
 * (encryption) or of the same (decryption, whose ciphertext is there already); and one last group with consecutive powers, the
 * lengths in it, and one reduction. E(J0) rides in the last lane of the last group's counters. A message of
 * at most N-2 blocks with at most 16 bytes of associated data is all last group.
 */
typedef struct {
  v_t ctr; /* integer: counter of the next block, lane by lane */
  v_t acc; /* sum so far, lane by lane; goes into the next vector that is hashed */
  sum_t s; /* products of the last group */
  size_t hp;
} gcm_t;

INLINE v_t gcm_next(gcm_t *g) {
  v_t x = v_bswap(g->ctr);
  g->ctr = v_add32(g->ctr, v_bcast(b_set64(0, VB)));
  return x;
}
INLINE void gcm_hash(gcm_t *g, const struct rijn_hpow *h, v_t data) {
  gf_mac_run(&g->s, v_xor(v_bswap(data), g->acc), h, g->hp);
  g->acc = v_zero();
  g->hp += VB;
}

/* Step j of the multiplies of one pass: 2 a vector, then 3 of the reduction. */
typedef struct {
  v_t x, acc;
  sum_t s;
} stitch_t;
enum { STITCH_STEPS = 2 * GCM_NV + 2 };
INLINE void gcm_stitch(stitch_t *t, const struct rijn_hpow *h, const uint8_t *p, int step) {
  int j = step / 2, q = N_POW - VB * (GCM_NV - j);
  if (step < 2 * GCM_NV && step % 2 == 0) {
    t->x = v_bswap(v_load(p + 16 * VB * j));
    if (j == 0) t->x = v_xor(t->x, t->acc);
    v_t pow = v_bcast_mem(h->pow[q]), lo = v_gf_lo(t->x, pow), hi = v_gf_hi(t->x, pow);
    t->s.lo = j ? v_xor(t->s.lo, lo) : lo;
    t->s.hi = j ? v_xor(t->s.hi, hi) : hi;
    PIN(t->s.lo);
    PIN(t->s.hi);
  } else if (step < 2 * GCM_NV) {
#if GF_KARATSUBA
    v_t mid = v_gf_lo(v_halves(t->x), v_bcast_mem(h->aux[q]));
#else
    v_t mid = v_gf_mid(t->x, v_bcast_mem(h->pow[q]));
#endif
    t->s.mid = j ? v_xor(t->s.mid, mid) : mid;
    PIN(t->s.mid);
  } else if (step == 2 * GCM_NV) {
#if GF_KARATSUBA
    t->s.mid = v_xor3(t->s.mid, t->s.lo, t->s.hi);
#endif
    t->s.mid = v_xor(t->s.mid, v_gf_fold(t->s.lo));
    PIN(t->s.mid);
  } else {
    t->acc = v_xor(t->s.hi, v_gf_fold(t->s.mid));
  }
}

/* P blocks of keystream over in, while the P blocks at hashed (NULL: none) go into acc. */
INLINE void gcm_pass(gcm_t *g, const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, const uint8_t *hashed) {
  const uint8_t *rk = k->rk.b;
  stitch_t t;
  v_t x[GCM_NV], k0 = v_bcast_mem(rk), k1;
  t.acc = g->acc;
  EACH(i, GCM_NV, x[i] = v_aes_first(gcm_next(g), k0));
  for (unsigned r = 10; r < k->rounds; r++, k0 = k1) {
    rk += 16;
    k1 = v_bcast_mem(rk);
    EACH(i, GCM_NV, x[i] = v_aes_round(x[i], k0, k1));
  }
#define GCM_ROUND(r)                                                                                            \
  k1 = v_bcast_mem(rk + 16 * (r));                                                                              \
  EACH(i, GCM_NV, x[i] = v_aes_round(x[i], k0, k1); PIN(x[i]));                                                 \
  k0 = k1;                                                                                                      \
  if (hashed) {                                                                                                 \
    EACH(i, 3, if (STITCH_STEPS * ((r)-1) / 9 + i < STITCH_STEPS * (r) / 9)                                     \
                   gcm_stitch(&t, &k->h, hashed, STITCH_STEPS * ((r)-1) / 9 + i));                              \
  }
  GCM_ROUND(1) GCM_ROUND(2) GCM_ROUND(3) GCM_ROUND(4) GCM_ROUND(5) GCM_ROUND(6) GCM_ROUND(7) GCM_ROUND(8) GCM_ROUND(9)
#undef GCM_ROUND
  k1 = v_bcast_mem(rk + 160);
  EACH(i, GCM_NV, x[i] = v_aes_last_xor(x[i], k0, k1, v_load(in + 16 * VB * i)));
  EACH(i, GCM_NV, v_store(out + 16 * VB * i, x[i]));
  if (hashed) g->acc = t.acc;
}

/* P blocks with consecutive powers. */
INLINE void gcm_group(gcm_t *g, const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, int enc) {
  v_t x[GCM_NV], d[GCM_NV];
  EACH(i, GCM_NV, x[i] = gcm_next(g));
  AES_ENCRYPT(GCM_NV, x, k->rk.b, k->rounds);
  EACH(i, GCM_NV, d[i] = v_load(in + 16 * VB * i));
  EACH(i, GCM_NV, x[i] = v_xor(x[i], d[i]));
  EACH(i, GCM_NV, v_store(out + 16 * VB * i, x[i]));
  EACH(i, GCM_NV, gcm_hash(g, &k->h, enc ? x[i] : d[i]));
}
/* The last vectors: c of them for len bytes and, in the last lane, J0. Returns E(J0). */
INLINE b_t gcm_tail(gcm_t *g, const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, b_t j0, int enc,
                    const int c) {
  v_t x[GCM_NV + 1], d[GCM_NV + 1];
  EACH(i, c, x[i] = gcm_next(g));
  x[c - 1] = v_put_last(x[c - 1], j0);
  AES_ENCRYPT(c, x, k->rk.b, k->rounds);
  b_t ej0 = v_last(x[c - 1]);
  /* Vectors below c-2 are whole; c-2 may lack bytes of its last block, c-1 may be empty but for J0. */
  EACH(i, c, {
    if (i < c - 2) {
      d[i] = v_load(in + 16 * VB * i);
      x[i] = v_xor(x[i], d[i]);
      v_store(out + 16 * VB * i, x[i]);
    } else if (VB > 1 || i < c - 1) {
      size_t at = 16 * VB * i, n = len < at ? 0 : i == c - 2 && len - at > 16 * VB ? 16 * VB : len - at;
      d[i] = v_load_part(in + at, n);
      x[i] = v_keep(v_xor(x[i], d[i]), n);
      v_store_part(out + at, x[i], n);
    }
  });
  EACH(i, c, if (VB > 1 || i < c - 1) gcm_hash(g, &k->h, enc ? x[i] : d[i]));
  return ej0;
}

/* All text but the last group; extra blocks will follow it there. Moves *out, *in and *len on, and sets hp. */
INLINE void gcm_bulk(gcm_t *g, const struct rijn_gcm *k, uint8_t **out, const uint8_t **in, size_t *len, size_t extra,
                     int enc) {
  enum { PASS = 16 * P_BLOCKS };
  if (enc && *len >= PASS) {
    gcm_pass(g, k, *out, *in, NULL);
    for (*len -= PASS; *len >= PASS; *len -= PASS) {
      *in += PASS, *out += PASS;
      gcm_pass(g, k, *out, *in, *out - PASS);
    }
    g->hp = N_POW - extra - P_BLOCKS - (*len + 15) / 16;
    EACH(i, GCM_NV, gcm_hash(g, &k->h, v_load(*out + 16 * VB * i)));
    *in += PASS, *out += PASS;
  } else {
    for (; *len >= 2 * PASS; *len -= PASS, *in += PASS, *out += PASS) gcm_pass(g, k, *out, *in, *in);
    g->hp = N_POW - extra - (*len + 15) / 16;
  }
}

/* The whole message; the tag, all 16 bytes of it, is returned. CT: lengths and the nonce are public, and so is each branch. */
INLINE b_t gcm_message(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                       size_t aad_len, const uint8_t *nonce, int enc) {
  gcm_t g;
  b_t j0 = b_load_nonce(nonce), ej0 = b_zero(), lengths = b_lengths(aad_len, len);
  size_t n = (len + 15) / 16;
  g.ctr = v_add32(v_bcast(b_bswap(j0)), v_ctr_lanes(1));
  g.acc = v_zero();
  g.s = gf_zero();
  if (n <= N_POW - 2 && aad_len <= 16) {
    g.hp = N_POW - n - 2;
    b_t a = b_bswap(b_load_upto16(aad, aad_len));
#if VB == 1
    gf_mac_run(&g.s, a, &k->h, g.hp);
    gf_mac_run(&g.s, lengths, &k->h, N_POW - 1);
#else
    v_t p = v_set2(b_load(k->h.pow[g.hp]), b_load(k->h.pow[N_POW - 1]));
    gf_mac(&g.s, v_set2(a, lengths), p, v_halves(p));
#endif
    g.hp++;
  } else {
    b_t acc = ghash_bytes(&k->h, b_zero(), aad, aad_len);
    if (n == 0) lengths = b_xor(lengths, acc), acc = b_zero();
    g.acc = v_from128(acc);
    gf_mac_run(&g.s, v_from128(lengths), &k->h, N_POW - 1);
    gcm_bulk(&g, k, &out, &in, &len, 1, enc);
  }
  for (; len >= 16 * P_BLOCKS; len -= 16 * P_BLOCKS, in += 16 * P_BLOCKS, out += 16 * P_BLOCKS)
    gcm_group(&g, k, out, in, enc);
  switch ((len + 15) / 16 / VB) {
#define GCM_CASE(c) \
  case (c) - 1: ej0 = gcm_tail(&g, k, out, in, len, j0, enc, c); break;
    GCM_CASES
#undef GCM_CASE
  default: __builtin_unreachable();
  }
  return b_xor(b_bswap(v_fold128(gf_reduce(g.s))), ej0);
}

/* The kernels of struct rijn_impl. */
static void gcm_init(struct rijn_gcm *k, const uint8_t *raw) {
  expand_key(k->rk.b, raw, k->rounds);
  ghash_powers(&k->h, b_encrypt(b_zero(), k->rk.b, k->rounds));
  CLEAR_REGS();
}
static void ghash_init(struct rijn_ghash *k, const uint8_t h[16]) {
  ghash_powers(&k->h, b_load(h));
  CLEAR_REGS();
}
static int gcm_encrypt(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                       size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t *tag) {
  (void)nonce_len;
  b_store_upto16(tag, gcm_message(k, out, in, len, aad, aad_len, nonce, 1), k->tag_len);
  CLEAR_REGS();
  return 0;
}
static int gcm_decrypt(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                       size_t aad_len, const uint8_t *nonce, size_t nonce_len, const uint8_t *tag) {
  (void)nonce_len;
  b_t mine = gcm_message(k, out, in, len, aad, aad_len, nonce, 0);
  uint32_t differ = b_differ(b_keep(mine, k->tag_len), b_load_upto16(tag, k->tag_len));
  CLEAR_REGS();
  /* CT: the verdict is public; where the tags differ is not looked at. */
  if (differ == 0) return 0;
  memset(out, 0, len);
  return -1;
}
INLINE void gcm_blocks(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk, uint8_t ctr[16],
                       uint8_t acc[16], int enc) {
  gcm_t g;
  size_t len = 16 * nblk;
  if (nblk == 0) return;
  b_t j = b_bswap(b_load(ctr));
  g.ctr = v_add32(v_bcast(j), v_ctr_lanes(0));
  g.acc = v_from128(b_bswap(b_load(acc)));
  g.s = gf_zero();
  gcm_bulk(&g, k, &out, &in, &len, 0, enc);
  while (len) {
    size_t n = len < 16 * VB ? len : 16 * VB;
    v_t d = v_load_part(in, n), x[1] = {gcm_next(&g)};
    AES_ENCRYPT(1, x, k->rk.b, k->rounds);
    x[0] = v_keep(v_xor(x[0], d), n);
    v_store_part(out, x[0], n);
    gcm_hash(&g, &k->h, enc ? x[0] : d);
    in += n, out += n, len -= n;
  }
  b_store(acc, b_bswap(v_fold128(gf_reduce(g.s))));
  b_store(ctr, b_bswap(b_add32(j, (uint32_t)nblk)));
  CLEAR_REGS();
}
static void gcm_enc_blocks(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk, uint8_t ctr[16],
                           uint8_t acc[16]) {
  gcm_blocks(k, out, in, nblk, ctr, acc, 1);
}
static void gcm_dec_blocks(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk, uint8_t ctr[16],
                           uint8_t acc[16]) {
  gcm_blocks(k, out, in, nblk, ctr, acc, 0);
}
static void ghash_blocks(const struct rijn_hpow *h, uint8_t acc[16], const uint8_t *in, size_t nblk) {
  b_store(acc, b_bswap(ghash_bytes(h, b_bswap(b_load(acc)), in, 16 * nblk)));
  CLEAR_REGS();
}
