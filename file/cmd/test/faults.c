/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Preloaded into the command: makes single system calls fail as some file systems and disks do. RIJN_FAULT lists which:
 * tmpfile (no O_TMPFILE), create (no other new file), norename (no RENAME_NOREPLACE), nolink (no hard links), rename,
 * reserve (no space to be reserved), noreserve (a file system that cannot), chmod (permissions cannot be set), fsync,
 * close (of what was written), read (the second large one), zero (a write that takes nothing), space (the disk is full
 * after 300000 bytes), broken (the disk fails there), getrandom; and short,
 * which is no fault: reads, writes and random bytes come in pieces, each third call is interrupted, and the random
 * bytes are 0, 1, 2 and so on. slow: each large read takes 20 ms. pause: the second large
 * one waits while there is a file RIJN_FAULT_MARK, which it makes. acl: every file has an access list; block: a
 * character device looks like a disk once it is open; dirsync: says that a folder is synchronised; setuid: variables
 * are read as in a setuid program; log: what is written, synchronised and named goes to the file RIJN_FAULT_LOG.
 * crypto: /proc/crypto is the file RIJN_FAULT_CRYPTO. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

static int wanted(const char *fault) {
  const char *list = getenv("RIJN_FAULT");
  size_t n = strlen(fault);
  for (const char *p = list; p != NULL && *p != '\0'; p += strcspn(p, ","), p += *p == ',')
    if (strncmp(p, fault, n) == 0 && (p[n] == '\0' || p[n] == ','))
      return 1;
  return 0;
}

static void *next(const char *name) {
  void *f = dlsym(RTLD_NEXT, name);
  if (f == NULL)
    abort();
  return f;
}

/* One entry of the log: kind, inode, position, length. w written, t its length set, e asked to be on its way
 * to the disk, f synchronised, n given a name that is not temporary. */
static void note(char kind, int fd, uint64_t at, uint64_t len) {
  struct stat st;
  const char *file = getenv("RIJN_FAULT_LOG");
  if (!wanted("log") || file == NULL || syscall(SYS_fstat, fd, &st) != 0 || S_ISCHR(st.st_mode))
    return;
  uint64_t entry[4] = {(unsigned char)kind, st.st_ino, at, len};
  int to = (int)syscall(SYS_open, file, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (syscall(SYS_write, to, entry, sizeof entry) != (long)sizeof entry)
    abort();
  syscall(SYS_close, to);
}

/* openat, and openat64: what it is called where off_t was made wide. */
#define OPENAT(name)                                                                                                   \
  int name(int dir, const char *path, int flags, ...) {                                                                \
    va_list ap;                                                                                                        \
    va_start(ap, flags);                                                                                               \
    mode_t mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(ap, mode_t) : 0;                 \
    va_end(ap);                                                                                                        \
    if ((flags & O_TMPFILE) == O_TMPFILE && wanted("tmpfile")) {                                                       \
      errno = EOPNOTSUPP;                                                                                              \
      return -1;                                                                                                       \
    }                                                                                                                  \
    if ((flags & O_CREAT) != 0 && wanted("create")) {                                                                  \
      errno = EACCES;                                                                                                  \
      return -1;                                                                                                       \
    }                                                                                                                  \
    int (*f)(int, const char *, int, ...);                                                                             \
    *(void **)&f = next(#name);                                                                                        \
    return f(dir, path, flags, mode);                                                                                  \
  }
OPENAT(openat)
OPENAT(openat64)

/* Bytes that a call may take of len, or 0 for an interrupted one. */
static size_t piece(size_t len) {
  static unsigned calls;
  if (!wanted("short"))
    return len;
  if (++calls % 3 == 0) {
    errno = EINTR;
    return 0;
  }
  return len < 20 ? len : len < 1000 ? 20 : 1000;
}

/* The disk is at its end: nothing more is taken. */
static int disk_ends(size_t len) {
  static atomic_size_t written;
  if ((!wanted("space") && !wanted("broken")) || atomic_fetch_add(&written, len) + len <= 300000)
    return 0;
  errno = wanted("space") ? ENOSPC : EIO;
  return 1;
}

ssize_t read(int fd, void *buf, size_t len) {
  static unsigned large;
  size_t n = piece(len);
  if (n == 0 && len != 0)
    return -1;
  if (wanted("read") && len > 20000 && ++large == 2) {
    errno = EIO;
    return -1;
  }
  ssize_t (*f)(int, void *, size_t);
  *(void **)&f = next("read");
  return f(fd, buf, n);
}

ssize_t write(int fd, const void *buf, size_t len) {
  size_t n = piece(len);
  if (wanted("zero"))
    return 0;
  if ((n == 0 && len != 0) || (fd > STDERR_FILENO && disk_ends(n)))
    return -1;
  ssize_t (*f)(int, const void *, size_t);
  *(void **)&f = next("write");
  off_t at = wanted("log") ? lseek(fd, 0, SEEK_CUR) : 0;
  ssize_t w = f(fd, buf, n);
  if (w > 0 && at >= 0)
    note('w', fd, (uint64_t)at, (uint64_t)w);
  return w;
}

/* The calls that take a place; pread64 is what one is called where off_t was made wide. */
/* The work stands still here until the test has removed the mark. */
static void pause_once(void) {
  static atomic_int reads;
  const char *mark = getenv("RIJN_FAULT_MARK");
  if (atomic_fetch_add(&reads, 1) != 1 || mark == NULL)
    return;
  close(open(mark, O_WRONLY | O_CREAT, 0600));
  while (access(mark, F_OK) == 0)
    usleep(1000);
}

#define PREAD(name)                                                                                                    \
  ssize_t name(int fd, void *buf, size_t len, off_t at) {                                                              \
    static unsigned large;                                                                                             \
    size_t n = piece(len);                                                                                             \
    if (n == 0 && len != 0)                                                                                            \
      return -1;                                                                                                       \
    if (wanted("read") && len > 20000 && ++large == 2) {                                                               \
      errno = EIO;                                                                                                     \
      return -1;                                                                                                       \
    }                                                                                                                  \
    ssize_t (*f)(int, void *, size_t, off_t);                                                                          \
    *(void **)&f = next(#name);                                                                                        \
    if (wanted("slow") && len > 20000)                                                                                 \
      usleep(20000);                                                                                                   \
    if (wanted("pause") && len > 20000)                                                                                \
      pause_once();                                                                                                    \
    return f(fd, buf, n, at);                                                                                          \
  }
PREAD(pread)
PREAD(pread64)

#define PWRITE(name)                                                                                                   \
  ssize_t name(int fd, const void *buf, size_t len, off_t at) {                                                        \
    size_t n = piece(len);                                                                                             \
    if (wanted("zero"))                                                                                                \
      return 0;                                                                                                        \
    if ((n == 0 && len != 0) || disk_ends(n))                                                                          \
      return -1;                                                                                                       \
    ssize_t (*f)(int, const void *, size_t, off_t);                                                                    \
    *(void **)&f = next(#name);                                                                                        \
    ssize_t w = f(fd, buf, n, at);                                                                                     \
    if (w > 0)                                                                                                         \
      note('w', fd, (uint64_t)at, (uint64_t)w);                                                                        \
    return w;                                                                                                          \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

/* Space that is asked for before the work: none (reserve), or a file system that cannot say (noreserve). */
#define FALLOCATE(name)                                                                                                \
  int name(int fd, int mode, off_t at, off_t len) {                                                                    \
    if (wanted("reserve") || wanted("noreserve")) {                                                                    \
      errno = wanted("reserve") ? ENOSPC : EOPNOTSUPP;                                                                 \
      return -1;                                                                                                       \
    }                                                                                                                  \
    int (*f)(int, int, off_t, off_t);                                                                                  \
    *(void **)&f = next(#name);                                                                                        \
    return f(fd, mode, at, len);                                                                                       \
  }
FALLOCATE(fallocate)
FALLOCATE(fallocate64)

/* WHY not a real one: only root can mount one, and not everywhere. */
int fchmod(int fd, mode_t mode) {
  if (wanted("chmod")) {
    errno = EPERM;
    return -1;
  }
  int (*f)(int, mode_t);
  *(void **)&f = next("fchmod");
  return f(fd, mode);
}

#define FTRUNCATE(name)                                                                                                \
  int name(int fd, off_t len) {                                                                                        \
    int (*f)(int, off_t);                                                                                              \
    *(void **)&f = next(#name);                                                                                        \
    note('t', fd, (uint64_t)len, 0);                                                                                   \
    return f(fd, len);                                                                                                 \
  }
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

/* A file that was renamed: looked at by its new name. */
static void note_name(int dir, const char *name) {
  int fd = wanted("log") ? (int)syscall(SYS_openat, dir, name, O_RDONLY) : -1;
  if (fd >= 0) {
    note('n', fd, 0, 0);
    syscall(SYS_close, fd);
  }
}

int fsync(int fd) {
  if (wanted("fsync")) {
    errno = EIO;
    return -1;
  }
  struct stat st;
  if (wanted("dirsync") && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
    fputs("a folder is synchronised\n", stderr);
  int (*f)(int);
  *(void **)&f = next("fsync");
  int r = f(fd);
  note('f', fd, 0, 0);
  return r;
}

int sync_file_range(int fd, off64_t at, off64_t len, unsigned flags) {
  int (*f)(int, off64_t, off64_t, unsigned);
  *(void **)&f = next("sync_file_range");
  note('e', fd, (uint64_t)at, (uint64_t)len);
  return f(fd, at, len, flags);
}

/* WHY not a real one: only root can make a disk of a file, and not everywhere. */
#define FSTAT(name, type)                                                                                              \
  int name(int fd, struct type *st) {                                                                                  \
    int (*f)(int, struct type *);                                                                                      \
    *(void **)&f = next(#name);                                                                                        \
    int r = f(fd, st);                                                                                                 \
    if (r == 0 && wanted("block") && S_ISCHR(st->st_mode))                                                             \
      st->st_mode = (st->st_mode & ~(mode_t)S_IFMT) | S_IFBLK;                                                         \
    return r;                                                                                                          \
  }
FSTAT(fstat, stat)
FSTAT(fstat64, stat64)

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags) {
  if (wanted("norename") || wanted("rename")) {
    errno = wanted("norename") ? EINVAL : EIO;
    return -1;
  }
  int (*f)(int, const char *, int, const char *, unsigned);
  *(void **)&f = next("renameat2");
  int r = f(from_dir, from, to_dir, to, flags);
  if (r == 0)
    note_name(to_dir, to);
  return r;
}

int renameat(int from_dir, const char *from, int to_dir, const char *to) {
  if (wanted("rename")) {
    errno = EIO;
    return -1;
  }
  int (*f)(int, const char *, int, const char *);
  *(void **)&f = next("renameat");
  int r = f(from_dir, from, to_dir, to);
  if (r == 0)
    note_name(to_dir, to);
  return r;
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags) {
  if (wanted("nolink")) {
    errno = EPERM;
    return -1;
  }
  int (*f)(int, const char *, int, const char *, int);
  *(void **)&f = next("linkat");
  return f(from_dir, from, to_dir, to, flags);
}

/* WHY not a real one: not every file system that a test meets has them. */
#define GETXATTR(name, of)                                                                                             \
  ssize_t name(of, const char *attribute, void *value, size_t size) {                                                  \
    (void)file, (void)value, (void)size;                                                                               \
    if (wanted("acl") && strcmp(attribute, "system.posix_acl_access") == 0)                                            \
      return 44;                                                                                                       \
    errno = ENODATA;                                                                                                   \
    return -1;                                                                                                         \
  }
GETXATTR(getxattr, const char *file)
GETXATTR(fgetxattr, int file)

/* WHY not a real one: only root can make a setuid program of another, and not everywhere. */
char *secure_getenv(const char *name) { return wanted("setuid") ? NULL : getenv(name); }

int close(int fd) {
  int mode = fcntl(fd, F_GETFL), written = mode >= 0 && (mode & O_ACCMODE) == O_WRONLY;
  int (*f)(int);
  *(void **)&f = next("close");
  int result = f(fd);
  if (!written || !wanted("close"))
    return result;
  errno = EIO;
  return -1;
}

ssize_t getrandom(void *buf, size_t len, unsigned flags) {
  if (wanted("getrandom")) {
    errno = ENOSYS;
    return -1;
  }
  if (wanted("short")) {
    static unsigned char number;
    size_t n = piece(len);
    for (size_t i = 0; i < n; i++)
      ((unsigned char *)buf)[i] = number++;
    return n == 0 && len != 0 ? -1 : (ssize_t)n;
  }
  ssize_t (*f)(void *, size_t, unsigned);
  *(void **)&f = next("getrandom");
  return f(buf, len, flags);
}

/* Programs for files of any size call the second. */
static const char *crypto_name(const char *path) {
  return wanted("crypto") && strcmp(path, "/proc/crypto") == 0 ? getenv("RIJN_FAULT_CRYPTO") : path;
}
FILE *fopen(const char *path, const char *mode) {
  FILE *(*real)(const char *, const char *) = (FILE * (*)(const char *, const char *)) next("fopen");
  return real(crypto_name(path), mode);
}
FILE *fopen64(const char *path, const char *mode) {
  FILE *(*real)(const char *, const char *) = (FILE * (*)(const char *, const char *)) next("fopen64");
  return real(crypto_name(path), mode);
}
