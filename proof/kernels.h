/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Kernels that do nothing but hold the rules to the contract of src/impl.h: every buffer is there as long as it is said
 * to be, out is in or apart from it, and lengths are what the field takes. What they would write may become anything:
 * one byte anywhere does, because a harness looks at one byte anywhere, and buffers have any content from the start.
 */
#ifndef PROOF_KERNELS_H
#define PROOF_KERNELS_H

#include "proof.h"

#include "../src/impl.h"

#define MAKER 2 /* what a key has whose implementation has these kernels */

static unsigned kernel_calls;
static int verdict; /* of a decryption: 0 or -1 */

static void read_only(const void *p, size_t len) {
  ASSERT(len == 0 || __CPROVER_r_ok(p, len), "a kernel may read all of its input");
}
static void writable(uint8_t *p, size_t len) {
  if (len == 0)
    return;
  ASSERT(__CPROVER_w_ok(p, len), "a kernel may write all of its output");
  size_t at = nondet_size();
  ASSUME(at < len);
  p[at] = nondet_byte();
}
static void text(uint8_t *out, const uint8_t *in, size_t len) {
  read_only(in, len);
  ASSERT(len == 0 || out == in || !__CPROVER_same_object(out, in) || !share_a_byte(out, len, in, len),
         "out is in or apart from it");
  writable(out, len);
}
static size_t blocks(size_t nblk) {
  ASSERT(nblk <= SIZE_MAX / 16, "so many blocks are so many bytes");
  return 16 * nblk;
}
static void block(uint8_t b[16]) {
  ASSERT(__CPROVER_w_ok(b, 16), "a block is there");
  for (int i = 0; i < 16; i++)
    b[i] = nondet_byte();
}
static bool rounds_ok(unsigned n) { return n == 10 || n == 12 || n == 14; }

static void gcm_any(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len) {
  ASSERT(__CPROVER_r_ok(k, sizeof *k) && k->impl == MAKER && rounds_ok(k->rounds), "a key that was made");
  kernel_calls++;
  text(out, in, len);
}
static int stub_gcm_encrypt(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                            size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t *tag) {
  ASSERT(nonce_len == 12, "a kernel of whole messages takes nonces of 12 bytes");
  read_only(aad, aad_len);
  read_only(nonce, 12);
  gcm_any(k, out, in, len);
  writable(tag, k->tag_len);
  return 0;
}
static int stub_gcm_decrypt(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                            size_t aad_len, const uint8_t *nonce, size_t nonce_len, const uint8_t *tag) {
  ASSERT(nonce_len == 12, "a kernel of whole messages takes nonces of 12 bytes");
  read_only(aad, aad_len);
  read_only(nonce, 12);
  read_only(tag, k->tag_len);
  gcm_any(k, out, in, len);
  if (verdict != 0 && len != 0)
    memset(out, 0, len); /* what it owes: templates.c holds the real ones to it */
  return verdict;
}
static void stub_gcm_blocks(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk,
                            struct rijn_gcm_state *c, unsigned ends) {
  ASSERT(ends <= (RIJN_HASH_PENDING | RIJN_NEXT_KEYSTREAM), "no other ends");
  gcm_any(k, out, in, blocks(nblk));
  block(c->ctr);
  block(c->acc);
  if (ends & RIJN_NEXT_KEYSTREAM)
    block(c->ks);
}
static void stub_gcm_tag(const struct rijn_gcm *k, struct rijn_gcm_state *c, const uint8_t j0[16], uint64_t aad_len,
                         uint64_t len, unsigned ends) {
  ASSERT(__CPROVER_r_ok(k, sizeof *k) && k->impl == MAKER && rounds_ok(k->rounds), "a key that was made");
  ASSERT(ends <= RIJN_HASH_PENDING && aad_len >> 61 == 0 && len >> 61 == 0, "lengths that are so many bits");
  kernel_calls++;
  read_only(j0, 16);
  block(c->acc);
}
static void stub_ghash_blocks(const struct rijn_hpow *h, uint8_t acc[16], const uint8_t *in, size_t nblk) {
  ASSERT(__CPROVER_r_ok(h, sizeof *h), "the powers are there");
  kernel_calls++;
  read_only(in, blocks(nblk));
  block(acc);
}
static void stub_ecb(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk) {
  ASSERT(__CPROVER_r_ok(rk, sizeof *rk) && rounds_ok(rounds), "round keys");
  kernel_calls++;
  text(out, in, blocks(nblk));
}
static void stub_chained(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                         uint8_t state[16]) {
  stub_ecb(rk, rounds, out, in, nblk);
  block(state);
}
static void stub_xts(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16]) {
  ASSERT(__CPROVER_r_ok(k, sizeof *k) && k->impl == MAKER && rounds_ok(k->rounds), "a key that was made");
  ASSERT(len >= 16, "a data unit has a block");
  kernel_calls++;
  read_only(tweak, 16);
  text(out, in, len);
}
static void stub_xts_sectors(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, const struct rijn_sectors *s) {
  ASSERT(__CPROVER_r_ok(k, sizeof *k) && k->impl == MAKER && rounds_ok(k->rounds), "a key that was made");
  ASSERT(s->size != 0 && s->size % 512 == 0 && s->n <= SIZE_MAX / s->size, "so many sectors are so many bytes");
  kernel_calls++;
  if (s->tweaks != NULL)
    read_only(s->tweaks, blocks(s->n));
  text(out, in, s->n * s->size);
}

/* By shape (src/kernels.def). Keys are not made here, and no rule under proof calls a batch, the table of
 * counters, many texts of CBC, CCM or a part of a data unit: a call of what is not here is an error. */
#define STUB_INIT(name)
#define STUB_SEAL(name) .name = stub_gcm_encrypt,
#define STUB_OPEN(name) .name = stub_gcm_decrypt,
#define STUB_BATCH(name)
#define STUB_GCM_BLOCKS(name) .name = stub_gcm_blocks,
#define STUB_GCM_TAG(name) .name = stub_gcm_tag,
#define STUB_GHASH(name) .name = stub_ghash_blocks,
#define STUB_ECB(name) .name = stub_ecb,
#define STUB_CTR(name) .name = stub_chained,
#define STUB_CTR_PUBLIC(name)
#define STUB_CBC(name) .name = stub_chained,
#define STUB_CBC_MANY(name)
#define STUB_CCM(name)
#define STUB_XTS(name) .name = stub_xts,
#define STUB_XTS_PART(name)
#define STUB_SECTORS(name) .name = stub_xts_sectors,
#define STUB_INIT_ONCE(name)
#define STUB_WIPE_ONCE(name)
#define STUB_SIV_SEAL(name)
#define STUB_SIV_OPEN(name)
static const struct rijn_impl stub = {
#define KERNEL(name, shape, key) STUB_##shape(name)
#include "../src/kernels.def"
};
static const struct rijn_impl no_kernels; /* no kernels: a call of one is an error */
const struct rijn_impl *const rijn_impls[IMPLS] = {&no_kernels, &stub};
const int rijn_impls_n = IMPLS;

const struct rijn_impl *rijn_impl_get(int i, int *index) {
  ASSERT(false, "no key is made here");
  return NULL;
}

#endif
