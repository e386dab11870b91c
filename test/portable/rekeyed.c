/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * After an init every byte of an object is made from what this init was given. Nothing is left of the key before it,
 * nor of what the memory held before, nor of the stack.
 *
 * Each kind of object is made of the same raw key over zeros, over ones and over a random key of each length. Between
 * the inits the stack is painted in other ways. All objects must be equal, byte for byte. Hence no run of an older
 * schedule or of its powers is in them; that is looked for as well, in case that both came from one key. The kernels'
 * inits are held to the same for the structs that they fill, as the module for Linux calls them by themselves.
 */
#define _GNU_SOURCE /* memmem */
#include "../../src/impl.h"
#include "t.h"

static int impl;
static const struct rijn_impl *m;
static uint8_t nonce[12], lengths[3] = {16, 24, 32};

static int init_gcm(void *k, const uint8_t *raw, size_t n) { return rijn_gcm_init_impl(k, raw, n, 16, impl); }
static int init_gcm_short(void *k, const uint8_t *raw, size_t n) { return rijn_gcm_init_impl(k, raw, n, 12, impl); }
static int init_esp(void *k, const uint8_t *raw, size_t n) { return rijn_rfc4106_init_impl(k, raw, n + 4, 16, impl); }
static int init_esp_mac(void *k, const uint8_t *raw, size_t n) { return rijn_rfc4543_init_impl(k, raw, n + 4, impl); }
static int init_siv(void *k, const uint8_t *raw, size_t n) { return rijn_gcm_siv_init_impl(k, raw, n, impl); }
static int init_aes(void *k, const uint8_t *raw, size_t n) { return rijn_aes_init_impl(k, raw, n, impl); }
/* These have keys of fewer lengths: for others they take the longest. */
static int init_xaes(void *k, const uint8_t *raw, size_t n) {
  (void)n;
  return rijn_xaes_init_impl(k, raw, 32, impl);
}
static int init_xts(void *k, const uint8_t *raw, size_t n) {
  return rijn_xts_init_impl(k, raw, n == 16 ? 32 : 64, impl);
}
static int init_ghash(void *k, const uint8_t *raw, size_t n) {
  (void)n;
  return rijn_ghash_init_impl(k, raw, impl);
}
static rijn_gcm_key stream_keys[3];
static int init_stream(void *s, const uint8_t *raw, size_t n) {
  rijn_gcm_key *key = &stream_keys[n / 8 - 2]; /* a stream has its key's address */
  int err = rijn_gcm_init_impl(key, raw, n, 16, impl);
  return err != 0 ? err : rijn_gcm_encrypt_start(s, key, nonce, sizeof nonce);
}
/* The kernels' own. */
static int kernel_gcm(void *p, const uint8_t *raw, size_t n) {
  struct rijn_gcm *k = p;
  memset(k, 0, offsetof(struct rijn_gcm, rk));
  k->rounds = (uint8_t)(n / 4 + 6);
  m->gcm_init(k, raw);
  return 0;
}
static int kernel_ghash(void *p, const uint8_t *raw, size_t n) {
  struct rijn_ghash *k = p;
  (void)n;
  memset(k, 0, offsetof(struct rijn_ghash, h));
  m->ghash_init(k, raw);
  return 0;
}
static int kernel_aes(void *p, const uint8_t *raw, size_t n) {
  struct rijn_aes *k = p;
  memset(k, 0, offsetof(struct rijn_aes, rk));
  k->rounds = (uint8_t)(n / 4 + 6);
  m->aes_init(k, raw);
  return 0;
}
static int kernel_xts(void *p, const uint8_t *raw, size_t n) {
  struct rijn_xts *k = p;
  memset(k, 0, offsetof(struct rijn_xts, rk));
  k->rounds = (uint8_t)(n / 4 + 6);
  m->xts_init(k, raw);
  return 0;
}

static const struct kind {
  const char *name;
  size_t size;
  int (*init)(void *k, const uint8_t *raw, size_t n);
} kinds[] = {
    {"rijn_gcm_key", sizeof(rijn_gcm_key), init_gcm},
    {"rijn_gcm_key, tag of 12", sizeof(rijn_gcm_key), init_gcm_short},
    {"rijn_gcm_stream", sizeof(rijn_gcm_stream), init_stream},
    {"rijn_esp_key", sizeof(rijn_esp_key), init_esp},
    {"rijn_esp_key, GMAC", sizeof(rijn_esp_key), init_esp_mac},
    {"rijn_gcm_siv_key", sizeof(rijn_gcm_siv_key), init_siv},
    {"rijn_xaes_key", sizeof(rijn_xaes_key), init_xaes},
    {"rijn_xts_key", sizeof(rijn_xts_key), init_xts},
    {"rijn_aes_key", sizeof(rijn_aes_key), init_aes},
    {"rijn_ghash_key", sizeof(rijn_ghash_key), init_ghash},
    {"struct rijn_gcm", sizeof(struct rijn_gcm), kernel_gcm},
    {"struct rijn_ghash", sizeof(struct rijn_ghash), kernel_ghash},
    {"struct rijn_aes", sizeof(struct rijn_aes), kernel_aes},
    {"struct rijn_xts", sizeof(struct rijn_xts), kernel_xts},
};

enum { LARGEST = 2048, LARGEST_STACK = 16384 };
static _Alignas(64) uint8_t wanted[LARGEST], got[LARGEST + 64], older[LARGEST];

static __attribute__((noinline)) void paint_stack(int value) {
  uint8_t frame[LARGEST_STACK];
  memset(frame, value, sizeof frame);
  __asm__ volatile("" : : "r"(frame) : "memory");
}

/* Are the n bytes at p worth a look? Not if zeros are among them, which stand behind a schedule, nor if the object made
 * of zeros has them as well, as it has the implementation's number. */
static bool telling(const uint8_t *p, const uint8_t *of_zeros, size_t n) {
  return memchr(p, 0, n) == NULL && memcmp(p, of_zeros, n) != 0;
}
/* The first place of the new object that has 4 bytes which stand in the same place of the older one, or 8 which stand
 * in any place of it; -1: none. */
static ptrdiff_t run_of(const uint8_t *fresh, const uint8_t *old, const uint8_t *of_zeros, size_t n) {
  for (size_t i = 0; i + 8 <= n; i++) {
    if (telling(fresh + i, of_zeros + i, 4) && memcmp(fresh + i, old + i, 4) == 0)
      return (ptrdiff_t)i;
    if (telling(fresh + i, of_zeros + i, 8) && memmem(old, n, fresh + i, 8) != NULL)
      return (ptrdiff_t)i;
  }
  return -1;
}

/* The object of raw over what got holds. */
static void again(const struct kind *kind, const uint8_t *raw, size_t n, int paint, const char *over) {
  static unsigned shown;
  paint_stack(paint);
  CHECK_EQ(kind->init(got, raw, n), 0);
  size_t differ = 0, first = 0;
  for (size_t i = kind->size; i-- > 0;)
    if (got[i] != wanted[i]) {
      differ++;
      first = i;
    }
  if (differ != 0 && shown++ < 16)
    t_fail(__FILE__, __LINE__, "%s of %zu bytes over %s: %zu bytes depend on what was there, the first at %zu",
           kind->name, n, over, differ, first);
  CHECK(differ == 0);
  CHECK_ALL(got + kind->size, 0x77, 64); /* and nothing behind it is written */
}

static void one(const struct kind *kind, size_t n) {
  static const uint8_t zeros[64];
  uint8_t raw[64], old[64], of_zeros[LARGEST];
  t_fill(raw, sizeof raw);
  memset(wanted, 0, sizeof wanted);
  memset(got, 0x77, sizeof got);
  paint_stack(0);
  CHECK_EQ(kind->init(wanted, raw, n), 0);
  memset(got, 0xff, kind->size);
  again(kind, raw, n, 0xff, "ones");
  memset(got, 0, kind->size);
  again(kind, raw, n, 0x5a, "zeros");
  memset(of_zeros, 0, sizeof of_zeros);
  if (kind->init != init_xts) /* which refuses it */
    CHECK_EQ(kind->init(of_zeros, zeros, n), 0);
  for (size_t l = 0; l < 3; l++) {
    T_AT("kind %zu, %zu bytes over %zu", (size_t)(kind - kinds), n, lengths[l]);
    t_fill(old, sizeof old);
    memset(got, 0, kind->size);
    CHECK_EQ(kind->init(got, old, lengths[l]), 0);
    memcpy(older, got, kind->size);
    again(kind, raw, n, 0xa5, "another key");
    if (kind->init != init_stream) /* which has none of its key */
      CHECK_EQ(run_of(got, older, of_zeros, kind->size), -1);
  }
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  T_IMPLS(i) {
    impl = i;
    m = rijn_impls[i];
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
      for (size_t l = 0; l < 3; l++)
        one(&kinds[k], lengths[l]);
  }
  return t_done();
}
