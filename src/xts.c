/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-XTS (IEEE 1619, SP 800-38E): keys, data units, runs of sectors. */
#include <rijn.h>
#include <stdbool.h>

#include "bytes.h"
#include "ct.h"
#include "impl.h"
#include "key.h"

RIJN_KEY_FITS(struct rijn_xts, rijn_xts_key);

static int xts_make_key(rijn_xts_key *key, const void *raw, size_t raw_len, int which) {
  struct rijn_chosen maker;
  int err = rijn_init_check(&maker, key, sizeof *key, raw, raw_len, raw_len == 32 || raw_len == 64, which);
  if (err != RIJN_OK)
    return err;
  size_t half = raw_len / 2;
  /* CT: the halves are compared without a branch on where they differ; that they are equal becomes public. */
  if (rijn_ct_eq(raw, (const uint8_t *)raw + half, half) != 0)
    return RIJN_EWEAKKEY;
  struct rijn_xts *k = (struct rijn_xts *)(void *)key->opaque;
  rijn_zero_around(key, sizeof *key, offsetof(struct rijn_xts, rk), sizeof *k);
  k->rounds = rijn_rounds(half);
  maker.impl->xts_init(k, raw);
  k->impl = maker.id;
  return RIJN_OK;
}

int rijn_xts_init(rijn_xts_key *key, const void *raw, size_t raw_len) {
  return xts_make_key(key, raw, raw_len, RIJN_IMPL_CHOSEN);
}

int rijn_xts_init_impl(rijn_xts_key *key, const void *raw, size_t raw_len, int impl) {
  return xts_make_key(key, raw, raw_len, rijn_impl_named(impl));
}

void rijn_xts_wipe(rijn_xts_key *key) {
  if (key != NULL)
    rijn_wipe(key, sizeof *key);
}

static const struct rijn_xts *xts_of(const rijn_xts_key *key) {
  return (const struct rijn_xts *)(const void *)key->opaque;
}

/* ---------------------------------------------------------------- one data unit */

static int check_unit(const rijn_xts_key *key, const void *out, const void *in, size_t len, const uint8_t *tweak) {
  if (key == NULL)
    return RIJN_ENULL;
  if (rijn_impl_of(xts_of(key)->impl) == NULL)
    return RIJN_ESTATE;
  if (rijn_null(out, len) || rijn_null(in, len) || tweak == NULL)
    return RIJN_ENULL;
  /* SPEC: IEEE 1619 section 5.1: no less than a block. SP 800-38E section 4: no more than 2^20 blocks. */
  if (len < 16 || len > RIJN_XTS_MAX_LEN)
    return RIJN_ELEN;
  return rijn_alias_ok(out, in, len) ? RIJN_OK : RIJN_EOVERLAP;
}

int rijn_xts_encrypt(const rijn_xts_key *key, void *out, const void *in, size_t len, const uint8_t tweak[16]) {
  int err = check_unit(key, out, in, len, tweak);
  if (err != RIJN_OK)
    return err;
  rijn_impl_of(xts_of(key)->impl)->xts_enc(xts_of(key), out, in, len, tweak);
  return RIJN_OK;
}

int rijn_xts_decrypt(const rijn_xts_key *key, void *out, const void *in, size_t len, const uint8_t tweak[16]) {
  int err = check_unit(key, out, in, len, tweak);
  if (err != RIJN_OK)
    return err;
  rijn_impl_of(xts_of(key)->impl)->xts_dec(xts_of(key), out, in, len, tweak);
  return RIJN_OK;
}

/* ---------------------------------------------------------------- runs of sectors */

static int check_sectors(const rijn_xts_key *key, const void *out, const void *in, const struct rijn_sectors *s) {
  if (key == NULL)
    return RIJN_ENULL;
  if (rijn_impl_of(xts_of(key)->impl) == NULL)
    return RIJN_ESTATE;
  if (rijn_null(out, s->n) || rijn_null(in, s->n))
    return RIJN_ENULL;
  if (s->size < 512 || s->size > 65536 || (s->size & (s->size - 1)) != 0)
    return RIJN_ESECTOR;
  if (s->n > SIZE_MAX / s->size)
    return RIJN_ESECTOR;
  /* The number of the last sector, first + (n - 1) * step, must fit. Nobody multiplies when all are small. */
  if (s->n > 1 && s->tweaks == NULL) {
    uint64_t span;
    if (__builtin_mul_overflow((uint64_t)s->n - 1, s->step, &span) || span > UINT64_MAX - s->first)
      return RIJN_ESECTOR;
  }
  return rijn_alias_ok(out, in, s->n * s->size) ? RIJN_OK : RIJN_EOVERLAP;
}

static int crypt_sectors(const rijn_xts_key *key, void *out, const void *in, const struct rijn_sectors *s,
                         enum direction dir) {
  int err = check_sectors(key, out, in, s);
  if (err != RIJN_OK || s->n == 0)
    return err;
  const struct rijn_impl *impl = rijn_impl_of(xts_of(key)->impl);
  if (dir == ENCRYPT)
    impl->xts_enc_sectors(xts_of(key), out, in, s);
  else
    impl->xts_dec_sectors(xts_of(key), out, in, s);
  return RIJN_OK;
}

int rijn_xts_encrypt_sectors(const rijn_xts_key *key, void *out, const void *in, size_t sector_size, size_t sectors,
                             uint64_t first, uint64_t step) {
  struct rijn_sectors s = {sector_size, sectors, first, step, NULL};
  return crypt_sectors(key, out, in, &s, ENCRYPT);
}

int rijn_xts_decrypt_sectors(const rijn_xts_key *key, void *out, const void *in, size_t sector_size, size_t sectors,
                             uint64_t first, uint64_t step) {
  struct rijn_sectors s = {sector_size, sectors, first, step, NULL};
  return crypt_sectors(key, out, in, &s, DECRYPT);
}

static int crypt_tweaks(const rijn_xts_key *key, void *out, const void *in, size_t sector_size, size_t sectors,
                        const uint8_t *tweaks, enum direction dir) {
  if (key != NULL && rijn_impl_of(xts_of(key)->impl) != NULL && rijn_null(tweaks, sectors))
    return RIJN_ENULL;
  struct rijn_sectors s = {sector_size, sectors, 0, 0, tweaks};
  return crypt_sectors(key, out, in, &s, dir);
}

int rijn_xts_encrypt_tweaks(const rijn_xts_key *key, void *out, const void *in, size_t sector_size, size_t sectors,
                            const uint8_t *tweaks) {
  return crypt_tweaks(key, out, in, sector_size, sectors, tweaks, ENCRYPT);
}

int rijn_xts_decrypt_tweaks(const rijn_xts_key *key, void *out, const void *in, size_t sector_size, size_t sectors,
                            const uint8_t *tweaks) {
  return crypt_tweaks(key, out, in, sector_size, sectors, tweaks, DECRYPT);
}
