/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void rijn_say(const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  fputs("rijn: ", stderr);
  vfprintf(stderr, format, ap);
  fputc('\n', stderr);
  va_end(ap);
}

void rijn_say_errno(const char *format, ...) {
  int err = errno;
  va_list ap;
  va_start(ap, format);
  fputs("rijn: ", stderr);
  vfprintf(stderr, format, ap);
  fprintf(stderr, ": %s\n", strerror(err));
  va_end(ap);
}

int rijn_usage(const char *argv0, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  fprintf(stderr, "%s: ", argv0);
  vfprintf(stderr, format, ap);
  fprintf(stderr, "\nTry '%s --help'.\n", argv0);
  va_end(ap);
  return RIJN_EXIT_USAGE;
}

int rijn_take_value(const char **value, const char *given, const char *argv0, const char *option) {
  /* WHY: to take the last would mean another key or another file than the one that was named first. */
  if (*value != NULL)
    return rijn_usage(argv0, "%s: given twice ('%s' and '%s')", option, *value, given);
  *value = given;
  return RIJN_EXIT_OK;
}

int rijn_finish_stdout(int status) {
  /* WHY: a full disk shows at the last flush, and a table cut short must not look like success. */
  if (fflush(stdout) != 0 || ferror(stdout)) {
    rijn_say_errno("standard output: cannot write");
    return RIJN_EXIT_FAILED;
  }
  return status;
}

double rijn_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
