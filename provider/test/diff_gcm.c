/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* GCM against the default provider: each parameter, each order of calls, equal results, equal bytes. What is meant to
 * differ is in own.c. */
#include "pair.h"

static const char *const names[] = {"AES-128-GCM", "AES-192-GCM", "AES-256-GCM"};
static uint8_t text[PAIR_MAX], cipher[PAIR_MAX], tag[16], key[32], iv[128], aad[400];

static void fill(void) {
  t_fill(text, sizeof text);
  t_fill(key, sizeof key);
  t_fill(iv, sizeof iv);
  t_fill(aad, sizeof aad);
}

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
  CHECK(strcmp(EVP_CIPHER_get0_name(o), EVP_CIPHER_get0_name(r)) == 0);
  CHECK(EVP_CIPHER_is_a(o, name) == 1);
  /* Every parameter that the default provider has, ours has. */
  const OSSL_PARAM *lists[2][3];
  for (int s = REF; s <= OURS; s++) {
    lists[s][0] = EVP_CIPHER_gettable_params(p.cipher[s]);
    lists[s][1] = EVP_CIPHER_gettable_ctx_params(p.cipher[s]);
    lists[s][2] = EVP_CIPHER_settable_ctx_params(p.cipher[s]);
  }
  for (int i = 0; i < 3; i++)
    for (const OSSL_PARAM *q = lists[REF][i]; q->key != NULL; q++) {
      const OSSL_PARAM *found = OSSL_PARAM_locate_const(lists[OURS][i], q->key);
      if (found == NULL)
        t_fail(__FILE__, __LINE__, "list %d has no %s", i, q->key);
      else
        CHECK_EQ(found->data_type, q->data_type);
    }
  pair_free(&p);
}

/* The lengths, the IV and the tag as the context has them. */
static void ask(struct pair *p, size_t iv_len) {
  size_t n;
  uint8_t got[128];
  CHECK(pair_get_size(p, OSSL_CIPHER_PARAM_IVLEN, &n));
  CHECK_EQ(n, iv_len);
  CHECK(pair_get_size(p, OSSL_CIPHER_PARAM_KEYLEN, &n));
  CHECK(pair_get_size(p, OSSL_CIPHER_PARAM_AEAD_TAGLEN, &n));
  CHECK(pair_get_size(p, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, &n));
  CHECK(pair_get_octets(p, OSSL_CIPHER_PARAM_IV, got, iv_len));
  CHECK_MEM(got, iv, iv_len);
  CHECK(pair_get_octets(p, OSSL_CIPHER_PARAM_UPDATED_IV, got, iv_len));
  CHECK(pair_get_octets(p, OSSL_CIPHER_PARAM_IV, got, 128)); /* more room than it needs */
  pair_get_octets(p, OSSL_CIPHER_PARAM_IV, got, iv_len - 1); /* too little: equal, whichever it is */
}

/* Sets key and IV in one of the orders there are. */
static void begin(struct pair *p, size_t iv_len, int enc, unsigned how) {
  switch (how % 6) {
  case 0:
    CHECK(pair_init(p, NULL, NULL, enc));
    CHECK(pair_ctrl_set(p, EVP_CTRL_AEAD_SET_IVLEN, (int)iv_len, NULL, 0));
    CHECK(pair_init(p, key, iv, enc));
    break;
  case 1:
    CHECK(pair_init(p, key, NULL, enc));
    CHECK(pair_ctrl_set(p, EVP_CTRL_AEAD_SET_IVLEN, (int)iv_len, NULL, 0));
    CHECK(pair_init(p, NULL, iv, enc));
    break;
  case 2:
    CHECK(pair_init(p, NULL, NULL, enc));
    CHECK(pair_set_size(p, OSSL_CIPHER_PARAM_IVLEN, iv_len));
    CHECK(pair_init(p, NULL, iv, enc));
    CHECK(pair_init(p, key, NULL, enc));
    break;
  case 3: { /* the length with the IV, in one call */
    OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &iv_len), OSSL_PARAM_END};
    CHECK(pair_init_params(p, key, iv, enc, params));
    break;
  }
  case 4: /* another IV first */
    CHECK(pair_init(p, key, NULL, enc));
    CHECK(pair_init(p, NULL, aad, enc));
    CHECK(pair_ctrl_set(p, EVP_CTRL_AEAD_SET_IVLEN, (int)iv_len, NULL, 0));
    CHECK(pair_init(p, NULL, iv, enc));
    break;
  default: /* the other direction first */
    CHECK(pair_init(p, key, NULL, !enc));
    CHECK(pair_ctrl_set(p, EVP_CTRL_AEAD_SET_IVLEN, (int)iv_len, NULL, 0));
    CHECK(pair_init(p, NULL, iv, enc));
    break;
  }
}

/* n bytes in pieces; most often in one. Copies the context now and then. */
static void feed(struct pair *p, const uint8_t *in, size_t n, uint8_t *out, bool copies) {
  bool whole = t_below(2) == 0, evp_cipher = t_below(4) == 0;
  size_t done = 0;
  while (done < n) {
    size_t piece = whole ? n : t_between(0, n - done < 40 || t_below(4) == 0 ? n - done : 40);
    bool ok = evp_cipher ? pair_cipher(p, in + done, (unsigned)piece, out != NULL, t_below(2) == 0)
                         : pair_update(p, in + done, (int)piece, out != NULL, t_below(2) == 0);
    CHECK(ok);
    if (!ok)
      return;
    if (out != NULL)
      memcpy(out + done, p->mine, piece);
    done += piece;
    if (copies && t_below(6) == 0)
      CHECK(pair_copy(p));
  }
}

static size_t some_length(void) {
  static const size_t lens[] = {0,   1,   15,  16,  17,  31,  32,   33,   47,   48,   63,   64,   65,    127,
                                128, 129, 255, 256, 257, 511, 1024, 1420, 2047, 2048, 2049, 4096, 16384, 16401};
  return t_below(2) ? lens[t_below(sizeof lens / sizeof lens[0])] : t_below(300);
}

/* Encrypts and decrypts one message on the contexts of e and d, each in pieces of its own. */
static void test_message(struct pair *e, struct pair *d, bool copies) {
  static const size_t tag_lens[] = {16, 16, 16, 15, 14, 13, 12, 8, 4};
  size_t n = some_length(), aad_len = t_below(3) ? t_below(sizeof aad) : t_below(20);
  size_t iv_len = t_below(3) ? 12 : t_between(1, 128);
  size_t tag_len = tag_lens[t_below(sizeof tag_lens / sizeof tag_lens[0])];
  T_AT("length %zu, aad %zu, iv %zu, tag %zu", n, aad_len, iv_len, tag_len);
  t_fill(iv, iv_len);
  if (t_below(3) == 0)
    t_fill(key, sizeof key);
  begin(e, iv_len, 1, (unsigned)t_below(6));
  ask(e, iv_len);
  feed(e, aad, aad_len, NULL, copies);
  feed(e, text, n, cipher, copies);
  CHECK(pair_final(e));
  CHECK(pair_ctrl_get(e, EVP_CTRL_AEAD_GET_TAG, (int)tag_len, tag, tag_len));
  ask(e, iv_len);
  /* The message is over. */
  CHECK(!pair_update(e, text, 16, true, false));
  CHECK(!pair_update(e, text, 16, false, false));
  CHECK(!pair_final(e));
  CHECK(pair_init(e, key, NULL, 1));
  CHECK(!pair_update(e, text, 16, true, false));

  bool forged = t_below(4) == 0, other_first = t_below(4) == 0;
  size_t when = t_below(4);
  if (forged) {
    if (n != 0 && t_below(2))
      cipher[t_below(n)] ^= (uint8_t)(1u << t_below(8));
    else
      tag[t_below(tag_len)] ^= (uint8_t)(1u << t_below(8));
  }
  uint8_t junk[16] = {1};
  begin(d, iv_len, 0, (unsigned)t_below(6));
  ask(d, iv_len);
  if (other_first)
    CHECK(pair_ctrl_set(d, EVP_CTRL_AEAD_SET_TAG, 16, junk, 16));
  if (when == 0)
    CHECK(pair_ctrl_set(d, EVP_CTRL_AEAD_SET_TAG, (int)tag_len, tag, tag_len));
  feed(d, aad, aad_len, NULL, copies);
  if (when == 1)
    CHECK(pair_ctrl_set(d, EVP_CTRL_AEAD_SET_TAG, (int)tag_len, tag, tag_len));
  /* A tag shorter than the key's, set late, after a copy was made and while it lives, is own.c's. */
  feed(d, cipher, n, cipher, copies);
  if (when >= 2)
    CHECK(pair_ctrl_set(d, EVP_CTRL_AEAD_SET_TAG, (int)tag_len, tag, tag_len));
  if (when < 2 && !forged && t_below(4) == 0) { /* another tag than the one that may have been checked already */
    size_t at = t_below(tag_len);
    forged = true;
    tag[at] ^= 0x10;
    CHECK(pair_ctrl_set(d, EVP_CTRL_AEAD_SET_TAG, (int)tag_len, tag, tag_len));
  }
  if (copies && t_below(3) == 0)
    CHECK(pair_copy(d));
  CHECK_EQ(pair_final(d), !forged);
  if (!forged) {
    CHECK_MEM(cipher, text, n);
    CHECK(!pair_update(d, text, 16, true, false));
    CHECK(!pair_final(d));
  }
}

static void test_messages(const char *name, size_t rounds) {
  struct pair e, d;
  pair_fetch(&e, name);
  pair_fetch(&d, name);
  bool copies = false;
  {
    /* Is there a copy of contexts in this OpenSSL's default provider? From 3.0.? on. */
    struct pair p;
    pair_fetch(&p, name);
    EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
    CHECK(EVP_CipherInit_ex2(p.ctx[REF], p.cipher[REF], key, iv, 1, NULL));
    copies = EVP_CIPHER_CTX_copy(copy, p.ctx[REF]) > 0;
    ERR_clear_error();
    EVP_CIPHER_CTX_free(copy);
    pair_free(&p);
  }
  for (size_t i = 0; i < rounds; i++) {
    if (i % 50 == 49) { /* contexts are kept for many messages, but not for all */
      pair_free(&e);
      pair_free(&d);
      pair_fetch(&e, name);
      pair_fetch(&d, name);
    }
    test_message(&e, &d, copies);
  }
  printf("%s: %zu messages, contexts copied: %s\n", name, rounds, copies ? "yes" : "no, the default provider cannot");
  pair_free(&e);
  pair_free(&d);
}

static void test_refused(const char *name) {
  struct pair p;
  uint8_t got[16];
  pair_fetch(&p, name);
  /* Nothing set; then one of both. */
  CHECK(pair_init(&p, NULL, NULL, 1));
  CHECK(!pair_update(&p, text, 16, true, false));
  CHECK(!pair_update(&p, text, 16, false, false));
  CHECK(!pair_final(&p));
  CHECK(pair_init(&p, NULL, iv, 1));
  CHECK(!pair_update(&p, text, 16, true, false));
  CHECK(!pair_final(&p));
  CHECK(!pair_ctrl_get(&p, EVP_CTRL_AEAD_GET_TAG, 16, got, 16)); /* before the end */
  CHECK(!pair_ctrl_set(&p, EVP_CTRL_AEAD_SET_TAG, 16, tag, 16)); /* on encryption */
  pair_free(&p);

  pair_fetch(&p, name);
  CHECK(pair_init(&p, key, NULL, 0));
  CHECK(!pair_update(&p, text, 16, true, false)); /* decryption without IV */
  CHECK(!pair_final(&p));
  CHECK(pair_init(&p, NULL, iv, 0));
  CHECK(pair_update(&p, text, 20, true, true));
  CHECK(!pair_final(&p)); /* the tag is not set; then it is, and the message can be ended */
  CHECK(pair_ctrl_set(&p, EVP_CTRL_AEAD_SET_TAG, 16, tag, 16));
  CHECK(!pair_ctrl_get(&p, EVP_CTRL_AEAD_GET_TAG, 16, got, 16));
  CHECK(!pair_final(&p));
  static const int bad_tags[] = {-1, 0, 17, 100};
  for (size_t i = 0; i < 4; i++)
    CHECK(!pair_ctrl_set(&p, EVP_CTRL_AEAD_SET_TAG, bad_tags[i], text, 100));
  CHECK(!pair_ctrl_set(&p, EVP_CTRL_AEAD_SET_TAG, 16, NULL, 0));
  static const int bad_ivs[] = {0, -1, 129, 100000};
  for (size_t i = 0; i < 4; i++)
    CHECK(!pair_ctrl_set(&p, EVP_CTRL_AEAD_SET_IVLEN, bad_ivs[i], NULL, 0));
  CHECK(!pair_set_size(&p, OSSL_CIPHER_PARAM_IVLEN, 0));
  CHECK(!pair_set_size(&p, OSSL_CIPHER_PARAM_IVLEN, 129));
  /* What programs and libssl set with every cipher. */
  CHECK(pair_set_size(&p, OSSL_CIPHER_PARAM_TLS_MAC_SIZE, 0));
  CHECK(pair_set_size(&p, OSSL_CIPHER_PARAM_TLS_VERSION, 0x303));
  CHECK(pair_set_size(&p, OSSL_CIPHER_PARAM_PADDING, 0));
  CHECK(pair_set_size(&p, "no such parameter", 7));
  for (int s = REF; s <= OURS; s++)
    CHECK(EVP_CIPHER_CTX_set_padding(p.ctx[s], 0) == 1 && EVP_CIPHER_CTX_set_padding(p.ctx[s], 1) == 1);
  /* An IV of the old length is none. */
  CHECK(pair_init(&p, key, iv, 1));
  CHECK(pair_ctrl_set(&p, EVP_CTRL_AEAD_SET_IVLEN, 13, NULL, 0));
  CHECK(!pair_update(&p, text, 16, true, false));
  /* The same length again: it still stands. */
  CHECK(pair_init(&p, NULL, iv, 1));
  CHECK(pair_ctrl_set(&p, EVP_CTRL_AEAD_SET_IVLEN, 13, NULL, 0));
  CHECK(pair_update(&p, text, 16, true, false));
  /* Associated data behind the text. */
  CHECK(!pair_update(&p, text, 16, false, false));
  pair_free(&p);

  /* Calls of no length change nothing. */
  pair_fetch(&p, name);
  CHECK(pair_init(&p, key, iv, 1));
  CHECK(pair_update(&p, text, 0, true, false));
  CHECK(pair_update(&p, text, 0, false, false));
  CHECK(pair_update(&p, NULL, 0, true, false));
  CHECK(pair_update(&p, aad, 5, false, false));
  CHECK(pair_update(&p, text, 0, true, false));
  CHECK(pair_update(&p, aad, 5, false, false));
  CHECK(pair_final(&p));
  static const int lens[] = {16, 1, 4, 12, 15, 17, 0};
  for (size_t i = 0; i < 7; i++)
    CHECK_EQ(pair_ctrl_get(&p, EVP_CTRL_AEAD_GET_TAG, lens[i], got, 16), lens[i] >= 1 && lens[i] <= 16);
  pair_free(&p);
}

/* EVP_Cipher with input of no length moves nothing, wherever the message stands; it is no end either. Text of no length
 * between associated data is own.c's: the default provider's tag is not GCM's any more. */
static void test_no_length(const char *name) {
  struct pair p;
  for (unsigned i = 0; i < 64; i++)
    for (int enc = 1; enc >= 0; enc--) {
      unsigned n = i & 1 ? 3000 : 100, more = i & 2 ? 10 : 0;
      T_AT("case %zu, enc %zu", i, enc);
      pair_fetch(&p, name);
      CHECK(pair_init(&p, key, iv, enc));
      CHECK(enc || pair_ctrl_set(&p, EVP_CTRL_AEAD_SET_TAG, 16, tag, 16));
      if (i & 4)
        CHECK(pair_cipher(&p, text, 0, true, false) && pair_cipher(&p, aad, 0, false, false));
      CHECK(pair_update(&p, aad, 5, false, false));
      if (i & 8)
        CHECK(pair_cipher(&p, aad, 0, false, false));
      CHECK(pair_update(&p, aad, 5, false, false));
      CHECK(pair_update(&p, enc ? text : cipher, (int)n, true, false));
      if (enc)
        memcpy(cipher, p.mine, n);
      if (i & 16)
        CHECK(!pair_cipher(&p, aad, 0, false, false)); /* too late, but it does no harm */
      if (i & 32)
        CHECK(pair_cipher(&p, text, 0, true, false));
      if (more != 0)
        CHECK(pair_update(&p, (enc ? text : cipher) + n, (int)more, true, false));
      if (enc && more != 0)
        memcpy(cipher + n, p.mine, more);
      CHECK(pair_final(&p));
      CHECK(!enc || pair_ctrl_get(&p, EVP_CTRL_AEAD_GET_TAG, 16, tag, 16));
      CHECK(!pair_cipher(&p, text, 0, true, false));
      pair_free(&p);
    }
}

/* IV only, then the tag, 5 bytes of associated data, in place: a record of TLS 1.3. */
static void test_tls13(const char *name) {
  struct pair e, d;
  pair_fetch(&e, name);
  pair_fetch(&d, name);
  for (int enc = 1; enc >= 0; enc--) {
    struct pair *p = enc ? &e : &d;
    CHECK(pair_init(p, NULL, NULL, enc));
    CHECK(pair_ctrl_set(p, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL, 0));
    CHECK(pair_init(p, key, NULL, enc));
  }
  for (int i = 0; i < 200; i++) {
    int n = (int)(i < 150 ? some_length() + 1 : t_between(1, 16385));
    T_AT("record %zu, length %zu", i, n);
    iv[11] = (uint8_t)i;
    CHECK(pair_init(&e, NULL, iv, 1));
    CHECK(pair_update(&e, aad, 5, false, false));
    CHECK(pair_update(&e, text, n, true, true));
    memcpy(cipher, e.mine, (size_t)n);
    CHECK(pair_final(&e));
    CHECK(pair_ctrl_get(&e, EVP_CTRL_AEAD_GET_TAG, 16, tag, 16));
    bool forged = i % 9 == 8;
    tag[15] ^= forged;
    CHECK(pair_init(&d, NULL, iv, 0));
    CHECK(pair_ctrl_set(&d, EVP_CTRL_AEAD_SET_TAG, 16, tag, 16));
    CHECK(pair_update(&d, aad, 5, false, false));
    CHECK(pair_update(&d, cipher, n, true, true));
    CHECK_MEM(d.mine, text, (size_t)n); /* as the default provider: before the end it is not verified */
    CHECK_EQ(pair_final(&d), !forged);
  }
  pair_free(&e);
  pair_free(&d);
}

/* Explicit nonce, text and tag in one call: a record of TLS 1.2. The counter of the default provider starts at random,
 * so both get the same whole IV. */
static void test_tls12(const char *name) {
  struct pair e, d;
  pair_fetch(&e, name);
  pair_fetch(&d, name);
  static uint8_t rec[PAIR_MAX];
  uint8_t head[13];
  CHECK(pair_init(&e, key, NULL, 1));
  CHECK(pair_init(&d, key, NULL, 0));
  CHECK(pair_ctrl_set(&e, EVP_CTRL_AEAD_SET_IV_FIXED, -1, iv, 12));
  CHECK(pair_ctrl_set(&d, EVP_CTRL_AEAD_SET_IV_FIXED, 4, iv, 4));
  static const int bad_fixed[] = {0, 3, 5, 12}; /* 13 is own.c's: 3.0 takes it */
  for (size_t i = 0; i < 4; i++)
    CHECK(!pair_ctrl_set(&d, EVP_CTRL_AEAD_SET_IV_FIXED, bad_fixed[i], iv, 16));
  for (int i = 0; i < 120; i++) {
    size_t n = i % 3 ? some_length() : t_below(16384);
    T_AT("record %zu, length %zu", i, n);
    n = n > 16384 ? 16384 : n;
    t_fill(head, sizeof head);
    head[11] = (uint8_t)((n + 8) >> 8);
    head[12] = (uint8_t)(n + 8);
    memset(rec, 0, 8);
    memcpy(rec + 8, text, n);
    CHECK(pair_ctrl_set(&e, EVP_CTRL_AEAD_TLS1_AAD, 13, head, 13)); /* answers 16, compared inside */
    CHECK(i % 2 ? pair_update(&e, rec, (int)n + 24, true, true) : pair_cipher(&e, rec, (unsigned)n + 24, true, true));
    CHECK_EQ(e.len, n + 24);
    memcpy(rec, e.mine, n + 24);
    bool forged = i % 9 == 8;
    rec[t_below(n + 24)] ^= forged;
    head[11] = (uint8_t)((n + 24) >> 8);
    head[12] = (uint8_t)(n + 24);
    CHECK(pair_ctrl_set(&d, EVP_CTRL_AEAD_TLS1_AAD, 13, head, 13));
    CHECK_EQ(i % 2 ? pair_update(&d, rec, (int)n + 24, true, true) : pair_cipher(&d, rec, (unsigned)n + 24, true, true),
             !forged);
    if (!forged)
      CHECK_MEM(d.mine + 8, text, n);
    else
      CHECK_ALL(d.mine + 8, 0, n); /* no unverified text */
  }
  /* Not in place; too short; without its associated data; bad associated data. */
  CHECK(pair_ctrl_set(&e, EVP_CTRL_AEAD_TLS1_AAD, 13, head, 13));
  CHECK(!pair_update(&e, rec, 100, true, false));
  CHECK(pair_ctrl_set(&e, EVP_CTRL_AEAD_TLS1_AAD, 13, head, 13));
  CHECK(!pair_update(&e, rec, 23, true, true));
  CHECK(!pair_update(&e, rec, 100, true, true));
  CHECK(pair_ctrl_set(&e, EVP_CTRL_AEAD_TLS1_AAD, 13, head, 13));
  CHECK(!pair_final(&e));
  head[11] = 0;
  head[12] = 7;
  CHECK(!pair_ctrl_set(&e, EVP_CTRL_AEAD_TLS1_AAD, 13, head, 13));
  CHECK(!pair_ctrl_set(&e, EVP_CTRL_AEAD_TLS1_AAD, 12, head, 12));
  CHECK(!pair_ctrl_set(&e, EVP_CTRL_AEAD_TLS1_AAD, 0, head, 13));
  pair_free(&e);
  pair_free(&d);
  /* The call after a refusal is no plain text. Where the data had not 13 bytes: ended.c. */
  for (int i = 0; i < 64; i++) {
    pair_fetch(&e, name);
    CHECK(pair_init(&e, key, iv, i & 1));
    head[12] = (uint8_t)(i / 8);
    CHECK(!pair_ctrl_set(&e, EVP_CTRL_AEAD_TLS1_AAD, 13, head, 13));
    CHECK(i & 2 || !pair_update(&e, text, 100, i & 4, false));
    CHECK(!pair_cipher(&e, text, 100, i & 4, false));
    CHECK(!pair_final(&e));
    pair_free(&e);
  }
}

/* OpenSSH: the whole IV with length -1, one generated a packet, EVP_Cipher for everything. */
static void test_openssh(const char *name) {
  struct pair p[2]; /* 1: encrypts */
  uint8_t last[16];
  for (int enc = 0; enc < 2; enc++) {
    pair_fetch(&p[enc], name);
    CHECK(pair_init(&p[enc], NULL, NULL, enc));
    CHECK(pair_ctrl_set(&p[enc], EVP_CTRL_GCM_SET_IV_FIXED, -1, iv, 12));
    CHECK(pair_init(&p[enc], key, NULL, enc));
  }
  CHECK(!pair_ctrl_set(&p[1], EVP_CTRL_GCM_SET_IV_INV, 8, iv, 8)); /* decryption only */
  for (int i = 0; i < 100; i++) {
    unsigned n = 16 * (unsigned)t_between(1, i % 10 ? 30 : 1000);
    T_AT("packet %zu, length %zu", i, n);
    CHECK(pair_ctrl_get(&p[1], EVP_CTRL_GCM_IV_GEN, i % 5 == 4 ? 0 : 1, last, 1));
    CHECK(pair_cipher(&p[1], aad, 4, false, false));
    CHECK(pair_cipher(&p[1], text, n, true, i % 2));
    memcpy(cipher, p[1].mine, n);
    CHECK(pair_cipher(&p[1], NULL, 0, false, false));
    CHECK(pair_ctrl_get(&p[1], EVP_CTRL_GCM_GET_TAG, 16, tag, 16));
    bool forged = i % 9 == 8;
    tag[0] ^= forged;
    CHECK(pair_ctrl_get(&p[0], EVP_CTRL_GCM_IV_GEN, 1, last, 1));
    CHECK(pair_ctrl_set(&p[0], EVP_CTRL_GCM_SET_TAG, 16, tag, 16));
    CHECK(pair_cipher(&p[0], aad, 4, false, false));
    CHECK(pair_cipher(&p[0], cipher, n, true, i % 2));
    CHECK_MEM(p[0].mine, text, n);
    CHECK_EQ(pair_cipher(&p[0], NULL, 0, false, false), !forged);
    /* What ssh keeps when it hands a connection over. */
    uint8_t now[12];
    CHECK(pair_get_octets(&p[1], OSSL_CIPHER_PARAM_UPDATED_IV, now, 12));
  }
  /* IV given by the peer: the last bytes. */
  CHECK(pair_ctrl_set(&p[0], EVP_CTRL_GCM_SET_IV_INV, 8, aad, 8));
  CHECK(pair_ctrl_set(&p[0], EVP_CTRL_GCM_SET_TAG, 16, tag, 16));
  CHECK(pair_update(&p[0], cipher, 64, true, false));
  CHECK(!pair_final(&p[0]));
  /* The counter carries through its 8 bytes and no further. */
  memset(iv, 0xff, 12);
  CHECK(pair_ctrl_set(&p[1], EVP_CTRL_GCM_SET_IV_FIXED, -1, iv, 12));
  for (int i = 0; i < 3; i++) {
    CHECK(pair_ctrl_get(&p[1], EVP_CTRL_GCM_IV_GEN, 12, last, 12));
    CHECK(pair_update(&p[1], text, 64, true, false));
    CHECK(pair_final(&p[1]));
  }
  for (int enc = 0; enc < 2; enc++)
    pair_free(&p[enc]);
  /* Generation without a fixed part, or without a key. */
  struct pair q;
  pair_fetch(&q, name);
  CHECK(pair_init(&q, key, iv, 1));
  CHECK(!pair_ctrl_get(&q, EVP_CTRL_GCM_IV_GEN, 8, last, 8));
  pair_free(&q);
  pair_fetch(&q, name);
  CHECK(pair_init(&q, NULL, NULL, 1));
  CHECK(pair_ctrl_set(&q, EVP_CTRL_GCM_SET_IV_FIXED, -1, iv, 12));
  CHECK(!pair_ctrl_get(&q, EVP_CTRL_GCM_IV_GEN, 8, last, 8));
  pair_free(&q);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  pair_open(RIJN_MODULES, NULL);
  fill();
  for (size_t i = 0; i < 3; i++) {
    test_static(names[i]);
    test_refused(names[i]);
    test_no_length(names[i]);
    test_tls13(names[i]);
    test_tls12(names[i]);
    test_openssh(names[i]);
    test_messages(names[i], t_slow() ? 20000 : pair_rounds(1500));
  }
  pair_close();
  return t_done();
}
