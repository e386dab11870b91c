/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What lies in the queue of errors where programs act upon it: as with the default provider, to the last number. */
#include "pair.h"

static uint8_t text[3000], key[64], iv[16];

enum { MOST = 8 };
struct queue {
  unsigned long code[MOST];
  size_t n;
};

static struct queue take_queue(void) {
  struct queue q = {{0}, 0};
  unsigned long e;
  while ((e = ERR_get_error()) != 0 && q.n < MOST)
    q.code[q.n++] = e;
  return q;
}

/* Both sides failed, and left the same. */
static void same_queue(const struct queue q[2], const int r[2]) {
  CHECK(r[REF] <= 0 && r[OURS] <= 0);
  CHECK_EQ(q[OURS].n, q[REF].n);
  for (size_t i = 0; i < q[REF].n; i++)
    CHECK_EQ(q[OURS].code[i], q[REF].code[i]);
}

static void same_final(struct pair *p) {
  struct queue q[2];
  int r[2], n;
  for (int s = REF; s <= OURS; s++) {
    ERR_clear_error();
    r[s] = EVP_CipherFinal_ex(p->ctx[s], p->out, &n);
    q[s] = take_queue();
  }
  same_queue(q, r);
}

/* A forgery: an end that fails without a word. Programs take a word for a fault of their own. */
static void test_forgery(const char *name) {
  static const int lens[] = {0, 1, 100, 2048, 3000};
  struct pair p;
  pair_fetch(&p, name);
  for (int i = 0; i < 5; i++)
    for (int late = 0; late < 2; late++)
      for (int pieces = 0; pieces < 2; pieces++) {
        int n = lens[i], first = pieces ? n / 2 : n;
        T_AT("length %zu, tag late %zu, pieces %zu", n, late, pieces);
        CHECK(pair_init(&p, key, iv, 0));
        CHECK(late || pair_ctrl_set(&p, EVP_CTRL_AEAD_SET_TAG, 16, text, 16));
        CHECK(pair_update(&p, text, 5, false, false));
        CHECK(first == 0 || pair_update(&p, text, first, true, false));
        CHECK(first == n || pair_update(&p, text + first, n - first, true, false));
        CHECK(!late || pair_ctrl_set(&p, EVP_CTRL_AEAD_SET_TAG, 16, text, 16));
        same_final(&p);
      }
  pair_free(&p);
}

/* Wrong padding, and texts that were cut: what programs tell a wrong password by. */
static void test_blocks(const char *name) {
  struct pair p;
  pair_fetch(&p, name);
  for (int enc = 0; enc < 2; enc++)
    for (int pad = 0; pad < 2; pad++)
      for (int n = 0; n <= 48; n++) {
        if ((pad || n % 16 == 0) && (enc || (!pad && n % 16 == 0)))
          continue; /* nothing wrong */
        T_AT("enc %zu, padding %zu, length %zu", enc, pad, n);
        CHECK(pair_init(&p, key, iv, enc));
        for (int s = REF; s <= OURS; s++)
          CHECK(EVP_CIPHER_CTX_set_padding(p.ctx[s], pad) == 1);
        CHECK(pair_update(&p, text, n, true, false));
        same_final(&p); /* WHY never right by chance: the seed is the same each time */
      }
  pair_free(&p);
}

static void test_equal_halves(const char *name) {
  struct queue q[2];
  int r[2];
  struct pair p;
  pair_fetch(&p, name);
  uint8_t twice[64];
  size_t half = (size_t)EVP_CIPHER_get_key_length(p.cipher[REF]) / 2;
  memcpy(twice, key, half);
  memcpy(twice + half, key, half);
  for (int s = REF; s <= OURS; s++) {
    ERR_clear_error();
    r[s] = EVP_CipherInit_ex2(p.ctx[s], p.cipher[s], twice, iv, 1, NULL);
    q[s] = take_queue();
  }
  same_queue(q, r);
  pair_free(&p);
}

/* Parameters that programs look for before they set them: what is settable, and which error a wrong length gets. */
static void test_lengths(const char *name) {
  static const char *const names[] = {OSSL_CIPHER_PARAM_KEYLEN, OSSL_CIPHER_PARAM_IVLEN, OSSL_CIPHER_PARAM_AEAD_TAG,
                                      OSSL_CIPHER_PARAM_PADDING, OSSL_CIPHER_PARAM_NUM};
  struct pair p;
  pair_fetch(&p, name);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    bool has[2];
    for (int s = REF; s <= OURS; s++)
      has[s] = OSSL_PARAM_locate_const(EVP_CIPHER_settable_ctx_params(p.cipher[s]), names[i]) != NULL;
    if (strcmp(names[i], OSSL_CIPHER_PARAM_KEYLEN) == 0 && has[OURS] != has[REF])
      t_fail(__FILE__, __LINE__, "%s: %s is settable with one provider only", name, names[i]);
    CHECK(has[OURS] || !has[REF] || EVP_CIPHER_get_mode(p.cipher[REF]) == EVP_CIPH_XTS_MODE);
  }
  int right = EVP_CIPHER_get_key_length(p.cipher[REF]);
  CHECK(pair_init(&p, key, iv, 1));
  for (int n = 0; n <= 65; n++) {
    struct queue q[2];
    int r[2];
    T_AT("key of %zu, right is %zu", n, right);
    for (int s = REF; s <= OURS; s++) {
      ERR_clear_error();
      r[s] = EVP_CIPHER_CTX_set_key_length(p.ctx[s], n);
      q[s] = take_queue();
    }
    CHECK_EQ(r[OURS], r[REF]);
    CHECK_EQ(r[OURS], n == right);
    if (n != right)
      same_queue(q, r);
  }
  pair_free(&p);
}

/* A TLS record that is forged: here the default provider has a word. */
static void test_record(void) {
  struct pair p;
  struct queue q[2];
  int r[2], n;
  uint8_t head[13] = {0}, rec[64];
  head[12] = 8 + 16 + 16;
  pair_fetch(&p, "AES-128-GCM");
  CHECK(pair_init(&p, key, NULL, 0));
  for (int s = REF; s <= OURS; s++) {
    memcpy(rec, text, sizeof rec);
    CHECK(EVP_CIPHER_CTX_ctrl(p.ctx[s], EVP_CTRL_AEAD_SET_IV_FIXED, 4, iv) == 1);
    CHECK_EQ(EVP_CIPHER_CTX_ctrl(p.ctx[s], EVP_CTRL_AEAD_TLS1_AAD, 13, head), 16);
    ERR_clear_error();
    r[s] = EVP_CipherUpdate(p.ctx[s], rec, &n, rec, 40);
    q[s] = take_queue();
  }
  same_queue(q, r);
  pair_free(&p);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  pair_open(RIJN_MODULES, RIJN_ALL_MODES_CNF);
  t_fill(text, sizeof text);
  t_fill(key, sizeof key);
  t_fill(iv, sizeof iv);
  test_forgery("AES-128-GCM");
  test_forgery("AES-192-GCM");
  test_forgery("AES-256-GCM");
  test_blocks("AES-128-CBC");
  test_blocks("AES-256-ECB");
  test_equal_halves("AES-128-XTS");
  test_equal_halves("AES-256-XTS");
  static const char *const all[] = {"AES-128-GCM", "AES-192-GCM", "AES-256-GCM", "AES-128-CTR",
                                    "AES-256-CTR", "AES-128-CBC", "AES-256-CBC", "AES-128-CFB",
                                    "AES-128-ECB", "AES-256-ECB", "AES-128-XTS", "AES-256-XTS"};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    test_lengths(all[i]);
  test_record();
  pair_close();
  return t_done();
}
