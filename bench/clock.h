/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Time, and the processors it is measured on. */
#ifndef RIJN_BENCH_CLOCK_H
#define RIJN_BENCH_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum b_clock_kind { B_CLOCK_CHAIN, B_CLOCK_AES512, B_CLOCK_FIXED };

int b_clock_init(enum b_clock_kind kind, double hz);
uint64_t b_ticks_start(void);
uint64_t b_ticks_end(void);
double b_tick_hz(void);
double b_ticks_overhead(void);
/* Core cycles per tick right now, from a chain of known length. */
double b_clock_probe(void);
bool b_clock_has(enum b_clock_kind kind);
const char *b_clock_name(enum b_clock_kind kind);

/* Was this thread alone on its processor between two looks? */
struct b_watch {
  long switches; /* by which the system took the processor away */
  uint64_t busy; /* nanoseconds that this thread had it */
  uint64_t ticks;
};
void b_watch_start(struct b_watch *w);
/* No: it was switched away, or the time stamps went further than its own clock, as they do where an interrupt or the
 * host of a virtual machine took the time. */
bool b_watch_disturbed(const struct b_watch *w);

#define B_MAX_THREADS 64
int b_pin(int cpu);
size_t b_cpu_count(void); /* of those this program was allowed at its start; 1 when that is not known */
int b_cpu_nth(size_t i);  /* the i-th after the caller's of those this program was allowed at its start */
bool b_cpu_has(const char *feature);

static inline void b_serialize(void) {
#if defined(__x86_64__) || defined(__i386__)
  __asm__ volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#elif defined(__powerpc64__)
  __asm__ volatile("isync" ::: "memory");
#endif
}

#endif
