/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Quantiles and ratios. bench/report compares. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Between the two samples next to q by a straight line (type 7 of Hyndman and Fan, R's default). */
double b_quantile(const double *v, size_t n, double q) {
  if (n == 0)
    return NAN;
  double *s = malloc(n * sizeof *s);
  if (!s)
    return NAN;
  size_t kept = 0;
  for (size_t k = 0; k < n; k++)
    if (!isnan(v[k]))
      s[kept++] = v[k];
  n = kept;
  if (n == 0) {
    free(s);
    return NAN;
  }
  qsort(s, n, sizeof *s, by_value);
  double at = q * (double)(n - 1);
  size_t i = (size_t)at;
  double r = i + 1 < n ? s[i] + (at - (double)i) * (s[i + 1] - s[i]) : s[n - 1];
  free(s);
  return r;
}

static bool same_case(const struct b_case *a, const struct b_case *b) {
  return a->op == b->op && a->key_bits == b->key_bits && a->dir == b->dir && a->size == b->size &&
         a->count == b->count && a->aad == b->aad && a->mix == b->mix;
}

/* Fills the figures of each row from its samples. */
void b_row_stats(struct b_run_info *r) {
  for (size_t i = 0; i < r->n_rows; i++) {
    struct b_row *row = &r->rows[i];
    row->ratio = NAN;
    if (row->n == 0)
      continue;
    row->low = b_quantile(row->cycles, row->n, 0.1);
    row->median = b_quantile(row->cycles, row->n, 0.5);
    row->high = b_quantile(row->cycles, row->n, 0.9);
    row->ns_low = b_quantile(row->ns, row->n, 0.1);
    row->spread = (row->median - row->low) / row->low;
  }
  for (size_t i = 0; i < r->n_rows && r->baseline >= 0; i++) {
    struct b_row *row = &r->rows[i];
    for (size_t k = 0; k < r->n_rows; k++) {
      const struct b_row *base = &r->rows[k];
      if (base->subject != r->baseline || base->n == 0 || base->n != row->n || !same_case(&base->c, &row->c))
        continue;
      double *q = malloc(row->n * sizeof *q);
      for (size_t s = 0; q && s < row->n; s++)
        q[s] = row->cycles[s] / base->cycles[s]; /* of one round: both saw the same moment */
      if (q)
        row->ratio = b_quantile(q, row->n, 0.5);
      free(q);
      break;
    }
  }
}
