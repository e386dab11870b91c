/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The tag behind the text of AES-GCM-SIV and XAES-256-GCM: what the calls with a tag give, in place and apart,
 * up to guard pages; forgeries; every refusal is exact and writes nothing. */
#include "siv.h"

enum { MOST = 2100 };
static uint8_t raw[32], text[MOST], want[MOST + 16], aad[70], nonce[24], room[256], before[256];
static t_buf in_buf, out_buf;

static int seal(enum mode m, const union any_key *k, void *out, const void *in, size_t len, size_t aad_len) {
  return m == SIV ? rijn_gcm_siv_seal(&k->siv, out, in, len, aad, aad_len, nonce)
                  : rijn_xaes_seal(&k->xaes, out, in, len, aad, aad_len, nonce);
}
static int open_(enum mode m, const union any_key *k, void *out, const void *in, size_t len, size_t aad_len) {
  return m == SIV ? rijn_gcm_siv_open(&k->siv, out, in, len, aad, aad_len, nonce)
                  : rijn_xaes_open(&k->xaes, out, in, len, aad, aad_len, nonce);
}

static void one(enum mode m, const union any_key *k, size_t len, size_t aad_len) {
  T_AT("mode %zu len %zu aad %zu", (size_t)m, len, aad_len);
  CHECK_EQ(any_encrypt(m, k, want, text, len, aad, aad_len, nonce, want + len), 0);
  const uint8_t *in = t_lay(&in_buf, text, len, true, true);
  uint8_t *out = t_end(&out_buf, len + 16); /* the tag's slot ends the page */
  t_poison(&out_buf, out, len + 16);
  CHECK_EQ(seal(m, k, out, in, len, aad_len), 0);
  CHECK_MEM(out, want, len + 16);
  CHECK_POISON(&out_buf, out, len + 16);
  memcpy(out, text, len);
  CHECK_EQ(seal(m, k, out, out, len, aad_len), 0);
  CHECK_MEM(out, want, len + 16);
  t_readonly(&in_buf, false);
  uint8_t *sealed = t_lay(&in_buf, want, len + 16, true, true);
  out = t_end(&out_buf, len);
  t_poison(&out_buf, out, len);
  CHECK_EQ(open_(m, k, out, sealed, len + 16, aad_len), 0);
  CHECK_MEM(out, text, len);
  CHECK_POISON(&out_buf, out, len);
  t_readonly(&in_buf, false);
  sealed[t_below(len + 16)] ^= 4;
  CHECK_EQ(open_(m, k, out, sealed, len + 16, aad_len), RIJN_EAUTH);
  CHECK_ALL(out, 0, len);
  CHECK_EQ(open_(m, k, sealed, sealed, len + 16, aad_len), RIJN_EAUTH);
  CHECK_ALL(sealed, 0, len);
}

#define REFUSED(want, call)                                                                                            \
  do {                                                                                                                 \
    T_AT(#call);                                                                                                       \
    CHECK_UNCHANGED(want, call, room, before);                                                                         \
  } while (0)

static void refusals(enum mode m, const union any_key *k) {
  static const union any_key dead;
  uint8_t *p = room + 64;
  t_fill(room, sizeof room);
  memcpy(before, room, sizeof room);
  REFUSED(RIJN_ENULL, seal(m, NULL, p, p, 32, 5));
  REFUSED(RIJN_ESTATE, seal(m, &dead, p, p, 32, 5));
  REFUSED(RIJN_ENULL, seal(m, k, NULL, p, 32, 5));
  REFUSED(RIJN_ENULL, seal(m, k, NULL, NULL, 0, 5));
  REFUSED(RIJN_ENULL, seal(m, k, p, NULL, 32, 5));
  REFUSED(RIJN_EOVERLAP, seal(m, k, p - 32, p, 32, 5)); /* the tag alone would lie in it */
  REFUSED(RIJN_EOVERLAP, seal(m, k, p + 1, p, 32, 5));
  REFUSED(RIJN_ELEN, seal(m, k, p, p, SIZE_MAX, 5));
  REFUSED(RIJN_ENULL, open_(m, NULL, p, p, 48, 5));
  REFUSED(RIJN_ESTATE, open_(m, &dead, p, p, 48, 5));
  REFUSED(RIJN_ENULL, open_(m, k, p, NULL, 48, 5));
  REFUSED(RIJN_ENULL, open_(m, k, NULL, p, 48, 5));
  REFUSED(RIJN_EOVERLAP, open_(m, k, p + 47, p, 48, 5)); /* over the tag's last byte alone */
  for (size_t n = 0; n < 16; n++)
    REFUSED(RIJN_EAUTH, open_(m, k, p, p, n, 5));
}

int main(int argc, char **argv) {
  static const size_t lens[] = {0, 1, 15, 16, 17, 64, 100, 255, 600, MOST};
  t_init(argc, argv);
  in_buf = t_buf_new(MOST + 16);
  out_buf = t_buf_new(MOST + 16);
  t_fill(raw, sizeof raw);
  t_fill(text, sizeof text);
  t_fill(aad, sizeof aad);
  t_fill(nonce, sizeof nonce);
  T_IMPLS(i) {
    for (enum mode m = SIV; m < MODES; m++) {
      static union any_key key;
      REQUIRE(any_init(m, &key, raw, 32, i) == 0);
      for (size_t l = 0; l < sizeof lens / sizeof *lens; l++)
        one(m, &key, lens[l], l * 7);
      refusals(m, &key);
    }
  }
  t_buf_free(&in_buf);
  t_buf_free(&out_buf);
  return t_done();
}
