/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Does a variant give the answers of the good library's portable implementation? */
#include "runner.h"

#include <string.h>

enum { LARGEST = 200000, CANARY = 64 };
static uint8_t text[LARGEST + CANARY], want[LARGEST + CANARY], got[LARGEST + CANARY], back[LARGEST + CANARY];
static uint8_t raw[64], aad[1024], nonce[16];

/* All lengths up to a few groups, then every 37th, which meets each rest of a vector, then those beside the lengths at
 * which long messages change their way. Returns the length after n; 0 behind the last. */
static size_t length_after(size_t n) {
  static const size_t beside[] = {8192, 16384, 32768, 65536, 131072};
  if (n < 600)
    return n + 1;
  if (n < 5000)
    return n + 37;
  for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
    for (size_t d = 0; d < 4; d++)
      if (n < beside[i] + 13 * d - 17)
        return beside[i] + 13 * d - 17;
  return n < LARGEST ? LARGEST : 0;
}

static void same(const void *a, const void *b, size_t n, const char *what, size_t len, size_t aad_len) {
  if (memcmp(a, b, n))
    die("%s: wrong answer at %zu bytes, %zu of associated data", what, len, aad_len);
}

static void fine(int result, const char *what, size_t len, size_t aad_len) {
  if (result)
    die("%s: answers %d at %zu bytes, %zu of associated data", what, result, len, aad_len);
}

/* What lies behind the output stays as it is. */
static void guard(size_t len) {
  memset(got, 0x55, len + CANARY);
  memset(back, 0x55, len + CANARY);
}

static void guarded(const char *what, size_t len, size_t aad_len) {
  for (size_t i = len; i < len + CANARY; i++)
    if (got[i] != 0x55 || back[i] != 0x55)
      die("%s: writes behind its output at %zu bytes, %zu of associated data", what, len, aad_len);
}

static void one_gcm(const struct lib *lib, const struct lib *good, const rijn_gcm_key *k, const rijn_gcm_key *kg,
                    size_t len, size_t aad_len) {
  uint8_t tag[16], tag_good[16];
  fine(good->gcm_encrypt(kg, want, text, len, aad, aad_len, nonce, 12, tag_good), "the good library", len, aad_len);
  guard(len);
  fine(lib->gcm_encrypt(k, got, text, len, aad, aad_len, nonce, 12, tag), "GCM, encrypted", len, aad_len);
  same(got, want, len, "GCM, encrypted", len, aad_len);
  same(tag, tag_good, 16, "GCM, tag", len, aad_len);
  fine(lib->gcm_decrypt(k, back, want, len, aad, aad_len, nonce, 12, tag_good), "GCM, decrypted", len, aad_len);
  same(back, text, len, "GCM, decrypted", len, aad_len);
  guarded("GCM", len, aad_len);
  fine(lib->gcm_decrypt(k, got, got, len, aad, aad_len, nonce, 12, tag_good), "GCM, decrypted in place", len, aad_len);
  same(got, text, len, "GCM, decrypted in place", len, aad_len);
  tag_good[len % 16] ^= 1;
  memset(want, 0, len);
  memset(back, 1, len);
  if (lib->gcm_decrypt(k, back, text, len, aad, aad_len, nonce, 12, tag_good) != RIJN_EAUTH)
    die("GCM: takes a wrong tag at %zu bytes, %zu of associated data", len, aad_len);
  same(back, want, len, "GCM, wiped", len, aad_len);
}

static void check_gcm(const struct lib *lib, const struct lib *good, size_t raw_len) {
  static const size_t aads[] = {16, 0, 13, 20, 28, 32, 48, 17, 64, 65, 12, 250, 1000};
  rijn_gcm_key k, kg;
  fine(lib->gcm_init_impl(&k, raw, raw_len, 16, lib->impl), "GCM, key", 0, 0);
  fine(good->gcm_init_impl(&kg, raw, raw_len, 16, good->impl), "the good library", 0, 0);
  const size_t n = sizeof aads / sizeof *aads;
  size_t at = 0;
  for (size_t i = 0; i < n; i++)
    one_gcm(lib, good, &k, &kg, 0, aads[i]);
  for (size_t len = 1; len; len = length_after(len))
    for (int i = 0; i < 3; i++)
      one_gcm(lib, good, &k, &kg, len, aads[i ? at++ % n : 0]);
}

/* A message in pieces, which are the kernels for whole blocks. */
static void check_pieces(const struct lib *lib, const struct lib *good, size_t raw_len) {
  rijn_gcm_key k, kg;
  uint8_t tag[16], tag_good[16];
  fine(lib->gcm_init_impl(&k, raw, raw_len, 16, lib->impl), "GCM, key", 0, 0);
  fine(good->gcm_init_impl(&kg, raw, raw_len, 16, good->impl), "the good library", 0, 0);
  for (size_t nonce_len = 12; nonce_len <= 16; nonce_len += 4)
    for (size_t len = 300; len < 9000; len += 211 + len / 2) {
      rijn_gcm_stream e, d;
      fine(good->gcm_encrypt(&kg, want, text, len, aad, 20, nonce, nonce_len, tag_good), "the good library", len, 20);
      int bad = lib->gcm_encrypt_start(&e, &k, nonce, nonce_len) | lib->gcm_decrypt_start(&d, &k, nonce, nonce_len) |
                lib->gcm_aad(&e, aad, 20) | lib->gcm_aad(&d, aad, 20);
      guard(len);
      for (size_t at = 0, n = 7; at < len; at += n, n = n * 3 + 1) {
        n = n < len - at ? n : len - at;
        bad |= lib->gcm_update(&e, got + at, text + at, n) | lib->gcm_update(&d, back + at, want + at, n);
      }
      bad |= lib->gcm_encrypt_finish(&e, tag) | lib->gcm_decrypt_finish(&d, tag_good);
      fine(bad, "GCM, in pieces", len, 20);
      same(got, want, len, "GCM, in pieces", len, 20);
      same(back, text, len, "GCM, in pieces", len, 20);
      same(tag, tag_good, 16, "GCM, in pieces, tag", len, 20);
      guarded("GCM, in pieces", len, 20);
    }
}

enum { MESSAGES = 64, ROOM = 2048 };
static void check_batch(const struct lib *lib, const struct lib *good, size_t raw_len) {
  static uint8_t tags[2][MESSAGES][16];
  rijn_gcm_msg m[MESSAGES];
  rijn_gcm_key k, kg;
  fine(lib->gcm_init_impl(&k, raw, raw_len, 16, lib->impl), "GCM, key", 0, 0);
  fine(good->gcm_init_impl(&kg, raw, raw_len, 16, good->impl), "the good library", 0, 0);
  for (size_t turn = 0; turn < 40; turn++) {
    guard((size_t)MESSAGES * ROOM);
    memset(want, 0x55, (size_t)MESSAGES * ROOM);
    for (size_t i = 0; i < MESSAGES; i++) {
      /* Lengths that differ, and that are equal. */
      size_t len = (turn % 2 ? 48 * turn + i % 5 : random_next() % (turn < 20 ? 300 : 2000)) % ROOM, from = i * ROOM;
      size_t aad_len = turn % 3 ? 13 : random_next() % 24;
      fine(good->gcm_encrypt(&kg, want + from, text + from, len, aad, aad_len, nonce, 12, tags[0][i]),
           "the good library", len, aad_len);
      m[i] = (rijn_gcm_msg){sizeof m[i], &k, got + from, text + from, len, aad, aad_len, nonce, 12, tags[1][i], 1};
    }
    fine(lib->gcm_encrypt_batch(m, MESSAGES), "GCM, batch", m[0].len, m[0].aad_len);
    same(got, want, (size_t)MESSAGES * ROOM, "GCM, batch", m[0].len, m[0].aad_len);
    same(tags[1], tags[0], sizeof tags[0], "GCM, tags of a batch", m[0].len, m[0].aad_len);
    for (size_t i = 0; i < MESSAGES; i++) {
      m[i].in = want + i * ROOM;
      m[i].out = back + i * ROOM;
    }
    fine(lib->gcm_decrypt_batch(m, MESSAGES), "GCM, batch, decrypted", m[0].len, m[0].aad_len);
    for (size_t i = 0; i < MESSAGES; i++)
      same(m[i].out, text + i * ROOM, m[i].len, "GCM, batch, decrypted", m[i].len, m[i].aad_len);
  }
}

static void check_xts(const struct lib *lib, const struct lib *good, size_t raw_len) {
  rijn_xts_key k, kg;
  fine(lib->xts_init_impl(&k, raw, 2 * raw_len, lib->impl), "XTS, key", 0, 0);
  fine(good->xts_init_impl(&kg, raw, 2 * raw_len, good->impl), "the good library", 0, 0);
  for (size_t len = 16; len; len = length_after(len)) {
    fine(good->xts_encrypt(&kg, want, text, len, nonce), "the good library", len, 0);
    guard(len);
    fine(lib->xts_encrypt(&k, got, text, len, nonce), "XTS", len, 0);
    same(got, want, len, "XTS, encrypted", len, 0);
    fine(lib->xts_decrypt(&k, back, want, len, nonce), "XTS", len, 0);
    same(back, text, len, "XTS, decrypted", len, 0);
    guarded("XTS", len, 0);
  }
  for (size_t size = 512; size <= 4096; size *= 8)
    for (size_t n = 1; n < 20; n += 3) {
      size_t len = size * n;
      fine(good->xts_encrypt_sectors(&kg, want, text, size, n, 77, 1), "the good library", len, 0);
      guard(len);
      fine(lib->xts_encrypt_sectors(&k, got, text, size, n, 77, 1), "XTS, sectors", len, 0);
      same(got, want, len, "XTS, sectors encrypted", len, 0);
      fine(lib->xts_decrypt_sectors(&k, back, want, size, n, 77, 1), "XTS, sectors", len, 0);
      same(back, text, len, "XTS, sectors decrypted", len, 0);
      guarded("XTS, sectors", len, 0);
    }
}

/* CTR, public and secret counters, all widths; the counters' last bytes carry. */
static void one_ctr(const struct lib *lib, const struct lib *good, const rijn_aes_key *k, const rijn_aes_key *kg,
                    size_t len) {
  for (int way = 0; way < 4; way++) {
    rijn_ctr_state s, sg;
    memset(&s, 0, sizeof s);
    memcpy(s.ctr, nonce, 16);
    memset(s.ctr + 12, 0xff, 3);
    s.used = way & 2 ? RIJN_CTR_SECRET : 0;
    sg = s;
    guard(len);
    int bad = way & 1 ? good->ctr32_crypt(kg, want, text, len, &sg) : good->ctr_crypt(kg, want, text, len, &sg);
    fine(bad, "the good library", len, 0);
    bad = way & 1 ? lib->ctr32_crypt(k, got, text, len, &s) : lib->ctr_crypt(k, got, text, len, &s);
    fine(bad, "CTR", len, 0);
    same(got, want, len, "CTR", len, 0);
    same(s.ctr, sg.ctr, 16, "CTR, counter", len, 0);
    guarded("CTR", len, 0);
  }
}

static void check_blocks(const struct lib *lib, const struct lib *good, size_t raw_len) {
  rijn_aes_key k, kg;
  fine(lib->aes_init_impl(&k, raw, raw_len, lib->impl), "AES, key", 0, 0);
  fine(good->aes_init_impl(&kg, raw, raw_len, good->impl), "the good library", 0, 0);
  for (size_t len = 1; len; len = length_after(len))
    if (len < 64 || len % 3 == 0)
      one_ctr(lib, good, &k, &kg, len);
  for (size_t n = 1; n < 200; n++) {
    uint8_t iv[3][16];
    memcpy(iv[0], nonce, 16);
    memcpy(iv[1], nonce, 16);
    memcpy(iv[2], nonce, 16);
    guard(16 * n);
    int bad = good->ecb_encrypt(&kg, want, text, n) | lib->ecb_encrypt(&k, got, text, n) |
              lib->ecb_decrypt(&k, back, want, n);
    fine(bad, "ECB", 16 * n, 0);
    same(got, want, 16 * n, "ECB, encrypted", 16 * n, 0);
    same(back, text, 16 * n, "ECB, decrypted", 16 * n, 0);
    bad = good->cbc_encrypt(&kg, want, text, n, iv[0]) | lib->cbc_encrypt(&k, got, text, n, iv[1]) |
          lib->cbc_decrypt(&k, back, want, n, iv[2]);
    fine(bad, "CBC", 16 * n, 0);
    same(got, want, 16 * n, "CBC, encrypted", 16 * n, 0);
    same(back, text, 16 * n, "CBC, decrypted", 16 * n, 0);
    guarded("ECB and CBC", 16 * n, 0);
  }
}

/* Keys for one message. */
static void check_once(const struct lib *lib, const struct lib *good) {
  rijn_gcm_siv_key k, kg;
  rijn_xaes_key x, xg;
  uint8_t tag[16], tag_good[16], long_nonce[24];
  random_fill(long_nonce, sizeof long_nonce);
  int bad = lib->gcm_siv_init_impl(&k, raw, 32, lib->impl) | good->gcm_siv_init_impl(&kg, raw, 32, good->impl) |
            lib->xaes_init_impl(&x, raw, 32, lib->impl) | good->xaes_init_impl(&xg, raw, 32, good->impl);
  fine(bad, "AES-GCM-SIV, XAES, keys", 0, 0);
  for (size_t len = 1; len; len = length_after(len + len / 40)) {
    size_t n = len % 50;
    fine(good->gcm_siv_encrypt(&kg, want, text, len, aad, n, nonce, tag_good), "the good library", len, n);
    guard(len);
    fine(lib->gcm_siv_encrypt(&k, got, text, len, aad, n, nonce, tag), "AES-GCM-SIV", len, n);
    same(got, want, len, "AES-GCM-SIV", len, n);
    same(tag, tag_good, 16, "AES-GCM-SIV, tag", len, n);
    fine(lib->gcm_siv_decrypt(&k, back, want, len, aad, n, nonce, tag), "AES-GCM-SIV", len, n);
    same(back, text, len, "AES-GCM-SIV", len, n);
    fine(good->xaes_encrypt(&xg, want, text, len, aad, n, long_nonce, tag_good), "the good library", len, n);
    fine(lib->xaes_encrypt(&x, got, text, len, aad, n, long_nonce, tag), "XAES-256-GCM", len, n);
    same(got, want, len, "XAES-256-GCM", len, n);
    same(tag, tag_good, 16, "XAES-256-GCM, tag", len, n);
    guarded("AES-GCM-SIV and XAES-256-GCM", len, n);
  }
}

void check_all(const struct lib *lib, const struct lib *good) {
  random_fill(text, sizeof text);
  random_fill(raw, sizeof raw);
  random_fill(aad, sizeof aad);
  random_fill(nonce, sizeof nonce);
  for (size_t raw_len = 16; raw_len <= 32; raw_len += 8) {
    check_gcm(lib, good, raw_len);
    check_pieces(lib, good, raw_len);
    check_batch(lib, good, raw_len);
    if (raw_len != 24) /* XTS has no such key */
      check_xts(lib, good, raw_len);
    check_blocks(lib, good, raw_len);
  }
  check_once(lib, good);
  fine(lib->selftest(lib->impl), "self-test", 0, 0);
}
