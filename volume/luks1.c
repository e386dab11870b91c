/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* LUKS1: one header of 592 bytes, big-endian, eight key slots. SPEC: LUKS On-Disk Format Specification 1.2.3. */
#include "internal.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

enum { HEADER = 592, SLOTS = 8, SLOT_AT = 208, SLOT_LEN = 48, ACTIVE = 0x00ac71f3, INACTIVE = 0x0000dead };

/* A text field is ended by a zero within its length. */
static bool take_text(char *to, const uint8_t *from, size_t len) {
  if (memchr(from, 0, len) == NULL)
    return false;
  memcpy(to, from, len);
  return true;
}

static int refuse(rijn_volume *v, int code, const char *text, const char *what) {
  if (v->refusal.code == 0)
    rijnv_fail(&v->refusal, code, "%s%s", text, what);
  return RIJN_VOLUME_OK;
}

static int load_slots(rijn_volume *v, const uint8_t *h, const char *hash, uint64_t payload, rijn_volume_error *err) {
  struct rijnv_luks1 *l = &v->luks1;
  uint64_t bytes = (l->key_len * RIJNV_STRIPES + 511) / 512 * 512;
  for (int i = 0; i < SLOTS; i++) {
    const uint8_t *p = h + SLOT_AT + i * SLOT_LEN;
    struct rijnv_luks1_slot *s = &l->slots[i];
    uint64_t state = rijnv_be(p, 4), stripes = rijnv_be(p + 44, 4);
    s->active = state == ACTIVE;
    s->offset = rijnv_be(p + 40, 4) * 512;
    strcpy(s->kdf.name, "pbkdf2");
    strcpy(s->kdf.hash, hash);
    s->kdf.rounds = rijnv_be(p + 4, 4);
    s->kdf.salt_len = 32;
    memcpy(s->kdf.salt, p + 8, 32);
    if (state != ACTIVE && state != INACTIVE)
      return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "LUKS1: key slot %d is neither active nor inactive", i);
    if (!s->active)
      continue;
    if (stripes != RIJNV_STRIPES || s->kdf.rounds == 0)
      return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "LUKS1: key slot %d has %llu stripes and %llu rounds", i,
                        (unsigned long long)stripes, (unsigned long long)s->kdf.rounds);
    if (s->offset < 1024 || s->offset + bytes > v->header.size || (payload != 0 && s->offset + bytes > payload))
      return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "LUKS1: the area of key slot %d lies at %llu, where none can be", i,
                        (unsigned long long)s->offset);
    for (int j = 0; j < i; j++)
      if (l->slots[j].active && s->offset < l->slots[j].offset + bytes && l->slots[j].offset < s->offset + bytes)
        return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "LUKS1: the areas of key slots %d and %d overlap", j, i);
    rijn_volume_slot *f = &v->facts.slots[v->facts.slots_n++];
    *f = (rijn_volume_slot){.number = i, .rounds = s->kdf.rounds, .priority = 1, .bound = true, .understood = true};
    strcpy(f->kdf, "pbkdf2");
    strcpy(f->hash, hash);
  }
  return RIJN_VOLUME_OK;
}

int rijnv_luks1_load(rijn_volume *v, rijn_volume_error *err) {
  uint8_t h[HEADER];
  char name[32], mode_text[32], hash[32];
  if (v->header.size < HEADER)
    return RIJN_VOLUME_EFORMAT;
  int r = rijnv_read(&v->header, h, HEADER, 0, "LUKS header", err);
  if (r != RIJN_VOLUME_OK)
    return r;
  if (memcmp(h, "LUKS\xba\xbe", 6) != 0 || rijnv_be(h + 6, 2) != 1)
    return RIJN_VOLUME_EFORMAT;
  if (!take_text(name, h + 8, 32) || !take_text(mode_text, h + 40, 32) || !take_text(hash, h + 72, 32) ||
      !take_text(v->facts.uuid, h + 168, 40))
    return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "LUKS1: a name in the header has no end");
  struct rijnv_luks1 *l = &v->luks1;
  uint64_t payload = rijnv_be(h + 104, 4) * 512, key_len = rijnv_be(h + 108, 4);
  rijn_volume_facts *f = &v->facts;
  f->format = RIJN_VOLUME_LUKS1;
  f->version = 1;
  snprintf(f->cipher, sizeof f->cipher, "%s-%s", name, mode_text);
  strcpy(f->hash, hash);
  f->key_bits = (unsigned)(key_len > 1 << 20 ? 0 : key_len * 8);
  f->sector_size = 512;
  f->data_offset = payload;
  if (key_len == 0 || key_len > 512)
    return rijnv_fail(err, RIJN_VOLUME_EKEYLEN, "LUKS1: a key of %llu bytes", (unsigned long long)key_len);
  l->key_len = (size_t)key_len;
  memcpy(l->digest, h + 112, 20);
  strcpy(l->digest_kdf.name, "pbkdf2");
  strcpy(l->digest_kdf.hash, hash);
  memcpy(l->digest_kdf.salt, h + 132, 32);
  l->digest_kdf.salt_len = 32;
  l->digest_kdf.rounds = rijnv_be(h + 164, 4);
  r = load_slots(v, h, hash, payload, err);
  if (r != RIJN_VOLUME_OK)
    return r;
  enum rijnv_mode mode = rijnv_mode_of(f->cipher);
  if (rijnv_is_null(f->cipher))
    return refuse(v, RIJN_VOLUME_ECIPHER, "the header names cipher_null, which encrypts nothing", "");
  if (mode == RIJNV_NONE)
    return refuse(v, RIJN_VOLUME_ECIPHER, "the cipher is not supported: ", f->cipher);
  if (!rijnv_mode_key_len(mode, l->key_len))
    return refuse(v, RIJN_VOLUME_EKEYLEN, "the key length does not fit the cipher ", f->cipher);
  if (!rijnv_has_hash(hash))
    return refuse(v, RIJN_VOLUME_ECRYPTO, "libcrypto has no hash of this name: ", hash);
  f->digest_rounds = (unsigned)l->digest_kdf.rounds;
  if (l->digest_kdf.rounds == 0)
    return refuse(v, RIJN_VOLUME_EROUNDS, "the digest of the key has 0 rounds", "");
  if (f->slots_n == 0)
    return refuse(v, RIJN_VOLUME_EKEYSLOT, "no key slot is in use", "");
  if (payload == 0 && !f->detached)
    return refuse(v, RIJN_VOLUME_ESEGMENT, "this is a detached header: give the disk of its data, and this by --header",
                  "");
  return rijnv_set_sectors(v, mode, 512, payload, 0);
}

/* The key that pass opens in this slot, into key. */
static int open_slot(rijn_volume *v, const struct rijnv_luks1_slot *s, rijn_volume_bytes pass, uint8_t *key,
                     rijn_volume_error *err) {
  const struct rijnv_luks1 *l = &v->luks1;
  struct rijnv_area area = {s->offset, v->mode, l->key_len, l->key_len, s->kdf.hash};
  rijn_volume_bytes found = {key, l->key_len};
  uint8_t area_key[RIJNV_KEY_MAX], digest[20];
  int r = rijnv_kdf_run(&s->kdf, pass, area_key, l->key_len, err);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_area_open(&v->header, &area, area_key, key, err);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_kdf_run(&l->digest_kdf, found, digest, sizeof digest, err);
  explicit_bzero(area_key, sizeof area_key);
  if (r == RIJN_VOLUME_OK && CRYPTO_memcmp(digest, l->digest, sizeof digest) != 0)
    r = RIJN_VOLUME_EKEY;
  return r;
}

int rijnv_luks1_unlock(rijn_volume *v, const rijn_volume_secret *secret, int *slot, rijn_volume_error *err) {
  struct rijnv_limits limits = rijnv_limits_of(&v->options);
  int worst = RIJN_VOLUME_EKEY;
  uint8_t key[RIJNV_KEY_MAX];
  rijn_volume_bytes pass;
  int r = rijnv_kdf_cost(&v->luks1.digest_kdf, -1, &limits, err);
  if (r != RIJN_VOLUME_OK)
    return r;
  for (int i = 0; i < SLOTS; i++) {
    const struct rijnv_luks1_slot *s = &v->luks1.slots[i];
    if (!s->active || (secret->slot >= 0 && secret->slot != i))
      continue;
    if (rijnv_kdf_cost(&s->kdf, i, &limits, err) != RIJN_VOLUME_OK) {
      worst = RIJN_VOLUME_ECOST;
      continue;
    }
    for (size_t n = 0; rijnv_luks_secret(secret, n, &pass); n++) {
      r = open_slot(v, s, pass, key, err);
      if (r == RIJN_VOLUME_OK) {
        r = rijnv_key_init(&v->key, v->mode, key, v->luks1.key_len, NULL);
        explicit_bzero(key, sizeof key);
        *slot = i;
        return r == RIJN_VOLUME_OK ? r : rijnv_fail(err, r, "the core library refuses the volume key");
      }
      explicit_bzero(key, sizeof key);
      if (r != RIJN_VOLUME_EKEY)
        return r;
    }
  }
  return worst == RIJN_VOLUME_ECOST ? worst : RIJN_VOLUME_EKEY;
}
