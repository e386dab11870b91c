/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The one file that reads the environment. Hosted builds only. */
#define _GNU_SOURCE /* secure_getenv */
#include "cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32 /* PORT: no program there runs with more rights than whoever starts it has */
#define secure_getenv(name) getenv(name)
#endif
/* PORT: macOS and the BSDs ask for the difference by a call of their own; some have the other too. Nobody has run this
 * there. */
#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__) || defined(__DragonFly__)
#include <unistd.h>
#define secure_getenv(name) (issetugid() ? NULL : getenv(name))
#endif

const char *rijn_env_impl(void) { return secure_getenv("RIJN_IMPL"); }

#ifdef RIJN_TEST_HOOKS
/* A name may stand for a bit on more than one architecture ("aes"): all of them are hidden. */
static uint64_t bits_named(const char *name, size_t len) {
  uint64_t bits = 0;
  for (int i = 0; i < RIJN_CPU_BITS; i++) {
    const char *bit = rijn_cpu_bit_name(i);
    if (strlen(bit) == len && memcmp(bit, name, len) == 0)
      bits |= UINT64_C(1) << i;
  }
  return bits;
}

uint64_t rijn_env_hidden(void) {
  const char *p = secure_getenv("RIJN_HIDE");
  uint64_t hidden = 0;
  while (p && *p) {
    size_t len = strcspn(p, ",");
    uint64_t bits = bits_named(p, len);
    if (!bits) {
      /* WHY: a test that hides a misspelt feature would test nothing and say it passed. */
      fprintf(stderr, "rijn: RIJN_HIDE names \"%.*s\", which is no CPU feature this build knows\n", (int)len, p);
      abort();
    }
    hidden |= bits;
    p += len + (p[len] == ',');
  }
  return hidden;
}
#else
uint64_t rijn_env_hidden(void) { return 0; }
#endif
