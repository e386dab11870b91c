/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * AES-GCM in pieces: what streams, buffer lists and nonces of other lengths than 12 bytes have in common, and the
 * public calls of streams.
 */
#include <rijn.h>
#include <stdbool.h>

#include "bytes.h"
#include "ct.h"
#include "gcm.h"

/* ---------------------------------------------------------------- a message in pieces */

static const uint8_t zero_block[16];

/* acc * H: what was pending in acc becomes a finished block. */
static void mul_h(struct rijn_gcm_ctx *r) { r->impl->ghash_blocks(&r->k->h, r->chain.acc, zero_block, 1); }

/* acc = (acc XOR bytes at place) for n bytes, within one block. */
static void absorb_part(struct rijn_gcm_ctx *r, size_t place, const uint8_t *p, size_t n) {
  uint8_t *acc = r->chain.acc + place;
  for (; n >= 4; n -= 4, p += 4, acc += 4) { /* by words (T-300) */
    uint32_t word, hash;
    memcpy(&word, p, 4);
    memcpy(&hash, acc, 4);
    hash ^= word;
    memcpy(acc, &hash, 4);
  }
  for (; n != 0; n--)
    *acc++ ^= *p++;
  RIJN_CLEAR_GENERAL(); /* the hash is secret */
}

/* SPEC: SP 800-38D section 6.2, inc32. CT: ctr may be secret; the wrap is the carry out of a 32-bit addition. */
static void inc32(uint8_t ctr[16], uint32_t by) { rijn_store_be32(ctr + 12, rijn_load_be32(ctr + 12) + by); }

/* SPEC: SP 800-38D section 7.1, step 2. Leaves J0 in ctr. */
static void make_j0(struct rijn_gcm_ctx *r, const uint8_t *nonce, size_t nonce_len) {
  memset(r->chain.ctr, 0, sizeof r->chain.ctr);
  if (nonce_len == 12) {
    memcpy(r->chain.ctr, nonce, 12);
    r->chain.ctr[15] = 1;
    return;
  }
  /* What is left of the nonce, zeros, 8 zeros more, the length in bits: one call, not two (T-254). */
  uint8_t end[32] = {0};
  size_t rest = nonce_len % 16, start = rest != 0 ? 0 : 16;
  if (nonce_len >= 16)
    r->impl->ghash_blocks(&r->k->h, r->chain.ctr, nonce, nonce_len / 16);
  memcpy(end, nonce + (nonce_len - rest), rest);
  rijn_store_be64(end + 24, (uint64_t)nonce_len * 8);
  r->impl->ghash_blocks(&r->k->h, r->chain.ctr, end + start, 2 - start / 16);
}

void rijn_gcm_ctx_start(struct rijn_gcm_ctx *r, const struct rijn_impl *impl, const struct rijn_gcm *k,
                        const uint8_t *nonce, size_t nonce_len) {
  /* ks needs no value yet; ctr and j0 are set below. */
  r->impl = impl;
  r->k = k;
  r->aad_len = r->text_len = 0;
  r->pending = 0;
  memset(r->chain.acc, 0, sizeof r->chain.acc);
  make_j0(r, nonce, nonce_len);
  memcpy(r->j0, r->chain.ctr, sizeof r->j0);
  inc32(r->chain.ctr, 1);
  RIJN_CLEAR_GENERAL();
}

void rijn_gcm_ctx_aad(struct rijn_gcm_ctx *r, const uint8_t *aad, size_t len) {
  size_t place = (size_t)(r->aad_len % 16);
  r->aad_len += len;
  if (place != 0 && len != 0) {
    size_t n = len < 16 - place ? len : 16 - place;
    absorb_part(r, place, aad, n);
    if (place + n == 16)
      mul_h(r);
    aad += n;
    len -= n;
  }
  /* Here either the block is complete or nothing is left. */
  if (len >= 16) {
    r->impl->ghash_blocks(&r->k->h, r->chain.acc, aad, len / 16);
    aad += len / 16 * 16;
  }
  absorb_part(r, 0, aad, len % 16);
}

void rijn_gcm_ctx_aad_end(struct rijn_gcm_ctx *r) { r->pending = r->aad_len % 16 != 0 ? RIJN_HASH_PENDING : 0; }

/* n bytes within one block, whose keystream is in ks; place is where they stand in it. */
static void stream_crypt_part(struct rijn_gcm_ctx *r, size_t place, uint8_t *out, const uint8_t *in, size_t n,
                              enum direction dir) {
  uint8_t *acc = r->chain.acc + place, *ks = r->chain.ks + place;
  size_t i = 0;
  for (; n - i >= 4; i += 4) { /* by words (T-300) */
    uint32_t from, hash, key;
    memcpy(&from, in + i, 4);
    memcpy(&hash, acc + i, 4);
    memcpy(&key, ks + i, 4);
    key ^= from;
    hash ^= dir == ENCRYPT ? key : from; /* the hash takes the ciphertext */
    memcpy(out + i, &key, 4);
    memcpy(acc + i, &hash, 4);
  }
  for (; i < n; i++) {
    uint8_t from = in[i], to = (uint8_t)(from ^ ks[i]);
    acc[i] ^= dir == ENCRYPT ? to : from;
    out[i] = to;
  }
  RIJN_CLEAR_GENERAL();
}

void rijn_gcm_ctx_text(struct rijn_gcm_ctx *r, uint8_t *out, const uint8_t *in, size_t len, enum direction dir) {
  size_t place = (size_t)(r->text_len % 16);
  r->text_len += len;
  if (place != 0 && len != 0) {
    size_t n = len < 16 - place ? len : 16 - place;
    stream_crypt_part(r, place, out, in, n, dir);
    r->pending = place + n == 16 ? RIJN_HASH_PENDING : 0;
    out += n;
    in += n;
    len -= n;
  }
  if (len == 0)
    return;
  const size_t nblk = len / 16, end = len % 16;
  const unsigned ends = r->pending | (end != 0 ? RIJN_NEXT_KEYSTREAM : 0u);
  if (dir == ENCRYPT)
    r->impl->gcm_enc_blocks(r->k, out, in, nblk, &r->chain, ends);
  else
    r->impl->gcm_dec_blocks(r->k, out, in, nblk, &r->chain, ends);
  r->pending = 0;
  stream_crypt_part(r, 0, out + 16 * nblk, in + 16 * nblk, end, dir);
}

/* The tag, whole, into acc. */
static void stream_make_tag(struct rijn_gcm_ctx *r) {
  r->impl->gcm_blocks_tag(r->k, &r->chain, r->j0, r->aad_len, r->text_len,
                          r->text_len % 16 != 0 ? RIJN_HASH_PENDING : r->pending);
}

void rijn_gcm_ctx_seal(struct rijn_gcm_ctx *r, uint8_t *tag) {
  stream_make_tag(r);
  /* WHY constant lengths: else the C library's memcpy leaves what it moved in vector registers (SVE). */
  size_t n = r->k->tag_len; /* 4, or 8 at least */
  if (n < 8) {
    memcpy(tag, r->chain.acc, 4);
  } else {
    memcpy(tag, r->chain.acc, 8);
    memcpy(tag + n - 8, r->chain.acc + n - 8, 8);
  }
  rijn_wipe(r, sizeof *r); /* the bytes cut off a short tag are nobody's business */
}

int rijn_gcm_ctx_open(struct rijn_gcm_ctx *r, const uint8_t *tag) {
  stream_make_tag(r);
  uint32_t equal = rijn_ct_eq(r->chain.acc, tag, r->k->tag_len);
  rijn_wipe(r, sizeof *r);                  /* the right tag of a forgery is what the forger is after */
  return equal != 0 ? RIJN_OK : RIJN_EAUTH; /* CT: the verdict is public */
}

/* ---------------------------------------------------------------- streams */

/* WHY: odd numbers, so that an object never started is taken for a stream only by an unlikely accident. */
enum phase { PHASE_NONE = 0, PHASE_AAD = 0x5ea1a0d, PHASE_TEXT = 0x5ea17e7 };

struct __attribute__((may_alias)) stream {
  uint32_t phase;
  enum direction dir;
  struct rijn_gcm_ctx run;
};
RIJN_KEY_FITS(struct stream, rijn_gcm_stream);

static struct stream *stream_of(rijn_gcm_stream *s) { return (struct stream *)(void *)s->opaque; }

static int start_stream(rijn_gcm_stream *s, const rijn_gcm_key *key, const void *nonce, size_t nonce_len,
                        enum direction dir) {
  if (s == NULL)
    return RIJN_ENULL;
  int err = rijn_gcm_check_start(key, nonce, nonce_len);
  if (err != RIJN_OK)
    return err;
  const struct rijn_gcm *k = rijn_gcm_of(key);
  struct stream *t = stream_of(s);
  rijn_wipe(s, sizeof *s);
  rijn_gcm_ctx_start(&t->run, rijn_impl_of(k->impl), k, nonce, nonce_len);
  t->phase = PHASE_AAD;
  t->dir = dir;
  return RIJN_OK;
}

int rijn_gcm_encrypt_start(rijn_gcm_stream *s, const rijn_gcm_key *key, const void *nonce, size_t nonce_len) {
  return start_stream(s, key, nonce, nonce_len, ENCRYPT);
}

int rijn_gcm_decrypt_start(rijn_gcm_stream *s, const rijn_gcm_key *key, const void *nonce, size_t nonce_len) {
  return start_stream(s, key, nonce, nonce_len, DECRYPT);
}

/* Is a stream open, and its key alive? */
static bool is_open(const struct stream *t) {
  return (t->phase == PHASE_AAD || t->phase == PHASE_TEXT) && rijn_impl_of(t->run.k->impl) == t->run.impl;
}

/* A call that does not fit the state. WHY: the stream ends here, and every later call fails too: a caller who misses
 * the error of, say, associated data that came late must not get a tag that leaves them out. */
static int out_of_order(struct stream *t) {
  rijn_wipe(t, sizeof *t);
  return RIJN_ESTATE;
}

int rijn_gcm_aad(rijn_gcm_stream *s, const void *aad, size_t len) {
  if (s == NULL)
    return RIJN_ENULL;
  struct stream *t = stream_of(s);
  if (!is_open(t) || t->phase != PHASE_AAD)
    return out_of_order(t);
  if (rijn_null(aad, len))
    return RIJN_ENULL;
  if (rijn_over(len, RIJN_GCM_MAX_AAD - t->run.aad_len))
    return RIJN_EAADLEN;
  rijn_gcm_ctx_aad(&t->run, aad, len);
  return RIJN_OK;
}

int rijn_gcm_update(rijn_gcm_stream *s, void *out, const void *in, size_t len) {
  if (s == NULL)
    return RIJN_ENULL;
  struct stream *t = stream_of(s);
  if (!is_open(t))
    return out_of_order(t);
  if (rijn_null(out, len) || rijn_null(in, len))
    return RIJN_ENULL;
  if (rijn_over(len, RIJN_GCM_MAX_LEN - t->run.text_len))
    return RIJN_ELEN;
  if (!rijn_alias_ok(out, in, len))
    return RIJN_EOVERLAP;
  if (t->phase == PHASE_AAD)
    rijn_gcm_ctx_aad_end(&t->run);
  t->phase = PHASE_TEXT; /* even after 0 bytes: the order of calls does not depend on their lengths */
  rijn_gcm_ctx_text(&t->run, out, in, len, t->dir);
  return RIJN_OK;
}

int rijn_gcm_encrypt_finish(rijn_gcm_stream *s, void *tag) {
  if (s == NULL)
    return RIJN_ENULL;
  struct stream *t = stream_of(s);
  if (!is_open(t) || t->dir == DECRYPT)
    return out_of_order(t);
  if (tag == NULL)
    return RIJN_ENULL;
  if (t->phase == PHASE_AAD)
    rijn_gcm_ctx_aad_end(&t->run);
  rijn_gcm_ctx_seal(&t->run, tag);
  rijn_wipe(t, offsetof(struct stream, run)); /* run is wiped; all after it is zeros */
  return RIJN_OK;
}

int rijn_gcm_decrypt_finish(rijn_gcm_stream *s, const void *tag) {
  if (s == NULL)
    return RIJN_ENULL;
  struct stream *t = stream_of(s);
  if (!is_open(t) || t->dir == ENCRYPT)
    return out_of_order(t);
  if (tag == NULL)
    return RIJN_ENULL;
  if (t->phase == PHASE_AAD)
    rijn_gcm_ctx_aad_end(&t->run);
  int err = rijn_gcm_ctx_open(&t->run, tag);
  rijn_wipe(t, offsetof(struct stream, run));
  return err;
}

void rijn_gcm_stream_wipe(rijn_gcm_stream *s) {
  if (s != NULL)
    rijn_wipe(s, sizeof *s);
}

#ifdef RIJN_TEST_HOOKS
int rijn_test_gcm_stream_preset(rijn_gcm_stream *s, uint64_t text_len, uint64_t aad_len) {
  struct stream *t = stream_of(s);
  if (!is_open(t))
    return RIJN_ESTATE;
  struct rijn_gcm_ctx *r = &t->run;
  if (r->pending != 0)
    mul_h(r);
  r->pending = 0;
  /* ctr is that of the next block not begun, modulo 2^32. */
  inc32(r->chain.ctr, (uint32_t)((text_len + 15) / 16) - (uint32_t)((r->text_len + 15) / 16));
  if (text_len % 16 != 0) {
    uint8_t block[16];
    memcpy(block, r->chain.ctr, sizeof block);
    inc32(block, UINT32_MAX);
    r->impl->ecb_enc(&r->k->rk, r->k->rounds, r->chain.ks, block, 1);
  }
  r->text_len = text_len;
  r->aad_len = aad_len;
  return RIJN_OK;
}
#endif
