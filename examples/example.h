/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What the examples share: a result that is not as it should be ends the program, and random bytes. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <rijn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every call of Rijn that returns an int is checked. */
#define MUST(call) must((call), RIJN_OK, #call, __LINE__)
/* So is one that has to fail: a forgery that is let through is worse than a crash. */
#define MUST_BE(error, call) must((call), (error), #call, __LINE__)
#define EXPECT(condition) must((condition) ? RIJN_OK : 1, RIJN_OK, #condition, __LINE__)

static inline void must(int got, int want, const char *what, int line) {
  if (got == want)
    return;
  fprintf(stderr, "line %d: %s: %s\n", line, what, got == 1 ? "does not hold" : rijn_strerror(got));
  exit(1);
}

/* The kernel's random generator. */
static inline void random_bytes(void *p, size_t n) {
  FILE *f = fopen("/dev/urandom", "rb");
  EXPECT(f != NULL);
  setbuf(f, NULL); /* no more is drawn than is needed, and no copy stays */
  EXPECT(fread(p, 1, n, f) == n);
  fclose(f);
}

/* For raw keys on the stack: a memset could be left out by the compiler, because nobody reads the zeros. */
static inline void forget(void *p, size_t n) {
  volatile unsigned char *b = (volatile unsigned char *)p;
  while (n-- != 0)
    *b++ = 0;
}

#endif
