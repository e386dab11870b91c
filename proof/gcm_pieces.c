/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * GCM in pieces, with the buffers there: src/gcm_stream.c.
 *
 * A stream is any object that the rules could have left behind: each call is proved for all of them, and to leave
 * another such, and so is any number of calls.
 */
#include "kernels.h"

#include "../src/gcm.c"
#include "../src/gcm_stream.c"

#define ANY_LEN (SIZE_MAX >> 14) /* CBMC's objects end at 2^55 bytes: limits beyond are in gcm_rules.c */

static rijn_gcm_key key_object;
static const rijn_gcm_key *any_key(void) {
  struct rijn_gcm *k = (struct rijn_gcm *)(void *)key_object.opaque;
  k->impl = MAKER;
  k->rounds = nondet_byte();
  k->tag_len = nondet_byte();
  ASSUME(rounds_ok(k->rounds) && tag_len_ok(k->tag_len));
  return &key_object;
}
static size_t length(size_t from, size_t to) {
  size_t n = nondet_size();
  ASSUME(from <= n && n <= to);
  return n;
}

/* ---------------------------------------------------------------- part of a block
 *
 * The two loops over bytes, by themselves; then these stand in their place. */

void absorb_part_contract(struct rijn_gcm_ctx *r, size_t place, const uint8_t *p, size_t n) {
  ASSERT(place < 16 && n <= 16 - place, "within a block");
  ASSERT(n == 0 || __CPROVER_r_ok(p, n), "the bytes are there");
  block(r->chain.acc);
}
void crypt_part_contract(struct rijn_gcm_ctx *r, size_t place, uint8_t *out, const uint8_t *in, size_t n,
                         enum direction way) {
  (void)way;
  ASSERT(place < 16 && n <= 16 - place, "within a block");
  text(out, in, n);
  block(r->chain.acc);
}
/* Those that are not to be reached. */
void text_never(struct rijn_gcm_ctx *r, uint8_t *out, const uint8_t *in, size_t len, enum direction way) {
  (void)r, (void)out, (void)in, (void)len, (void)way;
  ASSERT(false, "nothing is begun");
}
void aad_never(struct rijn_gcm_ctx *r, const uint8_t *aad, size_t len) {
  (void)r, (void)aad, (void)len;
  ASSERT(false, "nothing is begun");
}

/* Buffers of n bytes: the end of one of 16. */
static void part(bool text) {
  struct rijn_gcm_ctx r, was;
  uint8_t a[16], b[16];
  block(r.chain.acc), block(r.chain.ks);
  was = r;
  size_t place = length(0, 15), n = length(0, 16 - place), at = length(0, 15);
  uint8_t *in = a + 16 - n, *out = nondet_bool() ? in : b + 16 - n, byte = at < n ? in[at] : 0;
  bool encrypt = nondet_bool();
  if (text)
    stream_crypt_part(&r, place, out, in, n, encrypt ? ENCRYPT : DECRYPT);
  else
    absorb_part(&r, place, in, n);
  if (at < n) {
    uint8_t crypted = byte ^ was.chain.ks[place + at];
    if (text)
      ASSERT(out[at] == crypted, "XOR with the key stream");
    ASSERT(r.chain.acc[place + at] == (was.chain.acc[place + at] ^ (text && encrypt ? crypted : byte)),
           "ciphertext is hashed");
  }
  if (at < place || at >= place + n)
    ASSERT(r.chain.acc[at] == was.chain.acc[at], "and nothing else");
  REACH(n == 16 && (in == out || !text), "a block in place");
  REACH(n == 3 && place == 13, "the end of a block");
}
void part_of_text(void) { part(true); }
void part_of_data(void) { part(false); }

/* ---------------------------------------------------------------- streams */

/* Does it look like one that the rules made and left open? */
static bool open_stream(const struct stream *t) {
  return (t->phase == PHASE_AAD || t->phase == PHASE_TEXT) && t->dir <= ENCRYPT && t->run.impl == &stub &&
         t->run.k == rijn_gcm_of(&key_object) && t->run.aad_len <= RIJN_GCM_MAX_AAD &&
         t->run.text_len <= RIJN_GCM_MAX_LEN && (t->phase == PHASE_TEXT || t->run.text_len == 0);
}
static rijn_gcm_stream *any_stream(void) {
  static rijn_gcm_stream object;
  struct stream *t = stream_of(&object);
  any_key();
  t->phase = nondet_bool() ? PHASE_AAD : PHASE_TEXT;
  t->dir = nondet_bool() ? ENCRYPT : DECRYPT;
  t->run.impl = &stub;
  t->run.k = rijn_gcm_of(&key_object);
  t->run.aad_len = nondet_u64();
  t->run.text_len = nondet_u64();
  t->run.pending = nondet_bool() ? RIJN_HASH_PENDING : 0;
  block(t->run.chain.ctr), block(t->run.chain.acc), block(t->run.chain.ks), block(t->run.j0);
  ASSUME(open_stream(t));
  return &object;
}
static bool all_zero(const rijn_gcm_stream *s) {
  size_t at = nondet_size();
  ASSUME(at < sizeof *s);
  return s->opaque[at] == 0;
}

void stream_start(void) {
  static rijn_gcm_stream object;
  const rijn_gcm_key *key = any_key();
  size_t nonce_len = length(1, ANY_LEN);
  uint8_t *nonce = buffer(nonce_len);
  bool encrypt = nondet_bool();
  int err = encrypt ? rijn_gcm_encrypt_start(&object, key, nonce, nonce_len)
                    : rijn_gcm_decrypt_start(&object, key, nonce, nonce_len);
  const struct stream *t = stream_of(&object);
  ASSERT(err == RIJN_OK, "nothing to refuse");
  ASSERT(open_stream(t) && t->phase == PHASE_AAD && t->dir == (encrypt ? ENCRYPT : DECRYPT), "an open stream");
  ASSERT(t->run.aad_len == 0 && t->run.text_len == 0, "of nothing so far");
  REACH(nonce_len == 12, "a nonce of 12 bytes");
  REACH(nonce_len == 16, "a nonce of a block");
  REACH(nonce_len == 33, "a nonce of several");
}

void stream_aad(void) {
  rijn_gcm_stream *s = any_stream();
  struct stream *t = stream_of(s);
  struct rijn_gcm_ctx before = t->run;
  uint32_t phase = t->phase;
  size_t len = nondet_size();
  /* A buffer, or one that is beyond the limit and so never looked at. */
  bool beyond = len > ANY_LEN;
  const uint8_t *aad = beyond ? somewhere() : buffer(len);
  uint64_t left = RIJN_GCM_MAX_AAD - t->run.aad_len;
  if (beyond)
    ASSUME(len > left || aad == NULL || phase != PHASE_AAD);
  int err = rijn_gcm_aad(s, aad, len);
  if (phase != PHASE_AAD) {
    ASSERT(err == RIJN_ESTATE && all_zero(s), "a wrong order ends the stream");
  } else if (aad == NULL && len != 0) {
    ASSERT(err == RIJN_ENULL && open_stream(t), "refused, and usable");
  } else if (len > left) {
    ASSERT(err == RIJN_EAADLEN && open_stream(t) && t->run.aad_len == before.aad_len, "the limit, and usable");
  } else {
    ASSERT(err == RIJN_OK && open_stream(t) && t->phase == PHASE_AAD, "open");
    ASSERT(t->run.aad_len == before.aad_len + len && t->run.text_len == 0, "counted");
  }
  REACH(err == RIJN_OK && len == left && len > 0, "to the limit");
  REACH(err == RIJN_OK && before.aad_len % 16 == 5 && len == 100, "a partial block, whole ones, and a partial one");
  REACH(err == RIJN_EAADLEN && len == left + 1, "one beyond the limit");
  REACH(err == RIJN_ESTATE, "too late");
  REACH(err == RIJN_ENULL, "NULL");
}

void stream_update(void) {
  rijn_gcm_stream *s = any_stream();
  struct stream *t = stream_of(s);
  uint64_t before = t->run.text_len, left = RIJN_GCM_MAX_LEN - before;
  size_t len = nondet_size();
  bool beyond = len > ANY_LEN;
  const uint8_t *in = beyond ? somewhere() : buffer(len);
  uint8_t *out = beyond ? (uint8_t *)somewhere() : output((uint8_t *)in, len);
  int err = rijn_gcm_update(s, out, in, len);
  if ((in == NULL || out == NULL) && len != 0) {
    ASSERT(err == RIJN_ENULL && open_stream(t) && t->run.text_len == before, "refused, and usable");
  } else if (len > left) {
    ASSERT(err == RIJN_ELEN && open_stream(t) && t->run.text_len == before, "the limit, and usable");
  } else {
    ASSERT(err == RIJN_OK && open_stream(t) && t->phase == PHASE_TEXT, "open");
    ASSERT(t->run.text_len == before + len, "counted");
  }
  REACH(err == RIJN_OK && len == left && len > 1, "to the limit");
  REACH(err == RIJN_OK && before % 16 == 5 && len == 100 && in == out,
        "a partial block, whole ones, and a partial one");
  REACH(err == RIJN_OK && before % 16 == 5 && len == 11 && in != out, "to the end of a block");
  REACH(err == RIJN_ELEN && len == left + 1, "one beyond the limit");
  REACH(err == RIJN_ENULL, "NULL");
}

/* The same call with buffers that are numbers: overlaps are refused, before anything is done. */
void stream_overlap(void) {
  rijn_gcm_stream *s = any_stream();
  struct stream *t = stream_of(s);
  uint64_t before = t->run.text_len;
  const void *in = somewhere(), *out = somewhere();
  size_t len = nondet_size();
  ASSUME(in_address_space(in, len) && in_address_space(out, len) && in != out && share_a_byte(out, len, in, len));
  int err = rijn_gcm_update(s, (void *)out, in, len);
  ASSERT(err == RIJN_EOVERLAP || (err == RIJN_ENULL && (in == NULL || out == NULL)) ||
             (err == RIJN_ELEN && len > RIJN_GCM_MAX_LEN - before),
         "an overlap is refused");
  ASSERT(open_stream(t) && t->run.text_len == before && kernel_calls == 0, "nothing was done, and it is usable");
  REACH(err == RIJN_EOVERLAP, "EOVERLAP");
}

void stream_finish(void) {
  rijn_gcm_stream *s = any_stream();
  struct stream *t = stream_of(s);
  bool encrypt = nondet_bool(), fits = encrypt == (t->dir == ENCRYPT);
  uint8_t *tag = nondet_bool() ? NULL : buffer(rijn_gcm_of(&key_object)->tag_len);
  int err = encrypt ? rijn_gcm_encrypt_finish(s, tag) : rijn_gcm_decrypt_finish(s, tag);
  if (!fits)
    ASSERT(err == RIJN_ESTATE && all_zero(s), "a wrong order ends the stream");
  else if (tag == NULL)
    ASSERT(err == RIJN_ENULL && open_stream(t), "refused, and usable");
  else
    ASSERT((err == RIJN_OK || (!encrypt && err == RIJN_EAUTH)) && all_zero(s), "the end wipes the stream");
  REACH(err == RIJN_OK && encrypt, "a tag");
  REACH(err == RIJN_OK && !encrypt, "a right tag");
  REACH(err == RIJN_EAUTH, "a wrong tag");
  REACH(err == RIJN_ESTATE, "the other direction");
}

/* What is no open stream: any object with another phase, or whose key was wiped. */
void stream_closed(void) {
  rijn_gcm_stream *s = any_stream();
  struct stream *t = stream_of(s);
  if (nondet_bool())
    ((struct rijn_gcm *)(void *)key_object.opaque)->impl = 0;
  else
    t->phase = nondet_u32();
  ASSUME(!is_open(t));
  int call = nondet_int(), err;
  ASSUME(0 <= call && call < 4);
  uint8_t text[1] = {0}, tag[16] = {0};
  switch (call) {
  case 0:
    err = rijn_gcm_aad(s, text, 1);
    break;
  case 1:
    err = rijn_gcm_update(s, text, text, 1);
    break;
  case 2:
    err = rijn_gcm_encrypt_finish(s, tag);
    break;
  default:
    err = rijn_gcm_decrypt_finish(s, tag);
  }
  ASSERT(err == RIJN_ESTATE && kernel_calls == 0 && all_zero(s), "every call fails, and the object is wiped");
  REACH(call == 0, "aad");
  REACH(call == 3, "finish");
}
