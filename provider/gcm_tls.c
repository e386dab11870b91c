/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * AES-GCM for TLS 1.2 and OpenSSH: nonces made of a fixed part and a counter, and whole TLS 1.2 records.
 * SPEC: RFC 5288 section 3; RFC 5647 section 7.1. The calls and their order are those of OpenSSL's GCM ciphers.
 */
#include <string.h>

#include "gcm.h"

/* Associated data of a record, whose length has the explicit nonce and, on decryption, the tag in it. The next cipher
 * call is that record. WHY a refusal ends the message: what comes next is meant for a record, and would be plain text
 * under the IV as it stands. */
int rijn_gcm_tls_set_aad(struct gcm *c, const uint8_t *aad, size_t len) {
  c->tls_aad_len = GCM_UNSET;
  if (aad == NULL || len != RIJN_TLS_AAD) {
    rijn_gcm_ctx_spoil(c);
    return RIJN_RAISEF(c->prov, RIJN_R_GET_PARAM, "tlsaad of %zu bytes, not %d", len, RIJN_TLS_AAD);
  }
  size_t around = RIJN_TLS_EXPLICIT + (c->enc ? 0u : GCM_TAG), record = rijn_tls_aad(c->tls_aad, aad, around);
  if (record < around) {
    rijn_gcm_ctx_spoil(c);
    return RIJN_RAISEF(c->prov, RIJN_R_TLS_RECORD, "record of %zu bytes", record);
  }
  c->tls_aad_len = len;
  c->tls_pad = GCM_TAG;
  return 1;
}

/* The fixed part; the counter behind it starts at random on encryption. A length of -1 sets all of the IV, as OpenSSH
 * does. */
int rijn_gcm_tls_set_fixed(struct gcm *c, const uint8_t *iv, size_t len) {
  if (iv == NULL)
    return RIJN_RAISEF(c->prov, RIJN_R_GET_PARAM, "tlsivfixed without data");
  if (len == SIZE_MAX) {
    /* WHY: the counter is the last 8 bytes. A shorter IV has no room for it. */
    if (c->iv_len < RIJN_TLS_EXPLICIT)
      return RIJN_RAISEF(c->prov, RIJN_R_IV_LENGTH, "%zu bytes have no room for a counter", c->iv_len);
    memcpy(c->iv, iv, c->iv_len);
  } else {
    if (len < RIJN_TLS_FIXED || len > c->iv_len || c->iv_len - len < RIJN_TLS_EXPLICIT)
      return RIJN_RAISEF(c->prov, RIJN_R_IV_LENGTH, "fixed part of %zu of %zu bytes", len, c->iv_len);
    if (c->enc && !rijn_prov_random(c->iv + len, c->iv_len - len))
      return RIJN_RAISE(c->prov, RIJN_R_RANDOM);
    memcpy(c->iv, iv, len);
  }
  c->iv_random = c->enc && len != SIZE_MAX;
  c->iv_gen = true;
  c->iv_spent = false;
  rijn_gcm_ctx_begin(c);
  return 1;
}

static bool can_generate(const struct gcm *c) { return c->iv_gen && c->key != NULL && c->iv_len >= RIJN_TLS_EXPLICIT; }

/* The IV as it stands is this message's, unless one was encrypted under it without being generated; its last len bytes
 * are handed out, and it counts on. */
int rijn_gcm_tls_get_gen(struct gcm *c, uint8_t *out, size_t len) {
  if (out == NULL || !can_generate(c))
    return RIJN_RAISEF(c->prov, RIJN_R_NO_IV, "generation needs a key and a fixed part");
  if (c->enc && c->iv_spent)
    return RIJN_RAISE(c->prov, RIJN_R_IV_REUSE);
  rijn_gcm_ctx_begin(c);
  if (len == 0 || len > c->iv_len)
    len = c->iv_len;
  memcpy(out, c->iv + c->iv_len - len, len);
  for (size_t i = 0; i < RIJN_TLS_EXPLICIT; i++)
    if (++c->iv[c->iv_len - 1 - i] != 0)
      break;
  return 1;
}

/* Decryption: the explicit part comes from the record. */
int rijn_gcm_tls_set_inv(struct gcm *c, const uint8_t *in, size_t len) {
  if (in == NULL || !can_generate(c) || c->enc || len > c->iv_len)
    return RIJN_RAISEF(c->prov, RIJN_R_NO_IV, "tlsivinv needs a key, a fixed part and decryption");
  memcpy(c->iv + c->iv_len - len, in, len);
  rijn_gcm_ctx_begin(c);
  return 1;
}

static int record(struct gcm *c, uint8_t *out, size_t *out_len, const uint8_t *in, size_t len) {
  if (c->key == NULL)
    return RIJN_RAISE(c->prov, RIJN_R_NO_KEY);
  if (out == NULL || out != in || len < RIJN_TLS_EXPLICIT + GCM_TAG)
    return RIJN_RAISE(c->prov, RIJN_R_TLS_RECORD);
  /* As the default provider: one key takes 2^64 - 1 records. */
  if (c->enc && ++c->tls_records == 0)
    return RIJN_RAISE(c->prov, RIJN_R_RECORDS);
  if (!rijn_gcm_ctx_tag_len(c, GCM_TAG))
    return 0;
  if (!(c->enc ? rijn_gcm_tls_get_gen(c, out, RIJN_TLS_EXPLICIT) : rijn_gcm_tls_set_inv(c, out, RIJN_TLS_EXPLICIT)))
    return 0;
  uint8_t *text = out + RIJN_TLS_EXPLICIT;
  size_t text_len = len - RIJN_TLS_EXPLICIT - GCM_TAG;
  int err = (c->enc ? rijn_gcm_encrypt(&c->key->k, text, text, text_len, c->tls_aad, c->tls_aad_len, c->nonce,
                                       c->iv_len, text + text_len)
                    : rijn_gcm_decrypt(&c->key->k, text, text, text_len, c->tls_aad, c->tls_aad_len, c->nonce,
                                       c->iv_len, text + text_len));
  if (err != RIJN_OK) /* a forgery: the default provider's reason too, for a record, unlike for an end */
    return RIJN_RAISE_ERR(c->prov, err);
  rijn_prov_count(RIJN_ALG_GCM, c->enc, text_len);
  if (c->enc) {
    memcpy(c->tag, text + text_len, GCM_TAG);
    c->tag_made = true;
  }
  c->tag_len = GCM_TAG;
  *out_len = c->enc ? len : text_len;
  return 1;
}

/* A record in place: explicit nonce, text, tag. */
int rijn_gcm_tls_record(struct gcm *c, uint8_t *out, size_t *out_len, const uint8_t *in, size_t len) {
  *out_len = 0;
  int ok = record(c, out, out_len, in, len);
  rijn_gcm_ctx_spoil(
      c); /* WHY not the phase alone: a record that is refused finds the stream of a message that was open */
  c->tls_aad_len = GCM_UNSET;
  return ok;
}
