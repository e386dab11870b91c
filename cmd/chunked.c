/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "chunked.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

/* SPEC: the info of HKDF-Expand: prefix || name of the AEAD || 0 || salt || context. */
#define PREFIX "c2sp.org/chunked-encryption@v1+"

static int expand(uint8_t *out, size_t out_len, const uint8_t *key, size_t key_len, const uint8_t *info,
                  size_t info_len) {
  int mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY;
  char digest[] = "SHA512";
  /* WHY the casts: OSSL_PARAM has one kind of pointer for both directions; these are only read. */
  OSSL_PARAM params[] = {OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
                         OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
                         OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)(uintptr_t)key, key_len),
                         OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)(uintptr_t)info, info_len),
                         OSSL_PARAM_construct_end()};
  /* WHY a context of its own: the default one is what openssl.cnf makes of it, and that may have no HKDF. WHY the first
   * line: the file would be read even so, and the modules that it names loaded. */
  (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
  OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
  EVP_KDF *kdf = lib != NULL ? EVP_KDF_fetch(lib, "HKDF", NULL) : NULL;
  EVP_KDF_CTX *ctx = kdf != NULL ? EVP_KDF_CTX_new(kdf) : NULL;
  int ok = ctx != NULL && EVP_KDF_derive(ctx, out, out_len, params) == 1;
  EVP_KDF_CTX_free(ctx);
  EVP_KDF_free(kdf);
  OSSL_LIB_CTX_free(lib);
  return ok ? 0 : 1;
}

int rijn_chunked_derive(struct rijn_chunked *c, const uint8_t *key, size_t key_len, const uint8_t salt[RIJN_CHUNK_SALT],
                        const uint8_t *context, size_t context_len, uint8_t commitment[RIJN_CHUNK_COMMITMENT]) {
  const char *name = key_len == 32 ? PREFIX "AEAD_AES_256_GCM" : PREFIX "AEAD_AES_128_GCM";
  size_t name_len = strlen(name) + 1; /* the terminating 0 is part of the format */
  size_t info_len = name_len + RIJN_CHUNK_SALT + context_len;
  uint8_t *info = malloc(info_len);
  if (info == NULL)
    return 1;
  memcpy(info, name, name_len);
  memcpy(info + name_len, salt, RIJN_CHUNK_SALT);
  if (context_len != 0)
    memcpy(info + name_len + RIJN_CHUNK_SALT, context, context_len);

  uint8_t okm[32 + sizeof c->base_nonce + RIJN_CHUNK_COMMITMENT];
  int r = expand(okm, key_len + sizeof c->base_nonce + RIJN_CHUNK_COMMITMENT, key, key_len, info, info_len);
  if (r == 0) {
    r = rijn_gcm_init(&c->key, okm, key_len);
    memcpy(c->base_nonce, okm + key_len, sizeof c->base_nonce);
    memcpy(commitment, okm + key_len + sizeof c->base_nonce, RIJN_CHUNK_COMMITMENT);
    c->next = 0;
  }
  explicit_bzero(okm, sizeof okm);
  free(info);
  return r;
}

/* What seal and open hand to the batch call. */
struct batch {
  rijn_gcm_msg msg[RIJN_CHUNK_BATCH];
  uint8_t nonce[RIJN_CHUNK_BATCH][12];
};

static void fill(const struct rijn_chunked *c, struct batch *b, size_t i, uint8_t *out, const uint8_t *in, size_t len,
                 uint8_t *tag) {
  /* SPEC: base nonce XOR the number of the chunk, big-endian and as wide as the nonce. */
  uint64_t number = c->next + i;
  memcpy(b->nonce[i], c->base_nonce, 12);
  for (size_t k = 0; k < 8; k++)
    b->nonce[i][11 - k] ^= (uint8_t)(number >> (8 * k));
  b->msg[i] = (rijn_gcm_msg){.size = sizeof b->msg[i],
                             .key = &c->key,
                             .out = out,
                             .in = in,
                             .len = len,
                             .nonce = b->nonce[i],
                             .nonce_len = sizeof b->nonce[i],
                             .tag = tag};
}

int rijn_chunked_seal(struct rijn_chunked *c, uint8_t *out, size_t *out_len, const uint8_t *in, size_t len, int last) {
  struct batch b;
  size_t n = len / RIJN_CHUNK + (last != 0);
  *out_len = 0;
  if (n > RIJN_CHUNK_BATCH || n > RIJN_CHUNK_LIMIT - c->next || (!last && len % RIJN_CHUNK != 0))
    return RIJN_ELEN;
  for (size_t i = 0; i < n; i++) {
    uint8_t *to = out + i * RIJN_SEALED_CHUNK;
    size_t part = last && i == n - 1 ? len % RIJN_CHUNK : RIJN_CHUNK;
    fill(c, &b, i, to, in + i * RIJN_CHUNK, part, to + part);
  }
  int r = rijn_gcm_encrypt_batch(b.msg, n);
  if (r != 0) {
    for (size_t i = 0; r > 0 && i < n; i++)
      r = b.msg[i].result != 0 ? b.msg[i].result : r;
    return r;
  }
  c->next += n;
  *out_len = len + n * RIJN_CHUNK_TAG;
  return RIJN_OK;
}

int rijn_chunked_open(struct rijn_chunked *c, uint8_t *out, size_t *out_len, uint8_t *in, size_t full,
                      size_t last_len) {
  struct batch b;
  size_t n = full + (last_len != 0);
  *out_len = 0;
  if (n > RIJN_CHUNK_BATCH || n > RIJN_CHUNK_LIMIT - c->next || last_len >= RIJN_SEALED_CHUNK ||
      (last_len != 0 && last_len < RIJN_CHUNK_TAG))
    return RIJN_ELEN;
  for (size_t i = 0; i < n; i++) {
    uint8_t *from = in + i * RIJN_SEALED_CHUNK;
    size_t part = (i < full ? RIJN_SEALED_CHUNK : last_len) - RIJN_CHUNK_TAG;
    fill(c, &b, i, out + i * RIJN_CHUNK, from, part, from + part);
  }
  int r = rijn_gcm_decrypt_batch(b.msg, n);
  if (r < 0)
    return r;
  for (size_t i = 0; i < n; i++) {
    if (b.msg[i].result != RIJN_OK)
      return b.msg[i].result;
    c->next++;
    *out_len += b.msg[i].len;
  }
  return RIJN_OK;
}

void rijn_chunked_wipe(struct rijn_chunked *c) {
  rijn_gcm_wipe(&c->key);
  explicit_bzero(c, sizeof *c);
}
