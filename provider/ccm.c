/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * AES-CCM as libcrypto calls it. The first block of CCM's MAC has the text's length, so that is told first: by an
 * update without input and output, unless there is no associated data. Then all of the associated data comes in one
 * update, and all of the text in another. Decryption checks the tag with the text, which has to be set before.
 *
 * What a call does is what the default provider's does: so lengths of IV and tag count as they were when the key was
 * set. These are the differences, all but the first on the refusing side: a message without an update of text has a
 * text of no length, where the default provider makes no tag, and takes any; after an update that failed so does the
 * end; a second update of associated data is refused, where the default provider forgets the first, and so is text
 * behind text; each message needs its length anew, and each TLS record its associated data; partial overlap of output
 * and input is refused.
 */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <rijn.h>
#include <stddef.h>
#include <string.h>

#include "params.h"
#include "prov.h"

enum { MAX_TAG = 16, MAX_IV = 13, NEAR = 64 };

enum phase {
  FRESH,   /* nothing of a message has come */
  LENGTH,  /* its length has */
  AAD,     /* its associated data has */
  TEXT,    /* its text has: the tag is made, or was right */
  REFUSED, /* something of it was refused */
};

struct ccm {
  const struct rijn_prov *prov;
  void *block;
  size_t key_len;
  enum phase phase;
  bool enc, key_set, iv_set, tag_set, tls;
  size_t iv_len, tag_len;         /* as set */
  size_t key_iv_len, key_tag_len; /* when the key was */
  size_t len;                     /* of the text to come */
  size_t tls_pad;
  uint8_t iv[16], tag[MAX_TAG], tls_aad[RIJN_TLS_AAD];
  /* Associated data: in near, or in memory of its own. */
  uint8_t *aad;
  void *aad_block;
  size_t aad_len;
  /* From here on not zeroed in a new context. */
  uint8_t near[NEAR];
  rijn_ccm_key key;
};

/* ---------------------------------------------------------------- contexts */

static void drop_aad(struct ccm *c) {
  if (c->aad_block != NULL)
    rijn_prov_free(c->prov, c->aad_block, c->aad, c->aad_len);
  c->aad_block = NULL;
  c->aad = c->near;
  c->aad_len = 0;
}

/* A message is over, or a new one begins. */
static void start_over(struct ccm *c, enum phase phase) {
  drop_aad(c);
  c->phase = phase;
}

static void *ccm_new(void *provctx, size_t key_len) {
  struct rijn_prov *prov = provctx;
  void *block;
  if (!rijn_prov_tested(prov, RIJN_ALG_CCM, key_len))
    return NULL;
  struct ccm *c = rijn_prov_alloc(prov, sizeof *c, offsetof(struct ccm, near), &block);
  if (c == NULL)
    return NULL;
  c->prov = prov;
  c->block = block;
  c->key_len = key_len;
  c->iv_len = 7; /* as the default provider, until they are set */
  c->tag_len = 12;
  drop_aad(c);
  return c;
}

static void ccm_free(void *vctx) {
  struct ccm *c = vctx;
  if (c == NULL)
    return;
  drop_aad(c);
  rijn_prov_free(c->prov, c->block, c, sizeof *c);
}

static bool hold_aad(struct ccm *c, const uint8_t *aad, size_t len) {
  drop_aad(c);
  if (len > NEAR && (c->aad = rijn_prov_alloc(c->prov, len, 0, &c->aad_block)) == NULL) {
    drop_aad(c);
    return false;
  }
  memcpy(c->aad, aad, len);
  c->aad_len = len;
  return true;
}

static void *ccm_dup(void *vctx) {
  const struct ccm *c = vctx;
  void *block;
  struct ccm *d = rijn_prov_alloc(c->prov, sizeof *d, 0, &block);
  if (d == NULL)
    return NULL;
  memcpy(d, c, sizeof *d);
  d->block = block;
  d->aad = d->near;
  d->aad_block = NULL;
  if (c->aad_block != NULL && !hold_aad(d, c->aad, c->aad_len)) {
    rijn_prov_free(c->prov, block, d, sizeof *d);
    return NULL;
  }
  return d;
}

static int ccm_set_params(void *vctx, const OSSL_PARAM params[]);

static int ccm_init(struct ccm *c, const uint8_t *key, size_t key_len, const uint8_t *iv, size_t iv_len,
                    const OSSL_PARAM params[], bool enc) {
  if (c->enc != enc) {
    start_over(c, FRESH);
    c->tag_set = false;
  }
  c->enc = enc;
  if (iv != NULL) {
    if (iv_len != c->iv_len)
      return RIJN_RAISEF(c->prov, RIJN_R_IV_LENGTH, "%zu bytes, not %zu", iv_len, c->iv_len);
    memcpy(c->iv, iv, iv_len);
    c->iv_set = true;
    start_over(c, FRESH);
  }
  if (key != NULL) {
    if (key_len != c->key_len)
      return RIJN_RAISEF(c->prov, RIJN_R_KEY_LENGTH, "%zu bytes, not %zu", key_len, c->key_len);
    start_over(c, FRESH);
    int err = rijn_ccm_init_taglen(&c->key, key, key_len, c->tag_len);
    c->key_set = err == RIJN_OK;
    if (err != RIJN_OK)
      return RIJN_RAISE_ERR(c->prov, err);
    c->key_iv_len = c->iv_len;
    c->key_tag_len = c->tag_len;
  }
  return params == NULL || ccm_set_params(c, params);
}

static int ccm_encrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *iv,
                            size_t iv_len, const OSSL_PARAM params[]) {
  return ccm_init(vctx, key, key_len, iv, iv_len, params, true);
}

static int ccm_decrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *iv,
                            size_t iv_len, const OSSL_PARAM params[]) {
  return ccm_init(vctx, key, key_len, iv, iv_len, params, false);
}

/* ---------------------------------------------------------------- messages */

/* All of a text, and its tag: made, or checked. A result of the library. */
static int crypt(struct ccm *c, uint8_t *out, const uint8_t *in, size_t len, uint8_t *tag) {
  const uint8_t *aad = c->aad_len == 0 ? NULL : c->aad;
  int err = c->enc ? rijn_ccm_encrypt(&c->key, out, in, len, aad, c->aad_len, c->iv, c->key_iv_len, tag)
                   : rijn_ccm_decrypt(&c->key, out, in, len, aad, c->aad_len, c->iv, c->key_iv_len, tag);
  if (err == RIJN_OK)
    rijn_prov_count(RIJN_ALG_CCM, c->enc, len);
  return err;
}

static int check_ready(const struct ccm *c) {
  if (!c->key_set)
    return RIJN_RAISE(c->prov, RIJN_R_NO_KEY);
  if (!c->iv_set)
    return RIJN_RAISE(c->prov, RIJN_R_NO_IV);
  /* A longer IV than the key was set with is cut; a shorter one is refused. */
  if (c->iv_len < c->key_iv_len)
    return RIJN_RAISEF(c->prov, RIJN_R_IV_LENGTH, "%zu bytes; when the key was set it had %zu", c->iv_len,
                       c->key_iv_len);
  return 1;
}

static int put_aad(struct ccm *c, const uint8_t *in, size_t len) {
  if (len == 0)
    return 1;
  if (c->phase != LENGTH)
    return RIJN_RAISEF(c->prov, RIJN_R_ORDER,
                       "AES-CCM takes the text's length, then all associated data in one update");
  if (!hold_aad(c, in, len))
    return 0;
  c->phase = AAD;
  return 1;
}

static int put_text(struct ccm *c, uint8_t *out, const uint8_t *in, size_t len) {
  if (c->phase == TEXT || c->phase == REFUSED)
    return RIJN_RAISEF(c->prov, RIJN_R_ORDER, "AES-CCM takes the whole text in one update, and each IV once");
  if (c->phase != FRESH && len != c->len)
    return RIJN_RAISEF(c->prov, RIJN_R_LENGTH, "a text of %zu bytes, not of %zu", len, c->len);
  if (!c->enc && !c->tag_set)
    return RIJN_RAISE(c->prov, RIJN_R_TAG_NOT_SET);
  if (!c->enc && c->tag_len != c->key_tag_len)
    return RIJN_RAISEF(c->prov, RIJN_R_TAG_LENGTH, "%zu bytes; when the key was set it had %zu", c->tag_len,
                       c->key_tag_len);
  int err = crypt(c, out, in, len, c->tag);
  if (err == RIJN_EAUTH)
    return RIJN_RAISEF(c->prov, RIJN_R_CIPHER, "the tag is wrong");
  if (err != RIJN_OK)
    return RIJN_RAISE_ERR(c->prov, err);
  start_over(c, TEXT);
  c->tag_set = c->enc;
  c->iv_set = c->enc; /* as the default provider: who encrypts may ask for the IV */
  return 1;
}

/* What was refused can be sent anew, from its length on, but it has no end. */
static int put(struct ccm *c, uint8_t *out, const uint8_t *in, size_t len) {
  if (!check_ready(c))
    return 0;
  if (in == NULL) { /* the text's length; what came of a message before is forgotten */
    start_over(c, LENGTH);
    c->len = len;
    return 1;
  }
  int ok = out == NULL ? put_aad(c, in, len) : put_text(c, out, in, len);
  if (!ok)
    start_over(c, REFUSED);
  return ok;
}

/* A record of TLS 1.2, in place: explicit nonce, text, tag. */
static int tls_record(struct ccm *c, uint8_t *out, size_t *out_len, const uint8_t *in, size_t len) {
  const size_t around = RIJN_TLS_EXPLICIT + c->tag_len;
  c->tls = false;
  if (in == NULL || in != out || len < around || !c->key_set || c->key_tag_len != c->tag_len)
    return RIJN_RAISE(c->prov, RIJN_R_TLS_RECORD);
  if (c->enc)
    memcpy(out, c->tls_aad, RIJN_TLS_EXPLICIT); /* the record's number */
  memcpy(c->iv + RIJN_TLS_FIXED, in, RIJN_TLS_EXPLICIT);
  if (!hold_aad(c, c->tls_aad, RIJN_TLS_AAD))
    return 0;
  len -= around;
  int err = c->iv_len < c->key_iv_len
                ? RIJN_ENONCELEN
                : crypt(c, out + RIJN_TLS_EXPLICIT, in + RIJN_TLS_EXPLICIT, len, out + RIJN_TLS_EXPLICIT + len);
  start_over(c, FRESH);
  if (err == RIJN_EAUTH)
    return RIJN_RAISEF(c->prov, RIJN_R_CIPHER, "the record's tag is wrong");
  if (err != RIJN_OK)
    return RIJN_RAISE_ERR(c->prov, err);
  *out_len = c->enc ? len + around : len;
  return 1;
}

static int ccm_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                      size_t len) {
  struct ccm *c = vctx;
  *out_len = 0;
  if (out_size < len && out != NULL)
    return RIJN_RAISE(c->prov, RIJN_R_OUTPUT_TOO_SMALL);
  if (c->tls)
    return tls_record(c, out, out_len, in, len);
  if (in == NULL && out != NULL) /* nothing, as at the end */
    return 1;
  if (!put(c, out, in, len))
    return 0;
  *out_len = len;
  return 1;
}

/* The end of a message that had no text is its text, of no length. */
static int ccm_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size) {
  struct ccm *c = vctx;
  uint8_t none[1];
  (void)out;
  (void)out_size;
  *out_len = 0;
  if (c->tls)
    return RIJN_RAISE(c->prov, RIJN_R_TLS_RECORD);
  if (c->phase == REFUSED)
    return RIJN_RAISEF(c->prov, RIJN_R_ORDER, "a part of the message was refused");
  return c->phase == FRESH || c->phase == TEXT || put(c, none, none, 0);
}

/* EVP_Cipher: an update, or without any data the end. */
static int ccm_cipher(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                      size_t len) {
  if (in == NULL && out != NULL && !((const struct ccm *)vctx)->tls)
    return ccm_final(vctx, out, out_len, out_size);
  return ccm_update(vctx, out, out_len, out_size, in, len);
}

/* ---------------------------------------------------------------- parameters */

static int bad_param(const struct ccm *c, const OSSL_PARAM *p) {
  return RIJN_RAISEF(c->prov, RIJN_R_GET_PARAM, "\"%s\"", p->key);
}

static int set_tag(struct ccm *c, const OSSL_PARAM *p) {
  if (p->data_type != OSSL_PARAM_OCTET_STRING)
    return bad_param(c, p);
  if (p->data_size < 4 || p->data_size > MAX_TAG || p->data_size % 2 != 0)
    return RIJN_RAISEF(c->prov, RIJN_R_TAG_LENGTH, "%zu bytes, not 4, 6 .. 16", p->data_size);
  if (p->data != NULL) {
    if (c->enc)
      return RIJN_RAISE(c->prov, RIJN_R_TAG_NOT_NEEDED);
    memcpy(c->tag, p->data, p->data_size);
    c->tag_set = true;
  }
  c->tag_len = p->data_size;
  return 1;
}

static int set_iv_len(struct ccm *c, const OSSL_PARAM *p) {
  size_t n;
  if (!rijn_param_get_size(p, &n))
    return bad_param(c, p);
  if (n < 7 || n > MAX_IV)
    return RIJN_RAISEF(c->prov, RIJN_R_IV_LENGTH, "%zu bytes, not 7 to 13", n);
  if (n != c->iv_len)
    c->iv_set = false;
  c->iv_len = n;
  return 1;
}

static int set_tls_aad(struct ccm *c, const OSSL_PARAM *p) {
  const uint8_t *aad = p->data;
  c->tls = false;
  if (p->data_type != OSSL_PARAM_OCTET_STRING || aad == NULL)
    return bad_param(c, p);
  if (p->data_size != RIJN_TLS_AAD)
    return RIJN_RAISEF(c->prov, RIJN_R_DATA, "tlsaad of %zu bytes, not %d", p->data_size, RIJN_TLS_AAD);
  size_t around = RIJN_TLS_EXPLICIT + (c->enc ? 0 : c->tag_len), record = rijn_tls_aad(c->tls_aad, aad, around);
  if (record < around)
    return RIJN_RAISEF(c->prov, RIJN_R_TLS_RECORD, "record of %zu bytes", record);
  c->tls_pad = c->tag_len;
  c->tls = true;
  return 1;
}

static int set_tls_fixed(struct ccm *c, const OSSL_PARAM *p) {
  if (p->data_type != OSSL_PARAM_OCTET_STRING || p->data == NULL)
    return bad_param(c, p);
  if (p->data_size != RIJN_TLS_FIXED)
    return RIJN_RAISEF(c->prov, RIJN_R_IV_LENGTH, "fixed part of %zu bytes, not %d", p->data_size, RIJN_TLS_FIXED);
  memcpy(c->iv, p->data, RIJN_TLS_FIXED);
  return 1;
}

static int ccm_set_params(void *vctx, const OSSL_PARAM params[]) {
  struct ccm *c = vctx;
  for (const OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++) {
    int ok = 1;
    if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TAG))
      ok = set_tag(c, p);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_IVLEN))
      ok = set_iv_len(c, p);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD))
      ok = set_tls_aad(c, p);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED))
      ok = set_tls_fixed(c, p);
    if (!ok)
      return 0;
  }
  return 1;
}

/* Once, as with the default provider: the IV is spent with it. */
static int get_tag(struct ccm *c, OSSL_PARAM *p) {
  if (!c->enc || !c->tag_set || c->phase != TEXT)
    return RIJN_RAISE(c->prov, RIJN_R_TAG_NOT_SET);
  if (p->data_size != c->key_tag_len || p->data == NULL || !rijn_param_set_octets(p, c->tag, c->key_tag_len))
    return RIJN_RAISEF(c->prov, RIJN_R_SET_PARAM, "a tag of %zu bytes, not of %zu", p->data_size, c->key_tag_len);
  c->tag_set = c->iv_set = false;
  start_over(c, FRESH);
  return 1;
}

static int ccm_get_params(void *vctx, OSSL_PARAM params[]) {
  struct ccm *c = vctx;
  for (OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++) {
    bool ok = true;
    if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TAG)) {
      if (!get_tag(c, p))
        return 0;
    } else if (PARAM_IS(p, OSSL_CIPHER_PARAM_IVLEN)) {
      ok = rijn_param_set_u64(p, c->iv_len);
    } else if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TAGLEN)) {
      ok = rijn_param_set_u64(p, c->tag_len);
    } else if (PARAM_IS(p, OSSL_CIPHER_PARAM_KEYLEN)) {
      ok = rijn_param_set_u64(p, c->key_len);
    } else if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD)) {
      ok = rijn_param_set_u64(p, c->tls_pad);
    } else if (PARAM_IS(p, OSSL_CIPHER_PARAM_IV) || PARAM_IS(p, OSSL_CIPHER_PARAM_UPDATED_IV)) {
      ok = rijn_param_set_octets_or_ptr(p, c->iv, c->iv_len);
    }
    if (!ok)
      return RIJN_RAISEF(c->prov, RIJN_R_SET_PARAM, "\"%s\"", p->key);
  }
  return 1;
}

static const OSSL_PARAM *ccm_gettable(void *vctx, void *provctx) {
  static const OSSL_PARAM list[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, NULL),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, NULL, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, NULL),
                                    OSSL_PARAM_END};
  (void)vctx;
  (void)provctx;
  return list;
}

static const OSSL_PARAM *ccm_settable(void *vctx, void *provctx) {
  static const OSSL_PARAM list[] = {
      OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL), OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),
      OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, NULL, 0),
      OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, NULL, 0), OSSL_PARAM_END};
  (void)vctx;
  (void)provctx;
  return list;
}

#define CCM_CIPHER(bits)                                                                                               \
  static void *new_##bits(void *provctx) { return ccm_new(provctx, bits / 8); }                                        \
  static int params_##bits(OSSL_PARAM params[]) {                                                                      \
    static const struct rijn_cipher_info info = {EVP_CIPH_CCM_MODE, bits / 8, 1, 12, true, true};                      \
    return rijn_prov_cipher_params(params, &info);                                                                     \
  }
CCM_CIPHER(128)
CCM_CIPHER(192)
CCM_CIPHER(256)

#define OWN(name, params)                                                                                              \
  {OSSL_FUNC_CIPHER_NEWCTX, (void (*)(void))name}, { OSSL_FUNC_CIPHER_GET_PARAMS, (void (*)(void))params }
#define SHARED                                                                                                         \
  {OSSL_FUNC_CIPHER_FREECTX, (void (*)(void))ccm_free}, {OSSL_FUNC_CIPHER_DUPCTX, (void (*)(void))ccm_dup},            \
      {OSSL_FUNC_CIPHER_ENCRYPT_INIT, (void (*)(void))ccm_encrypt_init},                                               \
      {OSSL_FUNC_CIPHER_DECRYPT_INIT, (void (*)(void))ccm_decrypt_init},                                               \
      {OSSL_FUNC_CIPHER_UPDATE, (void (*)(void))ccm_update}, {OSSL_FUNC_CIPHER_FINAL, (void (*)(void))ccm_final},      \
      {OSSL_FUNC_CIPHER_CIPHER, (void (*)(void))ccm_cipher},                                                           \
      {OSSL_FUNC_CIPHER_GETTABLE_PARAMS, (void (*)(void))rijn_prov_cipher_gettable},                                   \
      {OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (void (*)(void))ccm_get_params},                                               \
      {OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))ccm_gettable},                                            \
      {OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (void (*)(void))ccm_set_params},                                               \
      {OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))ccm_settable}, {                                          \
    0, NULL                                                                                                            \
  }
const OSSL_DISPATCH rijn_prov_ccm128[] = {OWN(new_128, params_128), SHARED};
const OSSL_DISPATCH rijn_prov_ccm192[] = {OWN(new_192, params_192), SHARED};
const OSSL_DISPATCH rijn_prov_ccm256[] = {OWN(new_256, params_256), SHARED};
