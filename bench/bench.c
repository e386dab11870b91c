/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * rijn bench: from options to a plan, from the plan to reports.
 *
 * By itself, from the root folder, without CMake:
 *   gcc -std=gnu11 -O2 -D_GNU_SOURCE -Iinclude -Icmd -DRIJN_BENCH_ALONE -DRIJN_BENCH_HAVE_IPSEC_MB \
 *     LIST.c LIBRARY.a -lcrypto -ljson-c -ldl -lm
 * where LIST.c is the SOURCES of CMakeLists.txt, and the files of cmd.
 */
#include "args.h"
#include "bench.h"
#include "cmd.h"

#include <errno.h>
#include <math.h>
#include <rijn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Was the machine quiet enough to believe the figures? */
static void judge_noise(struct b_run_info *r) {
  size_t rough = 0, rows = 0;
  for (size_t i = 0; i < r->n_rows; i++) {
    if (r->rows[i].n < 2)
      continue;
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
  char peers[B_PEERS_TEXT];
  b_peers_text(r, false, peers, sizeof peers);
  printf("peers (%s):\n", peers[0] ? peers : "none");
  for (int i = 0; i < r->subjects->n; i++)
    if (!r->subjects->s[i].is_rijn)
      printf("  %s\n", r->subjects->s[i].name);
  if (r->subjects->absent[0])
    printf("not on this machine: %s\n", r->subjects->absent);
  printf("what:\n");
  for (int i = 0; i < B_OPS; i++)
    printf("  %-11s %s\n", b_modes[i].name, b_modes[i].help);
  return B_EXIT_OK;
}

static void run_free(struct b_run_info *r) {
  b_rows_clear(r);
  free(r->rows);
  free(r->subjects);
  free(r->command);
}

static int run(struct b_run_info *r, int argc, char **argv) {
  const struct b_options *o = r->o;
  int err = b_plan(r);
  if (err)
    return err;
  if (o->launches > 1 && o->child_fd < 0)
    return b_launch_all(r, argc, argv);
  if (b_pin(o->cpu)) {
    rijn_say_as("rijn bench", "--cpu: cannot pin to processor %d: %s", o->cpu, strerror(errno));
    return B_EXIT_SYSTEM;
  }
  b_clock_init(o->clock, o->hz);
  b_rulers_measure(&r->rulers);
  return o->check_choice ? b_choice_check(r) : b_measure(r);
}

static int report(struct b_run_info *r) {
  const struct b_options *o = r->o;
  b_row_stats(r);
  judge_noise(r);
  bool to_stdout = o->json && rijn_is_standard(o->json, STDOUT_FILENO);
#ifdef RIJN_BENCH_ABLATE
  if (o->ablate && !to_stdout)
    b_ablate_table(r, stdout);
#endif
  if (!to_stdout && o->check_choice)
    b_choice_say(r, stdout);
  else if (!to_stdout && !o->ablate)
    b_table(r, stdout);
  int err = o->json ? b_json(r, o->json) : 0;
  if (!err && (r->failed || r->slow_choice))
    err = B_EXIT_FAIL;
  return !err && r->refused ? B_EXIT_SYSTEM : err;
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
  if (!err && o.list)
    err = list_all(&r);
  if (!err && o.json && !o.list)
    err = b_json_writable(o.json);
  if (!err && !o.list)
    err = run(&r, argc, argv);
  if (!err && !o.list)
    err = o.child_fd >= 0 ? b_launch_report(&r, o.child_fd) : report(&r);
  run_free(&r);
  return err;
}

int rijn_cmd_bench(int argc, char **argv) {
  if (argc > 3 && !strcmp(argv[2], "kernel"))
    rijn_args_inner(argc, argv);
  int err = argc > 1 && !strcmp(argv[1], "kernel") ? b_kernel(argc - 1, argv + 1) : bench(argc, argv);
  return rijn_finish_stdout(RIJN_EXIT_OK) == RIJN_EXIT_OK ? err : B_EXIT_SYSTEM;
}
