/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn volume read and write: the plain volume as a stream. */
#include "volume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

/* Loads, asks and unlocks. */
static int open_one(struct volume_job *j, const struct volume_args *a, bool read_only) {
  const char *disk = a->disks[0];
  int status = volume_load(j, a, disk, read_only);
  if (status != RIJN_EXIT_OK)
    return status;
  struct volume_pass *pass = calloc(1, sizeof *pass);
  if (rijn_volume_refusal(j->volume)->code != 0)
    status = volume_say(disk, rijn_volume_refusal(j->volume));
  else if (pass == NULL)
    status = RIJN_EXIT_FAILED;
  else
    status = volume_get_pass(pass, a, disk, rijn_volume_facts_of(j->volume)->opens_without_key);
  if (status == RIJN_EXIT_OK)
    status = volume_unlock(j, a, disk, pass, NULL);
  if (pass != NULL)
    explicit_bzero(pass, sizeof *pass);
  free(pass);
  if (status != RIJN_EXIT_OK)
    volume_close(j);
  return status;
}

/* ---------------------------------------------------------------- read */

static int copy_out(struct volume_job *j, const struct volume_args *a, struct rijn_output *o, uint64_t length) {
  struct rijn_progress progress;
  void *buf = aligned_alloc(4096, PIECE);
  int status = buf != NULL ? RIJN_EXIT_OK : RIJN_EXIT_FAILED;
  rijn_progress_start(&progress, o->fd, length, NULL, false);
  for (uint64_t at = 0; status == RIJN_EXIT_OK && at < length; at += PIECE) {
    size_t n = length - at < PIECE ? (size_t)(length - at) : PIECE;
    int no = rijn_volume_pread(j->volume, buf, n, a->offset + at);
    if (no != 0) {
      rijn_say("%s: cannot read %zu bytes at %llu of the volume: %s", a->disks[0], n,
               (unsigned long long)(a->offset + at), strerror(no));
      status = RIJN_EXIT_FAILED;
    } else {
      status = rijn_output_write(o, buf, n);
    }
    rijn_progress_show(&progress, at + n);
  }
  rijn_progress_clear();
  if (buf != NULL)
    explicit_bzero(buf, PIECE);
  free(buf);
  return status;
}

/* What --offset and --length leave of the volume. */
static int range(const struct volume_args *a, uint64_t size, uint64_t *length) {
  if (a->offset > size || (a->have_length && a->length > size - a->offset)) {
    rijn_say("%s: the volume has %llu bytes, and %llu at %llu are wanted", a->disks[0], (unsigned long long)size,
             (unsigned long long)a->length, (unsigned long long)a->offset);
    return RIJN_EXIT_FAILED;
  }
  *length = a->have_length ? a->length : size - a->offset;
  return RIJN_EXIT_OK;
}

int volume_read(struct volume_args *a) {
  struct volume_job j;
  struct rijn_output o;
  struct stat st;
  uint64_t length = 0;
  if (isatty(STDOUT_FILENO) && (a->file == NULL || rijn_is_standard(a->file, 1)))
    return rijn_usage(a->argv0, "the plain volume is not written to a terminal: give --output FILE, or a pipe");
  int status = open_one(&j, a, true);
  if (status != RIJN_EXIT_OK)
    return status;
  status = range(a, rijn_volume_facts_of(j.volume)->size, &length);
  if (status == RIJN_EXIT_OK && rijn_stat(-1, a->disks[0], &st) != 0) {
    rijn_say_errno("%s", a->disks[0]);
    status = RIJN_EXIT_FAILED;
  }
  const struct rijn_avoid avoid = {&st, "the disk"};
  if (status == RIJN_EXIT_OK)
    status = rijn_output_open(&o, a->file != NULL ? a->file : "-", a->force, &st, &avoid, 1);
  if (status == RIJN_EXIT_OK) {
    status = copy_out(&j, a, &o, length);
    if (status == RIJN_EXIT_OK)
      status = rijn_output_commit(&o);
    rijn_output_abandon(&o);
  }
  volume_close(&j);
  return status;
}

/* ---------------------------------------------------------------- write */

static int too_long(const struct volume_args *a, uint64_t room, const char *note) {
  rijn_say("%s: the input is longer than the %llu bytes from %llu to the end of the volume%s", a->disks[0],
           (unsigned long long)room, (unsigned long long)a->offset, note);
  return RIJN_EXIT_FAILED;
}

static int copy_in(struct volume_job *j, const struct volume_args *a, int in, uint64_t room) {
  uint8_t *buf = aligned_alloc(4096, PIECE);
  int status = buf != NULL ? RIJN_EXIT_OK : RIJN_EXIT_FAILED;
  for (uint64_t at = 0; status == RIJN_EXIT_OK;) {
    ssize_t got = rijn_read_full(in, buf, PIECE);
    size_t n = got > 0 ? (size_t)got : 0;
    if (got < 0) {
      rijn_say_errno("input: cannot read");
      status = RIJN_EXIT_FAILED;
    } else if (n > room - at) {
      status = too_long(a, room, "; what came before is written");
    } else {
      int no = rijn_volume_pwrite(j->volume, buf, n, a->offset + at);
      if (no != 0) {
        rijn_say("%s: cannot write %zu bytes at %llu of the volume: %s", a->disks[0], n,
                 (unsigned long long)(a->offset + at),
                 no == EROFS
                     ? "there is a place of BitLocker's own, which takes only zeros; what came before is written"
                     : strerror(no));
        status = RIJN_EXIT_FAILED;
      }
    }
    at += n;
    if (n < PIECE)
      break;
  }
  int no = rijn_volume_flush(j->volume);
  if (no != 0) {
    rijn_say("%s: cannot flush: %s", a->disks[0], strerror(no));
    status = RIJN_EXIT_FAILED;
  }
  if (buf != NULL)
    explicit_bzero(buf, PIECE);
  free(buf);
  return status;
}

int volume_write(struct volume_args *a) {
  struct volume_job j;
  struct stat st;
  bool standard = a->file == NULL || rijn_is_standard(a->file, 0);
  int in = standard ? STDIN_FILENO : open(a->file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (in < 0 || fstat(in, &st) != 0) {
    rijn_say_errno("%s", standard ? "standard input" : a->file);
    return RIJN_EXIT_FAILED;
  }
  int status = open_one(&j, a, false);
  if (status == RIJN_EXIT_OK) {
    const rijn_volume_facts *f = rijn_volume_facts_of(j.volume);
    uint64_t room = f->size > a->offset ? f->size - a->offset : 0;
    off_t from = S_ISREG(st.st_mode) ? lseek(in, 0, SEEK_CUR) : 0;
    if (f->read_only) {
      rijn_say("%s: the volume is read only%s", a->disks[0],
               f->hides ? ": it may hide another, which writes would destroy; --no-hidden says that it does not" : "");
      status = RIJN_EXIT_FAILED;
    } else if (a->offset > f->size ||
               (S_ISREG(st.st_mode) && st.st_size > from && (uint64_t)(st.st_size - from) > room)) {
      status = too_long(a, room, ""); /* before anything is written */
    } else {
      status = copy_in(&j, a, in, room);
    }
    volume_close(&j);
  }
  if (!standard)
    close(in);
  return status;
}
