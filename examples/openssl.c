/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * The provider from C: a program on libcrypto takes its AES-256-GCM from Rijn, and nothing else of it changes.
 *
 *   openssl [FOLDER]   where rijn.so is; libcrypto's own folder of modules if nothing is said
 *
 * A program that cannot be changed gets it by a configuration file instead: doc/openssl-provider.md.
 */
#include "example.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

/* libcrypto's calls return 1 where all is well. */
#define MUST_SSL(call) must_ssl((call), #call, __LINE__)
static void must_ssl(int ok, const char *what, int line) {
  if (ok == 1)
    return;
  fprintf(stderr, "line %d: %s\n", line, what);
  ERR_print_errors_fp(stderr);
  exit(1);
}

int main(int argc, char **argv) {
  static const char text[] = "libcrypto's calls, Rijn's AES";
  enum { LEN = sizeof text };
  unsigned char raw[32], nonce[12] = {0}, sealed[LEN], opened[LEN], tag[16];
  int n;
  OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new(); /* of this program's own: nobody else's ciphers change */
  MUST_SSL(ctx != NULL);
  if (argc > 1)
    MUST_SSL(OSSL_PROVIDER_set_default_search_path(ctx, argv[1]));
  OSSL_PROVIDER *rijn = OSSL_PROVIDER_load(ctx, "rijn");
  MUST_SSL(rijn != NULL);
  /* "?provider=rijn" would take another's AES where Rijn's is not there. This example wants Rijn's. */
  EVP_CIPHER *aes = EVP_CIPHER_fetch(ctx, "AES-256-GCM", "provider=rijn");
  MUST_SSL(aes != NULL);
  EXPECT(strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(aes)), "rijn") == 0);
  random_bytes(raw, sizeof raw);

  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
  MUST_SSL(c != NULL);
  MUST_SSL(EVP_EncryptInit_ex2(c, aes, raw, nonce, NULL));
  MUST_SSL(EVP_EncryptUpdate(c, NULL, &n, (const unsigned char *)"header", 6));
  MUST_SSL(EVP_EncryptUpdate(c, sealed, &n, (const unsigned char *)text, LEN));
  EXPECT(n == LEN);
  MUST_SSL(EVP_EncryptFinal_ex(c, sealed + n, &n));
  MUST_SSL(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag));

  for (int forged = 0; forged < 2; forged++) {
    tag[0] ^= (unsigned char)forged;
    MUST_SSL(EVP_DecryptInit_ex2(c, aes, raw, nonce, NULL));
    MUST_SSL(EVP_DecryptUpdate(c, NULL, &n, (const unsigned char *)"header", 6));
    MUST_SSL(EVP_DecryptUpdate(c, opened, &n, sealed, LEN));
    MUST_SSL(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 16, tag));
    /* The text counts only if this call says so. */
    if (forged)
      EXPECT(EVP_DecryptFinal_ex(c, opened + n, &n) <= 0);
    else {
      MUST_SSL(EVP_DecryptFinal_ex(c, opened + n, &n));
      EXPECT(memcmp(opened, text, LEN) == 0);
    }
  }
  forget(raw, sizeof raw);
  EVP_CIPHER_CTX_free(c);
  EVP_CIPHER_free(aes);
  OSSL_PROVIDER_unload(rijn);
  OSSL_LIB_CTX_free(ctx);
  printf("%s\n", text);
  return 0;
}
