/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES, GF(2^128) and GCM from the text of FIPS 197 and SP 800-38D, byte by byte and bit by bit: nothing is shared with
 * Rijn or with libcrypto, and nothing here is constant-time or fast. */
#include "ref.h"
#include "t.h"

/* ---- AES */

static uint8_t sbox[256], inv_sbox[256];

static uint8_t xtime(uint8_t a) { return (uint8_t)(a << 1 ^ (a >> 7) * 0x1b); }

static uint8_t mul8(uint8_t a, uint8_t b) {
  uint8_t r = 0;
  for (; b != 0; b >>= 1, a = xtime(a)) {
    if (b & 1) {
      r ^= a;
    }
  }
  return r;
}

/* FIPS 197, section 5.1.1: the inverse in GF(2^8), then the affine map. */
static void make_sbox(void) {
  for (unsigned a = 0; a < 256; a++) {
    uint8_t inv = 0;
    for (unsigned b = 1; b < 256 && a != 0; b++) {
      if (mul8((uint8_t)a, (uint8_t)b) == 1) {
        inv = (uint8_t)b;
      }
    }
    uint8_t s = 0x63;
    for (int i = 0; i < 5; i++) {
      s ^= (uint8_t)(inv << i | inv >> (8 - i));
    }
    sbox[a] = s;
    inv_sbox[s] = (uint8_t)a;
  }
}

void model_aes_init(struct model_aes *k, const uint8_t *key, size_t key_len) {
  size_t nk = key_len / 4;
  uint8_t rcon = 1;
  if (sbox[0] == 0) {
    make_sbox();
  }
  k->rounds = (unsigned)nk + 6;
  memcpy(k->w, key, key_len);
  for (size_t i = nk; i < 4 * (k->rounds + 1); i++) {
    uint8_t t[4];
    memcpy(t, k->w[i - 1], 4);
    if (i % nk == 0) {
      uint8_t first = t[0];
      t[0] = sbox[t[1]] ^ rcon;
      t[1] = sbox[t[2]];
      t[2] = sbox[t[3]];
      t[3] = sbox[first];
      rcon = xtime(rcon);
    } else if (nk > 6 && i % nk == 4) {
      for (int j = 0; j < 4; j++) {
        t[j] = sbox[t[j]];
      }
    }
    for (int j = 0; j < 4; j++) {
      k->w[i][j] = k->w[i - nk][j] ^ t[j];
    }
  }
}

static void add_round_key(uint8_t s[16], const struct model_aes *k, unsigned round) {
  for (unsigned i = 0; i < 16; i++) {
    s[i] ^= k->w[4 * round + i / 4][i % 4];
  }
}

void model_aes_enc(const struct model_aes *k, const uint8_t in[16], uint8_t out[16]) {
  uint8_t s[16], t[16];
  memcpy(s, in, 16);
  add_round_key(s, k, 0);
  for (unsigned r = 1; r <= k->rounds; r++) {
    for (unsigned i = 0; i < 16; i++) {
      t[i] = sbox[s[(i + 4 * (i % 4)) % 16]];
    }
    for (unsigned c = 0; c < 16; c += 4) {
      for (unsigned i = 0; i < 4; i++) {
        uint8_t a = t[c + i], b = t[c + (i + 1) % 4];
        s[c + i] = r == k->rounds ? a : (uint8_t)(xtime(a) ^ xtime(b) ^ b ^ t[c + (i + 2) % 4] ^ t[c + (i + 3) % 4]);
      }
    }
    add_round_key(s, k, r);
  }
  memcpy(out, s, 16);
}

void model_aes_dec(const struct model_aes *k, const uint8_t in[16], uint8_t out[16]) {
  static const uint8_t m[4] = {14, 11, 13, 9};
  uint8_t s[16], t[16];
  memcpy(s, in, 16);
  add_round_key(s, k, k->rounds);
  for (unsigned r = k->rounds; r-- > 0;) {
    for (unsigned i = 0; i < 16; i++) {
      t[(i + 4 * (i % 4)) % 16] = inv_sbox[s[i]];
    }
    add_round_key(t, k, r);
    for (unsigned i = 0; i < 16; i++) {
      s[i] = r == 0 ? t[i] : 0;
      for (unsigned j = 0; j < 4 && r != 0; j++) {
        s[i] ^= mul8(t[i / 4 * 4 + (i + j) % 4], m[j]);
      }
    }
  }
  memcpy(out, s, 16);
}

/* ---- modes */

static void xor16(uint8_t z[16], const uint8_t *x, const uint8_t *y) {
  for (int i = 0; i < 16; i++) {
    z[i] = x[i] ^ y[i];
  }
}

/* Ciphertext stealing as IEEE 1619, section 5.3.2, has it: the last two tweaks change places when decrypting. */
static void model_xts(const struct model_aes *k, const struct model_aes *kt, int encrypt, const uint8_t *iv,
                      uint8_t *out, const uint8_t *in, size_t len) {
  uint8_t t[2][16], b[16], cc[16];
  void (*f)(const struct model_aes *, const uint8_t *, uint8_t *) = encrypt ? model_aes_enc : model_aes_dec;
  size_t whole = len / 16, rest = len % 16;
  REQUIRE(len >= 16);
  model_aes_enc(kt, iv, t[0]);
  for (size_t i = 0; i < whole; i++) {
    int carry = 0;
    for (int j = 0; j < 16; j++) {
      t[1][j] = (uint8_t)(t[0][j] << 1 | carry);
      carry = t[0][j] >> 7;
    }
    t[1][0] ^= (uint8_t)(carry * 0x87);
    int stolen = rest != 0 && i == whole - 1;
    const uint8_t *tw = t[stolen && !encrypt];
    xor16(b, in + 16 * i, tw);
    f(k, b, b);
    xor16(cc, b, tw);
    if (stolen) {
      const uint8_t *tw2 = t[encrypt != 0];
      memcpy(b, cc, 16);
      memcpy(b, in + 16 * i + 16, rest);
      memcpy(out + 16 * i + 16, cc, rest);
      xor16(b, b, tw2);
      f(k, b, b);
      xor16(cc, b, tw2);
    }
    memcpy(out + 16 * i, cc, 16);
    memcpy(t[0], t[1], 16);
  }
}

void model_cipher(const char *name, int encrypt, const uint8_t *key, const uint8_t *iv, uint8_t *out, const uint8_t *in,
                  size_t len, uint8_t *iv_out) {
  struct model_aes k, kt;
  uint8_t c[16] = {0}, b[16];
  size_t key_len = (size_t)atoi(name + 4) / 8;
  const char *mode = name + 8;
  model_aes_init(&k, key, key_len);
  if (strcmp(mode, "XTS") == 0) {
    model_aes_init(&kt, key + key_len, key_len);
    model_xts(&k, &kt, encrypt, iv, out, in, len);
    return;
  }
  if (iv != NULL) {
    memcpy(c, iv, 16);
  }
  for (size_t i = 0; i < len; i += 16) {
    uint8_t x[16] = {0};
    size_t n = len - i < 16 ? len - i : 16;
    memcpy(x, in + i, n);
    if (strcmp(mode, "CTR") == 0) {
      model_aes_enc(&k, c, b);
      xor16(b, b, x);
      for (int j = 15; j >= 0 && ++c[j] == 0; j--) {
        continue;
      }
    } else if (strcmp(mode, "CFB") == 0) {
      model_aes_enc(&k, c, b);
      xor16(b, b, x);
      memcpy(c, encrypt ? b : x, 16);
    } else {
      int cbc = strcmp(mode, "CBC") == 0;
      REQUIRE(n == 16 && (cbc || strcmp(mode, "ECB") == 0));
      memcpy(b, x, 16);
      if (cbc && encrypt) {
        xor16(b, b, c);
      }
      (encrypt ? model_aes_enc : model_aes_dec)(&k, b, b);
      if (cbc && !encrypt) {
        xor16(b, b, c);
      }
      memcpy(c, encrypt ? b : x, 16);
    }
    memcpy(out + i, b, n);
  }
  if (iv_out != NULL) {
    memcpy(iv_out, c, 16);
  }
}

/* ---- CCM, SP 800-38C */

/* A block goes into CBC-MAC. */
static void ccm_mac(const struct model_aes *k, uint8_t mac[16], const uint8_t *p, size_t n) {
  for (size_t i = 0; i < n; i++) {
    mac[i] ^= p[i];
  }
  model_aes_enc(k, mac, mac);
}

/* Appendix A: n bytes of the number x, the highest first. */
static void ccm_number(uint8_t *to, size_t n, uint64_t x) {
  for (; n > 0; x >>= 8) {
    to[--n] = (uint8_t)x;
  }
}

void model_ccm(const uint8_t *key, size_t key_len, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
               size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t *tag, size_t tag_len) {
  struct model_aes k;
  uint8_t b[16] = {0}, mac[16] = {0}, s[16];
  size_t q = 15 - nonce_len;
  model_aes_init(&k, key, key_len);
  b[0] = (uint8_t)((aad_len > 0 ? 64 : 0) + (tag_len - 2) / 2 * 8 + q - 1);
  memcpy(b + 1, nonce, nonce_len);
  ccm_number(b + 16 - q, q, len);
  ccm_mac(&k, mac, b, 16);
  if (aad_len > 0) {
    size_t at = aad_len < 0xff00 ? 2 : 6, n = aad_len < 16 - at ? aad_len : 16 - at;
    REQUIRE(aad_len <= UINT32_MAX);
    b[0] = 0xff;
    b[1] = 0xfe;
    ccm_number(b + at - (at == 2 ? 2 : 4), at == 2 ? 2 : 4, aad_len);
    memcpy(b + at, aad, n);
    ccm_mac(&k, mac, b, at + n);
    for (; n < aad_len; n += 16) {
      ccm_mac(&k, mac, aad + n, aad_len - n < 16 ? aad_len - n : 16);
    }
  }
  memset(b, 0, 16);
  b[0] = (uint8_t)(q - 1);
  memcpy(b + 1, nonce, nonce_len);
  for (size_t i = 0; i < len; i += 16) {
    size_t n = len - i < 16 ? len - i : 16;
    ccm_mac(&k, mac, in + i, n);
    ccm_number(b + 16 - q, q, i / 16 + 1);
    model_aes_enc(&k, b, s);
    for (size_t j = 0; j < n; j++) {
      out[i + j] = in[i + j] ^ s[j];
    }
  }
  ccm_number(b + 16 - q, q, 0);
  model_aes_enc(&k, b, s);
  for (size_t i = 0; i < tag_len; i++) {
    tag[i] = mac[i] ^ s[i];
  }
}

/* ---- GF(2^128), SP 800-38D, section 6.3 */

void model_gf_mul(uint8_t z[16], const uint8_t x[16], const uint8_t y[16]) {
  uint64_t zh = 0, zl = 0, vh = 0, vl = 0;
  uint8_t xs[16];
  memcpy(xs, x, 16);
  for (int i = 0; i < 8; i++)
    vh = vh << 8 | y[i];
  for (int i = 8; i < 16; i++)
    vl = vl << 8 | y[i];
  for (int i = 0; i < 128; i++) {
    if (xs[i / 8] >> (7 - i % 8) & 1) {
      zh ^= vh;
      zl ^= vl;
    }
    uint64_t carry = vl & 1;
    vl = vl >> 1 | vh << 63;
    vh >>= 1;
    if (carry)
      vh ^= UINT64_C(0xe1) << 56;
  }
  for (int i = 0; i < 8; i++) {
    z[i] = (uint8_t)(zh >> (56 - 8 * i));
    z[8 + i] = (uint8_t)(zl >> (56 - 8 * i));
  }
}

void model_gf_inv(uint8_t z[16], const uint8_t x[16]) {
  /* x^(2^128 - 2) = product of x^(2^i) for i = 1 .. 127. */
  uint8_t r[16] = {0x80}, s[16];
  memcpy(s, x, 16);
  for (int i = 1; i < 128; i++) {
    model_gf_mul(s, s, s);
    model_gf_mul(r, r, s);
  }
  memcpy(z, r, 16);
}

void model_ghash(uint8_t acc[16], const uint8_t h[16], const uint8_t *p, size_t len) {
  for (size_t i = 0; i < len; i += 16) {
    for (size_t k = 0; k < 16 && i + k < len; k++)
      acc[k] ^= p[i + k];
    model_gf_mul(acc, acc, h);
  }
}

static void lengths(uint8_t b[16], uint64_t aad_len, uint64_t len) {
  for (int i = 0; i < 8; i++) {
    b[i] = (uint8_t)(aad_len * 8 >> (56 - 8 * i));
    b[8 + i] = (uint8_t)(len * 8 >> (56 - 8 * i));
  }
}

static void subkey(const uint8_t *key, size_t key_len, uint8_t h[16]) {
  static const uint8_t zero[16];
  struct model_aes k;
  model_aes_init(&k, key, key_len);
  model_aes_enc(&k, zero, h);
}

void model_j0(const uint8_t *key, size_t key_len, const uint8_t *nonce, size_t nonce_len, uint8_t j0[16]) {
  uint8_t h[16], b[16];
  memset(j0, 0, 16);
  if (nonce_len == 12) {
    memcpy(j0, nonce, 12);
    j0[15] = 1;
    return;
  }
  subkey(key, key_len, h);
  model_ghash(j0, h, nonce, nonce_len);
  lengths(b, 0, nonce_len);
  model_ghash(j0, h, b, 16);
}

void model_nonce_for_j0(const uint8_t *key, size_t key_len, const uint8_t j0[16], uint8_t nonce[16]) {
  uint8_t h[16], b[16];
  subkey(key, key_len, h);
  model_gf_inv(h, h);
  model_gf_mul(nonce, j0, h);
  lengths(b, 0, 16);
  for (int i = 0; i < 16; i++)
    nonce[i] ^= b[i];
  model_gf_mul(nonce, nonce, h);
}

void model_gcm(const uint8_t *key, size_t key_len, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
               size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t tag[16]) {
  uint8_t h[16], ctr[16], ks[16], b[16], acc[16] = {0};
  struct model_aes k;
  model_aes_init(&k, key, key_len);
  subkey(key, key_len, h);
  model_j0(key, key_len, nonce, nonce_len, ctr);
  model_aes_enc(&k, ctr, tag);
  for (size_t i = 0; i < len; i += 16) {
    for (int j = 15; j >= 12 && ++ctr[j] == 0; j--) {
      continue;
    }
    model_aes_enc(&k, ctr, ks);
    for (size_t j = 0; j < 16 && i + j < len; j++) {
      out[i + j] = in[i + j] ^ ks[j];
    }
  }
  model_ghash(acc, h, aad, aad_len);
  model_ghash(acc, h, out, len);
  lengths(b, aad_len, len);
  model_ghash(acc, h, b, 16);
  for (int i = 0; i < 16; i++)
    tag[i] ^= acc[i];
}

/* ---- AES-GCM-SIV, XAES-256-GCM */

static uint64_t word(const uint8_t *p) {
  uint64_t w = 0;
  for (int i = 7; i >= 0; i--)
    w = w << 8 | p[i];
  return w;
}

/* RFC 8452, section 3: z = x * y * x^-128, by bits; bit i of the block's integer, lowest byte first, is the coefficient
 * of x^i. */
static void polyval_dot(uint8_t z[16], const uint8_t x[16], const uint8_t y[16]) {
  uint64_t r[4] = {0}, lo = word(x), hi = word(x + 8);
  for (int i = 127; i >= 0; i--) { /* the product, from the highest bit of y on */
    for (int j = 3; j > 0; j--)
      r[j] = r[j] << 1 | r[j - 1] >> 63;
    r[0] <<= 1;
    uint64_t bit = (uint64_t)0 - (y[i / 8] >> i % 8 & 1);
    r[0] ^= lo & bit;
    r[1] ^= hi & bit;
  }
  for (int i = 0; i < 128; i++) { /* x^128 + x^127 + x^126 + x^121 + 1, divided by x */
    uint64_t bit = (uint64_t)0 - (r[0] & 1);
    r[0] ^= bit & 1;
    r[1] ^= bit & (uint64_t)0xc2 << 56;
    r[2] ^= bit & 1;
    for (int j = 0; j < 3; j++)
      r[j] = r[j] >> 1 | r[j + 1] << 63;
    r[3] >>= 1;
  }
  for (int i = 0; i < 16; i++)
    z[i] = (uint8_t)(r[i / 8] >> 8 * (i % 8));
}
static void polyval(uint8_t acc[16], const uint8_t h[16], const uint8_t *p, size_t len) {
  for (size_t i = 0; i < len; i += 16) {
    for (size_t k = 0; k < 16 && i + k < len; k++)
      acc[k] ^= p[i + k];
    polyval_dot(acc, acc, h);
  }
}

void model_gcm_siv(const uint8_t *key, size_t key_len, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                   size_t aad_len, const uint8_t nonce[12], uint8_t tag[16]) {
  uint8_t b[16], keys[6][16], made[48], acc[16] = {0};
  struct model_aes k;
  model_aes_init(&k, key, key_len);
  for (uint8_t i = 0; i < 2 + key_len / 8; i++) {
    memset(b, 0, 4);
    b[0] = i;
    memcpy(b + 4, nonce, 12);
    model_aes_enc(&k, b, keys[i]);
    memcpy(made + 8 * i, keys[i], 8);
  }
  model_aes_init(&k, made + 16, key_len);
  polyval(acc, made, aad, aad_len);
  polyval(acc, made, in, len);
  for (int i = 0; i < 8; i++) {
    b[i] = (uint8_t)((uint64_t)aad_len * 8 >> 8 * i);
    b[8 + i] = (uint8_t)((uint64_t)len * 8 >> 8 * i);
  }
  polyval(acc, made, b, 16);
  for (int i = 0; i < 12; i++)
    acc[i] ^= nonce[i];
  acc[15] &= 0x7f;
  model_aes_enc(&k, acc, tag);
  memcpy(acc, tag, 16);
  acc[15] |= 0x80;
  for (size_t i = 0; i < len; i += 16) {
    model_aes_enc(&k, acc, b);
    for (size_t j = 0; j < 16 && i + j < len; j++)
      out[i + j] = in[i + j] ^ b[j];
    for (int j = 0; j < 4 && ++acc[j] == 0; j++) {
      continue;
    }
  }
}

void model_xaes(const uint8_t key[32], uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad, size_t aad_len,
                const uint8_t nonce[24], uint8_t tag[16]) {
  uint8_t k1[16] = {0}, b[16], derived[32];
  struct model_aes k;
  model_aes_init(&k, key, 32);
  model_aes_enc(&k, k1, k1);
  unsigned top = k1[0] >> 7;
  for (int i = 0; i < 16; i++)
    k1[i] = (uint8_t)(k1[i] << 1 | (i < 15 ? k1[i + 1] >> 7 : 0));
  k1[15] ^= (uint8_t)(0x87 * top);
  for (uint8_t half = 0; half < 2; half++) {
    const uint8_t head[4] = {0, (uint8_t)(half + 1), 'X', 0};
    for (int i = 0; i < 16; i++)
      b[i] = k1[i] ^ (i < 4 ? head[i] : nonce[i - 4]);
    model_aes_enc(&k, b, derived + 16 * half);
  }
  ref_gcm(derived, 32, out, in, len, aad, aad_len, nonce + 12, 12, tag);
}
