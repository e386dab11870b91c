/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: AES key schedule (FIPS 197 5.2, for decryption 5.3.5), for all modes. Needs the b_ operations of the
 * instruction set, those of its key schedule (ops_x86_modes.h says what each does) among them. No parameters but
 * SPILLS, HAS_MASKS and FEW_REGISTERS of gcm_t.h, gcm_tail_t.h and clean_t.h.
 *
 * Round keys lie in memory in the order of use, 16 bytes each, as the standard has them. Keys of 128 and 256 bits are
 * whole blocks and have a way of their own; keys of 192 bits, which begin in the middle of one, have the usual way.
 */

/* SPEC: FIPS 197 5.2. The words of a, each plus all those below it: a, plus a moved up by one word, by two and by
 * three. */
INLINE b_t b_prefix_xor(b_t a) {
  a = b_xor(a, b_word_up(a));
  return b_xor(a, b_words_up2(a));
}

/*
 * Keys of 128 and 256 bits; n: blocks of the key, 1 or 2 (the standard's Nk counts words: 4n); key_blocks in the code.
 *
 * SPEC: FIPS 197 5.2. Let W0[j] .. W3[j] be the words of round key j, and S[j] what is made of W3[j-1] by SubWord, and
 * every n-th time by RotWord and Rcon too. The standard says
 *   W0[j] = W0[j-n] + S[j],   Wi[j] = Wi[j-n] + W(i-1)[j]   for i = 1, 2, 3.
 * Let x stand for "of the round key n before", so that these are (1 + x) W0 = S and (1 + x) Wi = W(i-1). Hence
 * (1 + x)^4 W3 = S; and as coefficients are bits, (1 + x)^4 = 1 + x^4. With L = W3, the last words,
 *   L[j] = L[j-4n] + S[j]:
 * last words need no others. The others follow from them, for W2 = (1 + x) L, W1 = (1 + x)^2 L, W0 = (1 + x)^3 L:
 *   W2[j] = L[j] + L[j-n],   W1[j] = L[j] + L[j-2n],   W0[j] = L[j] + L[j-n] + L[j-2n] + L[j-3n].
 * Let M[j] be L[j] with RotWord undone as often as it was done up to j. SubWord does not mind in which order its bytes
 * stand, and four times RotWord is none. Hence
 *   M[j] = M[j-4n] + SubWord(M[j-1]) + Rcon turned:
 * there is no rotation either, and a round key waits for the one before it for a substitution only, which adds in the
 * rest. M[j] for j < 0 is what the key's own words say it must have been, by the same equations.
 * So key set-up waits less (T-100).
 */
static const uint8_t ks_rcon[11][16] = {
#define ROTATED(a, b, c, d)                                                                                            \
  { a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d }
    {255, 255, 255, 255, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0}, /* no constant: words 0 and 2 */
    ROTATED(0, 1, 0, 0),
    ROTATED(0, 0, 2, 0),
    ROTATED(0, 0, 0, 4),
    ROTATED(8, 0, 0, 0),
    ROTATED(0, 16, 0, 0),
    ROTATED(0, 0, 32, 0),
    ROTATED(0, 0, 0, 64),
    ROTATED(128, 0, 0, 0),
    ROTATED(0, 0x1b, 0, 0),
    ROTATED(0, 0, 0x36, 0),
#undef ROTATED
};
/* A key schedule under way. Words of L and M stand in all four places, those of j at [j + 8]. */
typedef struct {
  b_t m[8 + 15], l[8 + 15], early[9]; /* 9: what EACH can reach */
  b_t even, k0, zero;                 /* k0: the round key before; zero: a block of zeros, encrypted up to it */
  const uint8_t (*rcon)[16];
} schedule_t;
/* Round key j, and a round of the cipher with it; j, n and rounds are constants. The key is L[j] in each word plus
 * rest: that is L[j-2n] + L[j-3n], L[j-2n], 0, 0, which are the upper words of round key j - 2n in the place of the
 * lower ones, and L[j-n] in the words 0 and 2 (even). WHY the barrier: two words come back from memory, and a mask
 * where registers are few. Without it compilers keep all of it in registers, run out of them, and leave a part on the
 * stack; and it is slower where they do not (T-104). */
INLINE void ks_step(schedule_t *s, uint8_t *rk, const int j, const int key_blocks, const int rounds) {
  b_t x = s->m[j + 8 - 4 * key_blocks], c = b_load(s->rcon[j / key_blocks]);
  b_t rest = j < 2 * key_blocks ? s->early[j - key_blocks] : b_load_upper(rk + 16 * (j - 2 * key_blocks));
  if (j == key_blocks) /* x is the last to come here (T-101) */
    s->m[j + 8] = b_xor(b_ks_sub_add(s->m[j + 7], c), x);
  else
    s->m[j + 8] = b_ks_sub_add(s->m[j + 7], j % key_blocks ? x : b_xor(x, c));
  rest = b_xor(rest, b_and(s->l[j + 8 - key_blocks], HAS_MASKS ? s->even : b_load(s->rcon[0])));
  s->l[j + 8] = j / key_blocks % 4 ? b_ks_rotword(s->m[j + 8], j / key_blocks % 4) : s->m[j + 8];
  b_t k1 = b_xor(s->l[j + 8], rest);
  b_store(rk + 16 * j, k1);
  __asm__ volatile("" ::: "memory");
  s->zero = j == rounds ? b_aes_last(s->zero, s->k0, k1) : b_aes_round(s->zero, s->k0, k1);
  s->k0 = k1;
}
/* All round keys. Returns a block of zeros encrypted, which is GCM's H: it costs little here, and nothing where nobody
 * wants it. */
INLINE b_t expand_blocks(uint8_t *rk, const uint8_t *raw, const int key_blocks, const int rounds) {
  schedule_t s;
  s.zero = b_zero();
  s.rcon = ks_rcon;
  __asm__("" : "+r"(s.rcon)); /* what gcc knows it makes by moves and shuffles (T-102) */
  s.even = b_load(s.rcon[0]);
  EACH(j, key_blocks, {
    b_t k = b_load(raw + 16 * j), p = b_xor(k, b_word_up(k));
    s.m[8 + j] = s.l[8 + j] = b_ks_rotword(k, 0);
    s.m[8 + j - key_blocks] = b_ks_rotword(p, 1);
    s.m[8 + j - 2 * key_blocks] = b_ks_rotword(b_xor(k, b_words_up2(k)), 2);
    s.m[8 + j - 3 * key_blocks] = b_ks_rotword(b_xor(p, b_words_up2(p)), 3);
    s.early[j] = b_hi_lo(p, b_zero());
    b_store(rk + 16 * j, k);
    s.zero = j == 0 ? b_aes_first(s.zero, k) : b_aes_round(s.zero, s.k0, k);
    s.k0 = k;
  });
  EACH(i, 8, ks_step(&s, rk, key_blocks + i, key_blocks, rounds));
  EACH(i, rounds - 7 - key_blocks, ks_step(&s, rk, key_blocks + 8 + i, key_blocks, rounds));
  return s.zero;
}
/* 192 bits: six words a step, a = w0 .. w3 and the low half of b = w4, w5; two steps make three round keys. */
INLINE void expand_192_step(b_t *a, b_t *b, uint32_t rcon) {
  *a = b_xor(b_prefix_xor(*a), b_ks_rot(b_lo_lo(*b, *b), rcon)); /* w5 is the last word there */
  *b = b_xor(b_xor(*b, b_word_up(*b)), b_last_word(*a));
}
INLINE void expand_192(uint8_t *rk, const uint8_t *raw) {
  b_t a = b_load(raw), b = b_load_upper(raw + 8);
  uint32_t rcon = 1;
  b_store(rk, a);
  for (int r = 1;; r += 3) {
    b_t b0 = b;
    expand_192_step(&a, &b, rcon);
    b_store(rk + 16 * r, b_lo_lo(b0, a));
    b_store(rk + 16 * r + 16, b_hi_lo(a, b));
    expand_192_step(&a, &b, rcon << 1);
    b_store(rk + 16 * r + 32, a);
    if (r == 10)
      break;
    rcon <<= 2;
  }
}
/* The end of every key set-up. PORT: clang runs out of registers on AArch64. */
#define KEY_END()                                                                                                      \
  do {                                                                                                                 \
    CLEAR_REGS();                                                                                                      \
    if (SPILLS)                                                                                                        \
      zero_stack_384();                                                                                                \
    if (KEYS_IN_GENERAL)                                                                                               \
      CLEAR_GENERAL();                                                                                                 \
  } while (0)
/* Zeros where a key of 128 or 192 bits has no round keys: a longer one may have been there. The others are stored
 * behind it: four stores are less than a branch. */
INLINE void clear_last(uint8_t *rk) {
  for (int r = 11; r < RIJN_MAX_RK; r++)
    b_store(rk + 16 * r, b_zero());
}
NOINLINE b_t expand_any(uint8_t *rk, const uint8_t *raw, unsigned rounds) {
  clear_last(rk);
  if (rounds == 10)
    return expand_blocks(rk, raw, 1, 10);
  if (rounds == 14)
    return expand_blocks(rk, raw, 2, 14);
  expand_192(rk, raw);
  return b_encrypt(b_zero(), rk, 12);
}
/* All round keys, and the zero block encrypted. Where eight registers are too few, the stack is cleared first, and what
 * expand_any returned is made again, for it would have lain there. */
INLINE b_t expand_key(uint8_t *rk, const uint8_t *raw, unsigned rounds) {
  b_t zero = expand_any(rk, raw, rounds);
  if (FEW_REGISTERS) {
    zero_stack_384();
    zero = b_encrypt(b_zero(), rk, rounds);
  }
  return zero;
}
/* SPEC: FIPS 197 5.3.5, the equivalent inverse cipher's keys, in the order of use. */
INLINE void invert_key(uint8_t *dk, const uint8_t *rk, unsigned rounds) {
  clear_last(dk);
  b_store(dk, b_load(rk + 16 * rounds));
  for (unsigned r = 1; r < rounds; r++)
    b_store(dk + 16 * r, b_aes_imc(b_load(rk + 16 * (rounds - r))));
  b_store(dk + 16 * rounds, b_load(rk));
}
