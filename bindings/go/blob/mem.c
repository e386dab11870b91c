/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The two functions of libc that the blob calls: Go's own are not C's to call. */
#include <stddef.h>
#include <stdint.h>

void *memset(void *d, int c, size_t n);
void *memcpy(void *restrict d, const void *restrict s, size_t n);

#ifdef __x86_64__
void *memset(void *d, int c, size_t n) {
  void *p = d;
  __asm__ volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(c) : "memory");
  return d;
}

void *memcpy(void *restrict d, const void *restrict s, size_t n) {
  void *p = d;
  __asm__ volatile("rep movsb" : "+D"(p), "+S"(s), "+c"(n) : : "memory");
  return d;
}
#else
/* The barriers: else a compiler knows the loops for the functions that they are. */
void *memset(void *d, int c, size_t n) {
  uint8_t *p = d;
  const uint64_t word = UINT64_C(0x0101010101010101) * (uint8_t)c;
  for (; n >= 8; n -= 8, p += 8) {
    __builtin_memcpy(p, &word, 8);
    __asm__ volatile("" : "+r"(p));
  }
  for (; n != 0; n--) {
    *p++ = (uint8_t)c;
    __asm__ volatile("" : "+r"(p));
  }
  return d;
}

void *memcpy(void *restrict d, const void *restrict s, size_t n) {
  uint8_t *p = d;
  const uint8_t *q = s;
  for (; n >= 8; n -= 8, p += 8, q += 8) {
    uint64_t word;
    __builtin_memcpy(&word, q, 8);
    __builtin_memcpy(p, &word, 8);
    __asm__ volatile("" : "+r"(p));
  }
  for (; n != 0; n--) {
    *p++ = *q++;
    __asm__ volatile("" : "+r"(p));
  }
  return d;
}
#endif
