/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The words of valgrind's memcheck.h that poison.c uses, said to clang's memory sanitizer, which knows VAES and
 * AVX-512.
 * It ends the program at the first error: there is none to count. */
#ifndef CT_MSAN_MEMCHECK_H
#define CT_MSAN_MEMCHECK_H
#if !__has_feature(memory_sanitizer)
#error "for builds with -fsanitize=memory"
#endif
#include <sanitizer/msan_interface.h>

#define VALGRIND_MAKE_MEM_UNDEFINED(p, n) (__msan_poison(p, n), 0)
#define VALGRIND_MAKE_MEM_DEFINED(p, n) (__msan_unpoison(p, n), 0)
/* For n == 1 alone: a byte's bits are not told apart. */
#define VALGRIND_GET_VBITS(p, bits, n) (*(bits) = __msan_test_shadow(p, n) == 0 ? 0xff : 0)
#define RUNNING_ON_VALGRIND 1
#define VALGRIND_COUNT_ERRORS 0u
#endif
