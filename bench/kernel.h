/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn bench kernel: drivers of Linux's crypto API, Rijn's and others, as Linux's own users reach them. The module
 * rijn-bench (kernel/bench.c) measures; the command tells it what, and reports. */
#ifndef RIJN_BENCH_KERNEL_H
#define RIJN_BENCH_KERNEL_H

#include "bench.h"

enum { K_MAX_DRIVERS = 32, K_NAME = 64, K_MAX_LIST = 16 };

struct k_case {
  int mode;
  int key_bits; /* of AES: XTS has two such keys */
  enum b_dir dir;
  size_t size, pieces;
};

struct k_mode {
  const char *name, *alg; /* on the command line, in Linux */
  const char *generic;    /* what Linux makes of its AES in C */
  bool aead;
  int keys; /* the raw key has so many of AES */
  struct {
    size_t size, pieces;
  } cases[12]; /* that are measured if none are asked for, by pieces; then zeros */
};
enum { K_MODES = 5 };
extern const struct k_mode k_modes[K_MODES];

struct k_options {
  unsigned modes; /* bit mask */
  size_t sizes[64], pieces[K_MAX_LIST], keys[3];
  size_t n_sizes, n_pieces, n_keys;
  bool encrypts, decrypts, set_key;
  size_t aad, rounds;
  double sample_us;
  const char *impls, *json;
};

struct k_row {
  struct k_case c;
  char driver[K_NAME];
  bool is_rijn;
  int error;                 /* Linux's number, negative: it was not measured */
  bool wrong;                /* it computes something else than the others */
  size_t messages;           /* in a sample */
  size_t n;                  /* samples */
  double *ns;                /* per message */
  double low, median, ratio; /* ratio: the median over rounds of its time and that of the case's first driver */
};

struct k_run {
  const struct k_options *o;
  struct k_row *rows;
  size_t n_rows;
  bool loaded; /* by us */
  int fd;      /* of the module's file; -1: not open */
};

/* kernel_module.c. Each says what is wrong, and answers an exit status. */
int k_open(struct k_run *r);
void k_close(struct k_run *r);
int k_measure(struct k_run *r, const struct k_case *c);

/* kernel_report.c */
void k_table(const struct k_run *r, size_t from);
int k_json(const struct k_run *r);

#endif
