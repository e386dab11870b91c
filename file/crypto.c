/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "crypto.h"

#include <errno.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* The context that was used last, and nobody uses now. WHY: to make one takes as long as all else that is done to a
 * small file. WHY it is never freed: when a library is told that the program ends, libcrypto may have ended already. */
static _Atomic(struct rijn_crypto *) kept;

bool rijn_crypto_open(struct rijn_crypto *c) {
  struct rijn_crypto *last = atomic_exchange(&kept, NULL);
  if (last != NULL) {
    *c = *last;
    free(last);
    return true;
  }
  /* WHY a context of its own, and no word to libcrypto about its configuration: that is the program's, which may want
   * it for other things. A context of its own has none. */
  c->hkdf = NULL;
  c->lib = OSSL_LIB_CTX_new();
  if (c->lib != NULL)
    c->hkdf = EVP_KDF_fetch(c->lib, "HKDF", NULL);
  return c->hkdf != NULL;
}

/* False: another one is kept. */
static bool keep(const struct rijn_crypto *c) {
  struct rijn_crypto *none = NULL, *p = c->hkdf != NULL ? malloc(sizeof *p) : NULL;
  if (p == NULL)
    return false;
  *p = *c;
  if (atomic_compare_exchange_strong(&kept, &none, p))
    return true;
  free(p);
  return false;
}

/* What libcrypto left of keys on the stack: its frames lay where this one lies. They take some 3 KiB. */
__attribute__((noinline)) static void wipe_stack(void) {
  uint8_t frames[8192];
  explicit_bzero(frames, sizeof frames);
}

void rijn_crypto_close(struct rijn_crypto *c) {
  wipe_stack();
  if (!keep(c)) {
    EVP_KDF_free(c->hkdf);
    OSSL_LIB_CTX_free(c->lib);
  }
  *c = (struct rijn_crypto){NULL, NULL};
}

/* WHY the cast: OSSL_PARAM has one kind of pointer for both directions; these are only read. */
static OSSL_PARAM octets(const char *name, struct rijn_bytes b) {
  return OSSL_PARAM_construct_octet_string(name, (void *)(uintptr_t)b.p, b.n);
}

static bool derive(const struct rijn_crypto *c, const struct rijn_hkdf_in *in, void *out, size_t out_len) {
  static const int modes[] = {EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND, EVP_KDF_HKDF_MODE_EXTRACT_ONLY,
                              EVP_KDF_HKDF_MODE_EXPAND_ONLY};
  int mode = modes[in->step];
  OSSL_PARAM params[6];
  size_t n = 0;
  params[n++] = OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode);
  params[n++] = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)(uintptr_t)in->digest, 0);
  params[n++] = octets(OSSL_KDF_PARAM_KEY, in->key);
  if (in->salt.n != 0)
    params[n++] = octets(OSSL_KDF_PARAM_SALT, in->salt);
  if (in->info.n != 0)
    params[n++] = octets(OSSL_KDF_PARAM_INFO, in->info);
  params[n] = OSSL_PARAM_construct_end();
  EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(c->hkdf);
  bool ok = ctx != NULL && EVP_KDF_derive(ctx, out, out_len, params) == 1;
  EVP_KDF_CTX_free(ctx);
  return ok;
}

/* WHY twice: libcrypto and libc leave parts of keys in vector registers, in places that differ from machine to machine,
 * and whatever saves these registers later puts them on the stack. The same work with zeros overwrites them. */
bool rijn_hkdf(const struct rijn_crypto *c, const struct rijn_hkdf_in *in, void *out, size_t out_len) {
  static const uint8_t zeros[64];
  uint8_t nothing[128];
  struct rijn_hkdf_in blank = *in;
  blank.key = (struct rijn_bytes){zeros, in->key.n < sizeof zeros ? in->key.n : sizeof zeros};
  blank.salt = (struct rijn_bytes){zeros, in->salt.n < sizeof zeros ? in->salt.n : sizeof zeros};
  bool ok = derive(c, in, out, out_len);
  (void)derive(c, &blank, nothing, out_len < sizeof nothing ? out_len : sizeof nothing);
  return ok;
}

bool rijn_sha256(struct rijn_bytes in, uint8_t out[32]) {
  static const uint8_t zeros[128];
  uint8_t nothing[32];
  struct rijn_crypto c;
  size_t n = 0, m = 0;
  bool ok = rijn_crypto_open(&c) && EVP_Q_digest(c.lib, "SHA256", NULL, in.p, in.n, out, &n) == 1 && n == 32;
  if (ok) /* WHY: as in rijn_hkdf */
    (void)EVP_Q_digest(c.lib, "SHA256", NULL, zeros, in.n < sizeof zeros ? in.n : sizeof zeros, nothing, &m);
  rijn_crypto_close(&c);
  return ok;
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

bool rijn_x25519_public(const struct rijn_crypto *c, const uint8_t secret[32], uint8_t public_key[32]) {
  size_t n = 32;
  EVP_PKEY *key = EVP_PKEY_new_raw_private_key_ex(c->lib, "X25519", NULL, secret, 32);
  bool ok = key != NULL && EVP_PKEY_get_raw_public_key(key, public_key, &n) == 1 && n == 32;
  EVP_PKEY_free(key);
  return ok;
}

bool rijn_x25519(const struct rijn_crypto *c, const uint8_t secret[32], const uint8_t public_key[32],
                 uint8_t shared[32]) {
  size_t n = 32;
  EVP_PKEY *own = EVP_PKEY_new_raw_private_key_ex(c->lib, "X25519", NULL, secret, 32);
  EVP_PKEY *peer = EVP_PKEY_new_raw_public_key_ex(c->lib, "X25519", NULL, public_key, 32);
  EVP_PKEY_CTX *ctx = own != NULL && peer != NULL ? EVP_PKEY_CTX_new_from_pkey(c->lib, own, NULL) : NULL;
  /* libcrypto refuses a shared secret of zeros, as RFC 9180, section 7.1.4, wants it. */
  bool ok = ctx != NULL && EVP_PKEY_derive_init(ctx) == 1 && EVP_PKEY_derive_set_peer(ctx, peer) == 1 &&
            EVP_PKEY_derive(ctx, shared, &n) == 1 && n == 32;
  EVP_PKEY_CTX_free(ctx);
  EVP_PKEY_free(peer);
  EVP_PKEY_free(own);
  return ok;
}
