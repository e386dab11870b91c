/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* No block of memory goes back to the allocator with a key, a text or a round key in it. libcrypto is given an
 * allocator that looks at every block before it is freed. */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include "t.h"

enum { PATTERN = 16, PATTERNS = 4 };
static uint8_t secrets[PATTERNS][PATTERN];
static size_t found, freed;
static bool looking;

#define HEAD 16u /* the block's size stands before it, and alignment stays */

static bool has_secret(const uint8_t *p, size_t n) {
  for (size_t i = 0; i + PATTERN <= n; i++)
    for (size_t s = 0; s < PATTERNS; s++)
      if (memcmp(p + i, secrets[s], PATTERN) == 0)
        return true;
  return false;
}

static void look(const void *block) {
  size_t n;
  memcpy(&n, (const uint8_t *)block - HEAD, sizeof n);
  freed++;
  if (looking && has_secret(block, n))
    found++;
}

static void *my_malloc(size_t n, const char *file, int line) {
  (void)file;
  (void)line;
  uint8_t *p = calloc(1, n + HEAD);
  if (p == NULL)
    return NULL;
  memcpy(p, &n, sizeof n);
  return p + HEAD;
}

static void my_free(void *p, const char *file, int line) {
  (void)file;
  (void)line;
  if (p == NULL)
    return;
  look(p);
  free((uint8_t *)p - HEAD);
}

static void *my_realloc(void *p, size_t n, const char *file, int line) {
  uint8_t *q = my_malloc(n, file, line);
  if (q != NULL && p != NULL) {
    size_t old;
    memcpy(&old, (uint8_t *)p - HEAD, sizeof old);
    memcpy(q, p, old < n ? old : n);
    my_free(p, file, line);
  }
  return q;
}

static void use(OSSL_LIB_CTX *lib, const char *name) {
  uint8_t key[64], iv[16] = {7}, text[200], out[256];
  int n;
  T_AT("key of %zu", strlen(name));
  for (size_t i = 0; i < 4; i++) {
    memcpy(key + 16 * i, secrets[i % 2], 16);
    key[16 * i] ^= (uint8_t)(i / 2); /* the halves of XTS differ; the first of each is whole */
  }
  memcpy(text, secrets[2], 16);
  memcpy(text + 100, secrets[2], 16);
  EVP_CIPHER *c = EVP_CIPHER_fetch(lib, name, "provider=rijn");
  REQUIRE(c != NULL);
  EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new(), *copy = EVP_CIPHER_CTX_new();
  CHECK(EVP_EncryptInit_ex2(ctx, c, key, iv, NULL) == 1);
  if (EVP_CIPHER_get_mode(c) != EVP_CIPH_XTS_MODE)
    CHECK(EVP_EncryptUpdate(ctx, out, &n, text, 37) == 1); /* leaves a part of a block */
  CHECK(EVP_EncryptUpdate(ctx, out, &n, text + 100, 20) == 1);
  CHECK(EVP_CIPHER_CTX_copy(copy, ctx) == 1);
  CHECK(EVP_EncryptInit_ex2(ctx, NULL, key, NULL, NULL) == 1); /* another key object, in the middle */
  EVP_CIPHER_CTX_free(copy);
  EVP_CIPHER_CTX_free(ctx);
  ctx = EVP_CIPHER_CTX_new();
  CHECK(EVP_DecryptInit_ex2(ctx, c, key, iv, NULL) == 1);
  CHECK(EVP_DecryptUpdate(ctx, out, &n, out, 64) == 1);
  CHECK(EVP_CIPHER_CTX_reset(ctx) == 1);
  EVP_CIPHER_CTX_free(ctx);
  EVP_CIPHER_free(c);
}

int main(int argc, char **argv) {
  if (CRYPTO_set_mem_functions(my_malloc, my_realloc, my_free) != 1)
    return 1;
  t_init(argc, argv);
  t_fill(secrets, sizeof secrets);
  looking = true;
  /* The instrument sees what it is there for. */
  uint8_t *block = OPENSSL_malloc(100);
  memcpy(block + 33, secrets[1], PATTERN);
  OPENSSL_free(block);
  REQUIRE(found == 1);
  found = 0;

  OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
  REQUIRE(OSSL_PROVIDER_set_default_search_path(lib, RIJN_MODULES) == 1);
  REQUIRE(OSSL_LIB_CTX_load_config(lib, RIJN_ALL_MODES_CNF) == 1);
  static const char *const names[] = {"AES-128-GCM", "AES-192-GCM", "AES-256-GCM", "AES-128-CTR", "AES-256-CTR",
                                      "AES-128-CBC", "AES-256-CBC", "AES-128-XTS", "AES-256-XTS", "AES-256-ECB"};
  size_t before = freed;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    use(lib, names[i]);
  OSSL_LIB_CTX_free(lib);
  CHECK(freed > before + 50);
  CHECK_EQ(found, 0);
  return t_done();
}
