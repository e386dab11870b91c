/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The command line of rijn bench: a table of options, from which the help is made too. Every complaint says what there
 * is. */
#include "bench.h"
#include "cmd.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <rijn.h>
#include <stdlib.h>
#include <string.h>

enum kind { FLAG, TEXT, WHOLE, REAL, CALL };

struct option_row {
  const char *name;
  const char *value; /* how the help names it; NULL: the option has none */
  enum kind kind;
  size_t at;     /* the field of struct b_options, for all kinds but CALL */
  double lo, hi; /* WHOLE, REAL */
  int (*call)(struct b_options *o, const char *option, const char *value);
  const char *help; /* NULL: launch.c's own */
};

static int complain(const char *option, const char *value, const char *known) {
  rijn_say_as("rijn bench", "%s: \"%s\" is not valid; there is: %s", option, value, known);
  return B_EXIT_USAGE;
}

static int one(const char *option, const char *value, double lo, double hi, bool whole, double *v) {
  if (b_number(value, strlen(value), lo, hi, v) && (!whole || *v == floor(*v)))
    return 0;
  rijn_say_as("rijn bench", "%s: \"%s\" is not a%s number from %.10g to %.10g", option, value, whole ? " whole" : "",
              lo, hi);
  return B_EXIT_USAGE;
}

/* WHY not by b_number(): there m is 1048576, and -f 2600M would be 5 % off. */
static int take_hertz(struct b_options *o, const char *option, const char *value) {
  static const char units[] = "kMG";
  char *end = NULL;
  double hz = strchr("0123456789.", value[0]) ? strtod(value, &end) : NAN;
  const char *unit = end && *end ? strchr(units, *end) : NULL;
  if (unit) {
    hz *= pow(1000, (double)(unit - units + 1));
    end++;
  }
  o->hz = hz;
  o->clock = B_CLOCK_FIXED;
  if (end && !*end && hz >= 1e6 && hz <= 1e12)
    return 0;
  (void)option;
  rijn_say_as("rijn bench", "-f: \"%s\" is not a number of Hz from 1e6 to 1e12 (2600e6, 2600M, 2.6G)", value);
  return B_EXIT_USAGE;
}

static int take_sizes(struct b_options *o, const char *option, const char *value) {
  o->mix = false;
  int n = b_number_list(value, 0, 64 << 20, o->sizes, sizeof o->sizes / sizeof *o->sizes, &o->mix);
  if (n < 0)
    return complain(option, value, "up to 64 whole numbers up to 64m, comma between, and mix");
  o->n_sizes = (size_t)n;
  return 0;
}

static int take_keys(struct b_options *o, const char *option, const char *value) {
  int n = b_number_list(value, 128, 256, o->keys, sizeof o->keys / sizeof *o->keys, NULL);
  for (int i = 0; i < n; i++)
    if (o->keys[i] % 64)
      n = -1;
  if (n < 0)
    return complain(option, value, "128, 192, 256");
  o->n_keys = (size_t)n;
  return 0;
}

static int take_directions(struct b_options *o, const char *option, const char *value) {
  o->enc = o->dec = false;
  for (const char *p = value;; p++) {
    size_t n = strcspn(p, ",");
    bool *wanted = NULL;
    if (n == 3 && !strncmp(p, "enc", 3))
      wanted = &o->enc;
    if (n == 3 && !strncmp(p, "dec", 3))
      wanted = &o->dec;
    if (!wanted)
      return complain(option, value, "enc, dec");
    *wanted = true;
    p += n;
    if (!*p)
      return 0;
  }
}

static int take_impls(struct b_options *o, const char *option, const char *value) {
  int chosen = strcmp(value, "chosen") ? -1 : rijn_impl_chosen();
  (void)option;
  o->impls = chosen >= 0 ? rijn_impl_name(chosen) : value;
  return 0;
}

static int take_cpu(struct b_options *o, const char *option, const char *value) {
  double x = -2;
  int err = strcmp(value, "none") ? one(option, value, 0, 1023, true, &x) : 0;
  o->cpu = err ? -1 : (int)x;
  return err;
}

static int take_clock(struct b_options *o, const char *option, const char *value) {
  if (strcmp(value, "chain") && strcmp(value, "aes512"))
    return complain(option, value, "chain, aes512 (and -f HZ)");
  o->clock = strcmp(value, "chain") ? B_CLOCK_AES512 : B_CLOCK_CHAIN;
  if (b_clock_has(o->clock))
    return 0;
  rijn_say_as("rijn bench", "--clock %s: this machine has no such ruler", value);
  return B_EXIT_USAGE;
}

static int take_unit(struct b_options *o, const char *option, const char *value) {
  static const char *const units[] = {"gbs", "mbs", "cpb", "cycles", "ns"};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (!strcmp(value, units[i])) {
      o->unit = units[i];
      return 0;
    }
  return complain(option, value, "gbs, mbs, cpb, cycles, ns");
}

static int take_wide(struct b_options *o, const char *option, const char *value) {
  (void)option;
  (void)value;
  o->wide = o->rows_view = true;
  return 0;
}

static int take_turn_keys(struct b_options *o, const char *option, const char *value) {
  double x = 0;
  if (one(option, value, 1, 65536, true, &x))
    return B_EXIT_USAGE;
  o->turn_keys = (size_t)x;
  return o->turn_keys & (o->turn_keys - 1) ? complain(option, value, "a power of two, up to 65536") : 0;
}

static int take_cold_key(struct b_options *o, const char *option, const char *value) {
  (void)option;
  (void)value;
  o->turn_keys = B_COLD_KEYS;
  return 0;
}

static int take_child(struct b_options *o, const char *option, const char *value) {
  double x = 0;
  int err = one(option, value, 0, 1 << 20, true, &x);
  o->child_fd = (int)x;
  return err;
}

#define IN(field) .at = offsetof(struct b_options, field)
static const struct option_row rows[] = {
    {"full", NULL, FLAG, IN(full), .help = "everything, all sizes and keys, one row a figure"},
    {"impl", "LIST", CALL, .call = take_impls, .help = "implementations of Rijn: names, chosen, all, none"},
    {"peers", "LIST", TEXT, IN(peers), .help = "other libraries: names, all, none"},
    {"baseline", "NAME", TEXT, IN(baseline), .help = "ratios compare with this one (default: the chosen one)"},
    {"list", NULL, FLAG, IN(list), .help = "what could be measured, and of whom; measures nothing"},
    {"sizes", "LIST", CALL, .call = take_sizes, .help = "bytes: 16,64,16k,...; mix: lengths of 64 to 1500"},
    {"key", "LIST", CALL, .call = take_keys, .help = "128, 192, 256"},
    {"dir", "LIST", CALL, .call = take_directions, .help = "enc, dec"},
    {"aad", "BYTES", WHOLE, IN(aad), 0, 1 << 20, .help = "associated data (16)"},
    {"rounds", "N", WHOLE, IN(rounds), 1, 100000, .help = "samples of each row (101)"},
    {"sample-us", "US", REAL, IN(sample_us), 1, 1e6, .help = "work in one sample (30)"},
    {"launches", "N", WHOLE, IN(launches), 1, 1000, .help = "start the program N times, buffers placed anew"},
    {"in-place", NULL, FLAG, IN(in_place), .help = "output over the input"},
    {"misalign", "N", WHOLE, IN(misalign), 0, 63, .help = "text N bytes (0 to 63) after an aligned address"},
    {"keys", "N", CALL, .call = take_turn_keys, .help = "N key objects in turn: 2, 4, 8 .. 65536"},
    {"cold-key", NULL, CALL, .call = take_cold_key, .help = "the same as --keys 4096"},
    {"serialize", NULL, FLAG, IN(serial), .help = "latency: each message waits for the one before"},
    {"threads", "N", WHOLE, IN(threads), 1, B_MAX_THREADS, .help = "N threads do the same at once"},
    {"cpu", "N", CALL, .call = take_cpu, .help = "pin to processor N; none: do not pin (default: the last)"},
    {"clock", "KIND", CALL, .call = take_clock, .help = "chain (register adds), aes512 (512-bit AES as the ruler)"},
    {"frequency", "HZ", CALL, .call = take_hertz, .help = "or -f: the core's clock, not measured: 2600e6, 2.6G"},
    {"json", "FILE", TEXT, IN(json), .help = "the report, with every sample; - is standard output"},
    {"unit", "UNIT", CALL, .call = take_unit, .help = "of the quick table: gbs, mbs, cpb, cycles, ns"},
    {"rows", NULL, FLAG, IN(rows_view), .help = "one row a figure"},
    {"wide", NULL, CALL, .call = take_wide, .help = "the same, with more columns"},
    {"check-choice", NULL, FLAG, IN(check_choice),
     .help = "is the chosen implementation the fastest? a second or two;\nexit status 1 if another is"},
    {"margin", "PERCENT", REAL, IN(margin), 0, 100, .help = "by which another has to be faster (3)"},
#ifdef RIJN_BENCH_ABLATE
    {"ablate", NULL, FLAG, IN(ablate), .help = "where GCM's cycles go: parts of it replaced by nothing"},
#endif
    {"child-fd", "N", CALL, .call = take_child},
    {"placement", "N", WHOLE, IN(placement), 0, 1e15},
};
#undef IN
enum { ROWS = sizeof rows / sizeof *rows, FIRST = 256 /* above every letter */ };
enum { CHOICE_ROUNDS = 21 }; /* of --check-choice */

_Static_assert(B_COLD_KEYS == 4096, "the help of --cold-key says so");

static void usage(FILE *f) {
  fprintf(f, "usage: rijn bench [what...] [options]\n\nwhat: all");
  for (int i = 0; i < B_OPS; i++)
    fprintf(f, ",%s%s", i == 9 ? "\n      " : " ", b_modes[i].name);
  fprintf(f, "\n      nothing: a quick look at GCM in under 20 seconds\n"
             "      kernel: drivers of Linux (rijn bench kernel --help)\n\n");
  for (int i = 0; i < ROWS; i++) {
    if (!rows[i].help)
      continue;
    char left[40];
    snprintf(left, sizeof left, "--%s %s", rows[i].name, rows[i].value ? rows[i].value : "");
    const char *second = strchr(rows[i].help, '\n');
    fprintf(f, "  %-19s %.*s\n", left, (int)strcspn(rows[i].help, "\n"), rows[i].help);
    if (second)
      fprintf(f, "  %-19s %s\n", "", second + 1);
  }
  fprintf(f,
          "  %-19s this text\n"
          "\nbench/report makes a page, a CSV file and comparisons of the JSON.\n"
          "exit status: 0 done; 1 an output was wrong, or another set is faster;\n"
          "             2 usage; 3 the system refused something\n",
          "-h, --help");
}

static int apply(struct b_options *o, const struct option_row *row, const char *value) {
  char option[24];
  char *field = (char *)o + row->at;
  double x = 0;
  int err = 0;
  snprintf(option, sizeof option, "--%s", row->name);
  switch (row->kind) {
  case FLAG:
    *(bool *)field = true;
    break;
  case TEXT:
    memcpy(field, &value, sizeof value);
    break;
  case WHOLE:
    err = one(option, value, row->lo, row->hi, true, &x);
    memcpy(field, &(size_t){(size_t)x}, sizeof(size_t));
    break;
  case REAL:
    err = one(option, value, row->lo, row->hi, false, &x);
    memcpy(field, &x, sizeof x);
    break;
  case CALL:
    err = row->call(o, option, value);
  }
  return err;
}

static int take_what(struct b_options *o, const char *v) {
  int op = b_mode_find(v);
  if (op >= 0) {
    o->ops |= 1u << op;
    return 0;
  }
  if (!strcmp(v, "all")) {
    o->ops |= B_ALL_OPS;
    return 0;
  }
  if (!strcmp(v, "compare")) {
    rijn_say_as("rijn bench", "two reports are compared by bench/report compare A.json B.json");
    return B_EXIT_USAGE;
  }
  rijn_say_as("rijn bench", "\"%s\" is not known; there is:", v);
  fputs("  all", stderr);
  for (int i = 0; i < B_OPS; i++)
    fprintf(stderr, ", %s", b_modes[i].name);
  fputc('\n', stderr);
  return B_EXIT_USAGE;
}

/* What was not said. Quick: a look at GCM. */
static void fill_in(struct b_options *o) {
  if (o->n_sizes == 0 && !o->mix && o->quick) {
    static const size_t sizes[] = {16, 64, 256, 1420, 4096, 16384};
    memcpy(o->sizes, sizes, sizeof sizes);
    o->n_sizes = sizeof sizes / sizeof *sizes;
  } /* else: each mode's own sizes */
  if (o->n_keys == 0) {
    o->keys[o->n_keys++] = 128;
    if (o->full)
      o->keys[o->n_keys++] = 192;
    o->keys[o->n_keys++] = 256;
  }
  if (!o->enc && !o->dec) {
    o->enc = true;
    o->dec = !o->quick;
  }
  if (!o->unit)
    o->unit = "gbs";
  if (!o->rounds)
    o->rounds = B_ROUNDS;
}

static int refuse(const char *why) {
  rijn_say_as("rijn bench", "%s", why);
  return B_EXIT_USAGE;
}

/* What the options mean together. */
static int settle(struct b_options *o) {
  if (o->ablate) { /* encryption with GCM, and no peers: nobody else can be taken apart */
    o->ops = 1u << B_GCM;
    o->peers = "none";
    o->enc = true;
    o->dec = false;
  }
  if (o->check_choice) {
    if (o->ops || o->impls || o->peers || o->baseline || o->n_sizes || o->mix || o->launches > 1)
      return refuse("--check-choice says itself what is measured, and of whom");
    b_choice_options(o);
    o->rounds = o->rounds ? o->rounds : CHOICE_ROUNDS;
  }
  o->quick = o->ops == 0 && !o->full;
  if (o->ops == 0)
    o->ops = o->quick ? 1u << B_GCM | 1u << B_MANYKEYS : B_ALL_OPS;
  o->rows_view |= !o->quick;
  if (o->clock == B_CLOCK_FIXED && o->hz <= 0)
    return refuse("this architecture has no ruler for the core's clock: give it with -f HZ");
  if (o->unit && o->rows_view)
    return refuse("--unit is of the quick table; rows have cycles, cyc/B, ns and MB/s");
  fill_in(o);
  bool decrypts = false;
  for (int op = 0; op < B_OPS; op++)
    decrypts |= (o->ops & 1u << op) && !b_modes[op].one_way && o->dec;
  if (o->in_place && o->threads > 1 && decrypts)
    return refuse("--in-place with --threads measures encryption only: add --dir enc");
  return 0;
}

int b_options_parse(struct b_options *o, int argc, char **argv) {
  static const char letters[] = ":f:h";
  struct option longs[ROWS + 2] = {{0}};
  memset(o, 0, sizeof *o);
  o->aad = 16;
  o->margin = 3;
  o->launches = o->threads = 1;
  o->sample_us = 30;
  o->cpu = o->child_fd = -1;
  o->clock = b_clock_has(B_CLOCK_CHAIN) ? B_CLOCK_CHAIN : B_CLOCK_FIXED;
  for (int i = 0; i < ROWS; i++)
    longs[i] = (struct option){rows[i].name, rows[i].value != NULL, NULL, FIRST + i};
  longs[ROWS] = (struct option){"help", 0, NULL, 'h'};
  optind = 0; /* glibc: start anew */
  for (int opt, err = 0; (opt = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
    if (opt == 'h') {
      usage(stdout);
      return -1; /* done, and nothing to do */
    }
    if (opt == '?' || opt == ':')
      return rijn_refuse_option("rijn bench", opt, argv, letters, longs);
    err = opt == 'f' ? take_hertz(o, "-f", optarg) : apply(o, &rows[opt - FIRST], optarg);
    if (err)
      return err;
  }
  for (int i = optind; i < argc; i++) {
    int err = take_what(o, argv[i]);
    if (err)
      return err;
  }
  return settle(o);
}
