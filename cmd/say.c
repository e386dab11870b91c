/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char last_said[512];

const char *rijn_last_said(void) { return last_said; }

/* One line: before, the message, after. WHY not vfprintf: names of files are in it, often somebody else's, and a
 * control character in one would end the line in a log, or tell a terminal what to do. */
__attribute__((format(printf, 2, 0))) static void say(const char *before, const char *format, va_list ap,
                                                      const char *after) {
  rijn_progress_clear();
  char *text = NULL, *shown = NULL;
  int len = vasprintf(&text, format, ap);
  if (len >= 0)
    shown = malloc(4 * (size_t)len + 1);
  if (shown == NULL) {
    fprintf(stderr, "%s: out of memory\n", before);
  } else {
    char *to = shown;
    *to = '\0';
    int left = 0; /* bytes of a control character that are still to come */
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
      left = left > 0 ? left : rijn_control(p);
      to += sprintf(to, left > 0 ? "\\x%02x" : "%c", *p);
      left -= left > 0;
    }
    snprintf(last_said, sizeof last_said, "%s%s", shown, after);
    fprintf(stderr, "%s: %s%s\n", before, shown, after);
  }
  free(shown);
  if (len >= 0)
    free(text);
}

void rijn_say(const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  say("rijn", format, ap, "");
  va_end(ap);
}

void rijn_say_as(const char *who, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  say(who, format, ap, "");
  va_end(ap);
}

void rijn_say_errno(const char *format, ...) {
  char why[128];
  va_list ap;
  snprintf(why, sizeof why, ": %s", strerror(errno));
  va_start(ap, format);
  say("rijn", format, ap, why);
  va_end(ap);
}

int rijn_usage(const char *argv0, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  say(argv0, format, ap, "");
  va_end(ap);
  fprintf(stderr, "Try '%s --help'.\n", argv0);
  return RIJN_EXIT_USAGE;
}

int rijn_finish_stdout(int status) {
  /* WHY: a full disk shows at the last flush, and a table cut short must not look like success. */
  if (fflush(stdout) != 0 || ferror(stdout)) {
    rijn_say_errno("standard output: cannot write");
    return RIJN_EXIT_FAILED;
  }
  return status;
}
