/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Contexts of Rijn's provider that share a key: copies, one of which gets another or goes; in threads; behind fork. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pair.h"

static uint8_t text[8192], key[32], iv[16], aad[64];
static EVP_CIPHER *ref, *ours;

/* n bytes of text, 13 of associated data, in two pieces: the default provider's ciphertext and tag. */
static void seal(const uint8_t *k, uint8_t *out, uint8_t *tag, int n, int more) {
  EVP_CIPHER_CTX *c = one_begin(ref, 1, k, iv);
  CHECK(one_update(c, NULL, aad, 13) == 1 && (n == 0 || one_update(c, out, text, n) == 1));
  CHECK(one_update(c, out + n, text + n, more) == 1 && one_final(c) == 1 && one_get_tag(c, tag, 16) == 1);
  EVP_CIPHER_CTX_free(c);
}

/* A context and its copy have one key in memory. One of them gets another: the other's message, wherever it stands, and
 * the one after it are none the worse. */
static void test_copied_key(void) {
  static const int lens[] = {0, 1, 100, 2048, 3000};
  static uint8_t sealed[2][3100], out[3100];
  uint8_t tags[2][16], tag[16];
  const uint8_t *keys[2] = {key, text};
  for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++)
    for (int which = 0; which < 2; which++)
      for (int freed = 0; freed < 2; freed++) {
        int n = lens[i];
        T_AT("length %zu, the copy gets a key: %zu, and is freed: %zu", n, which, freed);
        for (int k = 0; k < 2; k++)
          seal(keys[k], sealed[k], tags[k], n, 50);
        EVP_CIPHER_CTX *c[2] = {one_begin(ours, 1, key, iv), EVP_CIPHER_CTX_new()};
        CHECK(one_update(c[0], NULL, aad, 13) == 1 && (n == 0 || one_update(c[0], out, text, n) == 1));
        REQUIRE(c[1] != NULL && EVP_CIPHER_CTX_copy(c[1], c[0]) == 1);
        EVP_CIPHER_CTX *mine = c[1 - which], *other = c[which];
        CHECK(EVP_CipherInit_ex2(other, NULL, text, iv, 1, NULL) == 1);
        if (freed)
          EVP_CIPHER_CTX_free(other);
        CHECK(one_update(mine, out + n, text + n, 50) == 1 && one_final(mine) == 1 && one_get_tag(mine, tag, 16) == 1);
        CHECK_MEM(out, sealed[0], (size_t)n + 50);
        CHECK_MEM(tag, tags[0], 16);
        for (int k = 0; k < (freed ? 1 : 2); k++) { /* a whole message of each */
          EVP_CIPHER_CTX *x = k ? other : mine;
          CHECK(k || EVP_CipherInit_ex2(x, NULL, NULL, iv, 1, NULL) == 1);
          CHECK(one_update(x, NULL, aad, 13) == 1 && (n == 0 || one_update(x, out, text, n) == 1));
          CHECK(one_update(x, out + n, text + n, 50) == 1 && one_final(x) == 1 && one_get_tag(x, tag, 16) == 1);
          CHECK_MEM(out, sealed[k], (size_t)n + 50);
          CHECK_MEM(tag, tags[k], 16);
        }
        EVP_CIPHER_CTX_free(mine);
        if (!freed)
          EVP_CIPHER_CTX_free(other);
      }
}

/* Contexts that are made, copied, given other keys, used and freed at random: each has the key it was last given. A tag
 * of less than 16 bytes takes the key of a context from those of its copies. */
enum { KEYS = 4, SLOTS = 6 };
static uint8_t family_text[KEYS][150], family_tag[KEYS][16];

static void family_message(EVP_CIPHER_CTX *c, size_t k, size_t tag_len) {
  uint8_t out[150], tag[16];
  if (tag_len == 0) { /* encrypt */
    CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) == 1 && one_update(c, NULL, aad, 13) == 1);
    CHECK(one_update(c, out, text, 100) == 1 && one_update(c, out + 100, text + 100, 50) == 1 && one_final(c) == 1);
    CHECK(one_get_tag(c, tag, 16) == 1);
    CHECK_MEM(out, family_text[k], sizeof out);
    CHECK_MEM(tag, family_tag[k], sizeof tag);
    return;
  }
  memcpy(tag, family_tag[k], sizeof tag);
  CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 0, NULL) == 1 && one_set_tag(c, tag, (int)tag_len) == 1);
  CHECK(one_update(c, NULL, aad, 13) == 1 && one_update(c, out, family_text[k], 150) == 1 && one_final(c) == 1);
  CHECK_MEM(out, text, sizeof out);
}

static void test_families(void) {
  EVP_CIPHER_CTX *c[SLOTS] = {NULL};
  size_t has[SLOTS] = {0};
  for (size_t k = 0; k < KEYS; k++)
    seal(text + 32 * k, family_text[k], family_tag[k], 100, 50);
  for (size_t step = 0; step < pair_rounds(4000); step++) {
    size_t i = t_below(SLOTS), j = t_below(SLOTS), k = t_below(KEYS), what = t_below(5);
    T_AT("step %zu: context %zu, %zu, other context or key %zu", step, i, what, what == 1 ? j : k);
    if (c[i] == NULL) {
      c[i] = one_begin(ours, 1, text + 32 * k, iv);
      has[i] = k;
    } else if (what == 0) {
      EVP_CIPHER_CTX_free(c[i]);
      c[i] = NULL;
    } else if (what == 1 && j != i) {
      if (c[j] == NULL)
        REQUIRE((c[j] = EVP_CIPHER_CTX_new()) != NULL);
      CHECK(EVP_CIPHER_CTX_copy(c[j], c[i]) == 1);
      has[j] = has[i];
    } else if (what == 2) {
      CHECK(EVP_CipherInit_ex2(c[i], NULL, text + 32 * k, iv, 1, NULL) == 1);
      has[i] = k;
    } else {
      family_message(c[i], has[i], what == 3 ? 0 : 12 + t_below(5));
    }
  }
  for (size_t i = 0; i < SLOTS; i++)
    if (c[i] != NULL) {
      family_message(c[i], has[i], 0);
      EVP_CIPHER_CTX_free(c[i]);
    }
}

/* One long message of the default provider's, whose results threads and children compare theirs with. */
enum { MESSAGES = 64, LONGEST = 6000 };
static uint8_t want[MESSAGES][LONGEST], want_tag[MESSAGES][16];
static int length_of(int i) { return i * i * 3 / 2 % LONGEST; }

static void make_wanted(void) {
  uint8_t nonce[16];
  memcpy(nonce, iv, 16);
  EVP_CIPHER_CTX *c = one_begin(ref, 1, key, NULL);
  for (int i = 0; i < MESSAGES; i++) {
    nonce[0] = (uint8_t)i;
    CHECK(EVP_CipherInit_ex2(c, NULL, NULL, nonce, 1, NULL) == 1 && one_update(c, NULL, aad, 13) == 1);
    CHECK(length_of(i) == 0 || one_update(c, want[i], text, length_of(i)) == 1);
    CHECK(one_final(c) == 1 && one_get_tag(c, want_tag[i], 16) == 1);
  }
  EVP_CIPHER_CTX_free(c);
}

/* Message i on a context that has the key: right in every byte, and back again. */
static bool try_message(EVP_CIPHER_CTX *e, EVP_CIPHER_CTX *d, int i, int first) {
  uint8_t nonce[16], out[LONGEST], tag[16];
  int n = length_of(i), got = 0;
  memcpy(nonce, iv, 16);
  nonce[0] = (uint8_t)i;
  first = first < n ? first : n;
  bool ok = EVP_CipherInit_ex2(e, NULL, NULL, nonce, 1, NULL) == 1 && EVP_CipherUpdate(e, NULL, &got, aad, 13) == 1 &&
            (first == 0 || EVP_CipherUpdate(e, out, &got, text, first) == 1) &&
            (first == n || EVP_CipherUpdate(e, out + first, &got, text + first, n - first) == 1) &&
            EVP_CipherFinal_ex(e, tag, &got) == 1 && one_get_tag(e, tag, 16) == 1;
  ok = ok && memcmp(out, want[i], (size_t)n) == 0 && memcmp(tag, want_tag[i], 16) == 0;
  ok = ok && EVP_CipherInit_ex2(d, NULL, NULL, nonce, 0, NULL) == 1 && one_set_tag(d, tag, 16) == 1 &&
       EVP_CipherUpdate(d, NULL, &got, aad, 13) == 1 && (n == 0 || EVP_CipherUpdate(d, out, &got, out, n) == 1) &&
       EVP_CipherFinal_ex(d, tag, &got) == 1;
  return ok && memcmp(out, text, (size_t)n) == 0;
}

static EVP_CIPHER_CTX *shared[2]; /* read by all threads, which copy them: they share the key */

static void *thread(void *arg) {
  size_t t = (size_t)(uintptr_t)arg, failed = 0;
  for (int round = 0; round < (int)pair_rounds(30); round++) {
    EVP_CIPHER_CTX *ctx[2];
    for (int enc = 0; enc < 2; enc++) {
      ctx[enc] = EVP_CIPHER_CTX_new();
      if (ctx[enc] == NULL)
        return "no memory";
      int ok = (t + (size_t)round) % 2 ? EVP_CIPHER_CTX_copy(ctx[enc], shared[enc])
                                       : EVP_CipherInit_ex2(ctx[enc], ours, key, NULL, enc, NULL);
      failed += ok != 1;
    }
    for (int i = 0; i < MESSAGES; i++)
      failed += !try_message(ctx[1], ctx[0], i, round % 3 ? LONGEST : i);
    for (int enc = 0; enc < 2; enc++)
      EVP_CIPHER_CTX_free(ctx[enc]);
  }
  return failed != 0 ? "a message came out wrong" : NULL;
}

static void test_threads(void) {
  enum { THREADS = 8 };
  pthread_t id[THREADS];
  for (int enc = 0; enc < 2; enc++)
    shared[enc] = one_begin(ours, enc, key, NULL);
  for (size_t i = 0; i < THREADS; i++)
    REQUIRE(pthread_create(&id[i], NULL, thread, (void *)(uintptr_t)i) == 0);
  for (size_t i = 0; i < THREADS; i++) {
    void *result = "?";
    CHECK(pthread_join(id[i], &result) == 0);
    CHECK(result == NULL);
  }
  for (int enc = 0; enc < 2; enc++)
    EVP_CIPHER_CTX_free(shared[enc]);
}

/* A message begun before fork is ended in parent and child, and both go on. */
static void test_fork(void) {
  for (int pieces = 0; pieces < 2; pieces++) {
    uint8_t nonce[16], out[LONGEST], tag[16];
    int i = 60, n = length_of(i), half = n / 2;
    memcpy(nonce, iv, 16);
    nonce[0] = (uint8_t)i;
    EVP_CIPHER_CTX *e = one_begin(ours, 1, key, nonce), *d = one_begin(ours, 0, key, NULL);
    CHECK(one_update(e, NULL, aad, 13) == 1);
    if (pieces)
      CHECK(one_update(e, out, text, half) == 1);
    fflush(NULL);
    pid_t pid = fork();
    REQUIRE(pid >= 0);
    int from = pieces ? half : 0;
    bool ok = one_update(e, out + from, text + from, n - from) == 1 && one_final(e) == 1 &&
              one_get_tag(e, tag, 16) == 1 && memcmp(out, want[i], (size_t)n) == 0 && memcmp(tag, want_tag[i], 16) == 0;
    for (int m = 0; ok && m < MESSAGES; m++)
      ok = try_message(e, d, m, m);
    EVP_CIPHER_CTX_free(e);
    EVP_CIPHER_CTX_free(d);
    if (pid == 0)
      _exit(ok ? 0 : 1);
    CHECK(ok);
    int status = -1;
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  one_open(RIJN_MODULES, &ref, &ours);
  t_fill(text, sizeof text);
  t_fill(key, sizeof key);
  t_fill(iv, sizeof iv);
  t_fill(aad, sizeof aad);
  test_copied_key();
  test_families();
  make_wanted();
  test_threads();
  test_fork();
  one_close(ref, ours);
  return t_done();
}
