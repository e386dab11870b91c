/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What ECB, CBC and CTR share: the look into their key, and its checks. */
#ifndef RIJN_AES_H
#define RIJN_AES_H

#include <rijn.h>

#include "bytes.h"
#include "impl.h"
#include "key.h"

static inline const struct rijn_aes *rijn_aes_of(const rijn_aes_key *key) {
  return (const struct rijn_aes *)(const void *)key->opaque;
}

static inline int rijn_aes_check_key(const rijn_aes_key *key) {
  if (key == NULL)
    return RIJN_ENULL;
  return rijn_impl_of(rijn_aes_of(key)->impl) == NULL ? RIJN_ESTATE : RIJN_OK;
}

/* The rules of a call over whole blocks. */
static inline int rijn_aes_check_blocks(const rijn_aes_key *key, const void *out, const void *in, size_t nblk) {
  int err = rijn_aes_check_key(key);
  if (err != RIJN_OK)
    return err;
  if (rijn_null(out, nblk) || rijn_null(in, nblk))
    return RIJN_ENULL;
  if (nblk > SIZE_MAX / 16)
    return RIJN_ELEN;
  return rijn_alias_ok(out, in, 16 * nblk) ? RIJN_OK : RIJN_EOVERLAP;
}

#endif
