/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * What the files of the OpenSSL provider share.
 *
 * The module holds no state but what a library context's OSSL_provider_init made (struct rijn_prov), so that it can be
 * loaded into several library contexts, used by many threads, carried across fork and unloaded.
 */
#ifndef RIJN_PROVIDER_PROV_H
#define RIJN_PROVIDER_PROV_H

#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/err.h>
#include <openssl/proverr.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <stddef.h>
#include <stdint.h>

/* Families of algorithms, as the configuration names them: algorithms = gcm,gcm-siv,ctr,cbc,xts,ecb,ccm,cfb */
enum {
  RIJN_ALG_GCM,
  RIJN_ALG_CTR,
  RIJN_ALG_CBC,
  RIJN_ALG_XTS,
  RIJN_ALG_ECB,
  RIJN_ALG_GCM_SIV,
  RIJN_ALG_CCM,
  RIJN_ALG_CFB,
  RIJN_ALG_COUNT
};
#define RIJN_ALG_ALL ((1u << RIJN_ALG_COUNT) - 1)
extern const char *const rijn_alg_names[RIJN_ALG_COUNT];

#define RIJN_PROV_MAX_CIPHERS 23 /* three key sizes of seven families, two of XTS */
#define RIJN_PROV_MAX_KEY 64     /* XTS has two keys of AES */

struct rijn_prov {
  const OSSL_CORE_HANDLE *core;
  OSSL_FUNC_core_get_params_fn *get_params;
  OSSL_FUNC_core_new_error_fn *new_error;
  OSSL_FUNC_core_set_error_debug_fn *set_error_debug;
  OSSL_FUNC_core_vset_error_fn *vset_error;
  OSSL_FUNC_CRYPTO_malloc_fn *malloc;
  OSSL_FUNC_CRYPTO_free_fn *free;
  unsigned algs; /* bit i: family i is offered */
  /* By family, and by the key's length in units of 8 bytes: its known answers came out right. */
  atomic_bool right[RIJN_ALG_COUNT][RIJN_PROV_MAX_KEY / 8 + 1];
  OSSL_ALGORITHM ciphers[RIJN_PROV_MAX_CIPHERS + 1];
};

/* What the configuration says: into algs. 1, or 0 with an error in the queue: it has a mistake. */
int rijn_prov_configure(struct rijn_prov *prov);

/* What goes wrong. errors.c says which of OpenSSL's reasons each is, and its text. */
enum rijn_reason {
  RIJN_R_SELFTEST,
  RIJN_R_IMPL,
  RIJN_R_CONFIG,
  RIJN_R_KEY_LENGTH,
  RIJN_R_IV_LENGTH,
  RIJN_R_TAG,
  RIJN_R_TAG_NOT_SET,
  RIJN_R_NO_KEY,
  RIJN_R_NO_IV,
  RIJN_R_IV_REUSE,
  RIJN_R_ORDER,
  RIJN_R_RECORDS,
  RIJN_R_OUTPUT_TOO_SMALL,
  RIJN_R_OVERLAP,
  RIJN_R_LENGTH,
  RIJN_R_TLS_RECORD,
  RIJN_R_GET_PARAM, /* one that is set */
  RIJN_R_SET_PARAM, /* one that is asked for */
  RIJN_R_DATA,
  RIJN_R_RANDOM,
  RIJN_R_MEMORY,
  RIJN_R_SHARED_TAG,
  RIJN_R_LATE_TAG,
  RIJN_R_CIPHER,
  RIJN_R_PADDING,
  RIJN_R_LAST_BLOCK,
  RIJN_R_WEAK_KEY,
  RIJN_R_TAG_LENGTH,
  RIJN_R_TAG_NOT_NEEDED,
  RIJN_R_COUNT
};

/* Puts an error into the queue; with F, what is wrong with what. Always 0, so that it can be returned. */
#define RIJN_RAISE(prov, reason) rijn_raise(prov, __FILE__, __LINE__, __func__, reason, NULL)
#define RIJN_RAISEF(prov, reason, ...) rijn_raise(prov, __FILE__, __LINE__, __func__, reason, __VA_ARGS__)
int rijn_raise(const struct rijn_prov *prov, const char *file, int line, const char *func, enum rijn_reason reason,
               const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* The same for an error of the library. */
#define RIJN_RAISE_ERR(prov, err) rijn_raise_err(prov, __FILE__, __LINE__, __func__, err)
int rijn_raise_err(const struct rijn_prov *prov, const char *file, int line, const char *func, int err);

static inline void rijn_prov_wipe(void *p, size_t n) {
  memset(p, 0, n);
  __asm__ volatile("" : : "r"(p) : "memory"); /* WHY: the compiler must not leave the wiping out */
}
/* Memory from the application's allocator, aligned to 16, its first zeroed bytes 0. *block is what to free. */
void *rijn_prov_alloc(const struct rijn_prov *prov, size_t size, size_t zeroed, void **block);
/* Wipes the size bytes of block from used on, and frees it. */
void rijn_prov_free(const struct rijn_prov *prov, void *block, void *used, size_t size);

/* Before a context is made: known answers of its cipher, through the implementation that keys will be made for, where
 * they have not run in this library context. False, with an error in the queue: one came out wrong. */
bool rijn_prov_tested(struct rijn_prov *prov, int alg, size_t key_len);
/* All known answers: for who asks for them (OSSL_PROVIDER_self_test). */
int rijn_prov_self_test(void *provctx);

/* len random bytes of the operating system. WHY not OpenSSL's generator: a module without a libcrypto of its own cannot
 * ask for it, and this way the generator never depends on the provider. */
bool rijn_prov_random(void *buf, size_t len);

/* One thing a test build counts: a call of a cipher. what is a family. Nothing otherwise. */
#ifdef RIJN_PROVIDER_COUNT
void rijn_prov_count_open(void);
void rijn_prov_count(int what, bool enc, size_t len);
#else
static inline void rijn_prov_count(int what, bool enc, size_t len) {
  (void)what;
  (void)enc;
  (void)len;
}
#endif

/* The ciphers. */
extern const OSSL_DISPATCH rijn_prov_gcm128[], rijn_prov_gcm192[], rijn_prov_gcm256[];
extern const OSSL_DISPATCH rijn_prov_gcm_siv128[], rijn_prov_gcm_siv192[], rijn_prov_gcm_siv256[];
extern const OSSL_DISPATCH rijn_prov_ccm128[], rijn_prov_ccm192[], rijn_prov_ccm256[];
extern const OSSL_DISPATCH rijn_prov_cfb128[], rijn_prov_cfb192[], rijn_prov_cfb256[];
extern const OSSL_DISPATCH rijn_prov_ctr128[], rijn_prov_ctr192[], rijn_prov_ctr256[];
extern const OSSL_DISPATCH rijn_prov_cbc128[], rijn_prov_cbc192[], rijn_prov_cbc256[];
extern const OSSL_DISPATCH rijn_prov_ecb128[], rijn_prov_ecb192[], rijn_prov_ecb256[];
extern const OSSL_DISPATCH rijn_prov_xts128[], rijn_prov_xts256[];

/* Opaque keys: where all ciphers are offered. */
#define RIJN_OP_SKEYMGMT 15 /* of headers from 3.5 on */
extern const OSSL_ALGORITHM rijn_prov_skeys[];

/* What get_params answers for a cipher, and its list. */
struct rijn_cipher_info {
  unsigned mode; /* EVP_CIPH_..._MODE */
  size_t key_len, block, iv_len;
  bool aead, custom_iv;
};
int rijn_prov_cipher_params(OSSL_PARAM params[], const struct rijn_cipher_info *info);
const OSSL_PARAM *rijn_prov_cipher_gettable(void *provctx);

#endif
