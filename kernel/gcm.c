/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gcm(aes), and rfc4106(gcm(aes)), which is IPsec's: a salt of 4 bytes from the key's end, then 8 of the packet, are
 * the nonce, and those 8 end the associated data as Linux hands it over, where they are not authenticated.
 *
 * A request is associated data and text, one behind the other in a scatterlist; the tag follows the text. Text that
 * lies in one piece, as it is and as it is to be, is one call of a kernel, up to RIJN_ONE_CALL. Any other goes piece by
 * piece. WHY not with Linux's walks over pieces: they take longer than a kernel takes for a short one.
 */
#include "glue.h"

#include <crypto/aes.h>
#include <crypto/gcm.h>

#include "../src/gcm.h"

/* `portable` keeps one power of H, the first bytes of h: no more of its key is kept. */
enum {
  PLAIN_BYTES = offsetof(struct rijn_gcm, h) + 16,
  NONCE = GCM_AES_IV_SIZE,
  SALT = NONCE - GCM_RFC4106_IV_SIZE,
  AAD_COPIED = 64, /* associated data of at most so many bytes is copied if it is in pieces */
};

struct ctx {
  struct rijn_gcm key; /* of the context's set; impl is 0 if the key came when the vector unit could not be used */
  u8 salt[SALT], raw[AES_MAX_KEY_SIZE];
  bool plain_made;
  u8 plain[PLAIN_BYTES] __aligned(16); /* of portable, made of raw: the beginning of a struct rijn_gcm */
};

static struct ctx *ctx_of(struct crypto_aead *tfm) { return rijn_ctx(crypto_aead_ctx(tfm)); }
static struct rijn_gcm *plain_of(struct ctx *c) { return (struct rijn_gcm *)(void *)c->plain; }
static int set_of(struct crypto_aead *tfm) { return container_of(crypto_aead_alg(tfm), struct rijn_aead, alg)->set; }

/* ---------------------------------------------------------------- keys */

static void set_tag_len(struct crypto_aead *tfm, unsigned int len) {
  struct ctx *c = ctx_of(tfm);
  c->key.tag_len = len;
  plain_of(c)->tag_len = len;
}

static int gcm_setkey(struct crypto_aead *tfm, const u8 *raw, unsigned int len) {
  struct ctx *c = ctx_of(tfm);
  int set = set_of(tfm);
  struct vec_room room;
  struct rijn_way way = rijn_way(set, true, &room);
  u8 rounds = rijn_rounds(len);

  if (rounds == 0)
    return -EINVAL;
  /* Of a key before this one nothing stays. */
  if (c->plain_made)
    memzero_explicit(c->plain, sizeof c->plain);
  memzero_explicit(c->raw, sizeof c->raw);
  memcpy(c->raw, raw, len);
  c->plain_made = false;
  plain_of(c)->impl = rijn_impls_n; /* the last of the table */
  plain_of(c)->rounds = c->key.rounds = rounds;
  c->key.impl = 0;
  if (way.vector) {
    vec_begin(&room);
    way.impl->gcm_init(&c->key, raw);
    vec_end(&room);
    c->key.impl = set + 1;
  } else {
    memzero_explicit(&c->key, sizeof c->key);
  }
  set_tag_len(tfm, crypto_aead_authsize(tfm));
  return 0;
}

/* WHY only now: some users set a key before each message, and hardly one of those meets a taken vector unit. WHY a lock
 * that all contexts share: two processors may come at once with the same key, and a soft interrupt within another's
 * call; it is held once a key. */
static const struct rijn_gcm *plain_key(struct ctx *c) {
  static DEFINE_RAW_SPINLOCK(lock);
  unsigned long flags;

  if (!smp_load_acquire(&c->plain_made)) {
    raw_spin_lock_irqsave(&lock, flags);
    if (!c->plain_made)
      rijn_impl_portable.gcm_init(plain_of(c), c->raw);
    smp_store_release(&c->plain_made, true);
    raw_spin_unlock_irqrestore(&lock, flags);
  }
  return plain_of(c);
}

static int gcm_setauthsize(struct crypto_aead *tfm, unsigned int len) {
  int err = crypto_gcm_check_authsize(len);
  if (err == 0)
    set_tag_len(tfm, len);
  return err;
}

static int rfc4106_setkey(struct crypto_aead *tfm, const u8 *raw, unsigned int len) {
  int err = len < SALT ? -EINVAL : gcm_setkey(tfm, raw, len - SALT);
  if (err == 0)
    memcpy(ctx_of(tfm)->salt, raw + len - SALT, SALT);
  return err;
}

static int rfc4106_setauthsize(struct crypto_aead *tfm, unsigned int len) {
  int err = crypto_rfc4106_check_authsize(len);
  if (err == 0)
    set_tag_len(tfm, len);
  return err;
}

/* ---------------------------------------------------------------- messages */

/* A request, as far as both ways want to know it. aad_len: what is authenticated of req->assoclen. */
struct call {
  struct aead_request *req;
  struct rijn_way way;
  const struct rijn_gcm *k;
  unsigned int aad_len, len;
  enum direction to;
  u8 nonce[NONCE], tag[16];
};

static int whole(struct call *c, u8 *out, const u8 *in, const u8 *aad) {
  int err;

  rijn_begin(c->way);
  if (c->to == ENCRYPT)
    err = c->way.impl->gcm_encrypt(c->k, out, in, c->len, aad, c->aad_len, c->nonce, NONCE, c->tag);
  else
    err = c->way.impl->gcm_decrypt(c->k, out, in, c->len, aad, c->aad_len, c->nonce, NONCE, c->tag);
  rijn_end(c->way);
  if (err == RIJN_EAUTH)
    return -EBADMSG;
  return err == 0 ? 0 : -EINVAL; /* never: crypt has looked at the rules */
}

/* aad: NULL, or where all of it lies. Of a block at most the product is made with the text's. */
static void aad_pieces(const struct call *c, struct rijn_section *s, struct rijn_gcm_ctx *r, const u8 *aad) {
  unsigned int left = c->aad_len, n;
  struct rijn_place p;

  if (left == 0)
    return;
  if (aad != NULL && left <= sizeof r->chain.acc) {
    memcpy(r->chain.acc, aad, left);
    r->aad_len = left;
    r->pending = RIJN_HASH_PENDING;
    return;
  }
  for (rijn_go(&p, c->req->src, 0); left != 0; left -= n) {
    n = rijn_may(s, min(left, rijn_ahead(s, &p)));
    rijn_gcm_ctx_aad(r, p.at, n);
    rijn_skip(&p, n);
  }
  rijn_gcm_ctx_aad_end(r);
}

struct text {
  struct rijn_place in, out;
};
static void text_pieces(const struct call *c, struct rijn_section *s, struct rijn_gcm_ctx *r, struct text *t) {
  unsigned int left = c->len, n;

  while (left != 0) {
    n = min(rijn_ahead(s, &t->in), rijn_ahead(s, &t->out));
    n = rijn_may(s, min(n, left));
    rijn_gcm_ctx_text(r, t->out.at, t->in.at, n, c->to);
    rijn_wrote(t->out.at, n);
    rijn_skip(&t->in, n);
    rijn_skip(&t->out, n);
    left -= n;
  }
}

/* Text in pieces is decrypted before it is known to be genuine. */
static void wipe_text(const struct call *c) {
  struct scatterlist *dst = c->req->dst;
  u64 end = (u64)c->req->assoclen + c->len;

  if (c->len != 0)
    sg_zero_buffer(dst, sg_nents_for_len(dst, end), c->len, c->req->assoclen);
}

/* aad: NULL, or where all of the associated data lies. */
static int pieces(struct call *c, const u8 *aad) {
  struct rijn_section s = {.way = c->way, .flags = aead_request_flags(c->req)};
  struct rijn_gcm_ctx r;
  struct text t;
  int err = 0;

  if (c->len != 0) { /* before the section: the associated data may lie in many pieces */
    rijn_go(&t.in, c->req->src, c->req->assoclen);
    rijn_go(&t.out, c->req->dst, c->req->assoclen);
  }
  rijn_open(&s);
  rijn_gcm_ctx_start(&r, c->way.impl, c->k, c->nonce, NONCE);
  aad_pieces(c, &s, &r, aad);
  text_pieces(c, &s, &r, &t);
  if (c->to == ENCRYPT)
    rijn_gcm_ctx_seal(&r, c->tag);
  else
    err = rijn_gcm_ctx_open(&r, c->tag);
  rijn_end(c->way);
  if (err == 0)
    return 0;
  wipe_text(c);
  return -EBADMSG;
}

/* The associated data in one piece: where it lies, or copied to buf; NULL: neither. */
static const u8 *aad_of(const struct call *c, u8 buf[AAD_COPIED]) {
  const u8 *aad = rijn_piece(c->req->src, 0, c->aad_len);
  if (aad != NULL || c->aad_len > AAD_COPIED)
    return aad;
  rijn_copy(buf, c->req->src, 0, c->aad_len, false);
  return buf;
}

/* The tag that follows the text, from there or to there. */
static void copy_tag(struct call *c, struct scatterlist *sg, bool to) {
  unsigned int n = crypto_aead_authsize(crypto_aead_reqtfm(c->req));
  u8 *there = rijn_piece(sg, c->req->assoclen + c->len, n);

  if (there == NULL || n != 16) {
    rijn_copy(c->tag, sg, c->req->assoclen + c->len, n, to);
  } else if (to) {
    memcpy(there, c->tag, 16);
    rijn_wrote(there, 16);
  } else {
    memcpy(c->tag, there, 16);
  }
}

static int crypt(struct call *c) {
  struct aead_request *req = c->req;
  struct crypto_aead *tfm = crypto_aead_reqtfm(req);
  struct ctx *ctx = ctx_of(tfm);
  unsigned int tag_len = crypto_aead_authsize(tfm), tag_in = c->to == ENCRYPT ? 0 : tag_len;
  unsigned int tag_out = c->to == ENCRYPT ? tag_len : 0;
  u8 buf[AAD_COPIED], *in, *out;
  struct vec_room room;
  const u8 *aad;
  bool one;
  u64 all;
  int err;

  if (req->cryptlen < tag_in)
    return -EINVAL;
  c->len = req->cryptlen - tag_in;
  all = (u64)req->assoclen + c->len;
  /* WHY UINT_MAX: Linux counts within a scatterlist so far. */
  if (all + tag_len > UINT_MAX || !rijn_has(req->src, all + (req->src == req->dst ? tag_len : tag_in)) ||
      (req->src != req->dst && !rijn_has(req->dst, all + tag_out)))
    return -EINVAL;
  c->way = rijn_way(set_of(tfm), ctx->key.impl != 0, &room);
  c->k = c->way.vector ? &ctx->key : plain_key(ctx);
  if (c->to == DECRYPT)
    copy_tag(c, req->src, false);

  in = rijn_piece(req->src, req->assoclen, c->len);
  out = req->src == req->dst ? in : rijn_piece(req->dst, req->assoclen, c->len);
  if (c->len == 0)
    in = out = buf; /* a kernel computes with the text's place */
  if (in != NULL && out != NULL && !rijn_alias_ok(out, in, c->len))
    return -EINVAL;
  one = in != NULL && out != NULL && (u64)c->len + c->aad_len <= RIJN_ONE_CALL;
  aad = aad_of(c, buf);
  one = one && aad != NULL;
  err = one ? whole(c, out, in, aad) : pieces(c, aad);
  if (one && c->len != 0)
    rijn_wrote(out, c->len);
  if (err == 0 && c->to == ENCRYPT)
    copy_tag(c, req->dst, true);
  return err;
}

static int gcm_crypt(struct aead_request *req, enum direction to) {
  struct call c = {.req = req, .to = to, .aad_len = req->assoclen};
  memcpy(c.nonce, req->iv, NONCE);
  return crypt(&c);
}
static int gcm_encrypt(struct aead_request *req) { return gcm_crypt(req, ENCRYPT); }
static int gcm_decrypt(struct aead_request *req) { return gcm_crypt(req, DECRYPT); }

static int rfc4106_crypt(struct aead_request *req, enum direction to) {
  struct call c = {.req = req, .to = to, .aad_len = req->assoclen - GCM_RFC4106_IV_SIZE};
  int err = crypto_ipsec_check_assoclen(req->assoclen);
  if (err != 0)
    return err;
  memcpy(c.nonce, ctx_of(crypto_aead_reqtfm(req))->salt, SALT);
  memcpy(c.nonce + SALT, req->iv, GCM_RFC4106_IV_SIZE);
  err = crypt(&c);
  memzero_explicit(c.nonce, SALT);
  return err;
}
static int rfc4106_encrypt(struct aead_request *req) { return rfc4106_crypt(req, ENCRYPT); }
static int rfc4106_decrypt(struct aead_request *req) { return rfc4106_crypt(req, DECRYPT); }

void rijn_gcm_algs(struct rijn_aead algs[RIJN_AEADS]) {
  static const struct aead_alg both[RIJN_AEADS] = {
      {.base.cra_name = "gcm(aes)",
       .setkey = gcm_setkey,
       .setauthsize = gcm_setauthsize,
       .encrypt = gcm_encrypt,
       .decrypt = gcm_decrypt,
       .ivsize = GCM_AES_IV_SIZE},
      {.base.cra_name = "rfc4106(gcm(aes))",
       .setkey = rfc4106_setkey,
       .setauthsize = rfc4106_setauthsize,
       .encrypt = rfc4106_encrypt,
       .decrypt = rfc4106_decrypt,
       .ivsize = GCM_RFC4106_IV_SIZE},
  };
  int i;

  for (i = 0; i < RIJN_AEADS; i++) {
    algs[i].alg = both[i];
    algs[i].alg.maxauthsize = 16;
    algs[i].alg.chunksize = 16;
    algs[i].alg.base.cra_blocksize = 1;
    algs[i].alg.base.cra_ctxsize = sizeof(struct ctx) + RIJN_ALIGN - 1;
  }
}
