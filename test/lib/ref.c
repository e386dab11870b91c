/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "ref.h"
#include "t.h"

#ifdef RIJN_REF_LIBCRYPTO
#include <openssl/evp.h>

/* ---- libcrypto */

/* The memory sanitizer (preset msan) does not see what libcrypto writes: neither the results, nor what it hands to the
 * C library. */
#ifdef __has_feature
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define WRITTEN(p, n) __msan_unpoison(p, n)
static __attribute__((constructor)) void no_checks_in_libc(void) { __msan_scoped_disable_interceptor_checks(); }
#endif
#endif
#ifndef WRITTEN
#define WRITTEN(p, n) ((void)(p), (void)(n))
#endif

static EVP_CIPHER *fetch(const char *name) {
  /* WHY: a fetch costs microseconds and the sweeps make millions of calls. */
  static struct {
    char name[24];
    EVP_CIPHER *c;
  } cache[24];
  size_t i = 0;
  for (; i < sizeof cache / sizeof cache[0] && cache[i].c != NULL; i++) {
    if (strcmp(cache[i].name, name) == 0)
      return cache[i].c;
  }
  REQUIRE(i < sizeof cache / sizeof cache[0] && strlen(name) < sizeof cache[0].name);
  cache[i].c = EVP_CIPHER_fetch(NULL, name, NULL);
  REQUIRE(cache[i].c != NULL);
  memcpy(cache[i].name, name, strlen(name) + 1);
  return cache[i].c;
}

static const EVP_CIPHER *gcm_cipher(size_t key_len) {
  REQUIRE(key_len == 16 || key_len == 24 || key_len == 32);
  return fetch(key_len == 16 ? "AES-128-GCM" : key_len == 24 ? "AES-192-GCM" : "AES-256-GCM");
}

void ref_gcm(const uint8_t *key, size_t key_len, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
             size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t tag[16]) {
  static EVP_CIPHER_CTX *ctx;
  static uint8_t last_key[32];
  static size_t last_key_len, last_nonce_len;
  int n = 0;
  uint8_t none[16];
  if (ctx == NULL) {
    ctx = EVP_CIPHER_CTX_new();
    REQUIRE(ctx != NULL);
  }
  if (key_len != last_key_len || nonce_len != last_nonce_len || memcmp(key, last_key, key_len) != 0) {
    REQUIRE(EVP_EncryptInit_ex2(ctx, gcm_cipher(key_len), NULL, NULL, NULL) == 1);
    REQUIRE(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)nonce_len, NULL) == 1);
    REQUIRE(EVP_EncryptInit_ex2(ctx, NULL, key, nonce, NULL) == 1);
    memcpy(last_key, key, key_len);
    last_key_len = key_len;
    last_nonce_len = nonce_len;
  } else {
    REQUIRE(EVP_EncryptInit_ex2(ctx, NULL, NULL, nonce, NULL) == 1);
  }
  REQUIRE(len < INT32_MAX && aad_len < INT32_MAX);
  if (aad_len > 0)
    REQUIRE(EVP_EncryptUpdate(ctx, NULL, &n, aad, (int)aad_len) == 1);
  if (len > 0)
    REQUIRE(EVP_EncryptUpdate(ctx, out, &n, in, (int)len) == 1 && n == (int)len);
  REQUIRE(EVP_EncryptFinal_ex(ctx, none, &n) == 1);
  REQUIRE(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1);
  WRITTEN(out, len);
  WRITTEN(tag, 16);
}

void ref_cipher(const char *name, int encrypt, const uint8_t *key, const uint8_t *iv, uint8_t *out, const uint8_t *in,
                size_t len, uint8_t *iv_out) {
  int n = 0;
  uint8_t none[32];
  EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
  REQUIRE(ctx != NULL);
  REQUIRE(EVP_CipherInit_ex2(ctx, fetch(name), key, iv, encrypt, NULL) == 1);
  REQUIRE(EVP_CIPHER_CTX_set_padding(ctx, 0) == 1);
  REQUIRE(len < INT32_MAX);
  if (len > 0)
    REQUIRE(EVP_CipherUpdate(ctx, out, &n, in, (int)len) == 1);
  REQUIRE(n == (int)len);
  REQUIRE(EVP_CipherFinal_ex(ctx, none, &n) == 1);
  if (iv_out != NULL)
    REQUIRE(EVP_CIPHER_CTX_get_updated_iv(ctx, iv_out, 16) == 1);
  WRITTEN(out, len);
  WRITTEN(iv_out, iv_out != NULL ? 16 : 0);
  EVP_CIPHER_CTX_free(ctx);
}

void ref_shake128(uint8_t *out, size_t n, const uint8_t *in, size_t len) {
  EVP_MD_CTX *ctx = EVP_MD_CTX_new();
  REQUIRE(ctx != NULL && EVP_DigestInit_ex(ctx, EVP_shake128(), NULL) == 1);
  REQUIRE(EVP_DigestUpdate(ctx, in, len) == 1 && EVP_DigestFinalXOF(ctx, out, n) == 1);
  WRITTEN(out, n);
  EVP_MD_CTX_free(ctx);
}

#else

/* No libcrypto for this target: the model stands in, and says nothing else. */

void ref_gcm(const uint8_t *key, size_t key_len, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
             size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t tag[16]) {
  model_gcm(key, key_len, out, in, len, aad, aad_len, nonce, nonce_len, tag);
}

void ref_cipher(const char *name, int encrypt, const uint8_t *key, const uint8_t *iv, uint8_t *out, const uint8_t *in,
                size_t len, uint8_t *iv_out) {
  model_cipher(name, encrypt, key, iv, out, in, len, iv_out);
}

#endif

void ref_aes_block(const uint8_t *key, size_t key_len, const uint8_t in[16], uint8_t out[16]) {
  ref_cipher(key_len == 16   ? "AES-128-ECB"
             : key_len == 24 ? "AES-192-ECB"
                             : "AES-256-ECB",
             1, key, NULL, out, in, 16, NULL);
}
