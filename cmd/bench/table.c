/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The report in a terminal of 80 columns. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void b_case_title(const struct b_case *c, char *buf, size_t size) {
  const char *dir = c->dir == B_ENC ? "encrypt" : "decrypt";
  switch (c->op) {
  case B_GCM:
    snprintf(buf, size, "AES-%d-GCM %s, %zu bytes of associated data", c->key_bits, dir, c->aad);
    break;
  case B_GMAC:
    snprintf(buf, size, "AES-%d-GMAC", c->key_bits);
    break;
  case B_KEYS:
    snprintf(buf, size, "AES-%d-GCM key set-up", c->key_bits);
    break;
  case B_BATCH:
    snprintf(buf, size, "AES-%d-GCM %s, batches of %zu messages, per message", c->key_bits, dir, c->count);
    break;
  case B_BATCHKEYS:
    snprintf(buf, size, "AES-%d-GCM %s, batches of %zu messages, a key each", c->key_bits, dir, c->count);
    break;
  case B_XTS:
    snprintf(buf, size, "AES-%d-XTS %s, a new tweak each call", c->key_bits, dir);
    break;
  case B_XTSRUN:
    snprintf(buf, size, "AES-%d-XTS %s, runs of %zu sectors, per sector", c->key_bits, dir, c->count);
    break;
  case B_CTR:
    snprintf(buf, size, "AES-%d-CTR", c->key_bits);
    break;
  case B_CBC:
    snprintf(buf, size, "AES-%d-CBC %s", c->key_bits, dir);
    break;
  case B_ECB:
    snprintf(buf, size, "AES-%d blocks (ECB) %s", c->key_bits, dir);
    break;
  case B_GHASH:
    snprintf(buf, size, "GHASH update");
    break;
  case B_XOR:
    snprintf(buf, size, "XOR of two buffers");
    break;
  case B_LATENCY:
    snprintf(buf, size, "AES-%d, one block that waits for the one before", c->key_bits);
    break;
  case B_FILE:
    snprintf(buf, size, "rijn %s of a file, the whole command, AES-%d", dir, c->key_bits);
    break;
  default:
    snprintf(buf, size, "?");
  }
}

static void hz(double v, char *buf, size_t size) { snprintf(buf, size, "%.2f GHz", v / 1e9); }

static void heading(const struct b_run_info *r, FILE *f) {
  char cpu[96], a[24], b[24], c[24];
  const struct b_rulers *u = &r->rulers;
  b_machine_cpu(cpu, sizeof cpu);
  hz(r->core_hz_low, a, sizeof a);
  hz(r->core_hz_median, b, sizeof b);
  hz(r->core_hz_high, c, sizeof c);
  fprintf(f, "%.79s\n", cpu);
  if (r->o->clock == B_CLOCK_FIXED)
    fprintf(f, "core clock: %.4g Hz as told\n", r->o->hz);
  else
    fprintf(f, "core clock %s (mostly %s to %s), measured around each sample\n", b, a, c);
  if (u->aes_block_round > 0) {
    fprintf(f, "limits at 128/256/512 bits, cycles: AES %.2f", u->aes[0]);
    for (int i = 1; i < 3; i++)
      u->aes[i] > 0 ? fprintf(f, "/%.2f", u->aes[i]) : fprintf(f, "/-");
    fprintf(f, "  multiply %.2f", u->mul[0]);
    for (int i = 1; i < 3; i++)
      u->mul[i] > 0 ? fprintf(f, "/%.2f", u->mul[i]) : fprintf(f, "/-");
    fprintf(f, "\n  load %.2f", u->load[0]);
    for (int i = 1; i < 3; i++)
      u->load[i] > 0 ? fprintf(f, "/%.2f", u->load[i]) : fprintf(f, "/-");
    fprintf(f, "  XOR of 16 KiB %.0f", u->xor_aligned[0]);
    for (int i = 1; i < 3; i++)
      u->xor_aligned[i] > 0 ? fprintf(f, "/%.0f", u->xor_aligned[i]) : fprintf(f, "/-");
    fprintf(f, ", misaligned %.0f", u->xor_misaligned[0]);
    for (int i = 1; i < 3; i++)
      u->xor_misaligned[i] > 0 ? fprintf(f, "/%.0f", u->xor_misaligned[i]) : fprintf(f, "/-");
    fprintf(f, "\n  so the AES limit is %.3f cycles per byte for 128-bit keys, %.3f for 256\n",
            10 * u->aes_block_round / 16, 14 * u->aes_block_round / 16);
  }
  if (r->subjects->versions[0])
    fprintf(f, "peers: %s\n", r->subjects->versions);
  if (r->subjects->absent[0])
    fprintf(f, "not here: %s\n", r->subjects->absent);
}

static bool same_table(const struct b_case *a, const struct b_case *b) {
  return a->op == b->op && a->key_bits == b->key_bits && a->dir == b->dir && a->count == b->count && a->aad == b->aad;
}

/* In six characters, as --sizes would take it. */
static void size_text(const struct b_case *c, char *buf, size_t size) {
  if (c->mix)
    snprintf(buf, size, "mix");
  else if (c->size > 999999 && c->size % 1024 == 0)
    snprintf(buf, size, c->size % 1048576 ? "%zuk" : "%zum", c->size / (c->size % 1048576 ? 1024 : 1048576));
  else
    snprintf(buf, size, "%zu", c->size);
}

/* A number in at most width characters, with as many digits behind the point as fit (up to max); in millions where the
 * whole number does not fit. A message of no bytes has no cycles a byte, and no speed: NAN is a dash. */
static const char *fit(double v, int width, int max, char buf[24]) {
  if (isnan(v)) {
    snprintf(buf, 24, "%*s", width, "-");
    return buf;
  }
  for (int d = max; d >= 0; d--)
    if (snprintf(buf, 24, "%*.*f", width, d, v) <= width)
      return buf;
  for (int d = 1; d >= 0; d--)
    if (snprintf(buf, 24, "%*.*fM", width - 1, d, v / 1e6) <= width)
      break;
  return buf;
}

static double per_byte(const struct b_row *row) {
  double bytes = b_case_bytes(&row->c);
  return bytes > 0 ? row->low / bytes : NAN;
}

static double nanoseconds(const struct b_row *row) { return b_quantile(row->ns, row->n, 0.1); }

static double mbytes(const struct b_row *row) {
  double bytes = b_case_bytes(&row->c);
  return bytes > 0 ? bytes / nanoseconds(row) * 1e3 : NAN;
}

static void row_line(const struct b_run_info *r, const struct b_row *row, bool first, FILE *f) {
  char size[24], a[24];
  const char *name = r->subjects->s[row->subject].name;
  double limit = b_limit_cycles(&r->rulers, &row->c);
  size_text(&row->c, size, sizeof size);
  fprintf(f, "%6s %-*s ", first ? size : "", B_NAME_WIDTH, name);
  if (row->n == 0 || row->error[0]) {
    fprintf(f, "%s%s\n", row->error[0] ? "WRONG: " : "not measured", row->error);
    return;
  }
  fprintf(f, "%s ", fit(row->low, 7, 1, a));
  fprintf(f, "%s ", fit(row->median, 7, 1, a));
  fprintf(f, "%s ", fit(fmin(row->spread * 100, 999), 3, 0, a));
  fprintf(f, "%s ", fit(per_byte(row), 6, 3, a));
  if (r->o->wide) {
    fprintf(f, "%s ", fit(per_byte(row) * 16, 6, 2, a));
    fprintf(f, "%s ", fit(row->high, 8, 1, a));
  }
  fprintf(f, "%s ", fit(nanoseconds(row), 7, 1, a));
  fprintf(f, "%s ", fit(mbytes(row), 6, 0, a));
  if (limit > 0)
    fprintf(f, "%3.0f%% ", 100 * limit / row->low);
  else
    fprintf(f, "   - ");
  fprintf(f, "%s\n", fit(row->ratio, 5, 3, a));
}

static void rows_view(const struct b_run_info *r, FILE *f) {
  char title[128];
  for (size_t i = 0; i < r->n_rows; i++) {
    const struct b_row *row = &r->rows[i];
    bool new_size = i == 0 || row->c.size != row[-1].c.size || row->c.mix != row[-1].c.mix;
    if (i == 0 || !same_table(&row->c, &row[-1].c)) {
      b_case_title(&row->c, title, sizeof title);
      fprintf(f, "\n%s\n bytes %-*s  cycles  median  +%% cyc/B %s     ns   MB/s limit ratio\n", title, B_NAME_WIDTH, "",
              r->o->wide ? "cyc/blk  tenth 9 " : "");
      new_size = true;
    }
    row_line(r, row, new_size, f);
  }
}

static double unit_value(const struct b_run_info *r, const struct b_row *row) {
  if (!strcmp(r->o->unit, "cycles"))
    return row->low;
  if (!strcmp(r->o->unit, "ns"))
    return nanoseconds(row);
  return !strcmp(r->o->unit, "mbs") ? mbytes(row) : per_byte(row);
}

#define COLUMNS 6

static bool new_column(const struct b_run_info *r, size_t first, size_t k) {
  return k == first || memcmp(&r->rows[k].c, &r->rows[k - 1].c, sizeof r->rows[k].c);
}

/* One line a subject, one column a size; more sizes than a terminal has room for stand below. */
static void matrix_view(const struct b_run_info *r, FILE *f) {
  char title[128], size[24], a[24];
  const char *unit = !strcmp(r->o->unit, "cycles") ? "cycles per message"
                     : !strcmp(r->o->unit, "ns")   ? "nanoseconds per message"
                     : !strcmp(r->o->unit, "mbs")  ? "Mbyte per second"
                                                   : "cycles per byte";
  for (size_t i = 0; i < r->n_rows;) {
    size_t end = i, columns = 0;
    while (end < r->n_rows && same_table(&r->rows[i].c, &r->rows[end].c) &&
           (columns += new_column(r, i, end)) <= COLUMNS)
      end++;
    b_case_title(&r->rows[i].c, title, sizeof title);
    bool rate = strcmp(r->o->unit, "mbs") != 0;
    if (i == 0 || !same_table(&r->rows[i].c, &r->rows[i - 1].c))
      fprintf(f, "\n%s: %s\n", title, unit);
    fprintf(f, "%-*s", B_NAME_WIDTH, "message of");
    for (size_t k = i; k < end; k++)
      if (new_column(r, i, k)) {
        size_text(&r->rows[k].c, size, sizeof size);
        fprintf(f, " %7s", size);
      }
    fprintf(f, "%s\n", rate ? "   MB/s" : "");
    for (int s = 0; s < r->subjects->n; s++) {
      const struct b_row *last = NULL;
      bool any = false;
      for (size_t k = i; k < end; k++) {
        if (r->rows[k].subject != s)
          continue;
        if (!any)
          fprintf(f, "%-*s", B_NAME_WIDTH, r->subjects->s[s].name);
        any = true;
        last = &r->rows[k];
        if (r->rows[k].error[0] || r->rows[k].n == 0)
          fprintf(f, "   WRONG");
        else
          fprintf(f, " %s", fit(unit_value(r, &r->rows[k]), 7, !strcmp(unit, "cycles per byte") ? 3 : 1, a));
      }
      if (any && rate && last->n && !last->error[0])
        fprintf(f, " %s", fit(mbytes(last), 6, 0, a));
      if (any)
        fprintf(f, "%s\n", s == r->baseline ? " *" : "");
    }
    i = end;
  }
}

static void footing(const struct b_run_info *r, FILE *f) {
  fprintf(f, "\n");
  if (r->o->rows_view) {
    fprintf(f, "cycles: core cycles a message, the lowest tenth; +%%: the median over it; MB/s is 10^6\n"
               "limit: share of this machine's AES limit reached");
    if (r->baseline >= 0)
      fprintf(f, "; ratio: cycles against\n%s, median over rounds (under 1: faster)", r->subjects->s[r->baseline].name);
    fprintf(f, "\n");
  } else {
    fprintf(f, "The lowest tenth of %zu samples; MB/s (10^6 bytes) at a line's last size.\n",
            r->n_rows ? r->rows[0].n : 0);
    if (r->baseline >= 0)
      fprintf(f, "* %s.  ",
              r->o->baseline               ? "the baseline"
              : secure_getenv("RIJN_IMPL") ? "what RIJN_IMPL names"
                                           : "what Rijn runs here by default");
    fprintf(f, "More: rijn bench --full, --help\n");
  }
  for (int s = 0; s < r->subjects->n; s++) {
    const struct b_row *first = NULL;
    size_t wrong = 0;
    for (size_t i = 0; i < r->n_rows; i++)
      if (r->rows[i].subject == s && r->rows[i].error[0]) {
        first = wrong++ ? first : &r->rows[i];
      }
    if (wrong)
      fprintf(f, "WRONG: %s in %zu rows, first: %s\n", r->subjects->s[s].name, wrong, first->error);
  }
  fprintf(f, "%s\n", r->noise);
}

void b_table(const struct b_run_info *r, FILE *f) {
  heading(r, f);
  if (r->o->rows_view)
    rows_view(r, f);
  else
    matrix_view(r, f);
  footing(r, f);
}
