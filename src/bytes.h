/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Integers from bytes and back, and whether two runs of bytes overlap. */
#ifndef RIJN_BYTES_H
#define RIJN_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint32_t rijn_load_be32(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static inline uint32_t rijn_load_le32(const uint8_t *p) {
  return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | (uint32_t)p[0];
}

static inline uint64_t rijn_load_be64(const uint8_t *p) {
  return (uint64_t)rijn_load_be32(p) << 32 | rijn_load_be32(p + 4);
}

static inline uint64_t rijn_load_le64(const uint8_t *p) {
  return (uint64_t)rijn_load_le32(p + 4) << 32 | rijn_load_le32(p);
}

static inline void rijn_store_be32(uint8_t *p, uint32_t v) {
  p[0] = (uint8_t)(v >> 24);
  p[1] = (uint8_t)(v >> 16);
  p[2] = (uint8_t)(v >> 8);
  p[3] = (uint8_t)v;
}

static inline void rijn_store_le32(uint8_t *p, uint32_t v) {
  p[0] = (uint8_t)v;
  p[1] = (uint8_t)(v >> 8);
  p[2] = (uint8_t)(v >> 16);
  p[3] = (uint8_t)(v >> 24);
}

static inline void rijn_store_be64(uint8_t *p, uint64_t v) {
  rijn_store_be32(p, (uint32_t)(v >> 32));
  rijn_store_be32(p + 4, (uint32_t)v);
}

static inline void rijn_store_le64(uint8_t *p, uint64_t v) {
  rijn_store_le32(p, (uint32_t)v);
  rijn_store_le32(p + 4, (uint32_t)(v >> 32));
}

/* Do the runs share no byte? WHY: the two distances are taken modulo 2^N, so that no end of a run is computed, and a
 * run that ends at the top of the address space does not look as if it ended at its bottom. */
static inline bool rijn_disjoint(const void *a, size_t a_len, const void *b, size_t b_len) {
  uintptr_t d = (uintptr_t)a - (uintptr_t)b;
  return (d >= b_len && (uintptr_t)0 - d >= a_len) || a_len == 0 || b_len == 0;
}

/* The rule of every call that turns in into out: exactly the same place, or no byte in common. */
static inline bool rijn_alias_ok(const void *out, const void *in, size_t len) {
  return out == in || rijn_disjoint(out, len, in, len);
}

/* A pointer that may be NULL when its length is 0, and only then. */
static inline bool rijn_null(const void *p, size_t len) { return p == NULL && len != 0; }

/* Is a length beyond a limit? WHY: a function, because where size_t has 32 bits the compiler would say that it cannot
 * be. */
static inline bool rijn_over(uint64_t len, uint64_t limit) { return len > limit; }

#endif
