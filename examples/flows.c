/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Packets of many connections, each with a key of its own, in the order in which they arrive. A batch of them as they
 * are would be slower than single calls, because their keys differ. So they are sorted by connection: the few that have
 * many packets are batches of one key, and where a key has one packet or two, single calls save the descriptors.
 */
#include "example.h"

enum { FLOWS = 20, PACKETS = 128, LENGTH = 200, BATCH_FROM = 4 };
typedef struct {
  rijn_gcm_key key;
  unsigned char iv[12];
  uint64_t sent; /* number of the next packet: a nonce is never used twice */
  size_t n;      /* packets that wait */
  size_t waiting[PACKETS];
} flow;
static flow flows[FLOWS];
static unsigned char text[PACKETS][LENGTH], wire[PACKETS][LENGTH], tags[PACKETS][16], nonces[PACKETS][12];

static void encrypt_one_by_one(flow *f) {
  for (size_t i = 0; i < f->n; i++) {
    size_t p = f->waiting[i];
    MUST(rijn_gcm_encrypt(&f->key, wire[p], text[p], LENGTH, NULL, 0, nonces[p], 12, tags[p]));
  }
}
static void encrypt_together(flow *f) {
  static rijn_gcm_msg msgs[PACKETS];
  for (size_t i = 0; i < f->n; i++) {
    size_t p = f->waiting[i];
    msgs[i] = (rijn_gcm_msg)RIJN_GCM_MSG_INIT;
    msgs[i].key = &f->key;
    msgs[i].in = text[p];
    msgs[i].out = wire[p];
    msgs[i].len = LENGTH;
    msgs[i].nonce = nonces[p];
    msgs[i].nonce_len = 12;
    msgs[i].tag = tags[p];
  }
  MUST_BE(0, rijn_gcm_encrypt_batch(msgs, f->n));
}

int main(void) {
  unsigned char raw[32], of[PACKETS];
  int together = 0;
  random_bytes(text, sizeof text);
  random_bytes(of, sizeof of);
  for (size_t i = 0; i < FLOWS; i++) {
    random_bytes(raw, sizeof raw);
    random_bytes(flows[i].iv, sizeof flows[i].iv);
    MUST(rijn_gcm_init(&flows[i].key, raw, sizeof raw));
  }
  forget(raw, sizeof raw);

  for (size_t p = 0; p < PACKETS; p++) {
    of[p] = of[p] < 128 ? of[p] % 3 : of[p] % FLOWS; /* half of them are of three connections */
    flow *f = &flows[of[p]];
    f->waiting[f->n++] = p;
    MUST(rijn_gcm_nonce(nonces[p], f->iv, f->sent++));
  }
  for (size_t i = 0; i < FLOWS; i++) {
    if (flows[i].n >= BATCH_FROM) {
      encrypt_together(&flows[i]);
      together++;
    } else
      encrypt_one_by_one(&flows[i]);
    flows[i].n = 0;
  }

  /* The other side knows each packet's key. */
  for (size_t p = 0; p < PACKETS; p++) {
    MUST(rijn_gcm_decrypt(&flows[of[p]].key, wire[p], wire[p], LENGTH, NULL, 0, nonces[p], 12, tags[p]));
    EXPECT(memcmp(wire[p], text[p], LENGTH) == 0);
  }
  for (size_t i = 0; i < FLOWS; i++)
    rijn_gcm_wipe(&flows[i].key);
  printf("%d packets of %d connections, %d of them as a batch\n", PACKETS, FLOWS, together);
  return 0;
}
