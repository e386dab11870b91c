/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn volume: arguments of its subcommands. */
#include "volume.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  INFO = 1,
  OPEN = 2,
  CREATE = 4,
  ADD = 8,
  REMOVE = 16,
  PASSWD = 32,
  READ = 64,
  WRITE = 128,
  BENCH = 256,
  CLOSE = 512
};
enum {
  FIND = INFO | OPEN | ADD | REMOVE | PASSWD | READ | WRITE, /* those that look for a header */
  UNLOCK = FIND & ~INFO,
  KEYS = UNLOCK | CREATE,
  KDF = CREATE | ADD | PASSWD
};

/* What an option is: its place in the table below. */
enum id {
  HEADER,
  METADATA,
  PARTITION,
  FORMAT,
  PROVIDER_SECTOR,
  PIM,
  HASH,
  NO_HIDDEN,
  KEY_FILE,
  KEYFILE_OFFSET,
  KEYFILE_SIZE,
  PASSPHRASE_FILE,
  PROMPT,
  SLOT,
  READ_ONLY,
  ALLOW_DISCARDS,
  LIMIT_MEMORY,
  LIMIT_ROUNDS,
  NEW_PASSPHRASE_FILE,
  NEW_KEY_FILE,
  NEW_SLOT,
  FORCE,
  OUTPUT,
  INPUT,
  OFFSET,
  LENGTH,
  JSON,
  SIZE,
  SECTOR_SIZE,
  KEY_BITS,
  KDF_NAME,
  ROUNDS,
  MEMORY,
  LANES,
  LABEL,
  UUID,
  BACKUP,
  AUTORESIZE,
  SOCKET,
  PLUGIN,
  LAST,
  HELP,
  OPTIONS
};
static const struct {
  const char *name;
  int has_arg;
  unsigned of;
  const char *arg, *help;
} table[OPTIONS] = {
    [HEADER] = {"header", required_argument, FIND | CREATE, "FILE", "a detached LUKS header"},
    [METADATA] = {"metadata", required_argument, FIND, "FILE", "use this backup of GELI's metadata"},
    [PARTITION] = {"partition", required_argument, FIND | CREATE, "N", "this partition of the disk"},
    [FORMAT] = {"format", required_argument, FIND | CREATE, "NAME", "luks, luks1, luks2, geli, bitlocker or veracrypt"},
    [PROVIDER_SECTOR] = {"provider-sector", required_argument, FIND, "512|4096",
                         "GELI: sectors of the disk it was made on"},
    [PIM] = {"pim", required_argument, UNLOCK, "N", "VeraCrypt: the volume's PIM"},
    [HASH] = {"hash", required_argument, UNLOCK, "NAME", "VeraCrypt: only this hash, as sha512"},
    [NO_HIDDEN] = {"no-hidden", no_argument, OPEN | WRITE, "", "VeraCrypt: write it, for it hides no other one"},
    [KEY_FILE] = {"key-file", required_argument, KEYS, "FILE", "key file (BitLocker: .BEK); '-' is standard input"},
    [KEYFILE_OFFSET] = {"keyfile-offset", required_argument, KEYS, "N", "bytes of the key file to skip"},
    [KEYFILE_SIZE] = {"keyfile-size", required_argument, KEYS, "N", "bytes of the key file to take"},
    [PASSPHRASE_FILE] = {"passphrase-file", required_argument, KEYS, "FILE", "its first line is the passphrase"},
    [PROMPT] = {"prompt", no_argument, KEYS, "", "ask for a passphrase though there are key files"},
    [SLOT] = {"slot", required_argument, UNLOCK, "N", "only this key slot; of remove-key, that one"},
    [READ_ONLY] = {"read-only", no_argument, OPEN, "", "refuse writes"},
    [ALLOW_DISCARDS] = {"allow-discards", no_argument, OPEN | CREATE, "",
                        "pass trim down; it shows which sectors are used"},
    [LIMIT_MEMORY] = {"limit-memory", required_argument, UNLOCK, "MIB", "most memory of Argon2 (4096, or half of all)"},
    [LIMIT_ROUNDS] = {"limit-rounds", required_argument, UNLOCK, "N",
                      "of PBKDF2; passes times KiB of Argon2 (20000000)"},
    [NEW_PASSPHRASE_FILE] = {"new-passphrase-file", required_argument, ADD | PASSWD, "FILE",
                             "its first line is the new one"},
    [NEW_KEY_FILE] = {"new-key-file", required_argument, ADD | PASSWD, "FILE", "the new key is this file"},
    [NEW_SLOT] = {"new-slot", required_argument, ADD | PASSWD, "N", "the new key goes there (default: the first free)"},
    [FORCE] = {"force", no_argument, CREATE | READ | CLOSE, "", "destroy or replace; close in spite of clients"},
    [OUTPUT] = {"output", required_argument, READ, "FILE", "where to (default: standard output)"},
    [INPUT] = {"input", required_argument, WRITE, "FILE", "where from (default: standard input)"},
    [OFFSET] = {"offset", required_argument, READ | WRITE, "N", "first byte of the volume"},
    [LENGTH] = {"length", required_argument, READ, "N", "how many bytes (default: to the end)"},
    [JSON] = {"json", no_argument, INFO, "", "as JSON"},
    [SIZE] = {"size", required_argument, CREATE, "N", "make a file of this size; K, M, G, T may follow"},
    [SECTOR_SIZE] = {"sector-size", required_argument, CREATE, "N", "bytes (default: 4096)"},
    [KEY_BITS] = {"key-bits", required_argument, CREATE, "128|256", "AES (default: LUKS2 256, GELI 128)"},
    [KDF_NAME] = {"kdf", required_argument, KDF, "NAME", "argon2id, argon2i or pbkdf2"},
    [ROUNDS] = {"rounds", required_argument, KDF, "N", "passes of Argon2 (4), rounds of PBKDF2 (1000000)"},
    [MEMORY] = {"memory", required_argument, KDF, "MIB", "of Argon2 (1024, or a quarter of all)"},
    [LANES] = {"lanes", required_argument, KDF, "N", "of Argon2 (default: processors, at most 4)"},
    [LABEL] = {"label", required_argument, CREATE, "TEXT", "of LUKS2"},
    [UUID] = {"uuid", required_argument, CREATE, "UUID", "of LUKS2 (default: random)"},
    [BACKUP] = {"backup", required_argument, CREATE, "FILE", "GELI: copy of the metadata (default: DISK.eli)"},
    [AUTORESIZE] = {"autoresize", no_argument, CREATE, "", "GELI: FreeBSD 13 and later follow the disk's size"},
    [SOCKET] = {"socket", required_argument, OPEN | CLOSE, "PATH", "Unix socket (default: DISK.sock in this folder)"},
    [PLUGIN] = {"plugin", required_argument, OPEN, "FILE", "nbdkit-rijn-plugin.so, if it is not found"},
    [LAST] = {"last", no_argument, REMOVE, "", "the last key slot too: nothing opens it then"},
    [HELP] = {"help", no_argument, ~0u, "", "this text"},
};

static const struct subcommand {
  const char *name;
  unsigned bit;
  int (*run)(struct volume_args *a);
  int least, most; /* disks */
  const char *usage, *summary;
} subcommands[] = {
    {"info", INFO, volume_info, 1, 1, "DISK", "what a disk, its partitions or a header holds; needs no key"},
    {"open", OPEN, volume_serve, 1, 64, "DISK...", "show the plain volume as a block device on a Unix socket (NBD)"},
    {"close", CLOSE, volume_close_command, 1, 64, "DISK|SOCKET...", "end what open has started"},
    {"read", READ, volume_read, 1, 1, "DISK", "the plain volume to a file or a pipe"},
    {"write", WRITE, volume_write, 1, 1, "DISK", "a file or a pipe into the plain volume"},
    {"create", CREATE, volume_create, 1, 1, "DISK --format luks2|geli", "a new volume"},
    {"add-key", ADD, volume_add_key, 1, 1, "DISK", "LUKS2: one more passphrase or key file"},
    {"remove-key", REMOVE, volume_remove_key, 1, 1, "DISK --slot N", "LUKS2: one less"},
    {"passwd", PASSWD, volume_passwd, 1, 1, "DISK", "LUKS2: another passphrase instead of the one that opens"},
    {"bench", BENCH, volume_bench, 0, 0, "", "what deriving keys and ciphering sectors cost here"},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof subcommands[0] };

static void help(FILE *f) {
  fputs("Usage: rijn volume COMMAND [options] [DISK]\n\n"
        "Encrypted disks without root: LUKS, GELI, BitLocker, VeraCrypt and TrueCrypt in\n"
        "a file, a block device or a partition.\n\n",
        f);
  for (int i = 0; i < SUBCOMMANDS; i++)
    fprintf(f, "  %-11s %s\n", subcommands[i].name, subcommands[i].summary);
  fputs("\n'rijn volume COMMAND --help' has the options of each.\n", f);
}

static void help_of(const struct subcommand *c) {
  printf("Usage: rijn volume %s [options]%s%s\n\n%c%s.\n\n", c->name, c->usage[0] != '\0' ? " " : "", c->usage,
         c->summary[0] >= 'a' ? c->summary[0] - 'a' + 'A' : c->summary[0], c->summary + 1);
  for (int i = 0; i < OPTIONS; i++)
    if ((table[i].of & c->bit) != 0)
      printf("  --%s%s%-*s %s\n", table[i].name, table[i].arg[0] != '\0' ? " " : "",
             26 - (int)strlen(table[i].name) - (table[i].arg[0] != '\0'), table[i].arg, table[i].help);
}

/* ---------------------------------------------------------------- values */

static int take_number(uint64_t *to, const char *text, const char *argv0, const char *option, bool unit) {
  static const char units[] = "KMGT";
  char *end;
  errno = 0;
  unsigned long long n = strtoull(text, &end, 10);
  const char *u = unit && *end != '\0' ? strchr(units, *end) : NULL;
  unsigned shift = u != NULL ? 10 * (unsigned)(u - units + 1) : 0;
  end += u != NULL;
  if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || n > UINT64_MAX >> 1 >> shift)
    return rijn_usage(argv0, "--%s: '%s' is not a number%s", option, text, unit ? " of bytes" : "");
  *to = n << shift;
  return RIJN_EXIT_OK;
}

static int take_unsigned(unsigned *to, const char *text, const char *argv0, const char *option) {
  uint64_t n = 0;
  int status = take_number(&n, text, argv0, option, false);
  if (status == RIJN_EXIT_OK && n > INT32_MAX)
    return rijn_usage(argv0, "--%s: '%s' is too large", option, text);
  *to = (unsigned)n;
  return status;
}

static int take_format(struct volume_args *a, const char *text) {
  static const struct {
    const char *name;
    int format;
  } formats[] = {{"luks", RIJN_VOLUME_LUKS},           {"luks1", RIJN_VOLUME_LUKS1},
                 {"luks2", RIJN_VOLUME_LUKS2},         {"geli", RIJN_VOLUME_GELI},
                 {"bitlocker", RIJN_VOLUME_BITLOCKER}, {"veracrypt", RIJN_VOLUME_VERACRYPT},
                 {"truecrypt", RIJN_VOLUME_VERACRYPT}};
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (strcmp(text, formats[i].name) == 0) {
      a->options.format = a->create.format = formats[i].format;
      return RIJN_EXIT_OK;
    }
  return rijn_usage(a->argv0, "--format: luks, luks1, luks2, geli, bitlocker or veracrypt, not '%s'", text);
}

static int take_mib(uint64_t *kib, const char *text, const char *argv0, const char *option) {
  int status = take_number(kib, text, argv0, option, false);
  if (status == RIJN_EXIT_OK && (*kib == 0 || *kib > UINT32_MAX))
    return rijn_usage(argv0, "--%s: '%s' is no number of MiB that can be", option, text);
  *kib <<= 10;
  return status;
}

static int take_key_file(struct volume_args *a, const char *text) {
  if (a->key_files_n == VOLUME_KEY_FILES)
    return rijn_usage(a->argv0, "--key-file: more than %d", VOLUME_KEY_FILES);
  a->key_files[a->key_files_n++] = text;
  return RIJN_EXIT_OK;
}

/* Texts, each given once. */
static const char **text_of(struct volume_args *a, enum id id) {
  switch (id) {
  case HEADER:
  case METADATA:
    return &a->header;
  case PASSPHRASE_FILE:
    return &a->passphrase_file;
  case NEW_PASSPHRASE_FILE:
    return &a->new_passphrase_file;
  case NEW_KEY_FILE:
    return &a->new_key_file;
  case OUTPUT:
  case INPUT:
    return &a->file;
  case KDF_NAME:
    return &a->create.kdf.name;
  case LABEL:
    return &a->create.label;
  case UUID:
    return &a->create.uuid;
  case BACKUP:
    return &a->backup;
  case SOCKET:
    return &a->socket;
  case PLUGIN:
    return &a->plugin;
  default:
    return NULL;
  }
}

static bool *flag_of(struct volume_args *a, enum id id) {
  switch (id) {
  case PROMPT:
    return &a->prompt;
  case READ_ONLY:
    return &a->options.read_only;
  case NO_HIDDEN:
    return &a->options.no_hidden;
  case ALLOW_DISCARDS:
    return &a->options.allow_discards;
  case FORCE:
    return &a->force;
  case JSON:
    return &a->json;
  case AUTORESIZE:
    return &a->create.autoresize;
  case LAST:
    return &a->yes_last;
  default:
    return NULL;
  }
}

static int take_value(struct volume_args *a, enum id id, const char *text) {
  const char *name = table[id].name;
  unsigned slot = 0;
  int status;
  switch (id) {
  case PARTITION:
    return take_number(&a->partition, text, a->argv0, name, false);
  case FORMAT:
    return take_format(a, text);
  case PROVIDER_SECTOR:
    return take_unsigned(&a->options.provider_sector, text, a->argv0, name);
  case PIM:
    return take_unsigned(&a->options.pim, text, a->argv0, name);
  case HASH:
    if (strlen(text) >= sizeof a->options.hash)
      return rijn_usage(a->argv0, "--hash: '%s' is no name of a hash", text);
    strcpy(a->options.hash, text);
    return RIJN_EXIT_OK;
  case KEY_FILE:
    return take_key_file(a, text);
  case KEYFILE_OFFSET:
    return take_number(&a->keyfile_offset, text, a->argv0, name, false);
  case KEYFILE_SIZE:
    return take_number(&a->keyfile_size, text, a->argv0, name, false);
  case SLOT:
    status = take_unsigned(&slot, text, a->argv0, name);
    a->slot = (int)slot;
    return status;
  case NEW_SLOT:
    status = take_unsigned(&slot, text, a->argv0, name);
    a->new_slot = (int)slot;
    return status;
  case LIMIT_MEMORY:
    return take_mib(&a->options.limit_memory_kib, text, a->argv0, name);
  case LIMIT_ROUNDS:
    return take_number(&a->options.limit_rounds, text, a->argv0, name, false);
  case OFFSET:
    return take_number(&a->offset, text, a->argv0, name, true);
  case LENGTH:
    a->have_length = true;
    return take_number(&a->length, text, a->argv0, name, true);
  case SIZE:
    return take_number(&a->size, text, a->argv0, name, true);
  case SECTOR_SIZE:
    return take_unsigned(&a->create.sector_size, text, a->argv0, name);
  case KEY_BITS:
    return take_unsigned(&a->create.key_bits, text, a->argv0, name);
  case ROUNDS:
    return take_number(&a->create.kdf.rounds, text, a->argv0, name, false);
  case MEMORY:
    return take_mib(&a->create.kdf.memory_kib, text, a->argv0, name);
  default: /* LANES */
    return take_unsigned(&a->create.kdf.lanes, text, a->argv0, name);
  }
}

static int take(struct volume_args *a, enum id id, const char *text) {
  char option[40];
  bool *flag = flag_of(a, id);
  const char **to = text_of(a, id);
  if (flag != NULL) {
    *flag = true;
    return RIJN_EXIT_OK;
  }
  snprintf(option, sizeof option, "--%s", table[id].name);
  if (to == NULL)
    return take_value(a, id, text);
  if (text[0] == '\0' && id != LABEL)
    return rijn_usage(a->argv0, "%s: '' is no name", option);
  return rijn_take_value(to, text, a->argv0, option);
}

/* ---------------------------------------------------------------- the command line */

static int check(const struct volume_args *a, const struct subcommand *c) {
  size_t from_stdin = a->passphrase_file != NULL && rijn_is_standard(a->passphrase_file, 0);
  for (size_t i = 0; i < a->key_files_n; i++)
    from_stdin += rijn_is_standard(a->key_files[i], 0);
  from_stdin += c->bit == WRITE && (a->file == NULL || rijn_is_standard(a->file, 0));
  from_stdin += a->new_passphrase_file != NULL && rijn_is_standard(a->new_passphrase_file, 0);
  if (a->disks_n < c->least)
    return rijn_usage(a->argv0, "no disk: give %s", c->usage);
  if (a->disks_n > c->most)
    return rijn_usage(a->argv0, "unexpected '%s'", a->disks[c->most]);
  if (from_stdin > 1)
    return rijn_usage(a->argv0, "two of key, passphrase and input cannot both come from the standard input");
  if (a->prompt && a->passphrase_file != NULL)
    return rijn_usage(a->argv0, "--prompt and --passphrase-file: give one, not both");
  if (a->disks_n > 1 && (a->header != NULL || a->socket != NULL))
    return rijn_usage(a->argv0, "--header, --metadata and --socket are of one disk, and %d are given", a->disks_n);
  for (int i = 0; i < a->disks_n; i++)
    if (a->disks[i][0] == '\0')
      return rijn_usage(a->argv0, "'' is not the name of a disk");
  return RIJN_EXIT_OK;
}

/* Only the options of that subcommand. */
static int parse(struct volume_args *a, const struct subcommand *c, int argc, char **argv) {
  enum { FIRST = 256 };
  struct option options[OPTIONS + 1];
  int n = 0, opt, status = RIJN_EXIT_OK;
  for (int i = 0; i < OPTIONS; i++)
    if ((table[i].of & c->bit) != 0)
      options[n++] = (struct option){table[i].name, table[i].has_arg, NULL, FIRST + i};
  options[n] = (struct option){NULL, 0, NULL, 0};
  while (status == RIJN_EXIT_OK && (opt = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
    if (opt == 'h' || opt == FIRST + HELP) {
      help_of(c);
      return -1;
    }
    if (opt < FIRST)
      return rijn_refuse_option(a->argv0, opt, argv, ":h", options);
    status = take(a, (enum id)(opt - FIRST), optarg);
  }
  a->disks = argv + optind;
  a->disks_n = argc - optind;
  return status == RIJN_EXIT_OK ? check(a, c) : status;
}

int rijn_cmd_volume(int argc, char **argv) {
  static char argv0[40];
  struct volume_args a = {.argv0 = argv[0], .slot = -1, .new_slot = -1};
  const struct subcommand *c = NULL;
  if (argc < 2) {
    help(stderr);
    return RIJN_EXIT_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    help(stdout);
    return rijn_finish_stdout(RIJN_EXIT_OK);
  }
  for (int i = 0; i < SUBCOMMANDS; i++)
    if (strcmp(argv[1], subcommands[i].name) == 0)
      c = &subcommands[i];
  if (c == NULL)
    return rijn_usage(argv[0], argv[1][0] == '-' ? "unknown option '%s'" : "unknown command '%s'", argv[1]);
  snprintf(argv0, sizeof argv0, "rijn volume %s", c->name);
  argv[1] = argv0;
  a.argv0 = argv0;
  int status = parse(&a, c, argc - 1, argv + 1);
  if (status < 0)
    return rijn_finish_stdout(RIJN_EXIT_OK);
  return status == RIJN_EXIT_OK ? c->run(&a) : status;
}
