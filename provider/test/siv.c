/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-GCM-SIV through EVP: answers of RFC 8452, the library's own, and (with a libcrypto of 3.2 or newer) OpenSSL's;
 * what is refused; and what a context keeps from one message to the next. */
#include "pair.h"

enum { MOST = 3000 };
static OSSL_LIB_CTX *lib;
static EVP_CIPHER *cipher;
static uint8_t key[32], iv[12], text[MOST + 64], aad[MOST + 64], out[MOST + 64], want[MOST + 64], tag[16], want_tag[16];

static EVP_CIPHER *fetch(size_t key_len) {
  char name[24];
  snprintf(name, sizeof name, "AES-%zu-GCM-SIV", 8 * key_len);
  EVP_CIPHER *c = EVP_CIPHER_fetch(lib, name, "provider=rijn");
  if (c == NULL)
    t_die(__FILE__, __LINE__, "no %s", name);
  return c;
}

static EVP_CIPHER_CTX *begin(int enc) {
  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
  REQUIRE(c != NULL);
  CHECK(EVP_CipherInit_ex2(c, cipher, key, iv, enc, NULL) == 1);
  return c;
}

static int update(EVP_CIPHER_CTX *c, uint8_t *to, const uint8_t *from, size_t len) {
  int n = -1, ok = EVP_CipherUpdate(c, to, &n, from, (int)len);
  if (ok == 1)
    CHECK_EQ(n, (int)len);
  return ok;
}

static int final(EVP_CIPHER_CTX *c) {
  int n = -1, ok = EVP_CipherFinal_ex(c, out, &n);
  if (ok == 1)
    CHECK_EQ(n, 0);
  return ok;
}

static int get_tag(EVP_CIPHER_CTX *c, int len) { return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, len, tag); }
static int set_tag(EVP_CIPHER_CTX *c, int len) { return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, len, tag); }

/* An error was raised, whose text has the word; and the queue is empty again. */
static void refused(int result, const char *word) {
  const char *data = NULL;
  int flags;
  CHECK(result <= 0);
  unsigned long e = ERR_peek_last_error_all(NULL, NULL, NULL, &data, &flags);
  if (e == 0 || data == NULL || strstr(data, word) == NULL)
    t_fail(__FILE__, __LINE__, "no error with \"%s\": %s", word, data != NULL ? data : "none");
  ERR_clear_error();
}

/* ---------------------------------------------------------------- answers */

/* SPEC: RFC 8452 appendix C.1 and C.2: key, nonce, associated data, text, ciphertext and tag. */
static const char *const answers[][5] = {
    {"01000000000000000000000000000000", "030000000000000000000000", "", "", "dc20e2d83f25705bb49e439eca56de25"},
    {"01000000000000000000000000000000", "030000000000000000000000", "", "0100000000000000",
     "b5d839330ac7b786578782fff6013b815b287c22493a364c"},
    {"01000000000000000000000000000000", "030000000000000000000000", "01", "0200000000000000",
     "1e6daba35669f4273b0a1a2560969cdf790d99759abd1508"},
    {"0100000000000000000000000000000000000000000000000000000000000000", "030000000000000000000000", "", "",
     "07f5f4169bbf55a8400cd47ea6fd400f"},
    {"0100000000000000000000000000000000000000000000000000000000000000", "030000000000000000000000", "",
     "0100000000000000", "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28"},
    {"0100000000000000000000000000000000000000000000000000000000000000", "030000000000000000000000", "01",
     "0200000000000000", "1de22967237a813291213f267e3b452f02d01ae33e4ec854"},
};

static void published(void) {
  for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
    size_t key_len = t_hex(key, sizeof key, answers[i][0]);
    t_hex(iv, sizeof iv, answers[i][1]);
    size_t a = t_hex(aad, sizeof aad, answers[i][2]), n = t_hex(text, sizeof text, answers[i][3]);
    REQUIRE(t_hex(want, sizeof want, answers[i][4]) == n + 16);
    T_AT("answer %zu", i);
    cipher = fetch(key_len);
    EVP_CIPHER_CTX *c = begin(1);
    CHECK(a == 0 || update(c, NULL, aad, a) == 1);
    CHECK(n == 0 || update(c, out, text, n) == 1);
    CHECK(final(c) == 1 && get_tag(c, 16) == 1);
    CHECK_MEM(out, want, n);
    CHECK_MEM(tag, want + n, 16);
    EVP_CIPHER_CTX_free(c);
    c = begin(0);
    CHECK(set_tag(c, 16) == 1);
    CHECK(a == 0 || update(c, NULL, aad, a) == 1);
    CHECK(n == 0 || update(c, out, want, n) == 1);
    CHECK_MEM(out, text, n);
    CHECK(final(c) == 1);
    EVP_CIPHER_CTX_free(c);
    EVP_CIPHER_free(cipher);
  }
}

/* The associated data in pieces, now and then a copy of the context between them, which goes on. */
static EVP_CIPHER_CTX *give_aad(EVP_CIPHER_CTX *c, size_t len) {
  for (size_t at = 0; at < len;) {
    size_t n = 1 + t_below(t_below(2) ? 20 : len - at);
    n = n < len - at ? n : len - at;
    CHECK(update(c, NULL, aad + at, n) == 1);
    at += n;
    if (t_below(8) == 0) {
      EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
      CHECK(EVP_CIPHER_CTX_copy(copy, c) == 1);
      EVP_CIPHER_CTX_free(c);
      c = copy;
    }
  }
  return c;
}

/* Random messages: contexts that go on to the next one, against the library. */
static void random_messages(size_t key_len) {
  const size_t most[] = {20, 100, 1000, MOST};
  rijn_gcm_siv_key k;
  t_fill(key, sizeof key);
  CHECK_EQ(rijn_gcm_siv_init(&k, key, key_len), RIJN_OK);
  cipher = fetch(key_len);
  EVP_CIPHER_CTX *c[2] = {begin(0), begin(1)};
  for (size_t i = pair_rounds(300); i != 0; i--) {
    size_t n = t_below(most[t_below(4)]), a = t_below(most[t_below(4)]);
    bool in_place = t_below(2), given = n != 0 || t_below(2);
    t_fill(iv, sizeof iv);
    t_fill(text, n);
    t_fill(aad, a);
    T_AT("key %zu, %zu bytes, associated %zu", key_len, n, a);
    CHECK_EQ(rijn_gcm_siv_encrypt(&k, want, text, n, aad, a, iv, want_tag), RIJN_OK);
    for (int enc = 1; enc >= 0; enc--) {
      const uint8_t *from = enc ? text : want, *to = enc ? want : text;
      CHECK(EVP_CipherInit_ex2(c[enc], NULL, NULL, iv, enc, NULL) == 1);
      memcpy(tag, want_tag, 16);
      CHECK(enc || set_tag(c[enc], 16) == 1);
      c[enc] = give_aad(c[enc], a);
      if (in_place)
        memcpy(out, from, n);
      CHECK(!given || update(c[enc], out, in_place ? out : from, n) == 1);
      CHECK_MEM(out, to, n);
      CHECK(final(c[enc]) == 1);
      if (enc) {
        CHECK(get_tag(c[enc], 16) == 1);
        CHECK_MEM(tag, want_tag, 16);
      }
    }
  }
  EVP_CIPHER_CTX_free(c[0]);
  EVP_CIPHER_CTX_free(c[1]);
  EVP_CIPHER_free(cipher);
}

/* ---------------------------------------------------------------- rules */

/* A tag that is wrong: zeros, an end that fails, and no error in the queue. */
static void forged(void) {
  rijn_gcm_siv_key k;
  CHECK_EQ(rijn_gcm_siv_init(&k, key, 32), RIJN_OK);
  CHECK_EQ(rijn_gcm_siv_encrypt(&k, want, text, 100, aad, 20, iv, want_tag), RIJN_OK);
  for (int late = 0; late < 2; late++) { /* wrong from the start, or changed after the text */
    EVP_CIPHER_CTX *c = begin(0);
    memcpy(tag, want_tag, 16);
    tag[3] ^= !late;
    CHECK(set_tag(c, 16) == 1 && update(c, NULL, aad, 20) == 1 && update(c, out, want, 100) == 1);
    if (late)
      CHECK_MEM(out, text, 100);
    else
      CHECK_ALL(out, 0, 100);
    tag[3] ^= 1;
    CHECK(set_tag(c, 16) == 1); /* the right one; or the wrong one */
    CHECK(final(c) == 0 && ERR_peek_error() == 0);
    refused(update(c, out, want, 100), "the message is over");
    EVP_CIPHER_CTX_free(c);
  }
  /* A text of no length, and a tag of zeros, that nobody made. */
  EVP_CIPHER_CTX *c = begin(0);
  memset(tag, 0, 16);
  CHECK(set_tag(c, 16) == 1 && final(c) == 0 && ERR_peek_error() == 0);
  EVP_CIPHER_CTX_free(c);
}

static void refusals(void) {
  size_t length = 16;
  OSSL_PARAM ivlen[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &length), OSSL_PARAM_END};
  OSSL_PARAM keylen[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_KEYLEN, &length), OSSL_PARAM_END};
  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
  CHECK(EVP_CipherInit_ex2(c, cipher, NULL, iv, 1, NULL) == 1);
  refused(update(c, out, text, 16), "no key is set");
  CHECK(EVP_CipherInit_ex2(c, NULL, key, NULL, 1, NULL) == 1); /* the IV was there */
  CHECK(update(c, out, text, 16) == 1 && final(c) == 1);
  refused(final(c), "the message is over");
  refused(update(c, out, text, 16), "the message is over");
  EVP_CIPHER_CTX_free(c);

  c = EVP_CIPHER_CTX_new();
  CHECK(EVP_CipherInit_ex2(c, cipher, key, NULL, 1, NULL) == 1);
  refused(update(c, NULL, aad, 16), "no IV is set");
  refused(update(c, out, text, 16), "no IV is set");
  refused(final(c), "no IV is set");
  refused(EVP_CIPHER_CTX_set_params(c, ivlen), "IV length");
  refused(EVP_CIPHER_CTX_set_params(c, keylen), "key length");
  EVP_CIPHER_CTX_free(c);

  c = begin(1); /* a second piece of text: no tag, and no end */
  refused(get_tag(c, 16), "tag");
  CHECK(update(c, out, text, 16) == 1 && get_tag(c, 16) == 1);
  refused(get_tag(c, 12), "tag");
  refused(update(c, out, text, 16), "one update");
  refused(get_tag(c, 16), "tag");
  refused(final(c), "the message is over");
  EVP_CIPHER_CTX_free(c);

  c = begin(1); /* associated data after text */
  CHECK(update(c, out, text, 16) == 1);
  refused(update(c, NULL, aad, 16), "associated data after text");
  refused(get_tag(c, 16), "tag");
  EVP_CIPHER_CTX_free(c);

  c = begin(1); /* another key in the middle */
  CHECK(update(c, NULL, aad, 16) == 1 && EVP_CipherInit_ex2(c, NULL, key, NULL, 1, NULL) == 1);
  refused(update(c, out, text, 16), "the message is over");
  refused(EVP_CipherInit_ex2(c, NULL, NULL, NULL, 0, NULL) == 1 ? update(c, out, text, 16) : 1, "the message is over");
  EVP_CIPHER_CTX_free(c);

  c = begin(1); /* nothing is nothing, and no end: neither for associated data nor for text */
  CHECK(update(c, NULL, NULL, 0) == 1 && update(c, out, NULL, 0) == 1);
  CHECK(update(c, NULL, aad, 16) == 1 && update(c, out, text, 16) == 1 && update(c, NULL, NULL, 0) == 1);
  CHECK(final(c) == 1 && get_tag(c, 16) == 1);
  memcpy(want_tag, tag, 16);
  EVP_CIPHER_CTX_free(c);
  c = begin(1);
  CHECK(update(c, NULL, aad, 16) == 1 && update(c, out, text, 16) == 1 && final(c) == 1 && get_tag(c, 16) == 1);
  CHECK_MEM(tag, want_tag, 16);
  EVP_CIPHER_CTX_free(c);

  c = begin(0); /* the tag comes first */
  refused(update(c, out, text, 16), "tag to check is not set");
  refused(final(c), "tag to check is not set");
  refused(set_tag(c, 15), "\"tag\"");
  EVP_CIPHER_CTX_free(c);

  c = begin(1);
  refused(update(c, out + 1, out, 16), "overlap");
  refused(final(c), "refused before");  /* no tag of a message without it */
  CHECK(update(c, out, text, 16) == 1); /* which took nothing */
  CHECK(final(c) == 1 && get_tag(c, 16) == 1);
  EVP_CIPHER_CTX_free(c);
}

/* Each text is a message under the same IV, with the same associated data until more comes. */
static void speed(void) {
  unsigned one = 1;
  OSSL_PARAM set[] = {OSSL_PARAM_construct_uint("speed", &one), OSSL_PARAM_END};
  rijn_gcm_siv_key k;
  EVP_CIPHER_CTX *c = begin(1);
  CHECK_EQ(rijn_gcm_siv_init(&k, key, 32), RIJN_OK);
  CHECK(EVP_CIPHER_CTX_set_params(c, set) == 1 && update(c, NULL, aad, 20) == 1);
  for (int i = 0; i < 4; i++) {
    size_t n = 50 + (size_t)i;
    CHECK_EQ(rijn_gcm_siv_encrypt(&k, want, text, n, aad, i < 3 ? 20 : 33, iv, want_tag), RIJN_OK);
    CHECK(i < 3 || update(c, NULL, aad, 33) == 1);
    CHECK(update(c, out, text, n) == 1);
    CHECK_MEM(out, want, n);
    CHECK(i == 0 || final(c) == 1);
    CHECK(get_tag(c, 16) == 1);
    CHECK_MEM(tag, want_tag, 16);
  }
  EVP_CIPHER_CTX_free(c);
}

/* ---------------------------------------------------------------- OpenSSL's own */

static void pairs(const char *name, size_t key_len) {
  struct pair p;
  size_t v[2];
  pair_fetch(&p, name);
  CHECK_EQ(EVP_CIPHER_get_mode(p.cipher[OURS]), EVP_CIPHER_get_mode(p.cipher[REF]));
  CHECK_EQ(EVP_CIPHER_get_flags(p.cipher[OURS]), EVP_CIPHER_get_flags(p.cipher[REF]));
  CHECK_EQ(EVP_CIPHER_get_block_size(p.cipher[OURS]), EVP_CIPHER_get_block_size(p.cipher[REF]));
  CHECK_EQ(EVP_CIPHER_get_key_length(p.cipher[OURS]), (int)key_len);
  for (size_t i = pair_rounds(100); i != 0; i--) {
    size_t n = t_below(2) ? t_below(64) : t_below(MOST), a = t_below(100);
    int enc = 1;
    t_fill(key, sizeof key);
    t_fill(iv, sizeof iv);
    T_AT("%zu bytes, associated %zu", n, a);
    CHECK(pair_init(&p, key, iv, 1) == 1 && pair_update(&p, aad, 0, false, false) == 1);
    CHECK(pair_get_size(&p, OSSL_CIPHER_PARAM_AEAD_TAGLEN, v) == 1 && pair_get_size(&p, OSSL_CIPHER_PARAM_KEYLEN, v));
    CHECK_EQ(EVP_CIPHER_CTX_get_iv_length(p.ctx[OURS]), 12);
    pair_ctrl_get(&p, EVP_CTRL_AEAD_GET_TAG, 16, tag, 16); /* none yet */
    CHECK(a == 0 || pair_update(&p, aad, (int)a, false, false) == 1);
    CHECK(pair_update(&p, text, (int)n, true, t_below(2)) == 1);
    memcpy(want, p.out, n);
    if (t_below(2))
      CHECK(pair_final(&p) == 1);
    CHECK(pair_ctrl_get(&p, EVP_CTRL_AEAD_GET_TAG, 16, tag, 16) == 1);
    for (int size = 15; size <= 17; size += 2)
      CHECK(pair_ctrl_get(&p, EVP_CTRL_AEAD_GET_TAG, size, want_tag, 16) == 0);
    for (enc = 0; enc < 2; enc++) { /* right, then wrong; EVP_Cipher now and then */
      bool plain = t_below(2);
      CHECK(pair_init(&p, key, iv, 0) == 1);
      CHECK(pair_ctrl_set(&p, EVP_CTRL_AEAD_SET_TAG, 15, tag, 15) == 0);
      tag[5] ^= (uint8_t)enc;
      CHECK(pair_ctrl_set(&p, EVP_CTRL_AEAD_SET_TAG, 16, tag, 16) == 1);
      CHECK(pair_update(&p, aad, 0, false, false) == 1 && (a == 0 || pair_update(&p, aad, (int)a, false, false) == 1));
      if (enc == 0) {
        CHECK(plain ? pair_cipher(&p, want, (unsigned)n, true, false) : pair_update(&p, want, (int)n, true, false));
        CHECK_MEM(p.out, text, n);
      } else { /* what comes out differs: only ours is zeros */
        int got;
        for (int s = REF; s <= OURS; s++)
          CHECK(EVP_CipherUpdate(p.ctx[s], p.out, &got, want, (int)n) == 1);
        CHECK_ALL(p.out, 0, n);
      }
      CHECK_EQ(pair_final(&p), enc == 0);
    }
  }
  pair_free(&p);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  pair_open(RIJN_MODULES, NULL);
  lib = pair_lib[OURS];
  published();
  for (size_t n = 16; n <= 32; n += 8)
    random_messages(n);
  cipher = fetch(32);
  forged();
  refusals();
  speed();
  EVP_CIPHER_free(cipher);
  if (OpenSSL_version_num() >= 0x30200000L) {
    pairs("AES-128-GCM-SIV", 16);
    pairs("AES-192-GCM-SIV", 24);
    pairs("AES-256-GCM-SIV", 32);
  }
  pair_close();
  return t_done();
}
