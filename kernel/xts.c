/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * xts(aes). A data unit that lies in one piece, as it is and as it is to be, is one call of a kernel: that is every
 * sector of dm-crypt. Any other goes piece by piece.
 */
#include "glue.h"

#include <crypto/xts.h>

enum { BLOCK = 16 };

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
  struct vec_room room;
  struct rijn_way way = rijn_way(set, true, &room);

  if (err != 0)
    return err;
  if (rijn_rounds(len / 2) == 0)
    return -EINVAL;
  c->plain.rounds = c->key.rounds = rijn_rounds(len / 2);
  rijn_impl_portable.xts_init(&c->plain, raw);
  c->key.impl = 0;
  if (way.vector) {
    vec_begin(&room);
    way.impl->xts_init(&c->key, raw);
    vec_end(&room);
    c->key.impl = set + 1;
  } else { /* of a key before this one nothing stays */
    memzero_explicit(&c->key, sizeof c->key);
  }
  return 0;
}

struct call {
  struct rijn_way way;
  const struct rijn_xts *k;
  enum direction to;
};

/* ---------------------------------------------------------------- in one piece */

static void whole(const struct call *c, u8 *out, const u8 *in, unsigned int len, const u8 *iv) {
  rijn_begin(c->way);
  if (c->to == ENCRYPT)
    c->way.impl->xts_enc(c->k, out, in, len, iv);
  else
    c->way.impl->xts_dec(c->k, out, in, len, iv);
  rijn_end(c->way);
}

/* ---------------------------------------------------------------- in pieces */

/* What a unit's parts go through. tweak: of the next part (xts_enc_part in src/impl.h); len: what is left to do. */
struct parts {
  struct rijn_section s;
  struct rijn_place in, out;
  const u8 *tweak;
  unsigned int len;
  u64 next[2]; /* where tweak is, but for the first part */
};

static void part(const struct call *c, struct parts *p, u8 *out, const u8 *in, unsigned int n) {
  u8 *next = (u8 *)p->next;

  if (c->to == ENCRYPT)
    c->way.impl->xts_enc_part(c->k, out, in, n, p->tweak, next, p->tweak != next);
  else
    c->way.impl->xts_dec_part(c->k, out, in, n, p->tweak, next, p->tweak != next);
  p->tweak = next;
  p->len -= n;
}

/* What lies in one piece, whole blocks; behind it there has to be nothing, or a block at least, to steal from. 0: there
 * is none. The section does not end before it, because what may be done is more than two blocks. */
static unsigned int at_once(struct parts *p) {
  unsigned int in = rijn_ahead(&p->s, &p->in), out = rijn_ahead(&p->s, &p->out);
  unsigned int n = min3(in, out, min(p->len, rijn_room(&p->s)));

  if (n == p->len)
    return n;
  n -= n % BLOCK;
  return n != 0 && p->len - n < BLOCK ? n - BLOCK : n;
}

/* A block that lies in several pieces, and at the unit's end what steals from it. */
static void across(const struct call *c, struct parts *p) {
  u8 buf[2 * BLOCK];
  unsigned int n = p->len < 2 * BLOCK ? p->len : BLOCK, at, here;

  for (at = 0; at < n; at += here, rijn_skip(&p->in, here)) {
    here = rijn_may(&p->s, min(n - at, rijn_ahead(&p->s, &p->in)));
    memcpy(buf + at, p->in.at, here);
  }
  part(c, p, buf, buf, rijn_may(&p->s, n));
  for (at = 0; at < n; at += here, rijn_skip(&p->out, here)) {
    here = rijn_may(&p->s, min(n - at, rijn_ahead(&p->s, &p->out)));
    memcpy(p->out.at, buf + at, here);
    rijn_wrote(p->out.at, here);
  }
  memzero_explicit(buf, sizeof buf);
}

static void pieces(const struct call *c, struct skcipher_request *req) {
  struct parts p;
  unsigned int n;

  rijn_go(&p.in, req->src, 0);
  rijn_go(&p.out, req->dst, 0);
  p.len = req->cryptlen;
  p.tweak = req->iv;
  p.s = (struct rijn_section){.way = c->way, .flags = skcipher_request_flags(req)};
  rijn_open(&p.s);
  while (p.len != 0) {
    n = at_once(&p);
    if (n == 0) {
      across(c, &p);
      continue;
    }
    rijn_may(&p.s, n);
    part(c, &p, p.out.at, p.in.at, n);
    rijn_wrote(p.out.at, n);
    rijn_skip(&p.in, n);
    rijn_skip(&p.out, n);
  }
  rijn_end(c->way);
  p.next[0] = p.next[1] = 0;
  barrier_data(p.next);
}

/* ---------------------------------------------------------------- both */

static int crypt(struct skcipher_request *req, enum direction to) {
  struct crypto_skcipher *tfm = crypto_skcipher_reqtfm(req);
  struct ctx *ctx = ctx_of(tfm);
  struct vec_room room;
  struct call c = {.way = rijn_way(set_of(tfm), ctx->key.impl != 0, &room), .to = to};
  u8 *in, *out;

  if (req->cryptlen < BLOCK || !rijn_has(req->src, req->cryptlen) ||
      (req->src != req->dst && !rijn_has(req->dst, req->cryptlen)))
    return -EINVAL;
  c.k = c.way.vector ? &ctx->key : &ctx->plain;
  in = rijn_piece(req->src, 0, req->cryptlen);
  out = req->src == req->dst ? in : rijn_piece(req->dst, 0, req->cryptlen);
  if (in != NULL && out != NULL && !rijn_alias_ok(out, in, req->cryptlen))
    return -EINVAL;
  if (in == NULL || out == NULL || req->cryptlen > RIJN_ONE_CALL) {
    pieces(&c, req);
    return 0;
  }
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
