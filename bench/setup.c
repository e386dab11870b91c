/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "setup.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096

static uint64_t random_state;

void b_random_seed(uint64_t seed) { random_state = seed; }

uint64_t b_random(void) { /* splitmix64 */
  uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static void random_fill(uint8_t *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    p[i] = (uint8_t)b_random();
}

/* Lengths of packets from 64 to 1500 bytes, always the same: mean 782 before and 782 after the shuffle. */
size_t b_mix_lengths(uint32_t lens[B_MIX_N], const struct b_case *c) {
  uint64_t keep = random_state;
  random_state = 64;
  for (uint32_t i = 0; i < B_MIX_N; i++)
    lens[i] = 64 + i * 1436 / (B_MIX_N - 1);
  for (size_t i = B_MIX_N - 1; i > 0; i--) {
    size_t k = (size_t)(b_random() % (i + 1));
    uint32_t t = lens[i];
    lens[i] = lens[k];
    lens[k] = t;
  }
  random_state = keep;
  return b_mode(c)->batch ? c->count : B_MIX_N;
}

double b_case_bytes(const struct b_case *c) {
  uint32_t lens[B_MIX_N];
  if (!c->mix)
    return (double)c->size;
  double sum = 0;
  size_t n = b_mix_lengths(lens, c);
  for (size_t i = 0; i < n; i++)
    sum += lens[i];
  return sum / (double)n;
}

static void *take(uint8_t **at, size_t size, size_t offset) {
  uint8_t *p = (uint8_t *)(((uintptr_t)*at + PAGE - 1) / PAGE * PAGE) + offset;
  *at = p + size;
  return p;
}

/* Offset in a page: where the case wants it, or anywhere in steps of a cache line when launches are shuffled. */
static size_t place(const struct b_options *o, size_t standard) {
  return o->placement ? (size_t)(b_random() % (PAGE / 64)) * 64 : standard;
}

/* Something to decrypt. One nonce serves all lengths of a mix (a shorter text's ciphertext begins a longer one's), but
 * the loop still walks through the array of nonces, as encryption does. */
static int encrypt_all(struct b_setup *s, const struct b_case *c, size_t stride, int impl) {
  void *k = b_rijn_key(c, s->raw, s->raw_len, impl);
  int err = k ? 0 : -1;
  if (b_mode(c)->batch) {
    for (size_t i = 0; i < c->count && !err; i++) {
      struct b_msg m = {s->in + i * stride, s->in + i * stride, s->msgs[i].nonce, s->msgs[i].tag};
      err = b_rijn_seal(c, k, &m, b_batch_len(&s->job, i), s->aad, c->aad);
    }
    free(k);
    return err;
  }
  for (size_t i = 1; i <= B_NONCES; i++)
    memcpy(s->nonces + 16 * i, s->nonces, 16);
  size_t longest = 0;
  for (size_t i = 0; i <= s->lmask && !err; i++) {
    struct b_msg m = {s->in, s->want_out, s->nonces, s->tags + 16 * i};
    err = b_rijn_seal(c, k, &m, s->lens[i], s->aad, c->aad);
    longest = s->lens[i] > longest ? s->lens[i] : longest;
  }
  struct b_msg m = {s->in, s->in, s->nonces, s->want_tags};
  if (!err)
    err = b_rijn_seal(c, k, &m, longest, s->aad, c->aad);
  free(k);
  return err;
}

int b_setup_make(struct b_setup *s, const struct b_options *o, const struct b_case *c, const struct b_subject *ref) {
  memset(s, 0, sizeof *s);
  s->lmask = c->mix ? B_MIX_N - 1 : 0;
  if (c->mix)
    b_mix_lengths(s->lens, c);
  else
    s->lens[0] = (uint32_t)c->size;
  size_t stride = c->mix ? 1500 : c->size;
  if (b_mode(c)->batch)
    stride = (stride + 63) / 64 * 64;
  s->total = stride * c->count;
  s->arena_size = 4 * (s->total + 3 * PAGE) + c->aad + 16 * PAGE + (B_NONCES + 1 + 2 * B_MIX_N + 512) * 16;
  s->arena = mmap(NULL, s->arena_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (s->arena == MAP_FAILED)
    return b_refused("memory");
  uint8_t *at = s->arena;
  size_t slots = c->mix ? B_MIX_N : 256;
  /* WHY 2048: a store hides a later load of an address equal to it in the low 12 bits; half a page is far from that. */
  s->in = take(&at, s->total + 64, place(o, 0) + o->misalign);
  s->out = take(&at, s->total + 64, place(o, 2048) + o->misalign);
  s->aad = take(&at, c->aad + 64, place(o, 256));
  s->nonces = take(&at, (B_NONCES + 1) * 16, place(o, 512));
  s->tags = take(&at, slots * 16, place(o, 1024));
  s->want_out = take(&at, s->total + 64, 0);
  s->want_tags = take(&at, slots * 16, 0);
  s->cipher = take(&at, s->total + 64, 0);
  if (o->in_place)
    s->out = s->in;
  random_state = 1;
  random_fill(s->in, s->total);
  random_fill(s->aad, c->aad);
  random_fill(s->nonces, B_NONCES * 16);
  random_fill(s->raw, sizeof s->raw);
  s->raw_len = (size_t)c->key_bits / 8 * (b_mode(c)->key == B_KEY_XTS ? 2 : 1);
  for (size_t i = 0; i < c->count && i < B_BATCH_MAX; i++)
    s->msgs[i] = (struct b_msg){s->in + i * stride, s->out + i * stride, s->nonces + 16 * i, s->tags + 16 * i};
  s->job = (struct b_job){.c = c,
                          .lens = s->lens,
                          .lmask = s->lmask,
                          .nonces = s->nonces,
                          .nmask = B_NONCES - 1,
                          .aad = s->aad,
                          .aad_len = c->aad,
                          .in = s->in,
                          .out = s->out,
                          .tags = s->tags,
                          .raw = s->raw,
                          .raw_len = s->raw_len,
                          .msgs = s->msgs,
                          .serial = o->serial};
  if (b_mode(c)->has_tag && c->dir == B_DEC && encrypt_all(s, c, stride, ref->index))
    return B_EXIT_FAIL;
  memcpy(s->cipher, s->in, s->total);
  return 0;
}

void b_setup_free(struct b_setup *s) {
  if (s->arena && s->arena != MAP_FAILED)
    munmap(s->arena, s->arena_size);
}
