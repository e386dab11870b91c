/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The statistics of rijn bench against published values, and its reader of JSON against what it must refuse. */
#include "bench.h"
#include "json_read.h"

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

/* Two-sided 95 %, from the tables (NIST/SEMATECH handbook, 1.3.6.7.2). */
static void student(void) {
  static const struct {
    double df, t;
  } known[] = {{1, 12.706}, {2, 4.303},  {3, 3.182},   {5, 2.571},    {10, 2.228},   {20, 2.086},
               {30, 2.042}, {60, 2.000}, {100, 1.984}, {1000, 1.962}, {1e6, 1.95996}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    near("Student's t", b_student_t(known[i].df), known[i].t, 0.0006);
  that("t of no degree of freedom is not a number", isnan(b_student_t(0)));
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
  near("mean", b_mean(v, 5), 11, 1e-12);
  near("variance", b_variance(v, 5), 93.5, 1e-12);
  that("variance of one", isnan(b_variance(one, 1)));
}

/* The example of ministat(1): averages 300 and 540, deviations 238.04761 and 299.08193, "no difference proven". */
static void ministat(void) {
  const double iguana[] = {50, 200, 150, 400, 750, 400, 150}, chameleon[] = {150, 400, 720, 500, 930};
  struct b_difference d;
  b_compare_samples(iguana, 7, chameleon, 5, &d);
  near("average of the first", d.mean_a, 300, 1e-9);
  near("average of the second", d.mean_b, 540, 1e-9);
  near("deviation of the first", sqrt(b_variance(iguana, 7)), 238.04761, 1e-5);
  near("deviation of the second", sqrt(b_variance(chameleon, 5)), 299.08193, 1e-5);
  near("difference", d.diff, 240, 1e-9);
  /* t(10) = 2.228139, pooled deviation sqrt((6 * 238.04761^2 + 4 * 299.08193^2) / 10) = 264.159, sqrt(1/7 + 1/5) */
  near("interval", d.half, 2.228139 * 264.1590 * 0.5855400, 0.02);
  that("iguana and chameleon: no difference proven", !d.proven);

  const double a[] = {100, 101, 99, 100}, b[] = {103, 102, 104, 103};
  b_compare_samples(a, 4, b, 4, &d); /* t(6) = 2.446912, s = 0.8164966, sqrt(1/2) */
  near("second interval", d.half, 2.446912 * 0.8164966 * 0.7071068, 1e-5);
  that("3 of 100 with a deviation of 0.8: proven", d.proven && fabs(d.diff - 3) < 1e-12);
  b_compare_samples(a, 4, a, 4, &d);
  that("a sample against itself: nothing proven", !d.proven && fabs(d.diff) < 1e-12);
  b_compare_samples(a, 1, b, 4, &d);
  that("one observation proves nothing", !d.proven);
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

static bool reads(const char *text) {
  struct jv v;
  char error[128] = "";
  /* A copy without a zero behind it, for a sanitizer to see every byte read too far. */
  size_t n = strlen(text);
  char *copy = malloc(n ? n : 1);
  if (!copy)
    return false;
  memcpy(copy, text, n);
  int err = jv_read(&v, copy, n, error, sizeof error);
  free(copy);
  if (!err)
    jv_free(&v);
  else if (strncmp(error, "line ", 5) != 0)
    that("an error without a line", false);
  return !err;
}

static void json(void) {
  static const char *const good[] = {"0",
                                     "-1.5e+3",
                                     "\"\"",
                                     "[]",
                                     "{}",
                                     " [1 , 2]\n",
                                     "{\"a\":{\"b\":[null,true,false]}}",
                                     "\"\\u00e9\\ud83d\\ude00\\n\"",
                                     "[[[[[[[[[[1]]]]]]]]]]"};
  static const char *const bad[] = {"",
                                    " ",
                                    "01",
                                    "+1",
                                    "1.",
                                    ".5",
                                    "1e",
                                    "nul",
                                    "[1",
                                    "[1,]",
                                    "{\"a\"}",
                                    "{a:1}",
                                    "[1] 2",
                                    "\"a",
                                    "\"\\",
                                    "\"\\x\"",
                                    "\"\n\"",
                                    "\"\\u12\"",
                                    "\"\\ud800\"",
                                    "\"\\ud800\\u0041\"",
                                    "\"\\udc00\"",
                                    "\"\\u0000\"",
                                    "{\"a\":1,}",
                                    "[,1]",
                                    "-",
                                    "tru",
                                    "{\"a\" 1}",
                                    "]",
                                    "\"\\"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    if (!reads(good[i])) {
      printf("refused: %s\n", good[i]);
      failures++;
    }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (reads(bad[i])) {
      printf("taken: %s\n", bad[i]);
      failures++;
    }
  char deep[200];
  memset(deep, '[', sizeof deep - 1);
  deep[sizeof deep - 1] = 0;
  that("nested too deep", !reads(deep));

  struct jv v;
  char error[128];
  const char text[] = "{\"x\": [1, -2.5e1], \"name\": \"a\\\"\\u00e9\\ud83d\\ude00\", \"t\": true}";
  if (jv_read(&v, text, strlen(text), error, sizeof error)) {
    printf("%s\n", error);
    failures++;
    return;
  }
  const struct jv *x = jv_get(&v, "x"), *name = jv_get(&v, "name"), *t = jv_get(&v, "t");
  that("array", x && x->type == JV_ARRAY && x->n == 2 && fabs(x->items[1].number + 25) < 1e-12);
  that("string", name && name->type == JV_STRING && !strcmp(name->string, "a\"\xc3\xa9\xf0\x9f\x98\x80"));
  that("true", t && t->type == JV_BOOL && t->number > 0);
  that("no such name", !jv_get(&v, "y") && !jv_get(x, "x") && !jv_get(NULL, "x"));
  jv_free(&v);
}

int main(void) {
  student();
  quantiles();
  ministat();
  ratios();
  json();
  printf("%d failures\n", failures);
  return failures != 0;
}
