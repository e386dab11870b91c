/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What all key objects have in common, and the rules that all inits have. */
#ifndef RIJN_KEY_H
#define RIJN_KEY_H

#include <rijn.h>
#include <stdbool.h>

#include "bytes.h"
#include "ct.h"
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
static inline bool rijn_aes_lengths(size_t raw_len) { return rijn_rounds(raw_len) != 0; }

/* The implementation that an init makes its key with, and what the key keeps of it. */
struct rijn_chosen {
  const struct rijn_impl *impl;
  uint8_t id;
};

/* The rules that all inits have. key: the object, of so many bytes; good_len: is raw_len one of the mode's? RIJN_OK
 * fills maker: which is the chosen one or an index. */
static inline int rijn_init_check(struct rijn_chosen *maker, const void *key, size_t size, const void *raw,
                                  size_t raw_len, bool good_len, int which) {
  int index;
  if (key == NULL || rijn_null(raw, raw_len))
    return RIJN_ENULL;
  if (!good_len)
    return RIJN_EKEYLEN;
  if (!rijn_disjoint(key, size, raw, raw_len))
    return RIJN_EOVERLAP;
  maker->impl = rijn_impl_get(which, &index);
  if (maker->impl == NULL)
    return RIJN_EIMPL;
  maker->id = (uint8_t)(index + 1);
  return RIJN_OK;
}

/* The beginning and the end of an object: a kernel's init fills what is between, from one place to another. So every
 * byte of it is made by the init, and none is left of another key. */
static inline void rijn_zero_around(void *key, size_t size, size_t from, size_t to) {
  memset(key, 0, from);
  memset((uint8_t *)key + to, 0, size - to);
}

/* A key that only encrypts, an object of zeros before: no more of it is written than there are round keys, because what
 * lies behind those of a shorter key is whatever the stack held. CT: they are copied by general registers. */
static inline void rijn_enc_init(struct rijn_enc *k, const struct rijn_chosen *maker, const uint8_t *raw,
                                 size_t raw_len) {
  struct rijn_aes aes;
  k->impl = maker->id;
  k->rounds = aes.rounds = rijn_rounds(raw_len);
  maker->impl->aes_init(&aes, raw);
  rijn_ct_copy(k->rk.b, aes.rk.b, 16 * (k->rounds + (size_t)1));
  rijn_wipe(&aes, sizeof aes);
}

#endif
