/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * XAES-256-GCM, for those who keep no counter: nonces of 24 random bytes, as many messages as you like. Here, a table
 * whose rows are encrypted one by one. What a row is about is its associated data, so that none takes another's place.
 */
#include "example.h"

enum { ROWS = 100, LEN = 48 };
struct row {
  unsigned char nonce[24], text[LEN], tag[16];
};

int main(void) {
  static rijn_xaes_key key;
  static struct row table[ROWS];
  unsigned char raw[32], text[LEN];
  random_bytes(raw, sizeof raw);
  MUST(rijn_xaes_init(&key, raw, sizeof raw));
  forget(raw, sizeof raw);

  for (unsigned i = 0; i < ROWS; i++) {
    struct row *r = &table[i];
    unsigned char id[4] = {(unsigned char)i};
    memset(text, 'a' + (int)(i % 26), LEN);
    random_bytes(r->nonce, sizeof r->nonce);
    MUST(rijn_xaes_encrypt(&key, r->text, text, LEN, id, sizeof id, r->nonce, r->tag));
  }
  for (unsigned i = 0; i < ROWS; i++) {
    const struct row *r = &table[i];
    unsigned char id[4] = {(unsigned char)i}, other[4] = {(unsigned char)(i + 1)};
    MUST(rijn_xaes_decrypt(&key, text, r->text, LEN, id, sizeof id, r->nonce, r->tag));
    EXPECT(text[0] == 'a' + i % 26 && text[LEN - 1] == text[0]);
    MUST_BE(RIJN_EAUTH, rijn_xaes_decrypt(&key, text, r->text, LEN, other, sizeof other, r->nonce, r->tag));
  }
  rijn_xaes_wipe(&key);
  printf("%d rows\n", ROWS);
  return 0;
}
