/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Random messages, lengths, places and directions: every implementation against portable, and what one sealed another
 * opens. */
#include "siv.h"

enum { MOST = 9000 };
static uint8_t text[MOST + 64], aad[MOST + 64], a_out[MOST + 64], b_out[MOST + 64];

static void one(enum mode m, int impl) {
  uint8_t raw[32], nonce[24], a_tag[16], b_tag[16];
  union any_key a, b;
  const size_t most[4] = {40, 300, 1500, MOST};
  size_t key_len = m == SIV ? 16 + 8 * t_below(3) : 32, len = t_below(most[t_below(4)]), at = t_below(64);
  size_t aad_len = t_below(most[t_below(4)]), aad_at = t_below(64), out_at = t_below(64);
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  t_fill(text + at, len);
  T_AT("mode %zu, len %zu, aad %zu, at %zu", m, len, aad_len, at);
  CHECK_EQ(any_init(m, &a, raw, key_len, impl), RIJN_OK);
  CHECK_EQ(any_init(m, &b, raw, key_len, t_portable()), RIJN_OK);
  CHECK_EQ(any_encrypt(m, &a, a_out + out_at, text + at, len, aad + aad_at, aad_len, nonce, a_tag), RIJN_OK);
  CHECK_EQ(any_encrypt(m, &b, b_out + at, text + at, len, aad + aad_at, aad_len, nonce, b_tag), RIJN_OK);
  CHECK_MEM(a_out + out_at, b_out + at, len);
  CHECK_MEM(a_tag, b_tag, 16);
  CHECK_EQ(any_decrypt(m, &a, b_out + at, b_out + at, len, aad + aad_at, aad_len, nonce, b_tag), RIJN_OK);
  CHECK_MEM(b_out + at, text + at, len);
  a_tag[t_below(16)] ^= (uint8_t)(1u << t_below(8));
  CHECK_EQ(any_decrypt(m, &a, a_out + out_at, a_out + out_at, len, aad + aad_at, aad_len, nonce, a_tag), RIJN_EAUTH);
  CHECK_ALL(a_out + out_at, 0, len);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  t_fill(aad, sizeof aad);
  double end = t_now() + t_seconds(3);
  do {
    T_IMPLS(impl) {
      for (enum mode m = SIV; m < MODES; m++)
        for (int i = 0; i < 10; i++)
          one(m, impl);
    }
  } while (t_now() < end);
  return t_done();
}
