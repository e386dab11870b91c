/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* One context of CTR, CBC, CFB, ECB or XTS, and what cbc_tls.c does for it. */
#ifndef RIJN_PROVIDER_MODES_H
#define RIJN_PROVIDER_MODES_H

#include <rijn.h>

#include "prov.h"

#define MODES_MAX_TLS_MAC 64

struct modes {
  const struct rijn_prov *prov;
  void *block;
  size_t size; /* of the memory: that of the key which the cipher has is the last part of it */
  size_t key_len, iv_len;
  size_t tls_mac_size, held_len;
  unsigned tls_version; /* 0, or each update is a record of CBC in TLS */
  int alg;              /* RIJN_ALG_... */
  bool enc, key_set, iv_set, pad;
  rijn_ctr_state ctr;           /* CTR */
  rijn_cfb_state cfb;           /* CFB */
  uint8_t first_iv[16], iv[16]; /* as set; as it is now */
  uint8_t held[16];             /* ECB, CBC: text of a block that is not whole, or the last one before its padding */
  uint8_t tls_mac[MODES_MAX_TLS_MAC];
  struct modes *pipes, *next; /* the texts of a pipeline, one hanging on the other (pipe_cbc.c) */
  size_t n_pipes;
  union {
    rijn_aes_key aes;
    rijn_xts_key xts;
  } key;
};

/* For pipelines: what libcrypto calls for one text. */
void *rijn_prov_modes_dup(void *vctx);
void rijn_prov_modes_free(void *vctx);
int rijn_prov_modes_init(struct modes *c, const uint8_t *key, size_t key_len, const uint8_t *iv, size_t iv_len,
                         const OSSL_PARAM params[], bool enc);
int rijn_prov_modes_block_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                                 const unsigned char *in, size_t len);
int rijn_prov_modes_block_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size);

/* Decrypted record of CBC in TLS 1.0 to 1.2 or DTLS, of *len bytes: takes off the explicit IV, the padding and the MAC,
 * which goes to c->tls_mac. false: publicly malformed. A record whose padding is wrong gets a random MAC, and takes the
 * same time. */
bool rijn_cbc_tls_open(struct modes *c, uint8_t *rec, size_t *len);

#endif
