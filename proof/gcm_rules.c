/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * The rules of one GCM message: src/gcm.c, all of it, for every value of every argument.
 *
 * Pointers are numbers here: whatever looked through one of them would be an access to no object. What would do so, the
 * kernels and the pieces of a message (gcm_pieces.c has these), asserts that it is handed what the caller gave.
 */
#include "proof.h"

#include "../src/gcm.c"

static rijn_gcm_key key_object;
static struct {
  const void *key, *out, *in, *aad, *nonce, *tag;
  size_t len, aad_len, nonce_len;
} arg;
static int verdict;     /* of a decryption */
static unsigned kernel; /* calls of a kernel that takes a whole message */
static unsigned piece;  /* steps of a message in pieces, which come in order */

/* ---------------------------------------------------------------- the specification (include/rijn.h) */

static bool key_is_made(void) {
  return arg.key != NULL && rijn_gcm_of(arg.key)->impl >= 1 && rijn_gcm_of(arg.key)->impl <= IMPLS;
}
static bool null_with_length(const void *p, size_t len) { return p == NULL && len != 0; }

/* May a call be refused with this error? */
static bool may_refuse(int err) {
  switch (err) {
  case RIJN_ENULL:
    return arg.key == NULL || arg.tag == NULL || null_with_length(arg.out, arg.len) ||
           null_with_length(arg.in, arg.len) || null_with_length(arg.aad, arg.aad_len) ||
           null_with_length(arg.nonce, arg.nonce_len);
  case RIJN_ESTATE:
    return arg.key != NULL && !key_is_made();
  case RIJN_ENONCELEN:
    return arg.nonce_len == 0 || (uint64_t)arg.nonce_len > (UINT64_C(1) << 61) - 1;
  case RIJN_ELEN:
    return (uint64_t)arg.len > (UINT64_C(1) << 36) - 32;
  case RIJN_EAADLEN:
    return (uint64_t)arg.aad_len > (UINT64_C(1) << 61) - 1;
  case RIJN_EOVERLAP:
    return arg.out != arg.in && share_a_byte(arg.out, arg.len, arg.in, arg.len);
  default:
    return false;
  }
}
static bool must_refuse(void) {
  return may_refuse(RIJN_ENULL) || may_refuse(RIJN_ESTATE) || may_refuse(RIJN_ENONCELEN) || may_refuse(RIJN_ELEN) ||
         may_refuse(RIJN_EAADLEN) || may_refuse(RIJN_EOVERLAP);
}

/* ---------------------------------------------------------------- stubs */

/* Text is where the caller has it; for no text, a kernel gets a place that is not NULL. */
static bool text_is(const uint8_t *out, const uint8_t *in) {
  return arg.len != 0 ? out == arg.out && in == arg.in : out != NULL && in != NULL;
}
static void check_message(const struct rijn_gcm *k, const uint8_t *out, const uint8_t *in, size_t len,
                          const uint8_t *aad, size_t aad_len, const uint8_t *nonce, size_t nonce_len,
                          const uint8_t *tag) {
  ASSERT(!must_refuse(), "a kernel runs only when every rule holds");
  ASSERT((const void *)k == arg.key && text_is(out, in) && len == arg.len && aad == arg.aad && aad_len == arg.aad_len &&
             nonce == arg.nonce && tag == arg.tag,
         "a kernel is handed the caller's arguments");
  ASSERT(nonce_len == 12 && arg.nonce_len == 12, "the kernels of a whole message take nonces of 12 bytes");
  kernel++;
}
/* Slots come in pairs: the first is handed what the caller gave and looks at it as gcm_message_t.h does, but for
 * lengths. */
static bool entered;
#define STUB(n, kind, name, result, qualifier)                                                                         \
  static int kind##_checked##n(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len,                  \
                               const uint8_t *aad, size_t aad_len, const uint8_t *nonce, size_t nonce_len,             \
                               qualifier uint8_t *tag) {                                                               \
    ASSERT(k->impl == (n) + 1, "the implementation that made the key");                                                \
    check_message(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);                                               \
    return result;                                                                                                     \
  }                                                                                                                    \
  static int kind##n(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,        \
                     size_t aad_len, const uint8_t *nonce, size_t nonce_len, qualifier uint8_t *tag) {                 \
    ASSERT(!entered, "what a kernel hands back does not come to it again");                                            \
    ASSUME(!entered);                                                                                                  \
    entered = true;                                                                                                    \
    if (rijn_gcm_surely_valid(out, in, len, aad, aad_len, nonce, nonce_len, tag))                                      \
      return kind##_checked##n(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);                                  \
    return name(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);                                                 \
  }
#define STUBS(n)                                                                                                       \
  STUB(n, enc, rijn_gcm_encrypt_slow, 0, )                                                                             \
  STUB(n, dec, rijn_gcm_decrypt_slow, verdict, const)
STUBS(0)
STUBS(1)

static const uint8_t *raw_key;
static size_t raw_len;
static void init(struct rijn_gcm *k, const uint8_t *raw) {
  ASSERT(k->rounds == raw_len / 4 + 6, "FIPS 197 section 5: 10, 12 or 14 rounds");
  ASSERT(raw == raw_key && __CPROVER_r_ok(raw, raw_len), "the key is there to be read");
  ASSERT(__CPROVER_w_ok(k, sizeof *k), "the object is there to be written");
  k->rk.b[0] = nondet_byte();
}
#define IMPL(n)                                                                                                        \
  {                                                                                                                    \
    .gcm_init = init, .gcm_encrypt = enc##n, .gcm_decrypt = dec##n, .gcm_encrypt_checked = enc_checked##n,             \
    .gcm_decrypt_checked = dec_checked##n                                                                              \
  }
static const struct rijn_impl impl0 = IMPL(0), impl1 = IMPL(1);
const struct rijn_impl *const rijn_impls[IMPLS] = {&impl0, &impl1};
const int rijn_impls_n = IMPLS;

static int chosen; /* what the machine would take; RIJN_EIMPL: none */
const struct rijn_impl *rijn_impl_get(int i, int *index) {
  int n = i == -1 ? chosen : i;
  if (n < 0 || n >= rijn_impls_n)
    return NULL;
  *index = n;
  return rijn_impls[n];
}

/* A message in pieces, for the other nonces. */
void rijn_gcm_ctx_start(struct rijn_gcm_ctx *r, const struct rijn_impl *impl, const struct rijn_gcm *k,
                        const uint8_t *nonce, size_t nonce_len) {
  ASSERT(!must_refuse(), "a message begins only when every rule holds");
  ASSERT(piece++ == 0 && (const void *)k == arg.key && impl == rijn_impls[k->impl - 1] && nonce == arg.nonce &&
             nonce_len == arg.nonce_len && nonce_len != 12,
         "start");
  r->k = k;
}
void rijn_gcm_ctx_aad(struct rijn_gcm_ctx *r, const uint8_t *aad, size_t len) {
  ASSERT(piece++ == 1 && r->k == arg.key && aad == arg.aad && len == arg.aad_len, "associated data");
}
void rijn_gcm_ctx_aad_end(struct rijn_gcm_ctx *r) { ASSERT(piece++ == 2 && r->k == arg.key, "its end"); }
static bool encrypting;
void rijn_gcm_ctx_text(struct rijn_gcm_ctx *r, uint8_t *out, const uint8_t *in, size_t len, enum direction way) {
  ASSERT(piece++ == 3 && r->k == arg.key && text_is(out, in) && len == arg.len &&
             way == (encrypting ? ENCRYPT : DECRYPT),
         "text");
}
void rijn_gcm_ctx_seal(struct rijn_gcm_ctx *r, uint8_t *tag) {
  ASSERT(piece++ == 4 && r->k == arg.key && tag == arg.tag, "tag");
}
int rijn_gcm_ctx_open(struct rijn_gcm_ctx *r, const uint8_t *tag) {
  ASSERT(piece++ == 4 && r->k == arg.key && tag == arg.tag, "tag");
  return verdict;
}

/* ---------------------------------------------------------------- harnesses */

/* WHY in_address_space: no caller has a buffer that goes over the end of memory. */
static void any_arguments(void) {
  key_object.opaque[0] = nondet_byte();
  arg.key = nondet_bool() ? &key_object : NULL;
  arg.out = somewhere(), arg.in = somewhere(), arg.len = nondet_size();
  arg.aad = somewhere(), arg.aad_len = nondet_size();
  arg.nonce = somewhere(), arg.nonce_len = nondet_size();
  arg.tag = somewhere();
  ASSUME(in_address_space(arg.out, arg.len) && in_address_space(arg.in, arg.len));
}

static void check_result(int err) {
  if (err == RIJN_OK || err == RIJN_EAUTH) {
    ASSERT(!must_refuse(), "what breaks a rule is refused");
    ASSERT(kernel + piece == (arg.nonce_len == 12 ? 1 : 5), "the message was done, once");
  } else {
    ASSERT(may_refuse(err), "an error only for its reason");
    ASSERT(kernel + piece == 0, "a refusal does nothing");
  }
  REACH(err == RIJN_OK && kernel == 1, "a nonce of 12 bytes");
  REACH(err == RIJN_OK && piece == 5, "another nonce");
  REACH(err == RIJN_ENULL, "ENULL");
  REACH(err == RIJN_ESTATE, "ESTATE");
  REACH(err == RIJN_ENONCELEN, "ENONCELEN");
  REACH(err == RIJN_EOVERLAP, "EOVERLAP");
#if SIZE_MAX > 0xffffffffu
  REACH(err == RIJN_OK && (arg.len == RIJN_GCM_MAX_LEN), "the longest text");
  REACH(err == RIJN_OK && (arg.aad_len == RIJN_GCM_MAX_AAD), "the longest associated data");
  REACH(err == RIJN_OK && (arg.nonce_len == RIJN_GCM_MAX_NONCE), "the longest nonce");
  REACH(err == RIJN_ELEN, "ELEN");
  REACH(err == RIJN_EAADLEN, "EAADLEN");
#endif
}

void encrypt(void) {
  any_arguments();
  encrypting = true;
  check_result(rijn_gcm_encrypt(arg.key, (void *)arg.out, arg.in, arg.len, arg.aad, arg.aad_len, arg.nonce,
                                arg.nonce_len, (void *)arg.tag));
}

/* A wrong tag after another nonce than one of 12 bytes makes gcm.c write zeros itself: see forged. */
void decrypt(void) {
  any_arguments();
  verdict = nondet_bool() && arg.nonce_len == 12 ? RIJN_EAUTH : RIJN_OK;
  int err = rijn_gcm_decrypt(arg.key, (void *)arg.out, arg.in, arg.len, arg.aad, arg.aad_len, arg.nonce, arg.nonce_len,
                             (void *)arg.tag);
  if (err == RIJN_OK || err == RIJN_EAUTH)
    ASSERT(err == verdict, "the verdict is passed on");
  REACH(err == RIJN_EAUTH, "EAUTH");
  check_result(err);
}

/* The rest of decrypt: the buffers are there, the nonce has not 12 bytes, and the tag is wrong. */
void forged(void) {
  key_object.opaque[0] = nondet_byte();
  size_t len = nondet_size(), at = nondet_size();
  ASSUME(len <= RIJN_GCM_MAX_LEN && at < len);
  uint8_t *in = buffer(len), *out = output(in, len), aad[1], nonce[1], tag[1], was = in[at];
  arg.key = &key_object, arg.out = out, arg.in = in, arg.len = len, arg.aad = aad, arg.aad_len = nondet_size();
  arg.nonce = nonce, arg.nonce_len = nondet_size(), arg.tag = tag;
  ASSUME(arg.nonce_len != 12);
  verdict = nondet_bool() ? RIJN_EAUTH : RIJN_OK;
  int err = rijn_gcm_decrypt(&key_object, out, in, len, aad, arg.aad_len, nonce, arg.nonce_len, tag);
  if (err == RIJN_EAUTH)
    ASSERT(out[at] == 0, "a failure leaves zeros in the whole output");
  if (out != in)
    ASSERT(in[at] == was, "the input is only read");
  REACH(err == RIJN_EAUTH && len == RIJN_GCM_MAX_LEN, "a forgery of the longest text");
  REACH(err == RIJN_OK && in == out && out[at] != 0, "a right tag");
}

/* call: the call that is made; a number, so that CBMC does one at a time. Any object, any lengths. Of the key's bytes
 * only those are read that the rules name. */
enum { INIT, INIT_TAGLEN, INIT_IMPL };
static void make(int call) {
  rijn_gcm_key object, *key = nondet_bool() ? &object : NULL;
  size_t at = nondet_size(), tag_len = call == INIT ? 16 : nondet_size();
  int which = call == INIT_IMPL ? nondet_int() : -1;
  ASSUME(at < sizeof object);
  uint8_t before = object.opaque[at];
  chosen = nondet_int();
  ASSUME(chosen < rijn_impls_n);
  raw_len = nondet_size();
  ASSUME(raw_len < 4096);
  bool inside = nondet_bool(); /* the bytes lie in the object */
  size_t into = nondet_size();
  ASSUME(!inside || (into <= sizeof object && raw_len <= sizeof object - into));
  raw_key = inside ? object.opaque + into : nondet_bool() ? buffer(raw_len) : NULL;

  int err = call == INIT          ? rijn_gcm_init(key, raw_key, raw_len)
            : call == INIT_TAGLEN ? rijn_gcm_init_taglen(key, raw_key, raw_len, tag_len)
                                  : rijn_gcm_init_impl(key, raw_key, raw_len, tag_len, which);

  bool null = key == NULL || null_with_length(raw_key, raw_len);
  bool bad_key = raw_len != 16 && raw_len != 24 && raw_len != 32;
  bool bad_tag = !(12 <= tag_len && tag_len <= 16) && tag_len != 8 && tag_len != 4;
  int made_by = call == INIT_IMPL ? which : chosen;
  bool bad_impl = made_by < 0 || made_by >= rijn_impls_n;
  if (err == RIJN_OK) {
    ASSERT(!null && !bad_key && !bad_tag && !inside && !bad_impl, "what breaks a rule is refused");
    ASSERT(rijn_gcm_tag_len(key) == tag_len, "the tag length belongs to the key");
    ASSERT(rijn_gcm_key_impl(key) == made_by, "the key remembers who made it");
  } else {
    ASSERT((err == RIJN_ENULL && null) || (err == RIJN_EKEYLEN && bad_key) || (err == RIJN_ETAGLEN && bad_tag) ||
               (err == RIJN_EOVERLAP && inside) || (err == RIJN_EIMPL && bad_impl),
           "an error only for its reason");
    ASSERT(object.opaque[at] == before, "a refusal leaves the object as it was");
  }
  REACH(err == RIJN_OK && tag_len == (call == INIT ? 16 : 4), "the shortest tag");
  REACH(err == RIJN_OK && raw_len == 24, "AES-192");
  REACH(err == RIJN_ENULL, "ENULL");
  REACH(err == RIJN_EKEYLEN, "EKEYLEN");
  REACH(err == RIJN_ETAGLEN || call == INIT, "ETAGLEN");
  REACH(err == RIJN_EOVERLAP, "EOVERLAP");
  REACH(err == RIJN_EIMPL, "EIMPL");
}
void init_default(void) { make(INIT); }
void init_taglen(void) { make(INIT_TAGLEN); }
void init_impl(void) { make(INIT_IMPL); }

void wipe(void) {
  rijn_gcm_key object;
  size_t at = nondet_size();
  ASSUME(at < sizeof object);
  uint8_t before = object.opaque[at];
  rijn_gcm_wipe(NULL);
  ASSERT(object.opaque[at] == before, "NULL is no object");
  rijn_gcm_wipe(&object);
  ASSERT(object.opaque[at] == 0, "a wiped key is zeros");
  ASSERT(rijn_gcm_key_impl(&object) == RIJN_ESTATE && rijn_gcm_tag_len(&object) == 0, "a wiped key is no key");
  REACH(before != 0, "something to wipe");
}
