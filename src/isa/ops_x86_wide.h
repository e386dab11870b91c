/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Operations on two or four blocks that differ in the width of their register and in nothing else; ops_x86_128.h says
 * what they mean. Parameters:
 *   V_OP(op)       the intrinsic of that width
 *   V_MASK(n)      if there are masks: that of the first n bytes
 *   v_const(a, b)  the words a, b in each lane
 */
typedef __typeof__(V_MASK(0)) v_mask_t;
#ifdef __AVX512BW__
#define v_xor3(a, b, c) V_OP(ternarylogic_epi64)(a, b, c, 0x96)
INLINE v_t v_load_mask(const uint8_t *p, v_mask_t m) { return V_OP(maskz_loadu_epi8)(m, p); }
INLINE void v_store_mask(uint8_t *p, v_t a, v_mask_t m) { V_OP(mask_storeu_epi8)(p, m, a); }
INLINE v_t v_keep_mask(v_t a, v_mask_t m) { return V_OP(maskz_mov_epi8)(m, a); }
/* n bytes, 0..VECTOR_BYTES. CT: n is a length, public. */
INLINE v_t v_load_part(const uint8_t *p, size_t n) { return v_load_mask(p, V_MASK(n)); }
INLINE void v_store_part(uint8_t *p, v_t a, size_t n) { v_store_mask(p, a, V_MASK(n)); }
INLINE v_t v_keep(v_t a, size_t n) { return v_keep_mask(a, V_MASK(n)); }
#else
#define v_xor3(a, b, c) v_xor(v_xor(a, b), c)
#endif

INLINE v_t v_bcast_mem(const void *p) { return v_bcast(b_load(p)); }
INLINE v_t v_bswap(v_t a) { return V_OP(shuffle_epi8)(a, v_const(0x0001020304050607, 0x08090a0b0c0d0e0f)); }
INLINE v_t v_add32(v_t a, v_t b) { return V_OP(add_epi32)(a, b); }

INLINE v_t v_aes_first(v_t a, v_t k) { return v_xor(a, k); }
INLINE v_t v_aes_round(v_t a, UNUSED v_t kprev, v_t k) { return V_OP(aesenc_epi128)(a, k); }
INLINE v_t v_aes_last(v_t a, UNUSED v_t kprev, v_t k) { return V_OP(aesenclast_epi128)(a, k); }
/* An operation fewer behind the rounds: the text is added to the key before. */
INLINE v_t v_aes_last_xor(v_t a, v_t kprev, v_t k, v_t d) { return v_aes_last(a, kprev, v_xor(k, d)); }

INLINE v_t v_gf_lo(v_t a, v_t b) { return V_OP(clmulepi64_epi128)(a, b, 0x00); }
INLINE v_t v_gf_hi(v_t a, v_t b) { return V_OP(clmulepi64_epi128)(a, b, 0x11); }
INLINE v_t v_gf_mid_add(v_t s, v_t a, v_t b) {
  return v_xor3(s, V_OP(clmulepi64_epi128)(a, b, 0x10), V_OP(clmulepi64_epi128)(a, b, 0x01));
}
INLINE v_t v_gf_fold_add(v_t s, v_t a) {
  v_t poly = v_const((long long)0xc200000000000000u, 1);
  return v_xor3(s, V_OP(shuffle_epi32)(a, 0x4e), V_OP(clmulepi64_epi128)(a, poly, 0x10));
}
#define v_gf_lows(a, b, c) v_xor(V_OP(clmulepi64_epi128)(a, b, 0x00), V_OP(clmulepi64_epi128)(a, c, 0x01))
#define v_gf_highs(a, b, c) v_xor(V_OP(clmulepi64_epi128)(a, b, 0x10), V_OP(clmulepi64_epi128)(a, c, 0x11))
INLINE v_t v_halves(v_t a) { return v_xor(a, V_OP(shuffle_epi32)(a, 0x4e)); }
#define v_halves2(a, b) v_xor(V_OP(unpacklo_epi64)(a, b), V_OP(unpackhi_epi64)(a, b))
