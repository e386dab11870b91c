/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The statistics of rijn bench against known values, and its table of modes against itself. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void near(const char *what, double got, double want, double within) {
  if (!(fabs(got - want) <= within)) {
    printf("%s: %.9g instead of %.9g\n", what, got, want);
    failures++;
  }
}

static void that(const char *what, bool ok) {
  if (!ok) {
    printf("%s\n", what);
    failures++;
  }
}

/* R: quantile(x, type = 7). */
static void quantiles(void) {
  const double v[] = {9, 1, 4, 16, 25}, one[] = {7};
  near("median", b_quantile(v, 5, 0.5), 9, 0);
  near("tenth", b_quantile(v, 5, 0.1), 2.2, 1e-12);
  near("nine tenths", b_quantile(v, 5, 0.9), 21.4, 1e-12);
  near("least", b_quantile(v, 5, 0), 1, 0);
  near("greatest", b_quantile(v, 5, 1), 25, 0);
  near("of one", b_quantile(one, 1, 0.1), 7, 0);
  that("of none", isnan(b_quantile(v, 0, 0.5)));
  near("the input stays as it was", v[0], 9, 0);

  const double holes[] = {NAN, 9, 1, NAN, 4, 16, 25}, none[] = {NAN, NAN};
  near("median of samples of which some were dropped", b_quantile(holes, 7, 0.5), 9, 0);
  that("of dropped ones alone", isnan(b_quantile(none, 2, 0.5)));
}

/* Ratios are taken round by round: a disturbance that doubles both samples of a round leaves the ratio. */
static void ratios(void) {
  double base[] = {100, 200, 100, 400, 100}, other[] = {150, 300, 150, 600, 150}, ns[] = {1, 1, 1, 1, 1};
  struct b_row rows[2];
  struct b_run_info r;
  memset(rows, 0, sizeof rows);
  memset(&r, 0, sizeof r);
  for (int i = 0; i < 2; i++) {
    rows[i].subject = i;
    rows[i].cycles = i ? other : base;
    rows[i].ns = ns;
    rows[i].n = 5;
  }
  r.rows = rows;
  r.n_rows = 2;
  r.baseline = 0;
  b_row_stats(&r);
  near("ratio of the baseline", rows[0].ratio, 1, 0);
  near("ratio of the other", rows[1].ratio, 1.5, 1e-12);
  near("lowest tenth", rows[0].low, 100, 1e-12);
  near("median", rows[1].median, 150, 1e-12);
  rows[1].n = 4;
  b_row_stats(&r);
  that("no ratio of unequal rounds", isnan(rows[1].ratio));
  rows[1].n = 5;
  rows[1].c.size = 16;
  b_row_stats(&r);
  that("no ratio across cases", isnan(rows[1].ratio));
}

/* Each mode's own list of sizes is one, of lengths that it has; its title has no mark left. */
static void modes(void) {
  for (int i = 0; i < B_OPS; i++) {
    const struct b_mode *m = &b_modes[i];
    size_t v[64];
    int n = b_number_list(m->sizes ? m->sizes : "16,256,4096,16384", 0, 64 << 20, v, 64, NULL);
    that("a mode has a name and a line of help", m->name && m->help && b_mode_find(m->name) == i);
    that("a mode has sizes", n > 0);
    for (int k = 0; k < n; k++)
      that("a mode has its own sizes", b_mode_has_size(m, v[k]));
    n = m->counts ? b_number_list(m->counts, 1, B_BATCH_MAX, v, 64, NULL) : 1;
    that("a mode has counts", n > 0);
    struct b_case c = {.op = (enum b_op)i, .key_bits = 192, .count = 7, .aad = 13};
    char title[128], small[8];
    b_case_title(&c, title, sizeof title);
    b_case_title(&c, small, sizeof small);
    that("a title is made", strlen(title) > 5 && !strpbrk(title, "{}"));
    that("a title fits its place", strlen(small) < sizeof small);
  }
  struct b_case c = {.op = B_BATCH, .key_bits = 256, .dir = B_DEC, .count = 32};
  char title[128];
  b_case_title(&c, title, sizeof title);
  that("the title of a batch", !strcmp(title, "AES-256-GCM decrypt, batches of 32 messages, per message"));
  that("no such mode", b_mode_find("gc") == -1 && b_mode_find("") == -1);
  that("XTS: 2^20 blocks and no more", b_mode_has_size(&b_modes[B_XTS], 16 << 20) &&
                                           !b_mode_has_size(&b_modes[B_XTS], (16 << 20) + 1) &&
                                           !b_mode_has_size(&b_modes[B_XTS], 15));
  that("CBC: whole blocks", !b_mode_has_size(&b_modes[B_CBC], 0) && !b_mode_has_size(&b_modes[B_CBC], 17));
  that("sectors are powers of two", !b_mode_has_size(&b_modes[B_XTSRUN], 1536));
}

static void lists(void) {
  size_t v[4];
  bool mix = false;
  that("a list", b_number_list("16,1k,16,2m", 0, 64 << 20, v, 4, NULL) == 3 && v[1] == 1024 && v[2] == 2 << 20);
  that("the mix", b_number_list("mix", 0, 9, v, 4, &mix) == 0 && mix);
  static const char *const bad[] = {"",    ",",           "1,",  ",1",   "x",   "-1", "1.5",
                                    "1kk", "10000000000", "mix", "1e3x", "nan", ".",  "0x10"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    that(bad[i], b_number_list(bad[i], 0, 64 << 20, v, 4, NULL) == -1);
  that("more than there is room for", b_number_list("1,2,3,4,5", 0, 9, v, 4, NULL) == -1);
}

int main(void) {
  quantiles();
  ratios();
  modes();
  lists();
  printf("%d failures\n", failures);
  return failures != 0;
}
