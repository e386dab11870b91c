/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Operations that batches (batch_t.h) need beyond those of GCM, for AVX-512 with four blocks in a vector. Lane i is
 * message i's.
 *
 *   v_gather(p)          16 bytes at p[i] into lane i
 *   v_gather12(p)        12 bytes, and zeros
 *   v_gather_part(p, n)  n[i] bytes, 0 to 16, and zeros
 *   v_lane(a, i)         lane i; i is a constant
 *   v_fold_lanes(a, ..)  lane i: the sum of all lanes of the i-th operand
 *   v_differ(a, b)       0 if all bytes are equal, else 1. Where they differ is in a mask register alone, which is
 *                        cleared at the end (CLEAR_MASKS)
 */
#define GCM_BATCH 1

INLINE v_t v_gather(const uint8_t *const p[VECTOR_BLOCKS]) {
  v_t a = v_from128(b_load(p[0]));
  a = _mm512_inserti32x4(a, b_load(p[1]), 1);
  a = _mm512_inserti32x4(a, b_load(p[2]), 2);
  return _mm512_inserti32x4(a, b_load(p[3]), 3);
}
/* Each nonce is a masked load, that reads its 12 bytes and no other, of 64 bytes that begin so far before it that it
 * comes into its lane: no shuffle (T-239). */
INLINE v_t v_gather12(const uint8_t *const p[VECTOR_BLOCKS]) {
  v_t a = v_zero();
  EACH(i, VECTOR_BLOCKS,
       a = _mm512_mask_loadu_epi32(a, (__mmask16)(7u << 4 * i % 16), (const void *)((uintptr_t)p[i] - 16 * i)));
  return a;
}
INLINE v_t v_gather_part(const uint8_t *const p[VECTOR_BLOCKS], const size_t n[VECTOR_BLOCKS]) {
  b_t a[VECTOR_BLOCKS];
  EACH(i, VECTOR_BLOCKS, a[i] = _mm_maskz_loadu_epi8((__mmask16)_bzhi_u32(0xffff, (uint32_t)n[i]), p[i]));
  return v_set4(a[0], a[1], a[2], a[3]);
}
#define v_lane(a, i) _mm512_extracti32x4_epi32(a, i)
INLINE v_t v_fold_lanes(v_t a, v_t b, v_t c, v_t d) {
  v_t ab = v_xor(_mm512_shuffle_i64x2(a, b, 0x44), _mm512_shuffle_i64x2(a, b, 0xee));
  v_t cd = v_xor(_mm512_shuffle_i64x2(c, d, 0x44), _mm512_shuffle_i64x2(c, d, 0xee));
  return v_xor(_mm512_shuffle_i64x2(ab, cd, 0x88), _mm512_shuffle_i64x2(ab, cd, 0xdd));
}
INLINE int v_differ(v_t a, v_t b) {
  __mmask8 m = _mm512_cmpneq_epi64_mask(a, b);
  return !_kortestz_mask8_u8(m, m);
}
/* From lengths in bytes, the text's in the low half of a lane, the associated data's in the high half: the block of
 * both in bits, an integer. */
INLINE v_t v_lengths(v_t a) { return _mm512_slli_epi64(a, 3); }
/* Lane i of a[j] becomes lane j of what a[i] was. */
INLINE void v_transpose(v_t a[VECTOR_BLOCKS]) {
  v_t p = _mm512_shuffle_i64x2(a[0], a[1], 0x44), q = _mm512_shuffle_i64x2(a[0], a[1], 0xee);
  v_t r = _mm512_shuffle_i64x2(a[2], a[3], 0x44), s = _mm512_shuffle_i64x2(a[2], a[3], 0xee);
  a[0] = _mm512_shuffle_i64x2(p, r, 0x88);
  a[1] = _mm512_shuffle_i64x2(p, r, 0xdd);
  a[2] = _mm512_shuffle_i64x2(q, s, 0x88);
  a[3] = _mm512_shuffle_i64x2(q, s, 0xdd);
}
/* VECTOR_BLOCKS records of eight words at p, stride bytes apart: is word i of each from least[i] to least[i] + span[i],
 * for all i? A word below least wraps, and is beyond any span. */
INLINE int v_within(const uint8_t *p, size_t stride, const uint64_t *least, const uint64_t *span) {
  __mmask8 good = 0xff;
  v_t low = v_load(least), most = v_load(span);
  EACH(i, VECTOR_BLOCKS,
       good = _mm512_mask_cmple_epu64_mask(good, _mm512_sub_epi64(v_load(p + stride * i), low), most));
  return _kortestc_mask8_u8(good, good);
}
/* Words 0 and 1 of each record are the addresses of two runs of bytes; both halves of its lane in lengths say how many.
 * Are they the same, or have they no byte in common? Two differences are formed, modulo 2^64, the one the other's
 * negative: if the runs overlap one of them is below the length, and not 0. */
INLINE int v_apart(const uint8_t *p, size_t stride, v_t lengths) {
  const uint8_t *pair[VECTOR_BLOCKS];
  EACH(i, VECTOR_BLOCKS, pair[i] = p + stride * i);
  v_t d = v_gather(pair);
  d = _mm512_sub_epi64(d, _mm512_shuffle_epi32(d, 0x4e));
  __mmask8 near = _mm512_mask_cmplt_epu64_mask(_mm512_test_epi64_mask(d, d), d, lengths);
  return _kortestz_mask8_u8(near, near);
}
/* In each lane the low halves of a's and of b's lane, a's as the low half. */
INLINE v_t v_low_halves(v_t a, v_t b) { return _mm512_unpacklo_epi64(a, b); }
/* v_ones: ones in the first n bytes, 0 .. 64. v_and_xor: (a & b) ^ c. */
INLINE v_t v_ones(size_t n) { return _mm512_movm_epi8(_bzhi_u64(~0ull, (uint32_t)n)); }
INLINE v_t v_and_xor(v_t a, v_t b, v_t c) { return _mm512_ternarylogic_epi64(a, b, c, 0x6a); }
/* Words 1 and 3 of VECTOR_BLOCKS records, stride bytes apart: as the low and the high half of lane i. Eight words of
 * each are read. */
INLINE v_t v_gather_words(const uint8_t *p, size_t stride) {
  const v_t pick = _mm512_set_epi64(0, 0, 0, 0, 11, 9, 3, 1);
  v_t a = _mm512_permutex2var_epi64(v_load(p), pick, v_load(p + stride));
  v_t b = _mm512_permutex2var_epi64(v_load(p + 2 * stride), pick, v_load(p + 3 * stride));
  return _mm512_inserti64x4(a, _mm512_castsi512_si256(b), 1);
}
