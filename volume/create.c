/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* New volumes: LUKS2 with the layout that cryptsetup gives it, GELI of version 7. */
#include "internal.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_SIZE = 16384, DATA_OFFSET = 16 << 20, DIGEST_ROUNDS = 100000 };

/* ---------------------------------------------------------------- LUKS2 */

static json_object *text_list(const char *text) {
  json_object *list = json_object_new_array();
  if (text != NULL)
    json_object_array_add(list, json_object_new_string(text));
  return list;
}

static json_object *segment_json(unsigned sector_size, uint64_t offset) {
  json_object *o = json_object_new_object();
  json_object_object_add(o, "type", json_object_new_string("crypt"));
  json_object_object_add(o, "offset", rijnv_json_u64(offset));
  json_object_object_add(o, "size", json_object_new_string("dynamic"));
  json_object_object_add(o, "iv_tweak", json_object_new_string("0"));
  json_object_object_add(o, "encryption", json_object_new_string("aes-xts-plain64"));
  json_object_object_add(o, "sector_size", json_object_new_int64(sector_size));
  return o;
}

/* The digest by which a key is known to be the volume's. */
static int digest_json(const struct rijnv_luks2 *l, json_object **digest, rijn_volume_error *err) {
  rijn_volume_kdf wanted = {.name = "pbkdf2", .rounds = DIGEST_ROUNDS};
  struct rijnv_kdf k;
  rijn_volume_bytes key = {l->volume_key, l->volume_key_len};
  uint8_t sum[32];
  int r = rijnv_kdf_new(&k, &wanted, digest, err);
  if (r != RIJN_VOLUME_OK)
    return r;
  json_object_object_add(*digest, "keyslots", text_list(NULL));
  json_object_object_add(*digest, "segments", text_list("0"));
  r = rijnv_kdf_run(&k, key, sum, sizeof sum, err);
  json_object_object_add(*digest, "digest", rijnv_json_base64(sum, sizeof sum));
  return r;
}

static int make_json(struct rijnv_luks2 *l, const rijn_volume_create *what, unsigned sector_size,
                     rijn_volume_error *err) {
  json_object *o = json_object_new_object(), *config = json_object_new_object(), *digest = NULL;
  json_object *segments = json_object_new_object(), *digests = json_object_new_object();
  int r = digest_json(l, &digest, err);
  l->json = o;
  json_object_object_add(o, "keyslots", json_object_new_object());
  json_object_object_add(o, "tokens", json_object_new_object());
  json_object_object_add(segments, "0", segment_json(sector_size, what->data != NULL ? 0 : DATA_OFFSET));
  json_object_object_add(o, "segments", segments);
  json_object_object_add(digests, "0", digest);
  json_object_object_add(o, "digests", digests);
  json_object_object_add(config, "json_size", rijnv_json_u64(HEADER_SIZE - 4096));
  json_object_object_add(config, "keyslots_size", rijnv_json_u64(DATA_OFFSET - 2 * HEADER_SIZE));
  if (what->allow_discards)
    json_object_object_add(config, "flags", text_list("allow-discards"));
  json_object_object_add(o, "config", config);
  return r;
}

static int make_uuid(char to[41], const char *wanted, rijn_volume_error *err) {
  uint8_t u[16];
  if (wanted != NULL) {
    if (strlen(wanted) != 36 || strspn(wanted, "0123456789abcdefABCDEF-") != 36)
      return rijnv_fail(err, RIJN_VOLUME_EARG, "'%s' is not a UUID", wanted);
    strcpy(to, wanted);
    return RIJN_VOLUME_OK;
  }
  int r = rijnv_random(u, sizeof u, err);
  u[6] = (uint8_t)((u[6] & 0x0f) | 0x40); /* RFC 9562: version 4, and its variant */
  u[8] = (uint8_t)((u[8] & 0x3f) | 0x80);
  snprintf(to, 41, "%08llx-%04llx-%04llx-%04llx-%012llx", (unsigned long long)rijnv_be(u, 4),
           (unsigned long long)rijnv_be(u + 4, 2), (unsigned long long)rijnv_be(u + 6, 2),
           (unsigned long long)rijnv_be(u + 8, 2), (unsigned long long)rijnv_be(u + 10, 6));
  return r;
}

static int make_raw(struct rijnv_luks2 *l, const rijn_volume_create *what, rijn_volume_error *err) {
  char uuid[41];
  int r = make_uuid(uuid, what->uuid, err);
  if (r == RIJN_VOLUME_OK && what->label != NULL && strlen(what->label) > 47)
    r = rijnv_fail(err, RIJN_VOLUME_EARG, "a label has at most 47 bytes");
  if (r != RIJN_VOLUME_OK)
    return r;
  rijnv_put_be(l->raw + 6, 2, 2);
  if (what->label != NULL)
    memcpy(l->raw + 24, what->label, strlen(what->label));
  memcpy(l->raw + 72, "sha256", 6);
  memcpy(l->raw + 168, uuid, strlen(uuid));
  return RIJN_VOLUME_OK;
}

/* Nothing of what was there is to be taken for a header, nor tell anything where key slots will be. */
static int wipe(const rijn_volume_disk *disk, rijn_volume_error *err) {
  enum { PIECE = 1 << 20 };
  uint8_t *p = calloc(1, PIECE);
  int r = p != NULL ? RIJN_VOLUME_OK : rijnv_fail(err, RIJN_VOLUME_EMEM, "out of memory");
  for (uint64_t at = 0; r == RIJN_VOLUME_OK && at < DATA_OFFSET; at += PIECE) {
    r = rijnv_random(p, PIECE, err);
    if (at == 0)
      memset(p, 0, 2 * HEADER_SIZE);
    if (r == RIJN_VOLUME_OK)
      r = rijnv_write(disk, p, PIECE, at, "LUKS2 header", err);
  }
  free(p);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_geli_forget(disk, err);
  return r == RIJN_VOLUME_OK ? rijnv_flush(disk, err) : r;
}

static int check_luks2(const rijn_volume_disk *disk, const rijn_volume_create *what, unsigned *sector_size,
                       rijn_volume_error *err) {
  uint64_t size = what->data != NULL ? what->data->size : disk->size - (disk->size < DATA_OFFSET ? 0 : DATA_OFFSET);
  unsigned bits = what->key_bits;
  *sector_size = what->sector_size;
  if (*sector_size == 0)
    *sector_size = size % 4096 == 0 ? 4096 : 512;
  if (bits != 0 && bits != 128 && bits != 256)
    return rijnv_fail(err, RIJN_VOLUME_EARG, "AES-XTS has keys of 128 and 256 bits, not %u", bits);
  if (!rijnv_is_power_of_two(*sector_size) || *sector_size < 512 || *sector_size > 4096)
    return rijnv_fail(err, RIJN_VOLUME_EARG, "the sector size of LUKS2 is a power of two from 512 to 4096");
  if (disk->size < DATA_OFFSET || size < *sector_size ||
      (what->data == NULL && disk->size < DATA_OFFSET + *sector_size))
    return rijnv_fail(err, RIJN_VOLUME_ESIZE, "the header takes 16 MiB, and the disk has %llu bytes",
                      (unsigned long long)disk->size);
  return RIJN_VOLUME_OK;
}

/* What the first key slot asks for is looked at before anything on the disk is lost. */
static int check_slot(const rijn_volume_secret *secret, const rijn_volume_kdf *wanted, rijn_volume_error *err) {
  struct rijnv_kdf kdf;
  struct json_object *json = NULL;
  if (secret->slot >= 32)
    return rijnv_fail(err, RIJN_VOLUME_EARG, "LUKS2 has key slots 0 to 31, not %d", secret->slot);
  int r = rijnv_kdf_new(&kdf, wanted, &json, err);
  json_object_put(json);
  return r;
}

int rijnv_luks2_create(const rijn_volume_disk *disk, const rijn_volume_create *what, const rijn_volume_secret *secret,
                       rijn_volume_error *err) {
  unsigned sector_size;
  int slot, r = check_luks2(disk, what, &sector_size, err);
  if (r != RIJN_VOLUME_OK)
    return r;
  struct rijnv_luks2 *l = rijnv_secret_alloc(sizeof *l);
  if (l == NULL)
    return rijnv_fail(err, RIJN_VOLUME_EMEM, "out of memory");
  l->header_size = HEADER_SIZE;
  l->epoch = rijnv_luks2_epoch_on(disk); /* by it a program that has read the old header knows that this is another */
  l->slots_end = DATA_OFFSET;
  l->volume_key_len = l->new_area_key_len = what->key_bits == 128 ? 32 : 64;
  r = rijnv_random(l->volume_key, l->volume_key_len, err);
  if (r == RIJN_VOLUME_OK)
    r = make_raw(l, what, err);
  if (r == RIJN_VOLUME_OK)
    r = make_json(l, what, sector_size, err);
  if (r == RIJN_VOLUME_OK)
    r = check_slot(secret, &what->kdf, err);
  if (r == RIJN_VOLUME_OK)
    r = wipe(disk, err);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_luks2_new_slot(disk, l, secret, &what->kdf, &slot, err);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_luks2_write(disk, l, err);
  json_object_put(l->json);
  rijnv_secret_free(l, sizeof *l);
  return r;
}

/* ---------------------------------------------------------------- GELI */

static int check_geli(const rijn_volume_disk *disk, const rijn_volume_create *what, unsigned provider_sector,
                      const struct rijnv_geli *g, rijn_volume_error *err) {
  if (what->key_bits != 0 && what->key_bits != 128 && what->key_bits != 256)
    return rijnv_fail(err, RIJN_VOLUME_EARG, "AES-XTS has keys of 128 and 256 bits, not %u", what->key_bits);
  if (provider_sector != 512 && provider_sector != 4096)
    return rijnv_fail(err, RIJN_VOLUME_EARG, "a disk has sectors of 512 or 4096 bytes, not %u", provider_sector);
  if (!rijnv_is_power_of_two(g->sector_size) || g->sector_size < provider_sector || g->sector_size > 65536)
    return rijnv_fail(err, RIJN_VOLUME_EARG, "the sector size of GELI is a power of two from the disk's to 65536");
  if (disk->size % provider_sector != 0 || disk->size < g->sector_size + (uint64_t)provider_sector)
    return rijnv_fail(err, RIJN_VOLUME_ESIZE, "the disk's size of %llu bytes is no multiple of %u, or too small",
                      (unsigned long long)disk->size, provider_sector);
  if (what->kdf.name != NULL && strcmp(what->kdf.name, "pbkdf2") != 0)
    return rijnv_fail(err, RIJN_VOLUME_EARG, "GELI has no other KDF than pbkdf2");
  if (what->kdf.rounds > INT32_MAX)
    return rijnv_fail(err, RIJN_VOLUME_EARG, "GELI takes at most 2147483647 rounds");
  return RIJN_VOLUME_OK;
}

static int seal_geli(struct rijnv_geli *g, const rijn_volume_secret *secret, rijn_volume_error *err) {
  uint8_t user_key[64];
  int r = rijnv_random(g->slots, sizeof g->slots, err); /* the unused slot is noise */
  if (r == RIJN_VOLUME_OK)
    r = rijnv_random(g->salt, sizeof g->salt, err);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_random(g->iv_key, sizeof g->iv_key, err);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_random(g->data_key, sizeof g->data_key, err);
  if (r != RIJN_VOLUME_OK)
    return r;
  r = rijnv_geli_user_key(g, secret, secret->passphrase != NULL, user_key);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_geli_seal(g, 0, user_key);
  explicit_bzero(user_key, sizeof user_key);
  return r == RIJN_VOLUME_OK ? r : rijnv_fail(err, r, "GELI: the key cannot be derived or sealed");
}

int rijnv_geli_create(const rijn_volume_disk *disk, const rijn_volume_create *what, const rijn_volume_secret *secret,
                      void *backup, rijn_volume_error *err) {
  unsigned provider_sector = disk->sector_size != 0 ? disk->sector_size : 512;
  uint8_t sector[4096] = {0};
  struct rijnv_geli *g = rijnv_secret_alloc(sizeof *g);
  if (g == NULL)
    return rijnv_fail(err, RIJN_VOLUME_EMEM, "out of memory");
  g->version = 7;
  g->flags = (what->allow_discards ? 0 : 0x40u) | (what->autoresize ? 0x200u : 0);
  g->ealgo = 22;
  g->keylen = what->key_bits != 0 ? what->key_bits : 128;
  g->provsize = disk->size;
  g->sector_size = what->sector_size != 0 ? what->sector_size : 4096;
  g->rounds = what->kdf.rounds != 0 ? (int32_t)what->kdf.rounds : 1000000;
  if (secret->passphrase == NULL)
    g->rounds = -1;
  int r = check_geli(disk, what, provider_sector, g, err);
  if (r == RIJN_VOLUME_OK)
    r = seal_geli(g, secret, err);
  if (r == RIJN_VOLUME_OK && !rijnv_geli_encode(g, sector))
    r = rijnv_fail(err, RIJN_VOLUME_ECRYPTO, "libcrypto has no MD5, which the metadata end with");
  if (r == RIJN_VOLUME_OK)
    r = rijnv_luks_forget(disk, err);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_bitlocker_forget(disk, err);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_geli_forget(disk, err); /* of sectors of another size */
  if (r == RIJN_VOLUME_OK)
    r = rijnv_write(disk, sector, provider_sector, disk->size - provider_sector, "GELI metadata", err);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_flush(disk, err);
  if (r == RIJN_VOLUME_OK && backup != NULL)
    memcpy(backup, sector, 512);
  rijnv_secret_free(g, sizeof *g);
  return r;
}

static int create_locked(const rijn_volume_disk *disk, const rijn_volume_create *what, const rijn_volume_secret *secret,
                         void *backup, rijn_volume_error *err) {
  if (what->format == RIJN_VOLUME_LUKS2)
    return rijnv_luks2_create(disk, what, secret, err);
  if (what->format == RIJN_VOLUME_GELI)
    return rijnv_geli_create(disk, what, secret, backup, err);
  return rijnv_fail(err, RIJN_VOLUME_EARG, "only LUKS2 and GELI can be made");
}

int rijn_volume_create_on(const rijn_volume_disk *disk, const rijn_volume_create *what,
                          const rijn_volume_secret *secret, void *backup, rijn_volume_error *err) {
  struct rijnv_lock lock = {.fd = -1};
  int r = rijnv_new_secret(secret, what->format, err);
  if (r == RIJN_VOLUME_OK)
    r = rijn_volume_disk_claim(disk, err);
  if (r == RIJN_VOLUME_OK && what->data != NULL)
    r = rijn_volume_disk_claim(what->data, err);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_lock_header(disk, &lock, true, err);
  if (r == RIJN_VOLUME_OK)
    r = create_locked(disk, what, secret, backup, err);
  rijnv_unlock_header(&lock, disk);
  return r;
}
