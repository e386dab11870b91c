/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The command line of rijn bench. Every complaint says what there is. */
#include "bench.h"
#include "cmd.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const op_names[B_OPS] = {"gcm", "gmac", "keys", "batch", "batch-keys", "xts",     "xts-run",
                                            "ctr", "cbc",  "ecb",  "ghash", "xor",        "latency", "file"};

const char *b_op_name(enum b_op op) { return op < B_OPS ? op_names[op] : "?"; }

int b_op_find(const char *name) {
  for (int i = 0; i < B_OPS; i++)
    if (!strcmp(op_names[i], name))
      return i;
  return -1;
}

void b_usage(FILE *f) {
  fprintf(f, "usage: rijn bench [what...] [options]\n"
             "       rijn bench compare A.json B.json [--min-effect PERCENT]\n\n"
             "what: all");
  for (int i = 0; i < B_OPS; i++)
    fprintf(f, ",%s%s", i == 10 ? "\n      " : " ", op_names[i]);
  fprintf(f,
          "\n      nothing: a quick look at GCM in under 20 seconds\n\n"
          "  --full               everything, all sizes and keys, one row a figure\n"
          "  --impl LIST          implementations of Rijn: names, all, none\n"
          "  --peers LIST         other libraries: names, all, none\n"
          "  --baseline NAME      whom ratios are against (default: the chosen one)\n"
          "  --list               what could be measured, and of whom; measures nothing\n"
          "  --sizes LIST         bytes: 16,64,16k,...; mix: lengths of 64 to 1500\n"
          "                       (of files where file is all that is asked for)\n"
          "  --key LIST           128, 192, 256      --dir LIST   enc, dec\n"
          "  --aad BYTES          associated data (16)\n"
          "  --rounds N           samples of each row (default 101)\n"
          "  --sample-us US       work in one sample (30)\n"
          "  --launches N         start the program N times, buffers placed anew\n"
          "  --in-place           output over the input\n"
          "  --misalign N         text N bytes (0 to 63) after an aligned address\n"
          "  --cold-key           another key object for each message, %d in turn\n"
          "  --serialize          latency: each message waits for the one before\n"
          "  --threads N          N threads do the same at once\n"
          "  --cpu N              pin to processor N; none: do not pin (default: the last)\n"
          "  --clock KIND         chain (register adds), aes512 (512-bit AES as the ruler)\n"
          "  -f, --frequency HZ   the core's clock, instead of measuring it: 2600e6, 2.6G\n"
          "  --json FILE --csv FILE --html FILE   reports; FILE - is standard output\n"
          "  --unit UNIT          of the quick table: cpb, cycles, ns, mbs\n"
          "  --rows, --wide       one row a figure; more columns\n"
          "  -h, --help           this text\n"
#ifdef RIJN_BENCH_ABLATE
          "  --ablate             where GCM's cycles go: parts of it replaced by nothing\n"
#endif
          "\nexit status: 0 done; 1 an output was wrong, or compare proved B slower; 2 usage;\n"
          "             3 the system refused something\n",
          B_COLD_KEYS);
}

static int complain(const char *option, const char *value, const char *known) {
  rijn_say_as("rijn bench", "%s: \"%s\" is not valid; there is: %s", option, value, known);
  return B_EXIT_USAGE;
}

static bool number(const char *s, size_t n, double lo, double hi, double *v) {
  char buf[40], *end;
  if (n == 0 || n >= sizeof buf)
    return false;
  memcpy(buf, s, n);
  buf[n] = 0;
  if (!strchr("0123456789.", buf[0]))
    return false;
  *v = strtod(buf, &end);
  if ((*end == 'k' || *end == 'K') && end != buf) {
    *v *= 1024;
    end++;
  } else if ((*end == 'm' || *end == 'M') && end != buf) {
    *v *= 1048576;
    end++;
  }
  return !*end && *v >= lo && *v <= hi;
}

static int one(const char *option, const char *value, double lo, double hi, bool whole, double *v) {
  if (number(value, strlen(value), lo, hi, v) && (!whole || *v == floor(*v)))
    return 0;
  rijn_say_as("rijn bench", "%s: \"%s\" is not a%s number from %.10g to %.10g", option, value, whole ? " whole" : "",
              lo, hi);
  return B_EXIT_USAGE;
}

/* WHY not by number(): there m is 1048576, and -f 2600M would be 5 % off. */
static int hertz(const char *value, double *v) {
  char *end = NULL;
  *v = strchr("0123456789.", value[0]) ? strtod(value, &end) : NAN;
  if (end && *end) {
    *v *= *end == 'k' ? 1e3 : *end == 'M' ? 1e6 : *end == 'G' ? 1e9 : NAN;
    end++;
  }
  if (end && !*end && *v >= 1e6 && *v <= 1e12)
    return 0;
  rijn_say_as("rijn bench", "-f: \"%s\" is not a number of Hz from 1e6 to 1e12 (2600e6, 2600M, 2.6G)", value);
  return B_EXIT_USAGE;
}

/* A size or a key named twice is measured once: a case has one row for each subject (measure.c). */
static int sizes(struct b_options *o, const char *v) {
  o->n_sizes = 0;
  o->mix = false;
  for (const char *p = v;;) {
    size_t n = strcspn(p, ","), i = 0;
    double x = 0;
    if (n == 3 && !strncmp(p, "mix", 3))
      o->mix = true;
    else if (!number(p, n, 0, 64 << 20, &x) || x != floor(x))
      return complain("--sizes", v, "whole numbers up to 64m, comma between, and mix");
    else {
      while (i < o->n_sizes && o->sizes[i] != (size_t)x)
        i++;
      if (i == sizeof o->sizes / sizeof *o->sizes)
        return complain("--sizes", v, "room for 64 sizes");
      o->sizes[i] = (size_t)x;
      o->n_sizes += i == o->n_sizes;
    }
    p += n;
    if (!*p)
      return 0;
    p++;
  }
}

static int keys(struct b_options *o, const char *v) {
  o->n_keys = 0;
  for (const char *p = v;;) {
    size_t n = strcspn(p, ",");
    double x;
    int i = 0;
    if (!number(p, n, 128, 256, &x) || (x != 128 && x != 192 && x != 256))
      return complain("--key", v, "128, 192, 256");
    while (i < o->n_keys && o->keys[i] != (int)x)
      i++;
    o->keys[i] = (int)x; /* there are three in all */
    o->n_keys += i == o->n_keys;
    p += n;
    if (!*p)
      return 0;
    p++;
  }
}

static int dirs(struct b_options *o, const char *v) {
  o->enc = o->dec = false;
  for (const char *p = v;;) {
    size_t n = strcspn(p, ",");
    if (n == 3 && !strncmp(p, "enc", 3))
      o->enc = true;
    else if (n == 3 && !strncmp(p, "dec", 3))
      o->dec = true;
    else
      return complain("--dir", v, "enc, dec");
    p += n;
    if (!*p)
      return 0;
    p++;
  }
}

static int what(struct b_options *o, const char *v) {
  int op = b_op_find(v);
  if (!strcmp(v, "all")) {
    o->ops |= B_ALL_OPS;
    return 0;
  }
  if (!strcmp(v, "compare")) {
    rijn_say_as("rijn bench", "compare stands first and alone: rijn bench compare A.json B.json");
    return B_EXIT_USAGE;
  }
  if (op < 0) {
    rijn_say_as("rijn bench", "\"%s\" is not known; there is:", v);
    fputs("  compare, all", stderr);
    for (int i = 0; i < B_OPS; i++)
      fprintf(stderr, ", %s", op_names[i]);
    fputc('\n', stderr);
    return B_EXIT_USAGE;
  }
  o->ops |= 1u << op;
  return 0;
}

enum {
  O_FULL = 256,
  O_IMPL,
  O_PEERS,
  O_BASELINE,
  O_LIST,
  O_SIZES,
  O_KEY,
  O_DIR,
  O_AAD,
  O_ROUNDS,
  O_SAMPLE,
  O_LAUNCHES,
  O_INPLACE,
  O_MISALIGN,
  O_COLD,
  O_SERIAL,
  O_THREADS,
  O_CPU,
  O_CLOCK,
  O_JSON,
  O_CSV,
  O_HTML,
  O_UNIT,
  O_ROWS,
  O_WIDE,
  O_ABLATE,
  O_CHILD,
  O_PLACEMENT
};

static const struct option long_options[] = {{"full", 0, NULL, O_FULL},
                                             {"impl", 1, NULL, O_IMPL},
                                             {"peers", 1, NULL, O_PEERS},
                                             {"baseline", 1, NULL, O_BASELINE},
                                             {"list", 0, NULL, O_LIST},
                                             {"sizes", 1, NULL, O_SIZES},
                                             {"key", 1, NULL, O_KEY},
                                             {"dir", 1, NULL, O_DIR},
                                             {"aad", 1, NULL, O_AAD},
                                             {"rounds", 1, NULL, O_ROUNDS},
                                             {"sample-us", 1, NULL, O_SAMPLE},
                                             {"launches", 1, NULL, O_LAUNCHES},
                                             {"in-place", 0, NULL, O_INPLACE},
                                             {"misalign", 1, NULL, O_MISALIGN},
                                             {"cold-key", 0, NULL, O_COLD},
                                             {"serialize", 0, NULL, O_SERIAL},
                                             {"threads", 1, NULL, O_THREADS},
                                             {"cpu", 1, NULL, O_CPU},
                                             {"clock", 1, NULL, O_CLOCK},
                                             {"json", 1, NULL, O_JSON},
                                             {"csv", 1, NULL, O_CSV},
                                             {"html", 1, NULL, O_HTML},
                                             {"unit", 1, NULL, O_UNIT},
                                             {"rows", 0, NULL, O_ROWS},
                                             {"wide", 0, NULL, O_WIDE},
                                             {"frequency", 1, NULL, 'f'},
                                             {"help", 0, NULL, 'h'},
#ifdef RIJN_BENCH_ABLATE
                                             {"ablate", 0, NULL, O_ABLATE},
#endif
                                             {"child-fd", 1, NULL, O_CHILD}, /* launch.c's own */
                                             {"placement", 1, NULL, O_PLACEMENT},
                                             {NULL, 0, NULL, 0}};

static int apply(struct b_options *o, int opt, char *v) {
  double x = 0;
  int err = 0;
#define WHOLE(field, type, name, lo, hi)                                                                               \
  do {                                                                                                                 \
    err = one(name, v, lo, hi, true, &x);                                                                              \
    o->field = (type)x;                                                                                                \
  } while (0)
  switch (opt) {
  case O_FULL:
    o->full = true;
    break;
  case O_IMPL:
    o->impls = v;
    break;
  case O_PEERS:
    o->peers = v;
    break;
  case O_BASELINE:
    o->baseline = v;
    break;
  case O_LIST:
    o->list = true;
    break;
  case O_SIZES:
    return sizes(o, v);
  case O_KEY:
    return keys(o, v);
  case O_DIR:
    return dirs(o, v);
  case O_AAD:
    WHOLE(aad, size_t, "--aad", 0, 1 << 20);
    break;
  case O_ROUNDS:
    WHOLE(rounds, size_t, "--rounds", 1, 100000);
    break;
  case O_SAMPLE:
    err = one("--sample-us", v, 1, 1e6, false, &o->sample_us);
    break;
  case O_LAUNCHES:
    WHOLE(launches, size_t, "--launches", 1, 1000);
    break;
  case O_INPLACE:
    o->in_place = true;
    break;
  case O_MISALIGN:
    WHOLE(misalign, size_t, "--misalign", 0, 63);
    break;
  case O_COLD:
    o->cold_key = true;
    break;
  case O_SERIAL:
    o->serial = true;
    break;
  case O_THREADS:
    WHOLE(threads, size_t, "--threads", 1, B_MAX_THREADS);
    break;
  case O_CPU:
    if (!strcmp(v, "none"))
      o->cpu = -2;
    else
      WHOLE(cpu, int, "--cpu", 0, 1023);
    break;
  case O_CLOCK:
    if (!strcmp(v, "chain"))
      o->clock = B_CLOCK_CHAIN;
    else if (!strcmp(v, "aes512"))
      o->clock = B_CLOCK_AES512;
    else
      return complain("--clock", v, "chain, aes512 (and -f HZ)");
    if (!b_clock_has(o->clock)) {
      rijn_say_as("rijn bench", "--clock %s: this machine has no such ruler", v);
      return B_EXIT_USAGE;
    }
    break;
  case O_JSON:
    o->json = v;
    break;
  case O_CSV:
    o->csv = v;
    break;
  case O_HTML:
    o->html = v;
    break;
  case O_UNIT:
    if (strcmp(v, "cpb") && strcmp(v, "cycles") && strcmp(v, "ns") && strcmp(v, "mbs"))
      return complain("--unit", v, "cpb, cycles, ns, mbs");
    o->unit = v;
    break;
  case O_ROWS:
    o->rows_view = true;
    break;
  case O_WIDE:
    o->wide = o->rows_view = true;
    break;
  case O_ABLATE:
    o->ablate = true;
    break;
  case O_CHILD:
    WHOLE(child_fd, int, "--child-fd", 0, 1 << 20);
    break;
  case O_PLACEMENT:
    WHOLE(placement, uint64_t, "--placement", 0, 1e15);
    break;
  case 'f':
    err = hertz(v, &o->hz);
    o->clock = B_CLOCK_FIXED;
    break;
  default:
    err = B_EXIT_USAGE;
  }
#undef WHOLE
  return err;
}

/* What was not said. Quick: a look at GCM. */
static void fill_in(struct b_options *o, bool quick) {
  static const size_t quick_sizes[] = {16, 64, 256, 1420, 4096, 16384};
  static const size_t gcm_sizes[] = {16, 63, 64, 200, 208, 216, 300, 426, 500, 512, 1420, 4095, 4096, 16384};
  if (o->n_sizes == 0 && !o->mix && quick) {
    memcpy(o->sizes, quick_sizes, sizeof quick_sizes);
    o->n_sizes = sizeof quick_sizes / sizeof *quick_sizes;
  } else if (o->n_sizes == 0 && !o->mix && (o->ops & ~(1u << B_GCM)) == 0) {
    memcpy(o->sizes, gcm_sizes, sizeof gcm_sizes);
    o->n_sizes = sizeof gcm_sizes / sizeof *gcm_sizes;
    o->mix = o->full;
  } /* else: each mode's own sizes, see bench.c */
  if (o->n_keys == 0) {
    o->keys[o->n_keys++] = 128;
    if (o->full)
      o->keys[o->n_keys++] = 192;
    o->keys[o->n_keys++] = 256;
  }
  if (!o->enc && !o->dec) {
    o->enc = true;
    o->dec = !quick;
  }
  if (o->rounds == 0)
    o->rounds = 101;
  if (!o->unit)
    o->unit = "cpb";
}

int b_options_parse(struct b_options *o, int argc, char **argv) {
  static const char letters[] = ":f:h";
  memset(o, 0, sizeof *o);
  o->aad = 16;
  o->launches = o->threads = 1;
  o->sample_us = 30;
  o->cpu = -1;
  o->child_fd = -1;
  o->clock = b_clock_has(B_CLOCK_CHAIN) ? B_CLOCK_CHAIN : B_CLOCK_FIXED;
  optind = 0; /* glibc: start anew */
  for (;;) {
    int opt = getopt_long(argc, argv, letters, long_options, NULL);
    if (opt == -1)
      break;
    if (opt == 'h') {
      b_usage(stdout);
      return -1; /* done, and nothing to do */
    }
    if (opt == '?' || opt == ':')
      return rijn_refuse_option("rijn bench", opt, argv, letters, long_options);
    int err = apply(o, opt, optarg);
    if (err)
      return err;
  }
  for (int i = optind; i < argc; i++) {
    int err = what(o, argv[i]);
    if (err)
      return err;
  }
  if (o->ablate) { /* encryption with GCM, and no peers: nobody else can be taken apart */
    static char none[] = "none";
    o->ops = 1u << B_GCM;
    o->peers = none;
    o->enc = true;
    o->dec = false;
  }
  bool quick = o->ops == 0 && !o->full;
  if (o->full && o->ops == 0)
    o->ops = B_ALL_OPS;
  if (quick)
    o->ops = 1u << B_GCM;
  else
    o->rows_view = true;
  if (o->clock == B_CLOCK_FIXED && o->hz == 0) {
    rijn_say_as("rijn bench", "this architecture has no ruler for the core's clock: give it with -f HZ");
    return B_EXIT_USAGE;
  }
  if (o->unit && o->rows_view) {
    rijn_say_as("rijn bench", "--unit is of the quick table; rows have cycles, cyc/B, ns and MB/s");
    return B_EXIT_USAGE;
  }
  fill_in(o, quick);
  bool decrypts = false;
  for (int op = 0; op < B_OPS; op++) /* these variants are not for files */
    decrypts |= (o->ops & 1u << op) && op != B_FILE && !b_one_way((enum b_op)op) && o->dec;
  if (o->in_place && o->threads > 1 && decrypts) {
    rijn_say_as("rijn bench", "--in-place with --threads measures encryption only: add --dir enc");
    return B_EXIT_USAGE;
  }
  return 0;
}
