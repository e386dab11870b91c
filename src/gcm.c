/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * AES-GCM (SP 800-38D), one call a message.
 *
 * With a nonce of 12 bytes, J0 = nonce || 1 and one kernel does the whole message (src/mode/gcm_message_t.h, from its
 * end upwards): this file only jumps. The kernel begins with the rules itself (rijn_gcm_surely_valid), and comes back
 * here with what is not beyond doubt. With any other length J0 is GHASH of the nonce under the secret H, hence the
 * counter is a secret too: the message goes through the streaming kernels (gcm_stream.c), which take no branch on it
 * and index nothing with it.
 */
#include <rijn.h>
#include <stdbool.h>

#include "bytes.h"
#include "ct.h"
#include "gcm.h"

_Static_assert(RIJN_EAUTH == -1, "the verdict of the decrypt kernels is passed on as it is");

/* ---------------------------------------------------------------- keys */

/* SPEC: SP 800-38D section 5.2.1.2: 16, 15, 14, 13, 12, and for some applications 8 and 4. */
static bool tag_len_ok(size_t n) { return (n >= 12 && n <= 16) || n == 8 || n == 4; }

static int gcm_make_key(rijn_gcm_key *key, const void *raw, size_t raw_len, size_t tag_len, int which) {
  struct rijn_chosen maker;
  int err = rijn_init_check(&maker, key, sizeof *key, raw, raw_len, rijn_aes_lengths(raw_len), which);
  if (err != RIJN_OK)
    return err;
  if (!tag_len_ok(tag_len))
    return RIJN_ETAGLEN;
  struct rijn_gcm *k = (struct rijn_gcm *)(void *)key->opaque;
  rijn_zero_around(key, sizeof *key, offsetof(struct rijn_gcm, rk), sizeof *k);
  k->rounds = rijn_rounds(raw_len);
  maker.impl->gcm_init(k, raw);
  k->tag_len = (uint8_t)tag_len;
  k->impl = maker.id;
  return RIJN_OK;
}

int rijn_gcm_init(rijn_gcm_key *key, const void *raw, size_t raw_len) {
  return gcm_make_key(key, raw, raw_len, 16, RIJN_IMPL_CHOSEN);
}

int rijn_gcm_init_taglen(rijn_gcm_key *key, const void *raw, size_t raw_len, size_t tag_len) {
  return gcm_make_key(key, raw, raw_len, tag_len, RIJN_IMPL_CHOSEN);
}

int rijn_gcm_init_impl(rijn_gcm_key *key, const void *raw, size_t raw_len, size_t tag_len, int impl) {
  return gcm_make_key(key, raw, raw_len, tag_len, rijn_impl_named(impl));
}

int rijn_gcm_key_impl(const rijn_gcm_key *key) {
  if (key == NULL)
    return RIJN_ENULL;
  uint8_t id = rijn_gcm_of(key)->impl;
  return rijn_impl_of(id) == NULL ? RIJN_ESTATE : id - 1;
}

size_t rijn_gcm_tag_len(const rijn_gcm_key *key) {
  return key == NULL || rijn_impl_of(rijn_gcm_of(key)->impl) == NULL ? 0 : rijn_gcm_of(key)->tag_len;
}

void rijn_gcm_wipe(rijn_gcm_key *key) {
  if (key != NULL)
    rijn_wipe(key, sizeof *key);
}

/* ---------------------------------------------------------------- counters */

#define BLOCK(c)                                                                                                       \
  { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (c) >> 8, (c)&255 }
#define BLOCKS_4(c) BLOCK(c), BLOCK((c) + 1), BLOCK((c) + 2), BLOCK((c) + 3)
#define BLOCKS_16(c) BLOCKS_4(c), BLOCKS_4((c) + 4), BLOCKS_4((c) + 8), BLOCKS_4((c) + 12)
#define BLOCKS_64(c) BLOCKS_16(c), BLOCKS_16((c) + 16), BLOCKS_16((c) + 32), BLOCKS_16((c) + 48)

_Alignas(64) const uint8_t rijn_counters[RIJN_COUNTERS + 2][16] = {
    {0},           {0}, BLOCK(0), BLOCK(1), BLOCKS_64(2), BLOCKS_64(66), BLOCKS_64(130), BLOCKS_64(194), BLOCKS_16(258),
    BLOCKS_16(274)};

/* ---------------------------------------------------------------- checks */

int rijn_gcm_check_start(const rijn_gcm_key *key, const void *nonce, size_t nonce_len) {
  if (key == NULL)
    return RIJN_ENULL;
  if (rijn_impl_of(rijn_gcm_of(key)->impl) == NULL)
    return RIJN_ESTATE;
  if (rijn_null(nonce, nonce_len))
    return RIJN_ENULL;
  if (nonce_len == 0 || rijn_over(nonce_len, RIJN_GCM_MAX_NONCE))
    return RIJN_ENONCELEN;
  return RIJN_OK;
}

int rijn_gcm_check_message(const void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                           const void *tag) {
  if (rijn_null(out, len) || rijn_null(in, len) || rijn_null(aad, aad_len) || tag == NULL)
    return RIJN_ENULL;
  if (rijn_over(len, RIJN_GCM_MAX_LEN))
    return RIJN_ELEN;
  if (rijn_over(aad_len, RIJN_GCM_MAX_AAD))
    return RIJN_EAADLEN;
  return rijn_alias_ok(out, in, len) ? RIJN_OK : RIJN_EOVERLAP;
}

int rijn_gcm_check(const rijn_gcm_key *key, const void *out, const void *in, size_t len, const void *aad,
                   size_t aad_len, const void *nonce, size_t nonce_len, const void *tag) {
  int err = rijn_gcm_check_start(key, nonce, nonce_len);
  return err != RIJN_OK ? err : rijn_gcm_check_message(out, in, len, aad, aad_len, tag);
}

/* ---------------------------------------------------------------- messages */

/* Both directions; decryption only reads the tag. */
static int other(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                 size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t *tag, enum direction dir) {
  uint8_t none[1];
  int err = rijn_gcm_check((const rijn_gcm_key *)(const void *)k, out, in, len, aad, aad_len, nonce, nonce_len, tag);
  if (err != RIJN_OK)
    return err;
  const struct rijn_impl *impl = rijn_impl_of(k->impl);
  if (len == 0) /* kernels compute with the text's place: it is not NULL there */
    in = out = none;
  if (nonce_len == 12 && dir == ENCRYPT)
    return impl->gcm_encrypt_checked(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);
  if (nonce_len == 12)
    return impl->gcm_decrypt_checked(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);
  struct rijn_gcm_ctx r;
  rijn_gcm_ctx_start(&r, impl, k, nonce, nonce_len);
  rijn_gcm_ctx_aad(&r, aad, aad_len);
  rijn_gcm_ctx_aad_end(&r);
  rijn_gcm_ctx_text(&r, out, in, len, dir);
  if (dir == DECRYPT)
    err = rijn_gcm_ctx_open(&r, tag);
  else
    rijn_gcm_ctx_seal(&r, tag);
  if (err != RIJN_OK && len != 0)
    memset(out, 0, len);
  return err;
}

int rijn_gcm_encrypt_slow(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                          size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t *tag) {
  return other(k, out, in, len, aad, aad_len, nonce, nonce_len, tag, ENCRYPT);
}

int rijn_gcm_decrypt_slow(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                          size_t aad_len, const uint8_t *nonce, size_t nonce_len, const uint8_t *tag) {
  return other(k, out, in, len, aad, aad_len, nonce, nonce_len, (uint8_t *)(uintptr_t)tag, DECRYPT);
}

int rijn_gcm_encrypt(const rijn_gcm_key *key, void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                     const void *nonce, size_t nonce_len, void *tag) {
  if (key == NULL)
    return RIJN_ENULL;
  const struct rijn_gcm *k = rijn_gcm_of(key);
  if (!rijn_impl_is(k->impl))
    return RIJN_ESTATE;
  return rijn_impls[k->impl - 1u]->gcm_encrypt(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);
}

int rijn_gcm_decrypt(const rijn_gcm_key *key, void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                     const void *nonce, size_t nonce_len, const void *tag) {
  if (key == NULL)
    return RIJN_ENULL;
  const struct rijn_gcm *k = rijn_gcm_of(key);
  if (!rijn_impl_is(k->impl))
    return RIJN_ESTATE;
  return rijn_impls[k->impl - 1u]->gcm_decrypt(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);
}

/* SPEC: SP 800-38D section 3: GMAC is GCM with no text. The text of length 0 is given a place, because a NULL would be
 * a doubt (T-252). */
int rijn_gmac(const rijn_gcm_key *key, const void *data, size_t len, const void *nonce, size_t nonce_len, void *tag) {
  return rijn_gcm_encrypt(key, tag, tag, 0, data, len, nonce, nonce_len, tag);
}

int rijn_gmac_verify(const rijn_gcm_key *key, const void *data, size_t len, const void *nonce, size_t nonce_len,
                     const void *tag) {
  uint8_t none[1] = {0};
  return rijn_gcm_decrypt(key, none, none, 0, data, len, nonce, nonce_len, tag);
}
