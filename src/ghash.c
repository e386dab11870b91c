/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Raw GHASH (SP 800-38D, section 6.4), for constructions built on it. */
#include <rijn.h>

#include "bytes.h"
#include "ct.h"
#include "impl.h"
#include "key.h"

RIJN_KEY_FITS(struct rijn_ghash, rijn_ghash_key);

static int ghash_make_key(rijn_ghash_key *key, const uint8_t h[16], int which) {
  struct rijn_chosen maker;
  int err = rijn_init_check(&maker, key, sizeof *key, h, 16, true, which);
  if (err != RIJN_OK)
    return err;
  struct rijn_ghash *k = (struct rijn_ghash *)(void *)key->opaque;
  rijn_zero_around(key, sizeof *key, offsetof(struct rijn_ghash, h), sizeof *k);
  maker.impl->ghash_init(k, h);
  k->impl = maker.id;
  return RIJN_OK;
}

int rijn_ghash_init(rijn_ghash_key *key, const uint8_t h[16]) { return ghash_make_key(key, h, RIJN_IMPL_CHOSEN); }

int rijn_ghash_init_impl(rijn_ghash_key *key, const uint8_t h[16], int impl) {
  return ghash_make_key(key, h, rijn_impl_named(impl));
}

int rijn_ghash_update(const rijn_ghash_key *key, uint8_t acc[16], const void *in, size_t nblk) {
  if (key == NULL)
    return RIJN_ENULL;
  const struct rijn_ghash *k = (const struct rijn_ghash *)(const void *)key->opaque;
  const struct rijn_impl *impl = rijn_impl_of(k->impl);
  if (impl == NULL)
    return RIJN_ESTATE;
  if (acc == NULL || rijn_null(in, nblk))
    return RIJN_ENULL;
  if (nblk > SIZE_MAX / 16)
    return RIJN_ELEN;
  if (nblk != 0)
    impl->ghash_blocks(&k->h, acc, in, nblk);
  return RIJN_OK;
}

void rijn_ghash_wipe(rijn_ghash_key *key) {
  if (key != NULL)
    rijn_wipe(key, sizeof *key);
}
