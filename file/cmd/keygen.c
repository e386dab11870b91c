/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn keygen: a new key in a file that did not exist before, or what a key file holds. */
#include "args.h"
#include "crypt.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
static int write_key(const char *file, const char *key, size_t len) {
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
  struct stat st;
  /* A file system that takes no permissions decides who reads the key. That is said, and no reason to have none. */
  if (fchmod(fd, 0600) != 0 && (fstat(fd, &st) != 0 || (st.st_mode & 077) != 0))
    rijn_say_errno("warning: %s: others may read this key: the file system keeps no permissions", file);
  int bad = rijn_write_full(fd, key, len) != 0 || fsync(fd) != 0;
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

/* ---------------------------------------------------------------- show */

/* What stands behind the key in its line, or "". */
static void read_comment(const char *file, char *text, size_t size) {
  FILE *f = fopen(file, "re");
  text[0] = '\0';
  for (char line[1024]; f != NULL && fgets(line, sizeof line, f) != NULL;) {
    const char *blank = strchr(line, ' ');
    if (strncmp(line, "rijn-", 5) != 0 || blank == NULL)
      continue;
    snprintf(text, size, "%s", blank + 1);
    text[strcspn(text, "\n")] = '\0';
    for (unsigned char *p = (unsigned char *)text; *p != '\0'; p++)
      if (rijn_control(p))
        *p = '?';
    explicit_bzero(line, sizeof line);
  }
  if (f != NULL)
    fclose(f);
}

static int show_key(const char *file) {
  static const char *const kinds[] = {"", "AES-128", "AES-256", "secret key (X25519)", "public key (X25519)"};
  struct rijn_keys keys = {.n = 0};
  struct rijn_key key;
  struct stat st;
  char print[RIJN_FILE_FINGERPRINT], text[RIJN_FILE_KEY_TEXT], comment[512];
  uint8_t public_key[32];
  if (rijn_read_keys(file, -1, true, &keys, &st) != RIJN_EXIT_OK)
    return RIJN_EXIT_FAILED;
  if (keys.n > 1)
    rijn_say("%s: holds %zu keys; this is the first", file, keys.n);
  memcpy(&key, &keys.list[0], sizeof key);
  explicit_bzero(&keys, sizeof keys);
  bool pair = key.kind == RIJN_FILE_KEY_SECRET;
  int r = pair ? rijn_file_key_public(key.raw, public_key) : 0;
  if (key.kind == RIJN_FILE_KEY_PUBLIC)
    memcpy(public_key, key.raw, 32);
  bool has_public = pair || key.kind == RIJN_FILE_KEY_PUBLIC;
  if (r == 0) /* of a pair it is the public key's, so that both sides see the same */
    r = has_public ? rijn_file_fingerprint(RIJN_FILE_KEY_PUBLIC, public_key, print)
                   : rijn_file_fingerprint(key.kind, key.raw, print);
  if (r == 0 && has_public)
    r = rijn_file_key_write(RIJN_FILE_KEY_PUBLIC, public_key, text);
  int kind = key.kind;
  explicit_bzero(&key, sizeof key);
  if (r != 0) {
    rijn_say("%s: %s", file, rijn_file_strerror(r));
    return RIJN_EXIT_FAILED;
  }
  read_comment(file, comment, sizeof comment);
  printf("kind:         %s\nfingerprint:  %s\n", kinds[kind], print);
  if (comment[0] != '\0')
    printf("comment:      %s\n", comment);
  if (has_public)
    printf("public key:   %s\n", text);
  return rijn_finish_stdout(RIJN_EXIT_OK);
}

/* ---------------------------------------------------------------- make */

struct options {
  const char *file, *bits, *comment, *show;
  bool raw, pair;
};

static int print_public(const uint8_t secret[32], const char *comment) {
  uint8_t public_key[32];
  char text[RIJN_FILE_KEY_TEXT];
  if (rijn_file_key_public(secret, public_key) != 0 ||
      rijn_file_key_write(RIJN_FILE_KEY_PUBLIC, public_key, text) != 0) {
    rijn_say("libsodium failed");
    return RIJN_EXIT_FAILED;
  }
  printf("%s%s%s\n", text, comment != NULL ? " " : "", comment != NULL ? comment : "");
  return rijn_finish_stdout(RIJN_EXIT_OK);
}

static int make_key(const struct options *o) {
  int kind = o->bits != NULL && o->bits[0] == '1' ? RIJN_FILE_KEY_AES128 : RIJN_FILE_KEY_AES256;
  if (o->pair)
    kind = RIJN_FILE_KEY_SECRET;
  size_t len = kind == RIJN_FILE_KEY_AES128 ? 16 : 32;
  uint8_t key[32];
  char text[RIJN_FILE_KEY_TEXT], line[RIJN_FILE_KEY_TEXT + 512];
  int status = RIJN_EXIT_FAILED;
  if (rijn_random(key, len) != 0) {
    rijn_say_errno("no random bytes");
    return RIJN_EXIT_FAILED;
  }
  int r = rijn_file_key_write(kind, key, text);
  int n = snprintf(line, sizeof line, "%s%s%s\n", text, o->comment != NULL ? " " : "",
                   o->comment != NULL ? o->comment : "");
  if (r != 0)
    rijn_say("libsodium failed");
  else
    status = o->raw ? write_key(o->file, (const char *)key, len) : write_key(o->file, line, (size_t)n);
  if (status == RIJN_EXIT_OK && o->pair)
    status = print_public(key, o->comment);
  explicit_bzero(key, sizeof key);
  explicit_bzero(text, sizeof text);
  explicit_bzero(line, sizeof line);
  return status;
}

static int check(const char *argv0, const struct options *o) {
  if (o->bits != NULL && strcmp(o->bits, "128") != 0 && strcmp(o->bits, "256") != 0)
    return rijn_usage(argv0, "--bits: 128 or 256, not '%s'", o->bits);
  if (o->pair && (o->bits != NULL || o->raw))
    return rijn_usage(argv0, "--recipient goes neither with --bits nor with --raw");
  if (o->comment != NULL && (strlen(o->comment) > 500 || strchr(o->comment, '\n') != NULL || o->raw))
    return rijn_usage(argv0, "--comment: one line of at most 500 bytes, and not with --raw");
  if (o->file == NULL)
    return rijn_usage(argv0, "no file: give -o FILE");
  if (o->file[0] == '\0' || o->file[strlen(o->file) - 1] == '/')
    return rijn_usage(argv0, "'%s': is not the name of a file", o->file);
  if (strcmp(o->file, "-") == 0)
    return rijn_usage(argv0, "a key is not written to the standard output ('./-' is a file of that name)");
  return RIJN_EXIT_OK;
}

int rijn_cmd_keygen(int argc, char **argv) {
#define AT(field) .at = offsetof(struct options, field)
  static const struct rijn_option options[] = {
      {"output", 'o', "FILE", 1, AT(file), .help = "the key file to make; never the standard output"},
      {"bits", 'b', "128|256", 1, AT(bits), .help = "size of the key (default: 256)"},
      {"recipient", 'r', NULL, 1, AT(pair),
       .help = "a pair (X25519): FILE gets the secret key, and the public one is printed"},
      {"comment", 'c', "TEXT", 1, AT(comment), .help = "what the key is for; it stands after the key"},
      {"raw", 0, NULL, 1, AT(raw), .help = "the bytes alone, as other programs want them"},
      {"show", 's', "FILE", 1, AT(show),
       .help = "kind, fingerprint and comment of a key; of a pair also the public key"},
      {.name = NULL},
  };
#undef AT
  static const struct rijn_command command = {
      "rijn keygen",
      "Usage: rijn keygen -o FILE [-b 128|256 | --recipient] [--comment TEXT] [--raw]\n"
      "       rijn keygen --show FILE\n\n"
      "Writes a new random key, readable by the owner only, as one line of text: kind,\n"
      "key, checksum, comment. A file that exists is never replaced. Of a pair for\n"
      "recipients the public key is printed: others encrypt for it.\n",
      NULL,
      NULL,
      options,
      1,
      true};
  struct options o = {.file = NULL};
  int status = rijn_args(&command, &o, argc, argv);
  if (status != RIJN_EXIT_OK)
    return status < 0 ? rijn_finish_stdout(RIJN_EXIT_OK) : status;
  if (optind < argc)
    return rijn_usage(argv[0], "unexpected '%s'", argv[optind]);
  if (o.show != NULL)
    return o.file != NULL || o.bits != NULL || o.comment != NULL || o.raw || o.pair
               ? rijn_usage(argv[0], "--show and another option: give one, not both")
               : show_key(o.show);
  status = check(argv[0], &o);
  return status == RIJN_EXIT_OK ? make_key(&o) : status;
}
