/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: AES-GCM (SP 800-38D 7). Parameters as in ghash_t.h, and
 *   BLOCK_IS_INTEGER  1: a block is the integer as it stands: a counter is kept as one then, whatever the nonce; 0
 *   v_counter(page, row)  a counter of the two: GCM_COUNTERS says what they are
 *   GCM_ROUND1 1: what a counter adds to the state after round 1 lies in the key, for the first 2 KB of a text; 0.
 *              PERF: 1420 bytes in 3 to 6 % fewer cycles, 2 to 4 KB in 1 to 5 %, and the key's set-up takes none more with AVX-512, for it
 *              waits for the multiplier, and 7 % with AVX2. REJECTED: one block a vector: 3 to 5 % fewer from 200 bytes to 2 KB, but
 *              set-up 20 % more
 *   GCM_REACH  bytes of text that are all tail (gcm_tail_t.h); where it is not given, what the powers reach
 *   GCM_SPREAD(kind) rounds of a pass that have multiplies under them. PERF: fewer than all with 512-bit vectors, whose additions share
 *              their two ports with AES and multiplies: AES-128 4096 bytes in 2 % fewer cycles; with 256-bit vectors 1 % more, and so with
 *              a table, 4 to 6 rounds. Where GCM_ONE_LOOP is 1 it has to be the same for all kinds
 *   GCM_KEEP   1: registers are enough to hold a pass's ciphertext until it is hashed; 0: it is read back
 *   GCM_SPILLS 1: too few registers, so that the stack is cleared. PERF: not where they suffice (portable.residue tells):
 *              loads wait for stores with the same address modulo 4096, and 512 bytes took 185 cycles instead of 152 by chance
 *   STACK_FITS defined where messages that are all tail leave nothing there all the same, and longer ones little, STACK_LARGE where frames are
 *              larger than usual: src/CMakeLists.txt says when
 *   GCM_LONG   NOINLINE where the stack is cleared, for that has to be done from below; else INLINE, 4096 bytes in 1 % fewer cycles
 *
 * A message of up to GCM_REACH bytes is all tail (gcm_tail_t.h). A longer one has passes of P blocks before, whose AES
 * covers the multiplies of the pass before (encryption) or of the same (decryption, whose ciphertext is there already).
 *
 * With a nonce of 12 bytes the counter is public: its blocks are rows of rijn_counters, added to what the nonce and the first
 * round key are for 256 counters at a time. PERF: one operation a vector, where an addition and the round key were two: 4096 bytes in 8 % fewer
 * cycles (256-bit vectors), 16 KiB in 2. A stream's counter may be secret (J0 is a GHASH then): that is kept as an integer, and turned,
 * without a branch.
 */
/* TAIL_ROWS: counters that are still to come when the passes are through, at most. */
enum { PASS = 16 * P_BLOCKS, TAIL_ROWS = P_BLOCKS + 3 * VB };
/* Only texts of so many bytes may have an end whose counters are in no table, of the key or of all. */
enum { GCM_FAR = 16 * ((GCM_ROUND1 ? GCM_ROWS + 1 : RIJN_COUNTERS) - TAIL_ROWS - 2) };

typedef struct {
  v_t ctr;   /* counters of the next vector, as integers; if PUBLIC their page, and the first round key added */
  v_t acc;   /* sum so far, lane by lane; goes into the next vector that is hashed */
  sum_t s;   /* products that wait for a reduction */
  size_t hp; /* place in the powers */
  /* PUBLIC: the counter of the next block, the page that ctr has, the last counter that a row goes with */
  uint32_t next, page, stop;
  uint8_t *table;   /* cache_t.h's, of this call; NULL: none */
  v_t base;         /* if GCM_ROUND1: the state after round 1 of a counter of 0 */
  v_t delta, turn;  /* what this page adds to it, and that with what the next one does */
  v_t kept[GCM_NV]; /* ciphertext that the next pass hashes, if GCM_KEEP */
} gcm_t;

enum { SECRET, PUBLIC, CACHED, KIND_12 = BLOCK_IS_INTEGER ? SECRET : PUBLIC }; /* KIND_12: with a nonce of 12 bytes */

/* In each lane: n, in memory order. */
INLINE v_t gcm_page(uint32_t n) { return v_bcast(b_bswap(b_set32(b_zero(), n))); }
/* The page of the next counter goes into ctr. A counter is what the page and a row of rijn_counters have together, so that rows
 * beyond 255 serve an even page. Without GCM_PAGES the page is all of the counter, to which the first rows are added: PERF: no loads where
 * they cost. Is a pass served so? */
INLINE int gcm_turn(gcm_t *g) {
  uint32_t page = GCM_PAGES ? g->next & ~UINT32_C(255) : g->next;
  g->ctr = v_xor(g->ctr, gcm_page(g->page ^ page));
  g->page = page;
  g->stop = (GCM_PAGES ? page + (page & 256 ? 256 : RIJN_COUNTERS) : page | 255) - P_BLOCKS;
  return g->next <= g->stop;
}
/* The next n vectors into x, with the first round key added; n is a constant, GCM_NV if PUBLIC.
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

INLINE void gcm_hash(gcm_t *g, const struct rijn_hpow *h, v_t data) {
  gf_mac_run(&g->s, v_xor(v_bswap(data), g->acc), h, g->hp);
  g->acc = v_zero();
  g->hp += VB;
}

#include "cache_t.h"
#include "gcm_bulk_t.h"

#include "gcm_tail_t.h"

/* NULL may stand for none. PERF: a masked load of nothing from where there is no page takes 60 cycles. */
#define GCM_NONE(k, p, n) (V_MASKED && !(n) ? (k)->rk.b : (p))
/* Associated data as one block: whole blocks hashed, and added to the last. It is public: the call may lose what it loses. */
NOINLINE b_t gcm_aad(const struct rijn_gcm *k, const uint8_t *aad, size_t n) {
  size_t most = n > 16 ? (n - 1) / 16 * 16 : 0;
  b_t sum = most ? b_bswap(ghash_bytes(&k->h, b_zero(), aad, most)) : b_zero();
  return b_xor(sum, b_load_upto16(most ? aad + most : aad, n - most));
}
/* Less than a block of public bytes. Without a call, around which what is secret would lie on the stack. */
#define GCM_PART(k, p, n) (FEW_REGISTERS ? gcm_aad(k, p, n) : b_load_part(p, n))
/* In each lane: the nonce, a counter of 0, and the first round key added, or the state after round 1. */
INLINE v_t gcm_base(const struct rijn_gcm *k, const uint8_t *nonce) {
  v_t k0 = v_bcast_mem(k->rk.b), x = v_nonce_first(nonce, k0);
  return GCM_ROUND1 ? v_aes_round(x, k0, v_bcast_mem(k->rk.b + 16)) : x;
}
INLINE b_t b_lengths(size_t aad_len, size_t len) { return b_set64((uint64_t)aad_len << 3, (uint64_t)len << 3); }
/* The first sum and the place of a message that is all tail. power: the one for the associated data. */
INLINE void gcm_start(tail_t *g, const struct rijn_gcm *k, b_t power, b_t a, b_t lengths, const uint8_t *nonce) {
  g->base = gcm_base(k, nonce);
  v_t x = v_from128(b_bswap(a)), h = v_from128(power);
  g->s = gf_zero();
  if (VB == 1)
    gf_mac_run(&g->s, v_from128(lengths), &k->h, N_POW - 1);
  else
    x = v_with_last(x, lengths), h = v_with_last(h, b_load(k->h.pow[N_POW - 1]));
  gf_mac(&g->s, x, h, v_halves(h));
  g->ctr = GCM_ROUND1 ? k->round1 + 1 : COUNTERS(2); /* CT: a place in either is a counter, of a nonce of 12 bytes */
}

/* PORT: i386 passes vectors on the stack: there the short way's own frame is cleared as well. So it is with clang's larger frames
 * elsewhere than on x86.
 * PERF: frames of one block a vector are smaller: 128 bytes less, 16 bytes of text in 2 to 4 % fewer cycles. */
#ifdef STACK_FITS
#define BURN_SHORT() ((void)0)
#define BURN_WIDE BURN_SHORT
#define BURN_LONG (VB == 1 ? burn_640 : burn_256)
#elif GCM_SPILLS && !FEW_REGISTERS && !defined STACK_LARGE && (GCM_PAGES || !defined __clang__)
#define BURN_SHORT (SPILLS_MORE ? burn_640 : VB == 1 ? burn_256 : burn_384)
#define BURN_WIDE burn_640
#define BURN_LONG burn_640
#else
#define BURN_SHORT burn_1152
#define BURN_WIDE burn_1152
#define BURN_LONG burn_1152
#endif
#define GCM_MESSAGE                                                                                                    \
  const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad, size_t aad_len,           \
      const uint8_t *nonce
/* PERF: six words and six vectors at most, which is what there are registers for. */
#define GCM_TAIL_ARGS(TAG)                                                                                             \
  const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t(*ctr)[16], TAG *tag, v_t base,  \
      v_t lo, v_t mid, v_t hi
#define GCM_TAIL(name, g) name(k, out, in, len, (g).ctr, tag, (g).base, (g).s.lo, (g).s.mid, (g).s.hi)
NOINLINE int gcm_encrypt_groups(GCM_TAIL_ARGS(uint8_t));
NOINLINE int gcm_decrypt_groups(GCM_TAIL_ARGS(const uint8_t));
#define GCM_GLUE_2(a, b) a##_##b
#define GCM_GLUE(a, b) GCM_GLUE_2(a, b)
#define GCM_NAME(part) GCM_GLUE(ISA_IMPL, part)
#define GCM_SHORT_ARGS(TAG)                                                                                            \
  const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *nonce, TAG *tag, b_t a,        \
      b_t lengths, b_t power
__attribute__((noinline)) int GCM_NAME(gcm_encrypt_short)(GCM_SHORT_ARGS(uint8_t)),
    GCM_NAME(gcm_decrypt_short)(GCM_SHORT_ARGS(const uint8_t));

/* A message beyond GCM_REACH. rows is for counters of the text's end that no
 * table has; if GCM_ROUND1 they are secret then. Both directions run it, for most of it is the same: as two it was 2 KB more.
 * REJECTED: its first 60 blocks as groups, 4096 bytes in 2 % more cycles (AES-128), decrypted 1 to 4 % fewer, for 450 bytes of code; a pass
 * of zeros and the associated data before the text, so that the first has multiplies too, 1 % more; a vector at least left for the
 * tail, as decryption does, 3 % more; the tail's cipher before the passes, so that the end waits for less, level up to 256-bit vectors. */
GCM_LONG int gcm_long(GCM_MESSAGE, uint8_t (*rows)[16], uint8_t *table, uint8_t *tag, int enc) {
  b_t a = __builtin_expect(aad_len == 16, 1) ? b_load(aad) : gcm_aad(k, GCM_NONE(k, aad, aad_len), aad_len),
      lengths = b_lengths(aad_len, len);
  gcm_t g = {.s = gf_zero(), .next = 2, .stop = GCM_PAGES ? RIJN_COUNTERS - P_BLOCKS : 0, .table = table};
  g.acc = v_from128(b_gf_mul(b_bswap(a), b_load(k->h.pow[N_POW - 1])));
  g.ctr = KIND_12 == SECRET ? v_bcast(b_set32(b_load12(nonce), 2)) : v_nonce_first(nonce, v_bcast_mem(k->rk.b));
  g.base = gcm_base(k, nonce);
  gcm_bulk(&g, k, &out, &in, &len, 1, enc, KIND_12);
  gf_mac_run(&g.s, v_from128(lengths), &k->h, N_POW - 1);
  /* What waits to be added to the next vector goes into the sum, by the powers of that. */
  if (!enc)
    gf_mac_run(&g.s, g.acc, &k->h, g.hp);
  /* The base is made anew, for it would lie on the stack between. */
  const int own = g.next >= GCM_FAR / 16 + 2 && (!GCM_ROUND1 || len);
  const uint8_t(*p)[16] = own ? (const void *)rows : GCM_ROUND1 ? k->round1 + (len ? g.next - 1 : 0) : COUNTERS(g.next);
  tail_t t = {.s = g.s, .base = gcm_base(k, nonce), .ctr = p};
  if (own) {
    v_t base = v_nonce_first(nonce, v_bcast_mem(k->rk.b)), c = v_add32(v_bcast(b_set32(b_zero(), g.next)), v_lanes(0));
    for (size_t i = 0; 16 * i < len + 16 || (TAIL_FROM == 2 && i < 2 * VB); i += VB, c = v_add32(c, v_bcast(b_int(VB))))
      v_store(rows[i], GCM_ROUND1 ? aes_round1(v_bswap(c), base) : v_bswap(c));
  }
  /* PERF: a masked load or store of nothing takes 60 cycles where there is no page: behind a text that ends with its own. */
  in = V_MASKED && !len ? *rows : in, out = V_MASKED && !len ? *rows : out;
  return enc ? GCM_TAIL(gcm_encrypt_groups, t) : GCM_TAIL(gcm_decrypt_groups, t);
}
NOINLINE void gcm_wipe_rows(uint8_t (*rows)[16]) { wipe(*rows, 16 * TAIL_ROWS); }
NOINLINE int gcm_cached(GCM_MESSAGE, uintptr_t enc, uint8_t *tag);
/* how: 1 for encryption, 0 for decryption, which only reads the tag; and gcm_cached adds its table's address, which is even. PERF: it is
 * where the callers have the nonce's length, so that all other arguments stay where they are: each step of a call costs 4096 bytes
 * 1 %. */
NOINLINE int gcm_checked(GCM_MESSAGE, uintptr_t how, uint8_t *tag) {
  uint8_t rows[TAIL_ROWS][16]; /* of gcm_long */
  const int enc = how & 1;
  /* PORT: not len >= GCM_CACHE, for compilers warn of a length that is at least 0. */
  if (GCM_CACHE && how < 2 && __builtin_expect(len + 1 > GCM_CACHE, 0))
    return gcm_cached(k, out, in, len, aad, aad_len, nonce, how, tag);
  int r = gcm_long(k, out, in, len, aad, aad_len, nonce, rows, (uint8_t *)(how - (uintptr_t)enc), tag, enc);
  CLEAR_REST(); /* what the tail held, or what lies on the stack below */
  /* The rows are secret if GCM_ROUND1; with a table gcm_cached clears them. PERF: not where none was used: 4096 bytes, all passes,
   * in 1 to 4 % fewer cycles. */
  if (GCM_ROUND1 && len >= GCM_FAR && (!GCM_CACHE || len + 1 <= GCM_CACHE) && (!enc || len % PASS != 0))
    gcm_wipe_rows(rows);
  if (__builtin_expect(r, 0))
    tail_forged(out, len);
  return r;
}
/* A message of up to GCM_REACH bytes. More associated data than a block goes into the sum as text does, all but its last block, where the
 * powers reach so far; of several sums into the first, and so in no lane that has the lengths. Else it is hashed before.
 * PERF: 17 to 64 bytes of it: up to 200 bytes of text in 18 to 50 % fewer cycles on Zen 4 than hashed before, and by the way of long
 * messages. */
GCM_LONG int gcm_wide(GCM_MESSAGE, uintptr_t enc, uint8_t *tag) {
  const int fits =
      aad_len > 16 && tail_sum(len) + aad_len <= TAIL_REACH - 15 && (tail_sum(len) == len || aad_len <= 16 * VB);
  size_t lead = fits ? (aad_len - 1) & ~(size_t)15 : 0;
  b_t a = fits ? b_down(b_load(aad + aad_len - 16), -aad_len & 15) : gcm_aad(k, GCM_NONE(k, aad, aad_len), aad_len);
  tail_t g;
  gcm_start(&g, k, b_load(tail_pow(k, tail_sum(len) + 16)), a, b_lengths(aad_len, len), nonce);
  gf_mac_bytes(&g.s, v_zero(), &k->h, N_POW - 2 - (tail_sum(len) + 15 + lead) / 16, aad, lead);
  return enc ? GCM_TAIL(gcm_encrypt_groups, g) : GCM_TAIL(gcm_decrypt_groups, g);
}
/* What is not all tail with a block of associated data, or less. */
NOINLINE int gcm_other(GCM_MESSAGE, uintptr_t enc, uint8_t *tag) {
  if (len > GCM_REACH)
    return gcm_checked(k, out, in, len, aad, aad_len, nonce, enc, tag);
  int r = gcm_wide(k, out, in, len, aad, aad_len, nonce, enc, tag);
  if (GCM_SPILLS)
    BURN_WIDE();
  return r;
}
/* With the table, which is wiped. Its entry of counter 2 is aligned, for there a message starts.
 * PERF: half a page away from out, for loads wait for stores with the same address modulo 4096: 16 KiB took 3571 cycles
 * instead of 3290 where chance had it so. */
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

NOINLINE void gcm_blocks(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk, uint8_t ctr[16],
                         uint8_t acc[16], int enc) {
  size_t len = 16 * nblk;
  if (nblk == 0) {
    CLEAR_REGS();
    return;
  }
  b_t j = b_bswap(b_load(ctr));
  gcm_t g = {.ctr = v_add32(v_bcast(j), v_lanes(0)), .acc = v_from128(b_bswap(b_load(acc))), .s = gf_zero()};
  gcm_bulk(&g, k, &out, &in, &len, 0, enc, SECRET); /* what is left has consecutive powers */
  for (size_t n; len; in += n, out += n, len -= n) {
    n = size_min(len, 16 * VB);
    v_t x[9], d[9] = {v_load_part(in, n)}; /* 9: what EACH can reach */
    GCM_COUNTERS(&g, x, 1, SECRET, v_bcast_mem(k->rk.b));
    AES_XOR(1, x, d, k->rk.b, k->rounds, 0, 10);
    v_store_part(out, x[0], n);
    gcm_hash(&g, &k->h, enc ? v_keep(x[0], n) : d[0]);
  }
  b_store(acc, b_bswap(v_fold128(gf_reduce(g.s))));
  b_store(ctr, b_bswap(b_add32(j, (uint32_t)nblk)));
  CLEAR_REGS();
}
#define GCM_BLOCKS(name, enc)                                                                                          \
  static void name(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk, uint8_t ctr[16],            \
                   uint8_t acc[16]) {                                                                                  \
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
