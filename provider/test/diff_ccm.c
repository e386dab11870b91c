/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-CCM against the default provider: messages in the order that it wants, every length of IV and tag, lengths set
 * before and behind the key, records of TLS, refusals with the same reason; and where ours refuses alone. */
#include <openssl/proverr.h>

#include "pair.h"

static uint8_t text[PAIR_MAX], key[32], iv[16], aad[600], tag[16];
static const char *const names[] = {"AES-128-CCM", "AES-192-CCM", "AES-256-CCM"};

static void test_static(const char *name) {
  struct pair p;
  pair_fetch(&p, name);
  const EVP_CIPHER *r = p.cipher[REF], *o = p.cipher[OURS];
  CHECK_EQ(EVP_CIPHER_get_block_size(o), EVP_CIPHER_get_block_size(r));
  CHECK_EQ(EVP_CIPHER_get_iv_length(o), EVP_CIPHER_get_iv_length(r));
  CHECK_EQ(EVP_CIPHER_get_key_length(o), EVP_CIPHER_get_key_length(r));
  CHECK_EQ(EVP_CIPHER_get_mode(o), EVP_CIPHER_get_mode(r));
  CHECK_EQ(EVP_CIPHER_get_flags(o), EVP_CIPHER_get_flags(r));
  CHECK_EQ(EVP_CIPHER_get_nid(o), EVP_CIPHER_get_nid(r));
  pair_free(&p);
}

/* A fresh pair with lengths of IV and tag, and a key, in the order that `order` says. */
static void begin(struct pair *p, const char *name, int enc, int iv_len, int tag_len, int order) {
  pair_fetch(p, name);
  CHECK(pair_init(p, order == 2 ? key : NULL, NULL, enc));
  CHECK(pair_ctrl_set(p, EVP_CTRL_AEAD_SET_IVLEN, iv_len, NULL, 0));
  CHECK(pair_ctrl_set(p, EVP_CTRL_AEAD_SET_TAG, tag_len, NULL, 0));
  if (order == 0)
    CHECK(pair_init(p, key, iv, enc));
  else if (order == 1)
    CHECK(pair_init(p, key, NULL, enc) && pair_init(p, NULL, iv, enc));
  else
    CHECK(pair_init(p, NULL, iv, enc));
}

/* One message under the IV that is set; a tag of tag_len. false: something was refused, by both. */
static bool seal(struct pair *p, uint8_t *sealed, int n, int aad_len, int tag_len, bool in_place) {
  if (aad_len != 0 && (!pair_update(p, NULL, n, false, false) || !pair_update(p, aad, aad_len, false, false)))
    return false;
  if (!pair_update(p, text, n, true, in_place))
    return false;
  memcpy(sealed, p->mine, (size_t)n);
  return pair_final(p) && pair_ctrl_get(p, EVP_CTRL_AEAD_GET_TAG, tag_len, tag, (size_t)tag_len);
}
static bool open_it(struct pair *p, const uint8_t *sealed, int n, int aad_len, int tag_len, bool in_place) {
  if (!pair_ctrl_set(p, EVP_CTRL_AEAD_SET_TAG, tag_len, tag, (size_t)tag_len))
    return false;
  if (aad_len != 0 && (!pair_update(p, NULL, n, false, false) || !pair_update(p, aad, aad_len, false, false)))
    return false;
  if (!pair_update(p, sealed, n, true, in_place))
    return false;
  CHECK_MEM(p->mine, text, (size_t)n);
  return pair_final(p);
}

static void test_messages(const char *name, size_t rounds) {
  static uint8_t sealed[PAIR_MAX];
  for (size_t i = 0; i < rounds; i++) {
    int iv_len = (int)t_between(7, 13), tag_len = (int)(2 * t_between(2, 8)), order = (int)t_below(3);
    int n = (int)(t_below(4) ? t_below(80) : t_below(5000)), aad_len = (int)(t_below(3) ? t_below(70) : t_below(600));
    /* With the key first, lengths count as they were: seven bytes of IV, twelve of tag. */
    int made = order == 2 ? 12 : tag_len;
    T_AT("message %zu, IV %zu, order %zu", i, iv_len, order);
    t_fill(key, sizeof key);
    t_fill(iv, sizeof iv);
    t_fill(aad, sizeof aad);
    struct pair e, d;
    begin(&e, name, 1, iv_len, tag_len, order);
    for (int again = 0; again < 3; again++) {
      CHECK(seal(&e, sealed, n, aad_len, made, t_below(2)));
      begin(&d, name, 0, iv_len, tag_len, order);
      CHECK(open_it(&d, sealed, n, aad_len, made, t_below(2)));
      pair_free(&d);
      begin(&d, name, 0, iv_len, tag_len, order);
      tag[t_below((size_t)made)] ^= (uint8_t)(1u << t_below(8));
      CHECK(!open_it(&d, sealed, n, aad_len, made, t_below(2)));
      pair_free(&d);
      t_fill(iv, sizeof iv);
      CHECK(pair_init(&e, t_below(2) && order == 0 ? key : NULL, iv, 1));
    }
    pair_free(&e);
  }
}

/* The last error of each side. */
static unsigned long reason(EVP_CIPHER_CTX *c, int (*call)(EVP_CIPHER_CTX *c)) {
  ERR_clear_error();
  CHECK(call(c) != 1);
  unsigned long e = ERR_peek_last_error();
  ERR_clear_error();
  return (unsigned long)ERR_GET_REASON(e);
}
static int no_iv(EVP_CIPHER_CTX *c) {
  int n;
  return EVP_CipherUpdate(c, text, &n, text, 5);
}
static int tag_of_5(EVP_CIPHER_CTX *c) { return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 5, NULL); }
static int tag_of_2(EVP_CIPHER_CTX *c) { return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 2, NULL); }
static int tag_to_encrypt(EVP_CIPHER_CTX *c) { return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 12, tag); }
static int tag_too_early(EVP_CIPHER_CTX *c) { return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 12, tag); }
static int iv_of_6(EVP_CIPHER_CTX *c) { return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 6, NULL); }
static int iv_of_14(EVP_CIPHER_CTX *c) { return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 14, NULL); }
static int aad_of_12(EVP_CIPHER_CTX *c) { return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, 12, aad) > 0; }
static int fixed_of_3(EVP_CIPHER_CTX *c) { return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, 3, iv); }

static void test_reasons(const char *name) {
  static int (*const calls[])(EVP_CIPHER_CTX *) = {tag_of_5, tag_of_2, tag_to_encrypt, tag_too_early,
                                                   iv_of_6,  iv_of_14, aad_of_12,      fixed_of_3};
  struct pair p;
  pair_fetch(&p, name);
  CHECK(pair_init(&p, key, NULL, 1));
  CHECK(no_iv(p.ctx[REF]) != 1 && no_iv(p.ctx[OURS]) != 1);
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    T_AT("refusal %zu", i);
    CHECK_EQ(reason(p.ctx[OURS], calls[i]), reason(p.ctx[REF], calls[i]));
  }
  pair_free(&p);
}

/* Where ours refuses, and the default provider does not. */
static void test_own(const char *name) {
  struct pair p;
  int n;
  uint8_t out[64];
  begin(&p, name, 1, 12, 16, 0);
  EVP_CIPHER_CTX *c = p.ctx[OURS];
  CHECK(EVP_CipherUpdate(c, NULL, &n, NULL, 32) == 1 && n == 32);
  CHECK(EVP_CipherUpdate(c, NULL, &n, aad, 20) == 1 && EVP_CipherUpdate(c, NULL, &n, aad, 20) != 1);
  CHECK(EVP_CipherUpdate(c, out, &n, text, 32) != 1 && EVP_CipherFinal_ex(c, out, &n) != 1);
  CHECK(one_get_tag(c, tag, 16) != 1);
  /* From the length on it may come again. */
  CHECK(EVP_CipherUpdate(c, NULL, &n, NULL, 32) == 1 && EVP_CipherUpdate(c, NULL, &n, aad, 40) == 1);
  CHECK(EVP_CipherUpdate(c, out, &n, text, 31) != 1); /* another length */
  CHECK(EVP_CipherUpdate(c, NULL, &n, NULL, 32) == 1 && EVP_CipherUpdate(c, NULL, &n, aad, 40) == 1);
  CHECK(EVP_CipherUpdate(c, out + 1, &n, out, 32) != 1); /* partial overlap */
  CHECK(EVP_CipherUpdate(c, NULL, &n, NULL, 32) == 1 && EVP_CipherUpdate(c, NULL, &n, aad, 40) == 1);
  CHECK(EVP_CipherUpdate(c, out, &n, text, 32) == 1 && EVP_CipherUpdate(c, out, &n, text, 32) != 1);
  /* Associated data alone has a tag, and on decryption a verdict. */
  CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1 && EVP_CipherUpdate(c, NULL, &n, NULL, 0) == 1);
  CHECK(EVP_CipherUpdate(c, NULL, &n, aad, 20) == 1 && EVP_CipherFinal_ex(c, out, &n) == 1 &&
        one_get_tag(c, tag, 16) == 1);
  for (int wrong = 0; wrong < 2; wrong++) {
    CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 0, NULL) == 1 && EVP_CipherUpdate(c, NULL, &n, NULL, 0) == 1);
    tag[3] ^= (uint8_t)wrong;
    CHECK(one_set_tag(c, tag, 16) == 1 && EVP_CipherUpdate(c, NULL, &n, aad, 20) == 1);
    CHECK((EVP_CipherFinal_ex(c, out, &n) == 1) == !wrong);
  }
  pair_free(&p);
  ERR_clear_error();
}

/* Records as libssl of TLS 1.2 hands them over, with tags of 16 and 8 (CCM8). */
static void test_records(const char *name) {
  for (int tag_len = 8; tag_len <= 16; tag_len += 8) {
    struct pair p[2];
    for (int enc = 0; enc < 2; enc++) {
      pair_fetch(&p[enc], name);
      CHECK(pair_init(&p[enc], NULL, NULL, enc));
      CHECK(pair_ctrl_set(&p[enc], EVP_CTRL_AEAD_SET_IVLEN, 12, NULL, 0));
      CHECK(pair_ctrl_set(&p[enc], EVP_CTRL_AEAD_SET_TAG, tag_len, NULL, 0));
      CHECK(pair_ctrl_set(&p[enc], EVP_CTRL_AEAD_SET_IV_FIXED, 4, iv, 4));
      CHECK(pair_init(&p[enc], key, NULL, enc));
    }
    for (int n = 0; n < 2000; n += n < 70 ? 1 : 331) {
      uint8_t record[2100], head[13];
      T_AT("record of %zu, tag %zu", n, tag_len);
      t_fill(head, sizeof head);
      head[11] = (uint8_t)((n + 8) >> 8);
      head[12] = (uint8_t)(n + 8);
      memcpy(record, head, 8);
      memcpy(record + 8, text, (size_t)n);
      CHECK(pair_ctrl_set(&p[1], EVP_CTRL_AEAD_TLS1_AAD, 13, head, 13));
      CHECK(pair_update(&p[1], record, n + 8 + tag_len, true, true));
      memcpy(record, p[1].mine, (size_t)(n + 8 + tag_len));
      head[11] = (uint8_t)((n + 8 + tag_len) >> 8);
      head[12] = (uint8_t)(n + 8 + tag_len);
      for (int wrong = 0; wrong < 2; wrong++) {
        record[8 + n + 3] ^= (uint8_t)wrong;
        CHECK(pair_ctrl_set(&p[0], EVP_CTRL_AEAD_TLS1_AAD, 13, head, 13));
        CHECK_EQ(pair_update(&p[0], record, n + 8 + tag_len, true, true), !wrong);
      }
    }
    for (int enc = 0; enc < 2; enc++)
      pair_free(&p[enc]);
  }
}

/* A copy goes on where the first was, with associated data in the context and beside it. Before 3.2 the default
 * provider copies none. */
static void test_copies(const char *name) {
  for (int aad_len = 20; aad_len <= 500; aad_len += 480) {
    struct pair p;
    int n;
    uint8_t out[2][64], tags[2][16];
    begin(&p, name, 1, 12, 16, 0);
    EVP_CIPHER_CTX *c[2] = {p.ctx[OURS], EVP_CIPHER_CTX_new()};
    CHECK(EVP_CipherUpdate(c[0], NULL, &n, NULL, 50) == 1 && EVP_CipherUpdate(c[0], NULL, &n, aad, aad_len) == 1);
    CHECK(EVP_CIPHER_CTX_copy(c[1], c[0]) == 1);
    for (int i = 0; i < 2; i++)
      CHECK(EVP_CipherUpdate(c[i], out[i], &n, text, 50) == 1 && one_get_tag(c[i], tags[i], 16) == 1);
    CHECK_MEM(out[1], out[0], 50);
    CHECK_MEM(tags[1], tags[0], 16);
    EVP_CIPHER_CTX_free(c[1]);
    pair_free(&p);
  }
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  pair_open(RIJN_MODULES, RIJN_ALL_MODES_CNF);
  t_fill(text, sizeof text);
  t_fill(iv, sizeof iv);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    test_static(names[i]);
    test_messages(names[i], t_slow() ? 20000 : pair_rounds(600));
    test_reasons(names[i]);
    test_own(names[i]);
    test_records(names[i]);
    test_copies(names[i]);
  }
  pair_close();
  return t_done();
}
