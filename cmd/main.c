/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "cmd.h"

#include <rijn.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct command {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *summary;
  bool runs_aes; /* a wrong RIJN_IMPL ends it before it starts */
};

static const struct command commands[] = {
    {"encrypt", rijn_cmd_encrypt, "encrypt files or a pipe", true},
    {"decrypt", rijn_cmd_decrypt, "decrypt them, and write nothing that is not verified", true},
    {"verify", rijn_cmd_verify, "decrypt files into nothing: are they whole?", true},
    {"cat", rijn_cmd_cat, "write a part of a file's text, from a URL too", true},
    {"keygen", rijn_cmd_keygen, "make a key file, or show its public part", false},
    {"info", rijn_cmd_info, "an encrypted file; or this machine, and what runs on it", true},
    {"selftest", rijn_cmd_selftest, "known answers through each implementation", true},
#ifdef RIJN_HAVE_VOLUME
    {"volume", rijn_cmd_volume, "encrypted disks: LUKS and GELI without root", true},
#endif
#ifdef RIJN_HAVE_BENCH
    {"bench", rijn_cmd_bench, "measure speed", true},
#endif
#ifdef RIJN_HAVE_OPENSSL_CHECK
    {"openssl-check", rijn_cmd_openssl_check, "look whether OpenSSL uses the provider", true},
#endif
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void help(FILE *f) {
  fputs("Usage: rijn COMMAND [options]\n\n", f);
  for (int i = 0; i < COMMANDS; i++)
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

/* RIJN_IMPL names something that is not there or cannot run: say what can. */
static int refuse_impl(void) {
  const char *name = secure_getenv("RIJN_IMPL"); /* as the library reads it */
  int found = name != NULL ? rijn_impl_find(name) : RIJN_EIMPL;
  char why[256] = "";
  if (found >= 0)
    rijn_impl_why(found, why, sizeof why);
  rijn_say("RIJN_IMPL=%s: %s%s%s; there are:", name != NULL ? name : "",
           found >= 0 ? "not supported by this machine" : "no implementation of that name", why[0] != '\0' ? ": " : "",
           why);
  for (int i = 0; i < rijn_impl_count(); i++)
    fprintf(stderr, "  %-20s  %s%s\n", rijn_impl_name(i), rijn_impl_supported(i) ? "supported" : "not supported: ",
            rijn_impl_supported(i) ? "" : rijn_impl_why(i, why, sizeof why));
  return RIJN_EXIT_USAGE;
}

static bool is_help_option(const char *word) { return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0; }

/* In the place of a command. */
static bool means_help(const char *name) { return strcmp(name, "help") == 0 || is_help_option(name); }

static bool asks_help(int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (is_help_option(argv[i]))
      return true;
  return false;
}

static int run(const struct command *c, int argc, char **argv) {
  static char argv0[32];
  snprintf(argv0, sizeof argv0, "rijn %s", c->name);
  argv[0] = argv0;
  if (c->runs_aes && rijn_impl_chosen() < 0 && !asks_help(argc, argv))
    return refuse_impl();
  return c->run(argc, argv);
}

/* WHY: with 0, 1 or 2 closed, the next file opened would take its place, and a message could end up in an output.
 * Opened the wrong way round, so that using it is an error still. */
static void fill_standard_fds(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      _exit(RIJN_EXIT_FAILED);
}

int main(int argc, char **argv) {
  fill_standard_fds();
  /* A broken pipe and a file over its limit are write errors with a message, and tidied up after. */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  if (argc < 2) {
    help(stderr);
    return RIJN_EXIT_USAGE;
  }
  const char *name = argv[1];
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
