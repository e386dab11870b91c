/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn volume: arguments of its subcommands. */
#include "args.h"
#include "volume.h"

#include <errno.h>
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

/* ---------------------------------------------------------------- values */

static int number(const struct rijn_given *g, uint64_t *to, bool unit) {
  static const char units[] = "KMGT";
  char *end;
  errno = 0;
  unsigned long long n = strtoull(g->text, &end, 10);
  const char *u = unit && *end != '\0' ? strchr(units, *end) : NULL;
  unsigned shift = u != NULL ? 10 * (unsigned)(u - units + 1) : 0;
  end += u != NULL;
  if (g->text[0] < '0' || g->text[0] > '9' || *end != '\0' || errno != 0 || n > UINT64_MAX >> 1 >> shift)
    return rijn_usage(g->argv0, "%s: '%s' is not a number%s", g->name, g->text, unit ? " of bytes" : "");
  *to = n << shift;
  return RIJN_EXIT_OK;
}

static int take_number(const struct rijn_given *g) { return number(g, g->to, false); }
static int take_bytes(const struct rijn_given *g) { return number(g, g->to, true); }

static int take_length(const struct rijn_given *g) {
  ((struct volume_args *)g->all)->have_length = true;
  return take_bytes(g);
}

static int take_unsigned(const struct rijn_given *g) {
  uint64_t n = 0;
  int status = number(g, &n, false);
  if (status == RIJN_EXIT_OK && n > INT32_MAX)
    return rijn_usage(g->argv0, "%s: '%s' is too large", g->name, g->text);
  memcpy(g->to, &(unsigned){(unsigned)n}, sizeof(unsigned)); /* the slot's is an int */
  return status;
}

static int take_format(const struct rijn_given *g) {
  static const struct {
    const char *name;
    int format;
  } formats[] = {{"luks", RIJN_VOLUME_LUKS},           {"luks1", RIJN_VOLUME_LUKS1},
                 {"luks2", RIJN_VOLUME_LUKS2},         {"geli", RIJN_VOLUME_GELI},
                 {"bitlocker", RIJN_VOLUME_BITLOCKER}, {"veracrypt", RIJN_VOLUME_VERACRYPT},
                 {"truecrypt", RIJN_VOLUME_VERACRYPT}};
  struct volume_args *a = g->all;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (strcmp(g->text, formats[i].name) == 0) {
      a->options.format = a->create.format = formats[i].format;
      return RIJN_EXIT_OK;
    }
  return rijn_usage(g->argv0, "--format: luks, luks1, luks2, geli, bitlocker or veracrypt, not '%s'", g->text);
}

static int take_mib(const struct rijn_given *g) {
  uint64_t *kib = g->to;
  int status = number(g, kib, false);
  if (status == RIJN_EXIT_OK && (*kib == 0 || *kib > UINT32_MAX))
    return rijn_usage(g->argv0, "%s: '%s' is no number of MiB that can be", g->name, g->text);
  *kib <<= 10;
  return status;
}

static int take_key_file(const struct rijn_given *g) {
  struct volume_args *a = g->all;
  if (a->key_files_n == VOLUME_KEY_FILES)
    return rijn_usage(g->argv0, "--key-file: more than %d", VOLUME_KEY_FILES);
  a->key_files[a->key_files_n++] = g->text;
  return RIJN_EXIT_OK;
}

static int take_hash(const struct rijn_given *g) {
  char *to = g->to;
  if (strlen(g->text) >= sizeof((rijn_volume_options *)0)->hash)
    return rijn_usage(g->argv0, "--hash: '%s' is no name of a hash", g->text);
  strcpy(to, g->text);
  return RIJN_EXIT_OK;
}

static int take_name(const struct rijn_given *g) {
  if (g->text[0] == '\0')
    return rijn_usage(g->argv0, "%s: '' is no name", g->name);
  return rijn_args_text(g);
}

/* ---------------------------------------------------------------- the lists */

#define AT(field) .at = offsetof(struct volume_args, field)
static const struct rijn_option options[] = {
    {"header", 0, "FILE", FIND | CREATE, AT(header), .take = take_name, .help = "a detached LUKS header"},
    {"metadata", 0, "FILE", FIND, AT(header), .take = take_name, .help = "use this backup of GELI's metadata"},
    {"partition", 0, "N", FIND | CREATE, AT(partition), .take = take_unsigned, .help = "this partition of the disk"},
    {"format", 0, "NAME", FIND | CREATE, AT(options.format), .take = take_format,
     .words = "luks luks1 luks2 geli bitlocker veracrypt", .help = "luks, luks1, luks2, geli, bitlocker or veracrypt"},
    {"provider-sector", 0, "512|4096", FIND, AT(options.provider_sector), .take = take_unsigned,
     .help = "GELI: sectors of the disk it was made on"},
    {"pim", 0, "N", UNLOCK, AT(options.pim), .take = take_unsigned, .help = "VeraCrypt: the volume's PIM"},
    {"hash", 0, "NAME", UNLOCK, AT(options.hash), .take = take_hash,
     .words = "sha512 sha256 blake2s-256 whirlpool ripemd160", .help = "VeraCrypt: only this hash, as sha512"},
    {"no-hidden", 0, NULL, OPEN | WRITE, AT(options.no_hidden),
     .help = "VeraCrypt: write it, for it hides no other one"},
    {"key-file", 0, "FILE", KEYS, AT(key_files), .take = take_key_file,
     .help = "key file (BitLocker: .BEK); '-' is standard input", .many = true},
    {"keyfile-offset", 0, "N", KEYS, AT(keyfile_offset), .take = take_number, .help = "bytes of the key file to skip"},
    {"keyfile-size", 0, "N", KEYS, AT(keyfile_size), .take = take_number, .help = "bytes of the key file to take"},
    {"passphrase-file", 0, "FILE", KEYS, AT(passphrase_file), .take = take_name,
     .help = "its first line is the passphrase"},
    {"prompt", 0, NULL, KEYS, AT(prompt), .help = "ask for a passphrase though there are key files"},
    {"slot", 0, "N", UNLOCK, AT(slot), .take = take_unsigned, .help = "only this key slot; of remove-key, that one"},
    {"read-only", 0, NULL, OPEN, AT(options.read_only), .help = "refuse writes"},
    {"allow-discards", 0, NULL, OPEN | CREATE, AT(options.allow_discards),
     .help = "pass trim down; it shows which sectors are used"},
    {"limit-memory", 0, "MIB", UNLOCK, AT(options.limit_memory_kib), .take = take_mib,
     .help = "most memory of Argon2 (4096, or half of all)"},
    {"limit-rounds", 0, "N", UNLOCK, AT(options.limit_rounds), .take = take_number,
     .help = "of PBKDF2; passes times KiB of Argon2 (20000000)"},
    {"new-passphrase-file", 0, "FILE", ADD | PASSWD, AT(new_passphrase_file), .take = take_name,
     .help = "its first line is the new one"},
    {"new-key-file", 0, "FILE", ADD | PASSWD, AT(new_key_file), .take = take_name, .help = "the new key is this file"},
    {"new-slot", 0, "N", ADD | PASSWD, AT(new_slot), .take = take_unsigned,
     .help = "the new key goes there (default: the first free)"},
    {"force", 0, NULL, CREATE | READ | CLOSE, AT(force), .help = "destroy or replace; close in spite of clients"},
    {"output", 0, "FILE", READ, AT(file), .take = take_name, .help = "where to (default: standard output)"},
    {"input", 0, "FILE", WRITE, AT(file), .take = take_name, .help = "where from (default: standard input)"},
    {"offset", 0, "N", READ | WRITE, AT(offset), .take = take_bytes, .help = "first byte of the volume"},
    {"length", 0, "N", READ, AT(length), .take = take_length, .help = "how many bytes (default: to the end)"},
    {"json", 0, NULL, INFO, AT(json), .help = "as JSON"},
    {"size", 0, "N", CREATE, AT(size), .take = take_bytes, .help = "make a file of this size; K, M, G, T may follow"},
    {"sector-size", 0, "N", CREATE, AT(create.sector_size), .take = take_unsigned, .words = "512 1024 2048 4096",
     .help = "bytes (default: 4096)"},
    {"key-bits", 0, "128|256", CREATE, AT(create.key_bits), .take = take_unsigned,
     .help = "AES (default: LUKS2 256, GELI 128)"},
    {"kdf", 0, "NAME", KDF, AT(create.kdf.name), .take = take_name, .words = "argon2id argon2i pbkdf2",
     .help = "one of argon2id, argon2i, pbkdf2"},
    {"rounds", 0, "N", KDF, AT(create.kdf.rounds), .take = take_number,
     .help = "passes of Argon2 (4), rounds of PBKDF2 (1000000)"},
    {"memory", 0, "MIB", KDF, AT(create.kdf.memory_kib), .take = take_mib,
     .help = "of Argon2 (1024, or a quarter of all)"},
    {"lanes", 0, "N", KDF, AT(create.kdf.lanes), .take = take_unsigned,
     .help = "of Argon2 (default: processors, at most 4)"},
    {"label", 0, "TEXT", CREATE, AT(create.label), .help = "of LUKS2"},
    {"uuid", 0, "UUID", CREATE, AT(create.uuid), .take = take_name, .help = "of LUKS2 (default: random)"},
    {"backup", 0, "FILE", CREATE, AT(backup), .take = take_name,
     .help = "GELI: copy of the metadata (default: DISK.eli)"},
    {"autoresize", 0, NULL, CREATE, AT(create.autoresize), .help = "GELI: FreeBSD 13 and later follow the disk's size"},
    {"socket", 0, "PATH", OPEN | CLOSE, AT(socket), .take = take_name,
     .help = "Unix socket (default: DISK.sock in this folder)"},
    {"plugin", 0, "FILE", OPEN, AT(plugin), .take = take_name, .help = "nbdkit-rijn-plugin.so, if it is not found"},
    {"last", 0, NULL, REMOVE, AT(yes_last), .help = "the last key slot too: nothing opens it then"},
    {.name = NULL},
};
#undef AT

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

static int parse(struct volume_args *a, const struct subcommand *c, int argc, char **argv) {
  char usage[320];
  struct rijn_command command = {.name = a->argv0,
                                 .usage = usage,
                                 .operands = c->most > 0 ? ":files" : NULL,
                                 .options = options,
                                 .bit = c->bit,
                                 .once = true};
  snprintf(usage, sizeof usage, "Usage: rijn volume %s [options]%s%s\n\n%c%s.\n", c->name,
           c->usage[0] != '\0' ? " " : "", c->usage, c->summary[0] >= 'a' ? c->summary[0] - 'a' + 'A' : c->summary[0],
           c->summary + 1);
  int status = rijn_args(&command, a, argc, argv);
  a->disks = argv + optind;
  a->disks_n = argc - optind;
  return status == RIJN_EXIT_OK ? check(a, c) : status;
}

/* For a shell: what the first word can be. */
static int complete(void) {
  for (int i = 0; i < SUBCOMMANDS; i++)
    rijn_args_word(subcommands[i].name, subcommands[i].summary);
  rijn_args_word("--help", "this text");
  return rijn_finish_stdout(RIJN_EXIT_OK);
}

int rijn_cmd_volume(int argc, char **argv) {
  static char argv0[40];
  struct volume_args a = {.argv0 = argv[0], .slot = -1, .new_slot = -1};
  const struct subcommand *c = NULL;
  if (argc < 2) {
    help(stderr);
    return RIJN_EXIT_USAGE;
  }
  if (argc == 3 && rijn_args_completes(argc, argv))
    return complete();
  rijn_args_inner(argc, argv);
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
