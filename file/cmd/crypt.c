/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn encrypt and rijn decrypt: each file of the command line. The work is librijn-file's. */
#include "crypt.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* One file. */
struct work {
  struct rijn_crypt *c;
  struct rijn_input in;
  struct rijn_output out;
  struct rijn_progress progress;
  struct rijn_key own;                  /* the key, where a header holds it */
  const struct rijn_key *key;           /* that, or the user's */
  uint8_t header[RIJN_FILE_HEADER_MAX]; /* of keys, to be written */
  size_t header_len;
  uint64_t holes;
  char name[PATH_MAX];
};

/* WHY: what is read first takes a pipe to its end, and the other, perhaps under another name (/dev/stdin), finds
 * nothing: an empty message, and no error. */
static int refuse_shared(const struct rijn_crypt *c, const struct rijn_input *in) {
  const struct {
    const struct stat *a, *b;
    const char *text;
    bool there;
  } pairs[] = {{&c->key_st, &in->st, "the key and the input", c->key.kind != 0},
               {&c->context_st, &in->st, "the context and the input", c->context_file != NULL},
               {&c->context_st, &c->key_st, "the context and the key", c->context_file != NULL && c->key.kind != 0}};
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
    if (pairs[i].there && !S_ISCHR(pairs[i].a->st_mode) && rijn_same_file(pairs[i].a, pairs[i].b))
      return rijn_usage(c->argv0, "%s are the same file or pipe", pairs[i].text); /* /dev/null can well be both */
  return RIJN_EXIT_OK;
}

static int open_output(struct work *w) {
  const struct rijn_crypt *c = w->c;
  struct rijn_avoid avoid[3] = {{&w->in.st, "the input"}};
  size_t n = 1;
  if (c->key.kind != 0)
    avoid[n++] = (struct rijn_avoid){&c->key_st, "the key"};
  if (c->context_file != NULL)
    avoid[n++] = (struct rijn_avoid){&c->context_st, "the context"};
  int status = rijn_output_open(&w->out, c->out_name != NULL ? c->out_name : w->name, c->force, &w->in.st, avoid, n);
  w->out.no_sync = c->no_sync;
  /* WHY only now: a terminal has many names (/dev/tty, /dev/stdout), and nothing is written yet. */
  if (status == RIJN_EXIT_OK && c->verb == RIJN_ENCRYPT && isatty(w->out.fd))
    return rijn_usage(c->argv0, "ciphertext does not go to a terminal; give -o FILE or redirect");
  return status;
}

/* A header of keys, where the key is not the user's own, and the key it holds. */
static int make_key(struct work *w) {
  const struct rijn_crypt *c = w->c;
  w->key = &c->key;
  if (!c->passphrase && c->recipients == 0)
    return RIJN_EXIT_OK;
  const rijn_file_lock lock = {.size = sizeof lock,
                               .passphrase = c->passphrase ? c->secret : NULL,
                               .passphrase_len = c->secret_len,
                               .cost = c->cost,
                               .public_keys = (const uint8_t(*)[32])c->public_keys,
                               .public_keys_n = c->public_keys_n};
  rijn_file_error e;
  w->key = &w->own;
  w->own.kind = RIJN_FILE_KEY_AES256;
  w->own.len = 32;
  if (rijn_file_header_make(&lock, w->header, &w->header_len, w->own.raw, &e) == 0)
    return RIJN_EXIT_OK;
  rijn_say("cannot make the header of keys: %s", rijn_file_strerror(e.code));
  return RIJN_EXIT_FAILED;
}

/* ---------------------------------------------------------------- the work */

static int show(void *user, uint64_t text_bytes) {
  struct work *w = user;
  if (!rijn_progress_show(&w->progress, text_bytes) || !w->c->json)
    return 0;
  struct json_object *j = json_object_new_object();
  rijn_json_text(j, "progress", w->in.name);
  rijn_json_number(j, "text_bytes", text_bytes);
  if (w->progress.total != 0)
    rijn_json_number(j, "total_bytes", w->progress.total);
  rijn_tell_json(w->c, j);
  return 0;
}

/* --salvage: names a hole, and goes on. */
static int name_hole(void *user, const rijn_file_error *e) {
  struct work *w = user;
  w->holes++;
  (void)rijn_tell_error(w->c, &w->in, w->out.text, e);
  return 0;
}

static void report(const struct work *w, uint64_t text_bytes, double seconds) {
  const char *format = w->c->format == RIJN_FILE_COBBLESTONE ? "Cobblestone-" : "Tink's AES-GCM-HKDF, AES-";
  rijn_say("%s %llu bytes with %s%zu through %s", w->c->verb == RIJN_DECRYPT ? "decrypted" : "encrypted",
           (unsigned long long)text_bytes, format, w->key->len * 8, rijn_impl_name(rijn_impl_chosen()));
  rijn_say("%.4f s in all, %.1f MB/s", seconds, (double)text_bytes / seconds * 1e-6);
}

/* The times of the input; its permissions the output has already. Those that cannot be kept are none of the data. */
static void keep_time(struct work *w) {
  const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, w->in.st.st_mtim};
  if (w->out.dir >= 0 && S_ISREG(w->in.st.st_mode))
    (void)futimens(w->out.fd, times);
}

static int say_failure(struct work *w, const rijn_file_error *e, uint64_t text_bytes) {
  int status = rijn_tell_error(w->c, &w->in, w->out.text, e);
  if (e->code <= RIJN_FILE_EALTERED && e->code >= RIJN_FILE_ETAG && w->out.dir < 0)
    rijn_say("%s: got the %llu verified bytes before it, and nothing after them", w->out.text,
             (unsigned long long)text_bytes);
  return status;
}

/* Which format, where that is for the file to tell. */
static int settle_format(struct work *w, rijn_file_params *p) {
  if (w->c->format != -1 || w->c->verb == RIJN_ENCRYPT)
    return RIJN_EXIT_OK;
  if (!S_ISREG(w->in.st.st_mode) || lseek(w->in.fd, 0, SEEK_CUR) != (off_t)w->in.head_len)
    return rijn_usage(w->c->argv0, "--format tink: %s is read once; say tink-4kb or tink-1mb", w->in.name);
  p->format = rijn_tink_format(&w->in, p);
  return RIJN_EXIT_OK;
}

static int work(struct work *w) {
  bool decrypt = w->c->verb == RIJN_DECRYPT;
  rijn_file_params p = rijn_params(w->c, w->key, w->in.header_len);
  rijn_file_job job = {.size = sizeof job, .in = w->in.fd, .out = w->out.fd, .user = w, .progress = show};
  rijn_file_error e;
  if (w->in.header_len == 0) {
    job.head = w->in.head;
    job.head_len = w->in.head_len;
  }
  if (w->out.dir >= 0)
    job.flags = RIJN_FILE_OWN_OUTPUT | (w->c->no_sync ? RIJN_FILE_NO_HURRY : 0);
  if (w->c->salvage)
    job.damage = name_hole;
  int status = settle_format(w, &p);
  if (status != RIJN_EXIT_OK)
    return status;
  if (w->header_len != 0 && rijn_output_write(&w->out, w->header, w->header_len) != RIJN_EXIT_OK)
    return RIJN_EXIT_FAILED;
  rijn_progress_start(&w->progress, w->out.fd, S_ISREG(w->in.st.st_mode) ? (uint64_t)w->in.st.st_size : 0,
                      w->in.fd != STDIN_FILENO ? w->in.name : NULL, w->c->json);
  double t = rijn_now();
  int r = decrypt ? rijn_file_decrypt_fd(&p, &job, &e) : rijn_file_encrypt_fd(&p, &job, &e);
  rijn_progress_clear();
  if (r != 0)
    return say_failure(w, &e, job.text_bytes);
  keep_time(w);
  status = rijn_output_commit(&w->out);
  if (status == RIJN_EXIT_OK && w->holes != 0) {
    rijn_say("%s: has %llu bytes of text, with zeros for %llu %s not verify", w->out.text,
             (unsigned long long)job.text_bytes, (unsigned long long)w->holes,
             w->holes == 1 ? "chunk that does" : "chunks that do");
    status = RIJN_EXIT_FAILED;
  }
  if (status == RIJN_EXIT_OK && w->c->verbose)
    report(w, job.text_bytes, rijn_now() - t);
  if (w->c->json) {
    struct json_object *j = rijn_json_result(w->c, w->in.name, status);
    rijn_json_text(j, "output", w->out.text);
    rijn_json_number(j, "text_bytes", job.text_bytes);
    json_object_object_add(j, "seconds", json_object_new_double(rijn_now() - t));
    rijn_tell_json(w->c, j);
  }
  return status;
}

static int one_file(struct rijn_crypt *c, const char *name) {
  struct work *w = calloc(1, sizeof *w);
  if (w == NULL) {
    rijn_say("out of memory");
    return RIJN_EXIT_FAILED;
  }
  w->c = c;
  w->in.fd = w->out.fd = w->out.dir = -1;
  bool done = false;
  int status = c->out_name != NULL ? RIJN_EXIT_OK : rijn_default_output(c, name, w->name, sizeof w->name);
  if (status == RIJN_EXIT_OK)
    status = rijn_input_open(c, &w->in, name);
  if (status == RIJN_EXIT_OK)
    status = refuse_shared(c, &w->in);
  if (status == RIJN_EXIT_OK && c->verb == RIJN_DECRYPT)
    status = rijn_input_begin(&w->in);
  if (status == RIJN_EXIT_OK)
    status = c->verb == RIJN_DECRYPT ? rijn_unlock(c, &w->in, &w->own, &w->key) : make_key(w);
  if (status == RIJN_EXIT_OK)
    status = open_output(w);
  if (status == RIJN_EXIT_OK) {
    status = work(w);
    done = status == RIJN_EXIT_OK || w->holes != 0;
  }
  if (status != RIJN_EXIT_OK)
    rijn_output_abandon(&w->out);
  if (!done && c->json)
    rijn_tell_json(c, rijn_json_result(c, name, status));
  rijn_input_close(&w->in);
  explicit_bzero(w, sizeof *w);
  free(w);
  return status;
}

static int crypt_command(int argc, char **argv, enum rijn_verb verb) {
  struct rijn_crypt c;
  /* No key in a core file. */
  const struct rlimit none = {0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);
  int status = rijn_crypt_parse(&c, verb, argc, argv);
  /* A name from which none can be made is a mistake of the command line: known before anything is done. */
  char name[PATH_MAX];
  for (int i = 0; status == RIJN_EXIT_OK && c.out_name == NULL && i < c.names_n; i++)
    status = rijn_default_output(&c, c.names[i], name, sizeof name);
  if (status == RIJN_EXIT_OK)
    status = rijn_crypt_load(&c);
  int worst = RIJN_EXIT_OK;
  for (int i = 0; status == RIJN_EXIT_OK && i < c.names_n; i++) {
    int one = one_file(&c, c.names[i]);
    worst = one > worst ? one : worst;
  }
  rijn_crypt_wipe(&c);
  if (status < 0)
    return rijn_finish_stdout(RIJN_EXIT_OK);
  return status != RIJN_EXIT_OK ? status : worst;
}

int rijn_cmd_encrypt(int argc, char **argv) { return crypt_command(argc, argv, RIJN_ENCRYPT); }

int rijn_cmd_decrypt(int argc, char **argv) { return crypt_command(argc, argv, RIJN_DECRYPT); }
