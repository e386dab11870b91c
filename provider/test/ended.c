/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Messages of Rijn's provider that are over before their end: memory ran out in the middle, a parameter was refused.
 * Whoever misses that error gets no tag and no verdict. libcrypto is given an allocator that can be told to fail. And
 * what is said of IVs. */
#include <openssl/crypto.h>

#include "pair.h"

static uint8_t text[3000], key[32], iv[16], aad[100];
static EVP_CIPHER *ref, *ours;
static bool no_memory;

static void *my_malloc(size_t n, const char *file, int line) {
  (void)file;
  (void)line;
  return no_memory || n == 0 ? NULL : malloc(n);
}

static void *my_realloc(void *p, size_t n, const char *file, int line) {
  (void)file;
  (void)line;
  return no_memory ? NULL : realloc(p, n);
}

static void my_free(void *p, const char *file, int line) {
  (void)file;
  (void)line;
  free(p);
}

/* The default provider's ciphertext and tag, of n bytes and 13 of associated data. */
static void seal(uint8_t *out, uint8_t *tag, int n) {
  EVP_CIPHER_CTX *c = one_begin(ref, 1, key, iv);
  CHECK(one_update(c, NULL, aad, 13) == 1 && (n == 0 || one_update(c, out, text, n) == 1));
  CHECK(one_final(c) == 1 && one_get_tag(c, tag, 16) == 1);
  EVP_CIPHER_CTX_free(c);
}

/* A tag of 12 bytes wants a key of its own while a copy shares the one there is, and there is no memory for it: the
 * call is refused, and what was or should have been in the message is not left out of it in silence. */
enum { NEW_TAG, LONG_AAD, SHORT_TEXT, LONG_TEXT, THE_END, CASES };
static void test_no_memory(int which) {
  uint8_t sealed[3000], out[3000], tag[16], empty[16];
  T_AT("case %zu", which);
  seal(sealed, tag, 100);
  seal(NULL, empty, 0);
  EVP_CIPHER_CTX *c = one_begin(ours, 0, key, iv), *copy = EVP_CIPHER_CTX_new();
  CHECK(one_update(c, NULL, aad, 13) == 1);
  if (which == NEW_TAG)
    CHECK(one_set_tag(c, tag, 16) == 1 && one_update(c, out, sealed, 100) == 1);
  else
    CHECK(one_set_tag(c, empty, 12) == 1);
  REQUIRE(copy != NULL && EVP_CIPHER_CTX_copy(copy, c) == 1);
  no_memory = true;
  int r = which == NEW_TAG      ? (one_set_tag(c, empty, 12) == 1 ? one_final(c) : 0)
          : which == LONG_AAD   ? one_update(c, NULL, aad, 100)
          : which == SHORT_TEXT ? one_update(c, out, sealed, 100)
          : which == LONG_TEXT  ? one_update(c, out, sealed, 3000)
                                : one_final(c);
  no_memory = false;
  CHECK(r <= 0);
  CHECK(one_final(c) <= 0); /* the tag is that of no text and 13 bytes */
  CHECK(one_update(c, out, sealed, 100) <= 0);
  /* The next message is none the worse, nor is the copy. */
  CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 0, NULL) == 1 && one_set_tag(c, tag, 16) == 1);
  CHECK(one_update(c, NULL, aad, 13) == 1 && one_update(c, out, sealed, 100) == 1 && one_final(c) == 1);
  CHECK_MEM(out, text, 100);
  CHECK(one_final(copy) == 1);
  EVP_CIPHER_CTX_free(copy);
  EVP_CIPHER_CTX_free(c);
  ERR_clear_error();
}

/* Associated data of a TLS record that is refused for its own length: the default provider takes the next call for
 * plain GCM. */
static void test_refused_record(void) {
  uint8_t out[100], head[13] = {0}, tag[16];
  head[12] = 100;
  for (int enc = 0; enc < 2; enc++)
    for (int n = 0; n <= 14; n++)
      for (int before = 0; before < 2; before++) {
        if (n == 13)
          continue;
        T_AT("enc %zu, length %zu, data before it %zu", enc, n, before);
        OSSL_PARAM set[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, aad, (size_t)n),
                            OSSL_PARAM_END};
        EVP_CIPHER_CTX *c = one_begin(ref, enc, key, iv);
        CHECK(EVP_CIPHER_CTX_set_params(c, set) <= 0 && one_update(c, out, text, 100) == 1);
        EVP_CIPHER_CTX_free(c);
        c = one_begin(ours, enc, key, iv);
        CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, -1, iv) == 1);
        if (before)
          CHECK_EQ(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, 13, head), 16);
        CHECK(EVP_CIPHER_CTX_set_params(c, set) <= 0);
        CHECK(one_update(c, out, out, 100) <= 0); /* in place, as a record with the data before would be */
        CHECK(one_update(c, out, text, 100) <= 0);
        CHECK(one_update(c, NULL, text, 13) <= 0);
        CHECK(EVP_Cipher(c, out, text, 100) <= 0);
        CHECK(one_final(c) <= 0);
        CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1);
        CHECK(one_update(c, out, text, 100) == 1 && one_final(c) == 1 && one_get_tag(c, tag, 16) == 1);
        EVP_CIPHER_CTX_free(c);
      }
  ERR_clear_error();
}

/* A record that has no room for nonce and tag is refused before anything is written into it, and no IV is used up. */
static void test_short_record(void) {
  uint8_t buf[100], head[13] = {0}, before[12], after[12];
  head[12] = 100;
  for (int enc = 0; enc < 2; enc++)
    for (int n = 1; n < 24; n++) {
      T_AT("enc %zu, record of %zu", enc, n);
      OSSL_PARAM was[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, before, 12), OSSL_PARAM_END};
      OSSL_PARAM is[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, after, 12), OSSL_PARAM_END};
      EVP_CIPHER_CTX *c = one_begin(ours, enc, key, iv);
      memset(buf, T_POISON, sizeof buf);
      CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, 4, iv) == 1);
      CHECK(EVP_CIPHER_CTX_get_params(c, was) == 1);
      CHECK_EQ(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, 13, head), 16);
      CHECK(one_update(c, buf + 40, buf + 40, n) <= 0);
      CHECK_ALL(buf, T_POISON, sizeof buf);
      CHECK(EVP_CIPHER_CTX_get_params(c, is) == 1);
      CHECK_MEM(after, before, 12);
      EVP_CIPHER_CTX_free(c);
    }
  ERR_clear_error();
}

/* Parameters without data, and of another type. */
static void test_no_data(void) {
  static const struct {
    const char *name;
    size_t n;
  } octets[] = {{OSSL_CIPHER_PARAM_AEAD_TAG, 16},
                {OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, 13},
                {OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, 4},
                {OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, SIZE_MAX},
                {OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, 8}};
  unsigned number = 12;
  for (size_t i = 0; i < sizeof octets / sizeof octets[0]; i++) {
    T_AT("parameter %zu", i);
    OSSL_PARAM none[] = {OSSL_PARAM_construct_octet_string(octets[i].name, NULL, octets[i].n), OSSL_PARAM_END};
    OSSL_PARAM other[] = {OSSL_PARAM_construct_uint(octets[i].name, &number), OSSL_PARAM_END};
    EVP_CIPHER_CTX *c = one_begin(ours, 0, key, iv);
    CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, -1, iv) == 1);
    CHECK(EVP_CIPHER_CTX_set_params(c, none) <= 0);
    CHECK(EVP_CIPHER_CTX_set_params(c, other) <= 0);
    EVP_CIPHER_CTX_free(c);
  }
  EVP_CIPHER_CTX *c = one_begin(ours, 1, key, iv);
  CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, -1, iv) == 1);
  OSSL_PARAM none[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN, NULL, 8),
                       OSSL_PARAM_END};
  OSSL_PARAM other[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN, &number), OSSL_PARAM_END};
  CHECK(EVP_CIPHER_CTX_get_params(c, none) <= 0);
  CHECK(EVP_CIPHER_CTX_get_params(c, other) <= 0);
  CHECK_EQ(number, 12);
  EVP_CIPHER_CTX_free(c);
  ERR_clear_error();
}

/* A generated IV: who has room for more gets all of it, and no byte that stands before it; and it says whether it was
 * made up here. */
static void test_iv(void) {
  uint8_t got[16];
  unsigned random;
  OSSL_PARAM get[] = {OSSL_PARAM_construct_uint("iv-generated", &random), OSSL_PARAM_END};
  for (int enc = 0; enc < 2; enc++)
    for (int n = 8; n <= 16; n++) {
      T_AT("enc %zu, IV of %zu", enc, n);
      EVP_CIPHER_CTX *c = one_begin(ours, enc, key, iv);
      CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, n, NULL) == 1);
      CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, -1, iv) == 1);
      CHECK(EVP_CIPHER_CTX_get_params(c, get) == 1 && random == 0);
      memset(got, T_POISON, sizeof got);
      CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_IV_GEN, 16, got) == 1);
      CHECK_MEM(got, iv, (size_t)n);
      CHECK_ALL(got + n, T_POISON, sizeof got - (size_t)n);
      if (n >= 12) {
        CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, 4, iv) == 1);
        CHECK(EVP_CIPHER_CTX_get_params(c, get) == 1 && random == (unsigned)enc);
        CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, -1, iv) == 1); /* all of it is the caller's again */
        CHECK(EVP_CIPHER_CTX_get_params(c, get) == 1 && random == 0);
        CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, 4, iv) == 1);
        CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, enc, NULL) == 1);
        CHECK(EVP_CIPHER_CTX_get_params(c, get) == 1 && random == 0);
      }
      EVP_CIPHER_CTX_free(c);
    }
}

/* A record that is refused ends a message that was open as any end does: its short tag is not the next one's, which is
 * set when there is a copy already. */
static void test_record_ends(void) {
  static uint8_t sealed[3000], out[3000];
  uint8_t tag[16], head[13] = {0};
  head[12] = 100;
  EVP_CIPHER_CTX *e =
      one_begin(ours, 1, key, iv); /* a record has no end of its own, and what was to be one is no message */
  CHECK_EQ(EVP_CIPHER_CTX_ctrl(e, EVP_CTRL_AEAD_TLS1_AAD, 13, head), 16);
  CHECK(one_final(e) <= 0 && one_get_tag(e, tag, 16) <= 0 && one_final(e) <= 0);
  EVP_CIPHER_CTX_free(e);
  seal(sealed, tag, 3000);
  EVP_CIPHER_CTX *c = one_begin(ours, 0, key, iv), *copy = EVP_CIPHER_CTX_new();
  CHECK(one_set_tag(c, tag, 12) == 1 && one_update(c, out, sealed, 3000) == 1);
  CHECK_EQ(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, 13, head), 16);
  CHECK(one_update(c, out, sealed, 100) <= 0); /* not in place */
  CHECK(one_update(c, out, sealed, 100) <= 0 && one_final(c) <= 0);
  CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 0, NULL) == 1 && one_update(c, NULL, aad, 13) == 1);
  CHECK(one_update(c, out, sealed, 2500) == 1);
  REQUIRE(copy != NULL && EVP_CIPHER_CTX_copy(copy, c) == 1);
  CHECK(one_set_tag(c, tag, 16) == 1 && one_update(c, out + 2500, sealed + 2500, 500) == 1 && one_final(c) == 1);
  CHECK_MEM(out, text, 3000);
  EVP_CIPHER_CTX_free(copy);
  EVP_CIPHER_CTX_free(c);
  ERR_clear_error();
}

/* A record has a tag of 16 bytes whatever the message before it had. */
static void test_record_after_short_tag(void) {
  uint8_t rec[100], sealed[100], out[100], tag[16], head[13] = {0};
  head[12] = 100 - 16;
  EVP_CIPHER_CTX *c = one_begin(ref, 1, key, iv);
  memcpy(rec, text, sizeof rec);
  CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, -1, iv) == 1);
  CHECK_EQ(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, 13, head), 16);
  CHECK(one_update(c, rec, rec, 100) == 1);
  EVP_CIPHER_CTX_free(c);
  head[12] = 100;
  seal(sealed, tag, 100);
  for (int at = 83; at < 100; at++) { /* 83: as it is; else a byte of the tag is wrong */
    T_AT("byte %zu", at);
    c = one_begin(ours, 0, key, iv);
    CHECK(one_set_tag(c, tag, 12) == 1 && one_update(c, NULL, aad, 13) == 1 && one_update(c, out, sealed, 100) == 1 &&
          one_final(c) == 1);
    CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, -1, iv) == 1);
    CHECK_EQ(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, 13, head), 16);
    memcpy(out, rec, sizeof out);
    out[at] ^= at > 83;
    int got = 0; /* of text, without what frames it */
    CHECK_EQ(EVP_CipherUpdate(c, out, &got, out, 100) == 1, at == 83);
    CHECK(at > 83 || got == 76);
    CHECK(at > 83 || memcmp(out + 8, text + 8, 76) == 0);
    EVP_CIPHER_CTX_free(c);
  }
  ERR_clear_error();
}

/* A tag of 12 bytes was right, and then a longer one is set, whose other bytes had been there before: it is looked at
 * as a whole. */
static void test_longer_tag(void) {
  uint8_t sealed[100], out[100], tag[16];
  seal(sealed, tag, 100);
  for (int wrong = 0; wrong < 2; wrong++)
    for (int at = 12; at < 16; at++) {
      uint8_t t[16];
      T_AT("byte %zu wrong: %zu", at, wrong);
      memcpy(t, tag, 16);
      t[at] ^= (uint8_t)wrong;
      EVP_CIPHER_CTX *c = one_begin(ours, 0, key, iv);
      CHECK(one_set_tag(c, t, 16) == 1 && one_set_tag(c, t, 12) == 1);
      CHECK(one_update(c, NULL, aad, 13) == 1 && one_update(c, out, sealed, 100) == 1);
      CHECK_MEM(out, text, 100);
      CHECK(one_set_tag(c, t, 16) == 1);
      CHECK_EQ(one_final(c) == 1, !wrong);
      EVP_CIPHER_CTX_free(c);
    }
  ERR_clear_error();
}

/* Fixed part, a message, generation, a message: one IV for two. The default provider makes them; ours refuses to
 * generate, and the record of TLS that would have generated. TEXT: text and no end; NO_TEXT: an end, so a tag, and no
 * text. */
enum { MESSAGE, TEXT, NO_TEXT, RECORD, NEW_KEY, NEW_IV, WAYS };
static void test_spent_iv(void) {
  for (int way = 0; way < WAYS; way++)
    for (int enc = 0; enc < 2; enc++)
      for (int mine = 0; mine < 2; mine++) {
        uint8_t out[100], got[12], head[13] = {0};
        head[12] = 100 - 16;
        T_AT("way %zu, enc %zu, rijn %zu", way, enc, mine);
        EVP_CIPHER_CTX *c = one_begin(mine ? ours : ref, enc, key, iv);
        CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, -1, iv) == 1);
        CHECK(way == NO_TEXT || one_update(c, out, text, 100) == 1);
        CHECK(way == TEXT || one_final(c) == enc); /* the tag to check is not set */
        if (way == NEW_KEY)
          CHECK(EVP_CipherInit_ex2(c, NULL, text, NULL, enc, NULL) == 1);
        if (way == NEW_IV)
          CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, enc, NULL) == 1);
        bool good = !mine || !enc || way == NEW_KEY || way == NEW_IV;
        if (way == RECORD && enc) {
          CHECK_EQ(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, 13, head), 16);
          CHECK_EQ(one_update(c, out, out, 100) > 0, good);
        } else {
          CHECK_EQ(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_IV_GEN, 12, got) > 0, good);
          CHECK_EQ(one_update(c, out, text, 100) > 0, good || way == TEXT); /* the message in hand goes on */
        }
        if (!good) {
          CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_IV_GEN, 12, got) <= 0);
          CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, -1, aad) == 1);
          CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_IV_GEN, 12, got) == 1);
          CHECK_MEM(got, aad, 12);
          for (int i = 0; i < 2; i++) { /* generation comes first from here on, and nothing stands against it */
            CHECK(one_update(c, out, text, 100) == 1 && one_final(c) == 1);
            CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_IV_GEN, 12, got) == 1);
            CHECK(memcmp(got, aad, 12) != 0);
          }
        }
        EVP_CIPHER_CTX_free(c);
      }
  ERR_clear_error();
}

/* A counter that was generated does not come again when the length of the IV changes and changes back. */
static void test_iv_of_another_length(void) {
  uint8_t first[12], again[12], out[100];
  EVP_CIPHER_CTX *c = one_begin(ours, 1, key, NULL);
  CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, -1, (uint8_t[12]){1, 2, 3, 4}) == 1);
  CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_IV_GEN, 12, first) == 1);
  CHECK(one_update(c, out, text, 100) == 1 && one_final(c) == 1);
  CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 8, NULL) == 1);
  CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) == 1);
  if (EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_IV_GEN, 12, again) == 1)
    CHECK(memcmp(first, again, 12) != 0);
  EVP_CIPHER_CTX_free(c);
  ERR_clear_error();
}

int main(int argc, char **argv) {
  if (CRYPTO_set_mem_functions(my_malloc, my_realloc, my_free) != 1)
    return 1;
  t_init(argc, argv);
  one_open(RIJN_MODULES, &ref, &ours);
  t_fill(text, sizeof text);
  t_fill(key, sizeof key);
  t_fill(iv, sizeof iv);
  t_fill(aad, sizeof aad);
  for (int i = 0; i < CASES; i++)
    test_no_memory(i);
  test_refused_record();
  test_short_record();
  test_no_data();
  test_iv();
  test_record_ends();
  test_record_after_short_tag();
  test_longer_tag();
  test_spent_iv();
  test_iv_of_another_length();
  one_close(ref, ours);
  return t_done();
}
