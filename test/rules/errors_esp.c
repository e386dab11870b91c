/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* RFC 4106, RFC 4543 and batches: every error a call can give, exactly; and that they are GCM beneath. */
#include "t.h"

enum { N = 64 };
static uint8_t out[N], tag[16];

#define REFUSED(want, call) CHECK_REFUSED(want, call, out, tag)

static void test_esp_init(int impl) {
  T_AT("impl %zu esp init", impl);
  rijn_esp_key key;
  uint8_t raw[48];
  t_fill(raw, sizeof raw);
  INIT_REFUSED(RIJN_ENULL, &key, rijn_rfc4106_init_impl(NULL, raw, 20, 16, impl));
  INIT_REFUSED(RIJN_ENULL, &key, rijn_rfc4106_init_impl(&key, NULL, 20, 16, impl));
  INIT_REFUSED(RIJN_EKEYLEN, &key, rijn_rfc4106_init_impl(&key, NULL, 0, 16, impl));
  INIT_REFUSED(RIJN_ENULL, &key, rijn_rfc4543_init_impl(NULL, raw, 20, impl));
  INIT_REFUSED(RIJN_ENULL, &key, rijn_rfc4543_init_impl(&key, NULL, 20, impl));
  for (size_t n = 0; n <= 44; n++)
    if (n != 20 && n != 28 && n != 36) {
      INIT_REFUSED(RIJN_EKEYLEN, &key, rijn_rfc4106_init_impl(&key, raw, n, 16, impl));
      INIT_REFUSED(RIJN_EKEYLEN, &key, rijn_rfc4543_init_impl(&key, raw, n, impl));
      INIT_REFUSED(RIJN_EKEYLEN, &key, rijn_rfc4106_init(&key, raw, n, 16));
      INIT_REFUSED(RIJN_EKEYLEN, &key, rijn_rfc4543_init(&key, raw, n));
    }
  for (size_t n = 0; n <= 17; n++)
    if (n == 8 || n == 12 || n == 16)
      CHECK_EQ(rijn_rfc4106_init_impl(&key, raw, 28, n, impl), 0);
    else
      INIT_REFUSED(RIJN_ETAGLEN, &key, rijn_rfc4106_init_impl(&key, raw, 28, n, impl));
  INIT_REFUSED(RIJN_EIMPL, &key, rijn_rfc4106_init_impl(&key, raw, 20, 16, -1));
  INIT_REFUSED(RIJN_EIMPL, &key, rijn_rfc4106_init_impl(&key, raw, 20, 16, rijn_impl_count()));
  INIT_REFUSED(RIJN_EIMPL, &key, rijn_rfc4543_init_impl(&key, raw, 20, -1));
  INIT_REFUSED(RIJN_EIMPL, &key, rijn_rfc4543_init_impl(&key, raw, 20, rijn_impl_count()));
  /* Without an implementation: the key of the chosen one. */
  rijn_esp_key want;
  memset(&key, 0, sizeof key);
  memset(&want, 0, sizeof want);
  CHECK_EQ(rijn_rfc4106_init(&key, raw, 36, 8), 0);
  CHECK_EQ(rijn_rfc4106_init_impl(&want, raw, 36, 8, rijn_impl_chosen()), 0);
  CHECK_MEM(&key, &want, sizeof key);
  CHECK_EQ(rijn_rfc4543_init(&key, raw, 36), 0);
  CHECK_EQ(rijn_rfc4543_init_impl(&want, raw, 36, rijn_impl_chosen()), 0);
  CHECK_MEM(&key, &want, sizeof key);
  rijn_esp_wipe(&key);
  CHECK_ALL(&key, 0, sizeof key);
  rijn_esp_wipe(NULL);
}

static void test_rfc4106(int impl, size_t key_len, size_t tag_len, size_t aad_len) {
  T_AT("impl %zu rfc4106 key %zu tag %zu aad %zu", impl, key_len, tag_len, aad_len);
  rijn_esp_key key, dead, mac;
  rijn_gcm_key gcm;
  uint8_t raw[36], nonce[12], in[N], aad[16], ct[N], want[16];
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  t_fill(in, sizeof in);
  t_fill(aad, sizeof aad);
  memcpy(nonce, raw + key_len, 4);
  memset(&dead, 0, sizeof dead);
  CHECK_EQ(rijn_rfc4106_init_impl(&key, raw, key_len + 4, tag_len, impl), 0);
  CHECK_EQ(rijn_rfc4543_init_impl(&mac, raw, key_len + 4, impl), 0);
  CHECK_EQ(rijn_gcm_init_impl(&gcm, raw, key_len, tag_len, impl), 0);

  for (size_t len = 0; len <= N; len += 7) {
    CHECK_EQ(rijn_gcm_encrypt(&gcm, ct, in, len, aad, aad_len, nonce, 12, want), 0);
    memset(tag, T_POISON, 16);
    CHECK_EQ(rijn_rfc4106_encrypt(&key, out, in, len, aad, aad_len, nonce + 4, tag), 0);
    CHECK_MEM(out, ct, len);
    CHECK_MEM(tag, want, tag_len);
    CHECK_ALL(tag + tag_len, T_POISON, 16 - tag_len);
    CHECK_EQ(rijn_rfc4106_decrypt(&key, out, out, len, aad, aad_len, nonce + 4, tag), 0);
    CHECK_MEM(out, in, len);
    tag[tag_len - 1] ^= 1;
    CHECK_EQ(rijn_rfc4106_decrypt(&key, out, ct, len, aad, aad_len, nonce + 4, tag), RIJN_EAUTH);
    CHECK_ALL(out, 0, len);
  }

  for (size_t n = 0; n <= 16; n++)
    if (n != 8 && n != 12) {
      REFUSED(RIJN_EAADLEN, rijn_rfc4106_encrypt(&key, out, in, 9, aad, n, nonce + 4, tag));
      REFUSED(RIJN_EAADLEN, rijn_rfc4106_decrypt(&key, out, in, 9, aad, n, nonce + 4, tag));
    }
  REFUSED(RIJN_EAADLEN, rijn_rfc4106_encrypt(&key, out, in, 9, NULL, 0, nonce + 4, tag));
  const rijn_esp_key *no_key[] = {NULL, &dead, &mac};
  for (int i = 0; i < 3; i++) {
    int err = i == 0 ? RIJN_ENULL : RIJN_ESTATE;
    REFUSED(err, rijn_rfc4106_encrypt(no_key[i], out, in, 9, aad, aad_len, nonce + 4, tag));
    REFUSED(err, rijn_rfc4106_decrypt(no_key[i], out, in, 9, aad, aad_len, nonce + 4, tag));
  }
  REFUSED(RIJN_ENULL, rijn_rfc4106_encrypt(&key, NULL, in, 9, aad, aad_len, nonce + 4, tag));
  REFUSED(RIJN_ENULL, rijn_rfc4106_encrypt(&key, out, NULL, 9, aad, aad_len, nonce + 4, tag));
  REFUSED(RIJN_ENULL, rijn_rfc4106_encrypt(&key, out, in, 9, NULL, aad_len, nonce + 4, tag));
  REFUSED(RIJN_ENULL, rijn_rfc4106_encrypt(&key, out, in, 9, aad, aad_len, NULL, tag));
  REFUSED(RIJN_ENULL, rijn_rfc4106_encrypt(&key, out, in, 9, aad, aad_len, nonce + 4, NULL));
  REFUSED(RIJN_ENULL, rijn_rfc4106_decrypt(&key, NULL, in, 9, aad, aad_len, nonce + 4, tag));
  REFUSED(RIJN_ENULL, rijn_rfc4106_decrypt(&key, out, in, 9, aad, aad_len, NULL, tag));
  REFUSED(RIJN_ENULL, rijn_rfc4106_decrypt(&key, out, in, 9, aad, aad_len, nonce + 4, NULL));
  REFUSED(RIJN_EOVERLAP, rijn_rfc4106_encrypt(&key, out, out + 1, 9, aad, aad_len, nonce + 4, tag));
  REFUSED(RIJN_EOVERLAP, rijn_rfc4106_decrypt(&key, out + 8, out, 9, aad, aad_len, nonce + 4, tag));
#if SIZE_MAX > UINT32_MAX
  const size_t over = (size_t)RIJN_GCM_MAX_LEN + 1;
  REFUSED(RIJN_ELEN, rijn_rfc4106_encrypt(&key, out, out, over, aad, aad_len, nonce + 4, tag));
  REFUSED(RIJN_ELEN, rijn_rfc4106_decrypt(&key, out, out, over, aad, aad_len, nonce + 4, tag));
#endif
}

static void test_rfc4543(int impl, size_t key_len) {
  T_AT("impl %zu rfc4543 key %zu", impl, key_len);
  rijn_esp_key key, dead, enc;
  rijn_gcm_key gcm;
  uint8_t raw[36], nonce[12], in[N], want[16];
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  t_fill(in, sizeof in);
  memcpy(nonce, raw + key_len, 4);
  memset(&dead, 0, sizeof dead);
  CHECK_EQ(rijn_rfc4543_init_impl(&key, raw, key_len + 4, impl), 0);
  CHECK_EQ(rijn_rfc4106_init_impl(&enc, raw, key_len + 4, 16, impl), 0);
  CHECK_EQ(rijn_gcm_init_impl(&gcm, raw, key_len, 16, impl), 0);
  for (size_t len = 0; len <= N; len += 5) {
    CHECK_EQ(rijn_gmac(&gcm, in, len, nonce, 12, want), 0);
    CHECK_EQ(rijn_rfc4543_tag(&key, in, len, nonce + 4, tag), 0);
    CHECK_MEM(tag, want, 16);
    CHECK_EQ(rijn_rfc4543_verify(&key, in, len, nonce + 4, tag), 0);
    tag[len % 16] ^= 4;
    CHECK_EQ(rijn_rfc4543_verify(&key, in, len, nonce + 4, tag), RIJN_EAUTH);
  }
  const rijn_esp_key *no_key[] = {NULL, &dead, &enc};
  for (int i = 0; i < 3; i++) {
    int err = i == 0 ? RIJN_ENULL : RIJN_ESTATE;
    REFUSED(err, rijn_rfc4543_tag(no_key[i], in, N, nonce + 4, tag));
    REFUSED(err, rijn_rfc4543_verify(no_key[i], in, N, nonce + 4, tag));
  }
  REFUSED(RIJN_ENULL, rijn_rfc4543_tag(&key, NULL, N, nonce + 4, tag));
  REFUSED(RIJN_ENULL, rijn_rfc4543_tag(&key, in, N, NULL, tag));
  REFUSED(RIJN_ENULL, rijn_rfc4543_tag(&key, in, N, nonce + 4, NULL));
  REFUSED(RIJN_ENULL, rijn_rfc4543_verify(&key, NULL, N, nonce + 4, tag));
  REFUSED(RIJN_ENULL, rijn_rfc4543_verify(&key, in, N, NULL, tag));
  REFUSED(RIJN_ENULL, rijn_rfc4543_verify(&key, in, N, nonce + 4, NULL));
#if SIZE_MAX > UINT32_MAX
  REFUSED(RIJN_EAADLEN, rijn_rfc4543_tag(&key, in, (size_t)1 << 61, nonce + 4, tag));
  REFUSED(RIJN_EAADLEN, rijn_rfc4543_verify(&key, in, (size_t)1 << 61, nonce + 4, tag));
#endif
}

/* ---------------------------------------------------------------- batches */

enum { MSGS = 37 };

static void test_batch(int impl) {
  T_AT("impl %zu batch", impl);
  static rijn_gcm_key keys[3], dead;
  static uint8_t in[MSGS][N], ct[MSGS][N], back[MSGS][N], tags[MSGS][16], nonces[MSGS][16], aad[MSGS][N];
  rijn_gcm_msg m[MSGS];
  uint8_t raw[32];
  t_fill(raw, sizeof raw);
  for (size_t k = 0; k < 3; k++)
    CHECK_EQ(rijn_gcm_init_impl(&keys[k], raw, 16 + 8 * k, k == 1 ? 12 : 16, impl), 0);
  t_fill(in, sizeof in);
  t_fill(nonces, sizeof nonces);
  t_fill(aad, sizeof aad);
  memset(ct, T_POISON, sizeof ct);
  for (size_t i = 0; i < MSGS; i++)
    m[i] = (rijn_gcm_msg){sizeof m[i], &keys[i % 3],           ct[i],   in[i], i * 5 % (N + 1), aad[i], i * 3 % (N + 1),
                          nonces[i],   i % 4 == 0 ? 16u : 12u, tags[i], 77};

  CHECK_EQ(rijn_gcm_encrypt_batch(NULL, 0), 0);
  CHECK_EQ(rijn_gcm_decrypt_batch(NULL, 0), 0);
  CHECK_EQ(rijn_gcm_encrypt_batch(NULL, 1), RIJN_ENULL);
  CHECK_EQ(rijn_gcm_decrypt_batch(NULL, 1), RIJN_ENULL);
  CHECK_EQ(rijn_gcm_encrypt_batch(NULL, RIJN_BATCH_MAX), RIJN_ENULL); /* on the limit the next rule refuses */
  CHECK_EQ(rijn_gcm_encrypt_batch(m, RIJN_BATCH_MAX + 1), RIJN_ELEN);
  CHECK_EQ(rijn_gcm_decrypt_batch(m, SIZE_MAX), RIJN_ELEN);
  for (size_t bad = 0; bad < MSGS; bad += MSGS - 1)
    for (int d = -1; d <= 1; d += 2) { /* one descriptor of another size, first or last: nothing at all is done */
      m[bad].size += (size_t)d;
      CHECK_EQ(rijn_gcm_encrypt_batch(m, MSGS), RIJN_ESTRUCT);
      CHECK_EQ(rijn_gcm_decrypt_batch(m, MSGS), RIJN_ESTRUCT);
      m[bad].size -= (size_t)d;
    }
  CHECK_ALL(ct, T_POISON, sizeof ct);
  for (size_t i = 0; i < MSGS; i++)
    CHECK_EQ(m[i].result, 77);

  CHECK_EQ(rijn_gcm_encrypt_batch(m, MSGS), 0);
  for (size_t i = 0; i < MSGS; i++) {
    T_AT("impl %zu batch message %zu", impl, i);
    uint8_t want[N], want_tag[16];
    CHECK_EQ(m[i].result, 0);
    CHECK_EQ(
        rijn_gcm_encrypt(m[i].key, want, in[i], m[i].len, aad[i], m[i].aad_len, nonces[i], m[i].nonce_len, want_tag),
        0);
    CHECK_MEM(ct[i], want, m[i].len);
    CHECK_ALL(ct[i] + m[i].len, T_POISON, N - m[i].len);
    CHECK_MEM(tags[i], want_tag, rijn_gcm_tag_len(m[i].key));
  }

  /* Bad ones among good ones, in place and apart. */
  memset(back, T_POISON, sizeof back);
  for (size_t i = 0; i < MSGS; i++) {
    m[i].in = ct[i];
    m[i].out = i % 2 == 0 ? back[i] : ct[i];
    m[i].result = 77;
  }
  int want[MSGS] = {0};
  tags[3][0] ^= 1, want[3] = RIJN_EAUTH;
  tags[8][11] ^= 0x40, want[8] = RIJN_EAUTH;
  m[10].key = &dead, want[10] = RIJN_ESTATE;
  m[11].key = NULL, want[11] = RIJN_ENULL;
  m[12].nonce_len = 0, want[12] = RIJN_ENONCELEN;
  m[14].out = ct[14] + 1, want[14] = RIJN_EOVERLAP;
  m[15].tag = NULL, want[15] = RIJN_ENULL;
  m[16].in = NULL, want[16] = RIJN_ENULL;
  REQUIRE(m[14].len > 1 && m[16].len > 0);
  CHECK_EQ(rijn_gcm_decrypt_batch(m, MSGS), 8);
  for (size_t i = 0; i < MSGS; i++) {
    T_AT("impl %zu batch message %zu", impl, i);
    CHECK_EQ(m[i].result, want[i]);
    if (want[i] == 0)
      CHECK_MEM(m[i].out, in[i], m[i].len);
    if (want[i] == RIJN_EAUTH)
      CHECK_ALL(m[i].out, 0, m[i].len);
    if (want[i] != 0 && want[i] != RIJN_EAUTH && i % 2 == 0)
      CHECK_ALL(back[i], T_POISON, N);
  }
}

/* An ESP key for the calls of GCM: a batch, a list of buffers and the tag behind the text give what RFC 4106's own call
 * gives, and no other key is given away. */
static void test_as_gcm(int impl, size_t key_len, size_t tag_len) {
  static rijn_esp_key key, gmac, dead;
  uint8_t raw[36], text[100], want[116], got[116], aad[8], explicit_part[RIJN_ESP_NONCE_LEN], nonce[12], untouched[12];
  T_AT("as gcm: key %zu tag %zu", key_len, tag_len);
  t_fill(raw, sizeof raw);
  t_fill(text, sizeof text);
  t_fill(aad, sizeof aad);
  t_fill(explicit_part, sizeof explicit_part);
  REQUIRE(rijn_rfc4106_init_impl(&key, raw, key_len + 4, tag_len, impl) == 0);
  REQUIRE(rijn_rfc4543_init_impl(&gmac, raw, key_len + 4, impl) == 0);
  CHECK_EQ(rijn_rfc4106_encrypt(&key, want, text, 100, aad, 8, explicit_part, want + 100), 0);
  const rijn_gcm_key *gcm = rijn_rfc4106_gcm_key(&key);
  REQUIRE(gcm != NULL);
  CHECK_EQ(rijn_gcm_tag_len(gcm), tag_len);
  CHECK_EQ(rijn_rfc4106_nonce(nonce, &key, explicit_part), 0);
  CHECK_MEM(nonce, raw + key_len, 4);
  CHECK_MEM(nonce + 4, explicit_part, 8);
  CHECK_EQ(rijn_gcm_seal(gcm, got, text, 100, aad, 8, nonce, 12), 0);
  CHECK_MEM(got, want, 100 + tag_len);
  rijn_gcm_msg msg = RIJN_GCM_MSG_INIT;
  memset(got, 0, sizeof got);
  msg.key = gcm;
  msg.out = got;
  msg.in = text;
  msg.len = 100;
  msg.aad = aad;
  msg.aad_len = 8;
  msg.nonce = nonce;
  msg.nonce_len = RIJN_GCM_NONCE_LEN;
  msg.tag = got + 100;
  CHECK_EQ(rijn_gcm_encrypt_batch(&msg, 1), 0);
  CHECK_MEM(got, want, 100 + tag_len);
  const rijn_iov in[2] = {{text, 33}, {text + 33, 67}}, whole = {got, 100}, data = {aad, 8};
  memset(got, 0, sizeof got);
  CHECK_EQ(rijn_gcm_encrypt_iov(gcm, &whole, 1, in, 2, &data, 1, nonce, 12, got + 100), 0);
  CHECK_MEM(got, want, 100 + tag_len);

  CHECK(rijn_rfc4106_gcm_key(NULL) == NULL && rijn_rfc4106_gcm_key(&dead) == NULL);
  CHECK(rijn_rfc4106_gcm_key(&gmac) == NULL);
  memcpy(untouched, nonce, 12);
  CHECK_EQ(rijn_rfc4106_nonce(NULL, &key, explicit_part), RIJN_ENULL);
  CHECK_EQ(rijn_rfc4106_nonce(nonce, NULL, explicit_part), RIJN_ENULL);
  CHECK_EQ(rijn_rfc4106_nonce(nonce, &key, NULL), RIJN_ENULL);
  CHECK_EQ(rijn_rfc4106_nonce(nonce, &dead, explicit_part), RIJN_ESTATE);
  CHECK_EQ(rijn_rfc4106_nonce(nonce, &gmac, explicit_part), RIJN_ESTATE);
  CHECK_MEM(nonce, untouched, 12);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  T_IMPLS(i) {
    test_esp_init(i);
    for (size_t key_len = 16; key_len <= 32; key_len += 8) {
      for (size_t tag_len = 8; tag_len <= 16; tag_len += 4)
        for (size_t aad_len = 8; aad_len <= 12; aad_len += 4)
          test_rfc4106(i, key_len, tag_len, aad_len);
      test_rfc4543(i, key_len);
      for (size_t tag_len = 8; tag_len <= 16; tag_len += 4)
        test_as_gcm(i, key_len, tag_len);
    }
    test_batch(i);
  }
  return t_done();
}
