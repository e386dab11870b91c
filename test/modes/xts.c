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
  }
  place_free(&p);
  free(text);
  free(want);
  return t_done();
}
