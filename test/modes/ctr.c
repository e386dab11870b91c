/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * CTR: the counter's carry at every place. Implementations of others wrapped at 32 or 64 bits on one path and not on
 * another; here the wrap is before block 0 to 40 of short and long texts, for 32, 64 and 128 bits, and pieces of any
 * length give the same.
 */
#include "place.h"
#include "ref.h"

#define MAX_LEN (16 * 300)

static uint8_t text[MAX_LEN], want[MAX_LEN], out[MAX_LEN], raw[32];
static rijn_aes_key key;

/* One more, within the last n bytes. */
static void next(uint8_t c[16], int n) {
  for (int i = 15; i >= 16 - n && ++c[i] == 0; i--)
    continue;
}

/* A counter that, ahead blocks on, has its last n bytes all zero. */
static void wraps(uint8_t c[16], int n, size_t ahead) {
  t_fill(c, 16);
  memset(c + 16 - n, 0, (size_t)n);
  for (size_t i = 0; i < ahead; i++) {
    for (int j = 15; j >= 16 - n && c[j]-- == 0; j--)
      continue;
  }
}

/* The keystream from one block after the other, with the counter in the last n bytes. */
static void model(size_t key_len, const uint8_t ctr[16], int n, size_t len) {
  uint8_t c[16], ks[16];
  memcpy(c, ctr, 16);
  for (size_t i = 0; i < len; i++) {
    if (i % 16 == 0) {
      ref_aes_block(raw, key_len, c, ks);
      next(c, n);
    }
    want[i] = text[i] ^ ks[i % 16];
  }
}

typedef int crypt_fn(const rijn_aes_key *, void *, const void *, size_t, rijn_ctr_state *);

/* With a counter that is public, and one that is said to be secret: they go different ways. */
static void run(crypt_fn *crypt, size_t key_len, const uint8_t ctr[16], int n, size_t len) {
  uint8_t end[16];
  memcpy(end, ctr, 16);
  for (size_t i = 0; i < (len + 15) / 16; i++)
    next(end, n);
  model(key_len, ctr, n, len);
  for (uint32_t flag = 0; flag <= RIJN_CTR_SECRET; flag += RIJN_CTR_SECRET) {
    rijn_ctr_state st = {{0}, {0}, flag};
    memcpy(st.ctr, ctr, 16);
    CHECK_EQ(crypt(&key, out, text, len, &st), 0);
    CHECK_MEM(out, want, len);
    CHECK_MEM(st.ctr, end, 16);
    CHECK_EQ(st.used, len % 16 | flag);
  }
}

static void wrap(size_t key_len) {
  static const int bytes[] = {4, 8, 16, 1, 12};
  static const size_t lens[] = {16 * 12, 16 * 27 + 5, 16 * 47 + 5, 16 * 59, 16 * 139 + 9};
  uint8_t ctr[16];
  for (size_t b = 0; b < sizeof bytes / sizeof bytes[0]; b++) {
    for (size_t ahead = 0; ahead <= 40; ahead++) {
      for (size_t l = 0; l < sizeof lens / sizeof lens[0]; l++) {
        T_AT("key %zu, last %zu bytes zero before block %zu, length %zu", key_len, bytes[b], ahead, lens[l]);
        wraps(ctr, bytes[b], ahead);
        run(rijn_ctr_crypt, key_len, ctr, 16, lens[l]);
        run(rijn_ctr32_crypt, key_len, ctr, 4, lens[l]);
      }
    }
  }
}

/* Pieces of random length, among them none, give what one call gives; so does going on after a wrap. */
static void pieces(crypt_fn *crypt, size_t key_len, int n) {
  for (int round = 0; round < 60; round++) {
    uint8_t ctr[16];
    wraps(ctr, round % 2 ? 4 : 16, t_below(280));
    rijn_ctr_state st = {{0}, {0}, round / 2 % 2 ? RIJN_CTR_SECRET : 0};
    memcpy(st.ctr, ctr, 16);
    model(key_len, ctr, n, MAX_LEN);
    memset(out, T_POISON, MAX_LEN);
    size_t most = (size_t[]){3, 20, 100, 1000, 3000}[t_below(5)];
    for (size_t at = 0, piece; at < MAX_LEN; at += piece) {
      piece = t_below(most + 1);
      if (piece > MAX_LEN - at)
        piece = MAX_LEN - at;
      T_AT("key %zu, at %zu, piece %zu", key_len, at, piece);
      if (round % 3 == 0) { /* in place */
        memcpy(out + at, text + at, piece);
        CHECK_EQ(crypt(&key, out + at, out + at, piece, &st), 0);
      } else {
        CHECK_EQ(crypt(&key, out + at, text + at, piece, &st), 0);
      }
    }
    CHECK_MEM(out, want, MAX_LEN);
  }
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  t_fill(text, sizeof text);
  T_IMPLS(impl) {
    for (size_t key_len = 16; key_len <= 32; key_len += 8) {
      t_fill(raw, sizeof raw);
      CHECK_EQ(rijn_aes_init_impl(&key, raw, key_len, impl), 0);
      if (key_len != 24)
        wrap(key_len);
      pieces(rijn_ctr_crypt, key_len, 16);
      pieces(rijn_ctr32_crypt, key_len, 4);
    }
  }
  return t_done();
}
