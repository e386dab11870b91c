/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Constant time: masks made from secrets, for the rules and for portable, and wiping. The masks that another kernel
 * needs are operations of its instruction set, and it clears what it used by itself (mode/clean_t.h, mode/wipe_t.h). */
#ifndef RIJN_CT_H
#define RIJN_CT_H

#include <stddef.h>
#include <stdint.h>

#include "mem.h"

/* The value itself, but the compiler no longer knows anything about it. CT: without this, a compiler that sees a mask
 * to be 0 or all ones may turn the arithmetic back into a branch. */
static inline uint32_t rijn_ct_barrier(uint32_t v) {
  __asm__("" : "+r"(v));
  return v;
}

/* All ones when v is 0, else 0. */
static inline uint32_t rijn_ct_zero(uint32_t v) {
  v = rijn_ct_barrier(v);
  return rijn_ct_barrier((uint32_t)0 - ((~v & (v - 1)) >> 31));
}

/* All ones when a < b, else 0. Both must be under 2^31. */
static inline uint32_t rijn_ct_less(uint32_t a, uint32_t b) {
  return rijn_ct_barrier((uint32_t)0 - (rijn_ct_barrier(a - b) >> 31));
}

/* Clears the general registers that a function need not keep, but that of its result and those of the platform: words
 * of texts, hashes and tags go through them. */
#if defined __x86_64__
#define RIJN_CLEAR_GENERAL()                                                                                           \
  __asm__ volatile("xorl %%ecx,%%ecx\n\txorl %%edx,%%edx\n\txorl %%esi,%%esi\n\txorl %%edi,%%edi\n\t"                  \
                   "xorl %%r8d,%%r8d\n\txorl %%r9d,%%r9d\n\txorl %%r10d,%%r10d\n\txorl %%r11d,%%r11d" ::               \
                       : "memory", "cc", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11")
#elif defined __i386__
#define RIJN_CLEAR_GENERAL() __asm__ volatile("xorl %%ecx,%%ecx\n\txorl %%edx,%%edx" ::: "memory", "cc", "ecx", "edx")
#elif defined __aarch64__
#define RIJN_CLEAR_X(n) "mov x" #n ", xzr\n\t"
#define RIJN_CLEAR_GENERAL()                                                                                           \
  __asm__ volatile(RIJN_CLEAR_X(1) RIJN_CLEAR_X(2) RIJN_CLEAR_X(3) RIJN_CLEAR_X(4) RIJN_CLEAR_X(5) RIJN_CLEAR_X(6)     \
                       RIJN_CLEAR_X(7) RIJN_CLEAR_X(8) RIJN_CLEAR_X(9) RIJN_CLEAR_X(10) RIJN_CLEAR_X(11)               \
                           RIJN_CLEAR_X(12) RIJN_CLEAR_X(13) RIJN_CLEAR_X(14) RIJN_CLEAR_X(15) RIJN_CLEAR_X(16)        \
                               RIJN_CLEAR_X(17)::                                                                      \
                                   : "memory", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",     \
                                     "x12", "x13", "x14", "x15", "x16", "x17")
#elif defined __powerpc64__
#define RIJN_CLEAR_R(n) "li " #n ",0\n\t"
#define RIJN_CLEAR_GENERAL()                                                                                           \
  __asm__ volatile(RIJN_CLEAR_R(0) RIJN_CLEAR_R(4) RIJN_CLEAR_R(5) RIJN_CLEAR_R(6) RIJN_CLEAR_R(7) RIJN_CLEAR_R(8)     \
                       RIJN_CLEAR_R(9) RIJN_CLEAR_R(10) RIJN_CLEAR_R(11) RIJN_CLEAR_R(12)::                            \
                           : "memory", "r0", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12")
#else
#define RIJN_CLEAR_GENERAL() ((void)0)
#endif

/* All ones when the n bytes are equal, else 0. n is public. CT: a byte of the right tag stays nowhere. */
static inline uint32_t rijn_ct_eq(const uint8_t *a, const uint8_t *b, size_t n) {
  uint32_t diff = 0;
  for (size_t i = 0; i < n; i++)
    diff |= (uint32_t)(a[i] ^ b[i]);
  uint32_t equal = rijn_ct_zero(diff);
  __asm__ volatile("" : "+r"(equal)); /* known before the registers are cleared */
  RIJN_CLEAR_GENERAL();
  return equal;
}

/* n bytes. CT: by general registers. memcpy() of the C library would leave secrets in vector registers, and a loop
 * becomes a call of it where the compiler knows both places. Never inlined: a register that its caller has to save
 * would keep the last word, and a kernel would push it. */
static __attribute__((noinline, unused)) void rijn_ct_copy(uint8_t *to, const uint8_t *from, size_t n) {
  for (; n >= 8; n -= 8) {
    uint64_t word;
    memcpy(&word, from, 8);
    memcpy(to, &word, 8);
    from += 8;
    to += 8;
    __asm__("" : "+r"(from));
  }
  for (; n != 0; n--) {
    *to++ = *from++;
    __asm__("" : "+r"(from));
  }
}

/* Zeros that the compiler may not leave out, although nobody reads them. In small pieces, because without vector
 * registers gcc makes REP STOS of a memset of more than 32 bytes, which takes long to start (T-157). */
static inline void rijn_wipe(void *p, size_t n) {
  uint8_t *b = (uint8_t *)p;
  for (; n >= 32; n -= 32, b += 32) {
    memset(b, 0, 32);
    __asm__ volatile("" : : "r"(b) : "memory");
  }
  memset(b, 0, n);
  __asm__ volatile("" : : "r"(b) : "memory");
}

#endif
