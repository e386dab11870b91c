/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* How each program begins: standard descriptors, signals that are errors of a write, and a wrong RIJN_IMPL. */
#include "args.h"

#include <rijn.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* WHY: with 0, 1 or 2 closed, the next file opened would take its place, and a message could end up in an output.
 * Opened the wrong way round, so that using it is an error still. */
static void fill_standard_fds(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      _exit(RIJN_EXIT_FAILED);
}

void rijn_begin(void) {
  fill_standard_fds();
  /* A broken pipe and a file over its limit are write errors with a message, and tidied up after. */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

bool rijn_is_help(const char *word) { return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0; }

static bool asks_help(int argc, char **argv) {
  if (rijn_args_completes(argc, argv))
    return true;
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (rijn_is_help(argv[i]))
      return true;
  return false;
}

bool rijn_beside(const char *name, char *path, size_t size) {
  ssize_t n = readlink("/proc/self/exe", path, size - 1);
  if (n < 0)
    return false;
  path[n] = '\0';
  char *slash = strrchr(path, '/');
  size_t at = slash != NULL ? (size_t)(slash + 1 - path) : 0;
  return (size_t)snprintf(path + at, size - at, "rijn-%s", name) < size - at;
}

/* RIJN_IMPL names something that is not there or cannot run: says what can. */
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

int rijn_run(const char *name, int (*command)(int argc, char **argv), bool runs_aes, int argc, char **argv) {
  static char argv0[32];
  snprintf(argv0, sizeof argv0, "rijn %s", name);
  argv[0] = argv0;
  if (runs_aes && rijn_impl_chosen() < 0 && !asks_help(argc, argv))
    return refuse_impl();
  return command(argc, argv);
}
