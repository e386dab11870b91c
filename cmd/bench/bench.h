/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * rijn bench: what its parts share.
 *
 *   bench.c    the entry: options to a plan, plan to reports      options.c  the command line
 *   clock.c    time stamps, the core clock, calibration            rulers.c   what this machine could do at best
 *   subject.c  the list of those measured                          subject_rijn.c, peer_*.c  one kind each, by_ones.c
 *   measure.c  checks, rounds, samples     setup.c  buffers         launch.c   several launches of the process
 *   threads.c  several threads             filecmd.c  whole commands
 *   stats.c    quantiles and Student's t                           table.c json.c html.c compare.c json_read.c  reports
 *
 * A CASE is what is done (mode, key size, direction, length). A SUBJECT is who does it: an implementation of
 * Rijn or a peer. A ROW is one subject in one case, with a sample for every round.
 */
#ifndef RIJN_BENCH_H
#define RIJN_BENCH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses, documented in doc/benchmarks.md and rijn(1). */
enum { B_EXIT_OK = 0, B_EXIT_FAIL = 1, B_EXIT_USAGE = 2, B_EXIT_SYSTEM = 3 };

enum b_op {
  B_GCM,
  B_GMAC,
  B_KEYS,
  B_BATCH,
  B_BATCHKEYS, /* the same, each message with a key of its own */
  B_XTS,
  B_XTSRUN,
  B_CTR,
  B_CBC,
  B_ECB,
  B_GHASH,
  B_XOR,
  B_LATENCY,
  B_FILE,
  B_OPS
};
#define B_ALL_OPS ((1u << B_OPS) - 1)
enum { B_ENC, B_DEC };

#define B_BATCH_MAX 128  /* messages a batch */
#define B_MIX_N 256      /* lengths in the mix of packets; a power of two */
#define B_NONCES 256     /* prepared nonces, 16 bytes apart; a power of two */
#define B_NAME_WIDTH 20  /* of a table's column of names: no implementation has a longer one */
#define B_COLD_KEYS 4096 /* keys walked through with --cold-key: more than a second-level cache holds */

struct b_case {
  enum b_op op;
  int key_bits; /* 128, 192, 256; for XTS that of the data key */
  int dir;
  size_t size;  /* bytes a message; 0 with mix */
  size_t count; /* messages a batch, sectors a run; 1 elsewhere */
  size_t aad;
  bool mix; /* lengths from 64 to 1500 instead of size */
};

struct b_msg {
  const uint8_t *in;
  uint8_t *out;
  const uint8_t *nonce;
  uint8_t *tag;
};

/* All that a subject's loop reads. */
struct b_job {
  const struct b_case *c;
  void *const *keys; /* keys[i & kmask] serves message i; of batches and runs see b_job_key */
  size_t kmask;
  const uint32_t *lens; /* lens[i & lmask] is its length, tags + 16 * (i & lmask) its tag */
  size_t lmask;
  const uint8_t *nonces; /* nonces + 16 * (i & nmask) */
  size_t nmask;
  const uint8_t *aad;
  size_t aad_len;
  const uint8_t *in;
  uint8_t *out;
  uint8_t *tags;
  const uint8_t *raw; /* the raw key, for key set-up and for those who set it anew each message */
  size_t raw_len;
  const struct b_msg *msgs; /* batches: count of them */
  bool serial;              /* wait for the end of each message (batch, run) before the next */
};

static inline bool b_is_batch(const struct b_case *c) { return c->op == B_BATCH || c->op == B_BATCHKEYS; }

/* Which of the job's keys is for message m of batch or run i: one for all of it, or, with B_BATCHKEYS, for each its
 * own. */
static inline size_t b_job_key(const struct b_job *j, size_t i, size_t m) {
  return (j->c->op == B_BATCHKEYS ? i * j->c->count + m : i) & j->kmask;
}

/* Runs messages 0 .. n-1 (batches and runs: n times count of them). 0, or not 0 when one failed. */
typedef int (*b_run)(const struct b_job *j, size_t n);

struct b_subject {
  char name[40];
  bool is_rijn;
  bool ablated; /* its answer has to be wrong: ablate.c */
  int index;    /* the implementation's index, or what the peer likes */
  /* The loop for a case, or NULL when the subject does not have it. */
  b_run (*runner)(const struct b_subject *s, const struct b_case *c);
  /* A key for that loop, or NULL on failure. */
  void *(*key_new)(const struct b_subject *s, const struct b_case *c, const uint8_t *raw, size_t raw_len);
  void (*key_free)(const struct b_subject *s, const struct b_case *c, void *key);
};

#define B_MAX_SUBJECTS 40
struct b_subjects {
  struct b_subject s[B_MAX_SUBJECTS];
  int n;
  char versions[512]; /* of the peers found: "libcrypto 3.0.22, ..." */
  char absent[512];   /* peers that are not on this machine, and why */
};

struct b_row {
  struct b_case c;
  int subject;
  char error[96];                   /* why there are no samples: its output was wrong; "" when all is well */
  size_t per_sample;                /* messages in one sample */
  size_t n;                         /* samples */
  size_t launches;                  /* of equal share */
  double *cycles;                   /* per message and core */
  double *ns;                       /* per message, of all threads together */
  double low, median, high, spread; /* of cycles: tenth, half, nine tenths; (median - low) / low */
  double ratio;                     /* the median over rounds of cycles / baseline's cycles; NAN: no baseline */
};

enum b_clock_kind { B_CLOCK_CHAIN, B_CLOCK_AES512, B_CLOCK_FIXED };

struct b_options {
  unsigned ops; /* bit mask of b_op */
  bool full, wide, rows_view, list, ablate;
  size_t sizes[64];
  size_t n_sizes;
  bool mix;
  int keys[3];
  int n_keys;
  bool enc, dec;
  char *impls, *peers, *baseline;
  size_t aad;
  size_t rounds, threads, launches;
  bool in_place, cold_key, serial;
  size_t misalign;
  double sample_us;
  double hz; /* -f */
  enum b_clock_kind clock;
  int cpu; /* --cpu: -1 the last allowed, -2 no pinning */
  const char *json, *csv, *html, *unit;
  int child_fd;       /* launch.c: results go there */
  uint64_t placement; /* seed for where buffers lie; 0: the standard place */
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
  size_t samples, rejected;
  long preempted; /* involuntary context switches while measuring */
  int failed;     /* subjects whose output was wrong */
  bool refused;   /* the system refused what some rows need: these have no samples */
  bool noisy;
  char noise[240];
  double seconds;
  char *command;
};

/* clock.c */
int b_clock_init(enum b_clock_kind kind, double hz);
uint64_t b_ticks_start(void);
uint64_t b_ticks_end(void);
double b_tick_hz(void);
double b_ticks_overhead(void);
/* Core cycles per tick right now, from a chain of known length. */
double b_clock_probe(void);
bool b_clock_has(enum b_clock_kind kind);
const char *b_clock_name(enum b_clock_kind kind);
#define B_MAX_THREADS 64
int b_pin(int cpu);
size_t b_cpu_count(void); /* of those this program was allowed at its start; 1 when that is not known */
int b_cpu_nth(size_t i);  /* the i-th after the caller's of those this program was allowed at its start */
bool b_cpu_has(const char *feature);

/* rulers.c */
void b_rulers_measure(struct b_rulers *r);
/* Cycles that the AES (or, for GHASH, nothing: 0) of one message costs at least on this machine. */
double b_limit_cycles(const struct b_rulers *r, const struct b_case *c);

/* subject.c */
int b_subjects_find(struct b_subjects *all, const struct b_options *o);
/* by_ones.c: for those without a batch or a run of their own, one message after the other. */
#define B_FIRST_SECTOR UINT64_C(0x123456789)
int b_batch_by_ones(const struct b_job *j, size_t n, b_run run);
int b_run_by_ones(const struct b_job *j, size_t n, b_run run);
void b_subject_add(struct b_subjects *all, const struct b_subject *s);
void b_peer_found(struct b_subjects *all, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void b_peer_absent(struct b_subjects *all, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Each adds its own. */
void b_subjects_rijn(struct b_subjects *all);
void b_subjects_libcrypto(struct b_subjects *all);
void b_subjects_ipsecmb(struct b_subjects *all);
void b_subjects_nettle(struct b_subjects *all);
void b_subjects_gcrypt(struct b_subjects *all);
void b_subjects_planted(struct b_subjects *all); /* test builds: a peer whose output is wrong */

/* measure.c */
int b_measure(struct b_run_info *r);
double b_case_bytes(const struct b_case *c);
/* The lengths of a mix; returns how many are used, a batch's messages have the first. */
size_t b_mix_lengths(uint32_t lens[B_MIX_N], const struct b_case *c);

/* threads.c: ticks until all threads have run n messages, thread i with jobs[i]; the caller is thread 0. */
double b_threads_run(b_run run, const struct b_job *jobs, size_t threads, size_t n, int first_cpu, int *bad);

/* bench.c: --dir is not for a mode with one direction. */
bool b_one_way(enum b_op op);
/* Says what the system refused, and why (errno). B_EXIT_SYSTEM, which is never answered without a word. */
int b_refused(const char *what);

/* launch.c */
int b_launch_all(struct b_run_info *r, int argc, char **argv);
int b_launch_report(const struct b_run_info *r, int fd);

/* stats.c */
double b_quantile(const double *v, size_t n, double q);
double b_mean(const double *v, size_t n);
double b_variance(const double *v, size_t n); /* n - 1 in the divisor */
double b_student_t(double df);                /* two-sided 95 % */
struct b_difference {
  double mean_a, mean_b, diff, half; /* b - a, and half the width of its 95 % interval */
  bool proven;                       /* the interval leaves 0 out */
};
void b_compare_samples(const double *a, size_t na, const double *b, size_t nb, struct b_difference *d);
void b_row_stats(struct b_run_info *r);

/* reports */
void b_table(const struct b_run_info *r, FILE *f);
/* 0, or says which of the files that the options name cannot be written. */
int b_reports_writable(const struct b_options *o);
int b_write_file(const struct b_run_info *r, const char *path, void (*write)(const struct b_run_info *, FILE *));
int b_json(const struct b_run_info *r, const char *path);
char *b_json_text(const struct b_run_info *r);
int b_csv(const struct b_run_info *r, const char *path);
int b_html(const struct b_run_info *r, const char *path);
int b_compare(int argc, char **argv);
void b_case_title(const struct b_case *c, char *buf, size_t size);
const char *b_op_name(enum b_op op);
int b_machine_cpu(char *buf, size_t size);

/* options.c: 0, or an exit status (message printed). */
int b_options_parse(struct b_options *o, int argc, char **argv);
int b_op_find(const char *name);
void b_usage(FILE *f);

/* filecmd.c: rows of its own kind */
void b_file_case(struct b_run_info *r, struct b_row *rows, size_t n);

/* ablate.c, in builds with RIJN_BENCH_ABLATE */
void b_subjects_ablated(struct b_subjects *all);
void b_ablate_table(const struct b_run_info *r, FILE *f);

/* Of message i of a batch. */
static inline size_t b_batch_len(const struct b_job *j, size_t i) { return j->lens[i & j->lmask]; }

static inline void b_serialize(void) {
#if defined(__x86_64__) || defined(__i386__)
  __asm__ volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#elif defined(__powerpc64__)
  __asm__ volatile("isync" ::: "memory");
#endif
}

/* Every subject's loop over single messages: i, key (void *), len, nonce and tag are the message's. */
#define B_EACH_MESSAGE(j, n, BODY)                                                                                     \
  do {                                                                                                                 \
    const struct b_job w = *(j);                                                                                       \
    for (size_t i = 0; i < (n); i++) {                                                                                 \
      void *const key = w.keys[i & w.kmask];                                                                           \
      const size_t len = w.lens[i & w.lmask];                                                                          \
      const uint8_t *const nonce = w.nonces + 16 * (i & w.nmask);                                                      \
      uint8_t *const tag = w.tags + 16 * (i & w.lmask);                                                                \
      (void)key, (void)len, (void)nonce, (void)tag;                                                                    \
      BODY;                                                                                                            \
      if (w.serial)                                                                                                    \
        b_serialize();                                                                                                 \
    }                                                                                                                  \
  } while (0)

#endif
