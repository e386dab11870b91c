/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * One page that holds everything: style, script, the chart library (third_party/uplot) and the report as JSON. It
 * loads nothing from anywhere. The pieces are put into the program when it is built.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#ifndef RIJN_BENCH_ROOT
#define RIJN_BENCH_ROOT "."
#endif

/* PORT: .incbin is known to the assemblers of gcc and clang; a string of 50 KB is longer than C11 promises. */
#define PIECE(name, path)                                                                                              \
  __asm__(".section .rodata\n\t.hidden rijn_piece_" #name "\n\t.globl rijn_piece_" #name "\nrijn_piece_" #name         \
          ":\n\t.incbin \"" RIJN_BENCH_ROOT "/" path "\"\n\t.hidden rijn_piece_" #name                                 \
          "_end\n\t.globl rijn_piece_" #name "_end\nrijn_piece_" #name "_end:\n\t.byte 0\n\t.previous\n");             \
  extern const char rijn_piece_##name[], rijn_piece_##name##_end[]

PIECE(page_html, "cmd/bench/html/page.html");
PIECE(page_css, "cmd/bench/html/page.css");
PIECE(page_js, "cmd/bench/html/page.js");
PIECE(uplot_css, "third_party/uplot/uPlot.min.css");
PIECE(uplot_js, "third_party/uplot/uPlot.iife.min.js");
PIECE(uplot_licence, "third_party/uplot/LICENSE");

static const struct {
  const char *mark, *at, *end;
} pieces[] = {
    {"@{page.css}", rijn_piece_page_css, rijn_piece_page_css_end},
    {"@{page.js}", rijn_piece_page_js, rijn_piece_page_js_end},
    {"@{uplot.css}", rijn_piece_uplot_css, rijn_piece_uplot_css_end},
    {"@{uplot.js}", rijn_piece_uplot_js, rijn_piece_uplot_js_end},
    {"@{uplot.licence}", rijn_piece_uplot_licence, rijn_piece_uplot_licence_end},
};

/* The page, with each mark replaced by what it names. */
static void write_html(const struct b_run_info *r, FILE *f) {
  const char *p = rijn_piece_page_html;
  while (p < rijn_piece_page_html_end) {
    const char *mark = memchr(p, '@', (size_t)(rijn_piece_page_html_end - p));
    if (!mark)
      mark = rijn_piece_page_html_end;
    fwrite(p, 1, (size_t)(mark - p), f);
    p = mark;
    if (p == rijn_piece_page_html_end)
      break;
    if (!strncmp(p, "@{data}", 7)) {
      char *json = b_json_text(r);
      fputs(json ? json : "null", f);
      free(json);
      p += 7;
      continue;
    }
    size_t i = 0;
    while (i < sizeof pieces / sizeof *pieces && strncmp(p, pieces[i].mark, strlen(pieces[i].mark)))
      i++;
    if (i == sizeof pieces / sizeof *pieces) {
      fputc(*p++, f);
      continue;
    }
    fwrite(pieces[i].at, 1, (size_t)(pieces[i].end - pieces[i].at), f);
    p += strlen(pieces[i].mark);
  }
}

int b_html(const struct b_run_info *r, const char *path) { return b_write_file(r, path, write_html); }
