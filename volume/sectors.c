/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Runs of sectors through the core's calls. */
#include "internal.h"

#include <string.h>

enum rijnv_mode rijnv_mode_of(const char *spec) {
  static const struct {
    const char *name;
    enum rijnv_mode mode;
  } modes[] = {{"aes-xts-plain64", RIJNV_XTS},
               {"aes-xts-plain", RIJNV_XTS_PLAIN},
               {"aes-cbc-essiv:sha256", RIJNV_CBC_ESSIV},
               {"aes-cbc-plain64", RIJNV_CBC_PLAIN64}};
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
    size_t n = strlen(modes[i].name);
    /* Behind plain and plain64 Linux passes over what follows a colon. Tomb wrote plain64:sha256 until 2019. */
    bool more = modes[i].mode != RIJNV_CBC_ESSIV && strncmp(spec, modes[i].name, n) == 0 && spec[n] == ':';
    if (more || strcmp(spec, modes[i].name) == 0)
      return modes[i].mode;
  }
  return RIJNV_NONE;
}

bool rijnv_is_null(const char *spec) { return spec != NULL && strstr(spec, "cipher_null") != NULL; }

bool rijnv_mode_is_xts(enum rijnv_mode mode) { return mode == RIJNV_XTS || mode == RIJNV_XTS_PLAIN; }

bool rijnv_mode_writes(enum rijnv_mode mode) { return rijnv_mode_is_xts(mode) || mode == RIJNV_CBC_BITLOCKER; }

bool rijnv_mode_key_len(enum rijnv_mode mode, size_t len) {
  if (rijnv_mode_is_xts(mode))
    return len == 32 || len == 64;
  return len == 16 || len == 24 || len == 32;
}

int rijnv_key_init(struct rijnv_key *key, enum rijnv_mode mode, const uint8_t *raw, size_t len, const uint8_t *iv_key) {
  memset(key, 0, sizeof *key);
  int r = rijnv_mode_is_xts(mode) ? rijn_xts_init(&key->xts, raw, len) : rijn_aes_init(&key->aes, raw, len);
  if (r == RIJN_OK && mode == RIJNV_CBC_ESSIV) {
    uint8_t salt[64];
    if (rijnv_digest("sha256", raw, len, NULL, 0, salt) != RIJN_VOLUME_OK)
      return RIJN_VOLUME_ECRYPTO;
    r = rijn_aes_init(&key->essiv, salt, 32);
    explicit_bzero(salt, sizeof salt);
  }
  if (iv_key != NULL)
    memcpy(key->iv_key, iv_key, sizeof key->iv_key);
  return r == RIJN_OK ? RIJN_VOLUME_OK : RIJN_VOLUME_ECRYPTO;
}

static int make_iv(const struct rijnv_key *key, enum rijnv_mode mode, uint64_t number, uint8_t iv[16]) {
  uint8_t digest[64];
  memset(iv, 0, 16);
  rijnv_put_le(iv, number, 8);
  if (mode == RIJNV_CBC_ESSIV)
    return rijn_ecb_encrypt(&key->essiv, iv, iv, 1);
  if (mode == RIJNV_CBC_BITLOCKER)
    return rijn_ecb_encrypt(&key->aes, iv, iv, 1);
  if (mode == RIJNV_CBC_GELI) {
    int r = rijnv_digest("sha256", key->iv_key, sizeof key->iv_key, iv, 8, digest);
    memcpy(iv, digest, 16);
    return r;
  }
  return 0;
}

static int cbc_decrypt(const struct rijnv_key *key, const struct rijnv_run *run, uint8_t *out, const uint8_t *in) {
  for (size_t i = 0; i < run->sectors; i++) {
    uint8_t iv[16];
    size_t at = i * run->sector_size;
    if (make_iv(key, run->mode, run->first + i * run->step, iv) != 0 ||
        rijn_cbc_decrypt(&key->aes, out + at, in + at, run->sector_size / 16, iv) != 0)
      return RIJN_VOLUME_ECRYPTO;
  }
  return RIJN_VOLUME_OK;
}

/* WHY many at once: a sector of CBC leaves the processor waiting. */
static int cbc_encrypt(const struct rijnv_key *key, const struct rijnv_run *run, uint8_t *out, const uint8_t *in) {
  enum { MANY = 16 };
  size_t n;
  for (size_t i = 0; i < run->sectors; i += n) {
    rijn_cbc_msg msgs[MANY];
    uint8_t ivs[MANY][16];
    n = run->sectors - i < MANY ? run->sectors - i : MANY;
    for (size_t j = 0; j < n; j++) {
      size_t at = (i + j) * run->sector_size;
      msgs[j] = (rijn_cbc_msg){sizeof msgs[j], &key->aes, out + at, in + at, run->sector_size / 16, ivs[j], 0};
      if (make_iv(key, run->mode, run->first + (i + j) * run->step, ivs[j]) != 0)
        return RIJN_VOLUME_ECRYPTO;
    }
    if (rijn_cbc_encrypt_many(msgs, n) != 0)
      return RIJN_VOLUME_ECRYPTO;
  }
  return RIJN_VOLUME_OK;
}

int rijnv_crypt(const struct rijnv_key *key, const struct rijnv_run *run, void *out, const void *in, bool encrypt) {
  if (encrypt && !rijnv_mode_writes(run->mode))
    return RIJN_VOLUME_EREADONLY;
  if (!rijnv_mode_is_xts(run->mode))
    return encrypt ? cbc_encrypt(key, run, out, in) : cbc_decrypt(key, run, out, in);
  int r = encrypt ? rijn_xts_encrypt_sectors(&key->xts, out, in, run->sector_size, run->sectors, run->first, run->step)
                  : rijn_xts_decrypt_sectors(&key->xts, out, in, run->sector_size, run->sectors, run->first, run->step);
  return r == RIJN_OK ? RIJN_VOLUME_OK : RIJN_VOLUME_ECRYPTO;
}
