/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What every instruction set stands on: the contract, and three tools of the templates. No mode's rule is named
 * here. */
#ifndef RIJN_ISA_H
#define RIJN_ISA_H

#include "../ct.h"
#include "../impl.h"
#include "../mem.h"

/* ISA is the set's name in isa/sets.def, which its file gives; this is what the file makes. */
#define ISA_GLUE_(a, b) a##b
#define ISA_GLUE(a, b) ISA_GLUE_(a, b)
#define ISA_IMPL ISA_GLUE(rijn_impl_, ISA)

#define INLINE static inline __attribute__((always_inline))
#define UNUSED __attribute__((unused)) /* an operand of other sets */

INLINE size_t size_min(size_t a, size_t b) { return a < b ? a : b; }

/* EACH(i, n, body): body for i = 0 .. n-1. WHY no loop: i is a constant (of an enum) in each copy of the body, so that
 * an array of vectors that is indexed by it only stays in registers, whatever the compiler thinks of unrolling. n is a
 * constant, at most 9; an array has to have 9 elements, or compilers warn of copies that never run. */
#define EACH_1(i, n, k, ...)                                                                                           \
  if ((k) < (n)) {                                                                                                     \
    enum { i = (k) };                                                                                                  \
    __VA_ARGS__;                                                                                                       \
  }
#define EACH_3(i, n, k, ...)                                                                                           \
  EACH_1(i, n, k, __VA_ARGS__) EACH_1(i, n, (k) + 1, __VA_ARGS__) EACH_1(i, n, (k) + 2, __VA_ARGS__)
#define EACH(i, n, ...)                                                                                                \
  do {                                                                                                                 \
    EACH_3(i, n, 0, __VA_ARGS__) EACH_3(i, n, 3, __VA_ARGS__) EACH_3(i, n, 6, __VA_ARGS__)                             \
  } while (0)
/* PIN(v) pins the place of a step: the compiler may not move what makes v past it, and it costs no instruction.
 * UNDEFINED_VALUE(v): v is anything: for what is never looked at, so that it is defined; it costs none either.
 * VECTOR_REG is the set's: the kind of register that v is in.
 * Without PIN gcc sinks multiplies away from the AES rounds that hide them (T-114).
 * PORT: clang's memory sanitizer gives up at assembly, so its builds define PIN as nothing. */
#ifndef PIN
#if defined PIN_GCM && PIN_GCM
#define PIN(v) __asm__ volatile("" : "+" VECTOR_REG(v))
#else
#define PIN(v) ((void)0)
#endif
#endif
#ifndef UNDEFINED_VALUE
#define UNDEFINED_VALUE(v) __asm__ volatile("" : "=" VECTOR_REG(v))
#endif

#endif
