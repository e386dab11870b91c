/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Whole reads and writes, random bytes. */
#include "cmd.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

int rijn_descriptor(const char *name) {
  static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  for (int fd = 0; fd < 3; fd++)
    if (strcmp(name, names[fd]) == 0)
      return fd;
  for (size_t i = 0; i < 2; i++) {
    size_t n = strlen(folders[i]), digits = strncmp(name, folders[i], n) == 0 ? strspn(name + n, "0123456789") : 0;
    if (digits > 0 && digits < 9 && name[n + digits] == '\0')
      return atoi(name + n);
  }
  return -1;
}

bool rijn_is_standard(const char *name, int fd) { return strcmp(name, "-") == 0 || rijn_descriptor(name) == fd; }

/* After a read or a write that failed: may it be tried again? WHY EAGAIN: another program (ssh, node) can have made
 * the pipe that it shares with this one non-blocking. */
static bool again(int fd, short events) {
  struct pollfd p = {.fd = fd, .events = events};
  if (errno == EINTR)
    return true;
  return errno == EAGAIN && (poll(&p, 1, -1) >= 0 || errno == EINTR);
}

ssize_t rijn_read_full(int fd, void *buf, size_t len) {
  size_t got = 0;
  while (got < len) {
    ssize_t r = read(fd, (char *)buf + got, len - got);
    if (r == 0)
      break;
    if (r > 0)
      got += (size_t)r;
    else if (!again(fd, POLLIN))
      return -1;
  }
  return (ssize_t)got;
}

int rijn_write_full(int fd, const void *buf, size_t len) {
  const char *p = buf;
  while (len > 0) {
    ssize_t w = write(fd, p, len);
    if (w > 0) {
      p += w;
      len -= (size_t)w;
    } else if (w == 0) {
      errno = EIO; /* WHY: a device that takes nothing and says nothing would be a loop without end */
      return -1;
    } else if (!again(fd, POLLOUT)) {
      return -1;
    }
  }
  return 0;
}

int rijn_random(void *buf, size_t len) {
  char *p = buf;
  while (len > 0) {
    ssize_t r = getrandom(p, len, 0);
    if (r < 0) {
      if (errno == EINTR)
        continue;
      return -1;
    }
    p += r;
    len -= (size_t)r;
  }
  return 0;
}
