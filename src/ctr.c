/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-CTR (SP 800-38A section 6.5), in pieces of any length. */
#include <rijn.h>

#include "aes.h"
#include "bytes.h"
#include "ct.h"

static const uint8_t zero_block[16];

static int ctr_check(const rijn_aes_key *key, const void *out, const void *in, size_t len, const rijn_ctr_state *st,
                     int wide) {
  int err = rijn_aes_check_key(key);
  if (err != RIJN_OK)
    return err;
  if (rijn_null(out, len) || rijn_null(in, len) || st == NULL)
    return RIJN_ENULL;
  if ((st->used & ~RIJN_CTR_SECRET) > 15)
    return RIJN_ESTATE;
  /* SPEC: SP 800-38A appendix B: no counter twice. There are 2^32 of 32 bits, that of a block begun among them. */
  if (!wide && rijn_over(len, (UINT64_C(1) << 36) - st->used % 16))
    return RIJN_ELEN;
  return rijn_alias_ok(out, in, len) ? RIJN_OK : RIJN_EOVERLAP;
}

/* n bytes, below 16, with the keystream at hand, from the first unused one. CT: n is a length, public. By words
 * that the length picks: byte by byte is slower, and words in a loop are, because a load of one has to wait for stores
 * of its parts (T-131). */
static void ctr_crypt_part(rijn_ctr_state *st, uint8_t *out, const uint8_t *in, size_t n) {
  uint32_t used = st->used % 16;
  const uint8_t *ks = st->ks + used;
  st->used = (uint32_t)((used + n) % 16) | (st->used & RIJN_CTR_SECRET);
  if (n & 8) {
    rijn_store_le64(out, rijn_load_le64(in) ^ rijn_load_le64(ks));
    out += 8;
    in += 8;
    ks += 8;
  }
  if (n & 4) {
    rijn_store_le32(out, rijn_load_le32(in) ^ rijn_load_le32(ks));
    out += 4;
    in += 4;
    ks += 4;
  }
  if (n & 2) {
    uint16_t a, b;
    memcpy(&a, in, 2);
    memcpy(&b, ks, 2);
    a = (uint16_t)(a ^ b);
    memcpy(out, &a, 2);
    out += 2;
    in += 2;
    ks += 2;
  }
  if (n & 1)
    *out = *in ^ *ks;
}

/* CT: only a counter that the caller has not called a secret goes to the kernel that looks it up. */
static void blocks(const struct rijn_aes *k, uint8_t *out, const uint8_t *in, size_t nblk, rijn_ctr_state *st,
                   int wide) {
  const struct rijn_impl *m = rijn_impl_of(k->impl);
  if (nblk > 1 && m->ctr_public != NULL && !(st->used & RIJN_CTR_SECRET))
    m->ctr_public(&k->rk, k->rounds, out, in, nblk, st->ctr, wide);
  else
    (wide ? m->ctr_blocks : m->ctr32_blocks)(&k->rk, k->rounds, out, in, nblk, st->ctr);
}

static int ctr_crypt(const rijn_aes_key *key, uint8_t *out, const uint8_t *in, size_t len, rijn_ctr_state *st,
                     int wide) {
  int err = ctr_check(key, out, in, len, st, wide);
  if (err != RIJN_OK)
    return err;
  const struct rijn_aes *k = rijn_aes_of(key);
  size_t used = st->used % 16;
  if (used != 0 && len != 0) {
    size_t n = len < 16 - used ? len : 16 - used;
    ctr_crypt_part(st, out, in, n);
    out += n;
    in += n;
    len -= n;
  }
  size_t nblk = len / 16;
  if (nblk != 0) {
    blocks(k, out, in, nblk, st, wide);
    out += 16 * nblk;
    in += 16 * nblk;
    len -= 16 * nblk;
  }
  if (len != 0) {
    blocks(k, st->ks, zero_block, 1, st, wide); /* 0 XOR keystream */
    ctr_crypt_part(st, out, in, len);
  }
  return RIJN_OK;
}

int rijn_ctr_crypt(const rijn_aes_key *key, void *out, const void *in, size_t len, rijn_ctr_state *state) {
  return ctr_crypt(key, out, in, len, state, 1);
}

int rijn_ctr32_crypt(const rijn_aes_key *key, void *out, const void *in, size_t len, rijn_ctr_state *state) {
  return ctr_crypt(key, out, in, len, state, 0);
}

void rijn_ctr_wipe(rijn_ctr_state *state) {
  if (state == NULL)
    return;
  rijn_wipe(state, sizeof *state);
  state->used = UINT32_MAX; /* which no call takes */
}
