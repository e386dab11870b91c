/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What the files of rijn volume share. */
#ifndef RIJN_CMD_VOLUME_H
#define RIJN_CMD_VOLUME_H

#include "cmd.h"

#include <rijn-volume.h>

int rijn_cmd_volume(int argc, char **argv);

enum { VOLUME_KEY_FILES = 128, VOLUME_PASSPHRASE = 4096 };

/* The command line of all subcommands. */
struct volume_args {
  const char *argv0;
  char **disks;
  int disks_n;
  const char *header, *passphrase_file, *new_passphrase_file, *new_key_file;
  const char *key_files[VOLUME_KEY_FILES];
  size_t key_files_n;
  uint64_t keyfile_offset, keyfile_size;
  bool prompt, force, json, yes_last;
  unsigned partition; /* 0: none */
  int slot, new_slot; /* -1: none named */
  rijn_volume_options options;
  const char *file; /* --output, --input */
  uint64_t offset, length;
  bool have_length;
  uint64_t size; /* of a file to be made */
  rijn_volume_create create;
  const char *backup, *socket, *plugin;
};

/* A passphrase, or none. */
struct volume_pass {
  char bytes[VOLUME_PASSPHRASE];
  size_t len;
  bool given;
};

/* One opened volume with its disks. */
struct volume_job {
  rijn_volume_disk disk, part, header;
  rijn_volume *volume;
};

/* ---------------------------------------------------------------- volume_open.c: answers are exit statuses */

/* As in the command's other messages, of an error about a disk. */
int volume_say(const char *disk, const rijn_volume_error *err);
/* The disk, or the partition in it, and the header; then the header is read. */
int volume_load(struct volume_job *j, const struct volume_args *a, const char *disk, bool read_only);
int volume_unlock(struct volume_job *j, const struct volume_args *a, const char *disk, const struct volume_pass *pass,
                  int *slot);
void volume_close(struct volume_job *j);
/* The passphrase that unlocks: of a file or the terminal, or none where key files do it, or it is not needed. */
int volume_get_pass(struct volume_pass *pass, const struct volume_args *a, const char *what, bool not_needed);
/* A new one: of that file, or twice from the terminal. */
int volume_new_pass(struct volume_pass *pass, const struct volume_args *a, const char *file);
/* Key files in their order. Frees what it has read when it fails. */
int volume_key_files(rijn_volume_bytes *list, const struct volume_args *a);
void volume_key_files_free(rijn_volume_bytes *list, size_t n);

/* ---------------------------------------------------------------- volume_close.c */

/* The name of the disk's socket, into PATH_MAX bytes. */
int volume_socket(char *to, const struct volume_args *a, const char *disk);
/* Can a server begin there? What one that was killed has left is removed. */
int volume_socket_free(const char *path);
/* Ends the server there; force: though it has clients. */
int volume_stop(const char *path, bool force);

/* ---------------------------------------------------------------- subcommands: answer an exit status */

int volume_info(struct volume_args *a);
int volume_read(struct volume_args *a);
int volume_write(struct volume_args *a);
int volume_serve(struct volume_args *a);
int volume_close_command(struct volume_args *a);
int volume_create(struct volume_args *a);
int volume_add_key(struct volume_args *a);
int volume_remove_key(struct volume_args *a);
int volume_passwd(struct volume_args *a);
int volume_bench(struct volume_args *a);

#endif
