/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: the text of a CCM message (SP 800-38C 6), CTR and CBC-MAC in one loop. Parameters as in modes_t.h.
 *
 * CBC-MAC goes block by block, and a block waits for the rounds of the one before. The counter of the text goes through
 * the same rounds beside it, and costs next to nothing. A state between two turns lacks its last round: so that round
 * adds the text and the first round key, too, and CBC-MAC takes no longer than AES itself.
 */

/* Both directions; dir is a constant. The first rounds are those of three blocks: of what the rules have left of
 * CBC-MAC, of the counter that the tag has, and of the text's first. */
INLINE void ccm_text(struct keys keys, uint8_t *out, const uint8_t *in, size_t len, struct rijn_ccm_state *c,
                     const enum direction dir) {
  RESERVE_REGS(REGS_16_31);
  const uint8_t *rk = keys.rk, *last = rk + 16 * keys.rounds;
  b_t k = b_load(rk), counter = b_add128(b_bswap(b_load(c->ctr)), 1), x[MODE_ROOM];
  x[0] = b_aes_first(b_load(c->mac), k);
  x[1] = b_aes_first(b_bswap(counter), k);
  x[2] = b_aes_first(b_load(c->ctr), k);
  b_middle_rounds_n(x, &k, &rk, keys.rounds, 3, ENCRYPT);
  b_store(c->ks, b_aes_last(x[2], k, b_load(last)));
  for (; len; rk = keys.rk) {
    size_t n = size_min(len, 16);
    b_t d = b_load_upto16(in, n), done = b_aes_last_xor(x[1], k, b_load(last), d);
    b_store_upto16(out, done, n);
    if (dir == DECRYPT)
      d = __builtin_expect(n == 16, 1) ? done : b_keep(done, n);
    b_t k0 = b_load(keys.rk);
    x[0] = b_aes_last_xor(x[0], k, b_load(last), b_aes_first(d, k0));
    counter = b_add128(counter, 1);
    x[1] = b_aes_first(b_bswap(counter), k0);
    k = k0;
    rk = keys.rk;
    b_middle_rounds_n(x, &k, &rk, keys.rounds, 2, ENCRYPT);
    in += n;
    out += n;
    len -= n;
  }
  b_store(c->mac, b_aes_last_xor(x[0], k, b_load(last), b_load(c->ks)));
  CLEAR_UNRESERVED();
  clear_parts();
}
NOINLINE void ccm_seal(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t len,
                       struct rijn_ccm_state *c) {
  ccm_text((struct keys){rk->b, rounds}, out, in, len, c, ENCRYPT);
}
NOINLINE void ccm_open(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t len,
                       struct rijn_ccm_state *c) {
  ccm_text((struct keys){rk->b, rounds}, out, in, len, c, DECRYPT);
}
static void ccm_enc(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t len,
                    struct rijn_ccm_state *c) {
  ccm_seal(rk, rounds, out, in, len, c);
  if (SPILLS || SPILLS_MORE)
    zero_stack_256();
}
static void ccm_dec(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t len,
                    struct rijn_ccm_state *c) {
  ccm_open(rk, rounds, out, in, len, c);
  if (SPILLS || SPILLS_MORE)
    zero_stack_256();
}

/* The kernels' fields in struct rijn_impl that Linux's module leaves out. */
#define CHAIN_KERNELS                                                                                                  \
  .cfb_enc = cfb_enc, .cfb_dec = cfb_dec, .cbc_enc_many = cbc_enc_many, .ccm_enc = ccm_enc, .ccm_dec = ccm_dec
