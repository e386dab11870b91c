/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* HPKE as RFC 9180 composes it; no choice is made here. */
#include "crypto.h"

#include <string.h>

/* SPEC: section 7.1: DHKEM(X25519, HKDF-SHA256) is 0x0020; 7.2: HKDF-SHA256 is 0x0001; 7.3: AES-128-GCM is 0x0001,
 * AES-256-GCM 0x0002. */
static const uint8_t kem_suite[] = {'K', 'E', 'M', 0x00, 0x20};

struct suite {
  uint8_t id[10];
  size_t n;
};

static struct suite hpke_suite(size_t key_len) {
  struct suite s = {{'H', 'P', 'K', 'E', 0x00, 0x20, 0x00, 0x01, 0x00, key_len == 32 ? 0x02 : 0x01}, 10};
  return s;
}

enum { LABELED_MAX = 512 };
struct labeled {
  uint8_t b[LABELED_MAX];
  size_t n;
};

static void put(struct labeled *l, const void *p, size_t n) {
  if (n != 0)
    memcpy(l->b + l->n, p, n);
  l->n += n;
}

static void put_label(struct labeled *l, const uint8_t *suite, size_t suite_n, const char *label) {
  put(l, "HPKE-v1", 7);
  put(l, suite, suite_n);
  put(l, label, strlen(label));
}

/* What the functions below share. */
struct schedule {
  const uint8_t *suite;
  size_t suite_n;
};

/* SPEC: section 4: LabeledExtract. */
static bool extract(const struct schedule *s, struct rijn_bytes salt, const char *label, struct rijn_bytes ikm,
                    uint8_t out[32]) {
  struct labeled l = {.n = 0};
  if (ikm.n > 256)
    return false;
  put_label(&l, s->suite, s->suite_n, label);
  put(&l, ikm.p, ikm.n);
  const struct rijn_hkdf_in in = {.step = RIJN_HKDF_EXTRACT, .digest = RIJN_SHA256, .key = {l.b, l.n}, .salt = salt};
  rijn_hkdf(&in, out, 32);
  explicit_bzero(&l, sizeof l);
  return true;
}

/* SPEC: section 4: LabeledExpand. */
static void expand(const struct schedule *s, const uint8_t prk[32], const char *label, struct rijn_bytes info,
                   uint8_t *out, size_t out_len) {
  struct labeled l = {.b = {(uint8_t)(out_len >> 8), (uint8_t)out_len}, .n = 2};
  put_label(&l, s->suite, s->suite_n, label);
  put(&l, info.p, info.n);
  const struct rijn_hkdf_in in = {
      .step = RIJN_HKDF_EXPAND, .digest = RIJN_SHA256, .key = {prk, 32}, .info = {l.b, l.n}};
  rijn_hkdf(&in, out, out_len);
}

/* SPEC: section 4.1: the shared secret of the KEM, of dh, enc and the recipient's public key. */
static bool kem_secret(const uint8_t dh[32], const uint8_t enc[32], const uint8_t public_key[32], uint8_t shared[32]) {
  const struct schedule s = {kem_suite, sizeof kem_suite};
  uint8_t context[64], prk[32];
  memcpy(context, enc, 32);
  memcpy(context + 32, public_key, 32);
  bool ok = extract(&s, (struct rijn_bytes){NULL, 0}, "eae_prk", (struct rijn_bytes){dh, 32}, prk);
  if (ok)
    expand(&s, prk, "shared_secret", (struct rijn_bytes){context, sizeof context}, shared, 32);
  explicit_bzero(prk, sizeof prk);
  return ok;
}

/* SPEC: section 5.1: KeySchedule of the base mode (0), without a pre-shared key. */
static bool key_schedule(const struct rijn_hpke *h, const uint8_t shared[32], rijn_gcm_key *key, uint8_t nonce[12]) {
  const struct suite id = hpke_suite(h->key_len);
  const struct schedule s = {id.id, id.n};
  const struct rijn_bytes none = {NULL, 0};
  uint8_t context[1 + 32 + 32] = {0}, secret[32], raw[32];
  const struct rijn_bytes ksc = {context, sizeof context};
  bool ok = extract(&s, none, "psk_id_hash", none, context + 1) &&
            extract(&s, none, "info_hash", h->info, context + 33) &&
            extract(&s, (struct rijn_bytes){shared, 32}, "secret", none, secret);
  if (ok) {
    expand(&s, secret, "key", ksc, raw, h->key_len);
    expand(&s, secret, "base_nonce", ksc, nonce, 12);
    ok = rijn_gcm_init(key, raw, h->key_len) == RIJN_OK;
  }
  explicit_bzero(secret, sizeof secret);
  explicit_bzero(raw, sizeof raw);
  return ok;
}

int rijn_hpke_seal(const struct rijn_hpke *h, const uint8_t ephemeral[32], const uint8_t public_key[32],
                   struct rijn_bytes text, uint8_t *out) {
  uint8_t dh[32], shared[32], nonce[12];
  rijn_gcm_key key;
  int r = RIJN_FILE_ECRYPTO;
  if (rijn_x25519_public(ephemeral, out) && rijn_x25519(ephemeral, public_key, dh) &&
      kem_secret(dh, out, public_key, shared) && key_schedule(h, shared, &key, nonce)) {
    uint8_t *sealed = out + RIJN_HPKE_ENC;
    /* SPEC: section 5.2: the first message has the base nonce itself. */
    r = rijn_gcm_encrypt(&key, sealed, text.p, text.n, h->aad.p, h->aad.n, nonce, sizeof nonce, sealed + text.n);
    rijn_gcm_wipe(&key);
  }
  explicit_bzero(dh, sizeof dh);
  explicit_bzero(shared, sizeof shared);
  return r;
}

int rijn_hpke_open(const struct rijn_hpke *h, const uint8_t secret[32], struct rijn_bytes in, uint8_t *text) {
  uint8_t dh[32], shared[32], nonce[12], public_key[32];
  const uint8_t *enc = in.p;
  rijn_gcm_key key;
  if (in.n < RIJN_HPKE_ENC + RIJN_HPKE_TAG || !rijn_x25519_public(secret, public_key))
    return RIJN_FILE_ECRYPTO;
  if (!rijn_x25519(secret, enc, dh)) /* no public key that a sender makes */
    return RIJN_EAUTH;
  int r = RIJN_FILE_ECRYPTO;
  if (kem_secret(dh, enc, public_key, shared) && key_schedule(h, shared, &key, nonce)) {
    size_t n = in.n - RIJN_HPKE_ENC - RIJN_HPKE_TAG;
    const uint8_t *sealed = enc + RIJN_HPKE_ENC;
    r = rijn_gcm_decrypt(&key, text, sealed, n, h->aad.p, h->aad.n, nonce, sizeof nonce, sealed + n);
    rijn_gcm_wipe(&key);
  }
  explicit_bzero(dh, sizeof dh);
  explicit_bzero(shared, sizeof shared);
  return r;
}
