/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * rijn bench compare A.json B.json: is B another speed than A? As ministat answers: two means, the interval in which
 * their difference lies with 95 % confidence (Student's t), and "no difference proven" when that has 0 in it.
 *
 * WHY launches: samples of one launch share its placement of buffers, so they agree with each other more than with
 * the next launch. Where both files have three launches or more, a launch's median is one observation.
 */
#include "bench.h"
#include "cmd.h"
#include "json_read.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A report of everything has 10 MB a launch. */
#define LARGEST (1 << 29)

struct observations {
  double *v;
  size_t n;
};

static int no_memory(void) {
  rijn_say_as("rijn bench compare", "the system refused memory");
  return B_EXIT_SYSTEM;
}

/* WHY: a report may be somebody else's, and a control character in it would tell the terminal what to do. */
static void tame(struct jv *v) {
  for (char *s = v->string; s && *s; s++)
    memset(s, '?', (size_t)rijn_control((const unsigned char *)s));
  for (size_t i = 0; i < v->n; i++)
    tame(&v->items[i]);
}

static int load(const char *path, struct jv *v) {
  char error[128], *text = NULL;
  size_t n = 0, room = 0;
  FILE *f = fopen(path, "r");
  if (!f) {
    rijn_say_as("rijn bench compare", "%s: %s", path, strerror(errno));
    return B_EXIT_SYSTEM;
  }
  for (size_t got = 1; got;) {
    if (n >= LARGEST) { /* the whole of it is kept, and a device may have no end */
      rijn_say_as("rijn bench compare", "%s: no report has %d MB", path, LARGEST >> 20);
      free(text);
      fclose(f);
      return B_EXIT_USAGE;
    }
    if (n == room) {
      room = room ? 2 * room : 65536;
      char *more = realloc(text, room);
      if (!more) {
        free(text);
        fclose(f);
        return no_memory();
      }
      text = more;
    }
    got = fread(text + n, 1, room - n, f);
    n += got;
  }
  bool bad = ferror(f) != 0;
  fclose(f);
  if (bad) {
    rijn_say_as("rijn bench compare", "%s: %s", path, strerror(errno));
    free(text);
    return B_EXIT_SYSTEM;
  }
  int err = jv_read(v, text, n, error, sizeof error);
  free(text);
  if (err) {
    rijn_say_as("rijn bench compare", "%s is not JSON: %s", path, error);
    return B_EXIT_USAGE;
  }
  const struct jv *format = jv_get(v, "format"), *version = jv_get(v, "version"), *rows = jv_get(v, "rows");
  if (!format || format->type != JV_STRING || strcmp(format->string, "rijn-bench") || !version ||
      version->number != 1 || !rows || rows->type != JV_ARRAY) {
    rijn_say_as("rijn bench compare", "%s is not a report of rijn bench --json (version 1)", path);
    jv_free(v);
    return B_EXIT_USAGE;
  }
  tame(v);
  return 0;
}

static double num(const struct jv *row, const char *name) {
  const struct jv *v = jv_get(row, name);
  return v && (v->type == JV_NUMBER || v->type == JV_BOOL) ? v->number : NAN;
}

static const char *str(const struct jv *row, const char *name) {
  const struct jv *v = jv_get(row, name);
  return v && v->type == JV_STRING ? v->string : "";
}

static bool same(const struct jv *a, const struct jv *b) {
  static const char *const numbers[] = {"key", "mix", "size", "count", "aad"};
  static const char *const strings[] = {"what", "direction", "subject"};
  for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
    if (strcmp(str(a, strings[i]), str(b, strings[i])))
      return false;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    double x = num(a, numbers[i]), y = num(b, numbers[i]);
    if (!(fabs(x - y) < 0.5)) /* whole numbers; a missing one is no match */
      return false;
  }
  return true;
}

static size_t launches_of(const struct jv *row) {
  const struct jv *cycles = jv_get(row, "cycles");
  double l = num(row, "launches");
  size_t n = cycles && cycles->type == JV_ARRAY ? cycles->n : 0;
  return l >= 1 && l <= (double)n && n % (size_t)l == 0 ? (size_t)l : 1;
}

static int observe(const struct jv *row, bool by_launch, struct observations *o) {
  const struct jv *cycles = jv_get(row, "cycles");
  size_t n = cycles && cycles->type == JV_ARRAY ? cycles->n : 0, launches = launches_of(row), used = 0;
  o->n = 0;
  o->v = malloc((n + 1) * sizeof *o->v);
  if (!o->v)
    return -1;
  for (size_t i = 0; i < n; i++)
    if (cycles->items[i].type == JV_NUMBER && isfinite(cycles->items[i].number) && cycles->items[i].number > 0)
      o->v[used++] = cycles->items[i].number;
  o->n = used;
  if (by_launch && used == n) {
    size_t each = n / launches;
    for (size_t l = 0; l < launches; l++)
      o->v[l] = b_quantile(o->v + l * each, each, 0.5); /* l <= l * each: nothing unread is overwritten */
    o->n = launches;
  }
  return 0;
}

static void warn_if_different(const struct jv *a, const struct jv *b, const char *group, const char *name) {
  const char *x = str(group ? jv_get(a, group) : a, name), *y = str(group ? jv_get(b, group) : b, name);
  if (strcmp(x, y))
    printf("note: %s %s: %s | %s\n", name, group ? "differs" : "differ", x, y);
}

/* What changes the meaning of rows: numbers and yes or no of the options, and the frequency that -f told. */
static void warn_if_measured_otherwise(const struct jv *a, const struct jv *b) {
  static const char *const names[] = {"threads", "misalign", "in_place", "cold_key", "serialize"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    double x = num(jv_get(a, "options"), names[i]), y = num(jv_get(b, "options"), names[i]);
    if (fabs(x - y) > 0.5) /* whole numbers */
      printf("note: %s differs: %g | %g\n", names[i], x, y);
  }
  bool told =
      !strcmp(str(jv_get(a, "options"), "clock"), "fixed") && !strcmp(str(jv_get(b, "options"), "clock"), "fixed");
  double x = num(jv_get(a, "machine"), "core_hz_median"), y = num(jv_get(b, "machine"), "core_hz_median");
  if (told && fabs(x - y) > 1e-4 * x)
    printf("note: the told clock differs: %.5g | %.5g Hz\n", x, y);
}

struct tally {
  size_t compared, slower, faster, unproven, failing, single, wrong, wrong_before;
};

static int compare_row(const struct jv *a, const struct jv *b, double min_effect, struct tally *t, char title[128]) {
  struct observations oa = {NULL, 0}, ob = {NULL, 0};
  struct b_difference d;
  bool by_launch = launches_of(a) >= 3 && launches_of(b) >= 3;
  if (observe(a, by_launch, &oa) || observe(b, by_launch, &ob)) {
    free(oa.v);
    free(ob.v);
    return no_memory();
  }
  if (strcmp(title, str(a, "title"))) {
    snprintf(title, 128, "%s", str(a, "title"));
    printf("\n%s\n bytes %-*s      A        B   difference, 95 %% confidence\n", title, B_NAME_WIDTH, "");
  }
  char size[24];
  if (num(a, "mix") > 0)
    snprintf(size, sizeof size, "mix");
  else
    snprintf(size, sizeof size, "%.0f", num(a, "size"));
  printf("%6s %-*s ", size, B_NAME_WIDTH, str(a, "subject"));
  b_compare_samples(oa.v, oa.n, ob.v, ob.n, &d);
  const char *wrong_a = str(a, "error"), *wrong_b = str(b, "error");
  if (*wrong_a || *wrong_b) { /* it may have samples of before that */
    t->wrong += !*wrong_a;
    t->wrong_before += *wrong_a != 0;
    printf("WRONG in %s: %s\n", *wrong_b ? *wrong_a ? "both" : "B" : "A", *wrong_b ? wrong_b : wrong_a);
  } else if (oa.n < 2 || ob.n < 2) {
    printf("no samples to compare\n");
  } else {
    double percent = 100 * d.diff / d.mean_a, half = 100 * d.half / d.mean_a;
    t->compared++;
    t->single += !by_launch;
    printf("%8.1f %8.1f ", d.mean_a, d.mean_b);
    if (!d.proven) {
      t->unproven++;
      printf("no difference proven (+-%.2f%%)\n", half);
    } else {
      bool slower = d.diff > 0;
      t->slower += slower;
      t->faster += !slower;
      t->failing += slower && percent > min_effect;
      printf("%+7.2f%% +- %.2f%%  B is %s\n", percent, half, slower ? "slower" : "faster");
    }
  }
  free(oa.v);
  free(ob.v);
  return 0;
}

static int compare_files(const struct jv *a, const struct jv *b, double min_effect) {
  const struct jv *ra = jv_get(a, "rows"), *rb = jv_get(b, "rows");
  struct tally t = {0};
  char title[128] = "";
  size_t only_a = 0, matched = 0;
  warn_if_different(a, b, "machine", "cpu");
  warn_if_different(a, b, "build", "compiler");
  warn_if_different(a, b, "build", "flags");
  warn_if_different(a, b, "options", "clock");
  warn_if_different(a, b, NULL, "peers");
  warn_if_measured_otherwise(a, b);
  for (size_t i = 0; i < ra->n; i++) {
    const struct jv *other = NULL;
    for (size_t k = 0; k < rb->n && !other; k++)
      if (same(&ra->items[i], &rb->items[k]))
        other = &rb->items[k];
    if (!other) {
      only_a++;
      continue;
    }
    matched++;
    int err = compare_row(&ra->items[i], other, min_effect, &t, title);
    if (err)
      return err;
  }
  if (t.wrong)
    printf("\nB is wrong where A was right, in %zu rows\n", t.wrong);
  if (t.compared == 0 && t.wrong)
    return B_EXIT_FAIL;
  if (t.compared == 0) {
    rijn_say_as("rijn bench compare", "%s",
                matched == 0                ? "the two reports have no row in common"
                : matched == t.wrong_before ? "each row that the two reports have in common is wrong in A"
                                            : "no row that the two reports have in common was measured in both");
    return B_EXIT_USAGE;
  }
  printf("\ncycles a message; %zu rows: %zu faster, %zu slower, %zu without a proven difference\n", t.compared,
         t.faster, t.slower, t.unproven);
  if (only_a || rb->n > matched)
    printf("not compared: %zu rows only in A, %zu only in B\n", only_a, rb->n - matched);
  if (t.single)
    printf("%zu rows are of fewer than 3 launches: a difference may be one of buffer placement (--launches)\n",
           t.single);
  if (jv_get(a, "noisy") && (num(a, "noisy") > 0 || num(b, "noisy") > 0))
    printf("%s was measured on a noisy machine\n",
           num(a, "noisy") > 0 ? num(b, "noisy") > 0 ? "each of the two" : "A" : "B");
  if (t.failing)
    printf("B is slower by more than %g %% in %zu rows\n", min_effect, t.failing);
  return t.failing || t.wrong ? B_EXIT_FAIL : B_EXIT_OK;
}

int b_compare(int argc, char **argv) {
  enum { O_MIN_EFFECT = 256 };
  static const struct option options[] = {
      {"min-effect", 1, NULL, O_MIN_EFFECT}, {"help", 0, NULL, 'h'}, {NULL, 0, NULL, 0}};
  static const char letters[] = ":h";
  double min_effect = 1;
  int opt;
  while ((opt = getopt_long(argc, argv, letters, options, NULL)) != -1) {
    char *end;
    if (opt == 'h') {
      b_usage(stdout);
      return B_EXIT_OK;
    }
    if (opt != O_MIN_EFFECT)
      return rijn_refuse_option("rijn bench compare", opt, argv, letters, options);
    min_effect = strtod(optarg, &end);
    if (*end || end == optarg || !(min_effect >= 0 && min_effect <= 1000)) {
      rijn_say_as("rijn bench compare", "--min-effect needs a number of percent from 0 to 1000");
      return B_EXIT_USAGE;
    }
  }
  if (argc - optind != 2) {
    rijn_say_as("rijn bench compare", "needs two files made with --json");
    return B_EXIT_USAGE;
  }
  struct jv a, b;
  int err = load(argv[optind], &a);
  if (err)
    return err;
  err = load(argv[optind + 1], &b);
  if (!err) {
    err = compare_files(&a, &b, min_effect);
    jv_free(&b);
  }
  jv_free(&a);
  return err;
}
