/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-CTR (SP 800-38A section 6.5), in pieces of any length. */
#include <rijn.h>

#include "aes.h"
#include "ct.h"

/* The kernel of one width of counter. */
typedef void blocks_fn(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                       uint8_t ctr[16]);

static const uint8_t zero_block[16];

static int check(const rijn_aes_key *key, const void *out, const void *in, size_t len, const rijn_ctr_state *st) {
  int err = rijn_aes_check_key(key);
  if (err != RIJN_OK)
    return err;
  if (rijn_null(out, len) || rijn_null(in, len) || st == NULL)
    return RIJN_ENULL;
  if (st->used > 15)
    return RIJN_ESTATE;
  return rijn_alias_ok(out, in, len) ? RIJN_OK : RIJN_EOVERLAP;
}

/* n bytes with the keystream at hand, from the first unused one. */
static void crypt_part(rijn_ctr_state *st, uint8_t *out, const uint8_t *in, size_t n) {
  for (size_t i = 0; i < n; i++)
    out[i] = (uint8_t)(in[i] ^ st->ks[st->used + i]);
  st->used = (uint32_t)((st->used + n) % 16);
}

static void crypt(const struct rijn_aes *k, blocks_fn *blocks, uint8_t *out, const uint8_t *in, size_t len,
                  rijn_ctr_state *st) {
  if (st->used != 0 && len != 0) {
    size_t n = len < 16 - st->used ? len : 16 - st->used;
    crypt_part(st, out, in, n);
    out += n;
    in += n;
    len -= n;
  }
  size_t nblk = len / 16;
  if (nblk != 0) {
    blocks(&k->rk, k->rounds, out, in, nblk, st->ctr);
    out += 16 * nblk;
    in += 16 * nblk;
    len -= 16 * nblk;
  }
  if (len != 0) {
    blocks(&k->rk, k->rounds, st->ks, zero_block, 1, st->ctr); /* 0 XOR keystream */
    crypt_part(st, out, in, len);
  }
}

int rijn_ctr_crypt(const rijn_aes_key *key, void *out, const void *in, size_t len, rijn_ctr_state *state) {
  int err = check(key, out, in, len, state);
  if (err != RIJN_OK)
    return err;
  const struct rijn_aes *k = rijn_aes_of(key);
  crypt(k, rijn_impl_of(k->impl)->ctr_blocks, out, in, len, state);
  return RIJN_OK;
}

int rijn_ctr32_crypt(const rijn_aes_key *key, void *out, const void *in, size_t len, rijn_ctr_state *state) {
  int err = check(key, out, in, len, state);
  if (err != RIJN_OK)
    return err;
  const struct rijn_aes *k = rijn_aes_of(key);
  crypt(k, rijn_impl_of(k->impl)->ctr32_blocks, out, in, len, state);
  return RIJN_OK;
}
