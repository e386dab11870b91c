/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Arguments of encrypt, decrypt, verify, cat and info FILE, and their help. */
#include "crypt.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = RIJN_ENCRYPT | RIJN_DECRYPT | RIJN_VERIFY | RIJN_CAT | RIJN_INFO };
enum { BOTH = RIJN_ENCRYPT | RIJN_DECRYPT };
enum { KEY_FD = 256, CONTEXT_FILE, SYNC, PASSPHRASE_FD, COST, FORMAT, SALVAGE, OFFSET, LENGTH, JSON, RAW };

/* Each option once: its long name, letter or number, the commands that have it, and its lines of help. */
static const struct entry {
  const char *name;
  int value;
  unsigned verbs;
  const char *argument; /* NULL: takes none */
  const char *help;
} entries[] = {
    {"key-file", 'k', ALL, "FILE", "a file of rijn keygen, or 16 or 32 raw bytes"},
    {"key-fd", KEY_FD, ALL, "N", "the key from descriptor N"},
    {"raw", RAW, ALL, NULL, "the key is these bytes, though they are letters"},
    {"recipient", 'r', RIJN_ENCRYPT, "PUBKEY", "a public key or a file of them; may be repeated"},
    {"passphrase", 'p', RIJN_ENCRYPT, NULL, "a passphrase, asked for on the terminal"},
    {"passphrase-fd", PASSPHRASE_FD, ALL, "N", "the passphrase is the first line of descriptor N"},
    {"passphrase-cost", COST, RIJN_ENCRYPT, "M,T,P", "Argon2id: MiB, passes, lanes (default: 64,3,4)"},
    {"context", 'c', ALL, "STRING", "what the text is about; reading needs the same"},
    {"context-file", CONTEXT_FILE, ALL, "FILE", "the same, any bytes, from a file"},
    {"format", FORMAT, ALL, "NAME", "cobblestone (default), tink, tink-4kb, tink-1mb"},
    {"output", 'o', BOTH, "FILE", "where to write; '-' is the standard output"},
    {"force", 'f', BOTH, NULL, "replace an output file that exists"},
    {"salvage", SALVAGE, RIJN_DECRYPT, NULL, "write what verifies, and zeros for the rest"},
    {"offset", OFFSET, RIJN_CAT, "N", "begin at this byte of the text (default: 0)"},
    {"length", LENGTH, RIJN_CAT, "N", "so many bytes (default: to the end)"},
    {"jobs", 'j', ALL & ~RIJN_INFO, "N", "most threads (default: one a processor, up to 8)"},
    {"sync", SYNC, BOTH, "yes|no", "wait until the disk has the output (default: yes)"},
    {"json", JSON, ALL & ~RIJN_CAT, NULL, "results, one line of JSON a file"},
    {"verbose", 'v', BOTH, NULL, "say at the end what ran, and how fast"},
    {"help", 'h', ALL, NULL, "this text"},
};
enum { ENTRIES = sizeof entries / sizeof entries[0] };

static const char *usage_of(enum rijn_verb verb) {
  switch (verb) {
  case RIJN_ENCRYPT:
    return "Usage: rijn encrypt (-k FILE | -r PUBKEY | -p) [options] [FILE...]\n\n"
           "Encrypts each FILE into FILE.rijn, or the standard input to the standard output.\n"
           "The format is C2SP's chunked-encryption: Cobblestone-256 with a key of 32 bytes,\n"
           "Cobblestone-128 with one of 16. For public keys and passphrases a header with\n"
           "the key stands in front of it.\n";
  case RIJN_DECRYPT:
    return "Usage: rijn decrypt [-k FILE] [options] [FILE...]\n\n"
           "Decrypts what rijn encrypt has made: each FILE.rijn into FILE, or the standard\n"
           "input. A file appears only when all of it has been verified. On a pipe each run\n"
           "of chunks (128 KiB) is written as soon as it has been. A passphrase is asked for\n"
           "where the file wants one.\n";
  case RIJN_VERIFY:
    return "Usage: rijn verify [-k FILE] [options] FILE...\n\n"
           "Decrypts each FILE and writes nothing. Every chunk verifies, or the first that\n"
           "does not is named.\n";
  case RIJN_CAT:
    return "Usage: rijn cat [-k FILE] [options] FILE|URL\n\n"
           "Writes a part of the text to the standard output, and reads only the chunks that\n"
           "hold it. Of an HTTP(S) URL it requests these ranges.\n";
  default:
    return "Usage: rijn info [-j | --json]\n       rijn info [options] FILE...\n\n"
           "Without FILE: this machine, and the implementations for it. With FILE: format,\n"
           "length of the text, chunks, what opens it, and with a key whether all of it\n"
           "verifies.\n";
  }
}

static void help(enum rijn_verb verb) {
  puts(usage_of(verb));
  for (int i = 0; i < ENTRIES; i++) {
    const struct entry *e = &entries[i];
    char left[64];
    if ((e->verbs & verb) == 0)
      continue;
    int letter = verb == RIJN_INFO && e->value == JSON ? 'j' : e->value;
    bool has = letter < 256;
    snprintf(left, sizeof left, "  %s%c%s--%s%s%s", has ? "-" : " ", has ? letter : ' ', has ? ", " : "  ", e->name,
             e->argument != NULL ? " " : "", e->argument != NULL ? e->argument : "");
    printf("%-30s %s\n", left, e->help);
  }
  if (verb == RIJN_ENCRYPT || verb == RIJN_DECRYPT)
    puts("\nThe variable RIJN_PASSPHRASE_FILE names a file whose first line is the\npassphrase.");
}

/* ---------------------------------------------------------------- values */

static int take_fd(const struct rijn_crypt *c, const char *option, const char *text, int *fd) {
  char *end;
  if (text == NULL)
    return RIJN_EXIT_OK;
  errno = 0;
  long n = strtol(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || n < 0 || n > INT_MAX)
    return rijn_usage(c->argv0, "%s: '%s' is not the number of a descriptor", option, text);
  *fd = (int)n;
  return RIJN_EXIT_OK;
}

static int take_number(const struct rijn_crypt *c, const char *option, const char *text, uint64_t *to) {
  char *end;
  if (text == NULL)
    return RIJN_EXIT_OK;
  errno = 0;
  unsigned long long n = strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)
    return rijn_usage(c->argv0, "%s: '%s' is not a number of bytes", option, text);
  *to = n;
  return RIJN_EXIT_OK;
}

static int take_jobs(struct rijn_crypt *c, const char *text) {
  char *end;
  if (text == NULL)
    return RIJN_EXIT_OK;
  long n = strtol(text, &end, 10);
  if (end == text || *end != '\0' || n < 1 || n > 64)
    return rijn_usage(c->argv0, "--jobs: '%s' is not a number from 1 to 64", text);
  c->threads = (unsigned)n;
  return RIJN_EXIT_OK;
}

static int take_cost(struct rijn_crypt *c, const char *text) {
  unsigned m, t, p;
  int used = 0;
  if (text == NULL)
    return RIJN_EXIT_OK;
  if (sscanf(text, "%4u,%4u,%4u%n", &m, &t, &p, &used) != 3 || text[used] != '\0' || m < 1 || m > 1024 || t < 1 ||
      t > 16 || p < 1 || p > 16)
    return rijn_usage(c->argv0, "--passphrase-cost: '%s' is not M,T,P with 1 to 1024 MiB, 1 to 16 passes and lanes",
                      text);
  c->cost = (rijn_file_cost){m << 10, t, p};
  return RIJN_EXIT_OK;
}

static int take_format(struct rijn_crypt *c, const char *text) {
  static const struct {
    const char *name;
    int format;
  } formats[] = {{"cobblestone", RIJN_FILE_COBBLESTONE},
                 {"tink", -1},
                 {"tink-4kb", RIJN_FILE_TINK_4KB},
                 {"tink-1mb", RIJN_FILE_TINK_1MB}};
  if (text == NULL)
    return RIJN_EXIT_OK;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (strcmp(text, formats[i].name) == 0) {
      c->format = formats[i].format;
      return RIJN_EXIT_OK;
    }
  return rijn_usage(c->argv0, "--format: cobblestone, tink, tink-4kb or tink-1mb, not '%s'", text);
}

static int take_sync(struct rijn_crypt *c, const char *text) {
  if (text != NULL && strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
    return rijn_usage(c->argv0, "--sync: yes or no, not '%s'", text);
  c->no_sync = text != NULL && text[0] == 'n';
  return RIJN_EXIT_OK;
}

/* ---------------------------------------------------------------- parse */

/* Values whose meaning is looked for when all options were seen. */
struct texts {
  const char *of[ENTRIES];
};

static const char *text_of(const struct texts *t, const char *name) {
  for (int i = 0; i < ENTRIES; i++)
    if (strcmp(entries[i].name, name) == 0)
      return t->of[i];
  return NULL;
}

static int set_flag(struct rijn_crypt *c, int value) {
  switch (value) {
  case 'f':
    c->force = true;
    break;
  case 'p':
    c->passphrase = true;
    break;
  case 'v':
    c->verbose = true;
    break;
  case RAW:
    c->raw = true;
    break;
  case SALVAGE:
    c->salvage = true;
    break;
  case JSON:
    c->json = true;
    break;
  default:
    help(c->verb);
    return -1;
  }
  return RIJN_EXIT_OK;
}

static int take_option(struct rijn_crypt *c, struct texts *t, int value) {
  for (int i = 0; i < ENTRIES; i++) {
    char option[32];
    if (entries[i].value != value)
      continue;
    if (entries[i].argument == NULL)
      return set_flag(c, value);
    snprintf(option, sizeof option, "--%s", entries[i].name);
    if (value != 'r')
      return rijn_take_value(&t->of[i], optarg, c->argv0, option);
    if (c->recipients == RIJN_FILE_MAX_RECIPIENTS)
      return rijn_usage(c->argv0, "--recipient: more than %d", RIJN_FILE_MAX_RECIPIENTS);
    c->recipient[c->recipients++] = optarg;
  }
  return RIJN_EXIT_OK;
}

static int read_options(struct rijn_crypt *c, struct texts *t, int argc, char **argv) {
  struct option options[ENTRIES + 1] = {{NULL, 0, NULL, 0}};
  char letters[2 * ENTRIES + 4] = ":";
  int n = 0, opt, status = RIJN_EXIT_OK;
  for (int i = 0; i < ENTRIES; i++) {
    const struct entry *e = &entries[i];
    if ((e->verbs & c->verb) == 0)
      continue;
    options[n++] = (struct option){e->name, e->argument != NULL ? required_argument : no_argument, NULL, e->value};
    if (e->value < 256)
      sprintf(letters + strlen(letters), "%c%s", e->value, e->argument != NULL ? ":" : "");
  }
  if (c->verb == RIJN_INFO)
    strcat(letters, "j");
  while (status == RIJN_EXIT_OK && (opt = getopt_long(argc, argv, letters, options, NULL)) != -1) {
    if (opt == '?' || opt == ':')
      return rijn_refuse_option(c->argv0, opt, argv, letters, options);
    status = take_option(c, t, opt == 'j' && c->verb == RIJN_INFO ? JSON : opt);
  }
  return status;
}

static int take_values(struct rijn_crypt *c, const struct texts *t) {
  c->key_file = text_of(t, "key-file");
  c->out_name = text_of(t, "output");
  c->context_text = text_of(t, "context");
  c->context_file = text_of(t, "context-file");
  int status = take_fd(c, "--key-fd", text_of(t, "key-fd"), &c->key_fd);
  if (status == RIJN_EXIT_OK)
    status = take_fd(c, "--passphrase-fd", text_of(t, "passphrase-fd"), &c->passphrase_fd);
  if (status == RIJN_EXIT_OK)
    status = take_number(c, "--offset", text_of(t, "offset"), &c->offset);
  if (status == RIJN_EXIT_OK)
    status = take_number(c, "--length", text_of(t, "length"), &c->length);
  if (status == RIJN_EXIT_OK)
    status = take_jobs(c, text_of(t, "jobs"));
  if (status == RIJN_EXIT_OK)
    status = take_cost(c, text_of(t, "passphrase-cost"));
  if (status == RIJN_EXIT_OK)
    status = take_format(c, text_of(t, "format"));
  return status == RIJN_EXIT_OK ? take_sync(c, text_of(t, "sync")) : status;
}

/* ---------------------------------------------------------------- what does not go together */

static int check_keys(struct rijn_crypt *c) {
  bool key = c->key_file != NULL || c->key_fd >= 0;
  if (c->key_file != NULL && c->key_fd >= 0)
    return rijn_usage(c->argv0, "--key-file and --key-fd: give one, not both");
  c->passphrase = c->passphrase || c->passphrase_fd >= 0;
  if (c->verb != RIJN_ENCRYPT)
    return RIJN_EXIT_OK;
  bool header = c->passphrase || c->recipients != 0;
  if (key && header)
    return rijn_usage(c->argv0, "a key of your own, or --recipient and --passphrase: give one, not both");
  if (!key && !header)
    return rijn_usage(c->argv0, "no key: give --key-file FILE or --key-fd N, --recipient PUBKEY or --passphrase");
  if (header && c->format != RIJN_FILE_COBBLESTONE)
    return rijn_usage(c->argv0, "--format tink has no header for --recipient and --passphrase");
  return RIJN_EXIT_OK;
}

/* WHY here: what the system says to it later has no name in it. An empty -o is refused by rijn_output_open. */
static int check_names(struct rijn_crypt *c) {
  const struct {
    const char *what, *name;
  } files[] = {{"--key-file", c->key_file}, {"--context-file", c->context_file}};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
    if (files[i].name != NULL && files[i].name[0] == '\0')
      return rijn_usage(c->argv0, "%s: '' is not the name of a file", files[i].what);
  bool standard = false;
  for (int i = 0; i < c->names_n; i++) {
    if (c->names[i][0] == '\0')
      return rijn_usage(c->argv0, "FILE: '' is not the name of a file");
    standard = standard || rijn_is_standard(c->names[i], 0);
  }
  if (c->out_name != NULL && c->names_n > 1)
    return rijn_usage(c->argv0, "--output: one name for %d files ('%s', '%s', ...)", c->names_n, c->names[0],
                      c->names[1]);
  if (standard && (c->key_fd == 0 || c->passphrase_fd == 0))
    return rijn_usage(c->argv0, "the %s and the input cannot both come from the standard input",
                      c->key_fd == 0 ? "key" : "passphrase");
  return RIJN_EXIT_OK;
}

int rijn_crypt_parse(struct rijn_crypt *c, enum rijn_verb verb, int argc, char **argv) {
  static char dash[] = "-";
  static char *standard[] = {dash, NULL};
  struct texts t = {{NULL}};
  *c = (struct rijn_crypt){.argv0 = argv[0], .verb = verb, .key_fd = -1, .passphrase_fd = -1, .length = UINT64_MAX};
  int status = read_options(c, &t, argc, argv);
  if (status == RIJN_EXIT_OK)
    status = take_values(c, &t);
  if (status != RIJN_EXIT_OK)
    return status;
  c->names_n = argc - optind;
  c->names = argv + optind;
  if (c->names_n == 0 && verb == RIJN_INFO)
    return RIJN_EXIT_OK;
  if (c->names_n == 0 && (verb & BOTH) == 0)
    return rijn_usage(c->argv0, "no FILE");
  if (verb == RIJN_CAT && c->names_n > 1)
    return rijn_usage(c->argv0, "one FILE at a time, not %d", c->names_n);
  if (c->names_n == 0) {
    c->names_n = 1;
    c->names = standard;
  }
  status = check_keys(c);
  if (status == RIJN_EXIT_OK)
    status = check_names(c);
  if (status == RIJN_EXIT_OK && c->context_text != NULL && c->context_file != NULL)
    return rijn_usage(c->argv0, "--context and --context-file: give one, not both");
  return status;
}

int rijn_default_output(const struct rijn_crypt *c, const char *in, char *buf, size_t size) {
  static const char suffix[] = ".rijn";
  size_t len = strlen(in), n = sizeof suffix - 1;
  if (rijn_is_standard(in, 0)) {
    strcpy(buf, "-");
    return RIJN_EXIT_OK;
  }
  if (len + n >= size) {
    rijn_say("%s: name too long; give -o", in);
    return RIJN_EXIT_USAGE;
  }
  memcpy(buf, in, len + 1);
  if (c->verb == RIJN_ENCRYPT) {
    strcat(buf, suffix);
    return RIJN_EXIT_OK;
  }
  if (len < n || strcmp(in + len - n, suffix) != 0)
    return rijn_usage(c->argv0, "%s: does not end in .rijn, so say with -o where to write", in);
  if (len == n || in[len - n - 1] == '/')
    return rijn_usage(c->argv0, "%s: nothing is left of the name without .rijn, so say with -o where to write", in);
  buf[len - n] = '\0';
  return RIJN_EXIT_OK;
}
