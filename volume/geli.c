/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* GELI: metadata in the last sector of the provider, little-endian. doc/geli.md has the format. */
#include "internal.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

enum { METADATA = 512, NEWEST = 7, SLOT_LEN = 192, AES_CBC = 11, AES_XTS = 22 };
enum {
  ONETIME = 0x1,
  AUTH = 0x10,
  RO = 0x20,
  NODELETE = 0x40,
  KNOWN_FLAGS = 0x3ff,
};

static const struct {
  unsigned number;
  const char *name;
} ciphers[] = {{2, "3DES-CBC"}, {3, "Blowfish-CBC"},  {AES_CBC, "AES-CBC"},
               {16, "NULL"},    {21, "Camellia-CBC"}, {AES_XTS, "AES-XTS"}};

static const char *cipher_name(unsigned number) {
  for (size_t i = 0; i < sizeof ciphers / sizeof ciphers[0]; i++)
    if (ciphers[i].number == number)
      return ciphers[i].name;
  return NULL;
}

static bool md5(const uint8_t *p, size_t len, uint8_t out[16]) {
  EVP_MD *md = EVP_MD_fetch(NULL, "MD5", NULL);
  bool ok = md != NULL && EVP_Digest(p, len, out, NULL, md, NULL) == 1;
  EVP_MD_free(md);
  return ok;
}

/* EFORMAT: not GELI's at all. */
static int decode(const uint8_t *p, struct rijnv_geli *g, rijn_volume_error *err) {
  uint8_t sum[16];
  if (memcmp(p, "GEOM::ELI", 10) != 0)
    return RIJN_VOLUME_EFORMAT;
  memset(g, 0, sizeof *g);
  g->version = (unsigned)rijnv_le(p + 16, 4);
  if (g->version > NEWEST)
    return rijnv_fail(err, RIJN_VOLUME_EVERSION, "GELI: metadata of version %u, and the newest known is 7", g->version);
  size_t short_by = g->version == 0 ? 2 : 0; /* version 0 has no aalgo */
  if (!md5(p, 495 - short_by, sum))
    return rijnv_fail(err, RIJN_VOLUME_ECRYPTO, "libcrypto has no MD5, which GELI's metadata is checked by");
  if (memcmp(sum, p + 495 - short_by, 16) != 0)
    return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "GELI: the checksum of the metadata is wrong");
  g->flags = (unsigned)rijnv_le(p + 20, 4);
  g->ealgo = (unsigned)rijnv_le(p + 24, 2);
  g->keylen = (unsigned)rijnv_le(p + 26, 2);
  g->aalgo = g->version == 0 ? 0 : (unsigned)rijnv_le(p + 28, 2);
  p -= short_by;
  g->provsize = rijnv_le(p + 30, 8);
  g->sector_size = (unsigned)rijnv_le(p + 38, 4);
  g->keys = p[42];
  g->rounds = (int32_t)(uint32_t)rijnv_le(p + 43, 4);
  memcpy(g->salt, p + 47, 64);
  memcpy(g->slots, p + 111, sizeof g->slots);
  return RIJN_VOLUME_OK;
}

bool rijnv_geli_encode(const struct rijnv_geli *g, uint8_t p[METADATA]) {
  memset(p, 0, METADATA);
  memcpy(p, "GEOM::ELI", 9);
  rijnv_put_le(p + 16, g->version, 4);
  rijnv_put_le(p + 20, g->flags, 4);
  rijnv_put_le(p + 24, g->ealgo, 2);
  rijnv_put_le(p + 26, g->keylen, 2);
  rijnv_put_le(p + 28, g->aalgo, 2);
  rijnv_put_le(p + 30, g->provsize, 8);
  rijnv_put_le(p + 38, g->sector_size, 4);
  p[42] = (uint8_t)g->keys;
  rijnv_put_le(p + 43, (uint32_t)g->rounds, 4);
  memcpy(p + 47, g->salt, 64);
  memcpy(p + 111, g->slots, sizeof g->slots);
  return md5(p, 495, p + 495);
}

/* ---------------------------------------------------------------- finding it */

struct found {
  int result; /* of decode */
  unsigned provider_sector;
  struct rijnv_geli g;
  rijn_volume_error err;
};

static void look(const rijn_volume_disk *disk, uint64_t offset, unsigned sector, struct found *f) {
  uint8_t p[METADATA];
  memset(f, 0, sizeof *f);
  f->provider_sector = sector;
  f->result = rijnv_read(disk, p, METADATA, offset, "GELI metadata", &f->err);
  if (f->result == RIJN_VOLUME_OK)
    f->result = decode(p, &f->g, &f->err);
}

static bool fits(const struct found *f, uint64_t size) { return f->result == RIJN_VOLUME_OK && f->g.provsize == size; }

/* The metadata lie at the start of the provider's last sector. WHY two: a file does not say how large that is. */
static int find(rijn_volume *v, struct found *best, rijn_volume_error *err) {
  uint64_t size = v->disk.size;
  unsigned only = v->options.provider_sector != 0 ? v->options.provider_sector : v->disk.sector_size;
  static const unsigned sectors[] = {512, 4096};
  best->result = RIJN_VOLUME_EFORMAT;
  for (size_t i = 0; i < 2; i++) {
    struct found f;
    if ((only != 0 && only != sectors[i]) || size < 2 * sectors[i] || size % sectors[i] != 0)
      continue;
    look(&v->disk, size - sectors[i], sectors[i], &f);
    if (fits(best, size) && fits(&f, size))
      return rijnv_fail(err, RIJN_VOLUME_EAMBIGUOUS,
                        "GELI: there are metadata for a disk with sectors of 512 bytes, and "
                        "for one with 4096; say which by --provider-sector");
    bool better = best->result == RIJN_VOLUME_EFORMAT || (best->result != RIJN_VOLUME_OK && f.result == RIJN_VOLUME_OK);
    if (fits(&f, size) || (better && !fits(best, size)))
      *best = f;
    explicit_bzero(&f, sizeof f);
  }
  return RIJN_VOLUME_OK;
}

static int find_in_file(rijn_volume *v, struct found *f) {
  unsigned sector = v->options.provider_sector != 0 ? v->options.provider_sector : v->disk.sector_size;
  if (sector == 0) /* a backup is a sector of the provider */
    sector = v->header.size == 4096 ? 4096 : 512;
  f->result = RIJN_VOLUME_EFORMAT;
  if (v->header.size >= METADATA)
    look(&v->header, 0, sector, f);
  return RIJN_VOLUME_OK;
}

int rijnv_geli_forget(const rijn_volume_disk *disk, rijn_volume_error *err) {
  static const uint8_t zeros[4096] = {0};
  static const size_t sectors[] = {512, 4096};
  int r = RIJN_VOLUME_OK;
  for (size_t i = 0; r == RIJN_VOLUME_OK && i < 2; i++) {
    uint8_t magic[10];
    size_t n = disk->sector_size == 4096 ? 4096 : sectors[i]; /* a block device is written in whole sectors */
    if (disk->size < n)
      break;
    r = rijnv_read(disk, magic, sizeof magic, disk->size - sectors[i], "GELI metadata", err);
    if (r == RIJN_VOLUME_OK && memcmp(magic, "GEOM::ELI", sizeof magic) == 0)
      r = rijnv_write(disk, zeros, n, disk->size - n, "GELI metadata", err);
  }
  return r;
}

/* ---------------------------------------------------------------- what it says */

static void list_facts(rijn_volume *v, const struct rijnv_geli *g, unsigned provider_sector) {
  rijn_volume_facts *f = &v->facts;
  const char *name = cipher_name(g->ealgo);
  f->format = RIJN_VOLUME_GELI;
  f->version = g->version;
  if (name != NULL)
    snprintf(f->cipher, sizeof f->cipher, "%s", name);
  else
    snprintf(f->cipher, sizeof f->cipher, "unknown (%u)", g->ealgo);
  f->key_bits = g->keylen;
  f->sector_size = g->sector_size;
  f->flags = g->flags;
  f->provider_sector = provider_sector;
  f->provider_size = g->provsize;
  f->rounds = g->rounds;
  f->discards = (g->flags & NODELETE) == 0;
  for (int i = 0; i < 2; i++) {
    if ((g->keys & 1u << i) == 0)
      continue;
    rijn_volume_slot *s = &f->slots[f->slots_n++];
    *s = (rijn_volume_slot){.number = i,
                            .rounds = g->rounds > 0 ? (uint64_t)g->rounds : 0,
                            .priority = 1,
                            .bound = true,
                            .understood = true};
    if (g->rounds > 0)
      strcpy(s->kdf, "pbkdf2");
    strcpy(s->hash, "sha512");
  }
}

static int refuse(rijn_volume *v, int code, const char *format, unsigned long long a, unsigned long long b) {
  char text[200];
  snprintf(text, sizeof text, format, a, b);
  rijnv_fail(&v->refusal, code, "GELI: %s", text);
  return RIJN_VOLUME_OK;
}

static bool keylen_right(const struct rijnv_geli *g) {
  return g->keylen == 128 || g->keylen == 256 || (g->ealgo == AES_CBC && g->keylen == 192);
}

/* All that can be wrong without a key is said before one is derived. */
static int check(rijn_volume *v, unsigned provider_sector) {
  const struct rijnv_geli *g = &v->geli;
  uint64_t size = v->disk.size, usable = size > provider_sector ? size - provider_sector : 0;
  if ((g->flags & ~(unsigned)KNOWN_FLAGS) != 0 || (g->flags & ONETIME) != 0)
    return refuse(v, RIJN_VOLUME_EFLAGS, "flags 0x%llx, of which 0x%llx never stand on a disk", g->flags,
                  (g->flags & ~(unsigned)KNOWN_FLAGS) | (g->flags & ONETIME));
  if ((g->flags & AUTH) != 0)
    return refuse(v, RIJN_VOLUME_EINTEGRITY, "an authenticated volume (geli init -a), which is not supported", 0, 0);
  if (g->ealgo != AES_XTS && g->ealgo != AES_CBC) {
    rijnv_fail(&v->refusal, RIJN_VOLUME_ECIPHER, "GELI: the cipher is not supported: %s", v->facts.cipher);
    return RIJN_VOLUME_OK;
  }
  if (g->ealgo == AES_XTS && g->version < 5)
    return refuse(v, RIJN_VOLUME_ECIPHER, "AES-XTS in version %llu, which did not have it", g->version, 0);
  if (!keylen_right(g))
    return refuse(v, RIJN_VOLUME_EKEYLEN, "the cipher has no key of %llu bits", g->keylen, 0);
  if (!rijnv_is_power_of_two(g->sector_size) || g->sector_size < 512 || g->sector_size > 65536)
    return refuse(v, RIJN_VOLUME_ESECTOR, "a sector size of %llu bytes is no power of two from 512 to 65536",
                  g->sector_size, 0);
  if (g->sector_size % provider_sector != 0)
    return refuse(v, RIJN_VOLUME_ESECTOR, "the sector size of %llu bytes is less than the disk's, %llu", g->sector_size,
                  provider_sector);
  if (g->provsize != size)
    return refuse(v, RIJN_VOLUME_ESIZE,
                  "the metadata are for a disk of %llu bytes, and this one has %llu; after a change of size they are "
                  "moved by geli resize -s OLDSIZE",
                  g->provsize, size);
  if (g->sector_size > usable)
    return refuse(v, RIJN_VOLUME_ESECTOR, "a sector of %llu bytes is larger than the disk", g->sector_size, 0);
  if ((g->keys & 3) == 0)
    return refuse(v, RIJN_VOLUME_EKEYSLOT, "no key slot is in use", 0, 0);
  if (g->rounds < -1)
    return refuse(v, RIJN_VOLUME_EROUNDS, "the number of rounds is less than -1", 0, 0);
  v->facts.reads_only = g->version < 5 || (g->flags & RO) != 0;
  int r = rijnv_set_sectors(v, g->ealgo == AES_XTS ? RIJNV_XTS : RIJNV_CBC_GELI, g->sector_size, 0,
                            usable / g->sector_size * g->sector_size);
  v->step_unit = 1; /* the tweak is the offset in bytes */
  return r;
}

int rijnv_geli_load(rijn_volume *v, rijn_volume_error *err) {
  struct found f;
  int r = v->facts.detached ? find_in_file(v, &f) : find(v, &f, err);
  if (r == RIJN_VOLUME_OK && f.result != RIJN_VOLUME_OK && f.result != RIJN_VOLUME_EFORMAT)
    r = rijnv_fail(err, f.result, "%s", f.err.text);
  else if (r == RIJN_VOLUME_OK)
    r = f.result;
  if (r != RIJN_VOLUME_OK)
    return r;
  v->geli = f.g;
  list_facts(v, &v->geli, f.provider_sector);
  return check(v, f.provider_sector);
}

/* ---------------------------------------------------------------- keys */

static int hmac1(const uint8_t key[64], uint8_t byte, uint8_t out[64]) {
  rijn_volume_bytes k = {key, 64}, part = {&byte, 1};
  return rijnv_hmac512(k, &part, 1, out);
}

/* HMAC under an empty key over all key files and what the passphrase becomes. */
int rijnv_geli_user_key(const struct rijnv_geli *g, const rijn_volume_secret *secret, bool passphrase,
                        uint8_t key[64]) {
  rijn_volume_bytes parts[130], none = {NULL, 0}, salt = {g->salt, 64};
  rijn_volume_bytes pass = {secret->passphrase, secret->passphrase_len};
  uint8_t derived[64];
  size_t n = 0;
  if (secret->key_files_n > 128)
    return RIJN_VOLUME_EARG;
  for (; n < secret->key_files_n; n++)
    parts[n] = secret->key_files[n];
  if (passphrase && g->rounds > 0) {
    if (rijnv_pbkdf2("sha512", pass, salt, (uint64_t)g->rounds, derived, 64) != RIJN_VOLUME_OK)
      return RIJN_VOLUME_ECRYPTO;
    parts[n++] = (rijn_volume_bytes){derived, 64};
  } else if (passphrase) {
    parts[n++] = salt;
    parts[n++] = pass;
  }
  int r = rijnv_hmac512(none, parts, n, key);
  explicit_bzero(derived, sizeof derived);
  return r;
}

/* A slot is encrypted by AES-CBC under an IV of zeros and the first bits of this key. */
static int slot_key(const struct rijnv_geli *g, const uint8_t user_key[64], rijn_aes_key *aes) {
  uint8_t enc[64];
  int r = hmac1(user_key, 1, enc);
  if (r == RIJN_VOLUME_OK && rijn_aes_init(aes, enc, g->keylen / 8) != RIJN_OK)
    r = RIJN_VOLUME_ECRYPTO;
  explicit_bzero(enc, sizeof enc);
  return r;
}

static int slot_mac(const uint8_t user_key[64], const uint8_t *keys, uint8_t mac[64]) {
  uint8_t mac_key[64];
  rijn_volume_bytes key = {mac_key, 64}, part = {keys, 128};
  int r = hmac1(user_key, 0, mac_key);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_hmac512(key, &part, 1, mac);
  explicit_bzero(mac_key, sizeof mac_key);
  return r;
}

static int open_slot(struct rijnv_geli *g, int slot, const uint8_t user_key[64]) {
  uint8_t open[SLOT_LEN], mac[64], iv[16] = {0};
  rijn_aes_key aes;
  int r = slot_key(g, user_key, &aes);
  if (r == RIJN_VOLUME_OK && rijn_cbc_decrypt(&aes, open, g->slots[slot], SLOT_LEN / 16, iv) != RIJN_OK)
    r = RIJN_VOLUME_ECRYPTO;
  if (r == RIJN_VOLUME_OK)
    r = slot_mac(user_key, open, mac);
  if (r == RIJN_VOLUME_OK && CRYPTO_memcmp(mac, open + 128, 64) != 0)
    r = RIJN_VOLUME_EKEY;
  if (r == RIJN_VOLUME_OK) {
    memcpy(g->iv_key, open, 64);
    memcpy(g->data_key, open + 64, 64);
  }
  rijn_aes_wipe(&aes);
  explicit_bzero(open, sizeof open);
  explicit_bzero(mac, sizeof mac);
  return r;
}

int rijnv_geli_seal(struct rijnv_geli *g, int slot, const uint8_t user_key[64]) {
  uint8_t open[SLOT_LEN], iv[16] = {0};
  rijn_aes_key aes;
  memcpy(open, g->iv_key, 64);
  memcpy(open + 64, g->data_key, 64);
  int r = slot_mac(user_key, open, open + 128);
  if (r == RIJN_VOLUME_OK)
    r = slot_key(g, user_key, &aes);
  if (r == RIJN_VOLUME_OK && rijn_cbc_encrypt(&aes, g->slots[slot], open, SLOT_LEN / 16, iv) != RIJN_OK)
    r = RIJN_VOLUME_ECRYPTO;
  g->keys |= 1u << slot;
  rijn_aes_wipe(&aes);
  explicit_bzero(open, sizeof open);
  return r;
}

int rijnv_geli_data_key(const struct rijnv_geli *g, uint64_t number, struct rijnv_key *key) {
  uint8_t raw[64], text[12] = "ekey";
  enum rijnv_mode mode = g->ealgo == AES_XTS ? RIJNV_XTS : RIJNV_CBC_GELI;
  size_t len = g->keylen / 8 * (g->ealgo == AES_XTS ? 2 : 1);
  rijn_volume_bytes base = {g->version == 7 ? g->data_key : g->iv_key, 64}, part = {text, 12};
  rijnv_put_le(text + 4, number, 8);
  int r = RIJN_VOLUME_OK;
  if (g->version < 5)
    memcpy(raw, g->data_key, 64);
  else
    r = rijnv_hmac512(base, &part, 1, raw);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_key_init(key, mode, raw, len, g->iv_key);
  explicit_bzero(raw, sizeof raw);
  return r;
}

static int try_slots(struct rijnv_geli *g, const rijn_volume_secret *secret, bool passphrase, int *slot) {
  uint8_t user_key[64];
  int r = rijnv_geli_user_key(g, secret, passphrase, user_key);
  if (r != RIJN_VOLUME_OK)
    return r;
  r = RIJN_VOLUME_EKEY;
  for (int i = 0; i < 2 && r == RIJN_VOLUME_EKEY; i++) {
    if ((g->keys & 1u << i) == 0 || (secret->slot >= 0 && secret->slot != i))
      continue;
    r = open_slot(g, i, user_key);
    *slot = i;
  }
  explicit_bzero(user_key, sizeof user_key);
  return r;
}

int rijnv_geli_unlock(rijn_volume *v, const rijn_volume_secret *secret, int *slot, rijn_volume_error *err) {
  struct rijnv_geli *g = &v->geli;
  struct rijnv_limits limits = rijnv_limits_of(&v->options);
  bool passphrase = secret->passphrase != NULL && g->rounds >= 0;
  int r = RIJN_VOLUME_EKEY;
  if (passphrase && g->rounds > 0 && (uint64_t)g->rounds > limits.rounds)
    return rijnv_fail(err, RIJN_VOLUME_ECOST,
                      "GELI: the passphrase wants %d rounds of PBKDF2, and the limit is %llu "
                      "(--limit-rounds)",
                      g->rounds, (unsigned long long)limits.rounds);
  /* WHY key files alone first: it costs nothing, and whether a slot has a passphrase is not recorded. */
  if (secret->key_files_n > 0)
    r = try_slots(g, secret, false, slot);
  if (r == RIJN_VOLUME_EKEY && passphrase)
    r = try_slots(g, secret, true, slot);
  if (r != RIJN_VOLUME_OK && r != RIJN_VOLUME_EKEY)
    rijnv_fail(err, r, "GELI: the key cannot be derived: libcrypto failed, or there are more than 128 key files");
  return r;
}
