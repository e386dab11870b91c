/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Part of selftest.c: CFB, CCM, and many texts of CBC. */
#ifndef RIJN_SELFTEST_CHAINS_H
#define RIJN_SELFTEST_CHAINS_H

/* A text at once one way, in pieces the other. */
static int cfb(struct run *r, size_t key_len, uint64_t want) {
  rijn_cfb_state *s = &r->state.cfb;
  unsigned nth = 0;

  (void)key_len;
  for (size_t n = 0; n <= MAX; n = next(n)) {
    fill(s->iv, IV, CFB, n, 16);
    fill(r->buf, TEXT, CFB, n, n);
    s->used = 0;
    if (n % 2 == 0) {
      TRY(rijn_cfb_encrypt(&r->key.aes, r->buf, r->buf, n, s));
    } else {
      for (size_t at = 0, part; at < n; at += part) {
        part = piece(&nth, n - at);
        TRY(rijn_cfb_encrypt(&r->key.aes, r->buf + at, r->buf + at, part, s));
      }
    }
    EXPECT(s->used == n % 16);
    digest(r, r->buf, n);
    fill(s->iv, IV, CFB, n, 16);
    s->used = 0;
    for (size_t at = 0, part; at < n; at += part) {
      part = n % 2 == 0 ? piece(&nth, n - at) : n;
      TRY(rijn_cfb_decrypt(&r->key.aes, r->buf + at, r->buf + at, part, s));
    }
    EXPECT(is_filled(r->buf, TEXT, CFB, n, n));
  }
  EXPECT(r->digest == want);
  return 0;
}

/* Every length of nonces and tags. */
static int ccm(struct run *r, size_t key_len, uint64_t want) {
  rijn_ccm_key *k = &r->key.ccm;

  fill(r->raw, KEY, CCM, key_len, key_len);
  for (size_t n = 0; n <= MAX; n += 1 + n / 8) {
    size_t a = aad_len(n + 1), nonce_len = 7 + n % 7, tag_len = 4 + 2 * (n % 7);
    TRY(rijn_ccm_init_impl(k, r->raw, key_len, tag_len, r->impl));
    fill(r->iv, IV, CCM, n, nonce_len);
    fill(r->buf, TEXT, CCM, n, n);
    fill(r->aad, AAD, CCM, n, a);
    TRY(rijn_ccm_encrypt(k, r->buf, r->buf, n, r->aad, a, r->iv, nonce_len, r->tag));
    digest(r, r->buf, n);
    digest(r, r->tag, tag_len);
    TRY(rijn_ccm_decrypt(k, r->buf, r->buf, n, r->aad, a, r->iv, nonce_len, r->tag));
    EXPECT(is_filled(r->buf, TEXT, CCM, n, n));
    r->tag[n % tag_len] ^= (uint8_t)(1u << n % 8);
    EXPECT(rijn_ccm_decrypt(k, r->buf, r->buf, n, r->aad, a, r->iv, nonce_len, r->tag) == RIJN_EAUTH);
    EXPECT(is_zero(r->buf, n));
  }
  EXPECT(r->digest == want);
  return 0;
}

/* With the key of cbc(): 2 to 11 texts of several lengths at once, which calls for one decrypt. */
static int cbc_many(struct run *r) {
  enum { MANY = 11 };
  rijn_cbc_msg m[MANY];
  for (size_t n = 2; n <= MANY; n++) {
    uint8_t *at = r->buf, *iv = r->aad;
    for (size_t i = 0; i < n; i++) {
      size_t nblk = 1 + (i * n + n) % 7;
      fill(at, TEXT, CBC, i, 16 * nblk);
      fill(iv, IV, CBC, i, 16);
      m[i] = (rijn_cbc_msg){sizeof m[0], &r->key.aes, at, at, nblk, iv, -1};
      at += 16 * nblk;
      iv += 16;
    }
    EXPECT(rijn_cbc_encrypt_many(m, n) == 0);
    for (size_t i = 0; i < n; i++) {
      fill(r->iv, IV, CBC, i, 16);
      TRY(m[i].result);
      TRY(rijn_cbc_decrypt(&r->key.aes, m[i].out, m[i].in, m[i].nblk, r->iv));
      EXPECT(is_filled(m[i].out, TEXT, CBC, i, 16 * m[i].nblk) && memcmp(r->iv, m[i].iv, 16) == 0);
    }
  }
  return 0;
}

#endif
