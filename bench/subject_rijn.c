/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Rijn's implementations, through the public header like any user: the checks of arguments are in the figures. */
#include "subject.h"

#include <rijn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int gcm_enc(const struct b_job *j, size_t n) {
  int bad = 0;
  B_EACH_MESSAGE(j, n, bad |= rijn_gcm_encrypt(key, w.out, w.in, len, w.aad, w.aad_len, nonce, 12, tag));
  return bad;
}

static int gcm_dec(const struct b_job *j, size_t n) {
  int bad = 0;
  B_EACH_MESSAGE(j, n, bad |= rijn_gcm_decrypt(key, w.out, w.in, len, w.aad, w.aad_len, nonce, 12, tag));
  return bad;
}

static int gmac(const struct b_job *j, size_t n) {
  int bad = 0;
  B_EACH_MESSAGE(j, n, bad |= rijn_gmac(key, w.in, len, nonce, 12, tag));
  return bad;
}

static int gcm_keys(const struct b_job *j, size_t n) {
  int bad = 0;
  int impl = rijn_gcm_key_impl(j->keys[0]);
  B_EACH_MESSAGE(j, n, bad |= rijn_gcm_init_impl(key, w.raw, w.raw_len, 16, impl));
  return bad;
}

static int batch(const struct b_job *j, size_t n, int (*call)(rijn_gcm_msg *, size_t)) {
  static _Thread_local rijn_gcm_msg m[B_BATCH_MAX];
  size_t count = j->c->count;
  int bad = 0;
  if (count > sizeof m / sizeof *m)
    return -1;
  for (size_t i = 0; i < count; i++)
    m[i] = (rijn_gcm_msg){sizeof m[i],
                          j->keys[b_job_key(j, 0, i)],
                          j->msgs[i].out,
                          j->msgs[i].in,
                          b_batch_len(j, i),
                          j->aad,
                          j->aad_len,
                          j->msgs[i].nonce,
                          12,
                          j->msgs[i].tag,
                          0};
  for (size_t r = 0; r < n; r++) {
    for (size_t i = 0; r > 0 && j->kmask >= count && i < count; i++) /* cold: the next ones */
      m[i].key = j->keys[b_job_key(j, r, i)];
    bad |= call(m, count);
    if (j->serial)
      b_serialize();
  }
  return bad;
}

static int batch_enc(const struct b_job *j, size_t n) { return batch(j, n, rijn_gcm_encrypt_batch); }

static int batch_dec(const struct b_job *j, size_t n) { return batch(j, n, rijn_gcm_decrypt_batch); }

static int siv(const struct b_job *j, size_t n) {
  int bad = 0;
  bool enc = j->c->dir == B_ENC;
  B_EACH_MESSAGE(j, n, {
    bad |= enc ? rijn_gcm_siv_encrypt(key, w.out, w.in, len, w.aad, w.aad_len, nonce, tag)
               : rijn_gcm_siv_decrypt(key, w.out, w.in, len, w.aad, w.aad_len, nonce, tag);
  });
  return bad;
}

static int xaes(const struct b_job *j, size_t n) {
  int bad = 0;
  bool enc = j->c->dir == B_ENC;
  B_EACH_MESSAGE(j, n, {
    bad |= enc ? rijn_xaes_encrypt(key, w.out, w.in, len, w.aad, w.aad_len, nonce, tag)
               : rijn_xaes_decrypt(key, w.out, w.in, len, w.aad, w.aad_len, nonce, tag);
  });
  return bad;
}

static int xts_enc(const struct b_job *j, size_t n) {
  int bad = 0;
  B_EACH_MESSAGE(j, n, bad |= rijn_xts_encrypt(key, w.out, w.in, len, nonce));
  return bad;
}

static int xts_dec(const struct b_job *j, size_t n) {
  int bad = 0;
  B_EACH_MESSAGE(j, n, bad |= rijn_xts_decrypt(key, w.out, w.in, len, nonce));
  return bad;
}

static int xts_run_enc(const struct b_job *j, size_t n) {
  int bad = 0;
  const size_t count = j->c->count;
  B_EACH_MESSAGE(j, n, bad |= rijn_xts_encrypt_sectors(key, w.out, w.in, len, count, B_FIRST_SECTOR, 1));
  return bad;
}

static int xts_run_dec(const struct b_job *j, size_t n) {
  int bad = 0;
  const size_t count = j->c->count;
  B_EACH_MESSAGE(j, n, bad |= rijn_xts_decrypt_sectors(key, w.out, w.in, len, count, B_FIRST_SECTOR, 1));
  return bad;
}

static int ctr(const struct b_job *j, size_t n) {
  int bad = 0;
  rijn_ctr_state state;
  B_EACH_MESSAGE(j, n, {
    memcpy(state.ctr, nonce, 16);
    state.used = 0;
    bad |= rijn_ctr_crypt(key, w.out, w.in, len, &state);
  });
  return bad;
}

static int cbc(const struct b_job *j, size_t n) {
  int bad = 0;
  bool enc = j->c->dir == B_ENC;
  uint8_t iv[16];
  B_EACH_MESSAGE(j, n, {
    memcpy(iv, nonce, 16);
    bad |= (enc ? rijn_cbc_encrypt : rijn_cbc_decrypt)(key, w.out, w.in, len / 16, iv);
  });
  return bad;
}

static int ecb(const struct b_job *j, size_t n) {
  int bad = 0;
  bool enc = j->c->dir == B_ENC;
  B_EACH_MESSAGE(j, n, bad |= (enc ? rijn_ecb_encrypt : rijn_ecb_decrypt)(key, w.out, w.in, len / 16));
  return bad;
}

static int ghash(const struct b_job *j, size_t n) {
  int bad = 0;
  B_EACH_MESSAGE(j, n, bad |= rijn_ghash_update(key, tag, w.in, len / 16));
  return bad;
}

/* Each block is the one before, encrypted. */
static int latency(const struct b_job *j, size_t n) {
  int bad = 0;
  uint8_t block[16];
  memcpy(block, j->in, 16);
  B_EACH_MESSAGE(j, n, bad |= rijn_ecb_encrypt(key, block, block, 1));
  memcpy(j->out, block, 16);
  return bad;
}

static b_loops loops = {
    [B_GCM] = {gcm_enc, gcm_dec},
    [B_MANYKEYS] = {gcm_enc, gcm_dec},
    [B_GMAC] = {gmac},
    [B_KEYS] = {gcm_keys},
    [B_BATCH] = {batch_enc, batch_dec},
    [B_BATCHKEYS] = {batch_enc, batch_dec},
    [B_SIV] = {siv, siv},
    [B_XAES] = {xaes, xaes},
    [B_XTS] = {xts_enc, xts_dec},
    [B_XTSRUN] = {xts_run_enc, xts_run_dec},
    [B_CTR] = {ctr},
    [B_CBC] = {cbc, cbc},
    [B_ECB] = {ecb, ecb},
    [B_GHASH] = {ghash},
    [B_LATENCY] = {latency},
};

static b_run runner(const struct b_subject *s, const struct b_case *c) {
  (void)s;
  return b_loop(loops, c);
}

void *b_rijn_key(const struct b_case *c, const uint8_t *raw, size_t raw_len, int impl) {
  union {
    rijn_gcm_key gcm;
    rijn_xts_key xts;
    rijn_aes_key aes;
    rijn_ghash_key ghash;
    rijn_gcm_siv_key siv;
    rijn_xaes_key xaes;
  } *key = aligned_alloc(64, (sizeof *key + 63) / 64 * 64);
  int err;
  if (!key)
    return NULL;
  switch (b_mode(c)->key) {
  case B_KEY_XTS:
    err = rijn_xts_init_impl(&key->xts, raw, raw_len, impl);
    break;
  case B_KEY_AES:
    err = rijn_aes_init_impl(&key->aes, raw, raw_len, impl);
    break;
  case B_KEY_GHASH:
    err = rijn_ghash_init_impl(&key->ghash, raw, impl);
    break;
  case B_KEY_SIV:
    err = rijn_gcm_siv_init_impl(&key->siv, raw, raw_len, impl);
    break;
  case B_KEY_XAES:
    err = rijn_xaes_init_impl(&key->xaes, raw, raw_len, impl);
    break;
  default:
    err = rijn_gcm_init_impl(&key->gcm, raw, raw_len, 16, impl);
  }
  if (err) {
    free(key);
    return NULL;
  }
  return key;
}

static void *key_new(const struct b_subject *s, const struct b_case *c, const uint8_t *raw, size_t raw_len) {
  return b_rijn_key(c, raw, raw_len, s->index);
}

int b_rijn_seal(const struct b_case *c, const void *key, const struct b_msg *m, size_t len, const uint8_t *aad,
                size_t aad_len) {
  if (b_mode(c)->key == B_KEY_SIV)
    return rijn_gcm_siv_encrypt(key, m->out, m->in, len, aad, aad_len, m->nonce, m->tag);
  if (b_mode(c)->key == B_KEY_XAES)
    return rijn_xaes_encrypt(key, m->out, m->in, len, aad, aad_len, m->nonce, m->tag);
  return rijn_gcm_encrypt(key, m->out, m->in, len, aad, aad_len, m->nonce, 12, m->tag);
}

static void key_free(const struct b_subject *s, const struct b_case *c, void *key) {
  (void)s, (void)c;
  free(key);
}

void b_subjects_rijn(struct b_subjects *all) {
  for (int i = 0; i < rijn_impl_count(); i++) {
    struct b_subject s = {.is_rijn = true, .index = i, .runner = runner, .key_new = key_new, .key_free = key_free};
    if (!rijn_impl_supported(i))
      continue;
    snprintf(s.name, sizeof s.name, "%s", rijn_impl_name(i));
    b_subject_add(all, &s);
  }
}
