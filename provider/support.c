/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What every cipher of the module uses: memory, random bytes, answers about a cipher, known answers. */
#include <openssl/core_names.h>
#include <rijn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "params.h"
#include "prov.h"

/* ---------------------------------------------------------------- memory, random bytes */

#define ALIGNMENT 16u

/* WHY memset gets no constant length: of that the compiler makes an instruction that takes long to begin (T-302). */
void *rijn_prov_alloc(const struct rijn_prov *prov, size_t size, size_t zeroed, void **block) {
  *block = size > SIZE_MAX - ALIGNMENT ? NULL : prov->malloc(size + ALIGNMENT, __FILE__, __LINE__);
  if (*block == NULL) {
    RIJN_RAISE(prov, RIJN_R_MEMORY);
    return NULL;
  }
  return memset((uint8_t *)*block + (ALIGNMENT - (uintptr_t)*block % ALIGNMENT) % ALIGNMENT, 0, zeroed);
}

void rijn_prov_free(const struct rijn_prov *prov, void *block, void *used, size_t size) {
  if (block == NULL)
    return;
  /* WHY not libcrypto's clear_free, which stores 8 bytes at a time: for a context and its key 850 turns of a loop, at
   * each message where each has a context of its own. */
  rijn_prov_wipe(used, size);
  prov->free(block, __FILE__, __LINE__);
}

bool rijn_prov_random(void *buf, size_t len) {
  return len <= 256 && getentropy(buf, len) == 0; /* 256: the most that one call gives */
}

/* ---------------------------------------------------------------- what every cipher answers */

int rijn_prov_cipher_params(OSSL_PARAM params[], const struct rijn_cipher_info *info) {
  for (OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++) {
    bool ok = true;
    if (PARAM_IS(p, OSSL_CIPHER_PARAM_MODE))
      ok = rijn_param_set_u64(p, info->mode);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_KEYLEN))
      ok = rijn_param_set_u64(p, info->key_len);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_IVLEN))
      ok = rijn_param_set_u64(p, info->iv_len);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_BLOCK_SIZE))
      ok = rijn_param_set_u64(p, info->block);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_AEAD))
      ok = rijn_param_set_u64(p, info->aead);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_CUSTOM_IV))
      ok = rijn_param_set_u64(p, info->custom_iv);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_CTS) || PARAM_IS(p, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK) ||
             PARAM_IS(p, OSSL_CIPHER_PARAM_HAS_RAND_KEY) || PARAM_IS(p, "encrypt-then-mac"))
      ok = rijn_param_set_u64(p, 0);
    if (!ok)
      return 0;
  }
  return 1;
}

const OSSL_PARAM *rijn_prov_cipher_gettable(void *provctx) {
  static const OSSL_PARAM list[] = {OSSL_PARAM_uint(OSSL_CIPHER_PARAM_MODE, NULL),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_BLOCK_SIZE, NULL),
                                    OSSL_PARAM_int(OSSL_CIPHER_PARAM_AEAD, NULL),
                                    OSSL_PARAM_int(OSSL_CIPHER_PARAM_CUSTOM_IV, NULL),
                                    OSSL_PARAM_int(OSSL_CIPHER_PARAM_CTS, NULL),
                                    OSSL_PARAM_int(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, NULL),
                                    OSSL_PARAM_int(OSSL_CIPHER_PARAM_HAS_RAND_KEY, NULL),
                                    OSSL_PARAM_int("encrypt-then-mac", NULL),
                                    OSSL_PARAM_END};
  (void)provctx;
  return list;
}

/* ---------------------------------------------------------------- known answers */

/* Always false, so that it can be returned. */
static bool broken(const struct rijn_prov *prov, int impl) {
  return RIJN_RAISEF(prov, RIJN_R_SELFTEST, "self-test of %s failed", rijn_impl_name(impl)) != 0;
}

/* In test builds: what a broken machine would bring about. */
static bool is_planted(void) {
#ifdef RIJN_PROVIDER_COUNT
  return getenv("RIJN_PROVIDER_BREAK_SELFTEST") != NULL;
#else
  return false;
#endif
}

int rijn_prov_self_test(void *provctx) {
  int impl = rijn_impl_chosen();
  return rijn_selftest(impl) == RIJN_OK && !is_planted() ? 1 : broken(provctx, impl);
}

/* WHY not all when the module is loaded: they take milliseconds, in each process, for ciphers that few of them use. Two
 * threads that come here at once run the same ones. */
bool rijn_prov_tested(struct rijn_prov *prov, int alg, size_t key_len) {
  static const int modes[RIJN_ALG_COUNT] = {
      [RIJN_ALG_GCM] = RIJN_MODE_GCM, [RIJN_ALG_CTR] = RIJN_MODE_CTR, [RIJN_ALG_CBC] = RIJN_MODE_CBC,
      [RIJN_ALG_XTS] = RIJN_MODE_XTS, [RIJN_ALG_ECB] = RIJN_MODE_ECB, [RIJN_ALG_GCM_SIV] = RIJN_MODE_GCM_SIV,
      [RIJN_ALG_CCM] = RIJN_MODE_CCM, [RIJN_ALG_CFB] = RIJN_MODE_CFB};
  atomic_bool *right = &prov->right[alg][key_len / 8];
  if (atomic_load_explicit(right, memory_order_relaxed))
    return true;
  int impl = rijn_impl_chosen();
  if (rijn_selftest_mode(impl, modes[alg], key_len) != RIJN_OK || is_planted())
    return broken(prov, impl);
  atomic_store_explicit(right, true, memory_order_relaxed);
  return true;
}
