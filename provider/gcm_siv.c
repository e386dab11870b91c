/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * AES-GCM-SIV as libcrypto calls it. OpenSSL has the mode from 3.2 on; with an older one Rijn alone has it, under the
 * same names. The whole text is one update, because a first byte of ciphertext needs the tag, which needs all of the
 * text. For the same reason the tag to check is set before the ciphertext.
 *
 * What a call does is what the default provider's does, with these differences, all but the first two on the refusing
 * side: associated data belongs to one message, and the default provider adds it to that of the messages before; a
 * message without an update of text has a text of no length, where the default provider has no tag, and compares one
 * that it never made; text before the IV, a text to decrypt before its tag, associated data after text, and an IV of
 * another length are refused; partial overlap of output and input is; an IV serves one message, unless "speed" is set;
 * and a text whose tag is wrong comes out as zeros.
 */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <rijn.h>
#include <stddef.h>
#include <string.h>

#include "params.h"
#include "prov.h"

enum { IV_LEN = 12, TAG_LEN = 16, NEAR = 64 };
#define SIV_MODE 0x10005 /* EVP_CIPH_GCM_SIV_MODE, which 3.0's headers do not have */
#define PARAM_SPEED "speed"

enum way { DECRYPT, ENCRYPT };
enum phase {
  NO_IV,
  READY, /* the IV is set; associated data may have come */
  TEXT,  /* the text has come: the tag is made, or checked */
  ENDED,
  SPOILED /* a call was refused whose data a tag would have to cover */
};

struct siv {
  const struct rijn_prov *prov;
  void *block;
  size_t key_len;
  enum phase phase;
  enum way way;
  bool key_set, tag_set, tag_made, authentic;
  bool refused; /* the last text: it may come again, but a message without it has no tag and no verdict */
  bool speed;   /* each text is a message, all under one IV: "openssl speed" sets this */
  uint8_t iv[IV_LEN], tag[TAG_LEN];
  /* Associated data: in near, or in memory of its own. */
  uint8_t *aad;
  void *aad_block;
  size_t aad_len, aad_size;
  /* From here on not zeroed in a new context. */
  uint8_t near[NEAR];
  rijn_gcm_siv_key key;
};

/* ---------------------------------------------------------------- contexts */

static void drop_aad(struct siv *c) {
  if (c->aad_block != NULL)
    rijn_prov_free(c->prov, c->aad_block, c->aad, c->aad_size);
  c->aad_block = NULL;
  c->aad = c->near;
  c->aad_size = NEAR;
  c->aad_len = 0;
}

static void *siv_new(void *provctx, size_t key_len) {
  struct rijn_prov *prov = provctx;
  void *block;
  if (!rijn_prov_tested(prov, RIJN_ALG_GCM_SIV, key_len))
    return NULL;
  struct siv *c = rijn_prov_alloc(prov, sizeof *c, offsetof(struct siv, near), &block);
  if (c == NULL)
    return NULL;
  c->prov = prov;
  c->block = block;
  c->key_len = key_len;
  drop_aad(c);
  return c;
}

static void siv_free(void *vctx) {
  struct siv *c = vctx;
  if (c == NULL)
    return;
  drop_aad(c);
  rijn_prov_free(c->prov, c->block, c, sizeof *c);
}

static void *siv_dup(void *vctx) {
  const struct siv *c = vctx;
  void *block;
  struct siv *d = rijn_prov_alloc(c->prov, sizeof *d, 0, &block);
  if (d == NULL)
    return NULL;
  memcpy(d, c, sizeof *d);
  d->block = block;
  d->aad = d->near;
  if (c->aad_block != NULL) {
    d->aad = rijn_prov_alloc(c->prov, c->aad_size, 0, &d->aad_block);
    if (d->aad == NULL) {
      rijn_prov_free(c->prov, block, d, sizeof *d);
      return NULL;
    }
    memcpy(d->aad, c->aad, c->aad_len);
  }
  return d;
}

/* A message with the IV as it stands. */
static void begin(struct siv *c) {
  drop_aad(c);
  c->tag_made = false;
  c->authentic = false;
  c->refused = false;
  c->phase = READY;
}

static void spoil(struct siv *c) {
  c->tag_made = false;
  c->authentic = false;
  if (c->phase != NO_IV)
    c->phase = SPOILED;
}

static int siv_set_params(void *vctx, const OSSL_PARAM params[]);

static int siv_init(struct siv *c, const uint8_t *key, size_t key_len, const uint8_t *iv, size_t iv_len,
                    const OSSL_PARAM params[], enum way way) {
  if (key != NULL && key_len != c->key_len)
    return RIJN_RAISEF(c->prov, RIJN_R_KEY_LENGTH, "%zu bytes, not %zu", key_len, c->key_len);
  if (iv != NULL && iv_len != IV_LEN)
    return RIJN_RAISEF(c->prov, RIJN_R_IV_LENGTH, "%zu bytes, not %d", iv_len, IV_LEN);
  bool begun = c->phase == TEXT || c->aad_len != 0;
  if (begun && (key != NULL || c->way != way))
    spoil(c); /* the message in hand has another key, or the other direction */
  if (c->way != way)
    c->tag_made = c->tag_set = false;
  c->way = way;
  if (key != NULL) {
    int err = rijn_gcm_siv_init(&c->key, key, key_len);
    c->key_set = err == RIJN_OK;
    if (err != RIJN_OK)
      return RIJN_RAISE_ERR(c->prov, err);
  }
  if (iv != NULL) {
    memcpy(c->iv, iv, IV_LEN);
    begin(c);
  }
  return params == NULL || siv_set_params(c, params);
}

static int siv_encrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *iv,
                            size_t iv_len, const OSSL_PARAM params[]) {
  return siv_init(vctx, key, key_len, iv, iv_len, params, ENCRYPT);
}

static int siv_decrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *iv,
                            size_t iv_len, const OSSL_PARAM params[]) {
  return siv_init(vctx, key, key_len, iv, iv_len, params, DECRYPT);
}

/* ---------------------------------------------------------------- messages */

static int check_ready(const struct siv *c) {
  if (!c->key_set)
    return RIJN_RAISE(c->prov, RIJN_R_NO_KEY);
  if (c->phase == NO_IV)
    return RIJN_RAISE(c->prov, RIJN_R_NO_IV);
  if (c->phase == SPOILED || (c->phase == ENDED && !c->speed))
    return RIJN_RAISE(c->prov, RIJN_R_IV_REUSE);
  return 1;
}

static int put_aad(struct siv *c, const uint8_t *in, size_t len) {
  if (c->phase == TEXT && !c->speed) {
    spoil(c);
    return RIJN_RAISE(c->prov, RIJN_R_ORDER);
  }
  if (c->phase != READY)
    begin(c);
  if ((uint64_t)len > RIJN_GCM_SIV_MAX_LEN - c->aad_len) {
    spoil(c);
    return RIJN_RAISE_ERR(c->prov, RIJN_EAADLEN);
  }
  if (len > SIZE_MAX / 4 - c->aad_len) { /* with 32 bits the sizes below would not fit */
    spoil(c);
    return RIJN_RAISE(c->prov, RIJN_R_MEMORY);
  }
  if (len > c->aad_size - c->aad_len) {
    void *block;
    size_t size = 2 * (c->aad_len + len);
    uint8_t *more = rijn_prov_alloc(c->prov, size, 0, &block);
    if (more == NULL) {
      spoil(c);
      return 0;
    }
    size_t had = c->aad_len;
    memcpy(more, c->aad, had);
    drop_aad(c);
    c->aad = more;
    c->aad_block = block;
    c->aad_len = had;
    c->aad_size = size;
  }
  memcpy(c->aad + c->aad_len, in, len);
  c->aad_len += len;
  return 1;
}

static int put_text(struct siv *c, uint8_t *out, const uint8_t *in, size_t len) {
  c->refused = true;
  if (c->phase == TEXT && !c->speed) {
    spoil(c); /* who misses the error must not get a tag, or a verdict, that leaves this text out */
    return RIJN_RAISEF(c->prov, RIJN_R_ORDER, "AES-GCM-SIV takes the whole text in one update");
  }
  if (c->way == DECRYPT && !c->tag_set)
    return RIJN_RAISE(c->prov, RIJN_R_TAG_NOT_SET);
  c->tag_made = false;
  c->authentic = false;
  int err = c->way == ENCRYPT ? rijn_gcm_siv_encrypt(&c->key, out, in, len, c->aad, c->aad_len, c->iv, c->tag)
                              : rijn_gcm_siv_decrypt(&c->key, out, in, len, c->aad, c->aad_len, c->iv, c->tag);
  if (err != RIJN_OK && err != RIJN_EAUTH)
    return RIJN_RAISE_ERR(c->prov, err);
  /* WHY a forgery is no error here: with the default provider the end tells, and programs take an update that fails for
   * a fault of their own. */
  c->tag_made = c->way == ENCRYPT;
  c->authentic = c->way == DECRYPT && err == RIJN_OK;
  c->phase = TEXT;
  c->refused = false;
  rijn_prov_count(RIJN_ALG_GCM_SIV, c->way == ENCRYPT, len);
  return 1;
}

static int finish(struct siv *c) {
  if (c->refused && (c->way == ENCRYPT || c->tag_set))
    return RIJN_RAISEF(c->prov, RIJN_R_ORDER, "the text was refused before");
  if (c->phase == READY && !put_text(c, NULL, NULL, 0))
    return 0;
  c->phase = ENDED;
  return c->way == ENCRYPT ? c->tag_made : c->authentic; /* a forgery leaves no error in the queue, as with GCM */
}

/* EVP_Cipher: associated data (no output), text, or the end (no input). */
static int siv_cipher(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                      size_t len) {
  struct siv *c = vctx;
  *out_len = 0;
  if (!check_ready(c))
    return 0;
  if (in == NULL)
    return len == 0 ? finish(c) : RIJN_RAISEF(c->prov, RIJN_R_DATA, "no input, but a length");
  if (out != NULL && out_size < len) {
    c->refused = true;
    return RIJN_RAISE(c->prov, RIJN_R_OUTPUT_TOO_SMALL);
  }
  if (!(out == NULL ? put_aad(c, in, len) : put_text(c, out, in, len)))
    return 0;
  *out_len = len;
  return 1;
}

/* Update: the same without the end. No input of no length is nothing, be it for associated data or for text. */
static int siv_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                      size_t len) {
  if (in != NULL || len != 0)
    return siv_cipher(vctx, out, out_len, out_size, in, len);
  *out_len = 0;
  return check_ready(vctx);
}

static int siv_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size) {
  (void)out;
  (void)out_size;
  return siv_cipher(vctx, NULL, out_len, 0, NULL, 0);
}

/* ---------------------------------------------------------------- parameters */

static int bad_param(const struct siv *c, const OSSL_PARAM *p) {
  return RIJN_RAISEF(c->prov, RIJN_R_GET_PARAM, "\"%s\"", p->key);
}

/* On encryption it means nothing, as with the default provider. Another tag than the one that was checked is wrong: the
 * counter was the first one. */
static int set_tag(struct siv *c, const OSSL_PARAM *p) {
  if (p->data == NULL || p->data_type != OSSL_PARAM_OCTET_STRING || p->data_size != TAG_LEN)
    return bad_param(c, p);
  if (c->way == ENCRYPT)
    return 1;
  if (memcmp(c->tag, p->data, TAG_LEN) != 0)
    c->authentic = false;
  memcpy(c->tag, p->data, TAG_LEN);
  c->tag_set = true;
  return 1;
}

/* A length that can be one only. */
static int set_length(const struct siv *c, const OSSL_PARAM *p, size_t only, enum rijn_reason reason) {
  size_t n;
  if (!rijn_param_get_size(p, &n))
    return bad_param(c, p);
  return n == only ? 1 : RIJN_RAISEF(c->prov, reason, "%zu bytes, not %zu", n, only);
}

static int set_speed(struct siv *c, const OSSL_PARAM *p) {
  unsigned speed;
  if (!rijn_param_get_uint(p, &speed))
    return bad_param(c, p);
  c->speed = speed != 0;
  return 1;
}

static int siv_set_params(void *vctx, const OSSL_PARAM params[]) {
  struct siv *c = vctx;
  for (const OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++) {
    int ok = 1;
    if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TAG))
      ok = set_tag(c, p);
    else if (PARAM_IS(p, PARAM_SPEED))
      ok = set_speed(c, p);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_KEYLEN))
      ok = set_length(c, p, c->key_len, RIJN_R_KEY_LENGTH);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_IVLEN))
      ok = set_length(c, p, IV_LEN, RIJN_R_IV_LENGTH);
    if (!ok)
      return 0;
  }
  return 1;
}

static int siv_get_params(void *vctx, OSSL_PARAM params[]) {
  struct siv *c = vctx;
  for (OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++) {
    bool ok = true;
    if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TAG))
      ok = c->tag_made && p->data_size == TAG_LEN && rijn_param_set_octets(p, c->tag, TAG_LEN);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TAGLEN))
      ok = rijn_param_set_u64(p, TAG_LEN);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_KEYLEN))
      ok = rijn_param_set_u64(p, c->key_len);
    if (!ok)
      return RIJN_RAISEF(c->prov, RIJN_R_SET_PARAM, "\"%s\"", p->key);
  }
  return 1;
}

static const OSSL_PARAM *siv_gettable(void *vctx, void *provctx) {
  static const OSSL_PARAM list[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, NULL),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0), OSSL_PARAM_END};
  (void)vctx;
  (void)provctx;
  return list;
}

static const OSSL_PARAM *siv_settable(void *vctx, void *provctx) {
  static const OSSL_PARAM list[] = {
      OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL), OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
      OSSL_PARAM_uint(PARAM_SPEED, NULL), OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0), OSSL_PARAM_END};
  (void)vctx;
  (void)provctx;
  return list;
}

static void *new_128(void *provctx) { return siv_new(provctx, 16); }
static void *new_192(void *provctx) { return siv_new(provctx, 24); }
static void *new_256(void *provctx) { return siv_new(provctx, 32); }

static int cipher_params(OSSL_PARAM params[], size_t key_len) {
  const struct rijn_cipher_info info = {SIV_MODE, key_len, 1, IV_LEN, true, true};
  return rijn_prov_cipher_params(params, &info);
}
static int params_128(OSSL_PARAM params[]) { return cipher_params(params, 16); }
static int params_192(OSSL_PARAM params[]) { return cipher_params(params, 24); }
static int params_256(OSSL_PARAM params[]) { return cipher_params(params, 32); }

#define OWN(name, params)                                                                                              \
  {OSSL_FUNC_CIPHER_NEWCTX, (void (*)(void))name}, { OSSL_FUNC_CIPHER_GET_PARAMS, (void (*)(void))params }
#define SHARED                                                                                                         \
  {OSSL_FUNC_CIPHER_FREECTX, (void (*)(void))siv_free}, {OSSL_FUNC_CIPHER_DUPCTX, (void (*)(void))siv_dup},            \
      {OSSL_FUNC_CIPHER_ENCRYPT_INIT, (void (*)(void))siv_encrypt_init},                                               \
      {OSSL_FUNC_CIPHER_DECRYPT_INIT, (void (*)(void))siv_decrypt_init},                                               \
      {OSSL_FUNC_CIPHER_UPDATE, (void (*)(void))siv_update}, {OSSL_FUNC_CIPHER_FINAL, (void (*)(void))siv_final},      \
      {OSSL_FUNC_CIPHER_CIPHER, (void (*)(void))siv_cipher},                                                           \
      {OSSL_FUNC_CIPHER_GETTABLE_PARAMS, (void (*)(void))rijn_prov_cipher_gettable},                                   \
      {OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (void (*)(void))siv_get_params},                                               \
      {OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))siv_gettable},                                            \
      {OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (void (*)(void))siv_set_params},                                               \
      {OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))siv_settable}, {                                          \
    0, NULL                                                                                                            \
  }
const OSSL_DISPATCH rijn_prov_gcm_siv128[] = {OWN(new_128, params_128), SHARED};
const OSSL_DISPATCH rijn_prov_gcm_siv192[] = {OWN(new_192, params_192), SHARED};
const OSSL_DISPATCH rijn_prov_gcm_siv256[] = {OWN(new_256, params_256), SHARED};
