/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Options of a command. One list gives the parser, the help and what shells complete (completions/); tools/manual
 * brings it into rijn.1.
 */
#ifndef RIJN_ARGS_H
#define RIJN_ARGS_H

#include "cmd.h"

#include <unistd.h> /* optind: where the operands begin */

struct rijn_given;

struct rijn_option {
  const char *name;  /* --name; NULL ends a list */
  char letter;       /* -k, or 0 */
  const char *value; /* as the help names it; NULL: takes none */
  unsigned of;       /* the commands that have it, a bit each */
  size_t at;         /* the field it is for, in what the command was asked for */
  /* NULL: the field is a bool to set or, of an option with a value, a const char * that is NULL so far. Answers an exit
   * status, said. */
  int (*take)(const struct rijn_given *g);
  const char *words; /* completed: "128 256", ":files", ":folders". NULL: what value says */
  const char *help;  /* NULL: not shown */
  double lo, hi;     /* for take */
  bool many;         /* may be repeated, where once holds */
};

struct rijn_command {
  const char *name;     /* "rijn encrypt" */
  const char *usage;    /* before the options in the help */
  const char *footer;   /* after them, or NULL */
  const char *operands; /* completed, as words above; NULL: nothing */
  const struct rijn_option *options;
  unsigned bit; /* of them */
  bool once;    /* options with values are given once */
};

/* One option as it was given. */
struct rijn_given {
  const char *argv0, *name; /* "rijn encrypt", "--key-fd" */
  const char *text;
  void *all, *to; /* what the command was asked for, and the field in it */
  const struct rijn_option *option;
};

/* Parses into all; operands begin at argv[optind]. An exit status, said; -1: asked for help or completion, and it was
 * given. */
int rijn_args(const struct rijn_command *c, void *all, int argc, char **argv);
/* "--complete COMMAND ..." becomes "COMMAND --complete ...". */
void rijn_args_inner(int argc, char **argv);
/* argv[1] is "--complete": a shell asks what the last word can be. */
bool rijn_args_completes(int argc, char **argv);
/* One possible word. */
void rijn_args_word(const char *word, const char *help);
/* take: as g->text, again and again. */
int rijn_args_last(const struct rijn_given *g);
/* take: as if it had none. For a field that several options have. */
int rijn_args_text(const struct rijn_given *g);

#endif
