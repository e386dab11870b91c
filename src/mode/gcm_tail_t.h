/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: the end of a GCM message (SP 800-38D 7.1, 7.2), and all of a short one: the tail. Included by gcm_t.h,
 * which has its words and parameters.
 *
 * The tail is cut into groups. Text lies in vectors as it lies in memory; only the last lane of the last vector is not
 * for text: there J0 is encrypted, at no cost. All lanes are hashed as they stand, each times its own power, and added
 * up. With vectors of four lanes and text of seven blocks T1 .. T7 (the last one filled up with zeros), A the
 * associated data as one block, and L the lengths:
 *
 *     lane          0          1          2          3
 *     vector 0      T1 H^8     T2 H^7     T3 H^6     T4 H^5
 *     vector 1      T5 H^4     T6 H^3     T7 H^2     J0: not in the sum, its keystream is added to the tag
 *     before        A  H^9                           L  H^1
 *
 * The products of A and L are made before the cipher is done: the place of a block in a sum is free as long as its
 * power goes with it. So a short message is one sum with one reduction, whatever its length, and no lane has to move.
 * Where the powers do not reach for all of it, up to ONE_CALL_BYTES bytes are several such sums, one after the other.
 * J0 in lane 0 would need shuffles there and back (T-030); lengths in spare lanes would wait for the cipher (T-031).
 *
 * The two files have one contract:
 *   tail_end(tail, k, t, packed, dir)  does all of t, what is left of a message, and J0; returns the tag. packed:
 *                                      t->left, with masks at most LAST_ROOM, and what is deferred (left_pack). Without
 *                                      masks t moves on, and t->left is the part of a vector at the end; with masks t
 *                                      stays. Either way the text went to t->out - (len - t->left), if len bytes were
 *                                      left before
 *   tail_groups(tail, k, t, dir)       with masks only: all groups before that, of a longer tail; t moves on to the
 *                                      last one. Returns what is deferred to that one
 */

/* Vectors of the largest group, which the last one can be (with masks: T-044; without: T-045, T-046, T-063
 * to T-065); bytes of a vector; and bytes of text that fit into c vectors of which the last block is J0's. */
enum { PLAIN_VECTORS = FEW_REGISTERS ? 4 : 7, GROUP_VECTORS = HAS_MASKS ? GROUP_LEAST + 3 : PLAIN_VECTORS };
#define GROUP_ROOM(c) (VECTOR_BYTES * (c)-16)
enum { LAST_ROOM = GROUP_ROOM(GROUP_VECTORS) };
/* With masks all groups but the last have one vector fewer, so that of more than LAST_ROOM bytes some are left for the
 * last group, and with them the text's end. */
enum { FULL_VECTORS = GROUP_VECTORS - 1, FULL_BYTES = FULL_VECTORS * VECTOR_BYTES };
/* SUM_REACH: bytes of text that the powers reach in one sum; two powers are the lengths' and the associated data's.
 * FULL_SUM: bytes of a sum that is not the last: full groups, which leave at least the last group for the last sum. */
enum { SUM_REACH = 16 * (POWERS - 2), FULL_SUM = (SUM_REACH - LAST_ROOM) / FULL_BYTES * FULL_BYTES };
_Static_assert(!GROUPS_JOINED || sizeof(size_t) > 4, "what is deferred needs a size_t of 64 bits (left_bytes)");

/* A tail under way. */
typedef struct {
  sum_t s;  /* the sum; at the start the products of the lengths and of the associated data, or what the passes left */
  v_t base; /* gcm_base() */
  const row_t *row;   /* of the counter of the next block of text: in rijn_counters, or in gcm_passes_message's rows */
  const uint8_t *pow; /* powers, from that of this block on */
  v_t held[9];        /* if GROUPS_JOINED: the last HELD_KEYS round keys */
  sum_t last;         /* of several sums, what the last begins with: the product of the lengths */
} tail_t;

/* Ciphertext that lies before `out` and is not hashed yet, when the last group begins: none; or the last pass of a
 * message (LAST_PASS_LATE), or the last full group (GROUPS_JOINED). */
enum deferred { NOTHING, LAST_PASS, LAST_GROUP };
/* What is left and what is deferred share one register. For the latter one bit is enough: a set defers one kind
 * alone. */
#define DEFERRED_BIT (SIZE_MAX / 2 + 1)
INLINE size_t left_pack(size_t left, enum deferred deferred) {
  return deferred == NOTHING ? left : left | DEFERRED_BIT;
}
/* The cast drops DEFERRED_BIT: a tail is far below 2^32 bytes. So nothing is deferred where a size_t has 32 bits. */
INLINE size_t left_bytes(size_t packed) { return LAST_PASS_LATE || GROUPS_JOINED ? (uint32_t)packed : packed; }
INLINE enum deferred left_deferred(size_t packed) {
  if ((LAST_PASS_LATE || GROUPS_JOINED) && __builtin_expect((ptrdiff_t)packed < 0, 0))
    return LAST_PASS_LATE ? LAST_PASS : LAST_GROUP;
  return NOTHING;
}

/* What a last group is to read, as a pair in two registers: where, and how much with what is deferred (left_pack). */
struct src_deferred {
  const uint8_t *in;
  size_t packed;
};

/* Where the powers begin if n bytes are left in a sum: with that of their first block. What goes with a power in aux
 * lies POW_AUX bytes behind it. */
enum { POW_AUX = GF_HAS_AUX ? offsetof(struct rijn_hpow, aux) : 0 };
INLINE const uint8_t *sum_powers(const struct rijn_gcm *k, size_t n) {
  return (const uint8_t *)k->h.pow + (16 * (N_POW - 1) - ((n + 15) & ~(size_t)15));
}
/* If POWERS_AHEAD: prefetches all powers from src on, a vector's line at a time. Where many keys take turns they arrive
 * together then, and not each when a group needs it (T-309; elsewhere it costs more than it gains:
 * T-291).
 * CT: which powers are read follows from the text's length, which is public. */
INLINE void powers_ahead(const struct rijn_gcm *k, const uint8_t *src) {
  for (const uint8_t *p = src; p < k->h.pow[N_POW]; p += VECTOR_BYTES)
    __builtin_prefetch(p);
}
/* s += x times the powers at p. */
INLINE void sum_add(sum_t *s, v_t x, const uint8_t *p) { gf_mul_add(s, x, v_load(p), v_load(p + POW_AUX)); }
/* n bytes are left, and a sum begins: how many of them does it take? */
INLINE size_t sum_bytes(size_t n) { return ONE_CALL_BYTES > SUM_REACH && n > SUM_REACH ? FULL_SUM : n; }

/* The row of J0's counter. */
INLINE b_t j0_row(void) { return b_load(*COUNTERS(1)); }

/* E(J0) by itself. */
INLINE b_t j0_alone(const tail_t *tail, const struct rijn_gcm *k) {
  return b_rounds(b_xor(v_first(tail->base), j0_row()), k->rk.b, k->rounds);
}

#if HAS_MASKS
#include "gcm_tail_masked_t.h"
#else
#include "gcm_tail_plain_t.h"
#endif
