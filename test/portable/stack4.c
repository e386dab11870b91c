/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* 32-bit x86: the library may be called with a stack that is aligned to 4 bytes and no more, as the older ABI and
 * 32-bit Windows have it. This file is compiled so; each call of every mode is made at four heights of the stack. */
#include "t.h"

static int impl;
static uint8_t raw[64] = {1}, nonce[24] = {2}, aad[20] = {3}, text[5000], made[5016], tag[16], acc[16];

static void gcm(void) {
  rijn_gcm_key key;
  rijn_gcm_stream s;
  for (size_t len = 0; len < 500; len = len * 3 / 2 + 1) {
    REQUIRE(rijn_gcm_init_impl(&key, raw, 32, 16, impl) == 0);
    CHECK_EQ(rijn_gcm_encrypt(&key, made, text, len, aad, 20, nonce, 12, tag), 0);
    CHECK_EQ(rijn_gcm_decrypt(&key, made, made, len, aad, 20, nonce, 12, tag), 0);
    CHECK_EQ(rijn_gcm_encrypt(&key, made, text, len, aad, 20, nonce, 16, tag), 0);
    CHECK_EQ(rijn_gcm_encrypt_start(&s, &key, nonce, 12), 0);
    CHECK_EQ(rijn_gcm_update(&s, made, text, len), 0);
    CHECK_EQ(rijn_gcm_encrypt_finish(&s, tag), 0);
  }
}
static void siv_xaes(void) {
  rijn_gcm_siv_key siv;
  rijn_xaes_key xaes;
  REQUIRE(rijn_gcm_siv_init_impl(&siv, raw, 32, impl) == 0);
  CHECK_EQ(rijn_gcm_siv_encrypt(&siv, made, text, sizeof text, aad, 20, nonce, tag), 0);
  CHECK_EQ(rijn_gcm_siv_decrypt(&siv, made, made, sizeof text, aad, 20, nonce, tag), 0);
  REQUIRE(rijn_xaes_init_impl(&xaes, raw, 32, impl) == 0);
  CHECK_EQ(rijn_xaes_encrypt(&xaes, made, text, sizeof text, aad, 20, nonce, tag), 0);
  CHECK_EQ(rijn_xaes_decrypt(&xaes, made, made, sizeof text, aad, 20, nonce, tag), 0);
}
static void modes(void) {
  rijn_xts_key xts;
  rijn_aes_key aes;
  rijn_ghash_key hash;
  rijn_ctr_state ctr = {.used = 0};
  uint8_t iv[16] = {4};
  REQUIRE(rijn_xts_init_impl(&xts, raw, 64, impl) == 0 && rijn_aes_init_impl(&aes, raw, 16, impl) == 0);
  CHECK_EQ(rijn_xts_encrypt(&xts, made, text, 999, nonce), 0);
  CHECK_EQ(rijn_xts_decrypt_sectors(&xts, made, text, 512, 9, 0, 1), 0);
  CHECK_EQ(rijn_ctr_crypt(&aes, made, text, sizeof text, &ctr), 0);
  CHECK_EQ(rijn_cbc_encrypt(&aes, made, text, 33, iv), 0);
  CHECK_EQ(rijn_cbc_decrypt(&aes, made, text, 33, iv), 0);
  CHECK_EQ(rijn_ecb_encrypt(&aes, made, text, 33), 0);
  CHECK_EQ(rijn_ecb_decrypt(&aes, made, text, 33), 0);
  REQUIRE(rijn_ghash_init_impl(&hash, raw, impl) == 0);
  CHECK_EQ(rijn_ghash_update(&hash, acc, text, 99), 0);
}
static void answers(void) { CHECK_EQ(rijn_selftest(impl), 0); }

/* Calls run with the stack so many words lower. */
static __attribute__((noinline)) void lower(void (*run)(void), unsigned words) {
  __asm__ volatile("movl %%esp, %%ebx\n\tandl $-16, %%esp\n\tsubl %0, %%esp\n\tcall *%1\n\tmovl %%ebx, %%esp"
                   :
                   : "c"(4 * words), "d"(run)
                   : "eax", "ebx", "esi", "edi", "memory", "cc");
}

int main(int argc, char **argv) {
  static void (*const runs[])(void) = {gcm, siv_xaes, modes, answers};
  t_init(argc, argv);
  T_IMPLS(i) {
    impl = i;
    for (unsigned words = 0; words < 4; words++)
      for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++)
        lower(runs[r], words);
  }
  return t_done();
}
