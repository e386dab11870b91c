/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * XTS: the multiplication of the tweak by x. A carry that is lost shows for half of all tweaks or for one in 2^8, and
 * at ciphertext stealing it is computed by code of its own. So the encrypted tweak of a chosen block is made to be what
 * it shall be, and the tweak that leads there is computed backwards.
 */
#include "place.h"
#include "ref.h"

#define MAX_LEN 1200

static uint8_t text[MAX_LEN], want[MAX_LEN], out[MAX_LEN];

/* t / x: IEEE 1619, section 5.2, backwards. */
static void halve(uint8_t t[16]) {
  int odd = t[0] & 1;
  if (odd)
    t[0] ^= 0x87;
  for (int i = 0; i < 15; i++)
    t[i] = (uint8_t)(t[i] >> 1 | t[i + 1] << 7);
  t[15] = (uint8_t)(t[15] >> 1 | odd << 7);
}

/* The tweak whose encryption, times x^block, is t. */
static void tweak_for(const uint8_t *raw, size_t raw_len, const uint8_t t[16], size_t block, uint8_t tweak[16]) {
  uint8_t first[16];
  memcpy(first, t, 16);
  for (size_t i = 0; i < block; i++)
    halve(first);
  ref_cipher(raw_len == 32 ? "AES-128-ECB" : "AES-256-ECB", 0, raw + raw_len / 2, NULL, tweak, first, 16, NULL);
}

static void unit(const rijn_xts_key *key, const uint8_t *raw, size_t raw_len, const uint8_t tweak[16], size_t len) {
  ref_cipher(raw_len == 32 ? "AES-128-XTS" : "AES-256-XTS", 1, raw, tweak, want, text, len, NULL);
  CHECK_EQ(rijn_xts_encrypt(key, out, text, len, tweak), 0);
  CHECK_MEM(out, want, len);
  CHECK_EQ(rijn_xts_decrypt(key, out, out, len, tweak), 0);
  CHECK_MEM(out, text, len);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  t_fill(text, sizeof text);
  T_IMPLS(impl) {
    for (size_t raw_len = 32; raw_len <= 64; raw_len += 32) {
      uint8_t raw[64], t[16], tweak[16];
      rijn_xts_key key;
      t_fill(raw, sizeof raw);
      CHECK_EQ(rijn_xts_init_impl(&key, raw, raw_len, impl), 0);
      /* Stealing at every length, the last whole block's tweak with and without the bit that is carried out. */
      for (size_t len = 17; len <= 16 * 70; len += len % 16 == 15 ? 2 : STRIDE) {
        if (len % 16 == 0)
          continue;
        for (unsigned carry = 0; carry < 2; carry++) {
          T_AT("key %zu, length %zu, carry %zu at the stolen block", raw_len, len, carry);
          t_fill(t, sizeof t);
          t[15] = (uint8_t)((t[15] & 0x7f) | carry << 7);
          tweak_for(raw, raw_len, t, len / 16 - 1, tweak);
          unit(&key, raw, raw_len, tweak, len);
        }
      }
      /* Tweaks at the edges, at each block: all ones, one bit, zeros but for a byte. */
      for (size_t block = 0; block < 70; block += STRIDE) {
        for (size_t bit = 0; bit <= 128; bit += block == 0 ? 1 : 9) {
          T_AT("key %zu, block %zu, bit %zu", raw_len, block, bit);
          memset(t, bit == 128 ? 0xff : 0, 16);
          if (bit < 128)
            t[bit / 8] = (uint8_t)(1u << bit % 8);
          tweak_for(raw, raw_len, t, block, tweak);
          unit(&key, raw, raw_len, tweak, MAX_LEN - bit % 17);
        }
      }
    }
  }
  return t_done();
}
