/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: GCM for whole messages (SP 800-38D 7.1, 7.2) with a nonce of 12 bytes: the kernels gcm_encrypt and
 * gcm_decrypt of struct rijn_impl, and the ways that a call takes from them to the tag. Included by gcm_t.h, which has
 * the words. Parameters: those of gcm_t.h, and
 *   NARROW  another set, of narrower vectors, that does short texts (NARROW_MAX, NARROW_LONG_AAD: tune.h); or not
 *           defined. As the key is made by this set, the other has to have the same N_POW and no more POWERS
 *
 *     gcm_encrypt, gcm_decrypt: the arguments as the caller gave them
 *          |
 *     rijn_gcm_surely_valid (src/gcm.h):
 *     beyond doubt? ---no---> rijn_gcm_encrypt_slow (src/gcm.c): rule by rule; then gcm_encrypt_checked
 *          | yes                                                                          |
 *     is_short: at most ONE_CALL_BYTES                                                    |
 *     bytes of text, and a block of                                                       |
 *     associated data?                                                                    |
 *          | yes                | no                                                      |
 *          |                    +-------------------> gcm_message <-----------------------+
 *          |                                             | gcm_route
 *          |           +---------------------+-----------+-----------+------------------------+
 *          |       ROUTE_NARROW       ROUTE_NO_PASSES          ROUTE_PASSES            ROUTE_TABLED
 *          |     another set's           gcm_any_aad        gcm_passes_cleared      gcm_tabled_message:
 *          v     gcm_message                 |              gcm_passes_message      the same, with the
 *     call_short:                            |                       |              table of table_t.h
 *     gcm_encrypt_short, this                |                       |                        |
 *     set's or NARROW's                      |                       |                        |
 *          |                                 |                       |                        |
 *          +---------------------------------+-----------+-----------+------------------------+
 *                                                        v
 *               with masks, beyond LAST_ROOM bytes, gcm_encrypt_groups first:
 *                    tail_groups (gcm_tail_masked_t.h)
 *               then gcm_encrypt_tail, the last group with J0, and the tag:
 *                    tail_end (gcm_tail_plain_t.h or gcm_tail_masked_t.h)
 *
 * The file is read from its end upwards. Of a step X there is gcm_X, the code; gcm_encrypt_X and gcm_decrypt_X, the
 * functions that it is compiled into; and call_X, which calls one of the two.
 * CT: lengths and the nonce are public, and so is each branch on them.
 */

/* Where the counters of a tail come from, and the tag goes to: the third pair, beside struct dst and struct src or
 * src_deferred. With four vectors all of a call is in registers. */
struct row_tag {
  const row_t *row;
  uint8_t *tag; /* decryption only reads it */
};
/* What a message is that is handed on in memory. All of it is public but what the pointers point to. */
struct gcm_message {
  const struct rijn_gcm *k;
  struct text text;
  const uint8_t *aad;
  size_t aad_len;
  const uint8_t *nonce;
  uint8_t *tag;
};

/* Functions that another set calls (NARROW) have the set's name in front of their own. */
#define GCM_GLUE(a, b) a##_##b
#define GCM_OF_SET(set, name) GCM_GLUE(set, name)

/* What clears the stack after a message: _SHORT after gcm_encrypt_short, _ANY_AAD after gcm_any_aad, _LONG after passes
 * (CLEAR_REST in wipe_t.h). Where registers suffice the first two clear nothing: stores that clear would
 * delay loads (T-004). With one block a vector _SHORT's frame is smaller (T-010). _LONG's is not the smallest there,
 * because a pass has eight vectors in 16 registers.
 * PORT: i386 passes vectors on the stack: there the frame of gcm_encrypt_short is cleared as well. So it is with
 * clang's larger frames elsewhere than on x86. */
#if defined STACK_FITS || !SPILLS
#define ZERO_STACK_SHORT() ((void)0)
#define ZERO_STACK_ANY_AAD() ((void)0)
#define ZERO_STACK_LONG() (VECTOR_BLOCKS == 1 ? zero_stack_640() : zero_stack_256())
#elif !FEW_REGISTERS && !defined STACK_LARGE && (COUNTER_PAGES || !defined __clang__)
#if SPILLS_MORE
#define ZERO_STACK_SHORT() zero_stack_640()
#else
#define ZERO_STACK_SHORT() (VECTOR_BLOCKS == 1 ? zero_stack_256() : zero_stack_384())
#endif
#define ZERO_STACK_ANY_AAD() zero_stack_640()
#define ZERO_STACK_LONG() zero_stack_640()
#else
#define ZERO_STACK_SHORT() zero_stack_1152()
#define ZERO_STACK_ANY_AAD() zero_stack_1152()
#define ZERO_STACK_LONG() zero_stack_1152()
#endif

/* No text that is not authentic is handed out: what was written to out before the tag was compared becomes
 * zeros. */
NOINLINE int gcm_forged(uint8_t *out, size_t len) {
  memset(out, 0, len);
  clear_parts();
  return -1;
}

/* ---------------------------------------------------------------- associated data, and how a tail begins */

/* The address of n bytes at p, which may be NULL if n is 0: then, with masked loads, that of the key instead. A
 * masked load of nothing where there is no page is left to microcode (T-008). */
INLINE const uint8_t *gcm_address(const struct rijn_gcm *k, const uint8_t *p, size_t n) {
  return HAS_MASKS && !n ? k->rk.b : p;
}
/* Associated data as one block, that is yet to be multiplied: the hash of all blocks but the last, plus the last. WHY a
 * call: nothing secret of the message is in registers yet that it might put on the stack. */
NOINLINE b_t gcm_aad(const struct rijn_gcm *k, const uint8_t *aad, size_t n) {
  size_t most = n > 16 ? (n - 1) / 16 * 16 : 0;
  b_t sum = most ? b_bswap(ghash_bytes(&k->h, b_zero(), aad, most)) : b_zero();
  return b_xor(sum, b_load_upto16(most ? aad + most : aad, n - most));
}
/* n public bytes, less than a block. Not a call where registers suffice: what is secret around it would be saved on the
 * stack. With eight registers it is one, and the stack is cleared anyway. */
INLINE b_t gcm_part(const struct rijn_gcm *k, const uint8_t *p, size_t n) {
  return FEW_REGISTERS ? gcm_aad(k, p, n) : b_load_part(p, n);
}
/* In each lane the base of a message, to which a row of its counters is added: the nonce and a counter of 0 with the
 * first round key added. */
INLINE v_t gcm_base(const struct rijn_gcm *k, const uint8_t *nonce) {
  return v_nonce_first(nonce, v_bcast_mem(k->rk.b));
}
/* SPEC: SP 800-38D 7.1, step 5: both lengths in bits. As an integer: the associated data's in the high half. */
INLINE b_t gcm_lengths(size_t aad_len, size_t len) { return b_set64((uint64_t)aad_len << 3, (uint64_t)len << 3); }

/* The tail of a message without passes: its base, the place of its counters, and the sum with what is known before the
 * cipher is: the associated data a times its power, and the lengths times H. If VECTOR_BLOCKS > 1 they share a product:
 * a in lane 0, the lengths in the last lane. */
INLINE void tail_start(tail_t *tail, const struct rijn_gcm *k, const uint8_t *nonce, b_t a, b_t power, b_t lengths) {
  tail->base = gcm_base(k, nonce);
  if (VECTOR_BLOCKS == 4) /* AES may start before the sum begins (T-009) */
    PIN(tail->base);
  v_t x = v_from128(b_bswap(a)), h = v_from128(power);
  tail->s = gf_zero();
  if (VECTOR_BLOCKS == 1) {
    gf_mul_add_powers(&tail->s, v_from128(lengths), &k->h, N_POW - 1);
  } else {
    x = v_with_last(x, lengths);
    h = v_with_last(h, b_load(k->h.pow[N_POW - 1]));
  }
  gf_mul_add(&tail->s, x, h, v_halves(h));
  tail->row = COUNTERS(2);
}

/* ---------------------------------------------------------------- the tag */

/* Not 0 if the caller's tag differs from mine.
 * CT: the verdict is public; where the tags differ is not looked at. */
INLINE uint32_t tag_differs(const struct rijn_gcm *k, const uint8_t *tag, b_t mine) {
  if (__builtin_expect(k->tag_len == 16, 1))
    return b_differ(mine, b_load(tag));
  return b_differ(b_keep(mine, k->tag_len), gcm_part(k, tag, k->tag_len));
}
/* What is left of a message, and its tag: written, or compared, when the text has gone out already (gcm_forged). A
 * function with all it is handed in registers, six words and four vectors, so that short and long messages share it
 * (T-011, T-021). */
INLINE int gcm_tail(struct dst dst, struct src_deferred last_src, struct row_tag rt, tail_t *tail,
                    const enum direction dir) {
  RESERVE_REGS(REGS_16_31);
  const size_t len = left_bytes(last_src.packed);
  struct text t = {dst.out, last_src.in, len};
  b_t mine = tail_end(tail, dst.k, &t, last_src.packed, dir);
  uint32_t differ = 0;
  if (dir == ENCRYPT) {
    b_store_upto16(rt.tag, mine, dst.k->tag_len);
  } else {
    differ = tag_differs(dst.k, rt.tag, mine);
    __asm__ volatile("" : "+r"(differ)); /* known before the registers are cleared: clang kept the tag until after */
  }
  CLEAR_UNRESERVED();
  if (__builtin_expect(differ != 0, 0))
    return gcm_forged(t.out - (len - t.left), len);
  clear_parts();
  return 0;
}
NOINLINE int gcm_encrypt_tail(struct dst dst, struct src_deferred last_src, struct row_tag rt, v_t base, v_t lo,
                              v_t mid, v_t hi) {
  tail_t tail = {.s = {lo, mid, hi}, .base = base, .row = rt.row};
  return gcm_tail(dst, last_src, rt, &tail, ENCRYPT);
}
NOINLINE int gcm_decrypt_tail(struct dst dst, struct src_deferred last_src, struct row_tag rt, v_t base, v_t lo,
                              v_t mid, v_t hi) {
  tail_t tail = {.s = {lo, mid, hi}, .base = base, .row = rt.row};
  return gcm_tail(dst, last_src, rt, &tail, DECRYPT);
}
INLINE int call_tail(struct dst dst, struct src_deferred last_src, uint8_t *tag, const tail_t *tail,
                     enum direction dir) {
  struct row_tag rt = {tail->row, tag};
  if (dir == ENCRYPT)
    return gcm_encrypt_tail(dst, last_src, rt, tail->base, tail->s.lo, tail->s.mid, tail->s.hi);
  return gcm_decrypt_tail(dst, last_src, rt, tail->base, tail->s.lo, tail->s.mid, tail->s.hi);
}

#if HAS_MASKS
/* Groups, then the last one. */
INLINE int gcm_groups(struct dst dst, struct src src, struct row_tag rt, tail_t *tail, const enum direction dir) {
  if (__builtin_expect(src.left <= LAST_ROOM, 0)) /* nothing is saved then (T-022) */
    return call_tail(dst, (struct src_deferred){src.in, src.left}, rt.tag, tail, dir);
  RESERVE_REGS(REGS_TOP);
  struct text t = {dst.out, src.in, src.left};
  enum deferred deferred = tail_groups(tail, dst.k, &t, dir);
  CLEAR_MIDDLE();
  int r = call_tail((struct dst){dst.k, t.out}, (struct src_deferred){t.in, left_pack(t.left, deferred)}, rt.tag, tail,
                    dir);
  return dir == ENCRYPT || !r ? r : gcm_forged(dst.out, (size_t)(t.out - dst.out));
}
NOINLINE int gcm_encrypt_groups(struct dst dst, struct src src, struct row_tag rt, v_t base, v_t lo, v_t mid, v_t hi) {
  tail_t tail = {.s = {lo, mid, hi}, .base = base, .row = rt.row};
  return gcm_groups(dst, src, rt, &tail, ENCRYPT);
}
NOINLINE int gcm_decrypt_groups(struct dst dst, struct src src, struct row_tag rt, v_t base, v_t lo, v_t mid, v_t hi) {
  tail_t tail = {.s = {lo, mid, hi}, .base = base, .row = rt.row};
  return gcm_groups(dst, src, rt, &tail, DECRYPT);
}
#endif
/* A tail of any length. Without masks that is one function. */
INLINE int call_any_tail(struct dst dst, struct src_deferred last_src, uint8_t *tag, const tail_t *tail,
                         enum direction dir) {
#if HAS_MASKS
  struct row_tag rt = {tail->row, tag};
  struct src src = {last_src.in, last_src.packed}; /* with masks nothing is deferred yet */
  if (dir == ENCRYPT)
    return gcm_encrypt_groups(dst, src, rt, tail->base, tail->s.lo, tail->s.mid, tail->s.hi);
  return gcm_decrypt_groups(dst, src, rt, tail->base, tail->s.lo, tail->s.mid, tail->s.hi);
#else
  return call_tail(dst, last_src, tag, tail, dir);
#endif
}

/* ---------------------------------------------------------------- messages without passes */

/* Where the nonce is, and where the tag goes. */
struct nonce_tag {
  const uint8_t *nonce;
  uint8_t *tag; /* decryption only reads it */
};
/* A message without passes whose associated data, a, is at most a block; power is what a is multiplied by. The function
 * has no argument on the stack, and its caller has no vector there that needs aligning: inlined into one, they would
 * make gcc save registers (T-023). */
INLINE int gcm_short(struct dst dst, struct src src, struct nonce_tag nt, b_t a, b_t lengths, b_t power,
                     const enum direction dir) {
  tail_t tail;
  tail_start(&tail, dst.k, nt.nonce, a, power, lengths);
  struct src_deferred last_src = {src.in, src.left}; /* and nothing is deferred */
  /* With masks a single group takes a call fewer than several. */
  return src.left <= LAST_ROOM ? call_tail(dst, last_src, nt.tag, &tail, dir)
                               : call_any_tail(dst, last_src, nt.tag, &tail, dir);
}
typedef int short_fn(struct dst dst, struct src src, struct nonce_tag nt, b_t a, b_t lengths, b_t power);
__attribute__((noinline)) short_fn GCM_OF_SET(ISA_IMPL, gcm_encrypt_short), GCM_OF_SET(ISA_IMPL, gcm_decrypt_short);
int GCM_OF_SET(ISA_IMPL, gcm_encrypt_short)(struct dst dst, struct src src, struct nonce_tag nt, b_t a, b_t lengths,
                                            b_t power) {
  return gcm_short(dst, src, nt, a, lengths, power, ENCRYPT);
}
int GCM_OF_SET(ISA_IMPL, gcm_decrypt_short)(struct dst dst, struct src src, struct nonce_tag nt, b_t a, b_t lengths,
                                            b_t power) {
  return gcm_short(dst, src, nt, a, lengths, power, DECRYPT);
}

/* A message without passes, with any associated data. If there are enough powers (fits), all of the associated data but
 * its last block (lead bytes) joins the first sum, as text does; the last block joins as in a short message.
 * Of several sums, the first keeps its last lane for the lengths (sum_first): at most a vector may join then. If
 * there are not enough powers, the associated data is hashed before (gcm_aad), which takes longer (T-019). */
GCM_ANY_AAD_FN int gcm_any_aad(const struct gcm_message *m, const enum direction dir) {
  const struct rijn_gcm *k = m->k;
  const size_t len = m->text.left, n = m->aad_len, first = sum_bytes(len);
  const int fits = n > 16 && first + n <= SUM_REACH - 15 && (first == len || n <= VECTOR_BYTES);
  const size_t lead = fits ? (n - 1) & ~(size_t)15 : 0;
  b_t a = fits ? b_down(b_load(m->aad + n - 16), -n & 15) : gcm_aad(k, gcm_address(k, m->aad, n), n);
  tail_t tail;
  tail_start(&tail, k, m->nonce, a, b_load(sum_powers(k, first + 16)), gcm_lengths(n, len));
  gf_mul_add_bytes(&tail.s, v_zero(), &k->h, N_POW - 2 - (first + 15 + lead) / 16, m->aad, lead, GHASH);
  return call_any_tail((struct dst){k, m->text.out}, (struct src_deferred){m->text.in, len}, m->tag, &tail, dir);
}

/* ---------------------------------------------------------------- messages with passes */

/* Where the counters of a text's end lie, if the next one is c and left bytes are left: in rijn_counters, or in rows,
 * which are filled here then. CT: a counter is public, and so is a place in either. */
INLINE const row_t *end_rows(uint32_t c, size_t left, row_t *rows) {
  if (c < RIJN_COUNTERS - TAIL_ROWS)
    return COUNTERS(c);
  v_t ctr = v_add32(v_bcast(b_set32(b_zero(), c)), v_lanes(0));
  for (size_t i = 0; 16 * i < left + 16 || (GROUP_LEAST == 2 && i < 2 * VECTOR_BLOCKS); i += VECTOR_BLOCKS) {
    v_store(rows[i], v_bswap(ctr));
    ctr = v_add32(ctr, v_bcast(b_int(VECTOR_BLOCKS)));
  }
  return (const row_t *)rows;
}
/* Passes, then the tail. rows: room for end_rows. table: table_t.h's, or NULL. The text's first blocks as groups, a
 * first pass with multiplies, a vector left for the tail, the tail's cipher first: none of that gains (T-012 to
 * T-015). */
GCM_PASSES_FN int gcm_passes_message(const struct gcm_message *m, row_t *rows, uint8_t *table, enum direction dir) {
  const struct rijn_gcm *k = m->k;
  struct text t = m->text;
  if (POWERS_AHEAD)
    passes_ahead(k);
  b_t a = __builtin_expect(m->aad_len == 16, 1) ? b_load(m->aad)
                                                : gcm_aad(k, gcm_address(k, m->aad, m->aad_len), m->aad_len);
  gcm_t g = {.s = gf_zero(), .next = 2, .stop = COUNTER_PAGES ? RIJN_COUNTERS - P_BLOCKS : 0, .table = table};
  g.acc = v_from128(b_gf_mul(b_bswap(a), b_load(k->h.pow[N_POW - 1])));
  if (KIND_12 == SECRET)
    g.ctr = v_bcast(b_set32(b_load12(m->nonce), 2));
  else
    g.ctr = gcm_base(k, m->nonce);
  text_passes(&g, k, &t, 1, dir, KIND_12);
  gf_mul_add_powers(&g.s, v_from128(gcm_lengths(m->aad_len, m->text.left)), &k->h, N_POW - 1);
  /* The lanes' sums, which wait to be added to the next vector, are multiplied by the powers of that vector instead. */
  if (dir == DECRYPT || LAST_PASS_LATE)
    gf_mul_add_powers(&g.s, g.acc, &k->h, g.hp);
  /* The base is made anew: kept, it would lie on the stack. */
  tail_t end = {.s = g.s, .base = gcm_base(k, m->nonce), .row = end_rows(g.next, t.left, rows)};
  size_t left = left_pack(t.left, LAST_PASS_LATE && dir == ENCRYPT ? LAST_PASS : NOTHING);
  return call_any_tail((struct dst){k, t.out}, (struct src_deferred){t.in, left}, m->tag, &end, dir);
}
/* Linux's stacks are small: there the rows, if many, lie in memory of the processor, and the table
 * after them (T-306). */
enum { TABLE_ROOM = 4096 + TABLE_BYTES, ROWS_ROOM = 1024 };
#ifdef RIJN_IN_KERNEL
#define ROWS_BESIDE (VECTOR_BLOCKS == 4)
#define ZERO_STACK_TABLED zero_stack_640
_Static_assert((int)ROWS_ROOM + (int)TABLE_ROOM <= (int)RIJN_SCRATCH && 16 * TAIL_ROWS <= ROWS_ROOM, "they fit");
#ifndef __x86_64__
_Static_assert(TABLE_FROM == 0 && !ROWS_BESIDE, "there is no such memory but on x86 (kernel/scratch.c)");
#endif
#else
#define ROWS_BESIDE 0
#define ZERO_STACK_TABLED zero_stack_1152
#endif
/* The same, its stack cleared behind it. Both directions run it: most of it is the same (T-016). */
NOINLINE int gcm_passes_cleared(const struct gcm_message *m, uint8_t *table, enum direction dir) {
#if ROWS_BESIDE
  int r = gcm_passes_message(m, (row_t *)(void *)rijn_scratch(), table, dir);
#else
  row_t rows[TAIL_ROWS];
  int r = gcm_passes_message(m, rows, table, dir);
#endif
  CLEAR_REST(); /* the registers that the tail left alone, or where they are few what lies on the stack below */
  if (__builtin_expect(r, 0))
    gcm_forged(m->text.out, m->text.left);
  return r;
}
/* The same with the table of table_t.h, which is wiped behind it. Row 2 of the table is aligned, because there a
 * message starts. The table lies 2048 bytes away from out modulo 4096: loads wait for stores with the same address
 * modulo 4096 (T-020). */
NOINLINE int gcm_tabled_message(const struct gcm_message *m, enum direction dir) {
#ifdef RIJN_IN_KERNEL
  uint8_t *room = rijn_scratch() + ROWS_ROOM;
#else
  _Alignas(64) uint8_t room[TABLE_ROOM];
#endif
  uint8_t *table = room + (((uintptr_t)m->text.out - (uintptr_t)room + 2048) & 4032);
  int r = gcm_passes_cleared(m, table + 32, dir);
  ZERO_STACK_TABLED(); /* with the table even many registers are too few */
  wipe(table, TABLE_BYTES);
  return r;
}

/* ---------------------------------------------------------------- the ways of a call */

enum route { ROUTE_NARROW, ROUTE_NO_PASSES, ROUTE_PASSES, ROUTE_TABLED };
INLINE enum route gcm_route(size_t len, size_t aad_len) {
  (void)aad_len;
  if (NARROW_LONG_AAD(len, aad_len))
    return ROUTE_NARROW;
  if (len <= ONE_CALL_BYTES)
    return ROUTE_NO_PASSES;
  /* PORT: not len >= TABLE_FROM, because compilers warn of a length that is at least 0. */
  return TABLE_FROM && len + 1 > TABLE_FROM ? ROUTE_TABLED : ROUTE_PASSES;
}
int GCM_OF_SET(ISA_IMPL, gcm_message)(const struct gcm_message *m, enum direction dir);
#ifdef NARROW
int GCM_OF_SET(NARROW, gcm_message)(const struct gcm_message *m, enum direction dir);
short_fn GCM_OF_SET(NARROW, gcm_encrypt_short), GCM_OF_SET(NARROW, gcm_decrypt_short);
#endif
/* A message that the rules allow, by any way. */
__attribute__((noinline)) int GCM_OF_SET(ISA_IMPL, gcm_message)(const struct gcm_message *m, enum direction dir) {
  int r;
  switch (gcm_route(m->text.left, m->aad_len)) {
#ifdef NARROW
  case ROUTE_NARROW:
    return GCM_OF_SET(NARROW, gcm_message)(m, dir);
#endif
  case ROUTE_TABLED:
    return gcm_tabled_message(m, dir);
  case ROUTE_PASSES:
    return gcm_passes_cleared(m, NULL, dir);
  default: /* ROUTE_NO_PASSES */
    r = gcm_any_aad(m, dir);
    ZERO_STACK_ANY_AAD();
    return r;
  }
}
/* A message without passes and with at most a block of associated data: its rules have been looked at. */
INLINE int call_short(struct dst dst, struct src src, struct nonce_tag nt, const uint8_t *aad, size_t aad_len,
                      const enum direction dir) {
  const struct rijn_gcm *k = dst.k;
  b_t a = __builtin_expect(aad_len == 16, 1) ? b_load(aad) : gcm_part(k, gcm_address(k, aad, aad_len), aad_len);
  b_t lengths = gcm_lengths(aad_len, src.left), power = b_load(sum_powers(k, sum_bytes(src.left) + 16));
#ifdef NARROW
  if (src.left <= NARROW_MAX(dir))
    return dir == ENCRYPT ? GCM_OF_SET(NARROW, gcm_encrypt_short)(dst, src, nt, a, lengths, power)
                          : GCM_OF_SET(NARROW, gcm_decrypt_short)(dst, src, nt, a, lengths, power);
#endif
  int r;
  if (dir == ENCRYPT)
    r = GCM_OF_SET(ISA_IMPL, gcm_encrypt_short)(dst, src, nt, a, lengths, power);
  else
    r = GCM_OF_SET(ISA_IMPL, gcm_decrypt_short)(dst, src, nt, a, lengths, power);
  ZERO_STACK_SHORT();
  return r;
}
/* PORT: on POWER, whose blocks are integers, a part of a block comes to a register by way of the stack. */
enum { PART_BY_STACK = BLOCK_IS_INTEGER };
/* May call_short do it? Not with a part of a block that lies on the stack: gcm_message alone clears that. */
INLINE int is_short(size_t len, size_t aad_len) {
  return len <= ONE_CALL_BYTES && aad_len <= 16 && !(PART_BY_STACK && aad_len != 16);
}

/* The kernels take their arguments where the caller of the library put them, on the stack too: to hand those on costs
 * most (T-251). */
NOINLINE int gcm_encrypt_checked(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len,
                                 const uint8_t *aad, size_t aad_len, const uint8_t *nonce, size_t nonce_len,
                                 uint8_t *tag) {
  (void)nonce_len;
  struct gcm_message m = {k, {out, in, len}, aad, aad_len, nonce, tag};
  return GCM_OF_SET(ISA_IMPL, gcm_message)(&m, ENCRYPT);
}
NOINLINE int gcm_decrypt_checked(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len,
                                 const uint8_t *aad, size_t aad_len, const uint8_t *nonce, size_t nonce_len,
                                 const uint8_t *tag) {
  (void)nonce_len;
  struct gcm_message m = {k, {out, in, len}, aad, aad_len, nonce, (uint8_t *)(uintptr_t)tag};
  return GCM_OF_SET(ISA_IMPL, gcm_message)(&m, DECRYPT);
}
static int gcm_encrypt(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                       size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t *tag) {
  if (__builtin_expect(!rijn_gcm_surely_valid(out, in, len, aad, aad_len, nonce, nonce_len, tag), 0))
    return rijn_gcm_encrypt_slow(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);
  if (__builtin_expect(!is_short(len, aad_len), 0))
    return gcm_encrypt_checked(k, out, in, len, aad, aad_len, nonce, 12, tag);
  return call_short((struct dst){k, out}, (struct src){in, len}, (struct nonce_tag){nonce, tag}, aad, aad_len, ENCRYPT);
}
static int gcm_decrypt(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                       size_t aad_len, const uint8_t *nonce, size_t nonce_len, const uint8_t *tag) {
  if (__builtin_expect(!rijn_gcm_surely_valid(out, in, len, aad, aad_len, nonce, nonce_len, tag), 0))
    return rijn_gcm_decrypt_slow(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);
  if (__builtin_expect(!is_short(len, aad_len), 0))
    return gcm_decrypt_checked(k, out, in, len, aad, aad_len, nonce, 12, tag);
  struct nonce_tag nt = {nonce, (uint8_t *)(uintptr_t)tag};
  return call_short((struct dst){k, out}, (struct src){in, len}, nt, aad, aad_len, DECRYPT);
}
