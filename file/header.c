/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * The header of keys (doc/file-format.md):
 *
 *   magic (8) || version (1) || slots (1) || length of all (2) || slot || slot || ... || MAC (32)
 *   slot: kind (1) || 0 (1) || length of the rest (2) || rest
 *   kind 1, passphrase: memory in KiB (4) || passes (4) || lanes (4) || salt (16) || commitment (32) || key and tag
 *   (48) kind 2, public key: what HPKE makes: enc (32) || key and tag (48)
 *
 * Numbers are big-endian.
 */
#include "crypto.h"
#include "message.h"

#include <argon2.h>
#include <string.h>

enum { FIXED = 12, SLOT = 4, MAC = 32, KEY = 32, TAG = 16, SALT = 16, SLOTS_MAX = 96 };
enum { KIND_PASSPHRASE = 1, KIND_PUBLIC = 2 };
enum { AT_SALT = 12, AT_COMMITMENT = AT_SALT + SALT, AT_KEY = AT_COMMITMENT + 32, PASSPHRASE = AT_KEY + KEY + TAG };
enum { PUBLIC = RIJN_HPKE_ENC + KEY + TAG };
enum { DEFAULT_KIB = 64 << 10, LIMIT_KIB = 1 << 20, LIMIT_PASSES = 16, LIMIT_LANES = 16 };

static const uint8_t magic[8] = {0x89, 'R', 'I', 'J', 'N', '\r', '\n', 0x1a};
/* What ties keys and MAC to their use. */
static const struct rijn_hpke hpke = {.key_len = 32, .info = {"rijn-file v1 recipient", 22}};
static const char mac_label[] = "rijn-file v1 header";

static uint32_t get(const uint8_t *p, int n) {
  uint32_t v = 0;
  for (int i = 0; i < n; i++)
    v = v << 8 | p[i];
  return v;
}

static void put(uint8_t *p, uint32_t v, int n) {
  for (int i = n; i-- > 0; v >>= 8)
    p[i] = (uint8_t)v;
}

/* ---------------------------------------------------------------- form */

struct slot {
  int kind;
  const uint8_t *rest;
  size_t n;
};
struct parsed {
  struct slot slot[SLOTS_MAX];
  size_t n;
};

int rijn_file_header_len(const void *bytes, size_t n, size_t *header_len) {
  const uint8_t *p = bytes;
  *header_len = 0;
  if (n < FIXED || memcmp(p, magic, sizeof magic) != 0)
    return 0;
  if (p[8] != 1)
    return RIJN_FILE_EVERSION;
  size_t len = get(p + 10, 2);
  if (len < FIXED + MAC || len > RIJN_FILE_HEADER_MAX)
    return RIJN_FILE_EFORM;
  *header_len = len;
  return 0;
}

static int parse(const uint8_t *p, size_t len, struct parsed *out) {
  size_t all, at = FIXED, passphrases = 0;
  int r = rijn_file_header_len(p, len, &all);
  if (r != 0)
    return r;
  if (len < FIXED + MAC || all != len || p[9] == 0 || p[9] > SLOTS_MAX)
    return RIJN_FILE_EFORM;
  for (out->n = 0; out->n < p[9]; out->n++) {
    struct slot *s = &out->slot[out->n];
    if (len - MAC - at < SLOT || p[at + 1] != 0)
      return RIJN_FILE_EFORM;
    *s = (struct slot){.kind = p[at], .rest = p + at + SLOT, .n = get(p + at + 2, 2)};
    at += SLOT;
    if (len - MAC - at < s->n || (s->kind == KIND_PASSPHRASE && s->n != PASSPHRASE) ||
        (s->kind == KIND_PUBLIC && s->n != PUBLIC))
      return RIJN_FILE_EFORM;
    passphrases += s->kind == KIND_PASSPHRASE;
    at += s->n;
  }
  /* WHY one passphrase at most: each one costs its reader what the header says. */
  return at == len - MAC && passphrases <= 1 ? 0 : RIJN_FILE_EFORM;
}

static rijn_file_cost cost_of(const struct slot *s) {
  return (rijn_file_cost){get(s->rest, 4), get(s->rest + 4, 4), get(s->rest + 8, 4)};
}

int rijn_file_header_read(const void *header, size_t header_len, rijn_file_header_info *info) {
  struct parsed h;
  if (header == NULL || info == NULL || info->size != sizeof *info)
    return RIJN_FILE_EARGUMENT;
  int r = parse(header, header_len, &h);
  if (r != 0)
    return r;
  *info = (rijn_file_header_info){.size = sizeof *info, .version = 1};
  for (size_t i = 0; i < h.n; i++) {
    if (h.slot[i].kind == KIND_PASSPHRASE) {
      info->passphrase = 1;
      info->cost = cost_of(&h.slot[i]);
    }
    info->recipients += h.slot[i].kind == KIND_PUBLIC;
    info->unknown += h.slot[i].kind != KIND_PASSPHRASE && h.slot[i].kind != KIND_PUBLIC;
  }
  return 0;
}

/* ---------------------------------------------------------------- keys */

/* HMAC-SHA-256, which HKDF-Extract is, under a key made of the file's. */
static void mac(const uint8_t key[KEY], const uint8_t *header, size_t n, uint8_t out[MAC]) {
  uint8_t mac_key[32];
  const struct rijn_hkdf_in derive = {
      .step = RIJN_HKDF_EXPAND, .digest = RIJN_SHA512, .key = {key, KEY}, .info = {mac_label, sizeof mac_label - 1}};
  const struct rijn_hkdf_in hmac = {
      .step = RIJN_HKDF_EXTRACT, .digest = RIJN_SHA256, .key = {header, n}, .salt = {mac_key, sizeof mac_key}};
  rijn_hkdf(&derive, mac_key, sizeof mac_key);
  rijn_hkdf(&hmac, out, MAC);
  explicit_bzero(mac_key, sizeof mac_key);
}

/* 64 bytes of Argon2id: the key that wraps, and a commitment to it. WHY the second: AES-GCM does not commit to its
 * key, and one slot that opens under many passphrases would tell who made it which of them was tried. */
static int stretch(const char *passphrase, size_t len, const uint8_t *slot, uint8_t out[64]) {
  if (len > UINT32_MAX)
    return RIJN_FILE_EARGUMENT;
  int r = argon2id_hash_raw(get(slot + 4, 4), get(slot, 4), get(slot + 8, 4), passphrase, len, slot + AT_SALT, SALT,
                            out, 64);
  if (r == ARGON2_MEMORY_ALLOCATION_ERROR || r == ARGON2_THREAD_FAIL)
    return RIJN_FILE_EMEMORY;
  return r == ARGON2_OK ? 0 : RIJN_FILE_ECRYPTO;
}

/* SPEC: the key that wraps is used once, so the nonce is zeros; what stands before it in the slot is the associated
 * data. */
static const uint8_t zero_nonce[12];

static int wrap(const uint8_t stretched[64], uint8_t *slot, const uint8_t key[KEY]) {
  rijn_gcm_key k;
  memcpy(slot + AT_COMMITMENT, stretched + 32, 32);
  int r = rijn_gcm_init(&k, stretched, 32);
  if (r == 0)
    r = rijn_gcm_encrypt(&k, slot + AT_KEY, key, KEY, slot, AT_KEY, zero_nonce, 12, slot + AT_KEY + KEY);
  rijn_gcm_wipe(&k);
  return r;
}

static int unwrap(const uint8_t stretched[64], const uint8_t *slot, uint8_t key[KEY]) {
  rijn_gcm_key k;
  if (!rijn_same_bytes(slot + AT_COMMITMENT, stretched + 32, 32))
    return RIJN_EAUTH;
  int r = rijn_gcm_init(&k, stretched, 32);
  if (r == 0)
    r = rijn_gcm_decrypt(&k, key, slot + AT_KEY, KEY, slot, AT_KEY, zero_nonce, 12, slot + AT_KEY + KEY);
  rijn_gcm_wipe(&k);
  return r;
}

/* ---------------------------------------------------------------- make */

static int put_passphrase(const rijn_file_lock *lock, uint8_t *slot, const uint8_t key[KEY]) {
  uint8_t stretched[64];
  put(slot, lock->cost.memory_kib != 0 ? lock->cost.memory_kib : DEFAULT_KIB, 4);
  put(slot + 4, lock->cost.passes != 0 ? lock->cost.passes : 3, 4);
  put(slot + 8, lock->cost.lanes != 0 ? lock->cost.lanes : 4, 4);
  if (rijn_random_bytes(slot + AT_SALT, SALT) != 0)
    return RIJN_FILE_ERANDOM;
  int r = stretch(lock->passphrase, lock->passphrase_len, slot, stretched);
  if (r == 0)
    r = wrap(stretched, slot, key);
  explicit_bzero(stretched, sizeof stretched);
  return r;
}

static int put_public(const uint8_t public_key[32], uint8_t *slot, const uint8_t key[KEY]) {
  uint8_t ephemeral[32];
  if (rijn_random_bytes(ephemeral, sizeof ephemeral) != 0)
    return RIJN_FILE_ERANDOM;
  int r = rijn_hpke_seal(&hpke, ephemeral, public_key, (struct rijn_bytes){key, KEY}, slot);
  explicit_bzero(ephemeral, sizeof ephemeral);
  return r;
}

/* Puts the beginning of a slot at *at, and moves it behind the slot. */
static uint8_t *put_slot(uint8_t *header, size_t *at, int kind, size_t n) {
  uint8_t *p = header + *at;
  p[0] = (uint8_t)kind;
  p[1] = 0;
  put(p + 2, (uint32_t)n, 2);
  *at += SLOT + n;
  return p + SLOT;
}

static int make(const rijn_file_lock *lock, uint8_t *header, size_t *len, uint8_t key[KEY]) {
  size_t at = FIXED, slots = lock->public_keys_n + (lock->passphrase != NULL);
  int r = rijn_random_bytes(key, KEY) == 0 ? 0 : RIJN_FILE_ERANDOM;
  memcpy(header, magic, sizeof magic);
  header[8] = 1;
  header[9] = (uint8_t)slots;
  if (r == 0 && lock->passphrase != NULL)
    r = put_passphrase(lock, put_slot(header, &at, KIND_PASSPHRASE, PASSPHRASE), key);
  for (size_t i = 0; r == 0 && i < lock->public_keys_n; i++)
    r = put_public(lock->public_keys[i], put_slot(header, &at, KIND_PUBLIC, PUBLIC), key);
  if (r != 0)
    return r;
  put(header + 10, (uint32_t)(at + MAC), 2);
  *len = at + MAC;
  mac(key, header, at, header + at);
  return 0;
}

int rijn_file_header_make(const rijn_file_lock *lock, uint8_t header[RIJN_FILE_HEADER_MAX], size_t *header_len,
                          uint8_t key[32], rijn_file_error *e) {
  if (lock == NULL || lock->size != sizeof *lock || lock->public_keys_n > RIJN_FILE_MAX_RECIPIENTS ||
      (lock->passphrase == NULL && lock->public_keys_n == 0))
    return rijn_file_fail(e, RIJN_FILE_EARGUMENT, 0);
  int r = make(lock, header, header_len, key);
  if (r != 0)
    explicit_bzero(key, KEY);
  return r != 0 ? rijn_file_fail(e, r, 0) : 0;
}

/* ---------------------------------------------------------------- open */

static bool affordable(const rijn_file_cost *c, const rijn_file_cost *limit) {
  return c->memory_kib <= (limit->memory_kib != 0 ? limit->memory_kib : LIMIT_KIB) &&
         c->passes <= (limit->passes != 0 ? limit->passes : LIMIT_PASSES) &&
         c->lanes <= (limit->lanes != 0 ? limit->lanes : LIMIT_LANES);
}

static int open_passphrase(const struct slot *s, const rijn_file_unlock *u, uint8_t key[KEY]) {
  uint8_t stretched[64];
  const rijn_file_cost cost = cost_of(s);
  if (!affordable(&cost, &u->limit))
    return RIJN_FILE_ECOST;
  if (cost.passes == 0 || cost.lanes == 0 || cost.memory_kib < 8 * cost.lanes) /* Argon2 has no such costs */
    return RIJN_FILE_EFORM;
  int r = stretch(u->passphrase, u->passphrase_len, s->rest, stretched);
  if (r == 0)
    r = unwrap(stretched, s->rest, key);
  explicit_bzero(stretched, sizeof stretched);
  return r;
}

/* 0: key is what a slot held. */
static int open_slots(const struct parsed *h, const rijn_file_unlock *u, uint8_t key[KEY]) {
  int r = RIJN_FILE_ENOSLOT;
  for (size_t i = 0; i < h->n && (r == RIJN_FILE_ENOSLOT || r == RIJN_EAUTH); i++) {
    const struct slot *s = &h->slot[i];
    if (s->kind == KIND_PASSPHRASE && u->passphrase != NULL)
      r = open_passphrase(s, u, key);
    else if (s->kind == KIND_PUBLIC && u->secret_key != NULL)
      r = rijn_hpke_open(&hpke, u->secret_key, (struct rijn_bytes){s->rest, s->n}, key);
  }
  return r;
}

int rijn_file_header_open(const void *header, size_t header_len, const rijn_file_unlock *unlock, uint8_t key[32],
                          rijn_file_error *e) {
  struct parsed h;
  uint8_t should[MAC];
  if (header == NULL || unlock == NULL || unlock->size != sizeof *unlock)
    return rijn_file_fail(e, RIJN_FILE_EARGUMENT, 0);
  const uint8_t *p = header;
  int r = parse(header, header_len, &h);
  if (r == 0) {
    r = open_slots(&h, unlock, key);
    if (r == 0)
      mac(key, p, header_len - MAC, should);
    if (r == 0 && !rijn_same_bytes(should, p + header_len - MAC, MAC))
      r = RIJN_EAUTH;
  }
  if (r != 0)
    explicit_bzero(key, KEY);
  return r != 0 ? rijn_file_fail(e, r == RIJN_EAUTH ? RIJN_FILE_EUNLOCK : r, 0) : 0;
}
