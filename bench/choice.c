/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Is the set that is chosen here the fastest? rijn bench --check-choice measures it beside every other that runs here,
 * and a table says it, too, of what it has measured. What counts is the mean, over all cases, of the ratios that the
 * rows have: each is a median over rounds.
 */
#include "bench.h"
#include "cmd.h"

#include <math.h>
#include <rijn.h>
#include <stdlib.h>
#include <string.h>

/* Cases that the mean is made of are those of both; NAN: there are none. */
static double mean_ratio(const struct b_run_info *r, int subject) {
  double sum = 0;
  size_t n = 0;
  for (size_t i = 0; i < r->n_rows; i++)
    if (r->rows[i].subject == subject && !r->rows[i].error[0] && r->rows[i].ratio > 0) {
      sum += log(r->rows[i].ratio);
      n++;
    }
  return n ? exp(sum / (double)n) : NAN;
}

double b_choice_rival(const struct b_run_info *r, int *rival) {
  double least = NAN;
  for (int s = 0; s < r->subjects->n && r->baseline >= 0 && r->subjects->s[r->baseline].is_rijn; s++) {
    double mean = s != r->baseline && r->subjects->s[s].is_rijn ? mean_ratio(r, s) : NAN;
    if (mean < least || (isnan(least) && !isnan(mean))) {
      least = mean;
      *rival = s;
    }
  }
  return least;
}

void b_choice_say(const struct b_run_info *r, FILE *f) {
  int rival = -1;
  double mean = b_choice_rival(r, &rival);
  if (isnan(mean)) {
    if (r->o->check_choice)
      fprintf(f, "There is no choice: only one set runs here.\n");
    return;
  }
  const char *chosen = r->subjects->s[r->baseline].name, *other = r->subjects->s[rival].name;
  if (mean < 1 - r->o->margin / 100)
    fprintf(f,
            "%s takes %.1f %% fewer cycles here than\n%s, which %s. A remedy: RIJN_IMPL=%s\n"
            "Please send the project the file of: rijn bench --check-choice --json FILE\n",
            other, 100 * (1 - mean), chosen, secure_getenv("RIJN_IMPL") ? "RIJN_IMPL names" : "is chosen", other);
  else if (r->o->check_choice)
    fprintf(f, "No set takes %.3g %% fewer cycles here than %s.\nThe next is %s, with %.1f %% %s.\n", r->o->margin,
            chosen, other, 100 * fabs(mean - 1), mean < 1 ? "fewer" : "more");
}

/* Who and what: all sets that run here, but portable, which is slower than any other, only where it is chosen. */
void b_choice_options(struct b_options *o) {
  static const size_t sizes[] = {16, 64, 200, 512, 1420, 4096, 16384};
  static char names[512];
  size_t at = 0;
  for (int i = 0; i < rijn_impl_count() && at < sizeof names; i++)
    if (rijn_impl_supported(i) && (i + 1 < rijn_impl_count() || i == rijn_impl_chosen()))
      at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", at ? "," : "", rijn_impl_name(i));
  o->impls = names;
  o->peers = "none";
  o->ops = 1u << B_GCM | 1u << B_XTS;
  memcpy(o->sizes, sizes, sizeof sizes);
  o->n_sizes = sizeof sizes / sizeof *sizes;
}

int b_choice_check(struct b_run_info *r) {
  int rival = -1, before = -1, err = 0;
  for (int turn = 0; turn < 2 && !err; turn++) { /* what one run finds, another has to find as well */
    before = rival;
    if (turn)
      b_rows_clear(r);
    err = b_measure(r);
    b_row_stats(r);
    if (!err && !(b_choice_rival(r, &rival) < 1 - r->o->margin / 100))
      return 0;
  }
  r->slow_choice = !err && rival == before;
  return err;
}
