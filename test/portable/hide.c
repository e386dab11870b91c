/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Every set of features this machine can be left with: the choice is supported, the table is consistent with the
 * features, and every implementation that runs gives the bytes the references give, wherever a text is cut (cuts.h).
 *
 * The features are hidden by RIJN_HIDE in a process of its own each. Sets that are equal once dependent features have
 * gone too (AVX2 without AVX) are run once; that they are equal is checked for each. */
#define _GNU_SOURCE
#include "../../src/cpu.h"
#include "../../src/impl.h"
#include "cuts.h"
#include "ref.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEN 613

static struct {
  uint8_t key[64], iv[16], text[LEN], aad[40];
  uint8_t gcm[LEN], tag[16], xts[LEN], ctr[LEN], cbc[LEN];
} v;
#define CBC_LEN (LEN / 16 * 16)
static struct cut_answers cut_at_will;

static void make_answers(void) {
  t_fill(v.key, sizeof v.key);
  t_fill(v.iv, sizeof v.iv);
  t_fill(v.text, sizeof v.text);
  t_fill(v.aad, sizeof v.aad);
  memset(v.iv + 4, 0xff, 12);
  ref_gcm(v.key, 16, v.gcm, v.text, LEN, v.aad, sizeof v.aad, v.iv, 12, v.tag);
  ref_cipher("AES-256-XTS", 1, v.key, v.iv, v.xts, v.text, LEN, NULL);
  ref_cipher("AES-256-CTR", 1, v.key, v.iv, v.ctr, v.text, LEN, NULL);
  ref_cipher("AES-192-CBC", 1, v.key, v.iv, v.cbc, v.text, CBC_LEN, NULL);
  t_fill(&cut_at_will, sizeof cut_at_will);
}

static void check_bytes(int impl) {
  uint8_t out[LEN], tag[16], iv[16];
  rijn_gcm_key g;
  rijn_xts_key x;
  rijn_aes_key a;
  rijn_ctr_state s;

  CHECK_EQ(rijn_gcm_init_impl(&g, v.key, 16, 16, impl), 0);
  CHECK_EQ(rijn_gcm_key_impl(&g), impl);
  CHECK_EQ(rijn_gcm_encrypt(&g, out, v.text, LEN, v.aad, sizeof v.aad, v.iv, 12, tag), 0);
  CHECK_MEM(out, v.gcm, LEN);
  CHECK_MEM(tag, v.tag, 16);
  CHECK_EQ(rijn_gcm_decrypt(&g, out, out, LEN, v.aad, sizeof v.aad, v.iv, 12, tag), 0);
  CHECK_MEM(out, v.text, LEN);
  CHECK_EQ(rijn_xts_init_impl(&x, v.key, 64, impl), 0);
  CHECK_EQ(rijn_xts_encrypt(&x, out, v.text, LEN, v.iv), 0);
  CHECK_MEM(out, v.xts, LEN);
  CHECK_EQ(rijn_xts_decrypt(&x, out, out, LEN, v.iv), 0);
  CHECK_MEM(out, v.text, LEN);
  CHECK_EQ(rijn_aes_init_impl(&a, v.key, 32, impl), 0);
  memset(&s, 0, sizeof s);
  memcpy(s.ctr, v.iv, 16);
  CHECK_EQ(rijn_ctr_crypt(&a, out, v.text, LEN, &s), 0);
  CHECK_MEM(out, v.ctr, LEN);
  CHECK_EQ(rijn_aes_init_impl(&a, v.key, 24, impl), 0);
  memcpy(iv, v.iv, 16);
  CHECK_EQ(rijn_cbc_encrypt(&a, out, v.text, CBC_LEN / 16, iv), 0);
  CHECK_MEM(out, v.cbc, CBC_LEN);
  memcpy(iv, v.iv, 16);
  CHECK_EQ(rijn_cbc_decrypt(&a, out, out, CBC_LEN / 16, iv), 0);
  CHECK_MEM(out, v.text, CBC_LEN);
}

static void list_names(char *buf, size_t size, uint64_t bits, char sep) {
  size_t n = 0;
  buf[0] = 0;
  for (int i = 0; i < RIJN_CPU_BITS; i++)
    if (bits >> i & 1)
      n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? (char[2]){sep, 0} : "", rijn_cpu_bit_name(i));
  REQUIRE(n < size);
}

/* In the child: what is left must be exactly this. */
static int check_set(uint64_t left) {
  struct rijn_cpu cpu;
  char want[512], got[512];
  int best = -1, chosen = rijn_impl_chosen();
  rijn_gcm_key g;

  cut_whole(&cut_at_will, t_portable());
  rijn_cpu_read(&cpu);
  CHECK_EQ(cpu.has, left);
  list_names(want, sizeof want, left, ' ');
  CHECK(strcmp(rijn_cpu_features(got, sizeof got), want) == 0);
  for (int i = 0; i < rijn_impl_count(); i++) {
    bool runs = (rijn_impls[i]->needs & ~left) == 0;
    const char *why = rijn_impl_why(i, got, sizeof got);
    CHECK_EQ(rijn_impl_supported(i), runs);
    if (!runs) {
      CHECK(strncmp(why, "missing ", 8) == 0);
      CHECK_EQ(rijn_gcm_init_impl(&g, v.key, 16, 16, i), RIJN_EIMPL);
      continue;
    }
    CHECK(why[0] == 0 || strncmp(why, "policy: ", 8) == 0);
    if (best < 0 && why[0] == 0)
      best = i;
    check_bytes(i);
    cut_everywhere(&cut_at_will, i);
  }
  CHECK_EQ(chosen, best);
  CHECK_EQ(rijn_gcm_init(&g, v.key, 16), 0);
  CHECK_EQ(rijn_gcm_key_impl(&g), chosen);
  fflush(NULL);
  return t_done();
}

/* A child with RIJN_HIDE = hide: its wait status. quiet: nothing it prints is shown. */
static int with_hidden(const char *hide, bool quiet, uint64_t left) {
  int status, null;
  fflush(NULL);
  pid_t pid = fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    null = open("/dev/null", O_WRONLY);
    if (null < 0 || setenv("RIJN_HIDE", hide, 1) != 0 || unsetenv("RIJN_IMPL") != 0)
      _exit(99);
    dup2(null, 1);
    if (quiet)
      dup2(null, 2);
    _exit(check_set(left));
  }
  REQUIRE(waitpid(pid, &status, 0) == pid);
  return status;
}

int main(int argc, char **argv) {
  static uint64_t done[1 << 14]; /* sets that have been run */
  size_t sets = 0, masks = 0;
  char hide[512];
  struct rijn_cpu cpu;

  /* The choice is made in the children: nothing here may ask for it, so the harness is not started either. */
  if (argc > 2 && strcmp(argv[1], "--seed") == 0)
    t_seed(strtoull(argv[2], NULL, 0));
  make_answers();
  REQUIRE(unsetenv("RIJN_HIDE") == 0);
  rijn_cpu_read(&cpu);

  /* All subsets of what is here, largest first. */
  for (uint64_t left = cpu.has;; left = (left - 1) & cpu.has) {
    uint64_t closed = rijn_cpu_close(left);
    size_t i = 0;
    masks++;
    while (i < sets && done[i] != closed)
      i++;
    if (i == sets) {
      REQUIRE(sets < sizeof done / sizeof done[0]);
      done[sets++] = closed;
      list_names(hide, sizeof hide, cpu.has & ~left, ',');
      int status = with_hidden(hide, false, closed);
      if (status != 0)
        t_fail(__FILE__, __LINE__, "RIJN_HIDE=%s: status %#x", hide, (unsigned)status);
      CHECK_EQ(status, 0);
    }
    if (left == 0)
      break;
  }
  printf("hide: %zu combinations, %zu different sets of features\n", masks, sets);

  /* A name that is none must end the process, or a misspelt test would test nothing. */
  static const char *const bad[] = {"avx3", "aes,avx3", "AES", "avx ", ",aes", "aes,,avx"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    int status = with_hidden(bad[i], true, 0);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  }
  return t_done();
}
