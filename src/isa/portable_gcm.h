/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* GCM (SP 800-38D 7.1, 7.2) for portable.c, which includes it once: counter mode and GHASH in turn, by what stands
 * before in that file. */
#include "../gcm.h"

static NOINLINE void ghash_work(const struct rijn_hpow *p, uint8_t acc[16], const uint8_t *in, size_t len) {
  struct hash h;
  hash_start(&h, p);
  h.acc[0] = rijn_load_be64(acc);
  h.acc[1] = rijn_load_be64(acc + 8);
  hash_bytes(&h, in, len);
  rijn_store_be64(acc, h.acc[0]);
  rijn_store_be64(acc + 8, h.acc[1]);
}

static void ghash_blocks(const struct rijn_hpow *p, uint8_t acc[16], const uint8_t *in, size_t nblk) {
  ghash_work(p, acc, in, 16 * nblk);
  burn();
}

static NOINLINE void gcm_blocks_work(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len,
                                     struct rijn_gcm_state *c, unsigned ends, enum direction dir) {
  static const uint8_t zero[16];
  if (ends & RIJN_HASH_PENDING)
    ghash_work(&k->h, c->acc, zero, 16);
  /* In place either order is right: the ciphertext is hashed before it goes, or after it has come. */
  if (dir == DECRYPT)
    ghash_work(&k->h, c->acc, in, len);
  ctr_work(&k->rk, k->rounds, out, in, len, c->ctr, 0);
  if (dir == ENCRYPT)
    ghash_work(&k->h, c->acc, out, len);
  if (ends & RIJN_NEXT_KEYSTREAM)
    ctr_work(&k->rk, k->rounds, c->ks, zero, 16, c->ctr, 0);
}

static void gcm_enc_blocks(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk,
                           struct rijn_gcm_state *c, unsigned ends) {
  gcm_blocks_work(k, out, in, 16 * nblk, c, ends, ENCRYPT);
  burn();
}

static void gcm_dec_blocks(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk,
                           struct rijn_gcm_state *c, unsigned ends) {
  gcm_blocks_work(k, out, in, 16 * nblk, c, ends, DECRYPT);
  burn();
}

static NOINLINE void gcm_tag_work(const struct rijn_gcm *k, struct rijn_gcm_state *c, const uint8_t j0[16],
                                  uint64_t aad_len, uint64_t len, unsigned ends) {
  uint8_t end[32] = {0}, ctr[16];
  memcpy(ctr, j0, 16);
  rijn_store_be64(end + 16, aad_len * 8);
  rijn_store_be64(end + 24, len * 8);
  if (ends & RIJN_HASH_PENDING)
    ghash_work(&k->h, c->acc, end, 32);
  else
    ghash_work(&k->h, c->acc, end + 16, 16);
  ctr_work(&k->rk, k->rounds, c->acc, c->acc, 16, ctr, 0);
}
static void gcm_blocks_tag(const struct rijn_gcm *k, struct rijn_gcm_state *c, const uint8_t j0[16], uint64_t aad_len,
                           uint64_t len, unsigned ends) {
  gcm_tag_work(k, c, j0, aad_len, len, ends);
  burn();
}

/* What a message is. */
struct message {
  const struct rijn_gcm *k;
  uint8_t *out;
  const uint8_t *in;
  size_t len;
  const uint8_t *aad;
  size_t aad_len;
  const uint8_t *nonce; /* 12 bytes */
};
/* SPEC: SP 800-38D, algorithms 4 and 5. The first keystream block encrypts the hash; the text begins with the second,
 * so that a message of up to BLOCKS - 1 blocks is one pass through the cipher. */
static NOINLINE void gcm_work(const struct message *m, uint8_t full[16], enum direction dir) {
  const struct rijn_gcm *k = m->k;
  uint8_t *out = m->out;
  const uint8_t *in = m->in;
  size_t len = m->len;
  struct hash h;
  uint8_t ctr[16], ks[GROUP], mask[16], lengths[16];
  size_t used = 16;

  rijn_store_be64(lengths, (uint64_t)m->aad_len * 8);
  rijn_store_be64(lengths + 8, (uint64_t)len * 8);
  memcpy(ctr, m->nonce, 12);
  rijn_store_be32(ctr + 12, 1);
  hash_start(&h, &k->h);
  hash_bytes(&h, m->aad, m->aad_len);

  put_counters(ks, ctr, (size_t)BLOCKS, 0);
  encrypt_group(&k->rk, k->rounds, ks, ks);
  memcpy(mask, ks, 16);
  while (len) {
    size_t n = least(len, GROUP - used);
    if (dir == DECRYPT)
      hash_bytes(&h, in, n);
    xor_bytes(out, in, ks + used, n);
    if (dir == ENCRYPT)
      hash_bytes(&h, out, n);
    out += n;
    in += n;
    len -= n;
    used = 0;
    if (!len)
      break;
    put_counters(ks, ctr, (size_t)BLOCKS, 0);
    encrypt_group(&k->rk, k->rounds, ks, ks);
  }
  hash_bytes(&h, lengths, 16);
  rijn_store_be64(full, h.acc[0]);
  rijn_store_be64(full + 8, h.acc[1]);
  xor_bytes(full, full, mask, 16);
}

static int gcm_encrypt_checked(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len,
                               const uint8_t *aad, size_t aad_len, const uint8_t *nonce, size_t nonce_len,
                               uint8_t *tag) {
  const struct message m = {k, out, in, len, aad, aad_len, nonce};
  uint8_t full[16];
  (void)nonce_len;
  gcm_work(&m, full, ENCRYPT);
  copy_bytes(tag, full, k->tag_len);
  rijn_wipe(full, sizeof full); /* a short tag must not let the rest be read */
  burn();
  return 0;
}

static NOINLINE uint32_t tags_equal(const uint8_t *a, const uint8_t *b, size_t len) { return rijn_ct_eq(a, b, len); }

static int gcm_decrypt_checked(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len,
                               const uint8_t *aad, size_t aad_len, const uint8_t *nonce, size_t nonce_len,
                               const uint8_t *tag) {
  const struct message m = {k, out, in, len, aad, aad_len, nonce};
  uint8_t full[16];
  (void)nonce_len;
  gcm_work(&m, full, DECRYPT);
  uint32_t ok = tags_equal(full, tag, k->tag_len);
  rijn_wipe(full, sizeof full);
  burn();
  if (ok)
    return 0; /* public from here on: it is what the caller gets to know */
  if (len)
    rijn_wipe(out, len);
  return -1;
}

static int gcm_encrypt(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                       size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t *tag) {
  if (rijn_gcm_surely_valid(out, in, len, aad, aad_len, nonce, nonce_len, tag))
    return gcm_encrypt_checked(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);
  return rijn_gcm_encrypt_slow(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);
}
static int gcm_decrypt(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                       size_t aad_len, const uint8_t *nonce, size_t nonce_len, const uint8_t *tag) {
  if (rijn_gcm_surely_valid(out, in, len, aad, aad_len, nonce, nonce_len, tag))
    return gcm_decrypt_checked(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);
  return rijn_gcm_decrypt_slow(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);
}
