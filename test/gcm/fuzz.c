/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Random messages through a random call of every implementation, against the reference and against portable.
 * Bounded by --seconds; the seed is printed, and --seed repeats a run (the order of the draws does not depend on the
 * clock, only where it ends).
 */
#include "ref.h"
#include "t.h"

#define MAX_LEN 140000 /* past 2^16 bytes and a few times 256 blocks */

static t_buf in_b, out_b, aad_b;
static uint8_t want[MAX_LEN], text[MAX_LEN];

struct msg {
  uint8_t raw[36], nonce[64], want_tag[16], tag[16];
  size_t key_len, nonce_len, aad_len, len, tag_len;
  uint8_t *aad, *in, *out;
};

static size_t some_length(size_t max) {
  if (t_below(200) == 0) {
    return t_below(max + 1);
  }
  max = max < 20000 ? max : 20000;
  switch (t_below(8)) {
  case 0:
    return t_below(max + 1);
  case 1: { /* around a multiple of a pass */
    size_t n = t_below(max / 256 + 1) * 256 + t_below(34);
    return n >= 17 ? n - 17 : 0;
  }
  case 2:
    return t_below(17);
  case 3:
    return t_below(16) * 16;
  default:
    return t_below(t_below(2) ? 300 : 1600);
  }
}

static int one_shot(const struct msg *m, int impl, bool dec) {
  rijn_gcm_key k;
  CHECK_EQ(rijn_gcm_init_impl(&k, m->raw, m->key_len, m->tag_len, impl), RIJN_OK);
  return dec ? rijn_gcm_decrypt(&k, m->out, m->in, m->len, m->aad, m->aad_len, m->nonce, m->nonce_len, m->tag)
             : rijn_gcm_encrypt(&k, m->out, m->in, m->len, m->aad, m->aad_len, m->nonce, m->nonce_len,
                                (void *)(uintptr_t)m->tag);
}

static int stream(struct msg *m, int impl, bool dec) {
  rijn_gcm_key k;
  rijn_gcm_stream s;
  CHECK_EQ(rijn_gcm_init_impl(&k, m->raw, m->key_len, m->tag_len, impl), RIJN_OK);
  CHECK_EQ((dec ? rijn_gcm_decrypt_start : rijn_gcm_encrypt_start)(&s, &k, m->nonce, m->nonce_len), RIJN_OK);
  for (size_t p = 0, n; p < m->aad_len; p += n) {
    n = t_between(0, m->aad_len - p);
    CHECK_EQ(rijn_gcm_aad(&s, m->aad + p, n), RIJN_OK);
  }
  for (size_t p = 0, n; p < m->len; p += n) {
    n = t_below(3) == 0 ? t_below(18) : t_below(m->len + 1);
    n = n < m->len - p ? n : m->len - p;
    CHECK_EQ(rijn_gcm_update(&s, m->out + p, m->in + p, n), RIJN_OK);
  }
  if (!dec) {
    return rijn_gcm_encrypt_finish(&s, m->tag);
  }
  int err = rijn_gcm_decrypt_finish(&s, m->tag);
  if (err == RIJN_EAUTH) { /* the caller's duty, with streams */
    memset(m->out, 0, m->len);
  }
  return err;
}

static int lists(struct msg *m, int impl, bool dec) {
  rijn_gcm_key k;
  rijn_iov in[20], out[20], aad[3];
  size_t a = t_below(m->aad_len + 1), n = t_between(1, 20), o = m->in == m->out ? n : t_between(1, 20);
  CHECK_EQ(rijn_gcm_init_impl(&k, m->raw, m->key_len, m->tag_len, impl), RIJN_OK);
  for (int side = 0; side < 2; side++) {
    rijn_iov *v = side ? out : in;
    uint8_t *p = side ? m->out : m->in;
    size_t left = m->len, runs = side ? o : n;
    for (size_t i = 0; i < runs; i++) {
      v[i].base = p;
      v[i].len = i == runs - 1 ? left : t_below(3) == 0 ? t_below(left < 40 ? left + 1 : 40) : t_below(left + 1);
      p += v[i].len;
      left -= v[i].len;
    }
  }
  if (m->in == m->out) {
    memcpy(out, in, sizeof in);
  }
  aad[0] = (rijn_iov){m->aad, a};
  aad[1] = (rijn_iov){NULL, 0};
  aad[2] = (rijn_iov){m->aad + a, m->aad_len - a};
  return dec ? rijn_gcm_decrypt_iov(&k, out, o, in, n, aad, 3, m->nonce, m->nonce_len, m->tag)
             : rijn_gcm_encrypt_iov(&k, out, o, in, n, aad, 3, m->nonce, m->nonce_len, m->tag);
}

static int batch(struct msg *m, int impl, bool dec) {
  rijn_gcm_key k;
  CHECK_EQ(rijn_gcm_init_impl(&k, m->raw, m->key_len, m->tag_len, impl), RIJN_OK);
  rijn_gcm_msg d = {sizeof d, &k, m->out, m->in, m->len, m->aad, m->aad_len, m->nonce, m->nonce_len, m->tag, 99};
  int failed = dec ? rijn_gcm_decrypt_batch(&d, 1) : rijn_gcm_encrypt_batch(&d, 1);
  CHECK_EQ(failed, d.result != RIJN_OK);
  return d.result;
}

/* Only for what RFC 4106 takes; the salt is the nonce's first 4 bytes. */
static int esp(struct msg *m, int impl, bool dec) {
  rijn_esp_key k;
  memcpy(m->raw + m->key_len, m->nonce, 4);
  CHECK_EQ(rijn_rfc4106_init_impl(&k, m->raw, m->key_len + 4, m->tag_len, impl), RIJN_OK);
  return dec ? rijn_rfc4106_decrypt(&k, m->out, m->in, m->len, m->aad, m->aad_len, m->nonce + 4, m->tag)
             : rijn_rfc4106_encrypt(&k, m->out, m->in, m->len, m->aad, m->aad_len, m->nonce + 4, m->tag);
}

static int call(struct msg *m, int impl, bool dec, size_t way) {
  switch (way) {
  case 0:
    return stream(m, impl, dec);
  case 1:
    return lists(m, impl, dec);
  case 2:
    return batch(m, impl, dec);
  case 3:
    if (m->nonce_len == 12 && (m->aad_len == 8 || m->aad_len == 12) && m->tag_len % 4 == 0 && m->tag_len >= 8) {
      return esp(m, impl, dec);
    }
    break;
  default:
    break;
  }
  return one_shot(m, impl, dec);
}

static void draw(struct msg *m) {
  static const size_t key_lens[] = {16, 24, 32}, tag_lens[] = {4, 8, 12, 13, 14, 15, 16, 16, 16, 16, 16};
  m->key_len = key_lens[t_below(3)];
  m->tag_len = tag_lens[t_below(sizeof tag_lens / sizeof tag_lens[0])];
  m->nonce_len = t_below(3) != 0 ? 12 : t_between(1, 64);
  m->aad_len = t_below(3) == 0 ? 8 + 4 * t_below(2) : t_below(3) == 0 ? t_below(700) : t_below(40);
#ifdef RIJN_REF_LIBCRYPTO
  m->len = some_length(MAX_LEN);
#else
  m->len = some_length(600) % 2000;
#endif
  t_fill(m->raw, sizeof m->raw);
  t_fill(m->nonce, sizeof m->nonce);
  if (m->nonce_len != 12 && t_below(3) == 0) { /* the counter wraps somewhere in the text */
    uint8_t j0[16];
    t_fill(j0, 16);
    memset(j0 + 12, 0xff, 4);
    j0[15] = (uint8_t)t_rnd();
    m->nonce_len = 16;
    model_nonce_for_j0(m->raw, m->key_len, j0, m->nonce);
  }
  t_fill(text, m->len);
  m->aad = t_below(2) ? t_end(&aad_b, m->aad_len) : t_start(&aad_b, t_below(64));
  t_fill(m->aad, m->aad_len);
  m->in = t_below(2) ? t_end(&in_b, m->len) : t_start(&in_b, t_below(64));
  m->out = t_below(4) == 0 ? m->in : t_below(2) ? t_end(&out_b, m->len) : t_start(&out_b, t_below(64));
}

static void round_trip(struct msg *m, int impl) {
  const t_buf *ob = m->in == m->out ? &in_b : &out_b;
  size_t way = t_below(8);
  uint8_t bit = (uint8_t)(1u << t_below(8));
  T_AT("len %zu, aad %zu, nonce %zu, way * 100 + tag %zu", m->len, m->aad_len, m->nonce_len, way * 100 + m->tag_len);
  t_poison(ob, m->out, m->len);
  memcpy(m->in, text, m->len);
  CHECK_EQ(call(m, impl, false, way), RIJN_OK);
  CHECK_MEM(m->out, want, m->len);
  CHECK_MEM(m->tag, m->want_tag, m->tag_len);
  CHECK_POISON(ob, m->out, m->len);

  memcpy(m->in, want, m->len);
  memcpy(m->tag, m->want_tag, 16);
  way = t_below(8);
  T_AT("decrypt len %zu, aad %zu, nonce %zu, way * 100 + tag %zu", m->len, m->aad_len, m->nonce_len,
       way * 100 + m->tag_len);
  CHECK_EQ(call(m, impl, true, way), RIJN_OK);
  CHECK_MEM(m->out, text, m->len);
  CHECK_POISON(ob, m->out, m->len);

  memcpy(m->in, want, m->len);
  way = t_below(8);
  size_t what = t_below(3);
  uint8_t *p = what == 0 && m->len > 0       ? m->in + t_below(m->len)
               : what == 1 && m->aad_len > 0 ? m->aad + t_below(m->aad_len)
                                             : m->tag + t_below(m->tag_len);
  *p ^= bit;
  T_AT("forged len %zu, aad %zu, nonce %zu, way * 100 + tag %zu", m->len, m->aad_len, m->nonce_len,
       way * 100 + m->tag_len);
  int err = call(m, impl, true, way);
  if (m->in != m->out || p == m->tag || what == 1) {
    *p ^= bit;
  }
  /* A tag of 4 bytes lets one forgery in 2^32 through; the seed is fixed, and none of these is it. */
  CHECK_EQ(err, RIJN_EAUTH);
  CHECK_ALL(m->out, 0, m->len);
  CHECK_POISON(ob, m->out, m->len);
}

int main(int argc, char **argv) {
  static struct msg m;
  t_init(argc, argv);
  in_b = t_buf_new(MAX_LEN + 64);
  out_b = t_buf_new(MAX_LEN + 64);
  aad_b = t_buf_new(800);
  double end = t_now() + t_seconds(5);
  int portable = t_portable(), impls[32], n_impls = 0;
  T_IMPLS(i) {
    REQUIRE(n_impls < 32);
    impls[n_impls++] = i;
  }
  size_t rounds = 0;
  do {
    draw(&m);
    ref_gcm(m.raw, m.key_len, want, text, m.len, m.aad, m.aad_len, m.nonce, m.nonce_len, m.want_tag);
    if (rounds % 4 == 0) {
      memcpy(m.in, text, m.len);
      T_AT("portable: len %zu, aad %zu, nonce %zu", m.len, m.aad_len, m.nonce_len);
      CHECK_EQ(one_shot(&m, portable, false), RIJN_OK);
      CHECK_MEM(m.out, want, m.len);
      CHECK_MEM(m.tag, m.want_tag, m.tag_len);
    }
    for (int i = 0; i < n_impls; i++) {
      t_set_impl(impls[i]);
      round_trip(&m, impls[i]);
    }
    t_set_impl(-1);
    rounds++;
  } while (rounds < 50 || t_now() < end);
  printf("%zu messages, %d implementations\n", rounds, n_impls);
  return t_done();
}
