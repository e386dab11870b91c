/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* CCM against the standard's text: every length up to some blocks, all lengths of nonces and tags, associated data of
 * each form, at guard pages, in place and out of place; forgeries leave zeros. */
#include "place.h"
#include "ref.h"

enum { MAX_LEN = 2100, MAX_AAD = 0x10010 };

static struct place p;
static uint8_t text[MAX_LEN], want[MAX_LEN], aad[MAX_AAD], raw[32], nonce[13];
static rijn_ccm_key key;

static void message(size_t key_len, size_t nonce_len, size_t tag_len, size_t len, size_t aad_len) {
  uint8_t tag[16], want_tag[16];
  bool in_place = t_below(2) == 1;
  int how = (int)t_below(PLACES);
  T_AT("nonce %zu, length %zu, associated data %zu", nonce_len, len, aad_len);
  t_fill(nonce, sizeof nonce);
  model_ccm(raw, key_len, want, text, len, aad, aad_len, nonce, nonce_len, want_tag, tag_len);
  place(&p, how, in_place, text, len);
  memset(tag, T_POISON, sizeof tag);
  CHECK_EQ(rijn_ccm_encrypt(&key, p.out, p.in, len, aad, aad_len, nonce, nonce_len, tag), 0);
  PLACE_CHECK(&p, text, want, len);
  CHECK_MEM(tag, want_tag, tag_len);
  CHECK_ALL(tag + tag_len, T_POISON, sizeof tag - tag_len);
  place(&p, how, in_place, want, len);
  CHECK_EQ(rijn_ccm_decrypt(&key, p.out, p.in, len, aad, aad_len, nonce, nonce_len, tag), 0);
  PLACE_CHECK(&p, want, text, len);
  /* A bit of anything that the tag covers. */
  uint8_t *of[] = {tag, want, aad, nonce};
  const size_t lens[] = {tag_len, len, aad_len, nonce_len};
  size_t which = t_below(4);
  if (lens[which] == 0)
    which = 0;
  size_t at = t_below(lens[which]);
  of[which][at] ^= (uint8_t)(1u << t_below(8));
  place(&p, how, in_place, want, len);
  CHECK_EQ(rijn_ccm_decrypt(&key, p.out, p.in, len, aad, aad_len, nonce, nonce_len, tag), RIJN_EAUTH);
  CHECK_ALL(p.out, 0, len);
  CHECK_POISON(p.ob, p.out, len);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  place_init(&p, MAX_LEN);
  t_fill(text, sizeof text);
  t_fill(aad, sizeof aad);
  T_IMPLS(impl) {
    for (size_t key_len = 16; key_len <= 32; key_len += 8) {
      t_fill(raw, sizeof raw);
      for (size_t tag_len = 4; tag_len <= 16; tag_len += 2) {
        CHECK_EQ(rijn_ccm_init_impl(&key, raw, key_len, tag_len, impl), 0);
        CHECK_EQ(rijn_ccm_tag_len(&key), tag_len);
        for (size_t len = 0; len <= 130; len += STRIDE)
          message(key_len, 7 + (len + tag_len / 2) % 7, tag_len, len, t_below(60));
        for (size_t nonce_len = 7; nonce_len <= 13; nonce_len++)
          message(key_len, nonce_len, tag_len, t_below(MAX_LEN), t_below(600));
      }
      for (size_t n = 0xfeff; n <= 0xff01; n++) /* the length of associated data in 2 bytes, and in 6 */
        message(key_len, 12, 16, 20, n);
      message(key_len, 12, 16, 0, MAX_AAD);
      message(key_len, 13, 16, MAX_LEN, 14);
    }
  }
  rijn_ccm_wipe(&key);
  CHECK_ALL(&key, 0, sizeof key);
  CHECK_EQ(rijn_ccm_tag_len(&key), 0);
  place_free(&p);
  return t_done();
}
