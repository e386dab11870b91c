/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-CBC (SP 800-38A section 6.2) over whole blocks, and with PKCS#7 padding (RFC 5652 section 6.3). */
#include <rijn.h>

#include "aes.h"
#include "ct.h"

int rijn_cbc_encrypt(const rijn_aes_key *key, void *out, const void *in, size_t nblk, uint8_t iv[16]) {
  int err = rijn_aes_check_blocks(key, out, in, nblk);
  if (err != RIJN_OK)
    return err;
  if (iv == NULL)
    return RIJN_ENULL;
  const struct rijn_aes *k = rijn_aes_of(key);
  if (nblk != 0)
    rijn_impl_of(k->impl)->cbc_enc(&k->rk, k->rounds, out, in, nblk, iv);
  return RIJN_OK;
}

int rijn_cbc_decrypt(const rijn_aes_key *key, void *out, const void *in, size_t nblk, uint8_t iv[16]) {
  int err = rijn_aes_check_blocks(key, out, in, nblk);
  if (err != RIJN_OK)
    return err;
  if (iv == NULL)
    return RIJN_ENULL;
  const struct rijn_aes *k = rijn_aes_of(key);
  if (nblk != 0)
    rijn_impl_of(k->impl)->cbc_dec(&k->dk, k->rounds, out, in, nblk, iv);
  return RIJN_OK;
}

/* ---------------------------------------------------------------- PKCS#7 */

int rijn_cbc_encrypt_pkcs7(const rijn_aes_key *key, void *out, size_t *out_len, const void *in, size_t len,
                           const uint8_t iv[16]) {
  int err = rijn_aes_check_key(key);
  if (err != RIJN_OK)
    return err;
  if (out == NULL || out_len == NULL || rijn_null(in, len) || iv == NULL)
    return RIJN_ENULL;
  if (len > SIZE_MAX - 16)
    return RIJN_ELEN;
  size_t rest = len % 16, whole = len - rest;
  if (out != in && !rijn_disjoint(out, whole + 16, in, len))
    return RIJN_EOVERLAP;

  const struct rijn_aes *k = rijn_aes_of(key);
  const struct rijn_impl *impl = rijn_impl_of(k->impl);
  uint8_t chain[16], last[16];
  memcpy(chain, iv, sizeof chain);
  if (rest != 0)
    rijn_ct_copy(last, (const uint8_t *)in + whole, rest);
  memset(last + rest, (int)(16 - rest), 16 - rest);
  if (whole != 0)
    impl->cbc_enc(&k->rk, k->rounds, out, in, whole / 16, chain);
  impl->cbc_enc(&k->rk, k->rounds, (uint8_t *)out + whole, last, 1, chain);
  rijn_wipe(last, sizeof last);
  *out_len = whole + 16;
  return RIJN_OK;
}

/* Number of padding bytes, 1 to 16, or 0 when they are not valid.
 * CT: every byte of the block is looked at, whatever the last one says. */
static uint32_t padding(const uint8_t last[16]) {
  uint32_t pad = last[15];
  uint32_t bad = rijn_ct_less(16, pad); /* 0 needs no test: it is the answer itself */
  for (uint32_t i = 0; i < 16; i++)
    bad |= rijn_ct_less(i, pad) & (last[15 - i] ^ pad); /* the i-th byte from the end is padding when i < pad */
  return pad & rijn_ct_zero(bad);
}

int rijn_cbc_decrypt_pkcs7(const rijn_aes_key *key, void *out, size_t *out_len, const void *in, size_t len,
                           const uint8_t iv[16]) {
  int err = rijn_aes_check_key(key);
  if (err != RIJN_OK)
    return err;
  if (rijn_null(out, len) || out_len == NULL || rijn_null(in, len) || iv == NULL)
    return RIJN_ENULL;
  if (len == 0 || len % 16 != 0)
    return RIJN_ELEN;
  if (!rijn_alias_ok(out, in, len))
    return RIJN_EOVERLAP;

  const struct rijn_aes *k = rijn_aes_of(key);
  uint8_t chain[16];
  memcpy(chain, iv, sizeof chain);
  rijn_impl_of(k->impl)->cbc_dec(&k->dk, k->rounds, out, in, len / 16, chain);
  uint32_t pad = padding((const uint8_t *)out + len - 16);
  if (pad == 0) { /* CT: the verdict is public: the caller gets it as an error. Which bytes were wrong is not. */
    memset(out, 0, len);
    *out_len = 0;
    return RIJN_EPADDING;
  }
  *out_len = len - pad;
  return RIJN_OK;
}
