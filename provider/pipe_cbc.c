/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Pipelines of AES-CBC. Each text has a context of its own, which holds what is not a block yet, and its padding.
 * Encryption of whole blocks of all texts goes through the library in one call, where they are side by side.
 */
#include <string.h>

#include "pipe.h"

#define BLOCK 16u

void rijn_pipe_cbc_drop(struct modes *c) {
  while (c->pipes != NULL) {
    struct modes *one = c->pipes;
    c->pipes = one->next;
    rijn_prov_modes_free(one);
  }
  c->n_pipes = 0;
}

static int init(struct modes *c, const uint8_t *key, size_t key_len, size_t n, const uint8_t **iv, size_t iv_len,
                const OSSL_PARAM params[], bool enc) {
  if (n == 0 || n > PIPE_MAX)
    return RIJN_RAISEF(c->prov, RIJN_R_LENGTH, "%zu texts, not 1 to %d", n, PIPE_MAX);
  if (!rijn_prov_modes_init(c, key, key_len, NULL, 0, params, enc))
    return 0;
  rijn_pipe_cbc_drop(c);
  for (struct modes **end = &c->pipes; c->n_pipes < n; end = &(*end)->next) {
    struct modes *one = *end = rijn_prov_modes_dup(c);
    if (one == NULL || (iv != NULL && !rijn_prov_modes_init(one, NULL, 0, iv[c->n_pipes], iv_len, NULL, enc))) {
      rijn_pipe_cbc_drop(c);
      return 0;
    }
    c->n_pipes++;
  }
  return 1;
}

int rijn_pipe_cbc_encrypt_init(void *ctx, const unsigned char *key, size_t key_len, size_t n, const unsigned char **iv,
                               size_t iv_len, const OSSL_PARAM params[]) {
  return init(ctx, key, key_len, n, iv, iv_len, params, true);
}

int rijn_pipe_cbc_decrypt_init(void *ctx, const unsigned char *key, size_t key_len, size_t n, const unsigned char **iv,
                               size_t iv_len, const OSSL_PARAM params[]) {
  return init(ctx, key, key_len, n, iv, iv_len, params, false);
}

/* WHY n may be 0: as in pipe_gcm.c. */
static int check_ready(const struct modes *c, size_t n) {
  if (!c->key_set)
    return RIJN_RAISE(c->prov, RIJN_R_NO_KEY);
  return (n == 0 || n == c->n_pipes) && c->n_pipes != 0
             ? 1
             : RIJN_RAISEF(c->prov, RIJN_R_ORDER, "%zu texts, not %zu", n, c->n_pipes);
}

/* The texts together, if each is whole blocks and none has bytes held. */
static bool together(const struct modes *c, unsigned char **out, const size_t *out_size, const unsigned char **in,
                     const size_t *len) {
  size_t i = 0;
  for (const struct modes *one = c->pipes; one != NULL; one = one->next, i++)
    if (one->held_len != 0 || len[i] % BLOCK != 0 || out[i] == NULL || in[i] == NULL ||
        (out_size != NULL && out_size[i] < len[i]))
      return false;
  return c->enc && c->tls_version == 0;
}
static int encrypt_together(struct modes *c, unsigned char **out, const unsigned char **in, const size_t *len) {
  rijn_cbc_msg m[PIPE_MAX];
  size_t n = 0;
  for (struct modes *one = c->pipes; one != NULL; one = one->next, n++)
    m[n] = (rijn_cbc_msg){sizeof m[n], &c->key.aes, out[n], in[n], len[n] / BLOCK, one->iv, 0};
  int failed = rijn_cbc_encrypt_many(m, n);
  for (size_t i = 0; i < c->n_pipes; i++) {
    if (m[i].result != RIJN_OK)
      return RIJN_RAISE_ERR(c->prov, m[i].result);
    rijn_prov_count(RIJN_ALG_CBC, true, len[i]);
  }
  return failed == 0;
}

int rijn_pipe_cbc_update(void *ctx, size_t n, unsigned char **out, size_t *out_len, const size_t *out_size,
                         const unsigned char **in, const size_t *len) {
  struct modes *c = ctx;
  if (!check_ready(c, n))
    return 0;
  if (out == NULL || in == NULL)
    return RIJN_RAISE(c->prov, RIJN_R_DATA);
  n = c->n_pipes;
  if (together(c, out, out_size, in, len)) {
    if (!encrypt_together(c, out, in, len))
      return 0;
    memcpy(out_len, len, n * sizeof *len);
    return 1;
  }
  size_t i = 0;
  for (struct modes *one = c->pipes; one != NULL; one = one->next, i++)
    if (!rijn_prov_modes_block_update(one, out[i], &out_len[i], out_size == NULL ? SIZE_MAX : out_size[i], in[i],
                                      len[i]))
      return 0;
  return 1;
}

/* WHY a wrong padding does not stop the others: all of them are over. */
int rijn_pipe_cbc_final(void *ctx, size_t n, unsigned char **out, size_t *out_len, const size_t *out_size) {
  struct modes *c = ctx;
  int ok = check_ready(c, n);
  if (out == NULL)
    return RIJN_RAISE(c->prov, RIJN_R_DATA);
  size_t i = 0;
  for (struct modes *one = ok ? c->pipes : NULL; one != NULL; one = one->next, i++)
    ok &= rijn_prov_modes_block_final(one, out[i], &out_len[i], out_size == NULL ? BLOCK : out_size[i]);
  return ok;
}
