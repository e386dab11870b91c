/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* CBC with PKCS#7: every length, every padding of a last block, refusals. */
#include "ref.h"
#include "t.h"

enum { MAX = 260 };

static void test_lengths(int impl, size_t key_len) {
  static const char *const names[] = {"AES-128-CBC", "AES-192-CBC", "AES-256-CBC"};
  uint8_t raw[32], iv[16], in[MAX + 16], padded[MAX + 16], want[MAX + 16], out[MAX + 32], keep[16];
  rijn_aes_key key;
  t_fill(raw, sizeof raw);
  t_fill(iv, sizeof iv);
  t_fill(in, sizeof in);
  memcpy(keep, iv, 16);
  CHECK_EQ(rijn_aes_init_impl(&key, raw, key_len, impl), 0);
  for (size_t len = 0; len <= MAX; len++) {
    T_AT("impl %zu key_len %zu len %zu", impl, key_len, len);
    size_t total = len / 16 * 16 + 16, got = 12345;
    memcpy(padded, in, len);
    memset(padded + len, (int)(total - len), total - len);
    ref_cipher(names[key_len / 8 - 2], 1, raw, iv, want, padded, total, NULL);
    for (int in_place = 0; in_place < 2; in_place++) {
      memset(out, T_POISON, sizeof out);
      if (in_place)
        memcpy(out, in, len);
      CHECK_EQ(rijn_cbc_encrypt_pkcs7(&key, out, &got, in_place ? out : in, len, iv), 0);
      CHECK_EQ(got, total);
      CHECK_MEM(out, want, total);
      CHECK_ALL(out + total, T_POISON, sizeof out - total);
      got = 12345;
      if (!in_place)
        memset(out, T_POISON, sizeof out);
      CHECK_EQ(rijn_cbc_decrypt_pkcs7(&key, out, &got, in_place ? out : want, total, iv), 0);
      CHECK_EQ(got, len);
      CHECK_MEM(out, in, len);
      CHECK_ALL(out + total, T_POISON, sizeof out - total);
    }
    CHECK_MEM(iv, keep, 16);
  }
  /* No text at all needs no input. */
  size_t got = 0;
  CHECK_EQ(rijn_cbc_encrypt_pkcs7(&key, out, &got, NULL, 0, iv), 0);
  CHECK_EQ(got, 16);
}

/* Every value of the last byte, with the bytes before it right, and with each of them wrong. */
static void test_paddings(int impl) {
  uint8_t raw[16], iv[16], plain[32], ct[32], out[32];
  rijn_aes_key key;
  t_fill(raw, sizeof raw);
  t_fill(iv, sizeof iv);
  CHECK_EQ(rijn_aes_init_impl(&key, raw, 16, impl), 0);
  for (size_t pad = 0; pad < 256; pad++)
    for (size_t wrong = 1; wrong <= 16; wrong++) { /* 16: none is wrong; else the byte that far before the last */
      T_AT("impl %zu pad %zu wrong %zu", impl, pad, wrong);
      for (size_t i = 0; i < 32; i++)
        plain[i] = (uint8_t)pad;
      if (wrong < 16)
        plain[31 - wrong] ^= (uint8_t)(1u << pad % 8);
      uint8_t chain[16];
      memcpy(chain, iv, 16);
      CHECK_EQ(rijn_cbc_encrypt(&key, ct, plain, 2, chain), 0);
      bool good = pad >= 1 && pad <= 16 && (wrong == 16 || wrong >= pad);
      size_t got = 12345;
      memset(out, T_POISON, sizeof out);
      CHECK_EQ(rijn_cbc_decrypt_pkcs7(&key, out, &got, ct, 32, iv), good ? 0 : RIJN_EPADDING);
      CHECK_EQ(got, good ? 32 - pad : 0);
      if (good)
        CHECK_MEM(out, plain, 32 - pad);
      else
        CHECK_ALL(out, 0, 32);
    }
}

static void test_refusals(int impl) {
  T_AT("impl %zu refusals", impl);
  uint8_t raw[16] = {1}, iv[16] = {2}, buf[128], keep[128];
  rijn_aes_key key;
  CHECK_EQ(rijn_aes_init_impl(&key, raw, 16, impl), 0);
  t_fill(buf, sizeof buf);
  memcpy(keep, buf, sizeof buf);
  size_t got = 12345;
  uint8_t *b = buf, *far = buf + 64;
#define REFUSED(want, call)                                                                                            \
  do {                                                                                                                 \
    CHECK_EQ(call, want);                                                                                              \
    CHECK_MEM(buf, keep, sizeof buf);                                                                                  \
    CHECK_EQ(got, 12345);                                                                                              \
  } while (0)
  REFUSED(RIJN_ENULL, rijn_cbc_encrypt_pkcs7(&key, NULL, &got, b, 16, iv));
  REFUSED(RIJN_ENULL, rijn_cbc_encrypt_pkcs7(&key, NULL, &got, NULL, 0, iv)); /* out has a block even so */
  REFUSED(RIJN_ENULL, rijn_cbc_encrypt_pkcs7(&key, b, NULL, far, 16, iv));
  REFUSED(RIJN_ENULL, rijn_cbc_encrypt_pkcs7(&key, b, &got, NULL, 16, iv));
  REFUSED(RIJN_ENULL, rijn_cbc_encrypt_pkcs7(&key, b, &got, far, 16, NULL));
  REFUSED(RIJN_ENULL, rijn_cbc_decrypt_pkcs7(&key, NULL, &got, b, 16, iv));
  REFUSED(RIJN_ENULL, rijn_cbc_decrypt_pkcs7(&key, b, NULL, far, 16, iv));
  REFUSED(RIJN_ENULL, rijn_cbc_decrypt_pkcs7(&key, b, &got, NULL, 16, iv));
  REFUSED(RIJN_ENULL, rijn_cbc_decrypt_pkcs7(&key, b, &got, far, 16, NULL));
  REFUSED(RIJN_ELEN, rijn_cbc_encrypt_pkcs7(&key, b, &got, b, SIZE_MAX - 15, iv));
  REFUSED(RIJN_EOVERLAP, rijn_cbc_encrypt_pkcs7(&key, b, &got, b + 1, SIZE_MAX - 16, iv));
  REFUSED(RIJN_ELEN, rijn_cbc_decrypt_pkcs7(&key, NULL, &got, NULL, 0, iv));
  for (size_t n = 1; n < 50; n++)
    if (n % 16 != 0)
      REFUSED(RIJN_ELEN, rijn_cbc_decrypt_pkcs7(&key, b, &got, far, n, iv));
  /* The padding counts too: out is longer than in. */
  for (size_t d = 1; d < 48; d++) {
    REFUSED(RIJN_EOVERLAP, rijn_cbc_encrypt_pkcs7(&key, b, &got, b + d, 47, iv));
    REFUSED(RIJN_EOVERLAP, rijn_cbc_decrypt_pkcs7(&key, b, &got, b + d, 48, iv));
    REFUSED(RIJN_EOVERLAP, rijn_cbc_decrypt_pkcs7(&key, b + d, &got, b, 48, iv));
  }
  for (size_t d = 1; d < 47; d++)
    REFUSED(RIJN_EOVERLAP, rijn_cbc_encrypt_pkcs7(&key, b + d, &got, b, 47, iv));
  CHECK_EQ(rijn_cbc_encrypt_pkcs7(&key, b + 47, &got, b, 47, iv), 0);
  CHECK_MEM(buf, keep, 47);
  CHECK_EQ(got, 48);
  CHECK_EQ(rijn_cbc_encrypt_pkcs7(&key, b, &got, b + 48, 47, iv), 0);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  T_IMPLS(i) {
    for (size_t key_len = 16; key_len <= 32; key_len += 8)
      test_lengths(i, key_len);
    test_paddings(i);
    test_refusals(i);
  }
  return t_done();
}
