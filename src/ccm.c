/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-CCM (SP 800-38C): key, and a message in one call. */
#include <rijn.h>

#include "bytes.h"
#include "ct.h"
#include "impl.h"
#include "key.h"

RIJN_KEY_FITS(struct rijn_enc, rijn_ccm_key);
static const struct rijn_enc *ccm_of(const rijn_ccm_key *key) {
  return (const struct rijn_enc *)(const void *)key->opaque;
}

static int ccm_make_key(rijn_ccm_key *key, const void *raw, size_t raw_len, size_t tag_len, int which) {
  struct rijn_chosen maker;
  int err = rijn_init_check(&maker, key, sizeof *key, raw, raw_len, rijn_aes_lengths(raw_len), which);
  if (err != RIJN_OK)
    return err;
  if (tag_len < 4 || tag_len > 16 || tag_len % 2 != 0)
    return RIJN_ETAGLEN;
  struct rijn_enc *k = (struct rijn_enc *)(void *)key->opaque;
  memset(key, 0, sizeof *key);
  k->tag_len = (uint8_t)tag_len;
  rijn_enc_init(k, &maker, raw, raw_len);
  return RIJN_OK;
}

int rijn_ccm_init(rijn_ccm_key *key, const void *raw, size_t raw_len) {
  return ccm_make_key(key, raw, raw_len, 16, RIJN_IMPL_CHOSEN);
}

int rijn_ccm_init_taglen(rijn_ccm_key *key, const void *raw, size_t raw_len, size_t tag_len) {
  return ccm_make_key(key, raw, raw_len, tag_len, RIJN_IMPL_CHOSEN);
}

int rijn_ccm_init_impl(rijn_ccm_key *key, const void *raw, size_t raw_len, size_t tag_len, int impl) {
  return ccm_make_key(key, raw, raw_len, tag_len, rijn_impl_named(impl));
}

size_t rijn_ccm_tag_len(const rijn_ccm_key *key) { return key == NULL ? 0 : ccm_of(key)->tag_len; }

void rijn_ccm_wipe(rijn_ccm_key *key) {
  if (key != NULL)
    rijn_wipe(key, sizeof *key);
}

/* ---------------------------------------------------------------- a message */

/* A call, as it was made. */
struct message {
  const rijn_ccm_key *key;
  uint8_t *out;
  const uint8_t *in;
  size_t len;
  const uint8_t *aad;
  size_t aad_len;
  const uint8_t *nonce;
  size_t nonce_len;
};

static int ccm_check(const struct message *m, const void *tag) {
  if (m->key == NULL || rijn_null(m->out, m->len) || rijn_null(m->in, m->len) || rijn_null(m->aad, m->aad_len) ||
      m->nonce == NULL || tag == NULL)
    return RIJN_ENULL;
  if (rijn_impl_of(ccm_of(m->key)->impl) == NULL)
    return RIJN_ESTATE;
  if (m->nonce_len < 7 || m->nonce_len > 13)
    return RIJN_ENONCELEN;
  /* SPEC: SP 800-38C, A.1: the text's length goes into the 15 - n bytes that the nonce leaves. */
  if (m->nonce_len > 7 && rijn_over(m->len, (UINT64_C(1) << (8 * (15 - m->nonce_len))) - 1))
    return RIJN_ELEN;
  return rijn_alias_ok(m->out, m->in, m->len) ? RIJN_OK : RIJN_EOVERLAP;
}

/* SPEC: SP 800-38C, A.2.1 and A.3: B0, and Ctr0. */
static void begin(struct rijn_ccm_state *c, const struct message *m, size_t tag_len) {
  uint8_t q = (uint8_t)(15 - m->nonce_len);
  memset(c, 0, sizeof *c);
  rijn_store_be64(c->mac + 8, m->len);
  c->mac[0] = (uint8_t)((m->aad_len != 0 ? 64 : 0) + 8 * ((tag_len - 2) / 2) + (q - 1u));
  memcpy(c->mac + 1, m->nonce, m->nonce_len);
  c->ctr[0] = q - 1;
  memcpy(c->ctr + 1, m->nonce, m->nonce_len);
}

/* SPEC: SP 800-38C, A.2.2: how long the associated data is, ahead of it. Returns how many bytes that takes. */
static size_t put_aad_len(uint8_t *to, uint64_t len) {
  if (len < 0xff00) {
    to[0] = (uint8_t)(len >> 8);
    to[1] = (uint8_t)len;
    return 2;
  }
  bool is_long = len > UINT32_MAX;
  to[0] = 0xff;
  to[1] = is_long ? 0xff : 0xfe;
  if (is_long)
    rijn_store_be64(to + 2, len);
  else
    rijn_store_be32(to + 2, (uint32_t)len);
  return is_long ? 10 : 6;
}

/* WHY by CFB: a chain whose last block is added and not encrypted yet is CFB's, and what that writes is not wanted. */
static void add_aad(struct rijn_ccm_state *c, const struct rijn_enc *k, const struct rijn_impl *impl,
                    const struct message *m) {
  uint8_t blocks[256];
  const uint8_t *aad = m->aad;
  size_t left = m->aad_len, from = put_aad_len(blocks, left), used = 0;
  for (; left != 0; from = 0) {
    size_t room = sizeof blocks - from, n = left < room ? left : room, end = from + n, nblk = (end + 15) / 16;
    rijn_ct_copy(blocks + from, aad, n);
    memset(blocks + end, 0, 16 * nblk - end);
    impl->cfb_enc(&k->rk, k->rounds, blocks, blocks, nblk, c->mac);
    if (from != 0)
      used = 16 * nblk; /* none is longer than the first */
    aad += n;
    left -= n;
  }
  rijn_wipe(blocks, used);
}

/* made: gets the tag; if NULL the message is decrypted, and its tag is right if it is `given`. */
static int ccm_crypt(const struct message *m, uint8_t *made, const uint8_t *given) {
  const struct rijn_enc *k = ccm_of(m->key);
  const struct rijn_impl *impl = rijn_impl_of(k->impl);
  struct rijn_ccm_state c;
  begin(&c, m, k->tag_len);
  if (m->aad_len != 0)
    add_aad(&c, k, impl, m);
  (made != NULL ? impl->ccm_enc : impl->ccm_dec)(&k->rk, k->rounds, m->out, m->in, m->len, &c);
  int err = RIJN_OK;
  if (made != NULL) {
    rijn_ct_copy(made, c.mac, k->tag_len);
  } else if (rijn_ct_eq(c.mac, given, k->tag_len) == 0) { /* CT: the verdict is public */
    if (m->len != 0)
      memset(m->out, 0, m->len);
    err = RIJN_EAUTH;
  }
  rijn_wipe(&c, sizeof c);
  return err;
}

int rijn_ccm_encrypt(const rijn_ccm_key *key, void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                     const void *nonce, size_t nonce_len, void *tag) {
  const struct message m = {key, out, in, len, aad, aad_len, nonce, nonce_len};
  int err = ccm_check(&m, tag);
  return err != RIJN_OK ? err : ccm_crypt(&m, tag, NULL);
}

int rijn_ccm_decrypt(const rijn_ccm_key *key, void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                     const void *nonce, size_t nonce_len, const void *tag) {
  const struct message m = {key, out, in, len, aad, aad_len, nonce, nonce_len};
  int err = ccm_check(&m, tag);
  return err != RIJN_OK ? err : ccm_crypt(&m, NULL, tag);
}
