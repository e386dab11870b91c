/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn bench kernel: its command line, and the cases that it asks for. */
#include "kernel.h"

#include "args.h"
#include "cmd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WHO "rijn bench kernel"

/* ---------------------------------------------------------------- the command line */

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

static int take_keys(const struct rijn_given *g) {
  struct k_options *o = g->all;
  bool bad = list(o->keys, &o->n_keys, sizeof o->keys / sizeof *o->keys, g->text, 128, 256);
  for (size_t i = 0; i < o->n_keys; i++)
    bad |= o->keys[i] % 64 != 0;
  return bad ? complain(g->name, g->text, "128, 192, 256") : 0;
}

static int take_dir(const struct rijn_given *g) {
  struct k_options *o = g->all;
  bool both = !strcmp(g->text, "enc,dec") || !strcmp(g->text, "dec,enc");
  o->encrypts = both || !strcmp(g->text, "enc");
  o->decrypts = both || !strcmp(g->text, "dec");
  return o->encrypts || o->decrypts ? 0 : complain(g->name, g->text, "enc, dec");
}

static int take_sizes(const struct rijn_given *g) {
  struct k_options *o = g->all;
  return list(o->sizes, &o->n_sizes, 64, g->text, 1, 1 << 21)
             ? complain(g->name, g->text, "up to 64 whole numbers up to 2097152, comma between")
             : 0;
}

static int take_pieces(const struct rijn_given *g) {
  struct k_options *o = g->all;
  return list(o->pieces, &o->n_pieces, K_MAX_LIST, g->text, 1, 16)
             ? complain(g->name, g->text, "whole numbers up to 16, comma between")
             : 0;
}

static int take_whole(const struct rijn_given *g) {
  return whole(g->name, g->text, g->option->lo, g->option->hi, g->to);
}

static int take_us(const struct rijn_given *g) {
  size_t us = 0;
  int err = whole(g->name, g->text, 1, 100000, &us);
  ((struct k_options *)g->all)->sample_us = (double)us;
  return err;
}

#define IN(field) .at = offsetof(struct k_options, field)
static const struct rijn_option rows[] = {
    {"sizes", 0, "LIST", 1, 0, take_sizes, .help = "bytes, up to 2097152: 64,1420,16k,..."},
    {"pieces", 0, "LIST", 1, 0, take_pieces, .help = "the text in so many pieces, 1 to 16: 1,4"},
    {"key", 0, "LIST", 1, 0, take_keys, .words = "128 192 256", .help = "bits: 128, 192, 256 (128 and 256)"},
    {"dir", 0, "LIST", 1, 0, take_dir, .words = "enc dec", .help = "directions: enc, dec"},
    {"aad", 0, "BYTES", 1, IN(aad), take_whole, .lo = 0, .hi = 1024, .help = "associated data of gcm, up to 1024 (16)"},
    {"set-key", 0, NULL, 1, IN(set_key), .help = "gcm: the key set before each message, the tag apart"},
    {"impl", 0, "LIST", 1, IN(impls), rijn_args_last, .help = "implementations of Rijn: names, chosen, all (chosen)"},
    {"rounds", 0, "N", 1, IN(rounds), take_whole, .lo = 1, .hi = 10000, .help = "samples of each row (101)"},
    {"sample-us", 0, "US", 1, 0, take_us, .help = "work in one sample (30)"},
    {"json", 0, "FILE", 1, IN(json), rijn_args_last, .help = "the report, with every sample; - is standard output"},
    {.name = NULL},
};
#undef IN

static const struct rijn_command command = {
    .name = WHO,
    .usage = "usage: rijn bench kernel [what...] [options]\n\n"
             "Measures drivers of Linux's crypto API, Rijn's and Linux's own, with the module\n"
             "rijn-bench, which is loaded for as long as it takes. For root.\n\n"
             "what: gcm, xts, ctr, cbc, ecb (default: gcm, xts)\n",
    .footer = "exit status: 0 done; 1 a driver's output was wrong; 2 usage; 3 the system\n"
              "             refused something, has no such module, or a driver of\n"
              "             Rijn's failed\n",
    .operands = "gcm xts ctr cbc ecb",
    .options = rows,
    .bit = 1,
};

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
  *o = (struct k_options){.aad = 16, .rounds = 101, .sample_us = 30, .impls = "chosen"};
  int err = rijn_args(&command, o, argc, argv);
  for (int i = optind; i < argc && err == 0; i++)
    err = take_what(o, argv[i]);
  if (err)
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
