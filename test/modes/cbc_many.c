/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Many texts of CBC in one call: numbers, lengths and keys of all kinds, in place or not, against calls for one; a bad
 * text among them; refusals of the whole. */
#include "t.h"

enum { MANY = 40, MOST = 33 };

static uint8_t in[MANY][16 * MOST], out[MANY][16 * MOST], want[16 * MOST], iv[MANY][16];
static rijn_aes_key keys[3];
static rijn_cbc_msg m[MANY];

static void texts(size_t n, size_t lengths, size_t n_keys, bool in_place) {
  uint8_t chain[MANY][16];
  t_fill(in, sizeof in);
  t_fill(iv, sizeof iv);
  memcpy(chain, iv, sizeof iv);
  for (size_t i = 0; i < n; i++) {
    size_t nblk = lengths == 1 ? MOST : t_below(lengths);
    memset(out[i], T_POISON, sizeof out[i]);
    if (in_place)
      memcpy(out[i], in[i], sizeof out[i]);
    m[i] = (rijn_cbc_msg){sizeof m[i], &keys[i * n_keys / n], out[i], in_place ? out[i] : in[i], nblk, iv[i], -1};
  }
  CHECK_EQ(rijn_cbc_encrypt_many(m, n), 0);
  for (size_t i = 0; i < n; i++) {
    size_t len = 16 * m[i].nblk;
    CHECK_EQ(m[i].result, 0);
    CHECK_EQ(rijn_cbc_encrypt(m[i].key, want, in[i], m[i].nblk, chain[i]), 0);
    CHECK_MEM(out[i], want, len);
    CHECK_MEM(iv[i], chain[i], 16);
    if (in_place)
      CHECK_MEM(out[i] + len, in[i] + len, sizeof out[i] - len);
    else
      CHECK_ALL(out[i] + len, T_POISON, sizeof out[i] - len);
  }
}

/* One that is refused, in any way, stays as it is, and the others do not. */
static void refused(void) {
  for (int kind = 0; kind < 7; kind++) {
    for (size_t i = 0; i < 10; i++) {
      memset(out[i], T_POISON, sizeof out[i]);
      m[i] = (rijn_cbc_msg){sizeof m[i], &keys[0], out[i], in[i], 3, iv[i], -1};
    }
    static const int errors[] = {RIJN_ENULL, RIJN_ESTATE, RIJN_ENULL, RIJN_ENULL, RIJN_ENULL, RIJN_EOVERLAP, RIJN_ELEN};
    rijn_aes_key none;
    memset(&none, 0, sizeof none);
    rijn_cbc_msg *bad = &m[4];
    bad->key = kind == 0 ? NULL : kind == 1 ? &none : bad->key;
    bad->out = kind == 2 ? NULL : bad->out;
    bad->in = kind == 3 ? NULL : kind == 5 ? out[4] + 1 : bad->in;
    bad->iv = kind == 4 ? NULL : bad->iv;
    bad->nblk = kind == 6 ? SIZE_MAX / 8 : bad->nblk;
    T_AT("refusal %zu", kind);
    CHECK_EQ(rijn_cbc_encrypt_many(m, 10), 1);
    for (size_t i = 0; i < 10; i++)
      CHECK_EQ(m[i].result, i == 4 ? errors[kind] : 0);
    CHECK_ALL(out[4], T_POISON, sizeof out[4]);
  }
  m[9].size--;
  memset(out[0], T_POISON, 48);
  CHECK_EQ(rijn_cbc_encrypt_many(m, 10), RIJN_ESTRUCT);
  CHECK_EQ(rijn_cbc_encrypt_many(m, RIJN_BATCH_MAX + 1), RIJN_ELEN);
  CHECK_EQ(rijn_cbc_encrypt_many(NULL, 1), RIJN_ENULL);
  CHECK_EQ(rijn_cbc_encrypt_many(NULL, 0), 0);
  CHECK_ALL(out[0], T_POISON, 48);
}

int main(int argc, char **argv) {
  uint8_t raw[32];
  t_init(argc, argv);
  T_IMPLS(impl) {
    for (size_t i = 0; i < 3; i++) {
      t_fill(raw, sizeof raw);
      CHECK_EQ(rijn_aes_init_impl(&keys[i], raw, 16 + 8 * i, impl), 0);
    }
    for (size_t n = 1; n <= MANY; n++)
      for (int how = 0; how < 8; how++) {
        static const size_t lengths[] = {1, 3, MOST, 9};
        T_AT("%zu texts, kind %zu", n, how);
        texts(n, lengths[how % 4], n < 3 ? 1 : 1 + n % 3, how >= 4);
      }
    refused();
  }
  return t_done();
}
