/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Every call made twice: to OpenSSL's default provider and to Rijn's. What they answer and write must be equal. */
#ifndef RIJN_TEST_PAIR_H
#define RIJN_TEST_PAIR_H

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "t.h"

enum { REF, OURS };

#define PAIR_MAX 20000

struct pair {
  EVP_CIPHER_CTX *ctx[2];
  const EVP_CIPHER *cipher[2];
  uint8_t out[PAIR_MAX + 64];  /* of the last update, which was equal on both sides */
  uint8_t mine[PAIR_MAX + 64]; /* what ours wrote */
  int len;
};

/* How often: n, or a part of it in the environment variable RIJN_PROVIDER_PART (for valgrind). At least 1. */
size_t pair_rounds(size_t n);

/* Two library contexts: one with the default provider, one with Rijn's module from the folder dir. config: NULL, or a
 * configuration file that says what to load. */
extern OSSL_LIB_CTX *pair_lib[2];
void pair_open(const char *dir, const char *config);
void pair_close(void);

/* Fetches name on both sides. */
void pair_fetch(struct pair *p, const char *name);
void pair_free(struct pair *p);

/* Results are 1 or 0, equal on both sides or the test fails. */
int pair_init(struct pair *p, const uint8_t *key, const uint8_t *iv, int enc);
int pair_init_params(struct pair *p, const uint8_t *key, const uint8_t *iv, int enc, const OSSL_PARAM *params);
/* out: false for associated data; in_place: the buffer is input and output. Output in p->out. */
int pair_update(struct pair *p, const uint8_t *in, int len, bool out, bool in_place);
/* EVP_Cipher. in NULL: the end. */
int pair_cipher(struct pair *p, const uint8_t *in, unsigned len, bool out, bool in_place);
int pair_final(struct pair *p);
int pair_ctrl_set(struct pair *p, int type, int arg, const void *data, size_t data_len);
/* Gets size bytes; they must be equal. */
int pair_ctrl_get(struct pair *p, int type, int arg, uint8_t *data, size_t data_len);
int pair_get_size(struct pair *p, const char *name, size_t *v);
int pair_get_octets(struct pair *p, const char *name, uint8_t *v, size_t len);
int pair_set_size(struct pair *p, const char *name, size_t v);
/* Continues with copies; the originals are freed. Which of the two is freed first: the caller's choice. */
int pair_copy(struct pair *p);

/* pair_open, and AES-256-GCM of both; all gone again. */
void one_open(const char *dir, EVP_CIPHER **ref, EVP_CIPHER **ours);
void one_close(EVP_CIPHER *ref, EVP_CIPHER *ours);
/* One context by itself. A piece of n bytes gives n, and the end none, or the test fails; the results are
 * libcrypto's. */
EVP_CIPHER_CTX *one_begin(EVP_CIPHER *c, int enc, const uint8_t *key, const uint8_t *iv);
int one_update(EVP_CIPHER_CTX *ctx, uint8_t *out, const uint8_t *in, int n);
int one_final(EVP_CIPHER_CTX *ctx);
int one_get_tag(EVP_CIPHER_CTX *ctx, uint8_t *tag, int n);
int one_set_tag(EVP_CIPHER_CTX *ctx, uint8_t *tag, int n);

#endif
