/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The intrinsics that src/isa calls, under the names of avx512.h. One that is not here fails to compile: gcc will not
 * inline it into code without AVX-512. */
#undef _mm512_setzero_si512
#define _mm512_setzero_si512() emu_set64(0, 0, 0, 0, 0, 0, 0, 0)
#undef _mm512_set_epi64
#define _mm512_set_epi64 emu_set64
#undef _mm512_set_epi32
#define _mm512_set_epi32 emu_set32
#undef _mm512_set4_epi64
#define _mm512_set4_epi64(d, c, b, a) emu_set64(d, c, b, a, d, c, b, a)
#undef _mm512_set4_epi32
#define _mm512_set4_epi32(d, c, b, a) emu_set32(d, c, b, a, d, c, b, a, d, c, b, a, d, c, b, a)
#undef _mm512_set1_epi64
#define _mm512_set1_epi64(a) emu_bcast(_mm_set1_epi64x(a))
#undef _mm512_set1_epi32
#define _mm512_set1_epi32(a) emu_bcast(_mm_set1_epi32(a))
#undef _mm512_loadu_si512
#define _mm512_loadu_si512 emu_load
#undef _mm512_storeu_si512
#define _mm512_storeu_si512 emu_store
#undef _mm512_xor_si512
#define _mm512_xor_si512 emu_xor
#undef _mm512_and_si512
#define _mm512_and_si512 emu_and
#undef _mm512_andnot_si512
#define _mm512_andnot_si512 emu_andnot
#undef _mm512_add_epi32
#define _mm512_add_epi32 emu_add32
#undef _mm512_sub_epi32
#define _mm512_sub_epi32 emu_sub32
#undef _mm512_add_epi64
#define _mm512_add_epi64 emu_add64
#undef _mm512_sub_epi64
#define _mm512_sub_epi64 emu_sub64
#undef _mm512_unpacklo_epi64
#define _mm512_unpacklo_epi64 emu_unpacklo
#undef _mm512_unpackhi_epi64
#define _mm512_unpackhi_epi64 emu_unpackhi
#undef _mm512_shuffle_epi8
#define _mm512_shuffle_epi8 emu_shuffle8
#undef _mm512_shuffle_epi32
#define _mm512_shuffle_epi32 emu_shuffle32
#undef _mm512_srlv_epi64
#define _mm512_srlv_epi64 emu_srlv
#undef _mm512_sllv_epi64
#define _mm512_sllv_epi64 emu_sllv
#undef _mm512_srli_epi64
#define _mm512_srli_epi64 emu_srli64
#undef _mm512_slli_epi64
#define _mm512_slli_epi64 emu_slli64
#undef _mm512_srai_epi32
#define _mm512_srai_epi32 emu_srai32
#undef _mm512_bslli_epi128
#define _mm512_bslli_epi128 emu_bslli
#undef _mm512_bsrli_epi128
#define _mm512_bsrli_epi128 emu_bsrli
#undef _mm512_ternarylogic_epi64
#define _mm512_ternarylogic_epi64 emu_logic
#undef _mm512_clmulepi64_epi128
#define _mm512_clmulepi64_epi128 emu_clmul
#undef _mm512_aesenc_epi128
#define _mm512_aesenc_epi128 emu_aesenc
#undef _mm512_aesenclast_epi128
#define _mm512_aesenclast_epi128 emu_aesenclast
#undef _mm512_aesdec_epi128
#define _mm512_aesdec_epi128 emu_aesdec
#undef _mm512_aesdeclast_epi128
#define _mm512_aesdeclast_epi128 emu_aesdeclast
#undef _mm512_broadcast_i32x4
#define _mm512_broadcast_i32x4 emu_bcast
#undef _mm512_zextsi128_si512
#define _mm512_zextsi128_si512 emu_from128
#undef _mm512_zextsi256_si512
#define _mm512_zextsi256_si512 emu_from256
#undef _mm512_castsi512_si128
#define _mm512_castsi512_si128(a) emu_lane(a, 0)
#undef _mm512_castsi512_si256
#define _mm512_castsi512_si256(a) emu_half(a, 0)
#undef _mm512_extracti64x4_epi64
#define _mm512_extracti64x4_epi64 emu_half
#undef _mm512_extracti32x4_epi32
#define _mm512_extracti32x4_epi32 emu_lane
#undef _mm512_inserti32x4
#define _mm512_inserti32x4 emu_put_lane
#undef _mm512_inserti64x4
#define _mm512_inserti64x4 emu_put_half
#undef _mm512_shuffle_i64x2
#define _mm512_shuffle_i64x2 emu_shuffle_lanes
#undef _mm512_permutex2var_epi64
#define _mm512_permutex2var_epi64 emu_permute2
#undef _mm512_alignr_epi64
#define _mm512_alignr_epi64 emu_align
#undef _mm512_maskz_loadu_epi8
#define _mm512_maskz_loadu_epi8 emu_load_mask
#undef _mm512_mask_storeu_epi8
#define _mm512_mask_storeu_epi8 emu_store_mask
#undef _mm512_maskz_mov_epi8
#define _mm512_maskz_mov_epi8 emu_keep
#undef _mm512_mask_loadu_epi32
#define _mm512_mask_loadu_epi32 emu_load_words
#undef _mm512_movm_epi8
#define _mm512_movm_epi8 emu_ones
#undef _mm512_mask_cmple_epu64_mask
#define _mm512_mask_cmple_epu64_mask(m, a, b) ((__mmask8)((m)&emu_le(a, b)))
#undef _mm512_mask_cmplt_epu64_mask
#define _mm512_mask_cmplt_epu64_mask(m, a, b) ((__mmask8)((m)&emu_lt(a, b)))
#undef _mm512_cmpneq_epi64_mask
#define _mm512_cmpneq_epi64_mask emu_ne
#undef _mm512_test_epi64_mask
#define _mm512_test_epi64_mask emu_test
#undef _kortestz_mask8_u8
#define _kortestz_mask8_u8(a, b) ((uint8_t)(((a) | (b)) == 0))
#undef _kortestc_mask8_u8
#define _kortestc_mask8_u8(a, b) ((uint8_t)(((a) | (b)) == 0xff))

#undef _mm256_maskz_loadu_epi8
#define _mm256_maskz_loadu_epi8 emu256_load_mask
#undef _mm256_mask_storeu_epi8
#define _mm256_mask_storeu_epi8 emu256_store_mask
#undef _mm256_maskz_mov_epi8
#define _mm256_maskz_mov_epi8 emu256_keep
#undef _mm256_ternarylogic_epi64
#define _mm256_ternarylogic_epi64 emu256_logic
#undef _mm256_aesenc_epi128
#define _mm256_aesenc_epi128 emu256_aesenc
#undef _mm256_aesenclast_epi128
#define _mm256_aesenclast_epi128 emu256_aesenclast
#undef _mm256_aesdec_epi128
#define _mm256_aesdec_epi128 emu256_aesdec
#undef _mm256_aesdeclast_epi128
#define _mm256_aesdeclast_epi128 emu256_aesdeclast
#undef _mm256_clmulepi64_epi128
#define _mm256_clmulepi64_epi128 emu256_clmul

#undef _mm_maskz_loadu_epi8
#define _mm_maskz_loadu_epi8 emu128_load_mask
#undef _mm_mask_storeu_epi8
#define _mm_mask_storeu_epi8 emu128_store_mask
