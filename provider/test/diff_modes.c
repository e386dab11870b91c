/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* CTR, CBC, CFB, ECB and XTS, switched on by the configuration, against the default provider: equal results, equal
 * bytes. */
#include <openssl/proverr.h>

#include "pair.h"

static const char *const names[] = {"AES-128-CTR", "AES-192-CTR", "AES-256-CTR", "AES-128-CBC", "AES-192-CBC",
                                    "AES-256-CBC", "AES-128-CFB", "AES-192-CFB", "AES-256-CFB", "AES-128-ECB",
                                    "AES-192-ECB", "AES-256-ECB", "AES-128-XTS", "AES-256-XTS"};
static uint8_t text[PAIR_MAX], cipher[PAIR_MAX + 16], back[PAIR_MAX + 32], key[64], iv[16];

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
  const OSSL_PARAM *want = EVP_CIPHER_gettable_params(r), *got = EVP_CIPHER_gettable_params(o);
  for (const OSSL_PARAM *q = want; q->key != NULL; q++)
    CHECK(OSSL_PARAM_locate_const(got, q->key) != NULL);
  pair_free(&p);
}

/* IV, running IV and place, as both have them. */
static void ask(struct pair *p) {
  size_t n;
  uint8_t got[16];
  CHECK(pair_get_size(p, OSSL_CIPHER_PARAM_IVLEN, &n));
  CHECK(pair_get_size(p, OSSL_CIPHER_PARAM_KEYLEN, &n));
  CHECK(pair_get_octets(p, OSSL_CIPHER_PARAM_IV, got, 16));
  CHECK(pair_get_octets(p, OSSL_CIPHER_PARAM_UPDATED_IV, got, 16));
  int num[2];
  for (int s = REF; s <= OURS; s++)
    num[s] = EVP_CIPHER_CTX_get_num(p->ctx[s]);
  CHECK_EQ(num[OURS], num[REF]);
}

/* One message in pieces; returns the length of the output, or -1 when the end was refused. */
static int run(struct pair *p, const uint8_t *in, size_t n, uint8_t *out, bool copies) {
  bool whole = t_below(3) == 0, block = EVP_CIPHER_get_block_size(p->cipher[REF]) == 16;
  size_t done = 0;
  int total = 0;
  while (done < n) {
    size_t piece = whole ? n : t_between(0, n - done < 70 || t_below(4) == 0 ? n - done : 70);
    /* WHY never in place with a part held: test_held_in_place says what comes of it. */
    bool in_place = (whole || !block) && t_below(2);
    REQUIRE(pair_update(p, in + done, (int)piece, true, in_place));
    memcpy(out + total, p->mine, (size_t)p->len);
    total += p->len;
    done += piece;
    if (t_below(4) == 0)
      ask(p);
    if (copies && t_below(6) == 0)
      CHECK(pair_copy(p));
  }
  if (!pair_final(p))
    return -1;
  memcpy(out + total, p->mine, (size_t)p->len);
  return total + p->len;
}

static void test_messages(const char *name, size_t rounds) {
  struct pair e, d;
  pair_fetch(&e, name);
  pair_fetch(&d, name);
  int mode = EVP_CIPHER_get_mode(e.cipher[REF]);
  bool block = EVP_CIPHER_get_block_size(e.cipher[REF]) == 16;
  for (size_t i = 0; i < rounds; i++) {
    size_t n = t_below(4) ? t_below(200) : t_below(5000);
    bool pad = t_below(2), fresh_iv = i == 0 || t_below(3);
    T_AT("message %zu, length %zu, padding %zu, IV set %zu", i, n, pad, fresh_iv);
    if (i == 0 || t_below(4) == 0)
      t_fill(key, sizeof key);
    t_fill(iv, sizeof iv);
    if (mode == EVP_CIPH_CTR_MODE && t_below(3) == 0) { /* carries through so many bytes */
      size_t from = t_below(sizeof iv);
      memset(iv + from, 0xff, sizeof iv - from);
    }
    CHECK(pair_init(&e, key, fresh_iv ? iv : NULL, 1));
    CHECK(pair_init(&d, key, fresh_iv ? iv : NULL, 0));
    for (int s = REF; s <= OURS; s++)
      CHECK(EVP_CIPHER_CTX_set_padding(e.ctx[s], pad) == 1 && EVP_CIPHER_CTX_set_padding(d.ctx[s], pad) == 1);
    int m = run(&e, text, n, cipher, true);
    if (m < 0) {
      CHECK(block && !pad && n % 16 != 0);
      continue;
    }
    ask(&e);
    CHECK_EQ(m, block && pad ? n - n % 16 + 16 : n);
    bool damaged = block && m > 0 && t_below(4) == 0;
    if (damaged) /* padding comes out wrong in every way, or the length is no multiple */
      m = t_below(2) ? m - (int)t_below(16) : (cipher[t_below((size_t)m)] ^= (uint8_t)t_between(1, 255), m);
    int got = run(&d, cipher, (size_t)m, back, true);
    if (!damaged) {
      CHECK_EQ(got, n);
      CHECK_MEM(back, text, n);
    }
  }
  pair_free(&e);
  pair_free(&d);
}

static void test_xts(const char *name) {
  struct pair p;
  pair_fetch(&p, name);
  CHECK(!pair_update(&p, text, 16, true, false));
  t_fill(key, sizeof key);
  CHECK(pair_init(&p, key, NULL, 1));
  CHECK(!pair_update(&p, text, 16, true, false)); /* no tweak */
  int none;
  CHECK(EVP_CipherUpdate(p.ctx[OURS], back, &none, text, 16) != 1);
  CHECK_EQ(ERR_GET_REASON(ERR_peek_last_error()), PROV_R_INVALID_STATE);
  ERR_clear_error();
  for (int i = 0; i < 600; i++) {
    int n = i < 300 ? i : (int)t_below(5000);
    T_AT("data unit of %zu", n);
    t_fill(iv, sizeof iv);
    /* The direction changes with the key alone: the default provider's schedule belongs to one direction. */
    int enc = i / 3 % 2;
    if (i % 3 == 0)
      t_fill(key, sizeof key);
    CHECK(pair_init(&p, i % 3 ? NULL : key, iv, enc));
    if (i % 3 == 1)
      CHECK(pair_init(&p, key, NULL, enc));
    if (n == 0)
      continue; /* a call of no length: EVP answers by itself */
    CHECK_EQ(pair_update(&p, text, n, true, i % 5 == 0), n >= 16);
    if (n >= 16)
      CHECK(pair_update(&p, text, n, true, false)); /* the same tweak again, as the default provider has it */
    CHECK(pair_copy(&p));
    CHECK(pair_final(&p));
    ask(&p);
  }
  /* Equal halves. */
  size_t half = (size_t)EVP_CIPHER_get_key_length(p.cipher[REF]) / 2;
  memcpy(key + half, key, half);
  CHECK(!pair_init(&p, key, iv, 1));
  int n_out;
  CHECK(EVP_CipherUpdate(p.ctx[OURS], p.mine, &n_out, text, 16) != 1); /* nor is the key before it used now */
  ERR_clear_error();
  for (size_t n = 0; n < 70; n++)
    CHECK_EQ(pair_set_size(&p, OSSL_CIPHER_PARAM_KEYLEN, n), n == 2 * half);
  pair_free(&p);
}

static void test_refused(const char *name) {
  struct pair p;
  uint8_t buf[300];
  pair_fetch(&p, name);
  CHECK(pair_init(&p, NULL, NULL, 1));
  CHECK(!pair_update(&p, text, 16, true, false));
  CHECK(!pair_final(&p));
  CHECK(pair_init(&p, key, iv, 1));
  /* What is not known is passed over; what is known and wrong is not, in an init too. */
  char word[] = "word";
  unsigned number = 65;
  OSSL_PARAM unknown[] = {OSSL_PARAM_construct_utf8_string("no-such", word, 0), OSSL_PARAM_END};
  CHECK(EVP_CIPHER_CTX_set_params(p.ctx[OURS], unknown) == 1);
  static const char *const known[] = {OSSL_CIPHER_PARAM_PADDING, OSSL_CIPHER_PARAM_NUM, OSSL_CIPHER_PARAM_TLS_VERSION,
                                      OSSL_CIPHER_PARAM_TLS_MAC_SIZE, OSSL_CIPHER_PARAM_KEYLEN};
  for (size_t i = 0; i < 5; i++) {
    OSSL_PARAM wrong[] = {OSSL_PARAM_construct_utf8_string(known[i], word, 0), OSSL_PARAM_END};
    CHECK(EVP_CIPHER_CTX_set_params(p.ctx[OURS], wrong) != 1);
    CHECK(EVP_CipherInit_ex2(p.ctx[OURS], NULL, NULL, NULL, 1, wrong) != 1);
  }
  OSSL_PARAM mac[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &number), OSSL_PARAM_END};
  CHECK(EVP_CIPHER_CTX_set_params(p.ctx[OURS], mac) != 1);
  number = 64;
  CHECK(EVP_CIPHER_CTX_set_params(p.ctx[OURS], mac) == 1);
  ERR_clear_error();
  t_fill(buf, sizeof buf);
  for (int off = -40; off <= 40; off++) {
    int n = 0;
    bool good = off == 0 || off >= 32 || off <= -32;
    CHECK_EQ(EVP_CipherUpdate(p.ctx[OURS], buf + 100 + off, &n, buf + 100, 32), good);
    ERR_clear_error();
  }
  pair_free(&p);
}

/* How many bytes of a block are spent, asked and set: as it is, or the rest of the block is passed over. */
static void test_num(const char *name) {
  struct pair p;
  pair_fetch(&p, name);
  for (unsigned used = 0; used < 16; used++)
    for (unsigned set = 0; set < 40; set++) {
      T_AT("%zu bytes spent, set to %zu", used, set);
      unsigned num = 77, wanted = set;
      OSSL_PARAM get[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &num), OSSL_PARAM_END};
      OSSL_PARAM put[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &wanted), OSSL_PARAM_END};
      CHECK(pair_init(&p, key, iv, 1) && pair_update(&p, text, 16 + (int)used, true, false));
      CHECK(EVP_CIPHER_CTX_get_params(p.ctx[OURS], get) == 1 && num == used);
      bool good = set == 0 || set == used;
      CHECK_EQ(EVP_CIPHER_CTX_set_params(p.ctx[OURS], put) == 1, good);
      if (set == 0) /* the default provider takes no other */
        CHECK(EVP_CIPHER_CTX_set_params(p.ctx[REF], put) == 1);
      CHECK(pair_update(&p, text, 100, true, false));
    }
  ERR_clear_error();
  pair_free(&p);
}

/* An init that brings its parameters: no padding. */
static void test_init_params(const char *name) {
  struct pair p;
  pair_fetch(&p, name);
  unsigned no = 0;
  OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &no), OSSL_PARAM_END};
  for (int s = REF; s <= OURS; s++) {
    uint8_t out[64];
    int n;
    CHECK(EVP_CipherInit_ex2(p.ctx[s], p.cipher[s], key, iv, 1, params) == 1);
    CHECK(EVP_CipherUpdate(p.ctx[s], out, &n, text, 32) == 1 && n == 32);
    CHECK(EVP_CipherFinal_ex(p.ctx[s], out, &n) == 1 && n == 0);
  }
  pair_free(&p);
}

/* A text whose padding was wrong is over: its last block is neither judged again nor handed out. Ours alone: the
 * default provider keeps what came out. */
static void test_bad_padding(const char *name) {
  struct pair p;
  pair_fetch(&p, name);
  for (int i = 0; i < 16; i++) {
    int whole = 16 * (i % 4), n = 0;
    T_AT("case %zu", i);
    uint8_t made[64], out[96], again[48];
    EVP_CIPHER_CTX *c = p.ctx[OURS];
    memcpy(made, text, sizeof made);
    made[whole + 15] = i % 2 ? 0 : 17; /* no padding */
    CHECK(EVP_CipherInit_ex2(c, p.cipher[OURS], key, iv, 1, NULL) == 1 && EVP_CIPHER_CTX_set_padding(c, 0) == 1);
    CHECK(EVP_CipherUpdate(c, made, &n, made, whole + 16) == 1 && n == whole + 16);
    CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 0, NULL) == 1 && EVP_CIPHER_CTX_set_padding(c, 1) == 1);
    CHECK(EVP_CipherUpdate(c, out, &n, made, whole + 16) == 1 && n == whole);
    CHECK(EVP_CipherFinal_ex(c, out, &n) != 1 && n == 0);
    CHECK_EQ(ERR_GET_REASON(ERR_peek_last_error()), PROV_R_BAD_DECRYPT);
    ERR_clear_error();
    if (i & 4) { /* no padding is asked for any more: there is nothing left */
      CHECK(EVP_CIPHER_CTX_set_padding(c, 0) == 1);
      CHECK(EVP_CipherFinal_ex(c, out, &n) == 1 && n == 0);
      CHECK(EVP_CIPHER_CTX_set_padding(c, 1) == 1);
    }
    CHECK(EVP_CipherFinal_ex(c, out, &n) != 1 && n == 0);
    CHECK_EQ(ERR_GET_REASON(ERR_peek_last_error()), PROV_R_WRONG_FINAL_BLOCK_LENGTH);
    ERR_clear_error();
    /* The next text is right, with the key that is there. */
    CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1 && EVP_CipherUpdate(c, again, &n, text, 20) == 1);
    CHECK(EVP_CipherFinal_ex(c, again + n, &n) == 1);
    CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 0, NULL) == 1 && EVP_CipherUpdate(c, out, &n, again, 32) == 1);
    CHECK(n == 16 && EVP_CipherFinal_ex(c, out + n, &n) == 1 && n == 4);
    CHECK_MEM(out, text, 20);
  }
  pair_free(&p);
}

/* In place after a call that left bytes held: the output would cover input not yet read. The default provider writes
 * wrong text, ours refuses; one block is right with both. */
static void test_held_in_place(const char *name) {
  for (int enc = 0; enc < 2; enc++)
    for (int n = 16; n <= 64; n += 16) {
      T_AT("enc %zu, length %zu", enc, n);
      struct pair p;
      pair_fetch(&p, name);
      uint8_t in[16 + 64], right[16 + 64], buf[64];
      int len;
      t_fill(in, sizeof in);
      CHECK(pair_init(&p, key, iv, enc));
      CHECK(EVP_CipherUpdate(p.ctx[REF], right, &len, in, 16 + n) == 1);
      CHECK(pair_init(&p, key, iv, enc));
      int held = enc ? 5 : 16;
      for (int s = REF; s <= OURS; s++) {
        CHECK(EVP_CipherUpdate(p.ctx[s], buf, &len, in, held) == 1);
        CHECK_EQ(len, 0);
        memcpy(buf, in + held, (size_t)n);
        int r = EVP_CipherUpdate(p.ctx[s], buf, &len, buf, n);
        CHECK_EQ(r == 1, s == REF || n == 16);
        if (r == 1) {
          CHECK_EQ(len, n);
          CHECK_EQ(memcmp(buf, right, (size_t)n) == 0, n == 16);
        } else {
          CHECK_MEM(buf, in + held, (size_t)n);
        }
      }
      pair_free(&p);
      ERR_clear_error();
    }
}

/* The direction changes and the key stays. Ours alone: with the default provider's key schedule for the other direction
 * the text comes out wrong. */
static void test_direction(const char *name) {
  struct pair p;
  pair_fetch(&p, name);
  EVP_CIPHER_CTX *c = p.ctx[OURS];
  uint8_t made[64], again[64];
  int n;
  for (int first = 0; first < 2; first++) {
    T_AT("encryption first %zu", first);
    CHECK(EVP_CipherInit_ex2(c, p.cipher[OURS], key, iv, first, NULL) == 1 && EVP_CIPHER_CTX_set_padding(c, 0) == 1);
    CHECK(EVP_CipherUpdate(c, made, &n, text, 64) == 1 && n == 64);
    CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, !first, NULL) == 1 && EVP_CIPHER_CTX_set_padding(c, 0) == 1);
    CHECK(EVP_CipherUpdate(c, again, &n, made, 64) == 1 && n == 64);
    CHECK_MEM(again, text, 64);
    if (EVP_CIPHER_get_block_size(p.cipher[OURS]) == 16)
      for (unsigned part = 1; part < 40; part++) /* EVP_Cipher takes whole blocks */
        CHECK_EQ(EVP_Cipher(c, again, text, part), part % 16 == 0 ? (int)part : -1);
  }
  pair_free(&p);
  ERR_clear_error();
}

/* The place within a block can be set, as both have it, and the text goes on from there. */
static void test_place(const char *name) {
  struct pair p;
  pair_fetch(&p, name);
  for (int enc = 0; enc < 2; enc++)
    for (unsigned n = 0; n < 16; n++)
      for (int first = 0; first < 40; first += 13) {
        T_AT("enc %zu, place %zu, after %zu", enc, n, first);
        CHECK(pair_init(&p, key, iv, enc));
        CHECK(pair_update(&p, text, first, true, false));
        ask(&p);
        OSSL_PARAM num[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &n), OSSL_PARAM_END};
        CHECK(EVP_CIPHER_CTX_set_params(p.ctx[OURS], num) == 1);
        if (EVP_CIPHER_CTX_set_params(p.ctx[REF], num) != 1) { /* from 3.5.9 on it takes 0 alone */
          CHECK(n != 0);
          ERR_clear_error();
          continue;
        }
        ask(&p);
        CHECK(pair_update(&p, text + 50, 70, true, true));
        CHECK(pair_init(&p, NULL, NULL, enc)); /* from the first IV on */
        CHECK(pair_update(&p, text, 33, true, false));
        ask(&p);
      }
  pair_free(&p);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  pair_open(RIJN_MODULES, RIJN_ALL_MODES_CNF);
  t_fill(text, sizeof text);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    test_static(names[i]);
    t_fill(key, sizeof key);
    test_direction(names[i]);
    if (strstr(names[i], "XTS") != NULL) {
      test_xts(names[i]);
      continue;
    }
    test_refused(names[i]);
    test_messages(names[i], t_slow() ? 20000 : pair_rounds(1500));
    if (strstr(names[i], "CFB") != NULL) {
      test_place(names[i]);
    } else if (strstr(names[i], "CTR") == NULL) {
      test_bad_padding(names[i]);
      test_init_params(names[i]);
      test_held_in_place(names[i]);
    } else {
      test_num(names[i]);
    }
  }
  pair_close();
  return t_done();
}
