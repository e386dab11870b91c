/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * The whole command: rijn encrypt and rijn decrypt of a file, as a user starts them, with all that costs (the start of
 * a program, the key, reading, writing, the rename). One sample is one start. The file is in the page cache.
 */
#include "bench.h"
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_ROUNDS 5 /* at most: one start takes up to a second */

struct files {
  char dir[PATH_MAX], key[PATH_MAX + 8], text[PATH_MAX + 8], sealed[PATH_MAX + 8], back[PATH_MAX + 8];
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
  /* WHY first: it could make a file yet, and the folder would not be empty. SIGTERM, because it tidies up too. */
  if (running > 0) {
    kill(running, SIGTERM);
    waitpid(running, NULL, 0);
  }
  files_remove(left);
}

/* ---- the files */

static int write_file(const char *path, size_t size, uint64_t seed) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600); /* one of them is a key */
  FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
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

/* The command's exit status, or -1 where it did not come to one. */
static int start(const char *impl, int dir, const struct files *f, const char *out) {
  sigset_t old;
  rijn_signals_hold(&old);
  pid_t pid = fork();
  if (pid == 0) {
    rijn_signals_tidy(NULL); /* the folder is its parent's to remove */
    rijn_signals_release(&old);
    setenv("RIJN_IMPL", impl, 1);
    execl("/proc/self/exe", "rijn", dir == B_ENC ? "encrypt" : "decrypt", "--force", "--key-file", f->key, "--output",
          out, dir == B_ENC ? f->text : f->sealed, (char *)NULL);
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
  return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int files_make(struct files *f, const struct b_case *c) {
  const char *tmp = getenv("TMPDIR");
  tmp = tmp && *tmp ? tmp : "/tmp";
  bool whole = (size_t)snprintf(f->dir, sizeof f->dir, "%s/rijn-bench-XXXXXX", tmp) < sizeof f->dir;
  sigset_t old;
  rijn_signals_hold(&old);
  if (!whole)
    errno = ENAMETOOLONG;
  if (!whole || !mkdtemp(f->dir)) {
    rijn_say_as("rijn bench", "file: cannot make a folder in %s: %s", tmp, strerror(errno));
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

/* 0; B_EXIT_FAIL: what was decrypted is wrong, as the row says then; B_EXIT_SYSTEM, said. */
static int work(const char *impl, int dir, const struct files *f, struct b_row *row) {
  if (!start(impl, dir, f, dir == B_ENC ? f->sealed : f->back))
    return 0;
  /* WHY once more: there room does not count, so that it is the text that decryption refuses. */
  if (dir == B_DEC && start(impl, dir, f, "/dev/null") == RIJN_EXIT_FAILED) {
    snprintf(row->error, sizeof row->error, "rijn decrypt refuses what was encrypted");
    return B_EXIT_FAIL;
  }
  rijn_say_as("rijn bench", "file: rijn %s with %s could not do its work", dir == B_ENC ? "encrypt" : "decrypt", impl);
  return B_EXIT_SYSTEM;
}

static int row_ready(const char *impl, const struct files *f, struct b_row *row) {
  int err = work(impl, B_ENC, f, row);
  if (!err)
    err = work(impl, B_DEC, f, row);
  if (err || same_files(f->text, f->back))
    return err;
  snprintf(row->error, sizeof row->error, "the file came back changed");
  return B_EXIT_FAIL;
}

static int measure(struct b_run_info *r, struct b_row *rows, size_t n, const struct files *f) {
  size_t rounds = r->o->rounds < FILE_ROUNDS ? r->o->rounds : FILE_ROUNDS;
  for (size_t i = 0; i < n; i++) {
    rows[i].cycles = calloc(rounds, sizeof(double));
    rows[i].ns = calloc(rounds, sizeof(double));
    rows[i].per_sample = rows[i].launches = 1;
    if (!rows[i].cycles || !rows[i].ns)
      return b_refused("memory");
    if (row_ready(r->subjects->s[rows[i].subject].name, f, &rows[i]) == B_EXIT_SYSTEM)
      return B_EXIT_SYSTEM;
  }
  for (size_t round = 0; round < rounds; round++)
    for (size_t i = 0; i < n; i++) {
      if (rows[i].error[0])
        continue;
      double rate = b_clock_probe();
      uint64_t t0 = b_ticks_start();
      int err = work(r->subjects->s[rows[i].subject].name, rows[i].c.dir, f, &rows[i]);
      double t = (double)(b_ticks_end() - t0);
      if (err == B_EXIT_SYSTEM)
        return err;
      if (err)
        continue;
      rows[i].cycles[round] = t * rate;
      rows[i].ns[round] = t * 1e9 / b_tick_hz();
      rows[i].n = round + 1;
      r->samples++;
    }
  return 0;
}

/* WHY no error where the system refuses something: the rows of other modes are measured, and nothing is wrong in
 * these. */
void b_file_case(struct b_run_info *r, struct b_row *rows, size_t n) {
  struct files f;
  bool refused = files_make(&f, &rows[0].c) || measure(r, rows, n, &f);
  files_done();
  r->refused |= refused;
  for (size_t i = 0; i < n; i++) {
    r->failed += rows[i].error[0] != 0;
    if (refused)
      rows[i].n = 0; /* perhaps of fewer rounds than the others */
  }
}
