/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Template: the counter blocks of a GCM message in passes (SP 800-38D 6.5), included by gcm_t.h, which has the words
 * page and row, the kinds of counters, and gcm_t. */

/* In each lane: zeros and the 32-bit number n, as a block. */
INLINE v_t gcm_page(uint32_t n) { return v_bcast(b_bswap(b_set32(b_zero(), n))); }

/* Turns to the page of the next counter: it goes into ctr, where the page before is taken out. Without COUNTER_PAGES
 * the page is all of the counter, to which the first rows, 0, 1 .., are added, as long as the last byte has no carry:
 * loads cost there (T-007). */
INLINE void next_page(gcm_t *g) {
  uint32_t page = COUNTER_PAGES ? g->next & ~UINT32_C(255) : g->next;
  uint32_t rows_end = page | 255;
  if (COUNTER_PAGES)
    rows_end = page + (page & 256 ? 256 : RIJN_COUNTERS);
  g->ctr = v_xor(g->ctr, gcm_page(g->page ^ page));
  g->page = page;
  g->stop = rows_end - P_BLOCKS;
}
/* Has the pass that begins with the next counter all of its counters from rows? Turns the page if it has to. */
INLINE int pass_within_rows(gcm_t *g) {
  if (__builtin_expect(g->next <= g->stop, 1))
    return 1;
  next_page(g);
  return g->next <= g->stop;
}

INLINE void counters_of_rows(gcm_t *g, v_t *x, const int n) {
  const uint8_t *row = *COUNTERS(COUNTER_PAGES ? (size_t)(g->next - g->page) : 0);
  EACH(i, n, x[i] = v_counter(g->ctr, v_load(row + VECTOR_BYTES * i)));
  if (!COUNTER_PAGES) {
    g->ctr = v_add32(g->ctr, v_load(COUNTERS(VECTOR_BLOCKS * n)));
    g->page += (uint32_t)(VECTOR_BLOCKS * n);
  }
}
/* A pass that goes on beyond the rows has its counters made by additions. */
INLINE void counters_by_addition(const gcm_t *g, v_t *x, const int n) {
  v_t first = v_add32(v_bcast(b_set32(b_zero(), g->next)), v_lanes(0));
  v_t nonce = v_xor(g->ctr, gcm_page(g->page));
  EACH(i, n, x[i] = v_xor(v_bswap(v_add32(first, v_bcast(b_int(VECTOR_BLOCKS * i)))), nonce));
}
INLINE void counters_secret(gcm_t *g, v_t *x, const int n, v_t k0) {
  EACH(i, n, x[i] = v_aes_first(v_bswap(v_add32(g->ctr, v_bcast(b_int(VECTOR_BLOCKS * i)))), k0));
  g->ctr = v_add32(g->ctr, v_bcast(b_int(VECTOR_BLOCKS * n)));
}
/* The counters of the next n vectors into x, with the first round key k0 added; n is a constant, PASS_VECTORS if
 * PUBLIC. CT: the counter is an index, and in branches, for a PUBLIC one only. */
INLINE void gcm_counters(gcm_t *g, v_t *x, const int n, const enum counters kind, v_t k0) {
  if (kind == SECRET)
    counters_secret(g, x, n, k0);
  else if (kind == TABLED || pass_within_rows(g))
    counters_of_rows(g, x, n);
  else
    counters_by_addition(g, x, n);
}
