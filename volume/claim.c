/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Who may write: a claim on a disk as long as somebody writes to it, and a lock of its header for one change.
 *
 * A file is claimed by an OFD lock, which QEMU obeys and takes too; a block device by opening it exclusively, which
 * Linux refuses while it is mounted. The header's lock is cryptsetup's: flock on the file, or on a file of the device's
 * number in /run/cryptsetup. cryptsetup holds it for moments, so it is waited for; a claim is held for long, so it is
 * not. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

static int in_use(const struct stat *st, rijn_volume_error *err) {
  char who[200];
  rijnv_user_of(st, who, sizeof who);
  return rijnv_fail(err, RIJN_VOLUME_EBUSY, "is in use%s%s; nothing was written", who[0] != '\0' ? ": " : "", who);
}

/* A lock of len bytes (0: to the end), or the errno value of the one that stands against it. */
static int lock_range(int fd, short type, uint64_t start, uint64_t len) {
  struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)start, .l_len = (off_t)len};
  return fcntl(fd, F_OFD_SETLK, &range) == 0 ? 0 : errno;
}

/* WHY of a part the first bytes too: QEMU looks for locks there, and nobody is to change the partitions. */
static int claim_file(const struct rijnv_place *p, const struct stat *st, rijn_volume_error *err) {
  enum { TABLE = 512 };
  int no = 0;
  if (p->part && p->offset >= TABLE)
    no = lock_range(p->fd, F_RDLCK, 0, TABLE);
  if (no == 0)
    no = lock_range(p->fd, F_WRLCK, p->part ? p->offset : 0, p->part ? p->size : 0);
  if (no == EAGAIN || no == EACCES || rijnv_loop_of(st))
    return in_use(st, err);
  return RIJN_VOLUME_OK; /* some file systems have no locks */
}

static int claim_device(const struct rijnv_place *p, const struct stat *st, rijn_volume_error *err) {
  char name[64];
  if (*p->claim >= 0)
    return RIJN_VOLUME_OK;
  snprintf(name, sizeof name, "/proc/self/fd/%d", p->fd);
  *p->claim = open(name, O_RDWR | O_EXCL | O_CLOEXEC);
  if (*p->claim >= 0)
    return RIJN_VOLUME_OK;
  if (errno == EBUSY)
    return in_use(st, err);
  return rijnv_fail(err, RIJN_VOLUME_EIO, "cannot be opened for this program alone: %s", strerror(errno));
}

int rijn_volume_disk_claim(const rijn_volume_disk *disk, rijn_volume_error *err) {
  struct rijnv_place p;
  struct stat st;
  if (disk->pwrite == NULL || !rijnv_disk_place(disk, &p))
    return RIJN_VOLUME_OK; /* of the caller's calls nothing is known here */
  if (fstat(p.fd, &st) != 0)
    return rijnv_fail(err, RIJN_VOLUME_EIO, "%s", strerror(errno));
  return S_ISBLK(st.st_mode) ? claim_device(&p, &st, err) : claim_file(&p, &st, err);
}

/* ---------------------------------------------------------------- the header's lock */

static const char folder[] = "/run/cryptsetup";

static void name_of(const struct stat *st, char *name, size_t room) {
  snprintf(name, room, "%s/L_%u:%u", folder, major(st->st_rdev), minor(st->st_rdev));
}

/* -1 with errno. */
static int open_lock_file(const struct stat *st) {
  char name[80];
  name_of(st, name, sizeof name);
  if (mkdir(folder, 0700) != 0 && errno != EEXIST)
    return -1;
  return open(name, O_CREAT | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0600);
}

/* Is what is locked still what the name stands for? Whoever had it before removes it. */
static bool is_current(int fd, const struct stat *st) {
  char name[80];
  struct stat locked, named;
  name_of(st, name, sizeof name);
  return fstat(fd, &locked) == 0 && stat(name, &named) == 0 && locked.st_ino == named.st_ino &&
         locked.st_dev == named.st_dev;
}

/* One try: 0, or an errno value; EWOULDBLOCK: another has it. */
static int try_lock(struct rijnv_lock *l, int fd, const struct stat *st, int kind) {
  l->device = S_ISBLK(st->st_mode);
  l->fd = l->device ? open_lock_file(st) : fd;
  if (l->fd < 0)
    return errno;
  int no = flock(l->fd, kind | LOCK_NB) == 0 ? 0 : errno;
  if (no == 0 && l->device && !is_current(l->fd, st))
    no = EWOULDBLOCK;
  if (no != 0 && l->device)
    close(l->fd);
  return no;
}

int rijnv_lock_header(const rijn_volume_disk *disk, struct rijnv_lock *l, bool change, rijn_volume_error *err) {
  enum { TRIES = 3000 }; /* of 20 ms */
  const struct timespec moment = {.tv_nsec = 20000000};
  struct rijnv_place p;
  struct stat st;
  l->fd = -1;
  if (!rijnv_disk_place(disk, &p) || fstat(p.fd, &st) != 0)
    return RIJN_VOLUME_OK;
  int kind = change ? LOCK_EX : LOCK_SH, no = try_lock(l, p.fd, &st, kind);
  for (int i = 0; no == EWOULDBLOCK && i < TRIES; i++) {
    nanosleep(&moment, NULL);
    no = try_lock(l, p.fd, &st, kind);
  }
  if (no == 0)
    return RIJN_VOLUME_OK;
  l->fd = -1;
  if (no == EWOULDBLOCK)
    return rijnv_fail(err, RIJN_VOLUME_EBUSY, "another program has had the header's lock for a minute");
  return RIJN_VOLUME_OK; /* of another user: cryptsetup's folder is root's; of a file system without locks */
}

void rijnv_unlock_header(struct rijnv_lock *l, const rijn_volume_disk *disk) {
  struct rijnv_place p;
  struct stat st;
  char name[80];
  if (l->fd < 0)
    return;
  if (!l->device) {
    (void)flock(l->fd, LOCK_UN);
  } else {
    /* The last one who has it, for reading too, removes the file. */
    if (rijnv_disk_place(disk, &p) && fstat(p.fd, &st) == 0 && flock(l->fd, LOCK_EX | LOCK_NB) == 0 &&
        is_current(l->fd, &st)) {
      name_of(&st, name, sizeof name);
      (void)unlink(name);
    }
    close(l->fd);
  }
  l->fd = -1;
}
