/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * For rijn bench --ablate: GCM's kernels with one part replaced by nothing. The build puts this between the operations
 * of an instruction set (src/isa/ops_*.h) and the templates (src/mode), in copies of these files: no source of the
 * library knows about it. The results are no encryption.
 */
#if defined(RIJN_ABLATE_GHASH)
/* Zero sums: the compiler then drops the loads and byte reversals that only feed them. */
#undef v_gf_lo
#undef v_gf_hi
#undef v_gf_mid_add
#undef v_gf_fold_add
#define v_gf_lo(a, b) ((void)(a), (void)(b), v_zero())
#define v_gf_hi(a, b) ((void)(a), (void)(b), v_zero())
#define v_gf_mid_add(s, a, b) ((void)(a), (void)(b), (s))
#define v_gf_fold_add(s, a) ((void)(a), (s))
#define b_gf_lo(a, b) ((void)(a), (void)(b), b_zero())
#define b_gf_hi(a, b) ((void)(a), (void)(b), b_zero())
#define b_gf_mid(a, b) ((void)(a), (void)(b), b_zero())
#define b_gf_fold(a) ((void)(a), b_zero())

#elif defined(RIJN_ABLATE_AES)
#undef v_aes_first
#undef v_aes_round
#undef v_aes_last
#undef v_aes_last_xor
#define v_aes_first(a, k) ((void)(k), (a))
#define v_aes_round(a, kprev, k) ((void)(kprev), (void)(k), (a))
#define v_aes_last(a, kprev, k) ((void)(kprev), (void)(k), (a))
#define v_aes_last_xor(a, kprev, k, d) ((void)(kprev), (void)(k), v_xor(a, d))
#define b_aes_first(a, k) ((void)(k), (a))
#define b_aes_round(a, kprev, k) ((void)(kprev), (void)(k), (a))
#define b_aes_last(a, kprev, k) ((void)(kprev), (void)(k), (a))

#elif defined(RIJN_ABLATE_XOR)
/* The bulk loop adds the text by this operation; the last vectors of a message add theirs by v_xor, and keep it. */
#undef v_aes_last_xor
#define v_aes_last_xor(a, kprev, k, d) ((void)(d), v_aes_last(a, kprev, k))

#elif defined(RIJN_ABLATE_COUNTERS)
/* A copy that the compiler cannot see through: else it would find all keystream blocks equal and make one. */
INLINE v_t ablate_copy(v_t a) {
  __asm__ volatile("" : "+" VECTOR_REG(a));
  return a;
}
#undef v_add32
#define v_add32(a, b) ((void)(b), ablate_copy(a))
#undef v_counter
#define v_counter(page, row) ((void)(row), ablate_copy(page))
#endif
