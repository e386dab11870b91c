/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "cmd.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* The options that begin as word does, commas between: nothing where there are not two. */
static void candidates(const char *word, const struct option *options, char *text, size_t size) {
  size_t len = strcspn(word + 2, "="), n = 0, found = 0;
  text[0] = '\0';
  for (const struct option *o = options; o != NULL && o->name != NULL && strncmp(word, "--", 2) == 0; o++)
    if (strncmp(o->name, word + 2, len) == 0) {
      int more = snprintf(text + n, size - n, "%s--%s", found++ > 0 ? ", " : "", o->name);
      n += more > 0 && (size_t)more < size - n ? (size_t)more : 0;
    }
  if (found < 2)
    text[0] = '\0';
}

/* WHY optopt: in the middle of a word of short options optind is at that word still, and the one before it is another.
 * It is 0 for an unknown long option; a letter of letters there is a known long option's. */
int rijn_refuse_option(const char *argv0, int opt, char **argv, const char *letters, const struct option *options) {
  const char *word = argv[optind - 1];
  const char letter[] = {'-', (char)optopt, '\0'};
  char several[256];
  bool known = optopt > UCHAR_MAX || (optopt != ':' && strchr(letters, optopt) != NULL);
  bool is_short = opt == ':' ? strncmp(word, "--", 2) != 0 : !known;
  if (opt != ':' && optopt == 0) {
    candidates(word, options, several, sizeof several);
    if (several[0] != '\0')
      return rijn_usage(argv0, "%s: can be %s", word, several);
  }
  const char *why = optopt == 0 || is_short ? "no such option" : "takes no value";
  if (opt == ':')
    why = "its value is missing";
  return rijn_usage(argv0, "%s: %s", is_short ? letter : word, why);
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
