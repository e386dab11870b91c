/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct rijnv_nbd rijnv_nbd = {.slot = -1};

static int take_path(char **to, const char *key, const char *value) {
  if (*to != NULL) {
    nbdkit_error("%s: given twice", key);
    return -1;
  }
  *to = nbdkit_absolute_path(value);
  return *to != NULL ? 1 : -1;
}

static int take_u64(uint64_t *to, const char *key, const char *value) {
  return nbdkit_parse_uint64_t(key, value, to) == 0 ? 1 : -1;
}

static int take_bool(bool *to, const char *value) {
  int b = nbdkit_parse_bool(value);
  *to = b > 0;
  return b < 0 ? -1 : 1;
}

static int take_key_file(const char *key, const char *value) {
  struct rijnv_nbd *n = &rijnv_nbd;
  if (n->key_files_n == sizeof n->key_files / sizeof n->key_files[0]) {
    nbdkit_error("key-file: too many");
    return -1;
  }
  int r = take_path(&n->key_files[n->key_files_n], key, value);
  n->key_files_n += r > 0;
  return r;
}

static int take_format(const char *value) {
  static const char *const names[] = {
      [RIJN_VOLUME_LUKS1] = "luks1", [RIJN_VOLUME_LUKS2] = "luks2",         [RIJN_VOLUME_GELI] = "geli",
      [RIJN_VOLUME_LUKS] = "luks",   [RIJN_VOLUME_VERACRYPT] = "veracrypt", [RIJN_VOLUME_BITLOCKER] = "bitlocker"};
  for (int i = RIJN_VOLUME_LUKS1; i <= RIJN_VOLUME_BITLOCKER; i++)
    if (strcmp(value, names[i]) == 0) {
      rijnv_nbd.options.format = i;
      return 1;
    }
  nbdkit_error("format=%s: luks, luks1, luks2, geli, bitlocker or veracrypt", value);
  return -1;
}

static int take_hash(const char *value) {
  if (strlen(value) < sizeof rijnv_nbd.options.hash) {
    strcpy(rijnv_nbd.options.hash, value);
    return 1;
  }
  nbdkit_error("hash=%s: no name of a hash", value);
  return -1;
}

static int take_passphrase(const char *value) {
  if (rijnv_nbd.passphrase != NULL) {
    nbdkit_error("passphrase: given twice");
    return -1;
  }
  return nbdkit_read_password(value, &rijnv_nbd.passphrase) == 0 ? 1 : -1;
}

int rijnv_nbd_config(const char *key, const char *value) {
  struct rijnv_nbd *n = &rijnv_nbd;
  uint64_t number;
  int r;
  if (strcmp(key, "passphrase") == 0)
    return take_passphrase(value);
  if (strcmp(key, "key-file") == 0)
    return take_key_file(key, value);
  if (strcmp(key, "keyfile-offset") == 0)
    return take_u64(&n->keyfile_offset, key, value);
  if (strcmp(key, "keyfile-size") == 0)
    return take_u64(&n->keyfile_size, key, value);
  if (strcmp(key, "header") == 0 || strcmp(key, "metadata") == 0)
    return take_path(&n->header, key, value);
  if (strcmp(key, "partition") == 0)
    return nbdkit_parse_unsigned(key, value, &n->partition) == 0 ? 1 : -1;
  if (strcmp(key, "slot") == 0)
    return nbdkit_parse_int(key, value, &n->slot) == 0 ? 1 : -1;
  if (strcmp(key, "format") == 0)
    return take_format(value);
  if (strcmp(key, "pim") == 0)
    return nbdkit_parse_unsigned(key, value, &n->options.pim) == 0 ? 1 : -1;
  if (strcmp(key, "hash") == 0)
    return take_hash(value);
  if (strcmp(key, "no-hidden") == 0)
    return take_bool(&n->options.no_hidden, value);
  if (strcmp(key, "provider-sector") == 0)
    return nbdkit_parse_unsigned(key, value, &n->options.provider_sector) == 0 ? 1 : -1;
  if (strcmp(key, "allow-discards") == 0)
    return take_bool(&n->options.allow_discards, value);
  if (strcmp(key, "read-only") == 0)
    return take_bool(&n->options.read_only, value);
  if (strcmp(key, "limit-rounds") == 0)
    return take_u64(&n->options.limit_rounds, key, value);
  if (strcmp(key, "limit-memory") != 0)
    return 0;
  r = take_u64(&number, key, value);
  if (r > 0 && number > UINT32_MAX) {
    nbdkit_error("limit-memory=%s: MiB, and this is too much", value);
    return -1;
  }
  n->options.limit_memory_kib = number << 10;
  return r;
}

/* ---------------------------------------------------------------- opening */

static void forget_secrets(void) {
  struct rijnv_nbd *n = &rijnv_nbd;
  if (n->passphrase != NULL)
    explicit_bzero(n->passphrase, strlen(n->passphrase));
  free(n->passphrase);
  n->passphrase = NULL;
  for (size_t i = 0; i < n->key_files_n; i++)
    free(n->key_files[i]);
  n->key_files_n = 0;
}

static int unlock(rijn_volume_error *err) {
  struct rijnv_nbd *n = &rijnv_nbd;
  rijn_volume_bytes files[128];
  size_t files_n = 0;
  int r = RIJN_VOLUME_OK;
  for (; files_n < n->key_files_n && r == RIJN_VOLUME_OK; files_n += r == RIJN_VOLUME_OK)
    r = rijn_volume_key_file(&files[files_n], n->key_files[files_n], n->keyfile_offset, n->keyfile_size,
                             n->options.format, err);
  if (r == RIJN_VOLUME_OK) {
    rijn_volume_secret secret = {n->passphrase, n->passphrase != NULL ? strlen(n->passphrase) : 0, files, files_n,
                                 n->slot};
    r = rijn_volume_unlock(n->volume, &secret, NULL, err);
  }
  while (files_n > 0)
    rijn_volume_key_file_free(&files[--files_n]);
  return r;
}

int rijnv_nbd_unlock(const rijn_volume_disk *disk) {
  struct rijnv_nbd *n = &rijnv_nbd;
  rijn_volume_error err;
  int r = RIJN_VOLUME_OK;
  if (n->partition != 0) {
    r = rijn_volume_disk_partition(&n->part, disk, n->partition, &err);
    disk = &n->part;
  }
  if (r == RIJN_VOLUME_OK && n->header != NULL)
    r = rijn_volume_disk_open(&n->header_disk, n->header, true, &err);
  if (r == RIJN_VOLUME_OK)
    r = rijn_volume_load(&n->volume, disk, n->header != NULL ? &n->header_disk : NULL, &n->options, &err);
  if (r == RIJN_VOLUME_OK)
    r = unlock(&err);
  forget_secrets();
  if (r == RIJN_VOLUME_OK)
    return 0;
  nbdkit_error("rijn: %s", err.text);
  return -1;
}

void rijnv_nbd_close(void) {
  struct rijnv_nbd *n = &rijnv_nbd;
  forget_secrets();
  rijn_volume_close(n->volume);
  n->volume = NULL;
  rijn_volume_disk_close(&n->header_disk);
  rijn_volume_disk_close(&n->part);
  free(n->header);
  n->header = NULL;
}

int rijnv_nbd_answer(int no, const char *what) {
  if (no == 0)
    return 0;
  /* A client does not write to what is read only as a whole. */
  nbdkit_error("rijn: %s: %s", what,
               no == EROFS ? "there is a place of BitLocker's own, which takes only zeros" : strerror(no));
  nbdkit_set_error(no);
  return -1;
}
