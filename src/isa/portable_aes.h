/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Bitsliced AES: BLOCKS blocks side by side, every step a Boolean operation on words. No table, no branch on data.
 *
 * Layout
 * ------
 * Bit i of every byte goes into word q[i], i = 0 .. 7. Within a word the bits lie by row of the AES state, then by
 * column, then by block. With 128-bit words, 8 blocks; r.c is row r, column c; each cell is one byte, block j its bit
 * j:
 *
 *      byte     0   1   2   3 |  4   5   6   7 |  8   9  10  11 | 12  13  14  15
 *      cell    0.0 0.1 0.2 0.3| 1.0 1.1 1.2 1.3| 2.0 2.1 2.2 2.3| 3.0 3.1 3.2 3.3
 *
 * With 64-bit words it is the same picture at half the scale: 4 blocks, a cell is a nibble, a row 16 bits.
 *
 *      bits    60  56  52  48 | 44  40  36  32 | 28  24  20  16 | 12   8   4   0
 *      cell    3.3 3.2 3.1 3.0| 2.3 2.2 2.1 2.0| 1.3 1.2 1.1 1.0| 0.3 0.2 0.1 0.0
 *
 * WHY rows first: ShiftRows turns row r by r cells, within a quarter of the word; MixColumns needs the state with its
 * rows moved up by one and by two, and that is one rotation of the whole word by a quarter.
 *
 * Getting there: a block's 16 bytes are put in the order of the cells (128 bits: a 4x4 transposition of bytes). Then
 * q[j] is block j, and the 8x8 transposition of bits between the 8 words, within every byte position, turns word =
 * block, bit = bit into word = bit, bit = block. With 64-bit words a block fills two, q[j] with the columns 0 and 2,
 * q[j + 4] with 1 and 3, each in the order 0.0 0.2 1.0 1.2 2.0 2.2 3.0 3.2: after the same transposition the low nibble
 * of a byte has the even column, the high nibble the odd column beside it.
 *
 * Round keys
 * ----------
 * All blocks have the same key, so that one bit stands for a cell: 16 bytes a round key, spread when it is added.
 * The S-box circuits leave out the constant 0x63: S'(x) = S(x) ^ 0x63, and the inverse takes x ^ 0x63. A state of which
 * every byte is 0x63 passes ShiftRows, MixColumns and their inverses unchanged (the coefficients of a row add up to 1),
 * so that all round keys but the first have 0x63 added to every byte. In decryption, where key N comes first and key 0
 * last, the same keys do the same service. */

#include "portable_sbox.h"

#define BLOCKS ((int)sizeof(word) / 2)

/* 8x8 bit transposition between q[0..7] at every byte position. It is its own inverse. */
INLINE void swap_bits(word *a, word *b, int n, uint64_t mask) {
  word t = ((*a >> n) ^ *b) & mask;
  *b ^= t;
  *a ^= t << n;
}

INLINE void transpose_bits(word q[8]) {
  UNROLL
  for (int i = 0; i < 8; i += 2)
    swap_bits(&q[i], &q[i + 1], 1, 0x5555555555555555u);
  UNROLL
  for (int i = 0; i < 8; i += i & 1 ? 3 : 1)
    swap_bits(&q[i], &q[i + 2], 2, 0x3333333333333333u);
  UNROLL
  for (int i = 0; i < 4; i++)
    swap_bits(&q[i], &q[i + 4], 4, 0x0f0f0f0f0f0f0f0fu);
}

#ifdef WORD_IS_VECTOR
/* PORT: gcc has clang's name for it from version 12 on. */
#ifdef __clang__
#define SHUFFLE(type, x, ...) ((word)__builtin_shufflevector((type)(x), (type)(x), __VA_ARGS__))
#else
#define SHUFFLE(type, x, ...) ((word)__builtin_shuffle((type)(x), (type){__VA_ARGS__}))
#endif

/* Vectors have their elements in the order of memory on every machine, so that nothing here knows of endianness. */
INLINE word transpose_bytes(word x) {
#ifdef __SSE2__
  /* SSE2 has no byte shuffle. The index of a byte is the bits c1 c0 r1 r0; interleaving the halves turns it by one
   * place, so twice makes it r1 r0 c1 c0, and back. */
  x = SHUFFLE(bytes16, x, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
  return SHUFFLE(bytes16, x, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
#else
  return SHUFFLE(bytes16, x, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
#endif
}

INLINE void load_blocks(word q[8], const uint8_t *in) {
  UNROLL
  for (int j = 0; j < 8; j++) {
    memcpy(&q[j], in + 16 * j, 16);
    q[j] = transpose_bytes(q[j]);
  }
  transpose_bits(q);
}

INLINE void store_blocks(uint8_t *out, word q[8]) {
  transpose_bits(q);
  UNROLL
  for (int j = 0; j < 8; j++) {
    q[j] = transpose_bytes(q[j]);
    memcpy(out + 16 * j, &q[j], 16);
  }
}

static void pack_key(uint8_t rk[16], const uint8_t key[16]) {
  for (int i = 0; i < 16; i++)
    rk[i] = key[i % 4 * 4 + i / 4];
}

/* A cell of q[i] is all ones where bit i of its key byte is set. */
INLINE void add_round_key(word q[8], const uint8_t rk[16]) {
  bytes16 k;
  memcpy(&k, rk, 16);
  UNROLL
  for (int i = 0; i < 8; i++) {
    bytes16 bit = k & (uint8_t)(1u << i);
    q[i] ^= (word)(bit != 0);
  }
}

/* Row r turned by r cells: out.r.c = in.r.(c + r). */
INLINE word shift_rows(word x) {
#ifdef __SSE2__
  const word low = {0xffffffffu, 0xffffffffu};
  x = SHUFFLE(halves8, x, 0, 1, 2, 3, 5, 4, 7, 6); /* rows 2 and 3 by two */
  word t = (word)((words4)x >> 8 | (words4)x << 24);
  return (x & low) | (t & ~low); /* rows 1 and 3 by one */
#else
  return SHUFFLE(bytes16, x, 0, 1, 2, 3, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14);
#endif
}

INLINE word inv_shift_rows(word x) {
#ifdef __SSE2__
  const word low = {0xffffffffu, 0xffffffffu};
  x = SHUFFLE(halves8, x, 0, 1, 2, 3, 5, 4, 7, 6);
  word t = (word)((words4)x << 8 | (words4)x >> 24);
  return (x & low) | (t & ~low);
#else
  return SHUFFLE(bytes16, x, 0, 1, 2, 3, 7, 4, 5, 6, 10, 11, 8, 9, 13, 14, 15, 12);
#endif
}

/* The state with row r + 1, or r + 2, in the place of row r. */
INLINE word rows1(word x) { return SHUFFLE(words4, x, 1, 2, 3, 0); }
INLINE word rows2(word x) { return SHUFFLE(words4, x, 2, 3, 0, 1); }

#else /* a word is uint64_t */

/* Two columns, little-endian, into alternating bytes, and back. */
INLINE word spread(uint32_t x) {
  word w = x;
  w = (w | w << 16) & 0x0000ffff0000ffffu;
  return (w | w << 8) & 0x00ff00ff00ff00ffu;
}
INLINE uint32_t gather(word w) {
  w &= 0x00ff00ff00ff00ffu;
  w = (w | w >> 8) & 0x0000ffff0000ffffu;
  return (uint32_t)(w | w >> 16);
}

INLINE void load_blocks(word q[8], const uint8_t *in) {
  UNROLL
  for (int j = 0; j < 4; j++, in += 16) {
    q[j] = spread(rijn_load_le32(in)) | spread(rijn_load_le32(in + 8)) << 8;
    q[j + 4] = spread(rijn_load_le32(in + 4)) | spread(rijn_load_le32(in + 12)) << 8;
  }
  transpose_bits(q);
}

INLINE void store_blocks(uint8_t *out, word q[8]) {
  transpose_bits(q);
  UNROLL
  for (int j = 0; j < 4; j++, out += 16) {
    rijn_store_le32(out, gather(q[j]));
    rijn_store_le32(out + 4, gather(q[j + 4]));
    rijn_store_le32(out + 8, gather(q[j] >> 8));
    rijn_store_le32(out + 12, gather(q[j + 4] >> 8));
  }
}

/* Four words in one: the key is block 0 of q[i], and its cells' bit 0 goes to bit i mod 4. */
#define CELLS 0x1111111111111111u
static void pack_key(uint8_t rk[16], const uint8_t key[16]) {
  uint8_t in[64] = {0};
  word q[8], half[2] = {0, 0};
  memcpy(in, key, 16);
  load_blocks(q, in);
  for (int i = 0; i < 8; i++)
    half[i / 4] |= (q[i] & CELLS) << i % 4;
  rijn_store_le64(rk, half[0]);
  rijn_store_le64(rk + 8, half[1]);
}

INLINE void add_round_key(word q[8], const uint8_t rk[16]) {
  word half[2] = {rijn_load_le64(rk), rijn_load_le64(rk + 8)};
  UNROLL
  for (int i = 0; i < 8; i++) {
    word bit = half[i / 4] >> i % 4 & CELLS;
    q[i] ^= (bit << 4) - bit; /* 15 for 1 in every cell; what the last one borrows is beyond the word */
  }
}

INLINE word shift_rows(word x) {
  x = (x & 0x00000000ffffffffu) | (x >> 8 & 0x00ff00ff00000000u) | (x << 8 & 0xff00ff0000000000u);
  return (x & 0x0000ffff0000ffffu) | (x >> 4 & 0x0fff00000fff0000u) | (x << 12 & 0xf0000000f0000000u);
}
INLINE word inv_shift_rows(word x) {
  x = (x & 0x00000000ffffffffu) | (x >> 8 & 0x00ff00ff00000000u) | (x << 8 & 0xff00ff0000000000u);
  return (x & 0x0000ffff0000ffffu) | (x << 4 & 0xfff00000fff00000u) | (x >> 12 & 0x000f0000000f0000u);
}

INLINE word rows1(word x) { return x >> 16 | x << 48; }
INLINE word rows2(word x) { return x >> 32 | x << 32; }
#endif

/* Row r becomes 2a[r] + 3a[r+1] + a[r+2] + a[r+3] = 2t + a[r+1] + t[r+2] with t = a[r] + a[r+1]. Doubling moves every
 * bit up by one place, and bit 7 to the places of x^8 = x^4 + x^3 + x + 1. */
INLINE void mix_columns(word q[8]) {
  word up[8], t[8];
  UNROLL
  for (int i = 0; i < 8; i++) {
    up[i] = rows1(q[i]);
    t[i] = q[i] ^ up[i];
  }
  UNROLL
  for (int i = 0; i < 8; i++) {
    q[i] = up[i] ^ rows2(t[i]) ^ t[(i + 7) % 8];
    if (i == 1 || i == 3 || i == 4)
      q[i] ^= t[7];
  }
}

/* The inverse matrix is the forward one times (5 0 4 0): a[r] += 4(a[r] + a[r+2]) before it. */
INLINE void inv_mix_columns(word q[8]) {
  word u[8];
  UNROLL
  for (int i = 0; i < 8; i++)
    u[i] = q[i] ^ rows2(q[i]);
  q[0] ^= u[6];
  q[1] ^= u[6] ^ u[7];
  q[2] ^= u[0] ^ u[7];
  q[3] ^= u[1] ^ u[6];
  q[4] ^= u[2] ^ u[6] ^ u[7];
  q[5] ^= u[3] ^ u[7];
  q[6] ^= u[4];
  q[7] ^= u[5];
  mix_columns(q);
}

/* BLOCKS blocks at in and out, which may be the same. rk is in the order of use. */
static NOINLINE void encrypt_group(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in) {
  word q[8];
  load_blocks(q, in);
  add_round_key(q, rk->b);
  for (unsigned r = 1;; r++) {
    sub_bytes(q);
    UNROLL
    for (int i = 0; i < 8; i++)
      q[i] = shift_rows(q[i]);
    if (r == rounds)
      break;
    mix_columns(q);
    add_round_key(q, rk->b + 16 * r);
  }
  add_round_key(q, rk->b + 16 * rounds);
  store_blocks(out, q);
}

static NOINLINE void decrypt_group(const struct rijn_rk *dk, unsigned rounds, uint8_t *out, const uint8_t *in) {
  word q[8];
  load_blocks(q, in);
  add_round_key(q, dk->b);
  for (unsigned r = 1;; r++) {
    UNROLL
    for (int i = 0; i < 8; i++)
      q[i] = inv_shift_rows(q[i]);
    inv_sub_bytes(q);
    add_round_key(q, dk->b + 16 * r);
    if (r == rounds)
      break;
    inv_mix_columns(q);
  }
  store_blocks(out, q);
}

/* SubWord on eight bytes at once: bit i of every byte is bit 0 of the bytes of x >> i. */
static uint64_t sub_bytes8(uint64_t x) {
  const uint64_t ones = 0x0101010101010101u;
  word q[8];
  UNROLL
  for (int i = 0; i < 8; i++)
    q[i] = (word){0} | (x >> i & ones);
  sub_bytes(q);
  x = 0x6363636363636363u;
  UNROLL
  for (int i = 0; i < 8; i++) {
    uint64_t plane;
    memcpy(&plane, &q[i], 8);
    x ^= (plane & ones) << i;
  }
  return x;
}

/* Zeros where a key of 128 or 192 bits has no round keys: a longer one may have been there. The others are stored
 * behind it. */
static void clear_last(struct rijn_rk *rk) { memset(rk->b + 16 * 11, 0, 16 * 4); }

/* SPEC: FIPS 197, section 5.2, for two keys side by side, the second in the upper 32 bits: XTS has two. raw1 may be
 * NULL. The round keys come out in the order of encryption. */
static void expand_keys(struct rijn_rk *rk0, struct rijn_rk *rk1, unsigned rounds, const uint8_t *raw0,
                        const uint8_t *raw1) {
  uint64_t w[4 * RIJN_MAX_RK];
  uint8_t block[16];
  unsigned nk = rounds - 6, n = 4 * (rounds + 1);
  uint32_t rcon = 1;

  for (unsigned i = 0; i < nk; i++)
    w[i] = rijn_load_le32(raw0 + 4 * i) | (uint64_t)(raw1 ? rijn_load_le32(raw1 + 4 * i) : 0) << 32;
  for (unsigned i = nk; i < n; i++) {
    uint64_t t = w[i - 1];
    if (i % nk == 0) {
      /* RotWord: the first byte, which is the lowest here, becomes the last. */
      t = sub_bytes8((t >> 8 & 0x00ffffff00ffffffu) | (t << 24 & 0xff000000ff000000u));
      t ^= rcon | (uint64_t)rcon << 32;
      rcon = rcon << 1 ^ (rcon >> 7) * 0x11bu; /* public: powers of x */
    } else if (nk > 6 && i % nk == 4) {
      t = sub_bytes8(t);
    }
    w[i] = w[i - nk] ^ t;
  }
  clear_last(rk0);
  if (raw1)
    clear_last(rk1);
  for (unsigned r = 0; r <= rounds; r++) {
    uint32_t constant = r ? 0x63636363u : 0;
    for (unsigned c = 0; c < 4; c++)
      rijn_store_le32(block + 4 * c, (uint32_t)w[4 * r + c] ^ constant);
    pack_key(rk0->b + 16 * r, block);
    for (unsigned c = 0; raw1 && c < 4; c++)
      rijn_store_le32(block + 4 * c, (uint32_t)(w[4 * r + c] >> 32) ^ constant);
    if (raw1)
      pack_key(rk1->b + 16 * r, block);
  }
}

/* Decryption takes the same keys from the last to the first. */
static void reverse_keys(struct rijn_rk *dk, const struct rijn_rk *rk, unsigned rounds) {
  clear_last(dk);
  for (unsigned r = 0; r <= rounds; r++)
    memcpy(dk->b + 16 * r, rk->b + 16 * (rounds - r), 16);
}
