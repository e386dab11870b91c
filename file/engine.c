/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "engine.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 64, STACK = 256 << 10 };

struct state;
struct worker {
  struct state *s;
  pthread_t thread;
  uint8_t *text, *sealed;
  size_t text_used; /* what is to be wiped */
  uint64_t batch;
  size_t got;
  bool last;
};

struct state {
  struct rijn_engine *g;
  const struct rijn_layout *l;
  uint32_t batch; /* chunks of one */
  pthread_mutex_t lock;
  pthread_cond_t turned;
  uint64_t next, turn, failed; /* batches: to be claimed, to go out, the earliest that failed */
  bool ended;                  /* nothing is left to be claimed */
  bool no_threads;
  rijn_file_error error;
  unsigned started;
  struct worker worker[THREADS_MAX];
};

unsigned rijn_threads(unsigned wanted) {
  cpu_set_t set;
  if (wanted != 0)
    return wanted < THREADS_MAX ? wanted : THREADS_MAX;
  int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return n < 8 ? (unsigned)n : 8;
}

/* ---------------------------------------------------------------- places */

/* The number of a batch's first chunk. */
static uint64_t chunk_at(const struct state *s, uint64_t batch) {
  uint64_t n = s->g->first_chunk + batch * s->batch;
  return n < s->g->end_chunk ? n : s->g->end_chunk;
}
static uint64_t text_at(const struct state *s, uint64_t batch) { return rijn_text_at(s->l, chunk_at(s, batch)); }
static uint64_t sealed_at(const struct state *s, uint64_t batch) { return rijn_sealed_at(s->l, chunk_at(s, batch)); }
static uint64_t in_at(const struct state *s, uint64_t batch) {
  return s->g->decrypt ? sealed_at(s, batch) : text_at(s, batch);
}

/* ---------------------------------------------------------------- failures */

static void fail_locked(struct state *s, uint64_t batch, const rijn_file_error *e) {
  s->ended = true;
  if (batch < s->failed) {
    s->failed = batch;
    s->error = *e;
  }
  pthread_cond_broadcast(&s->turned);
}

static bool fail(struct worker *w, int code, int system) {
  const rijn_file_error e = {.code = code, .system = system};
  pthread_mutex_lock(&w->s->lock);
  fail_locked(w->s, w->batch, &e);
  pthread_mutex_unlock(&w->s->lock);
  return false;
}

/* ---------------------------------------------------------------- claim and read */

static void *run_worker(void *arg);

static bool start_thread(struct state *s) {
  struct worker *w = &s->worker[s->started];
  pthread_attr_t attr;
  sigset_t all, old;
  w->s = s;
  if (pthread_attr_init(&attr) != 0)
    return false;
  (void)pthread_attr_setstacksize(&attr, STACK);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int err = pthread_create(&w->thread, &attr, run_worker, w);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attr);
  s->started += err == 0;
  return err == 0;
}

/* With the lock: the end of the input, and what has no places. */
static int read_in_order(struct worker *w, uint8_t *to, size_t full, uint64_t at) {
  struct rijn_engine *g = w->s->g;
  int err = g->read(g->io, to, full, at, &w->got);
  if (err != 0 || w->got < full || !w->s->l->last_full) {
    w->last = w->got < full;
    return err;
  }
  uint8_t more;
  size_t n = 0;
  err = g->read(g->io, &more, 0, at + full, &n);
  w->last = n == 0;
  return err;
}

/* Takes the next batch and reads it. False: there is none. */
static bool claim(struct worker *w) {
  struct state *s = w->s;
  struct rijn_engine *g = s->g;
  pthread_mutex_lock(&s->lock);
  if (s->ended || chunk_at(s, s->next) == g->end_chunk) {
    pthread_mutex_unlock(&s->lock);
    return false;
  }
  w->batch = s->next++;
  uint64_t at = in_at(s, w->batch);
  size_t full = (size_t)(in_at(s, w->batch + 1) - at);
  uint8_t *to = g->decrypt ? w->sealed : w->text;
  bool in_order = at + full >= g->known;
  int err = 0;
  w->last = false;
  if (in_order) {
    err = read_in_order(w, to, full, at);
    s->ended = s->ended || err != 0 || w->last;
  }
  if (!s->ended && chunk_at(s, s->next) < g->end_chunk && s->started < g->threads && !s->no_threads)
    s->no_threads = !start_thread(s); /* WHY no error: the others do its work */
  pthread_mutex_unlock(&s->lock);
  if (!in_order)
    err = g->read(g->io, to, full, at, &w->got);
  if (!g->decrypt && w->got > w->text_used)
    w->text_used = w->got;
  if (err != 0)
    return fail(w, RIJN_FILE_EREAD, err);
  return in_order || w->got == full || fail(w, RIJN_FILE_ESHRUNK, 0);
}

/* ---------------------------------------------------------------- hand out */

/* Waits until it is this batch's turn. False: an earlier one failed. */
static bool wait_turn(struct worker *w) {
  struct state *s = w->s;
  pthread_mutex_lock(&s->lock);
  while (s->turn != w->batch && s->failed > w->batch)
    pthread_cond_wait(&s->turned, &s->lock);
  bool mine = s->turn == w->batch && s->failed > w->batch;
  pthread_mutex_unlock(&s->lock);
  return mine;
}

static bool hand_out(struct worker *w, const uint8_t *out, size_t len) {
  struct rijn_engine *g = w->s->g;
  if (g->write == NULL || len == 0)
    return true;
  int err = g->write(g->io, out, len, g->decrypt ? text_at(w->s, w->batch) : sealed_at(w->s, w->batch));
  return err == 0 || fail(w, RIJN_FILE_EWRITE, err);
}

static bool finished(struct worker *w, size_t text_len) {
  struct state *s = w->s;
  struct rijn_engine *g = s->g;
  pthread_mutex_lock(&s->lock);
  g->text_bytes += text_len;
  s->turn += g->ordered;
  const rijn_file_error e = {.code = RIJN_FILE_ECANCEL};
  bool go_on = g->progress == NULL || g->progress(g->user, g->text_bytes) == 0;
  if (!go_on)
    fail_locked(s, w->batch, &e);
  pthread_cond_broadcast(&s->turned);
  pthread_mutex_unlock(&s->lock);
  return go_on;
}

/* ---------------------------------------------------------------- work */

static bool seal_batch(struct worker *w) {
  struct rijn_engine *g = w->s->g;
  size_t len;
  int r = rijn_chunks_seal(g->message, chunk_at(w->s, w->batch), w->sealed, &len, w->text, w->got,
                           w->last && !g->unfinished);
  if (r != 0)
    return fail(w, r, 0);
  return (!g->ordered || wait_turn(w)) && hand_out(w, w->sealed, len) && finished(w, w->got);
}

/* Where chunk i of the batch lies in the caller's counting. */
static rijn_file_error place(const struct worker *w, const struct rijn_opened *o, size_t i) {
  uint64_t chunk = chunk_at(w->s, w->batch) + i, from = w->s->g->origin + rijn_sealed_at(w->s->l, chunk);
  uint64_t len = i < o->n ? o->text[i] + RIJN_TAG : o->rest;
  return (rijn_file_error){.chunk = chunk, .from = from, .to = from + len};
}

/* Is the error one that the caller wants to know and go on? */
static bool is_told(struct worker *w, const rijn_file_error *e) {
  struct rijn_engine *g = w->s->g;
  if (g->damage == NULL)
    return false;
  g->chunks_bad++; /* in order: nobody else is here */
  return g->damage(g->user, e) == 0;
}

/* The first chunk of the batch that ends the work, and in *e why; o->n: there is none. *good: bytes of text before
 * it. */
static size_t look(struct worker *w, const struct rijn_opened *o, size_t *good, rijn_file_error *e) {
  const struct rijn_layout *l = w->s->l;
  uint64_t tail = chunk_at(w->s, w->batch) + o->n; /* the number after the batch's last one */
  bool closed = w->last && o->n > 0 && o->rest == 0 &&
                (l->last_full || o->text[o->n - 1] < rijn_text_at(l, tail) - rijn_text_at(l, tail - 1));
  *good = 0;
  for (size_t i = 0; i < o->n; i++) {
    *e = place(w, o, i);
    e->code = closed && i + 1 == o->n ? RIJN_FILE_ELAST : RIJN_FILE_EALTERED;
    if (!o->ok[i] && !is_told(w, e))
      return i;
    *good += o->text[i];
  }
  if (!w->last || closed)
    return o->n;
  *e = place(w, o, o->n);
  e->code = o->rest == 0 ? RIJN_FILE_EMISSING : RIJN_FILE_ETAG;
  return is_told(w, e) ? o->n : SIZE_MAX;
}

static bool open_batch(struct worker *w) {
  struct rijn_engine *g = w->s->g;
  struct rijn_opened o;
  rijn_file_error e;
  size_t good;
  int r = rijn_chunks_open(g->message, chunk_at(w->s, w->batch), w->text, w->sealed, w->got, w->last, &o);
  w->text_used = o.text_len > w->text_used ? o.text_len : w->text_used;
  if (r != 0)
    return fail(w, r, 0);
  if (g->ordered && !wait_turn(w))
    return false;
  bool whole = look(w, &o, &good, &e) == o.n;
  if (!hand_out(w, w->text, good))
    return false;
  if (whole)
    return finished(w, good);
  pthread_mutex_lock(&w->s->lock);
  g->text_bytes += good;
  fail_locked(w->s, w->batch, &e);
  pthread_mutex_unlock(&w->s->lock);
  return false;
}

/* ---------------------------------------------------------------- threads */

static bool make_buffers(struct worker *w) {
  const struct rijn_layout *l = w->s->l;
  size_t text = (size_t)rijn_chunk_text(l) * w->s->batch, sealed = (size_t)l->full * w->s->batch;
  void *a = NULL, *b = NULL;
  if (posix_memalign(&a, 64, text) != 0 || posix_memalign(&b, 64, sealed) != 0) {
    free(a);
    return false;
  }
  w->text = a;
  w->sealed = b;
  return true;
}

static void *run_worker(void *arg) {
  struct worker *w = arg;
  if (!make_buffers(w)) {
    if (w == &w->s->worker[0]) /* WHY else no error: the others do its work */
      fail(w, RIJN_FILE_EMEMORY, 0);
    return NULL;
  }
  while (claim(w) && (w->s->g->decrypt ? open_batch(w) : seal_batch(w)))
    ;
  explicit_bzero(w->text, w->text_used);
  free(w->text);
  free(w->sealed);
  return NULL;
}

int rijn_engine_run(struct rijn_engine *g, rijn_file_error *e) {
  struct state *s = calloc(1, sizeof *s);
  if (s == NULL)
    return rijn_file_fail(e, RIJN_FILE_EMEMORY, 0);
  g->ordered = g->ordered || g->damage != NULL;
  g->text_bytes = g->chunks_bad = 0;
  s->g = g;
  s->l = g->message->layout;
  /* WHY larger: each write waits for the file's lock, and its two ends are parts of pages. */
  s->batch = g->large && s->l->full < 1 << 16 ? RIJN_BATCH_CHUNKS : s->l->batch;
  s->failed = UINT64_MAX;
  s->started = 1; /* the caller's own */
  s->worker[0].s = s;
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->turned, NULL);
  run_worker(&s->worker[0]);
  for (unsigned i = 1;; i++) {
    pthread_mutex_lock(&s->lock);
    bool more = i < s->started;
    pthread_mutex_unlock(&s->lock);
    if (!more)
      break;
    pthread_join(s->worker[i].thread, NULL);
  }
  pthread_cond_destroy(&s->turned);
  pthread_mutex_destroy(&s->lock);
  int code = s->failed != UINT64_MAX ? s->error.code : 0;
  if (e != NULL)
    *e = s->error;
  free(s);
  return code;
}
