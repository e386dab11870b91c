/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Volumes of BitLocker and TrueCrypt in memory, for tests: the library itself makes none. */
#ifndef RIJN_TEST_VOLUME_MADE_H
#define RIJN_TEST_VOLUME_MADE_H

#include "disk.h"

#include <openssl/evp.h>
#include <rijn.h>

static inline void put_number(uint8_t *p, uint64_t v, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++, v >>= 8)
    p[i] = (uint8_t)v;
}
static inline void put_big(uint8_t *p, uint64_t v, unsigned bytes) {
  for (; bytes-- > 0; v >>= 8)
    p[bytes] = (uint8_t)v;
}
static inline uint32_t crc_of(const uint8_t *p, size_t len) {
  uint32_t crc = ~0u;
  while (len-- > 0) {
    crc ^= *p++;
    for (int i = 0; i < 8; i++)
      crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
  }
  return ~crc;
}

/* ---------------------------------------------------------------- BitLocker */

enum { BDE_BLOCK = 65536, BDE_AREA = 64, BDE_ENTRIES = 64 + 48 };
/* Where the three copies lie, and the first sectors. */
static const uint64_t bde_copies[3] = {0x20000, 0x40000, 0x60000};
enum { BDE_MOVED_TO = 0x30000, BDE_MOVED = 8192 };
static const uint8_t bde_vmk[32] = {1, 2, 3}, bde_startup_key[32] = {7}, bde_guid[16] = {9, 8};

/* An entry at p: its length. */
static inline size_t bde_entry(uint8_t *p, unsigned type, unsigned value, const void *data, size_t len) {
  put_number(p, len + 8, 2);
  put_number(p + 2, type, 2);
  put_number(p + 4, value, 2);
  put_number(p + 6, 1, 2);
  memcpy(p + 8, data, len);
  return len + 8;
}
/* An entry with a key, or the hash of a block, sealed under another key. method: what it is for. */
static inline size_t bde_sealed(uint8_t *p, unsigned type, const uint8_t under[32], unsigned method, const uint8_t *key,
                                size_t len) {
  uint8_t data[28 + 12 + 64] = {5}, plain[12 + 64] = {0};
  rijn_ccm_key ccm;
  put_number(plain, 12 + len, 2);
  put_number(plain + 8, method, 2);
  memcpy(plain + 12, key, len);
  REQUIRE(rijn_ccm_init(&ccm, under, 32) == 0 &&
          rijn_ccm_encrypt(&ccm, data + 28, plain, 12 + len, NULL, 0, data, 12, data + 12) == 0);
  return bde_entry(p, type, 5, data, 28 + 12 + len);
}
static inline size_t bde_key_entry(uint8_t *p, const uint8_t key[32]) {
  uint8_t data[36] = {2, 0x20};
  memcpy(data + 4, key, 32);
  return bde_entry(p, 0, 1, data, sizeof data);
}
static inline size_t bde_protector(uint8_t *p, unsigned kind, const uint8_t key[32]) {
  uint8_t data[400] = {0};
  size_t n = 28;
  memcpy(data, bde_guid, 16);
  put_number(data + 26, kind, 2);
  if (kind == 0)
    n += bde_key_entry(data + n, key);
  if (kind == 0x800 || kind == 0x2000) /* the salt */
    n += bde_entry(data + n, 0, 3, data, 20);
  n += bde_sealed(data + n, 0, key, 0x2003, bde_vmk, 32);
  return bde_entry(p, 2, 8, data, n);
}
/* The file that the startup key lies in. */
static inline size_t bde_file(uint8_t p[200]) {
  uint8_t data[100] = {0};
  memcpy(data, bde_guid, 16);
  size_t n = 48 + bde_entry(p + 48, 6, 9, data, 24 + bde_key_entry(data + 24, bde_startup_key));
  memset(p, 0, 48);
  put_number(p, n, 4);
  put_number(p + 4, 1, 4);
  put_number(p + 8, 48, 4);
  return n;
}
/* What lies behind a block: its checksum and, under the VMK, its hash. */
static inline void bde_seal(uint8_t *block) {
  size_t size = (size_t)(block[8] | block[9] << 8) * 16;
  uint8_t hash[32];
  REQUIRE(EVP_Digest(block, size, hash, NULL, EVP_sha256(), NULL) == 1);
  put_number(block + size, BDE_BLOCK - size, 2);
  put_number(block + size + 2, 2, 2);
  put_number(block + size + 4, crc_of(block, size), 4);
  bde_sealed(block + size + 8, 0, bde_vmk, 0x2005, hash, sizeof hash);
}
/* The block's sizes and what lies behind it, n bytes of entries being there. */
static inline void bde_finish(uint8_t *block, size_t n) {
  size_t size = (BDE_ENTRIES + n + 15) / 16 * 16;
  memcpy(block, "-FVE-FS-", 8);
  put_number(block + 8, size / 16, 2);
  put_number(block + 10, 2, 2);
  put_number(block + BDE_AREA, 48 + n, 4);
  put_number(block + BDE_AREA + 8, 48, 4);
  bde_seal(block);
}
static inline void bde_boot(uint8_t *boot, unsigned sector) {
  static const uint8_t guid[16] = {0x3b, 0xd6, 0x67, 0x49, 0x29, 0x2e, 0xd8, 0x4a,
                                   0x83, 0x99, 0xf6, 0xa3, 0x39, 0xe3, 0xd0, 1};
  memset(boot, 0, 512);
  memcpy(boot, "\xeb\x58\x90-FVE-FS-", 11);
  put_number(boot + 11, sector, 2);
  memcpy(boot + 160, guid, 16);
  for (int i = 0; i < 3; i++)
    put_number(boot + 176 + 8 * i, bde_copies[i], 8);
}
/* A block: bytes of its entries. A clear key and a startup key open it. */
static inline size_t bde_block(uint8_t *block, unsigned method, size_t key_len, uint64_t size, unsigned sector) {
  uint8_t key[64];
  size_t n = 0;
  for (size_t i = 0; i < sizeof key; i++)
    key[i] = (uint8_t)(i * 7);
  memset(block, 0, BDE_BLOCK);
  put_number(block + 12, 4, 2);
  put_number(block + 14, 4, 2);
  put_number(block + 16, size, 8);
  put_number(block + 28, BDE_MOVED / sector, 4);
  for (int i = 0; i < 3; i++)
    put_number(block + 32 + 8 * i, bde_copies[i], 8);
  put_number(block + 56, BDE_MOVED_TO, 8);
  put_number(block + BDE_AREA + 36, method, 4);
  uint8_t *p = block + BDE_ENTRIES;
  uint8_t moved[16] = {0};
  put_number(moved, BDE_MOVED_TO, 8);
  put_number(moved + 8, BDE_MOVED, 8);
  n += bde_entry(p + n, 7, 2, "n\0a\0m\0e\0\0", 10);
  n += bde_entry(p + n, 15, 15, moved, sizeof moved);
  n += bde_protector(p + n, 0x200, bde_startup_key);
  n += bde_protector(p + n, 0x100, bde_startup_key); /* of a TPM */
  n += bde_protector(p + n, 0, bde_vmk);
  n += bde_protector(p + n, 0x2000, bde_vmk); /* which nothing opens, and neither the next one */
  n += bde_protector(p + n, 0x800, bde_vmk);
  n += bde_sealed(p + n, 3, bde_vmk, method, key, key_len);
  bde_finish(block, n);
  return n;
}
static inline void bde_make(struct memory *m, unsigned method, size_t key_len, unsigned sector) {
  bde_boot(m->bytes, sector);
  for (int i = 0; i < 3; i++)
    bde_block(m->bytes + bde_copies[i], method, key_len, m->size, sector);
}

/* ---------------------------------------------------------------- TrueCrypt */

/* From 64 on, the plain header; checksums are made. Passphrase "one", 1000 rounds of SHA-512. */
static inline void truecrypt_seal(uint8_t *to, const uint8_t plain[512]) {
  static uint8_t raw[64];
  static bool derived;
  static const uint8_t tweak[16] = {0};
  uint8_t h[512];
  rijn_xts_key xts;
  memcpy(h, plain, sizeof h);
  memcpy(h + 64, "TRUE", 4);
  put_big(h + 72, crc_of(h + 256, 256), 4);
  put_big(h + 252, crc_of(h + 64, 188), 4);
  memset(to, 0, 64); /* the salt */
  if (!derived)
    derived = PKCS5_PBKDF2_HMAC("one", 3, to, 64, 1000, EVP_sha512(), 64, raw) == 1;
  REQUIRE(derived && rijn_xts_init(&xts, raw, 64) == 0 && rijn_xts_encrypt(&xts, to + 64, h + 64, 448, tweak) == 0);
}
static inline void truecrypt_plain(uint8_t h[512], uint64_t offset, uint64_t size) {
  memset(h, 0, 512);
  put_big(h + 68, 5, 2);
  put_big(h + 100, size, 8);
  put_big(h + 108, offset, 8);
  put_big(h + 116, size, 8);
  put_big(h + 128, 512, 4);
  for (unsigned i = 0; i < 64; i++)
    h[256 + i] = (uint8_t)(i + 1);
}

#endif
