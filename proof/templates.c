/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * The templates of src/mode as an instruction set of x86 instantiates them: SET_FILE, with all that it includes, over
 * the intrinsics of vectors.h. Tails, places in the table of powers, the ring of tweaks: no byte is touched that
 * is not the call's, no byte of output is left out, and a forgery leaves zeros.
 */
#include "proof.h"

#include SET_FILE

static size_t length(size_t from, size_t to) {
  size_t n = nondet_size();
  ASSUME(from <= n && n <= to);
  return n;
}
/* WHY a constant: every loop over rounds would be as long as the longest, once for each use of AES. */
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

/* ---------------------------------------------------------------- parts of a block
 *
 * Where there are no masked loads, a part of a block is a few words that overlap. partial_blocks proves them for every
 * length; elsewhere these stand in their place. */

b_t load_part_contract(const uint8_t *p, size_t n) {
  ASSERT(n < 16, "less than a block");
  return vector_load(p, n);
}
void store_part_contract(uint8_t *p, b_t a, size_t n) {
  (void)a;
  ASSERT(n < 16, "less than a block");
  vector_store(p, n);
}
void partial_blocks(void) {
  size_t n = length(0, 15);
  any_text(n);
  b_store_part(out, b_load_part(in, n), n);
  all_written(n);
  REACH(n == 0, "nothing");
  REACH(n == 15, "the longest");
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
/* What is not beyond doubt has been through the rules (gcm_rules.c) when it comes back: the text of length 0 has a
 * place then. */
int rijn_gcm_encrypt_slow(const struct rijn_gcm *k, uint8_t *o, const uint8_t *i, size_t len, const uint8_t *aad,
                          size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t *tag) {
  uint8_t none[1];
  return gcm_encrypt_checked(k, len ? o : none, len ? i : none, len, aad, aad_len, nonce, nonce_len, tag);
}
int rijn_gcm_decrypt_slow(const struct rijn_gcm *k, uint8_t *o, const uint8_t *i, size_t len, const uint8_t *aad,
                          size_t aad_len, const uint8_t *nonce, size_t nonce_len, const uint8_t *tag) {
  uint8_t none[1];
  return gcm_decrypt_checked(k, len ? o : none, len ? i : none, len, aad, aad_len, nonce, nonce_len, tag);
}
/* In place of gcm_tabled_message. */
int tabled_never(const struct gcm_message *m, enum direction way) {
  (void)m;
  (void)way;
  ASSERT(false, "no text of these lengths has a table");
  return -1;
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
