/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "pair.h"

OSSL_LIB_CTX *pair_lib[2];
static OSSL_PROVIDER *loaded[3];

size_t pair_rounds(size_t n) {
  const char *part = getenv("RIJN_PROVIDER_PART");
  size_t by = part != NULL ? strtoul(part, NULL, 10) : 1;
  return by == 0 || n / by == 0 ? 1 : n / by;
}

void pair_open(const char *dir, const char *config) {
  for (int s = REF; s <= OURS; s++)
    REQUIRE((pair_lib[s] = OSSL_LIB_CTX_new()) != NULL);
  REQUIRE((loaded[0] = OSSL_PROVIDER_load(pair_lib[REF], "default")) != NULL);
  REQUIRE(OSSL_PROVIDER_set_default_search_path(pair_lib[OURS], dir));
  if (config != NULL) {
    REQUIRE(OSSL_LIB_CTX_load_config(pair_lib[OURS], config));
    return;
  }
  REQUIRE((loaded[1] = OSSL_PROVIDER_load(pair_lib[OURS], "default")) != NULL);
  REQUIRE((loaded[2] = OSSL_PROVIDER_load(pair_lib[OURS], "rijn")) != NULL);
}

void pair_close(void) {
  for (int i = 2; i >= 0; i--)
    if (loaded[i] != NULL)
      CHECK(OSSL_PROVIDER_unload(loaded[i]) == 1);
  memset(loaded, 0, sizeof loaded);
  for (int s = REF; s <= OURS; s++)
    OSSL_LIB_CTX_free(pair_lib[s]);
}

void pair_fetch(struct pair *p, const char *name) {
  static const char *const query[2] = {"provider=default", "provider=rijn"};
  memset(p, 0, sizeof *p);
  for (int s = REF; s <= OURS; s++) {
    p->cipher[s] = EVP_CIPHER_fetch(pair_lib[s], name, query[s]);
    if (p->cipher[s] == NULL)
      t_die(__FILE__, __LINE__, "no %s with %s", name, query[s]);
    REQUIRE((p->ctx[s] = EVP_CIPHER_CTX_new()) != NULL);
  }
}

void pair_free(struct pair *p) {
  for (int s = REF; s <= OURS; s++) {
    EVP_CIPHER_CTX_free(p->ctx[s]);
    EVP_CIPHER_free((EVP_CIPHER *)p->cipher[s]);
  }
}

static int same(const int r[2]) {
  CHECK_EQ(r[OURS] > 0, r[REF] > 0);
  ERR_clear_error();
  return r[OURS] > 0 && r[REF] > 0;
}

int pair_init_params(struct pair *p, const uint8_t *key, const uint8_t *iv, int enc, const OSSL_PARAM *params) {
  int r[2];
  for (int s = REF; s <= OURS; s++) {
    const EVP_CIPHER *c = EVP_CIPHER_CTX_get0_cipher(p->ctx[s]) == NULL ? p->cipher[s] : NULL;
    r[s] = EVP_CipherInit_ex2(p->ctx[s], c, key, iv, enc, params);
  }
  return same(r);
}

int pair_init(struct pair *p, const uint8_t *key, const uint8_t *iv, int enc) {
  return pair_init_params(p, key, iv, enc, NULL);
}

/* What both calls share: the buffers. */
static int call(struct pair *p, const uint8_t *in, int len, bool out, bool in_place, bool evp_cipher) {
  uint8_t *buf[2] = {p->out, p->mine};
  int r[2], n[2] = {0, 0};
  REQUIRE(len <= PAIR_MAX);
  for (int s = REF; s <= OURS; s++) {
    memset(buf[s], 0xa5, (size_t)len + 64);
    if (in_place && in != NULL)
      memcpy(buf[s], in, (size_t)len);
    const uint8_t *from = in_place && in != NULL ? buf[s] : in;
    if (evp_cipher) {
      n[s] = EVP_Cipher(p->ctx[s], out ? buf[s] : NULL, from, (unsigned)len);
      r[s] = n[s] >= 0;
    } else {
      r[s] = EVP_CipherUpdate(p->ctx[s], out ? buf[s] : NULL, &n[s], from, len);
    }
  }
  int ok = same(r);
  if (ok) {
    CHECK_EQ(n[OURS], n[REF]);
    CHECK_MEM(p->mine, p->out, (size_t)len + 64);
  }
  p->len = ok ? n[OURS] : 0;
  return ok;
}

int pair_update(struct pair *p, const uint8_t *in, int len, bool out, bool in_place) {
  return call(p, in, len, out, in_place, false);
}

int pair_cipher(struct pair *p, const uint8_t *in, unsigned len, bool out, bool in_place) {
  return call(p, in, (int)len, out, in_place, true);
}

int pair_final(struct pair *p) {
  uint8_t *buf[2] = {p->out, p->mine};
  int r[2], n[2] = {0, 0};
  for (int s = REF; s <= OURS; s++) {
    memset(buf[s], 0xa5, 64);
    r[s] = EVP_CipherFinal_ex(p->ctx[s], buf[s], &n[s]);
  }
  int ok = same(r);
  if (ok) {
    CHECK_EQ(n[OURS], n[REF]);
    CHECK_MEM(p->mine, p->out, 64);
  }
  p->len = ok ? n[OURS] : 0;
  return ok;
}

int pair_ctrl_set(struct pair *p, int type, int arg, const void *data, size_t data_len) {
  int r[2];
  uint8_t copy[256];
  REQUIRE(data_len <= sizeof copy);
  for (int s = REF; s <= OURS; s++) {
    if (data != NULL)
      memcpy(copy, data, data_len);
    r[s] = EVP_CIPHER_CTX_ctrl(p->ctx[s], type, arg, data != NULL ? copy : NULL);
  }
  CHECK_EQ(r[OURS], r[REF]);
  return same(r);
}

int pair_ctrl_get(struct pair *p, int type, int arg, uint8_t *data, size_t data_len) {
  int r[2];
  uint8_t got[2][256];
  REQUIRE(data_len <= sizeof got[0]);
  memset(got, 0xa5, sizeof got);
  for (int s = REF; s <= OURS; s++)
    r[s] = EVP_CIPHER_CTX_ctrl(p->ctx[s], type, arg, got[s]);
  CHECK_EQ(r[OURS], r[REF]);
  if (!same(r))
    return 0;
  CHECK_MEM(got[OURS], got[REF], sizeof got[0]);
  memcpy(data, got[OURS], data_len);
  return 1;
}

int pair_get_size(struct pair *p, const char *name, size_t *v) {
  int r[2];
  size_t got[2] = {0, 0};
  for (int s = REF; s <= OURS; s++) {
    OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(name, &got[s]), OSSL_PARAM_END};
    r[s] = EVP_CIPHER_CTX_get_params(p->ctx[s], params);
  }
  CHECK_EQ(got[OURS], got[REF]);
  *v = got[OURS];
  return same(r);
}

int pair_get_octets(struct pair *p, const char *name, uint8_t *v, size_t len) {
  int r[2];
  uint8_t got[2][256];
  size_t size[2];
  REQUIRE(len <= sizeof got[0]);
  memset(got, 0xa5, sizeof got);
  for (int s = REF; s <= OURS; s++) {
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(name, got[s], len), OSSL_PARAM_END};
    r[s] = EVP_CIPHER_CTX_get_params(p->ctx[s], params);
    size[s] = params[0].return_size;
  }
  if (!same(r))
    return 0;
  CHECK_EQ(size[OURS], size[REF]);
  CHECK_MEM(got[OURS], got[REF], sizeof got[0]);
  memcpy(v, got[OURS], len);
  return 1;
}

int pair_set_size(struct pair *p, const char *name, size_t v) {
  int r[2];
  for (int s = REF; s <= OURS; s++) {
    OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(name, &v), OSSL_PARAM_END};
    r[s] = EVP_CIPHER_CTX_set_params(p->ctx[s], params);
  }
  return same(r);
}

int pair_copy(struct pair *p) {
  int r[2];
  for (int s = REF; s <= OURS; s++) {
    EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
    REQUIRE(copy != NULL);
    r[s] = EVP_CIPHER_CTX_copy(copy, p->ctx[s]);
    if (r[s] > 0) {
      EVP_CIPHER_CTX *old = p->ctx[s];
      p->ctx[s] = copy;
      copy = old;
    }
    EVP_CIPHER_CTX_free(copy);
  }
  return same(r);
}

void one_open(const char *dir, EVP_CIPHER **ref, EVP_CIPHER **ours) {
  pair_open(dir, NULL);
  REQUIRE((*ref = EVP_CIPHER_fetch(pair_lib[REF], "AES-256-GCM", NULL)) != NULL);
  REQUIRE((*ours = EVP_CIPHER_fetch(pair_lib[OURS], "AES-256-GCM", "provider=rijn")) != NULL);
}

void one_close(EVP_CIPHER *ref, EVP_CIPHER *ours) {
  EVP_CIPHER_free(ref);
  EVP_CIPHER_free(ours);
  pair_close();
}

EVP_CIPHER_CTX *one_begin(EVP_CIPHER *c, int enc, const uint8_t *key, const uint8_t *iv) {
  EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
  REQUIRE(ctx != NULL);
  REQUIRE(EVP_CipherInit_ex2(ctx, c, key, iv, enc, NULL) == 1);
  return ctx;
}

int one_update(EVP_CIPHER_CTX *ctx, uint8_t *out, const uint8_t *in, int n) {
  int got = -1;
  int r = EVP_CipherUpdate(ctx, out, &got, in, n);
  if (r == 1)
    CHECK_EQ(got, n);
  return r;
}

int one_final(EVP_CIPHER_CTX *ctx) {
  uint8_t none[16];
  int got = -1;
  int r = EVP_CipherFinal_ex(ctx, none, &got);
  if (r == 1)
    CHECK_EQ(got, 0);
  return r;
}

int one_get_tag(EVP_CIPHER_CTX *ctx, uint8_t *tag, int n) {
  return EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, n, tag);
}

int one_set_tag(EVP_CIPHER_CTX *ctx, uint8_t *tag, int n) {
  return EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, n, tag);
}
