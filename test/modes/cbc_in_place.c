/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * CBC decryption in place. Done in parallel it needs the ciphertext of the block before, which its own output may have
 * overwritten: the overlap that Nettle's author warns of. Every number of blocks; in one call, in two calls cut
 * anywhere, and with the chaining value stored inside the text's own neighbourhood.
 */
#include "place.h"
#include "ref.h"

#define MAX_BLOCKS 150

int main(int argc, char **argv) {
  static const char *const names[] = {"AES-128-CBC", "AES-192-CBC", "AES-256-CBC"};
  static uint8_t text[16 * MAX_BLOCKS], ct[16 * MAX_BLOCKS];
  t_init(argc, argv);
  t_buf buf = t_buf_new(16 * MAX_BLOCKS + 16);
  T_IMPLS(impl) {
    for (size_t key_len = 16; key_len <= 32; key_len += 8) {
      uint8_t raw[32], iv[16], chain[16];
      rijn_aes_key key;
      t_fill(raw, sizeof raw);
      t_fill(iv, sizeof iv);
      t_fill(text, sizeof text);
      /* Equal blocks too, so that a block taken from the wrong place cannot hide behind randomness. */
      memset(text + 16 * 40, 0, 16 * 20);
      CHECK_EQ(rijn_aes_init_impl(&key, raw, key_len, impl), 0);
      ref_cipher(names[key_len / 8 - 2], 1, raw, iv, ct, text, sizeof ct, NULL);
      for (size_t n = 1; n <= MAX_BLOCKS; n++) {
        T_AT("key %zu, %zu blocks in place", key_len, n);
        uint8_t *p = t_end(&buf, 16 * n);
        memcpy(p, ct, 16 * n);
        memcpy(chain, iv, 16);
        CHECK_EQ(rijn_cbc_decrypt(&key, p, p, n, chain), 0);
        CHECK_MEM(p, text, 16 * n);
        CHECK_MEM(chain, ct + 16 * (n - 1), 16);
        size_t cut = t_below(n + 1);
        T_AT("key %zu, %zu blocks in place, cut at %zu", key_len, n, cut);
        memcpy(p, ct, 16 * n);
        memcpy(chain, iv, 16);
        CHECK_EQ(rijn_cbc_decrypt(&key, p, p, cut, chain), 0);
        CHECK_EQ(rijn_cbc_decrypt(&key, p + 16 * cut, p + 16 * cut, n - cut, chain), 0);
        CHECK_MEM(p, text, 16 * n);
        /* The chaining value right before the text, as a file has it. */
        p = t_start(&buf, 0);
        memcpy(p, iv, 16);
        memcpy(p + 16, ct, 16 * n);
        CHECK_EQ(rijn_cbc_decrypt(&key, p + 16, p + 16, n, p), 0);
        CHECK_MEM(p + 16, text, 16 * n);
        CHECK_MEM(p, ct + 16 * (n - 1), 16);
      }
    }
  }
  t_buf_free(&buf);
  return t_done();
}
