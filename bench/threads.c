/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The same work on several threads at once: each has its own job (buffers, keys); one clock around all. */
#include "bench.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct team {
  atomic_size_t ready, done;
  atomic_bool go;
};

struct worker {
  pthread_t thread;
  struct team *team;
  const struct b_job *job;
  b_run run;
  size_t n;
  int cpu, bad;
};

static void *work(void *arg) {
  struct worker *w = arg;
  b_pin(w->cpu); /* a thread inherits its maker's processor; where it may not move, it shares that one */
  atomic_fetch_add(&w->team->ready, 1);
  while (!atomic_load(&w->team->go))
    sched_yield();
  w->bad = w->run(w->job, w->n);
  atomic_fetch_add(&w->team->done, 1);
  return NULL;
}

double b_threads_run(b_run run, const struct b_job *jobs, size_t threads, size_t n, int first_cpu, int *bad) {
  struct team team;
  struct worker *w = calloc(threads, sizeof *w);
  size_t started = 0;
  double ticks = 0;
  if (!w) {
    *bad = -1;
    return 0;
  }
  atomic_init(&team.ready, 0);
  atomic_init(&team.done, 0);
  atomic_init(&team.go, false);
  for (; started + 1 < threads; started++) {
    struct worker *x = &w[started];
    *x = (struct worker){.team = &team, .job = &jobs[started + 1], .run = run, .n = n};
    x->cpu = first_cpu == -2 ? -2 : b_cpu_nth(started + 1);
    if (pthread_create(&x->thread, NULL, work, x)) {
      *bad = -1;
      break;
    }
  }
  while (atomic_load(&team.ready) < started)
    sched_yield();
  uint64_t t0 = b_ticks_start();
  atomic_store(&team.go, true);
  *bad |= run(&jobs[0], n);
  while (atomic_load(&team.done) < started) /* the end of a thread is not the end of its work, and costs more */
    sched_yield();
  ticks = (double)(b_ticks_end() - t0) - b_ticks_overhead();
  for (size_t i = 0; i < started; i++) {
    pthread_join(w[i].thread, NULL);
    *bad |= w[i].bad;
  }
  free(w);
  return ticks;
}
