/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The command line of rijn bench: a table of options, from which the help is made too. Every complaint says what there
 * is. */
#include "args.h"
#include "bench.h"
#include "cmd.h"

#include <errno.h>
#include <math.h>
#include <rijn.h>
#include <stdlib.h>
#include <string.h>

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
static int take_hertz(const struct rijn_given *g) {
  struct b_options *o = g->all;
  static const char units[] = "kMG";
  char *end = NULL;
  double hz = strchr("0123456789.", g->text[0]) ? strtod(g->text, &end) : NAN;
  const char *unit = end && *end ? strchr(units, *end) : NULL;
  if (unit) {
    hz *= pow(1000, (double)(unit - units + 1));
    end++;
  }
  o->hz = hz;
  o->clock = B_CLOCK_FIXED;
  if (end && !*end && hz >= 1e6 && hz <= 1e12)
    return 0;
  rijn_say_as("rijn bench", "-f: \"%s\" is not a number of Hz from 1e6 to 1e12 (2600e6, 2600M, 2.6G)", g->text);
  return B_EXIT_USAGE;
}

static int take_sizes(const struct rijn_given *g) {
  struct b_options *o = g->all;
  o->mix = false;
  int n = b_number_list(g->text, 0, 64 << 20, o->sizes, sizeof o->sizes / sizeof *o->sizes, &o->mix);
  if (n < 0)
    return complain(g->name, g->text, "up to 64 whole numbers up to 64m, comma between, and mix");
  o->n_sizes = (size_t)n;
  return 0;
}

static int take_keys(const struct rijn_given *g) {
  struct b_options *o = g->all;
  int n = b_number_list(g->text, 128, 256, o->keys, sizeof o->keys / sizeof *o->keys, NULL);
  for (int i = 0; i < n; i++)
    if (o->keys[i] % 64)
      n = -1;
  if (n < 0)
    return complain(g->name, g->text, "128, 192, 256");
  o->n_keys = (size_t)n;
  return 0;
}

static int take_directions(const struct rijn_given *g) {
  struct b_options *o = g->all;
  o->enc = o->dec = false;
  for (const char *p = g->text;; p++) {
    size_t n = strcspn(p, ",");
    bool *wanted = NULL;
    if (n == 3 && !strncmp(p, "enc", 3))
      wanted = &o->enc;
    if (n == 3 && !strncmp(p, "dec", 3))
      wanted = &o->dec;
    if (!wanted)
      return complain(g->name, g->text, "enc, dec");
    *wanted = true;
    p += n;
    if (!*p)
      return 0;
  }
}

static int take_impls(const struct rijn_given *g) {
  struct b_options *o = g->all;
  int chosen = strcmp(g->text, "chosen") ? -1 : rijn_impl_chosen();
  o->impls = chosen >= 0 ? rijn_impl_name(chosen) : g->text;
  return 0;
}

static int take_cpu(const struct rijn_given *g) {
  struct b_options *o = g->all;
  double x = -2;
  int err = strcmp(g->text, "none") ? one(g->name, g->text, 0, 1023, true, &x) : 0;
  o->cpu = err ? -1 : (int)x;
  return err;
}

static int take_clock(const struct rijn_given *g) {
  struct b_options *o = g->all;
  if (strcmp(g->text, "chain") && strcmp(g->text, "aes512"))
    return complain(g->name, g->text, "chain, aes512 (and -f HZ)");
  o->clock = strcmp(g->text, "chain") ? B_CLOCK_AES512 : B_CLOCK_CHAIN;
  if (b_clock_has(o->clock))
    return 0;
  rijn_say_as("rijn bench", "--clock %s: this machine has no such ruler", g->text);
  return B_EXIT_USAGE;
}

static int take_unit(const struct rijn_given *g) {
  struct b_options *o = g->all;
  static const char *const units[] = {"gbs", "mbs", "cpb", "cycles", "ns"};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (!strcmp(g->text, units[i])) {
      o->unit = units[i];
      return 0;
    }
  return complain(g->name, g->text, "gbs, mbs, cpb, cycles, ns");
}

static int take_wide(const struct rijn_given *g) {
  struct b_options *o = g->all;
  o->wide = o->rows_view = true;
  return 0;
}

static int take_turn_keys(const struct rijn_given *g) {
  struct b_options *o = g->all;
  double x = 0;
  if (one(g->name, g->text, 1, 65536, true, &x))
    return B_EXIT_USAGE;
  o->turn_keys = (size_t)x;
  return o->turn_keys & (o->turn_keys - 1) ? complain(g->name, g->text, "a power of two, up to 65536") : 0;
}

static int take_cold_key(const struct rijn_given *g) {
  struct b_options *o = g->all;
  o->turn_keys = B_COLD_KEYS;
  return 0;
}

static int take_child(const struct rijn_given *g) {
  struct b_options *o = g->all;
  double x = 0;
  int err = one(g->name, g->text, 0, 1 << 20, true, &x);
  o->child_fd = (int)x;
  return err;
}

static int take_whole(const struct rijn_given *g) {
  double x = 0;
  int err = one(g->name, g->text, g->option->lo, g->option->hi, true, &x);
  memcpy(g->to, &(size_t){(size_t)x}, sizeof(size_t));
  return err;
}

static int take_real(const struct rijn_given *g) {
  double x = 0;
  int err = one(g->name, g->text, g->option->lo, g->option->hi, false, &x);
  memcpy(g->to, &x, sizeof x);
  return err;
}

#define IN(field) offsetof(struct b_options, field)
static const struct rijn_option rows[] = {
    {"full", 0, NULL, 1, IN(full), .help = "everything, all sizes and keys, one row a figure"},
    {"impl", 0, "LIST", 1, 0, take_impls, .help = "implementations of Rijn: names, chosen, all, none"},
    {"peers", 0, "LIST", 1, IN(peers), rijn_args_last, .help = "other libraries: names, all, none"},
    {"baseline", 0, "NAME", 1, IN(baseline), rijn_args_last,
     .help = "ratios compare with this one (default: the chosen one)"},
    {"list", 0, NULL, 1, IN(list), .help = "what could be measured, and of whom; measures nothing"},
    {"sizes", 0, "LIST", 1, 0, take_sizes, .help = "bytes: 16,64,16k,...; mix: lengths of 64 to 1500"},
    {"key", 0, "LIST", 1, 0, take_keys, .words = "128 192 256", .help = "bits: 128, 192, 256"},
    {"dir", 0, "LIST", 1, 0, take_directions, .words = "enc dec", .help = "directions: enc, dec"},
    {"aad", 0, "BYTES", 1, IN(aad), take_whole, .lo = 0, .hi = 1 << 20, .help = "bytes of associated data (16)"},
    {"rounds", 0, "N", 1, IN(rounds), take_whole, .lo = 1, .hi = 100000, .help = "samples of each row (101)"},
    {"sample-us", 0, "US", 1, IN(sample_us), take_real, .lo = 1, .hi = 1e6, .help = "work in one sample (30)"},
    {"launches", 0, "N", 1, IN(launches), take_whole, .lo = 1, .hi = 1000,
     .help = "start the program N times, buffers placed anew"},
    {"in-place", 0, NULL, 1, IN(in_place), .help = "output over the input"},
    {"misalign", 0, "N", 1, IN(misalign), take_whole, .lo = 0, .hi = 63,
     .help = "text N bytes (0 to 63) after an aligned address"},
    {"keys", 0, "N", 1, 0, take_turn_keys, .help = "N key objects in turn: 2, 4, 8 .. 65536"},
    {"cold-key", 0, NULL, 1, 0, take_cold_key, .help = "the same as --keys 4096"},
    {"serialize", 0, NULL, 1, IN(serial), .help = "latency: each message waits for the one before"},
    {"threads", 0, "N", 1, IN(threads), take_whole, .lo = 1, .hi = B_MAX_THREADS,
     .help = "N threads do the same at once"},
    {"cpu", 0, "N", 1, 0, take_cpu, .help = "pin to processor N; none: do not pin (default: the last)"},
    {"clock", 0, "KIND", 1, 0, take_clock, .words = "chain aes512",
     .help = "the ruler: chain (register adds), aes512 (512-bit AES)"},
    {"frequency", 'f', "HZ", 1, 0, take_hertz, .help = "the core's clock, not measured: 2600e6, 2.6G"},
    {"json", 0, "FILE", 1, IN(json), rijn_args_last, .help = "the report, with every sample; - is standard output"},
    {"unit", 0, "UNIT", 1, 0, take_unit, .words = "gbs mbs cpb cycles ns",
     .help = "of the quick table: gbs, mbs, cpb, cycles, ns"},
    {"rows", 0, NULL, 1, IN(rows_view), .help = "one row a figure"},
    {"wide", 0, NULL, 1, 0, take_wide, .help = "the same, with more columns"},
    {"check-choice", 0, NULL, 1, IN(check_choice),
     .help = "is the chosen implementation the fastest? a second or two; exit status 1 if another is"},
    {"margin", 0, "PERCENT", 1, IN(margin), take_real, .lo = 0, .hi = 100,
     .help = "by which another has to be faster (3)"},
#ifdef RIJN_BENCH_ABLATE
    {"ablate", 0, NULL, 1, IN(ablate), .help = "where GCM's cycles go: parts of it replaced by nothing"},
#endif
    {"child-fd", 0, "N", 1, 0, take_child, .help = NULL},
    {"placement", 0, "N", 1, IN(placement), take_whole, .lo = 0, .hi = 1e15, .help = NULL},
    {.name = NULL},
};
#undef IN
enum { CHOICE_ROUNDS = 21 }; /* of --check-choice */

_Static_assert(B_COLD_KEYS == 4096, "the help of --cold-key says so");

/* The names of all modes, after what stands before each of them. */
static size_t modes(char *text, size_t size, const char *before, int broken_at) {
  size_t n = 0;
  for (int i = 0; i < B_OPS && n < size; i++)
    n += (size_t)snprintf(text + n, size - n, "%s%s%s", before, i == broken_at ? "\n      " : " ", b_modes[i].name);
  return n;
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
  char usage[640], operands[340], names[320];
  const struct rijn_command command = {.name = "rijn bench",
                                       .usage = usage,
                                       .footer =
                                           "bench/report makes a page, a CSV file and comparisons of the JSON.\n"
                                           "exit status: 0 done; 1 an output was wrong, or another set is faster;\n"
                                           "             2 usage; 3 the system refused something\n",
                                       .operands = operands,
                                       .options = rows,
                                       .bit = 1};
  modes(names, sizeof names, ",", 9);
  snprintf(usage, sizeof usage,
           "usage: rijn bench [what...] [options]\n\nwhat: all%s\n"
           "      nothing: a quick look at GCM in under 20 seconds\n"
           "      kernel: drivers of Linux (rijn bench kernel --help)\n",
           names);
  modes(names, sizeof names, "", -1);
  snprintf(operands, sizeof operands, "all%s kernel", names);
  memset(o, 0, sizeof *o);
  o->aad = 16;
  o->margin = 3;
  o->launches = o->threads = 1;
  o->sample_us = 30;
  o->cpu = o->child_fd = -1;
  o->clock = b_clock_has(B_CLOCK_CHAIN) ? B_CLOCK_CHAIN : B_CLOCK_FIXED;
  int err = rijn_args(&command, o, argc, argv);
  for (int i = optind; i < argc && err == 0; i++)
    err = take_what(o, argv[i]);
  return err ? err : settle(o);
}
