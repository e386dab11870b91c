/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Records as TLS 1.3 has them: a header of 5 bytes, the text, and the tag behind it. Both sides count the records; the
 * number is not sent. Each direction has a key and an iv of its own (here one direction is shown).
 *
 * A record that is lost, repeated, or moved to another place has another number, so it does not open.
 */
#include "example.h"

enum { HEADER = 5, TAG = 16, MOST = 16384 };

struct direction {
  rijn_gcm_key key;
  unsigned char iv[12];
  uint64_t next; /* number of the record to come */
};

static void begin(struct direction *d, const unsigned char raw[32], const unsigned char iv[12]) {
  MUST(rijn_gcm_init(&d->key, raw, 32));
  memcpy(d->iv, iv, 12);
  d->next = 0;
}

static void end(struct direction *d) {
  rijn_gcm_wipe(&d->key);
  forget(d, sizeof *d);
}

/* Text to record, which has HEADER + len + TAG bytes. */
static size_t seal(struct direction *d, unsigned char *record, const void *text, size_t len) {
  unsigned char nonce[12];
  const size_t body = len + TAG;
  EXPECT(len <= MOST && d->next != UINT64_MAX); /* after the last number: a new key */
  record[0] = 23;
  record[1] = record[2] = 3;
  record[3] = (unsigned char)(body >> 8);
  record[4] = (unsigned char)body;
  MUST(rijn_gcm_nonce(nonce, d->iv, d->next));
  MUST(rijn_gcm_seal(&d->key, record + HEADER, text, len, record, HEADER, nonce, sizeof nonce));
  d->next++; /* only now: a number that made a record is never taken again */
  return HEADER + body;
}

/* Record to text, in place behind the header. RIJN_EAUTH: end the connection. */
static int open_record(struct direction *d, unsigned char *record, size_t record_len, size_t *len) {
  unsigned char nonce[12];
  if (record_len < HEADER + TAG || d->next == UINT64_MAX)
    return RIJN_EAUTH;
  const size_t body = record_len - HEADER;
  MUST(rijn_gcm_nonce(nonce, d->iv, d->next));
  int err = rijn_gcm_open(&d->key, record + HEADER, record + HEADER, body, record, HEADER, nonce, sizeof nonce);
  if (err != RIJN_OK)
    return err;
  d->next++;
  *len = body - TAG;
  return RIJN_OK;
}

int main(void) {
  static const char *const said[] = {"hello", "", "a second line", "goodbye"};
  enum { N = sizeof said / sizeof *said };
  static struct direction sender, receiver;
  static unsigned char wire[N][64], copy[64];
  unsigned char raw[32], iv[12];
  size_t sent[N], len;

  /* A handshake would give both sides these. */
  random_bytes(raw, sizeof raw);
  random_bytes(iv, sizeof iv);
  begin(&sender, raw, iv);
  begin(&receiver, raw, iv);
  forget(raw, sizeof raw);

  for (int i = 0; i < N; i++)
    sent[i] = seal(&sender, wire[i], said[i], strlen(said[i]));

  /* In order: as it was said. */
  memcpy(copy, wire[0], sizeof copy);
  MUST(open_record(&receiver, wire[0], sent[0], &len));
  EXPECT(len == strlen(said[0]) && memcmp(wire[0] + HEADER, said[0], len) == 0);
  /* The same record once more, and one that is ahead of its turn. */
  MUST_BE(RIJN_EAUTH, open_record(&receiver, copy, sent[0], &len));
  memcpy(copy, wire[2], sizeof copy);
  MUST_BE(RIJN_EAUTH, open_record(&receiver, copy, sent[2], &len));
  /* An altered header, and a record cut short. */
  memcpy(copy, wire[1], sizeof copy);
  copy[0] = 22;
  MUST_BE(RIJN_EAUTH, open_record(&receiver, copy, sent[1], &len));
  MUST_BE(RIJN_EAUTH, open_record(&receiver, wire[2], HEADER + TAG - 1, &len));
  /* A real connection would be at an end by now. This one goes on, to show the others. */
  for (int i = 1; i < N; i++) {
    MUST(open_record(&receiver, wire[i], sent[i], &len));
    EXPECT(len == strlen(said[i]) && memcmp(wire[i] + HEADER, said[i], len) == 0);
  }
  end(&sender);
  end(&receiver);
  printf("%d records\n", N);
  return 0;
}
