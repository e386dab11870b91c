/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The report in a terminal of 80 columns. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void hz(double v, char *buf, size_t size) { snprintf(buf, size, "%.2f GHz", v / 1e9); }

/* "0.50/0.50/-": at 128, 256 and 512 bits. */
static void three(FILE *f, const char *what, const double v[3], int digits) {
  fprintf(f, "%s", what);
  for (int i = 0; i < 3; i++)
    if (v[i] > 0)
      fprintf(f, "%s%.*f", i ? "/" : " ", digits, v[i]);
    else
      fprintf(f, "/-");
}

static void limits(const struct b_rulers *u, FILE *f) {
  if (u->aes_block_round <= 0)
    return;
  three(f, "limits at 128/256/512 bits, cycles: AES", u->aes, 2);
  three(f, "  multiply", u->mul, 2);
  three(f, "\n  load", u->load, 2);
  three(f, "  XOR of 16 KiB", u->xor_aligned, 0);
  three(f, ", misaligned", u->xor_misaligned, 0);
  fprintf(f, "\n  so the AES limit is %.3f cycles per byte for 128-bit keys, %.3f for 256\n",
          10 * u->aes_block_round / 16, 14 * u->aes_block_round / 16);
}

/* "peers: a, b,", and what has no room in 80 columns on lines below. */
static void listed(const char *head, const char *list, FILE *f) {
  size_t at = strlen(head);
  if (!list[0])
    return;
  fputs(head, f);
  for (const char *p = list; *p;) {
    size_t n = strcspn(p, ",");
    bool more = p[n] == ',';
    if (at + 1 + n + more > 80) {
      fputs("\n ", f);
      at = 1;
    }
    fprintf(f, " %.*s%s", (int)n, p, more ? "," : "");
    at += 1 + n + more;
    p += n + (more ? 2 : 0);
  }
  fputs("\n", f);
}

static void heading(const struct b_run_info *r, FILE *f) {
  char cpu[96], a[24], b[24], c[24], peers[B_PEERS_TEXT];
  b_machine_cpu(cpu, sizeof cpu);
  hz(r->core_hz_low, a, sizeof a);
  hz(r->core_hz_median, b, sizeof b);
  hz(r->core_hz_high, c, sizeof c);
  fprintf(f, "%.79s\n", cpu);
  if (r->o->clock == B_CLOCK_FIXED)
    fprintf(f, "core clock: %.4g Hz as told\n", r->o->hz);
  else
    fprintf(f, "core clock %s (mostly %s to %s), measured around each sample\n", b, a, c);
  if (!r->o->quick)
    limits(&r->rulers, f);
  b_peers_text(r, true, peers, sizeof peers);
  listed("peers:", peers, f);
  listed("not here:", r->subjects->absent, f);
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

static double mbytes(const struct b_row *row) {
  double bytes = b_case_bytes(&row->c);
  return bytes > 0 ? bytes / row->ns_low * 1e3 : NAN;
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
  fprintf(f, "%s ", fit(row->ns_low, 7, 1, a));
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

static const struct unit {
  const char *name, *text;
  int digits;
} units[] = {{"gbs", "GB/s", 2},
             {"mbs", "MB/s", 0},
             {"cpb", "cycles per byte", 3},
             {"cycles", "cycles per message", 1},
             {"ns", "nanoseconds per message", 1}};

static const struct unit *unit_of(const char *name) {
  size_t i = 0;
  while (strcmp(units[i].name, name))
    i++;
  return &units[i];
}

static double unit_value(const struct unit *u, const struct b_row *row) {
  const double values[] = {mbytes(row) / 1e3, mbytes(row), per_byte(row), row->low, row->ns_low};
  return values[u - units];
}

static bool measured(const struct b_row *row) { return row && row->n && !row->error[0]; }

static const struct b_row *find_row(const struct b_run_info *r, const struct b_case *c, int subject) {
  for (size_t i = 0; i < r->n_rows; i++)
    if (r->rows[i].subject == subject && !memcmp(&r->rows[i].c, c, sizeof *c))
      return &r->rows[i];
  return NULL;
}

static int find_subject(const struct b_run_info *r, const char *name) {
  for (int i = 0; i < r->subjects->n; i++)
    if (!strcmp(r->subjects->s[i].name, name))
      return i;
  return -1;
}

/* The one of Rijn that people would use here: the baseline, or the first of the list. */
static int our_subject(const struct b_run_info *r) {
  if (r->baseline >= 0 && r->subjects->s[r->baseline].is_rijn)
    return r->baseline;
  return r->subjects->n && r->subjects->s[0].is_rijn ? 0 : -1;
}

/* How many times as fast as libcrypto; NAN: not both were measured. */
static double times_peer(const struct b_run_info *r, const struct b_case *c) {
  const struct b_row *ours = find_row(r, c, our_subject(r)), *peer = find_row(r, c, find_subject(r, B_BASE_PEER));
  return measured(ours) && measured(peer) ? peer->ns_low / ours->ns_low : NAN;
}

#define COLUMNS 6

/* The cases of one table side by side, as many as a terminal has room for. */
struct columns {
  const struct b_case *c[COLUMNS];
  int n;
  size_t end; /* the row after them */
};

static struct columns columns_from(const struct b_run_info *r, size_t first) {
  struct columns k = {.n = 0, .end = first};
  for (; k.end < r->n_rows && same_table(&r->rows[first].c, &r->rows[k.end].c); k.end++) {
    const struct b_case *c = &r->rows[k.end].c;
    if (k.n && !memcmp(c, k.c[k.n - 1], sizeof *c))
      continue;
    if (k.n == COLUMNS)
      break;
    k.c[k.n++] = c;
  }
  return k;
}

static void subject_line(const struct b_run_info *r, const struct columns *k, int subject, FILE *f) {
  const struct unit *u = unit_of(r->o->unit);
  char a[24];
  bool any = false;
  for (int i = 0; i < k->n; i++)
    any |= find_row(r, k->c[i], subject) != NULL;
  if (!any)
    return;
  fprintf(f, "%-*s", B_NAME_WIDTH, r->subjects->s[subject].name);
  for (int i = 0; i < k->n; i++) {
    const struct b_row *row = find_row(r, k->c[i], subject);
    if (!row)
      fprintf(f, " %7s", "");
    else if (!measured(row))
      fprintf(f, "   WRONG");
    else
      fprintf(f, " %s", fit(unit_value(u, row), 7, u->digits, a));
  }
  fprintf(f, "%s\n", subject == r->baseline ? " *" : "");
}

static void times_line(const struct b_run_info *r, const struct columns *k, FILE *f) {
  char a[24];
  if (our_subject(r) < 0 || find_subject(r, B_BASE_PEER) < 0)
    return;
  fprintf(f, "%-*s", B_NAME_WIDTH, "times " B_BASE_PEER);
  for (int i = 0; i < k->n; i++)
    fprintf(f, " %s", fit(times_peer(r, k->c[i]), 7, 1, a));
  fprintf(f, "\n");
}

/* One line a subject, one column a size; more sizes than a terminal has room for stand below. */
static void matrix_view(const struct b_run_info *r, FILE *f) {
  char title[128], size[24];
  for (size_t i = 0; i < r->n_rows;) {
    struct columns k = columns_from(r, i);
    b_case_title(&r->rows[i].c, title, sizeof title);
    if (i == 0 || !same_table(&r->rows[i].c, &r->rows[i - 1].c))
      fprintf(f, "\n%s: %s\n", title, unit_of(r->o->unit)->text);
    fprintf(f, "%-*s", B_NAME_WIDTH, "message of, bytes");
    for (int c = 0; c < k.n; c++) {
      size_text(k.c[c], size, sizeof size);
      fprintf(f, " %7s", size);
    }
    fprintf(f, "\n");
    for (int s = 0; s < r->subjects->n; s++)
      subject_line(r, &k, s, f);
    times_line(r, &k, f);
    i = k.end;
  }
}

/* What a person wants to know, of the longest key: "16 KiB: 16.1 GB/s, 3.6 times libcrypto." */
static void sentence(const struct b_run_info *r, FILE *f) {
  int ours = our_subject(r);
  const struct b_row *best = NULL;
  for (size_t i = 0; i < r->n_rows; i++) {
    const struct b_row *row = &r->rows[i];
    if (row->subject != ours || !measured(row) || row->c.op != r->rows[0].c.op || row->c.dir != r->rows[0].c.dir)
      continue;
    bool longer = best && (row->c.key_bits > best->c.key_bits ||
                           (row->c.key_bits == best->c.key_bits && row->c.size >= best->c.size));
    best = !best || longer ? row : best;
  }
  if (!best || best->c.size == 0)
    return;
  char title[128], who[256], how[64], beside[64] = "";
  double times = times_peer(r, &best->c);
  b_case_title(&best->c, title, sizeof title);
  title[strcspn(title, ",")] = 0;
  snprintf(who, sizeof who, "%s by %s,", title, r->subjects->s[ours].name);
  snprintf(how, sizeof how, "%zu%s: %.3g GB/s", best->c.size % 1024 ? best->c.size : best->c.size / 1024,
           best->c.size % 1024 ? " bytes" : " KiB", mbytes(best) / 1e3);
  if (!isnan(times))
    snprintf(beside, sizeof beside, ", %.3g times " B_BASE_PEER, times);
  fprintf(f, "%s%c%s%s.\n", who, strlen(who) + strlen(how) + strlen(beside) + 2 > 80 ? '\n' : ' ', how, beside);
}

static const char *baseline_is(const struct b_options *o) {
  if (o->baseline)
    return "the baseline";
  return secure_getenv("RIJN_IMPL") ? "what RIJN_IMPL names" : "what Rijn runs here by default";
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
    fprintf(f, "The lowest tenth of %zu samples. ", r->n_rows ? r->rows[0].n : 0);
    if (r->baseline >= 0)
      fprintf(f, "* %s.\n", baseline_is(r->o));
    else
      fprintf(f, "\n");
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
  if (r->o->quick && !r->o->baseline && !r->noisy)
    b_choice_say(r, f);
  sentence(r, f);
}

void b_table(const struct b_run_info *r, FILE *f) {
  heading(r, f);
  if (r->o->rows_view)
    rows_view(r, f);
  else
    matrix_view(r, f);
  footing(r, f);
}
