/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Opaque keys of AES (SKEYMGMT, OpenSSL 3.5 on): raw bytes behind a handle. libcrypto refuses such a key in a cipher of
 * another provider than the one that made it, whatever the key is made of. So they are offered where all ciphers of
 * this provider are: with fewer, a key of ours would be of no use to the ciphers that are left to others.
 */
#include <openssl/core_names.h>
#include <string.h>

#include "params.h"
#include "prov.h"

/* Of headers from 3.5 on; those of 3.0 have none of it. */
#define SKEY_FREE 1
#define SKEY_IMPORT 2
#define SKEY_EXPORT 3
#define SKEY_IMP_SETTABLE_PARAMS 6
#define SKEY_SELECT_SECRET_KEY 2
#define SKEY_RAW_BYTES "raw-bytes"

struct skey {
  const struct rijn_prov *prov;
  void *block;
  size_t len;
  uint8_t raw[32];
};

static void skey_free(void *vkey) {
  struct skey *k = vkey;
  if (k != NULL)
    rijn_prov_free(k->prov, k->block, k, sizeof *k);
}

static void *skey_import(void *provctx, int selection, const OSSL_PARAM params[]) {
  const struct rijn_prov *prov = provctx;
  const OSSL_PARAM *raw = NULL;
  void *block;
  for (const OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++)
    if (PARAM_IS(p, SKEY_RAW_BYTES))
      raw = p;
  if (!(selection & SKEY_SELECT_SECRET_KEY) || raw == NULL || raw->data == NULL ||
      raw->data_type != OSSL_PARAM_OCTET_STRING ||
      (raw->data_size != 16 && raw->data_size != 24 && raw->data_size != 32))
    return NULL; /* without a word, as the default provider */
  struct skey *k = rijn_prov_alloc(prov, sizeof *k, sizeof *k, &block);
  if (k == NULL)
    return NULL;
  k->prov = prov;
  k->block = block;
  k->len = raw->data_size;
  memcpy(k->raw, raw->data, k->len);
  return k;
}

static int skey_export(void *vkey, int selection, OSSL_CALLBACK *give, void *arg) {
  struct skey *k = vkey;
  OSSL_PARAM params[] = {OSSL_PARAM_octet_string(SKEY_RAW_BYTES, k->raw, k->len), OSSL_PARAM_END};
  return selection & SKEY_SELECT_SECRET_KEY ? give(params, arg) : 0;
}

static const OSSL_PARAM *skey_settable(void *provctx) {
  static const OSSL_PARAM list[] = {OSSL_PARAM_octet_string(SKEY_RAW_BYTES, NULL, 0), OSSL_PARAM_END};
  (void)provctx;
  return list;
}

static const OSSL_DISPATCH functions[] = {{SKEY_FREE, (void (*)(void))skey_free},
                                          {SKEY_IMPORT, (void (*)(void))skey_import},
                                          {SKEY_EXPORT, (void (*)(void))skey_export},
                                          {SKEY_IMP_SETTABLE_PARAMS, (void (*)(void))skey_settable},
                                          {0, NULL}};
const OSSL_ALGORITHM rijn_prov_skeys[] = {
    {"AES:2.16.840.1.101.3.4.1", "provider=rijn,rijn.aes=yes", functions, "Rijn opaque key of AES"},
    {NULL, NULL, NULL, NULL}};
