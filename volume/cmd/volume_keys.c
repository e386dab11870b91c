/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn volume create, add-key, remove-key, passwd. */
#include "volume.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- new volumes */

/* What this run has made: it goes when the run fails or a signal ends it. WHY: the next try would find it there. */
static const char *made[3];
static volatile sig_atomic_t made_n;

static void remove_made(void) {
  while (made_n > 0)
    unlink(made[--made_n]);
}

/* The descriptor of a file that was not there, or -1 with errno. The name has to stay. */
static int make_new(const char *name, int access_mode) {
  sigset_t old;
  rijn_signals_hold(&old);
  rijn_signals_tidy(remove_made);
  int fd = open(name, access_mode | O_CREAT | O_EXCL | O_CLOEXEC, 0600), no = errno;
  if (fd >= 0)
    made[made_n++] = name;
  rijn_signals_release(&old);
  errno = no;
  return fd;
}

static int exists_already(const char *name) {
  rijn_say("%s: exists already, and --size makes a new file", name);
  return RIJN_EXIT_FAILED;
}

/* A file of that size, if it is not there. */
static int make_file(const char *name, uint64_t size) {
  int fd = make_new(name, O_RDWR);
  if (fd < 0 && errno == EEXIST)
    return exists_already(name);
  if (fd < 0)
    rijn_say_errno("%s: cannot create", name);
  if (fd < 0)
    return RIJN_EXIT_FAILED;
  int bad = ftruncate(fd, (off_t)size);
  if (bad != 0)
    rijn_say_errno("%s: cannot make it %llu bytes long", name, (unsigned long long)size);
  close(fd);
  return bad != 0 ? RIJN_EXIT_FAILED : RIJN_EXIT_OK;
}

/* Are the first and the last 64 KiB zeros? Whatever is on a disk, it begins or ends there. */
static int must_be_empty(const rijn_volume_disk *disk, const char *name) {
  enum { LOOK = 65536 };
  static uint8_t p[LOOK];
  size_t n = disk->size < LOOK ? (size_t)disk->size : LOOK;
  for (int end = 0; end < 2; end++) {
    int no = disk->pread(disk->handle, p, n, end != 0 ? disk->size - n : 0);
    if (no != 0) {
      rijn_say("%s: cannot read: %s", name, strerror(no));
      return RIJN_EXIT_FAILED;
    }
    for (size_t i = 0; i < n; i++)
      if (p[i] != 0) {
        rijn_say("%s: is not empty; --force destroys what is there", name);
        return RIJN_EXIT_FAILED;
      }
  }
  return RIJN_EXIT_OK;
}

/* As geli(8): a copy of the one sector without which all is lost. Made before the disk is touched, so that a name that
 * cannot be written is known in time. */
static int open_backup(const struct volume_args *a, char *name, size_t room) {
  snprintf(name, room, "%s%s", a->backup != NULL ? a->backup : a->disks[0], a->backup != NULL ? "" : ".eli");
  if (a->backup == NULL && strncmp(name, "/dev/", 5) == 0) {
    rijn_usage(a->argv0, "say with --backup FILE where the copy of the metadata goes");
    return -1;
  }
  int fd = make_new(name, O_WRONLY);
  if (fd < 0)
    rijn_say_errno("%s: the copy of the metadata cannot be created", name);
  return fd;
}

static int create_on(const rijn_volume_disk *disk, const struct volume_args *a, const rijn_volume_secret *secret) {
  static char name[4200]; /* static: make_new() keeps it */
  uint8_t backup[512];
  rijn_volume_error err;
  bool geli = a->create.format == RIJN_VOLUME_GELI;
  int fd = geli ? open_backup(a, name, sizeof name) : -1;
  if (geli && fd < 0)
    return RIJN_EXIT_FAILED;
  int status = RIJN_EXIT_OK;
  if (rijn_volume_create_on(disk, &a->create, secret, backup, &err) != RIJN_VOLUME_OK) {
    status = volume_say(a->disks[0], &err);
  } else if (geli && (rijn_write_full(fd, backup, sizeof backup) != 0 || fsync(fd) != 0)) {
    rijn_say_errno("%s: cannot write", name);
    if (a->size == 0)
      rijn_say("%s: has the new volume, but there is no copy of its metadata", a->disks[0]);
    status = RIJN_EXIT_FAILED;
  }
  if (fd >= 0)
    close(fd);
  return status;
}

/* What the new volume will open with. */
struct new_secrets {
  struct volume_pass pass;
  rijn_volume_bytes files[VOLUME_KEY_FILES];
  size_t files_n;
};

static int new_secrets_get(struct new_secrets *s, const struct volume_args *a) {
  int status = volume_key_files(s->files, a);
  if (status != RIJN_EXIT_OK)
    return status;
  s->files_n = a->key_files_n;
  if (a->passphrase_file != NULL || s->files_n == 0 || a->prompt)
    status = volume_new_pass(&s->pass, a, a->passphrase_file);
  return status;
}

static void new_secrets_free(struct new_secrets *s) {
  if (s == NULL)
    return;
  volume_key_files_free(s->files, s->files_n);
  explicit_bzero(s, sizeof *s);
  free(s);
}

/* The disk, a partition of it, and for a detached header the header's own file. *on: where the volume is made. */
static int open_empty(struct volume_args *a, struct volume_job *j, const rijn_volume_disk **on) {
  rijn_volume_error err;
  int r = rijn_volume_disk_open(&j->disk, a->disks[0], false, &err);
  *on = &j->disk;
  if (r == RIJN_VOLUME_OK && a->partition != 0) {
    r = rijn_volume_disk_partition(&j->part, &j->disk, a->partition, &err);
    *on = &j->part;
  }
  if (r == RIJN_VOLUME_OK && a->header != NULL) {
    a->create.data = *on;
    r = rijn_volume_disk_open(&j->header, a->header, false, &err);
    *on = &j->header;
  }
  if (r == RIJN_VOLUME_OK) /* before it is looked at: another could make a volume on it meanwhile */
    r = rijn_volume_disk_claim(*on, &err);
  if (r == RIJN_VOLUME_OK && a->header != NULL)
    r = rijn_volume_disk_claim(a->create.data, &err);
  if (r != RIJN_VOLUME_OK)
    return volume_say(a->disks[0], &err);
  if (a->force)
    return RIJN_EXIT_OK;
  return must_be_empty(*on, a->header != NULL ? a->header : a->disks[0]);
}

/* WHY the secrets before a file is made: whoever changes their mind when asked for one leaves nothing behind. A disk
 * that is there is looked at before that, so that nobody types a passphrase in vain. */
static int create(struct volume_args *a, struct volume_job *j, struct new_secrets *s) {
  enum { DETACHED = 16 << 20 };
  const rijn_volume_disk *on = NULL;
  bool new_disk = a->size != 0, new_header = a->header != NULL && access(a->header, F_OK) != 0;
  int status = RIJN_EXIT_OK;
  if (new_disk && access(a->disks[0], F_OK) == 0)
    return exists_already(a->disks[0]);
  if (!new_disk && access(a->disks[0], F_OK) != 0 && errno == ENOENT) {
    rijn_say("%s: is not there; --size makes a file", a->disks[0]);
    return RIJN_EXIT_FAILED;
  }
  if (!new_disk && !new_header)
    status = open_empty(a, j, &on);
  if (status == RIJN_EXIT_OK)
    status = new_secrets_get(s, a);
  if (status == RIJN_EXIT_OK && new_disk)
    status = make_file(a->disks[0], a->size);
  if (status == RIJN_EXIT_OK && new_header)
    status = make_file(a->header, DETACHED);
  if (status == RIJN_EXIT_OK && on == NULL)
    status = open_empty(a, j, &on);
  if (status != RIJN_EXIT_OK)
    return status;
  rijn_volume_secret secret = {s->pass.given ? s->pass.bytes : NULL, s->pass.len, s->files, s->files_n, -1};
  return create_on(on, a, &secret);
}

int volume_create(struct volume_args *a) {
  struct volume_job j;
  memset(&j, 0, sizeof j);
  if (a->create.format == RIJN_VOLUME_LUKS)
    a->create.format = RIJN_VOLUME_LUKS2;
  if (a->create.format != RIJN_VOLUME_LUKS2 && a->create.format != RIJN_VOLUME_GELI)
    return rijn_usage(a->argv0, "say with --format luks2 or geli what to make");
  if (a->header != NULL && a->create.format == RIJN_VOLUME_GELI)
    return rijn_usage(a->argv0, "--header: GELI has its metadata on the disk");
  a->create.allow_discards = a->options.allow_discards;
  struct new_secrets *s = calloc(1, sizeof *s);
  int status = s != NULL ? create(a, &j, s) : RIJN_EXIT_FAILED;
  new_secrets_free(s);
  volume_close(&j);
  if (status == RIJN_EXIT_OK)
    made_n = 0;
  remove_made();
  return status;
}

/* ---------------------------------------------------------------- key slots */

/* Opens the volume for a change of its slots; *slot is the one that opened. */
static int open_to_change(struct volume_job *j, const struct volume_args *a, int *slot) {
  struct volume_pass *pass = calloc(1, sizeof *pass);
  int status = pass != NULL ? volume_load(j, a, a->disks[0], false) : RIJN_EXIT_FAILED;
  bool loaded = status == RIJN_EXIT_OK;
  if (loaded && rijn_volume_refusal(j->volume)->code != 0)
    status = volume_say(a->disks[0], rijn_volume_refusal(j->volume));
  if (status == RIJN_EXIT_OK)
    status = volume_get_pass(pass, a, a->disks[0], false);
  if (status == RIJN_EXIT_OK)
    status = volume_unlock(j, a, a->disks[0], pass, slot);
  if (pass != NULL)
    explicit_bzero(pass, sizeof *pass);
  free(pass);
  if (loaded && status != RIJN_EXIT_OK)
    volume_close(j);
  return status;
}

static int add(struct volume_job *j, const struct volume_args *a, int *slot) {
  struct volume_pass *pass = calloc(1, sizeof *pass);
  rijn_volume_bytes file = {NULL, 0};
  rijn_volume_error err;
  int status = pass != NULL ? RIJN_EXIT_OK : RIJN_EXIT_FAILED;
  if (status == RIJN_EXIT_OK && a->new_key_file != NULL &&
      rijn_volume_key_file(&file, a->new_key_file, 0, 0, RIJN_VOLUME_LUKS2, &err) != RIJN_VOLUME_OK) {
    rijn_say("%s", err.text);
    status = RIJN_EXIT_FAILED;
  } else if (status == RIJN_EXIT_OK && a->new_key_file == NULL) {
    status = volume_new_pass(pass, a, a->new_passphrase_file);
  }
  rijn_volume_secret secret = {pass != NULL && pass->given ? pass->bytes : NULL, pass != NULL ? pass->len : 0, &file,
                               file.data != NULL, a->new_slot};
  if (status == RIJN_EXIT_OK && rijn_volume_add_key(j->volume, &secret, &a->create.kdf, slot, &err) != RIJN_VOLUME_OK)
    status = volume_say(a->disks[0], &err);
  if (file.data != NULL)
    rijn_volume_key_file_free(&file);
  if (pass != NULL)
    explicit_bzero(pass, sizeof *pass);
  free(pass);
  return status;
}

int volume_add_key(struct volume_args *a) {
  struct volume_job j;
  int slot = -1;
  if (a->new_key_file != NULL && a->new_passphrase_file != NULL)
    return rijn_usage(a->argv0, "--new-key-file and --new-passphrase-file: give one, not both");
  int status = open_to_change(&j, a, &slot);
  if (status != RIJN_EXIT_OK)
    return status;
  status = add(&j, a, &slot);
  if (status == RIJN_EXIT_OK)
    printf("key slot %d\n", slot);
  volume_close(&j);
  return rijn_finish_stdout(status);
}

static int remove_slot(struct volume_job *j, const struct volume_args *a, int slot) {
  rijn_volume_error err;
  if (rijn_volume_remove_key(j->volume, slot, a->yes_last, &err) != RIJN_VOLUME_OK)
    return volume_say(a->disks[0], &err);
  return RIJN_EXIT_OK;
}

int volume_remove_key(struct volume_args *a) {
  struct volume_job j;
  int opened = -1, slot = a->slot;
  if (slot < 0)
    return rijn_usage(a->argv0, "say with --slot N which key slot goes");
  a->slot = -1; /* any slot's key shows that whoever asks may */
  int status = open_to_change(&j, a, &opened);
  if (status != RIJN_EXIT_OK)
    return status;
  status = remove_slot(&j, a, slot);
  volume_close(&j);
  return status;
}

/* WHY the new slot first: at every moment one of the two opens the volume. */
int volume_passwd(struct volume_args *a) {
  struct volume_job j;
  int old = -1, new = -1;
  if (a->new_key_file != NULL && a->new_passphrase_file != NULL)
    return rijn_usage(a->argv0, "--new-key-file and --new-passphrase-file: give one, not both");
  int status = open_to_change(&j, a, &old);
  if (status != RIJN_EXIT_OK)
    return status;
  status = add(&j, a, &new);
  bool added = status == RIJN_EXIT_OK;
  if (added)
    status = remove_slot(&j, a, old);
  if (status == RIJN_EXIT_OK)
    printf("key slot %d, instead of %d\n", new, old);
  else if (added)
    rijn_say("%s: key slot %d has the new key, and key slot %d still has the old one", a->disks[0], new, old);
  volume_close(&j);
  return rijn_finish_stdout(status);
}
