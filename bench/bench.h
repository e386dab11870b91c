/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * rijn bench: what its parts share. What can be measured stands in modes.h, who in subject.h, time in clock.h.
 *
 *   bench.c   the entry: options to a plan, plan to a report     options.c  the command line, a table
 *   plan.c    cases, and the rows that are to be measured        modes.def  the modes, a table
 *   measure.c checks, rounds, samples     setup.c  buffers       rulers.c   what this machine could do at best
 *   launch.c  several launches of the process                    threads.c  several threads
 *   stats.c   quantiles and ratios       table.c  the terminal   json.c     the report; bench/report reads it
 *   subject.c the list of subjects       subjects.c who is measured        subject_rijn.c, peer_*.c, by_ones.c  loops
 *   kernel*.c rijn bench kernel, which shares little with the rest
 *   system.c  the machine's name, and what it refuses            choice.c   is the chosen set the fastest?
 */
#ifndef RIJN_BENCH_H
#define RIJN_BENCH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "subject.h"

#include <stdio.h>

/* Exit statuses, documented in doc/benchmarks.md and rijn(1). */
enum { B_EXIT_OK = 0, B_EXIT_FAIL = 1, B_EXIT_USAGE = 2, B_EXIT_SYSTEM = 3 };

#define B_NAME_WIDTH 20         /* of a table's column of names: no implementation has a longer one */
#define B_ROUNDS 101            /* samples of a row, where nothing was said */
#define B_COLD_KEYS 4096        /* keys in turn with --cold-key: more than a second-level cache holds */
#define B_BASE_PEER "libcrypto" /* whom people compare with */

int rijn_cmd_bench(int argc, char **argv);

struct b_row {
  struct b_case c;
  int subject;
  char error[96];                   /* why there are no samples: its output was wrong; "" when all is well */
  size_t per_sample;                /* messages in one sample */
  size_t n;                         /* samples */
  size_t dropped;                   /* of them NAN, as something else ran meanwhile */
  size_t launches;                  /* of equal share */
  double *cycles;                   /* per message and core */
  double *ns;                       /* per message, of all threads together */
  double low, median, high, spread; /* of cycles: tenth, half, nine tenths; (median - low) / low */
  double ns_low;
  double ratio; /* the median over rounds of cycles / baseline's cycles; NAN: no baseline */
};

struct b_options {
  unsigned ops; /* bit mask of b_op */
  bool full, wide, rows_view, quick, list, ablate, check_choice;
  double margin; /* by so many percent another set has to be faster than the chosen one to be spoken of */
  size_t sizes[64];
  size_t n_sizes;
  bool mix;
  size_t keys[3];
  size_t n_keys;
  bool enc, dec;
  const char *impls, *peers, *baseline;
  size_t aad;
  size_t rounds, threads, launches; /* rounds: 0 until settled */
  bool in_place, serial;
  size_t turn_keys; /* key objects that messages take in turn, a power of two; 0: one */
  size_t misalign;
  double sample_us;
  double hz; /* -f */
  enum b_clock_kind clock;
  int cpu; /* --cpu: -1 the last allowed, -2 no pinning */
  const char *json, *unit;
  int child_fd;     /* launch.c: results go there */
  size_t placement; /* seed for where buffers lie; 0: the standard place */
};

struct b_rulers {
  /* cycles per instruction, 0 where the machine lacks it; [0] 128, [1] 256, [2] 512 bits */
  double aes[3], mul[3], load[3], xor_aligned[3], xor_misaligned[3]; /* the last two: cycles per 16 KiB */
  double aes_latency;
  double aes_block_round; /* the best of aes, per block and round: this machine's AES limit */
};

struct b_run_info {
  const struct b_options *o;
  struct b_subjects *subjects;
  struct b_rulers rulers;
  struct b_row *rows;
  size_t n_rows;
  int baseline; /* index of a subject, or -1 */
  double core_hz_low, core_hz_median, core_hz_high, tick_hz;
  size_t samples, rejected; /* taken; taken anew */
  long preempted;           /* involuntary context switches while measuring */
  int failed;               /* subjects whose output was wrong */
  bool refused;             /* the system refused what some rows need: these have no samples */
  bool slow_choice;         /* --check-choice: another set is faster */
  bool noisy;
  char noise[240];
  double seconds;
  char *command;
};

/* plan.c: 0 or an exit status. */
int b_plan(struct b_run_info *r);

/* rulers.c */
void b_rulers_measure(struct b_rulers *r);
/* Cycles that the AES of one message costs at least on this machine; 0: not known. */
double b_limit_cycles(const struct b_rulers *r, const struct b_case *c);

/* subjects.c */
int b_subjects_find(struct b_subjects *all, const struct b_options *o);
/* The peers with their versions, "libcrypto 3.0.22, ...": those that were measured, or all that the options take. */
#define B_PEERS_TEXT (50 * B_MAX_PEERS)
void b_peers_text(const struct b_run_info *r, bool measured, char *buf, size_t size);

/* measure.c */
int b_measure(struct b_run_info *r);
/* Forgets the samples of all rows. */
void b_rows_clear(struct b_run_info *r);

/* choice.c */
void b_choice_options(struct b_options *o);
/* Measures, and once more if another set is faster. */
int b_choice_check(struct b_run_info *r);
/* The mean ratio of the fastest set beside the baseline, and who it is; NAN: there is none. */
double b_choice_rival(const struct b_run_info *r, int *rival);
/* Says whether another set is faster than the chosen one; without --check-choice only if one is. */
void b_choice_say(const struct b_run_info *r, FILE *f);

/* threads.c: ticks until all threads have run n messages, thread i with jobs[i]; the caller is thread 0. */
double b_threads_run(b_run run, const struct b_job *jobs, size_t threads, size_t n, int first_cpu, int *bad);

/* launch.c */
int b_launch_all(struct b_run_info *r, int argc, char **argv);
int b_launch_report(const struct b_run_info *r, int fd);

/* stats.c. Samples that are NAN do not count. */
double b_quantile(const double *v, size_t n, double q);
void b_row_stats(struct b_run_info *r);

/* table.c, json.c */
void b_table(const struct b_run_info *r, FILE *f);
/* 0, or says that the file cannot be written. */
int b_json_writable(const char *path);
int b_json(const struct b_run_info *r, const char *path);
/* Any report, which is freed. */
struct json_object;
int b_json_write(struct json_object *o, const char *path);

/* kernel.c: rijn bench kernel */
int b_kernel(int argc, char **argv);

/* system.c */
int b_machine_cpu(char *buf, size_t size);
/* Says what the system refused, and why (errno). B_EXIT_SYSTEM, which is never answered without a word. */
int b_refused(const char *what);

/* options.c: 0, or an exit status (message printed); -1: help was asked for. */
int b_options_parse(struct b_options *o, int argc, char **argv);

/* ablate.c, in builds with RIJN_BENCH_ABLATE */
void b_subjects_ablated(struct b_subjects *all);
void b_ablate_table(const struct b_run_info *r, FILE *f);

#endif
