/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* BitLocker's keys: what people type or keep in a file opens a protector's key (VMK), and that the volume's (FVEK). */
#include "internal.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 32, SEALED_HEADER = 12, BEK_HEADER = 48, GROUPS = 8, PASSWORD_MOST = 256, STRETCHES = 1 << 20 };

static int no_hash(rijn_volume_error *err) {
  return rijnv_fail(err, RIJN_VOLUME_ECRYPTO, "BitLocker: SHA-256 failed in libcrypto");
}

/* ---------------------------------------------------------------- stretching */

/* SPEC: a million times SHA-256 over the hash so far, the first one, the salt and a counter. */
static int stretch(const uint8_t first[KEY], const uint8_t salt[16], uint8_t key[KEY]) {
  struct {
    uint8_t last[KEY], first[KEY], salt[16], count[8];
  } s = {{0}, {0}, {0}, {0}};
  EVP_MD *md = EVP_MD_fetch(NULL, "SHA256", NULL);
  EVP_MD_CTX *ctx = md != NULL ? EVP_MD_CTX_new() : NULL;
  bool ok = ctx != NULL;
  memcpy(s.first, first, KEY);
  memcpy(s.salt, salt, 16);
  for (uint64_t i = 0; ok && i < STRETCHES; i++) {
    rijnv_put_le(s.count, i, 8);
    ok = EVP_DigestInit_ex2(ctx, md, NULL) == 1 && EVP_DigestUpdate(ctx, &s, sizeof s) == 1 &&
         EVP_DigestFinal_ex(ctx, s.last, NULL) == 1;
  }
  memcpy(key, s.last, KEY);
  explicit_bzero(&s, sizeof s);
  EVP_MD_CTX_free(ctx);
  EVP_MD_free(md);
  return ok ? RIJN_VOLUME_OK : RIJN_VOLUME_ECRYPTO;
}

/* ---------------------------------------------------------------- what people type */

/* How many bytes follow the first one of a character; 4: it is no first one. */
static unsigned bytes_behind(uint32_t first) {
  if (first < 0x80)
    return 0;
  if (first < 0xc2 || first >= 0xf5)
    return 4;
  return 1u + (first >= 0xe0) + (first >= 0xf0);
}

/* One character of UTF-8 at *p, or -1. */
static int32_t next_character(const uint8_t **p, const uint8_t *end) {
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  uint32_t c = *(*p)++;
  unsigned more = bytes_behind(c);
  if (more == 4 || (size_t)(end - *p) < more)
    return -1;
  c &= more == 0 ? 0x7f : 0x3fu >> more;
  for (unsigned i = 0; i < more; i++) {
    if (((*p)[0] & 0xc0) != 0x80)
      return -1;
    c = c << 6 | (*(*p)++ & 0x3f);
  }
  return c < least[more] || c > 0x10ffff || (c & 0xfffff800) == 0xd800 ? -1 : (int32_t)c;
}

/* UTF-8 into UTF-16: bytes of it, or 0 where it is none or too long. */
static size_t utf16(uint8_t to[2 * PASSWORD_MOST], const void *text, size_t len) {
  const uint8_t *p = text, *end = p + len;
  size_t n = 0;
  while (p < end) {
    int32_t c = next_character(&p, end);
    if (c < 0 || n + 4 > 2 * PASSWORD_MOST + (c < 0x10000 ? 2 : 0))
      return 0;
    if (c >= 0x10000) {
      rijnv_put_le(to + n, 0xd800 | (uint32_t)(c - 0x10000) >> 10, 2);
      n += 2;
      c = 0xdc00 | (c & 0x3ff);
    }
    rijnv_put_le(to + n, (uint32_t)c, 2);
    n += 2;
  }
  return n;
}

/* EKEY: it is no password. */
static int password_hash(const rijn_volume_secret *secret, uint8_t first[KEY], rijn_volume_error *err) {
  uint8_t text[2 * PASSWORD_MOST], digest[64];
  size_t n = utf16(text, secret->passphrase, secret->passphrase_len);
  int r = n > 0 ? rijnv_digest("sha256", text, n, NULL, 0, digest) : RIJN_VOLUME_EKEY;
  if (r == RIJN_VOLUME_OK)
    r = rijnv_digest("sha256", digest, KEY, NULL, 0, digest);
  if (r == RIJN_VOLUME_OK)
    memcpy(first, digest, KEY);
  else if (r != RIJN_VOLUME_EKEY)
    no_hash(err);
  explicit_bzero(text, sizeof text);
  explicit_bzero(digest, sizeof digest);
  return r;
}

/* 8 groups of 6 digits, each 11 times a number of 16 bits, with dashes and blanks between them or without. *wrong: the
 * first group that is not, counted from 1, or 0. False: another text. */
static bool recovery_key(const rijn_volume_secret *secret, uint8_t raw[2 * GROUPS], int *wrong) {
  const uint8_t *p = secret->passphrase, *end = p + secret->passphrase_len;
  unsigned digits = 0, n = 0;
  int bad_group = 0;
  *wrong = 0;
  for (; p < end; p++) {
    if (*p == ' ' || (*p == '-' && digits % 6 == 0))
      continue;
    if (*p < '0' || *p > '9' || digits == 6 * GROUPS)
      return false;
    n = 10 * n + (unsigned)(*p - '0');
    if (++digits % 6 != 0)
      continue;
    if (bad_group == 0 && (n % 11 != 0 || n / 11 > UINT16_MAX))
      bad_group = (int)digits / 6;
    rijnv_put_le(raw + 2 * (digits / 6 - 1), n / 11, 2);
    n = 0;
  }
  *wrong = digits == 6 * GROUPS ? bad_group : 0;
  return digits == 6 * GROUPS;
}

/* ---------------------------------------------------------------- key files */

/* The key in a file of Windows (.BEK): EKEY where it is none. */
static int key_of_file(rijn_volume_bytes file, uint8_t guid[16], uint8_t key[KEY]) {
  const uint8_t *p = file.data;
  struct rijnv_entry e;
  size_t size = file.len >= BEK_HEADER ? (size_t)rijnv_le(p, 4) : 0;
  if (size < BEK_HEADER || size > file.len || rijnv_le(p + 4, 4) != 1 || rijnv_le(p + 8, 4) != BEK_HEADER)
    return RIJN_VOLUME_EKEY;
  const uint8_t *end = p + size;
  p += BEK_HEADER;
  if (rijnv_entry_next(&p, end, &e) <= 0 || e.value != RIJNV_BDE_EXTERNAL || e.len < 24)
    return RIJN_VOLUME_EKEY;
  memcpy(guid, e.data, 16);
  p = e.data + 24;
  end = e.data + e.len;
  while (rijnv_entry_next(&p, end, &e) > 0)
    if (e.value == RIJNV_BDE_KEY && e.len == 4 + KEY) {
      memcpy(key, e.data + 4, KEY);
      return RIJN_VOLUME_OK;
    }
  return RIJN_VOLUME_EKEY;
}

/* ---------------------------------------------------------------- protectors */

/* plain has room for what is sealed. EKEY: it is another key. */
static int open_blob(const struct rijnv_blob *blob, const uint8_t key[KEY], uint8_t *plain) {
  rijn_ccm_key ccm;
  int r = rijn_ccm_init(&ccm, key, KEY);
  if (r == RIJN_OK)
    r = rijn_ccm_decrypt(&ccm, plain, blob->data, blob->len, NULL, 0, blob->nonce, sizeof blob->nonce, blob->tag);
  rijn_ccm_wipe(&ccm);
  if (r == RIJN_OK)
    return rijnv_le(plain, 2) == blob->len ? RIJN_VOLUME_OK : RIJN_VOLUME_EKEY;
  return r == RIJN_EAUTH ? RIJN_VOLUME_EKEY : RIJN_VOLUME_ECRYPTO;
}

/* Are the metadata those that the holder of the protectors' key has sealed? */
static int check_seal(const struct rijnv_bitlocker *b, const uint8_t vmk[KEY], rijn_volume_error *err) {
  enum { SHA256 = 0x2005 };
  uint8_t plain[sizeof b->seal.data];
  int r = open_blob(&b->seal, vmk, plain);
  bool same =
      r == RIJN_VOLUME_OK && rijnv_le(plain + 8, 2) == SHA256 && memcmp(plain + SEALED_HEADER, b->digest, 32) == 0;
  explicit_bzero(plain, sizeof plain);
  return same ? RIJN_VOLUME_OK
              : rijnv_fail(err, RIJN_VOLUME_EDAMAGED,
                           "BitLocker: the protector opens, but the metadata are not those that Windows has sealed");
}

static int open_volume_key(rijn_volume *v, const uint8_t vmk[KEY], rijn_volume_error *err) {
  struct rijnv_bitlocker *b = &v->bitlocker;
  uint8_t plain[sizeof b->fvek.data];
  int r = open_blob(&b->fvek, vmk, plain);
  if (r == RIJN_VOLUME_OK && rijnv_le(plain + 8, 2) != b->method)
    r = RIJN_VOLUME_EKEY;
  if (r == RIJN_VOLUME_OK)
    r = rijnv_key_init(&v->key, v->mode, plain + SEALED_HEADER, rijnv_bitlocker_key_len(b->method), NULL);
  explicit_bzero(plain, sizeof plain);
  if (r != RIJN_VOLUME_OK)
    rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "BitLocker: the protector opens, but what it opens is not the volume's key");
  return r == RIJN_VOLUME_OK ? r : RIJN_VOLUME_EDAMAGED;
}

static int open_protector(rijn_volume *v, const struct rijnv_protector *p, const uint8_t key[KEY],
                          rijn_volume_error *err) {
  uint8_t plain[sizeof p->vmk.data];
  int r = open_blob(&p->vmk, key, plain);
  if (r != RIJN_VOLUME_OK && r != RIJN_VOLUME_EKEY)
    rijnv_fail(err, r, "BitLocker: AES-CCM failed");
  if (r == RIJN_VOLUME_OK)
    r = check_seal(&v->bitlocker, plain + SEALED_HEADER, err);
  if (r == RIJN_VOLUME_OK)
    r = open_volume_key(v, plain + SEALED_HEADER, err);
  explicit_bzero(plain, sizeof plain);
  return r;
}

static int by_key_files(rijn_volume *v, const struct rijnv_protector *p, const rijn_volume_secret *secret,
                        rijn_volume_error *err) {
  uint8_t guid[16], key[KEY];
  int r = RIJN_VOLUME_EKEY;
  for (size_t i = 0; r == RIJN_VOLUME_EKEY && i < secret->key_files_n; i++) {
    r = key_of_file(secret->key_files[i], guid, key);
    if (r == RIJN_VOLUME_OK && memcmp(guid, p->guid, 16) != 0)
      r = RIJN_VOLUME_EKEY;
    if (r == RIJN_VOLUME_OK)
      r = open_protector(v, p, key, err);
  }
  explicit_bzero(key, sizeof key);
  return r;
}

/* first gets the hash of what is typed, before it is stretched. EKEY: it is not of the protector's kind. */
static int typed_hash(const struct rijnv_protector *p, const rijn_volume_secret *secret, uint8_t first[64],
                      rijn_volume_error *err) {
  uint8_t raw[2 * GROUPS];
  int wrong, r = RIJN_VOLUME_EKEY;
  if (secret->passphrase == NULL)
    return r;
  if (p->kind != RIJNV_BDE_RECOVERY)
    return password_hash(secret, first, err);
  if (recovery_key(secret, raw, &wrong) && wrong == 0 &&
      (r = rijnv_digest("sha256", raw, sizeof raw, NULL, 0, first)) != RIJN_VOLUME_OK)
    no_hash(err);
  explicit_bzero(raw, sizeof raw);
  return r;
}

static int by_passphrase(rijn_volume *v, const struct rijnv_protector *p, const rijn_volume_secret *secret,
                         rijn_volume_error *err) {
  uint8_t first[64], key[KEY];
  int r = typed_hash(p, secret, first, err);
  if (r == RIJN_VOLUME_OK && (r = stretch(first, p->salt, key)) != RIJN_VOLUME_OK)
    no_hash(err);
  if (r == RIJN_VOLUME_OK)
    r = open_protector(v, p, key, err);
  explicit_bzero(first, sizeof first);
  explicit_bzero(key, sizeof key);
  return r;
}

static int try_protector(rijn_volume *v, const struct rijnv_protector *p, const rijn_volume_secret *secret,
                         rijn_volume_error *err) {
  if (p->kind == RIJNV_BDE_CLEAR)
    return open_protector(v, p, p->clear_key, err);
  if (p->kind == RIJNV_BDE_STARTUP)
    return by_key_files(v, p, secret, err);
  return by_passphrase(v, p, secret, err);
}

/* What is wrong with the passphrase as such: this says more than the caller's sentence, and has another code. */
static int mistyped(const rijn_volume_secret *secret, bool password, rijn_volume_error *err) {
  uint8_t text[2 * PASSWORD_MOST], raw[2 * GROUPS];
  int wrong, r = RIJN_VOLUME_EKEY;
  if (secret->passphrase == NULL)
    return r;
  (void)recovery_key(secret, raw, &wrong);
  if (wrong != 0)
    r = rijnv_fail(err, RIJN_VOLUME_EARG, "BitLocker: group %d of the recovery key is mistyped", wrong);
  else if (password && utf16(text, secret->passphrase, secret->passphrase_len) == 0)
    r = rijnv_fail(err, RIJN_VOLUME_EARG, "BitLocker: a password has 1 to 256 characters of UTF-8");
  explicit_bzero(text, sizeof text);
  explicit_bzero(raw, sizeof raw);
  return r;
}

int rijnv_bitlocker_unlock(rijn_volume *v, const rijn_volume_secret *secret, int *slot, rijn_volume_error *err) {
  const struct rijnv_bitlocker *b = &v->bitlocker;
  bool password = false;
  int r = RIJN_VOLUME_EKEY;
  for (size_t i = 0; r == RIJN_VOLUME_EKEY && i < b->protectors_n; i++) {
    if (!v->facts.slots[i].understood || (secret->slot >= 0 && secret->slot != (int)i))
      continue;
    r = try_protector(v, &b->protectors[i], secret, err);
    password = password || b->protectors[i].kind == RIJNV_BDE_PASSWORD;
    *slot = (int)i;
  }
  return r == RIJN_VOLUME_EKEY ? mistyped(secret, password, err) : r;
}
