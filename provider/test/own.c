/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What Rijn's provider does by itself: where it refuses what the default one lets through, and what it keeps of a
 * message for the next. */
#include "pair.h"

static uint8_t text[8192], key[32], iv[16], aad[64];
static EVP_CIPHER *ref, *ours;

/* Refused, and the queue of errors says so in words. */
#define REFUSED(call, word) refused(__FILE__, __LINE__, (call), word)
static void refused(const char *file, int line, int result, const char *word) {
  char all[2048] = "", one[256];
  unsigned long e;
  const char *data;
  int flags;
  if (result > 0)
    t_fail(file, line, "not refused (%s)", word);
  while ((e = ERR_get_error_all(NULL, NULL, NULL, &data, &flags)) != 0) {
    ERR_error_string_n(e, one, sizeof one);
    strncat(all, one, sizeof all - strlen(all) - 1);
    strncat(all, data != NULL ? data : "", sizeof all - strlen(all) - 1);
  }
  if (strstr(all, word) == NULL)
    t_fail(file, line, "the errors have no \"%s\": %s", word, all);
  else
    t_check(file, line, word, true);
}

static void test_refusals(void) {
  uint8_t out[256], tag[16], again[16];
  /* The default provider makes up an IV; ours does not. */
  EVP_CIPHER_CTX *c = one_begin(ref, 1, key, NULL);
  CHECK(one_update(c, out, text, 32) == 1);
  EVP_CIPHER_CTX_free(c);
  c = one_begin(ours, 1, key, NULL);
  memset(out, T_POISON, sizeof out);
  REFUSED(one_update(c, out, text, 32), "no IV is set");
  CHECK_ALL(out, T_POISON, sizeof out);
  REFUSED(one_update(c, NULL, text, 32), "no IV is set");
  REFUSED(one_final(c), "no IV is set");
  OSSL_PARAM get_iv[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, out, 12), OSSL_PARAM_END};
  REFUSED(EVP_CIPHER_CTX_get_params(c, get_iv), "no IV is set");
  CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1 && one_update(c, out, text, 32) == 1 && one_final(c) == 1);
  CHECK(one_get_tag(c, tag, 16) == 1);
  REFUSED(one_update(c, out, text, 1), "new IV");
  REFUSED(one_final(c), "new IV");

  /* The tag belongs to the last message that was ended, and to none that is open. */
  CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1);
  REFUSED(one_get_tag(c, again, 16), "before the end");
  CHECK(one_update(c, out, text, 32) == 1);
  REFUSED(one_get_tag(c, again, 16), "before the end");
  CHECK(one_final(c) == 1 && one_get_tag(c, again, 16) == 1);
  CHECK_MEM(again, tag, 16);

  /* A key in the middle ends the message, after text, after associated data, in pieces and in one. */
  for (int i = 0; i < 4; i++) {
    static const int n[] = {32, 5, 3000, 0};
    uint8_t big[3000];
    CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1);
    CHECK(one_update(c, NULL, aad, 13) == 1 && (n[i] == 0 || one_update(c, big, text, n[i]) == 1));
    CHECK(EVP_CipherInit_ex2(c, NULL, text, NULL, 1, NULL) == 1);
    REFUSED(one_update(c, out, text, 32), "new IV");
    REFUSED(one_final(c), "new IV");
    CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1 && one_update(c, out, text, 32) == 1 &&
          one_final(c) == 1);
    CHECK(EVP_CipherInit_ex2(c, NULL, key, NULL, 1, NULL) == 1);
  }
  /* So does the other direction. */
  CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1 && one_update(c, out, text, 32) == 1);
  CHECK(EVP_CipherInit_ex2(c, NULL, NULL, NULL, 0, NULL) == 1);
  REFUSED(one_update(c, out, text, 32), "new IV");
  REFUSED(one_get_tag(c, again, 16), "tag");

  /* A failed end is an end. */
  CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 0, NULL) == 1 && one_update(c, out, text, 100) == 1);
  CHECK(one_set_tag(c, text, 16) == 1);
  CHECK(one_final(c) != 1 && ERR_peek_error() == 0);
  CHECK(one_set_tag(c, tag, 16) == 1);
  REFUSED(one_final(c), "new IV");
  REFUSED(one_update(c, out, text, 100), "new IV");

  /* Lengths of tags, of keys, of the fixed part. */
  for (int n = 1; n <= 16; n++)
    CHECK_EQ(one_set_tag(c, tag, n), 1);
  for (size_t n = 0; n < 70; n++) {
    OSSL_PARAM len[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_KEYLEN, &n), OSSL_PARAM_END};
    CHECK_EQ(EVP_CIPHER_CTX_set_params(c, len), n == 32);
  }
  ERR_clear_error();
  REFUSED(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, 13, iv), "fixed part of 13");
  EVP_CIPHER_CTX_free(c);
}

/* Associated data after text: the message is over, however long the text was, one piece or many. */
static void test_late_aad(void) {
  static const int lens[] = {1, 16, 100, 2047, 2048, 2049, 3000};
  uint8_t out[3000], tag[16];
  for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++)
    for (int enc = 0; enc < 2; enc++)
      for (int how = 0; how < 8; how++) {
        int n = lens[i];
        T_AT("length %zu, enc %zu, how %zu", n, enc, how);
        EVP_CIPHER_CTX *c = one_begin(ref, 1, key, iv);
        CHECK(one_update(c, out, text, n) == 1 && one_final(c) == 1 && one_get_tag(c, tag, 16) == 1);
        EVP_CIPHER_CTX_free(c);
        c = one_begin(ours, enc, key, iv);
        if (how & 1)
          CHECK(one_update(c, NULL, aad, 60) == 1 &&
                one_update(c, NULL, aad, 60) == 1); /* the stream is open before the text */
        else if (!enc)
          CHECK(one_set_tag(c, tag, 16) == 1);
        CHECK(one_update(c, out, enc ? text : out, how & 2 ? n / 2 + 1 : n) == 1);
        REFUSED(how & 4 ? EVP_Cipher(c, NULL, aad, 5) : one_update(c, NULL, aad, 5), "associated data after text");
        REFUSED(one_update(c, out, text, 16), "new IV");
        REFUSED(one_update(c, NULL, aad, 5), "new IV");
        CHECK(enc || one_set_tag(c, tag, 16) == 1);
        REFUSED(one_final(c), "new IV");
        if (enc)
          REFUSED(one_get_tag(c, tag, 16), "before the end");
        /* The next one is none the worse. */
        CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1 && one_update(c, NULL, aad, 5) == 1);
        CHECK(one_update(c, out, text, n) == 1 && one_final(c) == 1 && one_get_tag(c, tag, 16) == 1);
        EVP_CIPHER_CTX_free(c);
      }
}

/* Text of no length, which EVP_Cipher lets through, is none: associated data may follow, and the tag is GCM's. */
static void test_no_text(void) {
  uint8_t out[16], want_now[16], tag[16];
  for (int n = 0; n <= 120; n++) {
    T_AT("associated data of %zu", n);
    EVP_CIPHER_CTX *c = one_begin(ref, 1, key, iv), *d = one_begin(ours, 1, key, iv);
    CHECK(n == 0 || one_update(c, NULL, text, n) == 1);
    CHECK(one_update(c, NULL, text + n, 7) == 1 && one_final(c) == 1 && one_get_tag(c, want_now, 16) == 1);
    CHECK(n == 0 || one_update(d, NULL, text, n) == 1);
    CHECK_EQ(EVP_Cipher(d, out, text, 0), 0);
    CHECK(one_update(d, NULL, text + n, 7) == 1 && one_final(d) == 1 && one_get_tag(d, tag, 16) == 1);
    CHECK_MEM(tag, want_now, 16);
    EVP_CIPHER_CTX_free(c);
    EVP_CIPHER_CTX_free(d);
  }
}

/* An IV that has no room for the counter: the default provider counts in the bytes before it. */
static void test_short_iv(void) {
  uint8_t got[16];
  for (int n = 1; n <= 12; n++) {
    T_AT("IV of %zu", n);
    for (int enc = 0; enc < 2; enc++) {
      EVP_CIPHER_CTX *c = one_begin(ours, enc, key, NULL);
      CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, n, NULL) == 1);
      if (n >= 8) {
        CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, -1, iv) == 1);
        CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_IV_GEN, n, got) == 1);
        CHECK_MEM(got, iv, (size_t)n);
        CHECK_EQ(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_SET_IV_INV, n, aad), !enc);
        ERR_clear_error();
        EVP_CIPHER_CTX_free(c);
        continue;
      }
      REFUSED(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, -1, iv), "no room for a counter");
      /* Nor is one that got shorter after that. */
      CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) == 1);
      CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, -1, iv) == 1);
      CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, n, NULL) == 1);
      REFUSED(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_IV_GEN, n, got), "generation needs");
      REFUSED(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_SET_IV_INV, n, iv), "tlsivinv needs");
      REFUSED(one_update(c, got, text, 16), "new IV");
      EVP_CIPHER_CTX_free(c);
    }
  }
}

static void test_overlap(void) {
  uint8_t buf[900], before[900];
  static const int lens[] = {2, 16, 17, 64, 200};
  t_fill(before, sizeof before);
  for (int enc = 0; enc < 2; enc++)
    for (int i = 0; i < 5; i++) {
      int n = lens[i];
      for (int off = -n - 1; off <= n + 1; off++) {
        T_AT("enc %zu, length %zu, offset %zu", enc, n, off);
        EVP_CIPHER_CTX *c = one_begin(ours, enc, key, iv);
        uint8_t tag[16] = {0};
        if (!enc && n != 64)
          CHECK(one_set_tag(c, tag, 16) == 1);
        memcpy(buf, before, sizeof buf);
        bool good = off == 0 || off >= n || off <= -n;
        CHECK_EQ(one_update(c, buf + 350 + off, buf + 350, n), good);
        if (!good) {
          REFUSED(0, "overlap");
          CHECK_MEM(buf, before, sizeof buf);
          CHECK(one_update(c, buf, buf, n) == 1); /* and the message goes on */
        }
        EVP_CIPHER_CTX_free(c);
      }
    }
}

/* A short tag, set after the text. */
static void test_short_tag(void) {
  uint8_t out[3000], back[3000], tag[16];
  EVP_CIPHER_CTX *c = one_begin(ref, 1, key, iv);
  CHECK(one_update(c, out, text, 3000) == 1 && one_final(c) == 1 && one_get_tag(c, tag, 16) == 1);
  EVP_CIPHER_CTX_free(c);
  for (int n = 4; n <= 16; n++) {
    if (n != 4 && n != 8 && n < 12)
      continue;
    for (int forged = 0; forged < 2; forged++) {
      uint8_t sent[16];
      memcpy(sent, tag, 16);
      sent[n - 1] ^= (uint8_t)forged;
      c = one_begin(ours, 0, key, iv);
      CHECK(one_update(c, back, out, 3000) == 1 && one_set_tag(c, sent, n) == 1);
      CHECK_EQ(one_final(c), !forged);
      /* The next message of the context has tags of 16 again. */
      CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 0, NULL) == 1 && one_set_tag(c, tag, 16) == 1);
      CHECK(one_update(c, back, out, 3000) == 1 && one_final(c) == 1);
      CHECK_MEM(back, text, 3000);
      EVP_CIPHER_CTX_free(c);
      ERR_clear_error();
    }
  }
  /* Set before the text, a short tag is no matter of copies. */
  c = one_begin(ours, 0, key, iv);
  EVP_CIPHER_CTX *early = EVP_CIPHER_CTX_new();
  CHECK(one_set_tag(c, tag, 12) == 1 && one_update(c, back, out, 2500) == 1);
  REQUIRE(early != NULL && EVP_CIPHER_CTX_copy(early, c) == 1);
  CHECK(one_update(c, back + 2500, out + 2500, 500) == 1 && one_final(c) == 1);
  CHECK_MEM(back, text, 3000);
  CHECK(one_update(early, back, out + 2500, 500) == 1 && one_final(early) == 1);
  EVP_CIPHER_CTX_free(early);
  EVP_CIPHER_CTX_free(c);

  /* With a copy that shares the key: refused in words, and possible when the copy is gone. */
  c = one_begin(ours, 0, key, iv);
  CHECK(one_update(c, back, out, 3000) == 1);
  EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
  REQUIRE(copy != NULL && EVP_CIPHER_CTX_copy(copy, c) == 1);
  CHECK(one_set_tag(c, tag, 12) == 1 && one_set_tag(copy, tag, 16) == 1);
  REFUSED(one_final(c), "short tag");
  CHECK(one_final(copy) == 1);
  EVP_CIPHER_CTX_free(copy);
  CHECK(one_final(c) == 1);
  EVP_CIPHER_CTX_free(c);
}

/* The short tag of one message does not stay with the next, whose own is set when there is a copy already. */
enum { ENDED, OPEN, PIECE_ENDED, PIECE_OPEN, PIECE_FAILED, SET_ANEW, BEFORE_END };
static void test_after_short_tag(EVP_CIPHER *cipher, int before, int enc) {
  static uint8_t out[3000], back[3000], tag[16], piece[100], piece_tag[16];
  T_AT("rijn %zu, before it %zu, enc %zu", cipher == ours, before, enc);
  EVP_CIPHER_CTX *c = one_begin(ref, 1, key, iv), *copy = EVP_CIPHER_CTX_new();
  CHECK(one_update(c, out, text, 3000) == 1 && one_final(c) == 1 && one_get_tag(c, tag, 16) == 1);
  CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1);
  CHECK(one_update(c, piece, text, 100) == 1 && one_final(c) == 1 && one_get_tag(c, piece_tag, 16) == 1);
  EVP_CIPHER_CTX_free(c);

  c = one_begin(cipher, 0, key, iv);
  bool stream = before == ENDED || before == OPEN;
  CHECK(one_set_tag(c, stream ? tag : piece_tag, 12) == 1);
  CHECK(stream ? one_update(c, back, out, 3000) == 1 : one_update(c, back, piece, 100) == 1);
  if (before == PIECE_FAILED)
    CHECK(one_set_tag(c, text, 12) == 1 && one_final(c) != 1);
  if (before == ENDED || before == PIECE_ENDED)
    CHECK(one_final(c) == 1);
  if (before == SET_ANEW) {
    CHECK(one_set_tag(c, piece_tag, 16) == 1);
  } else {
    CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, enc, NULL) == 1);
    CHECK(one_update(c, back, enc ? text : out, 2500) == 1);
  }
  REQUIRE(copy != NULL && EVP_CIPHER_CTX_copy(copy, c) == 1);
  for (int i = 0; i < 2; i++) {
    EVP_CIPHER_CTX *x = i ? copy : c;
    if (before != SET_ANEW) {
      CHECK(enc || one_set_tag(x, tag, 16) == 1);
      CHECK(one_update(x, back + 2500, (enc ? text : out) + 2500, 500) == 1);
      CHECK_MEM(back, enc ? out : text, 3000);
    }
    CHECK(one_final(x) == 1);
    if (enc) {
      uint8_t made[16];
      CHECK(one_get_tag(x, made, 16) == 1);
      if (cipher == ours) /* WHY: valgrind takes the default provider's, of a copy, for undefined */
        CHECK_MEM(made, tag, 16);
    }
  }
  EVP_CIPHER_CTX_free(copy);
  EVP_CIPHER_CTX_free(c);
  ERR_clear_error();
}

/* The counter of TLS 1.2 starts at random, and no nonce comes twice. */
static void test_generated(void) {
  enum { CONTEXTS = 8, RECORDS = 20 };
  uint8_t seen[CONTEXTS * RECORDS][8], rec[100], head[13] = {0}, now[12];
  size_t n = 0;
  head[12] = 100 - 16;
  for (int i = 0; i < CONTEXTS; i++) {
    EVP_CIPHER_CTX *c = one_begin(ours, 1, key, NULL);
    CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, 4, iv) == 1);
    for (int r = 0; r < RECORDS; r++) {
      OSSL_PARAM get[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, now, 12), OSSL_PARAM_END};
      CHECK(EVP_CIPHER_CTX_get_params(c, get) == 1);
      CHECK_MEM(now, iv, 4);
      CHECK_EQ(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, 13, head), 16);
      memset(rec, 0, sizeof rec);
      CHECK(one_update(c, rec, rec, 100) == 1);
      CHECK_MEM(rec, now + 4, 8);
      memcpy(seen[n++], rec, 8);
    }
    EVP_CIPHER_CTX_free(c);
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++)
      CHECK(memcmp(seen[i], seen[j], 8) != 0);
  /* Decryption takes the explicit part from outside: nothing is random there. */
  EVP_CIPHER_CTX *c = one_begin(ours, 0, key, iv);
  CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, 4, aad) == 1);
  OSSL_PARAM get[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, now, 12), OSSL_PARAM_END};
  CHECK(EVP_CIPHER_CTX_get_params(c, get) == 1);
  CHECK_MEM(now, aad, 4);
  CHECK_MEM(now + 4, iv + 4, 8);
  EVP_CIPHER_CTX_free(c);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  one_open(RIJN_MODULES, &ref, &ours);
  t_fill(text, sizeof text);
  t_fill(key, sizeof key);
  t_fill(iv, sizeof iv);
  t_fill(aad, sizeof aad);
  test_refusals();
  test_late_aad();
  test_no_text();
  test_short_iv();
  test_overlap();
  test_short_tag();
  for (int before = 0; before < BEFORE_END; before++)
    for (int enc = 0; enc < (before == SET_ANEW ? 1 : 2); enc++) {
      test_after_short_tag(ref, before, enc);
      test_after_short_tag(ours, before, enc);
    }
  test_generated();
  one_close(ref, ours);
  return t_done();
}
