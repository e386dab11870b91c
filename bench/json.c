/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The report (its fields: doc/benchmarks.md), made with json-c. */
#include "bench.h"
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
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

static json_object *text(const char *s) { return rijn_json_string(s); }

static json_object *real(double v) { return isfinite(v) ? json_object_new_double(v) : NULL; /* null */ }

static json_object *reals(const double *v, size_t n) {
  json_object *a = json_object_new_array();
  for (size_t i = 0; i < n; i++)
    json_object_array_add(a, real(v[i]));
  return a;
}

static json_object *whole(size_t v) { return json_object_new_int64((int64_t)v); }

static json_object *yes(bool v) { return json_object_new_boolean(v); }

struct field {
  const char *name;
  json_object *value;
};

static json_object *object(const struct field *f, size_t n) {
  json_object *o = json_object_new_object();
  for (size_t i = 0; i < n; i++)
    json_object_object_add(o, f[i].name, f[i].value);
  return o;
}

static json_object *machine(const struct b_run_info *r) {
  struct utsname u;
  char cpu[128], features[512];
  b_machine_cpu(cpu, sizeof cpu);
  if (uname(&u))
    memset(&u, 0, sizeof u);
  const struct field f[] = {{"cpu", text(cpu)},
                            {"architecture", text(u.machine)},
                            {"system", text(u.sysname)},
                            {"kernel", text(u.release)},
                            {"features", text(rijn_cpu_features(features, sizeof features))},
                            {"processors", json_object_new_int64(sysconf(_SC_NPROCESSORS_ONLN))},
                            {"tick_hz", real(r->tick_hz)},
                            {"core_hz_low", real(r->core_hz_low)},
                            {"core_hz_median", real(r->core_hz_median)},
                            {"core_hz_high", real(r->core_hz_high)}};
  return object(f, sizeof f / sizeof *f);
}

static json_object *build(void) {
#ifdef __clang__
  static const char compiler[] = "clang " __clang_version__;
#else
  static const char compiler[] = "gcc " __VERSION__;
#endif
  const struct field f[] = {{"version", text(rijn_version())},
                            {"compiler", text(compiler)},
                            {"flags", text(RIJN_BENCH_FLAGS)},
                            {"commit", text(RIJN_BENCH_COMMIT)}};
  return object(f, sizeof f / sizeof *f);
}

static json_object *options(const struct b_run_info *r) {
  const struct b_options *o = r->o;
  const struct field f[] = {{"command", text(r->command)},
                            {"rounds", whole(o->rounds)},
                            {"launches", whole(o->launches)},
                            {"threads", whole(o->threads)},
                            {"misalign", whole(o->misalign)},
                            {"sample_us", real(o->sample_us)},
                            {"in_place", yes(o->in_place)},
                            {"cold_key", yes(o->turn_keys == B_COLD_KEYS)},
                            {"serialize", yes(o->serial)},
                            {"clock", text(b_clock_name(o->clock))},
                            {"keys_in_turn", whole(o->turn_keys ? o->turn_keys : 1)}};
  return object(f, sizeof f / sizeof *f);
}

static json_object *rulers(const struct b_rulers *u) {
  const struct field f[] = {{"aes", reals(u->aes, 3)},
                            {"multiply", reals(u->mul, 3)},
                            {"load", reals(u->load, 3)},
                            {"xor_16k_aligned", reals(u->xor_aligned, 3)},
                            {"xor_16k_misaligned", reals(u->xor_misaligned, 3)},
                            {"aes_latency", real(u->aes_latency)},
                            {"aes_block_round", real(u->aes_block_round)}};
  return object(f, sizeof f / sizeof *f);
}

static const char *kind(const struct b_subject *s) {
  if (s->ablated)
    return "ablated";
  return s->is_rijn ? "rijn" : "peer";
}

static json_object *row_json(const struct b_run_info *r, const struct b_row *row) {
  const struct b_case *c = &row->c;
  const struct b_subject *s = &r->subjects->s[row->subject];
  char title[128];
  double limit = b_limit_cycles(&r->rulers, c);
  b_case_title(c, title, sizeof title);
  const struct field f[] = {{"what", text(b_mode(c)->name)},
                            {"title", text(title)},
                            {"key", json_object_new_int(c->key_bits)},
                            {"direction", text(c->dir == B_ENC ? "encrypt" : "decrypt")},
                            {"mix", yes(c->mix)},
                            {"size", whole(c->size)},
                            {"count", whole(c->count)},
                            {"aad", whole(c->aad)},
                            {"subject", text(s->name)},
                            {"kind", text(kind(s))},
                            {"error", row->error[0] ? text(row->error) : NULL},
                            {"bytes", real(b_case_bytes(c))},
                            {"per_sample", whole(row->per_sample)},
                            {"launches", whole(row->launches)},
                            {"dropped", whole(row->dropped)},
                            {"low", real(row->n ? row->low : NAN)},
                            {"median", real(row->n ? row->median : NAN)},
                            {"high", real(row->n ? row->high : NAN)},
                            {"ns_low", real(row->n ? row->ns_low : NAN)},
                            {"limit_cycles", real(limit > 0 ? limit : NAN)},
                            {"ratio", real(row->ratio)},
                            {"cycles", reals(row->cycles, row->n)},
                            {"ns", reals(row->ns, row->n)}};
  return object(f, sizeof f / sizeof *f);
}

static json_object *report(const struct b_run_info *r) {
  json_object *rows = json_object_new_array();
  for (size_t i = 0; i < r->n_rows; i++)
    json_object_array_add(rows, row_json(r, &r->rows[i]));
  char peers[B_PEERS_TEXT];
  b_peers_text(r, true, peers, sizeof peers);
  const struct field f[] = {{"format", text("rijn-bench")},
                            {"version", json_object_new_int(2)},
                            {"machine", machine(r)},
                            {"build", build()},
                            {"options", options(r)},
                            {"peers", text(peers)},
                            {"absent", text(r->subjects->absent)},
                            {"baseline", text(r->baseline >= 0 ? r->subjects->s[r->baseline].name : "")},
                            {"rulers", rulers(&r->rulers)},
                            {"noisy", yes(r->noisy)},
                            {"noise", text(r->noise)},
                            {"rows", rows}};
  return object(f, sizeof f / sizeof *f);
}

static int open_report(struct rijn_output *out, const char *path) {
  static const struct stat like_nothing;
  int status = rijn_output_open(out, path, true, &like_nothing, NULL, 0);
  return status == RIJN_EXIT_FAILED ? B_EXIT_SYSTEM : status;
}

/* Before measuring: could path be written? Of what is no file only the permissions are looked at, as a FIFO's reader
 * is not to see it open; and no file is touched, as the run may yet be refused. What this cannot see, b_json() still
 * says. */
int b_json_writable(const char *path) {
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

/* A file that is there stays until the new one is whole. */
int b_json_write(json_object *o, const char *path) {
  static const int how = JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE;
  struct rijn_output out;
  int err = open_report(&out, path);
  if (err) {
    json_object_put(o);
    return err;
  }
  json_c_set_serialization_double_format("%.7g", JSON_C_OPTION_GLOBAL);
  const char *whole_text = json_object_to_json_string_ext(o, how);
  if (!whole_text || rijn_write_full(out.fd, whole_text, strlen(whole_text)) || rijn_write_full(out.fd, "\n", 1)) {
    rijn_say_as("rijn bench", "%s: cannot write: %s", out.text, strerror(errno));
    err = B_EXIT_SYSTEM;
  }
  json_object_put(o);
  if (!err && rijn_output_commit(&out) == RIJN_EXIT_OK)
    return 0;
  rijn_output_abandon(&out);
  return B_EXIT_SYSTEM;
}

int b_json(const struct b_run_info *r, const char *path) { return b_json_write(report(r), path); }
