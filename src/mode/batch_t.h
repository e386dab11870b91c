/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: many GCM messages in one call. Parameters as in gcm_t.h.
 *
 * VB messages go together. What a message needs once - E(J0), the product of its associated data, its lengths, the
 * reduction, the tag - is done for all VB at once, message i in lane i. There are three ways:
 *   batch_alike  up to a vector of text, one key, all lengths as the first message has them
 *   batch_long   one key, some text longer than a vector: up to BATCH_NV vectors at a time, and under the AES of a group goes the
 *                hash of the group before, be it another message's
 *   batch_all    up to a vector of text, any keys and lengths: round keys and powers are gathered from each one's key
 * Long messages under different keys are left to the call for one: with tables of their own they took 346 cycles here at 1420
 * bytes, and 324 there.
 *
 * Where the key is one, counters of one nonce differ in the last byte only, so the state after the first round is that of counter 0,
 * XOR a table that the key and that byte decide: one table serves all messages.
 * CT: the table is indexed by the counter, which is public, for the nonce has 12 bytes. It lies on the stack and is wiped.
 */
#ifndef GCM_BATCH
#define BATCH_KERNELS /* none: the rules take one message after the other */
#else
#include "../gcm.h"

enum {
  BATCH_NV = 4,
  BATCH_GROUP = 16 * VB * BATCH_NV,                       /* bytes of a long message side by side */
  BATCH_RUN = 2 * BATCH_GROUP,                            /* between two reductions */
  BATCH_TABLE = RIJN_GCM_BATCH_LEN / (16 * VB) + BATCH_NV /* vectors */
};
_Static_assert(BATCH_RUN / 16 + 1 <= N_POW, "a run, and the lengths");
_Static_assert(VB *BATCH_TABLE <= 254, "counters 2 to 255");

/* VB messages. */
typedef struct {
  struct rijn_gcm_msg *m;
  const struct rijn_gcm *key[VB];
  int same;    /* one key for all */
  int lengthy; /* a text of more than a vector */
  int blocks;  /* all associated data are of a block */
  v_t lengths; /* lane i: of the text, of the associated data; in bytes */
  v_t e;       /* lane i: E(J0) */
  v_t delta;   /* long messages: the state after round 1 of counter 0 */
  v_t ah;      /* associated data times H */
  v_t x[VB];   /* keystream of short texts */
  sum_t s[VB]; /* of each text */
} four_t;

/* A group of a long text that waits to be hashed, and the hash it goes into. */
typedef struct {
  v_t t[BATCH_NV];
  sum_t s;
  const uint8_t *pow; /* of t[0] */
} pending_t;

typedef struct {
  four_t f[2];                                      /* in hand, and waiting */
  size_t reach;                                     /* bytes of text that the table serves */
  _Alignas(2 * BATCH_GROUP) v_t table[BATCH_TABLE]; /* what counters 2, 3 .. add to delta */
} batch_t;

/* Block at key[i] + offset into lane i. */
INLINE v_t batch_gather(const four_t *f, size_t offset, int same) {
  const uint8_t *p[VB];
  EACH(i, VB, p[i] = (const uint8_t *)f->key[i] + offset);
  return same ? v_bcast_mem(p[0]) : v_gather(p);
}
#define BATCH_RK(r) (offsetof(struct rijn_gcm, rk) + 16 * (size_t)(r))
#define BATCH_POW(i)                                                                                                   \
  (offsetof(struct rijn_gcm, h) + offsetof(struct rijn_hpow, pow) + 16 * (size_t)(N_POW - (i))) /* H^i */

/* The fields of a message as words, and what is taken here from the third on: all between is allowed by every rule, but for what
 * two fields have to do with each other. PERF: all at once, for field by field it took 12 cycles a message. */
_Static_assert(offsetof(rijn_gcm_msg, out) == 16 && offsetof(rijn_gcm_msg, in) == 24 &&
                   offsetof(rijn_gcm_msg, len) == 32 && offsetof(rijn_gcm_msg, aad) == 40 &&
                   offsetof(rijn_gcm_msg, aad_len) == 48 && offsetof(rijn_gcm_msg, nonce) == 56 &&
                   offsetof(rijn_gcm_msg, nonce_len) == 64 && offsetof(rijn_gcm_msg, tag) == 72,
               "ten words");
#define ANY (~UINT64_C(1)) /* above a least of 1: all but 0 */
static const _Alignas(64) uint64_t batch_least[8] = {1, 1, 0, 0, 0, 1, 12, 1};
static const _Alignas(64) uint64_t batch_span[8] = {ANY, ANY, RIJN_GCM_BATCH_LEN, ANY + 1, RIJN_GCM_BATCH_AAD, ANY,
                                                    0,   ANY};
static const _Alignas(64) uint64_t batch_alike_span[8] = {ANY, ANY, 0, ANY, 0, ANY, 0, ANY};
INLINE int batch_within(const struct rijn_gcm_msg *m, const uint64_t *least, const uint64_t *span) {
  return v_within((const uint8_t *)m + 16, sizeof *m, least, span);
}
/* Where out and in are not the same, are they apart? lengths: lane i twice that of message i. */
INLINE int batch_apart(const struct rijn_gcm_msg *m, v_t lengths) {
  return v_apart((const uint8_t *)m + 16, sizeof *m, lengths);
}
INLINE int batch_one_key(const struct rijn_gcm_msg *m, const rijn_gcm_key *key) {
  int same = 1;
  EACH(i, VB, same &= m[i].key == key);
  return same;
}

/* Does every rule allow the first VB of n messages, and do they go together, under keys of implementation id? No only means that the
 * rules have to be looked at one by one. */
NOINLINE int batch_look(four_t *f, struct rijn_gcm_msg *m, size_t n, uint8_t id) {
  const uint8_t *p[VB], *q[VB];
  if (n < VB || !batch_within(m, batch_least, batch_span))
    return 0;
  EACH(i, VB, p[i] = (const uint8_t *)&m[i].len; q[i] = (const uint8_t *)&m[i].aad_len);
  const v_t lengths = f->lengths = v_low_halves(v_gather(p), v_gather(q));
  if (!batch_apart(m, v_low_halves(lengths, lengths)))
    return 0;
  f->m = m;
  f->lengthy = v_low_over(lengths, 16 * VB);
  f->blocks = v_high_are(lengths, 16);
  f->same = batch_one_key(m, m->key);
  for (int i = 0; i < VB; i++) {
    if (m[i].key == NULL || (m[i].aad == NULL && m[i].aad_len != 0))
      return 0;
    const struct rijn_gcm *k = f->key[i] = rijn_gcm_of(m[i].key);
    if ((i == 0 || !f->same) && (k->impl != id || k->rounds != f->key[0]->rounds || k->tag_len != f->key[0]->tag_len))
      return 0;
  }
  return 1;
}

NOINLINE __attribute__((cold)) v_t batch_part_aad(const struct rijn_gcm_msg *m) {
  const uint8_t *p[VB];
  size_t n[VB];
  EACH(i, VB, p[i] = m[i].aad; n[i] = m[i].aad_len);
  return v_gather_part(p, n);
}
INLINE v_t batch_aad(const struct rijn_gcm_msg *m, int blocks) {
  const uint8_t *p[VB];
  EACH(i, VB, p[i] = m[i].aad);
  return v_bswap(blocks ? v_gather(p) : batch_part_aad(m));
}
INLINE v_t batch_nonces(const struct rijn_gcm_msg *m) {
  const uint8_t *p[VB];
  EACH(i, VB, p[i] = m[i].nonce);
  return v_gather12(p);
}
INLINE sum_t batch_mul(v_t x, v_t p) { return (sum_t){v_gf_lo(x, p), v_gf_mid_add(v_zero(), x, p), v_gf_hi(x, p)}; }
/* What counters c add to the state after round 1 of counter 0. */
INLINE v_t batch_counter(v_t c, v_t k0) {
  return v_xor(v_aes_round(v_xor(c, k0), k0, v_zero()), v_aes_round(k0, k0, v_zero()));
}

/* Writes the tags, or looks at them; returns how many are wrong. */
NOINLINE __attribute__((cold)) size_t batch_tags_each(struct rijn_gcm_msg *m, size_t n, v_t t, int enc) {
  _Alignas(16 * VB) uint8_t tags[16 * VB];
  size_t failed = 0;
  v_store(tags, t);
  for (int i = 0; i < VB; i++, m++) {
    v_t mine = v_load_part(tags + 16 * i, n);
    if (enc) {
      v_store_part(m->tag, mine, n);
    } else if (v_differ(mine, v_load_part(m->tag, n))) {
      m->result = RIJN_EAUTH;
      memset(m->out, 0, m->len);
      failed++;
    }
  }
  v_store(tags, v_zero());
  __asm__ volatile("" ::"r"(tags) : "memory");
  return failed;
}
NOINLINE size_t batch_tags(struct rijn_gcm_msg *m, size_t n, v_t t, int enc) {
  const uint8_t *p[VB];
  EACH(i, VB, m[i].result = 0; p[i] = m[i].tag);
  if (__builtin_expect(n == 16, 1)) {
    if (enc) {
      EACH(i, VB, b_store(m[i].tag, v_lane(t, i)));
      return 0;
    }
    if (!v_differ(t, v_gather(p)))
      return 0;
  }
  return batch_tags_each(m, n, t, enc);
}
/* The hash so far, lane by lane, and f->s: the lengths, the reduction and the tags. Returns how many are wrong. */
NOINLINE size_t batch_end(const four_t *f, v_t lo, v_t mid, v_t hi, int enc) {
  sum_t s = {v_xor(lo, v_fold_lanes(f->s[0].lo, f->s[1].lo, f->s[2].lo, f->s[3].lo)),
             v_xor(mid, v_fold_lanes(f->s[0].mid, f->s[1].mid, f->s[2].mid, f->s[3].mid)),
             v_xor(hi, v_fold_lanes(f->s[0].hi, f->s[1].hi, f->s[2].hi, f->s[3].hi))};
  v_t t = v_lengths(f->lengths);
  gf_mac(&s, t, f->same ? batch_gather(f, BATCH_POW(1), 1) : batch_gather(f, BATCH_POW(1), 0), t);
  return batch_tags(f->m, f->key[0]->tag_len, v_xor(v_bswap(gf_reduce(s)), f->e), enc);
}

/* The keystream of VB messages of at most a vector each, and E(J0).
 * PORT: no instruction set for which VB > 1 wants the key of the round before. */
INLINE void batch_keystream(four_t *f) {
  const uint8_t *rk[VB];
  const unsigned rounds = f->key[0]->rounds;
  v_t k, e = batch_nonces(f->m), x[VB];
  f->e = e;
  __asm__ volatile("" ::"r"(f) : "memory"); /* PERF: gcc would take them out of the register again, one by one */
  EACH(i, VB, rk[i] = f->key[i]->rk.b;
       x[i] = v_xor3(v_bcast_mem((const uint8_t *)&f->e + 16 * i), v_lanes_be(2), v_bcast_mem(rk[i])));
  e = v_xor3(e, v_bcast(b_be32(1)), batch_gather(f, BATCH_RK(0), 0));
#define BATCH_ROUND(r, round)                                                                                          \
  do {                                                                                                                 \
    EACH(i, VB, k = v_bcast_mem(rk[i] + 16 * (r)); x[i] = round(x[i], k, k));                                          \
    k = batch_gather(f, BATCH_RK(r), 0);                                                                               \
    e = round(e, k, k);                                                                                                \
  } while (0)
  BATCH_ROUND(1, v_aes_round);
  for (unsigned r = 2; r < rounds; r += 2) { /* PERF: by twos, a cycle a message */
    BATCH_ROUND(r, v_aes_round);
    EACH(i, VB, PIN(x[i]));
    PIN(e);
    BATCH_ROUND(r + 1, v_aes_round);
    EACH(i, VB, PIN(x[i]));
    PIN(e);
  }
  BATCH_ROUND(rounds, v_aes_last);
  f->e = e;
  EACH(i, VB, f->x[i] = x[i]);
}

/* All the rest of these messages. Returns how many failed. */
INLINE size_t batch_finish(four_t *f, int enc) {
  const struct rijn_gcm_msg *m = f->m;
  const v_t a = batch_aad(m, f->blocks);
  const uint8_t *pow[VB];
  _Pragma("GCC unroll 1") for (int i = 0; i < VB; i++, m++) {
    const size_t n = m->len;
    v_t d, x;
    if (n == 16 * VB) {
      d = v_load(m->in);
      v_store(m->out, x = v_xor(f->x[i], d));
    } else {
      d = v_load_part(m->in, n);
      v_store_part(m->out, x = v_keep(v_xor(f->x[i], d), n), n);
    }
    pow[i] = (const uint8_t *)f->key[i] + BATCH_POW(2) - ((n + 15) & ~(size_t)15);
    sum_t s = batch_mul(v_bswap(enc ? x : d), v_load(pow[i] + 16));
    f->s[i].lo = s.lo, f->s[i].mid = s.mid, f->s[i].hi = s.hi;
  }
  sum_t s = batch_mul(a, v_gather(pow));
  return batch_end(f, s.lo, s.mid, s.hi, enc);
}

/* A run of messages that are alike: one key, lengths as the first has. Returns how many it took.
 * Block j of all VB messages makes a vector, for powers are the same for all. Under the AES of VB messages goes the hash of those
 * before. What the lengths add to the tag is a constant, which goes into the last round key of E(J0). */
NOINLINE size_t batch_alike(struct rijn_gcm_msg *m, size_t n, size_t *failed, int enc) {
  const size_t all = n;
  const rijn_gcm_key *const key = m->key;
  const struct rijn_gcm *const k = rijn_gcm_of(key);
  const size_t len = m->len, aad_len = m->aad_len;
  struct rijn_gcm_msg *waiting = NULL;
  _Alignas(64) uint64_t least[8];
  v_store(least, v_load(batch_least));
  least[2] = len, least[3] = 1, least[4] = aad_len;
  v_t delta, x[VB], w[VB], e = v_zero(), a = e, p, q, k0 = v_bcast_mem(k->rk.b), k1 = v_bcast_mem(k->rk.b + 16);
  const v_t lengths = v_low_halves(v_bcast(b_int((int)len)), v_bcast(b_int((int)aad_len))), text = v_ones(len);
  const v_t both = v_low_halves(lengths, lengths), h = v_bcast_mem(k->h.pow[N_POW - 1]);
  const v_t ke = v_xor(v_bcast_mem(k->rk.b + 16 * k->rounds), v_bswap(gf_reduce(batch_mul(v_lengths(lengths), h))));
  const v_t one = batch_counter(v_bcast(b_be32(1)), k0), two = batch_counter(v_lanes_be(2), k0);
  const uint8_t(*const pow)[16] = k->h.pow + N_POW - 2 - (len + 15) / 16; /* of the associated data */
  EACH(i, VB, w[i] = x[i] = e);
  for (;;) {
    int more = n >= VB && batch_within(m, least, batch_alike_span) && batch_apart(m, both) && batch_one_key(m, key);
    v_t next = e;
    if (more) {
      const uint8_t *rk = k->rk.b + 16;
      delta = next = v_aes_round(v_xor(batch_nonces(m), k0), k1, k1);
      __asm__ volatile("" ::"r"(&delta) : "memory"); /* PERF: gcc would take them out of the register one by one */
      next = v_xor(next, one);
      EACH(i, VB, x[i] = v_xor(v_bcast_mem((const uint8_t *)&delta + 16 * i), two));
#define BATCH_ROUND_ALIKE(at)                                                                                          \
  do {                                                                                                                 \
    p = v_bcast_mem(at);                                                                                               \
    EACH(i, VB, x[i] = v_aes_round(x[i], p, p); PIN(x[i]));                                                            \
    next = v_aes_round(next, p, p);                                                                                    \
    PIN(next);                                                                                                         \
  } while (0)
      for (unsigned r = 2; r < k->rounds; r += 2) {
        BATCH_ROUND_ALIKE(rk += 16);
        BATCH_ROUND_ALIKE(rk += 16);
      }
      p = v_bcast_mem(rk + 16);
      EACH(i, VB, x[i] = v_aes_last(x[i], p, p));
      next = v_aes_last(next, ke, ke);
    }
    if (waiting) {
      sum_t s = batch_mul(a, v_bcast_mem(pow[0]));
      p = v_bcast_mem(pow[1]), q = v_bcast_mem(pow[2]);
      gf_mac2(&s, w[0], p, p, w[1], q, q);
      p = v_bcast_mem(pow[3]), q = v_bcast_mem(pow[4]);
      gf_mac2(&s, w[2], p, p, w[3], q, q);
      *failed += batch_tags(waiting, k->tag_len, v_xor(v_bswap(gf_reduce(s)), e), enc);
    }
    if (!more)
      break;
    e = next;
    EACH(i, VB, w[i] = v_load_part(m[i].in, len); x[i] = v_and_xor(x[i], text, w[i]);
         v_store_part(m[i].out, x[i], len));
    if (enc)
      EACH(i, VB, w[i] = x[i]);
    v_transpose(w);
    EACH(i, VB, w[i] = v_bswap(w[i]));
    a = batch_aad(m, aad_len == 16);
    waiting = m;
    m += VB, n -= VB;
  }
  return all - n;
}

/* What comes before the text of long messages under one key. */
INLINE void batch_head(four_t *f, const struct rijn_gcm *k) {
  const v_t a = batch_aad(f->m, f->blocks), d = v_xor(batch_nonces(f->m), v_bcast_mem(k->rk.b));
  const uint8_t *rk = k->rk.b + 16;
  v_t e = v_xor(d, v_bcast(b_be32(1))), p = v_bcast_mem(rk);
  f->delta = v_aes_round(d, p, p);
  e = v_aes_round(e, p, p);
  for (unsigned r = 2; r < k->rounds; r += 2) {
    p = v_bcast_mem(rk += 16), e = v_aes_round(e, p, p);
    p = v_bcast_mem(rk += 16), e = v_aes_round(e, p, p);
  }
  p = v_bcast_mem(rk + 16);
  f->e = v_aes_last(e, p, p);
  f->ah = gf_reduce(batch_mul(a, v_bcast_mem(k->h.pow[N_POW - 1])));
}

/* Counters 2, 3 .. for n bytes of text and whole groups. */
NOINLINE void batch_table(batch_t *b, const struct rijn_gcm *k, size_t n) {
  size_t i = b->reach / (16 * VB);
  v_t c = v_add32(v_lanes_be(2), v_bcast(b_be32(VB * (int)i))), k0 = v_bcast_mem(k->rk.b);
  n = n / BATCH_GROUP * BATCH_NV + BATCH_NV;
  for (; i < n; i++) {
    b->table[i] = batch_counter(c, k0);
    c = v_add32(c, v_bcast(b_be32(VB)));
  }
  b->reach = 16 * VB * n;
}

/* Two vectors take four steps. */
INLINE void batch_stitch(pending_t *w, const int step) {
  const int i = step / 4 * 2;
  v_t p = v_load(w->pow + 16 * VB * i), q = v_load(w->pow + 16 * VB * (i + 1));
  if (step % 4 == 0) {
    w->s.lo = v_xor3(w->s.lo, v_gf_lo(w->t[i], p), v_gf_lo(w->t[i + 1], q));
    PIN(w->s.lo);
  } else if (step % 4 == 1) {
    w->s.hi = v_xor3(w->s.hi, v_gf_hi(w->t[i], p), v_gf_hi(w->t[i + 1], q));
    PIN(w->s.hi);
  } else {
    w->s.mid = v_gf_mid_add(w->s.mid, w->t[i + step % 2], step % 2 ? q : p);
    PIN(w->s.mid);
  }
}

/* Up to BATCH_NV vectors of a long message, left bytes. rk: the key of round 1, which delta and table have been through; more: rounds
 * beyond ten. What waits is hashed; then these wait. Vectors behind the text are enciphered all the same.
 * REJECTED: groups of 3, 2 and 1 for the rest, 1420 bytes in 267 cycles instead of 281, with 2200 bytes more code; of 2 and 1, in
 * 281, with 900 more; one hash for all groups behind the AES, in 310; a function for each message, with what is to be done for VB
 * between them, 256 bytes in 80 instead of 73; keys that may differ in the same loop, 73 instead of 64. */
INLINE void batch_group(pending_t *w, const uint8_t *rk, unsigned more, v_t delta, const v_t *table, uint8_t *out,
                        const uint8_t *in, size_t left, int enc) {
  v_t x[BATCH_NV], d[BATCH_NV], k;
  EACH(i, BATCH_NV, x[i] = v_xor(table[i], delta));
#define BATCH_ROUND1(at)                                                                                               \
  do {                                                                                                                 \
    k = v_bcast_mem(at);                                                                                               \
    EACH(i, BATCH_NV, x[i] = v_aes_round(x[i], k, k); PIN(x[i]));                                                      \
  } while (0)
  for (; more; more--)
    BATCH_ROUND1(rk += 16);
  EACH(r, 8, BATCH_ROUND1(rk + 16 * (r + 1)); batch_stitch(w, r));
  k = v_bcast_mem(rk + 144);
  if (left >= BATCH_GROUP)
    EACH(i, BATCH_NV, {
      d[i] = v_load(in + 16 * VB * i);
      x[i] = v_aes_last_xor(x[i], k, k, d[i]);
      v_store(out + 16 * VB * i, x[i]);
    });
  else
    EACH(i, BATCH_NV, {
      size_t n = left > 16 * VB * i ? left - 16 * VB * i : 0; /* more than a vector has counts as that */
      d[i] = v_load_part((const uint8_t *)((uintptr_t)in + 16 * VB * i), n);
      x[i] = v_keep(v_aes_last_xor(x[i], k, k, d[i]), n);
      v_store_part((uint8_t *)((uintptr_t)out + 16 * VB * i), x[i], n);
    });
  if (enc)
    EACH(i, BATCH_NV, w->t[i] = v_bswap(x[i]));
  else
    EACH(i, BATCH_NV, w->t[i] = v_bswap(d[i]));
}

/* Long messages under one key, as many as there are. Returns how many it took. */
NOINLINE size_t batch_long(batch_t *b, struct rijn_gcm_msg *m, size_t n, size_t *failed, int enc) {
  const size_t all = n;
  const struct rijn_gcm *const k = rijn_gcm_of(m->key);
  const unsigned more = k->rounds - 10u;
  const uint8_t *const rk = (const uint8_t *)k + BATCH_RK(1);
  four_t *f = b->f, *last = NULL;
  sum_t *into = b->f[1].s; /* of the message whose group waits; of none at first */
  pending_t w = {.s = gf_zero(), .pow = k->h.pow[0]};
  EACH(i, BATCH_NV, w.t[i] = v_zero());
  for (;;) {
    const int go = batch_look(f, m, n, k->impl) && f->same && f->lengthy && f->key[0] == k;
    if (!go && !last)
      return 0;
    if (go) {
      batch_head(f, k);
      for (int j = 0; j < VB; j++, m++) {
        const uint8_t *in = m->in;
        uint8_t *out = m->out;
        const v_t *table = b->table;
        size_t left = m->len;
        sum_t *const own = &f->s[j];
        const v_t delta = v_bcast_mem((const uint8_t *)&f->delta + 16 * j);
        v_t acc = v_from128(b_load((const uint8_t *)&f->ah + 16 * j));
        if (left >= b->reach)
          batch_table(b, k, left);
        for (;;) {
          batch_group(&w, rk, more, delta, table, out, in, left, enc);
          if ((uintptr_t)table & BATCH_GROUP) {
            w.pow += BATCH_GROUP;
          } else { /* of what the group before belongs to, all is hashed now */
            if (into == own)
              acc = v_from128(v_fold128(gf_reduce(w.s)));
            into->lo = w.s.lo, into->mid = w.s.mid, into->hi = w.s.hi;
            into = own;
            w.s = gf_zero();
            w.t[0] = v_xor(w.t[0], acc);
            w.pow = rk + (BATCH_POW(1) - BATCH_RK(1)) - (left > BATCH_RUN ? BATCH_RUN - 16 : (left + 15) & ~(size_t)15);
          }
          if (left <= BATCH_GROUP)
            break;
          table += BATCH_NV, in += BATCH_GROUP, out += BATCH_GROUP, left -= BATCH_GROUP;
        }
      }
    } else {
      v_t t[BATCH_NV];
      EACH(i, BATCH_NV, t[i] = w.t[i]);
      _Pragma("GCC unroll 1") for (size_t i = 0; i < BATCH_NV; i++) {
        v_t p = v_load(w.pow + 16 * VB * i);
        gf_mac(&w.s, t[i], p, p);
      }
      into->lo = w.s.lo, into->mid = w.s.mid, into->hi = w.s.hi;
    }
    if (last)
      *failed += batch_end(last, v_zero(), v_zero(), v_zero(), enc);
    if (!go)
      return all - n;
    last = f;
    f = b->f + (f == b->f);
    n -= VB;
  }
}

/* Short messages, which are finished under the AES of the next VB.
 * REJECTED, 64 bytes under one key and under keys of their own, 29 and 42 cycles before batch_alike: round by round with steps of the
 * hash between, 28 and 42, with 6 KB more code; block j of all VB messages in a vector for AES too, and tables of the keys'
 * lanes, 34 and 48; each field of each message by itself instead of batch_look(), 45 and 56. Folded in registers and not in
 * memory, keys of their own take 44 instead of 48, with 1200 bytes more. */
NOINLINE size_t batch_all(batch_t *b, struct rijn_gcm_msg *m, size_t n, size_t *failed, int enc) {
  const size_t all = n;
  const uint8_t id = rijn_gcm_of(m->key)->impl;
  four_t *f = b->f, *waiting = NULL;
  b->reach = 0;
  if (batch_one_key(m, m->key))
    n -= batch_long(b, m, n, failed, enc);
  if (n != all)
    return all - n;
  for (;;) {
    int more = batch_look(f, m, n, id) && !f->lengthy;
    if (more)
      batch_keystream(f);
    if (waiting)
      *failed += batch_finish(waiting, enc);
    if (!more)
      break;
    waiting = f;
    f = b->f + (f == b->f);
    n -= VB, m += VB;
  }
  return all - n;
}
/* What a compiler puts on the stack lies in the frame of the above, for b does not. */
BURN_BYTES(burn_batch, 2048, 4)
NOINLINE size_t batch_others(struct rijn_gcm_msg *m, size_t n, size_t *failed, int enc) {
  batch_t b;
  size_t taken = batch_all(&b, m, n, failed, enc);
  burn_batch();
  for (size_t i = 0, end = offsetof(batch_t, table) + b.reach; i < end; i += 16 * VB) {
    v_store((uint8_t *)&b + i, v_zero());
    __asm__ volatile("" ::: "memory"); /* PERF: else gcc has it done by REP STOS */
  }
  return taken;
}
NOINLINE size_t gcm_batch(struct rijn_gcm_msg *m, size_t n, size_t *failed, int enc) {
  size_t taken = 0;
  const int brief = m->len <= 16 * VB, one = n >= VB && batch_one_key(m, m->key);
  if (one && brief && m->aad_len <= 16) {
    taken = batch_alike(m, n, failed, enc);
    burn_batch();
  }
  if (taken == 0 && n >= VB && (one || brief))
    taken = batch_others(m, n, failed, enc);
  CLEAR_REGS();
  CLEAR_MASKS();
  return taken;
}
static size_t gcm_encrypt_batch(struct rijn_gcm_msg *m, size_t n, size_t *failed) { return gcm_batch(m, n, failed, 1); }
static size_t gcm_decrypt_batch(struct rijn_gcm_msg *m, size_t n, size_t *failed) { return gcm_batch(m, n, failed, 0); }
#define BATCH_KERNELS .gcm_encrypt_batch = gcm_encrypt_batch, .gcm_decrypt_batch = gcm_decrypt_batch,
#endif
