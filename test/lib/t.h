/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * What all tests share: checks that say where, a deterministic random generator, buffers between guard pages,
 * and the walk over the implementation table.
 *
 * A test is a program:   int main(int argc, char **argv) { t_init(argc, argv); T_IMPLS(i) { ... } return t_done(); }
 * Options of every test: --impl NAME (only this one), --seed N, --seconds N (for the random ones).
 * Environment:           RIJN_REQUIRE_IMPLS=name,name  a missing one is a failure, in every test
 *                        RIJN_TEST_SLOW=1              the wide settings
 */
#ifndef RIJN_T_H
#define RIJN_T_H

#include "rijn.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- checks. All go on after a failure; the 20th ends the program. */
#define CHECK(cond) t_check(__FILE__, __LINE__, #cond, (cond))
/* Equal integers (errors, lengths, indices). */
#define CHECK_EQ(got, want) t_check_eq(__FILE__, __LINE__, #got, (long long)(got), (long long)(want))
/* Equal bytes. */
#define CHECK_MEM(got, want, n) t_check_mem(__FILE__, __LINE__, #got, (got), (want), (n))
/* All bytes have one value. */
#define CHECK_ALL(got, value, n) t_check_all(__FILE__, __LINE__, #got, (got), (value), (n))
/* The call is refused with that error, and leaves two arrays as they are, poisoned before. */
#define CHECK_REFUSED(want, call, a, b)                                                                                \
  do {                                                                                                                 \
    memset((a), T_POISON, sizeof(a));                                                                                  \
    memset((b), T_POISON, sizeof(b));                                                                                  \
    CHECK_EQ(call, want);                                                                                              \
    CHECK_ALL((a), T_POISON, sizeof(a));                                                                               \
    CHECK_ALL((b), T_POISON, sizeof(b));                                                                               \
  } while (0)
/* So is an init, which leaves the object. */
#define INIT_REFUSED(want, obj, call)                                                                                  \
  do {                                                                                                                 \
    memset((obj), T_POISON, sizeof *(obj));                                                                            \
    CHECK_EQ(call, want);                                                                                              \
    CHECK_ALL((obj), T_POISON, sizeof *(obj));                                                                         \
  } while (0)
/* It leaves an array as it was. */
#define CHECK_UNCHANGED(want, call, array, before)                                                                     \
  do {                                                                                                                 \
    CHECK_EQ(call, want);                                                                                              \
    CHECK_MEM((array), (before), sizeof(array));                                                                       \
  } while (0)
/* For what a test cannot go on without. */
#define REQUIRE(cond) ((cond) ? (void)0 : t_die(__FILE__, __LINE__, "%s", #cond))

void t_fail(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void t_die(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4), noreturn));
void t_check(const char *file, int line, const char *what, bool ok);
void t_check_eq(const char *file, int line, const char *what, long long got, long long want);
void t_check_mem(const char *file, int line, const char *what, const void *got, const void *want, size_t n);
void t_check_all(const char *file, int line, const char *what, const void *got, int value, size_t n);

/* Where the test is, shown with every failure and by the handler of faults. fmt takes up to four %zu and is
 * formatted only then, so this is cheap enough for an inner loop. T_AT("len %zu aad %zu", len, aad). */
void t_at(const char *fmt, size_t a, size_t b, size_t c, size_t d);
#define T_AT(...) T_AT_(__VA_ARGS__, 0, 0, 0, 0, 0)
#define T_AT_(fmt, a, b, c, d, ...) t_at(fmt, (size_t)(a), (size_t)(b), (size_t)(c), (size_t)(d))

/* ---- the program */
void t_init(int argc, char **argv);
/* The same without a word on stdout. */
void t_init_quiet(int argc, char **argv);
/* Exit status: 1 if a check failed or none was made. */
int t_done(void);
/* Value of --seconds, or the default. */
double t_seconds(double normal);
double t_now(void);
bool t_slow(void);
uint64_t t_failures(void);

/* ---- implementations */
/* Every index that this machine can run (and --impl wants), best first. Says once which it cannot run, and why. */
int t_impl_next(int i);
#define T_IMPLS(i) for (int i = t_impl_next(-1); i >= 0; i = t_impl_next(i))
/* For a loop of its own over implementations: which one a failure is laid to (-1: none). */
void t_set_impl(int i);
/* The index of "portable". */
int t_portable(void);
/* Checks RIJN_REQUIRE_IMPLS (t_init has done so); returns how many names it had. */
int t_require_impls(void);

/* ---- deterministic random numbers (splitmix64): equal on every machine for one seed */
void t_seed(uint64_t seed);
uint64_t t_rnd(void);
/* 0 .. n-1 */
size_t t_below(size_t n);
/* lo .. hi, both included */
size_t t_between(size_t lo, size_t hi);
void t_fill(void *p, size_t n);

/* ---- buffers between two pages that cannot be touched */
typedef struct t_buf {
  uint8_t *lo; /* first usable byte, start of a page */
  size_t cap;  /* whole pages */
} t_buf;
/* Room for at least n bytes and 512 of poison beside them. */
t_buf t_buf_new(size_t n);
void t_buf_free(t_buf *b);
/* n bytes that end right before the guard page. */
uint8_t *t_end(const t_buf *b, size_t n);
/* n bytes that start right after the guard page, or off bytes later. */
uint8_t *t_start(const t_buf *b, size_t off);
/* Fills p[0..n) and up to 512 bytes on both sides with T_POISON ... */
void t_poison(const t_buf *b, const uint8_t *p, size_t n);
/* ... and checks that those on both sides are still there. */
#define CHECK_POISON(b, p, n) t_check_poison(__FILE__, __LINE__, (b), (p), (n))
void t_check_poison(const char *file, int line, const t_buf *b, const uint8_t *p, size_t n);
#define T_POISON 0xa5
/* Any write faults from now on (false: allowed again). */
void t_readonly(const t_buf *b, bool on);
/* A copy of n bytes right before a guard page, or right behind one, with poison beside it; read-only if asked for. */
void *t_lay(const t_buf *b, const void *bytes, size_t n, bool at_end, bool readonly);

/* n bytes of address space, rounded up, over the same piece bytes of memory again and again (a power of two of pages):
 * for lengths that no memory holds. Linux alone. */
uint8_t *t_folded(size_t n, size_t piece);

/* ---- hex digits to bytes; returns how many. Dies on what is no hex. */
size_t t_hex(void *out, size_t room, const char *hex);

#endif
