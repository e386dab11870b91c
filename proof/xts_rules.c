/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * The rules of XTS: src/xts.c, all of it, for every value of every argument. As in gcm_rules.c, pointers are numbers.
 */
#include "proof.h"

#include "../src/xts.c"

static rijn_xts_key key_object;
static struct {
  const void *key, *out, *in, *tweak;
  size_t len; /* of a data unit */
  struct rijn_sectors s;
} arg;
static unsigned kernel;
static bool encrypting;

/* ---------------------------------------------------------------- the specification (include/rijn.h) */

static bool null_with_length(const void *p, size_t len) { return p == NULL && len != 0; }
static bool key_is_made(void) {
  return arg.key != NULL && xts_of(arg.key)->impl >= 1 && xts_of(arg.key)->impl <= IMPLS;
}
static bool overlaps(size_t len) { return arg.out != arg.in && share_a_byte(arg.out, len, arg.in, len); }

static bool unit_may_be_refused(int err) {
  switch (err) {
  case RIJN_ENULL:
    return arg.key == NULL || null_with_length(arg.out, arg.len) || null_with_length(arg.in, arg.len) ||
           arg.tweak == NULL;
  case RIJN_ESTATE:
    return arg.key != NULL && !key_is_made();
  case RIJN_ELEN:
    return arg.len < 16 || arg.len > 16 * (size_t)(1 << 20);
  case RIJN_EOVERLAP:
    return overlaps(arg.len);
  default:
    return false;
  }
}
static bool size_ok(size_t size) { /* a power of two from 512 to 65536 */
  for (int i = 9; i <= 16; i++)
    if (size == (size_t)1 << i)
      return true;
  return false;
}
/* The bytes of the run, and the number of the last sector, in numbers that hold them. */
static bool run_too_long(void) { return WIDE(arg.s.n) * arg.s.size > SIZE_MAX; }
static bool run_wraps(void) {
  return arg.s.n > 1 && (unsigned __int128)arg.s.first + (unsigned __int128)(arg.s.n - 1) * arg.s.step > UINT64_MAX;
}
static bool run_may_be_refused(int err, bool with_tweaks) {
  switch (err) {
  case RIJN_ENULL:
    return arg.key == NULL || null_with_length(arg.out, arg.s.n) || null_with_length(arg.in, arg.s.n) ||
           (with_tweaks && null_with_length(arg.s.tweaks, arg.s.n));
  case RIJN_ESTATE:
    return arg.key != NULL && !key_is_made();
  case RIJN_ESECTOR:
    return !size_ok(arg.s.size) || run_too_long() || (!with_tweaks && run_wraps());
  case RIJN_EOVERLAP:
    return size_ok(arg.s.size) && !run_too_long() && overlaps(arg.s.n * arg.s.size);
  default:
    return false;
  }
}

/* ---------------------------------------------------------------- stubs */

static void unit(bool encrypt, const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len,
                 const uint8_t *tweak) {
  ASSERT(encrypt == encrypting && (const void *)k == arg.key && out == arg.out && in == arg.in && len == arg.len &&
             tweak == arg.tweak,
         "a kernel is handed the caller's arguments");
  kernel++;
}
static void run(bool encrypt, const struct rijn_xts *k, uint8_t *out, const uint8_t *in, const struct rijn_sectors *s) {
  ASSERT(encrypt == encrypting && (const void *)k == arg.key && out == arg.out && in == arg.in &&
             s->size == arg.s.size && s->n == arg.s.n && s->tweaks == arg.s.tweaks,
         "a kernel is handed the caller's arguments");
  ASSERT(s->tweaks != NULL || (s->first == arg.s.first && s->step == arg.s.step), "and the caller's numbers");
  kernel++;
}
#define STUBS(n)                                                                                                       \
  static void enc##n(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16]) { \
    ASSERT(k->impl == (n) + 1, "the implementation that made the key");                                                \
    unit(true, k, out, in, len, tweak);                                                                                \
  }                                                                                                                    \
  static void dec##n(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16]) { \
    ASSERT(k->impl == (n) + 1, "the implementation that made the key");                                                \
    unit(false, k, out, in, len, tweak);                                                                               \
  }                                                                                                                    \
  static void encs##n(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, const struct rijn_sectors *s) {       \
    ASSERT(k->impl == (n) + 1, "the implementation that made the key");                                                \
    run(true, k, out, in, s);                                                                                          \
  }                                                                                                                    \
  static void decs##n(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, const struct rijn_sectors *s) {       \
    ASSERT(k->impl == (n) + 1, "the implementation that made the key");                                                \
    run(false, k, out, in, s);                                                                                         \
  }
STUBS(0)
STUBS(1)

static const uint8_t *raw_key;
static size_t raw_len;
static void init(struct rijn_xts *k, const uint8_t *raw) {
  ASSERT(k->rounds == (raw_len == 32 ? 10 : 14), "FIPS 197 section 5: 10 or 14 rounds");
  ASSERT(raw == raw_key && __CPROVER_r_ok(raw, raw_len), "the key is there to be read");
  ASSERT(__CPROVER_w_ok(k, sizeof *k), "the object is there to be written");
  k->rk.b[0] = nondet_byte();
}
static const struct rijn_impl impl0 = {
    .xts_init = init, .xts_enc = enc0, .xts_dec = dec0, .xts_enc_sectors = encs0, .xts_dec_sectors = decs0};
static const struct rijn_impl impl1 = {
    .xts_init = init, .xts_enc = enc1, .xts_dec = dec1, .xts_enc_sectors = encs1, .xts_dec_sectors = decs1};
const struct rijn_impl *const rijn_impls[IMPLS] = {&impl0, &impl1};
const int rijn_impls_n = IMPLS;

static int chosen;
const struct rijn_impl *rijn_impl_get(int i, int *index) {
  int n = i == -1 ? chosen : i;
  if (n < 0 || n >= rijn_impls_n)
    return NULL;
  *index = n;
  return rijn_impls[n];
}

/* ---------------------------------------------------------------- harnesses */

static void any_buffers(void) {
  key_object.opaque[0] = nondet_byte();
  arg.key = nondet_bool() ? &key_object : NULL;
  arg.out = somewhere(), arg.in = somewhere();
  encrypting = nondet_bool();
}

void unit_rules(void) {
  any_buffers();
  arg.len = nondet_size(), arg.tweak = somewhere();
  ASSUME(in_address_space(arg.out, arg.len) && in_address_space(arg.in, arg.len));
  int err = encrypting ? rijn_xts_encrypt(arg.key, (void *)arg.out, arg.in, arg.len, arg.tweak)
                       : rijn_xts_decrypt(arg.key, (void *)arg.out, arg.in, arg.len, arg.tweak);
  bool must = unit_may_be_refused(RIJN_ENULL) || unit_may_be_refused(RIJN_ESTATE) || unit_may_be_refused(RIJN_ELEN) ||
              unit_may_be_refused(RIJN_EOVERLAP);
  if (err == RIJN_OK)
    ASSERT(!must && kernel == 1, "what breaks a rule is refused");
  else
    ASSERT(unit_may_be_refused(err) && kernel == 0, "an error only for its reason, and nothing is done");
  REACH(err == RIJN_OK && arg.len == 16, "the shortest unit");
  REACH(err == RIJN_OK && arg.len == 16 << 20, "the longest");
  REACH(err == RIJN_OK && arg.len == 17 && arg.in == arg.out, "one with stealing, in place");
  REACH(err == RIJN_ENULL, "ENULL");
  REACH(err == RIJN_ESTATE, "ESTATE");
  REACH(err == RIJN_ELEN, "ELEN");
  REACH(err == RIJN_EOVERLAP, "EOVERLAP");
}

/* WHY the sizes one by one: so that CBMC divides by constants. SIZE 0: all sizes that are refused. */
#ifndef SIZE
#define SIZE 512
#endif
/* WHY: two multipliers of 64 by 64 bits are beyond a SAT solver. So either the step is a constant, or sectors are
 * few. */
#ifndef STEP
#define STEP nondet_u64()
#endif
#ifndef MOST
#define MOST SIZE_MAX
#endif
static void check_run(bool with_tweaks) {
  any_buffers();
  arg.s.size = SIZE != 0 ? SIZE : nondet_size();
  ASSUME(SIZE != 0 || !size_ok(arg.s.size));
  arg.s.n = nondet_size();
  ASSUME(arg.s.n <= MOST);
  if (SIZE != 0 && !run_too_long())
    ASSUME(in_address_space(arg.out, arg.s.n * arg.s.size) && in_address_space(arg.in, arg.s.n * arg.s.size));
  int err;
  if (with_tweaks) {
    arg.s.tweaks = somewhere();
    err = encrypting ? rijn_xts_encrypt_tweaks(arg.key, (void *)arg.out, arg.in, arg.s.size, arg.s.n, arg.s.tweaks)
                     : rijn_xts_decrypt_tweaks(arg.key, (void *)arg.out, arg.in, arg.s.size, arg.s.n, arg.s.tweaks);
  } else {
    arg.s.first = nondet_u64(), arg.s.step = STEP;
    err =
        encrypting
            ? rijn_xts_encrypt_sectors(arg.key, (void *)arg.out, arg.in, arg.s.size, arg.s.n, arg.s.first, arg.s.step)
            : rijn_xts_decrypt_sectors(arg.key, (void *)arg.out, arg.in, arg.s.size, arg.s.n, arg.s.first, arg.s.step);
  }
  bool must = run_may_be_refused(RIJN_ENULL, with_tweaks) || run_may_be_refused(RIJN_ESTATE, with_tweaks) ||
              run_may_be_refused(RIJN_ESECTOR, with_tweaks) || run_may_be_refused(RIJN_EOVERLAP, with_tweaks);
  if (err == RIJN_OK)
    ASSERT(!must && kernel == (arg.s.n != 0), "what breaks a rule is refused");
  else
    ASSERT(run_may_be_refused(err, with_tweaks) && kernel == 0, "an error only for its reason, and nothing is done");
  REACH(err == RIJN_ENULL, "ENULL");
  REACH(err == RIJN_ESTATE, "ESTATE");
  REACH(err == RIJN_ESECTOR, "ESECTOR");
#if SIZE != 0
  REACH(err == RIJN_OK && arg.s.n > 1, "a run");
  REACH(err == RIJN_OK && arg.s.n == 0, "no sectors");
  REACH(err == RIJN_EOVERLAP, "EOVERLAP");
  REACH(err == RIJN_OK && arg.s.n > 2 && (with_tweaks || arg.s.first + (arg.s.n - 1) * arg.s.step == UINT64_MAX),
        "to the last number");
#endif
}
void sectors_rules(void) { check_run(false); }
void tweaks_rules(void) { check_run(true); }

void init_rules(void) {
  rijn_xts_key object, *key = nondet_bool() ? &object : NULL;
  size_t at = nondet_size();
  ASSUME(at < sizeof object);
  uint8_t before = object.opaque[at], raw[64];
  bool named = nondet_bool();
  int which = named ? nondet_int() : -1;
  chosen = nondet_int();
  ASSUME(chosen < rijn_impls_n);
  raw_len = nondet_size();
  raw_key = nondet_bool() ? raw + (raw_len == 32 ? 32 : 0) : NULL; /* not one byte more than raw_len */
  /* Apart from the object, so that no refusal for overlap is expected. That rule is GCM's in the same words, and proved
   * there. */

  bool equal = true; /* the halves of a key of a length that is one */
  if (raw_key != NULL && (raw_len == 32 || raw_len == 64))
    for (size_t i = 0; i < 32; i++)
      equal = equal && (i >= raw_len / 2 || raw_key[i] == raw_key[raw_len / 2 + i]);

  int err = named ? rijn_xts_init_impl(key, raw_key, raw_len, which) : rijn_xts_init(key, raw_key, raw_len);

  bool null = key == NULL || null_with_length(raw_key, raw_len), bad_key = raw_len != 32 && raw_len != 64;
  int made_by = named ? which : chosen;
  bool bad_impl = made_by < 0 || made_by >= rijn_impls_n;
  if (err == RIJN_OK) {
    ASSERT(!null && !bad_key && !equal && !bad_impl, "what breaks a rule is refused");
    ASSERT(xts_of(key)->impl == made_by + 1, "the key remembers who made it");
  } else {
    ASSERT((err == RIJN_ENULL && null) || (err == RIJN_EKEYLEN && bad_key) || (err == RIJN_EWEAKKEY && equal) ||
               (err == RIJN_EIMPL && bad_impl),
           "an error only for its reason");
    ASSERT(object.opaque[at] == before, "a refusal leaves the object as it was");
  }
  REACH(err == RIJN_OK && raw_len == 32, "AES-128");
  REACH(err == RIJN_OK && raw_len == 64, "AES-256");
  REACH(err == RIJN_ENULL, "ENULL");
  REACH(err == RIJN_EKEYLEN, "EKEYLEN");
  REACH(err == RIJN_EWEAKKEY && raw_len == 64, "EWEAKKEY");
  REACH(err == RIJN_EIMPL, "EIMPL");
}

void wipe(void) {
  rijn_xts_key object;
  size_t at = nondet_size();
  ASSUME(at < sizeof object);
  uint8_t before = object.opaque[at];
  rijn_xts_wipe(NULL);
  ASSERT(object.opaque[at] == before, "NULL is no object");
  rijn_xts_wipe(&object);
  ASSERT(object.opaque[at] == 0, "a wiped key is zeros");
  REACH(before != 0, "something to wipe");
}
