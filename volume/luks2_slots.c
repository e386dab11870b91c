/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Adding and removing key slots of LUKS2. The order of writes makes both safe: what a header names is on the disk
 * before it, and of the header's two copies one is whole at every moment. */
#include "internal.h"

#include <json-c/json.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 32, ALIGN = 4096 };

/* ---------------------------------------------------------------- JSON */

json_object *rijnv_json_base64(const void *p, size_t len) {
  unsigned char text[128];
  EVP_EncodeBlock(text, p, (int)len);
  return json_object_new_string((const char *)text);
}

json_object *rijnv_json_u64(uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  return json_object_new_string(text);
}

static void put_int(json_object *o, const char *key, uint64_t value) {
  json_object_object_add(o, key, json_object_new_int64((int64_t)value));
}
static void put_text(json_object *o, const char *key, const char *text) {
  json_object_object_add(o, key, json_object_new_string(text));
}

static json_object *member(json_object *o, const char *key) {
  json_object *found = NULL;
  return json_object_object_get_ex(o, key, &found) ? found : NULL;
}

/* ---------------------------------------------------------------- a KDF for a new slot */

static void default_costs(struct rijnv_kdf *k) {
  uint64_t quarter = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 4096;
  long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  bool argon2 = strcmp(k->name, "pbkdf2") != 0;
  if (k->rounds == 0)
    k->rounds = argon2 ? 4 : 1000000;
  if (argon2 && k->memory_kib == 0)
    k->memory_kib = quarter < 1 << 20 ? quarter : 1 << 20;
  if (argon2 && k->lanes == 0) {
    k->lanes = cpus < 1 ? 1 : (unsigned)cpus;
    if (k->lanes > 4)
      k->lanes = 4;
  }
}

int rijnv_kdf_new(struct rijnv_kdf *k, const rijn_volume_kdf *wanted, json_object **json, rijn_volume_error *err) {
  const char *name = wanted != NULL && wanted->name != NULL ? wanted->name : "argon2id";
  bool argon2 = strcmp(name, "argon2i") == 0 || strcmp(name, "argon2id") == 0;
  memset(k, 0, sizeof *k);
  if (!argon2 && strcmp(name, "pbkdf2") != 0)
    return rijnv_fail(err, RIJN_VOLUME_EARG, "no KDF of the name '%s': argon2id, argon2i or pbkdf2", name);
  strcpy(k->name, name);
  if (wanted != NULL) {
    k->rounds = wanted->rounds;
    k->memory_kib = wanted->memory_kib;
    k->lanes = wanted->lanes;
  }
  default_costs(k);
  if (argon2 && (k->lanes > 64 || k->memory_kib < 8 * (uint64_t)k->lanes || k->memory_kib > 4 << 20))
    return rijnv_fail(err, RIJN_VOLUME_EARG, "Argon2 takes up to 64 lanes, and from 8 KiB a lane to 4 GiB of memory");
  if (k->rounds > (argon2 ? UINT32_MAX : INT32_MAX) || (!argon2 && k->rounds < 1000))
    return rijnv_fail(err, RIJN_VOLUME_EARG, "%s cannot take %llu rounds", name, (unsigned long long)k->rounds);
  strcpy(k->hash, "sha256");
  k->salt_len = 32;
  int r = rijnv_random(k->salt, k->salt_len, err);
  if (r != RIJN_VOLUME_OK)
    return r;
  json_object *o = json_object_new_object();
  put_text(o, "type", name);
  put_int(o, argon2 ? "time" : "iterations", k->rounds);
  if (argon2) {
    put_int(o, "memory", k->memory_kib);
    put_int(o, "cpus", k->lanes);
  } else {
    put_text(o, "hash", k->hash);
  }
  json_object_object_add(o, "salt", rijnv_json_base64(k->salt, k->salt_len));
  *json = o;
  return RIJN_VOLUME_OK;
}

/* ---------------------------------------------------------------- adding */

/* The first gap between the areas that are used; 0: there is none. */
static uint64_t free_area(const struct rijnv_luks2 *l, uint64_t size) {
  uint64_t at = 2 * l->header_size;
  for (bool moved = true; moved;) {
    moved = false;
    for (int i = 0; i < SLOTS; i++) {
      const struct rijnv_luks2_slot *s = &l->slots[i];
      if (s->present && at < s->area_offset + s->area_size && s->area_offset < at + size) {
        at = (s->area_offset + s->area_size + ALIGN - 1) / ALIGN * ALIGN;
        moved = true;
      }
    }
  }
  return at <= l->slots_end && size <= l->slots_end - at ? at : 0;
}

static json_object *slot_json(const struct rijnv_area *area, uint64_t size, json_object *kdf) {
  json_object *o = json_object_new_object(), *af = json_object_new_object(), *where = json_object_new_object();
  put_text(o, "type", "luks2");
  put_int(o, "key_size", area->key_len);
  put_text(af, "type", "luks1");
  put_int(af, "stripes", RIJNV_STRIPES);
  put_text(af, "hash", area->af_hash);
  put_text(where, "type", "raw");
  json_object_object_add(where, "offset", rijnv_json_u64(area->offset));
  json_object_object_add(where, "size", rijnv_json_u64(size));
  put_text(where, "encryption", "aes-xts-plain64");
  put_int(where, "key_size", area->area_key_len);
  json_object_object_add(o, "af", af);
  json_object_object_add(o, "area", where);
  json_object_object_add(o, "kdf", kdf);
  return o;
}

static void enter_slot(struct rijnv_luks2 *l, int i, json_object *slot) {
  char name[16], digest[16];
  snprintf(name, sizeof name, "%d", i);
  snprintf(digest, sizeof digest, "%d", l->digest_number);
  json_object_object_add(member(l->json, "keyslots"), name, slot);
  json_object_array_add(member(member(member(l->json, "digests"), digest), "keyslots"), json_object_new_string(name));
}

int rijnv_luks2_new_slot(const rijn_volume_disk *disk, struct rijnv_luks2 *l, const rijn_volume_secret *secret,
                         const rijn_volume_kdf *kdf, int *slot, rijn_volume_error *err) {
  struct rijnv_kdf k;
  rijn_volume_bytes pass;
  json_object *kdf_json = NULL;
  uint8_t area_key[64];
  struct rijnv_area area = {0, RIJNV_XTS, l->new_area_key_len, l->volume_key_len, "sha256"};
  uint64_t size = (rijnv_area_bytes(&area) + ALIGN - 1) / ALIGN * ALIGN;
  int i = secret->slot >= 0 ? secret->slot : 0;
  while (secret->slot < 0 && i < SLOTS && l->slots[i].present)
    i++;
  area.offset = free_area(l, size);
  if (i >= SLOTS && secret->slot < 0)
    return rijnv_fail(err, RIJN_VOLUME_EFULL, "all %d key slots are in use", SLOTS);
  if (i >= SLOTS)
    return rijnv_fail(err, RIJN_VOLUME_EFULL, "LUKS2 has key slots 0 to %d, not %d", SLOTS - 1, i);
  if (l->slots[i].present)
    return rijnv_fail(err, RIJN_VOLUME_EFULL, "key slot %d is in use", i);
  if (area.offset == 0)
    return rijnv_fail(err, RIJN_VOLUME_EFULL, "the header has no room for another key slot");
  int r = rijnv_new_secret(secret, RIJN_VOLUME_LUKS2, err);
  if (r == RIJN_VOLUME_OK && rijnv_luks_secret(secret, 0, &pass))
    r = rijnv_kdf_new(&k, kdf, &kdf_json, err);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_kdf_run(&k, pass, area_key, area.area_key_len, err);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_area_seal(disk, &area, area_key, l->volume_key, err);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_flush(disk, err); /* before a header names it */
  explicit_bzero(area_key, sizeof area_key);
  if (r != RIJN_VOLUME_OK) {
    json_object_put(kdf_json);
    return r;
  }
  enter_slot(l, i, slot_json(&area, size, kdf_json));
  *slot = i;
  return RIJN_VOLUME_OK;
}

/* ---------------------------------------------------------------- changing a header that is on the disk */

static int may_change(const rijn_volume *v, rijn_volume_error *err) {
  if (v->facts.format != RIJN_VOLUME_LUKS2)
    return rijnv_fail(err, RIJN_VOLUME_EARG,
                      "key slots are changed in LUKS2 alone; cryptsetup does it for LUKS1, and geli "
                      "setkey for GELI");
  if (!v->unlocked)
    return rijnv_fail(err, RIJN_VOLUME_EARG, "the volume is not unlocked");
  if (v->header.pwrite == NULL || v->options.read_only)
    return rijnv_fail(err, RIJN_VOLUME_EREADONLY, "the header is opened read only");
  return RIJN_VOLUME_OK;
}

/* Writes the changed header, or goes back to what is on the disk. */
static int commit(rijn_volume *v, json_object *before, rijn_volume_error *err) {
  const uint64_t epoch = v->luks2.epoch;
  int r = rijnv_luks2_write(&v->header, &v->luks2, err);
  rijn_volume_facts *f = &v->facts;
  if (v->luks2.epoch != epoch) { /* one copy of the new header is on the disk, and counts */
    json_object_put(before);
  } else {
    json_object_put(v->luks2.json);
    v->luks2.json = before;
  }
  memset(v->luks2.slots, 0, sizeof v->luks2.slots);
  f->slots_n = f->tokens_n = f->requirements_n = 0;
  f->epoch = v->luks2.epoch;
  int parsed = rijnv_luks2_parse(v, r == RIJN_VOLUME_OK ? err : NULL);
  f->discards = f->discards || v->options.allow_discards;
  return r != RIJN_VOLUME_OK ? r : parsed;
}

static int copy_json(const rijn_volume *v, json_object **copy, rijn_volume_error *err) {
  *copy = NULL;
  if (json_object_deep_copy(v->luks2.json, copy, NULL) != 0)
    return rijnv_fail(err, RIJN_VOLUME_EMEM, "out of memory");
  return RIJN_VOLUME_OK;
}

/* From the second look at the header to the last write of it nobody else changes it. */
static int begin_change(rijn_volume *v, struct rijnv_lock *lock, rijn_volume_error *err) {
  lock->fd = -1;
  int r = may_change(v, err);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_lock_header(&v->header, lock, true, err);
  return r == RIJN_VOLUME_OK ? rijnv_luks2_unchanged(v, err) : r;
}

static int add_key(rijn_volume *v, const rijn_volume_secret *added, const rijn_volume_kdf *kdf, int *slot,
                   rijn_volume_error *err) {
  json_object *before;
  int i = -1, r = copy_json(v, &before, err);
  if (r != RIJN_VOLUME_OK)
    return r;
  r = rijnv_luks2_new_slot(&v->header, &v->luks2, added, kdf, &i, err);
  if (r != RIJN_VOLUME_OK) {
    json_object_put(before);
    return r;
  }
  r = commit(v, before, err);
  if (r == RIJN_VOLUME_OK && slot != NULL)
    *slot = i;
  return r;
}

int rijn_volume_add_key(rijn_volume *v, const rijn_volume_secret *added, const rijn_volume_kdf *kdf, int *slot,
                        rijn_volume_error *err) {
  struct rijnv_lock lock;
  int r = begin_change(v, &lock, err);
  if (r == RIJN_VOLUME_OK)
    r = add_key(v, added, kdf, slot, err);
  rijnv_unlock_header(&lock, &v->header);
  return r;
}

/* ---------------------------------------------------------------- removing */

/* Out of the list "keyslots" of each object in o: digests and tokens have one. */
static void forget_in(json_object *o, const char *name) {
  if (!json_object_is_type(o, json_type_object))
    return;
  json_object_object_foreach(o, key, each) {
    (void)key;
    json_object *list = member(each, "keyslots");
    if (!json_object_is_type(list, json_type_array))
      continue;
    for (size_t i = json_object_array_length(list); i-- > 0;) {
      const char *text = json_object_get_string(json_object_array_get_idx(list, i));
      if (text != NULL && strcmp(text, name) == 0)
        json_object_array_del_idx(list, i, 1);
    }
  }
}

static int overwrite(const rijn_volume_disk *disk, uint64_t offset, uint64_t size, rijn_volume_error *err) {
  uint8_t noise[4096];
  int r = RIJN_VOLUME_OK;
  for (uint64_t at = 0; r == RIJN_VOLUME_OK && at < size; at += sizeof noise) {
    size_t n = size - at < sizeof noise ? (size_t)(size - at) : sizeof noise;
    r = rijnv_random(noise, n, err);
    if (r == RIJN_VOLUME_OK)
      r = rijnv_write(disk, noise, n, offset + at, "key slot", err);
  }
  return r == RIJN_VOLUME_OK ? rijnv_flush(disk, err) : r;
}

static int remove_key(rijn_volume *v, int slot, bool last, rijn_volume_error *err) {
  json_object *before;
  char name[16];
  int others = 0;
  if (slot < 0 || slot >= SLOTS || !v->luks2.slots[slot].present)
    return rijnv_fail(err, RIJN_VOLUME_EARG, "key slot %d is not in use", slot);
  for (int i = 0; i < SLOTS; i++)
    others += i != slot && v->luks2.slots[i].bound && v->luks2.slots[i].understood;
  if (others == 0 && v->luks2.slots[slot].bound && !last)
    return rijnv_fail(err, RIJN_VOLUME_EARG,
                      "key slot %d is the last that opens the volume; without it the data are lost. --last removes it",
                      slot);
  int r = copy_json(v, &before, err);
  if (r != RIJN_VOLUME_OK)
    return r;
  /* WHY the area first: whoever removes a key wants it gone, and a header that names a slot of noise does no harm. */
  r = overwrite(&v->header, v->luks2.slots[slot].area_offset, v->luks2.slots[slot].area_size, err);
  if (r != RIJN_VOLUME_OK) {
    json_object_put(before);
    return r;
  }
  snprintf(name, sizeof name, "%d", slot);
  json_object_object_del(member(v->luks2.json, "keyslots"), name);
  forget_in(member(v->luks2.json, "digests"), name);
  forget_in(member(v->luks2.json, "tokens"), name);
  return commit(v, before, err);
}

int rijn_volume_remove_key(rijn_volume *v, int slot, bool last, rijn_volume_error *err) {
  struct rijnv_lock lock;
  int r = begin_change(v, &lock, err);
  if (r == RIJN_VOLUME_OK)
    r = remove_key(v, slot, last, err);
  rijnv_unlock_header(&lock, &v->header);
  return r;
}
