/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What nbdkit's plugin and filter share: their parameters, and the volume that they open by them. A program of nbdkit
 * has one of either, so all of it is one object. */
#ifndef RIJN_NBDKIT_CONFIG_H
#define RIJN_NBDKIT_CONFIG_H

#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>
#include <rijn-volume.h>

struct rijnv_nbd {
  rijn_volume_options options;
  char *header, *passphrase;
  char *key_files[128];
  size_t key_files_n;
  unsigned partition;
  uint64_t keyfile_offset, keyfile_size;
  int slot;
  rijn_volume_disk part, header_disk;
  rijn_volume *volume;
};
extern struct rijnv_nbd rijnv_nbd;

/* 1: a parameter of this plugin, taken. 0: not one. -1: one with a bad value, which nbdkit_error has been told. */
int rijnv_nbd_config(const char *key, const char *value);
/* Opens the volume on disk, which must outlive it, and forgets passphrase and key files. 0 or -1. */
int rijnv_nbd_unlock(const rijn_volume_disk *disk);
void rijnv_nbd_close(void);
/* Answers of calls about data: 0, or -1 with nbdkit told. */
int rijnv_nbd_answer(int no, const char *what);

#define RIJNV_NBD_HELP                                                                                                 \
  "passphrase=STRING|-|+FILE|-FD  the passphrase; never write it on the command line\n"                                \
  "key-file=FILE                  a key file; repeat it for GELI, in order\n"                                          \
  "keyfile-offset=N, keyfile-size=N\n"                                                                                 \
  "header=FILE                    detached LUKS header, or a backup of GELI's metadata\n"                              \
  "partition=N                    this partition of the disk\n"                                                        \
  "slot=N                         only this key slot\n"                                                                \
  "format=NAME                    luks, luks1, luks2, geli, bitlocker, veracrypt: what is looked for\n"                \
  "pim=N, hash=NAME               VeraCrypt: the volume's PIM; only this hash\n"                                       \
  "no-hidden=true                 VeraCrypt: write an outer volume: it hides no other one\n"                           \
  "provider-sector=512|4096       GELI: sectors of the disk that it was made on\n"                                     \
  "allow-discards=true            pass trim down\n"                                                                    \
  "read-only=true                 refuse writes\n"                                                                     \
  "limit-memory=MIB, limit-rounds=N"

#endif
