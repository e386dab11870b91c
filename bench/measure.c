/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Checks, rounds and samples.
 *
 * A case is measured in rounds; in each round every subject gives one sample, in an order shuffled anew, so that
 * whatever disturbs the machine disturbs all. All subjects share the buffers, so placement is the same for all.
 */
#include "cmd.h"
#include "setup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct keyring {
  void **keys; /* n of them, three times over: a window of n can begin at any of the first n, and any message in it */
  size_t n;
};

static void keyring_free(struct keyring *k, const struct b_subject *s, const struct b_case *c) {
  for (size_t i = 0; i < k->n; i++)
    s->key_free(s, c, k->keys[i]);
  free(k->keys);
  k->keys = NULL;
  k->n = 0;
}

static int keyring_make(struct keyring *k, const struct b_subject *s, const struct b_setup *u, size_t n) {
  k->n = 0;
  k->keys = malloc(3 * n * sizeof *k->keys);
  if (!k->keys)
    return -1;
  for (; k->n < n; k->n++) {
    k->keys[k->n] = s->key_new(s, u->job.c, u->raw, u->raw_len);
    if (!k->keys[k->n])
      return -1;
  }
  for (size_t i = n - 1; i > 0; i--) { /* no prefetcher shall guess the walk */
    size_t m = (size_t)(b_random() % (i + 1));
    void *t = k->keys[i];
    k->keys[i] = k->keys[m];
    k->keys[m] = t;
  }
  memcpy(k->keys + n, k->keys, n * sizeof *k->keys);
  memcpy(k->keys + 2 * n, k->keys, n * sizeof *k->keys);
  return 0;
}

/* Runs every length once and leaves out and tags for a look. */
static int run_for_check(struct b_setup *u, b_run run, void *const *keys, size_t n_keys) {
  struct b_job j = u->job;
  bool reads_tags = u->job.c->dir == B_DEC;
  j.keys = keys;
  j.kmask = n_keys - 1;
  memcpy(u->in, u->cipher, u->total);
  if (u->out != u->in)
    memset(u->out, 0x5a, u->total);
  if (!reads_tags)
    memset(u->tags, 0x5a, 256 * 16);
  /* In place a second message of encryption would work on the first one's output, as it does while timing; the
   * decryption of that makes no sense. */
  return run(&j, u->out == u->in && reads_tags ? 1 : u->lmask + 2);
}

static bool check(struct b_setup *u, const struct b_subject *s, b_run run, const struct keyring *k,
                  const struct b_subject *ref, char *error, size_t size) {
  struct keyring rk = {NULL, 0};
  b_run ref_run = ref->runner(ref, u->job.c);
  if (b_mode(u->job.c)->incomparable || !ref_run)
    return true; /* a key's own form is not to be compared; the messages made with it are */
  bool ok = !keyring_make(&rk, ref, u, 1) && !run_for_check(u, ref_run, rk.keys, 1);
  keyring_free(&rk, ref, u->job.c);
  if (!ok) {
    snprintf(error, size, "the reference (%s) failed", ref->name);
    return false;
  }
  memcpy(u->want_out, u->out, u->total);
  memcpy(u->want_tags, u->tags, 256 * 16);
  if (run_for_check(u, run, k->keys, k->n)) {
    snprintf(error, size, "%s", u->job.c->dir == B_DEC ? "rejects an authentic message" : "reports an error");
    return false;
  }
  if (s->ablated) { /* a kernel that lacks a part has to be wrong, or the part was not taken away */
    bool text = !memcmp(u->out, u->want_out, u->total), tags = !memcmp(u->tags, u->want_tags, 256 * 16);
    if ((text && tags) || (strstr(s->name, "-ghash") && (!text || tags))) {
      snprintf(error, size, "the part was not in this message's way");
      return false;
    }
    return true;
  }
  for (size_t i = 0; i < u->total; i++)
    if (u->out[i] != u->want_out[i]) {
      snprintf(error, size, "output differs from %s's at byte %zu", ref->name, i);
      return false;
    }
  if (memcmp(u->tags, u->want_tags, 256 * 16)) {
    snprintf(error, size, "tag differs from %s's", ref->name);
    return false;
  }
  return true;
}

struct state {
  struct b_run_info *r;
  struct rijn_progress line;
  double *rates; /* core cycles a tick, of samples seen */
  size_t n_rates, max_rates;
  double best_rate;
};

/* done: rows that are measured. */
static void progress(struct state *st, size_t done) {
  const struct b_options *o = st->r->o;
  char launch[48] = "";
  double seconds = rijn_now() - st->line.start, all = (double)st->r->n_rows;
  if (o->launches > 1)
    snprintf(launch, sizeof launch, "launch %zu of %zu, ", o->placement + 1, o->launches);
  rijn_progress_note(&st->line, "rijn bench: %srow %zu of %zu, about %.0f s left", launch, done, st->r->n_rows,
                     done ? seconds * (all / (double)done - 1) : 0);
}

static void rate_seen(struct state *st, double rate) {
  if (rate > st->best_rate)
    st->best_rate = rate;
  if (st->n_rates < st->max_rates)
    st->rates[st->n_rates++] = rate;
}

/* Message i of a job alone. */
static struct b_job one_message(const struct b_job *j, size_t i) {
  struct b_job one = *j;
  one.keys = j->keys + b_job_key(j, i, 0);
  if (b_mode(j->c)->batch)
    return one;
  one.lens = j->lens + (i & j->lmask);
  one.tags = j->tags + 16 * (i & j->lmask);
  one.nonces = j->nonces + 16 * (i & j->nmask);
  one.kmask = one.lmask = one.nmask = 0;
  return one;
}

/* Ticks of n messages. In place, a decrypted message has to be put back before the next: these run one at a time,
 * and only they are timed. */
static double timed(const struct state *st, const struct b_setup *u, b_run run, const struct b_job *j, size_t n,
                    int *bad) {
  const struct b_options *o = st->r->o;
  if (o->threads > 1)
    return b_threads_run(run, j, o->threads, n, o->cpu, bad);
  if (u->in == u->out && j->c->dir == B_DEC && b_mode(j->c)->has_tag) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
      const struct b_job one = one_message(j, i);
      memcpy(u->in, u->cipher, u->total);
      uint64_t t0 = b_ticks_start();
      *bad |= run(&one, 1);
      sum += (double)(b_ticks_end() - t0) - b_ticks_overhead();
    }
    return sum;
  }
  uint64_t t0 = b_ticks_start();
  *bad |= run(j, n);
  return (double)(b_ticks_end() - t0) - b_ticks_overhead();
}

struct contender {
  const struct b_subject *s;
  struct b_row *row;
  b_run run;
  struct keyring rings[B_MAX_THREADS]; /* of each thread */
  struct b_job jobs[B_MAX_THREADS];
  bool *disturbed; /* which samples */
  size_t n;        /* messages a sample */
  size_t window;   /* where in the rings the next messages begin: cold keys have to be cold */
};

static void next_keys(struct contender *k, size_t n, size_t threads) {
  const struct b_case *c = k->jobs[0].c;
  k->window = (k->window + n * (b_mode(c)->key_each ? c->count : 1)) & (k->rings[0].n - 1);
  for (size_t i = 0; i < threads; i++)
    k->jobs[i].keys = k->rings[i].keys + k->window;
}

static void contender_free(struct contender *k, const struct b_case *c) {
  for (size_t i = 0; i < B_MAX_THREADS; i++)
    keyring_free(&k->rings[i], k->s, c);
  free(k->disturbed);
  k->disturbed = NULL;
}

/* One sample: calibrate, work, calibrate; anew while something disturbs it. A long one is seldom left alone: it is
 * tried twice only. */
static int sample(struct state *st, const struct b_setup *u, struct contender *k, size_t round) {
  const struct b_job *j = k->jobs;
  const size_t n = k->n, threads = st->r->o->threads;
  int bad = 0;
  double t = 0, rate = 0;
  bool good = false;
  timed(st, u, k->run, j, n / 16 + 1, &bad); /* warm: code, branches, caches, wide units */
  next_keys(k, n / 16 + 1, threads);
  for (int attempt = 0, most = 6; attempt < most && !good; attempt++) {
    struct b_watch watch;
    b_watch_start(&watch);
    double before = b_clock_probe();
    t = timed(st, u, k->run, j, n, &bad);
    double after = b_clock_probe();
    bool alone = threads > 1 || !b_watch_disturbed(&watch);
    next_keys(k, n, threads);
    rate = (before + after) / 2;
    /* An interrupted chain reads a slow clock, and the sample would look fast. */
    good = alone && fabs(before - after) < 0.12 * rate && rate > 0.5 * st->best_rate;
    if (!good) {
      st->r->rejected++;
      rate = before > after ? before : after;
      most = t > 1e-3 * b_tick_hz() ? 2 : most;
    }
  }
  rate_seen(st, rate);
  double messages = (double)n * (double)j->c->count;
  k->row->cycles[round] = t * rate / messages;
  k->row->ns[round] = t * 1e9 / b_tick_hz() / messages / (double)threads;
  k->disturbed[round] = !good;
  return bad;
}

/* A few samples that were disturbed at every try are dropped. Where most were, they are what there is. */
static void drop_disturbed(struct contender *k, size_t rounds) {
  size_t n = 0;
  for (size_t i = 0; i < rounds; i++)
    n += k->disturbed[i];
  if (2 * n > rounds)
    return;
  k->row->dropped = n;
  for (size_t i = 0; i < rounds; i++)
    if (k->disturbed[i])
      k->row->cycles[i] = k->row->ns[i] = NAN;
}

static int contender_ready(struct state *st, struct b_setup *u, struct contender *k, const struct b_subject *ref) {
  const struct b_options *o = st->r->o;
  int bad = 0;
  for (size_t i = 0; i < o->threads; i++) {
    struct keyring *ring = &k->rings[i];
    const struct b_mode *m = b_mode(u[i].job.c);
    size_t keys = m->key_each ? u[i].job.c->count : 1, turn = o->turn_keys ? o->turn_keys : m->turn_keys;
    if (keyring_make(ring, k->s, &u[i], turn > keys ? turn : keys)) {
      snprintf(k->row->error, sizeof k->row->error, "cannot make a key");
      return -1;
    }
    k->jobs[i] = u[i].job;
    k->jobs[i].keys = ring->keys;
    k->jobs[i].kmask = ring->n - 1;
  }
  if (!check(u, k->s, k->run, &k->rings[0], ref, k->row->error, sizeof k->row->error))
    return -1;
  memcpy(u->in, u->cipher, u->total);
  /* How many messages make a sample of the wished length: from the fastest of a few short runs. Threads need longer
   * ones, because they begin and end a little apart. */
  double best = INFINITY, target = o->sample_us * 1e-6 * b_tick_hz() * (o->threads > 1 ? 10 : 1);
  size_t n = 1;
  for (int i = 0; i < 12; i++) {
    double t = timed(st, u, k->run, k->jobs, n, &bad);
    double each = (t > 1 ? t : 1) / (double)n;
    best = each < best ? each : best;
    if (t > target / 2)
      break;
    n = t < target / 64 ? n * 4 : n * 2;
  }
  k->n = (size_t)fmin(fmax(target / best, 1), 1e7);
  if (k->jobs[0].c->mix && !b_mode(k->jobs[0].c)->batch) /* whole tours of the lengths, else samples differ */
    k->n = (k->n + B_MIX_N - 1) / B_MIX_N * B_MIX_N;
  k->row->per_sample = k->n;
  return bad;
}

/* Those of a case that are ready to be measured: how many, or -1. */
static int contenders_make(struct state *st, struct b_setup *u, struct contender *k, struct b_row *rows, size_t n_rows,
                           const struct b_subject *ref) {
  struct b_run_info *r = st->r;
  size_t rounds = r->o->rounds;
  int n = 0;
  for (size_t i = 0; i < n_rows; i++) {
    struct contender *x = &k[n];
    memset(x, 0, sizeof *x);
    x->s = &r->subjects->s[rows[i].subject];
    x->row = &rows[i];
    x->run = x->s->runner(x->s, &rows[i].c);
    if (contender_ready(st, u, x, ref)) {
      if (!x->row->error[0])
        snprintf(x->row->error, sizeof x->row->error, "fails");
      r->failed += !x->s->ablated;
      contender_free(x, &rows[i].c);
      continue;
    }
    n++;
    x->row->cycles = calloc(rounds, sizeof(double));
    x->row->ns = calloc(rounds, sizeof(double));
    x->row->launches = 1;
    x->disturbed = calloc(rounds, sizeof(bool));
    if (!x->row->cycles || !x->row->ns || !x->disturbed)
      return -1;
  }
  return n;
}

static void one_round(struct state *st, const struct b_setup *u, struct contender *k, size_t *order, size_t n,
                      size_t round) {
  for (size_t i = n; i > 1; i--) {
    size_t m = (size_t)(b_random() % i), t = order[i - 1];
    order[i - 1] = order[m];
    order[m] = t;
  }
  for (size_t i = 0; i < n; i++) {
    struct contender *x = &k[order[i]];
    if (sample(st, u, x, round) && !x->row->error[0]) {
      snprintf(x->row->error, sizeof x->row->error, "failed while timed");
      st->r->failed++;
    }
    x->row->n = round + 1;
    st->r->samples++;
  }
}

static int measure_case(struct state *st, struct b_row *rows, size_t n_rows, const struct b_subject *ref) {
  struct b_run_info *r = st->r;
  struct b_setup *u = calloc(r->o->threads, sizeof *u);
  struct contender *k = calloc(B_MAX_SUBJECTS, sizeof *k);
  size_t order[B_MAX_SUBJECTS], rounds = r->o->rounds;
  int n = 0;
  b_random_seed(r->o->placement * 977);
  int err = u && k ? 0 : b_refused("memory");
  for (size_t i = 0; i < r->o->threads && !err; i++)
    err = b_setup_make(&u[i], r->o, &rows[0].c, ref);
  if (!err && (n = contenders_make(st, u, k, rows, n_rows, ref)) < 0)
    err = b_refused("memory");
  for (int i = 0; i < n; i++)
    order[i] = (size_t)i;
  for (size_t round = 0; round < rounds && !err; round++) {
    one_round(st, u, k, order, (size_t)n, round);
    progress(st, (size_t)(rows - r->rows) + n_rows * round / rounds);
  }
  for (int i = 0; i < n; i++)
    drop_disturbed(&k[i], rounds);
  for (size_t i = 0; k && i < B_MAX_SUBJECTS && k[i].s; i++)
    contender_free(&k[i], &rows[0].c);
  for (size_t i = 0; u && i < r->o->threads; i++)
    b_setup_free(&u[i]);
  free(u);
  free(k);
  return err;
}

void b_rows_clear(struct b_run_info *r) {
  for (size_t i = 0; i < r->n_rows; i++) {
    free(r->rows[i].cycles);
    free(r->rows[i].ns);
    r->rows[i] = (struct b_row){.c = r->rows[i].c, .subject = r->rows[i].subject};
  }
}

/* Measures all rows; rows of one case lie side by side. */
int b_measure(struct b_run_info *r) {
  struct state st = {.r = r, .max_rates = 200000};
  struct rusage before, after;
  struct b_subjects *reference = calloc(1, sizeof *reference);
  int err = 0;
  st.rates = calloc(st.max_rates, sizeof *st.rates);
  if (!st.rates || !reference)
    err = b_refused("memory");
  else
    b_subjects_rijn(reference);
  /* The reference of all checks is the portable implementation: last in the table, and it runs everywhere. */
  const struct b_subject *ref = reference && reference->n ? &reference->s[reference->n - 1] : NULL;
  if (!ref && !err)
    err = B_EXIT_FAIL;
  for (uint64_t t0 = b_ticks_start(); !err && (double)(b_ticks_end() - t0) < 0.05 * b_tick_hz();)
    st.best_rate = fmax(st.best_rate, b_clock_probe()); /* wake the core up */
  getrusage(RUSAGE_SELF, &before);
  uint64_t t0 = b_ticks_start();
  rijn_progress_start(&st.line, -1, 0, NULL, false); /* nothing is written on the standard output meanwhile */
  for (size_t i = 0; i < r->n_rows && !err;) {
    size_t m = 1;
    while (i + m < r->n_rows && !memcmp(&r->rows[i].c, &r->rows[i + m].c, sizeof r->rows[i].c))
      m++;
    err = measure_case(&st, r->rows + i, m, ref);
    i += m;
    progress(&st, i);
  }
  rijn_progress_clear();
  r->seconds = (double)(b_ticks_end() - t0) / b_tick_hz();
  getrusage(RUSAGE_SELF, &after);
  r->preempted = after.ru_nivcsw - before.ru_nivcsw;
  r->tick_hz = b_tick_hz();
  r->core_hz_low = b_quantile(st.rates, st.n_rates, 0.1) * r->tick_hz;
  r->core_hz_median = b_quantile(st.rates, st.n_rates, 0.5) * r->tick_hz;
  r->core_hz_high = b_quantile(st.rates, st.n_rates, 0.9) * r->tick_hz;
  free(st.rates);
  free(reference);
  return err;
}
