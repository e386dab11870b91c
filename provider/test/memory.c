/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What a context takes of memory between two messages, beside the default provider's. libcrypto is given an allocator
 * that counts. The key object, whose size is the library's (rijn.h), is counted apart. */
#include <openssl/crypto.h>

#include "pair.h"

static size_t live;

static void *my_malloc(size_t n, const char *file, int line) {
  (void)file;
  (void)line;
  size_t *p = n != 0 ? malloc(n + 16) : NULL;
  if (p == NULL)
    return NULL;
  *p = n;
  live += n;
  return (uint8_t *)p + 16;
}

static void my_free(void *p, const char *file, int line) {
  (void)file;
  (void)line;
  if (p == NULL)
    return;
  size_t *from = (size_t *)(void *)((uint8_t *)p - 16);
  live -= *from;
  free(from);
}

static void *my_realloc(void *p, size_t n, const char *file, int line) {
  void *more = my_malloc(n, file, line);
  if (p != NULL && more != NULL) {
    size_t was = *(size_t *)(void *)((uint8_t *)p - 16);
    memcpy(more, p, was < n ? was : n);
    my_free(p, file, line);
  }
  return more;
}

static const int lens[] = {16, 496, 1424, 8192}, pieces[] = {16, 8192};
enum { LENS = 4, PIECES = 2 };
static uint8_t key[64], iv[16], text[8192 + 32], sealed[LENS][8192 + 32], tags[LENS][16];

static void message(EVP_CIPHER_CTX *c, int which, int piece, int enc, int gcm) {
  static uint8_t out[8192 + 32];
  int n, len = lens[which];
  const uint8_t *in = enc ? text : sealed[which];
  CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, enc, NULL) == 1 && EVP_CIPHER_CTX_set_padding(c, 0) == 1);
  CHECK(!gcm || EVP_CipherUpdate(c, NULL, &n, iv, 13) == 1);
  for (int at = 0; at < len; at += piece)
    CHECK(EVP_CipherUpdate(c, out + at, &n, in + at, piece < len ? piece : len) == 1);
  CHECK(!gcm || enc || EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 16, tags[which]) == 1);
  CHECK(EVP_CipherFinal_ex(c, out + len, &n) == 1); /* WHY never an error: they take memory themselves */
  if (enc) {
    memcpy(sealed[which], out, (size_t)len);
    CHECK(!gcm || EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tags[which]) == 1);
  }
}

/* Bytes of one context that has done messages of some lengths, in pieces of some sizes, and keeps its key. first: what
 * libcrypto makes once is still missing. */
static size_t of_context(EVP_CIPHER *cipher, int enc, bool first) {
  int gcm = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_GCM_MODE;
  size_t before = live;
  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
  CHECK(EVP_CipherInit_ex2(c, cipher, key, iv, enc, NULL) == 1);
  for (int i = 0; i < LENS; i++)
    for (int j = 0; j < PIECES; j++)
      message(c, i, pieces[j], enc, gcm);
  size_t took = live - before;
  EVP_CIPHER_CTX_free(c);
  CHECK(first || live == before);
  return took;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    size_t key;
  } all[] = {{"AES-128-GCM", RIJN_GCM_KEY_SIZE}, {"AES-256-GCM", RIJN_GCM_KEY_SIZE}, {"AES-256-CTR", RIJN_AES_KEY_SIZE},
             {"AES-128-CFB", RIJN_AES_KEY_SIZE}, {"AES-256-CBC", RIJN_AES_KEY_SIZE}, {"AES-128-ECB", RIJN_AES_KEY_SIZE},
             {"AES-256-XTS", RIJN_XTS_KEY_SIZE}};
  REQUIRE(CRYPTO_set_mem_functions(my_malloc, my_realloc, my_free) == 1);
  t_init(argc, argv);
  t_fill(key, sizeof key);
  t_fill(text, sizeof text);
  pair_open(RIJN_MODULES, RIJN_ALL_MODES_CNF);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    for (int enc = 1; enc >= 0; enc--) {
      struct pair p;
      pair_fetch(&p, all[i].name);
      size_t ref = 0, ours = 0;
      for (int again = 0; again < 2; again++) {
        ref = of_context((EVP_CIPHER *)(uintptr_t)p.cipher[REF], enc, !again);
        ours = of_context((EVP_CIPHER *)(uintptr_t)p.cipher[OURS], enc, !again);
      }
      printf("%s, %s: %zu bytes, of which the key %zu; the default provider %zu\n", all[i].name,
             enc ? "encryption" : "decryption", ours, all[i].key, ref);
      CHECK(ours - all[i].key <= ref);
      pair_free(&p);
    }
  pair_close();
  return t_done();
}
