/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What is read before the work: keys, public keys, the context, the passphrase. */
#include "crypt.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_FILE_MAX = 4096, PASSPHRASE_MAX = 1024, RECIPIENTS_FILE_MAX = 65536 };

/* ---------------------------------------------------------------- keys */

/* Is this text of hexadecimal digits, with white space around? The mistake that is made most. */
static bool looks_hex(const uint8_t *b, size_t n) {
  size_t digits = 0;
  for (size_t i = 0; i < n; i++) {
    if (isxdigit(b[i]))
      digits++;
    else if (!isspace(b[i]))
      return false;
  }
  return digits == 32 || digits == 64;
}

/* Length of the word at the beginning. */
static size_t word(const char *text, size_t n) {
  size_t i = 0;
  while (i < n && !isspace((unsigned char)text[i]))
    i++;
  return i;
}

/* The first line of a text of keys that is neither empty nor a remark; NULL: none. *left: bytes from there to the
 * end. */
static const char *first_line(const char *text, size_t n, size_t *left) {
  const char *p = text, *end = text + n;
  while (p < end && (*p == '#' || isspace((unsigned char)*p))) {
    if (*p == '#')
      while (p < end && *p != '\n')
        p++;
    else
      p++;
  }
  *left = (size_t)(end - p);
  return p < end ? p : NULL;
}

/* Every line of it. */
static int text_keys(const char *name, const uint8_t *buf, size_t n, struct rijn_keys *keys) {
  const char *line = (const char *)buf;
  size_t left = n;
  int r = RIJN_FILE_EKEYTEXT;
  keys->n = 0;
  while (left > 0 && (line = first_line(line, left, &left)) != NULL) {
    struct rijn_key *key = &keys->list[keys->n];
    if (keys->n == RIJN_KEYS_MAX) {
      rijn_say("key: %s: holds more than %d keys", name, RIJN_KEYS_MAX);
      return RIJN_EXIT_FAILED;
    }
    r = rijn_file_key_read(line, word(line, left), &key->kind, key->raw, &key->len);
    if (r != 0)
      break;
    keys->n++;
    const char *end = memchr(line, '\n', left);
    left = end != NULL ? left - (size_t)(end - line) : 0;
    line = end;
  }
  if (r == 0)
    return RIJN_EXIT_OK;
  if (keys->n > 0)
    rijn_say("key: %s: behind %zu key%s: %s", name, keys->n, keys->n == 1 ? "" : "s", rijn_file_strerror(r));
  else
    rijn_say("key: %s: %s", name, rijn_file_strerror(r));
  return RIJN_EXIT_FAILED;
}

/* As people type it. Of random keys of 16 bytes one in ten million looks so. */
static bool looks_typed(const uint8_t *b, size_t n) {
  if (n > 0 && b[n - 1] == '\n')
    n--;
  for (size_t i = 0; i < n; i++)
    if (b[i] < 0x20 || b[i] > 0x7e)
      return false;
  return true;
}

static int raw_key(const char *name, const uint8_t *buf, size_t n, bool raw, struct rijn_keys *keys) {
  const char *hint = looks_hex(buf, n) ? " (it looks like hexadecimal text; raw bytes are wanted)" : "";
  if (n == KEY_FILE_MAX) {
    rijn_say("key: %s: a key has exactly 32 or 16 raw bytes, and this has %zu or more", name, n);
    return RIJN_EXIT_FAILED;
  }
  if (n >= 3 && memcmp(buf, "\xef\xbb\xbf", 3) == 0) {
    rijn_say("key: %s: begins with a byte-order mark, which an editor has put there; save it as UTF-8 without one",
             name);
    return RIJN_EXIT_FAILED;
  }
  if (n != 16 && n != 32) {
    rijn_say("key: %s: a key has exactly 32 or 16 raw bytes, and this has %zu%s", name, n, hint);
    return RIJN_EXIT_FAILED;
  }
  if (!raw && looks_typed(buf, n)) {
    rijn_say(
        "key: %s: its %zu bytes are letters, as in a passphrase%s; -p takes a passphrase, and --raw these bytes for "
        "the key",
        name, n, hint[0] != '\0' ? " or a key in hexadecimal" : "");
    return RIJN_EXIT_FAILED;
  }
  keys->n = 1;
  keys->list[0] = (struct rijn_key){.kind = n == 32 ? RIJN_FILE_KEY_AES256 : RIJN_FILE_KEY_AES128, .len = n};
  memcpy(keys->list[0].raw, buf, n);
  return RIJN_EXIT_OK;
}

/* Lines without control characters, as people write remarks. One raw key of 256 begins with '#' too. */
static bool is_lines(const uint8_t *buf, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (iscntrl(buf[i]) && !isspace(buf[i]))
      return false;
  return memchr(buf, '\n', n) != NULL;
}

/* A remark or a key as text, and longer than a raw key can be. */
static bool is_text(const uint8_t *buf, size_t n) {
  return n > 32 && n < KEY_FILE_MAX && (memcmp(buf, "rijn-", 5) == 0 || (buf[0] == '#' && is_lines(buf, n)));
}

static void warn_readable(const char *name, const struct stat *st, const struct rijn_keys *keys) {
  bool secret = false;
  for (size_t i = 0; i < keys->n; i++)
    secret = secret || keys->list[i].kind != RIJN_FILE_KEY_PUBLIC;
  if (S_ISREG(st->st_mode) && (st->st_mode & (S_IRGRP | S_IROTH)) != 0 && secret)
    rijn_say("warning: key: %s: others can read it (its mode is %04o); chmod go= keeps it yours", name,
             (unsigned)(st->st_mode & 07777));
}

int rijn_read_keys(const char *file, int fd, bool raw, struct rijn_keys *keys, struct stat *st) {
  char text[64];
  snprintf(text, sizeof text, "descriptor %d", fd);
  const char *name = file != NULL ? file : text;
  if (file != NULL)
    fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0 || fstat(fd, st) != 0) {
    rijn_say_errno("key: %s", name);
    if (file != NULL && fd >= 0)
      close(fd);
    return RIJN_EXIT_FAILED;
  }
  uint8_t buf[KEY_FILE_MAX];
  int status = RIJN_EXIT_FAILED;
  ssize_t got = rijn_read_full(fd, buf, sizeof buf);
  size_t n = got < 0 ? 0 : (size_t)got;
  if (got < 0)
    rijn_say_errno("key: %s: cannot read", name);
  else
    status = is_text(buf, n) ? text_keys(name, buf, n, keys) : raw_key(name, buf, n, raw, keys);
  if (status == RIJN_EXIT_OK)
    warn_readable(name, st, keys);
  explicit_bzero(buf, sizeof buf);
  if (file != NULL)
    close(fd);
  return status;
}

/* ---------------------------------------------------------------- recipients */

static int add_public(struct rijn_crypt *c, const char *from, const char *text, size_t n) {
  struct rijn_key key = {.kind = 0};
  int r = rijn_file_key_read(text, n, &key.kind, key.raw, &key.len);
  if (r == 0 && key.kind != RIJN_FILE_KEY_PUBLIC) {
    explicit_bzero(&key, sizeof key);
    rijn_say("%s: is a secret key; a recipient is named by the public one (rijn keygen --show)", from);
    return RIJN_EXIT_FAILED;
  }
  if (r != 0) {
    rijn_say("recipient: %s: %s", from, rijn_file_strerror(r));
    return RIJN_EXIT_FAILED;
  }
  if (c->public_keys_n == RIJN_FILE_MAX_RECIPIENTS) {
    rijn_say("recipient: %s: there are more than %d", from, RIJN_FILE_MAX_RECIPIENTS);
    return RIJN_EXIT_FAILED;
  }
  memcpy(c->public_keys[c->public_keys_n++], key.raw, 32);
  return RIJN_EXIT_OK;
}

/* A file of public keys, one a line. */
static int public_file(struct rijn_crypt *c, const char *name) {
  char *buf = malloc(RECIPIENTS_FILE_MAX);
  int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY), status = RIJN_EXIT_OK;
  ssize_t got = fd >= 0 && buf != NULL ? rijn_read_full(fd, buf, RECIPIENTS_FILE_MAX) : -1;
  if (got < 0) {
    rijn_say_errno("recipient: %s", name);
    status = RIJN_EXIT_FAILED;
  }
  size_t left = got < 0 ? 0 : (size_t)got, keys = c->public_keys_n;
  const char *line = buf;
  while (status == RIJN_EXIT_OK && left > 0 && (line = first_line(line, left, &left)) != NULL) {
    status = add_public(c, name, line, word(line, left));
    const char *end = memchr(line, '\n', left);
    left = end != NULL ? left - (size_t)(end - line) : 0;
    line = end;
  }
  if (status == RIJN_EXIT_OK && c->public_keys_n == keys) {
    rijn_say("recipient: %s: no public key is in it", name);
    status = RIJN_EXIT_FAILED;
  }
  if (fd >= 0)
    close(fd);
  free(buf);
  return status;
}

static int load_recipients(struct rijn_crypt *c) {
  int status = RIJN_EXIT_OK;
  if (c->recipients == 0)
    return RIJN_EXIT_OK;
  c->public_keys = calloc(RIJN_FILE_MAX_RECIPIENTS, 32);
  if (c->public_keys == NULL) {
    rijn_say("out of memory");
    return RIJN_EXIT_FAILED;
  }
  for (size_t i = 0; status == RIJN_EXIT_OK && i < c->recipients; i++) {
    const char *r = c->recipient[i];
    status = strncmp(r, "rijn-", 5) == 0 && strchr(r, ':') != NULL ? add_public(c, r, r, strlen(r)) : public_file(c, r);
  }
  return status;
}

/* ---------------------------------------------------------------- context */

static int load_context(struct rijn_crypt *c) {
  size_t len = c->context_text != NULL ? strlen(c->context_text) : 0;
  c->context = malloc(RIJN_FILE_MAX_CONTEXT + 1);
  if (c->context == NULL) {
    rijn_say("out of memory");
    return RIJN_EXIT_FAILED;
  }
  if (c->context_file != NULL) {
    int fd = open(c->context_file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t got = -1;
    if (fd >= 0 && fstat(fd, &c->context_st) == 0)
      got = rijn_read_full(fd, c->context, RIJN_FILE_MAX_CONTEXT + 1);
    if (got < 0)
      rijn_say_errno("context: %s", c->context_file);
    if (fd >= 0)
      close(fd);
    if (got < 0)
      return RIJN_EXIT_FAILED;
    len = (size_t)got;
  } else if (len <= RIJN_FILE_MAX_CONTEXT && len != 0) {
    memcpy(c->context, c->context_text, len);
  }
  if (len > RIJN_FILE_MAX_CONTEXT) {
    rijn_say("context%s%s: longer than %d bytes", c->context_file != NULL ? ": " : "",
             c->context_file != NULL ? c->context_file : "", RIJN_FILE_MAX_CONTEXT);
    return RIJN_EXIT_USAGE;
  }
  c->context_len = len;
  return RIJN_EXIT_OK;
}

/* ---------------------------------------------------------------- passphrase */

/* The first line of fd, without its end: bytes, or -1 with errno. */
static ssize_t read_line(int fd, char *buf, size_t size) {
  size_t n = 0;
  while (n < size) {
    ssize_t got = rijn_read_full(fd, buf + n, 1);
    if (got < 0)
      return -1;
    if (got == 0 || buf[n] == '\n')
      break;
    n++;
  }
  return (ssize_t)n;
}

static int from_terminal(struct rijn_crypt *c, const char *what, ssize_t *n) {
  char again[PASSPHRASE_MAX + 1];
  *n = rijn_ask("Passphrase for ", what, c->secret, PASSPHRASE_MAX + 1);
  if (*n < 0) {
    rijn_say_errno("no terminal to ask for a passphrase; --passphrase-fd and RIJN_PASSPHRASE_FILE need none");
    return RIJN_EXIT_FAILED;
  }
  if (c->verb != RIJN_ENCRYPT || *n == 0)
    return RIJN_EXIT_OK;
  ssize_t m = rijn_ask("The same once more for ", what, again, sizeof again);
  bool same = m == *n && memcmp(again, c->secret, (size_t)m) == 0;
  explicit_bzero(again, sizeof again);
  if (!same)
    rijn_say("the two passphrases differ");
  return same ? RIJN_EXIT_OK : RIJN_EXIT_FAILED;
}

static int from_file(struct rijn_crypt *c, const char *file, ssize_t *n) {
  int fd = c->passphrase_fd >= 0 ? c->passphrase_fd : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  *n = fd >= 0 ? read_line(fd, c->secret, PASSPHRASE_MAX + 1) : -1;
  if (*n < 0 && c->passphrase_fd >= 0)
    rijn_say_errno("passphrase: descriptor %d", fd);
  else if (*n < 0)
    rijn_say_errno("passphrase: %s", file);
  if (fd >= 0 && fd != c->passphrase_fd)
    close(fd);
  return *n < 0 ? RIJN_EXIT_FAILED : RIJN_EXIT_OK;
}

int rijn_passphrase(struct rijn_crypt *c, const char *what) {
  const char *file = secure_getenv("RIJN_PASSPHRASE_FILE");
  ssize_t n = 0;
  if (c->secret != NULL)
    return RIJN_EXIT_OK;
  c->secret = malloc(PASSPHRASE_MAX + 1);
  if (c->secret == NULL) {
    rijn_say("out of memory");
    return RIJN_EXIT_FAILED;
  }
  int status = c->passphrase_fd >= 0 || file != NULL ? from_file(c, file, &n) : from_terminal(c, what, &n);
  if (status == RIJN_EXIT_OK && (n == 0 || n > PASSPHRASE_MAX)) {
    if (n == 0)
      rijn_say("the passphrase is empty");
    else
      rijn_say("the passphrase is longer than %d bytes", PASSPHRASE_MAX);
    status = RIJN_EXIT_FAILED;
  }
  c->secret_len = n > 0 ? (size_t)n : 0;
  return status;
}

/* ---------------------------------------------------------------- all of it */

/* WHY all of one kind: which of them a file wants shows by trying, and only where that costs nothing. */
static int load_keys(struct rijn_crypt *c) {
  int status = rijn_read_keys(c->key_file, c->key_fd, c->raw, &c->keys, &c->key_st);
  if (status != RIJN_EXIT_OK)
    return status;
  const char *name = c->key_file != NULL ? c->key_file : "the descriptor";
  memcpy(&c->key, &c->keys.list[0], sizeof c->key);
  if (c->keys.n > 1 && c->verb == RIJN_ENCRYPT)
    return rijn_usage(c->argv0, "--key-file: %s holds %zu keys, and encryption takes one", name, c->keys.n);
  if (c->keys.n > 1 && c->format != RIJN_FILE_COBBLESTONE)
    return rijn_usage(c->argv0, "--key-file: %s holds %zu keys, and --format tink takes one", name, c->keys.n);
  for (size_t i = 1; i < c->keys.n; i++)
    if ((c->keys.list[i].kind == RIJN_FILE_KEY_SECRET) != (c->key.kind == RIJN_FILE_KEY_SECRET) ||
        c->keys.list[i].kind == RIJN_FILE_KEY_PUBLIC)
      return rijn_usage(c->argv0, "--key-file: %s holds keys of several kinds", name);
  return RIJN_EXIT_OK;
}

int rijn_crypt_load(struct rijn_crypt *c) {
  int status = RIJN_EXIT_OK;
  if (c->key_file != NULL || c->key_fd >= 0)
    status = load_keys(c);
  if (status == RIJN_EXIT_OK && c->key.kind == RIJN_FILE_KEY_PUBLIC)
    return rijn_usage(c->argv0, "--key-file: a public key opens nothing; --recipient encrypts for one");
  if (status == RIJN_EXIT_OK && c->key.kind == RIJN_FILE_KEY_SECRET && c->verb == RIJN_ENCRYPT)
    return rijn_usage(c->argv0, "--key-file: is a secret key for reading; --recipient takes its public key");
  if (status == RIJN_EXIT_OK)
    status = load_context(c);
  if (status == RIJN_EXIT_OK)
    status = load_recipients(c);
  if (status == RIJN_EXIT_OK && c->verb == RIJN_ENCRYPT && c->passphrase)
    status = rijn_passphrase(c, "encryption");
  return status;
}

void rijn_crypt_wipe(struct rijn_crypt *c) {
  if (c->secret != NULL)
    explicit_bzero(c->secret, PASSPHRASE_MAX + 1);
  free(c->secret);
  free(c->context);
  free(c->public_keys);
  explicit_bzero(c, sizeof *c);
}
