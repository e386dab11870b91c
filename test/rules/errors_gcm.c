/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* GCM, GMAC, batches, RFC 4106, RFC 4543, GHASH: every error a call can give, exactly, and nothing written by a
 * refusal. */
#include <limits.h>

#include "gcm.h"
#include "t.h"

enum { N = 48 };
static uint8_t out[N], tag[16];

/* The call is refused with this error and has written nothing. */
#define REFUSED(want, call) CHECK_REFUSED(want, call, out, tag)

static int crypt(bool enc, const rijn_gcm_key *key, void *o, const void *in, size_t len, const void *aad,
                 size_t aad_len, const void *nonce, size_t nonce_len, void *t) {
  return enc ? rijn_gcm_encrypt(key, o, in, len, aad, aad_len, nonce, nonce_len, t)
             : rijn_gcm_decrypt(key, o, in, len, aad, aad_len, nonce, nonce_len, t);
}

static void test_strerror(void) {
  for (int e = RIJN_ESTRUCT; e <= 0; e++) {
    REQUIRE(rijn_strerror(e) != NULL);
    CHECK(rijn_strerror(e)[0] != 0);
    for (int f = RIJN_ESTRUCT - 1; f < e; f++) /* each its own, and none that of an unknown one */
      CHECK(strcmp(rijn_strerror(e), rijn_strerror(f)) != 0);
  }
  CHECK(strcmp(rijn_strerror(1), rijn_strerror(INT_MIN)) == 0);
  CHECK(strcmp(rijn_strerror(INT_MAX), rijn_strerror(RIJN_ESTRUCT - 1)) == 0);
}

static bool tag_len_allowed(size_t n) { return n == 4 || n == 8 || (n >= 12 && n <= 16); }

static void test_init(int impl) {
  T_AT("impl %zu init", impl);
  uint8_t raw[80];
  t_fill(raw, sizeof raw);
  rijn_gcm_key key;
  INIT_REFUSED(RIJN_ENULL, &key, rijn_gcm_init_impl(NULL, raw, 16, 16, impl));
  INIT_REFUSED(RIJN_ENULL, &key, rijn_gcm_init_impl(&key, NULL, 16, 16, impl));
  INIT_REFUSED(RIJN_EKEYLEN, &key, rijn_gcm_init_impl(&key, NULL, 0, 16, impl));
  INIT_REFUSED(RIJN_ENULL, &key, rijn_gcm_init(NULL, raw, 16));
  INIT_REFUSED(RIJN_ENULL, &key, rijn_gcm_init_taglen(NULL, raw, 16, 16));
  for (size_t n = 0; n <= 70; n++)
    if (n != 16 && n != 24 && n != 32) {
      INIT_REFUSED(RIJN_EKEYLEN, &key, rijn_gcm_init_impl(&key, raw, n, 16, impl));
      INIT_REFUSED(RIJN_EKEYLEN, &key, rijn_gcm_init(&key, raw, n));
    }
  for (size_t n = 0; n <= 17; n++) {
    T_AT("impl %zu tag_len %zu", impl, n);
    if (tag_len_allowed(n)) {
      CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, n, impl), 0);
      CHECK_EQ(rijn_gcm_tag_len(&key), n);
      CHECK_EQ(rijn_gcm_key_impl(&key), impl);
      CHECK_EQ(rijn_gcm_init_taglen(&key, raw, 32, n), 0);
      CHECK_EQ(rijn_gcm_tag_len(&key), n);
      CHECK_EQ(rijn_gcm_key_impl(&key), rijn_impl_chosen());
    } else {
      INIT_REFUSED(RIJN_ETAGLEN, &key, rijn_gcm_init_impl(&key, raw, 16, n, impl));
      INIT_REFUSED(RIJN_ETAGLEN, &key, rijn_gcm_init_taglen(&key, raw, 16, n));
    }
  }
  CHECK_EQ(rijn_gcm_init(&key, raw, 24), 0);
  CHECK_EQ(rijn_gcm_tag_len(&key), 16);
  CHECK_EQ(rijn_gcm_key_impl(&key), rijn_impl_chosen());
  INIT_REFUSED(RIJN_ETAGLEN, &key, rijn_gcm_init_taglen(&key, raw, 16, SIZE_MAX));
  INIT_REFUSED(RIJN_ETAGLEN, &key, rijn_gcm_init_taglen(&key, raw, 16, 256 + 16)); /* not cut to a byte */
  const int none[] = {-1, RIJN_EIMPL, INT_MIN, rijn_impl_count(), INT_MAX, impl + 256};
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
    INIT_REFUSED(RIJN_EIMPL, &key, rijn_gcm_init_impl(&key, raw, 16, 16, none[i]));
  for (int i = 0; i < rijn_impl_count(); i++)
    if (!rijn_impl_supported(i))
      INIT_REFUSED(RIJN_EIMPL, &key, rijn_gcm_init_impl(&key, raw, 16, 16, i));
}

/* Every call that takes a key, with one that is none. */
static void dead_key(const rijn_gcm_key *key, int want) {
  uint8_t nonce[12] = {0}, in[N] = {0};
  rijn_gcm_stream s;
  rijn_iov i = {in, N}, o = {out, N};
  CHECK_EQ(rijn_gcm_key_impl(key), want);
  CHECK_EQ(rijn_gcm_tag_len(key), 0);
  for (int enc = 0; enc < 2; enc++) {
    REFUSED(want, crypt(enc, key, out, in, N, in, N, nonce, 12, tag));
    REFUSED(want, crypt(enc, key, out, in, N, in, N, nonce, 8, tag));
    REFUSED(want, crypt(enc, key, NULL, NULL, 0, NULL, 0, nonce, 12, tag));
  }
  REFUSED(want, rijn_gmac(key, in, N, nonce, 12, tag));
  REFUSED(want, rijn_gmac_verify(key, in, N, nonce, 12, tag));
  REFUSED(want, rijn_gcm_encrypt_iov(key, &o, 1, &i, 1, NULL, 0, nonce, 12, tag));
  REFUSED(want, rijn_gcm_decrypt_iov(key, &o, 1, &i, 1, NULL, 0, nonce, 12, tag));
  INIT_REFUSED(want, &s, rijn_gcm_encrypt_start(&s, key, nonce, 12));
  INIT_REFUSED(want, &s, rijn_gcm_decrypt_start(&s, key, nonce, 12));
}

static void test_dead_keys(int impl) {
  T_AT("impl %zu dead keys", impl);
  rijn_gcm_key key;
  uint8_t raw[16] = {1};
  dead_key(NULL, RIJN_ENULL);
  memset(&key, 0, sizeof key);
  dead_key(&key, RIJN_ESTATE);
  memset(&key, 0xff, sizeof key);
  dead_key(&key, RIJN_ESTATE);
  key.opaque[0] = (unsigned char)(rijn_impl_count() + 1);
  dead_key(&key, RIJN_ESTATE);
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, 16, impl), 0);
  rijn_gcm_wipe(&key);
  CHECK_ALL(&key, 0, sizeof key);
  dead_key(&key, RIJN_ESTATE);
  rijn_gcm_wipe(NULL);
}

static void test_calls(int impl, bool enc, size_t nonce_len) {
  T_AT("impl %zu encrypt %zu nonce_len %zu", impl, enc, nonce_len);
  rijn_gcm_key key;
  uint8_t raw[16] = {2}, nonce[64] = {3}, in[N] = {4}, aad[20] = {5};
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, 16, impl), 0);
  REFUSED(RIJN_ENULL, crypt(enc, &key, NULL, in, N, aad, 20, nonce, nonce_len, tag));
  REFUSED(RIJN_ENULL, crypt(enc, &key, out, NULL, N, aad, 20, nonce, nonce_len, tag));
  REFUSED(RIJN_ENULL, crypt(enc, &key, NULL, NULL, 1, NULL, 0, nonce, nonce_len, tag));
  REFUSED(RIJN_ENULL, crypt(enc, &key, out, in, N, NULL, 1, nonce, nonce_len, tag));
  REFUSED(RIJN_ENULL, crypt(enc, &key, out, in, N, aad, 20, NULL, nonce_len, tag));
  REFUSED(RIJN_ENULL, crypt(enc, &key, out, in, N, aad, 20, nonce, nonce_len, NULL));
  REFUSED(RIJN_ENONCELEN, crypt(enc, &key, out, in, N, aad, 20, nonce, 0, tag));
  REFUSED(RIJN_ENONCELEN, crypt(enc, &key, out, in, N, aad, 20, NULL, 0, tag));
  for (size_t d = 1; d < N; d++) {
    uint8_t both[2 * N] = {0}, keep[2 * N];
    memcpy(keep, both, sizeof both);
    REFUSED(RIJN_EOVERLAP, crypt(enc, &key, both + d, both, N, aad, 20, nonce, nonce_len, tag));
    REFUSED(RIJN_EOVERLAP, crypt(enc, &key, both, both + d, N, aad, 20, nonce, nonce_len, tag));
    CHECK_MEM(both, keep, sizeof both);
  }
#if SIZE_MAX > UINT32_MAX
  /* On the limit the next rule is the one that refuses: so the limit is exact, and no 64 GiB are read. */
  const size_t max = (size_t)RIJN_GCM_MAX_LEN, max_aad = ((size_t)1 << 61) - 1;
  REFUSED(RIJN_EOVERLAP, crypt(enc, &key, out, out + 1, max, aad, 20, nonce, nonce_len, tag));
  REFUSED(RIJN_ELEN, crypt(enc, &key, out, out + 1, max + 1, aad, 20, nonce, nonce_len, tag));
  REFUSED(RIJN_ELEN, crypt(enc, &key, out, out, max + 1, aad, 20, nonce, nonce_len, tag));
  REFUSED(RIJN_ELEN, crypt(enc, &key, out, out, (size_t)1 << 36, aad, 20, nonce, nonce_len, tag));
  REFUSED(RIJN_ELEN, crypt(enc, &key, out, out, SIZE_MAX, aad, 20, nonce, nonce_len, tag));
  REFUSED(RIJN_EOVERLAP, crypt(enc, &key, out, out + 1, 2, aad, max_aad, nonce, nonce_len, tag));
  REFUSED(RIJN_EAADLEN, crypt(enc, &key, out, out + 1, 2, aad, max_aad + 1, nonce, nonce_len, tag));
  REFUSED(RIJN_EAADLEN, crypt(enc, &key, out, in, 2, aad, max_aad + 1, nonce, nonce_len, tag));
  REFUSED(RIJN_EAADLEN, crypt(enc, &key, out, in, 0, aad, SIZE_MAX, nonce, nonce_len, tag));
  REFUSED(RIJN_EOVERLAP, crypt(enc, &key, out, out + 1, 2, aad, 20, nonce, max_aad, tag));
  REFUSED(RIJN_ENONCELEN, crypt(enc, &key, out, out + 1, 2, aad, 20, nonce, max_aad + 1, tag));
  REFUSED(RIJN_ENONCELEN, crypt(enc, &key, out, in, 2, aad, 20, nonce, SIZE_MAX, tag));
  REFUSED(RIJN_EAADLEN, enc ? rijn_gmac(&key, aad, max_aad + 1, nonce, nonce_len, tag)
                            : rijn_gmac_verify(&key, aad, max_aad + 1, nonce, nonce_len, tag));
#endif
  REFUSED(RIJN_ENULL, enc ? rijn_gmac(&key, NULL, 1, nonce, nonce_len, tag)
                          : rijn_gmac_verify(&key, NULL, 1, nonce, nonce_len, tag));
  REFUSED(RIJN_ENULL, enc ? rijn_gmac(&key, aad, 20, nonce, nonce_len, NULL)
                          : rijn_gmac_verify(&key, aad, 20, nonce, nonce_len, NULL));
  REFUSED(RIJN_ENONCELEN,
          enc ? rijn_gmac(&key, aad, 20, nonce, 0, tag) : rijn_gmac_verify(&key, aad, 20, nonce, 0, tag));
}

/* Tags: as many bytes as the key says are written and compared, no byte more is touched, and a wrong one leaves
 * zeros. */
static void test_tags(int impl, size_t tag_len, size_t nonce_len, size_t len) {
  T_AT("impl %zu tag_len %zu nonce_len %zu len %zu", impl, tag_len, nonce_len, len);
  rijn_gcm_key key, whole;
  uint8_t raw[24], nonce[20], in[N], aad[13], ct[N], full[16];
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  t_fill(in, sizeof in);
  t_fill(aad, sizeof aad);
  CHECK_EQ(rijn_gcm_init_impl(&whole, raw, 24, 16, impl), 0);
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 24, tag_len, impl), 0);
  CHECK_EQ(rijn_gcm_encrypt(&whole, ct, in, len, aad, 13, nonce, nonce_len, full), 0);
  memset(tag, T_POISON, sizeof tag);
  CHECK_EQ(rijn_gcm_encrypt(&key, out, in, len, aad, 13, nonce, nonce_len, tag), 0);
  CHECK_MEM(out, ct, len);
  CHECK_MEM(tag, full, tag_len);
  CHECK_ALL(tag + tag_len, T_POISON, 16 - tag_len);

  /* The tag ends at a page that cannot be read, and cannot be written itself. */
  t_buf page = t_buf_new(16);
  uint8_t *t = t_end(&page, tag_len);
  memcpy(t, full, tag_len);
  t_readonly(&page, true);
  CHECK_EQ(rijn_gcm_decrypt(&key, out, ct, len, aad, 13, nonce, nonce_len, t), 0);
  CHECK_MEM(out, in, len);
  t_readonly(&page, false);
  for (size_t bit = 0; bit < 8 * tag_len; bit += len == 0 ? 1 : 5) {
    memset(out, T_POISON, sizeof out);
    t[bit / 8] ^= (uint8_t)(1 << bit % 8);
    CHECK_EQ(rijn_gcm_decrypt(&key, out, ct, len, aad, 13, nonce, nonce_len, t), RIJN_EAUTH);
    CHECK_ALL(out, 0, len);
    CHECK_ALL(out + len, T_POISON, N - len);
    memcpy(out, ct, len);
    CHECK_EQ(rijn_gcm_decrypt(&key, out, out, len, aad, 13, nonce, nonce_len, t), RIJN_EAUTH);
    CHECK_ALL(out, 0, len);
    t[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
  t_buf_free(&page);

  uint8_t mac[16];
  memset(mac, T_POISON, 16);
  CHECK_EQ(rijn_gmac(&key, in, len, nonce, nonce_len, mac), 0);
  CHECK_ALL(mac + tag_len, T_POISON, 16 - tag_len);
  CHECK_EQ(rijn_gmac_verify(&key, in, len, nonce, nonce_len, mac), 0);
  mac[tag_len - 1] ^= 0x80;
  CHECK_EQ(rijn_gmac_verify(&key, in, len, nonce, nonce_len, mac), RIJN_EAUTH);
}

static void test_ghash(int impl) {
  T_AT("impl %zu ghash", impl);
  rijn_ghash_key key;
  uint8_t h[16] = {1}, in[16] = {2};
  INIT_REFUSED(RIJN_ENULL, &key, rijn_ghash_init_impl(&key, NULL, impl));
  INIT_REFUSED(RIJN_ENULL, &key, rijn_ghash_init(NULL, h));
  INIT_REFUSED(RIJN_EIMPL, &key, rijn_ghash_init_impl(&key, h, -1));
  INIT_REFUSED(RIJN_EIMPL, &key, rijn_ghash_init_impl(&key, h, rijn_impl_count()));
  memset(&key, 0, sizeof key);
  REFUSED(RIJN_ESTATE, rijn_ghash_update(&key, tag, in, 1));
  CHECK_EQ(rijn_ghash_init_impl(&key, h, impl), 0);
  REFUSED(RIJN_ENULL, rijn_ghash_update(NULL, tag, in, 1));
  REFUSED(RIJN_ENULL, rijn_ghash_update(&key, NULL, in, 1));
  REFUSED(RIJN_ENULL, rijn_ghash_update(&key, tag, NULL, 1));
  REFUSED(RIJN_ELEN, rijn_ghash_update(&key, tag, in, SIZE_MAX / 16 + 1));
  REFUSED(0, rijn_ghash_update(&key, tag, NULL, 0)); /* nothing to hash: nothing changes */
  rijn_ghash_wipe(&key);
  CHECK_ALL(&key, 0, sizeof key);
  rijn_ghash_wipe(NULL);
  CHECK_EQ(rijn_ghash_init(&key, h), 0);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  test_strerror();
  T_IMPLS(i) {
    test_init(i);
    test_dead_keys(i);
    for (int enc = 0; enc < 2; enc++) {
      test_calls(i, enc, 12);
      test_calls(i, enc, 8);
      test_calls(i, enc, 16);
    }
    static const size_t tags[] = {4, 8, 12, 13, 14, 15, 16}, nonces[] = {1, 12, 16, 20}, lens[] = {0, 1, 16, 33, N};
    for (size_t t = 0; t < 7; t++)
      for (size_t n = 0; n < 4; n++)
        for (size_t l = 0; l < 5; l++)
          test_tags(i, tags[t], nonces[n], lens[l]);
    test_ghash(i);
  }
  return t_done();
}
