/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Pipelines of AES-GCM, by the library's batches. All associated data of the messages comes in one update, and all text
 * in another; tags to check are set before the text. The end tells whether all of them were right; text of a message
 * whose tag was wrong is zeros.
 */
#include <string.h>

#include "pipe.h"

enum phase { NONE, READY, AAD, TEXT, ENDED, SPOILED };

struct rijn_pipes {
  const struct rijn_prov *prov;
  void *block, *aad_block;
  uint8_t *aad; /* of all messages, one behind the other */
  size_t n, iv_len, aad_size;
  enum phase phase;
  bool enc, tags_set, right;
  size_t aad_len[PIPE_MAX];
  uint8_t iv[PIPE_MAX][GCM_MAX_IV], tag[PIPE_MAX][GCM_TAG];
};

static void drop_aad(struct rijn_pipes *p) {
  if (p->aad_block != NULL)
    rijn_prov_free(p->prov, p->aad_block, p->aad, p->aad_size);
  p->aad_block = NULL;
  p->aad_size = 0;
  memset(p->aad_len, 0, sizeof p->aad_len);
}

void rijn_pipe_gcm_drop(struct gcm *c) {
  struct rijn_pipes *p = c->pipes;
  if (p == NULL)
    return;
  drop_aad(p);
  rijn_prov_free(c->prov, p->block, p, sizeof *p);
  c->pipes = NULL;
}

/* Always 0. What comes next has to be another init. */
static int spoil(struct rijn_pipes *p) {
  p->phase = SPOILED;
  return 0;
}

static int init(struct gcm *c, const uint8_t *key, size_t key_len, size_t n, const uint8_t **iv, size_t iv_len,
                bool enc) {
  if (n == 0 || n > PIPE_MAX)
    return RIJN_RAISEF(c->prov, RIJN_R_LENGTH, "%zu messages, not 1 to %d", n, PIPE_MAX);
  if (key != NULL && key_len != c->key_len)
    return RIJN_RAISEF(c->prov, RIJN_R_KEY_LENGTH, "%zu bytes, not %zu", key_len, c->key_len);
  if (iv != NULL && (iv_len == 0 || iv_len > GCM_MAX_IV))
    return RIJN_RAISEF(c->prov, RIJN_R_IV_LENGTH, "%zu bytes, not 1 to %d", iv_len, GCM_MAX_IV);
  if (c->pipes == NULL) {
    void *block;
    struct rijn_pipes *made = rijn_prov_alloc(c->prov, sizeof *made, sizeof *made, &block);
    if (made == NULL)
      return 0;
    made->prov = c->prov;
    made->block = block;
    c->pipes = made;
  }
  struct rijn_pipes *p = c->pipes;
  rijn_gcm_ctx_spoil(c); /* a message of the context alone, if there is one */
  if (key != NULL && !rijn_gcm_ctx_set_key(c, key, key_len, GCM_TAG))
    return 0;
  p->enc = c->enc = enc;
  p->n = n;
  p->tags_set = false;
  drop_aad(p);
  p->phase = NONE;
  if (iv == NULL)
    return 1;
  for (size_t i = 0; i < n; i++) {
    if (iv[i] == NULL)
      return RIJN_RAISE(c->prov, RIJN_R_NO_IV);
    memcpy(p->iv[i], iv[i], iv_len);
  }
  p->iv_len = iv_len;
  p->phase = READY;
  return 1;
}

static int gcm_pipe_params(struct gcm *c, const OSSL_PARAM params[]) {
  for (; params != NULL && params->key != NULL; params++)
    if (strcmp(params->key, PARAM_PIPE_TAG) == 0 && !rijn_pipe_gcm_set_tags(c, params))
      return 0;
  return 1;
}

int rijn_pipe_gcm_encrypt_init(void *ctx, const unsigned char *key, size_t key_len, size_t n, const unsigned char **iv,
                               size_t iv_len, const OSSL_PARAM params[]) {
  return init(ctx, key, key_len, n, iv, iv_len, true) && gcm_pipe_params(ctx, params);
}

int rijn_pipe_gcm_decrypt_init(void *ctx, const unsigned char *key, size_t key_len, size_t n, const unsigned char **iv,
                               size_t iv_len, const OSSL_PARAM params[]) {
  return init(ctx, key, key_len, n, iv, iv_len, false) && gcm_pipe_params(ctx, params);
}

static int put_aad(struct rijn_pipes *p, const unsigned char **in, const size_t *len) {
  size_t all = 0, at = 0;
  if (p->phase != READY) {
    spoil(p);
    return RIJN_RAISEF(p->prov, RIJN_R_ORDER, "pipelines take all associated data in one update, before the text");
  }
  for (size_t i = 0; i < p->n; i++) {
    if ((in[i] == NULL && len[i] != 0) || len[i] > SIZE_MAX / PIPE_MAX)
      return RIJN_RAISE(p->prov, RIJN_R_DATA) || spoil(p);
    all += len[i];
  }
  p->aad = rijn_prov_alloc(p->prov, all, 0, &p->aad_block);
  if (p->aad == NULL)
    return spoil(p);
  p->aad_size = all;
  for (size_t i = 0; i < p->n; i++) {
    if (len[i] != 0)
      memcpy(p->aad + at, in[i], len[i]);
    p->aad_len[i] = len[i];
    at += len[i];
  }
  p->phase = AAD;
  return 1;
}

/* All text at once. Lengths of 0 may have no places. */
static int put_text(struct gcm *c, unsigned char **out, const unsigned char **in, const size_t *len) {
  struct rijn_pipes *p = c->pipes;
  rijn_gcm_msg m[PIPE_MAX];
  const uint8_t *aad = p->aad;
  if (p->phase == TEXT) {
    spoil(p);
    return RIJN_RAISEF(p->prov, RIJN_R_ORDER, "pipelines take all text in one update");
  }
  if (!p->enc && !p->tags_set)
    return RIJN_RAISE(p->prov, RIJN_R_TAG_NOT_SET);
  for (size_t i = 0; i < p->n; i++) {
    m[i] = (rijn_gcm_msg){sizeof m[i],
                          &c->key->k,
                          out == NULL ? NULL : out[i],
                          in == NULL ? NULL : in[i],
                          len[i],
                          aad,
                          p->aad_len[i],
                          p->iv[i],
                          p->iv_len,
                          p->tag[i],
                          0};
    if (p->aad_len[i] == 0)
      m[i].aad = NULL;
    else
      aad += p->aad_len[i];
  }
  int failed = p->enc ? rijn_gcm_encrypt_batch(m, p->n) : rijn_gcm_decrypt_batch(m, p->n);
  for (size_t i = 0; i < p->n; i++) {
    if (m[i].result != RIJN_OK && m[i].result != RIJN_EAUTH) {
      spoil(p);
      return RIJN_RAISE_ERR(p->prov, m[i].result);
    }
    rijn_prov_count(RIJN_ALG_GCM, p->enc, len[i]);
  }
  p->right = failed == 0;
  p->phase = TEXT;
  return 1;
}

/* WHY n may be 0: libcrypto 3.5 and 3.6 forget it where a context that was used is begun anew with a cipher. */
static int check_ready(const struct gcm *c, size_t n) {
  const struct rijn_pipes *p = c->pipes;
  if (c->key == NULL)
    return RIJN_RAISE(c->prov, RIJN_R_NO_KEY);
  if (p == NULL || p->phase == NONE)
    return RIJN_RAISE(c->prov, RIJN_R_NO_IV);
  if (p->phase == ENDED || p->phase == SPOILED || (n != 0 && n != p->n))
    return RIJN_RAISE(c->prov, RIJN_R_IV_REUSE);
  return 1;
}

int rijn_pipe_gcm_update(void *ctx, size_t n, unsigned char **out, size_t *out_len, const size_t *out_size,
                         const unsigned char **in, const size_t *len) {
  struct gcm *c = ctx;
  if (!check_ready(c, n))
    return 0;
  if (in == NULL)
    return RIJN_RAISE(c->prov, RIJN_R_DATA);
  n = c->pipes->n;
  for (size_t i = 0; i < n && out != NULL; i++)
    if (out_size != NULL && out_size[i] < len[i])
      return RIJN_RAISE(c->prov, RIJN_R_OUTPUT_TOO_SMALL);
  if (!(out == NULL ? put_aad(c->pipes, in, len) : put_text(c, out, in, len)))
    return 0;
  memcpy(out_len, len, n * sizeof *len);
  return 1;
}

int rijn_pipe_gcm_final(void *ctx, size_t n, unsigned char **out, size_t *out_len, const size_t *out_size) {
  static const size_t none[PIPE_MAX];
  struct gcm *c = ctx;
  (void)out;
  (void)out_size;
  if (!check_ready(c, n) || (c->pipes->phase != TEXT && !put_text(c, NULL, NULL, none)))
    return 0;
  memset(out_len, 0, c->pipes->n * sizeof *out_len);
  drop_aad(c->pipes);
  c->pipes->phase = ENDED;
  return c->pipes->right; /* a forgery leaves no error in the queue, as with single messages */
}

/* The list of places that p points to. */
static uint8_t *const *places(const struct gcm *c, const OSSL_PARAM *p) {
  void *list = NULL;
  if (p->data_type == OSSL_PARAM_OCTET_PTR && p->data != NULL)
    memcpy(&list, p->data, sizeof list);
  for (size_t i = 0; list != NULL && c->pipes != NULL && i < c->pipes->n; i++)
    if (((uint8_t *const *)list)[i] == NULL)
      return NULL;
  return list;
}

int rijn_pipe_gcm_set_tags(struct gcm *c, const OSSL_PARAM *param) {
  struct rijn_pipes *p = c->pipes;
  uint8_t *const *from = places(c, param);
  if (p == NULL || c->key == NULL || p->enc || (p->phase != READY && p->phase != AAD))
    return RIJN_RAISE(c->prov, RIJN_R_TAG);
  if (from == NULL || param->data_size == 0 || param->data_size > GCM_TAG)
    return RIJN_RAISEF(c->prov, RIJN_R_GET_PARAM, "\"%s\"", param->key);
  if (!rijn_gcm_ctx_tag_len(c, param->data_size)) /* an error is there already */
    return 0;
  for (size_t i = 0; i < p->n; i++)
    memcpy(p->tag[i], from[i], param->data_size);
  p->tags_set = true;
  return 1;
}

int rijn_pipe_gcm_get_tags(struct gcm *c, const OSSL_PARAM *param) {
  const struct rijn_pipes *p = c->pipes;
  uint8_t *const *to = places(c, param);
  if (p == NULL || !p->enc || p->phase != ENDED)
    return RIJN_RAISE(c->prov, RIJN_R_TAG);
  if (to == NULL || param->data_size == 0 || param->data_size > GCM_TAG)
    return RIJN_RAISEF(c->prov, RIJN_R_SET_PARAM, "\"%s\"", param->key);
  for (size_t i = 0; i < p->n; i++)
    memcpy(to[i], p->tag[i], param->data_size);
  return 1;
}
