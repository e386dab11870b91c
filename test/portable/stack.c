/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* How much stack a call takes: not more than the header says. Each runs in a thread whose stack was filled with
 * poison. */
#define _GNU_SOURCE

enum {
  STACK = 256 << 10,
  MAX = 70000,
  CALL = 14 << 10,
  SHORT = 6 << 10,
  SELFTEST = 40 << 10,
  SIV = 8 << 10,
  ROWS = 8 << 10,
  XAES = 3 << 10
};

#include "taken.h"

static uint8_t text[MAX], raw[64] = {1}, nonce[16], tag[16], iv[16], iv2[16];
static int impl;
static size_t len;
static rijn_gcm_key gcm;
static rijn_xts_key xts;
static rijn_aes_key aes;

static void nothing(void) {}
static void inits(void) {
  CHECK_EQ(rijn_gcm_init_impl(&gcm, raw, 32, 16, impl), 0);
  CHECK_EQ(rijn_xts_init_impl(&xts, raw, 64, impl), 0);
  CHECK_EQ(rijn_aes_init_impl(&aes, raw, 32, impl), 0);
}
static void gcm_seal(void) { CHECK_EQ(rijn_gcm_encrypt(&gcm, text, text, len, text, 500, nonce, 12, tag), 0); }
static void gcm_open(void) { rijn_gcm_decrypt(&gcm, text, text, len, raw, 13, nonce, 12, tag); }
static void gcm_seal_behind(void) {
  CHECK_EQ(rijn_gcm_seal(&gcm, text, text, len, raw, 13, nonce, 12), 0);
  CHECK_EQ(rijn_gcm_open(&gcm, text, text, len + 16, raw, 13, nonce, 12), 0);
  CHECK_EQ(rijn_gcm_nonce(tag, iv, len), 0);
}
static void gcm_iov(void) {
  rijn_iov v[2] = {{text, len / 3}, {text + len / 3, len - len / 3}};
  CHECK_EQ(rijn_gcm_encrypt_iov(&gcm, v, 2, v, 2, v, 1, nonce, 16, tag), 0);
}
static void gcm_batch(void) {
  static rijn_gcm_msg m[17];
  for (size_t i = 0; i < 17; i++)
    m[i] = (rijn_gcm_msg){sizeof m[0], &gcm, text, text, i == 16 ? len : len / 40, raw, 13, nonce, 12, tag, 0};
  CHECK_EQ(rijn_gcm_encrypt_batch(m, 17), 0);
}
static void gcm_rows(void) {
  static uint8_t tags[40][16], nonces[40][12];
  const rijn_gcm_rows r = {.size = sizeof r,
                           .key = &gcm,
                           .rows = 40,
                           .len = len / 40,
                           .aad_len = 13,
                           .out = text,
                           .in = text,
                           .aad = raw,
                           .nonces = nonces,
                           .nonce_step = 12,
                           .tags = tags,
                           .out_step = len / 40,
                           .in_step = len / 40,
                           .tag_step = 16};
  CHECK_EQ(rijn_gcm_encrypt_rows(&r), 0);
}
static void ctr(void) {
  rijn_ctr_state st = {{1}, {0}, 0};
  CHECK_EQ(rijn_ctr_crypt(&aes, text, text, len, &st), 0);
}
static void ctr_secret(void) {
  rijn_ctr_state st = {{1}, {0}, RIJN_CTR_SECRET};
  CHECK_EQ(rijn_ctr32_crypt(&aes, text, text, len, &st), 0);
}
static void blocks(void) {
  CHECK_EQ(rijn_cbc_encrypt(&aes, text, text, len / 16, iv), 0);
  CHECK_EQ(rijn_cbc_decrypt(&aes, text, text, len / 16, iv), 0);
  CHECK_EQ(rijn_ecb_decrypt(&aes, text, text, len / 16), 0);
  rijn_cfb_state cfb = {.used = 3};
  CHECK_EQ(rijn_cfb_encrypt(&aes, text, text, len, &cfb), 0);
  CHECK_EQ(rijn_cfb_decrypt(&aes, text, text, len, &cfb), 0);
  rijn_cbc_msg many[2] = {{sizeof many[0], &aes, text, text, len / 32, iv, 0},
                          {sizeof many[0], &aes, text + len / 32 * 16, text + len / 32 * 16, len / 32, iv2, 0}};
  CHECK_EQ(rijn_cbc_encrypt_many(many, 2), 0);
  rijn_ccm_key ccm;
  CHECK_EQ(rijn_ccm_init_impl(&ccm, raw, 32, 16, impl), 0);
  CHECK_EQ(rijn_ccm_encrypt(&ccm, text, text, len, raw, 13, nonce, 12, tag), 0);
}
static void units(void) {
  CHECK_EQ(rijn_xts_decrypt(&xts, text, text, len + 16, iv), 0);
  CHECK_EQ(rijn_xts_encrypt_sectors(&xts, text, text, 512, len / 512, 1, 1), 0);
  CHECK_EQ(rijn_xts_decrypt_sectors(&xts, text, text, 512, len / 512, 1, 1), 0);
}
static rijn_gcm_siv_key siv;
static rijn_xaes_key xaes;
static void siv_crypt(void) {
  CHECK_EQ(rijn_gcm_siv_init_impl(&siv, raw, 32, impl), 0);
  CHECK_EQ(rijn_gcm_siv_encrypt(&siv, text, text, len, text, 500, nonce, tag), 0);
  rijn_gcm_siv_decrypt(&siv, text, text, len, raw, 13, nonce, tag);
}
static void xaes_both(void) {
  CHECK_EQ(rijn_xaes_init_impl(&xaes, raw, 32, impl), 0);
  CHECK_EQ(rijn_xaes_encrypt(&xaes, text, text, len, text, 500, raw, tag), 0);
  rijn_xaes_decrypt(&xaes, text, text, len, raw, 13, raw, tag);
}
static void selftest(void) { CHECK_EQ(rijn_selftest(impl), 0); }

/* The most stack that a call may take, as rijn.h says. */
static size_t limit(void (*of)(void), size_t text_len) {
  if (of == gcm_rows)
    return ROWS;
  if (of == siv_crypt)
    return SIV;
  size_t most = text_len >= 16384 && of != ctr && of != units ? CALL : SHORT;
  return of == xaes_both ? most + XAES : most; /* the message's key is on the stack */
}

int main(int argc, char **argv) {
  static const size_t lens[] = {0, 16, 100, 600, 1500, 4096, 12288, 16383, 16384, 66000};
  static void (*const calls[])(void) = {inits,      gcm_seal, gcm_open, gcm_iov,   gcm_batch, gcm_rows,       ctr,
                                        ctr_secret, blocks,   units,    siv_crypt, xaes_both, gcm_seal_behind};
  t_init(argc, argv);
  taken(nothing); /* the first thread ever takes more */
  const size_t own = taken(nothing);
  T_IMPLS(i) {
    impl = i;
    size_t most = 0;
    for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++)
      for (size_t l = 0; l < sizeof lens / sizeof lens[0]; l++) {
        len = lens[l];
        size_t n = taken(calls[c]);
        T_AT("call %zu of %zu bytes: %zu bytes of stack", c, len, n - own);
        CHECK(n <= own + limit(calls[c], len));
        most = n > most ? n : most;
      }
    CHECK(most > own);
    size_t n = taken(selftest);
    T_AT("self-test: %zu bytes of stack", n - own);
    CHECK(n <= own + SELFTEST);
    printf("%s: %zu bytes of stack, self-test %zu\n", rijn_impl_name(i), most - own, n - own);
  }
  return t_done();
}
