/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* No block of memory goes back to the allocator with a key, a text or a round key in it: libcrypto is given an
 * allocator that looks at every block before it is freed. Nor does a call leave one on the stack: each has a stack of
 * its own, which is looked through afterwards (but with sanitizers, which keep copies there). */
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/prov_ssl.h>
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
  memcpy(text + 32, secrets[2], 9);  /* what the first call holds */
  memcpy(text + 111, secrets[2], 9); /* what the last block holds */
}

/* One call, so that the next does not write over what it left. */
enum { STEPS = 11 };
static void step(void) {
  static const uint8_t iv[16] = {7};
  static uint8_t tag[16];
  int mode = EVP_CIPHER_get_mode(cipher), n = 0;
  bool ccm = mode == EVP_CIPH_CCM_MODE;
  int tag_len = ccm ? 12 : 16;
  /* One text, and the tag before it. */
  bool whole = ccm || strstr(EVP_CIPHER_get0_name(cipher), "SIV") != NULL;
  switch (at) {
  case 0:
    CHECK(EVP_EncryptInit_ex2(ctx, cipher, key, iv, NULL) == 1);
    break;
  case 1:
    if (mode != EVP_CIPH_XTS_MODE && !whole) /* leaves a part of a block */
      CHECK(EVP_EncryptUpdate(ctx, out, &n, text, 41) == 1);
    break;
  case 2:
    CHECK(EVP_EncryptUpdate(ctx, out + len, &n, text + 100, 20) == 1);
    break;
  case 3:
    CHECK(EVP_CIPHER_CTX_copy(copy, ctx) == 1);
    break;
  case 4:
    CHECK(EVP_EncryptFinal_ex(ctx, out + len, &n) == 1);
    CHECK(!whole || EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, tag_len, tag) == 1);
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
    CHECK(!whole || EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, tag_len, tag) == 1);
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

/* GCM: a tag was right, and another is set. The text is deciphered once more then, for nobody, and nothing is called
 * after that which would write over it. */
enum { TAG_STEPS = 5 };
static void tag_step(void) {
  static const uint8_t iv[16] = {7};
  static uint8_t tag[16];
  int n = 0;
  switch (at) {
  case 0:
    CHECK(EVP_EncryptInit_ex2(ctx, cipher, key, iv, NULL) == 1 && EVP_EncryptUpdate(ctx, out, &n, text, 200) == 1);
    break;
  case 1:
    CHECK(EVP_EncryptFinal_ex(ctx, back, &n) == 1 && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1);
    break;
  case 2:
    CHECK(EVP_DecryptInit_ex2(ctx, NULL, NULL, iv, NULL) == 1 &&
          EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1);
    break;
  case 3:
    CHECK(EVP_DecryptUpdate(ctx, back, &n, out, 200) == 1);
    CHECK_MEM(back, text, 200);
    break;
  default:
    tag[15] ^= 1;
    CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1);
  }
}

/* GCM: another piece comes behind one that seemed to be all, which is deciphered once more then, for the stream. That
 * piece is refused, so that nothing is called which would write over what was left. */
enum { SECOND_STEPS = 3 };
static void second_step(void) {
  static const uint8_t iv[16] = {7};
  static uint8_t first[384], sealed[4096];
  int n = 0;
  switch (at) {
  case 0:
    for (size_t i = 0; i < sizeof first; i += 16)
      memcpy(first + i, secrets[2], 16);
    CHECK(EVP_EncryptInit_ex2(ctx, cipher, key, iv, NULL) == 1 &&
          EVP_EncryptUpdate(ctx, sealed, &n, first, sizeof first) == 1);
    break;
  case 1:
    CHECK(EVP_DecryptInit_ex2(ctx, NULL, NULL, iv, NULL) == 1 &&
          EVP_DecryptUpdate(ctx, first, &n, sealed, sizeof first) == 1);
    break;
  default:
    CHECK(EVP_DecryptUpdate(ctx, sealed + 1, &n, sealed, 3000) != 1);
  }
}

/* GCM: keystream that was made ahead of a message in pieces of 100 bytes goes to a larger place with the text, and a
 * part of it is never used. Both places are searched for it when the context is freed. */
static void keystream_ahead(int enc) {
  static const uint8_t iv[12] = {9};
  static uint8_t in[300], made[300];
  uint8_t kept[PATTERN];
  int n = 0;
  t_fill(in, sizeof in);
  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
  CHECK(EVP_CipherInit_ex2(c, cipher, key, iv, enc, NULL) == 1);
  for (size_t i = 0; i < sizeof in; i += 100)
    CHECK(EVP_CipherUpdate(c, made + i, &n, in + i, 100) == 1);
  memcpy(kept, secrets[3], PATTERN);
  for (size_t i = 0; i < PATTERN; i++)
    secrets[3][i] = in[240 + i] ^ made[240 + i];
  if (enc)
    CHECK(EVP_CipherFinal_ex(c, made, &n) == 1);
  EVP_CIPHER_CTX_free(c);
  memcpy(secrets[3], kept, PATTERN);
}

/* ECB and CBC: a call that is refused, because output and input overlap, leaves no more than one that is not. */
enum { REFUSED_STEPS = 3 };
static void refused_step(void) {
  static const uint8_t iv[16] = {7};
  int n = 0;
  switch (at) {
  case 0:
    CHECK(EVP_EncryptInit_ex2(ctx, cipher, key, iv, NULL) == 1);
    break;
  case 1: /* the tail of 9 bytes is what the call would have held */
    memcpy(out, text, 41);
    CHECK(EVP_EncryptUpdate(ctx, out + 5, &n, out, 41) != 1);
    break;
  default: /* the same behind a part that was held */
    CHECK(EVP_EncryptUpdate(ctx, back, &n, text + 50, 8) == 1);
    CHECK(EVP_EncryptUpdate(ctx, out + 10, &n, out + 8, 33) != 1);
  }
}

/* CBC: a record of TLS 1.2, whose MAC is a secret: it is taken off, and handed out from the context. */
enum { RECORD_STEPS = 4, MAC = 32, RECORD = 128 };
static void record_step(void) {
  static const uint8_t iv[16] = {7};
  uint8_t *mac = NULL;
  unsigned version = TLS1_2_VERSION;
  size_t mac_len = MAC;
  OSSL_PARAM tls[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
                      OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &mac_len), OSSL_PARAM_END};
  OSSL_PARAM get[] = {OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, (void **)&mac, MAC), OSSL_PARAM_END};
  int n = 0;
  switch (at) {
  case 0: /* explicit IV, 60 bytes of text, MAC, 20 bytes of padding */
    memcpy(back + 76, secrets[2], 16);
    memcpy(back + 92, secrets[3], 16);
    memset(back + 108, 19, 20);
    CHECK(EVP_EncryptInit_ex2(ctx, cipher, key, iv, NULL) == 1 && EVP_CIPHER_CTX_set_padding(ctx, 0) == 1 &&
          EVP_EncryptUpdate(ctx, out, &n, back, RECORD) == 1);
    break;
  case 1:
    CHECK(EVP_DecryptInit_ex2(ctx, NULL, NULL, iv, tls) == 1 && EVP_CIPHER_CTX_set_padding(ctx, 1) == 1);
    break;
  case 2:
    CHECK(EVP_DecryptUpdate(ctx, out, &n, out, RECORD) == 1);
    CHECK_EQ(n, 60);
    break;
  default:
    CHECK(EVP_CIPHER_CTX_get_params(ctx, get) == 1 && mac != NULL && memcmp(mac, secrets[2], 16) == 0 &&
          memcmp(mac + 16, secrets[3], 16) == 0);
  }
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
  static const char *const names[] = {"AES-128-GCM", "AES-192-GCM",     "AES-256-GCM",    "AES-128-CTR",
                                      "AES-256-CTR", "AES-128-CBC",     "AES-256-CBC",    "AES-128-XTS",
                                      "AES-256-XTS", "AES-256-ECB",     "AES-128-CCM",    "AES-256-CCM",
                                      "AES-256-CFB", "AES-128-GCM-SIV", "AES-256-GCM-SIV"};
  size_t before = freed;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    cipher = EVP_CIPHER_fetch(lib, names[i], "provider=rijn");
    REQUIRE(cipher != NULL);
    ctx = EVP_CIPHER_CTX_new(), copy = EVP_CIPHER_CTX_new();
    for (at = len = 0; at < STEPS; at++)
      if (leaves(step))
        t_fail(__FILE__, __LINE__, "%s, step %d leaves a secret on the stack", names[i], at);
    EVP_CIPHER_CTX_free(ctx);
    ctx = EVP_CIPHER_CTX_new();
    int mode = EVP_CIPHER_get_mode(cipher);
    int steps = mode == EVP_CIPH_GCM_MODE ? TAG_STEPS : mode == EVP_CIPH_CBC_MODE ? RECORD_STEPS : 0;
    for (at = 0; at < steps; at++)
      if (leaves(mode == EVP_CIPH_GCM_MODE ? tag_step : record_step))
        t_fail(__FILE__, __LINE__, "%s, step %d of a %s leaves a secret on the stack", names[i], at,
               mode == EVP_CIPH_GCM_MODE ? "tag set anew" : "record");
    if (mode == EVP_CIPH_GCM_MODE && strstr(names[i], "SIV") == NULL) {
      for (at = 0; at < SECOND_STEPS; at++)
        if (leaves(second_step))
          t_fail(__FILE__, __LINE__, "%s, step %d of a second piece leaves a secret on the stack", names[i], at);
      keystream_ahead(1);
      keystream_ahead(0);
    }
    for (at = 0; at < (EVP_CIPHER_get_block_size(cipher) == 16 ? REFUSED_STEPS : 0); at++)
      if (leaves(refused_step))
        t_fail(__FILE__, __LINE__, "%s, step %d of a refused call leaves a secret on the stack", names[i], at);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
  }
  OSSL_LIB_CTX_free(lib);
  CHECK(freed > before + 50);
  CHECK_EQ(found, 0);
  return t_done();
}
