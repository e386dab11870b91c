/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The records of CBC in TLS 1.0 to 1.2 and DTLS, whose padding the cipher takes off, against the default provider. */
#include <openssl/prov_ssl.h>

#include "pair.h"

static uint8_t text[PAIR_MAX], back[PAIR_MAX + 32], key[64], iv[16];

static void tls(struct pair *p, unsigned version, size_t mac) {
  for (int s = REF; s <= OURS; s++) {
    OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
                           OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &mac), OSSL_PARAM_END};
    CHECK(EVP_CIPHER_CTX_set_params(p->ctx[s], params) == 1);
  }
}

/* Records of CBC in TLS: right ones, wrong padding of every kind, too short ones. A wrong one is told by its MAC alone,
 * which is random: only its length can be compared. */
static void test_tls_cbc(const char *name) {
  static const unsigned versions[] = {TLS1_VERSION, TLS1_1_VERSION, TLS1_2_VERSION, DTLS1_VERSION, DTLS1_2_VERSION};
  static const size_t macs[] = {0, 20, 32, 48};
  struct pair e, d;
  pair_fetch(&e, name);
  pair_fetch(&d, name);
  for (int i = 0; i < (int)pair_rounds(3000); i++) {
    unsigned version = versions[t_below(5)];
    size_t mac = macs[t_below(4)], explicit_iv = version == TLS1_VERSION ? 0 : 16;
    size_t n = explicit_iv + t_below(i % 10 ? 300 : 3000) + mac, made;
    static uint8_t rec[PAIR_MAX];
    const uint8_t *sent = text + n - mac;
    T_AT("record %zu of %zu, mac %zu, version %zu", i, n, mac, version);
    t_fill(key, sizeof key);
    CHECK(pair_init(&e, key, iv, 1) && pair_init(&d, key, iv, 0));
    tls(&e, version, mac);
    tls(&d, version, mac);
    if (i % 3 == 0) {
      /* As libssl makes it: the buffer has room for the padding. */
      for (int s = REF; s <= OURS; s++) {
        uint8_t *buf = s == REF ? e.out : e.mine;
        int got = -1;
        memcpy(buf, text, n);
        CHECK(EVP_CipherUpdate(e.ctx[s], buf, &got, buf, (int)n) == 1);
        CHECK_EQ(got, n - n % 16 + 16);
      }
      made = n - n % 16 + 16;
      CHECK_MEM(e.mine, e.out, made);
      memcpy(rec, e.mine, made);
    } else {
      /* With longer padding, right or wrong; encrypted by hand. */
      EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
      made = (n + 1 + t_below(256) + 15) / 16 * 16;
      size_t pad = made - n - 1;
      int got = 0;
      memcpy(back, text, n);
      if (pad > 255) { /* then what the MAC is lies in the padding */
        pad = 255;
        sent = back + made - pad - 1 - mac;
      }
      memset(back + n, (int)pad, made - n);
      if (i % 3 == 2)
        back[made - 1 - t_below(t_below(2) ? pad + 1 : made)] ^= (uint8_t)t_between(1, 255);
      CHECK(EVP_CipherInit_ex2(c, e.cipher[REF], key, iv, 1, NULL) == 1 && EVP_CIPHER_CTX_set_padding(c, 0) == 1 &&
            EVP_CipherUpdate(c, rec, &got, back, (int)made) == 1);
      EVP_CIPHER_CTX_free(c);
    }
    if (i % 20 == 19)
      made = t_below(made + 1);
    if (made == 0)
      continue;
    int r[2], got[2] = {0, 0};
    uint8_t *mine[2] = {NULL, NULL};
    for (int s = REF; s <= OURS; s++) {
      uint8_t *buf = s == REF ? d.out : d.mine;
      memcpy(buf, rec, made);
      r[s] = EVP_CipherUpdate(d.ctx[s], buf, &got[s], buf, (int)made);
      OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, (void **)&mine[s], mac),
                             OSSL_PARAM_END};
      if (r[s] > 0)
        CHECK(EVP_CIPHER_CTX_get_params(d.ctx[s], params) == 1);
    }
    CHECK_EQ(r[OURS] > 0, r[REF] > 0);
    ERR_clear_error();
    if (r[OURS] <= 0 || r[REF] <= 0)
      continue;
    CHECK_EQ(got[OURS], got[REF]);
    CHECK_MEM(d.mine, d.out, explicit_iv + (size_t)got[REF]);
    if (i % 3 != 2 && mac != 0 && made % 16 == 0) {
      CHECK(mine[REF] != NULL && mine[OURS] != NULL);
      if (i % 20 != 19) {
        CHECK_MEM(mine[OURS], mine[REF], mac);
        CHECK_MEM(mine[OURS], sent, mac);
      }
    }
  }
  CHECK(!pair_final(&e)); /* records have no end of their own */
  pair_free(&e);
  pair_free(&d);
}

/* Deciphers back, made bytes of a record of TLS 1.0 without an explicit IV, on both: the text's lengths, and the
 * MACs. */
static void tls_open(struct pair *d, size_t made, size_t mac, int got[2], uint8_t *mine[2]) {
  uint8_t rec[512];
  int n = 0;
  t_fill(key, sizeof key);
  CHECK(pair_init(d, key, iv, 0));
  tls(d, TLS1_VERSION, mac);
  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
  CHECK(EVP_CipherInit_ex2(c, d->cipher[REF], key, iv, 1, NULL) == 1 && EVP_CIPHER_CTX_set_padding(c, 0) == 1 &&
        EVP_CipherUpdate(c, rec, &n, back, (int)made) == 1);
  EVP_CIPHER_CTX_free(c);
  for (int s = REF; s <= OURS; s++) {
    uint8_t *buf = s == REF ? d->out : d->mine;
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, (void **)&mine[s], mac),
                           OSSL_PARAM_END};
    memcpy(buf, rec, made);
    CHECK(EVP_CipherUpdate(d->ctx[s], buf, &got[s], buf, (int)made) == 1);
    CHECK(EVP_CIPHER_CTX_get_params(d->ctx[s], params) == 1 && mine[s] != NULL);
  }
}

/* Every byte of a padding of every length is looked at. */
static void test_tls_padding(const char *name) {
  enum { MADE = 288, MAC = 20 };
  struct pair d;
  pair_fetch(&d, name);
  for (size_t pad = 0; pad < 256; pad += pad < 250 ? 25 : 1)
    for (size_t at = 1; at <= pad + 1; at++) { /* the last is no padding any more */
      uint8_t *mine[2] = {NULL, NULL};
      int got[2] = {-1, -1};
      T_AT("padding %zu, byte %zu", pad, at);
      memset(back, 0x5a, MADE);
      memset(back + MADE - 1 - pad, (int)pad, pad + 1);
      back[MADE - 1 - at] ^= 0x80;
      tls_open(&d, MADE, MAC, got, mine);
      CHECK_EQ(got[REF], at <= pad ? MADE - MAC : MADE - MAC - 1 - pad);
      CHECK_EQ(got[OURS], got[REF]);
    }
  pair_free(&d);
}

/* Padding that leaves just room for the MAC, and padding that takes a byte or two of that room: each byte of it is
 * right, so that nothing but its length tells. */
static void test_tls_room(const char *name) {
  static const size_t macs[] = {20, 32, 48};
  struct pair d;
  pair_fetch(&d, name);
  for (size_t m = 0; m < 3; m++)
    for (size_t made = (macs[m] / 16 + 1) * 16; made < 256; made += 16)
      for (size_t left = 0; left < 5; left++) {
        const size_t mac = macs[m], pad = made - mac - 1 + 2 - left; /* left: 2 or more leave the MAC whole */
        uint8_t *mine[2] = {NULL, NULL};
        int got[2] = {-1, -1};
        if (pad >= made)
          continue;
        T_AT("record of %zu, mac %zu, padding %zu", made, mac, pad);
        memset(back, (int)pad, made);
        tls_open(&d, made, mac, got, mine);
        for (int s = REF; s <= OURS; s++) {
          CHECK_EQ(got[s],
                   left < 2 ? made - mac : left - 2); /* as if there were no padding; or what is before the MAC */
          CHECK_EQ(memcmp(mine[s], back, mac) == 0, left >= 2);
        }
      }
  pair_free(&d);
}

/* What is no record that can be taken: not in place, not with padding turned off. Nothing is written then. */
static void test_tls_refused(const char *name) {
  struct pair p;
  pair_fetch(&p, name);
  for (int enc = 0; enc < 2; enc++)
    for (int i = 0; i < 3; i++) {
      T_AT("enc %zu, case %zu", enc, i);
      CHECK(pair_init(&p, key, iv, enc));
      tls(&p, TLS1_2_VERSION, 0);
      for (int s = REF; s <= OURS; s++) {
        uint8_t in[96], out[96];
        int n = -1;
        CHECK(EVP_CIPHER_CTX_set_padding(p.ctx[s], i != 1) == 1);
        memset(in, 0, sizeof in); /* deciphered with no MAC, it has no right padding either */
        memset(out, T_POISON, sizeof out);
        CHECK(EVP_CipherUpdate(p.ctx[s], i == 0 ? out : i == 1 ? in : in + 1, &n, in, 64) != 1);
        CHECK_ALL(out, T_POISON, sizeof out);
        CHECK_ALL(in, 0, sizeof in);
        if (enc) { /* and with both as they should be, it is one */
          CHECK(EVP_CIPHER_CTX_set_padding(p.ctx[s], 1) == 1);
          CHECK(EVP_CipherUpdate(p.ctx[s], in, &n, in, 64) == 1 && n == 80);
        }
      }
    }
  pair_free(&p);
  ERR_clear_error();
}

int main(int argc, char **argv) {
  static const char *const names[] = {"AES-128-CBC", "AES-192-CBC", "AES-256-CBC"};
  t_init(argc, argv);
  pair_open(RIJN_MODULES, RIJN_ALL_MODES_CNF);
  t_fill(text, sizeof text);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    t_fill(key, sizeof key);
    test_tls_cbc(names[i]);
    test_tls_padding(names[i]);
    test_tls_room(names[i]);
    test_tls_refused(names[i]);
  }
  pair_close();
  return t_done();
}
