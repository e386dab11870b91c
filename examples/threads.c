/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * One key, many threads. A key does not change after its init, so they share it without a lock. What they may not share
 * is a nonce: each thread draws the numbers of its messages from one counter.
 */
#include "example.h"

#include <pthread.h>

enum { THREADS = 4, EACH = 200, LEN = 1000, ALL = THREADS * EACH };

static rijn_gcm_key key;
static unsigned char iv[12];
static unsigned char wire[ALL][LEN + 16];
static uint64_t counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t draw(void) {
  EXPECT(pthread_mutex_lock(&lock) == 0);
  uint64_t n = counter++;
  EXPECT(pthread_mutex_unlock(&lock) == 0);
  return n;
}

static void *work(void *arg) {
  unsigned char nonce[12], text[LEN];
  for (int i = 0; i < EACH; i++) {
    uint64_t n = draw();
    memset(text, (int)(n & 0xff), sizeof text);
    MUST(rijn_gcm_nonce(nonce, iv, n));
    MUST(rijn_gcm_seal(&key, wire[n], text, LEN, NULL, 0, nonce, sizeof nonce));
  }
  return arg;
}

int main(void) {
  pthread_t threads[THREADS];
  unsigned char raw[32], nonce[12], text[LEN];
  random_bytes(raw, sizeof raw);
  random_bytes(iv, sizeof iv);
  MUST(rijn_gcm_init(&key, raw, sizeof raw));
  forget(raw, sizeof raw);
  for (int i = 0; i < THREADS; i++)
    EXPECT(pthread_create(&threads[i], NULL, work, NULL) == 0);
  for (int i = 0; i < THREADS; i++)
    EXPECT(pthread_join(threads[i], NULL) == 0);
  for (uint64_t n = 0; n < ALL; n++) {
    MUST(rijn_gcm_nonce(nonce, iv, n));
    MUST(rijn_gcm_open(&key, text, wire[n], LEN + 16, NULL, 0, nonce, sizeof nonce));
    EXPECT(text[0] == (n & 0xff) && text[LEN - 1] == (n & 0xff));
  }
  rijn_gcm_wipe(&key);
  printf("%d messages by %d threads\n", ALL, THREADS);
  return 0;
}
