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
#include <unistd.h>

#define PIECE ((size_t)64 << 20)
static const size_t big = ((size_t)4 << 30) + 17;

/* 4 GiB + 17 as associated data in one call: only reads, so the map stays empty. */
static void aad(int impl, const uint8_t *zeros) {
  uint8_t raw[16], nonce[12], tag[16], want[16];
  rijn_gcm_key key;
  rijn_gcm_stream s;
  t_fill(raw, 16);
  t_fill(nonce, 12);
  T_AT("associated data of 4 GiB + 17");
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, 16, impl), RIJN_OK);
  CHECK_EQ(rijn_gmac(&key, zeros, big, nonce, 12, tag), RIJN_OK);
  CHECK_EQ(rijn_gcm_encrypt_start(&s, &key, nonce, 12), RIJN_OK);
  for (size_t p = 0; p < big; p += PIECE) {
    CHECK_EQ(rijn_gcm_aad(&s, zeros, big - p < PIECE ? big - p : PIECE), RIJN_OK);
  }
  CHECK_EQ(rijn_gcm_encrypt_finish(&s, want), RIJN_OK);
  CHECK_MEM(tag, want, 16);
}

/* big bytes of address space over the same PIECE bytes of memory again and again. */
static uint8_t *folded_map(void) {
  int fd = memfd_create("rijn-test", 0);
  REQUIRE(fd >= 0 && ftruncate(fd, (off_t)PIECE) == 0);
  uint8_t *map = mmap(NULL, big / PIECE * PIECE + PIECE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(map != MAP_FAILED);
  for (size_t p = 0; p < big; p += PIECE) {
    REQUIRE(mmap(map + p, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED);
  }
  REQUIRE(close(fd) == 0);
  return map;
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
      CHECK_EQ(rijn_gcm_encrypt(&key, map, zeros, big, raw, 20, nonce, 12, tag), RIJN_OK);
    }
    for (size_t p = 0; p < big; p += PIECE) {
      size_t n = big - p < PIECE ? big - p : PIECE;
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
      CHECK_EQ(rijn_gcm_decrypt(&key, map, zeros, big, raw, 20, nonce, 12, want), RIJN_OK);
    }
    CHECK_MEM(map, piece, PIECE);
  }
  want[15] ^= 1;
  CHECK_EQ(rijn_gcm_decrypt(&key, map, zeros, big, raw, 20, nonce, 12, want), RIJN_EAUTH);
  CHECK_MEM(map, zeros, PIECE);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  const uint8_t *zeros = mmap(NULL, big, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(zeros != MAP_FAILED);
  uint8_t *map = folded_map();
  T_IMPLS(impl) {
    aad(impl, zeros);
    text(impl, zeros, map);
  }
  return t_done();
}
