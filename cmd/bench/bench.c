/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * rijn bench: from options to a plan, from the plan to reports.
 *
 * By itself, from the root folder, without CMake:
 *   gcc -std=gnu11 -O2 -D_GNU_SOURCE -Iinclude -Icmd -DRIJN_BENCH_ALONE -DRIJN_BENCH_HAVE_IPSEC_MB \
 *     LIST.c LIBRARY.a -lcrypto -ldl -lm
 * where LIST.c is RIJN_BENCH_SOURCES of sources.cmake, and io.c, output.c, progress.c, say.c and signals.c of cmd.
 */
#include "bench.h"
#include "cmd.h"

#include <errno.h>
#include <math.h>
#include <rijn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int b_machine_cpu(char *buf, size_t size) {
  char line[256];
  FILE *f = fopen("/proc/cpuinfo", "r");
  snprintf(buf, size, "unknown processor");
  if (!f)
    return -1;
  while (fgets(line, sizeof line, f)) {
    char *colon = strchr(line, ':');
    if (!colon || (strncmp(line, "model name", 10) && strncmp(line, "cpu\t", 4) && strncmp(line, "CPU part", 8)))
      continue;
    colon += colon[1] == ' ' ? 2 : 1;
    colon[strcspn(colon, "\n")] = 0;
    snprintf(buf, size, "%s", colon);
    break;
  }
  fclose(f);
  return 0;
}

int b_refused(const char *what) {
  rijn_say_as("rijn bench", "the system refused %s: %s", what, strerror(errno));
  return B_EXIT_SYSTEM;
}

/* ---- the plan */

struct plan {
  struct b_run_info *r;
  size_t room;
  int err;
};

static void add_case(struct plan *p, const struct b_case *c) {
  struct b_run_info *r = p->r;
  for (int s = 0; s < r->subjects->n && !p->err; s++) {
    if (!r->subjects->s[s].runner(&r->subjects->s[s], c))
      continue;
    if (r->n_rows == p->room) {
      p->room = p->room ? 2 * p->room : 64;
      struct b_row *more = realloc(r->rows, p->room * sizeof *more);
      if (!more) {
        p->err = b_refused("memory");
        return;
      }
      r->rows = more;
    }
    struct b_row *row = &r->rows[r->n_rows++];
    memset(row, 0, sizeof *row);
    memcpy(&row->c, c, sizeof *c);
    row->subject = s;
  }
}

bool b_one_way(enum b_op op) {
  return op == B_GMAC || op == B_KEYS || op == B_CTR || op == B_GHASH || op == B_XOR || op == B_LATENCY;
}

/* The sizes a mode is measured at, beside the mix of those that mix. */
static size_t own_sizes(const struct b_options *o, enum b_op op, bool mixes, size_t sizes[64]) {
  static const size_t gcm[] = {16, 63, 64, 200, 208, 216, 300, 426, 500, 512, 1420, 4095, 4096, 16384};
  static const size_t bulk[] = {16, 256, 4096, 16384}, sectors[] = {512, 1024, 4096, 65536}, run[] = {512, 4096};
  static const size_t batch[] = {64, 256, 1420}, none[] = {0};
  static const size_t files[] = {65536, 16777216};
  const size_t *s = bulk;
  size_t n = 4;
  if (op == B_KEYS || op == B_LATENCY) {
    s = none;
    n = 1;
  } else if (op == B_FILE && (o->ops != 1u << B_FILE || !(o->n_sizes || o->mix))) {
    /* Where something else is measured too, --sizes are of its messages. */
    s = files;
    n = 2;
  } else if (o->n_sizes || o->mix) {
    s = o->sizes;
    n = o->n_sizes;
  } else if (op == B_GCM) {
    s = gcm;
    n = sizeof gcm / sizeof *gcm;
  } else if (op == B_XTS) {
    s = sectors;
  } else if (op == B_XTSRUN) {
    s = run;
    n = 2;
  } else if (op == B_BATCH || op == B_BATCHKEYS) {
    s = batch;
    n = 3;
  }
  size_t kept = 0, at = 0;
  char left[64 * 10 + 6]; /* out; a size has eight digits at most */
  for (size_t i = 0; i < n; i++) {
    bool whole = op == B_CBC || op == B_ECB || op == B_GHASH;
    if ((whole && (s[i] % 16 || s[i] == 0)) || ((op == B_XTS || op == B_XOR) && s[i] < 16) ||
        (op == B_XTS && s[i] > (size_t)16 << 20) || /* 2^20 blocks */
        (op == B_XTSRUN && (s[i] < 512 || s[i] > 65536 || (s[i] & (s[i] - 1)))))
      at += (size_t)snprintf(left + at, sizeof left - at, ", %zu", s[i]); /* a length the mode does not have */
    else
      sizes[kept++] = op == B_LATENCY ? 16 : s[i];
  }
  if (o->mix && !mixes)
    at += (size_t)snprintf(left + at, sizeof left - at, ", mix");
  /* WHY only then: where all modes are meant, nobody has asked for this length of this mode. */
  if (at && s == o->sizes && o->ops != B_ALL_OPS && o->child_fd < 0)
    rijn_say_as("rijn bench", "%s: left out of --sizes, for it has no such length: %s", b_op_name(op), left + 2);
  return kept;
}

static void plan_op(struct plan *p, enum b_op op) {
  static const size_t batch[] = {1, 4, 8, 32, 128}, keys[] = {32}, run[] = {8, 64}, one[] = {1};
  const struct b_options *o = p->r->o;
  const size_t *counts = op == B_BATCH ? batch : op == B_BATCHKEYS ? keys : op == B_XTSRUN ? run : one;
  size_t n_counts = op == B_BATCH ? 5 : op == B_XTSRUN ? 2 : 1;
  bool no_key = op == B_GHASH || op == B_XOR;
  bool is_batch = op == B_BATCH || op == B_BATCHKEYS;
  bool mixes =
      is_batch ? o->mix || o->n_sizes == 0 : (o->mix || (o->full && o->n_sizes == 0)) && (op == B_GCM || op == B_CTR);
  size_t sizes[64], n = own_sizes(o, op, mixes, sizes);
  for (int k = 0; k < (no_key ? 1 : o->n_keys); k++) {
    if ((op == B_XTS || op == B_XTSRUN) && o->keys[k] == 192)
      continue; /* XTS has none */
    for (int dir = B_ENC; dir <= B_DEC; dir++) {
      if (b_one_way(op) ? dir == B_DEC : !(dir == B_ENC ? o->enc : o->dec))
        continue;
      for (size_t m = 0; m < n_counts; m++)
        for (size_t i = 0; i < n + mixes; i++) {
          struct b_case c;
          memset(&c, 0, sizeof c); /* cases are compared as memory */
          c.op = op;
          c.key_bits = o->keys[k];
          c.dir = dir;
          c.mix = i == n;
          c.size = c.mix ? 0 : sizes[i];
          c.count = counts[m];
          c.aad = op == B_GCM || is_batch ? o->aad : 0;
          add_case(p, &c);
        }
    }
  }
}

static int find_baseline(struct b_run_info *r) {
  const char *want = r->o->baseline;
  int chosen = rijn_impl_chosen();
  if (!want && chosen >= 0)
    want = rijn_impl_name(chosen);
  r->baseline = -1;
  for (int i = 0; want && i < r->subjects->n; i++)
    if (!strcmp(r->subjects->s[i].name, want))
      r->baseline = i;
  if (r->o->baseline && r->baseline < 0) {
    rijn_say_as("rijn bench", "--baseline: \"%s\" is not measured in this run; there is:", r->o->baseline);
    for (int i = 0; i < r->subjects->n; i++)
      fprintf(stderr, "%s %s", i ? "," : " ", r->subjects->s[i].name);
    fputc('\n', stderr);
    return B_EXIT_USAGE;
  }
  return 0;
}

/* Was the machine quiet enough to believe the figures? */
static void judge_noise(struct b_run_info *r) {
  size_t rough = 0, rows = 0;
  for (size_t i = 0; i < r->n_rows; i++) {
    if (r->rows[i].n < 2 || r->rows[i].c.op == B_FILE)
      continue; /* starts of programs are never even */
    rows++;
    rough += r->rows[i].spread > 0.05;
  }
  double clock = r->core_hz_high > 0 ? (r->core_hz_high - r->core_hz_low) / r->core_hz_high : 0;
  double rejected = r->samples ? fmin((double)r->rejected / (double)r->samples, 9) : 0;
  size_t processors = b_cpu_count();
  bool crowded = r->o->threads > processors;
  r->noisy = crowded || (rows && (rough * 4 > rows || rejected > 0.05));
  if (crowded)
    snprintf(r->noise, sizeof r->noise, "NOISY: %zu threads share %zu processor%s: cycles are not those of one core.",
             r->o->threads, processors, processors == 1 ? "" : "s");
  else if (rows == 0)
    snprintf(r->noise, sizeof r->noise, "Quiet enough? Too few samples to tell. %.1f s.", r->seconds);
  else if (r->noisy)
    snprintf(r->noise, sizeof r->noise,
             "NOISY: in %zu of %zu rows the median is 5 %% over the lowest tenth, and\n"
             "%.1f %% of the samples were thrown away: small differences cannot be told.",
             rough, rows, 100 * rejected);
  else
    snprintf(r->noise, sizeof r->noise, "Quiet enough: %zu of %zu rows uneven, clock within %.1f %%, %.1f s.", rough,
             rows, 100 * clock, r->seconds);
}

static int list_all(const struct b_run_info *r) {
  printf("implementations:\n");
  for (int i = 0; i < r->subjects->n; i++)
    if (r->subjects->s[i].is_rijn)
      printf("  %s\n", r->subjects->s[i].name);
  printf("peers (%s):\n", r->subjects->versions[0] ? r->subjects->versions : "none");
  for (int i = 0; i < r->subjects->n; i++)
    if (!r->subjects->s[i].is_rijn)
      printf("  %s\n", r->subjects->s[i].name);
  if (r->subjects->absent[0])
    printf("not on this machine: %s\n", r->subjects->absent);
  printf("what:\n ");
  for (int i = 0; i < B_OPS; i++)
    printf(" %s", b_op_name((enum b_op)i));
  printf("\n");
  return B_EXIT_OK;
}

static void run_free(struct b_run_info *r) {
  for (size_t i = 0; i < r->n_rows; i++) {
    free(r->rows[i].cycles);
    free(r->rows[i].ns);
  }
  free(r->rows);
  free(r->subjects);
  free(r->command);
}

static int run(struct b_run_info *r, int argc, char **argv) {
  const struct b_options *o = r->o;
  struct plan p = {r, 0, 0};
  for (int op = 0; op < B_OPS; op++)
    if (o->ops & 1u << op)
      plan_op(&p, (enum b_op)op);
  if (p.err)
    return p.err;
  if (r->n_rows == 0) {
    rijn_say_as("rijn bench", "nothing to measure: no subject has that mode at that length");
    return B_EXIT_USAGE;
  }
  if (o->launches > 1 && o->child_fd < 0)
    return b_launch_all(r, argc, argv);
  if (b_pin(o->cpu)) {
    rijn_say_as("rijn bench", "--cpu: cannot pin to processor %d: %s", o->cpu, strerror(errno));
    return B_EXIT_SYSTEM;
  }
  b_clock_init(o->clock, o->hz);
  b_rulers_measure(&r->rulers);
  return b_measure(r);
}

static bool is_stdout(const char *path) { return path && rijn_is_standard(path, STDOUT_FILENO); }

static int report(struct b_run_info *r) {
  const struct b_options *o = r->o;
  int err = 0;
  bool to_stdout = is_stdout(o->json) || is_stdout(o->csv) || is_stdout(o->html);
  b_row_stats(r);
  judge_noise(r);
#ifdef RIJN_BENCH_ABLATE
  if (o->ablate && !to_stdout)
    b_ablate_table(r, stdout);
#endif
  if (!to_stdout && !o->ablate)
    b_table(r, stdout);
  if (o->json)
    err |= b_json(r, o->json);
  if (o->csv)
    err |= b_csv(r, o->csv);
  if (o->html)
    err |= b_html(r, o->html);
  return err ? err : r->failed ? B_EXIT_FAIL : r->refused ? B_EXIT_SYSTEM : B_EXIT_OK;
}

/* The command line as one string, or NULL. */
static char *join(int argc, char **argv) {
  size_t room = sizeof "rijn bench", at = 0;
  for (int i = 1; i < argc; i++)
    room += strlen(argv[i]) + 1;
  char *s = malloc(room);
  for (int i = 0; s && i < argc; i++)
    at += (size_t)snprintf(s + at, room - at, "%s%s", i ? " " : "", i ? argv[i] : "rijn bench");
  return s;
}

static int bench(int argc, char **argv) {
  struct b_options o;
  struct b_run_info r;
  memset(&r, 0, sizeof r);
  r.o = &o;
  r.command = join(argc, argv);
  r.subjects = calloc(1, sizeof *r.subjects);
  int err = r.command && r.subjects ? 0 : b_refused("memory");
  if (!err)
    err = b_options_parse(&o, argc, argv); /* may change the order of argv */
  if (err < 0) {
    run_free(&r);
    return B_EXIT_OK; /* help was asked for, and given */
  }
  if (!err)
    err = b_subjects_find(r.subjects, &o);
  if (!err)
    err = o.list ? list_all(&r) : find_baseline(&r);
  if (!err && !o.list)
    err = b_reports_writable(&o);
  if (!err && !o.list)
    err = run(&r, argc, argv);
  if (!err && !o.list)
    err = o.child_fd >= 0 ? b_launch_report(&r, o.child_fd) : report(&r);
  run_free(&r);
  return err;
}

int rijn_cmd_bench(int argc, char **argv) {
  bool compare = argc > 1 && !strcmp(argv[1], "compare");
  int err = compare ? b_compare(argc - 1, argv + 1) : bench(argc, argv);
  return rijn_finish_stdout(RIJN_EXIT_OK) == RIJN_EXIT_OK ? err : B_EXIT_SYSTEM;
}

#ifdef RIJN_BENCH_ALONE
int main(int argc, char **argv) { return rijn_cmd_bench(argc, argv); }
#endif
