/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Hashes, HMAC and PBKDF2 of libcrypto, Argon2 of libargon2, and what they may cost. */
#include "internal.h"

#include <argon2.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* LUKS's names are those of libgcrypt. */
static const struct {
  const char *luks, *openssl;
} hashes[] = {{"sha1", "SHA1"},           {"sha224", "SHA224"},          {"sha256", "SHA256"},
              {"sha384", "SHA384"},       {"sha512", "SHA512"},          {"sha3-256", "SHA3-256"},
              {"sha3-512", "SHA3-512"},   {"ripemd160", "RIPEMD160"},    {"sm3", "SM3"},
              {"whirlpool", "WHIRLPOOL"}, {"blake2b-512", "BLAKE2b512"}, {"blake2s-256", "BLAKE2s256"}};

/* WHY a context of our own: Whirlpool lies in OpenSSL's legacy provider, which the program's own context need not
 * have. */
static OSSL_LIB_CTX *legacy;

static void load_legacy(void) {
  legacy = OSSL_LIB_CTX_new();
  if (legacy == NULL || OSSL_PROVIDER_load(legacy, "default") == NULL || OSSL_PROVIDER_load(legacy, "legacy") == NULL) {
    OSSL_LIB_CTX_free(legacy);
    legacy = NULL;
  }
}

/* *context: where it was found. */
static EVP_MD *fetch_from(const char *name, const char **openssl, OSSL_LIB_CTX **context) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  *openssl = NULL;
  for (size_t i = 0; i < sizeof hashes / sizeof hashes[0]; i++)
    if (strcmp(name, hashes[i].luks) == 0)
      *openssl = hashes[i].openssl;
  *context = NULL;
  EVP_MD *md = *openssl != NULL ? EVP_MD_fetch(NULL, *openssl, NULL) : NULL;
  if (md != NULL || *openssl == NULL)
    return md;
  (void)pthread_once(&once, load_legacy);
  *context = legacy;
  return legacy != NULL ? EVP_MD_fetch(legacy, *openssl, NULL) : NULL;
}

static EVP_MD *fetch(const char *name) {
  const char *openssl;
  OSSL_LIB_CTX *context;
  return fetch_from(name, &openssl, &context);
}

size_t rijnv_hash_len(const char *name) {
  EVP_MD *md = fetch(name);
  size_t len = md != NULL ? (size_t)EVP_MD_get_size(md) : 0;
  EVP_MD_free(md);
  return len;
}

bool rijnv_has_hash(const char *name) { return rijnv_hash_len(name) != 0; }

int rijnv_digest(const char *hash, const void *a, size_t a_len, const void *b, size_t b_len, uint8_t *digest) {
  EVP_MD *md = fetch(hash);
  EVP_MD_CTX *ctx = EVP_MD_CTX_new();
  bool ok = md != NULL && ctx != NULL && EVP_DigestInit_ex2(ctx, md, NULL) == 1 &&
            EVP_DigestUpdate(ctx, a, a_len) == 1 && (b_len == 0 || EVP_DigestUpdate(ctx, b, b_len) == 1) &&
            EVP_DigestFinal_ex(ctx, digest, NULL) == 1;
  EVP_MD_CTX_free(ctx);
  EVP_MD_free(md);
  return ok ? RIJN_VOLUME_OK : RIJN_VOLUME_ECRYPTO;
}

int rijnv_pbkdf2(const char *hash, rijn_volume_bytes pass, rijn_volume_bytes salt, uint64_t rounds, uint8_t *out,
                 size_t out_len) {
  const char *name;
  OSSL_LIB_CTX *context;
  EVP_MD *md = fetch_from(hash, &name, &context);
  EVP_KDF *kdf = md != NULL && rounds >= 1 && rounds <= INT_MAX ? EVP_KDF_fetch(context, "PBKDF2", NULL) : NULL;
  EVP_KDF_CTX *ctx = kdf != NULL ? EVP_KDF_CTX_new(kdf) : NULL;
  /* WHY the casts: OSSL_PARAM's fields are not const; these are only read. */
  OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(
                             OSSL_KDF_PARAM_PASSWORD, (void *)(uintptr_t)(pass.len != 0 ? pass.data : ""), pass.len),
                         OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)(uintptr_t)salt.data, salt.len),
                         OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_ITER, &rounds),
                         OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)(uintptr_t)name, 0),
                         OSSL_PARAM_construct_end()};
  bool ok = ctx != NULL && EVP_KDF_derive(ctx, out, out_len, params) == 1;
  EVP_KDF_CTX_free(ctx);
  EVP_KDF_free(kdf);
  EVP_MD_free(md);
  return ok ? RIJN_VOLUME_OK : RIJN_VOLUME_ECRYPTO;
}

int rijnv_hmac512(rijn_volume_bytes key, const rijn_volume_bytes *parts, size_t n, uint8_t out[64]) {
  char name[] = "SHA512";
  OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0), OSSL_PARAM_construct_end()};
  EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
  EVP_MAC_CTX *ctx = mac != NULL ? EVP_MAC_CTX_new(mac) : NULL;
  bool ok = ctx != NULL && EVP_MAC_init(ctx, key.len != 0 ? key.data : (const uint8_t *)"", key.len, params) == 1;
  for (size_t i = 0; ok && i < n; i++)
    ok = parts[i].len == 0 || EVP_MAC_update(ctx, parts[i].data, parts[i].len) == 1;
  size_t len = 0;
  ok = ok && EVP_MAC_final(ctx, out, &len, 64) == 1 && len == 64;
  EVP_MAC_CTX_free(ctx);
  EVP_MAC_free(mac);
  return ok ? RIJN_VOLUME_OK : RIJN_VOLUME_ECRYPTO;
}

/* ---------------------------------------------------------------- costs */

struct rijnv_limits rijnv_limits_of(const rijn_volume_options *options) {
  struct rijnv_limits l = {options->limit_memory_kib, options->limit_rounds};
  if (l.memory_kib == 0) {
    uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2048;
    l.memory_kib = half < (4 << 20) ? half : 4 << 20;
  }
  if (l.rounds == 0)
    l.rounds = 20000000;
  return l;
}

static bool is_argon2(const struct rijnv_kdf *kdf) { return strncmp(kdf->name, "argon2", 6) == 0; }

int rijnv_kdf_cost(const struct rijnv_kdf *kdf, int slot, const struct rijnv_limits *limits, rijn_volume_error *err) {
  unsigned long long memory = kdf->memory_kib, rounds = kdf->rounds;
  if (is_argon2(kdf) && memory > limits->memory_kib)
    return rijnv_fail(err, RIJN_VOLUME_ECOST,
                      "key slot %d wants %llu MiB of memory for Argon2, and the limit is %llu MiB (--limit-memory)",
                      slot, memory >> 10, (unsigned long long)limits->memory_kib >> 10);
  if (is_argon2(kdf) && rounds > limits->rounds / (memory != 0 ? memory : 1))
    return rijnv_fail(err, RIJN_VOLUME_ECOST,
                      "key slot %d wants %llu passes of Argon2 over %llu MiB, and the limit of their product in KiB is "
                      "%llu (--limit-rounds)",
                      slot, rounds, memory >> 10, (unsigned long long)limits->rounds);
  if (!is_argon2(kdf) && (rounds > limits->rounds || rounds > INT_MAX))
    return rijnv_fail(err, RIJN_VOLUME_ECOST,
                      "key slot %d wants %llu rounds of PBKDF2, and the limit is %llu (--limit-rounds)", slot, rounds,
                      (unsigned long long)limits->rounds);
  return RIJN_VOLUME_OK;
}

static int argon2(const struct rijnv_kdf *kdf, rijn_volume_bytes pass, uint8_t *out, size_t out_len,
                  rijn_volume_error *err) {
  long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  argon2_context c;
  memset(&c, 0, sizeof c);
  c.out = out;
  c.outlen = (uint32_t)out_len;
  /* WHY the casts: libargon2's fields are not const; with these flags it writes to neither. */
  c.pwd = (uint8_t *)(uintptr_t)pass.data;
  c.pwdlen = (uint32_t)pass.len;
  c.salt = (uint8_t *)(uintptr_t)kdf->salt;
  c.saltlen = (uint32_t)kdf->salt_len;
  c.t_cost = (uint32_t)kdf->rounds;
  c.m_cost = (uint32_t)kdf->memory_kib;
  c.lanes = kdf->lanes;
  c.threads = cpus > 0 && (unsigned long)cpus < kdf->lanes ? (uint32_t)cpus : kdf->lanes;
  c.version = ARGON2_VERSION_13;
  c.flags = ARGON2_DEFAULT_FLAGS;
  int r = argon2_ctx(&c, strcmp(kdf->name, "argon2id") == 0 ? Argon2_id : Argon2_i);
  if (r == ARGON2_MEMORY_ALLOCATION_ERROR)
    return rijnv_fail(err, RIJN_VOLUME_EMEM,
                      "Argon2 of this key slot wants %llu MiB of memory, which the system does not give",
                      (unsigned long long)kdf->memory_kib >> 10);
  if (r != ARGON2_OK)
    return rijnv_fail(err, RIJN_VOLUME_ECRYPTO, "Argon2: %s", argon2_error_message(r));
  return RIJN_VOLUME_OK;
}

int rijnv_kdf_run(const struct rijnv_kdf *kdf, rijn_volume_bytes pass, uint8_t *out, size_t out_len,
                  rijn_volume_error *err) {
  if (is_argon2(kdf))
    return argon2(kdf, pass, out, out_len, err);
  rijn_volume_bytes salt = {kdf->salt, kdf->salt_len};
  if (rijnv_pbkdf2(kdf->hash, pass, salt, kdf->rounds, out, out_len) != RIJN_VOLUME_OK)
    return rijnv_fail(err, RIJN_VOLUME_ECRYPTO, "PBKDF2 with %s failed in libcrypto", kdf->hash);
  return RIJN_VOLUME_OK;
}
