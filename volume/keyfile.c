/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Key files: bytes as they are, nothing stripped. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 8 << 20 };

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

int rijn_volume_key_file(rijn_volume_bytes *bytes, const char *path, uint64_t offset, uint64_t size,
                         rijn_volume_error *err) {
  int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  *bytes = (rijn_volume_bytes){NULL, 0};
  if (fd < 0)
    return rijnv_fail(err, RIJN_VOLUME_EIO, "key file %s: %s", path, strerror(errno));
  uint8_t *p = rijnv_secret_alloc(MOST + 1);
  ssize_t n = p != NULL ? read_all(fd, p, MOST + 1) : -1;
  int r = RIJN_VOLUME_OK;
  if (n < 0)
    r = rijnv_fail(err, RIJN_VOLUME_EIO, "key file %s: cannot read: %s", path, strerror(errno));
  else if (n > MOST)
    r = rijnv_fail(err, RIJN_VOLUME_EARG, "key file %s: has more than 8 MiB", path);
  else if (offset > (size_t)n || size > (size_t)n - offset)
    r = rijnv_fail(err, RIJN_VOLUME_EARG, "key file %s: has %zu bytes, and %llu at offset %llu are wanted", path,
                   (size_t)n, (unsigned long long)size, (unsigned long long)offset);
  if (fd != STDIN_FILENO)
    close(fd);
  if (r != RIJN_VOLUME_OK) {
    rijnv_secret_free(p, MOST + 1);
    return r;
  }
  size_t len = size != 0 ? (size_t)size : (size_t)n - (size_t)offset;
  memmove(p, p + offset, len);
  explicit_bzero(p + len, (size_t)n - len);
  *bytes = (rijn_volume_bytes){p, len};
  return RIJN_VOLUME_OK;
}

void rijn_volume_key_file_free(rijn_volume_bytes *bytes) {
  rijnv_secret_free((void *)(uintptr_t)bytes->data, MOST + 1);
  *bytes = (rijn_volume_bytes){NULL, 0};
}
