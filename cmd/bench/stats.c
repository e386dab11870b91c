/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Quantiles, and Student's t as ministat has it: two samples, pooled variance, 95 %. */
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
  memcpy(s, v, n * sizeof *s);
  qsort(s, n, sizeof *s, by_value);
  double at = q * (double)(n - 1);
  size_t i = (size_t)at;
  double r = i + 1 < n ? s[i] + (at - (double)i) * (s[i + 1] - s[i]) : s[n - 1];
  free(s);
  return r;
}

double b_mean(const double *v, size_t n) {
  double s = 0;
  for (size_t i = 0; i < n; i++)
    s += v[i];
  return n ? s / (double)n : NAN;
}

double b_variance(const double *v, size_t n) {
  double m = b_mean(v, n), s = 0;
  for (size_t i = 0; i < n; i++)
    s += (v[i] - m) * (v[i] - m);
  return n > 1 ? s / (double)(n - 1) : NAN;
}

/* The regularised incomplete beta function by its continued fraction (Abramowitz and Stegun 26.5.8). */
static double beta_inc(double a, double b, double x) {
  if (x <= 0 || x >= 1)
    return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2))
    return 1 - beta_inc(b, a, 1 - x);
  double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
  double h = d;
  for (int m = 1; m < 500; m++) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    h *= d * c;
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    h *= d * c;
    if (fabs(d * c - 1) < 1e-15)
      break;
  }
  return front * h;
}

/* t with P(|T| > t) = 0.05: P = I(df / 2, 1 / 2) at df / (df + t^2), solved by halving. */
double b_student_t(double df) {
  double lo = 0, hi = 1e4;
  if (!(df > 0))
    return NAN;
  for (int i = 0; i < 200; i++) {
    double t = (lo + hi) / 2;
    if (beta_inc(df / 2, 0.5, df / (df + t * t)) > 0.05)
      lo = t;
    else
      hi = t;
  }
  return (lo + hi) / 2;
}

void b_compare_samples(const double *a, size_t na, const double *b, size_t nb, struct b_difference *d) {
  d->mean_a = b_mean(a, na);
  d->mean_b = b_mean(b, nb);
  d->diff = d->mean_b - d->mean_a;
  d->half = INFINITY;
  d->proven = false;
  if (na < 2 || nb < 2)
    return; /* no spread to judge by */
  double df = (double)(na + nb - 2);
  double pooled = ((double)(na - 1) * b_variance(a, na) + (double)(nb - 1) * b_variance(b, nb)) / df;
  d->half = b_student_t(df) * sqrt(pooled * (1 / (double)na + 1 / (double)nb));
  d->proven = fabs(d->diff) > d->half;
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
