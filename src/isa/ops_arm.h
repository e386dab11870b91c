/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Operations for AArch64 with AES and PMULL. What each means: ops_x86_128.h and ops_x86_modes.h.
 *
 * A block holds its 16 bytes in memory order, as on x86. AESE and AESD add the round key BEFORE the substitution: so a
 * round adds the key of the round before, the first key waits for the first round, and the last one is an XOR.
 */
#include <arm_neon.h>

#include "isa.h"
#include "part.h"

typedef uint8x16_t b_t;
#define U32(a) vreinterpretq_u32_u8(a)
#define U64(a) vreinterpretq_u64_u8(a)
#define FROM32(a) vreinterpretq_u8_u32(a)
#define FROM64(a) vreinterpretq_u8_u64(a)

INLINE b_t b_zero(void) { return vdupq_n_u8(0); }
INLINE b_t b_load(const void *p) { return vld1q_u8(p); }
INLINE void b_store(void *p, b_t a) { vst1q_u8(p, a); }
INLINE b_t b_xor(b_t a, b_t b) { return veorq_u8(a, b); }
INLINE b_t b_and(b_t a, b_t b) { return vandq_u8(a, b); }
INLINE b_t b_pick(b_t m, b_t a, b_t b) { return vbslq_u8(m, a, b); }
INLINE b_t b_set64(uint64_t hi, uint64_t lo) { return FROM64(vcombine_u64(vcreate_u64(lo), vcreate_u64(hi))); }
INLINE b_t b_swap(b_t a) { return vextq_u8(a, a, 8); } /* the halves change places */
INLINE b_t b_bswap(b_t a) { return b_swap(vrev64q_u8(a)); }
INLINE b_t b_int(int n) { return FROM32(vsetq_lane_u32((uint32_t)n, vdupq_n_u32(0), 0)); }
INLINE b_t b_add32v(b_t a, b_t b) { return FROM32(vaddq_u32(U32(a), U32(b))); }
INLINE b_t b_add32(b_t a, uint32_t n) { return b_add32v(a, b_int((int)n)); }
INLINE b_t b_set32(b_t a, uint32_t n) { return FROM32(vsetq_lane_u32(n, U32(a), 0)); }

/* AES (FIPS 197). */
INLINE b_t b_aes_first(b_t a, UNUSED b_t k) { return a; }
INLINE b_t b_aes_round(b_t a, b_t kprev, UNUSED b_t k) { return vaesmcq_u8(vaeseq_u8(a, kprev)); }
INLINE b_t b_aes_last(b_t a, b_t kprev, b_t k) { return b_xor(vaeseq_u8(a, kprev), k); }
INLINE b_t b_aesd_round(b_t a, b_t kprev, UNUSED b_t k) { return vaesimcq_u8(vaesdq_u8(a, kprev)); }
INLINE b_t b_aesd_last(b_t a, b_t kprev, b_t k) { return b_xor(vaesdq_u8(a, kprev), k); }
INLINE b_t b_aes_imc(b_t k) { return vaesimcq_u8(k); }
#ifdef __ARM_FEATURE_SHA3
#define v_xor3(a, b, c) veor3q_u8(a, b, c)
#else
#define v_xor3(a, b, c) b_xor(a, b_xor(b, c)) /* a is what comes last (T-217) */
#endif
INLINE b_t b_aes_last_xor(b_t a, b_t kprev, b_t k, b_t d) { return v_xor3(vaeseq_u8(a, kprev), k, d); }
INLINE b_t b_aesd_last_xor(b_t a, b_t kprev, b_t k, b_t d) { return v_xor3(vaesdq_u8(a, kprev), k, d); }

/* Key schedule. AESE with a zero key; ShiftRows moves nothing, because all columns are equal. */
INLINE b_t b_ks_rotword(b_t a, int n) {
  const uint32_t from = 0x0f0e0d0c;
  return vqtbl1q_u8(a, FROM32(vdupq_n_u32(n ? from >> 8 * n | from << (32 - 8 * n) : from)));
}
INLINE b_t b_ks_sub_add(b_t a, b_t x) { return b_xor(vaeseq_u8(a, b_zero()), x); }
INLINE b_t b_ks_rot(b_t a, uint32_t rcon) { return b_ks_sub_add(b_ks_rotword(a, 1), FROM32(vdupq_n_u32(rcon))); }
INLINE b_t b_last_word(b_t a) { return FROM32(vdupq_laneq_u32(U32(a), 3)); }
INLINE b_t b_word_up(b_t a) { return vextq_u8(b_zero(), a, 12); }
INLINE b_t b_words_up2(b_t a) { return vextq_u8(b_zero(), a, 8); }
INLINE b_t b_hi_lo(b_t a, b_t b) { return vextq_u8(a, b, 8); }
INLINE b_t b_load_upper(const uint8_t *p) { return vcombine_u8(vld1_u8(p + 8), vdup_n_u8(0)); }
INLINE b_t b_lo_lo(b_t a, b_t b) { return FROM64(vzip1q_u64(U64(a), U64(b))); }

/* Carry-less products of integers. */
INLINE b_t b_gf_lo(b_t a, b_t b) {
  return vreinterpretq_u8_p128(vmull_p64((poly64_t)vgetq_lane_u64(U64(a), 0), (poly64_t)vgetq_lane_u64(U64(b), 0)));
}
INLINE b_t b_gf_hi(b_t a, b_t b) {
  return vreinterpretq_u8_p128(vmull_high_p64(vreinterpretq_p64_u8(a), vreinterpretq_p64_u8(b)));
}
INLINE b_t b_gf_mid(b_t a, b_t b) {
  b_t c = b_swap(b);
  return b_xor(b_gf_lo(a, c), b_gf_hi(a, c));
}
#ifdef __ARM_FEATURE_SHA3
#define v_gf_mid_add(s, a, b) veor3q_u8(s, b_gf_lo(a, b_swap(b)), b_gf_hi(a, b_swap(b)))
#define v_gf_fold_add(s, a) veor3q_u8(s, b_swap(a), b_gf_lo(a, b_set64(0, 0xc200000000000000u)))
#endif
#define v_gf_lows(a, b, c) b_xor(b_gf_lo(a, b), b_gf_hi(a, b_swap(c)))
#define v_gf_highs(a, b, c) b_xor(b_gf_lo(a, b_swap(b)), b_gf_hi(a, c))
INLINE b_t b_gf_fold(b_t a) { return b_xor(b_swap(a), b_gf_lo(a, b_set64(0, 0xc200000000000000u))); }
INLINE b_t b_halves(b_t a) { return b_xor(a, b_swap(a)); }
/* What it means is said in ops_x86_128.h. CT: the top bit becomes a mask. */
INLINE b_t b_gf_mul_x_inv(b_t a) {
  b_t top = FROM32(vreinterpretq_u32_s32(vshrq_n_s32(vreinterpretq_s32_u8(b_last_word(a)), 31)));
  b_t carry = vextq_u8(b_zero(), FROM64(vshrq_n_u64(U64(a), 63)), 8);
  b_t twice = b_xor(FROM64(vshlq_n_u64(U64(a), 1)), carry);
  return b_xor(twice, b_and(top, b_set64(0xc200000000000000u, 1)));
}
INLINE uint32_t b_differ(b_t a, b_t b) { return vmaxvq_u32(U32(b_xor(a, b))); }

/* n bytes (0..15) and zeros. */
INLINE b_t b_load_part(const uint8_t *p, size_t n) {
  part_t r = part_load(p, n);
  return b_set64(r.hi, r.lo);
}
INLINE void b_store_part(uint8_t *p, b_t a, size_t n) {
  part_store(p, (part_t){vgetq_lane_u64(U64(a), 0), vgetq_lane_u64(U64(a), 1)}, n);
}
INLINE b_t b_load12(const uint8_t *p) { return b_set64(part_get(p + 8, 4), part_get(p, 8)); }
INLINE b_t b_load_upto16(const uint8_t *p, size_t n) { return n == 16 ? b_load(p) : b_load_part(p, n); }
INLINE void b_store_upto16(uint8_t *p, b_t a, size_t n) {
  if (n == 16)
    b_store(p, a);
  else
    b_store_part(p, a, n);
}
INLINE b_t b_keep(b_t a, size_t n) {
  static const uint8_t mask[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  return b_and(a, b_load(mask + 16 - n));
}

/* CTR, CBC, XTS. */
INLINE b_t b_le64(uint64_t n) { return b_set64(0, n); }
INLINE b_t b_splat32(b_t a) { return FROM32(vdupq_laneq_u32(U32(a), 0)); }
INLINE b_t b_words(int n) { return FROM32(vdupq_n_u32((uint32_t)n)); }
INLINE b_t b_gt32(b_t a, int n) { return FROM32(vcgtq_s32(vreinterpretq_s32_u8(a), vdupq_n_s32(n))); }
/* CT: the carry is a mask, minus one. */
INLINE b_t b_add128v(b_t a, b_t n) {
  uint64x2_t s = vaddq_u64(U64(a), U64(n)), carry = vcgtq_u64(U64(a), s);
  return FROM64(vsubq_u64(s, U64(vextq_u8(b_zero(), FROM64(carry), 8))));
}
INLINE b_t b_add128(b_t a, uint64_t n) { return b_add128v(a, b_set64(0, n)); }
/* CT: the bits shifted out of the halves become masks. */
INLINE b_t b_xts_double(b_t a) {
  b_t out = b_swap(FROM64(vreinterpretq_u64_s64(vshrq_n_s64(vreinterpretq_s64_u8(a), 63))));
  return b_xor(FROM64(vshlq_n_u64(U64(a), 1)), b_and(out, b_set64(1, 0x87)));
}
/* Tweak times x^(8n): bytes move up, and what falls out at the top, times 0x87 for x^128, comes in below. */
#define v_xts_mul(a, n)                                                                                                \
  b_xor(vextq_u8(b_zero(), a, 16 - (n)),                                                                               \
        (n) == 8 ? b_gf_lo(b_swap(a), b_int(0x87)) : b_gf_lo(vextq_u8(a, b_zero(), (16 - (n)) & 15), b_int(0x87)))

/* Bytes move n places (0 .. 16, public), and zeros: indices above 15 give zeros. */
static const uint8_t byte_places[48] = {128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
                                        0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,
                                        128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128};
INLINE b_t b_up(b_t a, size_t n) { return vqtbl1q_u8(a, b_load(byte_places + 16 - n)); }
INLINE b_t b_down(b_t a, size_t n) { return vqtbl1q_u8(a, b_load(byte_places + 16 + n)); }

/* Clears all vector registers that are not the caller's. Of v8 to v15 the lower halves are, and restoring them
 * clears the upper ones; code that does not restore them has not used them. */
#define CLEAR1(n) "movi v" #n ".16b, #0\n\t"
#define CLEAR_REGS()                                                                                                   \
  __asm__ volatile(CLEAR1(0) CLEAR1(1) CLEAR1(2) CLEAR1(3) CLEAR1(4) CLEAR1(5) CLEAR1(6) CLEAR1(7) CLEAR1(16)          \
                       CLEAR1(17) CLEAR1(18) CLEAR1(19) CLEAR1(20) CLEAR1(21) CLEAR1(22) CLEAR1(23) CLEAR1(24)         \
                           CLEAR1(25) CLEAR1(26) CLEAR1(27) CLEAR1(28) CLEAR1(29) CLEAR1(30) CLEAR1(31)::              \
                               : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20",    \
                                 "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31")
#define VECTOR_REG "w"
#define CLEAR_GENERAL() RIJN_CLEAR_GENERAL() /* parts of blocks go through them (part.h) */

#include "ops_one.h"
