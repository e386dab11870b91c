/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The four functions that the core takes from the C library. A freestanding build has them from whoever links it. */
#ifndef RIJN_MEM_H
#define RIJN_MEM_H

#include <stddef.h>

#if __STDC_HOSTED__
#include <string.h>
#else
void *memcpy(void *restrict d, const void *restrict s, size_t n);
void *memmove(void *d, const void *s, size_t n);
void *memset(void *d, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
/* WHY: -ffreestanding stops the compiler from knowing these names, and each copy of 16 bytes would be a call. */
#define memcpy(d, s, n) __builtin_memcpy(d, s, n)
#define memmove(d, s, n) __builtin_memmove(d, s, n)
#define memset(d, c, n) __builtin_memset(d, c, n)
#define memcmp(a, b, n) __builtin_memcmp(a, b, n)
#endif

#endif
