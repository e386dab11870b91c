/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: a table of what the first two rounds of AES (FIPS 197 5.1) make of public counters. gcm_passes_t.h has it
 * for long GCM messages, ctr_t.h has its own. Parameters as in ghash_t.h; the words page and row as in gcm_t.h.
 *
 * The idea is Bernstein's and Schwabe's; FACE (TCHES 2018) carried it to CTR with AES instructions. Let the first
 * twelve bytes of the counters be the same. ShiftRows takes the last four bytes to four different columns, 15 to column
 * 0, 14 to 1, 13 to 2, 12 to 3, and MixColumns stays within a column. So after round 1
 *     column 0 depends on the last byte of the counter, and on no byte of the three above it,
 *     columns 1 to 3 depend on those three, and not on the last.
 * Round 2 takes each byte through its S-box, and what follows is linear. So the state after round 2 is the sum of what
 * comes of column 0 and what comes of the others:
 *     state after two rounds = T[last byte] + D[the bytes above it].
 * D is one value for a page, the 256 counters that differ in the last byte only. The first page, where D is taken to be
 * 0, leaves its states in the table T; on every later page a state is a load and an XOR, in place of the counter's
 * addition, two rounds and their keys.
 * Tried, without a gain: no table, but the varying columns of sixteen counters side by side in one vector, by one
 * round, then spread by shuffles (T-150). CT: the table is indexed by the counter, so only where that is public. It is
 * wiped. It lies on the stack of the call, or in Linux's kernel in memory of the processor.
 */
/* A pass may reach into the next page: its blocks at rows from 256 on are the first of that page, and need its D in
 * place of this page's. So `delta_step`, the sum of the two Ds, is added where table_over has ones: table_over is zeros
 * and ones so that TABLE_OVER(low), for a pass that begins at the last byte low, has ones for just those blocks. Behind
 * that pass the page has turned. TABLE_BYTES: a text begins with counter 2, so that passes of 8, 16 or 32 blocks reach
 * row 257 at most, and those of 12 row 265. 64 bytes more, because it is row 2 that is aligned (T-020). Such a pass
 * without the table, and each page's D with it, is slower (T-151). */
enum { TABLE_BYTES = 16 * (256 + 16) + 64 };
static const uint8_t table_over[32 * P_BLOCKS] = {[16 * P_BLOCKS... 32 * P_BLOCKS - 1] = 255};
#define TABLE_OVER(low) (table_over + 16 * ((low) - (256 - P_BLOCKS)))

/* Two rounds of a, which has round key 0 added already; and of the block a. */
INLINE b_t table_rounds(b_t a, const uint8_t *rk) {
  b_t k1 = b_load(rk + 16);
  return b_aes_round(b_aes_round(a, b_load(rk), k1), k1, b_load(rk + 32));
}
INLINE b_t table_state(b_t a, const uint8_t *rk) { return table_rounds(b_aes_first(a, b_load(rk)), rk); }
/* D of the page that begins with counter page, plus D of the one behind it: two counters with the same last byte have
 * the same T, so that the sum of their states is that of the Ds. base: the nonce, a counter of 0, and the first round
 * key added. */
INLINE v_t table_delta_step(const uint8_t *rk, b_t base, uint32_t page) {
  b_t a = b_xor(base, b_bswap(b_set32(b_zero(), page))), b = b_xor(base, b_bswap(b_set32(b_zero(), page + 256)));
  return v_bcast(b_xor(table_rounds(a, rk), table_rounds(b, rk)));
}
/* Rows 0 and 1: text begins with counter 2, so the first page has left none, but the pass that reached into the next
 * has. */
INLINE void table_wrap(uint8_t *table) {
  b_store(table, b_load(table + 16 * 256));
  b_store(table + 16, b_load(table + 16 * 257));
}
