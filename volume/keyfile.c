/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Key files: bytes as they are, nothing stripped. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 8 << 20, VERACRYPT_MOST = 1 << 20 };

/* Up to room bytes: how many, or -1 with errno. */
static ssize_t read_all(int fd, uint8_t *p, size_t room) {
  size_t got = 0;
  while (got < room) {
    ssize_t n = read(fd, p + got, room - got);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -1;
    if (n == 0)
      break;
    got += (size_t)n;
  }
  return (ssize_t)got;
}

/* Past offset bytes, by reading where there is no other way, into room bytes at p: 0, 1 where the file ends before, or
 * -1 with errno. */
static int skip(int fd, uint64_t offset, uint8_t *p, size_t room) {
  ssize_t n = 1;
  if (offset > 0 && offset <= INT64_MAX && lseek(fd, (off_t)offset - 1, SEEK_CUR) >= 0)
    offset = 1; /* that there is such a byte is only seen by reading it */
  size_t used = offset < room ? (size_t)offset : room;
  for (; offset > 0 && n > 0; offset -= (uint64_t)n)
    n = read_all(fd, p, offset < used ? (size_t)offset : used);
  explicit_bzero(p, used);
  if (n < 0)
    return -1;
  return offset > 0;
}

int rijn_volume_key_file(rijn_volume_bytes *bytes, const char *path, uint64_t offset, uint64_t size, int format,
                         rijn_volume_error *err) {
  *bytes = (rijn_volume_bytes){NULL, 0};
  if (size > MOST)
    return rijnv_fail(err, RIJN_VOLUME_EARG, "key file %s: more than 8 MiB of it are wanted", path);
  int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0)
    return rijnv_fail(err, RIJN_VOLUME_EIO, "key file %s: %s", path, strerror(errno));
  size_t all = format == RIJN_VOLUME_VERACRYPT ? VERACRYPT_MOST : MOST + 1, wanted = size != 0 ? (size_t)size : all;
  uint8_t *p = rijnv_secret_alloc(MOST + 1);
  int r = RIJN_VOLUME_OK, skipped = p != NULL ? skip(fd, offset, p, MOST + 1) : -1;
  ssize_t n = skipped == 0 ? read_all(fd, p, wanted) : -(skipped < 0);
  if (n < 0)
    r = rijnv_fail(err, RIJN_VOLUME_EIO, "key file %s: cannot read: %s", path, strerror(errno));
  else if (n > MOST)
    r = rijnv_fail(err, RIJN_VOLUME_EARG, "key file %s: has more than 8 MiB", path);
  else if (skipped != 0 || (size_t)n < size)
    r = rijnv_fail(err, RIJN_VOLUME_EARG, "key file %s: ends before offset %llu, or has no %llu bytes there", path,
                   (unsigned long long)offset, (unsigned long long)size);
  if (fd != STDIN_FILENO)
    close(fd);
  if (r != RIJN_VOLUME_OK) {
    rijnv_secret_free(p, MOST + 1);
    return r;
  }
  *bytes = (rijn_volume_bytes){p, (size_t)n};
  return RIJN_VOLUME_OK;
}

void rijn_volume_key_file_free(rijn_volume_bytes *bytes) {
  rijnv_secret_free((void *)(uintptr_t)bytes->data, MOST + 1);
  *bytes = (rijn_volume_bytes){NULL, 0};
}
