/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Many packets in one call, as a network card hands them over. Each has a descriptor with its own key, nonce, data and
 * result: one that is forged is told, and the others are done all the same.
 * What makes a batch faster is short packets one after the other under one key: sort them by their keys. Where each has
 * another key, nothing is gained over rijn_gcm_encrypt in a loop (doc/speed.md, flows.c).
 */
#include "example.h"

enum { PACKETS = 64, MOST = 1500 };
static unsigned char text[PACKETS][MOST], wire[PACKETS][MOST], tags[PACKETS][16], nonces[PACKETS][12];

int main(void) {
  static rijn_gcm_key key;
  static rijn_gcm_msg msgs[PACKETS];
  unsigned char raw[32], iv[12];
  random_bytes(raw, sizeof raw);
  random_bytes(iv, sizeof iv);
  random_bytes(text, sizeof text);
  MUST(rijn_gcm_init(&key, raw, sizeof raw));
  forget(raw, sizeof raw);

  for (size_t i = 0; i < PACKETS; i++) {
    MUST(rijn_gcm_nonce(nonces[i], iv, i));
    msgs[i] = (rijn_gcm_msg)RIJN_GCM_MSG_INIT;
    msgs[i].key = &key;
    msgs[i].in = text[i];
    msgs[i].out = wire[i];
    msgs[i].len = 40 + 23 * i; /* lengths may differ */
    msgs[i].nonce = nonces[i];
    msgs[i].nonce_len = 12;
    msgs[i].tag = tags[i];
  }
  /* How many failed; and a negative number if the call itself was refused. */
  MUST_BE(0, rijn_gcm_encrypt_batch(msgs, PACKETS));

  /* The other side: two of them arrive damaged. */
  wire[5][0] ^= 1;
  tags[PACKETS - 1][15] ^= 128;
  for (size_t i = 0; i < PACKETS; i++)
    msgs[i].in = msgs[i].out; /* in place */
  EXPECT(rijn_gcm_decrypt_batch(msgs, PACKETS) - 2 == 0);
  for (size_t i = 0; i < PACKETS; i++) {
    if (i == 5 || i == PACKETS - 1)
      MUST_BE(RIJN_EAUTH, msgs[i].result);
    else {
      MUST(msgs[i].result);
      EXPECT(memcmp(wire[i], text[i], msgs[i].len) == 0);
    }
  }
  rijn_gcm_wipe(&key);
  printf("%d packets, 2 of them forged\n", PACKETS);
  return 0;
}
