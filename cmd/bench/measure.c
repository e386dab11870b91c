/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Buffers, checks, rounds and samples.
 *
 * A case is measured in rounds; in each round every subject gives one sample, in an order shuffled anew, so that
 * whatever disturbs the machine disturbs all. All subjects share the buffers, so placement is the same for all.
 */
#include "bench.h"

#include <math.h>
#include <rijn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define PAGE 4096

static uint64_t random_state;

static uint64_t random_next(void) { /* splitmix64 */
  uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static void random_fill(uint8_t *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    p[i] = (uint8_t)random_next();
}

/* Lengths of packets from 64 to 1500 bytes, always the same: mean 782 before and 782 after the shuffle. */
void b_mix_lengths(uint32_t lens[B_MIX_N]) {
  uint64_t keep = random_state;
  random_state = 64;
  for (uint32_t i = 0; i < B_MIX_N; i++)
    lens[i] = 64 + i * 1436 / (B_MIX_N - 1);
  for (size_t i = B_MIX_N - 1; i > 0; i--) {
    size_t k = random_next() % (i + 1);
    uint32_t t = lens[i];
    lens[i] = lens[k];
    lens[k] = t;
  }
  random_state = keep;
}

double b_case_bytes(const struct b_case *c) {
  uint32_t lens[B_MIX_N];
  if (!c->mix)
    return (double)c->size;
  double sum = 0;
  b_mix_lengths(lens);
  for (int i = 0; i < B_MIX_N; i++)
    sum += lens[i];
  return sum / B_MIX_N;
}

struct setup {
  uint8_t *arena;
  size_t arena_size, total; /* total: bytes of text of one message, batch or run */
  uint8_t *in, *out, *aad, *nonces, *tags, *want_out, *want_tags, *cipher;
  uint8_t raw[64];
  size_t raw_len;
  uint32_t lens[B_MIX_N];
  size_t lmask;
  struct b_msg msgs[128];
  struct b_job job;
};

static void *take(uint8_t **at, size_t size, size_t offset) {
  uint8_t *p = (uint8_t *)(((uintptr_t)*at + PAGE - 1) / PAGE * PAGE) + offset;
  *at = p + size;
  return p;
}

/* Offset in a page: where the case wants it, or anywhere in steps of a cache line when launches are shuffled. */
static size_t place(const struct b_options *o, size_t standard) {
  return o->placement ? random_next() % (PAGE / 64) * 64 : standard;
}

static int setup_make(struct setup *s, const struct b_options *o, const struct b_case *c, const struct b_subject *ref) {
  memset(s, 0, sizeof *s);
  s->lmask = c->mix ? B_MIX_N - 1 : 0;
  if (c->mix)
    b_mix_lengths(s->lens);
  else
    s->lens[0] = (uint32_t)c->size;
  size_t stride = (c->mix ? 1500 : c->size) + (c->op == B_BATCH ? (64 - c->size % 64) % 64 : 0);
  s->total = stride * c->count;
  s->arena_size = 4 * (s->total + 3 * PAGE) + c->aad + 16 * PAGE + (B_NONCES + 2 * B_MIX_N + 512) * 16;
  s->arena = mmap(NULL, s->arena_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (s->arena == MAP_FAILED)
    return B_EXIT_SYSTEM;
  uint8_t *at = s->arena;
  size_t slots = c->mix ? B_MIX_N : 256;
  /* WHY 2048: a store hides a later load of an address equal to it in the low 12 bits; half a page is far from that. */
  s->in = take(&at, s->total + 64, place(o, 0) + o->misalign);
  s->out = take(&at, s->total + 64, place(o, 2048) + o->misalign);
  s->aad = take(&at, c->aad + 64, place(o, 256));
  s->nonces = take(&at, B_NONCES * 16, place(o, 512));
  s->tags = take(&at, slots * 16, place(o, 1024));
  s->want_out = take(&at, s->total + 64, 0);
  s->want_tags = take(&at, slots * 16, 0);
  s->cipher = take(&at, s->total + 64, 0);
  if (o->in_place)
    s->out = s->in;
  random_state = 1;
  random_fill(s->in, s->total);
  random_fill(s->aad, c->aad);
  random_fill(s->nonces, B_NONCES * 16);
  random_fill(s->raw, sizeof s->raw);
  s->raw_len = (size_t)c->key_bits / 8 * (c->op == B_XTS || c->op == B_XTSRUN ? 2 : 1);
  for (size_t i = 0; i < c->count && i < 128; i++)
    s->msgs[i] = (struct b_msg){s->in + i * stride, s->out + i * stride, s->nonces + 16 * i, s->tags + 16 * i};
  s->job = (struct b_job){.c = c,
                          .lens = s->lens,
                          .lmask = s->lmask,
                          .nonces = s->nonces,
                          .nmask = B_NONCES - 1,
                          .aad = s->aad,
                          .aad_len = c->aad,
                          .in = s->in,
                          .out = s->out,
                          .tags = s->tags,
                          .raw = s->raw,
                          .raw_len = s->raw_len,
                          .msgs = s->msgs,
                          .serial = o->serial};
  if ((c->op == B_GCM || c->op == B_BATCH) && c->dir == B_DEC) {
    /* Something to decrypt. One nonce serves all lengths (a shorter text's ciphertext begins a longer one's), but the
     * loop still walks through the array of nonces, as encryption does. */
    rijn_gcm_key *k = aligned_alloc(16, sizeof *k);
    int err = k ? rijn_gcm_init_impl(k, s->raw, s->raw_len, 16, ref->index) : -1;
    if (c->op == B_GCM) {
      for (size_t i = 1; i < B_NONCES; i++)
        memcpy(s->nonces + 16 * i, s->nonces, 16);
      for (size_t i = 0; i <= s->lmask && !err; i++)
        err = rijn_gcm_encrypt(k, s->want_out, s->in, s->lens[i], s->aad, c->aad, s->nonces, 12, s->tags + 16 * i);
      size_t longest = 0;
      for (size_t i = 0; i <= s->lmask; i++)
        longest = s->lens[i] > longest ? s->lens[i] : longest;
      if (!err)
        err = rijn_gcm_encrypt(k, s->in, s->in, longest, s->aad, c->aad, s->nonces, 12, s->want_tags);
    } else {
      for (size_t i = 0; i < c->count && !err; i++)
        err = rijn_gcm_encrypt(k, s->in + i * stride, s->in + i * stride, c->size, s->aad, c->aad, s->msgs[i].nonce, 12,
                               s->msgs[i].tag);
    }
    free(k);
    if (err)
      return B_EXIT_FAIL;
  }
  memcpy(s->cipher, s->in, s->total);
  return 0;
}

static void setup_free(struct setup *s) {
  if (s->arena && s->arena != MAP_FAILED)
    munmap(s->arena, s->arena_size);
}

struct keyring {
  void **keys;
  size_t n;
};

static void keyring_free(struct keyring *k, const struct b_subject *s, const struct b_case *c) {
  for (size_t i = 0; i < k->n; i++)
    s->key_free(s, c, k->keys[i]);
  free(k->keys);
  k->keys = NULL;
  k->n = 0;
}

static int keyring_make(struct keyring *k, const struct b_subject *s, const struct setup *u, size_t n) {
  k->n = 0;
  k->keys = malloc(n * sizeof *k->keys);
  if (!k->keys)
    return -1;
  for (; k->n < n; k->n++) {
    k->keys[k->n] = s->key_new(s, u->job.c, u->raw, u->raw_len);
    if (!k->keys[k->n])
      return -1;
  }
  for (size_t i = n - 1; i > 0; i--) { /* no prefetcher shall guess the walk */
    size_t m = random_next() % (i + 1);
    void *t = k->keys[i];
    k->keys[i] = k->keys[m];
    k->keys[m] = t;
  }
  return 0;
}

/* Runs every length once and leaves out and tags for a look. */
static int run_for_check(struct setup *u, b_run run, void *const *keys, size_t n_keys) {
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

static bool check(struct setup *u, const struct b_subject *s, b_run run, const struct keyring *k, const struct b_subject *ref,
                  char *error, size_t size) {
  struct keyring rk = {NULL, 0};
  b_run ref_run = ref->runner(ref, u->job.c);
  if (u->job.c->op == B_KEYS || !ref_run)
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
  for (size_t i = 0; i < u->total; i++)
    if (u->out[i] != u->want_out[i]) {
      snprintf(error, size, "output differs from %s's at byte %zu", ref->name, i);
      return false;
    }
  if (memcmp(u->tags, u->want_tags, 256 * 16)) {
    snprintf(error, size, "tag differs from %s's", ref->name);
    return false;
  }
  (void)s;
  return true;
}

struct state {
  struct b_run_info *r;
  double *rates; /* core cycles a tick, of samples seen */
  size_t n_rates, max_rates;
  double best_rate;
};

static void rate_seen(struct state *st, double rate) {
  if (rate > st->best_rate)
    st->best_rate = rate;
  if (st->n_rates < st->max_rates)
    st->rates[st->n_rates++] = rate;
}

/* Ticks of n messages. In place, a decrypted message has to be put back before the next: these run one at a time,
 * and only they are timed. */
static double timed(const struct setup *u, b_run run, const struct b_job *j, size_t n, int *bad) {
  if (u->in == u->out && j->c->dir == B_DEC && (j->c->op == B_GCM || j->c->op == B_BATCH)) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
      memcpy(u->in, u->cipher, u->total);
      uint64_t t0 = b_ticks_start();
      *bad |= run(j, 1);
      sum += (double)(b_ticks_end() - t0) - b_ticks_overhead();
    }
    return sum;
  }
  uint64_t t0 = b_ticks_start();
  *bad |= run(j, n);
  return (double)(b_ticks_end() - t0) - b_ticks_overhead();
}

/* One sample: calibrate, work, calibrate. */
static int sample(struct state *st, const struct setup *u, b_run run, const struct b_job *j, size_t n, double *cycles,
                  double *ns) {
  int bad = 0;
  double t = 0, rate = 0;
  timed(u, run, j, n / 16 + 1, &bad); /* warm: code, branches, caches, wide units */
  for (int attempt = 0; attempt < 6; attempt++) {
    double before = b_clock_probe();
    t = timed(u, run, j, n, &bad);
    double after = b_clock_probe();
    rate = (before + after) / 2;
    /* An interrupted chain reads a slow clock, and the sample would look fast: throw it away. */
    if (fabs(before - after) < 0.12 * rate && rate > 0.5 * st->best_rate)
      break;
    st->r->rejected++;
    rate = before > after ? before : after;
  }
  rate_seen(st, rate);
  double messages = (double)n * (double)j->c->count;
  *cycles = t * rate / messages;
  *ns = t * 1e9 / b_tick_hz() / messages;
  return bad;
}

struct contender {
  const struct b_subject *s;
  struct b_row *row;
  b_run run;
  struct keyring ring;
  struct b_job job;
  size_t n;
};

static int contender_ready(struct state *st, struct setup *u, struct contender *k, const struct b_subject *ref) {
  const struct b_options *o = st->r->o;
  int bad = 0;
  if (keyring_make(&k->ring, k->s, u, o->cold_key ? B_COLD_KEYS : 1)) {
    snprintf(k->row->error, sizeof k->row->error, "cannot make a key");
    return -1;
  }
  k->job = u->job;
  k->job.keys = k->ring.keys;
  k->job.kmask = k->ring.n - 1;
  if (!check(u, k->s, k->run, &k->ring, ref, k->row->error, sizeof k->row->error))
    return -1;
  memcpy(u->in, u->cipher, u->total);
  /* How many messages make a sample of the wished length: from the fastest of a few short runs. */
  double best = INFINITY, target = o->sample_us * 1e-6 * b_tick_hz();
  size_t n = 1;
  for (int i = 0; i < 12; i++) {
    double t = timed(u, k->run, &k->job, n, &bad);
    double each = (t > 1 ? t : 1) / (double)n;
    best = each < best ? each : best;
    if (t > target / 2)
      break;
    n = t < target / 64 ? n * 4 : n * 2;
  }
  double want = target / best;
  k->n = want < 1 ? 1 : want > 1e7 ? 10000000 : (size_t)want;
  if (k->job.c->mix) /* whole tours of the lengths, else samples differ */
    k->n = (k->n + B_MIX_N - 1) / B_MIX_N * B_MIX_N;
  k->row->per_sample = k->n;
  return bad;
}

static int measure_case(struct state *st, struct b_row *rows, size_t n_rows, const struct b_subject *ref) {
  struct b_run_info *r = st->r;
  struct setup u;
  struct contender k[B_MAX_SUBJECTS];
  size_t n = 0, order[B_MAX_SUBJECTS], rounds = r->o->rounds;
  memset(k, 0, sizeof k);
  random_state = r->o->placement * 977;
  int err = setup_make(&u, r->o, &rows[0].c, ref);
  for (size_t i = 0; i < n_rows && !err; i++) {
    struct contender *x = &k[n];
    memset(x, 0, sizeof *x);
    x->s = &r->subjects->s[rows[i].subject];
    x->row = &rows[i];
    x->run = x->s->runner(x->s, &rows[i].c);
    if (contender_ready(st, &u, x, ref)) {
      if (!x->row->error[0])
        snprintf(x->row->error, sizeof x->row->error, "fails");
      r->failed++;
      keyring_free(&x->ring, x->s, &rows[i].c);
      continue;
    }
    x->row->cycles = calloc(rounds, sizeof(double));
    x->row->ns = calloc(rounds, sizeof(double));
    x->row->launches = 1;
    n++;
    if (!x->row->cycles || !x->row->ns)
      err = B_EXIT_SYSTEM;
  }
  for (size_t i = 0; i < n; i++)
    order[i] = i;
  for (size_t round = 0; round < rounds && !err; round++) {
    for (size_t i = n; i > 1; i--) {
      size_t m = random_next() % i, t = order[i - 1];
      order[i - 1] = order[m];
      order[m] = t;
    }
    for (size_t i = 0; i < n; i++) {
      struct contender *x = &k[order[i]];
      if (sample(st, &u, x->run, &x->job, x->n, &x->row->cycles[round], &x->row->ns[round]) && !x->row->error[0]) {
        snprintf(x->row->error, sizeof x->row->error, "failed while timed");
        r->failed++;
      }
      x->row->n = round + 1;
      r->samples++;
    }
  }
  for (size_t i = 0; i < n; i++)
    keyring_free(&k[i].ring, k[i].s, &rows[0].c);
  setup_free(&u);
  return err;
}

/* Measures all rows; rows of one case lie side by side. */
int b_measure(struct b_run_info *r) {
  struct state st = {.r = r, .max_rates = 200000};
  struct rusage before, after;
  struct b_subjects *reference = calloc(1, sizeof *reference);
  int err = 0;
  st.rates = calloc(st.max_rates, sizeof *st.rates);
  if (!st.rates || !reference)
    err = B_EXIT_SYSTEM;
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
  for (size_t i = 0; i < r->n_rows && !err;) {
    size_t m = 1;
    while (i + m < r->n_rows && !memcmp(&r->rows[i].c, &r->rows[i + m].c, sizeof r->rows[i].c))
      m++;
    err = measure_case(&st, r->rows + i, m, ref);
    i += m;
  }
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
