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
/* A pass may reach into the next page: rows from 256 on are that one's first. They need the next page's D, so `turn`, the difference of
 * the two, is added where cache_over says so; then the page has turned.
 * PERF: such a pass was made without the table before, and each page's D with it: AES-256 with 256-bit vectors 64 KiB in 5 % more cycles. */
enum { CACHE_BYTES = 16 * (256 + 16) + 64 };
static const uint8_t cache_over[32 * P_BLOCKS] = {[16 * P_BLOCKS... 32 * P_BLOCKS - 1] = 255};
#define CACHE_OVER(low) (cache_over + 16 * ((low) - (256 - P_BLOCKS)))

INLINE b_t cache_rounds(b_t a, const uint8_t *rk) {
  b_t k1 = b_load(rk + 16);
  return b_aes_round(b_aes_round(a, b_load(rk), k1), k1, b_load(rk + 32));
}
INLINE b_t cache_state(b_t a, const uint8_t *rk) { return cache_rounds(b_aes_first(a, b_load(rk)), rk); }
/* What D changes by behind the page of counter c. base: the nonce, a counter of 0, and the first round key added. */
INLINE v_t cache_turn(const uint8_t *rk, b_t base, uint32_t page) {
  b_t a = b_xor(base, b_bswap(b_set32(b_zero(), page))), b = b_xor(base, b_bswap(b_set32(b_zero(), page + 256)));
  return v_bcast(b_xor(cache_rounds(a, rk), cache_rounds(b, rk)));
}
/* Rows 0 and 1, which the first page has not, from behind it. */
INLINE void cache_wrap(uint8_t *table) {
  b_store(table, b_load(table + 16 * 256));
  b_store(table + 16, b_load(table + 16 * 257));
}
