/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Part of selftest.c: batches, and what only long calls have, tables of counters (from 12 and 16 KiB on) and full runs
 * of sectors. What they make is undone by calls that go another way, whose known answers are in selftest.c; and the
 * other way round. The text is looked at each time: the same way once more would undo its own fault.
 * Long calls are made in hosted builds alone, because they need 17 KiB of stack, and the tables up to 9 more. */
#ifndef RIJN_SELFTEST_LONG_H
#define RIJN_SELFTEST_LONG_H

/* Batches in buf, alike and of many lengths: what a batch seals single calls open, and the other way round. */
static int batch(struct run *r, size_t key_len, uint8_t *buf, size_t room) {
  enum { N = 21, SUM = N * (N - 1) / 2 }; /* four at a time, and one; in many lengths too */
  /* Bytes of each text and associated data, and of tags. 0: lengths that grow, as the room allows. */
  static const uint8_t shapes[3][3] = {{64, 16, 16}, {57, 13, 12}, {0, 0, 16}};
  rijn_gcm_key *k = &r->key.gcm;
  rijn_gcm_msg m[N];
  uint8_t tags[N][16];

  fill(r->raw, KEY, GCM, key_len, key_len);
  fill(r->iv, IV, GCM, 0, 128);
  fill(r->aad, AAD, GCM, 0, 16 * N);
  for (size_t s = 0; s < 3; s++) {
    uint8_t *at = buf;
    TRY(rijn_gcm_init_impl(k, r->raw, key_len, shapes[s][2], r->impl));
    for (size_t i = 0; i < N; i++) {
      size_t n = shapes[s][0], a = shapes[s][1];
      if (n == 0) {
        n = i * ((room / SUM - 1) | 1);
        a = i % 17;
      }
      fill(at, TEXT, GCM, i, n);
      m[i] = (rijn_gcm_msg){sizeof m[0], k, at, at, n, r->aad + 16 * i, a, r->iv + 5 * i, 12, tags[i], -1};
      at += n;
    }
    EXPECT(rijn_gcm_encrypt_batch(m, N) == 0);
    for (rijn_gcm_msg *p = m; p < m + N; p++) {
      TRY(rijn_gcm_decrypt(k, p->out, p->in, p->len, p->aad, p->aad_len, p->nonce, 12, p->tag));
      EXPECT(is_filled(p->out, TEXT, GCM, (size_t)(p - m), p->len));
      TRY(rijn_gcm_encrypt(k, p->out, p->in, p->len, p->aad, p->aad_len, p->nonce, 12, p->tag));
    }
    tags[s + 9][s] ^= 1;
    EXPECT(rijn_gcm_decrypt_batch(m, N) == 1);
    for (size_t i = 0; i < N; i++) {
      EXPECT(m[i].result == (i == s + 9 ? RIJN_EAUTH : RIJN_OK));
      EXPECT(i == s + 9 ? is_zero(m[i].out, m[i].len) : is_filled(m[i].out, TEXT, GCM, i, m[i].len));
    }
  }
  return 0;
}

#if __STDC_HOSTED__
enum { RUN = 33, LONG = 512 * RUN }; /* sectors: 32 go together, and one */

/* Single calls against a stream, which has no table. */
static int long_gcm(struct run *r, size_t key_len, uint8_t *buf, size_t n) {
  rijn_gcm_key *k = &r->key.gcm;
  rijn_gcm_stream *s = &r->state.gcm;

  TRY(rijn_gcm_init_impl(k, r->raw, key_len, 16, r->impl));
  fill(buf, TEXT, GCM, n, n);
  TRY(rijn_gcm_encrypt(k, buf, buf, n, r->aad, 13, r->iv, 12, r->tag));
  TRY(rijn_gcm_decrypt_start(s, k, r->iv, 12));
  TRY(rijn_gcm_aad(s, r->aad, 13));
  TRY(rijn_gcm_update(s, buf, buf, n));
  TRY(rijn_gcm_decrypt_finish(s, r->tag));
  EXPECT(is_filled(buf, TEXT, GCM, n, n));
  TRY(rijn_gcm_encrypt_start(s, k, r->iv, 12));
  TRY(rijn_gcm_aad(s, r->aad, 13));
  TRY(rijn_gcm_update(s, buf, buf, n));
  TRY(rijn_gcm_encrypt_finish(s, r->tag));
  TRY(rijn_gcm_decrypt(k, buf, buf, n, r->aad, 13, r->iv, 12, r->tag));
  EXPECT(is_filled(buf, TEXT, GCM, n, n));
  return 0;
}

/* A public counter, which has the table, against one that counts as secret. Both carry on the way, or go round. */
static int long_ctr(struct run *r, size_t key_len, uint8_t *buf, size_t n) {
  static const ctr_fn fns[2] = {rijn_ctr_crypt, rijn_ctr32_crypt};
  rijn_ctr_state *s = &r->state.ctr;

  TRY(rijn_aes_init_impl(&r->key.aes, r->raw, key_len, r->impl));
  rijn_store_be32(r->iv + 12, 0xfffffe77u);
  fill(buf, TEXT, CTR, n, n);
  for (size_t f = 0; f < 4; f++) {
    memset(s, 0, sizeof *s);
    memcpy(s->ctr, r->iv, 16);
    s->used = f % 2 ? RIJN_CTR_SECRET : 0;
    TRY(fns[f / 2](&r->key.aes, buf, buf, n, s));
    if (f % 2 == 0)
      memcpy(r->tag, s->ctr, 16);
    else
      EXPECT(is_filled(buf, TEXT, CTR, n, n) && memcmp(s->ctr, r->tag, 16) == 0);
  }
  return 0;
}

/* A run of sectors, numbered and with tweaks given, against single data units. */
static int long_sectors(struct run *r, size_t key_len, uint8_t *buf) {
  rijn_xts_key *k = &r->key.xts;

  TRY(rijn_xts_init_impl(k, r->raw, key_len, r->impl));
  fill(buf, TEXT, SECTORS, LONG, LONG);
  for (int given = 0; given < 2; given++) {
    fill(r->aad, IV, TWEAKS, LONG, 16 * RUN);
    uint64_t first = rijn_load_le64(r->aad) >> 8;
    for (size_t i = 0; i < RUN && !given; i++) {
      rijn_store_le64(r->aad + 16 * i, first + 3 * i);
      memset(r->aad + 16 * i + 8, 0, 8);
    }
    TRY(given ? rijn_xts_encrypt_tweaks(k, buf, buf, 512, RUN, r->aad)
              : rijn_xts_encrypt_sectors(k, buf, buf, 512, RUN, first, 3));
    for (size_t i = 0; i < RUN; i++)
      TRY(rijn_xts_decrypt(k, buf + 512 * i, buf + 512 * i, 512, r->aad + 16 * i));
    EXPECT(is_filled(buf, TEXT, SECTORS, LONG, LONG));
    for (size_t i = 0; i < RUN; i++)
      TRY(rijn_xts_encrypt(k, buf + 512 * i, buf + 512 * i, 512, r->aad + 16 * i));
    TRY(given ? rijn_xts_decrypt_tweaks(k, buf, buf, 512, RUN, r->aad)
              : rijn_xts_decrypt_sectors(k, buf, buf, 512, RUN, first, 3));
    EXPECT(is_filled(buf, TEXT, SECTORS, LONG, LONG));
  }
  return 0;
}

static int long_calls(struct run *r, int mode, size_t key_len) {
  uint8_t buf[LONG];
  if (mode == RIJN_MODE_GCM) {
    TRY(batch(r, key_len, buf, LONG)); /* key, nonce and associated data are there for the next */
    return long_gcm(r, key_len, buf, LONG - 5);
  }
  fill(r->raw, KEY, LONG_CALLS, key_len, key_len);
  fill(r->iv, IV, LONG_CALLS, key_len, 16);
  return mode == RIJN_MODE_CTR ? long_ctr(r, key_len, buf, LONG - 5) : long_sectors(r, key_len, buf);
}
#else
static int long_calls(struct run *r, int mode, size_t key_len) {
  return mode == RIJN_MODE_GCM ? batch(r, key_len, r->buf, MAX) : 0;
}
#endif

#endif
