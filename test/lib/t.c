/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#define _GNU_SOURCE
#include "t.h"

#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static uint64_t checks, failures;
static const char *at_fmt;
static size_t at_arg[4];
static int cur_impl = -1, only_impl = -1;
static bool told_missing;
static double seconds_opt = -1;
static uint64_t rnd_state = 1;
static const char *prog = "test";

/* ---- checks */

static void where(FILE *f) {
  if (cur_impl >= 0)
    fprintf(f, " [%s]", rijn_impl_name(cur_impl));
  if (at_fmt != NULL) {
    fputs(" (", f);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    fprintf(f, at_fmt, at_arg[0], at_arg[1], at_arg[2], at_arg[3]);
#pragma GCC diagnostic pop
    fputc(')', f);
  }
}

static void vfail(const char *file, int line, const char *fmt, va_list ap) {
  fflush(stdout);
  fprintf(stderr, "%s: %s:%d: FAILED", prog, file, line);
  where(stderr);
  fputs(": ", stderr);
  vfprintf(stderr, fmt, ap);
  fputc('\n', stderr);
  if (++failures >= 20) {
    fprintf(stderr, "%s: stopped after %llu failures\n", prog, (unsigned long long)failures);
    exit(1);
  }
}

void t_fail(const char *file, int line, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  vfail(file, line, fmt, ap);
  va_end(ap);
}

void t_die(const char *file, int line, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  vfail(file, line, fmt, ap);
  va_end(ap);
  exit(1);
}

void t_check(const char *file, int line, const char *what, bool ok) {
  checks++;
  if (!ok)
    t_fail(file, line, "%s", what);
}

void t_check_eq(const char *file, int line, const char *what, long long got, long long want) {
  checks++;
  if (got != want)
    t_fail(file, line, "%s is %lld, expected %lld", what, got, want);
}

static void hexline(char *s, size_t room, const uint8_t *p, size_t n) {
  size_t k = 0;
  for (size_t i = 0; i < n && k + 3 < room; i++)
    k += (size_t)snprintf(s + k, room - k, "%02x", p[i]);
}

void t_check_mem(const char *file, int line, const char *what, const void *got, const void *want, size_t n) {
  const uint8_t *g = got, *w = want;
  checks++;
  if (n == 0 || memcmp(g, w, n) == 0)
    return;
  size_t i = 0;
  char gs[40] = "", ws[40] = "";
  while (g[i] == w[i])
    i++;
  size_t m = n - i < 16 ? n - i : 16;
  hexline(gs, sizeof gs, g + i, m);
  hexline(ws, sizeof ws, w + i, m);
  t_fail(file, line, "%s differs from byte %zu of %zu: %s, expected %s", what, i, n, gs, ws);
}

void t_check_all(const char *file, int line, const char *what, const void *got, int value, size_t n) {
  const uint8_t *g = got;
  checks++;
  if (n == 0 || (g[0] == value && memcmp(g, g + 1, n - 1) == 0)) {
    return;
  }
  for (size_t i = 0; i < n; i++) {
    if (g[i] != value) {
      t_fail(file, line, "%s: byte %zu of %zu is %02x, expected %02x", what, i, n, g[i], (unsigned)value);
      return;
    }
  }
}

void t_at(const char *fmt, size_t a, size_t b, size_t c, size_t d) {
  at_fmt = fmt;
  at_arg[0] = a;
  at_arg[1] = b;
  at_arg[2] = c;
  at_arg[3] = d;
}

/* ---- the program */

/* A kernel that reads or writes too far ends here: say which one, and where, then fail. stdio in a handler is
 * not allowed in general; the fault comes from a kernel, which holds no lock of stdio, and the program ends. */
static void on_fault(int sig, siginfo_t *info, void *ctx) {
  (void)ctx;
  fflush(stdout);
  fprintf(stderr, "%s: %s at address %p", prog, sig == SIGILL ? "illegal instruction" : "memory fault", info->si_addr);
  where(stderr);
  fputc('\n', stderr);
  fflush(stderr);
  _exit(1);
}

static uint64_t number(const char *opt, const char *s) {
  char *end;
  unsigned long long v = s != NULL ? strtoull(s, &end, 0) : 0;
  if (s == NULL || *s == 0 || *end != 0 || v == ULLONG_MAX) {
    fprintf(stderr, "%s: %s needs a number, not \"%s\"\n", prog, opt, s != NULL ? s : "");
    exit(2);
  }
  return v;
}

void t_init_quiet(int argc, char **argv) {
  uint64_t seed = 20260101;
  prog = strrchr(argv[0], '/') != NULL ? strrchr(argv[0], '/') + 1 : argv[0];
  for (int i = 1; i < argc; i++) {
    const char *val = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(argv[i], "--seed") == 0) {
      seed = number(argv[i++], val);
    } else if (strcmp(argv[i], "--seconds") == 0) {
      seconds_opt = (double)number(argv[i++], val);
    } else if (strcmp(argv[i], "--impl") == 0 && val != NULL) {
      only_impl = rijn_impl_find(val);
      if (only_impl < 0 || !rijn_impl_supported(only_impl)) {
        fprintf(stderr, "%s: --impl %s: unknown, or not supported by this machine\n", prog, val);
        exit(2);
      }
      i++;
    } else {
      fprintf(stderr, "%s: unknown option %s\nusage: %s [--impl NAME] [--seed N] [--seconds N]\n", prog, argv[i], prog);
      exit(2);
    }
  }
  struct sigaction sa;
  memset(&sa, 0, sizeof sa);
  sa.sa_sigaction = on_fault;
  sa.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &sa, NULL);
  sigaction(SIGBUS, &sa, NULL);
  sigaction(SIGILL, &sa, NULL);
  t_seed(seed);
  t_require_impls();
}

void t_init(int argc, char **argv) {
  t_init_quiet(argc, argv);
  printf("%s: seed %llu\n", prog, (unsigned long long)rnd_state);
}

int t_done(void) {
  if (checks == 0) {
    fprintf(stderr, "%s: FAILED: not one check was made\n", prog);
    return 1;
  }
  printf("%s: %llu checks, %llu failures\n", prog, (unsigned long long)checks, (unsigned long long)failures);
  return failures != 0;
}

double t_seconds(double normal) { return seconds_opt >= 0 ? seconds_opt : normal; }

double t_now(void) {
  struct timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

bool t_slow(void) {
  const char *s = getenv("RIJN_TEST_SLOW");
  return s != NULL && *s != 0 && strcmp(s, "0") != 0;
}

uint64_t t_failures(void) { return failures; }

/* ---- implementations */

int t_impl_next(int i) {
  int n = rijn_impl_count();
  if (!told_missing) {
    told_missing = true;
    for (int k = 0; k < n; k++) {
      char why[256];
      if (!rijn_impl_supported(k)) {
        printf("%s: not run: %s (%s)\n", prog, rijn_impl_name(k), rijn_impl_why(k, why, sizeof why));
      }
    }
  }
  if (only_impl >= 0) {
    cur_impl = i < 0 ? only_impl : -1;
  } else {
    for (i++; i < n && !rijn_impl_supported(i);)
      i++;
    cur_impl = i < n ? i : -1;
  }
  at_fmt = NULL;
  if (cur_impl >= 0) {
    printf("%s: %s\n", prog, rijn_impl_name(cur_impl));
    fflush(stdout);
  }
  return cur_impl;
}

void t_set_impl(int i) { cur_impl = i; }

int t_portable(void) {
  int i = rijn_impl_find("portable");
  REQUIRE(i >= 0);
  return i;
}

int t_require_impls(void) {
  const char *s = getenv("RIJN_REQUIRE_IMPLS");
  int names = 0;
  if (s == NULL)
    return 0;
  while (*s != 0) {
    char name[64], why[256];
    size_t n = strcspn(s, ", ");
    if (n > 0) {
      REQUIRE(n < sizeof name);
      memcpy(name, s, n);
      name[n] = 0;
      names++;
      checks++;
      int i = rijn_impl_find(name);
      if (i < 0) {
        t_fail(__FILE__, __LINE__, "RIJN_REQUIRE_IMPLS: \"%s\" is not in this build", name);
      } else if (!rijn_impl_supported(i)) {
        t_fail(__FILE__, __LINE__, "RIJN_REQUIRE_IMPLS: \"%s\" does not run here: %s", name,
               rijn_impl_why(i, why, sizeof why));
      }
    }
    s += n;
    if (*s != 0)
      s++;
  }
  return names;
}

/* ---- random numbers */

void t_seed(uint64_t seed) { rnd_state = seed; }

uint64_t t_rnd(void) {
  uint64_t z = rnd_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

size_t t_below(size_t n) { return n == 0 ? 0 : (size_t)(t_rnd() % n); }
size_t t_between(size_t lo, size_t hi) { return lo + t_below(hi - lo + 1); }

void t_fill(void *p, size_t n) {
  uint8_t *b = p;
  for (size_t i = 0; i < n; i++) {
    /* A shift, not a copy of the word: the bytes are equal on machines of either endianness. */
    uint64_t w = t_rnd();
    size_t m = n - i < 8 ? n - i : 8;
    for (size_t k = 0; k < m; k++)
      b[i + k] = (uint8_t)(w >> (8 * k));
    i += m - 1;
  }
}

/* ---- guarded buffers */

#define POISON_SPAN 512

t_buf t_buf_new(size_t n) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  t_buf b;
  b.cap = (n + POISON_SPAN + page - 1) / page * page;
  uint8_t *all = mmap(NULL, b.cap + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(all != MAP_FAILED);
  b.lo = all + page;
  REQUIRE(mprotect(b.lo, b.cap, PROT_READ | PROT_WRITE) == 0);
  memset(b.lo, T_POISON, b.cap);
  return b;
}

void t_buf_free(t_buf *b) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  REQUIRE(munmap(b->lo - page, b->cap + 2 * page) == 0);
  b->lo = NULL;
  b->cap = 0;
}

uint8_t *t_end(const t_buf *b, size_t n) {
  REQUIRE(n <= b->cap);
  return b->lo + (b->cap - n);
}

uint8_t *t_start(const t_buf *b, size_t off) {
  REQUIRE(off <= b->cap);
  return b->lo + off;
}

static size_t span_before(const t_buf *b, const uint8_t *p) {
  size_t n = (size_t)(p - b->lo);
  return n < POISON_SPAN ? n : POISON_SPAN;
}

static size_t span_after(const t_buf *b, const uint8_t *p, size_t n) {
  size_t m = b->cap - (size_t)(p - b->lo) - n;
  return m < POISON_SPAN ? m : POISON_SPAN;
}

void t_poison(const t_buf *b, const uint8_t *p, size_t n) {
  size_t before = span_before(b, p);
  uint8_t *q = b->lo + (size_t)(p - b->lo);
  memset(q - before, T_POISON, before + n + span_after(b, p, n));
}

void t_check_poison(const char *file, int line, const t_buf *b, const uint8_t *p, size_t n) {
  size_t before = span_before(b, p);
  t_check_all(file, line, "memory before the buffer", p - before, T_POISON, before);
  t_check_all(file, line, "memory after the buffer", p + n, T_POISON, span_after(b, p, n));
}

void t_readonly(const t_buf *b, bool on) {
  REQUIRE(mprotect(b->lo, b->cap, on ? PROT_READ : PROT_READ | PROT_WRITE) == 0);
}

void *t_lay(const t_buf *b, const void *bytes, size_t n, bool at_end, bool readonly) {
  uint8_t *p = at_end ? t_end(b, n) : t_start(b, 0);
  t_readonly(b, false);
  t_poison(b, p, n);
  memcpy(p, bytes, n);
  if (readonly)
    t_readonly(b, true);
  return p;
}

uint8_t *t_folded(size_t n, size_t piece) {
  int fd = memfd_create("rijn-test", 0);
  REQUIRE(fd >= 0 && ftruncate(fd, (off_t)piece) == 0);
  uint8_t *map = mmap(NULL, n / piece * piece + piece, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(map != MAP_FAILED);
  for (size_t p = 0; p < n; p += piece)
    REQUIRE(mmap(map + p, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED);
  REQUIRE(close(fd) == 0);
  return map;
}

/* ---- hex */

static int digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

size_t t_hex(void *out, size_t room, const char *hex) {
  uint8_t *o = out;
  size_t n = 0;
  for (; hex[0] != 0; hex += 2) {
    int hi = digit(hex[0]), lo = hi < 0 ? -1 : digit(hex[1]);
    REQUIRE(hi >= 0 && lo >= 0 && n < room);
    o[n++] = (uint8_t)(hi << 4 | lo);
  }
  return n;
}
