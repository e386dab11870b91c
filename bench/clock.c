/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * An honest clock. Time stamps tick at a rate of their own (2.6 GHz here, whatever the core does), so a figure in
 * core cycles needs the core's rate at that very moment: a chain of known length is timed right before and right
 * after each sample.
 *
 * WHY register adds: some cores fold "add immediate" in the renamer and would report 14 GHz. An add of two registers
 * takes one cycle everywhere. A chain right after 512-bit work reads 4 to 7 % lower than before it, hence both sides,
 * or (--clock aes512) a ruler that is 512-bit work itself.
 */
#include "bench.h"

#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#include <immintrin.h>
#define B_X86 1
#endif

static enum b_clock_kind clock_kind;
static double fixed_hz, tick_hz, overhead, rounds_a_cycle = 1; /* the last: of aes512_ruler */

static uint64_t monotonic_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

uint64_t b_ticks_start(void) {
#ifdef B_X86
  _mm_lfence();
  uint64_t t = __rdtsc();
  _mm_lfence();
  return t;
#else
  b_serialize();
  return monotonic_ns();
#endif
}

uint64_t b_ticks_end(void) {
#ifdef B_X86
  uint32_t lo, hi;
  __asm__ volatile("rdtscp\n\tlfence" : "=a"(lo), "=d"(hi) : : "ecx", "memory"); /* PORT: clang 14 has no __rdtscp */
  return (uint64_t)hi << 32 | lo;
#else
  b_serialize();
  return monotonic_ns();
#endif
}

bool b_cpu_has(const char *feature) {
#ifdef B_X86
  /* These checks read the operating system's state too (XGETBV). */
  static const char *const names[] = {"aes", "avx", "avx2", "vaes", "vpclmulqdq", "avx512f", "pclmul"};
  int has[7];
  __builtin_cpu_init();
  has[0] = __builtin_cpu_supports("aes");
  has[1] = __builtin_cpu_supports("avx");
  has[2] = __builtin_cpu_supports("avx2");
  has[5] = __builtin_cpu_supports("avx512f");
  has[6] = __builtin_cpu_supports("pclmul");
  unsigned a, b, c = 0, d; /* PORT: clang 14's builtin does not know these two */
  if (!has[1] || !__get_cpuid_count(7, 0, &a, &b, &c, &d))
    c = 0;
  has[3] = c >> 9 & 1;
  has[4] = c >> 10 & 1;
  for (int i = 0; i < 7; i++)
    if (!strcmp(names[i], feature))
      return has[i] != 0;
#endif
  (void)feature;
  return false;
}

#define CHAIN_LEN 4096
#define X4(s) s s s s
#define X64(s) X4(X4(X4(s)))

#ifdef B_X86
#define ADD_CHAIN "add %2, %0\n\t"
#elif defined(__aarch64__)
#define ADD_CHAIN "add %0, %0, %2\n\t"
#elif defined(__powerpc64__)
/* PORT: its latency depends on the core: see b_clock_has */
#define ADD_CHAIN "add %0, %0, %2\n\t"
#endif

/* CHAIN_LEN dependent adds. */
static void add_chain(void) {
#ifdef ADD_CHAIN
  uintptr_t a = 1, b = 3;
  int n = CHAIN_LEN / 64;
  do {
    __asm__ volatile(X64(ADD_CHAIN) : "+r"(a), "+r"(n) : "r"(b));
  } while (--n);
#endif
}

#ifdef __x86_64__
/* CHAIN_LEN independent 512-bit AES rounds, fifteen in flight: one a cycle, or two (Zen 5). */
__attribute__((target("avx512f,vaes"), noinline)) static void aes512_ruler(void) {
  for (int n = 0; n < CHAIN_LEN / 64; n++)
    __asm__ volatile(X4("vaesenc %%zmm31, %%zmm16, %%zmm16\n\tvaesenc %%zmm31, %%zmm17, %%zmm17\n\t"
                        "vaesenc %%zmm31, %%zmm18, %%zmm18\n\tvaesenc %%zmm31, %%zmm19, %%zmm19\n\t"
                        "vaesenc %%zmm31, %%zmm20, %%zmm20\n\tvaesenc %%zmm31, %%zmm21, %%zmm21\n\t"
                        "vaesenc %%zmm31, %%zmm22, %%zmm22\n\tvaesenc %%zmm31, %%zmm23, %%zmm23\n\t"
                        "vaesenc %%zmm31, %%zmm24, %%zmm24\n\tvaesenc %%zmm31, %%zmm25, %%zmm25\n\t"
                        "vaesenc %%zmm31, %%zmm26, %%zmm26\n\tvaesenc %%zmm31, %%zmm27, %%zmm27\n\t"
                        "vaesenc %%zmm31, %%zmm28, %%zmm28\n\tvaesenc %%zmm31, %%zmm29, %%zmm29\n\t"
                        "vaesenc %%zmm31, %%zmm30, %%zmm30\n\tvaesenc %%zmm31, %%zmm16, %%zmm16\n\t")
                     :
                     :
                     : "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",
                       "xmm26", "xmm27", "xmm28", "xmm29", "xmm30");
}
#endif

bool b_clock_has(enum b_clock_kind kind) {
  switch (kind) {
  case B_CLOCK_FIXED:
    return true;
  case B_CLOCK_AES512:
#ifdef __x86_64__
    return b_cpu_has("avx512f") && b_cpu_has("vaes");
#else
    return false;
#endif
  case B_CLOCK_CHAIN:
  default:
#if defined(ADD_CHAIN) && !defined(__powerpc64__)
    return true;
#else
    return false; /* PORT: POWER's add has no latency known to be 1 for a chain: give -f HZ there */
#endif
  }
}

const char *b_clock_name(enum b_clock_kind kind) {
  if (kind == B_CLOCK_FIXED)
    return "fixed";
  return kind == B_CLOCK_CHAIN ? "chain" : "aes512";
}

static double probe(enum b_clock_kind kind) {
  uint64_t t0 = b_ticks_start();
#ifdef __x86_64__
  if (kind == B_CLOCK_AES512)
    aes512_ruler();
  else
#endif
    add_chain();
  double t = (double)(b_ticks_end() - t0) - overhead;
  return CHAIN_LEN / (t > 1 ? t : 1);
}

double b_clock_probe(void) {
  if (clock_kind == B_CLOCK_FIXED)
    return fixed_hz / tick_hz;
  return probe(clock_kind) / (clock_kind == B_CLOCK_AES512 ? rounds_a_cycle : 1);
}

double b_tick_hz(void) { return tick_hz; }

double b_ticks_overhead(void) { return overhead; }

int b_clock_init(enum b_clock_kind kind, double hz) {
#ifdef B_X86
  /* The rate of the time stamp counter, against the system's clock; the middle one of three, because an interrupt at
   * either end of a try makes it wrong. */
  double rates[3];
  for (int i = 0; i < 3; i++) {
    uint64_t n0 = monotonic_ns(), t0 = b_ticks_start(), n1;
    do {
      n1 = monotonic_ns();
    } while (n1 - n0 < 10000000);
    rates[i] = (double)(b_ticks_end() - t0) * 1e9 / (double)(n1 - n0);
  }
  tick_hz = b_quantile(rates, 3, 0.5);
#else
  tick_hz = 1e9;
#endif
  overhead = 1e9;
  for (int i = 0; i < 1000; i++) {
    uint64_t t0 = b_ticks_start();
    double d = (double)(b_ticks_end() - t0);
    if (d < overhead)
      overhead = d;
  }
  clock_kind = kind;
  fixed_hz = hz;
  if (kind == B_CLOCK_AES512) {
    /* Against the chain, which the work slows by a few percent only: a whole number, or a half on a narrow core. */
    double ratios[101];
    for (int i = 0; i < 101; i++)
      ratios[i] = probe(B_CLOCK_AES512) / probe(B_CLOCK_CHAIN);
    double r = b_quantile(ratios, 101, 0.5);
    rounds_a_cycle = r < 0.75 ? 0.5 : floor(r + 0.5);
  }
  return 0;
}

static uint64_t thread_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static long thread_switches(void) {
  struct rusage u;
  return getrusage(RUSAGE_THREAD, &u) ? 0 : u.ru_nivcsw;
}

/* The time stamps are taken inside: so the thread's own clock has run for longer, unless it was stopped. */
void b_watch_start(struct b_watch *w) {
  w->switches = thread_switches();
  w->busy = thread_ns();
  w->ticks = b_ticks_start();
}

bool b_watch_disturbed(const struct b_watch *w) {
  double passed = (double)(b_ticks_end() - w->ticks) * 1e9 / tick_hz;
  double busy = (double)(thread_ns() - w->busy);
  return thread_switches() != w->switches || passed > busy * 1.02 + 500;
}

static cpu_set_t allowed;
static bool allowed_known;

static int read_allowed(void) {
  if (!allowed_known && sched_getaffinity(0, sizeof allowed, &allowed))
    return -1;
  allowed_known = true;
  return 0;
}

size_t b_cpu_count(void) { return read_allowed() ? 1 : (size_t)CPU_COUNT(&allowed); }

int b_cpu_nth(size_t i) {
  if (read_allowed())
    return -2;
  int here = sched_getcpu();
  unsigned cpu = here < 0 ? 0 : (unsigned)here;
  for (size_t at = i % (size_t)CPU_COUNT(&allowed); at > 0;) {
    cpu = (cpu + 1) % CPU_SETSIZE;
    at -= CPU_ISSET(cpu, &allowed) != 0;
  }
  return (int)cpu;
}

int b_pin(int cpu) {
  cpu_set_t set;
  if (cpu == -2)
    return 0;
  if (read_allowed())
    return -1;
  if (cpu < 0) { /* the last one: interrupts tend to land on the first */
    for (cpu = CPU_SETSIZE - 1; cpu > 0 && !CPU_ISSET((unsigned)cpu, &allowed); cpu--)
      ;
  }
  CPU_ZERO(&set);
  CPU_SET((unsigned)cpu, &set);
  return sched_setaffinity(0, sizeof set, &set);
}
