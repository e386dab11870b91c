/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: what two rounds make of a counter, kept for 256 blocks at a time. Parameters as in ghash_t.h.
 *
 * Bernstein and Schwabe had the idea, FACE (TCHES 2018) carried it to CTR with AES instructions. ShiftRows takes the last four bytes of a
 * counter to four different columns. So after the first round one column depends on the last byte, and on none of the other three; and
 * since the second round is linear but for its S-boxes,
 *     state after two rounds = T[last byte] XOR D[the bytes above it],
 * as long as the first twelve bytes are the same. A page is 256 counters that differ in the last byte. The first page leaves its states in the
 * table T; on a later page D is one value, and such a state is a load and an XOR in place of an addition, two rounds and their keys.
 * REJECTED: without a table, the one column that varies for sixteen counters by one round of a vector whose columns are these, then
 * spread by shuffles. It is AES-128's only gain in a bare loop (10.2 cycles a vector of 64 bytes instead of 11.1), and none in this one.
 * CT: the table is indexed by the counter, so only where that is public. It lies on the stack of the call and is wiped.
 */
/* A pass at counter c has all its blocks, and the counters of the vector after, in one page, and the table has its states: the first page
 * starts at 2, and what it leaves at its end no other page reaches. */
#define CACHE_IN_PAGE(c) ((uint8_t)((c)-2) <= 254 - P_BLOCKS - VB)
_Static_assert(!GCM_CACHE || (254 - P_BLOCKS - VB) % P_BLOCKS < (P_BLOCKS & -P_BLOCKS),
               "a page reaches further than the first");
enum { CACHE_BYTES = 16 * 256 + 64 };

INLINE b_t cache_state(b_t a, const uint8_t *rk) {
  b_t k0 = b_load(rk), k1 = b_load(rk + 16);
  return b_aes_round(b_aes_round(b_aes_first(a, k0), k0, k1), k1, b_load(rk + 32));
}
/* D for the page of counter c; the table has the states of page 0. nonce: any counter of the message. */
INLINE v_t cache_delta(const uint8_t *rk, b_t nonce, uint32_t c) {
  nonce = b_bswap(nonce);
  b_t here = b_bswap(b_set32(nonce, c & ~UINT32_C(255))), first = b_bswap(b_set32(nonce, 0));
  return v_bcast(b_xor(cache_state(here, rk), cache_state(first, rk)));
}
