/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* GCM's contexts, parameters and tables of functions. What happens to a message is in gcm.c. */
#include "gcm.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <stddef.h>
#include <string.h>

#include "params.h"
#include "pipe.h"

/* ---------------------------------------------------------------- contexts */

static void *gcm_new(void *provctx, size_t key_len) {
  struct rijn_prov *prov = provctx;
  struct both {
    struct gcm c;
    struct gcm_key key;
  };
  void *block;
  if (!rijn_prov_tested(prov, RIJN_ALG_GCM, key_len))
    return NULL;
  /* WHY one piece of memory: a second one takes time at each message that has a context of its own (T-302). */
  struct both *both = rijn_prov_alloc(prov, sizeof *both, offsetof(struct gcm, nonce), &block);
  if (both == NULL)
    return NULL;
  struct gcm *c = &both->c;
  c->own = &both->key;
  c->own->block = block;
  atomic_init(&c->own->refs, 1);
  c->prov = prov;
  c->key_len = key_len;
  c->iv_len = 12;
  c->tag_len = GCM_UNSET;
  c->tls_aad_len = GCM_UNSET;
  return c;
}

static void gcm_free(void *vctx) {
  struct gcm *c = vctx;
  if (c == NULL)
    return;
  const struct rijn_prov *prov = c->prov;
  rijn_gcm_text_drop(c);
  rijn_pipe_gcm_drop(c);
  if (c->key != c->own)
    rijn_gcm_key_drop(prov, c->key);
  /* WHY no wiping: what was secret in the context itself was wiped where it ended (T-302). */
  if (c->own != NULL)
    rijn_gcm_key_drop(prov, c->own);
  else
    prov->free(c->block, __FILE__, __LINE__);
}

static void *gcm_dup(void *vctx) {
  const struct gcm *c = vctx;
  void *block;
  struct gcm *d = rijn_prov_alloc(c->prov, sizeof *d, 0, &block);
  if (d == NULL)
    return NULL;
  memcpy(d, c, sizeof *d);
  d->block = block;
  d->own = NULL;
  d->pipes = NULL; /* a copy has none */
  if (c->held != NULL) {
    d->held = c->prov->malloc(c->held_size, __FILE__, __LINE__);
    if (d->held == NULL) {
      rijn_prov_free(d->prov, block, d, sizeof *d);
      RIJN_RAISE(c->prov, RIJN_R_MEMORY);
      return NULL;
    }
    memcpy(d->held, c->held, c->held_size);
  }
  if (d->key != NULL)
    atomic_fetch_add_explicit(&d->key->refs, 1, memory_order_relaxed);
  return d;
}

static int gcm_set_params(void *vctx, const OSSL_PARAM params[]);

static int gcm_init(struct gcm *c, const uint8_t *key, size_t key_len, const uint8_t *iv, size_t iv_len,
                    const OSSL_PARAM params[], bool enc) {
  if (key != NULL && key_len != c->key_len)
    return RIJN_RAISEF(c->prov, RIJN_R_KEY_LENGTH, "%zu bytes, not %zu", key_len, c->key_len);
  if (iv != NULL && (iv_len == 0 || iv_len > GCM_MAX_IV))
    return RIJN_RAISEF(c->prov, RIJN_R_IV_LENGTH, "%zu bytes, not 1 to %d", iv_len, GCM_MAX_IV);
  bool begun = c->phase == GCM_LIVE || c->phase == GCM_LONE || c->phase == GCM_SHORT || c->held_aad != 0;
  if (c->enc != enc) {
    if (begun)
      rijn_gcm_ctx_spoil(c); /* the message in hand has the other direction */
    c->tag_made = false;
    c->enc = enc;
  }
  if (key != NULL) {
    if (begun)
      rijn_gcm_ctx_spoil(c);
    if (!rijn_gcm_ctx_set_key(c, key, key_len, GCM_TAG))
      return 0;
    c->tls_records = 0;
    c->iv_spent = false;
    c->likely = 0;
  }
  if (iv != NULL) {
    c->iv_len = iv_len;
    c->iv_random = false;
    c->iv_spent = false;
    rijn_gcm_ctx_copy_iv(c->iv, iv, iv_len);
    rijn_gcm_ctx_begin(c);
  }
  return params == NULL || gcm_set_params(c, params);
}

static int gcm_encrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *iv,
                            size_t iv_len, const OSSL_PARAM params[]) {
  return gcm_init(vctx, key, key_len, iv, iv_len, params, true);
}

static int gcm_decrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *iv,
                            size_t iv_len, const OSSL_PARAM params[]) {
  return gcm_init(vctx, key, key_len, iv, iv_len, params, false);
}

/* ---------------------------------------------------------------- parameters */

static int bad_param(const struct gcm *c, const OSSL_PARAM *p) {
  return RIJN_RAISEF(c->prov, RIJN_R_GET_PARAM, "\"%s\"", p->key);
}

static int bad_answer(const struct gcm *c, const OSSL_PARAM *p) {
  return RIJN_RAISEF(c->prov, RIJN_R_SET_PARAM, "\"%s\"", p->key);
}

static int set_tag(struct gcm *c, const OSSL_PARAM *p) {
  size_t n = p->data_size;
  if (p->data == NULL || p->data_type != OSSL_PARAM_OCTET_STRING)
    return bad_param(c, p);
  if (c->enc || n == 0 || n > GCM_TAG)
    return RIJN_RAISEF(c->prov, RIJN_R_TAG, "%s, %zu bytes", c->enc ? "set on encryption" : "set", n);
  /* Another tag than the one that was checked: the end checks it. */
  if (n != c->tag_len || memcmp(c->tag, p->data, n) != 0)
    c->checked = false;
  memcpy(c->tag, p->data, n);
  c->tag_len = n;
  c->tag_spent = false;
  return 1;
}

static int get_tag(struct gcm *c, OSSL_PARAM *p) {
  if (!c->enc || !c->tag_made || p->data_size == 0 || p->data_size > GCM_TAG)
    return RIJN_RAISEF(c->prov, RIJN_R_TAG, "got %s, %zu bytes", c->tag_made ? "after the end" : "before the end",
                       p->data_size);
  return rijn_param_set_octets(p, c->tag, p->data_size) || bad_answer(c, p);
}

static int set_iv_len(struct gcm *c, const OSSL_PARAM *p) {
  size_t n;
  if (!rijn_param_get_size(p, &n))
    return bad_param(c, p);
  if (n == 0 || n > GCM_MAX_IV)
    return RIJN_RAISEF(c->prov, RIJN_R_IV_LENGTH, "%zu bytes, not 1 to %d", n, GCM_MAX_IV);
  if (n != c->iv_len) {
    rijn_gcm_ctx_spoil(c); /* an IV of the old length is none, and zeros in a counter would count again */
    c->iv_gen = false;
    if (n > c->iv_len)
      memset(c->iv + c->iv_len, 0, n - c->iv_len); /* it can be asked for */
    c->iv_len = n;
  }
  return 1;
}

static int set_key_len(const struct gcm *c, const OSSL_PARAM *p) {
  size_t n;
  if (!rijn_param_get_size(p, &n))
    return bad_param(c, p);
  return n == c->key_len ? 1 : RIJN_RAISEF(c->prov, RIJN_R_KEY_LENGTH, "%zu bytes, not %zu", n, c->key_len);
}

static int is_octets(const OSSL_PARAM *p) { return p->data_type == OSSL_PARAM_OCTET_STRING; }

/* Unknown parameters are passed over, as everywhere in libcrypto: libssl sets tls-version and tls-mac-size with every
 * cipher, and padding is set by programs that treat all ciphers alike. */
static int gcm_set_params(void *vctx, const OSSL_PARAM params[]) {
  struct gcm *c = vctx;
  for (const OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++) {
    int ok = 1;
    if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TAG))
      ok = set_tag(c, p);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_IVLEN))
      ok = set_iv_len(c, p);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD))
      ok = is_octets(p) ? rijn_gcm_tls_set_aad(c, p->data, p->data_size) : bad_param(c, p);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED))
      ok = is_octets(p) ? rijn_gcm_tls_set_fixed(c, p->data, p->data_size) : bad_param(c, p);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV))
      ok = is_octets(p) ? rijn_gcm_tls_set_inv(c, p->data, p->data_size) : bad_param(c, p);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_KEYLEN))
      ok = set_key_len(c, p);
    else if (PARAM_IS(p, PARAM_PIPE_TAG))
      ok = rijn_pipe_gcm_set_tags(c, p);
    if (!ok)
      return 0;
  }
  return 1;
}

static int get_iv(struct gcm *c, OSSL_PARAM *p) {
  if (c->phase == GCM_NONE)
    return RIJN_RAISE(c->prov, RIJN_R_NO_IV);
  return rijn_param_set_octets_or_ptr(p, c->iv, c->iv_len) || bad_answer(c, p);
}

static int gcm_get_params(void *vctx, OSSL_PARAM params[]) {
  struct gcm *c = vctx;
  for (OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++) {
    int ok = 1;
    if (PARAM_IS(p, OSSL_CIPHER_PARAM_IVLEN))
      ok = rijn_param_set_u64(p, c->iv_len);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TAG))
      ok = get_tag(c, p);
    else if (PARAM_IS(p, PARAM_PIPE_TAG))
      ok = rijn_pipe_gcm_get_tags(c, p);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_KEYLEN))
      ok = rijn_param_set_u64(p, c->key_len);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TAGLEN))
      ok = rijn_param_set_u64(p, c->tag_len == GCM_UNSET ? GCM_TAG : c->tag_len);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_IV) || PARAM_IS(p, OSSL_CIPHER_PARAM_UPDATED_IV))
      ok = get_iv(c, p);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD))
      ok = rijn_param_set_u64(p, c->tls_pad);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN))
      ok = p->data_type == OSSL_PARAM_OCTET_STRING ? rijn_gcm_tls_get_gen(c, p->data, p->data_size) : bad_answer(c, p);
    else if (PARAM_IS(p, "iv-generated"))
      ok = rijn_param_set_u64(p, c->iv_random);
    if (!ok)
      return 0;
  }
  return 1;
}

static const OSSL_PARAM *gcm_gettable(void *vctx, void *provctx) {
  static const OSSL_PARAM list[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, NULL),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, NULL, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, NULL),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN, NULL, 0),
                                    OSSL_PARAM_uint("iv-generated", NULL),
                                    OSSL_PARAM_END};
  (void)vctx;
  (void)provctx;
  return list;
}

static const OSSL_PARAM *gcm_settable(void *vctx, void *provctx) {
  static const OSSL_PARAM list[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, NULL, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, NULL, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, NULL, 0),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, NULL),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_TLS_VERSION, NULL),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, NULL),
                                    OSSL_PARAM_END};
  (void)vctx;
  (void)provctx;
  return list;
}

#define GCM_CIPHER(bits)                                                                                               \
  static void *gcm##bits##_new(void *provctx) { return gcm_new(provctx, bits / 8); }                                   \
  static int gcm##bits##_get_params(OSSL_PARAM params[]) {                                                             \
    static const struct rijn_cipher_info info = {EVP_CIPH_GCM_MODE, bits / 8, 1, 12, true, true};                      \
    return rijn_prov_cipher_params(params, &info);                                                                     \
  }                                                                                                                    \
  const OSSL_DISPATCH rijn_prov_gcm##bits[] = {                                                                        \
      {OSSL_FUNC_CIPHER_NEWCTX, (void (*)(void))gcm##bits##_new},                                                      \
      {OSSL_FUNC_CIPHER_FREECTX, (void (*)(void))gcm_free},                                                            \
      {OSSL_FUNC_CIPHER_DUPCTX, (void (*)(void))gcm_dup},                                                              \
      {OSSL_FUNC_CIPHER_ENCRYPT_INIT, (void (*)(void))gcm_encrypt_init},                                               \
      {OSSL_FUNC_CIPHER_DECRYPT_INIT, (void (*)(void))gcm_decrypt_init},                                               \
      {OSSL_FUNC_CIPHER_UPDATE, (void (*)(void))rijn_prov_gcm_update},                                                 \
      {OSSL_FUNC_CIPHER_FINAL, (void (*)(void))rijn_prov_gcm_final},                                                   \
      {OSSL_FUNC_CIPHER_CIPHER, (void (*)(void))rijn_prov_gcm_cipher},                                                 \
      {OSSL_FUNC_CIPHER_GET_PARAMS, (void (*)(void))gcm##bits##_get_params},                                           \
      {OSSL_FUNC_CIPHER_GETTABLE_PARAMS, (void (*)(void))rijn_prov_cipher_gettable},                                   \
      {OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (void (*)(void))gcm_get_params},                                               \
      {OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))gcm_gettable},                                            \
      {OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (void (*)(void))gcm_set_params},                                               \
      {OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))gcm_settable},                                            \
      PIPE_FUNCTIONS(gcm),                                                                                             \
      {0, NULL}}

GCM_CIPHER(128);
GCM_CIPHER(192);
GCM_CIPHER(256);
