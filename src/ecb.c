/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The AES key that ECB, CBC and CTR share, and the cipher by itself (FIPS 197; SP 800-38A section 6.1). */
#include <rijn.h>

#include "aes.h"
#include "ct.h"

RIJN_KEY_FITS(struct rijn_aes, rijn_aes_key);

static int ecb_make_key(rijn_aes_key *key, const void *raw, size_t raw_len, int which) {
  struct rijn_chosen maker;
  int err = rijn_init_check(&maker, key, sizeof *key, raw, raw_len, rijn_aes_lengths(raw_len), which);
  if (err != RIJN_OK)
    return err;
  struct rijn_aes *k = (struct rijn_aes *)(void *)key->opaque;
  rijn_zero_around(key, sizeof *key, offsetof(struct rijn_aes, rk), sizeof *k);
  k->rounds = rijn_rounds(raw_len);
  maker.impl->aes_init(k, raw);
  k->impl = maker.id;
  return RIJN_OK;
}

int rijn_aes_init(rijn_aes_key *key, const void *raw, size_t raw_len) {
  return ecb_make_key(key, raw, raw_len, RIJN_IMPL_CHOSEN);
}

int rijn_aes_init_impl(rijn_aes_key *key, const void *raw, size_t raw_len, int impl) {
  return ecb_make_key(key, raw, raw_len, rijn_impl_named(impl));
}

void rijn_aes_wipe(rijn_aes_key *key) {
  if (key != NULL)
    rijn_wipe(key, sizeof *key);
}

int rijn_ecb_encrypt(const rijn_aes_key *key, void *out, const void *in, size_t nblk) {
  int err = rijn_aes_check_blocks(key, out, in, nblk);
  if (err != RIJN_OK || nblk == 0)
    return err;
  const struct rijn_aes *k = rijn_aes_of(key);
  rijn_impl_of(k->impl)->ecb_enc(&k->rk, k->rounds, out, in, nblk);
  return RIJN_OK;
}

int rijn_ecb_decrypt(const rijn_aes_key *key, void *out, const void *in, size_t nblk) {
  int err = rijn_aes_check_blocks(key, out, in, nblk);
  if (err != RIJN_OK || nblk == 0)
    return err;
  const struct rijn_aes *k = rijn_aes_of(key);
  rijn_impl_of(k->impl)->ecb_dec(&k->dk, k->rounds, out, in, nblk);
  return RIJN_OK;
}
