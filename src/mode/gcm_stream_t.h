/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Template: GCM keys, and the blocks of a message in pieces (SP 800-38D 6.4, 6.5): kernels of struct rijn_impl.
 * Included by gcm_t.h. */
static void gcm_init(struct rijn_gcm *k, const uint8_t *raw) {
  b_t hash_subkey = expand_key(k->rk.b, raw, k->rounds);
  ghash_powers(&k->h, hash_subkey);
  KEY_END();
}
static void ghash_init(struct rijn_ghash *k, const uint8_t h[16]) {
  ghash_powers(&k->h, b_load(h));
  CLEAR_REGS();
}

/* Whole blocks: where they are, how many, and what goes on from call to call. */
struct blocks {
  struct rest text;
  uint8_t *ctr, *acc;
};
/* Passes, then vectors one by one. CT: the counter is SECRET here. */
NOINLINE void gcm_blocks(const struct rijn_gcm *k, struct blocks *b, enum direction way) {
  struct rest *t = &b->text;
  const uint32_t nblk = (uint32_t)(t->left / 16);
  if (t->left == 0)
    return;
  b_t j = b_bswap(b_load(b->ctr));
  gcm_t g = {.ctr = v_add32(v_bcast(j), v_lanes(0)), .acc = v_from128(b_bswap(b_load(b->acc))), .s = gf_zero()};
  gcm_bulk(&g, k, t, 0, way, SECRET); /* what is left has consecutive powers */
  while (t->left) {
    const size_t n = size_min(t->left, 16 * VECTOR_BLOCKS);
    v_t x[9], d[9] = {v_load_part(t->in, n)}; /* 9: what EACH can reach */
    gcm_counters(&g, x, 1, SECRET, v_bcast_mem(k->rk.b));
    aes_xor(x, d, k->rk.b, k->rounds, 10, 1);
    v_store_part(t->out, x[0], n);
    gf_mac_run(&g.s, v_xor(v_bswap(way == ENCRYPT ? v_keep(x[0], n) : d[0]), g.acc), &k->h, g.hp);
    g.acc = v_zero();
    g.hp += VECTOR_BLOCKS;
    rest_skip(t, n);
  }
  b_store(b->acc, b_bswap(v_fold128(gf_reduce(g.s))));
  b_store(b->ctr, b_bswap(b_add32(j, nblk)));
  CLEAR_REGS();
}
static void gcm_enc_blocks(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk, uint8_t ctr[16],
                           uint8_t acc[16]) {
  struct blocks b = {{out, in, 16 * nblk}, ctr, acc};
  gcm_blocks(k, &b, ENCRYPT);
  burn_640();
}
static void gcm_dec_blocks(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk, uint8_t ctr[16],
                           uint8_t acc[16]) {
  struct blocks b = {{out, in, 16 * nblk}, ctr, acc};
  gcm_blocks(k, &b, DECRYPT);
  burn_640();
}
static void ghash_blocks(const struct rijn_hpow *h, uint8_t acc[16], const uint8_t *in, size_t nblk) {
  b_store(acc, b_bswap(ghash_bytes(h, b_bswap(b_load(acc)), in, 16 * nblk)));
  CLEAR_REGS();
  burn_384();
}
