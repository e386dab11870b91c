/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* A volume from its header to its unlocking. */
#include "internal.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int rijnv_set_sectors(rijn_volume *v, enum rijnv_mode mode, unsigned sector_size, uint64_t offset, uint64_t size) {
  rijn_volume_facts *f = &v->facts;
  uint64_t room = v->disk.size > offset ? v->disk.size - offset : 0;
  if (size == 0)
    size = room / sector_size * sector_size;
  if (size > room || size % sector_size != 0) {
    rijnv_fail(&v->refusal, RIJN_VOLUME_ESIZE,
               "the header says %llu bytes of data in sectors of %u, and the disk has %llu", (unsigned long long)size,
               sector_size, (unsigned long long)room);
    return RIJN_VOLUME_OK;
  }
  if (size == 0) {
    rijnv_fail(&v->refusal, RIJN_VOLUME_ESIZE, "the disk of %llu bytes ends before the data begin, at %llu",
               (unsigned long long)v->disk.size, (unsigned long long)offset);
    return RIJN_VOLUME_OK;
  }
  if (mode == RIJNV_XTS_PLAIN && size > (uint64_t)1 << 41) {
    rijnv_fail(&v->refusal, RIJN_VOLUME_ESIZE,
               "aes-xts-plain counts 32 bits of sectors, and this volume has over 2 TiB");
    return RIJN_VOLUME_OK;
  }
  v->mode = mode;
  v->step_unit = 512;
  v->segments[0] = (struct rijnv_segment){0, size, offset, false};
  v->segments_n = 1;
  f->sector_size = sector_size;
  f->data_offset = offset;
  f->size = size;
  f->reads_only = f->reads_only || !rijnv_mode_writes(mode);
  f->read_only = f->read_only || f->reads_only;
  return RIJN_VOLUME_OK;
}

bool rijnv_luks_secret(const rijn_volume_secret *secret, size_t i, rijn_volume_bytes *pass) {
  if (secret->passphrase != NULL && i == 0) {
    *pass = (rijn_volume_bytes){secret->passphrase, secret->passphrase_len};
    return true;
  }
  i -= secret->passphrase != NULL;
  if (i >= secret->key_files_n)
    return false;
  *pass = secret->key_files[i];
  return true;
}

int rijnv_new_secret(const rijn_volume_secret *secret, int format, rijn_volume_error *err) {
  rijn_volume_bytes part;
  if (!rijnv_luks_secret(secret, 0, &part))
    return rijnv_fail(err, RIJN_VOLUME_EARG, "neither a passphrase nor a key file is given");
  bool empty = part.len == 0;
  const char *what = secret->passphrase != NULL ? "passphrase is" : "key file is";
  for (size_t i = 1; format == RIJN_VOLUME_GELI && rijnv_luks_secret(secret, i, &part); i++) {
    empty = empty && part.len == 0;
    what = secret->passphrase != NULL ? "passphrase and its key files are" : "key files are";
  }
  if (!empty)
    return RIJN_VOLUME_OK;
  return rijnv_fail(err, RIJN_VOLUME_EARG, "the new %s empty: anyone could open the volume", what);
}

static rijn_volume *new_volume(const rijn_volume_disk *disk, const rijn_volume_disk *header,
                               const rijn_volume_options *options) {
  rijn_volume *v = rijnv_secret_alloc(sizeof *v);
  if (v == NULL)
    return NULL;
  v->disk = *disk;
  v->header = header != NULL ? *header : *disk;
  if (options != NULL)
    v->options = *options;
  v->facts.detached = header != NULL;
  v->facts.read_only = v->options.read_only || disk->pwrite == NULL;
  v->luks2.digest_number = -1;
  pthread_rwlock_init(&v->parts, NULL);
  pthread_mutex_init(&v->cache_lock, NULL);
  pthread_mutex_init(&v->pool_lock, NULL);
  return v;
}

/* Forgets what a reader that did not succeed has left. */
static void reset(rijn_volume *v) {
  bool detached = v->facts.detached, read_only = v->options.read_only || v->disk.pwrite == NULL;
  json_object_put(v->luks2.json);
  memset(&v->facts, 0, sizeof v->facts);
  memset(&v->refusal, 0, sizeof v->refusal);
  memset(&v->luks1, 0, sizeof v->luks1);
  memset(&v->luks2, 0, sizeof v->luks2);
  memset(&v->geli, 0, sizeof v->geli);
  memset(&v->bitlocker, 0, sizeof v->bitlocker);
  v->facts.detached = detached;
  v->facts.read_only = read_only;
}

typedef int reader(rijn_volume *v, rijn_volume_error *err);

static int load_luks(rijn_volume *v, rijn_volume_error *err) {
  int r = rijnv_luks1_load(v, err);
  return r == RIJN_VOLUME_EFORMAT ? rijnv_luks2_load(v, err) : r;
}

static int load_at_start(rijn_volume *v, rijn_volume_error *err) {
  int r = load_luks(v, err);
  if (r != RIJN_VOLUME_EFORMAT)
    return r;
  reset(v);
  return rijnv_bitlocker_load(v, err);
}

/* WHY both are looked for: the end of a disk keeps the metadata of a GELI that was there before, and nothing says which
 * of them is meant. */
static int load_any(rijn_volume *v, rijn_volume_error *err) {
  rijn_volume_error geli_err = {0, ""};
  int geli = rijnv_geli_load(v, &geli_err);
  bool was_there = geli == RIJN_VOLUME_OK;
  reset(v);
  int r = load_at_start(v, err);
  if (r == RIJN_VOLUME_EFORMAT) {
    reset(v);
    return rijnv_geli_load(v, err);
  }
  if (r == RIJN_VOLUME_OK && was_there)
    return rijnv_fail(err, RIJN_VOLUME_EAMBIGUOUS,
                      "there are a %s header at the start and GELI metadata at the end; say which by --format",
                      v->facts.format == RIJN_VOLUME_BITLOCKER ? "BitLocker" : "LUKS");
  return r;
}

int rijnv_refuse(rijn_volume *v, int code, const char *format, ...) {
  va_list ap;
  if (v->refusal.code != 0)
    return RIJN_VOLUME_OK;
  va_start(ap, format);
  vsnprintf(v->refusal.text, sizeof v->refusal.text, format, ap);
  va_end(ap);
  v->refusal.code = code;
  return RIJN_VOLUME_OK;
}

static const char *wanted(int format) {
  if (format == RIJN_VOLUME_ANY)
    return "neither a LUKS or BitLocker header at the start nor GELI metadata in the last sector; VeraCrypt and "
           "TrueCrypt look like noise: --format veracrypt";
  if (format == RIJN_VOLUME_VERACRYPT)
    return "too small for a volume of VeraCrypt or TrueCrypt";
  if (format == RIJN_VOLUME_BITLOCKER)
    return "no BitLocker header at the start";
  return format == RIJN_VOLUME_GELI ? "no GELI metadata in the last sector" : "no LUKS header at the start";
}

static int check_format(const rijn_volume *v, int r) {
  int wanted_format = v->options.format;
  bool other = r == RIJN_VOLUME_OK && (wanted_format == RIJN_VOLUME_LUKS1 || wanted_format == RIJN_VOLUME_LUKS2) &&
               v->facts.format != wanted_format;
  return other ? RIJN_VOLUME_EFORMAT : r;
}

int rijn_volume_load(rijn_volume **volume, const rijn_volume_disk *disk, const rijn_volume_disk *header,
                     const rijn_volume_options *options, rijn_volume_error *err) {
  *volume = NULL;
  if (options != NULL && options->provider_sector != 0 && options->provider_sector != 512 &&
      options->provider_sector != 4096)
    return rijnv_fail(err, RIJN_VOLUME_EARG, "the provider's sectors have 512 or 4096 bytes");
  int r = RIJN_VOLUME_OK;
  if (options == NULL || !options->read_only)
    r = rijn_volume_disk_claim(disk, err);
  if (r == RIJN_VOLUME_OK && header != NULL && (options == NULL || !options->read_only))
    r = rijn_volume_disk_claim(header, err);
  if (r != RIJN_VOLUME_OK)
    return r;
  rijn_volume *v = new_volume(disk, header, options);
  if (v == NULL)
    return rijnv_fail(err, RIJN_VOLUME_EMEM, "out of memory");
  static reader *const readers[] = {[RIJN_VOLUME_ANY] = load_any,
                                    [RIJN_VOLUME_LUKS1] = load_luks,
                                    [RIJN_VOLUME_LUKS2] = load_luks,
                                    [RIJN_VOLUME_GELI] = rijnv_geli_load,
                                    [RIJN_VOLUME_LUKS] = load_luks,
                                    [RIJN_VOLUME_VERACRYPT] = rijnv_veracrypt_load,
                                    [RIJN_VOLUME_BITLOCKER] = rijnv_bitlocker_load};
  int format = v->options.format;
  struct rijnv_lock lock = {.fd = -1};
  if (format < 0 || format > RIJN_VOLUME_BITLOCKER)
    r = rijnv_fail(err, RIJN_VOLUME_EARG, "no format of the number %d", format);
  else if ((r = rijnv_lock_header(&v->header, &lock, false, err)) == RIJN_VOLUME_OK)
    r = check_format(v, readers[format](v, err));
  rijnv_unlock_header(&lock, &v->header);
  if (r == RIJN_VOLUME_EFORMAT)
    rijnv_fail(err, r, "%s%s", wanted(format),
               (format == RIJN_VOLUME_ANY || format == RIJN_VOLUME_GELI) && header == NULL
                   ? "; a disk that has grown or been cut has its metadata elsewhere (geli resize)"
                   : "");
  if (r != RIJN_VOLUME_OK) {
    rijn_volume_close(v);
    return r;
  }
  v->facts.discards = v->facts.discards || (v->options.allow_discards && v->facts.format != RIJN_VOLUME_GELI);
  *volume = v;
  return RIJN_VOLUME_OK;
}

const rijn_volume_facts *rijn_volume_facts_of(const rijn_volume *volume) { return &volume->facts; }
const rijn_volume_error *rijn_volume_refusal(const rijn_volume *volume) { return &volume->refusal; }

/* Key slots that are tried when they are named alone. */
static const char *not_tried(const rijn_volume *v) {
  for (size_t i = 0; i < v->facts.slots_n; i++)
    if (v->facts.slots[i].priority == 0 && v->facts.format == RIJN_VOLUME_LUKS2)
      return "; those of priority \"ignore\" were not tried (--slot)";
  return "";
}

static const char *what_opened_nothing(const rijn_volume *v) {
  if (v->facts.format == RIJN_VOLUME_VERACRYPT)
    return "no header by AES alone: the passphrase, PIM or key file is wrong, or the cipher is another one (Serpent, "
           "Twofish, Camellia, Kuznyechik, a cascade) or the hash is (Streebog, Argon2id): without the key they all "
           "look like noise";
  if (v->facts.format == RIJN_VOLUME_BITLOCKER)
    return "no protector";
  return "no key slot";
}

static int need_a_secret(const rijn_volume *v, const rijn_volume_secret *secret, rijn_volume_error *err) {
  if (secret->passphrase != NULL || secret->key_files_n != 0 || v->facts.opens_without_key)
    return RIJN_VOLUME_OK;
  return rijnv_fail(err, RIJN_VOLUME_EARG, "neither a passphrase nor a key file is given");
}

int rijn_volume_unlock(rijn_volume *v, const rijn_volume_secret *secret, int *slot, rijn_volume_error *err) {
  typedef int unlocker(rijn_volume * v, const rijn_volume_secret *secret, int *slot, rijn_volume_error *err);
  static unlocker *const unlockers[] = {[RIJN_VOLUME_LUKS1] = rijnv_luks1_unlock,
                                        [RIJN_VOLUME_LUKS2] = rijnv_luks2_unlock,
                                        [RIJN_VOLUME_GELI] = rijnv_geli_unlock,
                                        [RIJN_VOLUME_VERACRYPT] = rijnv_veracrypt_unlock,
                                        [RIJN_VOLUME_BITLOCKER] = rijnv_bitlocker_unlock};
  int opened = -1;
  if (v->refusal.code != 0)
    return rijnv_fail(err, v->refusal.code, "%s", v->refusal.text);
  int r = need_a_secret(v, secret, err);
  if (r != RIJN_VOLUME_OK)
    return r;
  r = unlockers[v->facts.format](v, secret, &opened, err);
  if (r == RIJN_VOLUME_EKEY && secret->slot >= 0)
    rijnv_fail(err, r, "the passphrase or key file does not open key slot %d, or it is not in use", secret->slot);
  else if (r == RIJN_VOLUME_EKEY)
    rijnv_fail(err, r, "the passphrase or key file opens %s%s", what_opened_nothing(v), not_tried(v));
  v->unlocked = r == RIJN_VOLUME_OK;
  if (v->unlocked && slot != NULL)
    *slot = opened;
  return r;
}

int rijn_volume_lock(rijn_volume *v) { return mlock(v, sizeof *v) == 0 ? 0 : errno; }

void rijn_volume_close(rijn_volume *v) {
  if (v == NULL)
    return;
  for (unsigned i = 0; i < v->pool_n; i++)
    free(v->pool[i]);
  json_object_put(v->luks2.json);
  pthread_rwlock_destroy(&v->parts);
  pthread_mutex_destroy(&v->cache_lock);
  pthread_mutex_destroy(&v->pool_lock);
  rijnv_secret_free(v, sizeof *v);
}
