/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* XTS: every length from 16 to 1100 bytes, with ciphertext stealing, and some up to the limit of a data unit; at both
 * guard pages and any alignment, out of place and in place, both directions of one key, against the reference. */
#include "place.h"
#include "ref.h"

static struct place p;
static uint8_t *text, *want;
static rijn_xts_key key;
static uint8_t raw[64];
static size_t raw_len;

static void unit(size_t len, int how, bool in_place) {
  const char *name = raw_len == 32 ? "AES-128-XTS" : "AES-256-XTS";
  uint8_t tweak[16];
  t_fill(tweak, sizeof tweak);
  T_AT("key %zu, length %zu, place %zu, in place %zu", raw_len, len, how, in_place);
  ref_cipher(name, 1, raw, tweak, want, text, len, NULL);
  place(&p, how, in_place, text, len);
  CHECK_EQ(rijn_xts_encrypt(&key, p.out, p.in, len, tweak), 0);
  PLACE_CHECK(&p, text, want, len);
  place(&p, how, in_place, want, len);
  CHECK_EQ(rijn_xts_decrypt(&key, p.out, p.in, len, tweak), 0);
  PLACE_CHECK(&p, want, text, len);
}

#ifdef RIJN_REF_LIBCRYPTO /* the model would take a minute */
/* A data unit of 2^20 blocks, the longest there is, and one that ends within its last block. */
static void longest(int impl) {
  struct place big;
  uint8_t *t = malloc(RIJN_XTS_MAX_LEN), *w = malloc(RIJN_XTS_MAX_LEN), tweak[16];
  REQUIRE(t != NULL && w != NULL);
  place_init(&big, RIJN_XTS_MAX_LEN);
  t_fill(t, RIJN_XTS_MAX_LEN);
  t_fill(tweak, sizeof tweak);
  CHECK_EQ(rijn_xts_init_impl(&key, raw, 64, impl), 0);
  for (size_t len = RIJN_XTS_MAX_LEN; len + 5 >= RIJN_XTS_MAX_LEN; len -= 5) {
    T_AT("a data unit of %zu bytes", len);
    ref_cipher("AES-256-XTS", 1, raw, tweak, w, t, len, NULL);
    place(&big, PLACE_END, false, t, len);
    CHECK_EQ(rijn_xts_encrypt(&key, big.out, big.in, len, tweak), 0);
    PLACE_CHECK(&big, t, w, len);
    place(&big, PLACE_START, true, w, len);
    CHECK_EQ(rijn_xts_decrypt(&key, big.out, big.in, len, tweak), 0);
    PLACE_CHECK(&big, w, t, len);
  }
  place_free(&big);
  free(t);
  free(w);
}
#endif

int main(int argc, char **argv) {
  enum { ROOM = 70000 };
  t_init(argc, argv);
  place_init(&p, ROOM);
  REQUIRE((text = malloc(ROOM)) != NULL && (want = malloc(ROOM)) != NULL);
  t_fill(text, ROOM);
  T_IMPLS(impl) {
    for (raw_len = 32; raw_len <= 64; raw_len += 32) {
      t_fill(raw, sizeof raw);
      CHECK_EQ(rijn_xts_init_impl(&key, raw, raw_len, impl), 0);
      for (size_t len = 16; len <= 1100; len += STRIDE) {
        for (int how = 0; how < PLACES; how++)
          unit(len, how, (len + (size_t)how) % 2);
        unit(len, (int)(len % PLACES), len % 2 == 0);
      }
      for (size_t len = 1101; len < 9000; len += 97)
        unit(len, (int)(len % PLACES), len % 2);
      for (size_t k = 2048; k <= 65536; k *= 2) {
        for (size_t d = 0; d <= 34; d += k < 8192 ? 1 : 11)
          unit(k - 17 + d, (int)(d % PLACES), d % 2);
      }
    }
#ifdef RIJN_REF_LIBCRYPTO
    longest(impl);
#endif
  }
  place_free(&p);
  free(text);
  free(want);
  return t_done();
}
