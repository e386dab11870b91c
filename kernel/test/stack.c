/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* How much stack the kernels of the module take, compiled as Linux's build does it: each that the glue calls runs in a
 * thread whose stack was filled with poison. And what they leave in the module's memory. */
#define _GNU_SOURCE
#include "../../src/impl.h"

enum { STACK = 128 << 10, MAX = 65536, LIMIT = 1024 };

#include "scratch.h"
#include "taken.h"

static _Alignas(64) uint8_t text[MAX], raw[64] = {1}, nonce[16], tag[16], iv[16], acc[16];
static const struct rijn_impl *m;
static size_t len, at;
static unsigned rounds = 14;
static struct rijn_gcm_state chain;
static _Alignas(64) struct rijn_gcm gcm;
static _Alignas(64) struct rijn_xts xts;
static _Alignas(64) struct rijn_aes aes;

static void nothing(void) {}
static void gcm_init(void) { m->gcm_init(&gcm, raw); }
static void aes_init(void) { m->aes_init(&aes, raw); }
static void xts_init(void) { m->xts_init(&xts, raw); }
static void gcm_encrypt(void) { m->gcm_encrypt(&gcm, text, text, len, text, len % 100, nonce, 12, tag); }
static void gcm_decrypt(void) { m->gcm_decrypt(&gcm, text, text, len, text, len % 100, nonce, 12, tag); }
static void gcm_enc_blocks(void) {
  m->gcm_enc_blocks(&gcm, text, text, len / 16, &chain, RIJN_HASH_PENDING | RIJN_NEXT_KEYSTREAM);
}
static void gcm_dec_blocks(void) {
  m->gcm_dec_blocks(&gcm, text, text, len / 16, &chain, RIJN_HASH_PENDING | RIJN_NEXT_KEYSTREAM);
}
static void gcm_blocks_tag(void) { m->gcm_blocks_tag(&gcm, &chain, iv, len, len, len & RIJN_HASH_PENDING); }
static void ghash_blocks(void) { m->ghash_blocks(&gcm.h, acc, text, len / 16); }
static void ecb_enc(void) { m->ecb_enc(&aes.rk, rounds, text, text, len / 16); }
static void ecb_dec(void) { m->ecb_dec(&aes.dk, rounds, text, text, len / 16); }
static void ctr_blocks(void) { m->ctr_blocks(&aes.rk, rounds, text, text, len / 16, iv); }
static void cbc_enc(void) { m->cbc_enc(&aes.rk, rounds, text, text, len / 16, iv); }
static void cbc_dec(void) { m->cbc_dec(&aes.dk, rounds, text, text, len / 16, iv); }
static void xts_enc(void) { m->xts_enc(&xts, text, text, len < 16 ? 16 : len, iv); }
static void xts_dec(void) { m->xts_dec(&xts, text, text, len < 16 ? 16 : len, iv); }
static void xts_enc_part(void) { m->xts_enc_part(&xts, text, text, len < 16 ? 16 : len, iv, iv, 1); }
static void xts_dec_part(void) { m->xts_dec_part(&xts, text, text, len < 16 ? 16 : len, iv, iv, 1); }
static __attribute__((noinline)) void greedy(void) {
  volatile uint8_t frame[LIMIT + 256];
  for (size_t i = 0; i < sizeof frame; i++)
    frame[i] = 1;
}

/* A long message has its table in the processor's memory, where in that depends on where its output is, and leaves
 * nothing there. The set for Zen 4 has no tables. */
static void message(void) { m->gcm_encrypt(&gcm, text + at, text + at, len, text, 16, nonce, 12, tag); }
static void forged(void) { m->gcm_decrypt(&gcm, text + at, text + at, len, text, 16, nonce, 12, tag); }
static void memory_is_wiped(void (*run)(void)) {
  const size_t rows = 1024; /* counters, which are public (ROWS_ROOM of src/mode/gcm_message_t.h) */
  const int tables = strncmp(m->name, "x86-", 4) == 0 && strstr(m->name, "-zen4") == NULL;
  len = 16384;
  for (at = 0; at < 4096; at += 64) {
    size_t zeros = 0, untouched = 0, guard = 0;
    memset(scratch, 0xaa, sizeof scratch);
    run();
    for (size_t i = rows; i < RIJN_SCRATCH; i++) {
      zeros += scratch[i] == 0;
      untouched += scratch[i] == 0xaa;
    }
    for (size_t i = RIJN_SCRATCH; i < sizeof scratch; i++)
      guard += scratch[i] == 0xaa;
    T_AT("text at %zu: %zu bytes of memory wiped, %zu untouched", at, zeros, untouched);
    CHECK(zeros + untouched == RIJN_SCRATCH - rows);
    CHECK(guard == GUARD);
    CHECK((zeros >= 4096) == tables);
  }
}

int main(int argc, char **argv) {
  static const size_t lens[] = {0, 5, 16, 100, 512, 600, 1500, 4096, 5000, 16384, MAX};
#define ROW(name)                                                                                                      \
  { #name, name }
  static const struct {
    const char *name;
    void (*run)(void);
  } rows[] = {ROW(gcm_init),       ROW(aes_init),       ROW(xts_init),       ROW(gcm_encrypt),  ROW(gcm_decrypt),
              ROW(gcm_enc_blocks), ROW(gcm_dec_blocks), ROW(gcm_blocks_tag), ROW(ghash_blocks), ROW(ecb_enc),
              ROW(ecb_dec),        ROW(ctr_blocks),     ROW(cbc_enc),        ROW(cbc_dec),      ROW(xts_enc),
              ROW(xts_dec),        ROW(xts_enc_part),   ROW(xts_dec_part)};
  t_init(argc, argv);
  taken(nothing); /* the first thread ever takes more */
  const size_t own = taken(nothing);
  CHECK(taken(greedy) > own + LIMIT);
  T_IMPLS(i) {
    m = rijn_impls[i];
    gcm.impl = (uint8_t)(i + 1);
    gcm.tag_len = 16;
    gcm.rounds = aes.rounds = xts.rounds = (uint8_t)rounds;
    size_t most = 0, where = 0;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
      for (size_t l = 0; l < sizeof lens / sizeof lens[0]; l++) {
        len = lens[l];
        size_t n = taken(rows[r].run) - own;
        T_AT("%s of %zu bytes: %zu bytes of stack", rows[r].name, len, n);
        CHECK(n <= LIMIT);
        where = n > most ? r : where;
        most = n > most ? n : most;
      }
    CHECK(most > 0);
    memory_is_wiped(message);
    memory_is_wiped(forged);
    printf("%s: at most %zu bytes of stack, in %s\n", m->name, most, rows[where].name);
  }
  return t_done();
}
