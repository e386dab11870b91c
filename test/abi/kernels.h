/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Every kernel of struct rijn_impl as an address and up to nine arguments, over data that a test owns: for tests that
 * call kernels in ways no C expression does. */
#ifndef RIJN_TEST_KERNELS_H
#define RIJN_TEST_KERNELS_H

#include "../../src/impl.h"
#include "t.h"

#define K_MAX 20480 /* longest text */
#define K_BATCH_N 9 /* messages of a batch */
#define K_RUNS_N 5  /* streams of CBC */

struct kdata {
  _Alignas(64) uint8_t raw[64];
  uint8_t aad[64], nonce[12], pad[4], tweak[16], ctr[16], acc[16], iv[16], tag[16], tweaks[64], hash_key[16];
  _Alignas(64) uint8_t in[K_MAX];
  uint8_t out[K_MAX], tags[K_BATCH_N][16];
  rijn_gcm_msg msgs[K_BATCH_N];
  size_t failed;
  struct rijn_gcm gcm;
  struct rijn_ghash ghash;
  struct rijn_aes aes;
  struct rijn_xts xts;
  struct rijn_enc siv;
  struct rijn_gcm once; /* to be wiped */
  struct rijn_gcm_state chain;
  struct rijn_sectors sectors;
  struct rijn_cbc_stream runs[RIJN_CBC_STREAMS];
  uint8_t ivs[K_RUNS_N][16];
  struct rijn_ccm_state ccm;
};

/* Shapes and keys as src/kernels.def has them. */
enum kshape {
  K_INIT,
  K_SEAL,
  K_OPEN,
  K_BATCH,
  K_GCM_BLOCKS,
  K_GCM_TAG,
  K_GHASH,
  K_ECB,
  K_CTR,
  K_CTR_PUBLIC,
  K_CBC,
  K_CBC_MANY,
  K_CCM,
  K_XTS,
  K_XTS_PART,
  K_SECTORS,
  K_INIT_ONCE,
  K_WIPE_ONCE,
  K_SIV_SEAL,
  K_SIV_OPEN
};
enum kkey { K_KEY_gcm, K_KEY_ghash, K_KEY_aes, K_KEY_xts, K_KEY_siv, K_KEY_rk, K_KEY_dk };
struct krow {
  const char *name;
  size_t field; /* offset of the pointer in struct rijn_impl */
  enum kshape shape;
  enum kkey key;
};

static const struct krow krows[] = {
#define KERNEL(name, shape, key) {#name, offsetof(struct rijn_impl, name), K_##shape, K_KEY_##key},
#include "../../src/kernels.def"
};
#define K_ROWS (sizeof krows / sizeof krows[0])

struct kcall {
  const void *fn;
  size_t n;
  uint64_t a[9];
};

static inline uint64_t k_arg(const void *p) { return (uint64_t)(uintptr_t)p; }

static inline void k_call(struct kcall *c, const struct rijn_impl *m, const struct krow *row, struct kdata *d,
                          size_t len) {
  const struct rijn_rk *rk = row->key == K_KEY_dk ? &d->aes.dk : &d->aes.rk;
  memset(c, 0, sizeof *c);
  memcpy(&c->fn, (const char *)m + row->field, sizeof c->fn);
#define SET(...)                                                                                                       \
  do {                                                                                                                 \
    const uint64_t a_[] = {__VA_ARGS__};                                                                               \
    c->n = sizeof a_ / sizeof a_[0];                                                                                   \
    memcpy(c->a, a_, sizeof a_);                                                                                       \
  } while (0)
  switch (row->shape) {
  case K_INIT: {
    const void *k[] = {&d->gcm, &d->ghash, &d->aes, &d->xts};
    SET(k_arg(k[row->key]), k_arg(row->key == K_KEY_ghash ? d->hash_key : d->raw));
    break;
  }
  case K_SEAL:
  case K_OPEN:
    SET(k_arg(&d->gcm), k_arg(d->out), k_arg(d->in), len, k_arg(d->aad), len % 64, k_arg(d->nonce), 12, k_arg(d->tag));
    break;
  case K_INIT_ONCE:
    SET(k_arg(&d->gcm), k_arg(d->raw), len % 64, len);
    break;
  case K_WIPE_ONCE:
    SET(k_arg(&d->once), len % 64, len);
    break;
  case K_SIV_SEAL:
  case K_SIV_OPEN:
    SET(k_arg(&d->siv), k_arg(d->out), k_arg(d->in), len, k_arg(d->aad), len % 64, k_arg(d->nonce), k_arg(d->tag));
    break;
  case K_BATCH:
    for (size_t i = 0; i < K_BATCH_N; i++)
      d->msgs[i] = (rijn_gcm_msg){.size = sizeof(rijn_gcm_msg),
                                  .key = (const rijn_gcm_key *)(const void *)&d->gcm,
                                  .out = d->out + i * RIJN_GCM_BATCH_LEN,
                                  .in = d->in + i,
                                  .len = len < RIJN_GCM_BATCH_LEN ? len : RIJN_GCM_BATCH_LEN,
                                  .aad = d->aad,
                                  .aad_len = (len + i) % (RIJN_GCM_BATCH_AAD + 1),
                                  .nonce = d->nonce,
                                  .nonce_len = 12,
                                  .tag = d->tags[i]};
    d->failed = 0;
    SET(k_arg(d->msgs), K_BATCH_N, k_arg(&d->failed));
    break;
  case K_GCM_BLOCKS:
    SET(k_arg(&d->gcm), k_arg(d->out), k_arg(d->in), len / 16, k_arg(&d->chain), len % 4);
    break;
  case K_GCM_TAG:
    SET(k_arg(&d->gcm), k_arg(&d->chain), k_arg(d->ctr), len, len, len & RIJN_HASH_PENDING);
    break;
  case K_GHASH:
    SET(k_arg(&d->ghash.h), k_arg(d->acc), k_arg(d->in), len / 16);
    break;
  case K_ECB:
    SET(k_arg(rk), d->aes.rounds, k_arg(d->out), k_arg(d->in), len / 16);
    break;
  case K_CTR:
    SET(k_arg(rk), d->aes.rounds, k_arg(d->out), k_arg(d->in), len / 16, k_arg(d->ctr));
    break;
  case K_CTR_PUBLIC:
    SET(k_arg(rk), d->aes.rounds, k_arg(d->out), k_arg(d->in), len / 16, k_arg(d->ctr), len & 1);
    break;
  case K_CBC:
    SET(k_arg(rk), d->aes.rounds, k_arg(d->out), k_arg(d->in), len / 16, k_arg(d->iv));
    break;
  case K_CBC_MANY: { /* the streams lie one behind the other; a step takes a block at least */
    size_t nblk = len / 16 / K_RUNS_N == 0 ? 1 : len / 16 / K_RUNS_N;
    for (size_t i = 0; i < K_RUNS_N; i++)
      d->runs[i] = (struct rijn_cbc_stream){d->out + 16 * nblk * i, d->in + 16 * nblk * i, d->ivs[i]};
    SET(k_arg(rk), d->aes.rounds, k_arg(d->runs), K_RUNS_N, nblk);
    break;
  }
  case K_CCM:
    SET(k_arg(rk), d->aes.rounds, k_arg(d->out), k_arg(d->in), len, k_arg(&d->ccm));
    break;
  case K_XTS:
    SET(k_arg(&d->xts), k_arg(d->out), k_arg(d->in), len < 16 ? 16 : len, k_arg(d->tweak));
    break;
  case K_XTS_PART:
    SET(k_arg(&d->xts), k_arg(d->out), k_arg(d->in), len < 16 ? 16 : len, k_arg(d->tweak), k_arg(d->iv), len % 2);
    break;
  case K_SECTORS:
    d->sectors.size = 512;
    d->sectors.n = len / 512;
    d->sectors.first = 7;
    d->sectors.step = 8;
    d->sectors.tweaks = d->sectors.n <= sizeof d->tweaks / 16 && len % 2 ? d->tweaks : NULL;
    SET(k_arg(&d->xts), k_arg(d->out), k_arg(d->in), k_arg(&d->sectors));
    break;
  }
#undef SET
}

/* Fresh random secrets; keys for those kernels that need one. public_seed: what the nonce is made from. */
static inline void k_secrets(struct kdata *d, const struct rijn_impl *m, unsigned rounds) {
  t_fill(d->raw, sizeof d->raw);
  t_fill(d->aad, sizeof d->aad);
  t_fill(d->tweak, sizeof d->tweak);
  t_fill(d->ctr, sizeof d->ctr);
  t_fill(d->acc, sizeof d->acc);
  t_fill(&d->chain, sizeof d->chain);
  t_fill(d->iv, sizeof d->iv);
  t_fill(d->ivs, sizeof d->ivs);
  t_fill(&d->ccm, sizeof d->ccm);
  t_fill(d->tag, sizeof d->tag);
  t_fill(d->tweaks, sizeof d->tweaks);
  t_fill(d->hash_key, sizeof d->hash_key);
  t_fill(d->in, sizeof d->in);
  memset(d->out, 0, sizeof d->out);
  memset(&d->gcm, 0, sizeof d->gcm);
  memset(&d->ghash, 0, sizeof d->ghash);
  memset(&d->aes, 0, sizeof d->aes);
  memset(&d->xts, 0, sizeof d->xts);
  memset(&d->sectors, 0, sizeof d->sectors);
  memset(&d->siv, 0, sizeof d->siv);
  memset(&d->once, 0, sizeof d->once);
  d->gcm.rounds = d->aes.rounds = d->xts.rounds = d->siv.rounds = (uint8_t)rounds;
  d->gcm.tag_len = 16;
  m->gcm_init(&d->gcm, d->raw);
  m->ghash_init(&d->ghash, d->hash_key);
  m->aes_init(&d->aes, d->raw);
  m->xts_init(&d->xts, d->raw);
  d->siv.rk = d->aes.rk;
}

#endif
