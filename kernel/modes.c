/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ecb(aes), cbc(aes), ctr(aes), and the cipher by itself, aes, of which Linux makes other modes block by block. */
#include "glue.h"

#include "../src/bytes.h"

/* SERIAL: CBC, whose blocks wait for one another, takes so many times as long to encrypt as other modes: its sections
 * are as much shorter. */
enum { BLOCK = 16, SERIAL = 4 };

struct ctx {
  struct rijn_aes key, plain; /* as in gcm.c; plain is portable's */
};

static int setkey(struct ctx *c, int set, const u8 *raw, unsigned int len) {
  struct vec_room room;
  struct rijn_way way = rijn_way(set, true, &room);
  u8 rounds = rijn_rounds(len);

  if (rounds == 0)
    return -EINVAL;
  c->plain.rounds = c->key.rounds = rounds;
  rijn_impl_portable.aes_init(&c->plain, raw);
  c->key.impl = 0;
  if (way.vector) {
    vec_begin(&room);
    way.impl->aes_init(&c->key, raw);
    vec_end(&room);
    c->key.impl = set + 1;
  } else { /* of a key before this one nothing stays */
    memzero_explicit(&c->key, sizeof c->key);
  }
  return 0;
}

/* ---------------------------------------------------------------- modes */

static struct ctx *ctx_of(struct crypto_skcipher *tfm) { return rijn_ctx(crypto_skcipher_ctx(tfm)); }
static int set_of(struct crypto_skcipher *tfm) {
  return container_of(crypto_skcipher_alg(tfm), struct rijn_skcipher, alg)->set;
}
static int mode_setkey(struct crypto_skcipher *tfm, const u8 *raw, unsigned int len) {
  return setkey(ctx_of(tfm), set_of(tfm), raw, len);
}

/* nblk blocks of a request, from in to out; iv goes on. */
typedef void piece_fn(const struct rijn_impl *impl, const struct rijn_aes *k, u8 *out, const u8 *in, size_t nblk,
                      u8 iv[BLOCK]);

static void ecb_enc(const struct rijn_impl *impl, const struct rijn_aes *k, u8 *out, const u8 *in, size_t nblk,
                    u8 iv[BLOCK]) {
  impl->ecb_enc(&k->rk, k->rounds, out, in, nblk);
}
static void ecb_dec(const struct rijn_impl *impl, const struct rijn_aes *k, u8 *out, const u8 *in, size_t nblk,
                    u8 iv[BLOCK]) {
  impl->ecb_dec(&k->dk, k->rounds, out, in, nblk);
}
static void cbc_enc(const struct rijn_impl *impl, const struct rijn_aes *k, u8 *out, const u8 *in, size_t nblk,
                    u8 iv[BLOCK]) {
  impl->cbc_enc(&k->rk, k->rounds, out, in, nblk, iv);
}
static void cbc_dec(const struct rijn_impl *impl, const struct rijn_aes *k, u8 *out, const u8 *in, size_t nblk,
                    u8 iv[BLOCK]) {
  impl->cbc_dec(&k->dk, k->rounds, out, in, nblk, iv);
}
/* CT: Linux's users make counters of secrets, too, so none is taken for public. */
static void ctr_secret(const struct rijn_impl *impl, const struct rijn_aes *k, u8 *out, const u8 *in, size_t nblk,
                       u8 iv[BLOCK]) {
  impl->ctr_blocks(&k->rk, k->rounds, out, in, nblk, iv);
}

/* What a request is worked on by, and how far it has come. */
struct call {
  struct rijn_section s;
  const struct rijn_aes *k;
  piece_fn *fn;
  u8 *iv;
  struct rijn_place in, out;
};

/* A block that lies in several pieces, or less than a block, the end of a text of CTR's: the block of the keystream is
 * spent, as Linux wants it. */
static void across(struct call *c, unsigned int n) {
  u8 block[BLOCK] = {0};
  unsigned int at, here;

  for (at = 0; at < n; at += here, rijn_skip(&c->in, here)) {
    here = rijn_may(&c->s, min(n - at, rijn_ahead(&c->s, &c->in)));
    memcpy(block + at, c->in.at, here);
  }
  rijn_may(&c->s, n);
  c->fn(c->s.way.impl, c->k, block, block, 1, c->iv);
  for (at = 0; at < n; at += here, rijn_skip(&c->out, here)) {
    here = rijn_may(&c->s, min(n - at, rijn_ahead(&c->s, &c->out)));
    memcpy(c->out.at, block + at, here);
    rijn_wrote(c->out.at, here);
  }
  memzero_explicit(block, sizeof block);
}

/* WHY not by Linux's walk: it has a section for each page, and on AArch64 an oops where empty pieces lie in the output
 * (rijn_copy in glue.h says why). */
static void pieces(struct call *c, struct skcipher_request *req) {
  unsigned int weight = c->fn == cbc_enc ? SERIAL : 1, left, n;

  rijn_go(&c->in, req->src, 0);
  rijn_go(&c->out, req->dst, 0);
  rijn_open(&c->s);
  for (left = req->cryptlen; left != 0; left -= n) {
    n = min3(rijn_ahead(&c->s, &c->in), rijn_ahead(&c->s, &c->out), left);
    n = min(n, rijn_room(&c->s) / weight) / BLOCK * BLOCK;
    if (n == 0) {
      n = min_t(unsigned int, left, BLOCK);
      across(c, n);
      continue;
    }
    rijn_may(&c->s, n * weight);
    c->fn(c->s.way.impl, c->k, c->out.at, c->in.at, n / BLOCK, c->iv);
    rijn_wrote(c->out.at, n);
    rijn_skip(&c->in, n);
    rijn_skip(&c->out, n);
  }
  rijn_end(c->s.way);
}

/* part: the mode takes what is less than a block, too. */
static int crypt(struct skcipher_request *req, piece_fn *fn, bool part) {
  struct crypto_skcipher *tfm = crypto_skcipher_reqtfm(req);
  struct ctx *ctx = ctx_of(tfm);
  struct vec_room room;
  struct rijn_way way = rijn_way(set_of(tfm), ctx->key.impl != 0, &room);
  struct call c = {.s = {.way = way, .flags = skcipher_request_flags(req)}, .fn = fn, .iv = req->iv};

  if ((!part && req->cryptlen % BLOCK != 0) || !rijn_has(req->src, req->cryptlen) || !rijn_has(req->dst, req->cryptlen))
    return -EINVAL;
  c.k = way.vector ? &ctx->key : &ctx->plain;
  if (req->cryptlen != 0)
    pieces(&c, req);
  return 0;
}

static int ecb_encrypt(struct skcipher_request *req) { return crypt(req, ecb_enc, false); }
static int ecb_decrypt(struct skcipher_request *req) { return crypt(req, ecb_dec, false); }
static int cbc_encrypt(struct skcipher_request *req) { return crypt(req, cbc_enc, false); }
static int cbc_decrypt(struct skcipher_request *req) { return crypt(req, cbc_dec, false); }
static int ctr_crypt(struct skcipher_request *req) { return crypt(req, ctr_secret, true); }

/* ---------------------------------------------------------------- the cipher */

static struct ctx *tfm_ctx(struct crypto_tfm *tfm) { return rijn_ctx(crypto_tfm_ctx(tfm)); }
static int tfm_set(struct crypto_tfm *tfm) { return container_of(tfm->__crt_alg, struct rijn_cipher, alg)->set; }

static int aes_setkey(struct crypto_tfm *tfm, const u8 *raw, unsigned int len) {
  return setkey(tfm_ctx(tfm), tfm_set(tfm), raw, len);
}
static void aes_block(struct crypto_tfm *tfm, piece_fn *fn, u8 *out, const u8 *in) {
  struct ctx *c = tfm_ctx(tfm);
  struct vec_room room;
  struct rijn_way way = rijn_way(tfm_set(tfm), c->key.impl != 0, &room);

  rijn_begin(way);
  fn(way.impl, way.vector ? &c->key : &c->plain, out, in, 1, NULL);
  rijn_end(way);
}
static void aes_encrypt(struct crypto_tfm *tfm, u8 *out, const u8 *in) { aes_block(tfm, ecb_enc, out, in); }
static void aes_decrypt(struct crypto_tfm *tfm, u8 *out, const u8 *in) { aes_block(tfm, ecb_dec, out, in); }

void rijn_mode_algs(struct rijn_skcipher algs[RIJN_SKCIPHERS - 1], struct rijn_cipher *aes) {
  static const struct skcipher_alg modes[RIJN_SKCIPHERS - 1] = {
      {.base.cra_name = "ecb(aes)", .base.cra_blocksize = BLOCK, .encrypt = ecb_encrypt, .decrypt = ecb_decrypt},
      {.base.cra_name = "cbc(aes)",
       .base.cra_blocksize = BLOCK,
       .encrypt = cbc_encrypt,
       .decrypt = cbc_decrypt,
       .ivsize = BLOCK},
      {.base.cra_name = "ctr(aes)",
       .base.cra_blocksize = 1,
       .encrypt = ctr_crypt,
       .decrypt = ctr_crypt,
       .ivsize = BLOCK,
       .chunksize = BLOCK},
  };
  int i;

  for (i = 0; i < RIJN_SKCIPHERS - 1; i++) {
    algs[i].alg = modes[i];
    algs[i].alg.setkey = mode_setkey;
    algs[i].alg.min_keysize = 16;
    algs[i].alg.max_keysize = 32;
    algs[i].alg.base.cra_ctxsize = sizeof(struct ctx) + RIJN_ALIGN - 1;
  }
  aes->alg = (struct crypto_alg){
      .cra_name = "aes",
      .cra_flags = CRYPTO_ALG_TYPE_CIPHER,
      .cra_blocksize = BLOCK,
      .cra_ctxsize = sizeof(struct ctx) + RIJN_ALIGN - 1,
      .cra_u.cipher = {.cia_min_keysize = 16,
                       .cia_max_keysize = 32,
                       .cia_setkey = aes_setkey,
                       .cia_encrypt = aes_encrypt,
                       .cia_decrypt = aes_decrypt},
  };
}
