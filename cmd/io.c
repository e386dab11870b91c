/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Whole reads and writes, random bytes, the key. */
#include "cmd.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
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

/* After a read or a write that failed: may it be tried again? WHY EAGAIN: another program (ssh, node) can have made the
 * pipe that it shares with this one non-blocking. */
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

/* Is this text of hexadecimal digits, with white space around? The mistake that is made most. */
static bool looks_hex(const uint8_t *b, size_t n) {
  size_t digits = 0;
  for (size_t i = 0; i < n; i++) {
    if (isxdigit(b[i]))
      digits++;
    else if (!isspace(b[i]))
      return false;
  }
  return digits == 32 || digits == 64;
}

int rijn_read_key(const char *file, int fd, uint8_t key[32], size_t *key_len, struct stat *st) {
  char text[64];
  snprintf(text, sizeof text, "descriptor %d", fd);
  const char *name = file != NULL ? file : text;
  if (file != NULL)
    fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0 || fstat(fd, st) != 0) {
    rijn_say_errno("key: %s", name);
    if (file != NULL && fd >= 0)
      close(fd);
    return RIJN_EXIT_FAILED;
  }

  uint8_t buf[4096];
  int status = RIJN_EXIT_FAILED;
  ssize_t got = rijn_read_full(fd, buf, sizeof buf);
  size_t n = got < 0 ? 0 : (size_t)got;
  const char *hint = looks_hex(buf, n) ? " (it looks like hexadecimal text; raw bytes are wanted)" : "";
  if (got < 0) {
    rijn_say_errno("key: %s: cannot read", name);
  } else if (n == sizeof buf) {
    rijn_say("key: %s: a key has exactly 32 or 16 raw bytes, and this has %zu or more", name, n);
  } else if (n != 16 && n != 32) {
    rijn_say("key: %s: a key has exactly 32 or 16 raw bytes, and this has %zu%s", name, n, hint);
  } else {
    if (hint[0] != '\0') /* 32 digits are 32 bytes too, but no random key looks so */
      rijn_say("warning: key: %s: looks like hexadecimal text; taken as it is, %zu raw bytes", name, n);
    memcpy(key, buf, n);
    *key_len = n;
    status = RIJN_EXIT_OK;
  }
  explicit_bzero(buf, sizeof buf);
  if (file != NULL)
    close(fd);
  return status;
}
