/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Loads and stores of a part of a block, for instruction sets that have no instruction for it. The part is held in two
 * words: byte 0 is the lowest of lo, byte 8 of hi. Loads overlap, so that a length costs two or three branches and no
 * loop. CT: n is a length, public.
 * Stores do not overlap: that is level, and more code (T-185).
 * PORT: little-endian machines.
 */
typedef struct {
  uint64_t lo, hi;
} part_t;

/* n bytes as a number; n is a constant up to 8. */
INLINE uint64_t part_get(const uint8_t *p, size_t n) {
  uint64_t r = 0;
  memcpy(&r, p, n);
  return r;
}
/* n bytes (0..15) and zeros. */
INLINE part_t part_load(const uint8_t *p, size_t n) {
  if (n >= 8)
    return (part_t){part_get(p, 8), n > 8 ? part_get(p + n - 8, 8) >> (8 * (16 - n)) : 0};
  if (n >= 4)
    return (part_t){part_get(p, 4) | part_get(p + n - 4, 4) << (8 * (n - 4)), 0};
  return (part_t){n ? p[0] | (uint64_t)p[n >> 1] << (8 * (n >> 1)) | (uint64_t)p[n - 1] << (8 * (n - 1)) : 0, 0};
}
/* PORT: the pin: else gcc makes its copy of p at the start of a message, in a register that has to be saved (T-305). */
INLINE void part_store(uint8_t *p, part_t a, size_t n) {
  __asm__("" : "+r"(p));
  if (n >= 8) {
    memcpy(p, &a.lo, 8);
    p += 8;
    a.lo = a.hi;
  }
  if (n & 4) {
    memcpy(p, &a.lo, 4);
    p += 4;
    a.lo >>= 32;
  }
  if (n & 2) {
    memcpy(p, &a.lo, 2);
    p += 2;
    a.lo >>= 16;
  }
  if (n & 1)
    *p = (uint8_t)a.lo;
}
