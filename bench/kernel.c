/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn bench kernel: its command line, and the cases that it asks for. */
#include "kernel.h"

#include "cmd.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WHO "rijn bench kernel"

const struct k_mode k_modes[K_MODES] = {
    {"gcm",
     "gcm(aes)",
     "gcm_base(ctr(aes-generic),ghash-generic)",
     true,
     1,
     {{64, 1}, {512, 1}, {1420, 1}, {4096, 1}, {16384, 1}, {1420, 4}, {4096, 4}, {16384, 4}}},
    {"xts", "xts(aes)", "xts(ecb(aes-generic))", false, 2, {{512, 1}, {4096, 1}, {4096, 2}}},
    {"ctr", "ctr(aes)", "ctr(aes-generic)", false, 1, {{512, 1}, {4096, 1}, {4096, 2}}},
    {"cbc", "cbc(aes)", "cbc(aes-generic)", false, 1, {{512, 1}, {4096, 1}, {4096, 2}}},
    {"ecb", "ecb(aes)", "ecb(aes-generic)", false, 1, {{512, 1}, {4096, 1}, {4096, 2}}},
};

/* ---------------------------------------------------------------- the command line */

static void usage(FILE *f) {
  fputs("usage: rijn bench kernel [what...] [options]\n\n"
        "Measures drivers of Linux's crypto API, Rijn's and Linux's own, with the module\n"
        "rijn-bench, which is loaded for as long as it takes. For root.\n\n"
        "what: gcm, xts, ctr, cbc, ecb (default: gcm, xts)\n\n"
        "  --sizes LIST      bytes, up to 2097152: 64,1420,16k,...\n"
        "  --pieces LIST     the text in so many pieces, 1 to 16: 1,4\n"
        "  --key LIST        128, 192, 256 (128 and 256)\n"
        "  --dir LIST        enc, dec\n"
        "  --aad BYTES       associated data of gcm, up to 1024 (16)\n"
        "  --set-key         gcm: the key is set before each message, and the tag lies\n"
        "                    apart, as NVIDIA's driver has both\n"
        "  --impl LIST       implementations of Rijn: names, chosen, all (chosen)\n"
        "  --rounds N        samples of each row (101)\n"
        "  --sample-us US    work in one sample (30)\n"
        "  --json FILE       the report, with every sample; - is standard output\n"
        "  -h, --help        this text\n"
        "\nexit status: 0 done; 1 a driver's output was wrong; 2 usage; 3 the system\n"
        "             refused something, has no such module, or a driver of\n"
        "             Rijn's failed\n",
        f);
}

static int complain(const char *option, const char *value, const char *known) {
  rijn_say_as(WHO, "%s: \"%s\" is not valid; there is: %s", option, value, known);
  return B_EXIT_USAGE;
}

static int whole(const char *option, const char *value, double lo, double hi, size_t *to) {
  double x;
  if (!b_number(value, strlen(value), lo, hi, &x) || x != floor(x)) {
    rijn_say_as(WHO, "%s: \"%s\" is not a whole number from %.10g to %.10g", option, value, lo, hi);
    return B_EXIT_USAGE;
  }
  *to = (size_t)x;
  return 0;
}

static int list(size_t *to, size_t *n, size_t room, const char *value, double lo, double hi) {
  int found = b_number_list(value, lo, hi, to, room, NULL);
  *n = found < 0 ? 0 : (size_t)found;
  return found < 0;
}

static int take_keys(struct k_options *o, const char *value) {
  bool bad = list(o->keys, &o->n_keys, sizeof o->keys / sizeof *o->keys, value, 128, 256);
  for (size_t i = 0; i < o->n_keys; i++)
    bad |= o->keys[i] % 64 != 0;
  return bad ? complain("--key", value, "128, 192, 256") : 0;
}

static int take_dir(struct k_options *o, const char *value) {
  o->encrypts = !strcmp(value, "enc") || !strcmp(value, "enc,dec") || !strcmp(value, "dec,enc");
  o->decrypts = !strcmp(value, "dec") || !strcmp(value, "enc,dec") || !strcmp(value, "dec,enc");
  return o->encrypts || o->decrypts ? 0 : complain("--dir", value, "enc, dec");
}

static int take(struct k_options *o, int opt, const char *value) {
  size_t us = 0;
  int err = 0;
  switch (opt) {
  case 's':
    return list(o->sizes, &o->n_sizes, 64, value, 1, 1 << 21)
               ? complain("--sizes", value, "up to 64 whole numbers up to 2097152, comma between")
               : 0;
  case 'p':
    return list(o->pieces, &o->n_pieces, K_MAX_LIST, value, 1, 16)
               ? complain("--pieces", value, "whole numbers up to 16, comma between")
               : 0;
  case 'k':
    return take_keys(o, value);
  case 'd':
    return take_dir(o, value);
  case 'a':
    return whole("--aad", value, 0, 1024, &o->aad);
  case 'K':
    o->set_key = true;
    return 0;
  case 'r':
    return whole("--rounds", value, 1, 10000, &o->rounds);
  case 'u':
    err = whole("--sample-us", value, 1, 100000, &us);
    o->sample_us = (double)us;
    return err;
  case 'i':
    o->impls = value;
    return 0;
  default:
    o->json = value;
    return 0;
  }
}

static int take_what(struct k_options *o, const char *name) {
  for (int m = 0; m < K_MODES; m++)
    if (!strcmp(name, k_modes[m].name)) {
      o->modes |= 1u << m;
      return 0;
    }
  return complain("what", name, "gcm, xts, ctr, cbc, ecb");
}

/* 0; an exit status; or -1: help was asked for. */
static int parse(struct k_options *o, int argc, char **argv) {
  static const char letters[] = ":h";
  static const struct option longs[] = {{"sizes", 1, NULL, 's'},   {"pieces", 1, NULL, 'p'},    {"key", 1, NULL, 'k'},
                                        {"dir", 1, NULL, 'd'},     {"aad", 1, NULL, 'a'},       {"impl", 1, NULL, 'i'},
                                        {"rounds", 1, NULL, 'r'},  {"sample-us", 1, NULL, 'u'}, {"json", 1, NULL, 'j'},
                                        {"set-key", 0, NULL, 'K'}, {"help", 0, NULL, 'h'},      {NULL, 0, NULL, 0}};
  *o = (struct k_options){.aad = 16, .rounds = 101, .sample_us = 30, .impls = "chosen"};
  optind = 0; /* glibc: start anew */
  for (int opt, err = 0; (opt = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
    if (opt == 'h') {
      usage(stdout);
      return -1;
    }
    if (opt == '?' || opt == ':')
      return rijn_refuse_option(WHO, opt, argv, letters, longs);
    err = take(o, opt, optarg);
    if (err)
      return err;
  }
  for (int i = optind, err; i < argc; i++)
    if ((err = take_what(o, argv[i])) != 0)
      return err;
  if (o->modes == 0)
    o->modes = o->set_key ? 1 : 3;
  if (o->set_key && o->modes != 1)
    return complain("--set-key", argv[optind], "what: gcm");
  if (o->n_keys == 0) {
    o->keys[o->n_keys++] = 128;
    o->keys[o->n_keys++] = 256;
  }
  if (!o->encrypts && !o->decrypts)
    o->encrypts = o->decrypts = true;
  return 0;
}

/* ---------------------------------------------------------------- cases */

/* Measures one, and prints its rows. */
static int one(struct k_run *r, struct k_case c, size_t size, size_t pieces) {
  size_t from = r->n_rows;
  c.size = size;
  c.pieces = pieces;
  int err = k_measure(r, &c);
  if (!err && !(r->o->json && rijn_is_standard(r->o->json, 1)))
    k_table(r, from);
  return err;
}

static int table_of(struct k_run *r, const struct k_case *c) {
  const struct k_options *o = r->o;
  const struct k_mode *m = &k_modes[c->mode];
  int err = 0;
  if (o->n_sizes == 0 && o->n_pieces == 0) {
    for (size_t i = 0; m->cases[i].size != 0 && !err; i++)
      err = one(r, *c, m->cases[i].size, m->cases[i].pieces);
    return err;
  }
  for (size_t p = 0; p < (o->n_pieces ? o->n_pieces : 1); p++) {
    size_t pieces = o->n_pieces ? o->pieces[p] : 1;
    for (size_t s = 0; s < o->n_sizes && !err; s++)
      err = one(r, *c, o->sizes[s], pieces);
    for (size_t i = 0; o->n_sizes == 0 && m->cases[i].pieces == 1 && !err; i++)
      err = one(r, *c, m->cases[i].size, pieces);
  }
  return err;
}

static int all(struct k_run *r) {
  const struct k_options *o = r->o;
  int err = 0;
  for (int m = 0; m < K_MODES; m++)
    for (size_t k = 0; k < o->n_keys; k++)
      for (enum b_dir dir = B_ENC; dir <= B_DEC && !err; dir++)
        if ((o->modes & 1u << m) && (dir == B_ENC ? o->encrypts : o->decrypts))
          err = table_of(r, &(struct k_case){.mode = m, .key_bits = (int)o->keys[k], .dir = dir});
  return err;
}

int b_kernel(int argc, char **argv) {
  struct k_options o;
  struct k_run r = {.o = &o, .fd = -1};
  int err = parse(&o, argc, argv);
  if (err)
    return err < 0 ? B_EXIT_OK : err;
  if (o.json && (err = b_json_writable(o.json)) != 0)
    return err;
  err = k_open(&r);
  if (!err)
    err = all(&r);
  k_close(&r);
  if (!err && o.json)
    err = k_json(&r);
  for (size_t i = 0; i < r.n_rows; i++) {
    if (r.rows[i].wrong && (!err || err == B_EXIT_SYSTEM))
      err = B_EXIT_FAIL;
    if (!err && r.rows[i].error && r.rows[i].is_rijn)
      err = B_EXIT_SYSTEM;
    free(r.rows[i].ns);
  }
  free(r.rows);
  return err;
}
