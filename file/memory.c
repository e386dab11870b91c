/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The writer and the reader. */
#include "engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *rijn_file_version(void) { return RIJN_VERSION_STRING; }

/* ---------------------------------------------------------------- writer */

struct rijn_file_writer {
  struct rijn_message message;
  unsigned threads;
  rijn_file_sink *sink;
  void *user;
  uint8_t *text; /* whole batches, one a thread */
  size_t size, room, used;
  uint64_t chunk; /* number of the first one in text */
  int failed;     /* what the first failure was; nothing goes on after it */
};

/* The number of the chunk behind those that text has room for. */
static uint64_t chunk_behind(const rijn_file_writer *w) {
  return w->chunk + (uint64_t)w->threads * w->message.layout->batch;
}

/* Makes room for the chunks from w->chunk on. */
static void make_room(rijn_file_writer *w) {
  const struct rijn_layout *l = w->message.layout;
  w->used = 0;
  w->room = (size_t)(rijn_text_at(l, chunk_behind(w)) - rijn_text_at(l, w->chunk));
}

static int read_buffer(void *user, void *buf, size_t len, uint64_t at, size_t *got) {
  const rijn_file_writer *w = user;
  size_t from = (size_t)(at - rijn_text_at(w->message.layout, w->chunk)), left = w->used - from;
  *got = len < left ? len : left;
  memcpy(buf, w->text + from, *got);
  if (len == 0) /* asked whether there is more */
    *got = left > 0;
  return 0;
}

static int write_sink(void *user, const void *buf, size_t len, uint64_t at) {
  const rijn_file_writer *w = user;
  (void)at;
  return w->sink(w->user, buf, len);
}

static int flush(rijn_file_writer *w, bool last, rijn_file_error *e) {
  struct rijn_engine g = {.message = &w->message,
                          .threads = w->threads,
                          .read = read_buffer,
                          .known = rijn_text_at(w->message.layout, w->chunk) + w->used,
                          .first_chunk = w->chunk,
                          .end_chunk = last ? UINT64_MAX : chunk_behind(w),
                          .unfinished = !last,
                          .write = write_sink,
                          .ordered = true,
                          .io = w};
  w->failed = rijn_engine_run(&g, e);
  w->chunk = chunk_behind(w);
  make_room(w);
  return w->failed;
}

int rijn_file_writer_new(rijn_file_writer **out, const rijn_file_params *p, rijn_file_sink *sink, void *user,
                         rijn_file_error *e) {
  uint8_t header[RIJN_HEADER_MAX];
  if (out == NULL || sink == NULL)
    return rijn_file_fail(e, RIJN_FILE_EARGUMENT, 0);
  *out = NULL;
  rijn_file_writer *w = calloc(1, sizeof *w);
  if (w == NULL)
    return rijn_file_fail(e, RIJN_FILE_EMEMORY, 0);
  int r = rijn_message_new(&w->message, p, header, e);
  if (r == 0) {
    w->threads = rijn_threads(p->threads);
    w->sink = sink;
    w->user = user;
    make_room(w);
    w->size = w->room + w->message.layout->first; /* the chunks after the first are longer by so much */
    w->text = malloc(w->size);
    if (w->text == NULL)
      r = rijn_file_fail(e, RIJN_FILE_EMEMORY, 0);
  }
  if (r == 0) {
    int err = sink(user, header, w->message.layout->header);
    r = err != 0 ? rijn_file_fail(e, RIJN_FILE_EWRITE, err) : 0;
  }
  if (r != 0)
    rijn_file_writer_free(w);
  else
    *out = w;
  return r;
}

int rijn_file_write(rijn_file_writer *w, const void *text, size_t len, rijn_file_error *e) {
  const uint8_t *from = text;
  if (w == NULL || (text == NULL && len != 0))
    return rijn_file_fail(e, RIJN_FILE_EARGUMENT, 0);
  if (w->failed != 0)
    return rijn_file_fail(e, w->failed, 0);
  while (len > 0) {
    /* WHY only now: what is full may be the end, which Tink marks. */
    if (w->used == w->room && flush(w, false, e) != 0)
      return w->failed;
    size_t n = w->room - w->used < len ? w->room - w->used : len;
    memcpy(w->text + w->used, from, n);
    w->used += n;
    from += n;
    len -= n;
  }
  return 0;
}

int rijn_file_finish(rijn_file_writer *w, rijn_file_error *e) {
  if (w == NULL)
    return rijn_file_fail(e, RIJN_FILE_EARGUMENT, 0);
  if (w->failed != 0)
    return rijn_file_fail(e, w->failed, 0);
  int r = flush(w, true, e);
  if (r == 0)
    w->failed = RIJN_ESTATE; /* the message is at its end */
  return r;
}

void rijn_file_writer_free(rijn_file_writer *w) {
  if (w == NULL)
    return;
  if (w->text != NULL)
    explicit_bzero(w->text, w->size);
  free(w->text);
  rijn_message_wipe(&w->message);
  free(w);
}

/* ---------------------------------------------------------------- reader */

struct rijn_file_reader {
  struct rijn_message message;
  unsigned threads;
  rijn_file_source *source;
  void *user;
  int fd;
  uint64_t start, sealed_len, text_len, chunks;
  int complete;
  /* of the call that runs */
  uint8_t *to;
  uint64_t from, end;
};

static int read_source(void *user, void *buf, size_t len, uint64_t at, size_t *got) {
  const rijn_file_reader *r = user;
  uint64_t left = at < r->sealed_len ? r->sealed_len - at : 0;
  *got = 0;
  if (len == 0) {
    *got = left > 0;
    return 0;
  }
  size_t n = left < len ? (size_t)left : len;
  int err = n > 0 ? r->source(r->user, buf, n, r->start + at) : 0;
  *got = err == 0 ? n : 0;
  return err;
}

/* The part of a batch's text that the caller wants. */
static int write_range(void *user, const void *buf, size_t len, uint64_t at) {
  const rijn_file_reader *r = user;
  uint64_t from = at < r->from ? r->from : at, end = at + len < r->end ? at + len : r->end;
  if (from < end)
    memcpy(r->to + (from - r->from), (const uint8_t *)buf + (from - at), (size_t)(end - from));
  return 0;
}

static int pread_fd(void *user, void *bytes, size_t len, uint64_t at) {
  const int fd = *(const int *)user;
  uint8_t *to = bytes;
  while (len > 0) {
    ssize_t n = pread(fd, to, len, (off_t)at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? errno : EIO; /* it became shorter */
    to += n;
    at += (uint64_t)n;
    len -= (size_t)n;
  }
  return 0;
}

static int open_stream(rijn_file_reader *r, const rijn_file_params *p, rijn_file_error *e) {
  uint8_t header[RIJN_HEADER_MAX];
  const struct rijn_layout *l;
  size_t got;
  int code = rijn_params_check(p, &l);
  if (code != 0)
    return rijn_file_fail(e, code, 0);
  r->threads = rijn_threads(p->threads);
  r->start = p->start;
  r->complete = rijn_layout_open(l, r->sealed_len, &r->chunks, &r->text_len);
  if (r->complete == RIJN_FILE_EHEADER || r->complete == RIJN_FILE_ELONG)
    return rijn_file_fail(e, r->complete, 0);
  int err = read_source(r, header, l->header, 0, &got);
  return err != 0 ? rijn_file_fail(e, RIJN_FILE_EREAD, err) : rijn_message_open(&r->message, p, header, e);
}

static int open_reader(rijn_file_reader **out, const rijn_file_params *p, rijn_file_source *source, void *user, int fd,
                       uint64_t input_len, rijn_file_error *e) {
  *out = NULL;
  if (p == NULL || p->size != sizeof *p)
    return rijn_file_fail(e, RIJN_FILE_EARGUMENT, 0);
  rijn_file_reader *r = calloc(1, sizeof *r);
  if (r == NULL)
    return rijn_file_fail(e, RIJN_FILE_EMEMORY, 0);
  r->source = source;
  r->fd = fd;
  r->user = source == pread_fd ? &r->fd : user;
  r->sealed_len = input_len > p->start ? input_len - p->start : 0;
  int code = open_stream(r, p, e);
  if (code != 0)
    rijn_file_close(r);
  else
    *out = r;
  return code;
}

int rijn_file_open(rijn_file_reader **r, const rijn_file_params *p, rijn_file_source *source, void *user,
                   uint64_t input_len, rijn_file_error *e) {
  if (r == NULL || source == NULL)
    return rijn_file_fail(e, RIJN_FILE_EARGUMENT, 0);
  return open_reader(r, p, source, user, -1, input_len, e);
}

int rijn_file_open_fd(rijn_file_reader **r, const rijn_file_params *p, int fd, rijn_file_error *e) {
  struct stat st;
  if (r == NULL)
    return rijn_file_fail(e, RIJN_FILE_EARGUMENT, 0);
  if (fstat(fd, &st) != 0)
    return rijn_file_fail(e, RIJN_FILE_EREAD, errno);
  if (!S_ISREG(st.st_mode))
    return rijn_file_fail(e, RIJN_FILE_EREAD, ESPIPE);
  return open_reader(r, p, pread_fd, NULL, fd, (uint64_t)st.st_size, e);
}

uint64_t rijn_file_length(const rijn_file_reader *r) { return r->text_len; }
uint64_t rijn_file_chunks(const rijn_file_reader *r) { return r->chunks; }
int rijn_file_complete(const rijn_file_reader *r) { return r->complete; }

static struct rijn_engine engine_of(rijn_file_reader *r) {
  return (struct rijn_engine){.message = &r->message,
                              .decrypt = true,
                              .threads = r->threads,
                              .origin = r->start,
                              .read = read_source,
                              .known = r->sealed_len,
                              .end_chunk = UINT64_MAX,
                              .io = r};
}

int rijn_file_pread(rijn_file_reader *r, void *buf, size_t len, uint64_t at, rijn_file_error *e) {
  if (r == NULL || (buf == NULL && len != 0))
    return rijn_file_fail(e, RIJN_FILE_EARGUMENT, 0);
  if (at > r->text_len || len > r->text_len - at)
    return rijn_file_fail(e, RIJN_FILE_ERANGE, 0);
  /* WHY the last chunk too where the range reaches the end: it says that the text ends there, and it may have no text
   * of its own, so that no byte of the range is in it. */
  const bool to_end = len == r->text_len - at && r->complete == 0;
  if (len == 0 && !to_end)
    return 0;
  struct rijn_engine g = engine_of(r);
  const struct rijn_layout *l = r->message.layout;
  r->to = buf;
  r->from = at;
  r->end = at + len;
  g.end_chunk = to_end ? r->chunks : rijn_chunk_of(l, r->end - 1) + 1;
  g.first_chunk = len == 0 ? g.end_chunk - 1 : rijn_chunk_of(l, at);
  g.write = write_range;
  int code = rijn_engine_run(&g, e);
  if (code != 0 && len != 0)
    explicit_bzero(buf, len);
  return code;
}

int rijn_file_verify(rijn_file_reader *r, int (*damage)(void *user, const rijn_file_error *e), void *user,
                     rijn_file_error *e) {
  if (r == NULL)
    return rijn_file_fail(e, RIJN_FILE_EARGUMENT, 0);
  struct rijn_engine g = engine_of(r);
  g.damage = damage;
  g.user = user;
  return rijn_engine_run(&g, e);
}

void rijn_file_close(rijn_file_reader *r) {
  if (r == NULL)
    return;
  rijn_message_wipe(&r->message);
  free(r);
}
