/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What encrypt, decrypt, verify, cat and info FILE share. */
#ifndef RIJN_CMD_CRYPT_H
#define RIJN_CMD_CRYPT_H

#include "cmd.h"

#include <rijn-file.h>

int rijn_cmd_info(int argc, char **argv);
int rijn_info_machine(bool json); /* rijn info without a file */
int rijn_cmd_verify(int argc, char **argv);
int rijn_cmd_cat(int argc, char **argv);
int rijn_cmd_selftest(int argc, char **argv);
int rijn_cmd_keygen(int argc, char **argv);
int rijn_cmd_encrypt(int argc, char **argv);
int rijn_cmd_decrypt(int argc, char **argv);

/* A bit each: an option says with which of them it goes. */
enum rijn_verb { RIJN_ENCRYPT = 1, RIJN_DECRYPT = 2, RIJN_VERIFY = 4, RIJN_CAT = 8, RIJN_INFO = 16 };

/* One key: of a file, or made of what a header holds. */
struct rijn_key {
  int kind; /* RIJN_FILE_KEY_..., or 0: none */
  size_t len;
  uint8_t raw[32];
};

enum { RIJN_KEYS_MAX = 32 };
/* Those of one file: several after somebody has changed keys. */
struct rijn_keys {
  size_t n;
  struct rijn_key list[RIJN_KEYS_MAX];
};

/* What was asked for; options.c fills it in, secret.c the second half. */
struct rijn_crypt {
  const char *argv0;
  enum rijn_verb verb;
  bool force, verbose, no_sync, json, salvage, passphrase, raw;
  unsigned threads; /* 0: as the library chooses */
  int format;       /* RIJN_FILE_..., or -1: Tink, of either size */
  const char *key_file, *out_name, *context_text, *context_file;
  int key_fd, passphrase_fd; /* -1: none */
  const char *recipient[RIJN_FILE_MAX_RECIPIENTS];
  size_t recipients;
  uint64_t offset, length; /* length UINT64_MAX: to the end */
  rijn_file_cost cost;     /* of a passphrase */
  char **names;
  int names_n; /* at least one; "-" is the standard input */

  struct stat key_st, context_st;
  struct rijn_keys keys;
  struct rijn_key key; /* the first of them */
  uint8_t (*public_keys)[32];
  size_t public_keys_n;
  uint8_t *context;
  size_t context_len;
  char *secret; /* the passphrase; NULL: not asked yet */
  size_t secret_len;
};

/* ---------------------------------------------------------------- options.c */

/* RIJN_EXIT_OK or RIJN_EXIT_USAGE; -1: help was given. */
int rijn_crypt_parse(struct rijn_crypt *c, enum rijn_verb verb, int argc, char **argv);
/* The name of the output for that input, without -o: into buf. */
int rijn_default_output(const struct rijn_crypt *c, const char *in, char *buf, size_t size);

/* ---------------------------------------------------------------- secret.c */

/* The keys of a file or descriptor, text or raw. file NULL: reads fd. raw: bytes that look like text are a key, too.
 * Says what is wrong, and answers an exit status. st tells the caller which file it is. */
int rijn_read_keys(const char *file, int fd, bool raw, struct rijn_keys *keys, struct stat *st);
/* Keys, public keys, context and, to encrypt, the passphrase: an exit status, said. */
int rijn_crypt_load(struct rijn_crypt *c);
void rijn_crypt_wipe(struct rijn_crypt *c);
/* The passphrase, asked for where that has not been done: twice to encrypt. what: for which file. */
int rijn_passphrase(struct rijn_crypt *c, const char *what);

/* ---------------------------------------------------------------- unlock.c */

/* An input, and the beginning of it that was read. */
struct rijn_input {
  const char *name; /* for messages */
  int fd;
  struct stat st;
  uint8_t head[RIJN_FILE_HEADER_MAX];
  size_t head_len;   /* bytes of it that were read */
  size_t header_len; /* of the header of keys; 0: there is none */
};
/* Opens name ("-": the standard input) and says what is wrong: an exit status. */
int rijn_input_open(const struct rijn_crypt *c, struct rijn_input *in, const char *name);
void rijn_input_close(struct rijn_input *in);
/* Reads the beginning: through the header of keys, if there is one. */
int rijn_input_begin(struct rijn_input *in);
/* The key of the stream: the one given, or what the header holds for it, which goes into own. WHY no copy: a compiler
 * puts parts of one on the stack. */
int rijn_unlock(struct rijn_crypt *c, struct rijn_input *in, struct rijn_key *own, const struct rijn_key **key);
/* How the stream behind the head is read. */
rijn_file_params rijn_params(const struct rijn_crypt *c, const struct rijn_key *key, uint64_t start);
/* Which of Tink's sizes it is, where that was left open: the one whose first segment verifies. */
int rijn_tink_format(const struct rijn_input *in, const rijn_file_params *p);
/* Kind of another program's file that begins so, or NULL. */
const char *rijn_foreign(const struct rijn_input *in);

/* ---------------------------------------------------------------- tell.c */

/* What is wrong with an input or with what the system does, by e. Always RIJN_EXIT_FAILED. */
int rijn_tell_error(const struct rijn_crypt *c, const struct rijn_input *in, const char *out, const rijn_file_error *e);

struct json_object;
/* One line of JSON: of encrypt and decrypt, whose result may take the standard output, on the standard error. Frees
 * it. */
void rijn_tell_json(const struct rijn_crypt *c, struct json_object *j);
struct json_object *rijn_json_result(const struct rijn_crypt *c, const char *name, int status);
/* Another member. */
void rijn_json_text(struct json_object *j, const char *name, const char *value);
void rijn_json_number(struct json_object *j, const char *name, uint64_t value);
/* ---------------------------------------------------------------- http.c */

struct rijn_http;
bool rijn_is_url(const char *name);
/* Says what is wrong: NULL. */
struct rijn_http *rijn_http_open(const char *url, uint64_t *len);
int rijn_http_pread(void *http, void *bytes, size_t len, uint64_t at);
void rijn_http_close(struct rijn_http *h);

#endif
