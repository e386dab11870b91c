/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Signals in the middle of calls: many, on small alternate stacks, in threads with little stack of their own. The
 * handler uses vector registers, as any C code may, and the library itself. What a call gives does not change. */
#define _GNU_SOURCE
#include "t.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { ALTERNATE = 12 << 10, MOST = 9000, SIGNALS = 300, LENGTHS = 9 };
static const size_t lengths[LENGTHS] = {0, 17, 100, 300, 543, 1000, 2049, 4096, 9000};

static int impl;
static uint8_t raw[64], nonce[16], text[MOST];
static uint8_t want[LENGTHS][MOST], want_tag[LENGTHS][16], want_xts[MOST], want_ctr[MOST];
static rijn_gcm_key key, for_handler;
static rijn_xts_key xts;
static rijn_aes_key aes;
static atomic_int caught, wrong, done;

static void handler(int sig) {
  volatile double x = sig;
  x = x * x; /* a vector register on most machines */
  if (atomic_fetch_add(&caught, 1) % 16 == 0) {
    uint8_t tag[16], out[100];
    if (rijn_gcm_encrypt(&for_handler, out, text, 100, NULL, 0, nonce, 12, tag) != RIJN_OK ||
        memcmp(out, want[2], 100) != 0 || memcmp(tag, want_tag[2], 16) != 0)
      atomic_fetch_add(&wrong, 1);
  }
}

static void *work(void *stack) {
  static uint8_t out[MOST];
  uint8_t tag[16];
  sigset_t set;
  stack_t alternate = {.ss_sp = stack, .ss_size = ALTERNATE};
  sigemptyset(&set);
  sigaddset(&set, SIGURG);
  if (sigaltstack(&alternate, NULL) != 0 || pthread_sigmask(SIG_UNBLOCK, &set, NULL) != 0)
    atomic_fetch_add(&wrong, 1);
  do
    for (size_t i = 0; i < LENGTHS; i++) {
      rijn_ctr_state ctr = {.used = 0};
      if (rijn_gcm_encrypt(&key, out, text, lengths[i], NULL, 0, nonce, 12, tag) != RIJN_OK ||
          memcmp(out, want[i], lengths[i]) != 0 || memcmp(tag, want_tag[i], 16) != 0 ||
          rijn_gcm_decrypt(&key, out, want[i], lengths[i], NULL, 0, nonce, 12, tag) != RIJN_OK ||
          memcmp(out, text, lengths[i]) != 0)
        atomic_fetch_add(&wrong, 1);
      if (rijn_xts_encrypt(&xts, out, text, MOST, nonce) != RIJN_OK || memcmp(out, want_xts, MOST) != 0 ||
          rijn_ctr_crypt(&aes, out, text, MOST, &ctr) != RIJN_OK || memcmp(out, want_ctr, MOST) != 0)
        atomic_fetch_add(&wrong, 1);
    }
  while (atomic_load(&caught) < SIGNALS);
  atomic_store(&done, 1);
  return NULL;
}

static void keys(void) {
  rijn_ctr_state ctr = {.used = 0};
  REQUIRE(rijn_gcm_init_impl(&key, raw, 32, 16, impl) == RIJN_OK);
  REQUIRE(rijn_xts_init_impl(&xts, raw, 64, impl) == RIJN_OK && rijn_aes_init_impl(&aes, raw, 32, impl) == RIJN_OK);
  for_handler = key;
  for (size_t i = 0; i < LENGTHS; i++)
    REQUIRE(rijn_gcm_encrypt(&key, want[i], text, lengths[i], NULL, 0, nonce, 12, want_tag[i]) == RIJN_OK);
  REQUIRE(rijn_xts_encrypt(&xts, want_xts, text, MOST, nonce) == RIJN_OK);
  REQUIRE(rijn_ctr_crypt(&aes, want_ctr, text, MOST, &ctr) == RIJN_OK);
}

int main(int argc, char **argv) {
  static const size_t stacks[] = {16 << 10, 64 << 10};
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  t_init(argc, argv);
  t_fill(raw, sizeof raw);
  t_fill(text, sizeof text);
  t_fill(nonce, sizeof nonce);
  REQUIRE(sigaction(SIGURG, &action, NULL) == 0);
  void *alternate = malloc(ALTERNATE);
  T_IMPLS(i) {
    impl = i;
    keys();
    for (size_t s = 0; s < sizeof stacks / sizeof stacks[0]; s++) {
      pthread_t thread;
      pthread_attr_t attr;
      T_AT("a thread with %zu bytes of stack", stacks[s]);
      atomic_store(&caught, 0);
      atomic_store(&done, 0);
      REQUIRE(pthread_attr_init(&attr) == 0);
      /* PORT: what the system's own part takes is more on some processors. */
      size_t size = stacks[s];
      while (pthread_attr_setstacksize(&attr, size) != 0) {
        size *= 2;
        REQUIRE(size <= 1 << 20);
      }
      REQUIRE(pthread_create(&thread, &attr, work, alternate) == 0);
      while (!atomic_load(&done)) {
        CHECK_EQ(pthread_kill(thread, SIGURG), 0);
        usleep(50);
      }
      CHECK_EQ(pthread_join(thread, NULL), 0);
      CHECK_EQ(atomic_load(&wrong), 0);
    }
  }
  free(alternate);
  return t_done();
}
