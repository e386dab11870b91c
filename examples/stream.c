/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * One message in pieces, as they come from somewhere. The pieces may have any length.
 *
 * The other side gets text that is not verified before it has the tag: it keeps all of it to itself until then. A file,
 * or anything longer than memory, is better cut into messages of its own: see file.c.
 */
#include "example.h"

enum { MOST = 5000 };
static unsigned char text[MOST], sealed[MOST], opened[MOST];

/* The result of the last call. Whatever it is, nothing of `opened` may be used unless it is 0. */
static int receive(const rijn_gcm_key *key, const unsigned char nonce[12], const unsigned char tag[16]) {
  rijn_gcm_stream s;
  MUST(rijn_gcm_decrypt_start(&s, key, nonce, 12));
  MUST(rijn_gcm_aad(&s, "header", 6));
  for (size_t done = 0, n = 1; done < MOST; done += n, n = 2 * n + 1) {
    n = n < MOST - done ? n : MOST - done;
    MUST(rijn_gcm_update(&s, opened + done, sealed + done, n));
  }
  int err = rijn_gcm_decrypt_finish(&s, tag);
  if (err != RIJN_OK)
    forget(opened, sizeof opened);
  return err;
}

int main(void) {
  static rijn_gcm_key key;
  rijn_gcm_stream s;
  unsigned char raw[16], nonce[12] = {0}, tag[16];
  random_bytes(raw, sizeof raw);
  random_bytes(text, sizeof text);
  MUST(rijn_gcm_init(&key, raw, sizeof raw));
  forget(raw, sizeof raw);

  MUST(rijn_gcm_encrypt_start(&s, &key, nonce, sizeof nonce));
  MUST(rijn_gcm_aad(&s, "head", 4)); /* associated data first, in pieces too */
  MUST(rijn_gcm_aad(&s, "er", 2));
  for (size_t done = 0; done < MOST; done += 1000)
    MUST(rijn_gcm_update(&s, sealed + done, text + done, 1000));
  MUST(rijn_gcm_encrypt_finish(&s, tag)); /* which wipes the stream; rijn_gcm_stream_wipe gives one up */

  MUST(receive(&key, nonce, tag));
  EXPECT(memcmp(opened, text, MOST) == 0);
  tag[3] ^= 1;
  MUST_BE(RIJN_EAUTH, receive(&key, nonce, tag));
  rijn_gcm_wipe(&key);
  printf("%d bytes in pieces\n", MOST);
  return 0;
}
