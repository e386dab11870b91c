/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The tag behind the text, of AES-GCM, AES-GCM-SIV and XAES-256-GCM; and the nonce of a numbered record. */
#include <rijn.h>

#include "bytes.h"
#include "gcm.h"
#include "mem.h"

/* What the calls with the tag apart cannot see; the rest is checked there. tag_len is 0 if the key has none. */
static int check_seal(const void *key, size_t tag_len, const void *out, const void *in, size_t len, uint64_t max_len) {
  if (tag_len == 0)
    return key == NULL ? RIJN_ENULL : RIJN_ESTATE;
  if (out == NULL || rijn_null(in, len))
    return RIJN_ENULL;
  if (rijn_over(len, max_len) || len > SIZE_MAX - tag_len)
    return RIJN_ELEN;
  return out == in || rijn_disjoint(out, len + tag_len, in, len) ? RIJN_OK : RIJN_EOVERLAP;
}

/* The same for open; on RIJN_OK *text is the text's length. */
static int check_open(size_t *text, const void *key, size_t tag_len, const void *out, const void *in, size_t len) {
  if (tag_len == 0)
    return key == NULL ? RIJN_ENULL : RIJN_ESTATE;
  if (rijn_null(in, len))
    return RIJN_ENULL;
  if (len < tag_len)
    return RIJN_EAUTH;
  *text = len - tag_len;
  /* A tag that lies in the output would be read when it is text already. */
  return out == in || rijn_disjoint(out, *text, in, len) ? RIJN_OK : RIJN_EOVERLAP;
}

int rijn_gcm_seal(const rijn_gcm_key *key, void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                  const void *nonce, size_t nonce_len) {
  int err = check_seal(key, rijn_gcm_tag_len(key), out, in, len, RIJN_GCM_MAX_LEN);
  if (err != RIJN_OK)
    return err;
  return rijn_gcm_encrypt(key, out, in, len, aad, aad_len, nonce, nonce_len, (uint8_t *)out + len);
}

int rijn_gcm_open(const rijn_gcm_key *key, void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                  const void *nonce, size_t nonce_len) {
  size_t text;
  int err = check_open(&text, key, rijn_gcm_tag_len(key), out, in, len);
  if (err != RIJN_OK)
    return err;
  return rijn_gcm_decrypt(key, out, in, text, aad, aad_len, nonce, nonce_len, (const uint8_t *)in + text);
}

/* Of a key whose tags have 16 bytes, and which begins with a struct rijn_enc: 16, or 0 for one that was never made. */
static size_t enc_tag_len(const void *key) {
  return key != NULL && rijn_impl_is(((const struct rijn_enc *)key)->impl) ? 16 : 0;
}

int rijn_gcm_siv_seal(const rijn_gcm_siv_key *key, void *out, const void *in, size_t len, const void *aad,
                      size_t aad_len, const uint8_t nonce[12]) {
  int err = check_seal(key, enc_tag_len(key), out, in, len, RIJN_GCM_SIV_MAX_LEN);
  return err != RIJN_OK ? err : rijn_gcm_siv_encrypt(key, out, in, len, aad, aad_len, nonce, (uint8_t *)out + len);
}

int rijn_gcm_siv_open(const rijn_gcm_siv_key *key, void *out, const void *in, size_t len, const void *aad,
                      size_t aad_len, const uint8_t nonce[12]) {
  size_t text;
  int err = check_open(&text, key, enc_tag_len(key), out, in, len);
  if (err != RIJN_OK)
    return err;
  return rijn_gcm_siv_decrypt(key, out, in, text, aad, aad_len, nonce, (const uint8_t *)in + text);
}

int rijn_xaes_seal(const rijn_xaes_key *key, void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                   const uint8_t nonce[24]) {
  int err = check_seal(key, enc_tag_len(key), out, in, len, RIJN_GCM_MAX_LEN);
  return err != RIJN_OK ? err : rijn_xaes_encrypt(key, out, in, len, aad, aad_len, nonce, (uint8_t *)out + len);
}

int rijn_xaes_open(const rijn_xaes_key *key, void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                   const uint8_t nonce[24]) {
  size_t text;
  int err = check_open(&text, key, enc_tag_len(key), out, in, len);
  if (err != RIJN_OK)
    return err;
  return rijn_xaes_decrypt(key, out, in, text, aad, aad_len, nonce, (const uint8_t *)in + text);
}

/* SPEC: RFC 8446 section 5.3. */
int rijn_gcm_nonce(uint8_t out[12], const uint8_t iv[12], uint64_t sequence) {
  if (out == NULL || iv == NULL)
    return RIJN_ENULL;
  if (!rijn_disjoint(out, 12, iv, 12))
    return RIJN_EOVERLAP;
  memcpy(out, iv, 4);
  rijn_store_be64(out + 4, rijn_load_be64(iv + 4) ^ sequence);
  return RIJN_OK;
}
