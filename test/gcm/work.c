/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * No message is enciphered twice, not even a block of it: the processor steps through a call one instruction at a time
 * (the trap flag), and the blocks that its AES instructions work on are counted. For a text of t blocks the cipher has
 * t + 1 to make, with E(J0), in vectors of a few blocks each; there may be no vector more than that takes. What this
 * sees no time has to show.
 */
#define _GNU_SOURCE
#include "t.h"

#include <signal.h>
#include <ucontext.h>

static volatile unsigned work; /* blocks that went through a round */
static volatile unsigned steps;

/* Blocks of an AESENC or AESENCLAST at p, encoded in any of three ways (Intel's manual, volume 2, 2.1 to 2.7); else
 * 0. */
static unsigned aes_blocks(const uint8_t *p) {
  if (p[0] == 0x66) { /* SSE: 66, REX or not, 0F 38 DC or DD */
    p += (p[1] & 0xf0) == 0x40 ? 2 : 1;
    return p[0] == 0x0f && p[1] == 0x38 && (p[2] & 0xfe) == 0xdc ? 1 : 0;
  }
  if (p[0] == 0xc4 && (p[1] & 0x1f) == 2 && (p[2] & 3) == 1 && (p[3] & 0xfe) == 0xdc) /* VEX, bit 2: 256 bits */
    return p[2] & 4 ? 2 : 1;
  if (p[0] == 0x62 && (p[1] & 7) == 2 && (p[2] & 3) == 1 && (p[4] & 0xfe) == 0xdc) /* EVEX, bits 5 and 6: the length */
    return 1u << (p[3] >> 5 & 3);
  return 0;
}

static void on_step(int sig, siginfo_t *info, void *context) {
  const ucontext_t *c = context;
  const greg_t at = c->uc_mcontext.gregs[REG_RIP];
  const uint8_t *code;
  (void)sig, (void)info;
  memcpy(&code, &at, sizeof code);
  work += aes_blocks(code);
  steps++;
}

/* Compiled without a red zone (CMakeLists.txt), because these push. */
#define TRAP_ON() __asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq" ::: "memory", "cc")
#define TRAP_OFF() __asm__ volatile("pushfq\n andq $~0x100, (%%rsp)\n popfq" ::: "memory", "cc")

static uint8_t text[2048], out[2048], aad[16], nonce[12], tag[16];

/* Block-rounds of a call. */
static unsigned count(const rijn_gcm_key *key, size_t len, bool encrypt) {
  int err;
  work = steps = 0;
  TRAP_ON();
  if (encrypt)
    err = rijn_gcm_encrypt(key, out, text, len, aad, sizeof aad, nonce, sizeof nonce, tag);
  else
    err = rijn_gcm_decrypt(key, text, out, len, aad, sizeof aad, nonce, sizeof nonce, tag);
  TRAP_OFF();
  CHECK_EQ(err, RIJN_OK);
  CHECK(steps > 20);
  return work;
}

/* Instructions of a message in one piece, and of the same in two: text and a short run, as TLS 1.3 has it. That has to
 * be put together, which takes some; as a message in pieces it took four to five times as many as one. */
static void pieces(int impl, const rijn_gcm_key *key) {
  static const struct { size_t text, more; } runs[] = {{60, 5}, {64, 1}, {200, 1}, {500, 12}};
  t_set_impl(impl);
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    const rijn_iov in[2] = {{text, runs[i].text}, {text + 1024, runs[i].more}}, to = {out, runs[i].text + runs[i].more};
    const rijn_iov with = {aad, sizeof aad};
    T_AT("%zu and %zu bytes", runs[i].text, runs[i].more);
    (void)count(key, to.len, true);
    const unsigned one = steps;
    /* WHY twice: at the first call of memset() the loader looks it up. */
    int err = rijn_gcm_encrypt_iov(key, &to, 1, in, 2, &with, 1, nonce, sizeof nonce, tag);
    CHECK_EQ(err, RIJN_OK);
    steps = 0;
    TRAP_ON();
    err = rijn_gcm_encrypt_iov(key, &to, 1, in, 2, &with, 1, nonce, sizeof nonce, tag);
    TRAP_OFF();
    CHECK_EQ(err, RIJN_OK);
    const unsigned most = one + 600 + 2 * (unsigned)to.len;
    if (steps > most)
      t_fail(__FILE__, __LINE__, "%u instructions, where one piece has %u: over %u", steps, one, most);
  }
}

/* Instructions of a batch whose messages have no associated data: as many whether its address is NULL or not. */
static unsigned batch(const rijn_gcm_key *key, const void *no_aad) {
  enum { N = 16 };
  static uint8_t nonces[N][12], tags[N][16];
  rijn_gcm_msg m[N];
  for (size_t i = 0; i < N; i++)
    m[i] = (rijn_gcm_msg){sizeof *m, key, out + 64 * i, text, 64, no_aad, 0, nonces[i], 12, tags[i], 0};
  int failed = rijn_gcm_encrypt_batch(m, N);
  CHECK_EQ(failed, 0);
  steps = 0;
  TRAP_ON();
  failed = rijn_gcm_encrypt_batch(m, N);
  TRAP_OFF();
  CHECK_EQ(failed, 0);
  CHECK(steps > N);
  return steps;
}
static void nothing(int impl, const rijn_gcm_key *key) {
  t_set_impl(impl);
  const unsigned null = batch(key, NULL), not_null = batch(key, aad);
  if (null > not_null + not_null / 20)
    t_fail(__FILE__, __LINE__, "%u instructions with NULL, %u with an address", null, not_null);
}

/* Blocks of a vector, and vectors that a message may have beyond the fewest. With AVX-512 messages of less than a
 * vector may go another way, and the last group may have two vectors at least. again: an encryption, too, throws away a
 * vector in which the text leaves J0 no room (J0_ALONE in src/mode/tune.def). */
struct set {
  const char *name;
  unsigned blocks, more, again;
};
static const struct set sets[] = {{"x86-aesni", 1, 0, 1},           {"x86-aesni-avx", 1, 0, 0},
                                  {"x86-vaes-avx2", 2, 0, 0},       {"x86-vaes-avx512", 4, 1, 0},
                                  {"x86-vaes-avx512-256", 2, 1, 0}, {"x86-vaes-avx512-zen", 4, 1, 0},
                                  {"x86-vaes-avx512-zen4", 4, 1, 0}};

static void one(int impl, const struct set *set, unsigned rounds, const rijn_gcm_key *key, size_t len) {
  const unsigned vb = set->blocks, more = set->more;
  const unsigned blocks = (unsigned)((len + 15) / 16), fewest = (blocks + 1 + vb - 1) / vb;
  t_set_impl(impl);
  T_AT("length %zu", len);
  unsigned enc = count(key, len, true), dec = count(key, len, false);
  /* Where the text's last block has no other beside it in its vector, decryption may throw that vector away, and make
   * it again with J0. */
  const unsigned again = blocks % vb == 0 || len % (16 * vb) > 16 * (vb - 1) ? 1 : 0;
  if (enc > rounds * vb * (fewest + more + (set->again & again)))
    t_fail(__FILE__, __LINE__, "encryption: %u blocks are %u block-rounds, not %u", blocks + 1, enc,
           rounds * vb * fewest);
  if (dec > rounds * vb * (fewest + more + again))
    t_fail(__FILE__, __LINE__, "decryption: %u blocks are %u block-rounds, not %u", blocks + 1, dec,
           rounds * vb * fewest);
  CHECK(enc >= rounds * (blocks + 1) && dec >= rounds * (blocks + 1)); /* the count sees them */
}

int main(int argc, char **argv) {
  /* About multiples of a block and of a vector where groups of seven vectors end, and behind passes. */
  static const size_t lens[] = {0,   1,   16,  17,  48,  63,  64,  96,  97,  104, 111, 112, 113, 128, 176,
                                192, 193, 200, 208, 209, 216, 223, 224, 225, 240, 300, 384, 385, 400, 416,
                                417, 426, 432, 433, 440, 447, 448, 449, 500, 512, 528, 544, 545, 1420};
  static const uint8_t raw[32];
  t_init(argc, argv);
  struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
  sigemptyset(&action.sa_mask);
  REQUIRE(sigaction(SIGTRAP, &action, NULL) == 0);
  T_IMPLS(impl) {
    unsigned which = 0;
    if (strcmp(rijn_impl_name(impl), "portable") == 0)
      continue; /* has no AES instruction */
    while (which < sizeof sets / sizeof *sets && strcmp(sets[which].name, rijn_impl_name(impl)) != 0)
      which++;
    REQUIRE(which < sizeof sets / sizeof *sets); /* a new set needs a row above */
    rijn_gcm_key key;
    REQUIRE(rijn_gcm_init_impl(&key, raw, 16, 16, impl) == RIJN_OK);
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++)
      one(impl, &sets[which], 10, &key, lens[i]);
    pieces(impl, &key);
    nothing(impl, &key);
    REQUIRE(rijn_gcm_init_impl(&key, raw, 32, 16, impl) == RIJN_OK);
    one(impl, &sets[which], 14, &key, 208);
  }
  return t_done();
}
