/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* LUKS's anti-forensic splitter: a key becomes 4000 stripes of which each one is needed, so that a part of the area
 * that a disk keeps somewhere else tells nothing. SPEC: LUKS On-Disk Format Specification 1.2.3, section 2.4. */
#include "internal.h"

#include <string.h>

/* Each piece of the hash's length becomes the hash of its number and itself; the last one is cut. */
static int diffuse(const char *hash, uint8_t *block, size_t len) {
  size_t piece = rijnv_hash_len(hash);
  uint8_t digest[64];
  if (piece == 0)
    return RIJN_VOLUME_ECRYPTO;
  for (size_t at = 0; at < len; at += piece) {
    size_t n = len - at < piece ? len - at : piece;
    uint8_t number[4];
    rijnv_put_be(number, at / piece, 4);
    if (rijnv_digest(hash, number, 4, block + at, n, digest) != RIJN_VOLUME_OK)
      return RIJN_VOLUME_ECRYPTO;
    memcpy(block + at, digest, n);
  }
  explicit_bzero(digest, sizeof digest);
  return RIJN_VOLUME_OK;
}

static void xor_into(uint8_t *to, const uint8_t *from, size_t len) {
  for (size_t i = 0; i < len; i++)
    to[i] ^= from[i];
}

/* All stripes but the last, folded into one block. */
static int fold(const char *hash, const uint8_t *material, uint8_t *block, size_t len) {
  memset(block, 0, len);
  for (size_t i = 0; i + 1 < RIJNV_STRIPES; i++) {
    xor_into(block, material + i * len, len);
    if (diffuse(hash, block, len) != RIJN_VOLUME_OK)
      return RIJN_VOLUME_ECRYPTO;
  }
  return RIJN_VOLUME_OK;
}

int rijnv_af_merge(const char *hash, const uint8_t *material, uint8_t *key, size_t len) {
  int r = fold(hash, material, key, len);
  xor_into(key, material + (RIJNV_STRIPES - 1) * len, len);
  return r;
}

int rijnv_af_split(const char *hash, const uint8_t *key, uint8_t *material, size_t len, rijn_volume_error *err) {
  uint8_t *last = material + (RIJNV_STRIPES - 1) * len;
  int r = rijnv_random(material, (RIJNV_STRIPES - 1) * len, err);
  if (r != RIJN_VOLUME_OK)
    return r;
  if (fold(hash, material, last, len) != RIJN_VOLUME_OK)
    return rijnv_fail(err, RIJN_VOLUME_ECRYPTO, "the hash %s failed in libcrypto", hash);
  xor_into(last, key, len);
  return RIJN_VOLUME_OK;
}
