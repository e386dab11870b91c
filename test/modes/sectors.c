/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * XTS runs of sectors: each sector is what it is alone, for sizes 512 to 65536, steps of plain64 (1), dm-crypt with
 * 4096 bytes (8) and GELI (the sector size), numbers up to the last; and with a tweak for each. Runs that pass 2^64 are
 * refused before a byte is written.
 */
#include "place.h"
#include "ref.h"

#define ROOM (160 * 1024)

static struct place p;
static uint8_t *text, *want;
static rijn_xts_key key;
static uint8_t raw[64];
static size_t raw_len;

static void le128(uint8_t tweak[16], uint64_t n) {
  memset(tweak, 0, 16);
  for (int i = 0; i < 8; i++)
    tweak[i] = (uint8_t)(n >> (8 * i));
}

static void run(size_t size, size_t n, uint64_t first, uint64_t step, int how, bool in_place) {
  static uint8_t tweaks[16 * (ROOM / 512)];
  const char *name = raw_len == 32 ? "AES-128-XTS" : "AES-256-XTS";
  size_t len = size * n;
  uint8_t tweak[16];
  T_AT("key %zu, size %zu, %zu sectors, step %zu", raw_len, size, n, step);
  REQUIRE(len <= ROOM);
  for (size_t i = 0; i < n; i++) {
    le128(tweak, first + i * step);
    ref_cipher(name, 1, raw, tweak, want + i * size, text + i * size, size, NULL);
  }
  place(&p, how, in_place, text, len);
  CHECK_EQ(rijn_xts_encrypt_sectors(&key, p.out, p.in, size, n, first, step), 0);
  PLACE_CHECK(&p, text, want, len);
  place(&p, how, in_place, want, len);
  CHECK_EQ(rijn_xts_decrypt_sectors(&key, p.out, p.in, size, n, first, step), 0);
  PLACE_CHECK(&p, want, text, len);

  t_fill(tweaks, 16 * n);
  for (size_t i = 0; i < n; i++)
    ref_cipher(name, 1, raw, tweaks + 16 * i, want + i * size, text + i * size, size, NULL);
  place(&p, how, in_place, text, len);
  CHECK_EQ(rijn_xts_encrypt_tweaks(&key, p.out, p.in, size, n, tweaks), 0);
  PLACE_CHECK(&p, text, want, len);
  place(&p, how, in_place, want, len);
  CHECK_EQ(rijn_xts_decrypt_tweaks(&key, p.out, p.in, size, n, tweaks), 0);
  PLACE_CHECK(&p, want, text, len);

  for (size_t i = 0; i < n && len <= 8192; i++) { /* one by one */
    CHECK_EQ(rijn_xts_decrypt(&key, p.out, want + i * size, size, tweaks + 16 * i), 0);
    CHECK_MEM(p.out, text + i * size, size);
  }
}

static void refused(size_t n, uint64_t first, uint64_t step, int error) {
  uint8_t *out = t_start(&p.out_buf, 0);
  T_AT("%zu sectors around the last number, step %zu", n, step);
  memset(out, T_POISON, 512 * n);
  CHECK_EQ(rijn_xts_encrypt_sectors(&key, out, text, 512, n, first, step), error);
  if (error)
    CHECK_ALL(out, T_POISON, 512 * n);
  memset(out, T_POISON, 512 * n);
  CHECK_EQ(rijn_xts_decrypt_sectors(&key, out, text, 512, n, first, step), error);
  if (error)
    CHECK_ALL(out, T_POISON, 512 * n);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  place_init(&p, ROOM);
  REQUIRE((text = malloc(ROOM)) != NULL && (want = malloc(ROOM)) != NULL);
  t_fill(text, ROOM);
  T_IMPLS(impl) {
    for (raw_len = 32; raw_len <= 64; raw_len += 32) {
      t_fill(raw, sizeof raw);
      CHECK_EQ(rijn_xts_init_impl(&key, raw, raw_len, impl), 0);
      for (size_t n = 0; n <= 80; n += STRIDE)
        run(512, n, t_rnd() >> 1, n % 3 ? 1 : 512, (int)(n % PLACES), n % 2);
      for (size_t n = 1; n <= 36; n += 5 * STRIDE)
        run(4096, n, t_rnd() >> 1, n % 3 ? 8 : 4096, (int)(n % PLACES), n % 2);
      for (size_t size = 512; size <= 65536; size *= 2) {
        run(size, 1, t_rnd(), 1, PLACE_END, size % 1024);
        run(size, 2, t_rnd() >> 1, size, PLACE_START, true);
        if (3 * size <= ROOM)
          run(size, 3, t_rnd() >> 2, UINT64_C(1) << 61, PLACE_BETWEEN, false);
      }
      run(512, 70, UINT64_MAX - 69, 1, PLACE_END, true); /* up to the last number */
      run(512, 34, 7, 0, PLACE_END, false);              /* all the same */
      run(512, 33, UINT32_MAX - 10, 1, PLACE_END, false);
      refused(2, UINT64_MAX, 1, RIJN_ESECTOR);
      refused(1, UINT64_MAX, 1, 0);
      refused(70, UINT64_MAX - 68, 1, RIJN_ESECTOR);
      refused(3, 1, UINT64_C(1) << 63, RIJN_ESECTOR);
      refused(2, 0, UINT64_MAX, 0);
      refused(2, 1, UINT64_MAX, RIJN_ESECTOR);
      refused(100, 0, UINT64_MAX / 99 + 1, RIJN_ESECTOR);
      refused(100, 0, UINT64_MAX / 99, 0);
    }
  }
  place_free(&p);
  free(text);
  free(want);
  return t_done();
}
