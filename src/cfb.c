/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-CFB with segments of a block (SP 800-38A section 6.3, CFB128), in pieces of any length. */
#include <rijn.h>

#include "aes.h"
#include "bytes.h"
#include "ct.h"

/* n bytes, not beyond the block that is begun. Its keystream gives place to its ciphertext, byte by byte, which is what
 * the next block's is made of. CT: n and used are lengths, public. */
static void cfb_crypt_part(rijn_cfb_state *st, uint8_t *out, const uint8_t *in, size_t n, enum direction dir) {
  uint8_t *at = st->iv + st->used;
  for (size_t i = 0; i < n; i++) {
    uint8_t from = in[i], to = from ^ at[i];
    at[i] = dir == ENCRYPT ? to : from;
    out[i] = to;
  }
  st->used = (uint32_t)((st->used + n) % 16);
}

static int cfb_crypt(const rijn_aes_key *key, uint8_t *out, const uint8_t *in, size_t len, rijn_cfb_state *st,
                     enum direction dir) {
  int err = rijn_aes_check_key(key);
  if (err != RIJN_OK)
    return err;
  if (rijn_null(out, len) || rijn_null(in, len) || st == NULL)
    return RIJN_ENULL;
  if (st->used > 15)
    return RIJN_ESTATE;
  if (!rijn_alias_ok(out, in, len))
    return RIJN_EOVERLAP;
  const struct rijn_aes *k = rijn_aes_of(key);
  const struct rijn_impl *impl = rijn_impl_of(k->impl);
  if (st->used != 0 && len != 0) {
    size_t n = len < 16 - st->used ? len : 16 - st->used;
    cfb_crypt_part(st, out, in, n, dir);
    out += n;
    in += n;
    len -= n;
  }
  size_t nblk = len / 16;
  if (nblk != 0)
    (dir == ENCRYPT ? impl->cfb_enc : impl->cfb_dec)(&k->rk, k->rounds, out, in, nblk, st->iv);
  if (len % 16 != 0) {
    impl->ecb_enc(&k->rk, k->rounds, st->iv, st->iv, 1);
    cfb_crypt_part(st, out + 16 * nblk, in + 16 * nblk, len % 16, dir);
  }
  return RIJN_OK;
}

int rijn_cfb_encrypt(const rijn_aes_key *key, void *out, const void *in, size_t len, rijn_cfb_state *state) {
  return cfb_crypt(key, out, in, len, state, ENCRYPT);
}

int rijn_cfb_decrypt(const rijn_aes_key *key, void *out, const void *in, size_t len, rijn_cfb_state *state) {
  return cfb_crypt(key, out, in, len, state, DECRYPT);
}

void rijn_cfb_wipe(rijn_cfb_state *state) {
  if (state == NULL)
    return;
  rijn_wipe(state, sizeof *state);
  state->used = UINT32_MAX; /* which no call takes */
}
