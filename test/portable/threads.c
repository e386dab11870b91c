/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Threads that make the first call together all get the same choice, and the right one. Each round is a process of its
 * own, because a process chooses once. Then fork: a child goes on with its parent's key, stream and choice. Worth
 * running under ThreadSanitizer too. */
#define _GNU_SOURCE
#include "t.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 8
#define ROUNDS 12

static pthread_barrier_t barrier;

struct result {
  int init, chosen, key_impl;
  uint8_t tag[16];
};

static void *first_call(void *arg) {
  struct result *r = arg;
  static const uint8_t raw[16], nonce[12];
  rijn_gcm_key key;
  memset(&key, 0, sizeof key);
  pthread_barrier_wait(&barrier);
  r->init = rijn_gcm_init(&key, raw, 16);
  r->chosen = rijn_impl_chosen();
  r->key_impl = rijn_gcm_key_impl(&key);
  if (r->init == 0 && rijn_gcm_encrypt(&key, NULL, NULL, 0, NULL, 0, nonce, 12, r->tag) != 0)
    r->init = 1;
  return NULL;
}

/* SP 800-38D test case 1: the tag of nothing under a zero key and a zero nonce. */
static const uint8_t tag1[16] = {0x58, 0xe2, 0xfc, 0xce, 0xfa, 0x7e, 0x30, 0x61,
                                 0x36, 0x7f, 0x1d, 0x57, 0xa4, 0xe7, 0x45, 0x5a};

/* want: the name that must come out, NULL for the default, "" for none. Exit status of the child: what went wrong. */
static int child(const char *want) {
  pthread_t t[THREADS];
  struct result r[THREADS];
  memset(r, 0, sizeof r);
  if (pthread_barrier_init(&barrier, NULL, THREADS) != 0)
    return 2;
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&t[i], NULL, first_call, &r[i]) != 0)
      return 3;
  for (int i = 0; i < THREADS; i++)
    if (pthread_join(t[i], NULL) != 0)
      return 4;
  for (int i = 0; i < THREADS; i++) {
    if (want && !*want) {
      if (r[i].init != RIJN_EIMPL || r[i].chosen != RIJN_EIMPL || r[i].key_impl != RIJN_ESTATE)
        return 5;
      continue;
    }
    if (r[i].init != 0 || r[i].chosen != r[0].chosen || r[i].key_impl != r[0].chosen)
      return 6;
    if (!rijn_impl_supported(r[i].chosen))
      return 7;
    if (want && strcmp(rijn_impl_name(r[i].chosen), want) != 0)
      return 8;
    if (memcmp(r[i].tag, tag1, 16) != 0)
      return 9;
  }
  return 0;
}

static int run(const char *env, const char *want) {
  int status;
  pid_t pid = fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    if (env ? setenv("RIJN_IMPL", env, 1) : unsetenv("RIJN_IMPL"))
      _exit(1);
    _exit(child(want));
  }
  REQUIRE(waitpid(pid, &status, 0) == pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* A message begun by the parent ends in both, alike. */
static void forked(void) {
  static const uint8_t raw[16], nonce[12];
  uint8_t text[100] = {1}, out[100], tag[16], rest[34], again[16];
  rijn_gcm_key key, other;
  rijn_gcm_stream s;
  int status;
  CHECK_EQ(rijn_gcm_init(&key, raw, 16), RIJN_OK);
  CHECK_EQ(rijn_gcm_encrypt(&key, out, text, sizeof text, NULL, 0, nonce, 12, tag), RIJN_OK);
  CHECK_EQ(rijn_gcm_encrypt_start(&s, &key, nonce, 12), RIJN_OK);
  CHECK_EQ(rijn_gcm_update(&s, text, text, 66), RIJN_OK);
  pid_t pid = fork();
  REQUIRE(pid >= 0);
  bool ok = rijn_gcm_update(&s, rest, text + 66, sizeof rest) == RIJN_OK && memcmp(rest, out + 66, sizeof rest) == 0 &&
            rijn_gcm_encrypt_finish(&s, again) == RIJN_OK && memcmp(again, tag, 16) == 0;
  ok = ok && rijn_gcm_init(&other, raw, 16) == RIJN_OK && rijn_gcm_key_impl(&other) == rijn_gcm_key_impl(&key);
  if (pid == 0)
    _exit(ok ? 0 : 1);
  REQUIRE(waitpid(pid, &status, 0) == pid);
  CHECK_EQ(status, 0);
  CHECK(ok);
}

int main(int argc, char **argv) {
  /* WHY before t_init: it asks the library, and its processes would inherit the answer. */
  static int got[ROUNDS][4];
  (void)argv;
  for (size_t i = 0; i < ROUNDS; i++) {
    got[i][0] = run(NULL, NULL);
    got[i][1] = run("portable", "portable");
    got[i][2] = run("no-such-implementation", "");
    got[i][3] = run("", ""); /* set to nothing is a name too, and none that exists */
  }
  t_init(1, argv);
  (void)argc;
  for (size_t i = 0; i < ROUNDS; i++)
    for (size_t k = 0; k < 4; k++) {
      T_AT("round %zu, case %zu", i, k);
      CHECK_EQ(got[i][k], 0);
    }
  T_AT("fork");
  forked();
  return t_done();
}
