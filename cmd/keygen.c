/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn keygen: raw random bytes into a file that did not exist before. */
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void help(void) {
  puts("Usage: rijn keygen -o FILE [--bits 128|256]\n\n"
       "Writes a new random key: raw bytes, readable by the owner only. A file that exists is never replaced.\n\n"
       "  -o, --output FILE    the key file to make; never the standard output\n"
       "  -b, --bits 128|256   size of the key (default: 256)\n"
       "  -h, --help           this text");
}

/* WHY: a key that is gone after a power failure takes with it all that was encrypted by it. */
static void sync_folder_of(const char *file) {
  char *copy = strdup(file); /* dirname may change what it is given */
  int dir = copy != NULL ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (dir >= 0) {
    (void)fsync(dir); /* some file systems cannot, and need not */
    close(dir);
  }
  free(copy);
}

/* Whole, on the disk and with mode 0600 whatever the umask; or not there. */
static int write_key(const char *file, const uint8_t *key, size_t len) {
  int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) {
    struct stat st;
    if (errno != EEXIST)
      rijn_say_errno("%s: cannot create", file);
    else if (stat(file, &st) == 0 && S_ISDIR(st.st_mode))
      rijn_say("%s: is a directory", file);
    else
      rijn_say("%s: exists already, and a key is never replaced", file);
    return RIJN_EXIT_FAILED;
  }
  int bad = fchmod(fd, 0600) != 0 || rijn_write_full(fd, key, len) != 0 || fsync(fd) != 0;
  int err = errno;
  if (close(fd) != 0 && !bad) {
    bad = 1;
    err = errno;
  }
  if (!bad) {
    sync_folder_of(file);
    return RIJN_EXIT_OK;
  }
  unlink(file);
  errno = err;
  rijn_say_errno("%s: cannot write", file);
  return RIJN_EXIT_FAILED;
}

int rijn_cmd_keygen(int argc, char **argv) {
  static const struct option options[] = {
      {"output", required_argument, NULL, 'o'},
      {"bits", required_argument, NULL, 'b'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
  };
  static const char letters[] = ":o:b:h";
  const char *file = NULL, *bits = NULL;
  int opt, status = RIJN_EXIT_OK;
  while (status == RIJN_EXIT_OK && (opt = getopt_long(argc, argv, letters, options, NULL)) != -1) {
    switch (opt) {
    case 'o':
      status = rijn_take_value(&file, optarg, argv[0], "--output");
      break;
    case 'b':
      status = rijn_take_value(&bits, optarg, argv[0], "--bits");
      break;
    case 'h':
      help();
      return rijn_finish_stdout(RIJN_EXIT_OK);
    default:
      return rijn_refuse_option(argv[0], opt, argv, letters);
    }
  }
  if (status != RIJN_EXIT_OK)
    return status;
  if (bits != NULL && strcmp(bits, "128") != 0 && strcmp(bits, "256") != 0)
    return rijn_usage(argv[0], "--bits: 128 or 256, not '%s'", bits);
  if (optind < argc)
    return rijn_usage(argv[0], "unexpected '%s'", argv[optind]);
  if (file == NULL)
    return rijn_usage(argv[0], "no file: give -o FILE");
  if (file[0] == '\0' || file[strlen(file) - 1] == '/')
    return rijn_usage(argv[0], "'%s': is not the name of a file", file);
  if (strcmp(file, "-") == 0)
    return rijn_usage(argv[0], "a key is not written to the standard output ('./-' is a file of that name)");
  const size_t len = bits != NULL && bits[0] == '1' ? 16 : 32;
  uint8_t key[32];
  status = RIJN_EXIT_FAILED;
  if (rijn_random(key, len) != 0)
    rijn_say_errno("no random bytes");
  else
    status = write_key(file, key, len);
  explicit_bzero(key, sizeof key);
  return status;
}
