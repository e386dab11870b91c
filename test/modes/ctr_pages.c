/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * CTR by pages of 256 counters, of which long texts have a table, and short ones add rows of a table of counters to
 * what a page has in common: every place in a page as the first, carries into every byte at the end of one of the first
 * pages, lengths around whole passes, in place and not, between guard pages, in one piece and in more, with a counter
 * that is public and one that is said to be secret. The reference: counters are counted here, byte by byte, and
 * encrypted by portable's ECB, which has tests of its own.
 */
#include "place.h"

enum { FEW_BLOCKS = 70, MIN_BLOCKS = 700, MAX_BLOCKS = 1500, MAX_LEN = 16 * MAX_BLOCKS };

static uint8_t text[MAX_LEN], want[MAX_LEN], raw[32];
static rijn_aes_key plain[3];
static struct place p;

/* One more, within the last width bytes. */
static void next(uint8_t c[16], int width) {
  for (int i = 15; i >= 16 - width && ++c[i] == 0; i--)
    continue;
}

struct message {
  uint8_t ctr[16], end[16];
  size_t len, key;
  int width;
};

/* A counter that starts at last in its page, and carries into carried bytes more at the end of one of its first pages;
 * of few blocks at the end of the first. */
static void make(struct message *m, uint8_t last, size_t carried, int width, bool few) {
  uint8_t c[16];
  size_t nblk = few ? 1 + t_below(FEW_BLOCKS) : MIN_BLOCKS + t_below(MAX_BLOCKS - MIN_BLOCKS), rest = t_below(16);
  t_fill(m->ctr, 16);
  memset(m->ctr + 15 - carried, 0xff, carried);
  m->ctr[14] = (uint8_t)(m->ctr[14] - (carried && !few ? t_below(6) : 0));
  m->ctr[15] = last;
  m->len = 16 * nblk - rest;
  m->key = t_below(3);
  m->width = width;
  memcpy(c, m->ctr, 16);
  for (size_t i = 0; i < nblk; i++, next(c, width))
    memcpy(want + 16 * i, c, 16);
  memcpy(m->end, c, 16);
  CHECK_EQ(rijn_ecb_encrypt(&plain[m->key], want, want, nblk), 0);
  for (size_t i = 0; i < m->len; i++)
    want[i] ^= text[i];
}

static void one(const rijn_aes_key *key, const struct message *m, uint32_t flag, bool in_place, size_t first) {
  int (*crypt)(const rijn_aes_key *, void *, const void *, size_t, rijn_ctr_state *) =
      m->width == 4 ? rijn_ctr32_crypt : rijn_ctr_crypt;
  rijn_ctr_state s = {{0}, {0}, flag};
  place(&p, (int)t_below(PLACES), in_place, text, m->len);
  memcpy(s.ctr, m->ctr, 16);
  CHECK_EQ(crypt(key, p.out, p.in, first, &s), 0);
  CHECK_EQ(s.used, first % 16 | flag);
  CHECK_EQ(crypt(key, p.out + first, p.in + first, m->len - first, &s), 0);
  PLACE_CHECK(&p, text, want, m->len);
  CHECK_MEM(s.ctr, m->end, 16);
  CHECK_EQ(s.used, m->len % 16 | flag);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  t_fill(text, sizeof text);
  t_fill(raw, sizeof raw);
  place_init(&p, MAX_LEN);
  for (size_t k = 0; k < 3; k++)
    CHECK_EQ(rijn_aes_init_impl(&plain[k], raw, 16 + 8 * k, t_portable()), 0);
  T_IMPLS(impl) {
    rijn_aes_key keys[3];
    for (size_t k = 0; k < 3; k++)
      CHECK_EQ(rijn_aes_init_impl(&keys[k], raw, 16 + 8 * k, impl), 0);
    for (size_t last = 0; last < 256; last += STRIDE)
      for (size_t way = 0; way < 8; way++) {
        struct message m;
        size_t carried = way / 2 % 2 ? last % 16 : last / 16;
        make(&m, (uint8_t)last, carried, way % 2 ? 4 : 16, way >= 4);
        T_AT("last byte %zu, carry beyond %zu more, width %zu, length %zu", last, carried, m.width, m.len);
        one(&keys[m.key], &m, 0, t_below(2), 0);
        one(&keys[m.key], &m, 0, t_below(2), t_below(m.len < 600 ? m.len : 600));
        one(&keys[m.key], &m, RIJN_CTR_SECRET, t_below(2), t_below(m.len));
      }
  }
  place_free(&p);
  return t_done();
}
