/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * XAES-256-GCM (C2SP, https://c2sp.org/XAES-256-GCM): a key for each message, and AES-256-GCM under it. There is no
 * kernel of its own: two blocks of ECB make the message's key, and GCM's kernels do the rest, with a key of no more
 * powers than the message reads (gcm_init_once).
 */
#include <rijn.h>

#include "bytes.h"
#include "ct.h"
#include "gcm.h"

RIJN_KEY_FITS(struct rijn_xaes, rijn_xaes_key);
static const struct rijn_xaes *xaes_of(const rijn_xaes_key *key) {
  return (const struct rijn_xaes *)(const void *)key->opaque;
}

/* SPEC: SP 800-38B 6.1. By bytes: of words a compiler for 32 bits puts halves on the stack. CT: the last step is by a
 * mask. */
static __attribute__((noinline)) void double_block(uint8_t b[16]) {
  uint32_t carry = 0;
  for (int i = 15; i >= 0; i--) {
    uint32_t twice = (uint32_t)b[i] << 1 | carry;
    b[i] = (uint8_t)twice;
    carry = twice >> 8;
  }
  b[15] ^= (uint8_t)((0u - rijn_ct_barrier(carry)) & 0x87);
}

static int make_key(rijn_xaes_key *key, const void *raw, size_t raw_len, int which) {
  if (key == NULL || rijn_null(raw, raw_len))
    return RIJN_ENULL;
  if (raw_len != 32)
    return RIJN_EKEYLEN;
  if (!rijn_disjoint(key, sizeof *key, raw, raw_len))
    return RIJN_EOVERLAP;
  int index;
  const struct rijn_impl *impl = rijn_impl_get(which, &index);
  if (impl == NULL)
    return RIJN_EIMPL;
  struct rijn_xaes *k = (struct rijn_xaes *)(void *)key->opaque;
  struct rijn_aes aes;
  memset(key, 0, sizeof *key);
  k->rounds = aes.rounds = 14;
  impl->aes_init(&aes, raw);
  rijn_ct_copy(k->rk.b, aes.rk.b, sizeof k->rk);
  rijn_wipe(&aes, sizeof aes);
  /* SPEC: SP 800-38B 6.1: K1 is the block of zeros encrypted, one bit to the left, and 0x87 where a 1 falls out. CT: a
   * mask. */
  impl->ecb_enc(&k->rk, 14, k->k1, k->k1, 1);
  double_block(k->k1);
  k->impl = (uint8_t)(index + 1);
  return RIJN_OK;
}

int rijn_xaes_init(rijn_xaes_key *key, const void *raw, size_t raw_len) {
  return make_key(key, raw, raw_len, RIJN_IMPL_CHOSEN);
}

int rijn_xaes_init_impl(rijn_xaes_key *key, const void *raw, size_t raw_len, int impl) {
  return make_key(key, raw, raw_len, rijn_impl_named(impl));
}

void rijn_xaes_wipe(rijn_xaes_key *key) {
  if (key != NULL)
    rijn_wipe(key, sizeof *key);
}

/* The message's key. SPEC: the specification's steps 2 to 5: two blocks that are 0, i, "X", 0 and the first half of the
 * nonce, plus K1, encrypted. That is CMAC of one whole block each. */
static void message_key(struct rijn_gcm *g, const struct rijn_xaes *k, const struct rijn_impl *impl,
                        const uint8_t *nonce, size_t aad_len, size_t len) {
  uint8_t raw[32] = {0, 1, 'X', 0, [16] = 0, 2, 'X', 0};
  memcpy(raw + 4, nonce, 12);
  memcpy(raw + 20, nonce, 12);
  for (int i = 0; i < 32; i++)
    raw[i] ^= k->k1[i % 16];
  impl->ecb_enc(&k->rk, 14, raw, raw, 2);
  g->rounds = 14;
  g->tag_len = 16;
  g->impl = k->impl;
  if (impl->gcm_init_once != NULL)
    impl->gcm_init_once(g, raw, aad_len, len);
  else
    impl->gcm_init(g, raw);
  rijn_wipe(raw, sizeof raw);
}
static void wipe_message_key(struct rijn_gcm *g, const struct rijn_impl *impl, size_t aad_len, size_t len) {
  if (impl->gcm_wipe_once != NULL)
    impl->gcm_wipe_once(g, aad_len, len);
  else
    rijn_wipe(g, sizeof *g);
}

static int check(const rijn_xaes_key *key, const void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                 const void *nonce, const void *tag) {
  if (key == NULL)
    return RIJN_ENULL;
  if (rijn_impl_of(xaes_of(key)->impl) == NULL)
    return RIJN_ESTATE;
  if (rijn_null(out, len) || rijn_null(in, len) || rijn_null(aad, aad_len) || nonce == NULL || tag == NULL)
    return RIJN_ENULL;
  if (rijn_over(len, RIJN_GCM_MAX_LEN))
    return RIJN_ELEN;
  if (rijn_over(aad_len, RIJN_GCM_MAX_AAD))
    return RIJN_EAADLEN;
  return rijn_alias_ok(out, in, len) ? RIJN_OK : RIJN_EOVERLAP;
}

int rijn_xaes_encrypt(const rijn_xaes_key *key, void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                      const uint8_t nonce[24], void *tag) {
  _Alignas(64) struct rijn_gcm g;
  uint8_t none[1];
  int err = check(key, out, in, len, aad, aad_len, nonce, tag);
  if (err != RIJN_OK)
    return err;
  const struct rijn_impl *impl = rijn_impl_of(xaes_of(key)->impl);
  if (len == 0) /* kernels compute with the text's place: it is not NULL there */
    in = out = none;
  message_key(&g, xaes_of(key), impl, nonce, aad_len, len);
  err = impl->gcm_encrypt_checked(&g, out, in, len, aad, aad_len, nonce + 12, 12, tag);
  wipe_message_key(&g, impl, aad_len, len);
  return err;
}

int rijn_xaes_decrypt(const rijn_xaes_key *key, void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                      const uint8_t nonce[24], const void *tag) {
  _Alignas(64) struct rijn_gcm g;
  uint8_t none[1];
  int err = check(key, out, in, len, aad, aad_len, nonce, tag);
  if (err != RIJN_OK)
    return err;
  const struct rijn_impl *impl = rijn_impl_of(xaes_of(key)->impl);
  if (len == 0)
    in = out = none;
  message_key(&g, xaes_of(key), impl, nonce, aad_len, len);
  err = impl->gcm_decrypt_checked(&g, out, in, len, aad, aad_len, nonce + 12, 12, tag);
  wipe_message_key(&g, impl, aad_len, len);
  return err;
}
