/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* XTS, CTR, CBC, CFB, CCM and ECB: one text through every call, on every implementation, against libcrypto. */
#include "fuzz.h"

#include <openssl/evp.h>

enum { TEXT = 9000, CUTS = 6 };

static uint8_t raw[64], text[TEXT + 16], want[TEXT + 16], out[TEXT + 16], iv[16];
static uint8_t cuts[CUTS];
static size_t key_len, len;

static const char *cipher(const char *mode) {
  static char name[32];
  snprintf(name, sizeof name, "AES-%zu-%s", 8 * key_len, mode);
  return name;
}

static void xts(int impl) {
  static rijn_xts_key key;
  size_t aes_len = key_len == 24 ? 32 : key_len, n = len < 16 ? 16 + len : len;
  char name[32];
  snprintf(name, sizeof name, "AES-%zu-XTS", 8 * aes_len);
  ref_cipher(name, 1, raw, iv, want, text, n, NULL);
  CHECK_EQ(rijn_xts_init_impl(&key, raw, 2 * aes_len, impl), RIJN_OK);
  CHECK_EQ(rijn_xts_encrypt(&key, out, text, n, iv), RIJN_OK);
  CHECK_MEM(out, want, n);
  CHECK_EQ(rijn_xts_decrypt(&key, out, out, n, iv), RIJN_OK);
  CHECK_MEM(out, text, n);

  /* A run of sectors: each is what it is alone. */
  size_t sector = (size_t)512 << cuts[0] % 4, sectors = len / sector;
  uint64_t first = (uint64_t)cuts[1] << 56 | (uint64_t)cuts[2] << 24 | cuts[3], step = cuts[4];
  int err = rijn_xts_encrypt_sectors(&key, out, text, sector, sectors, first, step);
  bool wraps = sectors > 1 && step != 0 && (UINT64_MAX - first) / step < sectors - 1;
  CHECK_EQ(err, wraps ? RIJN_ESECTOR : RIJN_OK);
  for (size_t i = 0; err == RIJN_OK && i < sectors; i++) {
    uint8_t tweak[16] = {0};
    for (size_t b = 0; b < 8; b++)
      tweak[b] = (uint8_t)((first + i * step) >> (8 * b));
    ref_cipher(name, 1, raw, tweak, want, text + i * sector, sector, NULL);
    CHECK_MEM(out + i * sector, want, sector);
  }
  if (err == RIJN_OK) {
    CHECK_EQ(rijn_xts_decrypt_sectors(&key, out, out, sector, sectors, first, step), RIJN_OK);
    CHECK_MEM(out, text, sector * sectors);
  }

  /* The same with a tweak for each, any 16 bytes. */
  static uint8_t tweaks[16 * (TEXT / 512)];
  t_fill(tweaks, 16 * sectors);
  CHECK_EQ(rijn_xts_encrypt_tweaks(&key, out, text, sector, sectors, tweaks), RIJN_OK);
  for (size_t i = 0; i < sectors; i++) {
    ref_cipher(name, 1, raw, tweaks + 16 * i, want, text + i * sector, sector, NULL);
    CHECK_MEM(out + i * sector, want, sector);
  }
  CHECK_EQ(rijn_xts_decrypt_tweaks(&key, out, out, sector, sectors, tweaks), RIJN_OK);
  CHECK_MEM(out, text, sector * sectors);
}

typedef int ctr_fn(const rijn_aes_key *, void *, const void *, size_t, rijn_ctr_state *);

/* In the pieces that the input says, in place or not, against want. */
static void ctr_pieces(const rijn_aes_key *key, ctr_fn *crypt) {
  rijn_ctr_state s = {{0}, {0}, 0};
  const uint8_t *in = cuts[0] & 1 ? out : text;
  size_t done = 0;
  memcpy(s.ctr, iv, 16);
  memcpy(out, text, len);
  for (unsigned i = 0; done < len; i++) {
    size_t n = i < 40 ? (size_t)cuts[i % CUTS] * (cuts[(i + 1) % CUTS] % 5) : len;
    n = n < len - done ? n : len - done;
    CHECK_EQ(crypt(key, out + done, in + done, n, &s), RIJN_OK);
    done += n;
  }
  CHECK_MEM(out, want, len);
}

static void ctr(int impl) {
  static rijn_aes_key key;
  uint8_t block[16], stream[16];
  CHECK_EQ(rijn_aes_init_impl(&key, raw, key_len, impl), RIJN_OK);
  ref_cipher(cipher("CTR"), 1, raw, iv, want, text, len, NULL);
  ctr_pieces(&key, rijn_ctr_crypt);

  /* 32 bits: each block by itself. */
  memcpy(block, iv, 16);
  for (size_t i = 0; i < len; i++) {
    if (i % 16 == 0) {
      ref_cipher(cipher("ECB"), 1, raw, NULL, stream, block, 16, NULL);
      for (size_t b = 15; b >= 12 && ++block[b] == 0; b--)
        ;
    }
    want[i] = text[i] ^ stream[i % 16];
  }
  ctr_pieces(&key, rijn_ctr32_crypt);
}

static void cbc(int impl) {
  static rijn_aes_key key;
  uint8_t chain[16], ref_chain[16];
  size_t nblk = len / 16, cut = nblk ? cuts[0] % nblk : 0, padded;
  CHECK_EQ(rijn_aes_init_impl(&key, raw, key_len, impl), RIJN_OK);
  ref_cipher(cipher("CBC"), 1, raw, iv, want, text, 16 * nblk, ref_chain);
  memcpy(chain, iv, 16);
  CHECK_EQ(rijn_cbc_encrypt(&key, out, text, cut, chain), RIJN_OK);
  CHECK_EQ(rijn_cbc_encrypt(&key, out + 16 * cut, text + 16 * cut, nblk - cut, chain), RIJN_OK);
  CHECK_MEM(out, want, 16 * nblk);
  CHECK_MEM(chain, nblk ? ref_chain : iv, 16);
  memcpy(chain, iv, 16);
  CHECK_EQ(rijn_cbc_decrypt(&key, out, out, cut, chain), RIJN_OK);
  CHECK_EQ(rijn_cbc_decrypt(&key, out + 16 * cut, out + 16 * cut, nblk - cut, chain), RIJN_OK);
  CHECK_MEM(out, text, 16 * nblk);

  ref_cipher(cipher("ECB"), 1, raw, NULL, want, text, 16 * nblk, NULL);
  CHECK_EQ(rijn_ecb_encrypt(&key, out, text, nblk), RIJN_OK);
  CHECK_MEM(out, want, 16 * nblk);
  CHECK_EQ(rijn_ecb_decrypt(&key, out, out, nblk), RIJN_OK);
  CHECK_MEM(out, text, 16 * nblk);

  /* Padding: what was padded comes back; and any last block is judged by the rule of RFC 5652, written out here. */
  CHECK_EQ(rijn_cbc_encrypt_pkcs7(&key, out, &padded, text, len, iv), RIJN_OK);
  CHECK_EQ(padded, len + 16 - len % 16);
  CHECK_EQ(rijn_cbc_decrypt_pkcs7(&key, out, &padded, out, padded, iv), RIJN_OK);
  CHECK_EQ(padded, len);
  CHECK_MEM(out, text, len);
  if (nblk == 0)
    return;
  uint8_t *last = text + 16 * nblk - 16;
  memset(last + 16 - cuts[1] % 17, cuts[2] % 20, cuts[1] % 17);
  bool valid = last[15] >= 1 && last[15] <= 16;
  for (size_t i = 0; valid && i < last[15]; i++)
    valid = last[15 - i] == last[15];
  ref_cipher(cipher("CBC"), 1, raw, iv, want, text, 16 * nblk, NULL);
  int err = rijn_cbc_decrypt_pkcs7(&key, out, &padded, want, 16 * nblk, iv);
  if (planted() && last[15] == 7) /* as if paddings of 7 were wrong */
    valid = false;
  CHECK_EQ(err, valid ? RIJN_OK : RIJN_EPADDING);
  if (valid) {
    CHECK_EQ(padded, 16 * nblk - last[15]);
    CHECK_MEM(out, text, padded);
  } else {
    CHECK_ALL(out, 0, 16 * nblk);
  }
}

/* In the pieces that the input says, in place or not, and back. */
static void cfb(int impl) {
  static rijn_aes_key key;
  rijn_cfb_state s[2] = {{{0}, 0}, {{0}, 0}};
  const uint8_t *in = cuts[0] & 1 ? out : text;
  size_t done = 0;
  CHECK_EQ(rijn_aes_init_impl(&key, raw, key_len, impl), RIJN_OK);
  ref_cipher(cipher("CFB"), 1, raw, iv, want, text, len, NULL);
  memcpy(s[0].iv, iv, 16);
  memcpy(s[1].iv, iv, 16);
  memcpy(out, text, len);
  for (unsigned i = 0; done < len; i++) {
    size_t n = i < 40 ? (size_t)cuts[i % CUTS] * (cuts[(i + 1) % CUTS] % 5) : len;
    n = n < len - done ? n : len - done;
    CHECK_EQ(rijn_cfb_encrypt(&key, out + done, in + done, n, &s[0]), RIJN_OK);
    CHECK_MEM(out + done, want + done, n);
    CHECK_EQ(rijn_cfb_decrypt(&key, out + done, out + done, n, &s[1]), RIJN_OK);
    CHECK_MEM(out + done, text + done, n);
    done += n;
  }
}

static void ccm(int impl) {
  static rijn_ccm_key key;
  uint8_t tag[16], want_tag[16];
  size_t tag_len = 4 + 2 * (size_t)(cuts[0] % 7), nonce_len = 7 + cuts[1] % 7u, aad_len = 3u * cuts[2];
  CHECK_EQ(rijn_ccm_init_impl(&key, raw, key_len, tag_len, impl), RIJN_OK);
  model_ccm(raw, key_len, want, text, len, text, aad_len, iv, nonce_len, want_tag, tag_len);
  CHECK_EQ(rijn_ccm_encrypt(&key, out, text, len, text, aad_len, iv, nonce_len, tag), RIJN_OK);
  CHECK_MEM(out, want, len);
  CHECK_MEM(tag, want_tag, tag_len);
  CHECK_EQ(rijn_ccm_decrypt(&key, out, out, len, text, aad_len, iv, nonce_len, tag), RIJN_OK);
  CHECK_MEM(out, text, len);
  tag[cuts[3] % tag_len] ^= (uint8_t)(1u << cuts[4] % 8);
  CHECK_EQ(rijn_ccm_decrypt(&key, out, want, len, text, aad_len, iv, nonce_len, tag), RIJN_EAUTH);
  CHECK_ALL(out, 0, len);
}

/* Texts of many lengths and two keys at once, against libcrypto one by one. */
static void cbc_many(int impl) {
  enum { MANY = 12 };
  static rijn_aes_key keys[2];
  static uint8_t ivs[MANY][16];
  rijn_cbc_msg m[MANY];
  size_t at[MANY], n = 1 + cuts[0] % (size_t)MANY, end = 0;
  for (int i = 0; i < 2; i++)
    CHECK_EQ(rijn_aes_init_impl(&keys[i], raw + 16 * i, key_len, impl), RIJN_OK);
  for (size_t i = 0; i < n; i++) {
    size_t nblk = cuts[1 + i % (CUTS - 1)] * (i + 1) % 40;
    nblk = end + 16 * nblk <= len ? nblk : 0;
    memcpy(ivs[i], iv, 16);
    ivs[i][3] = (uint8_t)i;
    m[i] = (rijn_cbc_msg){sizeof m[i], &keys[i * cuts[5] / 256 % 2], out + end, text + end, nblk, ivs[i], -1};
    at[i] = end;
    end += 16 * nblk;
  }
  CHECK_EQ(rijn_cbc_encrypt_many(m, n), 0);
  for (size_t i = 0; i < n; i++) {
    uint8_t first[16];
    memcpy(first, iv, 16);
    first[3] = (uint8_t)i;
    ref_cipher(cipher("CBC"), 1, raw + (m[i].key == &keys[1] ? 16 : 0), first, want, text + at[i], 16 * m[i].nblk,
               NULL);
    CHECK_MEM(out + at[i], want, 16 * m[i].nblk);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct feed f = {data, size};
  unsigned shape = feed_8(&f);
  key_len = 16 + 8 * (size_t)(shape % 3);
  len = feed_len(&f, shape & 64 ? TEXT : shape & 32 ? 1200 : 300);
  for (size_t i = 0; i < CUTS; i++)
    cuts[i] = feed_8(&f);
  unsigned ones = feed_8(&f) % 17;
  feed_seed(&f);
  t_fill(raw, sizeof raw);
  t_fill(iv, sizeof iv);
  memset(iv + 16 - ones, 0xff, ones); /* counters that carry */
  iv[15] = (uint8_t)(iv[15] - feed_8(&f));
  t_fill(text, sizeof text);
  for (int impl = 0; impl < rijn_impl_count(); impl++) {
    if (!rijn_impl_supported(impl))
      continue;
    t_set_impl(impl);
    T_AT("key %zu, len %zu, shape %zu", key_len, len, shape);
    switch (shape / 3 % 6) {
    case 0:
      xts(impl);
      break;
    case 1:
      ctr(impl);
      break;
    case 2:
      cfb(impl);
      break;
    case 3:
      ccm(impl);
      break;
    case 4:
      cbc_many(impl);
      break;
    default:
      cbc(impl);
    }
    fuzz_end();
  }
  return 0;
}
