/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Operations for POWER8 and later, little-endian. What each means: ops_x86_128.h and ops_x86_modes.h.
 *
 * A block lies in its register with byte 0 the most significant, which is what vcipher wants. So a block is an integer
 * of GHASH and of the counter as it stands, and b_bswap does nothing. vcipher adds the round key at the end, as on x86;
 * vncipher adds it BEFORE InvMixColumns: decryption takes the keys of encryption as they are (b_aes_imc does nothing).
 * One vpmsumd makes two products and adds them. With the halves of one operand swapped that is the whole middle term.
 *
 * Elements of vectors are counted from the least significant one here, as the compilers do in little-endian code.
 */
#include <altivec.h>
#undef vector
#undef pixel
#undef bool

#include "isa.h"
#include "part.h"

typedef __vector unsigned char b_t;
typedef __vector unsigned int w_t;
typedef __vector unsigned long long q_t;
typedef __vector unsigned __int128 o_t;

INLINE b_t b_zero(void) { return vec_splats((unsigned char)0); }
/* gcc sees no access to memory in the two built-ins, and must be told what an access tells, that p is not NULL: else it
 * asks (T-213). */
#define IS_THERE(p)                                                                                                    \
  if (!(p))                                                                                                            \
  __builtin_unreachable()
INLINE b_t b_load(const void *p) {
  IS_THERE(p);
  return vec_xl_be(0, (const unsigned char *)p);
}
INLINE void b_store(void *p, b_t a) {
  IS_THERE(p);
  vec_xst_be(a, 0, (unsigned char *)p);
}
/* v_load_own, v_store_own, for pairs_t.h: what nobody else reads may lie in memory as the machine has it, at a multiple
 * of 16. On POWER9 the address may then be a register and a constant, on POWER8 there is nothing to permute. */
typedef b_t __attribute__((may_alias)) own_t;
#ifdef _ARCH_PWR9
INLINE b_t v_load_own(const uint8_t *p) { return *(const own_t *)p; }
#else
/* In assembly, because gcc makes loads and permutes of vec_ld (T-214); not volatile, because loads that stay at their
 * steps are slower (T-215). */
INLINE b_t v_load_own(const uint8_t *p) {
  b_t r;
  __asm__("lvx %0,0,%1" : "=v"(r) : "r"(p), "m"(*(const own_t *)p));
  return r;
}
#endif
INLINE void v_store_own(uint8_t *p, b_t a) { *(own_t *)p = a; }
INLINE b_t b_xor(b_t a, b_t b) { return vec_xor(a, b); }
INLINE b_t b_and(b_t a, b_t b) { return vec_and(a, b); }
INLINE b_t b_pick(b_t m, b_t a, b_t b) { return vec_sel(b, a, m); }
INLINE b_t b_set64(uint64_t hi, uint64_t lo) { return (b_t)(q_t){lo, hi}; }
INLINE b_t b_swap(b_t a) { return (b_t)__builtin_shufflevector((q_t)a, (q_t)a, 1, 0); } /* the halves change places */
INLINE b_t b_bswap(b_t a) { return a; }
INLINE b_t b_int(int n) { return (b_t)(w_t){(uint32_t)n, 0, 0, 0}; }
INLINE b_t b_add32v(b_t a, b_t b) { return (b_t)vec_add((w_t)a, (w_t)b); }
INLINE b_t b_add32(b_t a, uint32_t n) { return b_add32v(a, b_int((int)n)); }
INLINE b_t b_set32(b_t a, uint32_t n) {
  w_t mask = {0xffffffffu, 0, 0, 0};
  return b_pick((b_t)mask, b_int((int)n), a);
}
/* PORT: with an index below 16 in little-endian code, gcc and clang both mean the bytes as they lie in the
 * register. */
#define SHIFT_UP(a, b, n) vec_sld(a, b, n) /* bytes n .. n + 15 of a, b, counted from the most significant one */

/* AES (FIPS 197). */
INLINE b_t b_aes_first(b_t a, b_t k) { return b_xor(a, k); }
INLINE b_t b_aes_round(b_t a, UNUSED b_t kprev, b_t k) { return vec_cipher_be(a, k); }
INLINE b_t b_aes_last(b_t a, UNUSED b_t kprev, b_t k) { return vec_cipherlast_be(a, k); }
INLINE b_t b_aesd_round(b_t a, UNUSED b_t kprev, b_t k) { return vec_ncipher_be(a, k); }
INLINE b_t b_aesd_last(b_t a, UNUSED b_t kprev, b_t k) { return vec_ncipherlast_be(a, k); }
INLINE b_t b_aes_last_xor(b_t a, b_t kprev, b_t k, b_t d) { return b_aes_last(a, kprev, b_xor(k, d)); }
INLINE b_t b_aesd_last_xor(b_t a, b_t kprev, b_t k, b_t d) { return b_aesd_last(a, kprev, b_xor(k, d)); }
INLINE b_t b_aes_imc(b_t k) { return k; }

/* Key schedule: vsbox is SubBytes alone. */
INLINE b_t b_last_word(b_t a) { return (b_t)vec_splat((w_t)a, 0); }
INLINE b_t b_ks_rotword(b_t a, int n) { return (b_t)vec_rl((w_t)b_last_word(a), vec_splats((uint32_t)(8 * n))); }
INLINE b_t b_ks_sub_add(b_t a, b_t x) { return b_xor(vec_sbox_be(a), x); }
INLINE b_t b_ks_rot(b_t a, uint32_t rcon) { return b_ks_sub_add(b_ks_rotword(a, 1), (b_t)vec_splats(rcon << 24)); }
INLINE b_t b_load_upper(const uint8_t *p) { return SHIFT_UP(b_load(p), b_zero(), 8); }
INLINE b_t b_word_up(b_t a) { return SHIFT_UP(b_zero(), a, 12); }
INLINE b_t b_words_up2(b_t a) { return SHIFT_UP(b_zero(), a, 8); }
INLINE b_t b_hi_lo(b_t a, b_t b) { return SHIFT_UP(a, b, 8); }
INLINE b_t b_lo_lo(b_t a, b_t b) { return (b_t)__builtin_shufflevector((q_t)b, (q_t)a, 1, 3); }

/* Carry-less products of integers. */
INLINE b_t b_pmsum(b_t a, b_t b) { return (b_t)vec_pmsum_be((q_t)a, (q_t)b); }
/* For pairs_t.h: both products in one sum, and the halves of two blocks side by side. */
#define v_gf_sum b_pmsum
INLINE b_t v_pair_lo(b_t a, b_t b) { return (b_t)__builtin_shufflevector((q_t)a, (q_t)b, 0, 2); }
INLINE b_t v_pair_hi(b_t a, b_t b) { return (b_t)__builtin_shufflevector((q_t)a, (q_t)b, 1, 3); }
#define v_gf_lows(a, b, c) b_pmsum(a, v_pair_lo(b, c))
#define v_gf_highs(a, b, c) b_pmsum(a, v_pair_hi(b, c))
INLINE b_t b_gf_lo(b_t a, b_t b) { return b_pmsum(a, (b_t)__builtin_shufflevector((q_t)b, (q_t)b_zero(), 0, 2)); }
INLINE b_t b_gf_hi(b_t a, b_t b) { return b_pmsum(a, (b_t)__builtin_shufflevector((q_t)b, (q_t)b_zero(), 2, 1)); }
INLINE b_t b_gf_mid(b_t a, b_t b) { return b_pmsum(a, b_swap(b)); }
INLINE b_t b_gf_fold(b_t a) { return b_xor(b_swap(a), b_pmsum(a, b_set64(0, 0xc200000000000000u))); }
INLINE b_t b_halves(b_t a) { return b_xor(a, b_swap(a)); }
/* CT: the top bit becomes a mask. */
INLINE b_t b_gf_mul_x_inv(b_t a) {
  b_t top = (b_t)vec_sra(vec_splat((__vector int)a, 3), vec_splats(31u));
  return b_xor((b_t)vec_add((o_t)a, (o_t)a), b_and(top, b_set64(0xc200000000000000u, 1)));
}
/* CT: the comparison also leaves in the condition register whether no byte is equal: that goes. */
INLINE uint32_t b_differ(b_t a, b_t b) {
  uint32_t differ = (uint32_t)vec_any_ne(a, b);
  __asm__ volatile("crclr 26" : "+r"(differ)::"cr6");
  return differ;
}

/* n bytes (0..16) and zeros. */
#ifdef _ARCH_PWR9
/* PORT: no intrinsic names lxvll alone. The length stands in the top byte. The memory operand tells the compiler
 * what may be read or written; the instruction touches n bytes of it. */
typedef struct {
  uint8_t b[16];
} part16_t;
INLINE b_t b_load_upto16(const uint8_t *p, size_t n) {
  b_t r;
  __asm__("lxvll %x0,%1,%2" : "=wa"(r) : "b"(p), "r"(n << 56), "m"(*(const part16_t *)p));
  return r;
}
INLINE void b_store_upto16(uint8_t *p, b_t a, size_t n) {
  __asm__("stxvll %x1,%2,%3" : "+m"(*(part16_t *)p) : "wa"(a), "b"(p), "r"(n << 56));
}
INLINE b_t b_load_part(const uint8_t *p, size_t n) { return b_load_upto16(p, n); }
INLINE void b_store_part(uint8_t *p, b_t a, size_t n) { b_store_upto16(p, a, n); }
INLINE b_t b_load12(const uint8_t *p) { return b_load_upto16(p, 12); }
#else
INLINE b_t b_load_part(const uint8_t *p, size_t n) {
  part_t r = part_load(p, n);
  return b_set64(__builtin_bswap64(r.lo), __builtin_bswap64(r.hi));
}
INLINE void b_store_part(uint8_t *p, b_t a, size_t n) {
  q_t q = (q_t)a;
  part_store(p, (part_t){__builtin_bswap64(q[1]), __builtin_bswap64(q[0])}, n);
}
INLINE b_t b_load12(const uint8_t *p) {
  return b_set64(__builtin_bswap64(part_get(p, 8)), (uint64_t)__builtin_bswap32((uint32_t)part_get(p + 8, 4)) << 32);
}
INLINE b_t b_load_upto16(const uint8_t *p, size_t n) { return n == 16 ? b_load(p) : b_load_part(p, n); }
INLINE void b_store_upto16(uint8_t *p, b_t a, size_t n) {
  if (n == 16)
    b_store(p, a);
  else
    b_store_part(p, a, n);
}
#endif
INLINE b_t b_keep(b_t a, size_t n) {
  static const uint8_t mask[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  return b_and(a, b_load(mask + 16 - n));
}

/* CTR, CBC, XTS. */
INLINE b_t b_le64(uint64_t n) { return b_set64(__builtin_bswap64(n), 0); }
INLINE b_t b_splat32(b_t a) { return b_last_word(a); }
INLINE b_t b_words(int n) { return (b_t)vec_splats(n); }
INLINE b_t b_gt32(b_t a, int n) { return (b_t)vec_cmpgt((__vector int)a, vec_splats(n)); }
INLINE b_t b_add128v(b_t a, b_t n) { return (b_t)vec_add((o_t)a, (o_t)n); }
INLINE b_t b_add128(b_t a, uint64_t n) { return b_add128v(a, b_set64(0, n)); }
/* A tweak's lowest coefficients are in byte 0, the most significant one here: so each byte is doubled alone, and
 * its top bit goes to the next one, or from the last to the first as 0x87. CT: top bits become masks. */
INLINE b_t b_xts_double(b_t a) {
  b_t out = (b_t)vec_sra((__vector signed char)a, vec_splats((unsigned char)7));
  return b_xor(vec_add(a, a), b_and(SHIFT_UP(out, out, 15), b_set64(0x8701010101010101u, 0x0101010101010101u)));
}
/* Tweak times x^(8n): bytes move n places, and what falls out at the end, times 0x87 for x^128, comes in at the
 * start. Of a single byte vpmsumb makes the product without moving it before. */
INLINE b_t b_reverse(b_t a) { return vec_perm(a, a, (b_t){15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}); }
INLINE b_t b_0x87(b_t out) { return b_reverse(b_pmsum(b_reverse(out), b_int(0x87))); }
INLINE b_t b_0x87_half(b_t a) { return b_reverse(b_pmsum(b_reverse(a), b_set64(0x87, 0))); }
INLINE b_t b_0x87_byte(b_t a) {
  return b_reverse((b_t)vec_pmsum_be(a, b_int(0x87))); /* the product's 15 bits are the lowest, then reversed */
}
/* What comes in at the start; n is a constant. out: what falls out, which of one byte and of eight is not wanted. */
INLINE b_t b_0x87_of(b_t a, b_t out, const int n) {
  if (n == 1)
    return b_0x87_byte(a);
  return n == 8 ? b_0x87_half(a) : b_0x87(out);
}
#define v_xts_mul(a, n) b_xor(SHIFT_UP(b_zero(), a, 16 - (n)), b_0x87_of(a, SHIFT_UP(a, b_zero(), 16 - (n)), n))

/* Bytes move n places (0 .. 16, public), and zeros come from the other operand. vec_perm counts elements from the least
 * significant one: byte 0 of the block is element 15. */
INLINE b_t b_places(size_t n) {
  return vec_add((b_t){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, vec_splats((unsigned char)n));
}
INLINE b_t b_up(b_t a, size_t n) { return vec_perm(a, b_zero(), b_places(n)); }
INLINE b_t b_down(b_t a, size_t n) { return vec_perm(b_zero(), a, b_places(16 - n)); }

/* Clears all vector registers that are not the caller's: vs0 to vs13, vs32 to vs51, and of vs14 to vs31 the second
 * halves, because their first halves are the caller's floating-point registers. What a kernel has used of the others,
 * it has restored. */
#define CLEAR1(n) "xxlxor " #n "," #n "," #n "\n\t"
#define CLEAR2(n) "xxpermdi " #n "," #n ",0,0\n\t"
INLINE void clear_regs(void) {
  __asm__ volatile(
      CLEAR1(0) CLEAR1(1) CLEAR1(2) CLEAR1(3) CLEAR1(4) CLEAR1(5) CLEAR1(6) CLEAR1(7) CLEAR1(8) CLEAR1(9) CLEAR1(10)
          CLEAR1(11) CLEAR1(12) CLEAR1(13) CLEAR1(32) CLEAR1(33) CLEAR1(34) CLEAR1(35) CLEAR1(36) CLEAR1(37) CLEAR1(38)
              CLEAR1(39) CLEAR1(40) CLEAR1(41) CLEAR1(42) CLEAR1(43) CLEAR1(44) CLEAR1(45) CLEAR1(46) CLEAR1(47)
                  CLEAR1(48) CLEAR1(49) CLEAR1(50) CLEAR1(51) CLEAR2(14) CLEAR2(15) CLEAR2(16) CLEAR2(17) CLEAR2(18)
                      CLEAR2(19) CLEAR2(20) CLEAR2(21) CLEAR2(22) CLEAR2(23) CLEAR2(24) CLEAR2(25) CLEAR2(26) CLEAR2(27)
                          CLEAR2(28) CLEAR2(29) CLEAR2(30) CLEAR2(31)::
                              : "fr0", "fr1", "fr2", "fr3", "fr4", "fr5", "fr6", "fr7", "fr8", "fr9", "fr10", "fr11",
                                "fr12", "fr13", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10",
                                "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19");
}
#define CLEAR_REGS() clear_regs()
/* Parts of blocks go through them on POWER8 (part.h), and on POWER9 words of keys, where gcc splats them. */
#define CLEAR_GENERAL() RIJN_CLEAR_GENERAL()
#define KEYS_IN_GENERAL 1
#define VECTOR_REG "wa"

#include "ops_one.h"
