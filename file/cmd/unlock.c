/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* An input, what it begins with, and the key of its stream. */
#include "crypt.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int rijn_input_open(const struct rijn_crypt *c, struct rijn_input *in, const char *name) {
  bool std = rijn_is_standard(name, STDIN_FILENO);
  memset(in, 0, sizeof *in);
  in->name = std ? "standard input" : name;
  in->fd = std ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (in->fd < 0 || rijn_stat(in->fd, NULL, &in->st) != 0) {
    rijn_say_errno("%s", in->name);
    return RIJN_EXIT_FAILED;
  }
  if (S_ISDIR(in->st.st_mode)) {
    if (c->verb == RIJN_ENCRYPT)
      rijn_say("%s: is a directory; pack it: tar c %s | rijn encrypt ... -o %s.tar.rijn", name, name, name);
    else
      rijn_say("%s: is a directory", name);
    return RIJN_EXIT_FAILED;
  }
  if (std && isatty(in->fd))
    return rijn_usage(c->argv0, "no FILE, and the standard input is a terminal");
  return RIJN_EXIT_OK;
}

void rijn_input_close(struct rijn_input *in) {
  if (in->fd > STDIN_FILENO)
    close(in->fd);
  in->fd = -1;
}

/* Reads on until n bytes of the head are there, or the input ends. */
static int read_head(struct rijn_input *in, size_t n) {
  ssize_t got = rijn_read_full(in->fd, in->head + in->head_len, n - in->head_len);
  if (got < 0) {
    rijn_say_errno("%s: cannot read", in->name);
    return RIJN_EXIT_FAILED;
  }
  in->head_len += (size_t)got;
  return RIJN_EXIT_OK;
}

int rijn_input_begin(struct rijn_input *in) {
  int status = read_head(in, RIJN_FILE_HEADER_MIN);
  if (status != RIJN_EXIT_OK)
    return status;
  int r = rijn_file_header_len(in->head, in->head_len, &in->header_len);
  if (r == 0 && in->header_len != 0) {
    status = read_head(in, in->header_len);
    if (status == RIJN_EXIT_OK && in->head_len < in->header_len) {
      rijn_say("%s: header: cut short, %zu of %zu bytes", in->name, in->head_len, in->header_len);
      status = RIJN_EXIT_FAILED;
    }
  }
  if (r != 0) {
    rijn_say("%s: %s", in->name, rijn_file_strerror(r));
    status = RIJN_EXIT_FAILED;
  }
  return status;
}

const char *rijn_foreign(const struct rijn_input *in) {
  static const struct {
    const char *magic, *kind;
    size_t len;
  } kinds[] = {{"\x1f\x8b", "gzip", 2},
               {"PK\x03\x04", "zip", 4},
               {"\x89PNG\r\n\x1a\n", "PNG", 8},
               {"\x28\xb5\x2f\xfd", "zstd", 4},
               {"\xfd"
                "7zXZ",
                "xz", 6},
               {"BZh", "bzip2", 3},
               {"%PDF-", "PDF", 5},
               {"\x7f"
                "ELF",
                "ELF", 4},
               {"age-encryption.org/", "age", 12},
               {"-----BEGIN A", "armored age", 12},
               {"-----BEGIN P", "armored PGP", 12},
               {"Salted__", "openssl enc", 8},
               {"LUKS\xba\xbe", "LUKS", 6}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (in->head_len >= kinds[i].len && memcmp(in->head, kinds[i].magic, kinds[i].len) == 0)
      return kinds[i].kind;
  /* An OpenPGP message begins with a packet of an encrypted session key, version 3 or 4 (RFC 4880). */
  if (in->head_len >= 4 && ((in->head[0] == 0x85 && in->head[3] == 3) || (in->head[0] == 0x8c && in->head[2] == 4)))
    return "gpg";
  char tar[5];
  if (S_ISREG(in->st.st_mode) && pread(in->fd, tar, sizeof tar, 257) == (ssize_t)sizeof tar &&
      memcmp(tar, "ustar", sizeof tar) == 0)
    return "tar";
  return NULL;
}

rijn_file_params rijn_params(const struct rijn_crypt *c, const struct rijn_key *key, uint64_t start) {
  return (rijn_file_params){.size = sizeof(rijn_file_params),
                            .format = c->format >= 0 ? c->format : RIJN_FILE_TINK_1MB,
                            .key = key->raw,
                            .key_len = key->len,
                            .context = c->context,
                            .context_len = c->context_len,
                            .start = start,
                            .threads = c->threads};
}

int rijn_tink_format(const struct rijn_input *in, const rijn_file_params *p) {
  for (int format = RIJN_FILE_TINK_4KB; format <= RIJN_FILE_TINK_1MB; format++) {
    rijn_file_params q = *p;
    rijn_file_reader *r;
    char byte;
    q.format = format;
    if (rijn_file_open_fd(&r, &q, in->fd, NULL) != 0)
      continue;
    bool fits = rijn_file_length(r) != 0 ? rijn_file_pread(r, &byte, 1, 0, NULL) == 0
                                         : rijn_file_verify(r, NULL, NULL, NULL) == 0;
    explicit_bzero(&byte, 1);
    rijn_file_close(r);
    if (fits)
      return format;
  }
  return RIJN_FILE_TINK_1MB; /* whose error is told */
}

/* Without a header there is the key itself, or nothing. */
static int key_of_stream(const struct rijn_crypt *c, const struct rijn_input *in) {
  const struct rijn_key *key = &c->key;
  if (key->kind == RIJN_FILE_KEY_AES128 || key->kind == RIJN_FILE_KEY_AES256)
    return RIJN_EXIT_OK;
  const char *other = rijn_foreign(in);
  if (other != NULL)
    rijn_say("%s: is a file of another kind (%s), not one that rijn encrypt made", in->name, other);
  else if (key->kind == RIJN_FILE_KEY_SECRET || c->passphrase)
    rijn_say("%s: has no header of keys, so no %s opens it; it wants the key it was encrypted with", in->name,
             key->kind == RIJN_FILE_KEY_SECRET ? "secret key" : "passphrase");
  else
    return rijn_usage(c->argv0, "no key: give --key-file FILE or --key-fd N");
  return RIJN_EXIT_FAILED;
}

/* The bytes of the head that were read. */
static int read_from_head(void *user, void *bytes, size_t len, uint64_t at) {
  const struct rijn_input *in = user;
  if (at > in->head_len || len > in->head_len - at)
    return EIO;
  memcpy(bytes, in->head + at, len);
  return 0;
}

/* Of several keys the one whose commitment the stream begins with; the first where none fits, whose error is told. */
static int choose_key(struct rijn_crypt *c, struct rijn_input *in, const struct rijn_key **key) {
  enum { HEADER = 56 };
  int status = in->fd >= 0 && in->head_len < HEADER && c->keys.n > 1 ? read_head(in, HEADER) : RIJN_EXIT_OK;
  for (size_t i = 0; status == RIJN_EXIT_OK && c->keys.n > 1 && i < c->keys.n; i++) {
    rijn_file_params p = rijn_params(c, &c->keys.list[i], 0);
    rijn_file_reader *r = NULL;
    p.threads = 1;
    int code = rijn_file_open(&r, &p, read_from_head, in, in->head_len, NULL);
    rijn_file_close(r);
    if (code == 0) {
      *key = &c->keys.list[i];
      break;
    }
  }
  return status;
}

static int open_header(struct rijn_crypt *c, const struct rijn_input *in, const rijn_file_header_info *info,
                       struct rijn_key *key) {
  rijn_file_unlock u = {.size = sizeof u};
  rijn_file_error e;
  if (c->key.kind == RIJN_FILE_KEY_SECRET)
    u.secret_key = c->key.raw;
  if (info->passphrase && (u.secret_key == NULL || c->passphrase)) {
    int status = rijn_passphrase(c, in->name);
    if (status != RIJN_EXIT_OK)
      return status;
    u.passphrase = c->secret;
    u.passphrase_len = c->secret_len;
  }
  int r = rijn_file_header_open(in->head, in->header_len, &u, key->raw, &e);
  for (size_t i = 1; r == RIJN_FILE_EUNLOCK && u.secret_key != NULL && i < c->keys.n; i++) {
    u.secret_key = c->keys.list[i].raw;
    u.passphrase = NULL; /* it was tried */
    r = rijn_file_header_open(in->head, in->header_len, &u, key->raw, &e);
  }
  key->kind = RIJN_FILE_KEY_AES256;
  key->len = 32;
  if (r == RIJN_FILE_ECOST)
    rijn_say(
        "%s: header: asks for %u MiB, %u passes and %u lanes of Argon2id, which is more than is allowed (1024 MiB, "
        "16 and 16)",
        in->name, info->cost.memory_kib >> 10, info->cost.passes, info->cost.lanes);
  else if (r != 0)
    rijn_say("%s: header: %s", in->name, rijn_file_strerror(r));
  return r == 0 ? RIJN_EXIT_OK : RIJN_EXIT_FAILED;
}

int rijn_unlock(struct rijn_crypt *c, struct rijn_input *in, struct rijn_key *own, const struct rijn_key **key) {
  rijn_file_header_info info = {.size = sizeof info};
  *key = in->header_len == 0 ? &c->key : own;
  if (in->header_len == 0) {
    int status = key_of_stream(c, in);
    return status == RIJN_EXIT_OK ? choose_key(c, in, key) : status;
  }
  int r = rijn_file_header_read(in->head, in->header_len, &info);
  if (r != 0) {
    rijn_say("%s: %s", in->name, rijn_file_strerror(r));
    return RIJN_EXIT_FAILED;
  }
  if (c->format != RIJN_FILE_COBBLESTONE) {
    rijn_say("%s: has a header of keys, which --format tink has not", in->name);
    return RIJN_EXIT_FAILED;
  }
  const char *who = info.recipients == 0 ? "a passphrase" : "public keys and a passphrase";
  if (!info.passphrase)
    who = "public keys";
  if (c->key.kind == RIJN_FILE_KEY_AES128 || c->key.kind == RIJN_FILE_KEY_AES256) {
    rijn_say("%s: was encrypted for %s, and the key given is neither", in->name, who);
    return RIJN_EXIT_FAILED;
  }
  if (c->key.kind == 0 && !info.passphrase)
    return rijn_usage(c->argv0, "no key: %s was encrypted for public keys; give the secret key by --key-file FILE",
                      in->name);
  return open_header(c, in, &info, own);
}
