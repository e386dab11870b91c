/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn openssl-check --enable and --disable: which files are meant, and which of them may be named or written. */
#include "cmd.h"
#include "openssl.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool rijn_ossl_plain_path(const char *path) {
  for (const char *p = path; *p != '\0'; p++)
    if ((unsigned char)*p < 0x21 || *p == 0x7f || strchr("\"'\\$#%=;", *p) != NULL)
      return false;
  return true;
}

int rijn_ossl_installed(char *path, size_t size, const char *from_bin, const char *from_build, const char *option) {
  /* WHY the build's last: a folder of a build can belong to anyone. */
  const char *const places[] = {from_bin, from_build};
  char self[PATH_MAX], joined[2 * PATH_MAX], real[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  bool found = false;
  self[n > 0 ? n : 0] = '\0';
  const char *folder = dirname(self);
  for (size_t i = 0; n > 0 && !found && i < sizeof places / sizeof places[0]; i++) {
    snprintf(joined, sizeof joined, "%s/%s", folder, places[i]);
    found = realpath(joined, real) != NULL && strlen(real) < size;
  }
  if (!found) {
    const char *base = strrchr(from_bin, '/');
    rijn_say("there is no %s where it is installed with this command: %s names it", base != NULL ? base + 1 : from_bin,
             option);
    return RIJN_EXIT_FAILED;
  }
  if (!rijn_ossl_plain_path(real)) {
    rijn_say("%s: its path has characters that mean something in a configuration. %s names another", real, option);
    return RIJN_EXIT_FAILED;
  }
  strcpy(path, real);
  return RIJN_EXIT_OK;
}

/* Can another user than root and the caller put something else in the place of this one file or folder? */
static bool others_change(const char *path) {
  struct stat st;
  if (stat(path, &st) != 0)
    return true;
  /* WHY the sticky bit: in such a folder (/tmp) nobody renames what is another's. */
  bool sticky = S_ISDIR(st.st_mode) && (st.st_mode & S_ISVTX) != 0;
  return (st.st_uid != 0 && st.st_uid != geteuid()) || ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !sticky);
}

bool rijn_ossl_safe(const char *path) {
  char part[PATH_MAX];
  bool safe = strlen(path) < sizeof part && !others_change(path) && !others_change("/");
  for (const char *p = path; safe && (p = strchr(p + 1, '/')) != NULL;) {
    snprintf(part, sizeof part, "%.*s", (int)(p - path), path);
    safe = !others_change(part);
  }
  return safe;
}

bool rijn_ossl_inside(const char *root, const char *path) {
  char real_root[PATH_MAX], real[PATH_MAX], part[2 * PATH_MAX];
  struct stat st;
  if (root[0] == '\0')
    return true;
  bool ok = realpath(root, real_root) != NULL;
  snprintf(part, sizeof part, "%s", path);
  /* What is not there yet is made in the deepest folder that is. */
  while (ok && realpath(part, real) == NULL) {
    char *last = strrchr(part, '/');
    /* WHY lstat: a link to what is not there leads out as well. */
    ok = last != NULL && last != part && errno == ENOENT && lstat(part, &st) != 0;
    if (ok)
      *last = '\0';
  }
  size_t n = ok ? strlen(real_root) : 0;
  if (ok && (n == 1 || (strncmp(real, real_root, n) == 0 && (real[n] == '/' || real[n] == '\0'))))
    return true;
  rijn_say("%s: leads out of the folder of --root. Nothing was written", path);
  return false;
}
