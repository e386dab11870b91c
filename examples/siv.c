/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * AES-256-GCM-SIV, for those who cannot promise that a nonce is new: a machine that is restored from a snapshot, say.
 * What a nonce used twice gives away is whether the two messages are equal, and nothing else.
 */
#include "example.h"

int main(void) {
  static rijn_gcm_siv_key key;
  static const char first[] = "pay 10", second[] = "pay 99";
  enum { LEN = sizeof first };
  unsigned char raw[32], nonce[12], a[LEN], b[LEN], again[LEN], text[LEN], tag_a[16], tag_b[16], tag_again[16];
  random_bytes(raw, sizeof raw);
  random_bytes(nonce, sizeof nonce);
  MUST(rijn_gcm_siv_init(&key, raw, sizeof raw));
  forget(raw, sizeof raw);

  MUST(rijn_gcm_siv_encrypt(&key, a, first, LEN, "to: bank", 8, nonce, tag_a));
  /* The machine was restored, and takes the nonce once more. */
  MUST(rijn_gcm_siv_encrypt(&key, b, second, LEN, "to: bank", 8, nonce, tag_b));
  MUST(rijn_gcm_siv_encrypt(&key, again, first, LEN, "to: bank", 8, nonce, tag_again));
  EXPECT(memcmp(a, again, LEN) == 0 && memcmp(tag_a, tag_again, 16) == 0);
  /* AES-GCM would have given away the XOR of the two texts, and the key of its tags. */
  int equal = 1;
  for (size_t i = 0; i < LEN; i++)
    equal &= (a[i] ^ b[i]) == (first[i] ^ second[i]);
  EXPECT(!equal);

  MUST(rijn_gcm_siv_decrypt(&key, text, b, LEN, "to: bank", 8, nonce, tag_b));
  EXPECT(memcmp(text, second, LEN) == 0);
  MUST_BE(RIJN_EAUTH, rijn_gcm_siv_decrypt(&key, text, a, LEN, "to: bank", 8, nonce, tag_b));
  MUST_BE(RIJN_EAUTH, rijn_gcm_siv_decrypt(&key, text, b, LEN, "to: thief", 9, nonce, tag_b));
  rijn_gcm_siv_wipe(&key);
  printf("one nonce, two messages, no harm\n");
  return 0;
}
