/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Part of selftest.c: AES-GCM-SIV and XAES-256-GCM. Fewer lengths than GCM has: both are GCM's rounds and GHASH's
 * products. */
#ifndef RIJN_SELFTEST_SIV_H
#define RIJN_SELFTEST_SIV_H

static size_t next_few(size_t n) { return n + 1 + n / 8; }

static int gcm_siv(struct run *r, size_t key_len, uint64_t want) {
  rijn_gcm_siv_key *k = &r->key.siv;

  fill(r->raw, KEY, SIV, key_len, key_len);
  TRY(rijn_gcm_siv_init_impl(k, r->raw, key_len, r->impl));
  for (size_t n = 0; n <= MAX; n = next_few(n)) {
    size_t a = aad_len(n + 1); /* the reference takes no message of nothing */
    fill(r->iv, IV, SIV, n, 12);
    fill(r->buf, TEXT, SIV, n, n);
    fill(r->aad, AAD, SIV, n, a);
    TRY(rijn_gcm_siv_encrypt(k, r->buf, r->buf, n, r->aad, a, r->iv, r->tag));
    digest(r, r->buf, n);
    digest(r, r->tag, 16);
    TRY(rijn_gcm_siv_decrypt(k, r->buf, r->buf, n, r->aad, a, r->iv, r->tag));
    EXPECT(is_filled(r->buf, TEXT, SIV, n, n));
    r->tag[n % 16] ^= (uint8_t)(1u << n % 8);
    EXPECT(rijn_gcm_siv_decrypt(k, r->buf, r->buf, n, r->aad, a, r->iv, r->tag) == RIJN_EAUTH);
    EXPECT(is_zero(r->buf, n));
  }
  EXPECT(r->digest == want);
  return 0;
}

static int xaes(struct run *r) {
  rijn_xaes_key *k = &r->key.xaes;

  digest_start(r);
  fill(r->raw, KEY, XAES, 32, 32);
  TRY(rijn_xaes_init_impl(k, r->raw, 32, r->impl));
  for (size_t n = 0; n <= MAX; n = next_few(n)) {
    size_t a = aad_len(n);
    fill(r->iv, IV, XAES, n, 24);
    fill(r->buf, TEXT, XAES, n, n);
    fill(r->aad, AAD, XAES, n, a);
    TRY(rijn_xaes_encrypt(k, r->buf, r->buf, n, r->aad, a, r->iv, r->tag));
    digest(r, r->buf, n);
    digest(r, r->tag, 16);
    TRY(rijn_xaes_decrypt(k, r->buf, r->buf, n, r->aad, a, r->iv, r->tag));
    EXPECT(is_filled(r->buf, TEXT, XAES, n, n));
    r->tag[n % 16] ^= (uint8_t)(1u << n % 8);
    EXPECT(rijn_xaes_decrypt(k, r->buf, r->buf, n, r->aad, a, r->iv, r->tag) == RIJN_EAUTH);
    EXPECT(is_zero(r->buf, n));
  }
  EXPECT(r->digest == answer_xaes);
  return 0;
}

#endif
