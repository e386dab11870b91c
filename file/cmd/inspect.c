/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn verify, rijn info FILE, rijn cat: what reads and leaves everything as it is. */
#include "crypt.h"

#include <errno.h>
#include <json-c/json.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

/* What one file was found to be. */
struct finding {
  struct rijn_input *in;
  struct rijn_key own;
  const struct rijn_key *key; /* NULL: none */
  int status;                 /* of what came before: no key, cannot open */
  bool keyed;                 /* it was looked at with a key */
  rijn_file_error first;      /* code 0: all of it verifies */
  uint64_t text_bytes, bad;
};

static int count_damage(void *user, const rijn_file_error *e) {
  struct finding *f = user;
  if (f->bad++ == 0)
    f->first = *e;
  return 0;
}

/* Decrypts all of it into nothing. */
static void look(const struct rijn_crypt *c, struct finding *f, unsigned threads) {
  rijn_file_params p = rijn_params(c, f->key, f->in->header_len);
  rijn_file_job job = {.size = sizeof job, .in = f->in->fd, .out = -1, .user = f, .damage = count_damage};
  rijn_file_error e;
  if (f->in->header_len == 0) {
    job.head = f->in->head;
    job.head_len = f->in->head_len;
  }
  if (c->format == -1)
    p.format = rijn_tink_format(f->in, &p);
  p.threads = threads;
  f->keyed = true;
  if (rijn_file_decrypt_fd(&p, &job, &e) != 0)
    f->first = e;
  f->text_bytes = job.text_bytes;
}

/* Opens one; the passphrase is asked for here, file by file. */
static void open_one(struct rijn_crypt *c, const char *name, struct finding *f) {
  f->in = malloc(sizeof *f->in);
  if (f->in == NULL) {
    rijn_say("out of memory");
    f->status = RIJN_EXIT_FAILED;
    return;
  }
  f->status = rijn_input_open(c, f->in, name);
  if (f->status == RIJN_EXIT_OK)
    f->status = rijn_input_begin(f->in);
  bool keyed = c->key.kind != 0 || c->passphrase || c->verb == RIJN_VERIFY;
  if (f->status == RIJN_EXIT_OK && keyed)
    f->status = rijn_unlock(c, f->in, &f->own, &f->key);
}

static void close_one(struct finding *f) {
  if (f->in != NULL)
    rijn_input_close(f->in);
  free(f->in);
  explicit_bzero(f, sizeof *f);
}

/* ---------------------------------------------------------------- verify */

static int tell_verified(const struct rijn_crypt *c, const char *name, struct finding *f) {
  int status = f->status;
  if (status == RIJN_EXIT_OK && f->first.code != 0)
    status = rijn_tell_error(c, f->in, "", &f->first);
  if (f->bad > 1)
    rijn_say("%s: %llu chunks do not verify", name, (unsigned long long)f->bad);
  if (c->json) {
    struct json_object *j = rijn_json_result(c, name, status);
    rijn_json_number(j, "text_bytes", f->text_bytes);
    rijn_json_number(j, "bad_chunks", f->bad);
    rijn_tell_json(c, j);
  } else if (status == RIJN_EXIT_OK) {
    rijn_show(name);
    printf(": verified, %llu bytes\n", (unsigned long long)f->text_bytes);
  }
  return status;
}

/* Files that are looked at by several threads: enough of them at once for all processors. */
struct group {
  const struct rijn_crypt *c;
  struct finding *f;
  int n, next;
  unsigned threads; /* of each file */
  pthread_mutex_t lock;
};

static void *look_at_group(void *arg) {
  struct group *g = arg;
  for (;;) {
    pthread_mutex_lock(&g->lock);
    int i = g->next++;
    pthread_mutex_unlock(&g->lock);
    if (i >= g->n)
      return NULL;
    if (g->f[i].status == RIJN_EXIT_OK)
      look(g->c, &g->f[i], g->threads);
  }
}

enum { GROUP = 64 };

static int verify_group(struct rijn_crypt *c, char **names, int n) {
  struct finding f[GROUP] = {{.in = NULL}};
  struct group g = {.c = c, .f = f, .n = n};
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  unsigned most = c->threads, started = 0;
  pthread_t thread[GROUP];
  if (most == 0)
    most = processors < 1 ? 1 : (unsigned)processors;
  if (c->threads == 0 && most > 8)
    most = 8;
  unsigned together = most < (unsigned)n ? most : (unsigned)n;
  g.threads = most / together;
  for (int i = 0; i < n; i++)
    open_one(c, names[i], &f[i]);
  pthread_mutex_init(&g.lock, NULL);
  while (started + 1 < together && pthread_create(&thread[started], NULL, look_at_group, &g) == 0)
    started++;
  look_at_group(&g);
  while (started > 0)
    pthread_join(thread[--started], NULL);
  pthread_mutex_destroy(&g.lock);
  int worst = RIJN_EXIT_OK;
  for (int i = 0; i < n; i++) {
    int status = tell_verified(c, names[i], &f[i]);
    worst = status > worst ? status : worst;
    close_one(&f[i]);
  }
  return worst;
}

static int verify(struct rijn_crypt *c) {
  int worst = RIJN_EXIT_OK;
  for (int i = 0; i < c->names_n; i += GROUP) {
    int n = c->names_n - i < GROUP ? c->names_n - i : GROUP, status = verify_group(c, c->names + i, n);
    worst = status > worst ? status : worst;
  }
  return worst;
}

/* ---------------------------------------------------------------- info */

static void describe_header(const struct finding *f, char *text, size_t size) {
  rijn_file_header_info h = {.size = sizeof h};
  snprintf(text, size, "%s", "a key of its own");
  if (f->in->header_len == 0 || rijn_file_header_read(f->in->head, f->in->header_len, &h) != 0)
    return;
  size_t n = 0;
  text[0] = '\0';
  if (h.passphrase)
    n = (size_t)snprintf(text, size, "a passphrase (Argon2id, %u MiB, %u passes, %u lanes)", h.cost.memory_kib >> 10,
                         h.cost.passes, h.cost.lanes);
  if (h.recipients != 0)
    snprintf(text + n, size - n, "%s%u public key%s (HPKE, X25519)", n != 0 ? ", or " : "", h.recipients,
             h.recipients == 1 ? "" : "s");
}

static void say_whole(const struct finding *f, bool complete, uint64_t chunks) {
  if (!f->keyed)
    printf("  whole:     %s\n",
           complete ? "by its length; rijn verify tells, with the key" : "no: it was cut short, or is no such file");
  else if (f->first.code == 0)
    printf("  whole:     yes, every chunk verifies\n");
  else if (f->bad == 0)
    printf("  whole:     no: %s\n", rijn_file_strerror(f->first.code));
  else
    printf("  whole:     no: chunk %llu (bytes %llu to %llu) is the first of %llu that do not verify; %llu do\n",
           (unsigned long long)f->first.chunk, (unsigned long long)f->first.from, (unsigned long long)f->first.to - 1,
           (unsigned long long)f->bad, (unsigned long long)(chunks > f->bad ? chunks - f->bad : 0));
}

static int tell_info(struct rijn_crypt *c, const char *name, struct finding *f) {
  char opens[160];
  const char *other = f->in->header_len == 0 && c->format == RIJN_FILE_COBBLESTONE ? rijn_foreign(f->in) : NULL;
  if (other != NULL) {
    rijn_say("%s: is a file of another kind (%s), not one that rijn encrypt made", name, other);
    return RIJN_EXIT_FAILED;
  }
  if (!S_ISREG(f->in->st.st_mode)) {
    rijn_say("%s: is no regular file, and only such a one has a length", name);
    return RIJN_EXIT_FAILED;
  }
  rijn_file_params p = rijn_params(c, f->keyed ? f->key : &c->key, 0);
  uint64_t text, chunks;
  p.key_len = f->keyed ? p.key_len : 32;
  bool complete = rijn_file_text_len(&p, (uint64_t)f->in->st.st_size - f->in->header_len, &text) == 0;
  text = f->keyed ? f->text_bytes : text;
  (void)rijn_file_chunk_count(&p, text, &chunks);
  int status = f->keyed && f->first.code != 0 ? RIJN_EXIT_FAILED : RIJN_EXIT_OK;
  describe_header(f, opens, sizeof opens);
  const char *format = c->format == RIJN_FILE_COBBLESTONE ? "Cobblestone (C2SP chunked-encryption)" : "Tink";
  if (c->json) {
    struct json_object *j = rijn_json_result(c, name, RIJN_EXIT_OK);
    rijn_json_text(j, "format", format);
    rijn_json_number(j, "header_bytes", f->in->header_len);
    rijn_json_text(j, "opens_with", opens);
    rijn_json_number(j, "text_bytes", text);
    rijn_json_number(j, "chunks", chunks);
    json_object_object_add(j, "complete", json_object_new_boolean(complete));
    if (f->keyed) {
      json_object_object_add(j, "verified", json_object_new_boolean(f->first.code == 0));
      rijn_json_number(j, "bad_chunks", f->bad);
    }
    rijn_tell_json(c, j);
    return status;
  }
  rijn_show(name);
  printf("\n  format:    %s%s\n  opens by:  %s\n  text:      %llu byte%s in %llu chunk%s\n", format,
         f->in->header_len != 0 ? ", behind a header of keys, version 1" : "", opens, (unsigned long long)text,
         text == 1 ? "" : "s", (unsigned long long)chunks, chunks == 1 ? "" : "s");
  say_whole(f, complete, chunks);
  return status;
}

static int info(struct rijn_crypt *c) {
  int worst = RIJN_EXIT_OK;
  for (int i = 0; i < c->names_n; i++) {
    struct finding f = {.in = NULL};
    open_one(c, c->names[i], &f);
    if (f.status == RIJN_EXIT_OK && f.key != NULL)
      look(c, &f, 0);
    int status = f.status == RIJN_EXIT_OK ? tell_info(c, c->names[i], &f) : f.status;
    worst = status > worst ? status : worst;
    close_one(&f);
  }
  return worst;
}

/* ---------------------------------------------------------------- cat */

/* Writes the range that was asked for. */
static int copy_range(const struct rijn_crypt *c, const struct rijn_input *in, rijn_file_reader *r) {
  uint64_t len = rijn_file_length(r), at = c->offset;
  rijn_file_error e;
  if (at > len) {
    rijn_say("%s: has %llu bytes of text, and --offset is %llu", in->name, (unsigned long long)len,
             (unsigned long long)at);
    return RIJN_EXIT_FAILED;
  }
  uint64_t left = c->length < len - at ? c->length : len - at;
  uint8_t *buf = malloc(PIECE);
  int status = buf != NULL ? RIJN_EXIT_OK : RIJN_EXIT_FAILED;
  /* WHY once at least: at the end of the text, a range of 0 bytes verifies that it is the end. */
  for (bool more = true; more && status == RIJN_EXIT_OK; more = left > 0) {
    size_t n = left < PIECE ? (size_t)left : PIECE;
    if (rijn_file_pread(r, buf, n, at, &e) != 0) {
      status = rijn_tell_error(c, in, "standard output", &e);
    } else if (rijn_write_full(STDOUT_FILENO, buf, n) != 0) {
      rijn_say_errno("standard output: cannot write");
      status = RIJN_EXIT_FAILED;
    }
    at += n;
    left -= n;
  }
  if (buf != NULL)
    explicit_bzero(buf, PIECE);
  free(buf);
  /* WHY: the part is whole, but the caller asked for what is no longer there. */
  if (status == RIJN_EXIT_OK && rijn_file_complete(r) != 0 && c->length > len - c->offset) {
    rijn_say("%s: %s", in->name, "was cut short: what follows the text that was written is missing");
    status = RIJN_EXIT_FAILED;
  }
  return status;
}

/* Through a reader over the file or the URL. */
static int cat_input(struct rijn_crypt *c, struct rijn_input *in, struct rijn_http *http, uint64_t len) {
  struct rijn_key own = {.kind = 0};
  const struct rijn_key *key;
  rijn_file_reader *r = NULL;
  rijn_file_error e = {.code = 0};
  int status = rijn_unlock(c, in, &own, &key);
  if (status == RIJN_EXIT_OK) {
    rijn_file_params p = rijn_params(c, key, in->header_len);
    if (http != NULL)
      p.threads = 1; /* one connection */
    if (c->format == -1 && http == NULL)
      p.format = rijn_tink_format(in, &p);
    int code =
        http != NULL ? rijn_file_open(&r, &p, rijn_http_pread, http, len, &e) : rijn_file_open_fd(&r, &p, in->fd, &e);
    status = code == 0 ? copy_range(c, in, r) : rijn_tell_error(c, in, "standard output", &e);
  }
  rijn_file_close(r);
  explicit_bzero(&own, sizeof own);
  return status;
}

static int cat_url(struct rijn_crypt *c, struct rijn_input *in, const char *url) {
  uint64_t len;
  struct rijn_http *http = rijn_http_open(url, &len);
  if (http == NULL)
    return RIJN_EXIT_FAILED;
  memset(in, 0, sizeof *in);
  in->name = url;
  in->fd = -1;
  in->head_len = len < RIJN_FILE_HEADER_MAX ? (size_t)len : RIJN_FILE_HEADER_MAX;
  int err = rijn_http_pread(http, in->head, in->head_len, 0);
  int r = err == 0 ? rijn_file_header_len(in->head, in->head_len, &in->header_len) : 0, status = RIJN_EXIT_FAILED;
  if (err == 0 && r == 0 && in->header_len <= in->head_len)
    status = cat_input(c, in, http, len);
  else if (err == 0)
    rijn_say("%s: %s", url, rijn_file_strerror(r != 0 ? r : RIJN_FILE_EHEADER));
  rijn_http_close(http);
  return status;
}

static int cat(struct rijn_crypt *c) {
  struct rijn_input in;
  if (rijn_is_url(c->names[0]))
    return cat_url(c, &in, c->names[0]);
  int status = rijn_input_open(c, &in, c->names[0]);
  if (status == RIJN_EXIT_OK && !S_ISREG(in.st.st_mode)) {
    rijn_say("%s: is no regular file, and parts are read from anywhere; rijn decrypt reads pipes", in.name);
    status = RIJN_EXIT_FAILED;
  }
  if (status == RIJN_EXIT_OK)
    status = rijn_input_begin(&in);
  if (status == RIJN_EXIT_OK)
    status = cat_input(c, &in, NULL, 0);
  rijn_input_close(&in);
  return status;
}

/* ---------------------------------------------------------------- the commands */

static int inspect(int argc, char **argv, enum rijn_verb verb, int (*run)(struct rijn_crypt *c)) {
  struct rijn_crypt c;
  const struct rlimit none = {0, 0};
  (void)setrlimit(RLIMIT_CORE, &none); /* no key in a core file */
  int status = rijn_crypt_parse(&c, verb, argc, argv);
  if (status == RIJN_EXIT_OK && verb == RIJN_INFO && c.names_n == 0)
    return rijn_info_machine(c.json);
  if (status == RIJN_EXIT_OK)
    status = rijn_crypt_load(&c);
  if (status == RIJN_EXIT_OK)
    status = run(&c);
  rijn_crypt_wipe(&c);
  if (status < 0)
    return rijn_finish_stdout(RIJN_EXIT_OK);
  return verb == RIJN_CAT ? status : rijn_finish_stdout(status);
}

int rijn_cmd_verify(int argc, char **argv) { return inspect(argc, argv, RIJN_VERIFY, verify); }
int rijn_cmd_info(int argc, char **argv) { return inspect(argc, argv, RIJN_INFO, info); }
int rijn_cmd_cat(int argc, char **argv) { return inspect(argc, argv, RIJN_CAT, cat); }
