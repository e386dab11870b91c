/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-GCM in ESP (RFC 4106) and GMAC in ESP (RFC 4543): the nonce is a salt from the key, and 8 bytes of the packet. */
#include <rijn.h>
#include <stdbool.h>

#include "bytes.h"
#include "ct.h"
#include "gcm.h"

#define SALT_LEN 4

enum kind { KIND_NONE = 0, KIND_RFC4106 = 1, KIND_RFC4543 = 2 };

/* All bytes but the key, which is bytes itself: see key.h about aliasing. */
struct esp {
  rijn_gcm_key gcm;
  uint8_t salt[SALT_LEN];
  uint8_t kind;
};
RIJN_KEY_FITS(struct esp, rijn_esp_key);

static const struct esp *esp_of(const rijn_esp_key *key) { return (const struct esp *)(const void *)key->opaque; }

static int ipsec_make_key(rijn_esp_key *key, const void *raw, size_t raw_len, size_t tag_len, int which, uint8_t kind) {
  if (key == NULL || rijn_null(raw, raw_len))
    return RIJN_ENULL;
  if (raw_len != 16 + SALT_LEN && raw_len != 24 + SALT_LEN && raw_len != 32 + SALT_LEN)
    return RIJN_EKEYLEN;
  /* SPEC: RFC 4106 section 6: 16, 8 or 12 bytes. RFC 4543 section 3: 16. */
  if (tag_len != 8 && tag_len != 12 && tag_len != 16)
    return RIJN_ETAGLEN;
  /* WHY not left to GCM's init: its object ends before the salt in ours, and its bytes before the salt in raw. */
  if (!rijn_disjoint(key, sizeof *key, raw, raw_len))
    return RIJN_EOVERLAP;
  struct esp *e = (struct esp *)(void *)key->opaque;
  size_t aes_len = raw_len - SALT_LEN;
  int err = which == RIJN_IMPL_CHOSEN ? rijn_gcm_init_taglen(&e->gcm, raw, aes_len, tag_len)
                                      : rijn_gcm_init_impl(&e->gcm, raw, aes_len, tag_len, which);
  if (err != RIJN_OK)
    return err;
  rijn_zero_around(key, sizeof *key, 0, sizeof e->gcm); /* GCM's init has done the beginning */
  memcpy(e->salt, (const uint8_t *)raw + aes_len, SALT_LEN);
  e->kind = kind;
  return RIJN_OK;
}

int rijn_rfc4106_init(rijn_esp_key *key, const void *raw, size_t raw_len, size_t tag_len) {
  return ipsec_make_key(key, raw, raw_len, tag_len, RIJN_IMPL_CHOSEN, KIND_RFC4106);
}

int rijn_rfc4106_init_impl(rijn_esp_key *key, const void *raw, size_t raw_len, size_t tag_len, int impl) {
  return ipsec_make_key(key, raw, raw_len, tag_len, rijn_impl_named(impl), KIND_RFC4106);
}

int rijn_rfc4543_init(rijn_esp_key *key, const void *raw, size_t raw_len) {
  return ipsec_make_key(key, raw, raw_len, 16, RIJN_IMPL_CHOSEN, KIND_RFC4543);
}

int rijn_rfc4543_init_impl(rijn_esp_key *key, const void *raw, size_t raw_len, int impl) {
  return ipsec_make_key(key, raw, raw_len, 16, rijn_impl_named(impl), KIND_RFC4543);
}

void rijn_esp_wipe(rijn_esp_key *key) {
  if (key != NULL)
    rijn_wipe(key, sizeof *key);
}

/* What only these constructions check; the rest is checked by the calls of GCM beneath. On 0 the nonce is made:
 * SPEC: RFC 4106 section 4, salt || explicit part of 8 bytes; RFC 4543 section 3.2, the same. */
static int make_nonce(uint8_t nonce[12], const rijn_esp_key *key, uint8_t kind, const uint8_t explicit_part[8]) {
  if (key == NULL)
    return RIJN_ENULL;
  const struct esp *e = esp_of(key);
  if (e->kind != kind)
    return RIJN_ESTATE;
  if (explicit_part == NULL)
    return RIJN_ENULL;
  memcpy(nonce, e->salt, SALT_LEN);
  memcpy(nonce + SALT_LEN, explicit_part, 8);
  return RIJN_OK;
}

/* SPEC: RFC 4106 section 5: SPI || sequence number of 32 bits, or of 64 (ESN). */
static int check_aad(const void *aad, size_t aad_len) {
  if (rijn_null(aad, aad_len))
    return RIJN_ENULL;
  return aad_len == 8 || aad_len == 12 ? RIJN_OK : RIJN_EAADLEN;
}

int rijn_rfc4106_encrypt(const rijn_esp_key *key, void *out, const void *in, size_t len, const void *aad,
                         size_t aad_len, const uint8_t nonce[8], void *tag) {
  uint8_t full[12];
  int err = make_nonce(full, key, KIND_RFC4106, nonce);
  if (err == RIJN_OK)
    err = check_aad(aad, aad_len);
  if (err == RIJN_OK)
    err = rijn_gcm_encrypt(&esp_of(key)->gcm, out, in, len, aad, aad_len, full, sizeof full, tag);
  rijn_wipe(full, sizeof full); /* the salt comes from the key exchange, and its peers keep it to themselves */
  return err;
}

int rijn_rfc4106_decrypt(const rijn_esp_key *key, void *out, const void *in, size_t len, const void *aad,
                         size_t aad_len, const uint8_t nonce[8], const void *tag) {
  uint8_t full[12];
  int err = make_nonce(full, key, KIND_RFC4106, nonce);
  if (err == RIJN_OK)
    err = check_aad(aad, aad_len);
  if (err == RIJN_OK)
    err = rijn_gcm_decrypt(&esp_of(key)->gcm, out, in, len, aad, aad_len, full, sizeof full, tag);
  rijn_wipe(full, sizeof full);
  return err;
}

const rijn_gcm_key *rijn_rfc4106_gcm_key(const rijn_esp_key *key) {
  return key != NULL && esp_of(key)->kind == KIND_RFC4106 ? &esp_of(key)->gcm : NULL;
}

int rijn_rfc4106_nonce(uint8_t out[12], const rijn_esp_key *key, const uint8_t nonce[8]) {
  return out == NULL ? RIJN_ENULL : make_nonce(out, key, KIND_RFC4106, nonce);
}

int rijn_rfc4543_tag(const rijn_esp_key *key, const void *data, size_t len, const uint8_t nonce[8], void *tag) {
  uint8_t full[12];
  int err = make_nonce(full, key, KIND_RFC4543, nonce);
  if (err == RIJN_OK)
    err = rijn_gmac(&esp_of(key)->gcm, data, len, full, sizeof full, tag);
  rijn_wipe(full, sizeof full);
  return err;
}

int rijn_rfc4543_verify(const rijn_esp_key *key, const void *data, size_t len, const uint8_t nonce[8],
                        const void *tag) {
  uint8_t full[12];
  int err = make_nonce(full, key, KIND_RFC4543, nonce);
  if (err == RIJN_OK)
    err = rijn_gmac_verify(&esp_of(key)->gcm, data, len, full, sizeof full, tag);
  rijn_wipe(full, sizeof full);
  return err;
}
