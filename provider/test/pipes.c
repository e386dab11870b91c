/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Pipelines and opaque keys, which OpenSSL has from 3.5 on: each message is what a single call makes of it. It runs
 * with a newer libcrypto than the system's (newer.py), whose functions it asks the loader for.
 *
 *   test_provider_pipes           the test
 *   test_provider_pipes measure   nanoseconds a message, in a pipeline of 32 and by single calls. Not a test. */
#include <dlfcn.h>

#include "pair.h"

enum { MOST = 32, ROOM = 2200 };
typedef int init_fn(EVP_CIPHER_CTX *, const EVP_CIPHER *, const unsigned char *key, size_t key_len, size_t n,
                    const unsigned char **iv, size_t iv_len);
typedef int update_fn(EVP_CIPHER_CTX *, unsigned char **out, size_t *out_len, const size_t *out_size,
                      const unsigned char **in, const size_t *len);
typedef int final_fn(EVP_CIPHER_CTX *, unsigned char **out, size_t *out_len, const size_t *out_size);
static init_fn *begin[2]; /* decrypt, encrypt */
static update_fn *update;
static final_fn *end;

static uint8_t key[32], ivs[MOST][16], aads[MOST][100], texts[MOST][ROOM], outs[MOST][ROOM], back[MOST][ROOM],
    tags[MOST][16], want[ROOM], want_tag[16];
static const unsigned char *iv_at[MOST], *aad_at[MOST], *text_at[MOST], *sealed_at[MOST];
static unsigned char *out_at[MOST], *back_at[MOST], *tag_at[MOST];
static size_t aad_len[MOST], len[MOST], got[MOST], room[MOST];

static void places(void) {
  for (size_t i = 0; i < MOST; i++) {
    iv_at[i] = ivs[i];
    aad_at[i] = aads[i];
    text_at[i] = texts[i];
    sealed_at[i] = out_at[i] = outs[i];
    back_at[i] = back[i];
    tag_at[i] = tags[i];
    room[i] = ROOM;
  }
}

static int tags_param(EVP_CIPHER_CTX *c, size_t n, bool set) {
  unsigned char **list = tag_at;
  OSSL_PARAM p[] = {OSSL_PARAM_construct_octet_ptr("pipeline-tag", (void **)&list, n), OSSL_PARAM_END};
  return set ? EVP_CIPHER_CTX_set_params(c, p) : EVP_CIPHER_CTX_get_params(c, p);
}

static void single(const EVP_CIPHER *cipher, size_t i, size_t iv_len) {
  int n;
  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
  CHECK(EVP_CipherInit_ex2(c, cipher, NULL, NULL, 1, NULL) == 1);
  CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, (int)iv_len, NULL) == 1);
  CHECK(EVP_CipherInit_ex2(c, NULL, key, ivs[i], 1, NULL) == 1);
  CHECK(aad_len[i] == 0 || one_update(c, NULL, aads[i], (int)aad_len[i]) == 1);
  CHECK(EVP_CipherUpdate(c, want, &n, texts[i], (int)len[i]) == 1 && one_final(c) == 1 &&
        one_get_tag(c, want_tag, 16) == 1);
  EVP_CIPHER_CTX_free(c);
}

static void gcm(const EVP_CIPHER *ours, const EVP_CIPHER *ref) {
  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
  size_t key_len = (size_t)EVP_CIPHER_get_key_length(ours);
  for (size_t turn = 0; turn < pair_rounds(400); turn++) {
    size_t n = t_between(1, MOST), iv_len = t_below(3) ? 12 : t_between(1, 16),
           tag_len = (const size_t[]){4, 8, 12, 13, 14, 15, 16, 16}[t_below(8)];
    bool has_aad = t_below(3), alike = t_below(2);
    T_AT("%zu messages, IV %zu, alike %zu", n, iv_len, alike);
    t_fill(key, sizeof key);
    t_fill(ivs, sizeof ivs);
    t_fill(aads, sizeof aads);
    for (size_t i = 0; i < n; i++) {
      aad_len[i] = !has_aad ? 0 : alike ? 13 : t_below(100);
      len[i] = alike ? 64 : t_below(ROOM);
    }
    CHECK(begin[1](c, ours, key, key_len, n, iv_at, iv_len) == 1);
    CHECK(!has_aad || update(c, NULL, got, NULL, aad_at, aad_len) == 1);
    CHECK(update(c, out_at, got, room, text_at, len) == 1);
    CHECK_MEM(got, len, n * sizeof *len);
    CHECK(update(c, out_at, got, room, text_at, len) != 1 || n == 0); /* once */
    CHECK(end(c, out_at, got, room) != 1);
    CHECK(begin[1](c, NULL, NULL, 0, n, iv_at, iv_len) == 1); /* the key is kept */
    CHECK(!has_aad || update(c, NULL, got, NULL, aad_at, aad_len) == 1);
    CHECK(update(c, out_at, got, room, text_at, len) == 1 && end(c, out_at, got, room) == 1);
    CHECK(tags_param(c, 16, false) == 1);
    for (size_t i = 0; i < n; i++) {
      single(ref, i, iv_len);
      CHECK_MEM(outs[i], want, len[i]);
      CHECK_MEM(tags[i], want_tag, 16);
    }
    /* Back, with shorter tags too; and with one that is wrong. */
    for (int wrong = 0; wrong < 2; wrong++) {
      size_t bad = t_below(n);
      tags[bad][0] ^= (uint8_t)wrong;
      CHECK(begin[0](c, ours, key, key_len, n, iv_at, iv_len) == 1);
      CHECK(update(c, back_at, got, room, sealed_at, len) != 1); /* no tags yet */
      CHECK(tags_param(c, tag_len, true) == 1);
      CHECK(!has_aad || update(c, NULL, got, NULL, aad_at, aad_len) == 1);
      CHECK(update(c, back_at, got, room, sealed_at, len) == 1);
      CHECK_EQ(end(c, back_at, got, room) == 1, !wrong);
      for (size_t i = 0; i < n; i++) {
        if (wrong && i == bad)
          CHECK_ALL(back[i], 0, len[i]);
        else
          CHECK_MEM(back[i], texts[i], len[i]);
      }
    }
    ERR_clear_error();
  }
  /* A copy has none, and the context serves single messages afterwards. */
  EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
  CHECK(begin[1](c, ours, key, key_len, 4, iv_at, 12) == 1 && EVP_CIPHER_CTX_copy(copy, c) == 1);
  CHECK(update(copy, out_at, got, room, text_at, len) != 1);
  EVP_CIPHER_CTX_free(copy);
  CHECK(begin[1](c, ours, key, key_len, 33, iv_at, 12) != 1);
  CHECK(begin[1](c, ours, key, key_len, 4, iv_at, 0) != 1 && begin[1](c, ours, key, 5, 4, iv_at, 12) != 1);
  CHECK(EVP_CipherInit_ex2(c, NULL, key, ivs[0], 1, NULL) == 1);
  int one;
  CHECK(EVP_CipherUpdate(c, outs[0], &one, texts[0], 20) == 1 && one == 20);
  EVP_CIPHER_CTX_free(c);
  ERR_clear_error();
}

static void cbc(const EVP_CIPHER *ours, const EVP_CIPHER *ref) {
  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new(), *s = EVP_CIPHER_CTX_new();
  size_t key_len = (size_t)EVP_CIPHER_get_key_length(ours);
  for (size_t turn = 0; turn < pair_rounds(300); turn++) {
    size_t n = t_between(1, MOST), whole[MOST], done[MOST] = {0}, total[MOST];
    bool even = t_below(2);
    int pieces = (int)t_between(1, 3);
    T_AT("%zu texts, in whole blocks %zu, pieces %zu", n, even, pieces);
    t_fill(key, sizeof key);
    t_fill(ivs, sizeof ivs);
    for (size_t i = 0; i < n; i++)
      whole[i] = even ? 16 * t_below(100) : t_below(1600);
    for (int way = 1; way >= 0; way--) {
      const unsigned char *from[MOST];
      unsigned char *to[MOST];
      memset(done, 0, sizeof done);
      memset(total, 0, sizeof total);
      CHECK(begin[way](c, ours, key, key_len, n, iv_at, 16) == 1);
      for (int p = 0; p < pieces; p++) {
        for (size_t i = 0; i < n; i++) {
          size_t all = way ? whole[i] : whole[i] / 16 * 16 + 16;
          len[i] = p == pieces - 1 ? all - done[i] : (all - done[i]) / 2 / (even ? 16 : 1) * (even ? 16 : 1);
          from[i] = (way ? texts[i] : outs[i]) + done[i];
          to[i] = (way ? outs[i] : back[i]) + total[i];
          done[i] += len[i];
        }
        CHECK(update(c, to, got, room, from, len) == 1);
        for (size_t i = 0; i < n; i++)
          total[i] += got[i];
      }
      for (size_t i = 0; i < n; i++)
        to[i] = (way ? outs[i] : back[i]) + total[i];
      CHECK(end(c, to, got, room) == 1);
      for (size_t i = 0; i < n; i++) {
        int m = 0, last = 0;
        total[i] += got[i];
        if (way) {
          CHECK(EVP_CipherInit_ex2(s, ref, key, ivs[i], 1, NULL) == 1);
          CHECK(EVP_CipherUpdate(s, want, &m, texts[i], (int)whole[i]) == 1 &&
                EVP_CipherFinal_ex(s, want + m, &last) == 1);
          CHECK_EQ(total[i], m + last);
          CHECK_MEM(outs[i], want, (size_t)(m + last));
        } else {
          CHECK_EQ(total[i], whole[i]);
          CHECK_MEM(back[i], texts[i], whole[i]);
        }
      }
    }
  }
  EVP_CIPHER_CTX_free(c);
  EVP_CIPHER_CTX_free(s);
}

/* Opaque keys, of each length, with each cipher that takes them; and what is refused. */
static void opaque(OSSL_LIB_CTX *lib) {
  static const char *const names[] = {"AES-128-GCM", "AES-192-CBC", "AES-256-CTR",
                                      "AES-256-CFB", "AES-128-ECB", "AES-256-CCM"};
  typedef void *import_fn(OSSL_LIB_CTX *, const char *, const unsigned char *, size_t, const char *);
  typedef int raw_fn(const void *, const unsigned char **, size_t *);
  typedef int skey_init_fn(EVP_CIPHER_CTX *, const EVP_CIPHER *, void *, const unsigned char *, size_t, int,
                           const OSSL_PARAM *);
  typedef void free_fn(void *);
  import_fn *import = (import_fn *)dlsym(RTLD_DEFAULT, "EVP_SKEY_import_raw_key");
  raw_fn *raw = (raw_fn *)dlsym(RTLD_DEFAULT, "EVP_SKEY_get0_raw_key");
  skey_init_fn *init = (skey_init_fn *)dlsym(RTLD_DEFAULT, "EVP_CipherInit_SKEY");
  free_fn *drop = (free_fn *)dlsym(RTLD_DEFAULT, "EVP_SKEY_free");
  REQUIRE(import != NULL && raw != NULL && init != NULL && drop != NULL);
  t_fill(key, sizeof key);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    T_AT("cipher %zu", i);
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(lib, names[i], "?provider=rijn");
    size_t n = (size_t)EVP_CIPHER_get_key_length(cipher), iv_len = strstr(names[i], "ECB") ? 0
                                                                   : strstr(names[i], "CCM")
                                                                       ? 7
                                                                       : (size_t)EVP_CIPHER_get_iv_length(cipher);
    void *k = import(lib, "AES", key, n, "?provider=rijn");
    const unsigned char *p = NULL;
    size_t size = 0;
    REQUIRE(k != NULL);
    CHECK(raw(k, &p, &size) == 1 && size == n);
    CHECK_MEM(p, key, n);
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new(), *plain = EVP_CIPHER_CTX_new();
    int a = 0, b = 0;
    CHECK(init(c, cipher, k, ivs[0], iv_len, 1, NULL) == 1);
    CHECK(EVP_CipherInit_ex2(plain, cipher, key, ivs[0], 1, NULL) == 1);
    CHECK(EVP_CipherUpdate(c, outs[0], &a, texts[0], 64) == 1 &&
          EVP_CipherUpdate(plain, outs[1], &b, texts[0], 64) == 1);
    CHECK_EQ(a, b);
    CHECK_MEM(outs[0], outs[1], (size_t)a);
    EVP_CIPHER_CTX_free(c);
    EVP_CIPHER_CTX_free(plain);
    EVP_CIPHER_free(cipher);
    drop(k);
  }
  for (size_t n = 0; n < 70; n++) {
    void *k = import(lib, "AES", texts[0], n, "?provider=rijn");
    CHECK_EQ(k != NULL, n == 16 || n == 24 || n == 32);
    drop(k);
  }
  ERR_clear_error();
}

static void measure(const EVP_CIPHER *ours, const EVP_CIPHER *cbc_cipher) {
  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
  for (size_t size = 64; size <= 1024; size *= 4) {
    double best[2] = {1e9, 1e9}, best_cbc[2] = {1e9, 1e9};
    for (size_t i = 0; i < MOST; i++) {
      len[i] = size;
      aad_len[i] = 13;
    }
    for (int turn = 0; turn < 400; turn++) {
      double t = t_now();
      for (int k = 0; k < 20; k++) {
        REQUIRE(begin[1](c, ours, key, 16, MOST, iv_at, 12) == 1 && update(c, NULL, got, NULL, aad_at, aad_len) == 1 &&
                update(c, out_at, got, room, text_at, len) == 1 && end(c, out_at, got, room) == 1 &&
                tags_param(c, 16, false) == 1);
      }
      t = (t_now() - t) / 20 / MOST * 1e9;
      best[0] = t < best[0] ? t : best[0];
      EVP_CIPHER_CTX_reset(c);
      REQUIRE(EVP_CipherInit_ex2(c, ours, key, NULL, 1, NULL) == 1);
      t = t_now();
      for (int k = 0; k < 20; k++)
        for (size_t i = 0; i < MOST; i++) {
          int m;
          REQUIRE(EVP_CipherInit_ex2(c, NULL, NULL, ivs[i], 1, NULL) == 1 &&
                  EVP_CipherUpdate(c, NULL, &m, aads[i], 13) == 1 &&
                  EVP_CipherUpdate(c, outs[i], &m, texts[i], (int)size) == 1 &&
                  EVP_CipherFinal_ex(c, outs[i], &m) == 1 &&
                  EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tags[i]) == 1);
        }
      t = (t_now() - t) / 20 / MOST * 1e9;
      best[1] = t < best[1] ? t : best[1];
      EVP_CIPHER_CTX_reset(c);
      REQUIRE(begin[1](c, cbc_cipher, key, 16, 8, iv_at, 16) == 1);
      t = t_now();
      for (int k = 0; k < 20; k++)
        REQUIRE(update(c, out_at, got, room, text_at, len) == 1);
      t = (t_now() - t) / 20 / 8 * 1e9;
      best_cbc[0] = t < best_cbc[0] ? t : best_cbc[0];
      EVP_CIPHER_CTX_reset(c);
      REQUIRE(EVP_CipherInit_ex2(c, cbc_cipher, key, ivs[0], 1, NULL) == 1);
      t = t_now();
      for (int k = 0; k < 160; k++) {
        int m;
        REQUIRE(EVP_CipherUpdate(c, outs[0], &m, texts[0], (int)size) == 1);
      }
      t = (t_now() - t) / 160 * 1e9;
      best_cbc[1] = t < best_cbc[1] ? t : best_cbc[1];
      EVP_CIPHER_CTX_reset(c);
    }
    printf("%4zu bytes: AES-128-GCM pipeline of 32 %.1f ns, single %.1f ns, %.2f; AES-128-CBC of 8 %.1f ns, single "
           "%.1f ns, %.2f\n",
           size, best[0], best[1], best[1] / best[0], best_cbc[0], best_cbc[1], best_cbc[1] / best_cbc[0]);
  }
  EVP_CIPHER_CTX_free(c);
}

int main(int argc, char **argv) {
  bool measured = argc > 1 && strcmp(argv[1], "measure") == 0;
  t_init(measured ? 1 : argc, argv);
  begin[0] = (init_fn *)dlsym(RTLD_DEFAULT, "EVP_CipherPipelineDecryptInit");
  begin[1] = (init_fn *)dlsym(RTLD_DEFAULT, "EVP_CipherPipelineEncryptInit");
  update = (update_fn *)dlsym(RTLD_DEFAULT, "EVP_CipherPipelineUpdate");
  end = (final_fn *)dlsym(RTLD_DEFAULT, "EVP_CipherPipelineFinal");
  REQUIRE(begin[0] != NULL && begin[1] != NULL && update != NULL && end != NULL); /* needs libcrypto 3.5 */
  pair_open(RIJN_MODULES, RIJN_ALL_MODES_CNF);
  places();
  t_fill(texts, sizeof texts);
  for (int bits = 128; bits <= 256; bits += 64)
    for (int is_cbc = 0; is_cbc < 2; is_cbc++) {
      char name[16];
      snprintf(name, sizeof name, "AES-%d-%s", bits, is_cbc ? "CBC" : "GCM");
      EVP_CIPHER *ours = EVP_CIPHER_fetch(pair_lib[OURS], name, "provider=rijn");
      EVP_CIPHER *ref = EVP_CIPHER_fetch(pair_lib[REF], name, NULL);
      REQUIRE(ours != NULL && ref != NULL);
      if (!measured)
        (is_cbc ? cbc : gcm)(ours, ref);
      else if (bits == 128 && !is_cbc) {
        EVP_CIPHER *second = EVP_CIPHER_fetch(pair_lib[OURS], "AES-128-CBC", "provider=rijn");
        measure(ours, second);
        EVP_CIPHER_free(second);
      }
      EVP_CIPHER_free(ours);
      EVP_CIPHER_free(ref);
    }
  opaque(pair_lib[OURS]);
  pair_close();
  return t_done();
}
