/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What all key objects have in common. */
#ifndef RIJN_KEY_H
#define RIJN_KEY_H

#include <rijn.h>

#include "impl.h"

/* WHY: the casts between an opaque key and the struct behind it break no rule of aliasing. Every member of those
 * structs (impl.h) is a byte or an array of bytes, so each access is by a character type; none is assigned whole. */
#define RIJN_KEY_FITS(inner, outer)                                                                                    \
  _Static_assert(sizeof(inner) <= sizeof(outer), "the opaque object is too small");                                    \
  _Static_assert(_Alignof(inner) <= _Alignof(outer), "the opaque object is aligned too little")

/* What rijn_impl_get takes: the implementation chosen for this machine, or the one a caller of ..._init_impl named.
 * A caller cannot name "the chosen one" by -1, hence not by an unchecked error of rijn_impl_find either. */
#define RIJN_IMPL_CHOSEN (-1)
#define RIJN_IMPL_NONE (-2)
static inline int rijn_impl_named(int i) { return i < 0 ? RIJN_IMPL_NONE : i; }

/* 10, 12 or 14 rounds for 16, 24 or 32 bytes (FIPS 197, section 5); 0 for any other length. */
static inline uint8_t rijn_rounds(size_t raw_len) {
  return raw_len == 16 || raw_len == 24 || raw_len == 32 ? (uint8_t)(raw_len / 4 + 6) : 0;
}

#endif
