/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * What the harnesses share. They are read by CBMC alone, together with the sources that they include, and never run.
 *
 * A harness takes arbitrary values, assumes what the header asks of a caller and no more, makes the call, and asserts.
 * It also says what can be reached: proof/run requires that these assertions fail, so that no assumption has
 * excluded what a harness is about.
 */
#ifndef PROOF_H
#define PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../src/mem.h"

/* WHY: CBMC wants to know the size of the table before src/impl.h says that it has one. */
struct rijn_impl;
#define IMPLS 2
extern const struct rijn_impl *const rijn_impls[IMPLS];

/* The bodies that CBMC has, in place of the compiler's own. */
#undef memcpy
#undef memmove
#undef memset
#undef memcmp

/* CBMC takes a function of such a name without a body for "any value". */
size_t nondet_size(void);
uintptr_t nondet_address(void);
uint64_t nondet_u64(void);
uint32_t nondet_u32(void);
uint8_t nondet_byte(void);
int nondet_int(void);
bool nondet_bool(void);

/* As wide as the sum of an address and a length. */
#if UINTPTR_MAX > 0xffffffffu
typedef unsigned __int128 wide;
#else
typedef uint64_t wide;
#endif
#define WIDE(x) ((wide)(x))
#define ADDRESS_END (WIDE(UINTPTR_MAX) + 1)

#define ASSUME(x) __CPROVER_assume(x)
#define ASSERT(x, why) __CPROVER_assert(x, why)
/* Here some execution passes for which x is true. */
#define REACH(x, what) __CPROVER_assert(!(x), "reach: " what)

/* A buffer of the caller's as a number only: for rules that look at pointers and never through them. */
static inline const void *somewhere(void) { return (const void *)nondet_address(); }
static inline bool in_address_space(const void *p, size_t len) { return WIDE((uintptr_t)p) + len <= ADDRESS_END; }

/* The specification of overlap, in numbers that cannot wrap: is there a byte that both have? */
static inline bool share_a_byte(const void *a, size_t a_len, const void *b, size_t b_len) {
  wide a0 = (uintptr_t)a, b0 = (uintptr_t)b;
  return a_len != 0 && b_len != 0 && a0 < b0 + b_len && b0 < a0 + a_len;
}

/* A buffer that exists: len bytes of any content and not one more; NULL, perhaps, if len is 0. */
void *malloc(size_t size);
static inline uint8_t *buffer(size_t len) {
  if (len == 0 && nondet_bool())
    return NULL;
  uint8_t *p = malloc(len);
  ASSUME(p != NULL);
  return p;
}

/* The output for an input: in place, or elsewhere. */
static inline uint8_t *output(uint8_t *in, size_t len) { return nondet_bool() ? in : buffer(len); }

#endif
