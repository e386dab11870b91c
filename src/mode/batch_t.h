/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: many GCM messages (SP 800-38D 7.1, 7.2) in one call. Parameters: those of gcm_t.h, with VECTOR_BLOCKS 4,
 * HAS_MASKS 1, MIDDLE_TERM FOUR_MULS or HALVES_MADE, and
 *   GCM_BATCH    defined by ops_x86_batch.h, which has the operations needed; else there is no kernel for batches
 *   BATCH_BYTES  the longest text that goes together with others
 *
 * VECTOR_BLOCKS messages under one key go together. What a message needs once is done for all at once, message i in
 * lane i:
 *
 *     lane                   0            1            2            3
 *     E(J0)                  message 0    message 1    message 2    message 3      one encryption
 *     associated data        A0 H^..      A1 H^..      A2 H^..      A3 H^..        each its own power, by its text
 *     lengths                L0 H         L1 H         L2 H         L3 H
 *     sum of the text        folded into the lane from all lanes of that message's own sum
 *     reduction, tag         one for all
 *
 * Each text by itself lies in vectors as it lies in memory, as in gcm_tail_t.h. There are two ways:
 *   batch_alike  texts of up to a vector, all messages with the lengths that the first has
 *   batch_runs   many messages, each of any length up to BATCH_BYTES
 * Whatever else comes is left to the call for one.
 *
 * Counter blocks are as in gcm_t.h: a page, which is the nonce with the first round key added, plus rows.
 * Messages with keys of their own are faster one by one (T-220).
 */
#if !defined GCM_BATCH || defined RIJN_IN_KERNEL
#define BATCH_KERNELS /* none: gcm_batch.c calls for one message after the other */
#else
#include "../gcm.h"

/* The rules, for the eight words of a message from `out` on: word i must be from least[i] to least[i] + span[i] to be
 * taken here. Every rule allows such values, but for rules about two fields, which are checked apart. All
 * words are compared at once, which is faster than field by field (T-221). */
_Static_assert(offsetof(rijn_gcm_msg, out) == 16 && offsetof(rijn_gcm_msg, in) == 24 &&
                   offsetof(rijn_gcm_msg, len) == 32 && offsetof(rijn_gcm_msg, aad) == 40 &&
                   offsetof(rijn_gcm_msg, aad_len) == 48 && offsetof(rijn_gcm_msg, nonce) == 56 &&
                   offsetof(rijn_gcm_msg, nonce_len) == 64 && offsetof(rijn_gcm_msg, tag) == 72,
               "ten words");
#define ANY (~UINT64_C(1)) /* as a span above a least of 1: all but 0, for a pointer */
static const _Alignas(64) uint64_t batch_least[8] = {1, 1, 0, 0, 0, 1, 12, 1};
static const _Alignas(64) uint64_t batch_span[8] = {ANY, ANY, BATCH_BYTES, ANY + 1, RIJN_GCM_BATCH_AAD, ANY, 0, ANY};
static const _Alignas(64) uint64_t batch_alike_span[8] = {ANY, ANY, 0, ANY, 0, ANY, 0, ANY};
INLINE int batch_within(const struct rijn_gcm_msg *m, const uint64_t *least, const uint64_t *span) {
  return v_within((const uint8_t *)m + 16, sizeof *m, least, span);
}
/* Are out and in of each message the same or disjoint? lengths: in both halves of lane i the text's of message i. */
INLINE int batch_apart(const struct rijn_gcm_msg *m, v_t lengths) {
  return v_apart((const uint8_t *)m + 16, sizeof *m, lengths);
}
INLINE int batch_one_key(const struct rijn_gcm_msg *m, const rijn_gcm_key *key) {
  int same = 1;
  EACH(i, VECTOR_BLOCKS, same &= m[i].key == key);
  return same;
}

/* The addresses of a message's associated data and text. Where there is none they may be NULL, or have no page, and a
 * masked load or store of nothing would be left to microcode: then it is the message's own. */
INLINE const uint8_t *batch_aad_of(const struct rijn_gcm_msg *m) {
  return m->aad_len ? m->aad : (const uint8_t *)(const void *)m;
}
INLINE const uint8_t *batch_in(const struct rijn_gcm_msg *m) {
  return m->len ? m->in : (const uint8_t *)(const void *)m;
}
INLINE uint8_t *batch_out(struct rijn_gcm_msg *m) { return m->len ? m->out : (uint8_t *)(void *)m; }
/* Lane i: message i's associated data; by batch_part_aad as blocks, by batch_aad as integers. */
NOINLINE __attribute__((cold)) v_t batch_part_aad(const struct rijn_gcm_msg *m) {
  const uint8_t *p[VECTOR_BLOCKS];
  size_t n[VECTOR_BLOCKS];
  EACH(i, VECTOR_BLOCKS, p[i] = batch_aad_of(m + i); n[i] = m[i].aad_len);
  return v_gather_part(p, n);
}
INLINE v_t batch_aad(const struct rijn_gcm_msg *m) {
  const uint8_t *p[VECTOR_BLOCKS];
  int blocks = 1;
  EACH(i, VECTOR_BLOCKS, p[i] = m[i].aad; blocks &= m[i].aad_len == 16);
  return v_bswap(__builtin_expect(blocks, 1) ? v_gather(p) : batch_part_aad(m));
}
INLINE v_t batch_nonces(const struct rijn_gcm_msg *m) {
  const uint8_t *p[VECTOR_BLOCKS];
  EACH(i, VECTOR_BLOCKS, p[i] = m[i].nonce);
  return v_gather12(p);
}
/* The first product of a sum. */
INLINE sum_t batch_mul(v_t x, v_t p) { return (sum_t){v_gf_lo(x, p), gf_mid_add(v_zero(), x, p, p), v_gf_hi(x, p)}; }

/* Writes tags of n bytes, or compares them, one by one; returns how many are wrong. t: the tags, message i's in lane i.
 * batch_tags does it at once if they have 16 bytes and are all right. */
NOINLINE __attribute__((cold)) size_t batch_tags_each(struct rijn_gcm_msg *m, size_t n, v_t t, enum direction dir) {
  _Alignas(VECTOR_BYTES) uint8_t tags[VECTOR_BYTES];
  size_t failed = 0;
  v_store(tags, t);
  for (int i = 0; i < VECTOR_BLOCKS; i++, m++) {
    v_t mine = v_load_part(tags + 16 * i, n);
    if (dir == ENCRYPT) {
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
NOINLINE size_t batch_tags(struct rijn_gcm_msg *m, size_t n, v_t t, enum direction dir) {
  const uint8_t *p[VECTOR_BLOCKS];
  EACH(i, VECTOR_BLOCKS, m[i].result = 0; p[i] = m[i].tag);
  if (__builtin_expect(n == 16, 1)) {
    if (dir == ENCRYPT) {
      EACH(i, VECTOR_BLOCKS, b_store(m[i].tag, v_lane(t, i)));
      return 0;
    }
    if (!v_differ(t, v_gather(p)))
      return 0;
  }
  return batch_tags_each(m, n, t, dir);
}
/* The hashes of VECTOR_BLOCKS messages that are alike, but for what the lengths add. a: their associated data; w: block
 * j of all of them in vector j; pow: the powers, from that of the associated data on. */
INLINE v_t batch_alike_hash(const uint8_t (*pow)[16], v_t a, const v_t *w) {
  sum_t s = batch_mul(a, v_bcast_mem(pow[0]));
  v_t p = v_bcast_mem(pow[1]), q = v_bcast_mem(pow[2]);
  gf_mul_add2(&s, w[0], p, p, w[1], q, q);
  p = v_bcast_mem(pow[3]);
  q = v_bcast_mem(pow[4]);
  gf_mul_add2(&s, w[2], p, p, w[3], q, q);
  return gf_reduce(s);
}
/* Messages that are alike: what they have in common. */
typedef struct {
  const struct rijn_gcm *k;
  size_t len;
  v_t text;                 /* ones where a vector has text */
  v_t k0, k1;               /* the first two round keys */
  v_t last;                 /* the last round key of E(J0), plus what the lengths add to the tag */
  const uint8_t (*pow)[16]; /* powers, from that of the associated data on */
} equal_t;
INLINE equal_t equal_start(const struct rijn_gcm *k, size_t len, v_t lengths) {
  v_t sum = gf_reduce(batch_mul(v_lengths(lengths), v_bcast_mem(k->h.pow[N_POW - 1])));
  return (equal_t){.k = k,
                   .len = len,
                   .text = v_ones(len),
                   .k0 = v_bcast_mem(k->rk.b),
                   .k1 = v_bcast_mem(k->rk.b + 16),
                   .last = v_xor(v_bcast_mem(k->rk.b + 16 * k->rounds), v_bswap(sum)),
                   .pow = k->h.pow + N_POW - 2 - (len + 15) / 16};
}
/* x[i] becomes the keystream of message i, and x[VECTOR_BLOCKS] E(J0) of all, plus what the lengths add to the tag. */
INLINE void equal_keystream(const equal_t *a, const struct rijn_gcm_msg *m, v_t *x) {
  const uint8_t *rk = a->k->rk.b + 16;
  v_t pages = v_xor(batch_nonces(m), a->k0), rows = v_load(COUNTERS(2));
  x[VECTOR_BLOCKS] = v_xor(pages, v_bcast_mem(COUNTERS(1)));
  __asm__ volatile("" ::"r"(&pages) : "memory"); /* gcc would take them out of the register one by one (T-223) */
  EACH(i, VECTOR_BLOCKS, x[i] = v_xor(v_bcast_mem((const uint8_t *)&pages + 16 * i), rows));
  v_t k = a->k0;
  aes_round(x, &k, a->k1, VECTOR_BLOCKS + 1, ENCRYPT, PASS_PINS);
  for (unsigned r = 2; r < a->k->rounds; r += 2)
    EACH(i, 2, rk += 16; aes_round(x, &k, v_bcast_mem(rk), VECTOR_BLOCKS + 1, ENCRYPT, PASS_PINS));
  v_t key = v_bcast_mem(rk + 16);
  EACH(i, VECTOR_BLOCKS, x[i] = v_aes_last(x[i], key, key));
  x[VECTOR_BLOCKS] = v_aes_last(x[VECTOR_BLOCKS], a->last, a->last);
}
/* Their text: x, the keystream, becomes what goes out, and w the ciphertext: block j of all messages in vector j. */
INLINE void equal_text(const equal_t *a, struct rijn_gcm_msg *m, v_t *x, v_t *w, enum direction dir) {
  EACH(i, VECTOR_BLOCKS, w[i] = v_load_part(batch_in(m + i), a->len); x[i] = v_and_xor(x[i], a->text, w[i]);
       v_store_part(batch_out(m + i), x[i], a->len));
  if (dir == ENCRYPT)
    EACH(i, VECTOR_BLOCKS, w[i] = x[i]);
  v_transpose(w);
  EACH(i, VECTOR_BLOCKS, w[i] = v_bswap(w[i]));
}
/* A run of messages that are alike: one key, lengths as the first has. Returns how many it took, a multiple of
 * VECTOR_BLOCKS. As the powers are the same for all, the ciphertexts are transposed: vector j has block j of all
 * VECTOR_BLOCKS messages, and is multiplied by one power. Under the AES of VECTOR_BLOCKS messages goes the hash of the
 * VECTOR_BLOCKS before, which are `waiting` with their blocks w, their associated data aad and their E(J0) e. */
NOINLINE size_t batch_alike(struct rijn_gcm_msg *m, size_t n, size_t *failed, enum direction dir) {
  const size_t all = n, len = m->len, aad_len = m->aad_len;
  const rijn_gcm_key *const key = m->key;
  struct rijn_gcm_msg *waiting = NULL;
  _Alignas(64) uint64_t least[8];
  v_store(least, v_load(batch_least));
  least[2] = len;
  least[3] = aad_len != 0; /* NULL is valid if there is no associated data (T-296) */
  least[4] = aad_len;
  const v_t lengths = v_low_halves(v_bcast(b_int((int)len)), v_bcast(b_int((int)aad_len)));
  const v_t both = v_low_halves(lengths, lengths);
  const equal_t a = equal_start(rijn_gcm_of(key), len, lengths);
  v_t x[9], w[9], e = v_zero(), aad = e; /* 9: what EACH can reach */
  EACH(i, VECTOR_BLOCKS, w[i] = e);
  EACH(i, VECTOR_BLOCKS + 1, x[i] = e);
  for (;;) {
    int more =
        n >= VECTOR_BLOCKS && batch_within(m, least, batch_alike_span) && batch_apart(m, both) && batch_one_key(m, key);
    if (more)
      equal_keystream(&a, m, x);
    if (waiting)
      *failed += batch_tags(waiting, a.k->tag_len, v_xor(v_bswap(batch_alike_hash(a.pow, aad, w)), e), dir);
    if (!more)
      break;
    e = x[VECTOR_BLOCKS];
    equal_text(&a, m, x, w, dir);
    aad = batch_aad(m);
    waiting = m;
    m += VECTOR_BLOCKS;
    n -= VECTOR_BLOCKS;
  }
  return all - n;
}

enum {
  BATCH_MANY = 16,   /* messages that pay for the wiping (T-222) */
  BATCH_VECTORS = 3, /* vectors of a text that go through AES side by side, a group; in its last group up to one more */
  BATCH_STEP = VECTOR_BYTES * BATCH_VECTORS,
  BATCH_LAST = BATCH_STEP + VECTOR_BYTES,
  BATCH_REACH = 16 * (POWERS - 2), /* longest text that is one sum; a longer one is two, the first of: */
  BATCH_FIRST = 4 * BATCH_STEP,
  BATCH_SINGLE = (int)BATCH_BYTES < (int)BATCH_REACH ? (int)BATCH_BYTES : (int)BATCH_REACH
};
_Static_assert(RIJN_GCM_BATCH_LEN / 16 + 2 + VECTOR_BLOCKS <= RIJN_COUNTERS, "too few counters");
_Static_assert(BATCH_FIRST == 192 * VECTOR_BLOCKS && BATCH_LAST == 64 * VECTOR_BLOCKS,
               "tune.def asks for two sums at most");

/* VECTOR_BLOCKS messages, in batch_runs. */
typedef struct {
  struct rijn_gcm_msg *m;
  v_t e;                             /* lane i: E(J0) of message i */
  v_t lengths;                       /* lane i: the block that its lengths make */
  v_t aad;                           /* lane i: its associated data; or if its text is two sums, the first of them */
  v_t pages;                         /* lane i: its nonce and a counter of 0, with the first round key added */
  const uint8_t *pow[VECTOR_BLOCKS]; /* the power that lane i of aad is multiplied by */
} batch_group_t;
typedef struct {
  batch_group_t f[2];     /* in turn: the VECTOR_BLOCKS messages in hand, and those before, which wait for their tags */
  sum_t s[VECTOR_BLOCKS]; /* of each text */
} batch_t;

/* n messages each by the call for one; returns how many failed. */
NOINLINE size_t batch_single(const struct rijn_gcm *k, struct rijn_gcm_msg *m, size_t n, enum direction dir) {
  size_t failed = 0;
  for (; n; n--, m++) {
    if (dir == ENCRYPT)
      m->result = gcm_encrypt(k, m->out, m->in, m->len, m->aad, m->aad_len, m->nonce, m->nonce_len, m->tag);
    else
      m->result = gcm_decrypt(k, m->out, m->in, m->len, m->aad, m->aad_len, m->nonce, m->nonce_len, m->tag);
    failed += m->result != 0;
  }
  return failed;
}

/* Does every rule allow these VECTOR_BLOCKS messages beyond doubt, and can they go together? If not, the call for one
 * looks at the rules one by one. Fills f->m and f->lengths. */
INLINE int batch_look(batch_group_t *f, struct rijn_gcm_msg *m, const rijn_gcm_key *key) {
  if (!batch_within(m, batch_least, batch_span) || !batch_one_key(m, key))
    return 0;
  EACH(i, VECTOR_BLOCKS, {
    if ((uintptr_t)m[i].aad < m[i].aad_len) /* NULL with a length; others lie above */
      return 0;
  });
  const v_t lengths = v_gather_words((const uint8_t *)&m->in, sizeof *m);
  f->m = m;
  f->lengths = v_lengths(lengths);
  return batch_apart(m, v_low_halves(lengths, lengths));
}

/* The powers for n bytes: where they start, so that the last is H^(i+1). */
INLINE const uint8_t *batch_pow(const struct rijn_gcm *k, int i, size_t n) {
  return (const uint8_t *)k->h.pow + (16 * (size_t)(N_POW - i) - ((n + 15) & ~(size_t)15));
}

/* VECTOR_BLOCKS messages come to their end: the hash from the sums x of the texts, and the tags. Returns how many are
 * wrong. That goes under the AES of the next VECTOR_BLOCKS (T-224). */
NOINLINE size_t batch_finish(const batch_group_t *f, const sum_t x[VECTOR_BLOCKS], const struct rijn_gcm *k,
                             enum direction dir) {
  const v_t p = v_gather(f->pow), q = v_bcast_mem(batch_pow(k, 1, 0));
  sum_t s = {v_fold_lanes(x[0].lo, x[1].lo, x[2].lo, x[3].lo), v_fold_lanes(x[0].mid, x[1].mid, x[2].mid, x[3].mid),
             v_fold_lanes(x[0].hi, x[1].hi, x[2].hi, x[3].hi)};
  gf_mul_add2(&s, f->aad, p, p, f->lengths, q, q);
  return batch_tags(f->m, k->tag_len, v_xor(v_bswap(gf_reduce(s)), f->e), dir);
}

/* One text under way. */
typedef struct {
  tail_t tail; /* base: its page */
  struct text rest;
  const uint8_t *rk; /* the first round key, and how many rounds there are */
  unsigned rounds;
} text_t;
/* A group of c vectors; if it is the last (end), its last vector has what is left. Ciphertext goes into d. Two rounds
 * are a loop, which AES-128 goes through once: less code, and no slower (T-225). */
INLINE void batch_group(text_t *t, v_t *d, const int c, const int end, enum direction dir) {
  const uint8_t *rk = t->rk, *in = t->rest.in;
  uint8_t *out = t->rest.out;
  const size_t n = t->rest.left - VECTOR_BYTES * (size_t)(c - 1); /* of the last vector */
  v_t x[9], k;                                                    /* 9: what EACH can reach */
  EACH(i, c, x[i] = v_xor(v_load(t->tail.row[VECTOR_BLOCKS * i]), t->tail.base));
  aes_to_last(x, &k, &rk, t->rounds, 8, c);
  k = v_bcast_mem(rk + 16);
  EACH(i, c, {
    if (end && i == c - 1) {
      d[i] = v_load_part(in + VECTOR_BYTES * i, n);
      x[i] = v_keep(v_aes_last_xor(x[i], k, k, d[i]), n);
      v_store_part(out + VECTOR_BYTES * i, x[i], n);
    } else {
      d[i] = v_load(in + VECTOR_BYTES * i);
      x[i] = v_aes_last_xor(x[i], k, k, d[i]);
      v_store(out + VECTOR_BYTES * i, x[i]);
    }
  });
  if (dir == ENCRYPT)
    EACH(i, c, d[i] = x[i]);
}
/* The same, if others come behind it. */
INLINE void batch_full_group(text_t *t, v_t *d, enum direction dir) {
  batch_group(t, d, BATCH_VECTORS, 0, dir);
  t->tail.row += VECTOR_BLOCKS * BATCH_VECTORS;
  text_skip(&t->rest, BATCH_STEP);
}
INLINE void batch_hash(text_t *t, v_t *d) {
  hash_group(&t->tail, d, BATCH_VECTORS);
  t->tail.pow += BATCH_STEP;
}
/* Groups, until at most `stop` bytes are left. The hash is one group late: in encryption it would wait for the cipher,
 * and what comes after it would wait as well (T-226; one loop for both: T-227). */
INLINE void batch_groups(text_t *t, size_t stop, enum direction dir) {
  v_t d[9], x[9];
  if (BATCH_BYTES <= BATCH_LAST || t->rest.left <= stop)
    return;
  batch_full_group(t, d, dir);
  while (t->rest.left > stop) {
    batch_full_group(t, x, dir);
    batch_hash(t, d);
    EACH(i, BATCH_VECTORS, d[i] = x[i]);
  }
  batch_hash(t, d);
}
INLINE void batch_last_group(text_t *t, const int c, enum direction dir) {
  v_t d[9];
  batch_group(t, d, c, 1, dir);
  hash_group(&t->tail, d, c);
}
/* Text j of the messages f->m: it is encrypted or decrypted, and its sum is returned. A text longer than BATCH_REACH is
 * two sums. The first is not added to the second, which would wait for it, but takes the place of the associated data
 * in the lanes, which is in it already (T-228). */
INLINE sum_t batch_text(batch_group_t *f, const struct rijn_gcm *k, text_t *t, int j, enum direction dir) {
  struct rijn_gcm_msg *m = f->m + j;
  size_t stop = BATCH_LAST;
  t->tail.base = v_bcast_mem((const uint8_t *)&f->pages + 16 * j);
  t->tail.row = COUNTERS(2);
  t->rest = (struct text){batch_out(m), batch_in(m), m->len};
  t->tail.s = gf_zero();
  if (BATCH_BYTES > BATCH_REACH && __builtin_expect(m->len > BATCH_REACH, 0)) { /* associated data in the first */
    stop = m->len - BATCH_FIRST;
    t->tail.pow = batch_pow(k, 0, BATCH_FIRST);
    t->tail.s = batch_mul(v_from128(b_load((const uint8_t *)&f->aad + 16 * j)), v_load(t->tail.pow - 16));
  } else {
    t->tail.pow = batch_pow(k, 1, m->len);
    f->pow[j] = t->tail.pow - 16;
  }
  for (;;) {
    batch_groups(t, stop, dir);
    if (BATCH_BYTES <= BATCH_REACH || __builtin_expect(stop == BATCH_LAST, 1))
      break;
    stop = BATCH_LAST;
    f->pow[j] = t->tail.pow = batch_pow(k, 1, t->rest.left);
    b_store((uint8_t *)&f->aad + 16 * j, v_fold128(gf_reduce(t->tail.s)));
    t->tail.s = gf_zero();
  }
  if (t->rest.left <= VECTOR_BYTES)
    batch_last_group(t, 1, dir);
  else if (t->rest.left <= 2 * VECTOR_BYTES)
    batch_last_group(t, 2, dir);
  else if (t->rest.left <= 3 * VECTOR_BYTES)
    batch_last_group(t, 3, dir);
  else
    batch_last_group(t, 4, dir);
  return t->tail.s;
}

/* VECTOR_BLOCKS messages begin: associated data, pages, E(J0). rk: the first round key. */
INLINE void batch_start(batch_group_t *f, const struct rijn_gcm_msg *m, const uint8_t *rk, unsigned rounds) {
  v_t key, e[9] = {v_xor(batch_nonces(m), v_bcast_mem(rk))}; /* 9: what EACH can reach */
  f->aad = batch_aad(m);
  f->pages = e[0];
  __asm__ volatile("" ::"r"(f) : "memory"); /* gcc would take them out of the register one by one (T-223) */
  e[0] = v_xor(e[0], v_bcast_mem(COUNTERS(1)));
  aes_to_last(e, &key, &rk, rounds, 2, 1);
  key = v_bcast_mem(rk + 16);
  f->e = v_aes_last(e[0], key, key);
}
/* All messages from the first on that have the first one's key, VECTOR_BLOCKS together where that goes; returns how
 * many that were. One text follows the other, each a sum of its own, as in gcm_tail_t.h; AES, hash and tags are left to
 * the processor to overlap. Other groups, loops and orders are slower (T-229 to T-235). */
NOINLINE size_t batch_runs(batch_t *b, struct rijn_gcm_msg *m, size_t n, size_t *failed, enum direction dir) {
  const size_t all = n;
  const rijn_gcm_key *const key = m->key;
  const struct rijn_gcm *const k = rijn_gcm_of(key);
  text_t t = {.rk = k->rk.b, .rounds = k->rounds};
  batch_group_t *f = b->f, *last = NULL;
  while (n != 0 && m->key == key) {
    /* A text longer than BATCH_BYTES, or if it is to be decrypted than BATCH_REACH: a single call does that as fast, or
     * faster (T-238). */
    if (n < VECTOR_BLOCKS || ((BATCH_BYTES < BATCH_REACH || dir == DECRYPT) && m->len > BATCH_SINGLE) ||
        !batch_look(f, m, key)) {
      *failed += batch_single(k, m, 1, dir);
      m++;
      n--;
      continue;
    }
    batch_start(f, m, t.rk, t.rounds);
    if (last)
      *failed += batch_finish(last, b->s, k, dir);
    _Pragma("GCC unroll 1") for (int j = 0; j < VECTOR_BLOCKS; j++) b->s[j] = batch_text(f, k, &t, j, dir);
    last = f;
    f = b->f + (f == b->f);
    m += VECTOR_BLOCKS;
    n -= VECTOR_BLOCKS;
  }
  if (last)
    *failed += batch_finish(last, b->s, k, dir);
  return all - n;
}

/* Clears what a compiler puts on the stack in batch_runs. b is not in that frame: it is wiped by itself. */
ZERO_STACK(zero_stack_batch, 2048, 4)
NOINLINE size_t batch_many(struct rijn_gcm_msg *m, size_t n, size_t *failed, enum direction dir) {
  batch_t b;
  size_t taken = batch_runs(&b, m, n, failed, dir);
  zero_stack_batch();
  wipe((uint8_t *)&b, sizeof b);
  return taken;
}
/* The kernel: see gcm_encrypt_batch in impl.h. */
NOINLINE size_t gcm_batch(struct rijn_gcm_msg *m, size_t n, size_t *failed, enum direction dir) {
  size_t taken = 0;
  int alike = n >= VECTOR_BLOCKS && m->len <= VECTOR_BYTES && m->aad_len <= 16;
  if (alike)
    EACH(i, VECTOR_BLOCKS, alike &= m[i].len == m->len && m[i].aad_len == m->aad_len);
  if (alike) {
    taken = batch_alike(m, n, failed, dir);
    zero_stack_batch();
  }
  if (taken == 0 && n >= BATCH_MANY && m[BATCH_MANY - 1].key == m->key)
    taken = batch_many(m, n, failed, dir);
  else if (!alike)
    return 0;
  CLEAR_REGS();
  CLEAR_MASKS();
  return taken;
}
static size_t gcm_encrypt_batch(struct rijn_gcm_msg *m, size_t n, size_t *failed) {
  return gcm_batch(m, n, failed, ENCRYPT);
}
static size_t gcm_decrypt_batch(struct rijn_gcm_msg *m, size_t n, size_t *failed) {
  return gcm_batch(m, n, failed, DECRYPT);
}
#define BATCH_KERNELS .gcm_encrypt_batch = gcm_encrypt_batch, .gcm_decrypt_batch = gcm_decrypt_batch,
#endif
