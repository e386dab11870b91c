/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Key slots of LUKS2, tried by priority. */
#include "internal.h"

#include <openssl/crypto.h>
#include <string.h>

enum { SLOTS = 32 };

/* Is this the volume's key? */
static int check_key(const struct rijnv_luks2 *l, const uint8_t *key, size_t len, rijn_volume_error *err) {
  uint8_t digest[64];
  rijn_volume_bytes found = {key, len};
  int r = rijnv_kdf_run(&l->digest_kdf, found, digest, l->digest_len, err);
  if (r == RIJN_VOLUME_OK && CRYPTO_memcmp(digest, l->digest, l->digest_len) != 0)
    r = RIJN_VOLUME_EKEY;
  return r;
}

static int open_slot(rijn_volume *v, const struct rijnv_luks2_slot *s, rijn_volume_bytes pass, uint8_t *key,
                     rijn_volume_error *err) {
  struct rijnv_area area = {s->area_offset, s->mode, s->area_key_len, s->key_len, s->af_hash};
  uint8_t area_key[RIJNV_KEY_MAX];
  int r = rijnv_kdf_run(&s->kdf, pass, area_key, s->area_key_len, err);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_area_open(&v->header, &area, area_key, key, err);
  explicit_bzero(area_key, sizeof area_key);
  return r == RIJN_VOLUME_OK ? check_key(&v->luks2, key, s->key_len, err) : r;
}

static bool to_be_tried(const rijn_volume *v, int i, int priority, int named) {
  const struct rijnv_luks2_slot *s = &v->luks2.slots[i];
  if (!s->present || !s->bound || !s->understood || !rijnv_mode_key_len(v->mode, s->key_len))
    return false;
  return named >= 0 ? named == i && priority == s->priority : priority == s->priority && priority > 0;
}

static int take_key(rijn_volume *v, const uint8_t *key, size_t len, rijn_volume_error *err) {
  memcpy(v->luks2.volume_key, key, len);
  v->luks2.volume_key_len = len;
  /* As cryptsetup does: some readers take it for granted. A key of AES-XTS is protected by as long a one. */
  v->luks2.new_area_key_len = rijnv_mode_is_xts(v->mode) ? len : 64;
  int r = rijnv_key_init(&v->key, v->mode, key, len, NULL);
  return r == RIJN_VOLUME_OK ? r : rijnv_fail(err, r, "the core library refuses the volume key");
}

/* All secrets in one slot: EKEY when none opens it. */
static int try_slot(rijn_volume *v, int i, const rijn_volume_secret *secret, rijn_volume_error *err) {
  const struct rijnv_luks2_slot *s = &v->luks2.slots[i];
  struct rijnv_limits limits = rijnv_limits_of(&v->options);
  uint8_t key[RIJNV_KEY_MAX];
  rijn_volume_bytes pass;
  int r = rijnv_kdf_cost(&s->kdf, i, &limits, err);
  if (r != RIJN_VOLUME_OK)
    return r;
  r = RIJN_VOLUME_EKEY;
  for (size_t n = 0; r == RIJN_VOLUME_EKEY && rijnv_luks_secret(secret, n, &pass); n++) {
    r = open_slot(v, s, pass, key, err);
    if (r == RIJN_VOLUME_OK)
      r = take_key(v, key, s->key_len, err);
    explicit_bzero(key, sizeof key);
  }
  return r;
}

int rijnv_luks2_unlock(rijn_volume *v, const rijn_volume_secret *secret, int *slot, rijn_volume_error *err) {
  struct rijnv_limits limits = rijnv_limits_of(&v->options);
  int answer = RIJN_VOLUME_EKEY;
  int r = rijnv_kdf_cost(&v->luks2.digest_kdf, -1, &limits, err);
  if (r != RIJN_VOLUME_OK)
    return r;
  for (int priority = 2; priority >= 0; priority--) {
    for (int i = 0; i < SLOTS; i++) {
      if (!to_be_tried(v, i, priority, secret->slot))
        continue;
      r = try_slot(v, i, secret, err);
      if (r == RIJN_VOLUME_OK)
        *slot = i;
      if (r == RIJN_VOLUME_ECOST)
        answer = r;
      else if (r != RIJN_VOLUME_EKEY)
        return r;
    }
  }
  return answer;
}
