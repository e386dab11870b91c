/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Messages of many lengths against the models, between guard pages: every buffer ends right before a page that cannot
 * be touched, then starts right after one, and what a call may only read is read-only. Each is encrypted, decrypted and
 * decrypted forged, apart and in place. Longer ones against portable.
 */
#include "siv.h"

#ifdef RIJN_REF_LIBCRYPTO
enum { STRIDE = 1 };
#else
enum { STRIDE = 7 }; /* an emulator takes its time */
#endif
enum { MOST = 1300, LONG = 70000 };

static t_buf key_b, raw_b, in_b, out_b, aad_b, nonce_b, tag_b;
static uint8_t raw[32], nonce[24], aad[MOST], text[LONG], want[LONG], want_tag[16];

/* All of one message, whose answer is in want and want_tag. */
static void message(enum mode m, const union any_key *key, size_t len, size_t aad_len, bool at_end, bool in_place) {
  const uint8_t *a = t_lay(&aad_b, aad, aad_len, at_end, true), *v = t_lay(&nonce_b, nonce, nonce_len[m], at_end, true);
  for (int pass = 0; pass < 3; pass++) { /* encrypt, decrypt, decrypt a forgery */
    uint8_t bad[16], *in = t_lay(&in_b, pass == 0 ? text : want, len, at_end, !in_place);
    memcpy(bad, want_tag, 16);
    bad[len % 16] ^= (uint8_t)((pass == 2) << aad_len % 8);
    uint8_t *tag = t_lay(&tag_b, bad, 16, at_end, pass > 0), *out = in;
    if (!in_place) {
      t_readonly(&out_b, false);
      out = at_end ? t_end(&out_b, len) : t_start(&out_b, 0);
      t_poison(&out_b, out, len);
    }
    if (pass == 0) {
      memset(tag, 0, 16);
      CHECK_EQ(any_encrypt(m, key, out, in, len, a, aad_len, v, tag), RIJN_OK);
      CHECK_MEM(out, want, len);
      CHECK_MEM(tag, want_tag, 16);
    } else if (pass == 1) {
      CHECK_EQ(any_decrypt(m, key, out, in, len, a, aad_len, v, tag), RIJN_OK);
      CHECK_MEM(out, text, len);
    } else {
      CHECK_EQ(any_decrypt(m, key, out, in, len, a, aad_len, v, tag), RIJN_EAUTH);
      CHECK_ALL(out, 0, len);
    }
    CHECK_POISON(in_place ? &in_b : &out_b, out, len);
    CHECK_POISON(&tag_b, tag, 16);
  }
}

static const union any_key *make_key(enum mode m, size_t key_len, int impl, bool at_end) {
  t_readonly(&key_b, false);
  size_t size = any_size(m);
  union any_key *key = (union any_key *)(void *)(at_end ? t_end(&key_b, size) : t_start(&key_b, 0));
  t_poison(&key_b, (uint8_t *)key, size);
  CHECK_EQ(any_init(m, key, t_lay(&raw_b, raw, key_len, at_end, true), key_len, impl), RIJN_OK);
  CHECK_POISON(&key_b, (uint8_t *)key, size);
  t_readonly(&key_b, true);
  return key;
}

static void sweep(enum mode m, int impl, bool at_end) {
  static const size_t aads[] = {0, 1, 13, 16, 20, 33, 100, 255, 256, 300};
  for (size_t n = 0; n <= MOST; n += n < 600 ? STRIDE : 3 * STRIDE) {
    size_t key_len = m == SIV ? 16 + 8 * (n % 3) : 32, aad_len = aads[n % 10];
    t_fill(raw, sizeof raw);
    t_fill(nonce, sizeof nonce);
    T_AT("mode %zu, key %zu, len %zu, aad %zu", m, key_len, n, aad_len);
    const union any_key *key = make_key(m, key_len, impl, at_end);
    any_model(m, raw, key_len, want, text, n, aad, aad_len, nonce, want_tag);
    message(m, key, n, aad_len, at_end, n % 2 != 0);
    message(m, key, n, aad_len, at_end, n % 2 == 0);
    aad_len = n; /* and the other way round */
    size_t len = n % 41;
    T_AT("mode %zu, key %zu, len %zu, aad %zu", m, key_len, len, aad_len);
    any_model(m, raw, key_len, want, text, len, aad, aad_len, nonce, want_tag);
    message(m, key, len, aad_len, at_end, n % 2 != 0);
  }
}

/* Around what passes, groups and tables end at. */
static void longer(enum mode m, int impl) {
  static const size_t lens[] = {1536, 2047, 2048, 2049, 4096, 4111, 8192, 12288, 16383, 16384, 16385, 20011, LONG};
  for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++)
    for (size_t d = 0; d < 2; d++) {
      size_t key_len = m == SIV ? 16 + 8 * (i % 3) : 32, len = lens[i] - 17 * d, aad_len = d ? MOST - 7 * i : i;
      union any_key k;
      T_AT("mode %zu, key %zu, len %zu, aad %zu", m, key_len, len, aad_len);
      CHECK_EQ(any_init(m, &k, raw, key_len, t_portable()), RIJN_OK);
      CHECK_EQ(any_encrypt(m, &k, want, text, len, aad, aad_len, nonce, want_tag), RIJN_OK);
      message(m, make_key(m, key_len, impl, i % 2), len, aad_len, i % 2, d);
    }
}

/* Whatever is changed is met with RIJN_EAUTH, and zeros. */
static void forged(enum mode m, int impl) {
  enum { LEN = 150, AAD = 20 };
  uint8_t out[LEN + 1];
  union any_key k;
  CHECK_EQ(any_init(m, &k, raw, 32, impl), RIJN_OK);
  CHECK_EQ(any_encrypt(m, &k, want, text, LEN, aad, AAD, nonce, want_tag), RIJN_OK);
  struct {
    uint8_t *p;
    size_t n;
  } parts[] = {{want, LEN}, {aad, AAD}, {nonce, nonce_len[m]}, {want_tag, 16}};
  for (size_t i = 0; i < 4; i++)
    for (size_t bit = 0; bit < 8 * parts[i].n; bit++) {
      T_AT("mode %zu, part %zu, bit %zu", m, i, bit);
      parts[i].p[bit / 8] ^= (uint8_t)(1u << bit % 8);
      memset(out, 0xee, sizeof out);
      CHECK_EQ(any_decrypt(m, &k, out, want, LEN, aad, AAD, nonce, want_tag), RIJN_EAUTH);
      CHECK_ALL(out, 0, LEN);
      CHECK_EQ(out[LEN], 0xee);
      parts[i].p[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
  for (size_t cut = 1; cut <= LEN; cut++) {
    T_AT("mode %zu, %zu bytes fewer", m, cut);
    CHECK_EQ(any_decrypt(m, &k, out, want, LEN - cut, aad, AAD, nonce, want_tag), RIJN_EAUTH);
    CHECK_ALL(out, 0, LEN - cut);
  }
  CHECK_EQ(any_decrypt(m, &k, out, want, LEN, aad, AAD, nonce, want_tag), RIJN_OK);
  CHECK_MEM(out, text, LEN);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  key_b = t_buf_new(sizeof(union any_key));
  raw_b = t_buf_new(32);
  in_b = t_buf_new(LONG);
  out_b = t_buf_new(LONG);
  aad_b = t_buf_new(MOST);
  nonce_b = t_buf_new(24);
  tag_b = t_buf_new(16);
  t_fill(text, sizeof text);
  t_fill(aad, sizeof aad);
  T_IMPLS(impl) {
    for (enum mode m = SIV; m < MODES; m++) {
      sweep(m, impl, true);
      sweep(m, impl, false);
      longer(m, impl);
      forged(m, impl);
    }
  }
  return t_done();
}
