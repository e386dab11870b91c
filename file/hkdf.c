/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "hkdf.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

OSSL_LIB_CTX *rijn_libcrypto(void) {
  (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
  return OSSL_LIB_CTX_new();
}

/* WHY the cast: OSSL_PARAM has one kind of pointer for both directions; these are only read. */
static OSSL_PARAM octets(const char *name, struct rijn_bytes b) {
  return OSSL_PARAM_construct_octet_string(name, (void *)(uintptr_t)b.p, b.n);
}

bool rijn_hkdf(enum rijn_hkdf mode, const char *digest, struct rijn_bytes key, struct rijn_bytes salt,
               struct rijn_bytes info, void *out, size_t out_len) {
  static const int modes[] = {EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND, EVP_KDF_HKDF_MODE_EXTRACT_ONLY,
                              EVP_KDF_HKDF_MODE_EXPAND_ONLY};
  int m = modes[mode];
  OSSL_PARAM params[6];
  size_t n = 0;
  params[n++] = OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &m);
  params[n++] = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)(uintptr_t)digest, 0);
  params[n++] = octets(OSSL_KDF_PARAM_KEY, key);
  if (salt.n != 0)
    params[n++] = octets(OSSL_KDF_PARAM_SALT, salt);
  if (info.n != 0)
    params[n++] = octets(OSSL_KDF_PARAM_INFO, info);
  params[n] = OSSL_PARAM_construct_end();

  OSSL_LIB_CTX *lib = rijn_libcrypto();
  EVP_KDF *kdf = lib != NULL ? EVP_KDF_fetch(lib, "HKDF", NULL) : NULL;
  EVP_KDF_CTX *ctx = kdf != NULL ? EVP_KDF_CTX_new(kdf) : NULL;
  bool ok = ctx != NULL && EVP_KDF_derive(ctx, out, out_len, params) == 1;
  EVP_KDF_CTX_free(ctx);
  EVP_KDF_free(kdf);
  OSSL_LIB_CTX_free(lib);
  return ok;
}
