/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What Rijn's provider does by itself: where it refuses what the default one lets through, copies, threads, fork. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pair.h"

static uint8_t text[8192], key[32], iv[16], aad[64];
static EVP_CIPHER *ref, *ours;

static EVP_CIPHER_CTX *begin(EVP_CIPHER *c, int enc, const uint8_t *k, const uint8_t *nonce) {
  EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
  REQUIRE(ctx != NULL);
  REQUIRE(EVP_CipherInit_ex2(ctx, c, k, nonce, enc, NULL) == 1);
  return ctx;
}

static int update(EVP_CIPHER_CTX *ctx, uint8_t *out, const uint8_t *in, int n) {
  int got = -1;
  int r = EVP_CipherUpdate(ctx, out, &got, in, n);
  if (r == 1)
    CHECK_EQ(got, n);
  return r;
}

static int final(EVP_CIPHER_CTX *ctx) {
  uint8_t none[16];
  int got = -1;
  int r = EVP_CipherFinal_ex(ctx, none, &got);
  if (r == 1)
    CHECK_EQ(got, 0);
  return r;
}

static int get_tag(EVP_CIPHER_CTX *ctx, uint8_t *tag, int n) {
  return EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, n, tag);
}

static int set_tag(EVP_CIPHER_CTX *ctx, uint8_t *tag, int n) {
  return EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, n, tag);
}

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
  EVP_CIPHER_CTX *c = begin(ref, 1, key, NULL);
  CHECK(update(c, out, text, 32) == 1);
  EVP_CIPHER_CTX_free(c);
  c = begin(ours, 1, key, NULL);
  memset(out, T_POISON, sizeof out);
  REFUSED(update(c, out, text, 32), "no IV is set");
  CHECK_ALL(out, T_POISON, sizeof out);
  REFUSED(update(c, NULL, text, 32), "no IV is set");
  REFUSED(final(c), "no IV is set");
  OSSL_PARAM get_iv[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, out, 12), OSSL_PARAM_END};
  REFUSED(EVP_CIPHER_CTX_get_params(c, get_iv), "no IV is set");
  CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1 && update(c, out, text, 32) == 1 && final(c) == 1);
  CHECK(get_tag(c, tag, 16) == 1);
  REFUSED(update(c, out, text, 1), "new IV");
  REFUSED(final(c), "new IV");

  /* The tag belongs to the last message that was ended, and to none that is open. */
  CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1);
  REFUSED(get_tag(c, again, 16), "before the end");
  CHECK(update(c, out, text, 32) == 1);
  REFUSED(get_tag(c, again, 16), "before the end");
  CHECK(final(c) == 1 && get_tag(c, again, 16) == 1);
  CHECK_MEM(again, tag, 16);

  /* A key in the middle ends the message, after text, after associated data, in pieces and in one. */
  for (int i = 0; i < 4; i++) {
    static const int n[] = {32, 5, 3000, 0};
    uint8_t big[3000];
    CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1);
    CHECK(update(c, NULL, aad, 13) == 1 && (n[i] == 0 || update(c, big, text, n[i]) == 1));
    CHECK(EVP_CipherInit_ex2(c, NULL, text, NULL, 1, NULL) == 1);
    REFUSED(update(c, out, text, 32), "new IV");
    REFUSED(final(c), "new IV");
    CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1 && update(c, out, text, 32) == 1 && final(c) == 1);
    CHECK(EVP_CipherInit_ex2(c, NULL, key, NULL, 1, NULL) == 1);
  }
  /* So does the other direction. */
  CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1 && update(c, out, text, 32) == 1);
  CHECK(EVP_CipherInit_ex2(c, NULL, NULL, NULL, 0, NULL) == 1);
  REFUSED(update(c, out, text, 32), "new IV");
  REFUSED(get_tag(c, again, 16), "tag");

  /* A failed end is an end. */
  CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 0, NULL) == 1 && update(c, out, text, 100) == 1);
  CHECK(set_tag(c, text, 16) == 1);
  CHECK(final(c) != 1 && ERR_peek_error() == 0);
  CHECK(set_tag(c, tag, 16) == 1);
  REFUSED(final(c), "new IV");
  REFUSED(update(c, out, text, 100), "new IV");

  /* Lengths of tags, of keys, of the fixed part. */
  for (int n = 1; n <= 16; n++) {
    bool good = n >= 12 || n == 8 || n == 4;
    CHECK_EQ(set_tag(c, tag, n), good);
    ERR_clear_error();
  }
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
        EVP_CIPHER_CTX *c = begin(ref, 1, key, iv);
        CHECK(update(c, out, text, n) == 1 && final(c) == 1 && get_tag(c, tag, 16) == 1);
        EVP_CIPHER_CTX_free(c);
        c = begin(ours, enc, key, iv);
        if (how & 1)
          CHECK(update(c, NULL, aad, 60) == 1 &&
                update(c, NULL, aad, 60) == 1); /* the stream is open before the text */
        else if (!enc)
          CHECK(set_tag(c, tag, 16) == 1);
        CHECK(update(c, out, enc ? text : out, how & 2 ? n / 2 + 1 : n) == 1);
        REFUSED(how & 4 ? EVP_Cipher(c, NULL, aad, 5) : update(c, NULL, aad, 5), "associated data after text");
        REFUSED(update(c, out, text, 16), "new IV");
        REFUSED(update(c, NULL, aad, 5), "new IV");
        CHECK(enc || set_tag(c, tag, 16) == 1);
        REFUSED(final(c), "new IV");
        if (enc)
          REFUSED(get_tag(c, tag, 16), "before the end");
        /* The next one is none the worse. */
        CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1 && update(c, NULL, aad, 5) == 1);
        CHECK(update(c, out, text, n) == 1 && final(c) == 1 && get_tag(c, tag, 16) == 1);
        EVP_CIPHER_CTX_free(c);
      }
}

/* Text of no length, which EVP_Cipher lets through, is none: associated data may follow, and the tag is GCM's. */
static void test_no_text(void) {
  uint8_t out[16], want_now[16], tag[16];
  for (int n = 0; n <= 120; n++) {
    T_AT("associated data of %zu", n);
    EVP_CIPHER_CTX *c = begin(ref, 1, key, iv), *d = begin(ours, 1, key, iv);
    CHECK(n == 0 || update(c, NULL, text, n) == 1);
    CHECK(update(c, NULL, text + n, 7) == 1 && final(c) == 1 && get_tag(c, want_now, 16) == 1);
    CHECK(n == 0 || update(d, NULL, text, n) == 1);
    CHECK_EQ(EVP_Cipher(d, out, text, 0), 0);
    CHECK(update(d, NULL, text + n, 7) == 1 && final(d) == 1 && get_tag(d, tag, 16) == 1);
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
      EVP_CIPHER_CTX *c = begin(ours, enc, key, NULL);
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
      REFUSED(update(c, got, text, 16), "new IV");
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
        EVP_CIPHER_CTX *c = begin(ours, enc, key, iv);
        uint8_t tag[16] = {0};
        if (!enc && n != 64)
          CHECK(set_tag(c, tag, 16) == 1);
        memcpy(buf, before, sizeof buf);
        bool good = off == 0 || off >= n || off <= -n;
        CHECK_EQ(update(c, buf + 350 + off, buf + 350, n), good);
        if (!good) {
          REFUSED(0, "overlap");
          CHECK_MEM(buf, before, sizeof buf);
          CHECK(update(c, buf, buf, n) == 1); /* and the message goes on */
        }
        EVP_CIPHER_CTX_free(c);
      }
    }
}

/* A short tag, set after the text. */
static void test_short_tag(void) {
  uint8_t out[3000], back[3000], tag[16];
  EVP_CIPHER_CTX *c = begin(ref, 1, key, iv);
  CHECK(update(c, out, text, 3000) == 1 && final(c) == 1 && get_tag(c, tag, 16) == 1);
  EVP_CIPHER_CTX_free(c);
  for (int n = 4; n <= 16; n++) {
    if (n != 4 && n != 8 && n < 12)
      continue;
    for (int forged = 0; forged < 2; forged++) {
      uint8_t sent[16];
      memcpy(sent, tag, 16);
      sent[n - 1] ^= (uint8_t)forged;
      c = begin(ours, 0, key, iv);
      CHECK(update(c, back, out, 3000) == 1 && set_tag(c, sent, n) == 1);
      CHECK_EQ(final(c), !forged);
      /* The next message of the context has tags of 16 again. */
      CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 0, NULL) == 1 && set_tag(c, tag, 16) == 1);
      CHECK(update(c, back, out, 3000) == 1 && final(c) == 1);
      CHECK_MEM(back, text, 3000);
      EVP_CIPHER_CTX_free(c);
      ERR_clear_error();
    }
  }
  /* Set before the text, a short tag is no matter of copies. */
  c = begin(ours, 0, key, iv);
  EVP_CIPHER_CTX *early = EVP_CIPHER_CTX_new();
  CHECK(set_tag(c, tag, 12) == 1 && update(c, back, out, 2500) == 1);
  REQUIRE(early != NULL && EVP_CIPHER_CTX_copy(early, c) == 1);
  CHECK(update(c, back + 2500, out + 2500, 500) == 1 && final(c) == 1);
  CHECK_MEM(back, text, 3000);
  CHECK(update(early, back, out + 2500, 500) == 1 && final(early) == 1);
  EVP_CIPHER_CTX_free(early);
  EVP_CIPHER_CTX_free(c);

  /* With a copy that shares the key: refused in words, and possible when the copy is gone. */
  c = begin(ours, 0, key, iv);
  CHECK(update(c, back, out, 3000) == 1);
  EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
  REQUIRE(copy != NULL && EVP_CIPHER_CTX_copy(copy, c) == 1);
  CHECK(set_tag(c, tag, 12) == 1 && set_tag(copy, tag, 16) == 1);
  REFUSED(final(c), "short tag");
  CHECK(final(copy) == 1);
  EVP_CIPHER_CTX_free(copy);
  CHECK(final(c) == 1);
  EVP_CIPHER_CTX_free(c);
}

/* The short tag of one message does not stay with the next, whose own is set when there is a copy already. */
enum { ENDED, OPEN, PIECE_ENDED, PIECE_OPEN, PIECE_FAILED, SET_ANEW, BEFORE_END };
static void test_after_short_tag(EVP_CIPHER *cipher, int before, int enc) {
  static uint8_t out[3000], back[3000], tag[16], piece[100], piece_tag[16];
  T_AT("rijn %zu, before it %zu, enc %zu", cipher == ours, before, enc);
  EVP_CIPHER_CTX *c = begin(ref, 1, key, iv), *copy = EVP_CIPHER_CTX_new();
  CHECK(update(c, out, text, 3000) == 1 && final(c) == 1 && get_tag(c, tag, 16) == 1);
  CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1);
  CHECK(update(c, piece, text, 100) == 1 && final(c) == 1 && get_tag(c, piece_tag, 16) == 1);
  EVP_CIPHER_CTX_free(c);

  c = begin(cipher, 0, key, iv);
  bool stream = before == ENDED || before == OPEN;
  CHECK(set_tag(c, stream ? tag : piece_tag, 12) == 1);
  CHECK(stream ? update(c, back, out, 3000) == 1 : update(c, back, piece, 100) == 1);
  if (before == PIECE_FAILED)
    CHECK(set_tag(c, text, 12) == 1 && final(c) != 1);
  if (before == ENDED || before == PIECE_ENDED)
    CHECK(final(c) == 1);
  if (before == SET_ANEW) {
    CHECK(set_tag(c, piece_tag, 16) == 1);
  } else {
    CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, enc, NULL) == 1);
    CHECK(update(c, back, enc ? text : out, 2500) == 1);
  }
  REQUIRE(copy != NULL && EVP_CIPHER_CTX_copy(copy, c) == 1);
  for (int i = 0; i < 2; i++) {
    EVP_CIPHER_CTX *x = i ? copy : c;
    if (before != SET_ANEW) {
      CHECK(enc || set_tag(x, tag, 16) == 1);
      CHECK(update(x, back + 2500, (enc ? text : out) + 2500, 500) == 1);
      CHECK_MEM(back, enc ? out : text, 3000);
    }
    CHECK(final(x) == 1);
    if (enc) {
      uint8_t made[16];
      CHECK(get_tag(x, made, 16) == 1);
      if (cipher == ours) /* WHY: valgrind takes the default provider's, of a copy, for undefined */
        CHECK_MEM(made, tag, 16);
    }
  }
  EVP_CIPHER_CTX_free(copy);
  EVP_CIPHER_CTX_free(c);
  ERR_clear_error();
}

/* n bytes of text, 13 of associated data, in two pieces: the default provider's ciphertext and tag. */
static void seal(const uint8_t *k, uint8_t *out, uint8_t *tag, int n, int more) {
  EVP_CIPHER_CTX *c = begin(ref, 1, k, iv);
  CHECK(update(c, NULL, aad, 13) == 1 && (n == 0 || update(c, out, text, n) == 1));
  CHECK(update(c, out + n, text + n, more) == 1 && final(c) == 1 && get_tag(c, tag, 16) == 1);
  EVP_CIPHER_CTX_free(c);
}

/* A context and its copy have one key in memory. One of them gets another: the other's message, wherever it stands, and the one after
 * it are none the worse. */
static void test_copied_key(void) {
  static const int lens[] = {0, 1, 100, 2048, 3000};
  static uint8_t sealed[2][3100], out[3100];
  uint8_t tags[2][16], tag[16];
  const uint8_t *keys[2] = {key, text};
  for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++)
    for (int which = 0; which < 2; which++)
      for (int freed = 0; freed < 2; freed++) {
        int n = lens[i];
        T_AT("length %zu, the copy gets a key: %zu, and is freed: %zu", n, which, freed);
        for (int k = 0; k < 2; k++)
          seal(keys[k], sealed[k], tags[k], n, 50);
        EVP_CIPHER_CTX *c[2] = {begin(ours, 1, key, iv), EVP_CIPHER_CTX_new()};
        CHECK(update(c[0], NULL, aad, 13) == 1 && (n == 0 || update(c[0], out, text, n) == 1));
        REQUIRE(c[1] != NULL && EVP_CIPHER_CTX_copy(c[1], c[0]) == 1);
        EVP_CIPHER_CTX *mine = c[1 - which], *other = c[which];
        CHECK(EVP_CipherInit_ex2(other, NULL, text, iv, 1, NULL) == 1);
        if (freed)
          EVP_CIPHER_CTX_free(other);
        CHECK(update(mine, out + n, text + n, 50) == 1 && final(mine) == 1 && get_tag(mine, tag, 16) == 1);
        CHECK_MEM(out, sealed[0], (size_t)n + 50);
        CHECK_MEM(tag, tags[0], 16);
        for (int k = 0; k < (freed ? 1 : 2); k++) { /* a whole message of each */
          EVP_CIPHER_CTX *x = k ? other : mine;
          CHECK(k || EVP_CipherInit_ex2(x, NULL, NULL, iv, 1, NULL) == 1);
          CHECK(update(x, NULL, aad, 13) == 1 && (n == 0 || update(x, out, text, n) == 1));
          CHECK(update(x, out + n, text + n, 50) == 1 && final(x) == 1 && get_tag(x, tag, 16) == 1);
          CHECK_MEM(out, sealed[k], (size_t)n + 50);
          CHECK_MEM(tag, tags[k], 16);
        }
        EVP_CIPHER_CTX_free(mine);
        if (!freed)
          EVP_CIPHER_CTX_free(other);
      }
}

/* The counter of TLS 1.2 starts at random, and no nonce comes twice. */
static void test_generated(void) {
  enum { CONTEXTS = 8, RECORDS = 20 };
  uint8_t seen[CONTEXTS * RECORDS][8], rec[100], head[13] = {0}, now[12];
  size_t n = 0;
  head[12] = 100 - 16;
  for (int i = 0; i < CONTEXTS; i++) {
    EVP_CIPHER_CTX *c = begin(ours, 1, key, NULL);
    CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, 4, iv) == 1);
    for (int r = 0; r < RECORDS; r++) {
      OSSL_PARAM get[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, now, 12), OSSL_PARAM_END};
      CHECK(EVP_CIPHER_CTX_get_params(c, get) == 1);
      CHECK_MEM(now, iv, 4);
      CHECK_EQ(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, 13, head), 16);
      memset(rec, 0, sizeof rec);
      CHECK(update(c, rec, rec, 100) == 1);
      CHECK_MEM(rec, now + 4, 8);
      memcpy(seen[n++], rec, 8);
    }
    EVP_CIPHER_CTX_free(c);
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++)
      CHECK(memcmp(seen[i], seen[j], 8) != 0);
  /* Decryption takes the explicit part from outside: nothing is random there. */
  EVP_CIPHER_CTX *c = begin(ours, 0, key, iv);
  CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, 4, aad) == 1);
  OSSL_PARAM get[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, now, 12), OSSL_PARAM_END};
  CHECK(EVP_CIPHER_CTX_get_params(c, get) == 1);
  CHECK_MEM(now, aad, 4);
  CHECK_MEM(now + 4, iv + 4, 8);
  EVP_CIPHER_CTX_free(c);
}

/* One long message of the default provider's, whose results threads and children compare theirs with. */
enum { MESSAGES = 64, LONGEST = 6000 };
static uint8_t want[MESSAGES][LONGEST], want_tag[MESSAGES][16];
static int length_of(int i) { return i * i * 3 / 2 % LONGEST; }

static void make_wanted(void) {
  uint8_t nonce[16];
  memcpy(nonce, iv, 16);
  EVP_CIPHER_CTX *c = begin(ref, 1, key, NULL);
  for (int i = 0; i < MESSAGES; i++) {
    nonce[0] = (uint8_t)i;
    CHECK(EVP_CipherInit_ex2(c, NULL, NULL, nonce, 1, NULL) == 1 && update(c, NULL, aad, 13) == 1);
    CHECK(length_of(i) == 0 || update(c, want[i], text, length_of(i)) == 1);
    CHECK(final(c) == 1 && get_tag(c, want_tag[i], 16) == 1);
  }
  EVP_CIPHER_CTX_free(c);
}

/* Message i on a context that has the key: right in every byte, and back again. */
static bool try_message(EVP_CIPHER_CTX *e, EVP_CIPHER_CTX *d, int i, int first) {
  uint8_t nonce[16], out[LONGEST], tag[16];
  int n = length_of(i), got = 0;
  memcpy(nonce, iv, 16);
  nonce[0] = (uint8_t)i;
  first = first < n ? first : n;
  bool ok = EVP_CipherInit_ex2(e, NULL, NULL, nonce, 1, NULL) == 1 && EVP_CipherUpdate(e, NULL, &got, aad, 13) == 1 &&
            (first == 0 || EVP_CipherUpdate(e, out, &got, text, first) == 1) &&
            (first == n || EVP_CipherUpdate(e, out + first, &got, text + first, n - first) == 1) &&
            EVP_CipherFinal_ex(e, tag, &got) == 1 && get_tag(e, tag, 16) == 1;
  ok = ok && memcmp(out, want[i], (size_t)n) == 0 && memcmp(tag, want_tag[i], 16) == 0;
  ok = ok && EVP_CipherInit_ex2(d, NULL, NULL, nonce, 0, NULL) == 1 && set_tag(d, tag, 16) == 1 &&
       EVP_CipherUpdate(d, NULL, &got, aad, 13) == 1 && (n == 0 || EVP_CipherUpdate(d, out, &got, out, n) == 1) &&
       EVP_CipherFinal_ex(d, tag, &got) == 1;
  return ok && memcmp(out, text, (size_t)n) == 0;
}

static EVP_CIPHER_CTX *shared[2]; /* read by all threads, which copy them: they share the key */

static void *thread(void *arg) {
  size_t t = (size_t)(uintptr_t)arg, failed = 0;
  for (int round = 0; round < (int)pair_rounds(30); round++) {
    EVP_CIPHER_CTX *ctx[2];
    for (int enc = 0; enc < 2; enc++) {
      ctx[enc] = EVP_CIPHER_CTX_new();
      if (ctx[enc] == NULL)
        return "no memory";
      int ok = (t + (size_t)round) % 2 ? EVP_CIPHER_CTX_copy(ctx[enc], shared[enc])
                                       : EVP_CipherInit_ex2(ctx[enc], ours, key, NULL, enc, NULL);
      failed += ok != 1;
    }
    for (int i = 0; i < MESSAGES; i++)
      failed += !try_message(ctx[1], ctx[0], i, round % 3 ? LONGEST : i);
    for (int enc = 0; enc < 2; enc++)
      EVP_CIPHER_CTX_free(ctx[enc]);
  }
  return failed != 0 ? "a message came out wrong" : NULL;
}

static void test_threads(void) {
  enum { THREADS = 8 };
  pthread_t id[THREADS];
  for (int enc = 0; enc < 2; enc++)
    shared[enc] = begin(ours, enc, key, NULL);
  for (size_t i = 0; i < THREADS; i++)
    REQUIRE(pthread_create(&id[i], NULL, thread, (void *)(uintptr_t)i) == 0);
  for (size_t i = 0; i < THREADS; i++) {
    void *result = "?";
    CHECK(pthread_join(id[i], &result) == 0);
    CHECK(result == NULL);
  }
  for (int enc = 0; enc < 2; enc++)
    EVP_CIPHER_CTX_free(shared[enc]);
}

/* A message begun before fork is ended in parent and child, and both go on. */
static void test_fork(void) {
  for (int pieces = 0; pieces < 2; pieces++) {
    uint8_t nonce[16], out[LONGEST], tag[16];
    int i = 60, n = length_of(i), half = n / 2;
    memcpy(nonce, iv, 16);
    nonce[0] = (uint8_t)i;
    EVP_CIPHER_CTX *e = begin(ours, 1, key, nonce), *d = begin(ours, 0, key, NULL);
    CHECK(update(e, NULL, aad, 13) == 1);
    if (pieces)
      CHECK(update(e, out, text, half) == 1);
    fflush(NULL);
    pid_t pid = fork();
    REQUIRE(pid >= 0);
    int from = pieces ? half : 0;
    bool ok = update(e, out + from, text + from, n - from) == 1 && final(e) == 1 && get_tag(e, tag, 16) == 1 &&
              memcmp(out, want[i], (size_t)n) == 0 && memcmp(tag, want_tag[i], 16) == 0;
    for (int m = 0; ok && m < MESSAGES; m++)
      ok = try_message(e, d, m, m);
    EVP_CIPHER_CTX_free(e);
    EVP_CIPHER_CTX_free(d);
    if (pid == 0)
      _exit(ok ? 0 : 1);
    CHECK(ok);
    int status = -1;
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  pair_open(RIJN_MODULES, NULL);
  t_fill(text, sizeof text);
  t_fill(key, sizeof key);
  t_fill(iv, sizeof iv);
  t_fill(aad, sizeof aad);
  REQUIRE((ref = EVP_CIPHER_fetch(pair_lib[REF], "AES-256-GCM", NULL)) != NULL);
  REQUIRE((ours = EVP_CIPHER_fetch(pair_lib[OURS], "AES-256-GCM", "provider=rijn")) != NULL);
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
  test_copied_key();
  test_generated();
  make_wanted();
  test_threads();
  test_fork();
  EVP_CIPHER_free(ref);
  EVP_CIPHER_free(ours);
  pair_close();
  return t_done();
}
