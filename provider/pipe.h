/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Pipelines (OpenSSL 3.5 on): several messages under one key, which each call takes a step on. */
#ifndef RIJN_PROVIDER_PIPE_H
#define RIJN_PROVIDER_PIPE_H

#include "gcm.h"
#include "modes.h"

/* Of headers from 3.5 on; those of 3.0 have none of it. */
#define PIPE_ENCRYPT_INIT 15
#define PIPE_DECRYPT_INIT 16
#define PIPE_UPDATE 17
#define PIPE_FINAL 18
#define PARAM_PIPE_TAG "pipeline-tag"
enum { PIPE_MAX = 32 }; /* EVP_MAX_PIPES */

/* What a table of functions has for them. */
#define PIPE_FUNCTIONS(name)                                                                                           \
  {PIPE_ENCRYPT_INIT, (void (*)(void))rijn_pipe_##name##_encrypt_init},                                                \
      {PIPE_DECRYPT_INIT, (void (*)(void))rijn_pipe_##name##_decrypt_init},                                            \
      {PIPE_UPDATE, (void (*)(void))rijn_pipe_##name##_update}, {                                                      \
    PIPE_FINAL, (void (*)(void))rijn_pipe_##name##_final                                                               \
  }
#define PIPE_DECLARE(name)                                                                                             \
  int rijn_pipe_##name##_encrypt_init(void *ctx, const unsigned char *key, size_t key_len, size_t n,                   \
                                      const unsigned char **iv, size_t iv_len, const OSSL_PARAM params[]);             \
  int rijn_pipe_##name##_decrypt_init(void *ctx, const unsigned char *key, size_t key_len, size_t n,                   \
                                      const unsigned char **iv, size_t iv_len, const OSSL_PARAM params[]);             \
  int rijn_pipe_##name##_update(void *ctx, size_t n, unsigned char **out, size_t *out_len, const size_t *out_size,     \
                                const unsigned char **in, const size_t *len);                                          \
  int rijn_pipe_##name##_final(void *ctx, size_t n, unsigned char **out, size_t *out_len, const size_t *out_size);
PIPE_DECLARE(gcm)
PIPE_DECLARE(cbc)

/* The tags of all messages: p has the place of a list of pointers. */
int rijn_pipe_gcm_set_tags(struct gcm *c, const OSSL_PARAM *p);
int rijn_pipe_gcm_get_tags(struct gcm *c, const OSSL_PARAM *p);
/* Wipes them, and gives their memory back. */
void rijn_pipe_gcm_drop(struct gcm *c);
void rijn_pipe_cbc_drop(struct modes *c);

#endif
