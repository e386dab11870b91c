/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Every implementation against portable, which shares no line of the algorithms with it: lengths that the slow model,
 * the reference of the other tests here, has no time for. What portable computes is checked by the model in those. */
#include "t.h"

#define MAX 4700
static uint8_t text[MAX], want[MAX], got[MAX], aad[MAX], raw[64], nonce[256], iv[16];

static void gcm(int impl) {
  rijn_gcm_key mine, ref;
  for (size_t key = 16; key <= 32; key += 8) {
    t_fill(raw, sizeof raw);
    REQUIRE(rijn_gcm_init_impl(&mine, raw, key, 16, impl) == 0);
    REQUIRE(rijn_gcm_init_impl(&ref, raw, key, 16, t_portable()) == 0);
    for (size_t n = 0; n <= MAX; n += n < 700 ? 1 : n < 2400 ? 7 : 131) {
      size_t a = n % 5 == 0 ? t_below(600) : t_below(33), nl = n % 3 ? 12 : t_between(1, 200),
             at = t_below(MAX - n + 1);
      uint8_t tag[16], want_tag[16];
      T_AT("key %zu, len %zu, aad %zu, nonce %zu", key, n, a, nl);
      t_fill(nonce, nl);
      CHECK_EQ(rijn_gcm_encrypt(&ref, want, text + at, n, aad, a, nonce, nl, want_tag), 0);
      CHECK_EQ(rijn_gcm_encrypt(&mine, got, text + at, n, aad, a, nonce, nl, tag), 0);
      CHECK_MEM(got, want, n);
      CHECK_MEM(tag, want_tag, 16);
      CHECK_EQ(rijn_gcm_decrypt(&mine, got, got, n, aad, a, nonce, nl, want_tag), 0);
      CHECK_MEM(got, text + at, n);
      tag[t_below(16)] ^= (uint8_t)(1u << t_below(8));
      CHECK_EQ(rijn_gcm_decrypt(&mine, got, want, n, aad, a, nonce, nl, tag), RIJN_EAUTH);
      CHECK_ALL(got, 0, n);
    }
  }
}

static void xts(int impl) {
  rijn_xts_key mine, ref;
  for (size_t key = 32; key <= 64; key += 32) {
    t_fill(raw, sizeof raw);
    REQUIRE(rijn_xts_init_impl(&mine, raw, key, impl) == 0);
    REQUIRE(rijn_xts_init_impl(&ref, raw, key, t_portable()) == 0);
    for (size_t n = 16; n <= MAX; n += n < 400 ? 1 : 41) {
      size_t at = t_below(MAX - n + 1);
      T_AT("xts, key %zu, len %zu", key, n);
      t_fill(iv, 16);
      CHECK_EQ(rijn_xts_encrypt(&ref, want, text + at, n, iv), 0);
      CHECK_EQ(rijn_xts_encrypt(&mine, got, text + at, n, iv), 0);
      CHECK_MEM(got, want, n);
      CHECK_EQ(rijn_xts_decrypt(&mine, got, got, n, iv), 0);
      CHECK_MEM(got, text + at, n);
    }
  }
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  t_fill(text, sizeof text);
  t_fill(aad, sizeof aad);
  T_IMPLS(i) {
    gcm(i);
    xts(i);
  }
  return t_done();
}
