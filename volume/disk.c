/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Disks: files, block devices, and parts of another disk. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A handle is a struct disk or a struct part: the calls know which. */
struct disk {
  int fd, claim; /* claim: a block device once more, for this program alone; -1: not */
  bool device;
};

static int file_pread(void *handle, void *buf, size_t len, uint64_t offset) {
  const struct disk *d = handle;
  for (char *p = buf; len > 0;) {
    ssize_t n = pread(d->fd, p, len < INT_MAX ? len : INT_MAX, (off_t)offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? errno : EIO; /* it has become shorter */
    p += n;
    len -= (size_t)n;
    offset += (uint64_t)n;
  }
  return 0;
}

static int file_pwrite(void *handle, const void *buf, size_t len, uint64_t offset) {
  const struct disk *d = handle;
  for (const char *p = buf; len > 0;) {
    ssize_t n = pwrite(d->fd, p, len < INT_MAX ? len : INT_MAX, (off_t)offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? errno : EIO;
    p += n;
    len -= (size_t)n;
    offset += (uint64_t)n;
  }
  return 0;
}

static int file_flush(void *handle) {
  const struct disk *d = handle;
  return fdatasync(d->fd) == 0 ? 0 : errno;
}

static int file_trim(void *handle, uint64_t len, uint64_t offset) {
  const struct disk *d = handle;
  uint64_t range[2] = {offset, len};
  int r = d->device ? ioctl(d->fd, BLKDISCARD, range)
                    : fallocate(d->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)len);
  if (r == 0 || errno == EOPNOTSUPP || errno == ENOSYS) /* trim is a hint */
    return 0;
  return errno;
}

static int measure(int fd, const struct stat *st, rijn_volume_disk *disk) {
  if (S_ISREG(st->st_mode)) {
    disk->size = (uint64_t)st->st_size;
    return 0;
  }
  int sector = 0;
  uint64_t size = 0;
  if (ioctl(fd, BLKGETSIZE64, &size) != 0 || ioctl(fd, BLKSSZGET, &sector) != 0)
    return errno;
  disk->size = size;
  disk->sector_size = (unsigned)sector;
  return 0;
}

int rijn_volume_disk_open(rijn_volume_disk *disk, const char *path, bool read_only, rijn_volume_error *err) {
  struct stat st;
  memset(disk, 0, sizeof *disk);
  int fd = open(path, (read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NOCTTY);
  int no = fd < 0 || fstat(fd, &st) != 0 ? errno : 0;
  struct disk *d = NULL;
  if (no == 0 && !S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
    no = S_ISDIR(st.st_mode) ? EISDIR : ENOTBLK;
  if (no == 0)
    no = measure(fd, &st, disk);
  if (no == 0 && (d = malloc(sizeof *d)) == NULL)
    no = ENOMEM;
  if (no != 0) {
    if (fd >= 0)
      close(fd);
    return rijnv_fail(err, RIJN_VOLUME_EIO, "%s: %s", path, strerror(no));
  }
  *d = (struct disk){fd, -1, S_ISBLK(st.st_mode)};
  disk->handle = d;
  disk->pread = file_pread;
  disk->pwrite = read_only ? NULL : file_pwrite;
  disk->flush = file_flush;
  disk->trim = read_only ? NULL : file_trim;
  return RIJN_VOLUME_OK;
}

/* ---------------------------------------------------------------- a part of another disk */

struct part {
  const rijn_volume_disk *disk;
  uint64_t offset;
};

static int part_pread(void *handle, void *buf, size_t len, uint64_t offset) {
  const struct part *p = handle;
  return p->disk->pread(p->disk->handle, buf, len, p->offset + offset);
}
static int part_pwrite(void *handle, const void *buf, size_t len, uint64_t offset) {
  const struct part *p = handle;
  return p->disk->pwrite(p->disk->handle, buf, len, p->offset + offset);
}
static int part_flush(void *handle) {
  const struct part *p = handle;
  return p->disk->flush(p->disk->handle);
}
static int part_trim(void *handle, uint64_t len, uint64_t offset) {
  const struct part *p = handle;
  return p->disk->trim(p->disk->handle, len, p->offset + offset);
}

int rijn_volume_disk_part(rijn_volume_disk *part, const rijn_volume_disk *disk, uint64_t offset, uint64_t size,
                          rijn_volume_error *err) {
  memset(part, 0, sizeof *part);
  if (offset > disk->size || size > disk->size - offset)
    return rijnv_fail(err, RIJN_VOLUME_ESIZE, "the partition (%llu bytes at %llu) ends behind the disk (%llu bytes)",
                      (unsigned long long)size, (unsigned long long)offset, (unsigned long long)disk->size);
  struct part *p = malloc(sizeof *p);
  if (p == NULL)
    return rijnv_fail(err, RIJN_VOLUME_EMEM, "out of memory");
  *p = (struct part){disk, offset};
  *part = (rijn_volume_disk){p,
                             size,
                             disk->sector_size,
                             part_pread,
                             disk->pwrite != NULL ? part_pwrite : NULL,
                             disk->flush != NULL ? part_flush : NULL,
                             disk->trim != NULL ? part_trim : NULL};
  return RIJN_VOLUME_OK;
}

bool rijnv_disk_place(const rijn_volume_disk *disk, struct rijnv_place *place) {
  *place = (struct rijnv_place){.size = disk->size};
  for (; disk->pread == part_pread; disk = ((const struct part *)disk->handle)->disk) {
    place->part = true;
    place->offset += ((const struct part *)disk->handle)->offset;
  }
  struct disk *d = disk->handle;
  if (disk->pread != file_pread)
    return false;
  place->fd = d->fd;
  place->claim = &d->claim;
  return true;
}

void rijn_volume_disk_close(rijn_volume_disk *disk) {
  struct disk *d = disk->handle;
  if (disk->pread == file_pread && d->claim >= 0)
    close(d->claim);
  if (disk->pread == file_pread)
    close(d->fd);
  if (disk->pread == file_pread || disk->pread == part_pread)
    free(disk->handle);
  memset(disk, 0, sizeof *disk);
}
