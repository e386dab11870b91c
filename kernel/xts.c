/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * xts(aes). A data unit that lies in one piece, as it is and as it is to be, is one call of a kernel: that is every
 * sector of dm-crypt. Any other is copied into one piece, up to RIJN_COPIED, or else goes piece by piece, its tweaks
 * made of integers here.
 */
#include "glue.h"

#include <crypto/xts.h>

#include "../src/bytes.h"

enum { BLOCK = 16, RUN = 16 }; /* RUN blocks have their tweaks made together */

struct ctx {
  struct rijn_xts key, plain; /* as in gcm.c; plain is portable's */
};

static struct ctx *ctx_of(struct crypto_skcipher *tfm) { return rijn_ctx(crypto_skcipher_ctx(tfm)); }
static int set_of(struct crypto_skcipher *tfm) {
  return container_of(crypto_skcipher_alg(tfm), struct rijn_skcipher, alg)->set;
}

static int xts_setkey(struct crypto_skcipher *tfm, const u8 *raw, unsigned int len) {
  struct ctx *c = ctx_of(tfm);
  int set = set_of(tfm), err = xts_verify_key(tfm, raw, len);
  struct rijn_way way = rijn_way(set, true);

  if (err != 0)
    return err;
  if (rijn_rounds(len / 2) == 0)
    return -EINVAL;
  c->plain.rounds = c->key.rounds = rijn_rounds(len / 2);
  rijn_impl_portable.xts_init(&c->plain, raw);
  c->key.impl = 0;
  if (way.vector) {
    vec_begin();
    way.impl->xts_init(&c->key, raw);
    vec_end();
    c->key.impl = set + 1;
  }
  return 0;
}

/* ---------------------------------------------------------------- in pieces */

struct call {
  struct rijn_way way;
  const struct rijn_xts *k;
  enum direction to;
  u64 t[2]; /* the next block's tweak, encrypted */
};

/* SPEC: IEEE 1619 5.2: times x. CT: a mask, no branch. */
static void next_tweak(u64 t[2]) {
  u64 carry = ((u64)0 - (t[1] >> 63)) & 0x87;
  t[1] = t[1] << 1 | t[0] >> 63;
  t[0] = t[0] << 1 ^ carry;
}

static void xor_tweaks(u8 *out, const u8 *in, const u8 *tweaks, size_t len) { crypto_xor_cpy(out, in, tweaks, len); }

/* Whole blocks. */
static void blocks(struct call *c, u8 *out, const u8 *in, size_t nblk) {
  u8 tweaks[RUN * BLOCK];
  size_t i, n;

  for (; nblk != 0; nblk -= n, in += n * BLOCK, out += n * BLOCK) {
    n = nblk < RUN ? nblk : RUN;
    for (i = 0; i < n; i++) {
      rijn_store_le64(tweaks + BLOCK * i, c->t[0]);
      rijn_store_le64(tweaks + BLOCK * i + 8, c->t[1]);
      next_tweak(c->t);
    }
    xor_tweaks(out, in, tweaks, n * BLOCK);
    if (c->to == ENCRYPT)
      c->way.impl->ecb_enc(&c->k->rk, c->k->rounds, out, out, n);
    else
      c->way.impl->ecb_dec(&c->k->dk, c->k->rounds, out, out, n);
    xor_tweaks(out, out, tweaks, n * BLOCK);
  }
  memzero_explicit(tweaks, sizeof tweaks);
}

/* SPEC: IEEE 1619 5.3.2, 5.4.2, ciphertext stealing: the last whole block and n bytes more, in buf, in place. The whole
 * block goes first, in decryption with the later tweak. */
static void steal(struct call *c, u8 buf[2 * BLOCK], unsigned int n) {
  u64 first[2] = {c->t[0], c->t[1]}, second[2] = {c->t[0], c->t[1]};
  u8 block[BLOCK];

  next_tweak(second);
  memcpy(c->t, c->to == ENCRYPT ? first : second, sizeof c->t);
  blocks(c, block, buf, 1);
  memcpy(buf, buf + BLOCK, n);
  memcpy(buf + BLOCK, block, n);
  memcpy(buf + n, block + n, BLOCK - n);
  memcpy(c->t, c->to == ENCRYPT ? second : first, sizeof c->t);
  blocks(c, buf, buf, 1);
  memzero_explicit(block, sizeof block);
  memzero_explicit(first, sizeof first);
  memzero_explicit(second, sizeof second);
}

/* The pieces of a unit's whole blocks, but the one that is stolen from. */
static int walk_blocks(struct call *c, struct skcipher_request *req, unsigned int len) {
  struct skcipher_request part;
  struct skcipher_walk walk;
  int err;

  skcipher_request_set_tfm(&part, crypto_skcipher_reqtfm(req));
  skcipher_request_set_callback(&part, skcipher_request_flags(req), NULL, NULL);
  skcipher_request_set_crypt(&part, req->src, req->dst, len, req->iv);
  err = skcipher_walk_virt(&walk, &part, false);
  while (err == 0 && walk.nbytes != 0) {
    unsigned int n = walk.nbytes;
    rijn_begin(c->way);
    blocks(c, walk.dst.virt.addr, walk.src.virt.addr, n / BLOCK);
    rijn_end(c->way);
    err = skcipher_walk_done(&walk, n % BLOCK);
  }
  return err;
}

static int pieces(struct call *c, struct skcipher_request *req) {
  unsigned int part = req->cryptlen % BLOCK, head = req->cryptlen - (part != 0 ? BLOCK + part : 0);
  u8 buf[2 * BLOCK];
  int err;

  rijn_begin(c->way);
  c->way.impl->ecb_enc(&c->k->tk, c->k->rounds, buf, req->iv, 1);
  rijn_end(c->way);
  c->t[0] = rijn_load_le64(buf);
  c->t[1] = rijn_load_le64(buf + 8);
  err = walk_blocks(c, req, head);
  if (err == 0 && part != 0) {
    scatterwalk_map_and_copy(buf, req->src, head, BLOCK + part, 0);
    rijn_begin(c->way);
    steal(c, buf, part);
    rijn_end(c->way);
    scatterwalk_map_and_copy(buf, req->dst, head, BLOCK + part, 1);
  }
  memzero_explicit(buf, sizeof buf);
  return err;
}

/* ---------------------------------------------------------------- in one piece */

static void whole(const struct call *c, u8 *out, const u8 *in, unsigned int len, const u8 *iv) {
  rijn_begin(c->way);
  if (c->to == ENCRYPT)
    c->way.impl->xts_enc(c->k, out, in, len, iv);
  else
    c->way.impl->xts_dec(c->k, out, in, len, iv);
  rijn_end(c->way);
}

/* Copied into one piece and back. WHY not with portable: what it takes is its own time. */
static int copied(struct call *c, struct skcipher_request *req) {
  u8 *text = c->way.vector && req->cryptlen <= RIJN_COPIED ? rijn_room_take() : NULL;

  if (text == NULL)
    return pieces(c, req);
  scatterwalk_map_and_copy(text, req->src, 0, req->cryptlen, 0);
  whole(c, text, text, req->cryptlen, req->iv);
  scatterwalk_map_and_copy(text, req->dst, 0, req->cryptlen, 1);
  if (c->to == DECRYPT)
    memzero_explicit(text, req->cryptlen);
  rijn_room_give();
  return 0;
}

/* ---------------------------------------------------------------- both */

static int crypt(struct skcipher_request *req, enum direction to) {
  struct crypto_skcipher *tfm = crypto_skcipher_reqtfm(req);
  struct ctx *ctx = ctx_of(tfm);
  struct call c = {.way = rijn_way(set_of(tfm), ctx->key.impl != 0), .to = to};
  u8 *in, *out;
  int err;

  if (req->cryptlen < BLOCK || !rijn_has(req->src, req->cryptlen) || !rijn_has(req->dst, req->cryptlen))
    return -EINVAL;
  c.k = c.way.vector ? &ctx->key : &ctx->plain;
  in = req->cryptlen <= RIJN_ONE_CALL ? rijn_piece(req->src, 0, req->cryptlen) : NULL;
  out = req->src == req->dst ? in : rijn_piece(req->dst, 0, req->cryptlen);
  if (in == NULL || out == NULL) {
    err = copied(&c, req);
    memzero_explicit(c.t, sizeof c.t);
    return err;
  }
  if (!rijn_alias_ok(out, in, req->cryptlen))
    return -EINVAL;
  whole(&c, out, in, req->cryptlen, req->iv);
  rijn_wrote(out, req->cryptlen);
  return 0;
}
static int xts_encrypt(struct skcipher_request *req) { return crypt(req, ENCRYPT); }
static int xts_decrypt(struct skcipher_request *req) { return crypt(req, DECRYPT); }

void rijn_xts_alg(struct rijn_skcipher *alg) {
  alg->alg = (struct skcipher_alg){
      .base.cra_name = "xts(aes)",
      .base.cra_blocksize = BLOCK,
      .base.cra_ctxsize = sizeof(struct ctx) + RIJN_ALIGN - 1,
      .setkey = xts_setkey,
      .encrypt = xts_encrypt,
      .decrypt = xts_decrypt,
      .min_keysize = 32,
      .max_keysize = 64,
      .ivsize = BLOCK,
  };
}
