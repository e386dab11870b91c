/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: AES-GCM (SP 800-38D 7.1, 7.2): whole messages whose nonce has 12 bytes, and the blocks of streams.
 *
 * Parameters: those of ghash_t.h, and
 *   BLOCK_IS_INTEGER  1 (POWER): a block as it is loaded is an integer (v_bswap does nothing), and so the counter is
 *              kept as one, whatever the nonce; 0
 *   v_counter(page, row)  the counter blocks of a page and a vector of rows, below: v_xor on x86, else v_add32
 *   GCM_ROUND1 1: the key has its table round1 (impl.h), which saves the first 2 KB of a text a round; 0.
 *              PERF: 1420 bytes in 3 to 6 % fewer cycles, 2 to 4 KB in 1 to 5 %, and the key's set-up takes none more
 *              with AVX-512, for it waits for the multiplier, and 7 % with AVX2. REJECTED: one block a vector: 3 to 5 %
 *              fewer from 200 bytes to 2 KB, but set-up 20 % more
 *   GCM_REACH  bytes of text up to which a message is all tail; where it is not given, as many as the powers reach in
 *              one sum (gcm_tail_t.h)
 *   GCM_SPREAD(kind)  how many rounds of a pass, from the first on, have multiplies between them. PERF: fewer than
 *              all with 512-bit vectors, whose additions share their two ports with AES and multiplies: AES-128 4096
 *              bytes in 2 % fewer cycles; with 256-bit vectors 1 % more, and so with a table, 4 to 6 rounds. Where
 *              GCM_ONE_LOOP (gcm_bulk_t.h) is 1 it has to be the same for all kinds
 *   GCM_KEEP   1: registers are enough to hold a pass's ciphertext until it is hashed; 0: it is read back
 *   GCM_SPILLS 1: too few registers, so that compilers put some on the stack, which is cleared; 0. PERF: not where
 *              they suffice (portable.residue tells): loads wait for stores with the same address modulo 4096, and 512
 *              bytes took 185 cycles instead of 152 by chance
 *   STACK_FITS, STACK_LARGE  src/CMakeLists.txt says when. The first is defined where messages that are all tail leave
 *              nothing on the stack even so, and longer ones little; the second where frames are larger than usual
 *   GCM_WIDE   as GCM_LONG; or NOINLINE where GCM_NARROW_WIDE is asked, which has to be done before there is a frame
 *   GCM_LONG   NOINLINE where the stack is cleared: the frame that clears it has to lie where that of the work was
 *              (clean_t.h); else INLINE, 4096 bytes in 1 % fewer cycles
 *
 * Words:
 *   pass       P blocks of a long message that go through AES side by side (gcm_bulk_t.h). Between its rounds stand the
 *              multiplies of the pass before (encryption) or of its own ciphertext (decryption, which has it from the
 *              start), so that AES and the multiplier work at the same time
 *   tail       what is left behind the passes; a message of up to GCM_REACH bytes is all tail (gcm_tail_t.h)
 *   group      vectors of a tail that go through AES side by side; the last one encrypts J0 as well
 *   page, row  the two parts whose sum is the block of a public counter c. A page is 256 counters that differ in the
 *              last byte only:
 *
 *                  page    nonce || c - c % 256    in a register, for up to 256 counters; the first round key is added
 *                  row     0 .. 0 || c % 256       in rijn_counters: a load
 *
 *              Rows from 256 on have a 1 in the last byte but one. Added to an even page, whose byte there is even,
 *              they are counters of the page behind: so a pass need not end where an even page does.
 *              PERF: one operation a vector, where an addition and the round key were two: 4096 bytes in 8 % fewer
 *              cycles (256-bit vectors), 16 KiB in 2.
 *   PUBLIC, SECRET, CACHED  the kinds of counters. With a nonce of 12 bytes they are PUBLIC, and CACHED where a table
 *              has their states after two rounds (cache_t.h). Those of a stream may be SECRET, for J0 may be a GHASH:
 *              they are kept as integers whose bytes are reversed for each block, with no branch and no index
 *
 * How a call goes; for .. read gcm_encrypt or gcm_decrypt (gcm_call_t.h):
 *
 *     ..              a rule is in doubt              rijn_gcm_encrypt_other or _decrypt_other (gcm.c), which call
 *                                                       .._checked if the rules allow it
 *                     text up to GCM_REACH, and
 *                       associated data up to 16      .._short, or that of GCM_NARROW
 *                     else                            gcm_other
 *     .._checked                                      gcm_other
 *     gcm_other       GCM_NARROW_WIDE (gcm_call_t.h)  gcm_other of GCM_NARROW
 *                     text up to GCM_REACH            gcm_wide
 *                     text below GCM_CACHE            gcm_checked, which calls gcm_long
 *                     longer                          gcm_cached, which makes a table and calls gcm_checked
 *     gcm_long                                        the passes, and for what is left as the next:
 *     .._short, gcm_wide                              .._tail; if that is more than one group .._groups before
 */
/* TAIL_LATE: the last pass of an encrypted message is hashed by the tail, which is told by the sign bit of its length.
 * PASS: bytes of a pass. TAIL_ROWS: counters that are still to come when the passes are through, at most: those of a
 * pass, of the vector that decryption leaves, and what loads of whole vectors take along. */
enum { TAIL_LATE = !V_MASKED && sizeof(size_t) > 4, PASS = 16 * P_BLOCKS, TAIL_ROWS = P_BLOCKS + 3 * VB };
/* The counters of the end of a text below GCM_FAR bytes lie in the key's round1, or without that in rijn_counters.
 * Those of a longer one may lie in neither: gcm_long makes rows of its own for them. */
enum { GCM_FAR = 16 * ((GCM_ROUND1 ? GCM_ROWS + 1 : RIJN_COUNTERS) - TAIL_ROWS - 2) };

/* A message in passes. */
typedef struct {
  v_t ctr;   /* SECRET: the counters of the next vector, as integers; else their page, with the first round key added */
  v_t acc;   /* each lane's sum so far; is added to the next vector that is hashed */
  sum_t s;   /* products that wait for a reduction */
  size_t hp; /* the next vector to be hashed is multiplied by powers from pow[hp] on */
  /* PUBLIC, CACHED: the counter of the next block, the page that ctr has, the last counter at which a pass may begin
   * that has its counters from rows */
  uint32_t next, page, stop;
  uint8_t *table;  /* cache_t.h's, of this call; NULL: none */
  v_t base;        /* if GCM_ROUND1: the state of counter 0 after round 1, to which rows of round1 are added */
  v_t delta, turn; /* CACHED: D of this page (cache_t.h), and D of this page plus D of the next */
  /* Ciphertext that the next pass hashes, if GCM_KEEP; round keys 3, 4, 5 and the last five, if BCAST_COSTS. */
  v_t kept[GCM_NV], held[8];
} gcm_t;

enum { SECRET, PUBLIC, CACHED, KIND_12 = BLOCK_IS_INTEGER ? SECRET : PUBLIC }; /* KIND_12: with a nonce of 12 bytes */

/* In each lane: zeros and the 32-bit number n, as a block. */
INLINE v_t gcm_page(uint32_t n) { return v_bcast(b_bswap(b_set32(b_zero(), n))); }
/* Turns to the page of the next counter: it goes into ctr, where the page before is taken out. Returns whether a pass
 * that begins with this counter is within the rows. Without GCM_PAGES the page is all of the counter, to which the
 * first rows, 0, 1 .., are added, as long as the last byte has no carry: PERF: no loads where they cost. */
INLINE int gcm_turn(gcm_t *g) {
  uint32_t page = GCM_PAGES ? g->next & ~UINT32_C(255) : g->next;
  g->ctr = v_xor(g->ctr, gcm_page(g->page ^ page));
  g->page = page, g->stop = (GCM_PAGES ? page + (page & 256 ? 256 : RIJN_COUNTERS) : page | 255) - P_BLOCKS;
  return g->next <= g->stop;
}
/* The counters of the next n vectors into x, with the first round key added; n is a constant, GCM_NV if PUBLIC. A pass
 * that is not within the rows has its counters made by additions.
 * CT: the counter is an index, and in branches, for a PUBLIC one only. */
#define GCM_COUNTERS(g, x, n, kind, k0)                                                                                \
  do {                                                                                                                 \
    if ((kind) != SECRET && (__builtin_expect((kind) == CACHED || (g)->next <= (g)->stop, 1) || gcm_turn(g))) {        \
      const uint8_t *p_ = *COUNTERS(GCM_PAGES ? (size_t)((g)->next - (g)->page) : 0);                                  \
      EACH(i, n, x[i] = v_counter((g)->ctr, v_load(p_ + 16 * VB * i)));                                                \
      if (!GCM_PAGES)                                                                                                  \
        (g)->ctr = v_add32((g)->ctr, v_load(COUNTERS(VB * (n)))), (g)->page += VB * (n);                               \
    } else {                                                                                                           \
      v_t c_ = (kind) == SECRET ? (g)->ctr : v_add32(v_bcast(b_set32(b_zero(), (g)->next)), v_lanes(0));               \
      v_t b_ = v_xor((g)->ctr, gcm_page((g)->page)), d_;                                                               \
      EACH(i, n, d_ = v_bswap(v_add32(c_, v_bcast(b_int(VB * i))));                                                    \
           x[i] = (kind) == SECRET ? v_aes_first(d_, k0) : v_xor(d_, b_));                                             \
      if ((kind) == SECRET)                                                                                            \
        (g)->ctr = v_add32(c_, v_bcast(b_int(VB * (n))));                                                              \
    }                                                                                                                  \
  } while (0)

#include "cache_t.h"
#include "gcm_bulk_t.h"

#include "gcm_tail_t.h"

/* The address of n bytes at p, which may be NULL if n is 0: then, with masked loads, some other that is memory:
 * a masked load of nothing where there is no page is left to microcode. */
#define GCM_NONE(k, p, n) (V_MASKED && !(n) ? (k)->rk.b : (p))
/* Associated data as one block, that is yet to be multiplied: the hash of all blocks but the last, plus the last. WHY a
 * call: nothing secret of the message is in registers yet that it might put on the stack. */
NOINLINE b_t gcm_aad(const struct rijn_gcm *k, const uint8_t *aad, size_t n) {
  size_t most = n > 16 ? (n - 1) / 16 * 16 : 0;
  b_t sum = most ? b_bswap(ghash_bytes(&k->h, b_zero(), aad, most)) : b_zero();
  return b_xor(sum, b_load_upto16(most ? aad + most : aad, n - most));
}
/* n bytes, less than a block, that are public. WHY no call: what is secret around it would lie on the stack. */
#define GCM_PART(k, p, n) (FEW_REGISTERS ? gcm_aad(k, p, n) : b_load_part(p, n))
/* In each lane the base of a message, to which a row of its counters is added: the nonce and a counter of 0 with the
 * first round key added, or if GCM_ROUND1 the state of that after round 1. */
INLINE v_t gcm_base(const struct rijn_gcm *k, const uint8_t *nonce) {
  v_t k0 = v_bcast_mem(k->rk.b), x = v_nonce_first(nonce, k0);
  return GCM_ROUND1 ? v_aes_round(x, k0, v_bcast_mem(k->rk.b + 16)) : x;
}
/* SPEC: SP 800-38D 7.1, step 5: both lengths in bits. As an integer: the associated data's in the high half. */
INLINE b_t b_lengths(size_t aad_len, size_t len) { return b_set64((uint64_t)aad_len << 3, (uint64_t)len << 3); }
/* The tail of a message that is all tail: its base, the place of its counters, and the sum with what is known before
 * the cipher is: the associated data a times its power, and the lengths times H. If VB > 1 they share a product: a in
 * lane 0, the lengths in the last lane. */
INLINE void gcm_start(tail_t *g, const struct rijn_gcm *k, b_t power, b_t a, b_t lengths, const uint8_t *nonce) {
  g->base = gcm_base(k, nonce);
  if (VB == 4) /* PERF: AES may start: 64 bytes with AES-256 44 cycles instead of 48 */
    PIN(g->base);
  v_t x = v_from128(b_bswap(a)), h = v_from128(power);
  g->s = gf_zero();
  if (VB == 1)
    gf_mac_run(&g->s, v_from128(lengths), &k->h, N_POW - 1);
  else
    x = v_with_last(x, lengths), h = v_with_last(h, b_load(k->h.pow[N_POW - 1]));
  gf_mac(&g->s, x, h, v_halves(h));
  g->ctr = GCM_ROUND1 ? k->round1 + 1 : COUNTERS(2); /* CT: a place in either is a counter, of a nonce of 12 bytes */
}

/* What clears the stack behind a message: _SHORT all tail with up to a block of associated data, _WIDE all tail with
 * more of it, _LONG one with passes (by CLEAR_REST in wipe_t.h).
 * PORT: i386 passes vectors on the stack: there the short way's own frame is cleared as well. So it is with clang's
 * larger frames elsewhere than on x86.
 * PERF: frames of one block a vector are smaller: 128 bytes less, 16 bytes of text in 2 to 4 % fewer cycles.
 * Where registers suffice the first two clear nothing. */
#if defined STACK_FITS || !GCM_SPILLS
#define BURN_OF(fits, usual) fits
#elif !FEW_REGISTERS && !defined STACK_LARGE && (GCM_PAGES || !defined __clang__)
#define BURN_OF(fits, usual) usual
#else
#define BURN_OF(fits, usual) burn_1152()
#endif
#define BURN_SHORT() BURN_OF((void)0, (SPILLS_MORE ? burn_640 : VB == 1 ? burn_256 : burn_384)())
#define BURN_WIDE() BURN_OF((void)0, burn_640())
#define BURN_LONG() BURN_OF((VB == 1 ? burn_640 : burn_256)(), burn_640())
#define GCM_TEXT const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len
#define GCM_MESSAGE GCM_TEXT, const uint8_t *aad, size_t aad_len, const uint8_t *nonce
/* PERF: six words and six vectors at most, which is what there are registers for. */
#define GCM_TAIL_ARGS(TAG) GCM_TEXT, const uint8_t(*ctr)[16], TAG *tag, v_t base, v_t lo, v_t mid, v_t hi
#define GCM_TAIL(name, g) name(k, out, in, len, (g).ctr, tag, (g).base, (g).s.lo, (g).s.mid, (g).s.hi)
NOINLINE int gcm_encrypt_groups(GCM_TAIL_ARGS(uint8_t)), gcm_decrypt_groups(GCM_TAIL_ARGS(const uint8_t));
#define GCM_GLUE_2(a, b) a##_##b
#define GCM_GLUE(a, b) GCM_GLUE_2(a, b)
#define GCM_NAME(part) GCM_GLUE(ISA_IMPL, part)
#define GCM_SHORT_ARGS(TAG) GCM_TEXT, const uint8_t *nonce, TAG *tag, b_t a, b_t lengths, b_t power
__attribute__((noinline)) int GCM_NAME(gcm_encrypt_short)(GCM_SHORT_ARGS(uint8_t)),
    GCM_NAME(gcm_decrypt_short)(GCM_SHORT_ARGS(const uint8_t)), GCM_NAME(gcm_other)(GCM_MESSAGE, uintptr_t, uint8_t *);

/* A message beyond GCM_REACH: passes, then the tail. rows: room for the counters of the text's end where no table has
 * them (GCM_FAR); if GCM_ROUND1 these are states after round 1, and secret. table: cache_t.h's, or NULL. Both
 * directions run it, for most of it is the same: as two functions it was 2 KB more.
 * REJECTED: its first 60 blocks as groups, 4096 bytes in 2 % more cycles (AES-128), decrypted 1 to 4 % fewer, for 450
 * bytes of code; a pass of zeros and the associated data before the text, so that the first has multiplies too, 1 %
 * more; a vector at least left for the tail, as decryption does, 3 % more; the tail's cipher before the passes, so that
 * the end waits for less, level up to 256-bit vectors. */
GCM_LONG int gcm_long(GCM_MESSAGE, uint8_t (*rows)[16], uint8_t *table, uint8_t *tag, int enc) {
  b_t a = __builtin_expect(aad_len == 16, 1) ? b_load(aad) : gcm_aad(k, GCM_NONE(k, aad, aad_len), aad_len),
      lengths = b_lengths(aad_len, len);
  gcm_t g = {.s = gf_zero(), .next = 2, .stop = GCM_PAGES ? RIJN_COUNTERS - P_BLOCKS : 0, .table = table};
  g.acc = v_from128(b_gf_mul(b_bswap(a), b_load(k->h.pow[N_POW - 1])));
  g.ctr = KIND_12 == SECRET ? v_bcast(b_set32(b_load12(nonce), 2)) : v_nonce_first(nonce, v_bcast_mem(k->rk.b));
  g.base = gcm_base(k, nonce);
  gcm_bulk(&g, k, &out, &in, &len, 1, enc, KIND_12);
  gf_mac_run(&g.s, v_from128(lengths), &k->h, N_POW - 1);
  /* The lanes' sums, which wait to be added to the next vector, are multiplied by the powers of that vector instead. */
  if (!enc || TAIL_LATE)
    gf_mac_run(&g.s, g.acc, &k->h, g.hp);
  /* The base is made anew, for between it would lie on the stack. own: no table has the counters of the end. */
  const int own = g.next >= GCM_FAR / 16 + 2 && (!GCM_ROUND1 || len);
  const uint8_t(*p)[16] = own ? (const void *)rows : GCM_ROUND1 ? k->round1 + (len ? g.next - 1 : 0) : COUNTERS(g.next);
  tail_t t = {.s = g.s, .base = gcm_base(k, nonce), .ctr = p};
  if (own) {
    v_t base = v_nonce_first(nonce, v_bcast_mem(k->rk.b)), c = v_add32(v_bcast(b_set32(b_zero(), g.next)), v_lanes(0));
    for (size_t i = 0; 16 * i < len + 16 || (TAIL_FROM == 2 && i < 2 * VB); i += VB, c = v_add32(c, v_bcast(b_int(VB))))
      v_store(rows[i], GCM_ROUND1 ? aes_round1(v_bswap(c), base) : v_bswap(c));
  }
  len |= TAIL_LATE && enc ? SIZE_MAX / 2 + 1 : 0;
  return enc ? GCM_TAIL(gcm_encrypt_groups, t) : GCM_TAIL(gcm_decrypt_groups, t);
}
NOINLINE void gcm_wipe_rows(uint8_t (*rows)[16]) { wipe(*rows, 16 * TAIL_ROWS); }
NOINLINE int gcm_cached(GCM_MESSAGE, uintptr_t enc, uint8_t *tag);
/* A message beyond GCM_REACH, its stack cleared behind it. how: 1 for encryption, 0 for decryption, which only reads
 * the tag; gcm_cached adds to it the address of its table, which is even. PERF: how has the place that the nonce's
 * length has in the callers' arguments, so that all others stay where they are: each step of a call costs 4096 bytes
 * 1 %. */
NOINLINE int gcm_checked(GCM_MESSAGE, uintptr_t how, uint8_t *tag) {
  uint8_t rows[TAIL_ROWS][16]; /* of gcm_long */
  const int enc = how & 1;
  /* PORT: not len >= GCM_CACHE, for compilers warn of a length that is at least 0. */
  if (GCM_CACHE && how < 2 && __builtin_expect(len + 1 > GCM_CACHE, 0))
    return gcm_cached(k, out, in, len, aad, aad_len, nonce, how, tag);
  int r = gcm_long(k, out, in, len, aad, aad_len, nonce, rows, (uint8_t *)(how - (uintptr_t)enc), tag, enc);
  CLEAR_REST(); /* the registers that the tail left alone, or where they are few what lies on the stack below */
  /* If GCM_ROUND1 the rows are secret. Where there is a table, gcm_cached clears them along with it. PERF: and not
   * where none was used: 4096 bytes, all passes, in 1 to 4 % fewer cycles. */
  if (GCM_ROUND1 && len >= GCM_FAR && (!GCM_CACHE || len + 1 <= GCM_CACHE) && (!enc || len % PASS != 0))
    gcm_wipe_rows(rows);
  if (__builtin_expect(r, 0))
    tail_forged(out, len);
  return r;
}
/* A message of up to GCM_REACH bytes with any associated data. Where the powers reach so far (fits), all of that but
 * its last block (lead bytes) goes into the sum as text does, the last one as a single block does. If the text is
 * several sums it goes into the first, and there it has to leave the last lane alone, which has the lengths: a vector
 * at most. Else it is hashed before (gcm_aad).
 * PERF: 17 to 64 bytes of it: up to 200 bytes of text in 18 to 50 % fewer cycles on Zen 4 than hashed before, and by
 * the way of long messages. */
GCM_WIDE int gcm_wide(GCM_MESSAGE, uintptr_t enc, uint8_t *tag) {
  const int fits =
      aad_len > 16 && tail_sum(len) + aad_len <= TAIL_REACH - 15 && (tail_sum(len) == len || aad_len <= 16 * VB);
  size_t lead = fits ? (aad_len - 1) & ~(size_t)15 : 0;
  b_t a = fits ? b_down(b_load(aad + aad_len - 16), -aad_len & 15) : gcm_aad(k, GCM_NONE(k, aad, aad_len), aad_len);
  tail_t g;
  gcm_start(&g, k, b_load(tail_pow(k, tail_sum(len) + 16)), a, b_lengths(aad_len, len), nonce);
  gf_mac_bytes(&g.s, v_zero(), &k->h, N_POW - 2 - (tail_sum(len) + 15 + lead) / 16, aad, lead);
  return enc ? GCM_TAIL(gcm_encrypt_groups, g) : GCM_TAIL(gcm_decrypt_groups, g);
}
/* Whatever is not all tail with a block of associated data or less. enc: 1 or 0. */
__attribute__((noinline)) int GCM_NAME(gcm_other)(GCM_MESSAGE, uintptr_t enc, uint8_t *tag) {
  int GCM_GLUE(GCM_NARROW, gcm_other)(GCM_MESSAGE, uintptr_t, uint8_t *);
  if (GCM_NARROW_WIDE(len, aad_len))
    return GCM_GLUE(GCM_NARROW, gcm_other)(k, out, in, len, aad, aad_len, nonce, enc, tag);
  if (len > GCM_REACH)
    return gcm_checked(k, out, in, len, aad, aad_len, nonce, enc, tag);
  int r = gcm_wide(k, out, in, len, aad, aad_len, nonce, enc, tag);
  BURN_WIDE();
  return r;
}
/* A message with the table of cache_t.h, which is wiped behind it. Row 2 of the table is aligned, for there a message
 * starts.
 * PERF: the table lies 2048 bytes away from out modulo 4096, for loads wait for stores with the same address modulo
 * 4096: 16 KiB took 3571 cycles instead of 3290 where chance had it so. */
NOINLINE int gcm_cached(GCM_MESSAGE, uintptr_t enc, uint8_t *tag) {
  _Alignas(64) uint8_t room[4096 + CACHE_BYTES];
  uint8_t *table = room + (((uintptr_t)out - (uintptr_t)room + 2048) & 4032);
  int r = gcm_checked(k, out, in, len, aad, aad_len, nonce, (uintptr_t)(table + 32) + enc, tag);
  burn_1152(); /* with the table even many registers are too few */
  wipe(table, CACHE_BYTES);
  return r;
}

static void gcm_init(struct rijn_gcm *k, const uint8_t *raw) {
  b_t hash_subkey = expand_key(k->rk.b, raw, k->rounds);
  ghash_powers(&k->h, hash_subkey, k->round1, v_bcast_mem(k->rk.b));
  KEY_END();
}
static void ghash_init(struct rijn_ghash *k, const uint8_t h[16]) {
  ghash_powers(&k->h, b_load(h), NULL, v_zero());
  CLEAR_REGS();
}
#define GCM_ENC 1
#include "gcm_call_t.h"
#define GCM_ENC 0
#include "gcm_call_t.h"

/* The blocks of a stream: passes, then vectors one by one. CT: the counter is SECRET here. */
#define GCM_RUN const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk, uint8_t ctr[16], uint8_t acc[16]
NOINLINE void gcm_blocks(GCM_RUN, int enc) {
  size_t len = 16 * nblk;
  if (nblk == 0)
    return;
  b_t j = b_bswap(b_load(ctr));
  gcm_t g = {.ctr = v_add32(v_bcast(j), v_lanes(0)), .acc = v_from128(b_bswap(b_load(acc))), .s = gf_zero()};
  gcm_bulk(&g, k, &out, &in, &len, 0, enc, SECRET); /* what is left has consecutive powers */
  for (size_t n; len; in += n, out += n, len -= n) {
    n = size_min(len, 16 * VB);
    v_t x[9], d[9] = {v_load_part(in, n)}; /* 9: what EACH can reach */
    GCM_COUNTERS(&g, x, 1, SECRET, v_bcast_mem(k->rk.b));
    AES_XOR(1, x, d[i], k->rk.b, k->rounds, 0, 10, (v_t *)NULL, 0);
    v_store_part(out, x[0], n);
    gf_mac_run(&g.s, v_xor(v_bswap(enc ? v_keep(x[0], n) : d[0]), g.acc), &k->h, g.hp);
    g.acc = v_zero(), g.hp += VB;
  }
  b_store(acc, b_bswap(v_fold128(gf_reduce(g.s))));
  b_store(ctr, b_bswap(b_add32(j, (uint32_t)nblk)));
  CLEAR_REGS();
}
#define GCM_BLOCKS(name, enc)                                                                                          \
  static void name(GCM_RUN) {                                                                                          \
    gcm_blocks(k, out, in, nblk, ctr, acc, enc);                                                                       \
    burn_640();                                                                                                        \
  }
GCM_BLOCKS(gcm_enc_blocks, 1)
GCM_BLOCKS(gcm_dec_blocks, 0)
static void ghash_blocks(const struct rijn_hpow *h, uint8_t acc[16], const uint8_t *in, size_t nblk) {
  b_store(acc, b_bswap(ghash_bytes(h, b_bswap(b_load(acc)), in, 16 * nblk)));
  CLEAR_REGS();
  burn_384();
}
/* The kernels' fields in struct rijn_impl. */
#define GCM_KERNELS                                                                                                    \
  .gcm_init = gcm_init, .ghash_init = ghash_init, .gcm_encrypt = gcm_encrypt, .gcm_decrypt = gcm_decrypt,              \
  .gcm_encrypt_checked = gcm_encrypt_checked, .gcm_decrypt_checked = gcm_decrypt_checked,                              \
  .gcm_enc_blocks = gcm_enc_blocks, .gcm_dec_blocks = gcm_dec_blocks, .ghash_blocks = ghash_blocks
