/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the module of the tests does with the vector unit: kernel/glue.h says when a section begins and ends, and its
 * kernels are called by way of this file, which counts their bytes. WHY here: the driver's own account of a section is
 * what is tested.
 */
#include "rtest.h"

#include <linux/export.h>
#include <linux/percpu.h>

#include "kernel/shim/plain.h"

#include "src/impl.h"

void rijn_watch_begin(void);
void rijn_watch_end(void);
void rijn_watch_entry(void);
void rijn_watch_yield(void);
const struct rijn_impl *rijn_watched(const struct rijn_impl *impl, int set);

/* Of a processor: no other thread runs there within a section. */
struct section {
  bool open;
  unsigned long bytes, entries;
};
static DEFINE_PER_CPU(struct section, now);
static struct seen seen;

void rtest_forget(void) { seen = (struct seen){0}; }
struct seen rtest_seen(void) {
  return seen;
}

void rijn_watch_begin(void) {
  struct section *s = raw_cpu_ptr(&now);

  seen.wrong += s->open;
  seen.sections++;
  *s = (struct section){.open = true};
}
void rijn_watch_end(void) {
  struct section *s = raw_cpu_ptr(&now);

  seen.wrong += !s->open;
  seen.bytes += s->bytes;
  seen.most_bytes = max(seen.most_bytes, s->bytes);
  seen.most_entries = max(seen.most_entries, s->entries);
  s->open = false;
}
void rijn_watch_entry(void) { raw_cpu_ptr(&now)->entries++; }
void rijn_watch_yield(void) {
  seen.yields++;
  seen.wrong += raw_cpu_ptr(&now)->open;
}
EXPORT_SYMBOL_GPL(rijn_watch_begin);
EXPORT_SYMBOL_GPL(rijn_watch_end);
EXPORT_SYMBOL_GPL(rijn_watch_entry);
EXPORT_SYMBOL_GPL(rijn_watch_yield);

static void work(size_t bytes) { raw_cpu_ptr(&now)->bytes += bytes; }

/* ---------------------------------------------------------------- kernels that count */

enum { SETS = 10 };
static struct {
  const struct rijn_impl *real;
  struct rijn_impl counting;
} sets[SETS];

/* Of set n. WHY a copy for each set: a kernel does not know whose it is. */
#define MESSAGE(n, name)                                                                                               \
  static int name##_##n(const struct rijn_gcm *k, u8 *out, const u8 *in, size_t len, const u8 *aad, size_t aad_len,    \
                        const u8 *nonce, size_t nonce_len, u8 *tag) {                                                  \
    work(len + aad_len);                                                                                               \
    return sets[n].real->name(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);                                   \
  }
#define OPENED(n, name)                                                                                                \
  static int name##_##n(const struct rijn_gcm *k, u8 *out, const u8 *in, size_t len, const u8 *aad, size_t aad_len,    \
                        const u8 *nonce, size_t nonce_len, const u8 *tag) {                                            \
    work(len + aad_len);                                                                                               \
    return sets[n].real->name(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);                                   \
  }
#define BLOCKS(n, name)                                                                                                \
  static void name##_##n(const struct rijn_gcm *k, u8 *out, const u8 *in, size_t nblk, struct rijn_gcm_state *c,       \
                         unsigned ends) {                                                                              \
    work(16 * nblk);                                                                                                   \
    sets[n].real->name(k, out, in, nblk, c, ends);                                                                     \
  }
#define HASHED(n, name)                                                                                                \
  static void name##_##n(const struct rijn_hpow *h, u8 acc[16], const u8 *in, size_t nblk) {                           \
    work(16 * nblk);                                                                                                   \
    sets[n].real->name(h, acc, in, nblk);                                                                              \
  }
#define EACH_BLOCK(n, name)                                                                                            \
  static void name##_##n(const struct rijn_rk *rk, unsigned rounds, u8 *out, const u8 *in, size_t nblk) {              \
    work(16 * nblk);                                                                                                   \
    sets[n].real->name(rk, rounds, out, in, nblk);                                                                     \
  }
#define CHAINED(n, name)                                                                                               \
  static void name##_##n(const struct rijn_rk *rk, unsigned rounds, u8 *out, const u8 *in, size_t nblk, u8 iv[16]) {   \
    work(16 * nblk);                                                                                                   \
    sets[n].real->name(rk, rounds, out, in, nblk, iv);                                                                 \
  }
#define UNIT(n, name)                                                                                                  \
  static void name##_##n(const struct rijn_xts *k, u8 *out, const u8 *in, size_t len, const u8 tweak[16]) {            \
    work(len);                                                                                                         \
    sets[n].real->name(k, out, in, len, tweak);                                                                        \
  }
#define PART(n, name)                                                                                                  \
  static void name##_##n(const struct rijn_xts *k, u8 *out, const u8 *in, size_t len, const u8 tweak[16], u8 next[16], \
                         int first) {                                                                                  \
    work(len);                                                                                                         \
    sets[n].real->name(k, out, in, len, tweak, next, first);                                                           \
  }
/* Those that a request of the module calls. */
#define KERNELS(DO, n)                                                                                                 \
  DO(n, MESSAGE, gcm_encrypt)                                                                                          \
  DO(n, OPENED, gcm_decrypt)                                                                                           \
  DO(n, BLOCKS, gcm_enc_blocks)                                                                                        \
  DO(n, BLOCKS, gcm_dec_blocks)                                                                                        \
  DO(n, HASHED, ghash_blocks)                                                                                          \
  DO(n, EACH_BLOCK, ecb_enc)                                                                                           \
  DO(n, EACH_BLOCK, ecb_dec)                                                                                           \
  DO(n, CHAINED, ctr_blocks)                                                                                           \
  DO(n, CHAINED, cbc_enc)                                                                                              \
  DO(n, CHAINED, cbc_dec)                                                                                              \
  DO(n, UNIT, xts_enc)                                                                                                 \
  DO(n, UNIT, xts_dec)                                                                                                 \
  DO(n, PART, xts_enc_part)                                                                                            \
  DO(n, PART, xts_dec_part)
#define COUNTING(n, shape, name) shape(n, name)
#define PUT(n, shape, name) sets[n].counting.name = name##_##n;
#define SET(n)                                                                                                         \
  KERNELS(COUNTING, n)                                                                                                 \
  static void put_##n(void) { KERNELS(PUT, n) }
SET(0)
SET(1)
SET(2)
SET(3)
SET(4)
SET(5)
SET(6)
SET(7)
SET(8)
SET(9)

const struct rijn_impl *rijn_watched(const struct rijn_impl *impl, int set) {
  static void (*const put[SETS])(void) = {put_0, put_1, put_2, put_3, put_4, put_5, put_6, put_7, put_8, put_9};

  if (set < 0 || set >= SETS)
    return impl; /* its bytes are missed: sections.c says so */
  if (sets[set].real != impl) {
    sets[set].real = impl;
    sets[set].counting = *impl;
    put[set]();
  }
  return &sets[set].counting;
}
EXPORT_SYMBOL_GPL(rijn_watched);
