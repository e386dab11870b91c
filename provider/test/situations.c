/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Orders of calls that went wrong elsewhere, or that a well-known program has: each beside the default provider, the
 * same calls in the same order. Run with the system's OpenSSL and with newer ones. */
#include <openssl/prov_ssl.h>
#include <pthread.h>

#include "pair.h"

static uint8_t text[4096], key[32], iv[200], aad[64];

/* DuckDB's httpfs: the IV's length told to any cipher, key and IV in a second init, associated data by an update, the
 * tag set behind the text. */
static void duckdb(const char *name) {
  struct pair p;
  bool gcm = strstr(name, "GCM") != NULL;
  uint8_t tag[16], sealed[1000];
  int n = strstr(name, "CBC") != NULL ? 992 : 1000;
  T_AT("%zu bytes", n);
  for (int iv_len = 12; iv_len <= 16; iv_len += 4) {
    pair_fetch(&p, name);
    CHECK(pair_init(&p, NULL, NULL, 1));
    pair_ctrl_set(&p, EVP_CTRL_GCM_SET_IVLEN, iv_len, NULL, 0);
    CHECK(pair_init(&p, key, iv, 1));
    if (gcm)
      CHECK(pair_update(&p, aad, 20, false, false));
    CHECK(pair_update(&p, text, n, true, false));
    memcpy(sealed, p.mine, (size_t)n);
    CHECK(pair_final(&p));
    if (gcm)
      CHECK(pair_ctrl_get(&p, EVP_CTRL_GCM_GET_TAG, 16, tag, 16));
    pair_free(&p);
    pair_fetch(&p, name);
    CHECK(pair_init(&p, NULL, NULL, 0));
    pair_ctrl_set(&p, EVP_CTRL_GCM_SET_IVLEN, iv_len, NULL, 0);
    CHECK(pair_init(&p, key, iv, 0));
    if (gcm)
      CHECK(pair_update(&p, aad, 20, false, false));
    CHECK(pair_update(&p, sealed, n, true, false));
    if (gcm)
      CHECK(pair_ctrl_set(&p, EVP_CTRL_GCM_SET_TAG, 16, tag, 16));
    pair_final(&p);
    pair_free(&p);
  }
}

/* The IV's length set to what it is, and to others, with copies in between: which IV is left then. */
static void iv_lengths(void) {
  static const int lens[] = {16, 12, 200, 12, 8, 1, 128, 0, -1};
  enum { LENS = sizeof lens / sizeof lens[0] };
  for (int a = 0; a < LENS; a++)
    for (int b = 0; b < LENS; b++)
      for (int how = 0; how < 8; how++) {
        struct pair p;
        uint8_t got[16];
        T_AT("%zu, then %zu, how %zu", a, b, how);
        pair_fetch(&p, "AES-256-GCM");
        CHECK(pair_init(&p, key, iv, 1));
        pair_ctrl_set(&p, EVP_CTRL_AEAD_SET_IVLEN, lens[a], NULL, 0);
        if (how & 1)
          CHECK(pair_copy(&p));
        pair_ctrl_set(&p, EVP_CTRL_AEAD_SET_IVLEN, lens[b], NULL, 0);
        if (how & 2)
          CHECK(pair_copy(&p));
        if (how & 4)
          CHECK(pair_init(&p, NULL, iv, 1));
        size_t n;
        CHECK(pair_get_size(&p, OSSL_CIPHER_PARAM_IVLEN, &n));
        /* Where the length changed and no IV came since, the default provider makes one up (and ours refuses): then no
         * two answers are alike. */
        if ((how & 4) || n == 12) {
          if (pair_update(&p, text, 100, true, false) && pair_final(&p))
            pair_ctrl_get(&p, EVP_CTRL_AEAD_GET_TAG, 16, got, 16);
        }
        pair_free(&p);
        ERR_clear_error();
      }
}

/* More bytes of an IV than there are, none, and less than none: no byte beyond is read, and both answer alike. */
static void inverse(void) {
  static const int args[] = {INT32_MIN, -65536, -2, -1, 0, 1, 7, 8, 9, 11, 12, 13, 16, 17, 63, 64};
  for (size_t i = 0; i < sizeof args / sizeof args[0]; i++)
    for (int enc = 0; enc < 2; enc++) {
      struct pair p;
      int n = args[i], r[2];
      T_AT("argument %zu, enc %zu", n, enc);
      pair_fetch(&p, "AES-128-GCM");
      CHECK(pair_init(&p, NULL, NULL, enc));
      CHECK(pair_init(&p, key, iv, enc));
      CHECK(pair_ctrl_set(&p, EVP_CTRL_GCM_SET_IV_FIXED, -1, iv, 12));
      t_buf b = t_buf_new(64);
      uint8_t *last = t_end(&b, n > 0 && n <= 64 ? (size_t)n : 0); /* behind it is a page that cannot be touched */
      /* WHY ours alone beyond the IV: the default provider writes as many bytes, ahead of the IV's own. */
      for (int s = n > 12 ? OURS : REF; s <= OURS; s++)
        r[s] = EVP_CIPHER_CTX_ctrl(p.ctx[s], EVP_CTRL_GCM_SET_IV_INV, n, n > 0 && n <= 64 ? last : iv) > 0;
      CHECK_EQ(r[OURS], n > 12 ? 0 : r[REF]);
      t_buf_free(&b);
      pair_free(&p);
      ERR_clear_error();
    }
}

/* A context copied between a record of CBC in TLS and the question for its MAC; freed in both orders. */
static void record_copied(void) {
  for (int order = 0; order < 2; order++) {
    struct pair p;
    uint8_t made[96] = {0};
    unsigned version = TLS1_2_VERSION;
    size_t mac_len = 20;
    pair_fetch(&p, "AES-128-CBC");
    OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
                           OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &mac_len), OSSL_PARAM_END};
    CHECK(pair_init(&p, key, iv, 1) && pair_update(&p, text, 75, true, false));
    CHECK(pair_init_params(&p, key, iv, 1, params));
    CHECK(pair_update(&p, text, 75, true, true));
    memcpy(made, p.mine, 80);
    CHECK(pair_init_params(&p, key, iv, 0, params) && pair_update(&p, made, 80, true, true));
    for (int s = REF; s <= OURS; s++) {
      EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
      const uint8_t *mac = NULL, *second = NULL;
      OSSL_PARAM ask[] = {OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, (void **)(uintptr_t)&mac, mac_len),
                          OSSL_PARAM_END};
      OSSL_PARAM again[] = {
          OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, (void **)(uintptr_t)&second, mac_len),
          OSSL_PARAM_END};
      CHECK(EVP_CIPHER_CTX_get_params(p.ctx[s], ask) == 1 && mac != NULL);
      CHECK_MEM(mac, text + 55, mac_len);
      if (s == OURS) { /* the default provider's copy shares the buffer, which is the fault that was reported */
        CHECK(EVP_CIPHER_CTX_copy(copy, p.ctx[s]) == 1 && EVP_CIPHER_CTX_get_params(copy, again) == 1 &&
              second != NULL);
        CHECK(second != mac);
        CHECK_MEM(second, text + 55, mac_len);
        if (order) {
          EVP_CIPHER_CTX_free(p.ctx[s]);
          p.ctx[s] = copy;
          copy = NULL;
        }
      }
      EVP_CIPHER_CTX_free(copy);
    }
    pair_free(&p);
  }
}

/* Many threads make the first context of a process at once, while its known answers run. */
static EVP_CIPHER *shared;
static void *first_use(void *arg) {
  uint8_t out[64], tag[16];
  int n;
  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
  bool ok = EVP_CipherInit_ex2(c, shared, key, iv, 1, NULL) == 1 && EVP_CipherUpdate(c, out, &n, text, 64) == 1 &&
            EVP_CipherFinal_ex(c, out, &n) == 1 && one_get_tag(c, tag, 16) == 1;
  memcpy(arg, tag, 16);
  EVP_CIPHER_CTX_free(c);
  return ok ? NULL : "refused";
}
static void threads(void) {
  enum { N = 64 };
  static uint8_t tags[N][16];
  pthread_t id[N];
  shared = EVP_CIPHER_fetch(pair_lib[OURS], "AES-192-GCM", "provider=rijn"); /* nobody has used it yet */
  for (size_t i = 0; i < N; i++)
    REQUIRE(pthread_create(&id[i], NULL, first_use, tags[i]) == 0);
  for (size_t i = 0; i < N; i++) {
    void *said = "?";
    REQUIRE(pthread_join(id[i], &said) == 0);
    CHECK(said == NULL);
    CHECK_MEM(tags[i], tags[0], 16);
  }
  EVP_CIPHER_free(shared);
}

/* SQLCipher: the cipher fetched anew for each page of 4 KiB, no padding, its own IV. */
static void pages(void) {
  for (int i = 0; i < 200; i++) {
    struct pair p;
    T_AT("page %zu", i);
    t_fill(iv, 16);
    pair_fetch(&p, "AES-256-CBC");
    CHECK(pair_init(&p, NULL, NULL, i % 2));
    for (int s = REF; s <= OURS; s++)
      CHECK(EVP_CIPHER_CTX_set_padding(p.ctx[s], 0) == 1);
    CHECK(pair_init(&p, key, iv, i % 2) && pair_update(&p, text, 4016, true, i % 3 == 0) && pair_final(&p));
    pair_free(&p);
  }
}

/* Web Crypto's CTR with a counter of n bits is done by Node as two runs: up to where it wraps, and from there on with
 * the counter's bits zero and the prefix as it was. */
static void wraps(void) {
  for (int bits = 1; bits <= 128; bits += bits < 8 ? 1 : 15) {
    struct pair p;
    uint8_t ctr[16];
    T_AT("a counter of %zu bits", bits);
    t_fill(ctr, sizeof ctr);
    for (int half = 0; half < 2; half++) {
      for (int b = 0; b < bits; b++) {
        uint8_t bit = (uint8_t)(1u << b % 8);
        ctr[15 - b / 8] = (uint8_t)(half ? ctr[15 - b / 8] & ~bit : ctr[15 - b / 8] | bit);
      }
      pair_fetch(&p, "AES-128-CTR");
      CHECK(pair_init(&p, key, ctr, 1) && pair_update(&p, text, half ? 100 : 16, true, false) && pair_final(&p));
      pair_free(&p);
    }
  }
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  pair_open(RIJN_MODULES, RIJN_ALL_MODES_CNF);
  t_fill(text, sizeof text);
  t_fill(key, sizeof key);
  t_fill(iv, sizeof iv);
  t_fill(aad, sizeof aad);
  threads();
  duckdb("AES-256-GCM");
  duckdb("AES-256-CTR");
  duckdb("AES-256-CBC");
  iv_lengths();
  inverse();
  record_copied();
  pages();
  wraps();
  pair_close();
  return t_done();
}
