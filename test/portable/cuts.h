/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Every call that takes a text in pieces, cut at every point: the bytes must be those of one call of portable. */
#ifndef RIJN_CUTS_H
#define RIJN_CUTS_H

#include "t.h"

enum { CUT_LEN = 613, CUT_BLOCKS = CUT_LEN / 16, CUT_SECTORS = 5 };

struct cut_answers {
  uint8_t raw[64], iv[16], text[CUT_LEN], run[512 * CUT_SECTORS];
  uint8_t gcm[CUT_LEN], tag[16], j0_gcm[CUT_LEN], j0_tag[16], ctr[CUT_LEN], ctr32[CUT_LEN];
  uint8_t ecb[CUT_LEN], cbc[CUT_LEN], chain[16], hash[16], sectors[512 * CUT_SECTORS];
};

/* The whole, by implementation impl. The counters wrap at 32 and 64 bits within the text; the associated data is the
 * text. */
static inline void cut_whole(struct cut_answers *w, int impl) {
  rijn_gcm_key g;
  rijn_aes_key a;
  rijn_ghash_key h;
  rijn_xts_key x;
  rijn_ctr_state s = {{0}, {0}, 0}, s32 = s;
  memset(w->iv + 4, 0xff, 12);
  w->iv[15] = 0xf0;
  memcpy(s.ctr, w->iv, 16);
  memcpy(s32.ctr, w->iv, 16);
  memcpy(w->chain, w->iv, 16);
  memset(w->hash, 0, 16);
  CHECK_EQ(rijn_gcm_init_impl(&g, w->raw, 16, 16, impl), 0);
  CHECK_EQ(rijn_gcm_encrypt(&g, w->gcm, w->text, CUT_LEN, w->text, CUT_LEN, w->iv, 12, w->tag), 0);
  CHECK_EQ(rijn_gcm_encrypt(&g, w->j0_gcm, w->text, CUT_LEN, w->text, CUT_LEN, w->iv, 16, w->j0_tag), 0);
  CHECK_EQ(rijn_aes_init_impl(&a, w->raw, 32, impl), 0);
  CHECK_EQ(rijn_ctr_crypt(&a, w->ctr, w->text, CUT_LEN, &s), 0);
  CHECK_EQ(rijn_ctr32_crypt(&a, w->ctr32, w->text, CUT_LEN, &s32), 0);
  CHECK_EQ(rijn_ecb_encrypt(&a, w->ecb, w->text, CUT_BLOCKS), 0);
  CHECK_EQ(rijn_cbc_encrypt(&a, w->cbc, w->text, CUT_BLOCKS, w->chain), 0);
  CHECK_EQ(rijn_ghash_init_impl(&h, w->raw, impl), 0);
  CHECK_EQ(rijn_ghash_update(&h, w->hash, w->text, CUT_BLOCKS), 0);
  CHECK_EQ(rijn_xts_init_impl(&x, w->raw, 64, impl), 0);
  CHECK_EQ(rijn_xts_encrypt_sectors(&x, w->sectors, w->run, 512, CUT_SECTORS, 7, 8), 0);
}

/* Both directions of a stream, associated data and text cut at cut; and lists, the other way round. */
static inline void cut_gcm(const struct cut_answers *w, const rijn_gcm_key *key, size_t iv_len, size_t cut) {
  const uint8_t *sealed = iv_len == 12 ? w->gcm : w->j0_gcm, *want_tag = iv_len == 12 ? w->tag : w->j0_tag;
  uint8_t out[CUT_LEN], tag[16];
  rijn_gcm_stream s;
  for (int enc = 0; enc < 2; enc++) {
    const uint8_t *from = enc ? w->text : sealed;
    CHECK_EQ((enc ? rijn_gcm_encrypt_start : rijn_gcm_decrypt_start)(&s, key, w->iv, iv_len), 0);
    CHECK_EQ(rijn_gcm_aad(&s, w->text, cut), 0);
    CHECK_EQ(rijn_gcm_aad(&s, w->text + cut, CUT_LEN - cut), 0);
    CHECK_EQ(rijn_gcm_update(&s, out, from, cut), 0);
    CHECK_EQ(rijn_gcm_update(&s, out + cut, from + cut, CUT_LEN - cut), 0);
    CHECK_MEM(out, enc ? sealed : w->text, CUT_LEN);
    CHECK_EQ(enc ? rijn_gcm_encrypt_finish(&s, tag) : rijn_gcm_decrypt_finish(&s, want_tag), 0);
    if (enc)
      CHECK_MEM(tag, want_tag, 16);
  }
  void *text = (void *)(uintptr_t)w->text;
  rijn_iov in[2] = {{text, cut}, {(uint8_t *)text + cut, CUT_LEN - cut}};
  rijn_iov o[2] = {{out, CUT_LEN - cut}, {out + (CUT_LEN - cut), cut}};
  CHECK_EQ(rijn_gcm_encrypt_iov(key, o, 2, in, 2, in, 2, w->iv, iv_len, tag), 0);
  CHECK_MEM(out, sealed, CUT_LEN);
  CHECK_MEM(tag, want_tag, 16);
}

typedef int cut_ctr_fn(const rijn_aes_key *, void *, const void *, size_t, rijn_ctr_state *);

static inline void cut_ctr(const struct cut_answers *w, const rijn_aes_key *key, cut_ctr_fn *crypt, const uint8_t *want,
                           size_t cut) {
  uint8_t out[CUT_LEN];
  rijn_ctr_state s = {{0}, {0}, 0};
  memcpy(s.ctr, w->iv, 16);
  CHECK_EQ(crypt(key, out, w->text, cut, &s), 0);
  CHECK_EQ(crypt(key, out + cut, w->text + cut, CUT_LEN - cut, &s), 0);
  CHECK_MEM(out, want, CUT_LEN);
}

/* Where only whole blocks can be cut off. */
static inline void cut_blocks(const struct cut_answers *w, const rijn_aes_key *key, const rijn_ghash_key *h,
                              size_t cut) {
  uint8_t out[CUT_LEN], iv[16], acc[16] = {0};
  const size_t at = 16 * cut, rest = CUT_BLOCKS - cut, len = 16 * (size_t)CUT_BLOCKS;
  CHECK_EQ(rijn_ghash_update(h, acc, w->text, cut), 0);
  CHECK_EQ(rijn_ghash_update(h, acc, w->text + at, rest), 0);
  CHECK_MEM(acc, w->hash, 16);
  CHECK_EQ(rijn_ecb_encrypt(key, out, w->text, cut), 0);
  CHECK_EQ(rijn_ecb_encrypt(key, out + at, w->text + at, rest), 0);
  CHECK_MEM(out, w->ecb, len);
  CHECK_EQ(rijn_ecb_decrypt(key, out, out, cut), 0);
  CHECK_EQ(rijn_ecb_decrypt(key, out + at, out + at, rest), 0);
  CHECK_MEM(out, w->text, len);
  memcpy(iv, w->iv, 16);
  CHECK_EQ(rijn_cbc_encrypt(key, out, w->text, cut, iv), 0);
  CHECK_EQ(rijn_cbc_encrypt(key, out + at, w->text + at, rest, iv), 0);
  CHECK_MEM(out, w->cbc, len);
  CHECK_MEM(iv, w->chain, 16);
  memcpy(iv, w->iv, 16);
  CHECK_EQ(rijn_cbc_decrypt(key, out, out, cut, iv), 0);
  CHECK_EQ(rijn_cbc_decrypt(key, out + at, out + at, rest, iv), 0);
  CHECK_MEM(out, w->text, len);
  CHECK_MEM(iv, w->chain, 16);
}

static inline void cut_sectors(const struct cut_answers *w, const rijn_xts_key *key, size_t cut) {
  static uint8_t out[512 * CUT_SECTORS];
  const size_t at = 512 * cut, rest = CUT_SECTORS - cut;
  CHECK_EQ(rijn_xts_encrypt_sectors(key, out, w->run, 512, cut, 7, 8), 0);
  CHECK_EQ(rijn_xts_encrypt_sectors(key, out + at, w->run + at, 512, rest, 7 + 8 * cut, 8), 0);
  CHECK_MEM(out, w->sectors, sizeof out);
  CHECK_EQ(rijn_xts_decrypt_sectors(key, out, out, 512, cut, 7, 8), 0);
  CHECK_EQ(rijn_xts_decrypt_sectors(key, out + at, out + at, 512, rest, 7 + 8 * cut, 8), 0);
  CHECK_MEM(out, w->run, sizeof out);
}

/* Every cut point of every call, by implementation impl. */
static inline void cut_everywhere(const struct cut_answers *w, int impl) {
  rijn_gcm_key g;
  rijn_aes_key a;
  rijn_ghash_key h;
  rijn_xts_key x;
  CHECK_EQ(rijn_gcm_init_impl(&g, w->raw, 16, 16, impl), 0);
  CHECK_EQ(rijn_aes_init_impl(&a, w->raw, 32, impl), 0);
  CHECK_EQ(rijn_ghash_init_impl(&h, w->raw, impl), 0);
  CHECK_EQ(rijn_xts_init_impl(&x, w->raw, 64, impl), 0);
  for (size_t cut = 0; cut <= CUT_LEN; cut++) {
    T_AT("cut at %zu", cut);
    cut_gcm(w, &g, 12, cut);
    cut_gcm(w, &g, 16, cut);
    cut_ctr(w, &a, rijn_ctr_crypt, w->ctr, cut);
    cut_ctr(w, &a, rijn_ctr32_crypt, w->ctr32, cut);
    if (cut <= CUT_BLOCKS)
      cut_blocks(w, &a, &h, cut);
    if (cut <= CUT_SECTORS)
      cut_sectors(w, &x, cut);
  }
}

#endif
