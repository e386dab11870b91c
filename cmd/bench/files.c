/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * rijn bench file: a file beside cp and the programs that others encrypt with, each as its users start it. Each round
 * starts each program once, in turn, so that what else the machine does meets all of them. The text is in the page
 * cache, and no output is there before.
 */
#include "bench.h"
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define SMALL_BYTES 100

enum { WORDS = 24, FILES_ROUNDS = 5, FILES_MIB = 256 };

/* The lines of the table that others are compared with. */
enum { CP, DURABLE, QUICK, ONE_THREAD };

struct program {
  const char *name;
  const char *needs;   /* a program that is looked for in PATH; NULL: none */
  const char *command; /* words with blanks between; RIJN is this program; "|" needs a shell */
  const char *prepare; /* a command that has to come to an end well; NULL: none */
  bool small;          /* its text is the small one */
  bool there;
  double *seconds;
};

static const char script[] = "from cryptography import cobblestone\n"
                             "e = cobblestone.Cobblestone256Encryptor(open('raw', 'rb').read(), b'')\n"
                             "with open('text', 'rb') as f, open('out', 'wb') as g:\n"
                             "    while part := f.read(1 << 20):\n"
                             "        g.write(e.update(part))\n"
                             "    g.write(e.finalize())\n";

static struct program programs[] = {
    {.name = "cp, not on the disk yet", .needs = "cp", .command = "cp text out"},
    {.name = "rijn encrypt", .command = "RIJN encrypt -k key -o out text"},
    {.name = "rijn encrypt --sync=no", .command = "RIJN encrypt --sync=no -k key -o out text"},
    {.name = "  the same, one thread", .command = "RIJN encrypt --sync=no -j 1 -k key -o out text"},
    {.name = "rijn decrypt --sync=no", .command = "RIJN decrypt --sync=no -k key -o out sealed"},
    {.name = "rijn verify", .command = "RIJN verify -k key sealed"},
    {.name = "cat | rijn encrypt | cat", .command = "cat text | \"$RIJN\" encrypt -k key | cat >/dev/null"},
    {.name = "cp, then sync", .needs = "sync", .command = "cp text out && sync out", .prepare = "sync key"},
    {.name = "age", .needs = "age", .command = "age -e -i age.key -o out text", .prepare = "age-keygen -o age.key"},
    {.name = "openssl enc, which cannot verify",
     .needs = "openssl",
     .command = "openssl enc -aes-256-ctr -pbkdf2 -pass file:phrase -in text -out out"},
    {.name = "gpg --symmetric",
     .needs = "gpg",
     .command = "gpg -q --batch --pinentry-mode loopback --passphrase-file phrase --cipher-algo AES256 -z 0 -o out -c "
                "text"},
    {.name = "PyPI cryptography",
     .needs = "python3",
     .command = "python3 cobblestone.py",
     .prepare = "python3 -c import\\ cryptography.cobblestone"},
    {.name = "rijn encrypt, 100 bytes", .command = "RIJN encrypt --sync=no -k key -o out small", .small = true},
};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

static char folder[PATH_MAX], self[PATH_MAX];
static const char *kind; /* of the folder's file system */

/* ---------------------------------------------------------------- programs */

/* Is it in PATH? */
static bool found(const char *name) {
  const char *path = getenv("PATH");
  char file[PATH_MAX];
  for (const char *p = path ? path : ""; *p; p += strspn(p, ":")) {
    int n = (int)strcspn(p, ":");
    if ((size_t)snprintf(file, sizeof file, "%.*s/%s", n, p, name) < sizeof file && access(file, X_OK) == 0)
      return true;
    p += n;
  }
  return false;
}

/* Words of a command, in text, which is cut up: a blank behind a backslash is none between words. */
static void split(char *text, char **words) {
  size_t n = 0;
  for (char *p = text; *p && n + 1 < WORDS; n++) {
    char *to = p;
    for (words[n] = p; *p && *p != ' '; p++) {
      p += *p == '\\';
      *to++ = *p;
    }
    p += *p != '\0';
    *to = '\0';
    if (!strcmp(words[n], "RIJN"))
      words[n] = self;
  }
  words[n] = NULL;
}

/* In the child. WHY a shell only where there is a pipe: its start costs what a small file does. */
_Noreturn static void become(const char *command, bool quiet) {
  char text[512], *words[WORDS] = {"sh", "-c", text, NULL};
  int null = open("/dev/null", O_RDWR);
  snprintf(text, sizeof text, "%s", command);
  if (!strpbrk(command, "|&"))
    split(text, words);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  if (quiet)
    dup2(null, STDERR_FILENO);
  setenv("RIJN", self, 1);
  setenv("GNUPGHOME", folder, 1);
  if (chdir(folder) == 0)
    execvp(words[0], words);
  _exit(127);
}

static volatile pid_t running;

/* The exit status, or -1 where it did not come to one. */
static int start(const char *command, bool quiet) {
  sigset_t old;
  siginfo_t info;
  int status = -1;
  rijn_signals_hold(&old);
  pid_t pid = fork();
  if (pid == 0) {
    rijn_signals_tidy(NULL); /* the folder is its parent's to remove */
    rijn_signals_release(&old);
    become(command, quiet);
  }
  running = pid;
  rijn_signals_release(&old);
  /* WHY WNOWAIT: until the handler knows that it is gone, its number is nobody else's. */
  while (pid > 0 && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0)
    if (errno != EINTR)
      return -1;
  running = 0;
  if (pid < 0 || waitpid(pid, &status, 0) < 0)
    return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---------------------------------------------------------------- the folder */

/* Also in a handler of signals: nothing but calls that may be made there. */
static void remove_folder(void) {
  if (running > 0) {
    kill(running, SIGTERM);
    waitpid(running, NULL, 0);
  }
  pid_t pid = fork();
  if (pid == 0) {
    char *const args[] = {"rm", "-rf", "--", folder, NULL}, *const env[] = {NULL};
    execve("/bin/rm", args, env);
    _exit(127);
  }
  if (pid > 0)
    waitpid(pid, NULL, 0);
}

static int make_folder(const struct b_options *o) {
  const char *tmp = o->folder ? o->folder : getenv("TMPDIR");
  if (!tmp || !*tmp)
    tmp = "/tmp";
  sigset_t old;
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n > 0 ? n : 0] = '\0';
  rijn_signals_hold(&old);
  bool ok = (size_t)snprintf(folder, sizeof folder, "%s/rijn-bench-XXXXXX", tmp) < sizeof folder && mkdtemp(folder);
  if (ok)
    rijn_signals_tidy(remove_folder);
  else
    rijn_say_as("rijn bench", "file: cannot make a folder in %s: %s", tmp, strerror(errno));
  rijn_signals_release(&old);
  return ok ? 0 : B_EXIT_SYSTEM;
}

static FILE *open_in(const char *name, const char *mode) {
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return fopen(path, mode);
}

/* len bytes that no program can make shorter; or text. */
static int write_file(const char *name, const char *text, size_t len) {
  static uint64_t block[MIB / 8];
  static uint64_t x = 88172645463325252u;
  FILE *f = open_in(name, "w");
  bool ok = f != NULL && (!text || fputs(text, f) >= 0);
  for (size_t n; ok && !text && len > 0; len -= n) {
    for (size_t i = 0; i < MIB / 8; i++) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      block[i] = x;
    }
    n = len < MIB ? len : MIB;
    ok = fwrite(block, 1, n, f) == n;
  }
  if (f)
    ok = fclose(f) == 0 && ok;
  if (!ok)
    rijn_say_as("rijn bench", "file: cannot write into %s: %s", folder, strerror(errno));
  return ok ? 0 : B_EXIT_SYSTEM;
}

static bool same(const char *a, const char *b) {
  static char x[MIB], y[MIB];
  FILE *f = open_in(a, "r"), *g = open_in(b, "r");
  bool equal = f && g;
  for (size_t n = 1; equal && n > 0;) {
    n = fread(x, 1, MIB, f);
    equal = fread(y, 1, MIB, g) == n && memcmp(x, y, n) == 0;
  }
  if (f)
    fclose(f);
  if (g)
    fclose(g);
  return equal;
}

/* Texts, keys, and one file that was encrypted and comes back. */
static int make_files(size_t mib) {
  umask(077);
  int err = write_file("text", NULL, mib * MIB);
  err = err ? err : write_file("small", NULL, SMALL_BYTES);
  err = err ? err : write_file("phrase", "a passphrase\n", 0);
  err = err ? err : write_file("cobblestone.py", script, 0);
  if (err)
    return err;
  static const char *const steps[] = {"RIJN keygen -o key", "RIJN keygen --raw -o raw",
                                      "RIJN encrypt -k key -o sealed text", "RIJN decrypt -k key -o out sealed"};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (start(steps[i], false)) {
      rijn_say_as("rijn bench", "file: rijn%s: could not do its work", steps[i] + 4);
      return B_EXIT_SYSTEM;
    }
  if (same("text", "out"))
    return 0;
  rijn_say_as("rijn bench", "file: WRONG: the file came back changed");
  return B_EXIT_FAIL;
}

/* ---------------------------------------------------------------- measuring */

static void remove_out(void) {
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/out", folder);
  unlink(path);
}

/* Which of them are here. */
static int find(size_t rounds) {
  for (int i = 0; i < PROGRAMS; i++) {
    struct program *p = &programs[i];
    p->there = (!p->needs || found(p->needs)) && (!p->prepare || start(p->prepare, true) == 0);
    p->seconds = calloc(rounds, sizeof(double));
    if (!p->seconds)
      return b_refused("memory");
  }
  return programs[CP].there ? 0 : b_refused("cp");
}

static int measure(size_t rounds) {
  for (size_t r = 0; r < rounds; r++)
    for (int i = 0; i < PROGRAMS; i++) {
      struct program *p = &programs[i];
      if (!p->there)
        continue;
      remove_out();
      double from = rijn_now();
      int status = start(p->command, false);
      p->seconds[r] = rijn_now() - from;
      if (status == 0)
        continue;
      rijn_say_as("rijn bench", "file: %s: could not do its work", p->name);
      if (!p->needs || i == CP)
        return B_EXIT_SYSTEM;
      p->there = false; /* another's fault is no reason to measure nothing */
    }
  return 0;
}

/* ---------------------------------------------------------------- the table */

static double low(int i, size_t rounds) { return b_quantile(programs[i].seconds, rounds, 0.1); }

/* WHY not the quotient of two columns: what else the machine did in a round met both. */
static double times(int i, int base, size_t rounds) {
  double *v = calloc(rounds, sizeof *v), median = NAN;
  for (size_t r = 0; v && r < rounds; r++)
    v[r] = programs[i].seconds[r] / programs[base].seconds[r];
  if (v)
    median = b_quantile(v, rounds, 0.5);
  free(v);
  return median;
}

static const char *kind_of_folder(void) {
  static const struct {
    long type;
    const char *name;
  } kinds[] = {{0xEF53, "ext4"},        {0x01021994, "tmpfs"}, {0x9123683E, "btrfs"}, {0x58465342, "xfs"},
               {0x794C7630, "overlay"}, {0x6969, "NFS"},       {0x2FC12FC1, "ZFS"}};
  struct statfs fs;
  for (size_t i = 0; statfs(folder, &fs) == 0 && i < sizeof kinds / sizeof *kinds; i++)
    if ((long)fs.f_type == kinds[i].type)
      return kinds[i].name;
  return "a file system of another kind";
}

static void show(size_t mib, size_t rounds) {
  char missing[256] = "";
  printf("A file of %zu MiB on %s, %zu rounds in which each program runs once.\n", mib, kind, rounds);
  printf("seconds: the lowest tenth. times cp: the median of the rounds.\n\n");
  printf("%-34s %9s %8s %9s %9s\n", "", "seconds", "median", "MB/s", "times cp");
  for (int i = 0; i < PROGRAMS; i++) {
    const struct program *p = &programs[i];
    if (!p->there) {
      size_t n = strlen(missing);
      snprintf(missing + n, sizeof missing - n, "%s%s", n ? ", " : "", p->name);
      continue;
    }
    double t = low(i, rounds), median = b_quantile(p->seconds, rounds, 0.5);
    if (p->small)
      printf("%-34s %9.5f %8.5f\n", p->name, t, median);
    else
      printf("%-34s %9.3f %8.3f %9.0f %9.2f\n", p->name, t, median, (double)(mib * MIB) / t * 1e-6,
             times(i, CP, rounds));
  }
  if (missing[0])
    printf("\nnot measured: %s\n", missing);
  printf("\nrijn encrypt ends when the file is on the disk; --sync=no does not wait for that.\n");
  double waiting = 1 - times(QUICK, DURABLE, rounds);
  if (waiting > 0.25)
    printf("%.0f %% of its time is waiting for the disk: there the disk is what is measured.\n", 100 * waiting);
  printf("With all processors it takes %.2f of the time of one thread.\n", times(QUICK, ONE_THREAD, rounds));
}

int b_files(const struct b_options *o) {
  size_t rounds = o->rounds ? o->rounds : FILES_ROUNDS, mib = o->mib ? o->mib : FILES_MIB;
  int err = make_folder(o);
  if (err)
    return err;
  kind = kind_of_folder();
  err = make_files(mib);
  err = err ? err : find(rounds);
  err = err ? err : measure(rounds);
  if (found("gpgconf"))
    (void)start("gpgconf --kill gpg-agent", true); /* gpg leaves it running */
  sigset_t old;
  rijn_signals_hold(&old);
  rijn_signals_tidy(NULL);
  remove_folder();
  rijn_signals_release(&old);
  if (!err)
    show(mib, rounds);
  for (int i = 0; i < PROGRAMS; i++) {
    free(programs[i].seconds);
    programs[i].seconds = NULL;
  }
  return err;
}
