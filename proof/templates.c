/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * The templates of src/mode as an instruction set of x86 instantiates them: the file ISA, with all that it includes, over the
 * intrinsics of vectors.h. Tails, places in the table of powers, rings of tweaks: no byte is touched that is not the call's,
 * no byte of output is left out, and a forgery leaves zeros.
 */
#include "proof.h"

#include ISA

#ifdef GCM_NARROW
/* The implementation of short messages, which is proved as such. */
static void narrow(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                   size_t aad_len, const uint8_t *nonce) {
  ASSERT(len <= GCM_NARROW_MAX && aad_len <= 16, "only short messages");
  ASSERT(__CPROVER_r_ok(k, sizeof *k) && __CPROVER_r_ok(nonce, 12), "key and nonce");
  ASSERT(len == 0 || (__CPROVER_r_ok(in, len) && __CPROVER_w_ok(out, len)), "text");
  ASSERT(aad_len == 0 || __CPROVER_r_ok(aad, aad_len), "associated data");
  watched_written = true;
}
static int narrow_encrypt(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                          size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t *tag) {
  narrow(k, out, in, len, aad, aad_len, nonce);
  ASSERT(nonce_len == 12 && __CPROVER_w_ok(tag, k->tag_len), "tag");
  return 0;
}
static int narrow_decrypt(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                          size_t aad_len, const uint8_t *nonce, size_t nonce_len, const uint8_t *tag) {
  narrow(k, out, in, len, aad, aad_len, nonce);
  ASSERT(nonce_len == 12 && __CPROVER_r_ok(tag, k->tag_len), "tag");
  int verdict = nondet_bool() ? 0 : -1;
  if (verdict != 0 && len != 0)
    memset(out, 0, len);
  return verdict;
}
const struct rijn_impl GCM_NARROW = {.gcm_encrypt = narrow_encrypt, .gcm_decrypt = narrow_decrypt};
#endif

static size_t length(size_t from, size_t to) {
  size_t n = nondet_size();
  ASSUME(from <= n && n <= to);
  return n;
}
/* WHY a constant: every loop over rounds would be as long as the longest, once for each use of AES. schedules has all three. */
enum { ROUNDS = 14 };

/* Text of len bytes, and a byte of its output that is watched: it is not MARK before. */
static uint8_t *in, *out;
static size_t at;
static void any_text(size_t len) {
  in = buffer(len), out = output(in, len);
  at = nondet_size();
  if (at < len) {
    watched = out + at;
    ASSUME(out[at] != MARK);
  }
  REACH(in == out && len > 0, "in place");
  REACH(in != out && len > 0, "elsewhere");
}
static void all_written(size_t len) {
  if (at < len)
    ASSERT(watched_written || out[at] == MARK, "no byte of output is left out");
}

/* ---------------------------------------------------------------- GCM */

#ifndef LEN
#define LEN 600
#endif
#ifndef AAD
#define AAD 40
#endif
static struct rijn_gcm key;
static uint8_t tag_len(void) {
  uint8_t n = nondet_byte();
  ASSUME((12 <= n && n <= 16) || n == 8 || n == 4);
  return n;
}
static void message(bool encrypt) {
  size_t len = length(0, LEN), aad_len = length(0, AAD);
  key.rounds = ROUNDS, key.tag_len = tag_len();
  uint8_t *aad = buffer(aad_len), *tag = buffer(key.tag_len), nonce[12];
  any_text(len);
  int r = encrypt ? gcm_encrypt(&key, out, in, len, aad, aad_len, nonce, 12, tag)
                  : gcm_decrypt(&key, out, in, len, aad, aad_len, nonce, 12, tag);
  ASSERT(r == 0 || (r == -1 && !encrypt), "a verdict");
  if (r == 0)
    all_written(len);
  else if (at < len)
    ASSERT(out[at] == 0, "a failure leaves zeros in the whole output");
  REACH(len == LEN && aad_len == AAD, "the longest");
  REACH(len == 0 && aad_len == 0, "nothing");
  REACH(len == LEN - 1 && r == (encrypt ? 0 : -1), "a forgery with a tail");
}
void gcm_encrypts(void) { message(true); }
void gcm_decrypts(void) { message(false); }

void gcm_blocks_both(void) {
  size_t nblk = length(0, LEN / 16);
  key.rounds = ROUNDS;
  uint8_t ctr[16], acc[16];
  any_text(16 * nblk);
  if (nondet_bool())
    gcm_enc_blocks(&key, out, in, nblk, ctr, acc);
  else
    gcm_dec_blocks(&key, out, in, nblk, ctr, acc);
  all_written(16 * nblk);
  REACH(nblk == LEN / 16, "the most");
}
void ghash(void) {
  size_t nblk = length(0, LEN / 16);
  uint8_t acc[16], *data = buffer(16 * nblk);
  ghash_blocks(&key.h, acc, data, nblk);
  REACH(nblk == LEN / 16, "the most");
}

/* ---------------------------------------------------------------- XTS */

static struct rijn_xts xts_key;
void xts_unit(void) {
  size_t len = length(16, LEN);
  xts_key.rounds = ROUNDS;
  uint8_t tweak[16];
  any_text(len);
  if (nondet_bool())
    xts_enc(&xts_key, out, in, len, tweak);
  else
    xts_dec(&xts_key, out, in, len, tweak);
  all_written(len);
  REACH(len == LEN, "the longest");
  REACH(len == 17, "the shortest with stealing");
  REACH(len == LEN - 1, "a long one with stealing");
}
#ifndef SECTORS
#define SECTORS 3
#endif
void xts_sectors(void) {
  struct rijn_sectors s = {512, length(0, SECTORS), nondet_u64(), nondet_u64(), NULL};
  xts_key.rounds = ROUNDS;
  if (nondet_bool())
    s.tweaks = buffer(16 * s.n);
  any_text(512 * s.n);
  if (nondet_bool())
    xts_enc_sectors(&xts_key, out, in, &s);
  else
    xts_dec_sectors(&xts_key, out, in, &s);
  all_written(512 * s.n);
  REACH(s.n == SECTORS && s.tweaks != NULL, "the most");
  REACH(s.n == SECTORS && s.tweaks == NULL, "the most, by numbers");
}

/* ---------------------------------------------------------------- CTR, CBC, ECB */

void other_modes(void) {
  size_t nblk = length(0, LEN / 16);
  struct rijn_rk keys;
  uint8_t iv[16];
  int mode = nondet_int();
  any_text(16 * nblk);
  switch (mode) {
  case 0:
    ecb_enc(&keys, ROUNDS, out, in, nblk);
    break;
  case 1:
    ecb_dec(&keys, ROUNDS, out, in, nblk);
    break;
  case 2:
    ctr_blocks(&keys, ROUNDS, out, in, nblk, iv);
    break;
  case 3:
    ctr32_blocks(&keys, ROUNDS, out, in, nblk, iv);
    break;
  case 4:
    cbc_enc(&keys, ROUNDS, out, in, nblk, iv);
    break;
  default:
    cbc_dec(&keys, ROUNDS, out, in, nblk, iv);
    break;
  }
  all_written(16 * nblk);
  REACH(nblk == LEN / 16 && mode == 0, "the most");
  REACH(nblk == 1 && mode == 5, "the least");
}

/* ---------------------------------------------------------------- keys */

/* Schedules lie at the end of what they are in, so that a round key too many is seen. */
void schedules(void) {
  struct rijn_rk rk, dk;
  uint8_t n = nondet_byte();
  ASSUME(n == 10 || n == 12 || n == 14);
  uint8_t *raw = buffer((size_t)(n - 6) * 4);
  expand_key(rk.b, raw, n);
  invert_key(dk.b, rk.b, n);
  ghash_powers(&key.h, b_zero());
  struct rijn_rk tk;
  uint8_t *both = buffer(n == 10 ? 32 : 64);
  if (n != 12)
    xts_expand(rk.b, tk.b, both, n);
  REACH(n == 10, "AES-128");
  REACH(n == 12, "AES-192");
  REACH(n == 14, "AES-256");
}
