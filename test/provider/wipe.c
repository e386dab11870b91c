/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* No block of memory goes back to the allocator with a key, a text or a round key in it: libcrypto is given an allocator that looks
 * at every block before it is freed. Nor does a call leave one on the stack: each has a stack of its own, which is looked through
 * afterwards (but with sanitizers, which keep copies there). */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <ucontext.h>

#include "t.h"

enum { PATTERN = 16, PATTERNS = 4, PART = 8, STACK = 1 << 18 };
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

static uint8_t key[64], text[200], out[256], back[256]; /* not on the stack */
static EVP_CIPHER *cipher;
static EVP_CIPHER_CTX *ctx, *copy;
static int at, len; /* the step; of out */

static void fill(void) {
  for (size_t i = 0; i < 4; i++) {
    memcpy(key + 16 * i, secrets[i % 2], 16);
    key[16 * i] ^= (uint8_t)(i / 2); /* the halves of XTS differ; the first of each is whole */
  }
  memcpy(text, secrets[2], 16);
  memcpy(text + 111, secrets[2], 9); /* what the last block holds */
}

/* One call, so that the next does not write over what it left. */
enum { STEPS = 11 };
static void step(void) {
  static const uint8_t iv[16] = {7};
  int mode = EVP_CIPHER_get_mode(cipher), n = 0;
  switch (at) {
  case 0:
    CHECK(EVP_EncryptInit_ex2(ctx, cipher, key, iv, NULL) == 1);
    break;
  case 1:
    if (mode != EVP_CIPH_XTS_MODE) /* leaves a part of a block */
      CHECK(EVP_EncryptUpdate(ctx, out, &n, text, 37) == 1);
    break;
  case 2:
    CHECK(EVP_EncryptUpdate(ctx, out + len, &n, text + 100, 20) == 1);
    break;
  case 3:
    CHECK(EVP_CIPHER_CTX_copy(copy, ctx) == 1);
    break;
  case 4:
    CHECK(EVP_EncryptFinal_ex(ctx, out + len, &n) == 1);
    break;
  case 5:
    CHECK(EVP_EncryptInit_ex2(copy, NULL, key, NULL, NULL) == 1); /* another key object, in the middle */
    break;
  case 6:
    EVP_CIPHER_CTX_free(copy);
    EVP_CIPHER_CTX_free(ctx);
    ctx = EVP_CIPHER_CTX_new();
    break;
  case 7:
    CHECK(EVP_DecryptInit_ex2(ctx, cipher, key, iv, NULL) == 1);
    break;
  case 8:
    CHECK(EVP_DecryptUpdate(ctx, back, &n, out, len) == 1);
    n = 0;
    break;
  case 9:
    CHECK(EVP_DecryptFinal_ex(ctx, back + 128, &n) == (mode != EVP_CIPH_GCM_MODE)); /* no tag was set */
    n = 0;
    break;
  default:
    CHECK(EVP_CIPHER_CTX_reset(ctx) == 1);
  }
  len += n;
}

#ifdef RIJN_SANITIZED
static bool leaves(void (*f)(void)) {
  f();
  return false;
}
#else
/* f on a stack of its own, which must be clean then. */
static bool leaves(void (*f)(void)) {
  static _Alignas(4096) uint8_t stack[STACK];
  static ucontext_t here, there;
  memset(stack, 0, sizeof stack);
  REQUIRE(getcontext(&there) == 0);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = sizeof stack;
  there.uc_link = &here;
  makecontext(&there, f, 0);
  REQUIRE(swapcontext(&here, &there) == 0);
  for (size_t i = 0; i + PART <= sizeof stack; i++)
    for (size_t s = 0; s < PATTERNS; s++)
      if (memcmp(stack + i, secrets[s], PART) == 0)
        return true;
  return false;
}
static void spill(void) {
  uint8_t deep[1024]; /* the way back to another stack writes at the top */
  memcpy(deep, secrets[2], PART);
  __asm__ volatile("" : : "r"(deep) : "memory");
}
#endif

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

#ifndef RIJN_SANITIZED
  REQUIRE(leaves(spill));
#endif

  fill();
  OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
  REQUIRE(OSSL_PROVIDER_set_default_search_path(lib, RIJN_MODULES) == 1);
  REQUIRE(OSSL_LIB_CTX_load_config(lib, RIJN_ALL_MODES_CNF) == 1);
  static const char *const names[] = {"AES-128-GCM", "AES-192-GCM", "AES-256-GCM", "AES-128-CTR", "AES-256-CTR",
                                      "AES-128-CBC", "AES-256-CBC", "AES-128-XTS", "AES-256-XTS", "AES-256-ECB"};
  size_t before = freed;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    cipher = EVP_CIPHER_fetch(lib, names[i], "provider=rijn");
    REQUIRE(cipher != NULL);
    ctx = EVP_CIPHER_CTX_new(), copy = EVP_CIPHER_CTX_new();
    for (at = len = 0; at < STEPS; at++)
      if (leaves(step))
        t_fail(__FILE__, __LINE__, "%s, step %d leaves a secret on the stack", names[i], at);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
  }
  OSSL_LIB_CTX_free(lib);
  CHECK(freed > before + 50);
  CHECK_EQ(found, 0);
  return t_done();
}
