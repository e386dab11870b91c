/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * AES-GCM as libcrypto calls it.
 *
 * What a call does is what the default provider's does, with these differences, all on the refusing side: no IV is made
 * up when none was set; a key set in the middle of a message ends that message; associated data or text after a final
 * that failed is refused; a tag is handed out only when the message it belongs to is the last one; partial overlap of
 * output and input is refused; tags have 4, 8 or 12 to 16 bytes.
 *
 * PERF: libcrypto hands a message over in pieces: IV, associated data, text, end. Most messages have one piece of text.
 * So the nonce and short associated data are held back, and a first piece of up to GCM_MAX_LONE bytes goes through the
 * one-shot call: on encryption as it is, on decryption when the tag is known already (TLS 1.3, OpenSSH). A copy of its
 * ciphertext is kept. If the message goes on after all, or the tag does not fit the first piece, the stream is opened
 * and the copy run through it, and what the caller gets is the same as if the stream had been there from the start;
 * until the next key the context then takes its messages for ones that come in pieces.
 */
#include "gcm.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <string.h>

#include "params.h"

/* ---------------------------------------------------------------- keys */

static void key_drop(const struct rijn_prov *prov, struct gcm_key *k) {
  if (k != NULL && atomic_fetch_sub_explicit(&k->refs, 1, memory_order_acq_rel) == 1)
    rijn_prov_free(prov, k->block, sizeof *k);
}

static bool key_is_ours_alone(const struct gcm_key *k) {
  return atomic_load_explicit(&k->refs, memory_order_acquire) == 1;
}

/* The context's key becomes raw with tags of tag_len bytes; in the same place when no other context uses that. */
static bool key_make(struct gcm *c, const uint8_t *raw, size_t raw_len, size_t tag_len) {
  struct gcm_key *k = c->key;
  if (k == NULL || !key_is_ours_alone(k)) {
    void *block;
    k = rijn_prov_alloc(c->prov, sizeof *k, &block);
    if (k == NULL)
      return false;
    k->block = block;
    atomic_init(&k->refs, 1);
  }
  int err = rijn_gcm_init_taglen(&k->k, raw, raw_len, tag_len);
  if (err != RIJN_OK) { /* not possible but by a broken machine: the key that was there is gone */
    RIJN_RAISE_ERR(c->prov, err);
    key_drop(c->prov, k);
    if (k == c->key)
      c->key = NULL;
    return false;
  }
  memmove(k->raw, raw, raw_len); /* raw may be k->raw */
  k->raw_len = raw_len;
  if (k != c->key) {
    key_drop(c->prov, c->key);
    c->key = k;
  }
  return true;
}

bool rijn_gcm_ctx_tag_len(struct gcm *c, size_t tag_len) {
  if (rijn_gcm_tag_len(&c->key->k) == tag_len)
    return true;
  /* WHY: the open stream points to the key, which must stay where it is; and another context must not see it change. */
  if (c->phase == GCM_LIVE && !key_is_ours_alone(c->key)) {
    RIJN_RAISE(c->prov, RIJN_R_SHARED_TAG);
    return false;
  }
  return key_make(c, c->key->raw, c->key->raw_len, tag_len);
}

/* ---------------------------------------------------------------- a message */

void rijn_gcm_ctx_begin(struct gcm *c) {
  if (c->phase == GCM_LIVE)
    rijn_gcm_stream_wipe(&c->stream);
  memcpy(c->nonce, c->iv, c->iv_len);
  c->held_aad = 0;
  c->tag_made = false;
  c->phase = GCM_READY;
}

static void spoil(struct gcm *c) {
  if (c->phase == GCM_LIVE)
    rijn_gcm_stream_wipe(&c->stream);
  if (c->phase != GCM_NONE)
    c->phase = GCM_DONE;
}

static int fail(struct gcm *c, int err) { return RIJN_RAISE_ERR(c->prov, err); }

/* READY to LIVE. */
static int open_stream(struct gcm *c) {
  if (!c->enc && c->tag_len != GCM_UNSET && !rijn_gcm_ctx_tag_len(c, c->tag_len))
    return 0;
  const rijn_gcm_key *k = &c->key->k;
  int err = c->enc ? rijn_gcm_encrypt_start(&c->stream, k, c->nonce, c->iv_len)
                   : rijn_gcm_decrypt_start(&c->stream, k, c->nonce, c->iv_len);
  if (err == RIJN_OK)
    err = rijn_gcm_aad(&c->stream, c->aad, c->held_aad);
  if (err != RIJN_OK)
    return fail(c, err);
  c->phase = GCM_LIVE;
  return 1;
}

/* LONE to LIVE: the message goes on. */
static int go_on(struct gcm *c) {
  uint8_t text[GCM_MAX_LONE];
  const rijn_gcm_key *k = &c->key->k;
  int err = RIJN_OK;
  c->phase = GCM_READY;
  c->in_pieces = true;
  /* WHY decrypt: the text is not kept, for it is secret. From the ciphertext and the tag it comes back. */
  if (c->enc)
    err = rijn_gcm_decrypt(k, text, c->lone, c->lone_len, c->aad, c->held_aad, c->nonce, c->iv_len, c->tag);
  c->tag_made = false;
  if (err != RIJN_OK) {
    spoil(c);
    return fail(c, err);
  }
  int ok = open_stream(c);
  if (ok) {
    err = rijn_gcm_update(&c->stream, text, c->enc ? text : c->lone, c->lone_len);
    if (err != RIJN_OK)
      ok = fail(c, err);
  }
  memset(text, 0, sizeof text);
  __asm__ volatile("" : : "r"(text) : "memory"); /* WHY: the compiler must not leave the wiping out */
  return ok;
}

/* The state in which a call for aad, text or the end can be served. */
static int check_ready(struct gcm *c) {
  if (c->key == NULL)
    return RIJN_RAISE(c->prov, RIJN_R_NO_KEY);
  if (c->phase == GCM_NONE)
    return RIJN_RAISE(c->prov, RIJN_R_NO_IV);
  if (c->phase == GCM_DONE)
    return RIJN_RAISE(c->prov, RIJN_R_IV_REUSE);
  return 1;
}

static int put_aad(struct gcm *c, const uint8_t *aad, size_t len) {
  if (c->phase == GCM_READY) {
    if (len <= GCM_MAX_HELD_AAD - c->held_aad) {
      memcpy(c->aad + c->held_aad, aad, len);
      c->held_aad += len;
      return 1;
    }
    if (!open_stream(c))
      return 0;
  }
  if (c->phase == GCM_LONE)
    return RIJN_RAISE(c->prov, RIJN_R_ORDER);
  int err = rijn_gcm_aad(&c->stream, aad, len);
  if (err == RIJN_ESTATE)
    spoil(c);
  return err == RIJN_OK ? 1 : fail(c, err);
}

/* READY, and this may be all of the text: 1, or 0 for refused; *went says whether it took this way at all. */
static int put_lone(struct gcm *c, uint8_t *out, const uint8_t *in, size_t len, bool *went) {
  *went = false;
  if (len > GCM_MAX_LONE || c->in_pieces || (!c->enc && c->tag_len == GCM_UNSET))
    return 1;
  if (!rijn_gcm_ctx_tag_len(c, c->enc ? GCM_TAG : c->tag_len))
    return 0;
  const rijn_gcm_key *k = &c->key->k;
  int err;
  if (c->enc) {
    err = rijn_gcm_encrypt(k, out, in, len, c->aad, c->held_aad, c->nonce, c->iv_len, c->tag);
    if (err == RIJN_OK)
      memcpy(c->lone, out, len);
  } else {
    memcpy(c->lone, in, len);
    err = rijn_gcm_decrypt(k, out, in, len, c->aad, c->held_aad, c->nonce, c->iv_len, c->tag);
  }
  *went = true;
  c->lone_len = len;
  if (err == RIJN_OK) {
    c->phase = GCM_LONE;
    return 1;
  }
  if (err != RIJN_EAUTH)
    return fail(c, err);
  /* A forgery, or the first of several pieces. */
  c->in_pieces = true;
  if (!open_stream(c))
    return 0;
  err = rijn_gcm_update(&c->stream, out, c->lone, len);
  return err == RIJN_OK ? 1 : fail(c, err);
}

static int put_text(struct gcm *c, uint8_t *out, const uint8_t *in, size_t len) {
  if (c->phase == GCM_READY) {
    bool went;
    int ok = put_lone(c, out, in, len, &went);
    if (!ok || went)
      return ok;
    if (!open_stream(c))
      return 0;
  } else if (c->phase == GCM_LONE && !go_on(c)) {
    return 0;
  }
  int err = rijn_gcm_update(&c->stream, out, in, len);
  return err == RIJN_OK ? 1 : fail(c, err);
}

static int finish(struct gcm *c) {
  if (!c->enc && c->tag_len == GCM_UNSET)
    return RIJN_RAISE(c->prov, RIJN_R_TAG_NOT_SET); /* and the message stays open: the tag can still be set */
  int err = RIJN_OK;
  if (c->phase == GCM_READY && !open_stream(c))
    return 0;
  if (c->phase == GCM_LIVE) {
    if (!rijn_gcm_ctx_tag_len(c, c->enc ? GCM_TAG : c->tag_len))
      return 0;
    err = c->enc ? rijn_gcm_encrypt_finish(&c->stream, c->tag) : rijn_gcm_decrypt_finish(&c->stream, c->tag);
  }
  c->phase = GCM_DONE;
  if (err != RIJN_OK)
    return fail(c, err);
  if (c->enc) {
    c->tag_len = GCM_TAG;
    c->tag_made = true;
  }
  return 1;
}

/* One call: associated data (no output), text, or the end (no input). */
static int gcm_call(struct gcm *c, uint8_t *out, size_t *out_len, size_t out_size, const uint8_t *in, size_t len) {
  *out_len = 0;
  if (!check_ready(c))
    return 0;
  if (in == NULL)
    return len == 0 ? finish(c) : RIJN_RAISEF(c->prov, RIJN_R_PARAM, "no input, but a length");
  if (out == NULL) {
    if (!put_aad(c, in, len))
      return 0;
  } else {
    if (out_size < len)
      return RIJN_RAISE(c->prov, RIJN_R_OUTPUT_TOO_SMALL);
    if (!put_text(c, out, in, len))
      return 0;
    rijn_prov_count(RIJN_ALG_GCM, c->enc, len);
  }
  *out_len = len;
  return 1;
}

static int gcm_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                      size_t len) {
  struct gcm *c = vctx;
  if (len == 0) {
    *out_len = 0;
    return 1;
  }
  if (c->tls_aad_len != GCM_UNSET) {
    if (out_size < len)
      return RIJN_RAISE(c->prov, RIJN_R_OUTPUT_TOO_SMALL);
    return rijn_gcm_tls_record(c, out, out_len, in, len);
  }
  return gcm_call(c, out, out_len, out_size, in, len);
}

static int gcm_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size) {
  struct gcm *c = vctx;
  (void)out;
  (void)out_size;
  if (c->tls_aad_len != GCM_UNSET)
    return rijn_gcm_tls_record(c, NULL, out_len, NULL, 0); /* refused: a record has no end of its own */
  return gcm_call(c, NULL, out_len, 0, NULL, 0);
}

/* EVP_Cipher: associated data, text or the end, and it answers the length of the input. */
static int gcm_cipher(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                      size_t len) {
  struct gcm *c = vctx;
  if (c->tls_aad_len == GCM_UNSET)
    return gcm_call(c, out, out_len, out_size, in, len);
  if (out_size < len)
    return RIJN_RAISE(c->prov, RIJN_R_OUTPUT_TOO_SMALL);
  int ok = rijn_gcm_tls_record(c, out, out_len, in, len);
  if (ok)
    *out_len = len;
  return ok;
}

/* ---------------------------------------------------------------- contexts */

static void *gcm_new(void *provctx, size_t key_len) {
  const struct rijn_prov *prov = provctx;
  void *block;
  struct gcm *c = rijn_prov_alloc(prov, sizeof *c, &block);
  if (c == NULL)
    return NULL;
  c->prov = prov;
  c->block = block;
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
  key_drop(c->prov, c->key);
  rijn_prov_free(c->prov, c->block, sizeof *c);
}

static void *gcm_dup(void *vctx) {
  const struct gcm *c = vctx;
  void *block;
  struct gcm *d = rijn_prov_alloc(c->prov, sizeof *d, &block);
  if (d == NULL)
    return NULL;
  memcpy(d, c, sizeof *d);
  d->block = block;
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
  bool begun = c->phase == GCM_LIVE || c->phase == GCM_LONE || c->held_aad != 0;
  if (c->enc != enc) {
    if (begun)
      spoil(c); /* the message in hand has the other direction */
    c->tag_made = false;
    c->enc = enc;
  }
  if (key != NULL) {
    if (begun)
      spoil(c);
    if (!key_make(c, key, key_len, GCM_TAG))
      return 0;
    c->tls_records = 0;
    c->in_pieces = false;
  }
  if (iv != NULL) {
    c->iv_len = iv_len;
    c->iv_random = false;
    memcpy(c->iv, iv, iv_len);
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
  return RIJN_RAISEF(c->prov, RIJN_R_PARAM, "\"%s\"", p->key);
}

static int set_tag(struct gcm *c, const OSSL_PARAM *p) {
  size_t n = p->data_size;
  if (p->data == NULL || p->data_type != OSSL_PARAM_OCTET_STRING)
    return bad_param(c, p);
  if (c->enc || !((n >= 12 && n <= GCM_TAG) || n == 8 || n == 4))
    return RIJN_RAISEF(c->prov, RIJN_R_TAG, "%s, %zu bytes", c->enc ? "set on encryption" : "set", n);
  /* Another tag than the one that was checked: the end checks it again. */
  if (c->phase == GCM_LONE && (n != c->tag_len || memcmp(c->tag, p->data, n) != 0) && !go_on(c))
    return 0;
  memcpy(c->tag, p->data, n);
  c->tag_len = n;
  return 1;
}

static int get_tag(struct gcm *c, OSSL_PARAM *p) {
  if (!c->enc || !c->tag_made || p->data_size == 0 || p->data_size > GCM_TAG)
    return RIJN_RAISEF(c->prov, RIJN_R_TAG, "got %s, %zu bytes", c->tag_made ? "after the end" : "before the end",
                       p->data_size);
  return rijn_param_set_octets(p, c->tag, p->data_size) || bad_param(c, p);
}

static int set_iv_len(struct gcm *c, const OSSL_PARAM *p) {
  size_t n;
  if (!rijn_param_get_size(p, &n))
    return bad_param(c, p);
  if (n == 0 || n > GCM_MAX_IV)
    return RIJN_RAISEF(c->prov, RIJN_R_IV_LENGTH, "%zu bytes, not 1 to %d", n, GCM_MAX_IV);
  if (n != c->iv_len) {
    spoil(c); /* an IV of the old length is none */
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
    if (!ok)
      return 0;
  }
  return 1;
}

static int get_iv(struct gcm *c, OSSL_PARAM *p) {
  if (c->phase == GCM_NONE)
    return RIJN_RAISE(c->prov, RIJN_R_NO_IV);
  return rijn_param_set_octets_or_ptr(p, c->iv, c->iv_len) || bad_param(c, p);
}

static int gcm_get_params(void *vctx, OSSL_PARAM params[]) {
  struct gcm *c = vctx;
  for (OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++) {
    int ok = 1;
    if (PARAM_IS(p, OSSL_CIPHER_PARAM_IVLEN))
      ok = rijn_param_set_u64(p, c->iv_len);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TAG))
      ok = get_tag(c, p);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_KEYLEN))
      ok = rijn_param_set_u64(p, c->key_len);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TAGLEN))
      ok = rijn_param_set_u64(p, c->tag_len == GCM_UNSET ? GCM_TAG : c->tag_len);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_IV) || PARAM_IS(p, OSSL_CIPHER_PARAM_UPDATED_IV))
      ok = get_iv(c, p);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD))
      ok = rijn_param_set_u64(p, c->tls_pad);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN))
      ok = p->data_type == OSSL_PARAM_OCTET_STRING ? rijn_gcm_tls_get_gen(c, p->data, p->data_size) : bad_param(c, p);
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
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
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
      {OSSL_FUNC_CIPHER_UPDATE, (void (*)(void))gcm_update},                                                           \
      {OSSL_FUNC_CIPHER_FINAL, (void (*)(void))gcm_final},                                                             \
      {OSSL_FUNC_CIPHER_CIPHER, (void (*)(void))gcm_cipher},                                                           \
      {OSSL_FUNC_CIPHER_GET_PARAMS, (void (*)(void))gcm##bits##_get_params},                                           \
      {OSSL_FUNC_CIPHER_GETTABLE_PARAMS, (void (*)(void))rijn_prov_cipher_gettable},                                   \
      {OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (void (*)(void))gcm_get_params},                                               \
      {OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))gcm_gettable},                                            \
      {OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (void (*)(void))gcm_set_params},                                               \
      {OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))gcm_settable},                                            \
      {0, NULL}}

GCM_CIPHER(128);
GCM_CIPHER(192);
GCM_CIPHER(256);
