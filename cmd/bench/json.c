/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The JSON report (its fields: doc/benchmarks.md) and the CSV one. */
#include "bench.h"
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <rijn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef RIJN_BENCH_FLAGS
#define RIJN_BENCH_FLAGS ""
#endif
#ifndef RIJN_BENCH_COMMIT
#define RIJN_BENCH_COMMIT ""
#endif

/* SPEC: RFC 3629, section 4. Bytes of the character at s; 0: none that UTF-8 has. */
static size_t character(const unsigned char *s) {
  if (s[0] < 0x80)
    return 1;
  size_t n = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
  for (size_t i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80) /* the zero at the end is none either */
      return 0;
  bool too_long = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
  bool none = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f); /* surrogates, and past the last */
  return n == 0 || too_long || none ? 0 : n;
}

/* WHY not as it is: names of files can be any bytes, and no reader takes JSON that is not UTF-8. */
static void text(FILE *f, const char *s) {
  fputc('"', f);
  while (*s) {
    unsigned char c = (unsigned char)*s;
    size_t n = character((const unsigned char *)s);
    if (n == 0)
      fputs("\\ufffd", f);
    else if (c == '"' || c == '\\')
      fprintf(f, "\\%c", c);
    else if (c < 0x20 || c == '<') /* '<': the page holds this text inside a script element */
      fprintf(f, "\\u%04x", c);
    else
      fwrite(s, 1, n, f);
    s += n ? n : 1;
  }
  fputc('"', f);
}

static void field(FILE *f, const char *name, const char *value) {
  text(f, name);
  fputs(": ", f);
  text(f, value);
}

static void real(FILE *f, double v) {
  if (isfinite(v))
    fprintf(f, "%.7g", v);
  else
    fputs("null", f);
}

static void reals(FILE *f, const char *name, const double *v, size_t n) {
  fprintf(f, "\"%s\": [", name);
  for (size_t i = 0; i < n; i++) {
    fputs(i ? "," : "", f);
    real(f, v[i]);
  }
  fputc(']', f);
}

static void figure(FILE *f, const char *name, double v) {
  fprintf(f, ", \"%s\": ", name);
  real(f, v);
}

static void machine(const struct b_run_info *r, FILE *f) {
  struct utsname u;
  char cpu[128], features[512];
  b_machine_cpu(cpu, sizeof cpu);
  if (uname(&u))
    memset(&u, 0, sizeof u);
  fputs("\"machine\": {", f);
  field(f, "cpu", cpu);
  fputs(", ", f);
  field(f, "architecture", u.machine);
  fputs(", ", f);
  field(f, "system", u.sysname);
  fputs(", ", f);
  field(f, "kernel", u.release);
  fputs(", ", f);
  field(f, "features", rijn_cpu_features(features, sizeof features));
  fprintf(f, ", \"processors\": %ld", sysconf(_SC_NPROCESSORS_ONLN));
  figure(f, "tick_hz", r->tick_hz);
  figure(f, "core_hz_low", r->core_hz_low);
  figure(f, "core_hz_median", r->core_hz_median);
  figure(f, "core_hz_high", r->core_hz_high);
  fputs("},\n", f);
}

static void build(FILE *f) {
  fputs("\"build\": {", f);
  field(f, "version", rijn_version());
  fputs(", ", f);
#ifdef __clang__
  field(f, "compiler", "clang " __clang_version__);
#else
  field(f, "compiler", "gcc " __VERSION__);
#endif
  fputs(", ", f);
  field(f, "flags", RIJN_BENCH_FLAGS);
  fputs(", ", f);
  field(f, "commit", RIJN_BENCH_COMMIT);
  fputs("},\n", f);
}

static void options(const struct b_run_info *r, FILE *f) {
  const struct b_options *o = r->o;
  fputs("\"options\": {", f);
  field(f, "command", r->command);
  fprintf(f, ", \"rounds\": %zu, \"launches\": %zu, \"threads\": %zu, \"misalign\": %zu", o->rounds, o->launches,
          o->threads, o->misalign);
  figure(f, "sample_us", o->sample_us);
  fprintf(f, ", \"in_place\": %s, \"cold_key\": %s, \"serialize\": %s, \"clock\": \"%s\"},\n",
          o->in_place ? "true" : "false", o->cold_key ? "true" : "false", o->serial ? "true" : "false",
          b_clock_name(o->clock));
}

static void rulers(const struct b_rulers *u, FILE *f) {
  fputs("\"rulers\": {", f);
  reals(f, "aes", u->aes, 3);
  fputs(", ", f);
  reals(f, "multiply", u->mul, 3);
  fputs(", ", f);
  reals(f, "load", u->load, 3);
  fputs(", ", f);
  reals(f, "xor_16k_aligned", u->xor_aligned, 3);
  fputs(", ", f);
  reals(f, "xor_16k_misaligned", u->xor_misaligned, 3);
  figure(f, "aes_latency", u->aes_latency);
  figure(f, "aes_block_round", u->aes_block_round);
  fputs("},\n", f);
}

static void row_json(const struct b_run_info *r, const struct b_row *row, bool samples, FILE *f) {
  const struct b_case *c = &row->c;
  const struct b_subject *s = &r->subjects->s[row->subject];
  char title[128];
  double limit = b_limit_cycles(&r->rulers, c);
  b_case_title(c, title, sizeof title);
  fputs("{", f);
  field(f, "what", b_op_name(c->op));
  fputs(", ", f);
  field(f, "title", title);
  fprintf(f, ", \"key\": %d, \"direction\": \"%s\", \"mix\": %s, \"size\": %zu, \"count\": %zu, \"aad\": %zu, ",
          c->key_bits, c->dir == B_ENC ? "encrypt" : "decrypt", c->mix ? "true" : "false", c->size, c->count, c->aad);
  field(f, "subject", s->name);
  fprintf(f, ", \"kind\": \"%s\", \"error\": ", s->ablated ? "ablated" : s->is_rijn ? "rijn" : "peer");
  if (row->error[0])
    text(f, row->error);
  else
    fputs("null", f);
  figure(f, "bytes", b_case_bytes(c));
  fprintf(f, ", \"per_sample\": %zu, \"launches\": %zu", row->per_sample, row->launches);
  figure(f, "low", row->n ? row->low : NAN);
  figure(f, "median", row->n ? row->median : NAN);
  figure(f, "high", row->n ? row->high : NAN);
  figure(f, "ns_low", row->n ? b_quantile(row->ns, row->n, 0.1) : NAN);
  figure(f, "limit_cycles", limit > 0 ? limit : NAN);
  figure(f, "ratio", row->ratio);
  fputs(", ", f);
  reals(f, "cycles", row->cycles, samples ? row->n : 0);
  fputs(", ", f);
  reals(f, "ns", row->ns, samples ? row->n : 0);
  fputs("}", f);
}

static void write_report(const struct b_run_info *r, bool samples, FILE *f) {
  fputs("{\"format\": \"rijn-bench\", \"version\": 1,\n", f);
  machine(r, f);
  build(f);
  options(r, f);
  field(f, "peers", r->subjects->versions);
  fputs(",\n", f);
  field(f, "absent", r->subjects->absent);
  fputs(",\n", f);
  field(f, "baseline", r->baseline >= 0 ? r->subjects->s[r->baseline].name : "");
  fputs(",\n", f);
  rulers(&r->rulers, f);
  fprintf(f, "\"noisy\": %s, ", r->noisy ? "true" : "false");
  field(f, "noise", r->noise);
  fputs(",\n\"rows\": [\n", f);
  for (size_t i = 0; i < r->n_rows; i++) {
    row_json(r, &r->rows[i], samples, f);
    fputs(i + 1 < r->n_rows ? ",\n" : "\n", f);
  }
  fputs("]}\n", f);
}

static void write_json(const struct b_run_info *r, FILE *f) { write_report(r, true, f); }

/* For the page: without the samples, which it does not show. */
char *b_json_text(const struct b_run_info *r) {
  char *buf = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&buf, &size);
  if (!f)
    return NULL;
  write_report(r, false, f);
  if (fclose(f)) {
    free(buf);
    buf = NULL;
  }
  return buf;
}

static void write_csv(const struct b_run_info *r, FILE *f) {
  fputs("what,key,direction,size,count,aad,subject,kind,cycles_low,cycles_median,cycles_high,cycles_per_byte,"
        "cycles_per_block,ns,mbyte_per_s,limit_percent,ratio,samples,error\n",
        f);
  for (size_t i = 0; i < r->n_rows; i++) {
    const struct b_row *row = &r->rows[i];
    const struct b_case *c = &row->c;
    const struct b_subject *s = &r->subjects->s[row->subject];
    double bytes = b_case_bytes(c), ns = b_quantile(row->ns, row->n, 0.1), limit = b_limit_cycles(&r->rulers, c);
    fprintf(f, "%s,%d,%s,", b_op_name(c->op), c->key_bits, c->dir == B_ENC ? "encrypt" : "decrypt");
    if (c->mix)
      fputs("mix", f);
    else
      fprintf(f, "%zu", c->size);
    fprintf(f, ",%zu,%zu,%s,%s", c->count, c->aad, s->name, s->ablated ? "ablated" : s->is_rijn ? "rijn" : "peer");
    const double v[] = {row->low,
                        row->median,
                        row->high,
                        bytes > 0 ? row->low / bytes : NAN,
                        bytes > 0 ? row->low / bytes * 16 : NAN,
                        ns,
                        bytes > 0 ? bytes / ns * 1e3 : NAN,
                        limit > 0 ? 100 * limit / row->low : NAN,
                        row->ratio};
    for (size_t k = 0; k < sizeof v / sizeof *v; k++)
      if (row->n && isfinite(v[k]))
        fprintf(f, ",%.7g", v[k]);
      else
        fputc(',', f);
    fprintf(f, ",%zu,\"%s\"\n", row->n, row->error); /* no error text has a quote in it */
  }
}

static int open_report(struct rijn_output *out, const char *path) {
  static const struct stat like_nothing;
  int status = rijn_output_open(out, path, true, &like_nothing, NULL, 0);
  return status == RIJN_EXIT_FAILED ? B_EXIT_SYSTEM : status;
}

/* Before measuring: could path be written? Of what is no file only the permissions are looked at, for a FIFO's reader
 * is not to see it open; and no file is touched, as the run may yet be refused. What this cannot see, b_write_file()
 * still says. */
static int writable(const char *path) {
  struct stat st;
  struct rijn_output out;
  bool there = rijn_descriptor(path) < 0 && !stat(path, &st);
  if (there && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS)) {
    rijn_say_as("rijn bench", "%s: cannot write: %s", path, strerror(errno));
    return B_EXIT_SYSTEM;
  }
  if (there && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
    return 0;
  int err = open_report(&out, path);
  rijn_output_abandon(&out);
  return err;
}

/* Do both name one regular file or one descriptor, or would they? A report of minutes would be written over by the
 * next. */
static bool same_file(const char *a, const char *b) {
  struct stat x, y;
  a = strcmp(a, "-") ? a : "/dev/stdout";
  b = strcmp(b, "-") ? b : "/dev/stdout";
  if (!strcmp(a, b) || (rijn_descriptor(a) >= 0 && rijn_descriptor(a) == rijn_descriptor(b)))
    return true;
  bool there = !stat(a, &x);
  if (there != !stat(b, &y))
    return false;
  if (there)
    return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
  const char *ends[2] = {strrchr(a, '/'), strrchr(b, '/')};
  bool same = !strcmp(ends[0] ? ends[0] + 1 : a, ends[1] ? ends[1] + 1 : b);
  char *folders[2] = {ends[0] ? strndup(a, (size_t)(ends[0] - a) + 1) : strdup("."),
                      ends[1] ? strndup(b, (size_t)(ends[1] - b) + 1) : strdup(".")};
  same = same && folders[0] && folders[1] && !stat(folders[0], &x) && !stat(folders[1], &y) && x.st_dev == y.st_dev &&
         x.st_ino == y.st_ino;
  free(folders[0]);
  free(folders[1]);
  return same;
}

int b_reports_writable(const struct b_options *o) {
  static const char *const names[] = {"--json", "--csv", "--html"};
  const char *const paths[] = {o->json, o->csv, o->html};
  int err = 0;
  for (size_t i = 0; i < sizeof paths / sizeof *paths && !err; i++) {
    for (size_t j = 0; paths[i] && j < i; j++)
      if (paths[j] && same_file(paths[i], paths[j])) {
        rijn_say_as("rijn bench", "%s and %s: \"%s\" cannot be both", names[j], names[i], paths[i]);
        return B_EXIT_USAGE;
      }
    if (paths[i])
      err = writable(paths[i]);
  }
  return err;
}

/* A file that is there stays until the new one is whole. */
int b_write_file(const struct b_run_info *r, const char *path, void (*write)(const struct b_run_info *, FILE *)) {
  struct rijn_output out;
  int err = open_report(&out, path), fd = err ? -1 : dup(out.fd);
  FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
  bool bad = true;
  if (f) {
    write(r, f);
    bad = ferror(f) != 0;
    bad |= fclose(f) != 0;
  }
  if (!err && bad)
    rijn_say_as("rijn bench", "%s: cannot write: %s", out.text, strerror(errno));
  if (!bad && rijn_output_commit(&out) == RIJN_EXIT_OK)
    return 0;
  rijn_output_abandon(&out);
  return B_EXIT_SYSTEM;
}

int b_json(const struct b_run_info *r, const char *path) { return b_write_file(r, path, write_json); }

int b_csv(const struct b_run_info *r, const char *path) { return b_write_file(r, path, write_csv); }
