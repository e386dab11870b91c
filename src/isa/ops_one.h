/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Where a vector is one block (VECTOR_BLOCKS == 1) a v_ operation is the b_ operation, but for those that the including
 * file has defined itself. Included by ops_arm.h, ops_ppc.h and ops_x86_128.h behind their own; what operations mean is
 * said in ops_x86_128.h. */
typedef b_t v_t;
#define v_zero b_zero
#define v_load b_load
#define v_store b_store
#define v_xor b_xor
#ifndef v_xor3
/* a and b first, because c may come late. Without PIN gcc adds b and c, and needs a copy of the sum where instructions
 * have two operands (T-113). */
INLINE b_t v_xor3(b_t a, b_t b, b_t c) {
  b_t sum = b_xor(a, b);
  PIN(sum);
  return b_xor(sum, c);
}
#endif
#define v_bswap b_bswap
#define v_bcast(a) (a)
#define v_bcast_mem b_load
#define v_from128(a) (a)
#define v_first(a) (a)
#define v_last(a) (a)
#define v_xor_last v_xor
#define v_with_last(a, b) ((void)(a), (b))
#define v_set2 v_with_last
#define v_fold128(a) (a)
#define v_add32 b_add32v
#define v_lanes b_int
#define v_aes_first b_aes_first
#define v_aes_round b_aes_round
#define v_aes_last b_aes_last
#define v_aes_last_xor b_aes_last_xor
#define v_aesd_round b_aesd_round
#define v_aesd_last b_aesd_last
#define v_aesd_last_xor b_aesd_last_xor
#define v_gf_lo b_gf_lo
#define v_gf_hi b_gf_hi
#ifndef v_gf_mid_add
#define v_gf_mid_add(s, a, b) b_xor(s, b_gf_mid(a, b))
#endif
#ifndef v_gf_fold_add
#define v_gf_fold_add(s, a) b_xor(s, b_gf_fold(a))
#endif
#define v_halves b_halves
#ifndef v_halves2
#define v_halves2(a, b) b_zero()
#endif
typedef size_t v_mask_t;
#define V_MASK(n) (n)
#define v_load_mask b_load_upto16
#define v_store_mask b_store_upto16
#define v_keep_mask b_keep
#define v_load_part b_load_upto16
#define v_store_part b_store_upto16
#define v_keep b_keep
#define v_nonce_first(p, k) b_aes_first(b_load12(p), k)

/* For CTR, CBC and XTS: ops_x86_modes.h says what each means. */
#define v_and b_and
#ifndef v_xor_and
#define v_xor_and(a, b, c) b_xor(a, b_and(b, c))
#endif
#define v_pick b_pick
#define v_gt32 b_gt32
#define v_words b_words
#define v_add128 b_add128v
#define v_prev(b, a) ((void)(a), (b))
#define v_aes_first_xor(a, b, k) b_aes_first(b_xor(a, b), k)
#define v_xts_lanes(a) (a)
#define v_xts_next b_xts_double

#ifndef v_counter
#define v_counter v_add32
#endif
