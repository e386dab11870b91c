/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * The whole command: rijn encrypt and rijn decrypt of a file, as a user starts them, with all that costs (the start of
 * a program, the key, reading, writing, the rename). One sample is one start. The file is in the page cache.
 */
#include "bench.h"
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_ROUNDS 5 /* at most: one start takes up to a second */

struct files {
  char dir[256], key[300], text[300], sealed[300], back[300];
};

static void files_remove(const struct files *f) {
  unlink(f->key);
  unlink(f->text);
  unlink(f->sealed);
  unlink(f->back);
  rmdir(f->dir);
}

/* ---- signals: one that ends the program takes the folder with it */

static const struct files *volatile left; /* the folder that is there; NULL: none */
static volatile pid_t running;            /* the command that is being measured, or 0 */

static void remove_left(void) {
  /* WHY first: it could make a file yet, and the folder would not be empty. SIGTERM, for it tidies up too. */
  if (running > 0) {
    kill(running, SIGTERM);
    waitpid(running, NULL, 0);
  }
  files_remove(left);
}

/* ---- the files */

static int write_file(const char *path, size_t size, uint64_t seed) {
  FILE *f = fopen(path, "w");
  if (!f)
    return -1;
  for (size_t i = 0; i < size; i++) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    fputc((int)(seed >> 56), f);
  }
  int bad = ferror(f);
  return fclose(f) || bad ? -1 : 0;
}

static int same_files(const char *a, const char *b) {
  FILE *f = fopen(a, "r"), *g = fopen(b, "r");
  int same = f && g, c = 0;
  while (same && c != EOF) {
    c = getc(f);
    same = getc(g) == c;
  }
  if (f)
    fclose(f);
  if (g)
    fclose(g);
  return same;
}

static int start(const char *impl, int dir, const struct files *f) {
  sigset_t old;
  rijn_signals_hold(&old);
  pid_t pid = fork();
  if (pid == 0) {
    rijn_signals_tidy(NULL); /* the folder is its parent's to remove */
    rijn_signals_release(&old);
    setenv("RIJN_IMPL", impl, 1);
    execl("/proc/self/exe", "rijn", dir == B_ENC ? "encrypt" : "decrypt", "--force", "--key-file", f->key, "--output",
          dir == B_ENC ? f->sealed : f->back, dir == B_ENC ? f->text : f->sealed, (char *)NULL);
    _exit(127);
  }
  running = pid;
  rijn_signals_release(&old);
  /* WHY WNOWAIT: until the handler knows that it is gone, its number is nobody else's. */
  siginfo_t info;
  while (pid > 0 && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0)
    if (errno != EINTR)
      return -1;
  running = 0;
  int status = -1;
  if (pid > 0 && waitpid(pid, &status, 0) < 0)
    return -1;
  return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static int files_make(struct files *f, const struct b_case *c) {
  const char *tmp = getenv("TMPDIR");
  snprintf(f->dir, sizeof f->dir, "%.200s/rijn-bench-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  sigset_t old;
  rijn_signals_hold(&old);
  if (!mkdtemp(f->dir)) {
    rijn_say_as("rijn bench", "file: cannot make a folder %s: %s", f->dir, strerror(errno));
    rijn_signals_release(&old);
    return B_EXIT_SYSTEM;
  }
  snprintf(f->key, sizeof f->key, "%s/key", f->dir);
  snprintf(f->text, sizeof f->text, "%s/text", f->dir);
  snprintf(f->sealed, sizeof f->sealed, "%s/sealed", f->dir);
  snprintf(f->back, sizeof f->back, "%s/back", f->dir);
  left = f;
  rijn_signals_tidy(remove_left);
  rijn_signals_release(&old);
  if (write_file(f->key, (size_t)c->key_bits / 8, 1) || write_file(f->text, c->size, 2)) {
    rijn_say_as("rijn bench", "file: cannot write into %s: %s", f->dir, strerror(errno));
    return B_EXIT_SYSTEM;
  }
  return 0;
}

static void files_done(void) {
  sigset_t old;
  rijn_signals_hold(&old);
  rijn_signals_tidy(NULL);
  if (left) {
    files_remove(left);
    left = NULL;
  }
  rijn_signals_release(&old);
}

static int row_ready(const char *impl, const struct b_case *c, const struct files *f, struct b_row *row) {
  if (start(impl, B_ENC, f))
    snprintf(row->error, sizeof row->error, "rijn encrypt failed");
  else if (start(impl, B_DEC, f))
    snprintf(row->error, sizeof row->error, "rijn decrypt failed");
  else if (!same_files(f->text, f->back))
    snprintf(row->error, sizeof row->error, "the file came back changed");
  (void)c;
  return row->error[0] ? -1 : 0;
}

int b_file_case(struct b_run_info *r, struct b_row *rows, size_t n) {
  struct files f;
  size_t rounds = r->o->rounds < FILE_ROUNDS ? r->o->rounds : FILE_ROUNDS;
  int err = files_make(&f, &rows[0].c);
  for (size_t i = 0; i < n && !err; i++) {
    rows[i].cycles = calloc(rounds, sizeof(double));
    rows[i].ns = calloc(rounds, sizeof(double));
    rows[i].per_sample = rows[i].launches = 1;
    if (!rows[i].cycles || !rows[i].ns)
      err = b_refused("memory");
    else if (row_ready(r->subjects->s[rows[i].subject].name, &rows[i].c, &f, &rows[i]))
      r->failed++;
  }
  for (size_t round = 0; round < rounds && !err; round++)
    for (size_t i = 0; i < n; i++) {
      if (rows[i].error[0])
        continue;
      double rate = b_clock_probe();
      uint64_t t0 = b_ticks_start();
      if (start(r->subjects->s[rows[i].subject].name, rows[i].c.dir, &f)) {
        snprintf(rows[i].error, sizeof rows[i].error, "failed while timed");
        r->failed++;
        continue;
      }
      double t = (double)(b_ticks_end() - t0);
      rows[i].cycles[round] = t * rate;
      rows[i].ns[round] = t * 1e9 / b_tick_hz();
      rows[i].n = round + 1;
      r->samples++;
    }
  files_done();
  return err;
}
