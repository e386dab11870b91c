/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Texts and associated data above 4 GiB, where a length cut to 32 bits would show.
 *
 * The input is a map of nothing (one page of zeros, seen over and over), the output a few megabytes seen over and over.
 */
#define _GNU_SOURCE
#include "ref.h"
#include "t.h"

#include <sys/mman.h>

#define PIECE ((size_t)64 << 20)
#define BIG (((size_t)4 << 30) + 17)

/* 4 GiB + 17 as associated data in one call: only reads, so the map stays empty. */
static void aad(int impl, const uint8_t *zeros) {
  uint8_t raw[16], nonce[12], tag[16], want[16];
  rijn_gcm_key key;
  rijn_gcm_stream s;
  t_fill(raw, 16);
  t_fill(nonce, 12);
  T_AT("associated data of 4 GiB + 17");
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, 16, impl), RIJN_OK);
  CHECK_EQ(rijn_gmac(&key, zeros, BIG, nonce, 12, tag), RIJN_OK);
  CHECK_EQ(rijn_gcm_encrypt_start(&s, &key, nonce, 12), RIJN_OK);
  for (size_t p = 0; p < BIG; p += PIECE) {
    CHECK_EQ(rijn_gcm_aad(&s, zeros, BIG - p < PIECE ? BIG - p : PIECE), RIJN_OK);
  }
  CHECK_EQ(rijn_gcm_encrypt_finish(&s, want), RIJN_OK);
  CHECK_MEM(tag, want, 16);
}

/* Text in one call, against a stream of pieces. What the map holds afterwards is the last that was written to each
 * place: the last 17 bytes, and behind them the piece before. The tag vouches for all of it.
 * To decrypt, the ciphertext is the map of zeros; the tag that belongs to it comes from encrypting its decryption. */
static void text(int impl, const uint8_t *zeros, uint8_t *map) {
  static uint8_t piece[PIECE];
  uint8_t raw[32], nonce[12], tag[16], want[16];
  rijn_gcm_key key;
  rijn_gcm_stream enc, dec;
  t_fill(raw, 32);
  t_fill(nonce, 12);
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 32, 16, impl), RIJN_OK);
  for (int pass = 0; pass < 2; pass++) {
    T_AT("text of 4 GiB + 17, decrypt %zu", pass);
    CHECK_EQ(rijn_gcm_encrypt_start(&enc, &key, nonce, 12), RIJN_OK);
    CHECK_EQ(rijn_gcm_decrypt_start(&dec, &key, nonce, 12), RIJN_OK);
    CHECK_EQ(rijn_gcm_aad(&enc, raw, 20), RIJN_OK);
    if (pass == 0) {
      CHECK_EQ(rijn_gcm_encrypt(&key, map, zeros, BIG, raw, 20, nonce, 12, tag), RIJN_OK);
    }
    for (size_t p = 0; p < BIG; p += PIECE) {
      size_t n = BIG - p < PIECE ? BIG - p : PIECE;
      if (pass == 0) {
        CHECK_EQ(rijn_gcm_update(&enc, piece, zeros, n), RIJN_OK);
      } else { /* piece becomes the text, then zeros again */
        CHECK_EQ(rijn_gcm_update(&dec, piece, zeros, n), RIJN_OK);
        CHECK_EQ(rijn_gcm_update(&enc, map, piece, n), RIJN_OK);
        CHECK_MEM(map, zeros, n);
      }
    }
    CHECK_EQ(rijn_gcm_encrypt_finish(&enc, want), RIJN_OK);
    if (pass == 0) {
      CHECK_MEM(tag, want, 16);
    } else {
      CHECK_EQ(rijn_gcm_decrypt(&key, map, zeros, BIG, raw, 20, nonce, 12, want), RIJN_OK);
      CHECK_EQ(rijn_gcm_decrypt_start(&dec, &key, nonce, 12), RIJN_OK);
      CHECK_EQ(rijn_gcm_aad(&dec, raw, 20), RIJN_OK);
      CHECK_EQ(rijn_gcm_update(&dec, map, zeros, BIG), RIJN_OK);
      CHECK_EQ(rijn_gcm_decrypt_finish(&dec, want), RIJN_OK);
    }
    CHECK_MEM(map, piece, PIECE);
  }
  want[15] ^= 1;
  CHECK_EQ(rijn_gcm_decrypt(&key, map, zeros, BIG, raw, 20, nonce, 12, want), RIJN_EAUTH);
  CHECK_MEM(map, zeros, PIECE);
}

/* A text under a nonce of 16 bytes, as a list of two runs, the first of them above 4 GiB; and as GHASH takes it, by
 * whole blocks. */
static void lists(int impl, const uint8_t *zeros, uint8_t *map) {
  uint8_t raw[32], nonce[16], j0[16], tag[16], want[16], h[16], acc[16] = {0}, in_pieces[16] = {0};
  rijn_gcm_key key;
  rijn_ghash_key hash;
  t_fill(raw, 32);
  memset(j0, 0xff, 16); /* the counter wraps early in the text, and no carry goes on */
  j0[15] -= (uint8_t)t_between(1, 20);
  model_nonce_for_j0(raw, 32, j0, nonce);
  t_fill(h, 16);
  T_AT("lists of 4 GiB + 17 bytes");
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 32, 16, impl), RIJN_OK);
  CHECK_EQ(rijn_gcm_encrypt(&key, map, zeros, BIG, zeros, 33, nonce, 16, want), RIJN_OK);
  rijn_iov in[2] = {{(void *)(uintptr_t)zeros, BIG - 9}, {(void *)(uintptr_t)zeros, 9}};
  rijn_iov out[BIG / PIECE + 1], aad = {(void *)(uintptr_t)zeros, 33};
  size_t n = 0;
  for (size_t p = 0; p < BIG; p += PIECE) /* WHY runs of a piece: what a run has become may be read once more */
    out[n++] = (rijn_iov){map + p, BIG - p < PIECE ? BIG - p : PIECE};
  CHECK_EQ(rijn_gcm_encrypt_iov(&key, out, n, in, 2, &aad, 1, nonce, 16, tag), RIJN_OK);
  CHECK_MEM(tag, want, 16);

  T_AT("GHASH of 2^28 + 1 blocks");
  CHECK_EQ(rijn_ghash_init_impl(&hash, h, impl), RIJN_OK);
  memset(map, 0x5a, PIECE);
  CHECK_EQ(rijn_ghash_update(&hash, acc, map, BIG / 16), RIJN_OK);
  for (size_t p = 0; p < BIG / 16; p += PIECE / 16)
    CHECK_EQ(rijn_ghash_update(&hash, in_pieces, map, BIG / 16 - p < PIECE / 16 ? BIG / 16 - p : PIECE / 16), RIJN_OK);
  CHECK_MEM(acc, in_pieces, 16);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  const uint8_t *zeros = mmap(NULL, BIG, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(zeros != MAP_FAILED);
  uint8_t *map = t_folded(BIG, PIECE);
  T_IMPLS(impl) {
    aad(impl, zeros);
    text(impl, zeros, map);
    lists(impl, zeros, map);
  }
  return t_done();
}
