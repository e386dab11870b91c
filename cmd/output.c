/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* An output file appears whole or not at all. */
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

/* ---------------------------------------------------------------- signals
 *
 * While a temporary name stands in the directory, a signal that ends the program removes it first. A file without a
 * name (O_TMPFILE) needs no such care, not even for SIGKILL. */

static int cleanup_dir;
static char cleanup_name[32];

static void remove_name(void) { unlinkat(cleanup_dir, cleanup_name, 0); }

/* With the signals held: one that ends the program may now find this name, or no name any more. */
static void guard_name(const struct rijn_output *o) {
  rijn_signals_tidy(NULL);
  if (o->temp[0] == '\0')
    return;
  cleanup_dir = o->dir;
  memcpy(cleanup_name, o->temp, sizeof cleanup_name);
  rijn_signals_tidy(remove_name);
}

/* ---------------------------------------------------------------- open */

static int new_name(struct rijn_output *o) {
  uint64_t r;
  if (rijn_random(&r, sizeof r) != 0)
    return -1;
  snprintf(o->temp, sizeof o->temp, ".rijn-%016llx", (unsigned long long)r);
  return 0;
}

static int open_unnamed(struct rijn_output *o) {
  int fd = openat(o->dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0)
    return -1;
  /* WHY: without /proc it could never get a name; find out before the work, not after. */
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (access(link, F_OK) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

static int open_named(struct rijn_output *o) {
  sigset_t old;
  rijn_signals_hold(&old);
  int fd = new_name(o);
  if (fd == 0)
    fd = openat(o->dir, o->temp, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    o->temp[0] = '\0';
  int err = errno;
  guard_name(o);
  rijn_signals_release(&old);
  errno = err;
  return fd;
}

static mode_t group_as_others(mode_t mode) { return mode & (~(mode_t)S_IRWXG | (mode & S_IRWXO) << 3); }

int rijn_stat(int fd, const char *path, struct stat *st) {
  static const char acl[] = "system.posix_acl_access";
  if ((fd >= 0 ? fstat(fd, st) : stat(path, st)) != 0)
    return -1;
  /* WHY: st_mode then has, in the group's place, the most that anyone named in the list gets, and the group itself may
   * get nothing. */
  if ((fd >= 0 ? fgetxattr(fd, acl, NULL, 0) : getxattr(path, acl, NULL, 0)) > 0)
    st->st_mode = group_as_others(st->st_mode);
  return 0;
}

bool rijn_same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int refuse_avoided(const char *text, const struct stat *st, const struct rijn_avoid *avoid, size_t avoid_n) {
  if (!S_ISREG(st->st_mode) && !S_ISBLK(st->st_mode))
    return RIJN_EXIT_OK; /* a terminal or /dev/null can well be both */
  for (size_t i = 0; i < avoid_n; i++)
    if (rijn_same_file(st, avoid[i].st)) {
      rijn_say("%s: is %s and the output at once", text, avoid[i].text);
      return RIJN_EXIT_USAGE;
    }
  return RIJN_EXIT_OK;
}

/* A pipe, a terminal, a device: nothing to rename. */
static int open_straight(struct rijn_output *o, const char *target) {
  o->fd = open(target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (o->fd < 0) {
    rijn_say_errno("%s: cannot open for writing", o->text);
    return RIJN_EXIT_FAILED;
  }
  return RIJN_EXIT_OK;
}

/* Does the file system take permissions? WHY before the work: what it says to that is no reason to throw the work
 * away, and whoever wants them kept hears it while there is time. */
static void try_modes(struct rijn_output *o) {
  struct stat st;
  if (fchmod(o->fd, 0600) == 0)
    return;
  o->no_modes = true;
  int err = errno;
  if (fstat(o->fd, &st) == 0 && (st.st_mode & 0777) != o->mode) {
    errno = err;
    rijn_say_errno("warning: %s: keeps the permissions that its file system gives it (%04o)", o->text,
                   (unsigned)(st.st_mode & 0777));
  }
}

/* What was for one pair of eyes stays so: no permission that st does not give. */
static int narrow(struct rijn_output *o, const struct stat *st) {
  struct stat own;
  if (fstat(o->fd, &own) != 0) {
    rijn_say_errno("%s", o->text);
    return RIJN_EXIT_FAILED;
  }
  o->mode &= st->st_mode;
  /* WHY: another group are other people, to whom st gave what it gives to all. */
  if (own.st_gid != st->st_gid)
    o->mode &= group_as_others(st->st_mode);
  return RIJN_EXIT_OK;
}

/* A descriptor that was open when the program began: a copy of it, whose end is not its own. */
static int open_copy(struct rijn_output *o, int fd, const struct rijn_avoid *avoid, size_t avoid_n) {
  struct stat st;
  o->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  bool bad = o->fd < 0 || fstat(o->fd, &st) != 0;
  if (!bad && (fcntl(o->fd, F_GETFL) & O_ACCMODE) == O_RDONLY) {
    errno = EBADF; /* as a write would say */
    bad = true;
  }
  if (bad) {
    rijn_say_errno("%s: cannot write", o->text);
    return RIJN_EXIT_FAILED;
  }
  return refuse_avoided(o->text, &st, avoid, avoid_n);
}

/* old: the file that will be replaced, or NULL. */
static int open_beside(struct rijn_output *o, const char *path, const struct stat *like, const struct stat *old) {
  /* dirname and basename may change what they are given: a copy for each. */
  char *copy = strdup(path), *copy2 = strdup(path);
  int status = RIJN_EXIT_FAILED;
  if (copy != NULL && copy2 != NULL && (o->name = strdup(basename(copy2))) != NULL) {
    const char *folder = dirname(copy);
    o->dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* WHY once more: one that may be written but not listed (mode 1733) is not opened for reading, and it need not be.
     * Only fsync wants more, and does without. */
    if (o->dir < 0 && errno == EACCES)
      o->dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (o->dir >= 0) {
      o->fd = open_unnamed(o);
      if (o->fd < 0)
        o->fd = open_named(o);
      if (o->fd >= 0)
        status = RIJN_EXIT_OK;
    }
    if (status != RIJN_EXIT_OK)
      rijn_say_errno("%s: cannot create a file in this directory", o->text);
  } else {
    rijn_say("out of memory");
  }
  free(copy);
  free(copy2);
  if (status == RIJN_EXIT_OK && S_ISREG(like->st_mode))
    status = narrow(o, like);
  if (status == RIJN_EXIT_OK && old != NULL)
    status = narrow(o, old);
  if (status == RIJN_EXIT_OK)
    try_modes(o);
  return status;
}

int rijn_output_open(struct rijn_output *o, const char *target, bool force, const struct stat *like,
                     const struct rijn_avoid *avoid, size_t avoid_n) {
  mode_t mask = umask(0);
  umask(mask);
  *o = (struct rijn_output){.fd = -1, .dir = -1, .text = target, .force = force};
  o->mode = (S_ISREG(like->st_mode) ? 0777 : 0666) & ~mask;
  struct stat st;
  bool standard = rijn_is_standard(target, STDOUT_FILENO);
  if (standard)
    o->text = "standard output";
  if (standard || rijn_descriptor(target) >= 0)
    return open_copy(o, standard ? STDOUT_FILENO : rijn_descriptor(target), avoid, avoid_n);
  size_t len = strlen(target);
  if (len == 0 || target[len - 1] == '/') {
    rijn_say("'%s': is not the name of a file", target);
    return RIJN_EXIT_USAGE;
  }
  if (rijn_stat(-1, target, &st) != 0) {
    if (errno != ENOENT) {
      rijn_say_errno("%s", target);
      return RIJN_EXIT_FAILED;
    }
    /* WHY: its own name is taken, and nobody can have meant to replace what it points to. */
    if (lstat(target, &st) == 0) {
      rijn_say("%s: is a symbolic link to a file that is not there", target);
      return RIJN_EXIT_FAILED;
    }
    return open_beside(o, target, like, NULL);
  }
  int status = refuse_avoided(target, &st, avoid, avoid_n);
  if (status != RIJN_EXIT_OK)
    return status;
  if (S_ISDIR(st.st_mode)) {
    rijn_say("%s: is a directory", target);
    return RIJN_EXIT_FAILED;
  }
  if ((S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)) && !force) {
    rijn_say("%s: exists already; --force replaces it", target);
    return RIJN_EXIT_FAILED;
  }
  if (!S_ISREG(st.st_mode))
    return open_straight(o, target);
  /* WHY: a symbolic link stays one, and what it points to is replaced. */
  char *real = realpath(target, NULL);
  if (real == NULL) {
    rijn_say_errno("%s", target);
    return RIJN_EXIT_FAILED;
  }
  status = open_beside(o, real, like, &st);
  free(real);
  return status;
}

/* ---------------------------------------------------------------- write, commit, abandon */

int rijn_output_write(struct rijn_output *o, const void *buf, size_t len) {
  if (rijn_write_full(o->fd, buf, len) == 0)
    return RIJN_EXIT_OK;
  rijn_say_errno("%s: cannot write", o->text);
  return RIJN_EXIT_FAILED;
}

static void forget(struct rijn_output *o) {
  if (o->dir >= 0)
    close(o->dir);
  free(o->name);
  o->dir = -1;
  o->name = NULL;
}

/* Gives a file without a name a temporary one. */
static int give_name(struct rijn_output *o) {
  if (o->temp[0] != '\0')
    return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", o->fd);
  if (new_name(o) == 0 && linkat(AT_FDCWD, link, o->dir, o->temp, AT_SYMLINK_FOLLOW) == 0) {
    guard_name(o);
    return 0;
  }
  o->temp[0] = '\0';
  return -1;
}

/* From the temporary name to the target's; a target that came up meanwhile is only replaced by force. */
static int take_name(struct rijn_output *o) {
  if (o->force)
    return renameat(o->dir, o->temp, o->dir, o->name);
  if (renameat2(o->dir, o->temp, o->dir, o->name, RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return -1;
  /* PORT: NFS and others have no RENAME_NOREPLACE; a hard link never replaces either. */
  if (linkat(o->dir, o->temp, o->dir, o->name, 0) == 0)
    return unlinkat(o->dir, o->temp, 0);
  /* PORT: many FUSE file systems have no hard links either. There an empty file takes the name first, if nobody has
   * it, and is replaced. */
  int fd = errno != EEXIST ? openat(o->dir, o->name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) : -1;
  if (fd < 0)
    return -1;
  close(fd);
  if (renameat(o->dir, o->temp, o->dir, o->name) == 0)
    return 0;
  int err = errno;
  unlinkat(o->dir, o->name, 0);
  errno = err;
  return -1;
}

static int close_checked(struct rijn_output *o) {
  int fd = o->fd;
  o->fd = -1;
  return close(fd);
}

int rijn_output_commit(struct rijn_output *o) {
  if (o->dir < 0) {
    /* fsync makes no sense on a pipe, but close can still report a file system that is full. WHY on a disk: what it
     * cannot take shows there, and not in write or close. */
    struct stat st;
    bool disk = fstat(o->fd, &st) == 0 && S_ISBLK(st.st_mode);
    if ((!disk || o->no_sync || fsync(o->fd) == 0) && close_checked(o) == 0)
      return RIJN_EXIT_OK;
    rijn_say_errno("%s: cannot write", o->text);
    rijn_output_abandon(o);
    return RIJN_EXIT_FAILED;
  }
  sigset_t old;
  if ((!o->no_modes && fchmod(o->fd, o->mode) != 0) || (!o->no_sync && fsync(o->fd) != 0)) {
    rijn_say_errno("%s: cannot write", o->text);
    rijn_output_abandon(o);
    return RIJN_EXIT_FAILED;
  }
  rijn_signals_hold(&old);
  int bad = give_name(o) != 0 || close_checked(o) != 0 || take_name(o) != 0;
  if (bad) {
    rijn_say_errno("%s: cannot give the finished file its name", o->text);
  } else {
    o->temp[0] = '\0';
    rijn_signals_tidy(NULL);
    if (!o->no_sync)
      (void)fsync(o->dir); /* some file systems cannot; the data is safe either way */
  }
  rijn_signals_release(&old);
  if (bad)
    rijn_output_abandon(o);
  else
    forget(o);
  return bad ? RIJN_EXIT_FAILED : RIJN_EXIT_OK;
}

void rijn_output_abandon(struct rijn_output *o) {
  if (o->fd >= 0)
    close(o->fd);
  o->fd = -1;
  if (o->temp[0] != '\0') {
    unlinkat(o->dir, o->temp, 0);
    o->temp[0] = '\0';
    rijn_signals_tidy(NULL);
  }
  forget(o);
}
