/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "crypto.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <sys/random.h>

/* libsodium's two hashes under one set of names. */
struct hash {
  size_t len;
  union {
    crypto_auth_hmacsha256_state sha256;
    crypto_auth_hmacsha512_state sha512;
  } state;
};

static void hmac_start(struct hash *h, enum rijn_digest digest, struct rijn_bytes key) {
  static const uint8_t none[1];
  const uint8_t *p = key.n != 0 ? key.p : none; /* libsodium takes no NULL */
  h->len = digest == RIJN_SHA256 ? 32 : 64;
  if (digest == RIJN_SHA256)
    crypto_auth_hmacsha256_init(&h->state.sha256, p, key.n);
  else
    crypto_auth_hmacsha512_init(&h->state.sha512, p, key.n);
}

static void hmac_put(struct hash *h, const void *p, size_t n) {
  if (n == 0)
    return;
  if (h->len == 32)
    crypto_auth_hmacsha256_update(&h->state.sha256, p, n);
  else
    crypto_auth_hmacsha512_update(&h->state.sha512, p, n);
}

static void hmac_end(struct hash *h, uint8_t out[64]) {
  if (h->len == 32)
    crypto_auth_hmacsha256_final(&h->state.sha256, out);
  else
    crypto_auth_hmacsha512_final(&h->state.sha512, out);
}

/* SPEC: RFC 5869, section 2.2. */
static void extract(enum rijn_digest digest, struct rijn_bytes salt, struct rijn_bytes key, uint8_t prk[64]) {
  struct hash h;
  hmac_start(&h, digest, salt);
  hmac_put(&h, key.p, key.n);
  hmac_end(&h, prk);
  explicit_bzero(&h, sizeof h);
}

/* SPEC: RFC 5869, section 2.3: T(i) = HMAC(PRK, T(i - 1) || info || i). */
static void expand(enum rijn_digest digest, struct rijn_bytes prk, struct rijn_bytes info, uint8_t *out, size_t len) {
  struct hash h;
  uint8_t t[64];
  for (uint8_t i = 1; len > 0; i++) {
    hmac_start(&h, digest, prk);
    if (i > 1)
      hmac_put(&h, t, h.len);
    hmac_put(&h, info.p, info.n);
    hmac_put(&h, &i, 1);
    hmac_end(&h, t);
    size_t n = len < h.len ? len : h.len;
    memcpy(out, t, n);
    out += n;
    len -= n;
  }
  explicit_bzero(t, sizeof t);
  explicit_bzero(&h, sizeof h);
}

/* What libsodium left of keys on the stack: its frames lay where this one lies. */
__attribute__((noinline)) static void wipe_stack(void) {
  uint8_t frames[8192];
  explicit_bzero(frames, sizeof frames);
}

static void derive(const struct rijn_hkdf_in *in, void *out, size_t out_len) {
  uint8_t prk[64];
  struct rijn_bytes key = in->key;
  size_t len = in->digest == RIJN_SHA256 ? 32 : 64;
  if (in->step != RIJN_HKDF_EXPAND) {
    extract(in->digest, in->salt, key, prk);
    key = (struct rijn_bytes){prk, len};
  }
  if (in->step == RIJN_HKDF_EXTRACT)
    memcpy(out, prk, len);
  else
    expand(in->digest, key, in->info, out, out_len);
  explicit_bzero(prk, sizeof prk);
}

/* WHY twice: hashes leave parts of keys in vector registers, in places that differ from machine to machine, and
 * whatever saves these registers later puts them on the stack. The same work with zeros overwrites them. */
void rijn_hkdf(const struct rijn_hkdf_in *in, void *out, size_t out_len) {
  static const uint8_t zeros[64];
  uint8_t nothing[128];
  struct rijn_hkdf_in blank = *in;
  blank.key = (struct rijn_bytes){zeros, in->key.n < sizeof zeros ? in->key.n : sizeof zeros};
  blank.salt = (struct rijn_bytes){zeros, in->salt.n < sizeof zeros ? in->salt.n : sizeof zeros};
  derive(in, out, out_len);
  derive(&blank, nothing, out_len < sizeof nothing ? out_len : sizeof nothing);
  wipe_stack();
}

void rijn_sha256(struct rijn_bytes in, uint8_t out[32]) {
  static const uint8_t zeros[128];
  uint8_t nothing[32];
  crypto_hash_sha256(out, in.p, in.n);
  crypto_hash_sha256(nothing, zeros, in.n < sizeof zeros ? in.n : sizeof zeros); /* WHY: as in rijn_hkdf */
  wipe_stack();
}

int rijn_random_bytes(void *to, size_t len) {
  uint8_t *p = to;
  while (len > 0) {
    ssize_t got = getrandom(p, len, 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return errno;
    p += got;
    len -= (size_t)got;
  }
  return 0;
}

bool rijn_same_bytes(const void *a, const void *b, size_t n) { return sodium_memcmp(a, b, n) == 0; }

bool rijn_x25519_public(const uint8_t secret[32], uint8_t public_key[32]) {
  bool ok = sodium_init() >= 0 && crypto_scalarmult_base(public_key, secret) == 0;
  wipe_stack();
  return ok;
}

/* SPEC: RFC 9180, section 7.1.4: a shared secret of zeros is refused, which libsodium does. */
bool rijn_x25519(const uint8_t secret[32], const uint8_t public_key[32], uint8_t shared[32]) {
  bool ok = sodium_init() >= 0 && crypto_scalarmult(shared, secret, public_key) == 0;
  wipe_stack();
  return ok;
}
