/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Whatever is changed - any bit of the tag, the text, the associated data or the nonce, any length - is met with
 * RIJN_EAUTH, and the whole output is zeros; in place as well. */
#include "ref.h"
#include "t.h"

#define MAX_LEN 3000

static uint8_t raw[32], nonce[32], aad[300], text[MAX_LEN], ct[MAX_LEN], out[MAX_LEN + 1], tag[16];
static size_t len, aad_len, nonce_len;
static rijn_gcm_key key;

static void refused(size_t n, const uint8_t *a, size_t an, size_t nn) {
  static unsigned turn;
  memset(out, T_POISON, sizeof out);
  if (turn++ % 2 == 0) {
    CHECK_EQ(rijn_gcm_decrypt(&key, out, ct, n, a, an, nonce, nn, tag), RIJN_EAUTH);
  } else {
    memcpy(out, ct, n);
    CHECK_EQ(rijn_gcm_decrypt(&key, out, out, n, a, an, nonce, nn, tag), RIJN_EAUTH);
  }
  CHECK_ALL(out, 0, n);
  CHECK_ALL(out + n, T_POISON, n + 64 < sizeof out ? 64 : sizeof out - n);
}

static void accepted(void) {
  CHECK_EQ(rijn_gcm_decrypt(&key, out, ct, len, aad, aad_len, nonce, nonce_len, tag), RIJN_OK);
  CHECK_MEM(out, text, len);
}

static void flips(uint8_t *p, size_t n, size_t step) {
  for (size_t bit = 0; bit < 8 * n; bit += step) {
    p[bit / 8] ^= (uint8_t)(1u << bit % 8);
    refused(len, aad, aad_len, nonce_len);
    p[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
}

static void message(int impl, size_t key_len, size_t n, size_t an, size_t nn, size_t step) {
  len = n;
  aad_len = an;
  nonce_len = nn;
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  t_fill(aad, sizeof aad);
  t_fill(text, sizeof text);
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, key_len, 16, impl), RIJN_OK);
  ref_gcm(raw, key_len, ct, text, len, aad, aad_len, nonce, nonce_len, tag);
  T_AT("len %zu, aad %zu, nonce %zu", len, aad_len, nonce_len);
  accepted();
  flips(tag, 16, 1);
  flips(nonce, nonce_len, 1);
  flips(ct, len, step);
  flips(aad, aad_len, 1);
  /* Shorter and longer by each of 1 to 17 bytes; a byte moved from the associated data to the text and back. */
  for (size_t d = 1; d <= 17; d++) {
    if (len >= d) {
      refused(len - d, aad, aad_len, nonce_len);
    }
    if (len + d <= MAX_LEN) {
      memset(ct + len, 0, d);
      refused(len + d, aad, aad_len, nonce_len);
    }
    if (aad_len >= d) {
      refused(len, aad, aad_len - d, nonce_len);
      refused(len, aad + d, aad_len - d, nonce_len);
    }
    if (aad_len + d <= sizeof aad) {
      memset(aad + aad_len, 0, d);
      refused(len, aad, aad_len + d, nonce_len);
    }
    if (nonce_len > d) {
      refused(len, aad, aad_len, nonce_len - d);
    }
    if (nonce_len + d <= sizeof nonce && nonce_len != 12) {
      memset(nonce + nonce_len, 0, d);
      refused(len, aad, aad_len, nonce_len + d);
    }
  }
  accepted();
}

/* A key of another implementation opens what this one sealed, and only with the right key. */
static void across(int impl) {
  uint8_t other_raw[32];
  rijn_gcm_key other;
  for (int j = 0; j < rijn_impl_count(); j++) {
    if (!rijn_impl_supported(j)) {
      continue;
    }
    T_AT("opened by implementation %zu", j);
    t_fill(raw, sizeof raw);
    t_fill(nonce, sizeof nonce);
    CHECK_EQ(rijn_gcm_init_impl(&key, raw, 32, 16, impl), RIJN_OK);
    CHECK_EQ(rijn_gcm_init_impl(&other, raw, 32, 16, j), RIJN_OK);
    CHECK_EQ(rijn_gcm_encrypt(&key, ct, text, 1000, aad, 33, nonce, 12, tag), RIJN_OK);
    CHECK_EQ(rijn_gcm_decrypt(&other, out, ct, 1000, aad, 33, nonce, 12, tag), RIJN_OK);
    CHECK_MEM(out, text, 1000);
    memcpy(other_raw, raw, 32);
    other_raw[31] ^= 1;
    CHECK_EQ(rijn_gcm_init_impl(&other, other_raw, 32, 16, j), RIJN_OK);
    CHECK_EQ(rijn_gcm_decrypt(&other, out, ct, 1000, aad, 33, nonce, 12, tag), RIJN_EAUTH);
    CHECK_ALL(out, 0, 1000);
  }
}

static void gmac(int impl) {
  uint8_t t[16];
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  t_fill(text, sizeof text);
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, 16, impl), RIJN_OK);
  for (size_t n = 0; n <= 530; n++) {
    T_AT("GMAC of %zu", n);
    size_t nn = n % 5 == 0 ? 16 : 12;
    ref_gcm(raw, 16, NULL, NULL, 0, text, n, nonce, nn, tag);
    CHECK_EQ(rijn_gmac(&key, text, n, nonce, nn, t), RIJN_OK);
    CHECK_MEM(t, tag, 16);
    CHECK_EQ(rijn_gmac_verify(&key, text, n, nonce, nn, tag), RIJN_OK);
    t[n % 16] ^= (uint8_t)(1u << n % 8);
    CHECK_EQ(rijn_gmac_verify(&key, text, n, nonce, nn, t), RIJN_EAUTH);
  }
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  T_IMPLS(impl) {
    message(impl, 16, 0, 0, 12, 1);
    message(impl, 16, 1, 1, 12, 1);
    message(impl, 24, 15, 13, 12, 1);
    message(impl, 16, 16, 16, 12, 1);
    message(impl, 32, 17, 20, 12, 1);
    message(impl, 16, 63, 0, 12, 1);
    message(impl, 16, 64, 31, 8, 1);
    message(impl, 32, 150, 20, 12, 1);
    message(impl, 16, 333, 33, 12, 1);
    message(impl, 24, 512, 40, 17, 3);
    message(impl, 16, 1025, 16, 12, 5);
    message(impl, 32, 2900, 257, 12, 13);
    across(impl);
    gmac(impl);
  }
  return t_done();
}
