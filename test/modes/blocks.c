/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* ECB, CBC, CFB and CTR: every number of blocks (CFB, CTR: every length) up to 1.1 KiB and some beyond, at both guard
 * pages and at any alignment, out of place and in place, against the reference. */
#include "place.h"
#include "ref.h"

#define MAX_LEN 9000

static struct place p;
static uint8_t text[MAX_LEN], want[MAX_LEN];
static const struct {
  size_t len;
  const char *ecb, *cbc, *ctr, *cfb;
} sizes[3] = {{16, "AES-128-ECB", "AES-128-CBC", "AES-128-CTR", "AES-128-CFB"},
              {24, "AES-192-ECB", "AES-192-CBC", "AES-192-CTR", "AES-192-CFB"},
              {32, "AES-256-ECB", "AES-256-CBC", "AES-256-CTR", "AES-256-CFB"}};

static rijn_aes_key key;
static uint8_t raw[32];
static size_t ks;

static void ecb(size_t nblk, int how, bool in_place) {
  size_t len = 16 * nblk;
  ref_cipher(sizes[ks].ecb, 1, raw, NULL, want, text, len, NULL);
  place(&p, how, in_place, text, len);
  CHECK_EQ(rijn_ecb_encrypt(&key, p.out, p.in, nblk), 0);
  PLACE_CHECK(&p, text, want, len);
  place(&p, how, in_place, want, len);
  CHECK_EQ(rijn_ecb_decrypt(&key, p.out, p.in, nblk), 0);
  PLACE_CHECK(&p, want, text, len);
}

static void cbc(size_t nblk, int how, bool in_place) {
  size_t len = 16 * nblk;
  uint8_t iv[16], chain[16];
  t_fill(iv, 16);
  ref_cipher(sizes[ks].cbc, 1, raw, iv, want, text, len, NULL);
  const uint8_t *last = nblk ? want + len - 16 : iv; /* the chaining value to go on with */
  place(&p, how, in_place, text, len);
  memcpy(chain, iv, 16);
  CHECK_EQ(rijn_cbc_encrypt(&key, p.out, p.in, nblk, chain), 0);
  PLACE_CHECK(&p, text, want, len);
  CHECK_MEM(chain, last, 16);
  place(&p, how, in_place, want, len);
  memcpy(chain, iv, 16);
  CHECK_EQ(rijn_cbc_decrypt(&key, p.out, p.in, nblk, chain), 0);
  PLACE_CHECK(&p, want, text, len);
  CHECK_MEM(chain, last, 16);
}

/* In one call, and in two. */
static void cfb(size_t len, int how, bool in_place) {
  rijn_cfb_state st = {{0}, 0};
  uint8_t iv[16];
  size_t cut = t_below(len + 1);
  t_fill(iv, 16);
  ref_cipher(sizes[ks].cfb, 1, raw, iv, want, text, len, NULL);
  place(&p, how, in_place, text, len);
  memcpy(st.iv, iv, 16);
  CHECK_EQ(rijn_cfb_encrypt(&key, p.out, p.in, cut, &st), 0);
  CHECK_EQ(rijn_cfb_encrypt(&key, p.out + cut, p.in + cut, len - cut, &st), 0);
  PLACE_CHECK(&p, text, want, len);
  CHECK_EQ(st.used, len % 16);
  if (len >= 16 && len % 16 == 0)
    CHECK_MEM(st.iv, want + len - 16, 16);
  for (int pieces = 1; pieces < 3; pieces++) {
    place(&p, how, in_place, want, len);
    memcpy(st.iv, iv, 16);
    st.used = 0;
    if (pieces == 2)
      CHECK_EQ(rijn_cfb_decrypt(&key, p.out, p.in, cut, &st), 0);
    size_t from = pieces == 2 ? cut : 0;
    CHECK_EQ(rijn_cfb_decrypt(&key, p.out + from, p.in + from, len - from, &st), 0);
    PLACE_CHECK(&p, want, text, len);
  }
}

static void ctr(size_t len, int how, bool in_place) {
  rijn_ctr_state st = {{0}, {0}, 0};
  uint8_t iv[16];
  t_fill(iv, 16);
  iv[15] = (uint8_t)(0xff - t_below(8)); /* the low byte overflows early */
  ref_cipher(sizes[ks].ctr, 1, raw, iv, want, text, len, NULL);
  place(&p, how, in_place, text, len);
  memcpy(st.ctr, iv, 16);
  CHECK_EQ(rijn_ctr_crypt(&key, p.out, p.in, len, &st), 0);
  PLACE_CHECK(&p, text, want, len);
  iv[12] &= 0x7f; /* no wrap of the 32 bits: both variants agree */
  ref_cipher(sizes[ks].ctr, 1, raw, iv, want, text, len, NULL);
  place(&p, how, in_place, text, len);
  memset(&st, 0, sizeof st);
  memcpy(st.ctr, iv, 16);
  CHECK_EQ(rijn_ctr32_crypt(&key, p.out, p.in, len, &st), 0);
  PLACE_CHECK(&p, text, want, len);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  place_init(&p, MAX_LEN);
  t_fill(text, sizeof text);
  T_IMPLS(impl) {
    for (ks = 0; ks < 3; ks++) {
      t_fill(raw, sizeof raw);
      CHECK_EQ(rijn_aes_init_impl(&key, raw, sizes[ks].len, impl), 0);
      for (size_t nblk = 0; nblk <= 70; nblk++) {
        for (int how = 0; how < PLACES; how++) {
          T_AT("key %zu, %zu blocks, place %zu", sizes[ks].len, nblk, how);
          ecb(nblk, how, (nblk + (size_t)how) % 2);
          cbc(nblk, how, (nblk + (size_t)how) % 2);
          ecb(nblk, how, (nblk + (size_t)how) % 2 == 0);
          cbc(nblk, how, (nblk + (size_t)how) % 2 == 0);
        }
      }
      for (size_t len = 0; len <= 1100; len += STRIDE) {
        T_AT("key %zu, length %zu", sizes[ks].len, len);
        ctr(len, (int)(len % PLACES), len / PLACES % 2);
        cfb(len, (int)(len % PLACES), len / PLACES % 2);
        cfb(len, (int)((len + 1) % PLACES), len / PLACES % 2 == 0);
        ctr(len, (int)((len + 1) % PLACES), len / PLACES % 2 == 0);
      }
      for (size_t nblk = 71; 16 * nblk <= MAX_LEN; nblk += 23) {
        T_AT("key %zu, %zu blocks", sizes[ks].len, nblk);
        ecb(nblk, (int)(nblk % PLACES), nblk % 2);
        cbc(nblk, (int)(nblk % PLACES), nblk % 2);
        ctr(16 * nblk - nblk % 16, (int)(nblk % PLACES), nblk % 2);
        cfb(16 * nblk - nblk % 16, (int)(nblk % PLACES), nblk % 2);
      }
      for (size_t i = 0; i < 64; i++) { /* every alignment of in with some of out */
        T_AT("key %zu, alignment %zu", sizes[ks].len, i);
        static const size_t nblks[] = {1, 3, 7, 33, 64};
        for (size_t j = 0; j < 5; j++) {
          ecb(nblks[j], PLACE_BETWEEN, j == 2);
          cbc(nblks[j], PLACE_BETWEEN, j == 3);
          ctr(16 * nblks[j] + i % 16, PLACE_BETWEEN, j == 4);
        }
      }
    }
  }
  place_free(&p);
  return t_done();
}
