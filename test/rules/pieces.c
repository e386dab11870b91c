/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* CTR in pieces and at the wraps of its counter; runs of sectors against single data units; GHASH in pieces. */
#include "ref.h"
#include "t.h"

enum { N = 600 };

/* CTR by the standard: one block after the other, a carry through width bytes. */
static void model_ctr(const uint8_t *raw, size_t key_len, const uint8_t first[16], size_t width, uint8_t *out,
                      const uint8_t *in, size_t len, uint8_t last[16]) {
  uint8_t c[16], ks[16];
  memcpy(c, first, 16);
  for (size_t i = 0; i < len; i++) {
    if (i % 16 == 0) {
      ref_aes_block(raw, key_len, c, ks);
      for (size_t b = 0; b < width && ++c[15 - b] == 0; b++)
        ;
    }
    out[i] = (uint8_t)(in[i] ^ ks[i % 16]);
  }
  memcpy(last, c, 16);
}

static void test_ctr(int impl, bool narrow) {
  int (*crypt)(const rijn_aes_key *, void *, const void *, size_t, rijn_ctr_state *) =
      narrow ? rijn_ctr32_crypt : rijn_ctr_crypt;
  uint8_t raw[32], in[N], want[N], out[N], last[16];
  rijn_aes_key key;
  t_fill(raw, sizeof raw);
  t_fill(in, sizeof in);
  for (size_t round = 0; round < 150; round++) {
    size_t key_len = 16 + 8 * t_below(3), len = t_below(N + 1);
    rijn_ctr_state st = {{0}, {0}, 0};
    /* The counter wraps in its last 4, 8 or 16 bytes, or none, within the first 40 blocks. */
    t_fill(st.ctr, 16);
    static const size_t ones[] = {0, 4, 8, 16};
    size_t full = ones[round % 4];
    memset(st.ctr + 16 - full, 0xff, full);
    if (full != 0)
      st.ctr[15] = (uint8_t)(255 - t_below(40));
    T_AT("impl %zu narrow %zu round %zu len %zu", impl, narrow, round, len);
    CHECK_EQ(rijn_aes_init_impl(&key, raw, key_len, impl), 0);
    model_ctr(raw, key_len, st.ctr, narrow ? 4 : 16, want, in, len, last);
    memset(out, T_POISON, sizeof out);
    bool in_place = t_below(2);
    if (in_place)
      memcpy(out, in, len);
    for (size_t at = 0, n; at < len; at += n) {
      n = t_below(6) == 0 ? len - at : t_below(70);
      n = n < len - at ? n : len - at;
      CHECK_EQ(crypt(&key, n ? out + at : NULL, n ? (in_place ? out : in) + at : NULL, n, &st), 0);
      CHECK_EQ(st.used, (at + n) % 16);
    }
    CHECK_MEM(out, want, len);
    CHECK_ALL(out + len, T_POISON, N - len);
    CHECK_MEM(st.ctr, last, 16);
  }
}

static void put_le64(uint8_t *p, uint64_t v) {
  for (size_t i = 0; i < 8; i++)
    p[i] = (uint8_t)(v >> 8 * i);
}

static void test_sectors(int impl) {
  static uint8_t in[8 * 4096 + 65536], want[sizeof in], out[sizeof in + 64], tweaks[16 * 16];
  uint8_t raw[64];
  rijn_xts_key key;
  t_fill(raw, sizeof raw);
  t_fill(in, sizeof in);
  static const struct {
    size_t size, n;
    uint64_t first, step;
  } runs[] = {{512, 0, 7, 1},
              {512, 1, UINT64_MAX, 1},
              {512, 13, UINT64_MAX - 12, 1},
              {512, 16, UINT32_MAX - UINT64_C(4), 1},
              {4096, 7, 0, 8},
              {4096, 3, 4096, 4096},
              {1024, 5, 99, 0},
              {2048, 3, 0, UINT64_MAX / 2},
              {65536, 1, 3, 1}};
  for (size_t key_len = 32; key_len <= 64; key_len += 32)
    for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++) {
      const size_t size = runs[r].size, n = runs[r].n, total = size * n;
      T_AT("impl %zu key_len %zu run %zu", impl, key_len, r);
      CHECK_EQ(rijn_xts_init_impl(&key, raw, key_len, impl), 0);
      memset(tweaks, 0, sizeof tweaks);
      for (size_t i = 0; i < n; i++) {
        put_le64(tweaks + 16 * i, runs[r].first + i * runs[r].step);
        ref_cipher(key_len == 32 ? "AES-128-XTS" : "AES-256-XTS", 1, raw, tweaks + 16 * i, want + i * size,
                   in + i * size, size, NULL);
      }
      memset(out, T_POISON, sizeof out);
      CHECK_EQ(rijn_xts_encrypt_sectors(&key, out, in, size, n, runs[r].first, runs[r].step), 0);
      CHECK_MEM(out, want, total);
      CHECK_ALL(out + total, T_POISON, 64);
      CHECK_EQ(rijn_xts_decrypt_sectors(&key, out, out, size, n, runs[r].first, runs[r].step), 0);
      CHECK_MEM(out, in, total);
      CHECK_EQ(rijn_xts_encrypt_tweaks(&key, out, out, size, n, tweaks), 0);
      CHECK_MEM(out, want, total);
      CHECK_EQ(rijn_xts_decrypt_tweaks(&key, out, out, size, n, tweaks), 0);
      CHECK_MEM(out, in, total);
      CHECK_ALL(out + total, T_POISON, 64);
      /* Each by itself. */
      for (size_t i = 0; i < n; i++)
        CHECK_EQ(rijn_xts_encrypt(&key, out + i * size, in + i * size, size, tweaks + 16 * i), 0);
      CHECK_MEM(out, want, total);
    }
}

static void test_ghash(int impl) {
  uint8_t h[16], in[16 * 60], want[16], acc[16];
  rijn_ghash_key key;
  for (size_t nblk = 0; nblk <= 60; nblk++) {
    T_AT("impl %zu ghash nblk %zu", impl, nblk);
    t_fill(h, sizeof h);
    t_fill(in, sizeof in);
    memset(want, 0, 16);
    model_ghash(want, h, in, 16 * nblk);
    CHECK_EQ(rijn_ghash_init_impl(&key, h, impl), 0);
    memset(acc, 0, 16);
    CHECK_EQ(rijn_ghash_update(&key, acc, in, nblk), 0);
    CHECK_MEM(acc, want, 16);
    memset(acc, 0, 16);
    for (size_t at = 0, n; at < nblk; at += n) {
      n = t_below(nblk - at + 1);
      CHECK_EQ(rijn_ghash_update(&key, acc, n != 0 ? in + 16 * at : NULL, n), 0);
    }
    CHECK_MEM(acc, want, 16);
  }
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  T_IMPLS(i) {
    test_ctr(i, false);
    test_ctr(i, true);
    test_sectors(i);
    test_ghash(i);
  }
  return t_done();
}
