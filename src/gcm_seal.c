/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-GCM with the tag behind the text, and the nonce of a numbered record. */
#include <rijn.h>

#include "bytes.h"
#include "gcm.h"
#include "mem.h"

/* For one that has no tag length. */
static int key_error(const rijn_gcm_key *key) { return key == NULL ? RIJN_ENULL : RIJN_ESTATE; }

/* What rijn_gcm_encrypt cannot see is checked here, the rest there. */
int rijn_gcm_seal(const rijn_gcm_key *key, void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                  const void *nonce, size_t nonce_len) {
  const size_t tag_len = rijn_gcm_tag_len(key);
  if (tag_len == 0)
    return key_error(key);
  if (out == NULL || rijn_null(in, len))
    return RIJN_ENULL;
  if (rijn_over(len, RIJN_GCM_MAX_LEN) || len > SIZE_MAX - tag_len)
    return RIJN_ELEN;
  if (out != in && !rijn_disjoint(out, len + tag_len, in, len))
    return RIJN_EOVERLAP;
  return rijn_gcm_encrypt(key, out, in, len, aad, aad_len, nonce, nonce_len, (uint8_t *)out + len);
}

int rijn_gcm_open(const rijn_gcm_key *key, void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                  const void *nonce, size_t nonce_len) {
  const size_t tag_len = rijn_gcm_tag_len(key);
  if (tag_len == 0)
    return key_error(key);
  if (rijn_null(in, len))
    return RIJN_ENULL;
  if (len < tag_len)
    return RIJN_EAUTH;
  const size_t text = len - tag_len;
  /* A tag that lies in the output would be read when it is text already. */
  if (out != in && !rijn_disjoint(out, text, in, len))
    return RIJN_EOVERLAP;
  return rijn_gcm_decrypt(key, out, in, text, aad, aad_len, nonce, nonce_len, (const uint8_t *)in + text);
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
