/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Arguments of encrypt, decrypt, verify, cat and info FILE, and their help. */
#include "args.h"
#include "crypt.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = RIJN_ENCRYPT | RIJN_DECRYPT | RIJN_VERIFY | RIJN_CAT | RIJN_INFO };
enum { BOTH = RIJN_ENCRYPT | RIJN_DECRYPT };

/* ---------------------------------------------------------------- values */

static int take_fd(const struct rijn_given *g) {
  char *end;
  errno = 0;
  long n = strtol(g->text, &end, 10);
  if (end == g->text || *end != '\0' || errno != 0 || n < 0 || n > INT_MAX)
    return rijn_usage(g->argv0, "%s: '%s' is not the number of a descriptor", g->name, g->text);
  *(int *)g->to = (int)n;
  return RIJN_EXIT_OK;
}

static int take_number(const struct rijn_given *g) {
  char *end;
  errno = 0;
  unsigned long long n = strtoull(g->text, &end, 10);
  if (g->text[0] < '0' || g->text[0] > '9' || *end != '\0' || errno != 0)
    return rijn_usage(g->argv0, "%s: '%s' is not a number of bytes", g->name, g->text);
  *(uint64_t *)g->to = n;
  return RIJN_EXIT_OK;
}

static int take_jobs(const struct rijn_given *g) {
  char *end;
  long n = strtol(g->text, &end, 10);
  if (end == g->text || *end != '\0' || n < 1 || n > 64)
    return rijn_usage(g->argv0, "--jobs: '%s' is not a number from 1 to 64", g->text);
  *(unsigned *)g->to = (unsigned)n;
  return RIJN_EXIT_OK;
}

static int take_cost(const struct rijn_given *g) {
  unsigned m, t, p;
  int used = 0;
  if (sscanf(g->text, "%4u,%4u,%4u%n", &m, &t, &p, &used) != 3 || g->text[used] != '\0' || m < 1 || m > 1024 || t < 1 ||
      t > 16 || p < 1 || p > 16)
    return rijn_usage(g->argv0, "--passphrase-cost: '%s' is not M,T,P with 1 to 1024 MiB, 1 to 16 passes and lanes",
                      g->text);
  *(rijn_file_cost *)g->to = (rijn_file_cost){m << 10, t, p};
  return RIJN_EXIT_OK;
}

static int take_format(const struct rijn_given *g) {
  static const struct {
    const char *name;
    int format;
  } formats[] = {{"cobblestone", RIJN_FILE_COBBLESTONE},
                 {"tink", -1},
                 {"tink-4kb", RIJN_FILE_TINK_4KB},
                 {"tink-1mb", RIJN_FILE_TINK_1MB}};
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (strcmp(g->text, formats[i].name) == 0) {
      *(int *)g->to = formats[i].format;
      return RIJN_EXIT_OK;
    }
  return rijn_usage(g->argv0, "--format: cobblestone, tink, tink-4kb or tink-1mb, not '%s'", g->text);
}

static int take_sync(const struct rijn_given *g) {
  if (strcmp(g->text, "yes") != 0 && strcmp(g->text, "no") != 0)
    return rijn_usage(g->argv0, "--sync: yes or no, not '%s'", g->text);
  *(bool *)g->to = g->text[0] == 'n';
  return RIJN_EXIT_OK;
}

static int take_recipient(const struct rijn_given *g) {
  struct rijn_crypt *c = g->all;
  if (c->recipients == RIJN_FILE_MAX_RECIPIENTS)
    return rijn_usage(g->argv0, "--recipient: more than %d", RIJN_FILE_MAX_RECIPIENTS);
  c->recipient[c->recipients++] = g->text;
  return RIJN_EXIT_OK;
}

/* ---------------------------------------------------------------- the list */

#define AT(field) .at = offsetof(struct rijn_crypt, field)
static const struct rijn_option options[] = {
    {"key-file", 'k', "FILE", ALL, AT(key_file), .help = "a file of rijn keygen, or 16 or 32 raw bytes"},
    {"key-fd", 0, "N", ALL, AT(key_fd), take_fd, .help = "the key from descriptor N"},
    {"raw", 0, NULL, ALL, AT(raw), .help = "the key is these bytes, though they are letters"},
    {"recipient", 'r', "PUBKEY", RIJN_ENCRYPT, 0, take_recipient, ":files",
     "a public key or a file of them; may be repeated", .many = true},
    {"passphrase", 'p', NULL, RIJN_ENCRYPT, AT(passphrase), .help = "a passphrase, asked for on the terminal"},
    {"passphrase-fd", 0, "N", ALL, AT(passphrase_fd), take_fd,
     .help = "the passphrase is the first line of descriptor N"},
    {"passphrase-cost", 0, "M,T,P", RIJN_ENCRYPT, AT(cost), take_cost,
     .help = "Argon2id: MiB, passes, lanes (default: 64,3,4)"},
    {"context", 'c', "STRING", ALL, AT(context_text), .help = "what the text is about; reading needs the same"},
    {"context-file", 0, "FILE", ALL, AT(context_file), .help = "the same, any bytes, from a file"},
    {"format", 0, "NAME", ALL, AT(format), take_format, "cobblestone tink tink-4kb tink-1mb",
     "the format: cobblestone (default), tink, tink-4kb, tink-1mb"},
    {"output", 'o', "FILE", BOTH, AT(out_name), .help = "where to write; '-' is the standard output"},
    {"force", 'f', NULL, BOTH, AT(force), .help = "replace an output file that exists"},
    {"salvage", 0, NULL, RIJN_DECRYPT, AT(salvage), .help = "write what verifies, and zeros for the rest"},
    {"offset", 0, "N", RIJN_CAT, AT(offset), take_number, .help = "begin at this byte of the text (default: 0)"},
    {"length", 0, "N", RIJN_CAT, AT(length), take_number, .help = "so many bytes (default: to the end)"},
    {"jobs", 'j', "N", ALL & ~RIJN_INFO, AT(threads), take_jobs,
     .help = "most threads (default: one a processor, up to 8)"},
    {"sync", 0, "yes|no", BOTH, AT(no_sync), take_sync, .help = "wait until the disk has the output (default: yes)"},
    {"json", 0, NULL, BOTH | RIJN_VERIFY, AT(json), .help = "results, one line of JSON a file"},
    {"json", 'j', NULL, RIJN_INFO, AT(json), .help = "results, one line of JSON a file"},
    {"verbose", 'v', NULL, BOTH, AT(verbose), .help = "say at the end what ran, and how fast"},
    {.name = NULL},
};
#undef AT

static const char variable[] = "The variable RIJN_PASSPHRASE_FILE names a file whose first line is the\npassphrase.\n";

static const struct rijn_command commands[] = {
    {"rijn encrypt",
     "Usage: rijn encrypt (-k FILE | -r PUBKEY | -p) [options] [FILE...]\n\n"
     "Encrypts each FILE into FILE.rijn, or the standard input to the standard output.\n"
     "The format is C2SP's chunked-encryption: Cobblestone-256 with a key of 32 bytes,\n"
     "Cobblestone-128 with one of 16. For public keys and passphrases a header with\n"
     "the key stands in front of it.\n",
     variable, ":files", options, RIJN_ENCRYPT, true},
    {"rijn decrypt",
     "Usage: rijn decrypt [-k FILE] [options] [FILE...]\n\n"
     "Decrypts what rijn encrypt has made: each FILE.rijn into FILE, or the standard\n"
     "input. A file appears only when all of it has been verified. On a pipe each run\n"
     "of chunks (128 KiB) is written as soon as it has been. A passphrase is asked for\n"
     "where the file wants one.\n",
     variable, ":files.rijn", options, RIJN_DECRYPT, true},
    {"rijn verify",
     "Usage: rijn verify [-k FILE] [options] FILE...\n\n"
     "Decrypts each FILE and writes nothing. Every chunk verifies, or the first that\n"
     "does not is named.\n",
     NULL, ":files.rijn", options, RIJN_VERIFY, true},
    {"rijn cat",
     "Usage: rijn cat [-k FILE] [options] FILE|URL\n\n"
     "Writes a part of the text to the standard output, and reads only the chunks that\n"
     "hold it. Of an HTTP(S) URL it requests these ranges.\n",
     NULL, ":files.rijn", options, RIJN_CAT, true},
    {"rijn info",
     "Usage: rijn info [-j | --json]\n       rijn info [options] FILE...\n\n"
     "Without FILE: this machine, and the implementations for it. With FILE: format,\n"
     "length of the text, chunks, what opens it, and with a key whether all of it\n"
     "verifies.\n",
     NULL, ":files.rijn", options, RIJN_INFO, true},
};

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
  if (c->cost.memory_kib != 0 && !c->passphrase)
    return rijn_usage(c->argv0, "--passphrase-cost is of --passphrase, which is not given");
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
  const struct rijn_command *command = commands;
  while (command->bit != (unsigned)verb)
    command++;
  *c = (struct rijn_crypt){
      .argv0 = command->name, .verb = verb, .key_fd = -1, .passphrase_fd = -1, .length = UINT64_MAX};
  int status = rijn_args(command, c, argc, argv);
  if (status != RIJN_EXIT_OK)
    return status;
  c->names_n = argc - optind;
  c->names = argv + optind;
  if (c->names_n == 0 && verb == RIJN_INFO)
    return c->key_file != NULL || c->key_fd >= 0 || c->passphrase_fd >= 0 || c->context_text != NULL ||
                   c->context_file != NULL
               ? rijn_usage(c->argv0, "no FILE: a key and a context are for one")
               : RIJN_EXIT_OK;
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
