/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Known answers for every mode through one implementation. No libc: freestanding builds use this file.
 *
 * The messages are pseudo-random, of every length up to 100 bytes and some up to MAX, so that each tail and each bulk
 * path of each kernel works. Outputs go into a checksum, which is compared with the one another implementation
 * produced (tools/selftest-answers, where each function here has its counterpart). What was encrypted is decrypted
 * again, which must give the message back; a changed tag must be refused, and leave zeros. Batches and long calls are
 * in selftest_long.h, four modes in selftest_siv.h and selftest_chains.h. */
#include "impl.h"
#include "rijn.h"

#include "bytes.h"
#include "mem.h"
#include "selftest_answers.h"

#define MAX 2112
#define AAD_MAX 640

enum {
  GCM = 1,
  NONCE,
  ESP,
  GMAC,
  XTS,
  SECTORS,
  TWEAKS,
  CTR,
  CTR32,
  CBC,
  PKCS7,
  ECB,
  GHASH,
  SIV,
  XAES,
  LONG_CALLS,
  CFB,
  CCM
};
enum { KEY, TEXT, AAD, IV };
enum { ALL = -1, MODES = RIJN_MODE_CCM + 1 }; /* of RIJN_MODE_... */

/* About 7 KiB, on the stack: a self-test may be the first thing a kernel module does. */
struct run {
  int impl;
  uint64_t digest;
  uint8_t raw[64], iv[128], tag[16];
  uint8_t buf[MAX], aad[AAD_MAX];
  union {
    rijn_gcm_key gcm;
    rijn_esp_key esp;
    rijn_gcm_siv_key siv;
    rijn_xaes_key xaes;
    rijn_ccm_key ccm;
    rijn_xts_key xts;
    rijn_aes_key aes;
    rijn_ghash_key ghash;
  } key;
  union {
    rijn_gcm_stream gcm;
    rijn_ctr_state ctr;
    rijn_cfb_state cfb;
  } state;
};

#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    if ((call) != 0)                                                                                                   \
      return RIJN_ESELFTEST;                                                                                           \
  } while (0)
#define EXPECT(cond) TRY(!(cond))

/* splitmix64 from a seed that says what the bytes are. */
static uint64_t draw(uint64_t *seed) {
  uint64_t z = *seed += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static uint64_t seed_of(unsigned what, unsigned mode, size_t n) {
  return (uint64_t)mode << 48 | (uint64_t)what << 40 | n;
}

static void fill(uint8_t *p, unsigned what, unsigned mode, size_t n, size_t len) {
  uint64_t seed = seed_of(what, mode, n), z = 0;
  for (size_t i = 0; i < len; i++, z >>= 8) {
    if (i % 8 == 0)
      z = draw(&seed);
    p[i] = (uint8_t)z;
  }
}

/* Is p what fill would put there? */
static int is_filled(const uint8_t *p, unsigned what, unsigned mode, size_t n, size_t len) {
  uint64_t seed = seed_of(what, mode, n), z = 0;
  unsigned diff = 0;
  for (size_t i = 0; i < len; i++, z >>= 8) {
    if (i % 8 == 0)
      z = draw(&seed);
    diff |= p[i] ^ (unsigned)(z & 0xff);
  }
  return diff == 0;
}

static int is_zero(const uint8_t *p, size_t len) {
  unsigned diff = 0;
  for (size_t i = 0; i < len; i++)
    diff |= p[i];
  return diff == 0;
}

/* FNV-1a: enough against accidents. */
static void digest_start(struct run *r) { r->digest = 0xcbf29ce484222325u; }

static void digest(struct run *r, const uint8_t *p, size_t len) {
  for (size_t i = 0; i < len; i++)
    r->digest = (r->digest ^ p[i]) * 0x100000001b3u;
}

static size_t next(size_t n) {
  if (n < 100)
    return n + 1;
  return n + (n < 600 ? 13 : 103);
}

static size_t aad_len(size_t n) { return n % 16 == 3 ? 515 + n % 64 : n * 5 % 71; }

/* Pieces for the calls that take a message in parts: none, single bytes, around a block, around a group. */
static size_t piece(unsigned *nth, size_t left) {
  static const uint16_t sizes[] = {1, 15, 0, 16, 17, 47, 64, 3, 255, 256, 31, 513, 130};
  size_t n = sizes[(*nth)++ % (sizeof sizes / sizeof sizes[0])];
  return n < left ? n : left;
}

static int gcm(struct run *r, size_t key_len, uint64_t want) {
  rijn_gcm_key *k = &r->key.gcm;

  fill(r->raw, KEY, GCM, key_len, key_len);
  TRY(rijn_gcm_init_impl(k, r->raw, key_len, 16, r->impl));
  EXPECT(rijn_gcm_key_impl(k) == r->impl);
  for (size_t n = 0; n <= MAX; n = next(n)) {
    size_t a = aad_len(n);
    fill(r->iv, IV, GCM, n, 12);
    fill(r->buf, TEXT, GCM, n, n);
    fill(r->aad, AAD, GCM, n, a);
    TRY(rijn_gcm_encrypt(k, r->buf, r->buf, n, r->aad, a, r->iv, 12, r->tag));
    digest(r, r->buf, n);
    digest(r, r->tag, 16);
    TRY(rijn_gcm_decrypt(k, r->buf, r->buf, n, r->aad, a, r->iv, 12, r->tag));
    EXPECT(is_filled(r->buf, TEXT, GCM, n, n));
    if (n % 5 == 0) {
      r->tag[n % 16] ^= (uint8_t)(1u << n % 8);
      EXPECT(rijn_gcm_decrypt(k, r->buf, r->buf, n, r->aad, a, r->iv, 12, r->tag) == RIJN_EAUTH);
      EXPECT(is_zero(r->buf, n));
    }
  }
  EXPECT(r->digest == want);
  return 0;
}

/* The same messages, the same answer, in pieces; with the key of gcm(). */
static int gcm_stream(struct run *r, size_t key_len, uint64_t want) {
  rijn_gcm_stream *s = &r->state.gcm;
  unsigned nth = 0;

  (void)key_len;
  for (size_t n = 0; n <= MAX; n = next(n)) {
    size_t a = aad_len(n), at, part;
    fill(r->iv, IV, GCM, n, 12);
    fill(r->buf, TEXT, GCM, n, n);
    fill(r->aad, AAD, GCM, n, a);
    for (int turns = 0; turns < 2; turns++) {
      const enum direction dir = turns == 0 ? ENCRYPT : DECRYPT;
      TRY((dir == DECRYPT ? rijn_gcm_decrypt_start : rijn_gcm_encrypt_start)(s, &r->key.gcm, r->iv, 12));
      for (at = 0; at < a; at += part) {
        part = piece(&nth, a - at);
        TRY(rijn_gcm_aad(s, r->aad + at, part));
      }
      for (at = 0; at < n; at += part) {
        part = piece(&nth, n - at);
        TRY(rijn_gcm_update(s, r->buf + at, r->buf + at, part));
      }
      if (dir == DECRYPT) {
        TRY(rijn_gcm_decrypt_finish(s, r->tag));
        EXPECT(is_filled(r->buf, TEXT, GCM, n, n));
      } else {
        TRY(rijn_gcm_encrypt_finish(s, r->tag));
        digest(r, r->buf, n);
        digest(r, r->tag, 16);
      }
    }
  }
  EXPECT(r->digest == want);
  return 0;
}

/* Nonces that are not 12 bytes, and short tags. */
static int nonce(struct run *r, size_t key_len, uint64_t want) {
  static const uint8_t sizes[8] = {8, 11, 13, 16, 31, 32, 60, 128}, tags[8] = {4, 8, 12, 13, 14, 15, 16, 16};

  for (size_t i = 0; i < 8; i++) {
    rijn_gcm_key *k = &r->key.gcm;
    size_t n = 37 * i;
    fill(r->raw, KEY, NONCE, i, key_len);
    fill(r->iv, IV, NONCE, i, sizes[i]);
    fill(r->buf, TEXT, NONCE, i, n);
    fill(r->aad, AAD, NONCE, i, i);
    TRY(rijn_gcm_init_impl(k, r->raw, key_len, tags[i], r->impl));
    TRY(rijn_gcm_encrypt(k, r->buf, r->buf, n, r->aad, i, r->iv, sizes[i], r->tag));
    digest(r, r->buf, n);
    digest(r, r->tag, tags[i]);
    TRY(rijn_gcm_decrypt(k, r->buf, r->buf, n, r->aad, i, r->iv, sizes[i], r->tag));
    EXPECT(is_filled(r->buf, TEXT, NONCE, i, n));
    r->tag[tags[i] - 1] ^= 0x80;
    EXPECT(rijn_gcm_decrypt(k, r->buf, r->buf, n, r->aad, i, r->iv, sizes[i], r->tag) == RIJN_EAUTH);
    EXPECT(is_zero(r->buf, n));
  }
  EXPECT(r->digest == want);
  return 0;
}

/* RFC 4106, and RFC 4543 with the same keys. */
static int esp(struct run *r, size_t key_len, uint64_t want) {
  static const uint8_t tags[3] = {8, 12, 16};

  for (size_t i = 0; i < 24; i++) {
    rijn_esp_key *k = &r->key.esp;
    size_t n = 29 * i, tag_len = tags[i % 3], a = 8 + 4 * (i & 1);
    fill(r->raw, KEY, ESP, i, key_len + 4);
    fill(r->iv, IV, ESP, i, 8);
    fill(r->buf, TEXT, ESP, i, n);
    fill(r->aad, AAD, ESP, i, a);
    TRY(rijn_rfc4106_init_impl(k, r->raw, key_len + 4, tag_len, r->impl));
    TRY(rijn_rfc4106_encrypt(k, r->buf, r->buf, n, r->aad, a, r->iv, r->tag));
    digest(r, r->buf, n);
    digest(r, r->tag, tag_len);
    TRY(rijn_rfc4106_decrypt(k, r->buf, r->buf, n, r->aad, a, r->iv, r->tag));
    EXPECT(is_filled(r->buf, TEXT, ESP, i, n));
    TRY(rijn_rfc4543_init_impl(k, r->raw, key_len + 4, r->impl));
    TRY(rijn_rfc4543_tag(k, r->buf, n, r->iv, r->tag));
    digest(r, r->tag, 16);
    TRY(rijn_rfc4543_verify(k, r->buf, n, r->iv, r->tag));
  }
  EXPECT(r->digest == want);
  return 0;
}

static int gmac(struct run *r, size_t key_len, uint64_t want) {
  fill(r->raw, KEY, GMAC, key_len, key_len);
  TRY(rijn_gcm_init_impl(&r->key.gcm, r->raw, key_len, 16, r->impl));
  for (size_t n = 0; n <= MAX; n = next(n)) {
    fill(r->iv, IV, GMAC, n, 12);
    fill(r->buf, TEXT, GMAC, n, n);
    TRY(rijn_gmac(&r->key.gcm, r->buf, n, r->iv, 12, r->tag));
    digest(r, r->tag, 16);
    TRY(rijn_gmac_verify(&r->key.gcm, r->buf, n, r->iv, 12, r->tag));
    r->tag[15] ^= 1;
    EXPECT(rijn_gmac_verify(&r->key.gcm, r->buf, n, r->iv, 12, r->tag) == RIJN_EAUTH);
  }
  EXPECT(r->digest == want);
  return 0;
}

static int xts(struct run *r, size_t key_len, uint64_t want) {
  rijn_xts_key *k = &r->key.xts;

  fill(r->raw, KEY, XTS, key_len, key_len);
  TRY(rijn_xts_init_impl(k, r->raw, key_len, r->impl));
  for (size_t n = 16; n <= MAX; n = next(n)) {
    fill(r->iv, IV, XTS, n, 16);
    fill(r->buf, TEXT, XTS, n, n);
    TRY(rijn_xts_encrypt(k, r->buf, r->buf, n, r->iv));
    digest(r, r->buf, n);
    TRY(rijn_xts_decrypt(k, r->buf, r->buf, n, r->iv));
    EXPECT(is_filled(r->buf, TEXT, XTS, n, n));
  }
  EXPECT(r->digest == want);
  return 0;
}

/* Runs of sectors, numbered and with tweaks given. */
static int sectors(struct run *r, size_t key_len, uint64_t want) {
  rijn_xts_key *k = &r->key.xts;

  fill(r->raw, KEY, SECTORS, key_len, key_len);
  TRY(rijn_xts_init_impl(k, r->raw, key_len, r->impl));
  for (size_t n = 1; n <= 4; n++) {
    fill(r->iv, IV, SECTORS, n, 8);
    fill(r->buf, TEXT, SECTORS, n, 512 * n);
    uint64_t first = rijn_load_le64(r->iv) >> 8;
    TRY(rijn_xts_encrypt_sectors(k, r->buf, r->buf, 512, n, first, 8));
    digest(r, r->buf, 512 * n);
    TRY(rijn_xts_decrypt_sectors(k, r->buf, r->buf, 512, n, first, 8));
    EXPECT(is_filled(r->buf, TEXT, SECTORS, n, 512 * n));
    fill(r->iv, IV, TWEAKS, n, 16 * n);
    TRY(rijn_xts_encrypt_tweaks(k, r->buf, r->buf, 512, n, r->iv));
    digest(r, r->buf, 512 * n);
    TRY(rijn_xts_decrypt_tweaks(k, r->buf, r->buf, 512, n, r->iv));
    EXPECT(is_filled(r->buf, TEXT, SECTORS, n, 512 * n));
  }
  EXPECT(r->digest == want);
  return 0;
}

typedef int (*ctr_fn)(const rijn_aes_key *key, void *out, const void *in, size_t len, rijn_ctr_state *state);

static int ctr_pieces(struct run *r, ctr_fn fn, size_t n, unsigned *nth) {
  rijn_ctr_state *s = &r->state.ctr;
  memset(s, 0, sizeof *s);
  memcpy(s->ctr, r->iv, 16);
  for (size_t at = 0, part; at < n; at += part) {
    part = *nth & 64 ? n : piece(nth, n - at); /* now and then the whole at once */
    if (*nth & 64)
      ++*nth;
    TRY(fn(&r->key.aes, r->buf + at, r->buf + at, part, s));
  }
  return 0;
}

/* 128-bit counters of which n mod 17 leading bytes are ff: the carry ends anywhere, or goes round. */
static int ctr(struct run *r, size_t key_len, uint64_t want) {
  unsigned nth = 0;

  (void)key_len;
  for (size_t n = 0; n <= MAX; n = next(n)) {
    memset(r->iv, 0xff, 16);
    fill(r->iv + n % 17, IV, CTR, n, 16);
    r->iv[15] = 0xf9;
    fill(r->buf, TEXT, CTR, n, n);
    TRY(ctr_pieces(r, rijn_ctr_crypt, n, &nth));
    digest(r, r->buf, n);
  }
  EXPECT(r->digest == want);
  return 0;
}

/* 32-bit counters that go round within the message. */
static int ctr32(struct run *r, size_t key_len, uint64_t want) {
  unsigned nth = 0;

  (void)key_len;
  for (size_t n = 0; n <= MAX; n = next(n)) {
    fill(r->iv, IV, CTR32, n, 12);
    rijn_store_be32(r->iv + 12, 0xffffffffu - (uint32_t)(n % 23));
    fill(r->buf, TEXT, CTR32, n, n);
    TRY(ctr_pieces(r, rijn_ctr32_crypt, n, &nth));
    digest(r, r->buf, n);
  }
  EXPECT(r->digest == want);
  return 0;
}

/* Whole blocks, and PKCS#7 where there are none. */
static int cbc(struct run *r, size_t key_len, uint64_t want) {
  rijn_aes_key *k = &r->key.aes;

  (void)key_len;
  for (size_t n = 0; n <= MAX; n = next(n)) {
    size_t padded = 0, plain = 0;
    fill(r->iv, IV, CBC, n, 16);
    memcpy(r->iv + 16, r->iv, 16);
    if (n % 16 == 0) {
      fill(r->buf, TEXT, CBC, n, n);
      TRY(rijn_cbc_encrypt(k, r->buf, r->buf, n / 16, r->iv));
      digest(r, r->buf, n);
      TRY(rijn_cbc_decrypt(k, r->buf, r->buf, n / 16, r->iv + 16));
      EXPECT(is_filled(r->buf, TEXT, CBC, n, n));
      EXPECT(memcmp(r->iv, r->iv + 16, 16) == 0);
    } else if (n < 100) {
      fill(r->buf, TEXT, PKCS7, n, n);
      TRY(rijn_cbc_encrypt_pkcs7(k, r->buf, &padded, r->buf, n, r->iv));
      EXPECT(padded == n - n % 16 + 16);
      digest(r, r->buf, padded);
      TRY(rijn_cbc_decrypt_pkcs7(k, r->buf, &plain, r->buf, padded, r->iv));
      EXPECT(plain == n && is_filled(r->buf, TEXT, PKCS7, n, n));
    }
  }
  EXPECT(r->digest == want);
  return 0;
}

static int ecb(struct run *r, size_t key_len, uint64_t want) {
  (void)key_len;
  for (size_t n = 0; n < 70; n++) {
    fill(r->buf, TEXT, ECB, n, 16 * n);
    TRY(rijn_ecb_encrypt(&r->key.aes, r->buf, r->buf, n));
    digest(r, r->buf, 16 * n);
    TRY(rijn_ecb_decrypt(&r->key.aes, r->buf, r->buf, n));
    EXPECT(is_filled(r->buf, TEXT, ECB, n, 16 * n));
  }
  EXPECT(r->digest == want);
  return 0;
}

static int ghash(struct run *r) {
  digest_start(r);
  for (size_t n = 0; n < 70; n++) {
    fill(r->raw, KEY, GHASH, n, 16);
    fill(r->buf, TEXT, GHASH, n, 16 * n);
    memset(r->tag, 0, 16);
    TRY(rijn_ghash_init_impl(&r->key.ghash, r->raw, r->impl));
    TRY(rijn_ghash_update(&r->key.ghash, r->tag, r->buf, n));
    digest(r, r->tag, 16);
  }
  EXPECT(r->digest == answer_ghash);
  return 0;
}

#include "selftest_chains.h"
#include "selftest_siv.h"
#include "selftest_long.h"

typedef int (*known_fn)(struct run *r, size_t key_len, uint64_t want);

static int selftest_known(struct run *r, known_fn test, size_t key_len, uint64_t want) {
  digest_start(r);
  return test(r, key_len, want);
}

/* The key that the modes without authentication have. */
static int aes_key(struct run *r, size_t key_len) {
  fill(r->raw, KEY, CTR, key_len, key_len);
  return rijn_aes_init_impl(&r->key.aes, r->raw, key_len, r->impl);
}

static bool takes(int mode, size_t key_len) {
  if (mode < 0 || mode >= MODES)
    return false;
  if (mode == RIJN_MODE_XTS)
    return key_len == 32 || key_len == 64;
  return key_len == 32 || (mode != RIJN_MODE_XAES && (key_len == 16 || key_len == 24));
}

/* All of GCM with one key. Streams go on with the key of gcm(). */
static int gcm_answers(struct run *r, size_t key_len, size_t i) {
  TRY(selftest_known(r, gcm, key_len, answer_gcm[i]));
  TRY(selftest_known(r, gcm_stream, key_len, answer_gcm[i]));
  TRY(selftest_known(r, nonce, key_len, answer_nonce[i]));
  TRY(selftest_known(r, esp, key_len, answer_esp[i]));
  TRY(selftest_known(r, gmac, key_len, answer_gmac[i]));
  TRY(ghash(r));
  return long_calls(r, RIJN_MODE_GCM, key_len);
}

static int answers(struct run *r, int mode, size_t key_len) {
  size_t i = mode == RIJN_MODE_XTS ? key_len / 64 : key_len / 8 - 2;
  switch (mode) {
  case RIJN_MODE_GCM:
    return gcm_answers(r, key_len, i);
  case RIJN_MODE_GCM_SIV:
    return selftest_known(r, gcm_siv, key_len, answer_gcm_siv[i]);
  case RIJN_MODE_XAES:
    return xaes(r);
  case RIJN_MODE_CCM:
    return selftest_known(r, ccm, key_len, answer_ccm[i]);
  case RIJN_MODE_XTS:
    TRY(selftest_known(r, xts, key_len, answer_xts[i]));
    TRY(selftest_known(r, sectors, key_len, answer_sectors[i]));
    return long_calls(r, RIJN_MODE_XTS, key_len);
  default:
    break;
  }
  TRY(aes_key(r, key_len));
  if (mode == RIJN_MODE_ECB)
    return selftest_known(r, ecb, key_len, answer_ecb[i]);
  if (mode == RIJN_MODE_CBC) {
    TRY(selftest_known(r, cbc, key_len, answer_cbc[i]));
    return cbc_many(r);
  }
  if (mode == RIJN_MODE_CFB)
    return selftest_known(r, cfb, key_len, answer_cfb[i]);
  TRY(selftest_known(r, ctr, key_len, answer_ctr[i]));
  TRY(selftest_known(r, ctr32, key_len, answer_ctr32[i]));
  return long_calls(r, RIJN_MODE_CTR, key_len);
}

static int test_mode(int impl, int mode, size_t key_len) {
  struct run r;
  memset(&r, 0, sizeof r);
  r.impl = impl;
  return answers(&r, mode, key_len);
}

static int one(int impl, int mode, size_t key_len) {
  static const uint8_t lengths[] = {16, 24, 32, 64};
  if (mode != ALL)
    return test_mode(impl, mode, key_len);
  for (mode = 0; mode < MODES; mode++)
    for (size_t i = 0; i < sizeof lengths; i++)
      if (takes(mode, lengths[i]))
        TRY(test_mode(impl, mode, lengths[i]));
  return 0;
}

/* By implementation i, or, for -1, by every supported one. */
static int by(int i, int mode, size_t key_len) {
  if (i != -1)
    return rijn_impl_supported(i) ? one(i, mode, key_len) : RIJN_EIMPL;
  for (i = 0; i < rijn_impls_n; i++)
    if (rijn_impl_supported(i))
      TRY(one(i, mode, key_len));
  return 0;
}

int rijn_selftest(int i) { return by(i, ALL, 0); }

int rijn_selftest_mode(int i, int mode, size_t key_len) {
  return takes(mode, key_len) ? by(i, mode, key_len) : RIJN_EKEYLEN;
}
