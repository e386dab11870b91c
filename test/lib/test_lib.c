/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The instruments themselves: the two references agree, and a check that should fail does. */
#define _GNU_SOURCE
#include "ref.h"
#include "t.h"

#include <sys/wait.h>
#include <unistd.h>

static void model_against_ref(void) {
  static const size_t key_lens[] = {16, 24, 32};
  uint8_t key[32], nonce[128], aad[70], in[600], a[600], b[600], ta[16], tb[16], j0[16], got[16];
  for (size_t i = 0; i < 60; i++) {
    size_t kl = key_lens[i % 3], nl = t_between(1, 128), al = t_below(sizeof aad), n = t_below(sizeof in);
    T_AT("key %zu nonce %zu aad %zu len %zu", kl, nl, al, n);
    t_fill(key, sizeof key);
    t_fill(nonce, sizeof nonce);
    t_fill(aad, sizeof aad);
    t_fill(in, sizeof in);
    if (i % 4 == 0) {
      nl = 12;
    }
    if (i % 4 == 1) { /* the counter wraps within the message */
      t_fill(j0, 12);
      memset(j0 + 12, 0xff, 4);
      j0[15] = (uint8_t)(0xff - i / 4);
      nl = 16;
      model_nonce_for_j0(key, kl, j0, nonce);
      model_j0(key, kl, nonce, 16, got);
      CHECK_MEM(got, j0, 16);
    }
    ref_gcm(key, kl, a, in, n, aad, al, nonce, nl, ta);
    model_gcm(key, kl, b, in, n, aad, al, nonce, nl, tb);
    CHECK_MEM(a, b, n);
    CHECK_MEM(ta, tb, 16);
    struct model_aes k;
    model_aes_init(&k, key, kl);
    model_aes_enc(&k, in, got);
    model_aes_dec(&k, got, got);
    CHECK_MEM(got, in, 16);
  }
}

static void ciphers(void) {
  static const char *const names[] = {"AES-128-ECB", "AES-192-ECB", "AES-256-ECB", "AES-128-CBC", "AES-256-CBC",
                                      "AES-128-CTR", "AES-256-CTR", "AES-128-XTS", "AES-256-XTS"};
  uint8_t key[64], iv[16], in[200], a[200], b[200], iv_a[16], iv_b[16];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    bool any = strstr(names[i], "CTR") != NULL || strstr(names[i], "XTS") != NULL;
    for (size_t n = 16; n <= sizeof in; n += any ? 1 : 16) {
      T_AT("cipher %zu, len %zu", i, n);
      t_fill(key, sizeof key);
      t_fill(iv, sizeof iv);
      t_fill(in, sizeof in);
      for (int enc = 0; enc < 2; enc++) {
        bool chained = strstr(names[i], "CBC") != NULL;
        ref_cipher(names[i], enc, key, iv, a, in, n, chained ? iv_a : NULL);
        model_cipher(names[i], enc, key, iv, b, in, n, chained ? iv_b : NULL);
        CHECK_MEM(b, a, n);
        if (chained) {
          CHECK_MEM(iv_b, iv_a, 16);
        }
      }
    }
  }
}

static void known_answer(void) {
  /* FIPS 197, appendix C.3, and test case 4 of the GCM specification: the model does not only agree with itself. */
  uint8_t key[32], in[60], want[60], out[60], aad[20], nonce[12], tag[16], want_tag[16];
  struct model_aes k;
  T_AT("known answers");
  t_hex(key, 32, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
  t_hex(in, 16, "00112233445566778899aabbccddeeff");
  t_hex(want, 16, "8ea2b7ca516745bfeafc49904b496089");
  model_aes_init(&k, key, 32);
  model_aes_enc(&k, in, out);
  CHECK_MEM(out, want, 16);
  t_hex(key, 16, "feffe9928665731c6d6a8f9467308308");
  t_hex(nonce, 12, "cafebabefacedbaddecaf888");
  t_hex(aad, 20, "feedfacedeadbeeffeedfacedeadbeefabaddad2");
  t_hex(in, 60,
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
        "b16aedf5aa0de657ba637b39");
  t_hex(want, 60,
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05"
        "1ba30b396a0aac973d58e091");
  t_hex(want_tag, 16, "5bc94fbc3221a5db94fae95ae7121a47");
  model_gcm(key, 16, out, in, 60, aad, 20, nonce, 12, tag);
  CHECK_MEM(out, want, 60);
  CHECK_MEM(tag, want_tag, 16);
}

/* Runs f in a child, quietly; its exit status. */
static int child(void (*f)(void)) {
  fflush(NULL);
  pid_t pid = fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    REQUIRE(freopen("/dev/null", "w", stderr) != NULL);
    REQUIRE(freopen("/dev/null", "w", stdout) != NULL);
    f();
    exit(t_done());
  }
  int st = 0;
  REQUIRE(waitpid(pid, &st, 0) == pid);
  return WIFEXITED(st) ? WEXITSTATUS(st) : -1;
}

static volatile uint8_t sink;
static t_buf buf;
static void good(void) { CHECK(sink == 0); }
static void bad_check(void) { CHECK(sink != 0); }
static void bad_eq(void) { CHECK_EQ(sink, 1); }
static void bad_mem(void) { CHECK_MEM("abcd", "abce", 4); }
static void bad_poison(void) {
  uint8_t *p = t_end(&buf, 40);
  t_poison(&buf, p, 30);
  p[30 + sink] = 0;
  CHECK_POISON(&buf, p, 30);
}
static void read_after(void) { sink = t_end(&buf, 0)[sink]; }
static void read_before(void) { sink = t_start(&buf, 0)[-1 - sink]; }
static void write_readonly(void) {
  t_readonly(&buf, true);
  *t_start(&buf, 3) = 1;
}
static void require_unknown(void) {
  setenv("RIJN_REQUIRE_IMPLS", "portable,no-such-thing", 1);
  CHECK_EQ(t_require_impls(), 2);
}
static void require_known(void) {
  setenv("RIJN_REQUIRE_IMPLS", " portable", 1);
  CHECK_EQ(t_require_impls(), 1);
}

static void instruments(void) {
  buf = t_buf_new(4000);
  T_AT("instruments");
  CHECK_EQ(child(good), 0);
  CHECK_EQ(child(bad_check), 1);
  CHECK_EQ(child(bad_eq), 1);
  CHECK_EQ(child(bad_mem), 1);
  CHECK_EQ(child(bad_poison), 1);
  CHECK_EQ(child(require_unknown), 1);
  CHECK_EQ(child(require_known), 0);
  /* A sanitizer may answer a fault with a status of its own. */
  CHECK(child(read_after) != 0);
  CHECK(child(read_before) != 0);
  CHECK(child(write_readonly) != 0);
  t_buf_free(&buf);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  known_answer();
  model_against_ref();
  ciphers();
  instruments();
  return t_done();
}
