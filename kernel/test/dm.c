/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* A disk of device-mapper's, for the guests of kernel/test on all architectures, where there is no dmsetup.
 *     dm create NAME SECTORS TYPE PARAMETERS    and /dev/mapper/NAME; from its sector 0 on
 *     dm remove NAME */
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static union {
  struct dm_ioctl io;
  char bytes[4096];
} m;

static void begin(const char *name) {
  memset(&m, 0, sizeof m);
  m.io.version[0] = DM_VERSION_MAJOR;
  m.io.data_size = sizeof m;
  m.io.data_start = sizeof m.io;
  snprintf(m.io.name, sizeof m.io.name, "%s", name);
}

static void call(int fd, unsigned long what, const char *text) {
  if (ioctl(fd, what, &m) == 0)
    return;
  perror(text);
  exit(1);
}

int main(int argc, char **argv) {
  char path[64];
  int fd = open("/dev/mapper/control", O_RDWR);
  if (fd < 0 || argc < 3)
    return 1;
  snprintf(path, sizeof path, "/dev/mapper/%s", argv[2]);
  begin(argv[2]);
  if (argc == 3) {
    call(fd, DM_DEV_REMOVE, "dm remove");
    return unlink(path) != 0;
  }
  call(fd, DM_DEV_CREATE, "dm create");
  const unsigned long long dev = m.io.dev;
  begin(argv[2]);
  m.io.target_count = 1;
  struct dm_target_spec spec = {.length = strtoull(argv[3], NULL, 10)};
  snprintf(spec.target_type, sizeof spec.target_type, "%s", argv[4]);
  memcpy(m.bytes + sizeof m.io, &spec, sizeof spec);
  snprintf(m.bytes + sizeof m.io + sizeof spec, sizeof m - sizeof m.io - sizeof spec, "%s", argv[5]);
  call(fd, DM_TABLE_LOAD, "dm load");
  begin(argv[2]);
  call(fd, DM_DEV_SUSPEND, "dm resume"); /* without the flag that it suspends */
  return mknod(path, S_IFBLK | 0600, makedev((dev >> 8) & 0xfff, (dev & 0xff) | ((dev >> 12) & 0xfff00))) != 0;
}
