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

static int xaes_make_key(rijn_xaes_key *key, const void *raw, size_t raw_len, int which) {
  struct rijn_chosen maker;
  int err = rijn_init_check(&maker, key, sizeof *key, raw, raw_len, raw_len == 32, which);
  if (err != RIJN_OK)
    return err;
  struct rijn_xaes *k = (struct rijn_xaes *)(void *)key->opaque;
  memset(key, 0, sizeof *key);
  rijn_enc_init(&k->enc, &maker, raw, raw_len);
  /* SPEC: SP 800-38B 6.1: K1 is the block of zeros encrypted, one bit to the left, and 0x87 where a 1 falls out. CT: a
   * mask. */
  maker.impl->ecb_enc(&k->enc.rk, 14, k->k1, k->k1, 1);
  double_block(k->k1);
  return RIJN_OK;
}

int rijn_xaes_init(rijn_xaes_key *key, const void *raw, size_t raw_len) {
  return xaes_make_key(key, raw, raw_len, RIJN_IMPL_CHOSEN);
}

int rijn_xaes_init_impl(rijn_xaes_key *key, const void *raw, size_t raw_len, int impl) {
  return xaes_make_key(key, raw, raw_len, rijn_impl_named(impl));
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
  impl->ecb_enc(&k->enc.rk, 14, raw, raw, 2);
  g->rounds = 14;
  g->tag_len = 16;
  g->impl = k->enc.impl;
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

/* Both directions; decryption only reads the tag. */
static int xaes_message(const rijn_xaes_key *key, void *out, const void *in, size_t len, const void *aad,
                        size_t aad_len, const uint8_t *nonce, void *tag, enum direction dir) {
  _Alignas(64) struct rijn_gcm g;
  uint8_t none[1];
  if (key == NULL)
    return RIJN_ENULL;
  const struct rijn_impl *impl = rijn_impl_of(xaes_of(key)->enc.impl);
  if (impl == NULL)
    return RIJN_ESTATE;
  int err = nonce == NULL ? RIJN_ENULL : rijn_gcm_check_message(out, in, len, aad, aad_len, tag);
  if (err != RIJN_OK)
    return err;
  if (len == 0) /* kernels compute with the text's place: it is not NULL there */
    in = out = none;
  message_key(&g, xaes_of(key), impl, nonce, aad_len, len);
  if (dir == ENCRYPT)
    err = impl->gcm_encrypt_checked(&g, out, in, len, aad, aad_len, nonce + 12, 12, tag);
  else
    err = impl->gcm_decrypt_checked(&g, out, in, len, aad, aad_len, nonce + 12, 12, tag);
  wipe_message_key(&g, impl, aad_len, len);
  return err;
}

int rijn_xaes_encrypt(const rijn_xaes_key *key, void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                      const uint8_t nonce[24], void *tag) {
  return xaes_message(key, out, in, len, aad, aad_len, nonce, tag, ENCRYPT);
}

int rijn_xaes_decrypt(const rijn_xaes_key *key, void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                      const uint8_t nonce[24], const void *tag) {
  return xaes_message(key, out, in, len, aad, aad_len, nonce, (void *)(uintptr_t)tag, DECRYPT);
}
