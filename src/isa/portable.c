/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* All modes in constant-time C, for every machine: bitsliced AES (portable_aes.h), GHASH by integer multiplications
 * (portable_ghash.h), GCM of the two (portable_gcm.h). No table is indexed by a secret, no branch depends on one. It
 * fills the same contract as the other sets (impl.h), without the templates of src/mode.
 *
 * Bitslicing works on words (type word): 128-bit vectors where the machine has them at the level the file is compiled
 * for, else uint64_t. BLOCKS blocks go through the cipher at once, 8 or 4: GROUP bytes. A call with fewer does them all
 * the same. */
#include "isa.h"

#include "../bytes.h"
#include "../ct.h"
#ifdef __SSE2__
#include "ops_x86_clear.h"
#endif

#define NOINLINE __attribute__((noinline))

/* The eight words of a state, and the four classes of a factor, must be registers, not arrays. gcc at -O2 leaves such
 * loops rolled, which is slower (T-218); clang unrolls them unasked. */
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

#if !defined(RIJN_PORTABLE_WORD64) &&                                                                                  \
    (defined(__SSE2__) || defined(__VSX__) || (defined(__aarch64__) && defined(__ARM_NEON)))
#define WORD_IS_VECTOR
typedef uint64_t word __attribute__((vector_size(16)));
typedef uint32_t words4 __attribute__((vector_size(16)));
typedef uint16_t halves8 __attribute__((vector_size(16)));
typedef uint8_t bytes16 __attribute__((vector_size(16)));
#else
typedef uint64_t word;
#endif

/* memcpy for a length that is not constant. WHY: the C library's own may leave what it moved in vector registers that
 * nothing compiled for this file knows of; the barrier keeps the compiler from putting it back. */
static NOINLINE void copy_bytes(uint8_t *out, const uint8_t *in, size_t len) {
  for (; len >= 8; out += 8, in += 8, len -= 8) {
    uint64_t x;
    memcpy(&x, in, 8);
    memcpy(out, &x, 8);
    __asm__ volatile("" : : : "memory");
  }
  for (size_t i = 0; i < len; i++) {
    out[i] = in[i];
    __asm__ volatile("" : : : "memory");
  }
}

#include "portable_aes.h"
#include "portable_ghash.h"

#define GROUP (16 * (size_t)BLOCKS)

/* ---------------------------------------------------------------- leaving nothing behind
 *
 * The circuits have more values than the machine has registers, and what compilers put on the stack is secret. So every
 * kernel is a thin function that calls the work, which is not inlined, and then burn(), whose frame lies where the
 * work's did: it overwrites BURN bytes of it, and clears the vector registers. test/portable/residue.c looks whether
 * that is enough. */
#if defined RIJN_IN_KERNEL
#define BURN 896 /* Linux's stack is small, and it has no vectors for this file */
#elif defined __OPTIMIZE__
#define BURN 4096
#else
#define BURN 12288
#endif
static NOINLINE void burn(void) {
  uint8_t frame[BURN];
  rijn_wipe(frame, sizeof frame);
#if defined(__SSE2__)
  CLEAR_REGS();
#ifdef CLEAR_MASKS
  CLEAR_MASKS();
#endif
#elif defined(__aarch64__) && defined(__ARM_NEON)
/* The lower halves of v8 to v15 belong to the caller, and are his again by now. */
#define Z(n) "movi v" #n ".16b, #0\n\t"
#define T(n) "mov v" #n ".d[1], xzr\n\t"
  __asm__ volatile(Z(0) Z(1) Z(2) Z(3) Z(4) Z(5) Z(6) Z(7) Z(16) Z(17) Z(18) Z(19) Z(20) Z(21) Z(22) Z(23) Z(24) Z(25)
                       Z(26) Z(27) Z(28) Z(29) Z(30) Z(31) T(8) T(9) T(10) T(11) T(12) T(13) T(14) T(15)::
                           : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21",
                             "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
#undef Z
#undef T
#elif defined(__VSX__)
/* vs0 to vs13 and vs32 to vs51 are the kernel's to use; the rest is the caller's. */
#define Z(n) "xxlxor " #n "," #n "," #n "\n\t"
  __asm__ volatile(Z(0) Z(1) Z(2) Z(3) Z(4) Z(5) Z(6) Z(7) Z(8) Z(9) Z(10) Z(11) Z(12) Z(13) Z(32) Z(33) Z(34) Z(35)
                       Z(36) Z(37) Z(38) Z(39) Z(40) Z(41) Z(42) Z(43) Z(44) Z(45) Z(46) Z(47) Z(48) Z(49) Z(50) Z(51)::
                           : "fr0", "fr1", "fr2", "fr3", "fr4", "fr5", "fr6", "fr7", "fr8", "fr9", "fr10", "fr11",
                             "fr12", "fr13", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
                             "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19");
#undef Z
#endif
}

/* ---------------------------------------------------------------- ECB, CBC and CFB */

typedef void (*group_fn)(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in);

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

INLINE void xor_bytes(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t len) {
  for (; len >= 8; out += 8, len -= 8) {
    uint64_t x, y;
    memcpy(&x, a, 8);
    memcpy(&y, b, 8);
    x ^= y;
    memcpy(out, &x, 8);
    a += 8;
    b += 8;
  }
  for (size_t i = 0; i < len; i++)
    out[i] = a[i] ^ b[i];
}

static NOINLINE void ecb(group_fn fn, const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in,
                         size_t len) {
  uint8_t buf[GROUP];
  for (; len >= GROUP; out += GROUP, in += GROUP, len -= GROUP)
    fn(rk, rounds, out, in);
  if (len) {
    memset(buf, 0, sizeof buf);
    copy_bytes(buf, in, len);
    fn(rk, rounds, buf, buf);
    copy_bytes(out, buf, len);
  }
}

static void ecb_enc(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk) {
  ecb(encrypt_group, rk, rounds, out, in, 16 * nblk);
  burn();
}

static void ecb_dec(const struct rijn_rk *dk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk) {
  ecb(decrypt_group, dk, rounds, out, in, 16 * nblk);
  burn();
}

/* CBC and CFB (cfb) chain in two orders. Encryption of CFB adds the text behind the cipher, CBC before it. */
static NOINLINE void chained_enc(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in,
                                 size_t nblk, uint8_t iv[16], bool cfb) {
  uint8_t buf[GROUP];
  memset(buf, 0, sizeof buf);
  memcpy(buf, iv, 16);
  for (; nblk; nblk--, out += 16, in += 16) {
    if (!cfb)
      xor_bytes(buf, buf, in, 16);
    encrypt_group(rk, rounds, buf, buf);
    if (cfb)
      xor_bytes(buf, buf, in, 16);
    memcpy(out, buf, 16);
  }
  memcpy(iv, buf, 16);
}

/* CFB enciphers the blocks before, and adds the ciphertext; CBC deciphers that, and adds the blocks before. */
static NOINLINE void chained_dec(const struct rijn_rk *k, unsigned rounds, uint8_t *out, const uint8_t *in, size_t len,
                                 uint8_t iv[16], bool cfb) {
  uint8_t prev[16 + GROUP], buf[GROUP]; /* the chaining value, and the ciphertext, which out may overwrite */
  memset(prev, 0, sizeof prev);
  memcpy(prev, iv, 16);
  while (len) {
    size_t n = least(len, GROUP);
    copy_bytes(prev + 16, in, n);
    if (cfb)
      encrypt_group(k, rounds, buf, prev);
    else
      decrypt_group(k, rounds, buf, prev + 16);
    xor_bytes(out, buf, cfb ? prev + 16 : prev, n);
    memcpy(prev, prev + n, 16);
    out += n;
    in += n;
    len -= n;
  }
  memcpy(iv, prev, 16);
}

#define CHAINED(name, key, chained, len, cfb)                                                                          \
  static void name(const struct rijn_rk *key, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,           \
                   uint8_t iv[16]) {                                                                                   \
    chained(key, rounds, out, in, len, iv, cfb);                                                                       \
    burn();                                                                                                            \
  }
CHAINED(cbc_enc, rk, chained_enc, nblk, false)
CHAINED(cbc_dec, dk, chained_dec, 16 * nblk, false)

#ifndef RIJN_IN_KERNEL
CHAINED(cfb_enc, rk, chained_enc, nblk, true)
CHAINED(cfb_dec, rk, chained_dec, 16 * nblk, true)

static NOINLINE void cbc_many_work(const struct rijn_rk *rk, unsigned rounds, const struct rijn_cbc_stream *s, size_t n,
                                   size_t nblk) {
  uint8_t buf[GROUP];
  memset(buf, 0, sizeof buf);
  for (size_t i = 0; i < n; i++)
    memcpy(buf + 16 * i, s[i].iv, 16);
  for (size_t at = 0; at < 16 * nblk; at += 16) {
    for (size_t i = 0; i < n; i++)
      xor_bytes(buf + 16 * i, buf + 16 * i, s[i].in + at, 16);
    encrypt_group(rk, rounds, buf, buf);
    for (size_t i = 0; i < n; i++)
      memcpy(s[i].out + at, buf + 16 * i, 16);
  }
  for (size_t i = 0; i < n; i++)
    memcpy(s[i].iv, buf + 16 * i, 16);
}

static void cbc_enc_many(const struct rijn_rk *rk, unsigned rounds, struct rijn_cbc_stream *s, size_t n, size_t nblk) {
  for (size_t i = 0; i < n; i += (size_t)BLOCKS)
    cbc_many_work(rk, rounds, s + i, least(n - i, (size_t)BLOCKS), nblk);
  burn();
}

/* ---------------------------------------------------------------- CCM
 * SPEC: SP 800-38C, section 6. A group has the block of CBC-MAC first and the counter second. */

static NOINLINE void ccm_work(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t len,
                              struct rijn_ccm_state *c, enum direction dir) {
  uint64_t counter = rijn_load_be64(c->ctr + 8);
  uint8_t buf[GROUP], text[16];
  memset(buf, 0, sizeof buf);
  memcpy(buf, c->mac, 16);
  memcpy(buf + 16, c->ctr, 16);
  memcpy(buf + 32, c->ctr, 16);
  rijn_store_be64(buf + 40, ++counter);
  encrypt_group(rk, rounds, buf, buf);
  memcpy(c->mac, buf + 16, 16);
  memcpy(buf + 16, buf + 32, 16);
  while (len) {
    size_t n = least(len, 16);
    memset(text, 0, sizeof text);
    copy_bytes(text, in, n);
    if (dir == ENCRYPT)
      xor_bytes(buf, buf, text, n);
    xor_bytes(text, text, buf + 16, n);
    copy_bytes(out, text, n);
    if (dir == DECRYPT)
      xor_bytes(buf, buf, text, n);
    memcpy(buf + 16, c->ctr, 8);
    rijn_store_be64(buf + 24, ++counter);
    encrypt_group(rk, rounds, buf, buf);
    out += n;
    in += n;
    len -= n;
  }
  xor_bytes(c->mac, c->mac, buf, 16);
}

static void ccm_enc(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t len,
                    struct rijn_ccm_state *c) {
  ccm_work(rk, rounds, out, in, len, c, ENCRYPT);
  burn();
}

static void ccm_dec(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t len,
                    struct rijn_ccm_state *c) {
  ccm_work(rk, rounds, out, in, len, c, DECRYPT);
  burn();
}
#endif

/* ---------------------------------------------------------------- CTR */

/* BLOCKS counter blocks from ctr on to buf, of which n, at most BLOCKS, are spent: ctr moves on by n. wide: it has 128
 * bits; 0: 32.
 * CT: the carry is arithmetic. */
static void put_counters(uint8_t *buf, uint8_t ctr[16], size_t n, int wide) {
  uint64_t hi = rijn_load_be64(ctr), lo = rijn_load_be64(ctr + 8);
  for (uint32_t i = 0; i <= (uint32_t)BLOCKS; i++) {
    /* CT: the barrier, because gcc at -O3 on Arm ends the loop where sum ends: a comparison of secrets, if with a
     * public result. */
    uint32_t by = rijn_ct_barrier(i);
    uint64_t sum = wide ? lo + by : (lo & 0xffffffff00000000u) | (uint32_t)((uint32_t)lo + by);
    uint64_t carry = wide ? (lo & ~sum) >> 63 : 0; /* the top bit went from 1 to 0 */
    if (i < (uint32_t)BLOCKS) {
      rijn_store_be64(buf + (size_t)16 * i, hi + carry);
      rijn_store_be64(buf + (size_t)16 * i + 8, sum);
    }
    if (i == n) {
      rijn_store_be64(ctr, hi + carry);
      rijn_store_be64(ctr + 8, sum);
    }
  }
}

static NOINLINE void ctr_work(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t len,
                              uint8_t ctr[16], int wide) {
  uint8_t ks[GROUP];
  while (len) {
    size_t n = least(len, GROUP);
    put_counters(ks, ctr, n / 16, wide);
    encrypt_group(rk, rounds, ks, ks);
    xor_bytes(out, in, ks, n);
    out += n;
    in += n;
    len -= n;
  }
}

static void ctr_blocks(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                       uint8_t ctr[16]) {
  ctr_work(rk, rounds, out, in, 16 * nblk, ctr, 1);
  burn();
}

static void ctr32_blocks(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                         uint8_t ctr[16]) {
  ctr_work(rk, rounds, out, in, 16 * nblk, ctr, 0);
  burn();
}

/* ---------------------------------------------------------------- GCM */

#include "portable_gcm.h"

/* ---------------------------------------------------------------- XTS
 * SPEC: IEEE 1619-2018, section 5. The tweak is a polynomial, its first byte's lowest bit the coefficient of x^0. */

/* n tweaks to buf, beginning with t; t moves on by n. */
static void put_tweaks(uint8_t *buf, uint64_t t[2], size_t n) {
  for (size_t i = 0; i < n; i++, buf += 16) {
    rijn_store_le64(buf, t[0]);
    rijn_store_le64(buf + 8, t[1]);
    uint64_t carry = ((uint64_t)0 - (t[1] >> 63)) & 0x87; /* x^128 = x^7 + x^2 + x + 1; CT: a mask, no branch */
    t[1] = t[1] << 1 | t[0] >> 63;
    t[0] = t[0] << 1 ^ carry;
  }
}

/* The cipher of a direction: its function, its round keys. first: those that the tweak is still to be encrypted with,
 * or NULL. */
struct xts_cipher {
  group_fn fn;
  const struct rijn_rk *key, *first;
  unsigned rounds;
  enum direction dir;
};

/* len bytes, whole blocks, with tweaks from t on; t moves on. */
static NOINLINE void xts_run(const struct xts_cipher *c, uint8_t *out, const uint8_t *in, size_t len, uint64_t t[2]) {
  uint8_t buf[GROUP], tweaks[GROUP];
  while (len) {
    size_t n = least(len, GROUP);
    put_tweaks(tweaks, t, n / 16);
    if (n < GROUP)
      memset(buf, 0, sizeof buf);
    xor_bytes(buf, in, tweaks, n);
    c->fn(c->key, c->rounds, buf, buf);
    xor_bytes(out, buf, tweaks, n);
    out += n;
    in += n;
    len -= n;
  }
}

/* One data unit whose encrypted tweak is at tweak, which becomes that of what follows the whole blocks. */
static void xts_unit(const struct xts_cipher *c, uint8_t *out, const uint8_t *in, size_t len, uint8_t *tweak) {
  uint64_t t[2] = {rijn_load_le64(tweak), rijn_load_le64(tweak + 8)};
  size_t part = len % 16, whole = len - part - (part ? 16 : 0), first = c->dir == ENCRYPT ? 0 : 16;
  uint8_t block[16], last[16], two[32];

  xts_run(c, out, in, whole, t);
  if (!part) {
    put_tweaks(tweak, t, 1);
    return;
  }
  /* Ciphertext stealing. The last whole block goes first; its result gives its beginning to the part at the end, and
   * its end completes that part's input, whose result takes the place before. Decryption undoes the second step first:
   * the two tweaks change places. */
  out += whole;
  in += whole;
  put_tweaks(two, t, 2);
  t[0] = rijn_load_le64(two + first);
  t[1] = rijn_load_le64(two + first + 8);
  xts_run(c, block, in, 16, t);
  memcpy(last, block, 16);
  copy_bytes(last, in + 16, part);
  copy_bytes(out + 16, block, part);
  t[0] = rijn_load_le64(two + (16 - first));
  t[1] = rijn_load_le64(two + (16 - first) + 8);
  xts_run(c, out, last, 16, t);
  memcpy(tweak, two + 16, 16);
}

static struct xts_cipher xts_cipher(const struct rijn_xts *k, enum direction dir, int first) {
  const struct rijn_rk *tk = first ? &k->tk : NULL;
  if (dir == ENCRYPT)
    return (struct xts_cipher){encrypt_group, &k->rk, tk, k->rounds, ENCRYPT};
  return (struct xts_cipher){decrypt_group, &k->dk, tk, k->rounds, DECRYPT};
}

static NOINLINE void xts_work(const struct xts_cipher *c, uint8_t *out, const uint8_t *in, size_t len,
                              const uint8_t tweak[16], uint8_t *next) {
  uint8_t tweaks[GROUP];
  memset(tweaks, 0, sizeof tweaks);
  memcpy(tweaks, tweak, 16);
  if (c->first)
    encrypt_group(c->first, c->rounds, tweaks, tweaks);
  xts_unit(c, out, in, len, tweaks);
  if (next)
    memcpy(next, tweaks, 16);
}

static void xts_enc(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16]) {
  const struct xts_cipher c = xts_cipher(k, ENCRYPT, 1);
  xts_work(&c, out, in, len, tweak, NULL);
  burn();
}

static void xts_dec(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16]) {
  const struct xts_cipher c = xts_cipher(k, DECRYPT, 1);
  xts_work(&c, out, in, len, tweak, NULL);
  burn();
}

static void xts_enc_part(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16],
                         uint8_t next[16], int first) {
  const struct xts_cipher c = xts_cipher(k, ENCRYPT, first);
  xts_work(&c, out, in, len, tweak, next);
  burn();
}

static void xts_dec_part(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16],
                         uint8_t next[16], int first) {
  const struct xts_cipher c = xts_cipher(k, DECRYPT, first);
  xts_work(&c, out, in, len, tweak, next);
  burn();
}

#ifndef RIJN_IN_KERNEL
/* The tweaks of a group of sectors are encrypted together. */
static NOINLINE void xts_sectors_work(const struct rijn_xts *k, uint8_t *out, const uint8_t *in,
                                      const struct rijn_sectors *s, enum direction dir) {
  const struct xts_cipher c = xts_cipher(k, dir, 0);
  uint8_t tweaks[GROUP];
  for (size_t i = 0; i < s->n; i++, out += s->size, in += s->size) {
    size_t at = i % (size_t)BLOCKS, n = least(s->n - i, (size_t)BLOCKS);
    if (at == 0) {
      memset(tweaks, 0, sizeof tweaks);
      if (s->tweaks) {
        copy_bytes(tweaks, s->tweaks + 16 * i, 16 * n);
      } else {
        for (size_t j = 0; j < n; j++)
          rijn_store_le64(tweaks + 16 * j, s->first + (i + j) * s->step);
      }
      encrypt_group(&k->tk, k->rounds, tweaks, tweaks);
    }
    xts_unit(&c, out, in, s->size, tweaks + 16 * at);
  }
}

static void xts_enc_sectors(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, const struct rijn_sectors *s) {
  xts_sectors_work(k, out, in, s, ENCRYPT);
  burn();
}

static void xts_dec_sectors(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, const struct rijn_sectors *s) {
  xts_sectors_work(k, out, in, s, DECRYPT);
  burn();
}
#endif

/* ---------------------------------------------------------------- keys */

static NOINLINE void gcm_init_work(struct rijn_gcm *k, const uint8_t *raw) {
  uint8_t h[GROUP] = {0};
  expand_keys(&k->rk, NULL, k->rounds, raw, NULL);
  encrypt_group(&k->rk, k->rounds, h, h);
  hash_init(&k->h, h);
}

static void gcm_init(struct rijn_gcm *k, const uint8_t *raw) {
  gcm_init_work(k, raw);
  burn();
}

static NOINLINE void ghash_init_work(struct rijn_ghash *k, const uint8_t h[16]) { hash_init(&k->h, h); }

static void ghash_init(struct rijn_ghash *k, const uint8_t h[16]) {
  ghash_init_work(k, h);
  burn();
}

static NOINLINE void aes_init_work(struct rijn_aes *k, const uint8_t *raw) {
  expand_keys(&k->rk, NULL, k->rounds, raw, NULL);
  reverse_keys(&k->dk, &k->rk, k->rounds);
}

static void aes_init(struct rijn_aes *k, const uint8_t *raw) {
  aes_init_work(k, raw);
  burn();
}

static NOINLINE void xts_init_work(struct rijn_xts *k, const uint8_t *raw) {
  expand_keys(&k->rk, &k->tk, k->rounds, raw, raw + 4 * (k->rounds - 6u));
  reverse_keys(&k->dk, &k->rk, k->rounds);
}

static void xts_init(struct rijn_xts *k, const uint8_t *raw) {
  xts_init_work(k, raw);
  burn();
}

extern const struct rijn_impl rijn_impl_portable;
const struct rijn_impl rijn_impl_portable = {
    .name = "portable",
    .needs = 0,
    .gcm_init = gcm_init,
    .ghash_init = ghash_init,
    .aes_init = aes_init,
    .xts_init = xts_init,
    .gcm_encrypt = gcm_encrypt,
    .gcm_decrypt = gcm_decrypt,
    .gcm_encrypt_checked = gcm_encrypt_checked,
    .gcm_decrypt_checked = gcm_decrypt_checked,
    .gcm_enc_blocks = gcm_enc_blocks,
    .gcm_dec_blocks = gcm_dec_blocks,
    .gcm_blocks_tag = gcm_blocks_tag,
    .ghash_blocks = ghash_blocks,
    .ecb_enc = ecb_enc,
    .ecb_dec = ecb_dec,
    .ctr_blocks = ctr_blocks,
    .ctr32_blocks = ctr32_blocks,
    .cbc_enc = cbc_enc,
    .cbc_dec = cbc_dec,
#ifndef RIJN_IN_KERNEL
    .cbc_enc_many = cbc_enc_many,
    .cfb_enc = cfb_enc,
    .cfb_dec = cfb_dec,
    .ccm_enc = ccm_enc,
    .ccm_dec = ccm_dec,
#endif
    .xts_enc = xts_enc,
    .xts_dec = xts_dec,
    .xts_enc_part = xts_enc_part,
    .xts_dec_part = xts_dec_part,
#ifndef RIJN_IN_KERNEL
    .xts_enc_sectors = xts_enc_sectors,
    .xts_dec_sectors = xts_dec_sectors,
#endif
};
