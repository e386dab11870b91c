/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* GHASH (SP 800-38D 6.4) with integer multiplications: one block after the other, each times H. ghash_t.h says more of
 * the mathematics.
 *
 * Carry-less product from an integer product
 * ------------------------------------------
 * Take every fourth bit of each factor: x_a = x & (0x1111... << a), y_b likewise. In the integer product x_a * y_b the
 * sum of each column stands in four bits of its own, of which the lowest is the carry-less result, as long as no sum
 * passes 15. The 16 products of the classes a, b = 0 .. 3 are XORed into four sums, those of equal a + b modulo 4 into
 * one, and a mask takes the lowest bit of each column out of a sum. 32-bit factors have 8 bits in a class: no sum
 * passes 8. 64-bit factors have 16, one too many, so that the lowest four bits of the key's factor are multiplied
 * apart, by masks.
 *
 * CT: needs a multiplier whose time does not depend on its operands. All 64-bit machines have one; of 32-bit ones some
 * small cores (Cortex-M3, older PowerPC) have not.
 *
 * The field
 * ---------
 * SPEC: SP 800-38D, section 6.3. The first bit of a block, the most significant of its first byte, is the coefficient
 * of x^0. Read big-endian, x^i is bit 127 - i of an integer, and a product of two, bits 0 .. 254, has x^k at bit 254 -
 * k. A 256-bit number that continued the order of the first would have it at 255 - k: so the key is stored as H/x, and
 * the product is right without a shift. Then x^128 = x^7 + x^2 + x + 1 folds the low half into the high one. */

#if defined(__SIZEOF_INT128__) && !defined(RIJN_PORTABLE_MUL32)
typedef uint64_t limb;
__extension__ typedef unsigned __int128 limb2;
#define LIMBS 2
#define ODD_BITS 15u /* the bits that would make a class too large */
#else
typedef uint32_t limb;
typedef uint64_t limb2;
#define LIMBS 4
#define ODD_BITS 0u
#endif
#define LIMB_BITS (8 * (int)sizeof(limb))
/* Karatsuba: 3 products for 2 limbs, 9 for 4. */
#define PRODUCTS (LIMBS == 2 ? 3 : 9)

/* One factor of the key, in classes; odd[i] is all ones when bit i of it is set. */
struct factor {
  limb class[4];
  limb odd[4];
};

struct hash {
  struct factor key[PRODUCTS];
  uint64_t acc[2]; /* big-endian: acc[0] has the first 8 bytes */
};

static void set_factor(struct factor *f, limb y) {
  const limb ones = (limb)0x1111111111111111u;
  for (int i = 0; i < 4; i++) {
    f->class[i] = y & ~(limb)ODD_BITS & (limb)(ones << i);
    f->odd[i] = (limb)((limb)0 - (y >> i & 1));
  }
}

INLINE limb2 mul(limb x, const struct factor *f) {
  const limb ones = (limb)0x1111111111111111u;
  const limb2 ones2 = (limb2)ones << LIMB_BITS | ones;
  limb2 result = 0;
  limb xc[4];
  UNROLL
  for (int i = 0; i < 4; i++)
    xc[i] = x & (limb)(ones << i);
  UNROLL
  for (int k = 0; k < 4; k++) {
    limb2 sum = 0;
    UNROLL
    for (int i = 0; i < 4; i++)
      sum ^= (limb2)xc[i] * f->class[(k - i) & 3];
    result |= sum & ones2 << k;
  }
  UNROLL
  for (int i = 0; ODD_BITS && i < 4; i++)
    result ^= (limb2)(x & f->odd[i]) << i;
  return result;
}

/* (r[1], r[0]) = (x1, x0) * (y1, y0) from the factors y0, y1, y0 + y1: three products instead of four. */
INLINE void mul2(limb2 r[2], limb x1, limb x0, const struct factor f[3]) {
  limb2 lo = mul(x0, &f[0]), hi = mul(x1, &f[1]);
  limb2 mid = mul(x0 ^ x1, &f[2]) ^ lo ^ hi;
  r[0] = lo ^ mid << LIMB_BITS;
  r[1] = hi ^ mid >> LIMB_BITS;
}

/* v[3] .. v[0], most significant first by index: acc * key, 256 bits. */
INLINE void mul_key(uint64_t v[4], const struct hash *h, uint64_t x1, uint64_t x0) {
#if LIMBS == 2
  limb2 r[2];
  mul2(r, x1, x0, h->key);
  v[0] = (uint64_t)r[0];
  v[1] = (uint64_t)(r[0] >> 64);
  v[2] = (uint64_t)r[1];
  v[3] = (uint64_t)(r[1] >> 64);
#else
  limb2 lo[2], hi[2], mid[2];
  mul2(lo, (limb)(x0 >> 32), (limb)x0, h->key);
  mul2(hi, (limb)(x1 >> 32), (limb)x1, h->key + 3);
  mul2(mid, (limb)((x0 ^ x1) >> 32), (limb)(x0 ^ x1), h->key + 6);
  mid[0] ^= lo[0] ^ hi[0];
  mid[1] ^= lo[1] ^ hi[1];
  v[0] = lo[0];
  v[1] = lo[1] ^ mid[0];
  v[2] = hi[0] ^ mid[1];
  v[3] = hi[1];
#endif
}

static void hash_block(struct hash *h, const uint8_t *in) {
  uint64_t v[4];
  mul_key(v, h, h->acc[0] ^ rijn_load_be64(in), h->acc[1] ^ rijn_load_be64(in + 8));
  /* v[0], then v[1]: 64 coefficients each, times 1 + x + x^2 + x^7, added 128 places up. */
  UNROLL
  for (int i = 0; i < 2; i++) {
    v[i + 1] ^= v[i] << 63 ^ v[i] << 62 ^ v[i] << 57;
    v[i + 2] ^= v[i] ^ v[i] >> 1 ^ v[i] >> 2 ^ v[i] >> 7;
  }
  h->acc[0] = v[3];
  h->acc[1] = v[2];
}

/* len bytes, the last block filled up with zeros. */
static NOINLINE void hash_bytes(struct hash *h, const uint8_t *in, size_t len) {
  for (; len >= 16; in += 16, len -= 16)
    hash_block(h, in);
  if (len) {
    uint8_t last[16] = {0};
    copy_bytes(last, in, len);
    hash_block(h, last);
  }
}

/* What is kept of the key: H/x, big-endian, in the place of H^1. */
static void hash_init(struct rijn_hpow *p, const uint8_t h[16]) {
  uint64_t h1 = rijn_load_be64(h), h0 = rijn_load_be64(h + 8), carry = (uint64_t)0 - (h1 >> 63);
  /* Dividing by x moves x^i to x^(i-1), one bit up; what falls out, 1/x, is x^127 + x^6 + x + 1. */
  h1 = (h1 << 1 | h0 >> 63) ^ (carry & 0xc200000000000000u);
  h0 = h0 << 1 ^ (carry & 1);
  /* WHY in Linux's kernel no more than is used: kernel/gcm.c has room for just that. */
#ifdef RIJN_IN_KERNEL
  memset(p, 0, sizeof p->pow[0]);
#else
  memset(p, 0, sizeof *p);
#endif
  rijn_store_be64(p->pow[0], h1);
  rijn_store_be64(p->pow[0] + 8, h0);
}

static void hash_start(struct hash *h, const struct rijn_hpow *p) {
  uint64_t y1 = rijn_load_be64(p->pow[0]), y0 = rijn_load_be64(p->pow[0] + 8);
  const uint64_t part[3] = {y0, y1, y0 ^ y1};
  for (int i = 0; i < 3; i++) {
#if LIMBS == 2
    set_factor(&h->key[i], part[i]);
#else
    set_factor(&h->key[3 * i], (limb)part[i]);
    set_factor(&h->key[3 * i + 1], (limb)(part[i] >> 32));
    set_factor(&h->key[3 * i + 2], (limb)(part[i] ^ part[i] >> 32));
#endif
  }
  h->acc[0] = h->acc[1] = 0;
}
