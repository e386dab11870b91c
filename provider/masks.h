/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Masks made from secrets, for what the provider itself does with paddings and MACs. WHY not src/ct.h: a front end uses
 * include/rijn.h alone. */
#ifndef RIJN_PROVIDER_MASKS_H
#define RIJN_PROVIDER_MASKS_H

#include <stdint.h>

/* The value itself. CT: the compiler must not see that a mask has two values only, nor that a counter is one, or it may
 * make a branch of the first and end a loop where the second meets a secret. */
static inline uint32_t barrier(uint32_t v) {
  __asm__("" : "+r"(v));
  return v;
}

/* All ones if a < b, else 0; both below 2^31. */
static inline uint32_t less(uint32_t a, uint32_t b) { return barrier(0u - ((a - b) >> 31)); }

static inline uint32_t equal(uint32_t a, uint32_t b) {
  uint32_t x = a ^ b;
  return barrier(~(0u - ((x | (0u - x)) >> 31)));
}

#endif
