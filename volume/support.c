/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Errors, secret memory, whole reads and writes of a disk. */
#include "internal.h"

#include <errno.h>
#include <openssl/rand.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int rijnv_fail(rijn_volume_error *err, int code, const char *format, ...) {
  if (err == NULL)
    return code;
  va_list ap;
  va_start(ap, format);
  vsnprintf(err->text, sizeof err->text, format, ap);
  va_end(ap);
  err->code = code;
  return code;
}

const char *rijn_volume_error_name(int code) {
  static const char *const names[] = {
      "ok",     "argument",  "io",     "memory",    "crypto", "format",    "damaged",     "version",      "cipher",
      "keylen", "integrity", "sector", "size",      "flags",  "segment",   "requirement", "reencryption", "iv-tweak",
      "rounds", "keyslot",   "cost",   "ambiguous", "key",    "read-only", "full",        "busy"};
  int i = -code;
  return i >= 0 && i < (int)(sizeof names / sizeof names[0]) ? names[i] : "unknown";
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

static size_t whole_pages(size_t len) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (len + page - 1) / page * page;
}

void *rijnv_secret_alloc(size_t len) {
  void *p = mmap(NULL, whole_pages(len), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    return NULL;
  (void)madvise(p, whole_pages(len), MADV_DONTDUMP); /* some kernels cannot, and the volume works all the same */
  return p;
}

void rijnv_secret_free(void *p, size_t len) {
  if (p == NULL)
    return;
  explicit_bzero(p, len);
  munmap(p, whole_pages(len));
}

static int outside(const rijn_volume_disk *disk, size_t len, uint64_t offset) {
  return offset > disk->size || len > disk->size - offset;
}

int rijnv_read(const rijn_volume_disk *disk, void *buf, size_t len, uint64_t offset, const char *what,
               rijn_volume_error *err) {
  if (outside(disk, len, offset))
    return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "%s: lies beyond the end of the disk (%zu bytes at %llu of %llu)",
                      what, len, (unsigned long long)offset, (unsigned long long)disk->size);
  int no = disk->pread(disk->handle, buf, len, offset);
  if (no != 0)
    return rijnv_fail(err, RIJN_VOLUME_EIO, "%s: cannot read %zu bytes at %llu: %s", what, len,
                      (unsigned long long)offset, strerror(no));
  return RIJN_VOLUME_OK;
}

int rijnv_write(const rijn_volume_disk *disk, const void *buf, size_t len, uint64_t offset, const char *what,
                rijn_volume_error *err) {
  if (disk->pwrite == NULL)
    return rijnv_fail(err, RIJN_VOLUME_EREADONLY, "%s: the disk is read only", what);
  if (outside(disk, len, offset))
    return rijnv_fail(err, RIJN_VOLUME_ESIZE, "%s: lies beyond the end of the disk (%zu bytes at %llu of %llu)", what,
                      len, (unsigned long long)offset, (unsigned long long)disk->size);
  int no = disk->pwrite(disk->handle, buf, len, offset);
  if (no != 0)
    return rijnv_fail(err, RIJN_VOLUME_EIO, "%s: cannot write %zu bytes at %llu: %s", what, len,
                      (unsigned long long)offset, strerror(no));
  return RIJN_VOLUME_OK;
}

int rijnv_flush(const rijn_volume_disk *disk, rijn_volume_error *err) {
  int no = disk->flush != NULL ? disk->flush(disk->handle) : 0;
  if (no != 0)
    return rijnv_fail(err, RIJN_VOLUME_EIO, "the disk cannot be flushed: %s", strerror(no));
  return RIJN_VOLUME_OK;
}

int rijnv_random(void *buf, size_t len, rijn_volume_error *err) {
  if (RAND_priv_bytes(buf, (int)len) != 1)
    return rijnv_fail(err, RIJN_VOLUME_ECRYPTO, "libcrypto has no random bytes");
  return RIJN_VOLUME_OK;
}
