/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-GCM-SIV and XAES-256-GCM: one message through every call, on every implementation, against the models; and
 * arguments that may break a rule, which a call must refuse with an error of a broken one, and with no byte written. */
#include "fuzz.h"

enum { TEXT = 6000, AAD = 700, BATCH = 4 };

static uint8_t raw[32], nonce[24], text[TEXT], aad[AAD], want[TEXT], out[TEXT + 16], back[TEXT], want_tag[16], tag[16];
static size_t key_len, len, aad_len;

static void siv(int impl, size_t flip) {
  static uint8_t outs[BATCH][TEXT], tags[BATCH][16];
  rijn_gcm_siv_key key;
  rijn_gcm_siv_msg msgs[BATCH];
  CHECK_EQ(rijn_gcm_siv_init_impl(&key, raw, key_len, impl), RIJN_OK);
  CHECK_EQ(rijn_gcm_siv_encrypt(&key, out, text, len, aad, aad_len, nonce, tag), RIJN_OK);
  CHECK_MEM(out, want, len);
  CHECK_MEM(tag, want_tag, 16);
  CHECK_EQ(rijn_gcm_siv_decrypt(&key, back, out, len, aad, aad_len, nonce, tag), RIJN_OK);
  CHECK_MEM(back, text, len);
  for (size_t i = 0; i < BATCH; i++)
    msgs[i] = (rijn_gcm_siv_msg){sizeof msgs[0], &key, outs[i], text, len, aad, aad_len, nonce, tags[i], 1};
  CHECK_EQ(rijn_gcm_siv_encrypt_batch(msgs, BATCH), 0);
  for (size_t i = 0; i < BATCH; i++) {
    CHECK_MEM(outs[i], want, len);
    CHECK_MEM(tags[i], want_tag, 16);
    msgs[i].in = outs[i];
  }
  tags[flip % BATCH][flip % 16] ^= 1;
  CHECK_EQ(rijn_gcm_siv_decrypt_batch(msgs, BATCH), 1);
  for (size_t i = 0; i < BATCH; i++) {
    if (i != flip % BATCH)
      CHECK_MEM(outs[i], text, len);
    else
      CHECK_ALL(outs[i], 0, len);
  }
  rijn_gcm_siv_wipe(&key);
  CHECK_ALL(&key, 0, sizeof key);
}

static void xaes(int impl, size_t flip) {
  rijn_xaes_key key;
  CHECK_EQ(rijn_xaes_init_impl(&key, raw, 32, impl), RIJN_OK);
  CHECK_EQ(rijn_xaes_encrypt(&key, out, text, len, aad, aad_len, nonce, tag), RIJN_OK);
  CHECK_MEM(out, want, len);
  CHECK_MEM(tag, want_tag, 16);
  CHECK_EQ(rijn_xaes_decrypt(&key, back, out, len, aad, aad_len, nonce, tag), RIJN_OK);
  CHECK_MEM(back, text, len);
  tag[flip % 16] ^= (uint8_t)(1u << flip / 16 % 8);
  CHECK_EQ(rijn_xaes_decrypt(&key, out, out, len, aad, aad_len, nonce, tag), RIJN_EAUTH);
  CHECK_ALL(out, 0, len);
  rijn_xaes_wipe(&key);
  CHECK_ALL(&key, 0, sizeof key);
}

/* An argument left out, a place of the output, a length beyond the limit. The first broken rule in the order of the
 * library's checks is not asked for: any broken one will do. */
static void arguments(struct feed *f, int impl, bool is_siv) {
  static uint8_t was[TEXT + 16];
  rijn_gcm_siv_key s;
  rijn_xaes_key x;
  unsigned left_out = feed_8(f), n = feed_8(f), at = feed_8(f) % 64;
  size_t m = 60, limit = feed_8(f) % 8;
  bool wrong_len = n != 32 && !(is_siv && (n == 16 || n == 24));
  CHECK_EQ(is_siv ? rijn_gcm_siv_init(&s, text, n) : rijn_xaes_init(&x, text, n), wrong_len ? RIJN_EKEYLEN : RIJN_OK);
  CHECK_EQ(is_siv ? rijn_gcm_siv_init_impl(&s, raw, 32, impl) : rijn_xaes_init_impl(&x, raw, 32, impl), RIJN_OK);
  if (limit == 7)
    m = SIZE_MAX - n;
  const void *key = left_out & 1 ? NULL : is_siv ? (const void *)&s : (const void *)&x;
  uint8_t *to = left_out & 2 ? NULL : text + at, *t = left_out & 4 ? NULL : tag;
  const uint8_t *from = left_out & 8 ? NULL : text, *a = left_out & 16 ? NULL : aad, *v = left_out & 32 ? NULL : nonce;
  bool null = (left_out & 63) != 0, overlap = at != 0 && at < 60;
  memcpy(was, text, TEXT);
  memset(tag, 0x5a, 16);
  int err;
  if (left_out & 64)
    err =
        is_siv ? rijn_gcm_siv_encrypt(key, to, from, m, a, 20, v, t) : rijn_xaes_encrypt(key, to, from, m, a, 20, v, t);
  else
    err =
        is_siv ? rijn_gcm_siv_decrypt(key, to, from, m, a, 20, v, t) : rijn_xaes_decrypt(key, to, from, m, a, 20, v, t);
  if (!null && m == 60 && !overlap) {
    CHECK_EQ(err, left_out & 64 ? RIJN_OK : RIJN_EAUTH);
    return;
  }
  CHECK((null && err == RIJN_ENULL) || (m != 60 && err == RIJN_ELEN) || (overlap && err == RIJN_EOVERLAP));
  CHECK_MEM(text, was, TEXT);
  CHECK_ALL(tag, 0x5a, 16);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct feed f = {data, size};
  unsigned shape = feed_8(&f);
  bool is_siv = shape % 4 != 3;
  key_len = is_siv ? 16 + 8 * (size_t)(shape % 4) : 32;
  len = feed_len(&f, shape & 64 ? TEXT : shape & 32 ? 1200 : 300);
  aad_len = feed_len(&f, shape & 16 ? AAD : 40);
  size_t flip = feed_8(&f);
  feed_seed(&f);
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  t_fill(text, sizeof text);
  t_fill(aad, sizeof aad);
  if (is_siv)
    model_gcm_siv(raw, key_len, want, text, len, aad, aad_len, nonce, want_tag);
  else
    model_xaes(raw, want, text, len, aad, aad_len, nonce, want_tag);
  if (planted() && is_siv && len % 16 == 7) /* as if texts of that length were wrong */
    want_tag[3] ^= 1;
  for (int impl = 0; impl < rijn_impl_count(); impl++) {
    if (!rijn_impl_supported(impl))
      continue;
    t_set_impl(impl);
    T_AT("key %zu, len %zu, aad %zu, shape %zu", key_len, len, aad_len, shape);
    if (shape & 128)
      arguments(&f, impl, is_siv);
    else if (is_siv)
      siv(impl, flip);
    else
      xaes(impl, flip);
    fuzz_end();
  }
  return 0;
}
