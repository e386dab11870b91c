/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The module's entry: what it offers, known answers before a cipher is used, and what its configuration says. */
#include <openssl/core_names.h>
#include <rijn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "params.h"
#include "prov.h"

/* WHY the names: an algorithm is known by each of them, and all must be the ones that the default provider uses, or
 * libcrypto takes ours for another algorithm. */
static const struct {
  int alg;
  const char *names, *what;
  const OSSL_DISPATCH *fns;
} all_ciphers[] = {
    {RIJN_ALG_GCM, "AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46", "Rijn AES-256-GCM", rijn_prov_gcm256},
    {RIJN_ALG_GCM, "AES-192-GCM:id-aes192-GCM:2.16.840.1.101.3.4.1.26", "Rijn AES-192-GCM", rijn_prov_gcm192},
    {RIJN_ALG_GCM, "AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6", "Rijn AES-128-GCM", rijn_prov_gcm128},
    {RIJN_ALG_GCM_SIV, "AES-256-GCM-SIV", "Rijn AES-256-GCM-SIV", rijn_prov_gcm_siv256},
    {RIJN_ALG_GCM_SIV, "AES-192-GCM-SIV", "Rijn AES-192-GCM-SIV", rijn_prov_gcm_siv192},
    {RIJN_ALG_GCM_SIV, "AES-128-GCM-SIV", "Rijn AES-128-GCM-SIV", rijn_prov_gcm_siv128},
    {RIJN_ALG_CCM, "AES-256-CCM:id-aes256-CCM:2.16.840.1.101.3.4.1.47", "Rijn AES-256-CCM", rijn_prov_ccm256},
    {RIJN_ALG_CCM, "AES-192-CCM:id-aes192-CCM:2.16.840.1.101.3.4.1.27", "Rijn AES-192-CCM", rijn_prov_ccm192},
    {RIJN_ALG_CCM, "AES-128-CCM:id-aes128-CCM:2.16.840.1.101.3.4.1.7", "Rijn AES-128-CCM", rijn_prov_ccm128},
    {RIJN_ALG_CTR, "AES-256-CTR", "Rijn AES-256-CTR", rijn_prov_ctr256},
    {RIJN_ALG_CTR, "AES-192-CTR", "Rijn AES-192-CTR", rijn_prov_ctr192},
    {RIJN_ALG_CTR, "AES-128-CTR", "Rijn AES-128-CTR", rijn_prov_ctr128},
    {RIJN_ALG_CBC, "AES-256-CBC:AES256:2.16.840.1.101.3.4.1.42", "Rijn AES-256-CBC", rijn_prov_cbc256},
    {RIJN_ALG_CBC, "AES-192-CBC:AES192:2.16.840.1.101.3.4.1.22", "Rijn AES-192-CBC", rijn_prov_cbc192},
    {RIJN_ALG_CBC, "AES-128-CBC:AES128:2.16.840.1.101.3.4.1.2", "Rijn AES-128-CBC", rijn_prov_cbc128},
    {RIJN_ALG_CFB, "AES-256-CFB:2.16.840.1.101.3.4.1.44", "Rijn AES-256-CFB", rijn_prov_cfb256},
    {RIJN_ALG_CFB, "AES-192-CFB:2.16.840.1.101.3.4.1.24", "Rijn AES-192-CFB", rijn_prov_cfb192},
    {RIJN_ALG_CFB, "AES-128-CFB:2.16.840.1.101.3.4.1.4", "Rijn AES-128-CFB", rijn_prov_cfb128},
    {RIJN_ALG_XTS, "AES-256-XTS:1.3.111.2.1619.0.1.2", "Rijn AES-256-XTS", rijn_prov_xts256},
    {RIJN_ALG_XTS, "AES-128-XTS:1.3.111.2.1619.0.1.1", "Rijn AES-128-XTS", rijn_prov_xts128},
    {RIJN_ALG_ECB, "AES-256-ECB:2.16.840.1.101.3.4.1.41", "Rijn AES-256-ECB", rijn_prov_ecb256},
    {RIJN_ALG_ECB, "AES-192-ECB:2.16.840.1.101.3.4.1.21", "Rijn AES-192-ECB", rijn_prov_ecb192},
    {RIJN_ALG_ECB, "AES-128-ECB:2.16.840.1.101.3.4.1.1", "Rijn AES-128-ECB", rijn_prov_ecb128},
};
_Static_assert(sizeof all_ciphers / sizeof all_ciphers[0] == RIJN_PROV_MAX_CIPHERS, "room for all and the end mark");

/* ---------------------------------------------------------------- the provider itself */

static const OSSL_PARAM *provider_gettable_params(void *provctx) {
  static const OSSL_PARAM list[] = {OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_NAME, NULL, 0),
                                    OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_VERSION, NULL, 0),
                                    OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_BUILDINFO, NULL, 0),
                                    OSSL_PARAM_int(OSSL_PROV_PARAM_STATUS, NULL),
                                    OSSL_PARAM_utf8_ptr("implementation", NULL, 0),
                                    OSSL_PARAM_uint("algorithms", NULL),
                                    OSSL_PARAM_END};
  (void)provctx;
  return list;
}

static int provider_get_params(void *provctx, OSSL_PARAM params[]) {
  const struct rijn_prov *prov = provctx;
  for (OSSL_PARAM *p = params; p->key != NULL; p++) {
    bool ok = true;
    if (PARAM_IS(p, OSSL_PROV_PARAM_NAME))
      ok = rijn_param_set_text(p, "Rijn, AES at the speed of the machine");
    else if (PARAM_IS(p, OSSL_PROV_PARAM_VERSION) || PARAM_IS(p, OSSL_PROV_PARAM_BUILDINFO))
      ok = rijn_param_set_text(p, rijn_version());
    else if (PARAM_IS(p, OSSL_PROV_PARAM_STATUS))
      ok = rijn_param_set_u64(p, 1);
    else if (PARAM_IS(p, "implementation"))
      ok = rijn_param_set_text(p, rijn_impl_name(rijn_impl_chosen()));
    else if (PARAM_IS(p, "algorithms"))
      ok = rijn_param_set_u64(p, prov->algs);
    if (!ok)
      return 0;
  }
  return 1;
}

static const OSSL_ALGORITHM *provider_query(void *provctx, int operation, int *no_cache) {
  struct rijn_prov *prov = provctx;
  *no_cache = 0;
  if (operation == RIJN_OP_SKEYMGMT)
    return prov->algs == RIJN_ALG_ALL ? rijn_prov_skeys : NULL;
  return operation == OSSL_OP_CIPHER ? prov->ciphers : NULL;
}

static void provider_teardown(void *provctx) {
  struct rijn_prov *prov = provctx;
  prov->free(prov, __FILE__, __LINE__);
}

static const OSSL_DISPATCH provider_functions[] = {
    {OSSL_FUNC_PROVIDER_TEARDOWN, (void (*)(void))provider_teardown},
    {OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (void (*)(void))provider_gettable_params},
    {OSSL_FUNC_PROVIDER_GET_PARAMS, (void (*)(void))provider_get_params},
    {OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))provider_query},
    {OSSL_FUNC_PROVIDER_SELF_TEST, (void (*)(void))rijn_prov_self_test},
    {0, NULL},
};

/* WHY a property besides the provider's name: a configuration that prefers two providers can name one of them only by
 * something else, since "provider" may stand in it once. Names without a period are OpenSSL's own. */
static void list_ciphers(struct rijn_prov *prov) {
  size_t n = 0;
  for (size_t i = 0; i < RIJN_PROV_MAX_CIPHERS; i++)
    if (prov->algs >> all_ciphers[i].alg & 1u)
      prov->ciphers[n++] =
          (OSSL_ALGORITHM){all_ciphers[i].names, "provider=rijn,rijn.aes=yes", all_ciphers[i].fns, all_ciphers[i].what};
  /* the rest is zero: the end mark */
}

__attribute__((visibility("default"))) OSSL_provider_init_fn OSSL_provider_init;

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
                       void **provctx) {
  struct rijn_prov found = {.core = handle};
  for (; in->function_id != 0; in++) {
    switch (in->function_id) {
    case OSSL_FUNC_CORE_GET_PARAMS:
      found.get_params = OSSL_FUNC_core_get_params(in);
      break;
    case OSSL_FUNC_CORE_NEW_ERROR:
      found.new_error = OSSL_FUNC_core_new_error(in);
      break;
    case OSSL_FUNC_CORE_SET_ERROR_DEBUG:
      found.set_error_debug = OSSL_FUNC_core_set_error_debug(in);
      break;
    case OSSL_FUNC_CORE_VSET_ERROR:
      found.vset_error = OSSL_FUNC_core_vset_error(in);
      break;
    case OSSL_FUNC_CRYPTO_MALLOC:
      found.malloc = OSSL_FUNC_CRYPTO_malloc(in);
      break;
    case OSSL_FUNC_CRYPTO_FREE:
      found.free = OSSL_FUNC_CRYPTO_free(in);
      break;
    default:
      break;
    }
  }
  if (found.malloc == NULL || found.free == NULL)
    return 0;
  int impl = rijn_impl_chosen();
  if (impl < 0)
    return RIJN_RAISEF(&found, RIJN_R_IMPL, "%s", rijn_strerror(impl));
  if (!rijn_prov_configure(&found))
    return 0;
  list_ciphers(&found);
  struct rijn_prov *prov = found.malloc(sizeof *prov, __FILE__, __LINE__);
  if (prov == NULL)
    return 0;
  *prov = found;
#ifdef RIJN_PROVIDER_COUNT
  rijn_prov_count_open();
#endif
  *provctx = prov;
  *out = provider_functions;
  return 1;
}
