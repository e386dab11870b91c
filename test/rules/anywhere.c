/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Nonce, associated data, tweaks and tag may lie anywhere but inside out: here inside in, and inside each other. What
 * comes out is what copies of them give, and where the tag is written nothing else is. */
#include "t.h"

enum { ROOM = 3072, N = 21 };

/* A message whose parts lie in one run of bytes, and what a call with copies makes of it. */
struct message {
  uint8_t mem[ROOM], keep[ROOM], out[ROOM], want[ROOM], want_tag[16];
  size_t in, len, aad, aad_len, nonce, nonce_len, tag;
};
static struct message msgs[N];

/* Parts at places drawn from all around the text. want: as if each lay by itself. */
static void draw(struct message *m, const rijn_gcm_key *key, size_t max, size_t nonce_len) {
  uint8_t in[ROOM], aad[64], nonce[64];
  m->in = 80;
  m->len = t_below(max + 1);
  m->aad_len = t_below(2) ? 16 : t_below(48);
  m->nonce_len = nonce_len;
  m->aad = t_below(m->len + 100);
  m->nonce = t_below(m->len + 100);
  m->tag = t_below(m->len + 100);
  t_fill(m->mem, ROOM);
  memcpy(in, m->mem + m->in, m->len);
  memcpy(aad, m->mem + m->aad, m->aad_len);
  memcpy(nonce, m->mem + m->nonce, nonce_len);
  CHECK_EQ(rijn_gcm_encrypt(key, m->want, in, m->len, aad, m->aad_len, nonce, nonce_len, m->want_tag), 0);
  memcpy(m->keep, m->mem, ROOM);
}

/* The tag is where it was to be written, and nothing else has changed. */
static void sealed(struct message *m) {
  CHECK_MEM(m->out, m->want, m->len);
  memcpy(m->keep + m->tag, m->want_tag, 16);
  CHECK_MEM(m->mem, m->keep, ROOM);
}

static void one(const rijn_gcm_key *key, size_t max, size_t nonce_len, int lists) {
  struct message *m = &msgs[0];
  draw(m, key, max, nonce_len);
  T_AT("len %zu nonce at %zu aad at %zu tag at %zu", m->len, m->nonce, m->aad, m->tag);
  uint8_t *in = m->mem + m->in, *aad = m->mem + m->aad, *nonce = m->mem + m->nonce, *tag = m->mem + m->tag;
  if (lists) {
    size_t a = t_below(m->len + 1), b = t_below(m->aad_len + 1), c = t_below(m->len + 1);
    rijn_iov i[2] = {{in, a}, {in + a, m->len - a}}, d[2] = {{aad, b}, {aad + b, m->aad_len - b}};
    rijn_iov o[2] = {{m->out, c}, {m->out + c, m->len - c}};
    CHECK_EQ(rijn_gcm_encrypt_iov(key, o, 2, i, 2, d, 2, nonce, nonce_len, tag), 0);
  } else {
    CHECK_EQ(rijn_gcm_encrypt(key, m->out, in, m->len, aad, m->aad_len, nonce, nonce_len, tag), 0);
  }
  sealed(m);
  /* Opened: text whose ciphertext in is, by a tag elsewhere, because it is only read. And by what lies there by
   * chance. */
  uint8_t right[16];
  draw(m, key, max, nonce_len);
  in = m->mem + m->in, aad = m->mem + m->aad, nonce = m->mem + m->nonce, tag = m->mem + m->tag;
  CHECK_EQ(rijn_gcm_encrypt(key, m->out, m->want, m->len, aad, m->aad_len, nonce, nonce_len, right), 0);
  CHECK_MEM(m->out, in, m->len);
  CHECK_EQ(rijn_gcm_decrypt(key, m->out, in, m->len, aad, m->aad_len, nonce, nonce_len, right), 0);
  CHECK_MEM(m->out, m->want, m->len); /* CTR is its own inverse */
  CHECK_EQ(rijn_gcm_decrypt(key, m->out, in, m->len, aad, m->aad_len, nonce, nonce_len, tag), RIJN_EAUTH);
  CHECK_ALL(m->out, 0, m->len);
  CHECK_MEM(m->mem, m->keep, ROOM);
  /* GMAC: the tag inside what it authenticates. */
  CHECK_EQ(rijn_gcm_encrypt(key, m->out, m->out, 0, in, m->len, nonce, nonce_len, m->want_tag), 0);
  CHECK_EQ(rijn_gmac(key, in, m->len, nonce, nonce_len, tag), 0);
  memcpy(m->keep + m->tag, m->want_tag, 16);
  CHECK_MEM(m->mem, m->keep, ROOM);
}

static void batch(const rijn_gcm_key *key, size_t max) {
  rijn_gcm_msg b[N];
  for (size_t i = 0; i < N; i++) {
    struct message *m = &msgs[i];
    draw(m, key, max, 12);
    b[i] = (rijn_gcm_msg){
        sizeof b[0],     key, m->out, m->mem + m->in, m->len, m->mem + m->aad, m->aad_len, m->mem + m->nonce, 12,
        m->mem + m->tag, 1};
  }
  CHECK_EQ(rijn_gcm_encrypt_batch(b, N), 0);
  for (size_t i = 0; i < N; i++) {
    T_AT("message %zu of %zu bytes", i, msgs[i].len);
    sealed(&msgs[i]);
  }
}

static void sectors(const rijn_xts_key *key) {
  static uint8_t in[4096 + 64], out[4096], want[4096], tweaks[128];
  size_t n = t_below(9), len = 512 * n, at = t_below(len + 64 - 16 * n + 1);
  t_fill(in, sizeof in);
  memcpy(tweaks, in + at, 16 * n);
  T_AT("%zu sectors, tweaks at %zu", n, at);
  CHECK_EQ(rijn_xts_encrypt_tweaks(key, want, in, 512, n, tweaks), 0);
  CHECK_EQ(rijn_xts_encrypt_tweaks(key, out, in, 512, n, in + at), 0);
  CHECK_MEM(out, want, len);
  size_t unit = t_between(16, sizeof out);
  at = t_below(unit + 48);
  memcpy(tweaks, in + at, 16);
  CHECK_EQ(rijn_xts_decrypt(key, want, in, unit, tweaks), 0);
  CHECK_EQ(rijn_xts_decrypt(key, out, in, unit, in + at), 0);
  CHECK_MEM(out, want, unit);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  static rijn_gcm_key gcm;
  static rijn_xts_key xts;
  uint8_t raw[64];
  T_IMPLS(i) {
    for (int turn = 0; turn < 60; turn++) {
      t_fill(raw, sizeof raw);
      CHECK_EQ(rijn_gcm_init_impl(&gcm, raw, 16 + 8 * t_below(3), 16, i), 0);
      CHECK_EQ(rijn_xts_init_impl(&xts, raw, 64, i), 0);
      static const size_t most[] = {15, 96, 600, 2700};
      for (size_t m = 0; m < 4; m++) {
        one(&gcm, most[m], turn % 2 ? 12 : t_between(1, 40), turn % 3 == 0);
        batch(&gcm, most[m] < 1800 ? most[m] : 1800);
      }
      sectors(&xts);
    }
  }
  return t_done();
}
