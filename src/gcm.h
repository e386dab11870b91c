/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What the files of GCM share: the checks of a call, and a message in pieces. */
#ifndef RIJN_GCM_H
#define RIJN_GCM_H

#include <rijn.h>
#include <stdbool.h>

#include "impl.h"
#include "key.h"

#define RIJN_GCM_MAX_AAD ((UINT64_C(1) << 61) - 1)   /* SPEC: SP 800-38D section 5.2.1.1: 2^64 - 1 bits, in bytes */
#define RIJN_GCM_MAX_NONCE ((UINT64_C(1) << 61) - 1) /* the same section */

RIJN_KEY_FITS(struct rijn_gcm, rijn_gcm_key);
static inline const struct rijn_gcm *rijn_gcm_of(const rijn_gcm_key *key) {
  return (const struct rijn_gcm *)(const void *)key->opaque;
}

/* Every rule of a one-shot call: 0, or the error that it is refused with. */
int rijn_gcm_check(const rijn_gcm_key *key, const void *out, const void *in, size_t len, const void *aad,
                   size_t aad_len, const void *nonce, size_t nonce_len, const void *tag);

/* The fast path's check. True: every argument is valid, and the nonce has 12 bytes. False: the call may still be valid;
 * rijn_gcm_check looks at the rules one by one. This test has to be short, because a small message is (T-250). So both
 * lengths are compared with one bound, far below their limits; a NULL for out or in is in doubt even with a length of
 * 0; and NULL for associated data with a length is found by its address, which is below the length. */
static inline bool rijn_gcm_surely_valid(const void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                                         const void *nonce, size_t nonce_len, const void *tag) {
  uintptr_t d = (uintptr_t)out - (uintptr_t)in;
  if (nonce_len != 12 || nonce == NULL || tag == NULL || out == NULL || in == NULL || (uintptr_t)aad < aad_len)
    return false;
  if ((len | aad_len) >> 31 != 0)
    return false;
  /* out and in overlap if -len < d < len. d is an address less an address, modulo 2^N; so is -d, and each is compared
   * with len apart. */
  return d == 0 || (d >= len && -d >= len);
}
/* The calls that rijn_gcm_surely_valid does not let through: they are checked rule by rule, and refused, or done with a
 * nonce of any length. The key has an implementation. */
int rijn_gcm_encrypt_slow(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                          size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t *tag);
int rijn_gcm_decrypt_slow(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                          size_t aad_len, const uint8_t *nonce, size_t nonce_len, const uint8_t *tag);

/* The rules about the key and the nonce alone, which streams have as well; and all others of a one-shot call. */
int rijn_gcm_check_start(const rijn_gcm_key *key, const void *nonce, size_t nonce_len);
int rijn_gcm_check_message(const void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                           const void *tag);

/* A message in pieces. The functions below check nothing: lengths and limits are the caller's. */
struct __attribute__((may_alias)) rijn_gcm_ctx {
  const struct rijn_impl *impl;
  const struct rijn_gcm *k;
  uint64_t aad_len, text_len;
  unsigned pending; /* 0, or RIJN_HASH_PENDING: a whole block has been added to the hash, but not multiplied */
  struct rijn_gcm_state chain;
  uint8_t j0[16];
};

void rijn_gcm_ctx_start(struct rijn_gcm_ctx *r, const struct rijn_impl *impl, const struct rijn_gcm *k,
                        const uint8_t *nonce, size_t nonce_len);
/* Any number of aad, then one aad_end, then any number of text. With a nonce of 12 bytes start calls no kernel, and
 * aad_end never does. */
void rijn_gcm_ctx_aad(struct rijn_gcm_ctx *r, const uint8_t *aad, size_t len);
void rijn_gcm_ctx_aad_end(struct rijn_gcm_ctx *r);
void rijn_gcm_ctx_text(struct rijn_gcm_ctx *r, uint8_t *out, const uint8_t *in, size_t len, enum direction dir);
/* The ends of both directions: write the tag, or compare it (0 or RIJN_EAUTH). Both wipe the run. */
void rijn_gcm_ctx_seal(struct rijn_gcm_ctx *r, uint8_t *tag);
int rijn_gcm_ctx_open(struct rijn_gcm_ctx *r, const uint8_t *tag);

#ifdef RIJN_TEST_HOOKS
/* Test builds: as if so many bytes of associated data and of text had gone through, the counter included (the hash is
 * left as it is), so that the limits can be tested exactly. RIJN_ESTATE for a stream that is not open. */
RIJN_API int rijn_test_gcm_stream_preset(rijn_gcm_stream *s, uint64_t text_len, uint64_t aad_len);
#endif

#endif
