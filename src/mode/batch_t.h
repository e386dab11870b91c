/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: many GCM messages in one call. Parameters as in gcm_t.h.
 *
 * VB messages go together. What a message needs once - E(J0), the product of its associated data, its lengths, the
 * reduction, the tag - is done for all VB at once, message i in lane i, round keys and powers gathered from each one's key:
 * the keys may differ. The text of a message is in vectors of its own, whose products wait, not reduced, for the others'.
 *
 * Messages of up to a vector have their AES side by side, and under it goes the hash of the VB messages before. Longer ones take
 * up to BATCH_NV vectors at a time, and under the AES of a group goes the hash of the group before, be it another message's.
 * There, counters of one nonce differ in the last byte only, so the state after the first round is that of counter 0, XOR a table
 * that the key and that byte decide: one table serves all messages of a key.
 * CT: the table is indexed by the counter, which is public, for the nonce has 12 bytes. It lies on the stack and is wiped.
 */
#ifndef GCM_BATCH
#define BATCH_KERNELS /* none: the rules take one message after the other */
#else
#include "../gcm.h"

enum {
  BATCH_NV = 4,
  BATCH_GROUP = 16 * VB * 4,                                   /* vectors of a long message side by side */
  BATCH_RUN = (N_POW - 1) / (VB * BATCH_NV) * (VB * BATCH_NV), /* blocks between two reductions */
  BATCH_TABLE = RIJN_GCM_BATCH_LEN / (16 * VB) + BATCH_NV      /* vectors */
};
_Static_assert(BATCH_RUN + 1 <= N_POW, "a run, and the lengths");
_Static_assert(VB *BATCH_TABLE <= 254, "counters 2 to 255");

/* VB messages. */
typedef struct {
  struct rijn_gcm_msg *m;
  const struct rijn_gcm *key[VB];
  int same;     /* one key for all */
  int lengthy;  /* a text of more than a vector */
  int whole;    /* all texts are of a vector, all associated data of a block */
  v_t x[VB], e; /* keystream of short texts; E(J0), lane i for message i */
} four_t;

typedef struct {
  four_t f[2];   /* in hand, and waiting */
  v_t delta, ah; /* long messages, lane i: the state after round 1 of counter 0; associated data times H */
  sum_t s[VB];   /* of each message's text */
  size_t have;   /* vectors in table, under table_key */
  size_t used;   /* at most, under all keys */
  const struct rijn_gcm *table_key;
  v_t table[BATCH_TABLE]; /* what counters 2, 3 .. add to the state after round 1, under table_key */
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

/* The fields of a message as words, and what is taken here: all between is allowed by every rule, but for what two fields have to
 * do with each other. PERF: VB messages at once, for field by field it took 12 cycles a message. */
_Static_assert(offsetof(rijn_gcm_msg, size) == 0 && offsetof(rijn_gcm_msg, key) == 8 &&
                   offsetof(rijn_gcm_msg, out) == 16 && offsetof(rijn_gcm_msg, in) == 24 &&
                   offsetof(rijn_gcm_msg, len) == 32 && offsetof(rijn_gcm_msg, aad) == 40 &&
                   offsetof(rijn_gcm_msg, aad_len) == 48 && offsetof(rijn_gcm_msg, nonce) == 56 &&
                   offsetof(rijn_gcm_msg, nonce_len) == 64 && offsetof(rijn_gcm_msg, tag) == 72,
               "ten words");
static const _Alignas(64) uint64_t batch_least[10] = {sizeof(rijn_gcm_msg), 1, 1, 1, 0, 0, 0, 1, 12, 1};
static const _Alignas(64) uint64_t batch_span[10] = {
    0, ~UINT64_C(1), ~UINT64_C(1), ~UINT64_C(1), RIJN_GCM_BATCH_LEN, ~UINT64_C(0), RIJN_GCM_BATCH_AAD, ~UINT64_C(1),
    0, ~UINT64_C(1)};

/* Does every rule allow the VB messages from m on, and do they go together, under keys of implementation id? No only means that
 * the rules have to be looked at one by one. */
INLINE int batch_look(four_t *f, struct rijn_gcm_msg *m, uint8_t id) {
  if (!v_within((const uint8_t *)m, sizeof *m, batch_least, batch_span))
    return 0;
  f->m = m;
  f->same = f->whole = 1;
  f->lengthy = 0;
  for (int i = 0; i < VB; i++, m++) {
    uintptr_t d = (uintptr_t)m->out - (uintptr_t)m->in;
    const struct rijn_gcm *k = f->key[i] = rijn_gcm_of(m->key);
    if ((d != 0 && d + m->len < 2 * m->len) || (m->aad == NULL && m->aad_len != 0))
      return 0;
    if (i == 0 || k != f->key[0]) {
      if (k->impl != id || k->rounds != f->key[0]->rounds || k->tag_len != f->key[0]->tag_len)
        return 0;
      f->same = i == 0;
    }
    if (m->len != 16 * VB || m->aad_len != 16) {
      f->whole = 0;
      if (m->len > 16 * VB)
        f->lengthy = 1;
    }
  }
  return 1;
}

NOINLINE __attribute__((cold)) v_t batch_part_aad(const four_t *f) {
  const uint8_t *p[VB];
  size_t n[VB];
  EACH(i, VB, p[i] = f->m[i].aad; n[i] = f->m[i].aad_len);
  return v_gather_part(p, n);
}
INLINE v_t batch_aad(const four_t *f) {
  const uint8_t *p[VB];
  EACH(i, VB, p[i] = f->m[i].aad);
  return v_bswap(f->whole ? v_gather(p) : batch_part_aad(f));
}
INLINE v_t batch_nonces(const struct rijn_gcm_msg *m) {
  const uint8_t *p[VB];
  EACH(i, VB, p[i] = m[i].nonce);
  return v_gather12(p);
}
INLINE v_t batch_lengths(const four_t *f) {
  const uint8_t *len[VB], *aad_len[VB];
  if (f->whole)
    return v_bcast(b_set64(8 * 16, 8 * 16 * VB));
  EACH(i, VB, len[i] = (const uint8_t *)&f->m[i].len; aad_len[i] = (const uint8_t *)&f->m[i].aad_len);
  return v_lengths(v_gather(aad_len), v_gather(len));
}

/* Writes the tags, or looks at them; returns how many are wrong. */
NOINLINE __attribute__((cold)) size_t batch_tags_each(const four_t *f, v_t t, int enc) {
  _Alignas(16 * VB) uint8_t tags[16 * VB];
  size_t n = f->key[0]->tag_len, failed = 0;
  v_store(tags, t);
  for (int i = 0; i < VB; i++) {
    struct rijn_gcm_msg *m = &f->m[i];
    b_t mine = b_load(tags + 16 * i);
    if (enc) {
      b_store_upto16(m->tag, mine, n);
    } else if (b_differ(b_keep(mine, n), b_load_upto16(m->tag, n))) {
      m->result = RIJN_EAUTH;
      memset(m->out, 0, m->len);
      failed++;
    }
  }
  v_store(tags, v_zero());
  __asm__ volatile("" ::"r"(tags) : "memory");
  return failed;
}
/* The lengths, the reduction and the tags. Returns how many are wrong. */
NOINLINE size_t batch_end(const four_t *f, v_t lo, v_t mid, v_t hi, int enc) {
  const uint8_t *p[VB];
  sum_t s = {lo, mid, hi};
  v_t t = batch_lengths(f);
  gf_mac(&s, t, batch_gather(f, BATCH_POW(1), 0), t);
  t = v_xor(v_bswap(gf_reduce(s)), f->e);
  EACH(i, VB, f->m[i].result = 0; p[i] = f->m[i].tag);
  if (f->key[0]->tag_len == 16) {
    if (enc) {
      EACH(i, VB, b_store(f->m[i].tag, v_lane(t, i)));
      return 0;
    }
    if (!v_differ(t, v_gather(p)))
      return 0;
  }
  return batch_tags_each(f, t, enc);
}

/* The keystream of VB messages of at most a vector each, and E(J0).
 * PORT: no instruction set for which VB > 1 wants the key of the round before. */
INLINE void batch_keystream(four_t *f, int same) {
  const uint8_t *rk[VB];
  const unsigned rounds = f->key[0]->rounds;
  v_t k, e = batch_nonces(f->m), x[VB];
  f->e = e;
  __asm__ volatile("" ::"r"(f) : "memory"); /* PERF: gcc would take them out of the register again, one by one */
  EACH(i, VB, rk[i] = f->key[same ? 0 : i]->rk.b;
       x[i] = v_xor3(v_bcast_mem((const uint8_t *)&f->e + 16 * i), v_lanes_be(2), v_bcast_mem(rk[i])));
  e = v_xor3(e, v_bcast(b_be32(1)), batch_gather(f, BATCH_RK(0), same));
#define BATCH_ROUND(r, round)                                                                                          \
  do {                                                                                                                 \
    EACH(i, VB, k = v_bcast_mem(rk[i] + 16 * (r)); x[i] = round(x[i], k, k));                                          \
    k = batch_gather(f, BATCH_RK(r), same);                                                                            \
    e = round(e, k, k);                                                                                                \
  } while (0)
  if (same) /* PERF: as a loop, 31 cycles instead of 28 */
    EACH(r, 9, BATCH_ROUND(r + 1, v_aes_round));
  for (unsigned r = same ? 10 : 1; r < rounds; r++) {
    BATCH_ROUND(r, v_aes_round);
    EACH(i, VB, PIN(x[i]));
    PIN(e);
  }
  BATCH_ROUND(rounds, v_aes_last);
  f->e = e;
  EACH(i, VB, f->x[i] = x[i]);
}

/* All the rest of these messages. Returns how many failed. */
INLINE size_t batch_finish(const four_t *f, int enc) {
  v_t x[VB], d[VB], lo[VB], mid[VB], hi[VB], p, a = batch_aad(f); /* first, for around a call vectors would be saved */
  const uint8_t *pow[VB];
  sum_t s = gf_zero();
  if (f->whole)
    EACH(i, VB, d[i] = v_load(f->m[i].in); x[i] = v_xor(f->x[i], d[i]); v_store(f->m[i].out, x[i]));
  else
    EACH(i, VB, {
      size_t n = f->m[i].len;
      d[i] = v_load_part(f->m[i].in, n);
      x[i] = v_keep(v_xor(f->x[i], d[i]), n);
      v_store_part(f->m[i].out, x[i], n);
    });
  EACH(i, VB, pow[i] = (const uint8_t *)f->key[i] + BATCH_POW(2) - ((f->m[i].len + 15) & ~(size_t)15));
  if (enc)
    EACH(i, VB, d[i] = x[i]);
  if (f->same) { /* block j of all messages makes a vector, and powers are the same for all; texts stand at the end */
    if (!f->whole)
      EACH(i, VB, d[i] = v_to_end(d[i], (f->m[i].len + 15) / 16));
    v_transpose(d);
    EACH(i, VB, d[i] = v_bswap(d[i]); gf_mac(&s, d[i], batch_gather(f, BATCH_POW(VB + 1 - i), 1), d[i]));
  } else {
    EACH(i, VB, {
      sum_t t = gf_zero();
      d[i] = v_bswap(d[i]);
      gf_mac(&t, d[i], v_load(pow[i] + 16), d[i]);
      lo[i] = t.lo, mid[i] = t.mid, hi[i] = t.hi;
    });
    s = (sum_t){v_fold_lanes(lo), v_fold_lanes(mid), v_fold_lanes(hi)};
  }
  p = v_gather(pow);
  gf_mac(&s, a, p, a);
  return batch_end(f, s.lo, s.mid, s.hi, enc);
}

/* What comes before the text of long messages. */
INLINE void batch_head(batch_t *b, four_t *f) {
  const unsigned rounds = f->key[0]->rounds;
  sum_t s = gf_zero();
  v_t a = batch_aad(f);
  v_t n = batch_nonces(f->m), e = v_xor(n, v_bcast(b_be32(1))), k = v_zero(), d = n;
  for (unsigned r = 0; r < rounds; r++) {
    k = f->same ? batch_gather(f, BATCH_RK(r), 1) : batch_gather(f, BATCH_RK(r), 0);
    if (r == 0) {
      e = v_xor(e, k);
      d = v_xor(d, k);
      continue;
    }
    if (r == 1)
      b->delta = v_aes_round(d, k, k);
    e = v_aes_round(e, k, k);
    PIN(e);
  }
  k = batch_gather(f, BATCH_RK(rounds), 0);
  f->e = v_aes_last(e, k, k);
  gf_mac(&s, a, batch_gather(f, BATCH_POW(1), 0), a);
  b->ah = gf_reduce(s);
}

/* Counters 2, 3 .. as far as n vectors. */
NOINLINE void batch_table(batch_t *b, const struct rijn_gcm *k, size_t n) {
  v_t k0 = v_bcast_mem(k->rk.b), zero = v_aes_round(k0, k0, v_zero()), c = v_lanes_be(2);
  size_t i = 0;
  do {
    b->table[i] = v_xor(v_aes_round(v_xor(c, k0), k0, v_zero()), zero);
    c = v_add32(c, v_bcast(b_be32(VB)));
  } while (++i < n);
  b->have = n;
  b->used = b->used > n ? b->used : n;
  b->table_key = k;
}

/* A group that waits to be hashed, and the hash it goes into. */
typedef struct {
  v_t t[BATCH_NV];
  sum_t s;
  const uint8_t *pow; /* of t[0] */
} pending_t;
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

/* Up to BATCH_NV vectors of a long message, left bytes. What waits is hashed; then these wait. Vectors behind the text are
 * enciphered all the same.
 * REJECTED: groups of 3, 2 and 1 for the rest, 1420 bytes in 267 cycles instead of 281, with 2200 bytes more code; of 2 and 1, in
 * 281, with 900 more; one hash for all groups behind the AES, in 310. */
INLINE void batch_group(pending_t *w, const struct rijn_gcm *key, v_t delta, const v_t *table, uint8_t *out,
                        const uint8_t *in, size_t left, int enc) {
  const uint8_t *rk = key->rk.b + 16;
  v_t x[BATCH_NV], d[BATCH_NV], k;
  EACH(i, BATCH_NV, x[i] = v_xor(table[i], delta));
#define BATCH_ROUND1(at)                                                                                               \
  do {                                                                                                                 \
    k = v_bcast_mem(at);                                                                                               \
    EACH(i, BATCH_NV, x[i] = v_aes_round(x[i], k, k); PIN(x[i]));                                                      \
  } while (0)
  for (unsigned r = 10; r < key->rounds; r += 2) {
    BATCH_ROUND1(rk += 16);
    BATCH_ROUND1(rk += 16);
  }
  EACH(r, 8, BATCH_ROUND1(rk + 16 * (r + 1)); batch_stitch(w, r));
  k = v_bcast_mem(rk + 144);
  if (left >= 16 * VB * BATCH_NV)
    EACH(i, BATCH_NV, {
      d[i] = v_load(in + 16 * VB * i);
      x[i] = v_aes_last_xor(x[i], k, k, d[i]);
      v_store(out + 16 * VB * i, x[i]);
    });
  else
    EACH(i, BATCH_NV, {
      size_t n = left > 16 * VB * i ? size_min(left - 16 * VB * i, 16 * VB) : 0;
      d[i] = v_load_part((const uint8_t *)((uintptr_t)in + 16 * VB * i), n);
      x[i] = v_keep(v_aes_last_xor(x[i], k, k, d[i]), n);
      v_store_part((uint8_t *)((uintptr_t)out + 16 * VB * i), x[i], n);
    });
  if (enc)
    EACH(i, BATCH_NV, d[i] = x[i]);
  EACH(i, BATCH_NV, w->t[i] = v_bswap(d[i]));
}

/* The text of VB messages. Returns how many failed. */
INLINE size_t batch_long(batch_t *b, const four_t *f, int enc) {
  const struct rijn_gcm_msg *m = f->m;
  pending_t w = {.s = gf_zero(), .pow = f->key[0]->h.pow[0]};
  sum_t *into = b->s; /* the sum of the message whose group waits */
  EACH(i, BATCH_NV, w.t[i] = v_zero());
  for (int j = 0; j < VB; j++) {
    const struct rijn_gcm *k = f->key[j];
    const uint8_t *in = m[j].in, *pow = NULL;
    uint8_t *out = m[j].out;
    const v_t *table = b->table;
    size_t left = m[j].len, blocks = (left + 15) / 16, run = 0; /* run: blocks until a reduction */
    v_t delta = v_bcast_mem((const uint8_t *)&b->delta + 16 * j);
    v_t acc = v_from128(b_load((const uint8_t *)&b->ah + 16 * j));
    size_t vectors = (left / BATCH_GROUP + (left % BATCH_GROUP != 0 || left == 0)) * BATCH_NV;
    if (b->table_key != k || b->have < vectors)
      batch_table(b, k, vectors);
    for (;;) {
      batch_group(&w, k, delta, table, out, in, left, enc);
      if (run == 0) { /* of what the group before belongs to, all is hashed now */
        if (pow == NULL)
          *into = w.s;
        else
          acc = v_from128(v_fold128(gf_reduce(w.s)));
        into = &b->s[j];
        w.s = gf_zero();
        w.t[0] = v_xor(w.t[0], acc);
        run = size_min(blocks, BATCH_RUN);
        blocks -= run;
        pow = k->h.pow[N_POW - run - (blocks == 0)];
      }
      w.pow = pow;
      if (left <= BATCH_GROUP)
        break;
      pow += BATCH_GROUP;
      run -= BATCH_GROUP / 16;
      table += BATCH_NV;
      in += BATCH_GROUP;
      out += BATCH_GROUP;
      left -= BATCH_GROUP;
    }
  }
  EACH(step, 8, batch_stitch(&w, step));
  *into = w.s;
  v_t lo[VB], mid[VB], hi[VB];
  EACH(i, VB, lo[i] = b->s[i].lo; mid[i] = b->s[i].mid; hi[i] = b->s[i].hi);
  w.s = (sum_t){v_fold_lanes(lo), v_fold_lanes(mid), v_fold_lanes(hi)};
  return batch_end(f, w.s.lo, w.s.mid, w.s.hi, enc);
}

/* PERF: short messages are finished under the AES of the next VB.
 * REJECTED, 64 bytes under one key and under keys of their own, 29 and 42 cycles as it is: round by round with steps of the hash
 * between, 28 and 42, with 6 KB more code; block j of all VB messages in a vector for AES too, and tables of the keys'
 * lanes, 34 and 48; each field of each message by itself instead of batch_look(), 45 and 56. */
NOINLINE size_t batch_all(batch_t *b, struct rijn_gcm_msg *m, size_t n, size_t *failed, int enc) {
  const struct rijn_gcm_msg *first = m;
  const uint8_t id = rijn_gcm_of(m->key)->impl;
  four_t *f = b->f, *waiting = NULL;
  b->table_key = NULL;
  b->have = b->used = 0;
  for (;;) {
    int more = n >= VB && batch_look(f, m, id);
    int brief = more && !f->lengthy;
    if (brief) {
      if (f->same)
        batch_keystream(f, 1);
      else
        batch_keystream(f, 0);
    }
    if (waiting)
      *failed += batch_finish(waiting, enc);
    waiting = NULL;
    if (!more)
      break;
    n -= VB, m += VB;
    if (brief) {
      waiting = f;
      f = b->f + (f == b->f);
    } else {
      batch_head(b, f);
      *failed += batch_long(b, f, enc);
    }
  }
  CLEAR_REGS();
  CLEAR_MASKS();
  return (size_t)(m - first);
}
/* What a compiler puts on the stack lies in the frame of the above, for b does not. */
BURN_BYTES(burn_batch, 2048, 2)
NOINLINE size_t gcm_batch(struct rijn_gcm_msg *m, size_t n, size_t *failed, int enc) {
  _Alignas(64) batch_t b;
  size_t taken = batch_all(&b, m, n, failed, enc);
  burn_batch();
  for (size_t i = 0; i < b.used; i++)
    b.table[i] = v_zero();
  for (size_t i = 0; i < offsetof(batch_t, have); i += 16 * VB)
    v_store((uint8_t *)&b + i, v_zero());
  __asm__ volatile("" ::"r"(&b) : "memory");
  return taken;
}
static size_t gcm_encrypt_batch(struct rijn_gcm_msg *m, size_t n, size_t *failed) { return gcm_batch(m, n, failed, 1); }
static size_t gcm_decrypt_batch(struct rijn_gcm_msg *m, size_t n, size_t *failed) { return gcm_batch(m, n, failed, 0); }
#define BATCH_KERNELS .gcm_encrypt_batch = gcm_encrypt_batch, .gcm_decrypt_batch = gcm_decrypt_batch,
#endif
