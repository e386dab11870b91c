/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Operations that batches need beyond those of GCM: lane i is of message i.
 *
 * v_gather(p)          16 bytes at p[i] into lane i
 * v_gather12(p)        12, and zeros
 * v_gather_part(p, n)  n[i] (0..16), and zeros
 * v_lane(a, i)         lane i, a constant
 * v_fold_lanes(a)      lane i: the sum of all lanes of a[i]
 * v_differ(a, b)       0 when all bytes are equal, else 1: where they differ is told by a mask register alone, which is cleared
 */
#define GCM_BATCH 1

INLINE v_t v_gather(const uint8_t *const p[VB]) {
  v_t a = v_from128(b_load(p[0]));
  a = _mm512_inserti32x4(a, b_load(p[1]), 1);
  a = _mm512_inserti32x4(a, b_load(p[2]), 2);
  return _mm512_inserti32x4(a, b_load(p[3]), 3);
}
INLINE v_t v_gather12(const uint8_t *const p[VB]) {
  return v_set4(_mm_maskz_loadu_epi32(7, p[0]), _mm_maskz_loadu_epi32(7, p[1]), _mm_maskz_loadu_epi32(7, p[2]),
                _mm_maskz_loadu_epi32(7, p[3]));
}
INLINE v_t v_gather_part(const uint8_t *const p[VB], const size_t n[VB]) {
  return v_set4(b_load_upto16(p[0], n[0]), b_load_upto16(p[1], n[1]), b_load_upto16(p[2], n[2]),
                b_load_upto16(p[3], n[3]));
}
#define v_lane(a, i) _mm512_extracti32x4_epi32(a, i)
INLINE v_t v_fold_lanes(const v_t a[VB]) {
  v_t ab = v_xor(_mm512_mask_blend_epi64(0xf0, a[0], a[1]), _mm512_alignr_epi64(a[1], a[0], 4));
  v_t cd = v_xor(_mm512_mask_blend_epi64(0xf0, a[2], a[3]), _mm512_alignr_epi64(a[3], a[2], 4));
  return v_xor(_mm512_shuffle_i64x2(ab, cd, 0x88), _mm512_shuffle_i64x2(ab, cd, 0xdd));
}
INLINE int v_differ(v_t a, v_t b) {
  __mmask8 m = _mm512_cmpneq_epi64_mask(a, b);
  return !_kortestz_mask8_u8(m, m);
}
/* Integers: the blocks of the lengths in bits, from lanes with the lengths in bytes in their low halves. */
INLINE v_t v_lengths(v_t aad_len, v_t len) { return _mm512_slli_epi64(_mm512_unpacklo_epi64(len, aad_len), 3); }
/* The first n blocks become the last; the others are zero. */
INLINE v_t v_to_end(v_t a, size_t n) {
  static const uint64_t from[16] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
  return _mm512_permutexvar_epi64(_mm512_loadu_si512(from + 2 * n), a);
}
/* Lane i of a[j] is lane j of what a[i] was. */
INLINE void v_transpose(v_t a[VB]) {
  v_t p = _mm512_shuffle_i64x2(a[0], a[1], 0x44), q = _mm512_shuffle_i64x2(a[0], a[1], 0xee);
  v_t r = _mm512_shuffle_i64x2(a[2], a[3], 0x44), s = _mm512_shuffle_i64x2(a[2], a[3], 0xee);
  a[0] = _mm512_shuffle_i64x2(p, r, 0x88);
  a[1] = _mm512_shuffle_i64x2(p, r, 0xdd);
  a[2] = _mm512_shuffle_i64x2(q, s, 0x88);
  a[3] = _mm512_shuffle_i64x2(q, s, 0xdd);
}
/* Of VB records, stride bytes apart: is word i of each from least[i] to least[i] + span[i], i < 10? */
INLINE int v_within(const uint8_t *p, size_t stride, const uint64_t *least, const uint64_t *span) {
  const uint8_t *pair[VB];
  __mmask8 good = 0xff;
  EACH(i, VB, {
    pair[i] = p + stride * i + 64;
    good = _mm512_mask_cmple_epu64_mask(good, _mm512_sub_epi64(v_load(p + stride * i), v_load(least)), v_load(span));
  });
  v_t rest = _mm512_sub_epi64(v_gather(pair), v_bcast_mem(least + 8));
  return _mm512_mask_cmple_epu64_mask(good, rest, v_bcast_mem(span + 8)) == 0xff;
}
