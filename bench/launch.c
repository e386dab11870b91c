/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Several launches of the program. One process can sit several percent off another, because the heap, the stack and the
 * buffers lie elsewhere; so --launches N starts this program N times with the same arguments, each with its own
 * placement of the buffers, and puts their samples side by side. Ratios are of one round of one launch.
 */
#include "bench.h"
#include "cmd.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct header {
  uint64_t magic, rows, samples, rejected;
  int64_t preempted, failed, refused;
  double hz_low, hz_median, hz_high, tick_hz, seconds;
  struct b_rulers rulers;
};
#define MAGIC UINT64_C(0x72696a6e62656e31)

struct row_header {
  uint64_t n, per_sample, dropped;
  char error[96];
};

static int put(int fd, const void *p, size_t n) {
  const char *c = p;
  while (n) {
    ssize_t w = write(fd, c, n);
    if (w < 0 && errno == EINTR)
      continue;
    if (w <= 0)
      return -1;
    c += w;
    n -= (size_t)w;
  }
  return 0;
}

static int get(int fd, void *p, size_t n) {
  char *c = p;
  while (n) {
    ssize_t r = read(fd, c, n);
    if (r < 0 && errno == EINTR)
      continue;
    if (r <= 0)
      return -1;
    c += r;
    n -= (size_t)r;
  }
  return 0;
}

/* The child's side: everything measured, to the parent. */
int b_launch_report(const struct b_run_info *r, int fd) {
  struct header h = {MAGIC,      r->n_rows,  r->samples,     r->rejected,       r->preempted,
                     r->failed,  r->refused, r->core_hz_low, r->core_hz_median, r->core_hz_high,
                     r->tick_hz, r->seconds, r->rulers};
  int err = put(fd, &h, sizeof h);
  for (size_t i = 0; i < r->n_rows && !err; i++) {
    const struct b_row *row = &r->rows[i];
    struct row_header rh = {row->n, row->per_sample, row->dropped, ""};
    memcpy(rh.error, row->error, sizeof rh.error);
    err = put(fd, &rh, sizeof rh);
    if (!err && row->n)
      err = put(fd, row->cycles, row->n * sizeof(double)) || put(fd, row->ns, row->n * sizeof(double));
  }
  return err ? b_refused("a pipe") : B_EXIT_OK;
}

static int grow(double **v, size_t have, size_t more) {
  double *p = realloc(*v, (have + more) * sizeof **v);
  if (p)
    *v = p;
  return p ? 0 : -1;
}

static int merge(struct b_run_info *r, int fd, size_t launch) {
  struct header h;
  if (get(fd, &h, sizeof h) || h.magic != MAGIC || h.rows != r->n_rows)
    return -1;
  if (launch == 0) {
    r->rulers = h.rulers;
    r->core_hz_low = h.hz_low;
    r->core_hz_median = h.hz_median;
    r->core_hz_high = h.hz_high;
    r->tick_hz = h.tick_hz;
  }
  r->core_hz_low = h.hz_low < r->core_hz_low ? h.hz_low : r->core_hz_low;
  r->core_hz_high = h.hz_high > r->core_hz_high ? h.hz_high : r->core_hz_high;
  r->samples += h.samples;
  r->rejected += h.rejected;
  r->preempted += (long)h.preempted;
  r->failed += (int)h.failed;
  r->refused |= h.refused != 0;
  r->seconds += h.seconds;
  for (size_t i = 0; i < r->n_rows; i++) {
    struct b_row *row = &r->rows[i];
    struct row_header rh;
    if (get(fd, &rh, sizeof rh) || rh.n > 1000000)
      return -1;
    rh.error[sizeof rh.error - 1] = 0;
    if (!row->error[0])
      memcpy(row->error, rh.error, sizeof row->error);
    if (rh.n == 0)
      continue;
    if (grow(&row->cycles, row->n, rh.n) || grow(&row->ns, row->n, rh.n) ||
        get(fd, row->cycles + row->n, rh.n * sizeof(double)) || get(fd, row->ns + row->n, rh.n * sizeof(double)))
      return -1;
    row->n += rh.n;
    row->per_sample = rh.per_sample;
    row->dropped += rh.dropped;
    row->launches++;
  }
  return 0;
}

int b_launch_all(struct b_run_info *r, int argc, char **argv) {
  char fd_text[24], placement[24];
  char **args = calloc((size_t)argc + 8, sizeof *args);
  int err = args ? 0 : b_refused("memory"), n = 0;
  if (args) {
    args[n++] = argv[0];
    static char o_fd[] = "--child-fd", o_placement[] = "--placement";
    args[n++] = o_fd;
    args[n++] = fd_text;
    args[n++] = o_placement;
    args[n++] = placement;
    for (int i = 1; i < argc; i++)
      args[n++] = argv[i];
  }
  for (size_t l = 0; l < r->o->launches && !err; l++) {
    int pipes[2], status = 0;
    if (pipe(pipes)) {
      err = b_refused("a pipe");
      break;
    }
    snprintf(fd_text, sizeof fd_text, "%d", pipes[1]);
    snprintf(placement, sizeof placement, "%zu", l); /* 0, the first, is the standard placement */
    fflush(stdout);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
      close(pipes[0]);
      /* WHY: a signal to this program alone (kill, a timeout) must not leave hours of measuring behind. */
      if (prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != parent)
        _exit(B_EXIT_SYSTEM);
      execv("/proc/self/exe", args);
      _exit(b_refused("a process"));
    }
    close(pipes[1]);
    bool whole = pid > 0 && !merge(r, pipes[0], l);
    close(pipes[0]);
    if (pid < 0) {
      err = b_refused("a process");
    } else if (waitpid(pid, &status, 0) == pid && WIFSIGNALED(status)) {
      rijn_say_as("rijn bench", "a launch was ended by signal %d", WTERMSIG(status));
      err = B_EXIT_SYSTEM;
    } else if (WEXITSTATUS(status) > B_EXIT_FAIL) {
      err = B_EXIT_SYSTEM; /* it said why */
    } else if (!whole) {
      err = b_refused("memory");
    }
  }
  free(args);
  return err;
}
