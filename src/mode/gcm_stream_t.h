/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Template: GCM keys, and the blocks of a message in pieces (SP 800-38D 6.4, 6.5): kernels of struct rijn_impl.
 * Included by gcm_t.h. */
static void gcm_init(struct rijn_gcm *k, const uint8_t *raw) {
  b_t hash_subkey = expand_key(k->rk.b, raw, k->rounds);
  gf_clear_rest(&k->h); /* while the last rounds of the hash subkey wait for one another (T-312) */
  ghash_powers(&k->h, hash_subkey);
  KEY_END();
}
static void ghash_init(struct rijn_ghash *k, const uint8_t h[16]) {
  gf_clear_rest(&k->h);
  ghash_powers(&k->h, b_load(h));
  CLEAR_REGS();
}

/* Whole blocks: where they are, and what goes on from call to call. */
struct blocks {
  struct text text;
  struct rijn_gcm_state *chain;
  unsigned flags;
};
/* A vector of ciphertext goes into the sum, by consecutive powers. */
INLINE void blocks_hash(gcm_t *g, const struct rijn_gcm *k, v_t cipher) {
  gf_mul_add_powers(&g->s, v_xor(v_bswap(cipher), g->acc), &k->h, g->hp);
  g->acc = v_zero();
  g->hp += VECTOR_BLOCKS;
}
/* c vectors of text side by side (T-298). */
INLINE void blocks_group(gcm_t *g, const struct rijn_gcm *k, struct text *t, const int c, enum direction dir) {
  const uint8_t *rk = k->rk.b;
  v_t x[9], key; /* 9: what EACH can reach */
  gcm_counters(g, x, c, SECRET, v_bcast_mem(rk));
  aes_to_last(x, &key, &rk, k->rounds, 2, c);
  v_t last = v_bcast_mem(rk + 16);
  EACH(i, c, {
    v_t text = v_load(t->in + VECTOR_BYTES * i), made = v_aes_last_xor(x[i], key, last, text);
    v_store(t->out + VECTOR_BYTES * i, made);
    blocks_hash(g, k, dir == ENCRYPT ? made : text);
  });
  text_skip(t, (size_t)(VECTOR_BYTES * c));
}
/* What is left, which is at most a vector, and if ahead the keystream of the block behind it, for which there is a lane
 * then. */
INLINE void blocks_last(gcm_t *g, const struct rijn_gcm *k, struct text *t, int ahead, uint8_t ks[16],
                        enum direction dir) {
  const size_t n = t->left;
  v_t x[9], text[9] = {n ? v_load_part(t->in, n) : v_zero()};
  uint8_t made[VECTOR_BYTES];
  gcm_counters(g, x, 1, SECRET, v_bcast_mem(k->rk.b));
  aes_xor(x, text, k->rk.b, k->rounds, 10, 1);
  if (n) {
    v_store_part(t->out, x[0], n);
    blocks_hash(g, k, dir == ENCRYPT ? v_keep(x[0], n) : text[0]);
    t->left = 0;
  }
  if (ahead) {
    v_store(made, x[0]);
    b_store(ks, b_load(made + n));
    wipe(made, sizeof made);
  }
}
/* acc times H. */
INLINE v_t blocks_pending(const struct rijn_gcm *k, v_t acc) {
  sum_t s = gf_zero();
  gf_mul_add_powers(&s, acc, &k->h, N_POW - 1);
  return v_from128(v_fold128(gf_reduce(s)));
}
/* What is chained, as integers; and back, behind so many blocks of text. */
INLINE gcm_t blocks_start(const struct rijn_gcm *k, const struct blocks *b) {
  gcm_t g = {.ctr = v_add32(v_bcast(b_bswap(b_load(b->chain->ctr))), v_lanes(0)),
             .acc = v_from128(b_bswap(b_load(b->chain->acc))),
             .s = gf_zero()};
  if (b->flags & RIJN_HASH_PENDING)
    g.acc = blocks_pending(k, g.acc);
  return g;
}
INLINE void blocks_end(const gcm_t *g, const struct blocks *b, uint32_t nblk) {
  const uint32_t ahead = (b->flags & RIJN_NEXT_KEYSTREAM) != 0;
  b_store(b->chain->acc, b_bswap(v_fold128(nblk ? gf_reduce(g->s) : g->acc)));
  b_store(b->chain->ctr, b_bswap(b_add32(b_bswap(b_load(b->chain->ctr)), nblk + ahead)));
  CLEAR_REGS();
}
/* Groups, and the block made ahead. */
INLINE void blocks_groups(gcm_t *g, const struct rijn_gcm *k, struct blocks *b, enum direction dir) {
  struct text *t = &b->text;
  while (t->left >= 64 * VECTOR_BLOCKS)
    blocks_group(g, k, t, 4, dir);
  if (t->left >= 32 * VECTOR_BLOCKS)
    blocks_group(g, k, t, 2, dir);
  if (t->left > VECTOR_BYTES || (t->left == VECTOR_BYTES && b->flags & RIJN_NEXT_KEYSTREAM))
    blocks_group(g, k, t, 1, dir);
  if (t->left || b->flags & RIJN_NEXT_KEYSTREAM)
    blocks_last(g, k, t, b->flags & RIJN_NEXT_KEYSTREAM, b->chain->ks, dir);
}
/* Passes, then groups. CT: the counter is SECRET here. */
NOINLINE void gcm_blocks_long(const struct rijn_gcm *k, struct blocks *b, enum direction dir) {
  const uint32_t nblk = (uint32_t)(b->text.left / 16);
  gcm_t g = blocks_start(k, b);
  text_passes(&g, k, &b->text, 0, dir, SECRET); /* what is left has consecutive powers */
  blocks_groups(&g, k, b, dir);
  blocks_end(&g, b, nblk);
}
/* Less than a pass. */
NOINLINE void gcm_blocks_few(const struct rijn_gcm *k, struct blocks *b, enum direction dir) {
  const uint32_t nblk = (uint32_t)(b->text.left / 16);
  gcm_t g = blocks_start(k, b);
  g.hp = N_POW - nblk;
  blocks_groups(&g, k, b, dir);
  blocks_end(&g, b, nblk);
}
/* Where registers suffice, groups leave nothing there (T-301). */
#ifdef STACK_FITS
#define BLOCKS_ZERO_STACK() ((void)0)
#else
#define BLOCKS_ZERO_STACK() (SPILLS || SPILLS_MORE ? zero_stack_640() : (void)0)
#endif
INLINE void gcm_blocks(const struct rijn_gcm *k, struct blocks b, const enum direction dir) {
  if (b.text.left < PASS) {
    gcm_blocks_few(k, &b, dir);
    BLOCKS_ZERO_STACK();
  } else {
    gcm_blocks_long(k, &b, dir);
    zero_stack_640();
  }
}
static void gcm_enc_blocks(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk,
                           struct rijn_gcm_state *c, unsigned flags) {
  gcm_blocks(k, (struct blocks){{out, in, 16 * nblk}, c, flags}, ENCRYPT);
}
static void gcm_dec_blocks(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk,
                           struct rijn_gcm_state *c, unsigned flags) {
  gcm_blocks(k, (struct blocks){{out, in, 16 * nblk}, c, flags}, DECRYPT);
}
/* SPEC: SP 800-38D 7.1, steps 5 and 6: the block of both lengths, and E(J0) upon the hash. AES and the products are
 * side by side, with nothing on the stack between them (T-299). */
NOINLINE void blocks_tag(const struct rijn_gcm *k, struct rijn_gcm_state *c, const uint8_t j0[16], b_t lengths,
                         unsigned flags) {
  v_t x[9] = {v_aes_first(v_bcast(b_load(j0)), v_bcast_mem(k->rk.b))}; /* 9: what EACH can reach */
  v_t acc = v_from128(b_bswap(b_load(c->acc)));
  sum_t s = gf_zero();
  if (flags & RIJN_HASH_PENDING) {
    v_t h2 = v_from128(b_load(k->h.pow[N_POW - 2]));
    gf_mul_add(&s, acc, h2, v_halves(h2));
    acc = v_zero();
  }
  gf_mul_add_powers(&s, v_xor(acc, v_from128(lengths)), &k->h, N_POW - 1);
  aes_xor(x, NULL, k->rk.b, k->rounds, 10, 1);
  b_store(c->acc, b_xor(v_first(x[0]), b_bswap(v_fold128(gf_reduce(s)))));
  CLEAR_REGS();
}
static void gcm_blocks_tag(const struct rijn_gcm *k, struct rijn_gcm_state *c, const uint8_t j0[16], uint64_t aad_len,
                           uint64_t len, unsigned flags) {
  blocks_tag(k, c, j0, b_set64(aad_len << 3, len << 3), flags);
  zero_stack_384();
}
static void ghash_blocks(const struct rijn_hpow *h, uint8_t acc[16], const uint8_t *in, size_t nblk) {
  b_store(acc, b_bswap(ghash_bytes(h, b_bswap(b_load(acc)), in, 16 * nblk)));
  CLEAR_REGS();
  zero_stack_384();
}
