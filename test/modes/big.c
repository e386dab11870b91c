/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Texts above 4 GiB in one call of each mode, where a length or a counter cut to 32 bits would show.
 *
 * Input and output are 64 MiB, seen over and over (t_folded). What the output holds afterwards is the last that was
 * written to each place; it must be what pieces make of it, one after the other, and so must the chaining value or
 * counter to go on with. The pieces are done by the machine's best implementation.
 */
#include "t.h"

#define PIECE ((size_t)64 << 20)
static const size_t big = ((size_t)4 << 30) + 48; /* sectors: a whole one instead */
enum { SECTOR = 4096 };

static uint8_t *in, *out, *want, raw[64];
static rijn_aes_key key, best;
static rijn_xts_key xts_key, xts_best;

typedef int block_fn(const rijn_aes_key *, void *, const void *, size_t);
typedef int chain_fn(const rijn_aes_key *, void *, const void *, size_t, uint8_t *);
typedef int ctr_fn(const rijn_aes_key *, void *, const void *, size_t, rijn_ctr_state *);
typedef int sector_fn(const rijn_xts_key *, void *, const void *, size_t, size_t, uint64_t, uint64_t);

static size_t piece(size_t done, size_t all) { return all - done < PIECE ? all - done : PIECE; }

/* Both outputs start as the same bytes, so that what was left out is seen. */
static void begin(void) {
  memset(out, T_POISON, PIECE);
  memset(want, T_POISON, PIECE);
}

static void ecb(block_fn *crypt) {
  begin();
  CHECK_EQ(crypt(&key, out, in, big / 16), RIJN_OK);
  for (size_t p = 0; p < big; p += PIECE)
    CHECK_EQ(crypt(&best, want, in, piece(p, big) / 16), RIJN_OK);
  CHECK_MEM(out, want, PIECE);
}

static void cbc(chain_fn *crypt) {
  uint8_t iv[16], want_iv[16];
  begin();
  memcpy(iv, raw, 16);
  memcpy(want_iv, raw, 16);
  CHECK_EQ(crypt(&key, out, in, big / 16, iv), RIJN_OK);
  for (size_t p = 0; p < big; p += PIECE)
    CHECK_EQ(crypt(&best, want, in, piece(p, big) / 16, want_iv), RIJN_OK);
  CHECK_MEM(out, want, PIECE);
  CHECK_MEM(iv, want_iv, 16);
}

static void ctr(ctr_fn *crypt) {
  rijn_ctr_state s = {{0}, {0}, 0}, want_s;
  memset(s.ctr + 8, 0xff, 8); /* its last 32 bits wrap at block 14, and in CTR of 128 bits the carry runs on */
  s.ctr[15] -= 13;
  want_s = s;
  begin();
  CHECK_EQ(crypt(&key, out, in, big - 3, &s), RIJN_OK);
  for (size_t p = 0; p < big - 3; p += PIECE)
    CHECK_EQ(crypt(&best, want, in, piece(p, big - 3), &want_s), RIJN_OK);
  CHECK_MEM(out, want, PIECE);
  CHECK_MEM(s.ctr, want_s.ctr, 16);
  CHECK_MEM(s.ks, want_s.ks, 16);
  CHECK_EQ(s.used, want_s.used);
}

/* 4 GiB and one sector; their numbers pass 2^32. */
static void sectors(sector_fn *crypt) {
  const size_t n = ((size_t)4 << 30) / SECTOR + 1;
  const uint64_t first = UINT32_MAX - n / 2;
  begin();
  CHECK_EQ(crypt(&xts_key, out, in, SECTOR, n, first, 1), RIJN_OK);
  for (size_t p = 0; p < n; p += PIECE / SECTOR)
    CHECK_EQ(crypt(&xts_best, want, in, SECTOR, piece(p * SECTOR, n * SECTOR) / SECTOR, first + p, 1), RIJN_OK);
  CHECK_MEM(out, want, PIECE);
}

/* The text is the map; its last bytes and the padding come out at the end. */
static void pkcs7(void) {
  size_t out_len, text = big - 5;
  uint8_t iv[16], last[16];
  begin();
  memcpy(iv, raw, 16);
  CHECK_EQ(rijn_cbc_encrypt_pkcs7(&key, out, &out_len, in, text, raw), RIJN_OK);
  CHECK_EQ(out_len, big);
  for (size_t p = 0; p < big - 16; p += PIECE)
    CHECK_EQ(rijn_cbc_encrypt(&best, want, in, piece(p, big - 16) / 16, iv), RIJN_OK);
  memcpy(last, in + (big - 16) % PIECE, 11);
  memset(last + 11, 5, 5);
  CHECK_EQ(rijn_cbc_encrypt(&best, want + (big - 16) % PIECE, last, 1, iv), RIJN_OK);
  CHECK_MEM(out, want, PIECE);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  in = t_folded(big + SECTOR, PIECE);
  out = t_folded(big + SECTOR, PIECE);
  REQUIRE((want = malloc(PIECE)) != NULL);
  t_fill(in, PIECE);
  t_fill(raw, sizeof raw);
  int fastest = t_impl_next(-1);
  CHECK_EQ(rijn_aes_init_impl(&best, raw, 16, fastest), RIJN_OK);
  CHECK_EQ(rijn_xts_init_impl(&xts_best, raw, 32, fastest), RIJN_OK);
  T_IMPLS(impl) {
    CHECK_EQ(rijn_aes_init_impl(&key, raw, 16, impl), RIJN_OK);
    CHECK_EQ(rijn_xts_init_impl(&xts_key, raw, 32, impl), RIJN_OK);
    T_AT("ECB of 4 GiB and more");
    ecb(rijn_ecb_encrypt);
    ecb(rijn_ecb_decrypt);
    T_AT("CBC of 4 GiB and more");
    cbc(rijn_cbc_encrypt);
    cbc(rijn_cbc_decrypt);
    T_AT("CTR of 4 GiB and more");
    ctr(rijn_ctr_crypt);
    ctr(rijn_ctr32_crypt);
    T_AT("sectors of 4 GiB and more");
    sectors(rijn_xts_encrypt_sectors);
    sectors(rijn_xts_decrypt_sectors);
    if (impl == fastest) { /* all of it is the same code but for the kernels of CBC */
      T_AT("padding behind 4 GiB and more");
      pkcs7();
    }
  }
  return t_done();
}
