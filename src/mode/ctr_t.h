/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: CTR (SP 800-38A 6.5), with a counter of 128 bits (wide is 1) or of 32 (wide is 0). Parameters as in
 * modes_t.h and gcm_t.h. There are four ways:
 *     ctr_one_block     one block
 *     ctr_secret_text   a counter that may be secret: additions for few blocks, patterns (below) for many
 *     ctr_rows_text     a public counter: page and row, as in gcm_t.h
 *     ctr_table_text    many blocks with a public counter: a table of states after two rounds, as in table_t.h
 *
 * Patterns. CT: the counter may be secret (in all but ctr_public). So a carry must not be a branch, and to compute it
 * for each vector would cost more (T-132). Let G be the blocks of a pass, a power of two, o the counter modulo G, and
 * a = counter - o, whose low bits are zero. Block i of a pass has the counter a + o + i, which is
 *     a ^ (o + i)                          if o + i < G, for then it changes a's low bits only
 *     (a + G) ^ (o + i - G)                otherwise; with d = a ^ (a + G) that is a ^ d ^ (o + i - G).
 * o is the same in every pass, and a + G is computed once a pass, with whatever carry it has. So let
 *     m, block i's pattern, made once:     low bits (o + i) modulo G; above them all ones if o + i >= G, else zeros
 *     e, made once a pass:                 low bits all ones; above them d:
 * the counter is a ^ (e & m), which is one or two operations in place of an addition, the reversal of bytes and the
 * first round key, for a, e and m are kept with their bytes reversed, and a with the first round key added (q).
 */

#include "../bytes.h"

/* a + b as integers, lane by lane: of 128 bits if wide, else only the lowest 32 bits count. ctr_add1: a block and a
 * number. */
INLINE v_t ctr_add(v_t a, v_t b, int wide) { return wide ? v_add128(a, b) : v_add32(a, b); }
INLINE b_t ctr_add1(b_t a, size_t n, int wide) { return wide ? b_add128(a, n) : b_add32(a, (uint32_t)n); }

/* What lies on the stack between passes: the patterns m, q, e, and the integer a of the next pass. CT: here, where it
 * can be wiped, and not where a compiler short of registers puts it. */
struct ctr_work {
  _Alignas(VECTOR_BYTES) uint8_t m[MODE_BYTES], q[VECTOR_BYTES], e[VECTOR_BYTES], a[VECTOR_BYTES];
};

/* Makes q and e of the pass whose a is w->a, and moves w->a on. Done a pass ahead: after the rounds each
 * step would wait for a port until all of them are through (T-120). */
INLINE void ctr_next_pass(struct ctr_work *w, const uint8_t *rk, int wide) {
  b_t a = b_load(w->a), next = ctr_add1(a, MODE_BLOCKS, wide);
  v_store(w->q, v_aes_first(v_bcast(b_bswap(a)), v_bcast_mem(rk)));
  v_store(w->e, v_bcast(b_bswap(b_xor(b_xor(a, next), b_set64(0, MODE_BLOCKS - 1)))));
  b_store(w->a, next);
  IN_MEMORY(w);
}
/* Makes the patterns for the counter c, an integer, and the first a. over: NULL, or gets all ones where o + i >= G,
 * else zeros. */
INLINE void ctr_make_patterns(struct ctr_work *w, b_t c, uint8_t *over) {
  b_t low = b_set64(0, MODE_BLOCKS - 1), o = b_and(c, low);
  v_t n0 = v_bcast(b_splat32(o));
  EACH(i, MODE_VECTORS, {
    v_t n = v_add32(n0, v_words(VECTOR_BLOCKS * i)), ones = v_gt32(n, MODE_BLOCKS - 1);
    v_store(w->m + VECTOR_BYTES * i, v_bswap(v_pick(v_bcast(low), n, ones)));
    if (over)
      v_store(over + VECTOR_BYTES * i, ones);
  });
  b_store(w->a, b_xor(c, o));
  IN_MEMORY(w);
}

/* An instruction set that compares into registers of another kind (AVX-512's masks) says how to clear them: the carries
 * of a counter that may be secret would stay there. */
#ifndef CLEAR_MASKS
#define CLEAR_MASKS() ((void)0)
#endif

/* How many passes it takes for patterns to pay. Below that each vector's counter is made by an addition, and vectors go
 * through AES together as ctr_text has it. That is faster up to there (T-121), and slower from there on (T-122; from
 * two and from six passes on: T-123, T-124). */
enum { CTR_MANY = VECTOR_BLOCKS == 4 ? 4 : 3 };

/* c vectors of counters x, which have the first round key k added already: their keystream is added to n bytes of text,
 * which are c vectors, or if c is 1 at most one. */
INLINE void ctr_add_keystream(v_t *x, v_t k, struct keys keys, struct text *t, size_t n, const int c) {
  aes_middle_rounds(x, &k, &keys.rk, keys.rounds, c, ENCRYPT);
  v_t k_last = v_bcast_mem(keys.rk);
  if (c == 1)
    v_store_part(t->out, v_aes_last_xor(x[0], k, k_last, v_load_part(t->in, n)), n);
  else
    EACH(i, c, v_store(t->out + VECTOR_BYTES * i, v_aes_last_xor(x[i], k, k_last, v_load(t->in + VECTOR_BYTES * i))));
  text_skip(t, n);
}

/* What makes the counters of a call: additions (CTR_ADDED), or page and row (CTR_ROWS), for a public counter. Fewer
 * blocks than the table is for (below) have page and row from rijn_counters, as in gcm_t.h, so that a vector costs one
 * operation. A row beyond 255 has a 1 in byte 14. A block at such a row belongs to the next page: `past`, this page
 * plus the next one plus that 1, is added as well, so that what is left is the next page and the row less 256.
 * CT: of CTR_ROWS the counter is public: it is an index, and a branch where a page ends. */
enum counted { CTR_ADDED, CTR_ROWS };
typedef struct {
  struct keys keys;
  enum counted by; /* a constant */
  int wide;
  v_t next;           /* CTR_ADDED: the counters of the next vector, integers */
  v_t base;           /* CTR_ROWS: in each lane the page, and the first round key added */
  size_t at;          /* the next block's row */
  const uint8_t *end; /* the counter behind the text */
} ctr_t;
INLINE void ctr_counters_added(ctr_t *g, v_t *x, v_t k, const int c) {
  EACH(i, c, x[i] = i ? ctr_add(g->next, v_bcast(b_set64(0, (uint64_t)(VECTOR_BLOCKS * i))), g->wide) : g->next;
       x[i] = v_aes_first(v_bswap(x[i]), k));
  g->next = ctr_add(g->next, v_bcast(b_set64(0, (uint64_t)(VECTOR_BLOCKS * c))), g->wide);
}
/* Zeros, then ones: ones for the blocks of a group at rows beyond 255, as TABLE_OVER has them for a pass. */
static const uint8_t ctr_over[32 * MODE_BLOCKS] = {[16 * MODE_BLOCKS... 32 * MODE_BLOCKS - 1] = 255};
/* The page of the block that is `left` blocks before the counter at `end`. Reckoned from there, because as a value of
 * the loop it took registers that others need (T-129). */
INLINE b_t ctr_page_before(const uint8_t *end, size_t left, int wide) {
  uint64_t hi = rijn_load_be64(end), lo = rijn_load_be64(end + 8), to = lo - left;
  if (wide)
    hi -= lo < left;
  else
    to = (lo & ~UINT64_C(0xffffffff)) | (uint32_t)to;
  return b_set64(__builtin_bswap64(to & ~UINT64_C(255)), __builtin_bswap64(hi));
}
/* n blocks; left: how many blocks of the text follow them. */
INLINE void ctr_counters_of_rows(ctr_t *g, v_t *x, size_t n, size_t left, const int c) {
  const uint8_t *row = *COUNTERS(g->at);
  if (__builtin_expect(g->at + n < 256, 1)) {
    EACH(i, c, x[i] = v_xor(g->base, v_load(row + VECTOR_BYTES * i)));
    g->at += n;
  } else {
    const uint8_t *over = ctr_over + 16 * (g->at - (256 - MODE_BLOCKS)), *key = g->keys.rk, *row_256 = *COUNTERS(256);
    __asm__("" : "+r"(key), "+r"(row_256)); /* WHY: else they are loaded ahead of the loop, and lie on the stack */
    v_t before = g->base;
    g->base = v_bcast(b_aes_first(ctr_page_before(g->end, left, g->wide), b_load(key)));
    v_t past = v_xor3(before, g->base, v_bcast_mem(row_256));
    EACH(i, c, x[i] = v_xor(v_xor_and(before, past, v_load(over + VECTOR_BYTES * i)), v_load(row + VECTOR_BYTES * i)));
    g->at += n - 256;
  }
}
/* n bytes in c vectors. */
INLINE void ctr_vectors(ctr_t *g, struct text *t, size_t n, const int c) {
  v_t x[MODE_ROOM], k = v_bcast_mem(g->keys.rk);
  if (g->by == CTR_ROWS)
    ctr_counters_of_rows(g, x, n / 16, (t->left - n) / 16, c);
  else
    ctr_counters_added(g, x, k, c);
  ctr_add_keystream(x, k, g->keys, t, n, c);
}
/* All of a text: passes, then four vectors, two, and one by one. Two vectors take hardly longer than one (T-125). */
INLINE void ctr_text(ctr_t *g, struct text t) {
  while (t.left) {
    if (__builtin_expect(t.left >= MODE_BYTES, 0))
      ctr_vectors(g, &t, MODE_BYTES, MODE_VECTORS);
    else if (__builtin_expect(t.left >= MODE_FEW * VECTOR_BYTES, 0))
      ctr_vectors(g, &t, MODE_FEW * VECTOR_BYTES, MODE_FEW);
    else if (__builtin_expect(t.left >= 2 * VECTOR_BYTES, 0))
      ctr_vectors(g, &t, 2 * VECTOR_BYTES, 2);
    else
      ctr_vectors(g, &t, size_min(t.left, VECTOR_BYTES), 1);
  }
}

/* Clears what a compiler that runs out of registers puts on the stack. Where none does, nothing (T-126). */
#ifdef STACK_FITS
#define CTR_ZERO_STACK() ((void)0)
#else
#define CTR_ZERO_STACK() (SPILLS || SPILLS_MORE ? zero_stack_640() : (void)0)
#endif
/* A counter that may be secret. */
NOINLINE void ctr_secret_text(const struct rijn_rk *keys, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                              uint8_t ctr[16], int wide) {
  RESERVE_REGS(REGS_16_31);
  const struct keys all = {keys->b, rounds};
  struct text t = {out, in, 16 * nblk};
  if (nblk >= CTR_MANY * MODE_BLOCKS) {
    struct ctr_work w;
    b_t c = b_bswap(b_load(ctr));
    b_store(ctr, b_bswap(ctr_add1(c, nblk - nblk % MODE_BLOCKS, wide)));
    ctr_make_patterns(&w, c, NULL);
    ctr_next_pass(&w, keys->b, wide);
    while (t.left >= MODE_BYTES) {
      v_t x[MODE_ROOM], k = v_bcast_mem(keys->b), q = v_load(w.q), e = v_load(w.e);
      EACH(i, MODE_VECTORS, x[i] = v_xor_and(q, e, v_load(w.m + VECTOR_BYTES * i)));
      ctr_next_pass(&w, keys->b, wide);
      ctr_add_keystream(x, k, all, &t, MODE_BYTES, MODE_VECTORS);
    }
    wipe((uint8_t *)&w, sizeof w);
  }
  if (t.left) {
    b_t c = b_bswap(b_load(ctr));
    ctr_t g = {.keys = all, .by = CTR_ADDED, .wide = wide};
    g.next = ctr_add(v_bcast(c), v_and(v_words(0), v_bcast(b_set64(0, 0xffffffffu))), wide);
    b_store(ctr, b_bswap(ctr_add1(c, t.left / 16, wide)));
    ctr_text(&g, t);
  }
  CLEAR_MASKS();
  CLEAR_UNRESERVED();
}

/* A call for one block: the keystream of a text's end. */
INLINE void ctr_one_block(const uint8_t *rk, unsigned rounds, uint8_t *out, const uint8_t *in, uint8_t ctr[16],
                          int wide) {
  RESERVE_REGS(REGS_16_31);
  b_t c = b_load(ctr), k = b_load(rk), x = b_aes_first(c, k);
  b_store(ctr, b_bswap(ctr_add1(b_bswap(c), 1, wide)));
  b_middle_rounds(&x, &k, &rk, rounds, ENCRYPT);
  b_store(out, b_aes_last_xor(x, k, b_load(rk), b_load(in)));
  CLEAR_UNRESERVED();
}

#if COUNTER_PAGES && !defined RIJN_IN_KERNEL /* Linux's stack is too small for the table */
/*
 * Many blocks with a public counter, by the two rounds of table_t.h: state after two rounds = T[last byte] + D[page].
 * The counter has 128 bits here, so the first twelve bytes are not always the same. But the column that the last byte,
 * 15, goes to depends on bytes 0, 5, 10 and 15 alone. So as long as no carry reaches byte 10, the sum of a counter's
 * state and that of its page's first counter, whose last byte is 0, is the same in every page: T + D plus T[0] + D.
 * That sum is what the table holds, and the state of the page's first counter (`here`) is what is added. The table is
 * in the order of the text, not of the last bytes: the first 256 blocks fill it, and 256 blocks later a pass has
 * the same last bytes again, and the same place in it. A page may begin within a pass: `here` is right for the blocks
 * before, and for those that p->over marks `delta_step`, the sum of this page's and the next one's, is added as well.
 * A place in the table is half a page of memory away from out (T-127).
 * CT: the counter is public here. The rows do not depend on it, but branches do: where a page ends, and the carry.
 * Without the first of them, `here` and `delta_step` made anew for each pass, it is slower (T-128).
 */
struct ctr_pages {
  struct ctr_work w;
  _Alignas(VECTOR_BYTES) uint8_t table[16 * 256], over[MODE_BYTES];
};
/* In each lane: the state after two rounds of counter c, an integer. */
INLINE v_t ctr_page(b_t c, const uint8_t *rk) { return v_bcast(table_state(b_bswap(c), rk)); }

/* From states to the table, and back, which is the same addition: of each vector i of a pass, and the state of its
 * page's first counter. */
typedef struct {
  v_t here, delta_step;
  unsigned at; /* the last byte of the pass's first counter */
} ctr_page_t;
INLINE v_t ctr_table_state(const ctr_page_t *g, const struct ctr_pages *p, v_t a, const int i) {
  return v_xor_and(v_xor(a, g->here), g->delta_step, v_load(p->over + VECTOR_BYTES * i));
}
INLINE void ctr_row_store(const ctr_page_t *g, const struct ctr_pages *p, uint8_t *row, const v_t *x) {
  if (g->at <= 256 - MODE_BLOCKS)
    EACH(i, MODE_VECTORS, v_store(row + VECTOR_BYTES * i, v_xor(x[i], g->here)));
  else
    EACH(i, MODE_VECTORS, v_store(row + VECTOR_BYTES * i, ctr_table_state(g, p, x[i], i)));
}
INLINE void ctr_row_load(const ctr_page_t *g, const struct ctr_pages *p, const uint8_t *row, v_t *x) {
  if (g->at <= 256 - MODE_BLOCKS)
    EACH(i, MODE_VECTORS, x[i] = v_xor(v_load(row + VECTOR_BYTES * i), g->here));
  else
    EACH(i, MODE_VECTORS, x[i] = ctr_table_state(g, p, v_load(row + VECTOR_BYTES * i), i));
}
/* Whole passes; their first counter is at ctr. fill: passes that still leave their states in the table. */
NOINLINE void ctr_table_passes(struct keys keys, const struct text *text, const uint8_t ctr[16], int wide,
                               struct ctr_pages *p) {
  struct text t = *text;
  b_t c = b_bswap(b_load(ctr)), page = b_xor(c, b_and(c, b_set64(0, 255)));
  unsigned fill = 256 / MODE_BLOCKS;
  ctr_make_patterns(&p->w, c, p->over);
  ctr_next_pass(&p->w, keys.rk, wide);
  ctr_page_t g = {.here = ctr_page(page, keys.rk), .at = ctr[15]};
  page = ctr_add1(page, 256, wide);
  g.delta_step = v_xor(g.here, ctr_page(page, keys.rk));
  while (t.left) {
    uint8_t *row = p->table + (((uintptr_t)t.out - (uintptr_t)p->table + 2048) & (sizeof p->table - MODE_BYTES));
    const uint8_t *rk = keys.rk;
    v_t x[MODE_ROOM], k;
    if (fill) {
      v_t q = v_load(p->w.q), e = v_load(p->w.e);
      k = v_bcast_mem(rk);
      EACH(i, MODE_VECTORS, x[i] = v_xor_and(q, e, v_load(p->w.m + VECTOR_BYTES * i)));
      ctr_next_pass(&p->w, rk, wide);
      EACH(i, 2, aes_next_round(x, &k, &rk, MODE_VECTORS, ENCRYPT));
      ctr_row_store(&g, p, row, x);
      fill--;
    } else {
      rk += 32;
      k = v_bcast_mem(rk);
      ctr_row_load(&g, p, row, x);
    }
    g.at += MODE_BLOCKS;
    if (g.at >= 256) {
      g.at -= 256;
      g.here = v_xor(g.here, g.delta_step);
      page = ctr_add1(page, 256, wide);
      g.delta_step = v_xor(g.here, ctr_page(page, keys.rk));
    }
    aes_extra_rounds(x, &k, &rk, keys.rounds, MODE_VECTORS, ENCRYPT);
    aes_last_seven(x, &k, &rk, MODE_VECTORS, ENCRYPT);
    v_t k_last = v_bcast_mem(rk);
    EACH(i, MODE_VECTORS,
         v_store(t.out + VECTOR_BYTES * i, v_aes_last_xor(x[i], k, k_last, v_load(t.in + VECTOR_BYTES * i))));
    text_skip(&t, MODE_BYTES);
  }
}
/* Passes with the table. What does not fill a pass is left to the caller, and so is all of a text whose counter carries
 * into byte 10, which happens once in 2^40 blocks. Returns how many blocks are done. */
NOINLINE size_t ctr_table_text(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                               uint8_t ctr[16], int wide) {
  struct ctr_pages p;
  size_t n = nblk - nblk % MODE_BLOCKS;
  b_t first = b_load(ctr), next = b_bswap(ctr_add1(b_bswap(first), n, wide));
  if (b_differ(b_keep(first, 11), b_keep(next, 11)))
    return 0;
  const struct text text = {out, in, 16 * n};
  ctr_table_passes((struct keys){rk->b, rounds}, &text, ctr, wide, &p);
  b_store(ctr, next);
  CLEAR_REST();
  wipe((uint8_t *)&p, sizeof p);
  return n;
}

NOINLINE void ctr_rows_text(const struct rijn_rk *keys, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                            uint8_t ctr[16], int wide) {
  RESERVE_REGS(REGS_16_31);
  b_t c = b_load(ctr);
  ctr_t g = {.keys = {keys->b, rounds}, .by = CTR_ROWS, .wide = wide, .at = ctr[15], .end = ctr};
  g.base = v_bcast(b_aes_first(b_keep(c, 15), b_load(keys->b)));
  b_store(ctr, b_bswap(ctr_add1(b_bswap(c), nblk, wide)));
  ctr_text(&g, (struct text){out, in, 16 * nblk});
  CLEAR_UNRESERVED();
}
/* Blocks from which the table pays (T-130). */
enum { CTR_TABLE_MIN = 768 };
static void ctr_public(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                       uint8_t ctr[16], int wide) {
  size_t n = __builtin_expect(nblk >= CTR_TABLE_MIN, 0) ? ctr_table_text(rk, rounds, out, in, nblk, ctr, wide) : 0;
  ctr_rows_text(rk, rounds, out + 16 * n, in + 16 * n, nblk - n, ctr, wide);
  CTR_ZERO_STACK();
}
#define CTR_PUBLIC ctr_public
#else
#define CTR_PUBLIC NULL
#endif

INLINE void ctr_secret(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                       uint8_t ctr[16], const int wide) {
  if (nblk == 1) {
    ctr_one_block(rk->b, rounds, out, in, ctr, wide);
    return;
  }
  ctr_secret_text(rk, rounds, out, in, nblk, ctr, wide);
  CTR_ZERO_STACK();
}
static void ctr_blocks(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                       uint8_t ctr[16]) {
  ctr_secret(rk, rounds, out, in, nblk, ctr, 1);
}
static void ctr32_blocks(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                         uint8_t ctr[16]) {
  ctr_secret(rk, rounds, out, in, nblk, ctr, 0);
}
