/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn COMMAND: those of files are functions here, the others are programs beside this one. */
#include "args.h"
#include "crypt.h"

#include <rijn.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct command {
  const char *name;
  int (*run)(int argc, char **argv); /* NULL: the program rijn-NAME */
  const char *summary;
  bool runs_aes;
};

static const struct command commands[] = {
    {"encrypt", rijn_cmd_encrypt, "encrypt files or a pipe", true},
    {"decrypt", rijn_cmd_decrypt, "decrypt them, and write nothing that is not verified", true},
    {"verify", rijn_cmd_verify, "decrypt files into nothing: are they whole?", true},
    {"cat", rijn_cmd_cat, "write a part of a file's text, from a URL too", true},
    {"keygen", rijn_cmd_keygen, "make a key file, or show its public part", false},
    {"info", rijn_cmd_info, "an encrypted file; or this machine, and what runs on it", true},
    {"selftest", rijn_cmd_selftest, "known answers through each implementation", true},
    {"volume", NULL, "encrypted disks: LUKS and GELI without root", true},
    {"bench", NULL, "measure speed", true},
    {"openssl-check", NULL, "look whether OpenSSL uses the provider", true},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static bool is_here(const struct command *c) {
  char path[PATH_MAX];
  return c->run != NULL || (rijn_beside(c->name, path, sizeof path) && access(path, X_OK) == 0);
}

static void help(FILE *f) {
  fputs("Usage: rijn COMMAND [options]\n\n", f);
  for (int i = 0; i < COMMANDS; i++)
    if (is_here(&commands[i]))
      fprintf(f, "  %-14s %s\n", commands[i].name, commands[i].summary);
  fputs("  help [COMMAND] this text, or that of a command\n\n"
        "  -h, --help     this text\n"
        "  -V, --version  the version\n\n"
        "The variable RIJN_IMPL forces an implementation; rijn info lists them.\n"
        "Exit status: 0 all is well, 1 it failed or the input is damaged, 2 the command\n"
        "line is wrong.\n",
        f);
}

static const struct command *find(const char *name) {
  for (int i = 0; i < COMMANDS; i++)
    if (strcmp(commands[i].name, name) == 0)
      return &commands[i];
  return NULL;
}

/* For a shell: what the first word can be, or that after help. */
static int complete(bool options) {
  for (int i = 0; i < COMMANDS; i++)
    if (is_here(&commands[i]))
      rijn_args_word(commands[i].name, commands[i].summary);
  rijn_args_word("help", "this text, or that of a command");
  if (options)
    fputs("--help\n--version\n", stdout);
  return rijn_finish_stdout(RIJN_EXIT_OK);
}

/* In the place of a command. */
static bool means_help(const char *name) { return strcmp(name, "help") == 0 || rijn_is_help(name); }

static int run(const struct command *c, int argc, char **argv) {
  char path[PATH_MAX];
  if (c->run != NULL)
    return rijn_run(c->name, c->run, c->runs_aes, argc, argv);
  if (rijn_beside(c->name, path, sizeof path))
    execv(path, argv);
  if (errno == ENOENT)
    rijn_say("%s: %s is not installed", c->name, path);
  else
    rijn_say_errno("%s: cannot run %s", c->name, path);
  return RIJN_EXIT_FAILED;
}

int main(int argc, char **argv) {
  rijn_begin();
  if (argc < 2) {
    help(stderr);
    return RIJN_EXIT_USAGE;
  }
  if (argc == 3 && rijn_args_completes(argc, argv))
    return complete(true);
  rijn_args_inner(argc, argv);
  const char *name = argv[1];
  if (means_help(name) && rijn_args_completes(argc - 1, argv + 1))
    return complete(false);
  if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
    if (argc > 2)
      return rijn_usage("rijn", "unexpected '%s'", argv[2]);
    printf("rijn %s\n", RIJN_VERSION_STRING);
    return rijn_finish_stdout(RIJN_EXIT_OK);
  }
  bool is_help = means_help(name);
  if (is_help && argc > 3)
    return rijn_usage("rijn", "help: one command at a time");
  if (is_help && argc == 3)
    name = argv[2];
  if (means_help(name)) {
    help(stdout);
    return rijn_finish_stdout(RIJN_EXIT_OK);
  }
  const struct command *c = find(name);
  if (c == NULL)
    return rijn_usage("rijn", name[0] == '-' ? "unknown option '%s'" : "unknown command '%s'", name);
  if (is_help) {
    char option[] = "--help";
    char *args[] = {argv[0], option, NULL};
    return run(c, 2, args);
  }
  return run(c, argc - 1, argv + 1);
}
