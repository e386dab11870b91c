/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* LUKS2's JSON: what it says of segments, key slots, digests, tokens and requirements, and what stands against opening
 * it. SPEC: LUKS2 On-Disk Format Specification 1.1.1, section 3. */
#include "internal.h"

#include <json-c/json.h>
#include <limits.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 16, MOST_BRACKETS = 20000, MOST_COMMAS = 200000, SLOTS = 32 };

/* WHY counted first: json-c takes hundreds of bytes for a pair of brackets, and a header may have millions. */
static bool modest(const char *text, size_t len) {
  size_t brackets = 0, commas = 0;
  for (size_t i = 0; i < len; i++) {
    brackets += text[i] == '{' || text[i] == '[';
    commas += text[i] == ',';
  }
  return brackets <= MOST_BRACKETS && commas <= MOST_COMMAS;
}

/* One object, and zeros behind it. */
json_object *rijnv_json_parse(const char *text, size_t len) {
  if (len > INT_MAX || memchr(text, 0, len) == NULL || !modest(text, len))
    return NULL;
  json_tokener *tok = json_tokener_new_ex(DEPTH);
  if (tok == NULL)
    return NULL;
  json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
  json_object *o = json_tokener_parse_ex(tok, text, (int)len);
  bool good =
      o != NULL && json_tokener_get_error(tok) == json_tokener_success && json_object_is_type(o, json_type_object);
  for (size_t i = json_tokener_get_parse_end(tok); good && i < len; i++)
    good = text[i] == '\0';
  json_tokener_free(tok);
  if (good)
    return o;
  json_object_put(o);
  return NULL;
}

/* ---------------------------------------------------------------- fields */

/* NULL where it is not there or of another type. */
static json_object *get(json_object *o, const char *key, json_type type) {
  json_object *found = NULL;
  if (!json_object_is_type(o, json_type_object) || !json_object_object_get_ex(o, key, &found))
    return NULL;
  return json_object_is_type(found, type) ? found : NULL;
}

static const char *get_text(json_object *o, const char *key) {
  json_object *found = get(o, key, json_type_string);
  if (found == NULL)
    return NULL;
  const char *text = json_object_get_string(found);
  return strlen(text) == (size_t)json_object_get_string_len(found) ? text : NULL;
}

static bool copy_text(json_object *o, const char *key, char *to, size_t room) {
  const char *text = get_text(o, key);
  if (text == NULL || strlen(text) >= room)
    return false;
  strcpy(to, text);
  return true;
}

static bool get_int(json_object *o, const char *key, uint64_t *value) {
  json_object *found = get(o, key, json_type_int);
  int64_t v = found != NULL ? json_object_get_int64(found) : -1;
  *value = (uint64_t)v;
  return v >= 0 && v <= UINT32_MAX;
}

static bool decimal(const char *text, uint64_t *value) {
  *value = 0;
  if (text == NULL || *text == '\0')
    return false;
  for (; *text >= '0' && *text <= '9'; text++) {
    unsigned digit = (unsigned)(*text - '0');
    if (*value > (UINT64_MAX - digit) / 10)
      return false;
    *value = *value * 10 + digit;
  }
  return *text == '\0';
}

/* 64-bit numbers are strings of digits. */
static bool get_u64(json_object *o, const char *key, uint64_t *value) { return decimal(get_text(o, key), value); }

static bool get_base64(json_object *o, const char *key, uint8_t *to, size_t room, size_t *len) {
  const char *text = get_text(o, key);
  size_t n = text != NULL ? strlen(text) : 0;
  uint8_t out[192];
  if (n == 0 || n % 4 != 0 || n / 4 * 3 > sizeof out ||
      strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") != n)
    return false;
  int got = EVP_DecodeBlock(out, (const unsigned char *)text, (int)n);
  size_t pad = (size_t)(text[n - 1] == '=') + (size_t)(text[n - 2] == '=');
  if (got < 0 || (size_t)got < pad || (size_t)got - pad > room)
    return false;
  *len = (size_t)got - pad;
  memcpy(to, out, *len);
  return true;
}

/* The number of a slot, a token, a segment, or -1. One number has one name: "01" is none. */
static int number(const char *key, int most) {
  uint64_t n;
  if (key[0] == '0' && key[1] != '\0')
    return -1;
  return decimal(key, &n) && n < (uint64_t)most ? (int)n : -1;
}

static bool list_has(json_object *list, const char *text) {
  size_t n = list != NULL ? json_object_array_length(list) : 0;
  for (size_t i = 0; i < n; i++) {
    json_object *o = json_object_array_get_idx(list, i);
    if (json_object_is_type(o, json_type_string) && strcmp(json_object_get_string(o), text) == 0)
      return true;
  }
  return false;
}

static int refuse(rijn_volume *v, int code, const char *text, const char *what) {
  if (v->refusal.code == 0)
    rijnv_fail(&v->refusal, code, "%s%s", text, what != NULL ? what : "");
  return RIJN_VOLUME_OK;
}

/* ---------------------------------------------------------------- key slots */

/* false: not a key slot that can be used here. */
static bool parse_kdf(json_object *o, struct rijnv_kdf *k) {
  uint64_t lanes = 0;
  if (!copy_text(o, "type", k->name, sizeof k->name) || !get_base64(o, "salt", k->salt, sizeof k->salt, &k->salt_len))
    return false;
  if (strcmp(k->name, "pbkdf2") == 0)
    return copy_text(o, "hash", k->hash, sizeof k->hash) && rijnv_has_hash(k->hash) &&
           get_int(o, "iterations", &k->rounds) && k->rounds > 0;
  if (strcmp(k->name, "argon2i") != 0 && strcmp(k->name, "argon2id") != 0)
    return false;
  bool ok = get_int(o, "time", &k->rounds) && k->rounds > 0 && get_int(o, "memory", &k->memory_kib) &&
            get_int(o, "cpus", &lanes) && lanes > 0 && lanes <= 1024 && k->memory_kib >= 8 * lanes && k->salt_len >= 8;
  k->lanes = (unsigned)lanes;
  return ok;
}

static bool parse_slot(json_object *o, struct rijnv_luks2_slot *s) {
  json_object *af = get(o, "af", json_type_object), *area = get(o, "area", json_type_object);
  json_object *kdf = get(o, "kdf", json_type_object);
  const char *type = get_text(o, "type"), *af_type = get_text(af, "type"), *area_type = get_text(area, "type");
  uint64_t key_len, area_key_len, stripes;
  if (type == NULL || strcmp(type, "luks2") != 0 || af_type == NULL || strcmp(af_type, "luks1") != 0 ||
      area_type == NULL || strcmp(area_type, "raw") != 0)
    return false;
  const char *spec = get_text(area, "encryption");
  if (!get_int(o, "key_size", &key_len) || !get_int(area, "key_size", &area_key_len) ||
      !get_int(af, "stripes", &stripes) || stripes != RIJNV_STRIPES ||
      !copy_text(af, "hash", s->af_hash, sizeof s->af_hash) || !rijnv_has_hash(s->af_hash) || spec == NULL)
    return false;
  s->mode = rijnv_mode_of(spec);
  s->key_len = (size_t)key_len;
  s->area_key_len = (size_t)area_key_len;
  struct rijnv_area bytes = {.key_len = s->key_len};
  return s->mode != RIJNV_NONE && rijnv_mode_key_len(s->mode, s->area_key_len) && key_len >= 1 &&
         key_len <= RIJNV_KEY_MAX && rijnv_area_bytes(&bytes) <= s->area_size && parse_kdf(kdf, &s->kdf);
}

/* Every area lies among the others without touching one, or the header is not to be trusted. */
static int place_area(rijn_volume *v, int i, json_object *o, rijn_volume_error *err) {
  struct rijnv_luks2 *l = &v->luks2;
  struct rijnv_luks2_slot *s = &l->slots[i];
  json_object *area = get(o, "area", json_type_object);
  if (!get_u64(area, "offset", &s->area_offset) || !get_u64(area, "size", &s->area_size) ||
      s->area_offset < 2 * l->header_size || s->area_size == 0 || s->area_size > l->slots_end ||
      s->area_offset > l->slots_end - s->area_size)
    return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "LUKS2: the area of key slot %d lies where none can be", i);
  for (int j = 0; j < SLOTS; j++) {
    const struct rijnv_luks2_slot *t = &l->slots[j];
    if (j != i && t->present && s->area_offset < t->area_offset + t->area_size &&
        t->area_offset < s->area_offset + s->area_size)
      return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "LUKS2: the areas of key slots %d and %d overlap", j, i);
  }
  return RIJN_VOLUME_OK;
}

static int parse_slots(rijn_volume *v, json_object *slots, rijn_volume_error *err) {
  json_object_object_foreach(slots, name, o) {
    int i = number(name, SLOTS);
    if (i < 0)
      return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "LUKS2: a key slot has a number beyond 31");
    struct rijnv_luks2_slot *s = &v->luks2.slots[i];
    uint64_t priority = 1;
    int r = place_area(v, i, o, err);
    if (r != RIJN_VOLUME_OK)
      return r;
    s->present = true;
    s->understood = parse_slot(o, s);
    s->priority = get_int(o, "priority", &priority) && priority <= 2 ? (int)priority : 1;
  }
  return RIJN_VOLUME_OK;
}

static void list_slots(rijn_volume *v, json_object *slots) {
  for (int i = 0; i < SLOTS; i++) {
    const struct rijnv_luks2_slot *s = &v->luks2.slots[i];
    char name[16];
    if (!s->present)
      continue;
    rijn_volume_slot *f = &v->facts.slots[v->facts.slots_n++];
    *f = (rijn_volume_slot){.number = i,
                            .rounds = s->kdf.rounds,
                            .memory_kib = s->kdf.memory_kib,
                            .lanes = s->kdf.lanes,
                            .priority = s->priority,
                            .bound = s->bound,
                            .understood = s->understood};
    snprintf(name, sizeof name, "%d", i);
    /* WHY the type where there is no KDF: it says what the slot is (reencrypt). */
    json_object *o = get(slots, name, json_type_object), *kdf = get(o, "kdf", json_type_object);
    if (!copy_text(kdf, "type", f->kdf, sizeof f->kdf))
      copy_text(o, "type", f->kdf, sizeof f->kdf);
    strcpy(f->hash, s->kdf.hash);
  }
}

/* ---------------------------------------------------------------- the rest */

static void list_tokens(rijn_volume *v, json_object *tokens) {
  if (tokens == NULL)
    return;
  json_object_object_foreach(tokens, name, o) {
    int i = number(name, 32);
    rijn_volume_facts *f = &v->facts;
    if (i < 0 || f->tokens_n == sizeof f->tokens / sizeof f->tokens[0])
      continue;
    rijn_volume_token *t = &f->tokens[f->tokens_n++];
    const char *type = get_text(o, "type");
    t->number = i;
    snprintf(t->type, sizeof t->type, "%s", type != NULL ? type : "?");
  }
}

static int check_requirements(rijn_volume *v, json_object *config) {
  json_object *all = NULL;
  rijn_volume_facts *f = &v->facts;
  if (!json_object_object_get_ex(config, "requirements", &all))
    return RIJN_VOLUME_OK;
  json_object *list = get(all, "mandatory", json_type_array);
  if (list == NULL)
    return json_object_is_type(all, json_type_object) && json_object_object_length(all) == 0
               ? RIJN_VOLUME_OK
               : refuse(v, RIJN_VOLUME_EREQUIREMENT, "the header's requirements cannot be read", NULL);
  for (size_t i = 0; i < json_object_array_length(list); i++) {
    const char *text = json_object_get_string(json_object_array_get_idx(list, i));
    if (text == NULL)
      text = "null";
    if (f->requirements_n < sizeof f->requirements / sizeof f->requirements[0])
      snprintf(f->requirements[f->requirements_n++], sizeof f->requirements[0], "%s", text);
    if (strstr(text, "reencrypt") != NULL)
      refuse(v, RIJN_VOLUME_EREENCRYPT,
             "a reencryption is in progress, or was interrupted; finish it by cryptsetup "
             "reencrypt --resume-only: ",
             text);
  }
  return RIJN_VOLUME_OK;
}

static int refuse_requirements(rijn_volume *v) {
  if (v->facts.requirements_n > 0)
    refuse(v, RIJN_VOLUME_EREQUIREMENT, "the header requires what is not supported here: ", v->facts.requirements[0]);
  return RIJN_VOLUME_OK;
}

/* Does this text, or one within, name the null cipher? */
static bool names_null(json_object *o) {
  bool found = json_object_is_type(o, json_type_string) && rijnv_is_null(json_object_get_string(o));
  size_t n = json_object_is_type(o, json_type_array) ? json_object_array_length(o) : 0;
  for (size_t i = 0; !found && i < n; i++)
    found = names_null(json_object_array_get_idx(o, i));
  if (json_object_is_type(o, json_type_object)) {
    json_object_object_foreach(o, key, each) {
      (void)key;
      found = found || names_null(each);
    }
  }
  return found;
}

/* The digest of segment 0: its key slots are those that open the volume. */
static int parse_digest(rijn_volume *v, json_object *digests, rijn_volume_error *err) {
  struct rijnv_luks2 *l = &v->luks2;
  json_object *digest = NULL;
  l->digest_number = -1;
  json_object_object_foreach(digests, name, o) {
    int i = number(name, 32);
    if (i < 0 || !list_has(get(o, "segments", json_type_array), "0"))
      continue;
    if (digest != NULL)
      return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "LUKS2: the segment has two digests");
    digest = o;
    l->digest_number = i;
  }
  if (digest == NULL)
    return refuse(v, RIJN_VOLUME_EKEYSLOT, "the segment has no digest, so no key can be checked", NULL);
  const char *type = get_text(digest, "type");
  struct rijnv_kdf *k = &l->digest_kdf;
  if (type == NULL || strcmp(type, "pbkdf2") != 0)
    return refuse(v, RIJN_VOLUME_EKEYSLOT, "the digest of the key is not of a type that is supported: ", type);
  const char *hash = get_text(digest, "hash");
  if (hash != NULL && !rijnv_has_hash(hash))
    return refuse(v, RIJN_VOLUME_ECRYPTO, "libcrypto has no hash of this name: ", hash);
  if (!parse_kdf(digest, k) || !get_base64(digest, "digest", l->digest, sizeof l->digest, &l->digest_len) ||
      l->digest_len < 16)
    return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "LUKS2: the digest of the key cannot be read");
  v->facts.digest_rounds = (unsigned)k->rounds;
  json_object *list = get(digest, "keyslots", json_type_array);
  for (int i = 0; i < SLOTS; i++) {
    char name_of[16];
    snprintf(name_of, sizeof name_of, "%d", i);
    l->slots[i].bound = l->slots[i].present && list_has(list, name_of);
  }
  return RIJN_VOLUME_OK;
}

static int parse_segment(rijn_volume *v, json_object *s) {
  rijn_volume_facts *f = &v->facts;
  const char *type = get_text(s, "type"), *spec = get_text(s, "encryption"), *size_text = get_text(s, "size");
  uint64_t sector_size = 0, offset = 0, size = 0, tweak = 0;
  f->fixed_size = size_text != NULL && strcmp(size_text, "dynamic") != 0;
  bool readable = get_int(s, "sector_size", &sector_size) && get_u64(s, "offset", &offset) && spec != NULL &&
                  size_text != NULL && (!f->fixed_size || decimal(size_text, &size));
  snprintf(f->cipher, sizeof f->cipher, "%s", spec != NULL ? spec : "?");
  f->sector_size = (unsigned)sector_size;
  f->data_offset = offset;
  copy_text(s, "iv_tweak", f->iv_tweak, sizeof f->iv_tweak);
  if (type == NULL || strcmp(type, "crypt") != 0)
    return refuse(v, RIJN_VOLUME_ESEGMENT, "the segment is not of a type that is supported: ", type);
  if (json_object_object_get_ex(s, "integrity", NULL))
    return refuse(v, RIJN_VOLUME_EINTEGRITY, "the sectors have integrity protection, which is not supported", NULL);
  if (json_object_object_get_ex(s, "flags", NULL))
    return refuse(v, RIJN_VOLUME_EREENCRYPT, "the segment is flagged, as during a reencryption", NULL);
  if (!readable)
    return refuse(v, RIJN_VOLUME_EDAMAGED, "LUKS2: the segment cannot be read", NULL);
  if (!get_u64(s, "iv_tweak", &tweak) || tweak != 0)
    return refuse(v, RIJN_VOLUME_EIVTWEAK, "programs disagree on what an iv_tweak other than 0 means: ", f->iv_tweak);
  enum rijnv_mode mode = rijnv_mode_of(spec);
  if (mode == RIJNV_NONE)
    return refuse(v, RIJN_VOLUME_ECIPHER, "the cipher is not supported: ", spec);
  if (!rijnv_is_power_of_two(sector_size) || sector_size < 512 || sector_size > 4096)
    return refuse(v, RIJN_VOLUME_ESECTOR, "the sector size is not a power of two from 512 to 4096", NULL);
  if (!f->detached && (offset < v->luks2.slots_end))
    return refuse(v, RIJN_VOLUME_ESEGMENT,
                  "the data begin within the header: it is a detached one; give the disk of the "
                  "data, and this by --header",
                  NULL);
  if (f->fixed_size && size == 0)
    return refuse(v, RIJN_VOLUME_ESIZE, "the segment has no bytes", NULL);
  return rijnv_set_sectors(v, mode, (unsigned)sector_size, offset, size);
}

/* The segment's key is that of its slots. */
static int check_slots(rijn_volume *v) {
  const struct rijnv_luks2 *l = &v->luks2;
  bool usable = false, fits = false, any = false;
  for (int i = 0; i < SLOTS; i++) {
    const struct rijnv_luks2_slot *s = &l->slots[i];
    any = any || s->present;
    if (s->present && v->facts.key_bits == 0)
      v->facts.key_bits = (unsigned)(s->key_len * 8);
    if (!s->present || !s->bound || !s->understood)
      continue;
    usable = true;
    fits = fits || rijnv_mode_key_len(v->mode, s->key_len);
    v->facts.key_bits = (unsigned)(s->key_len * 8);
  }
  if (!any)
    return refuse(v, RIJN_VOLUME_EKEYSLOT, "the header has no key slot: they were erased, and nothing opens the volume",
                  NULL);
  if (!usable && v->facts.key_bits == 384)
    return refuse(v, RIJN_VOLUME_EKEYLEN, "keys of 384 bits (AES-192-XTS) are not supported", NULL);
  if (!usable)
    return refuse(v, RIJN_VOLUME_EKEYSLOT, "no key slot is of a type that is supported", NULL);
  if (!fits && v->mode != RIJNV_NONE)
    return refuse(v, RIJN_VOLUME_EKEYLEN, "the key length does not fit the cipher ", v->facts.cipher);
  return RIJN_VOLUME_OK;
}

int rijnv_luks2_parse(rijn_volume *v, rijn_volume_error *err) {
  json_object *o = v->luks2.json;
  json_object *config = get(o, "config", json_type_object), *slots = get(o, "keyslots", json_type_object);
  json_object *segments = get(o, "segments", json_type_object), *digests = get(o, "digests", json_type_object);
  uint64_t slots_size = 0, json_size = 0, room = v->header.size;
  bool sized = get_u64(config, "keyslots_size", &slots_size);
  if (sized && slots_size <= UINT64_MAX / 2 && 2 * v->luks2.header_size + slots_size > room)
    return rijnv_fail(err, RIJN_VOLUME_EDAMAGED,
                      "LUKS2: the disk ends at %llu bytes, and header and key slots take %llu",
                      (unsigned long long)room, (unsigned long long)(2 * v->luks2.header_size + slots_size));
  if (config == NULL || slots == NULL || segments == NULL || digests == NULL ||
      !get_u64(config, "json_size", &json_size) || !sized || json_size != v->luks2.header_size - 4096 ||
      slots_size > room || 2 * v->luks2.header_size > room - slots_size)
    return rijnv_fail(err, RIJN_VOLUME_EDAMAGED,
                      "LUKS2: the JSON lacks what every header has, or sizes in it do not fit");
  v->luks2.slots_end = 2 * v->luks2.header_size + slots_size;
  v->facts.discards = list_has(get(config, "flags", json_type_array), "allow-discards");
  if (names_null(segments) || names_null(slots) || names_null(digests))
    refuse(v, RIJN_VOLUME_ECIPHER, "the header names cipher_null, which encrypts nothing", NULL);
  check_requirements(v, config);
  int r = parse_slots(v, slots, err);
  if (r == RIJN_VOLUME_OK)
    r = parse_digest(v, digests, err);
  if (r != RIJN_VOLUME_OK)
    return r;
  list_slots(v, slots);
  list_tokens(v, get(o, "tokens", json_type_object));
  json_object *segment = get(segments, "0", json_type_object);
  if (segment != NULL)
    parse_segment(v, segment);
  refuse_requirements(v);
  if (segment == NULL || json_object_object_length(segments) != 1)
    refuse(v, RIJN_VOLUME_ESEGMENT, "the volume has several segments, or none", NULL);
  return check_slots(v);
}
