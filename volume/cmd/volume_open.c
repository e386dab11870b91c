/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Disks, passphrases and key files of rijn volume. */
#include "volume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int volume_say(const char *disk, const rijn_volume_error *err) {
  rijn_say("%s: %s", disk, err->text);
  return RIJN_EXIT_FAILED;
}

/* WHY: whoever made such a header, or changed it, can try passphrases as fast as the hash is. */
static void warn_of_rounds(const rijn_volume *v, const char *disk) {
  enum { FEW = 1000 }; /* the least that cryptsetup makes */
  const rijn_volume_facts *f = rijn_volume_facts_of(v);
  for (size_t i = 0; i < f->slots_n && f->format != RIJN_VOLUME_GELI; i++)
    if (strcmp(f->slots[i].kdf, "pbkdf2") == 0 && f->slots[i].rounds < FEW)
      rijn_say("warning: %s: key slot %d has %llu of PBKDF2's rounds: passphrases are guessed fast", disk,
               f->slots[i].number, (unsigned long long)f->slots[i].rounds);
  if (f->digest_rounds != 0 && f->digest_rounds < FEW)
    rijn_say(
        "warning: %s: the digest of the volume key has %u of PBKDF2's rounds, and cryptsetup makes no less than %d",
        disk, f->digest_rounds, FEW);
}

int volume_load(struct volume_job *j, const struct volume_args *a, const char *disk, bool read_only) {
  rijn_volume_error err;
  rijn_volume_options options = a->options;
  const rijn_volume_disk *on = &j->disk;
  memset(j, 0, sizeof *j);
  options.read_only = options.read_only || read_only;
  if (rijn_volume_disk_open(&j->disk, disk, options.read_only, &err) != RIJN_VOLUME_OK) {
    rijn_say("%s", err.text);
    return RIJN_EXIT_FAILED;
  }
  int r = RIJN_VOLUME_OK;
  if (a->partition != 0) {
    r = rijn_volume_disk_partition(&j->part, &j->disk, a->partition, &err);
    on = &j->part;
  }
  if (r == RIJN_VOLUME_OK && a->header != NULL)
    r = rijn_volume_disk_open(&j->header, a->header, options.read_only, &err);
  if (r == RIJN_VOLUME_OK)
    r = rijn_volume_load(&j->volume, on, a->header != NULL ? &j->header : NULL, &options, &err);
  if (r == RIJN_VOLUME_OK) {
    warn_of_rounds(j->volume, disk);
    if (rijn_volume_facts_of(j->volume)->copies_differ)
      rijn_say("warning: %s: BitLocker's copies of the metadata contradict each other: the volume is read only", disk);
    return RIJN_EXIT_OK;
  }
  volume_say(disk, &err);
  volume_close(j);
  return RIJN_EXIT_FAILED;
}

void volume_close(struct volume_job *j) {
  rijn_volume_close(j->volume);
  rijn_volume_disk_close(&j->header);
  rijn_volume_disk_close(&j->part);
  rijn_volume_disk_close(&j->disk);
  j->volume = NULL;
}

/* ---------------------------------------------------------------- key files */

void volume_key_files_free(rijn_volume_bytes *list, size_t n) {
  for (size_t i = 0; i < n; i++)
    rijn_volume_key_file_free(&list[i]);
}

int volume_key_files(rijn_volume_bytes *list, const struct volume_args *a) {
  rijn_volume_error err;
  for (size_t i = 0; i < a->key_files_n; i++)
    if (rijn_volume_key_file(&list[i], a->key_files[i], a->keyfile_offset, a->keyfile_size, a->options.format, &err) !=
        RIJN_VOLUME_OK) {
      rijn_say("%s", err.text);
      volume_key_files_free(list, i);
      return RIJN_EXIT_FAILED;
    }
  return RIJN_EXIT_OK;
}

int volume_unlock(struct volume_job *j, const struct volume_args *a, const char *disk, const struct volume_pass *pass,
                  int *slot) {
  rijn_volume_bytes files[VOLUME_KEY_FILES];
  rijn_volume_error err;
  if (rijn_volume_refusal(j->volume)->code != 0) /* before anything secret is read */
    return volume_say(disk, rijn_volume_refusal(j->volume));
  int status = volume_key_files(files, a);
  if (status != RIJN_EXIT_OK)
    return status;
  rijn_volume_secret secret = {pass->given ? pass->bytes : NULL, pass->len, files, a->key_files_n, a->slot};
  (void)rijn_volume_lock(j->volume); /* a limit of the user's may forbid it */
  if (rijn_volume_unlock(j->volume, &secret, slot, &err) != RIJN_VOLUME_OK) {
    const rijn_volume_facts *f = rijn_volume_facts_of(j->volume);
    bool both = f->format == RIJN_VOLUME_VERACRYPT || (f->format == RIJN_VOLUME_GELI && f->rounds >= 0);
    status = volume_say(disk, &err);
    if (err.code == RIJN_VOLUME_EKEY && both && !pass->given)
      rijn_say("%s: a passphrase may belong to the key file: --prompt asks for it", disk);
  }
  volume_key_files_free(files, a->key_files_n);
  return status;
}

/* ---------------------------------------------------------------- passphrases */

/* One line of fd without its end: its length, or -1. */
static ssize_t read_line(int fd, char *to, size_t room) {
  size_t n = 0;
  for (;;) {
    char c;
    ssize_t got = read(fd, &c, 1);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -1;
    if (got == 0 || c == '\n')
      return (ssize_t)n;
    if (n == room)
      return (ssize_t)n + 1; /* it is longer */
    to[n++] = c;
  }
}

/* What read_line or rijn_ask has answered. */
static int take_line(struct volume_pass *pass, ssize_t n, const char *from) {
  bool good = n >= 0 && (size_t)n <= sizeof pass->bytes;
  if (n > 0 && !good)
    rijn_say("%s: the first line is longer than a passphrase can be (%zu bytes)", from, sizeof pass->bytes);
  pass->len = good ? (size_t)n : 0;
  pass->given = good;
  return good ? RIJN_EXIT_OK : RIJN_EXIT_FAILED;
}

static int ask(struct volume_pass *pass, const char *text, const char *what) {
  ssize_t n = rijn_ask(text, what, pass->bytes, sizeof pass->bytes);
  if (n < 0)
    rijn_say_errno("no passphrase from a terminal; --passphrase-file and --key-file need none");
  return take_line(pass, n, "terminal");
}

static int from_file(struct volume_pass *pass, const char *file) {
  int fd = rijn_is_standard(file, 0) ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  ssize_t n = fd >= 0 ? read_line(fd, pass->bytes, sizeof pass->bytes) : -1;
  if (n < 0)
    rijn_say_errno("passphrase: %s", file);
  if (fd > STDIN_FILENO)
    close(fd);
  return take_line(pass, n, file);
}

int volume_get_pass(struct volume_pass *pass, const struct volume_args *a, const char *what, bool not_needed) {
  memset(pass, 0, sizeof *pass);
  if (a->passphrase_file != NULL)
    return from_file(pass, a->passphrase_file);
  if ((a->key_files_n > 0 || not_needed) && !a->prompt)
    return RIJN_EXIT_OK;
  return ask(pass, "Passphrase of ", what);
}

int volume_new_pass(struct volume_pass *pass, const struct volume_args *a, const char *file) {
  struct volume_pass *again = calloc(1, sizeof *again);
  memset(pass, 0, sizeof *pass);
  (void)a;
  int status = again != NULL ? RIJN_EXIT_OK : RIJN_EXIT_FAILED;
  if (status == RIJN_EXIT_OK && file != NULL)
    status = from_file(pass, file);
  else if (status == RIJN_EXIT_OK) {
    status = ask(pass, "New passphrase", "");
    if (status == RIJN_EXIT_OK)
      status = ask(again, "The same again", "");
    if (status == RIJN_EXIT_OK && (pass->len != again->len || memcmp(pass->bytes, again->bytes, pass->len) != 0)) {
      rijn_say("the two passphrases differ");
      status = RIJN_EXIT_FAILED;
    }
  }
  if (again != NULL)
    explicit_bzero(again, sizeof *again);
  free(again);
  return status;
}
