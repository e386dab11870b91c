/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Nonces of every length, tags of every length, and the counter's wrap.
 *
 * SP 800-38D, section 6.2: inc32 counts within the last word and never carries further. With a nonce that has not 12
 * bytes, J0 can be anything; the model solves for the nonce of 16 bytes that has the J0 wanted, so that the wrap comes
 * at each block of a message in turn.
 */
#include "ref.h"
#include "t.h"

#define MAX_LEN 4500

static uint8_t text[MAX_LEN], want[MAX_LEN], out[MAX_LEN], want_tag[16], tag[16];
static const size_t key_lens[] = {16, 24, 32};

/* Both directions, in one call, as a stream and as lists, of text with the reference in want and want_tag. */
static void all_ways(const rijn_gcm_key *key, size_t len, const uint8_t *aad, size_t aad_len, const uint8_t *nonce,
                     size_t nonce_len, size_t cut) {
  size_t tl = rijn_gcm_tag_len(key);
  rijn_gcm_stream s;
  if (cut > len) {
    cut = len;
  }
  CHECK_EQ(rijn_gcm_encrypt(key, out, text, len, aad, aad_len, nonce, nonce_len, tag), RIJN_OK);
  CHECK_MEM(out, want, len);
  CHECK_MEM(tag, want_tag, tl);
  CHECK_EQ(rijn_gcm_decrypt(key, out, want, len, aad, aad_len, nonce, nonce_len, want_tag), RIJN_OK);
  CHECK_MEM(out, text, len);

  CHECK_EQ(rijn_gcm_encrypt_start(&s, key, nonce, nonce_len), RIJN_OK);
  CHECK_EQ(rijn_gcm_aad(&s, aad, aad_len), RIJN_OK);
  CHECK_EQ(rijn_gcm_update(&s, out, text, cut), RIJN_OK);
  CHECK_EQ(rijn_gcm_update(&s, out + cut, text + cut, len - cut), RIJN_OK);
  CHECK_EQ(rijn_gcm_encrypt_finish(&s, tag), RIJN_OK);
  CHECK_MEM(out, want, len);
  CHECK_MEM(tag, want_tag, tl);
  CHECK_EQ(rijn_gcm_decrypt_start(&s, key, nonce, nonce_len), RIJN_OK);
  CHECK_EQ(rijn_gcm_aad(&s, aad, aad_len), RIJN_OK);
  CHECK_EQ(rijn_gcm_update(&s, out, want, cut), RIJN_OK);
  CHECK_EQ(rijn_gcm_update(&s, out + cut, want + cut, len - cut), RIJN_OK);
  CHECK_EQ(rijn_gcm_decrypt_finish(&s, want_tag), RIJN_OK);
  CHECK_MEM(out, text, len);

  rijn_iov in_v[2] = {{text, len - cut}, {text + (len - cut), cut}}, out_v[2] = {{out, cut}, {out + cut, len - cut}};
  rijn_iov aad_v = {(void *)(uintptr_t)aad, aad_len};
  memset(out, 0, len);
  CHECK_EQ(rijn_gcm_encrypt_iov(key, out_v, 2, in_v, 2, &aad_v, 1, nonce, nonce_len, tag), RIJN_OK);
  CHECK_MEM(out, want, len);
  CHECK_MEM(tag, want_tag, tl);
  in_v[0].base = want;
  in_v[1].base = want + (len - cut);
  CHECK_EQ(rijn_gcm_decrypt_iov(key, out_v, 2, in_v, 2, &aad_v, 1, nonce, nonce_len, want_tag), RIJN_OK);
  CHECK_MEM(out, text, len);
}

static void nonce_lengths(int impl) {
  static const size_t more[] = {111, 112, 113, 127, 128, 129, 143, 144, 145, 160, 255, 256, 257, 511, 512, 513, 1000};
  uint8_t raw[32], nonce[1000], aad[20];
  rijn_gcm_key key;
  for (size_t i = 0; i < 110 + sizeof more / sizeof more[0]; i++) {
    size_t nl = i < 110 ? i + 1 : more[i - 110], kl = key_lens[i % 3], len = i * 7 % 300;
    T_AT("nonce of %zu, key %zu, len %zu", nl, kl, len);
    t_fill(raw, sizeof raw);
    t_fill(nonce, nl);
    t_fill(aad, sizeof aad);
    CHECK_EQ(rijn_gcm_init_impl(&key, raw, kl, 16, impl), RIJN_OK);
    model_gcm(raw, kl, want, text, len, aad, i % 21, nonce, nl, want_tag);
    all_ways(&key, len, aad, i % 21, nonce, nl, i % 37);
  }
  CHECK_EQ(rijn_gcm_encrypt(&key, out, text, 10, NULL, 0, nonce, 0, tag), RIJN_ENONCELEN);
  CHECK_EQ(rijn_gcm_decrypt(&key, out, text, 10, NULL, 0, nonce, 0, tag), RIJN_ENONCELEN);
}

/* One key serves nonces of different length in turn: no state stays behind. */
static void nonce_lengths_mixed(int impl) {
  uint8_t raw[32], nonce[64];
  rijn_gcm_key key;
  t_fill(raw, sizeof raw);
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 32, 16, impl), RIJN_OK);
  for (size_t i = 0; i < 60; i++) {
    size_t nl = i % 2 != 0 ? 12 : t_between(1, 64);
    T_AT("turn %zu, nonce of %zu", i, nl);
    t_fill(nonce, sizeof nonce);
    model_gcm(raw, 32, want, text, 77, text, 5, nonce, nl, want_tag);
    all_ways(&key, 77, text, 5, nonce, nl, 33);
  }
}

static void tag_lengths(int impl) {
  uint8_t raw[32], nonce[13];
  rijn_gcm_key key;
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  for (size_t tl = 0; tl <= 20; tl++) {
    bool good = tl == 4 || tl == 8 || (tl >= 12 && tl <= 16);
    T_AT("tag of %zu", tl);
    CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, tl, impl), good ? RIJN_OK : RIJN_ETAGLEN);
    for (size_t nl = 12; good && nl <= 13; nl++) {
      for (size_t len = 0; len < 300; len += 37) {
        uint8_t t[17];
        T_AT("tag of %zu, nonce %zu, len %zu", tl, nl, len);
        ref_gcm(raw, 16, want, text, len, NULL, 0, nonce, nl, want_tag);
        memset(t, T_POISON, sizeof t);
        CHECK_EQ(rijn_gcm_encrypt(&key, out, text, len, NULL, 0, nonce, nl, t), RIJN_OK);
        CHECK_MEM(t, want_tag, tl);
        CHECK_ALL(t + tl, T_POISON, sizeof t - tl);
        /* Bytes behind the tag are not looked at; each bit of its own is. */
        CHECK_EQ(rijn_gcm_decrypt(&key, out, want, len, NULL, 0, nonce, nl, t), RIJN_OK);
        CHECK_MEM(out, text, len);
        for (size_t bit = 0; bit < 8 * tl; bit++) {
          t[bit / 8] ^= (uint8_t)(1u << bit % 8);
          CHECK_EQ(rijn_gcm_decrypt(&key, out, want, len, NULL, 0, nonce, nl, t), RIJN_EAUTH);
          t[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
      }
    }
  }
}

/* The last word of J0 is 2^32 - 1 - w: block w of the text (from 0) is the first behind the wrap. */
static void wrap(int impl) {
  uint8_t raw[32], j0[16], nonce[16], check[16];
  rijn_gcm_key key;
  for (size_t ki = 0; ki < 3; ki++) {
    size_t kl = key_lens[ki];
    t_fill(raw, sizeof raw);
    CHECK_EQ(rijn_gcm_init_impl(&key, raw, kl, 16, impl), RIJN_OK);
    for (uint32_t w = 0; w <= 40 || (ki == 0 && w <= 200); w++) {
      T_AT("wrap at block %zu, key %zu", w, kl);
      t_fill(j0, 12);
      if (w % 3 == 0) {
        memset(j0 + 8, 0xff, 4); /* a carry too far would run on here */
      }
      uint32_t last = UINT32_MAX - w;
      for (int i = 0; i < 4; i++) {
        j0[12 + i] = (uint8_t)(last >> (24 - 8 * i));
      }
      model_nonce_for_j0(raw, kl, j0, nonce);
      model_j0(raw, kl, nonce, 16, check);
      CHECK_MEM(check, j0, 16);
      size_t len = 16 * (size_t)w + t_between(1, 16 * 70);
      if (w % 4 == 1) {
        len = len / 256 * 256 + 256;
      }
      model_gcm(raw, kl, want, text, len, text, w % 23, nonce, 16, want_tag);
      all_ways(&key, len, text, w % 23, nonce, 16, t_below(len + 1));
      /* And with the pieces cut right there. */
      if (w > 0 && 16 * (size_t)w < len) {
        all_ways(&key, len, text, w % 23, nonce, 16, 16 * (size_t)w - 1);
        all_ways(&key, len, text, w % 23, nonce, 16, 16 * (size_t)w);
      }
    }
  }
}

/* With 12 bytes the counter starts at 1, and its low bytes carry at blocks 255, 511, ... and 65535. */
static void carries_within(int impl) {
  static const size_t blocks[] = {253, 254, 255, 256, 257, 510, 511, 512, 1023};
  static uint8_t big[16 * 65536 + 600], big_want[sizeof big], big_out[sizeof big];
  uint8_t raw[32], nonce[12];
  rijn_gcm_key key;
  t_fill(raw, sizeof raw);
  t_fill(big, sizeof big);
  memset(nonce, 0xff, sizeof nonce);
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, 16, impl), RIJN_OK);
  for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
    for (size_t d = 0; d < 3; d++) {
      size_t len = 16 * blocks[i] + d * 15;
      T_AT("len %zu", len);
      ref_gcm(raw, 16, big_want, big, len, NULL, 0, nonce, 12, want_tag);
      CHECK_EQ(rijn_gcm_encrypt(&key, big_out, big, len, NULL, 0, nonce, 12, tag), RIJN_OK);
      CHECK_MEM(big_out, big_want, len);
      CHECK_MEM(tag, want_tag, 16);
    }
  }
#ifdef RIJN_REF_LIBCRYPTO
  size_t len = sizeof big;
  T_AT("len %zu", len);
  ref_gcm(raw, 16, big_want, big, len, NULL, 0, nonce, 12, want_tag);
  CHECK_EQ(rijn_gcm_encrypt(&key, big_out, big, len, NULL, 0, nonce, 12, tag), RIJN_OK);
  CHECK_MEM(big_out, big_want, len);
  CHECK_MEM(tag, want_tag, 16);
  CHECK_EQ(rijn_gcm_decrypt(&key, big_out, big_out, len, NULL, 0, nonce, 12, want_tag), RIJN_OK);
  CHECK_MEM(big_out, big, len);
#endif
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  t_fill(text, sizeof text);
  T_IMPLS(impl) {
    nonce_lengths(impl);
    nonce_lengths_mixed(impl);
    tag_lengths(impl);
    wrap(impl);
    carries_within(impl);
  }
  return t_done();
}
