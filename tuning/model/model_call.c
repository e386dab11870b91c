// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
/*
 * For tuning/model/model-calls: the address of each instruction that a GCM call runs, a line each. Arguments: an
 * implementation, enc or dec, bytes of text, bits of key.
 */
#include <rijn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 65536 };
static unsigned char text[MOST], cipher[MOST];
__attribute__((noinline)) void mark(void) { __asm__ volatile(""); }

static int fail(const char *what, const char *which) {
  fprintf(stderr, "%s: %s\n", what, which);
  return 2;
}

int main(int argc, char **argv) {
  static rijn_gcm_key k;
  unsigned char raw[32] = {1}, nonce[12] = {2}, aad[16] = {3}, tag[16];
  if (argc != 5)
    return fail("four arguments", argv[0]);
  int impl = rijn_impl_find(argv[1]);
  size_t len = strtoul(argv[3], NULL, 10), key = strtoul(argv[4], NULL, 10) / 8;
  if (impl < 0)
    return fail("no implementation that runs here", argv[1]);
  if (len > MOST)
    return fail("more than 65536 bytes", argv[3]);
  if (rijn_gcm_init_impl(&k, raw, key, 16, impl))
    return fail("not the bits of a key, or an implementation that does not run here", argv[4]);
  if (rijn_gcm_encrypt(&k, cipher, text, len, aad, 16, nonce, 12, tag))
    return fail("not encrypted", argv[1]);
  pid_t child = fork();
  if (child < 0)
    return 3;
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    mark();
    int r = argv[2][0] == 'd' ? rijn_gcm_decrypt(&k, text, cipher, len, aad, 16, nonce, 12, tag)
                              : rijn_gcm_encrypt(&k, cipher, text, len, aad, 16, nonce, 12, tag);
    mark();
    _exit(r ? 1 : 0);
  }
  int status, marks = 0;
  waitpid(child, &status, 0);
  while (WIFSTOPPED(status)) {
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, child, 0, &regs))
      return 3;
    marks += regs.rip == (unsigned long)mark;
    if (marks == 1)
      printf("%llx\n", (unsigned long long)regs.rip);
    if (ptrace(PTRACE_SINGLESTEP, child, 0, 0))
      return 3;
    waitpid(child, &status, 0);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 && marks == 2 ? 0 : 3;
}
