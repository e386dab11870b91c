/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What a kernel leaves on the stack depends on no secret.
 *
 * Each kernel runs twice on a stack of its own that was painted before, at the same addresses, with the same lengths, but
 * other keys and texts. Afterwards the two stacks must be equal, byte for byte: whatever differs came from a secret. That
 * finds spilt state in any form, which a search for round keys does not.
 *
 * The kernel is the last thing that runs there, but for the switch back, so that nothing paints over what it left. */
#define _GNU_SOURCE
#include "../../src/impl.h"
#include "t.h"

#include <ucontext.h>

#define STACK (64 * 1024)
#define MAX 1500
#define SECRETS 2

static _Alignas(64) uint8_t stack[STACK], left[SECRETS][STACK];
static ucontext_t here, there;
static const struct rijn_impl *m;

/* All that is secret, or made from it. */
static _Alignas(64) struct {
  uint8_t raw[64], in[MAX], out[MAX], aad[64], tweak[16], ctr[16], acc[16], iv[16], tag[16];
  struct rijn_gcm gcm;
  struct rijn_ghash ghash;
  struct rijn_aes aes;
  struct rijn_xts xts;
  int verdict;
} v;
static const uint8_t nonce[12] = {1, 2, 3};
static size_t len;

static void gcm_init(void) { m->gcm_init(&v.gcm, v.raw); }
static void ghash_init(void) { m->ghash_init(&v.ghash, v.raw); }
static void aes_init(void) { m->aes_init(&v.aes, v.raw); }
static void xts_init(void) { m->xts_init(&v.xts, v.raw); }
static void gcm_encrypt(void) {
  v.verdict = m->gcm_encrypt(&v.gcm, v.out, v.in, len, v.aad, len % 64, nonce, 12, v.tag);
}
/* The tag is the one gcm_encrypt made; the text need not be what it made it for. */
static void gcm_decrypt(void) {
  v.verdict = m->gcm_decrypt(&v.gcm, v.out, v.in, len, v.aad, len % 64, nonce, 12, v.tag);
}
static void gcm_enc_blocks(void) { m->gcm_enc_blocks(&v.gcm, v.out, v.in, len / 16, v.ctr, v.acc); }
static void gcm_dec_blocks(void) { m->gcm_dec_blocks(&v.gcm, v.out, v.in, len / 16, v.ctr, v.acc); }
static void ghash_blocks(void) { m->ghash_blocks(&v.ghash.h, v.acc, v.in, len / 16); }
static void ecb_enc(void) { m->ecb_enc(&v.aes.rk, v.aes.rounds, v.out, v.in, len / 16); }
static void ecb_dec(void) { m->ecb_dec(&v.aes.dk, v.aes.rounds, v.out, v.in, len / 16); }
static void ctr_blocks(void) { m->ctr_blocks(&v.aes.rk, v.aes.rounds, v.out, v.in, len / 16, v.ctr); }
static void ctr32_blocks(void) { m->ctr32_blocks(&v.aes.rk, v.aes.rounds, v.out, v.in, len / 16, v.ctr); }
static void cbc_enc(void) { m->cbc_enc(&v.aes.rk, v.aes.rounds, v.out, v.in, len / 16, v.iv); }
static void cbc_dec(void) { m->cbc_dec(&v.aes.dk, v.aes.rounds, v.out, v.in, len / 16, v.iv); }
static void xts_enc(void) { m->xts_enc(&v.xts, v.out, v.in, len, v.tweak); }
static void xts_dec(void) { m->xts_dec(&v.xts, v.out, v.in, len, v.tweak); }
static void xts_enc_sectors(void) {
  struct rijn_sectors s = {.size = 512, .n = 2, .first = len, .step = 1, .tweaks = NULL};
  m->xts_enc_sectors(&v.xts, v.out, v.in, &s);
}
static void xts_dec_sectors(void) {
  struct rijn_sectors s = {.size = 512, .n = 2, .first = len, .step = 1, .tweaks = NULL};
  m->xts_dec_sectors(&v.xts, v.out, v.in, &s);
}

/* A kernel that leaves its key: the test must see it. */
static __attribute__((noinline)) void leaky(void) {
  volatile uint8_t copy[32];
  for (size_t i = 0; i < sizeof copy; i++)
    copy[i] = v.raw[i];
}

#define ROW(name, blocks, min)                                                                                         \
  { #name, name, blocks, min }
static const struct {
  const char *name;
  void (*run)(void);
  int has_len;
  size_t min;
} rows[] = {
    ROW(gcm_init, 0, 0),     ROW(ghash_init, 0, 0),      ROW(aes_init, 0, 0),        ROW(xts_init, 0, 0),
    ROW(gcm_encrypt, 1, 0),  ROW(gcm_decrypt, 1, 0),     ROW(gcm_enc_blocks, 1, 0),  ROW(gcm_dec_blocks, 1, 0),
    ROW(ghash_blocks, 1, 0), ROW(ecb_enc, 1, 0),         ROW(ecb_dec, 1, 0),         ROW(ctr_blocks, 1, 0),
    ROW(ctr32_blocks, 1, 0), ROW(cbc_enc, 1, 0),         ROW(cbc_dec, 1, 0),         ROW(xts_enc, 1, 16),
    ROW(xts_dec, 1, 16),     ROW(xts_enc_sectors, 0, 0), ROW(xts_dec_sectors, 0, 0),
};
static void (*run)(void);

static void on_stack(void) {
  run();
  setcontext(&here);
}

static void call(void (*what)(void), unsigned secret) {
  memset(stack, 0x5a, STACK);
  run = what;
  REQUIRE(getcontext(&there) == 0);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = STACK;
  there.uc_link = NULL;
  makecontext(&there, on_stack, 0);
  REQUIRE(swapcontext(&here, &there) == 0);
  memcpy(left[secret], stack, STACK);
}

static void other_secrets(unsigned rounds) {
  memset(&v, 0, sizeof v);
  t_fill(v.raw, sizeof v.raw);
  t_fill(v.in, sizeof v.in);
  t_fill(v.aad, sizeof v.aad);
  t_fill(v.tweak, 16);
  t_fill(v.ctr, 16);
  t_fill(v.acc, 16);
  t_fill(v.iv, 16);
  t_fill(v.tag, 16);
  v.gcm.rounds = v.aes.rounds = v.xts.rounds = (uint8_t)rounds;
  v.gcm.tag_len = 16;
  m->gcm_init(&v.gcm, v.raw);
  m->ghash_init(&v.ghash, v.raw);
  m->aes_init(&v.aes, v.raw);
  m->xts_init(&v.xts, v.raw);
}

/* Bytes by which the two stacks differ. */
static size_t differing(void (*what)(void), unsigned rounds, size_t *depth) {
  size_t n = 0;
  for (unsigned s = 0; s < SECRETS; s++) {
    other_secrets(rounds);
    call(what, s);
  }
  *depth = 0;
  for (size_t i = STACK; i-- > 0;)
    if (left[0][i] != left[1][i]) {
      n++;
      *depth = STACK - i;
    }
  return n;
}

int main(int argc, char **argv) {
  size_t depth;
  t_init(argc, argv);
  T_IMPLS(i) {
    m = rijn_impls[i];
    other_secrets(10);
    call(leaky, 0); /* whatever is resolved or loaded at the first call is so now */
    CHECK(differing(leaky, 10, &depth) > 16);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
      for (unsigned rounds = 10; rounds <= 14; rounds += 4)
        for (len = rows[r].min; len <= (rows[r].has_len ? (size_t)MAX : rows[r].min); len += len < 80 ? 1 : 71) {
          T_AT("row %zu, rounds %zu, len %zu", r, rounds, len);
          size_t n = differing(rows[r].run, rounds, &depth);
          if (n != 0)
            t_fail(__FILE__, __LINE__, "%s left %zu bytes that depend on secrets, the deepest %zu below", rows[r].name,
                   n, depth);
          CHECK(n == 0);
        }
  }
  return t_done();
}
