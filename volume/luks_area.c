/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The area of a key slot of LUKS: the split key, encrypted in sectors of 512 bytes that are counted from the area's
 * start. */
#include "internal.h"

#include <string.h>

size_t rijnv_area_bytes(const struct rijnv_area *area) { return (area->key_len * RIJNV_STRIPES + 511) / 512 * 512; }

static int crypt_area(const struct rijnv_area *area, const uint8_t *area_key, uint8_t *material, bool encrypt,
                      rijn_volume_error *err) {
  struct rijnv_key *key = rijnv_secret_alloc(sizeof *key);
  if (key == NULL)
    return rijnv_fail(err, RIJN_VOLUME_EMEM, "out of memory");
  struct rijnv_run run = {area->mode, 512, rijnv_area_bytes(area) / 512, 0, 1};
  int r = rijnv_key_init(key, area->mode, area_key, area->area_key_len, NULL);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_crypt(key, &run, material, material, encrypt);
  rijnv_secret_free(key, sizeof *key);
  return r == RIJN_VOLUME_OK ? r : rijnv_fail(err, r, "the area of the key slot cannot be en- or decrypted");
}

int rijnv_area_open(const rijn_volume_disk *disk, const struct rijnv_area *area, const uint8_t *area_key, uint8_t *key,
                    rijn_volume_error *err) {
  size_t len = rijnv_area_bytes(area);
  uint8_t *material = rijnv_secret_alloc(len);
  if (material == NULL)
    return rijnv_fail(err, RIJN_VOLUME_EMEM, "out of memory");
  int r = rijnv_read(disk, material, len, area->offset, "key slot", err);
  if (r == RIJN_VOLUME_OK)
    r = crypt_area(area, area_key, material, false, err);
  if (r == RIJN_VOLUME_OK && rijnv_af_merge(area->af_hash, material, key, area->key_len) != RIJN_VOLUME_OK)
    r = rijnv_fail(err, RIJN_VOLUME_ECRYPTO, "the hash %s failed in libcrypto", area->af_hash);
  rijnv_secret_free(material, len);
  return r;
}

int rijnv_area_seal(const rijn_volume_disk *disk, const struct rijnv_area *area, const uint8_t *area_key,
                    const uint8_t *key, rijn_volume_error *err) {
  size_t len = rijnv_area_bytes(area);
  uint8_t *material = rijnv_secret_alloc(len);
  if (material == NULL)
    return rijnv_fail(err, RIJN_VOLUME_EMEM, "out of memory");
  int r = rijnv_af_split(area->af_hash, key, material, area->key_len, err);
  if (r == RIJN_VOLUME_OK)
    r = crypt_area(area, area_key, material, true, err);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_write(disk, material, len, area->offset, "key slot", err);
  rijnv_secret_free(material, len);
  return r;
}
