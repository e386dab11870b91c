/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Who uses a disk: where it is mounted, and which process has it open. For messages; what cannot be seen is left
 * out. */
#include "internal.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* ---------------------------------------------------------------- devices */

/* Where the device of that number is mounted: false, if it is not. */
static bool mounted(unsigned major_no, unsigned minor_no, char *text, size_t room) {
  FILE *f = fopen("/proc/self/mountinfo", "re");
  bool found = false;
  for (char line[4096]; !found && f != NULL && fgets(line, sizeof line, f) != NULL;) {
    unsigned a, b;
    char place[2048];
    found = sscanf(line, "%*u %*u %u:%u %*s %2047s", &a, &b, place) == 3 && a == major_no && b == minor_no;
    if (found)
      snprintf(text, room, "it is mounted on %.150s", place);
  }
  if (f != NULL)
    fclose(f);
  return found;
}

/* The device itself, or one of its partitions. */
static bool mounted_device(dev_t device, char *text, size_t room) {
  char name[400];
  bool found = mounted(major(device), minor(device), text, room);
  snprintf(name, sizeof name, "/sys/dev/block/%u:%u", major(device), minor(device));
  DIR *d = opendir(name);
  for (struct dirent *e; !found && d != NULL && (e = readdir(d)) != NULL;) {
    unsigned a, b;
    snprintf(name, sizeof name, "/sys/dev/block/%u:%u/%.255s/dev", major(device), minor(device), e->d_name);
    FILE *f = e->d_name[0] != '.' ? fopen(name, "re") : NULL;
    found = f != NULL && fscanf(f, "%u:%u", &a, &b) == 2 && mounted(a, b, text, room);
    if (f != NULL)
      fclose(f);
  }
  if (d != NULL)
    closedir(d);
  return found;
}

/* A device that is made of this one, as of dm-crypt. */
static bool held(dev_t device, char *text, size_t room) {
  char name[80];
  bool found = false;
  snprintf(name, sizeof name, "/sys/dev/block/%u:%u/holders", major(device), minor(device));
  DIR *d = opendir(name);
  for (struct dirent *e; !found && d != NULL && (e = readdir(d)) != NULL;) {
    found = e->d_name[0] != '.';
    if (found)
      snprintf(text, room, "/dev/%.100s is made of it", e->d_name);
  }
  if (d != NULL)
    closedir(d);
  return found;
}

/* The loop device that shows this file; in name, without /dev/. */
static bool find_loop(const struct stat *st, char *name, size_t room) {
  bool found = false;
  DIR *d = opendir("/sys/block");
  for (struct dirent *e; !found && d != NULL && (e = readdir(d)) != NULL;) {
    char path[400], file[4096];
    struct stat other;
    snprintf(path, sizeof path, "/sys/block/%.255s/loop/backing_file", e->d_name);
    FILE *f = strncmp(e->d_name, "loop", 4) == 0 ? fopen(path, "re") : NULL;
    if (f != NULL && fgets(file, sizeof file, f) != NULL) {
      file[strcspn(file, "\n")] = '\0';
      found = stat(file, &other) == 0 && other.st_dev == st->st_dev && other.st_ino == st->st_ino;
      snprintf(name, room, "%.60s", e->d_name);
    }
    if (f != NULL)
      fclose(f);
  }
  if (d != NULL)
    closedir(d);
  return found;
}

bool rijnv_loop_of(const struct stat *st) {
  char name[64];
  return find_loop(st, name, sizeof name);
}

/* ---------------------------------------------------------------- processes */

/* Does the open file fd of that process hold a lock? */
static bool has_lock(const char *process, const char *fd) {
  char name[600];
  bool found = false;
  snprintf(name, sizeof name, "/proc/%.255s/fdinfo/%.255s", process, fd);
  FILE *f = fopen(name, "re");
  for (char line[256]; !found && f != NULL && fgets(line, sizeof line, f) != NULL;)
    found = strncmp(line, "lock:", 5) == 0;
  if (f != NULL)
    fclose(f);
  return found;
}

/* Of a file, the process that has locked it; of a device, one that has it open. */
static bool process_has(const char *process, const struct stat *st) {
  char name[300];
  bool found = false;
  snprintf(name, sizeof name, "/proc/%.255s/fd", process);
  DIR *d = opendir(name);
  for (struct dirent *e; !found && d != NULL && (e = readdir(d)) != NULL;) {
    struct stat open_file;
    if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &open_file, 0) != 0)
      continue;
    found = S_ISBLK(st->st_mode)
                ? S_ISBLK(open_file.st_mode) && open_file.st_rdev == st->st_rdev
                : open_file.st_dev == st->st_dev && open_file.st_ino == st->st_ino && has_lock(process, e->d_name);
  }
  if (d != NULL)
    closedir(d);
  return found;
}

static bool find_process(const struct stat *st, char *text, size_t room) {
  bool found = false;
  DIR *d = opendir("/proc");
  for (struct dirent *e; !found && d != NULL && (e = readdir(d)) != NULL;) {
    if (!isdigit((unsigned char)e->d_name[0]) || atoi(e->d_name) == (int)getpid() || !process_has(e->d_name, st))
      continue;
    char path[300], name[64] = "";
    found = true;
    snprintf(path, sizeof path, "/proc/%.255s/comm", e->d_name);
    FILE *f = fopen(path, "re");
    if (f != NULL && fgets(name, sizeof name, f) != NULL)
      name[strcspn(name, "\n")] = '\0';
    if (f != NULL)
      fclose(f);
    snprintf(text, room, "process %.20s (%s) has it", e->d_name, name);
  }
  if (d != NULL)
    closedir(d);
  return found;
}

void rijnv_user_of(const struct stat *st, char *text, size_t room) {
  char loop[64];
  text[0] = '\0';
  if (S_ISBLK(st->st_mode) && (mounted_device(st->st_rdev, text, room) || held(st->st_rdev, text, room)))
    return;
  if (!S_ISBLK(st->st_mode) && find_loop(st, loop, sizeof loop)) {
    snprintf(text, room, "/dev/%s shows it", loop);
    return;
  }
  if (!find_process(st, text, room))
    text[0] = '\0';
}
