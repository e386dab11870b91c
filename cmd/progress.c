/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* One line on a terminal, for work that takes over a second. */
#include "cmd.h"

#include <stdio.h>
#include <unistd.h>

static bool shown; /* there is one line, whoever writes it and whoever has a message */

void rijn_progress_start(struct rijn_progress *p, int out, uint64_t total) {
  /* WHY out: the line would stand in the middle of the text that is shown. */
  *p = (struct rijn_progress){.on = isatty(STDERR_FILENO) == 1 && isatty(out) != 1, .total = total};
  p->start = p->last = rijn_now();
}

void rijn_progress_show(struct rijn_progress *p, uint64_t done) {
  if (!p->on)
    return;
  double now = rijn_now();
  if (now - p->start < 1.0 || now - p->last < 0.25)
    return;
  p->last = now;
  shown = true;
  fprintf(stderr, "\r\033[Krijn: %.1f MB", (double)done * 1e-6);
  if (p->total != 0)
    fprintf(stderr, " of %.1f MB, %.0f %%", (double)p->total * 1e-6, 100.0 * (double)done / (double)p->total);
  fprintf(stderr, ", %.0f MB/s", (double)done * 1e-6 / (now - p->start));
  fflush(stderr);
}

void rijn_progress_clear(void) {
  if (shown)
    fputs("\r\033[K", stderr);
  shown = false;
}
