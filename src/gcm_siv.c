/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * AES-GCM-SIV (RFC 8452): the rules, and the mode by kernels of others.
 *
 * A set that has kernels for it (src/mode/siv_t.h) does a whole message in one. For the others this file does it by
 * kernels of ECB and GHASH: POLYVAL is GHASH with the bytes of each block, of the subkey and of the result reversed
 * (RFC 8452 appendix A), so that no set has to know of it.
 */
#include <rijn.h>

#include "bytes.h"
#include "ct.h"
#include "impl.h"
#include "key.h"

RIJN_KEY_FITS(struct rijn_enc, rijn_gcm_siv_key);
static const struct rijn_enc *siv_of(const rijn_gcm_siv_key *key) {
  return (const struct rijn_enc *)(const void *)key->opaque;
}

/* SPEC: RFC 8452 section 4; 24 bytes: rijn.h. */
static int siv_make_key(rijn_gcm_siv_key *key, const void *raw, size_t raw_len, int which) {
  struct rijn_chosen maker;
  int err = rijn_init_check(&maker, key, sizeof *key, raw, raw_len, rijn_aes_lengths(raw_len), which);
  if (err != RIJN_OK)
    return err;
  memset(key, 0, sizeof *key);
  rijn_enc_init((struct rijn_enc *)(void *)key->opaque, &maker, raw, raw_len);
  return RIJN_OK;
}

int rijn_gcm_siv_init(rijn_gcm_siv_key *key, const void *raw, size_t raw_len) {
  return siv_make_key(key, raw, raw_len, RIJN_IMPL_CHOSEN);
}

int rijn_gcm_siv_init_impl(rijn_gcm_siv_key *key, const void *raw, size_t raw_len, int impl) {
  return siv_make_key(key, raw, raw_len, rijn_impl_named(impl));
}

void rijn_gcm_siv_wipe(rijn_gcm_siv_key *key) {
  if (key != NULL)
    rijn_wipe(key, sizeof *key);
}

/* ---------------------------------------------------------------- by kernels of other modes */

enum { GROUP = 32 }; /* blocks at a time */
struct work {
  struct rijn_aes aes; /* the message-encryption key */
  struct rijn_ghash hash;
  uint8_t blocks[16 * GROUP], raw[32], acc[16], tag[16], ctr[16];
};

static void reverse(uint8_t out[16], const uint8_t in[16]) {
  uint64_t lo = rijn_load_le64(in), hi = rijn_load_le64(in + 8);
  rijn_store_be64(out, hi);
  rijn_store_be64(out + 8, lo);
}

/* SPEC: RFC 8452 section 4. Block i is i, in four bytes, and the nonce; the first half of what it is encrypted to is
 * a part of the keys. The subkey of GHASH is that of POLYVAL reversed, times x: appendix A, mulX_GHASH. CT: the bit
 * that falls out is a mask. */
static void derive(struct work *w, const struct rijn_enc *k, const struct rijn_impl *impl, const uint8_t *nonce) {
  const size_t n = k->rounds / 2 - 1u; /* two for the subkey, and one for 8 bytes of key */
  uint8_t h[16];
  memset(w->blocks, 0, 16 * n);
  for (size_t i = 0; i < n; i++) {
    w->blocks[16 * i] = (uint8_t)i;
    memcpy(w->blocks + 16 * i + 4, nonce, 12);
  }
  impl->ecb_enc(&k->rk, k->rounds, w->blocks, w->blocks, n);
  uint64_t lo = rijn_load_le64(w->blocks), hi = rijn_load_le64(w->blocks + 16), out = (uint64_t)0 - (lo & 1);
  rijn_store_be64(h, hi >> 1 ^ (out & UINT64_C(0xe100000000000000)));
  rijn_store_be64(h + 8, lo >> 1 | hi << 63);
  for (size_t i = 2; i < n; i++)
    memcpy(w->raw + 8 * (i - 2), w->blocks + 16 * i, 8);
  w->aes.rounds = k->rounds;
  impl->aes_init(&w->aes, w->raw);
  impl->ghash_init(&w->hash, h);
  rijn_wipe(h, sizeof h);
}

/* len bytes go into the hash, and zeros up to a block. */
static void hash(struct work *w, const struct rijn_impl *impl, const uint8_t *p, size_t len) {
  while (len != 0) {
    size_t n = len < sizeof w->blocks ? len : sizeof w->blocks, nblk = (n + 15) / 16;
    if (n % 16 != 0)
      memset(w->blocks + 16 * nblk - 16, 0, 16);
    rijn_ct_copy(w->blocks, p, n);
    for (size_t i = 0; i < nblk; i++)
      reverse(w->blocks + 16 * i, w->blocks + 16 * i);
    impl->ghash_blocks(&w->hash.h, w->acc, w->blocks, nblk);
    p += n;
    len -= n;
  }
}

static void siv_make_tag(struct work *w, const struct rijn_impl *impl, const uint8_t *text, size_t len,
                         const uint8_t *aad, size_t aad_len, const uint8_t *nonce) {
  uint8_t lengths[16];
  memset(w->acc, 0, 16);
  hash(w, impl, aad, aad_len);
  hash(w, impl, text, len);
  rijn_store_le64(lengths, (uint64_t)aad_len * 8);
  rijn_store_le64(lengths + 8, (uint64_t)len * 8);
  hash(w, impl, lengths, 16);
  reverse(w->acc, w->acc);
  for (int i = 0; i < 12; i++)
    w->acc[i] ^= nonce[i];
  w->acc[15] &= 0x7f;
  impl->ecb_enc(&w->aes.rk, w->aes.rounds, w->tag, w->acc, 1);
}

/* The counter starts with the tag, and goes round within its first four bytes. */
static void siv_crypt(struct work *w, const struct rijn_impl *impl, uint8_t *out, const uint8_t *in, size_t len,
                      const uint8_t *tag) {
  memcpy(w->ctr, tag, 16);
  w->ctr[15] |= 0x80;
  uint32_t c = rijn_load_le32(w->ctr);
  while (len != 0) {
    size_t n = len < sizeof w->blocks ? len : sizeof w->blocks, nblk = (n + 15) / 16;
    /* CT: the counter is public, as the tag is once it is sent. The barrier, or a compiler ends the loop where the
     * counter ends: a branch on what is a secret until then. */
    for (uint32_t i = 0; i < nblk; i++) {
      memcpy(w->blocks + 16 * i, w->ctr, 16);
      rijn_store_le32(w->blocks + 16 * i, c + rijn_ct_barrier(i));
    }
    c += (uint32_t)nblk;
    impl->ecb_enc(&w->aes.rk, w->aes.rounds, w->blocks, w->blocks, nblk);
    for (size_t i = 0; i < n; i++)
      out[i] = in[i] ^ w->blocks[i];
    out += n;
    in += n;
    len -= n;
  }
}

/* Clears the stack below its caller. WHY: what a compiler keeps in a register that is to be saved lies in the frame of
 * the kernel that saved it. */
static __attribute__((noinline)) void burn(void) {
  uint8_t frame[4096];
  rijn_wipe(frame, sizeof frame);
}

/* tag is written, or compared. */
static __attribute__((noinline)) int by_others(const struct rijn_enc *k, uint8_t *out, const uint8_t *in, size_t len,
                                               const uint8_t *aad, size_t aad_len, const uint8_t *nonce, uint8_t *tag,
                                               enum direction dir) {
  const struct rijn_impl *impl = rijn_impl_of(k->impl);
  struct work w;
  uint32_t ok = 1;
  derive(&w, k, impl, nonce);
  if (dir == ENCRYPT) {
    siv_make_tag(&w, impl, in, len, aad, aad_len, nonce);
    siv_crypt(&w, impl, out, in, len, w.tag);
    memcpy(tag, w.tag, 16); /* last: it may lie in the text that is read */
  } else {
    siv_crypt(&w, impl, out, in, len, tag);
    siv_make_tag(&w, impl, out, len, aad, aad_len, nonce);
    ok = rijn_ct_eq(w.tag, tag, 16);
  }
  rijn_wipe(&w, sizeof w);
  if (ok) /* CT: public from here on: it is what the caller gets to know */
    return RIJN_OK;
  if (len != 0)
    memset(out, 0, len);
  return RIJN_EAUTH;
}

/* ---------------------------------------------------------------- messages */

static int siv_check(const rijn_gcm_siv_key *key, const void *out, const void *in, size_t len, const void *aad,
                     size_t aad_len, const void *nonce, const void *tag) {
  if (key == NULL)
    return RIJN_ENULL;
  if (rijn_impl_of(siv_of(key)->impl) == NULL)
    return RIJN_ESTATE;
  if (rijn_null(out, len) || rijn_null(in, len) || rijn_null(aad, aad_len) || nonce == NULL || tag == NULL)
    return RIJN_ENULL;
  if (rijn_over(len, RIJN_GCM_SIV_MAX_LEN))
    return RIJN_ELEN;
  if (rijn_over(aad_len, RIJN_GCM_SIV_MAX_LEN))
    return RIJN_EAADLEN;
  return rijn_alias_ok(out, in, len) ? RIJN_OK : RIJN_EOVERLAP;
}

/* Both directions; decryption only reads the tag. */
static int siv_message(const rijn_gcm_siv_key *key, void *out, const void *in, size_t len, const void *aad,
                       size_t aad_len, const uint8_t *nonce, void *tag, enum direction dir) {
  uint8_t none[1];
  int err = siv_check(key, out, in, len, aad, aad_len, nonce, tag);
  if (err != RIJN_OK)
    return err;
  const struct rijn_enc *k = siv_of(key);
  const struct rijn_impl *impl = rijn_impl_of(k->impl);
  if (len == 0) /* kernels compute with the text's place: it is not NULL there */
    in = out = none;
  if (impl->siv_encrypt == NULL) {
    err = by_others(k, out, in, len, aad, aad_len, nonce, tag, dir);
    burn();
    return err;
  }
  if (dir == ENCRYPT)
    return impl->siv_encrypt(k, out, in, len, aad, aad_len, nonce, tag);
  return impl->siv_decrypt(k, out, in, len, aad, aad_len, nonce, tag);
}

int rijn_gcm_siv_encrypt(const rijn_gcm_siv_key *key, void *out, const void *in, size_t len, const void *aad,
                         size_t aad_len, const uint8_t nonce[12], void *tag) {
  return siv_message(key, out, in, len, aad, aad_len, nonce, tag, ENCRYPT);
}

int rijn_gcm_siv_decrypt(const rijn_gcm_siv_key *key, void *out, const void *in, size_t len, const void *aad,
                         size_t aad_len, const uint8_t nonce[12], const void *tag) {
  return siv_message(key, out, in, len, aad, aad_len, nonce, (void *)(uintptr_t)tag, DECRYPT);
}

/* ---------------------------------------------------------------- batches */

static int siv_batch(rijn_gcm_siv_msg *m, size_t n, enum direction dir) {
  int failed = 0;
  if (n > RIJN_BATCH_MAX)
    return RIJN_ELEN;
  if (m == NULL && n != 0)
    return RIJN_ENULL;
  for (size_t i = 0; i < n; i++)
    if (m[i].size != sizeof *m)
      return RIJN_ESTRUCT;
  for (; n != 0; m++, n--) {
    m->result = siv_message(m->key, m->out, m->in, m->len, m->aad, m->aad_len, m->nonce, m->tag, dir);
    failed += m->result != RIJN_OK;
  }
  return failed;
}

int rijn_gcm_siv_encrypt_batch(rijn_gcm_siv_msg *msgs, size_t n) { return siv_batch(msgs, n, ENCRYPT); }

int rijn_gcm_siv_decrypt_batch(rijn_gcm_siv_msg *msgs, size_t n) { return siv_batch(msgs, n, DECRYPT); }
