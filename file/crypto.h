/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What is taken of libsodium: hashes, key derivation, X25519. AES is Rijn's. */
#ifndef RIJN_FILE_CRYPTO_H
#define RIJN_FILE_CRYPTO_H

#include "rijn-file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rijn_bytes {
  const void *p;
  size_t n;
};

enum rijn_digest { RIJN_SHA256, RIJN_SHA512 };
enum rijn_hkdf { RIJN_HKDF_BOTH, RIJN_HKDF_EXTRACT, RIJN_HKDF_EXPAND };
/* HKDF (RFC 5869), both steps or one. */
struct rijn_hkdf_in {
  enum rijn_hkdf step;
  enum rijn_digest digest;
  struct rijn_bytes key, salt, info;
};
/* EXTRACT writes all of the hash. */
void rijn_hkdf(const struct rijn_hkdf_in *in, void *out, size_t out_len);

void rijn_sha256(struct rijn_bytes in, uint8_t out[32]);
/* 0, or errno. */
int rijn_random_bytes(void *to, size_t len);

/* In a time that depends on n alone. */
bool rijn_same_bytes(const void *a, const void *b, size_t n);

/* X25519 (RFC 7748). False: libsodium failed, or the shared secret is zero, as with a public key that is none. */
bool rijn_x25519_public(const uint8_t secret[32], uint8_t public_key[32]);
bool rijn_x25519(const uint8_t secret[32], const uint8_t public_key[32], uint8_t shared[32]);

/* HPKE (RFC 9180), base mode, one message: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, and AES-256-GCM (key_len 32) or
 * AES-128-GCM (16). */
enum { RIJN_HPKE_ENC = 32, RIJN_HPKE_TAG = 16 };
struct rijn_hpke {
  size_t key_len;
  struct rijn_bytes info, aad;
};
/* ephemeral: a random secret key, used for nothing else. sealed gets text.n + RIJN_HPKE_TAG bytes. 0, or a code. */
int rijn_hpke_seal(const struct rijn_hpke *h, const uint8_t ephemeral[32], const uint8_t public_key[32],
                   struct rijn_bytes text, uint8_t *out);
/* in: enc || ciphertext || tag, in.n bytes; text gets in.n - RIJN_HPKE_ENC - RIJN_HPKE_TAG. RIJN_EAUTH: not for this
 * key, or altered. */
int rijn_hpke_open(const struct rijn_hpke *h, const uint8_t secret[32], struct rijn_bytes in, uint8_t *text);

#endif
