/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* One line on a terminal, for work that takes over a second. */
#include "cmd.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool shown; /* there is one line, whoever writes it and whoever has a message */

double rijn_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void rijn_progress_start(struct rijn_progress *p, int out, uint64_t total, const char *name, bool lines) {
  /* WHY out: the line would stand in the middle of the text that is shown. */
  bool seen = isatty(STDERR_FILENO) == 1 && isatty(out) != 1;
  *p = (struct rijn_progress){.on = lines || seen, .lines = lines, .total = total, .name = name};
  p->start = p->last = rijn_now();
}

/* The end of a name, where all of it would break the line; what a terminal obeys is left out. */
static void show_name(const char *name) {
  enum { ROOM = 24 };
  size_t n = strlen(name);
  fputs(n > ROOM ? "..." : "", stderr);
  for (const unsigned char *p = (const unsigned char *)name + (n > ROOM ? n - ROOM : 0); *p != '\0'; p++)
    fputc(rijn_control(p) ? '?' : *p, stderr);
  fputs(": ", stderr);
}

/* Is a line due, after the first second and four times in each? */
static bool due(struct rijn_progress *p, double now) {
  if (!p->on || now - p->start < 1.0 || now - p->last < 0.25)
    return false;
  p->last = now;
  shown |= !p->lines;
  return true;
}

bool rijn_progress_show(struct rijn_progress *p, uint64_t done) {
  double now = rijn_now(), rate = (double)done / (now - p->start);
  if (!due(p, now))
    return false;
  if (p->lines)
    return true;
  fputs("\r\033[Krijn: ", stderr);
  if (p->name != NULL)
    show_name(p->name);
  fprintf(stderr, "%.1f MB", (double)done * 1e-6);
  if (p->total != 0)
    fprintf(stderr, " of %.1f MB, %.0f %%", (double)p->total * 1e-6, 100.0 * (double)done / (double)p->total);
  fprintf(stderr, ", %.0f MB/s", rate * 1e-6);
  if (p->total > done)
    fprintf(stderr, ", %.0f s left", (double)(p->total - done) / rate);
  fflush(stderr);
  return true;
}

void rijn_progress_note(struct rijn_progress *p, const char *format, ...) {
  if (!due(p, rijn_now()))
    return;
  va_list ap;
  va_start(ap, format);
  fputs("\r\033[K", stderr);
  vfprintf(stderr, format, ap);
  va_end(ap);
  fflush(stderr);
}

void rijn_progress_clear(void) {
  if (shown)
    fputs("\r\033[K", stderr);
  shown = false;
}
