/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn volume close: ends what rijn volume open has started; and the names of its sockets. */
#include "volume.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int volume_socket(char *to, const struct volume_args *a, const char *disk) {
  char folder[PATH_MAX - 300], *copy = strdup(disk);
  const char *base = copy != NULL ? basename(copy) : "volume";
  if (a->socket != NULL && a->socket[0] == '/')
    snprintf(to, PATH_MAX, "%s", a->socket);
  else if (getcwd(folder, sizeof folder) == NULL)
    to[0] = '\0';
  else if (a->socket != NULL)
    snprintf(to, PATH_MAX, "%s/%.250s", folder, a->socket);
  else
    snprintf(to, PATH_MAX, "%s/%.250s.sock", folder, base);
  free(copy);
  if (to[0] == '\0' || strlen(to) > 100) {
    rijn_say("%s: the name of its socket is too long, or there is no current folder: give --socket PATH", disk);
    return RIJN_EXIT_FAILED;
  }
  return RIJN_EXIT_OK;
}

/* 0: somebody listens there; else the errno value of connect. */
static int knock(const char *path) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), no = 0;
  if (fd < 0)
    return errno;
  snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
  if (connect(fd, (const struct sockaddr *)&name, sizeof name) != 0)
    no = errno;
  close(fd);
  return no;
}

static void number_name(char *to, size_t room, const char *path) { snprintf(to, room, "%s.pid", path); }

static void remove_names(const char *path) {
  char number[PATH_MAX + 4];
  number_name(number, sizeof number, path);
  (void)unlink(path);
  (void)unlink(number);
}

/* Is it the process that serves there? WHY its words: the number in a file can be another's by now. */
static bool serves(long pid, const char *path) {
  char name[64], words[65536];
  snprintf(name, sizeof name, "/proc/%ld/cmdline", pid);
  FILE *f = fopen(name, "re");
  size_t n = f != NULL ? fread(words, 1, sizeof words - 1, f) : 0;
  words[n] = '\0';
  bool found = false;
  for (size_t at = 0; !found && at < n; at += strlen(words + at) + 1)
    found = strcmp(words + at, path) == 0;
  if (f != NULL)
    fclose(f);
  return found;
}

/* The server's process, or 0. */
static long server_of(const char *path) {
  char number[PATH_MAX + 4];
  long pid = 0;
  number_name(number, sizeof number, path);
  FILE *f = fopen(number, "re");
  if (f != NULL && (fscanf(f, "%ld", &pid) != 1 || pid <= 1 || !serves(pid, path)))
    pid = 0;
  if (f != NULL)
    fclose(f);
  return pid;
}

int volume_socket_free(const char *path) {
  struct stat st;
  if (lstat(path, &st) != 0)
    return RIJN_EXIT_OK;
  if (!S_ISSOCK(st.st_mode)) {
    rijn_say("%s: exists already, and is no socket", path);
    return RIJN_EXIT_FAILED;
  }
  int no = knock(path);
  if (no == ECONNREFUSED) { /* of a server that was killed */
    remove_names(path);
    return RIJN_EXIT_OK;
  }
  if (no != 0)
    rijn_say("%s: exists already, and cannot be asked: %s", path, strerror(no));
  else
    rijn_say("%s: exists already: process %ld serves there; 'rijn volume close %s' ends it", path, server_of(path),
             path);
  return RIJN_EXIT_FAILED;
}

/* Programs that are connected to it. */
static unsigned clients_of(const char *path) {
  FILE *f = fopen("/proc/net/unix", "re");
  unsigned n = 0;
  for (char line[512]; f != NULL && fgets(line, sizeof line, f) != NULL;) {
    unsigned state;
    char name[128];
    n += sscanf(line, "%*s %*x %*x %*x %*x %x %*u %127s", &state, name) == 2 && state == 3 && strcmp(name, path) == 0;
  }
  if (f != NULL)
    fclose(f);
  return n;
}

static void pause_a_moment(void) {
  const struct timespec moment = {.tv_nsec = 10000000};
  nanosleep(&moment, NULL);
}

/* False with errno. WHY killed in the end: nbdkit waits until its clients have gone, and what was written before is
 * with the system. */
static bool end_server(long pid, const char *path, bool force) {
  enum { ENDING = 6000, PATIENCE = 200 }; /* moments */
  int sig = SIGTERM;
  for (int i = 0; i < ENDING && serves(pid, path); i++) {
    if (i == PATIENCE && force)
      sig = SIGKILL;
    if ((i == 0 || i == PATIENCE) && kill((pid_t)pid, sig) != 0 && errno != ESRCH)
      return false;
    pause_a_moment();
  }
  errno = ETIMEDOUT;
  return !serves(pid, path);
}

int volume_stop(const char *path, bool force) {
  enum { LEAVING = 100 }; /* moments for a client that is just going */
  long pid = server_of(path);
  if (pid == 0 && knock(path) == 0) {
    rijn_say("%s: is served, and %s.pid does not have the number of the process", path, path);
    return RIJN_EXIT_FAILED;
  }
  unsigned clients = pid != 0 && !force ? clients_of(path) : 0;
  for (int i = 0; clients > 0 && i < LEAVING; i++) {
    pause_a_moment();
    clients = clients_of(path);
  }
  if (clients > 0) {
    rijn_say("%s: in use by %u connection%s: end them first (fusermount3 -u FOLDER, qemu-nbd -d /dev/nbd0), or --force",
             path, clients, clients == 1 ? "" : "s");
    return RIJN_EXIT_FAILED;
  }
  if (pid != 0 && !end_server(pid, path, force)) {
    rijn_say_errno("%s: process %ld does not end", path, pid);
    return RIJN_EXIT_FAILED;
  }
  remove_names(path);
  return RIJN_EXIT_OK;
}

/* A disk, as open was given it, or the socket itself. */
static int close_one(const struct volume_args *a, const char *name) {
  struct volume_args named = *a;
  struct stat st;
  char path[PATH_MAX];
  if (stat(name, &st) == 0 && S_ISSOCK(st.st_mode))
    named.socket = name;
  if (volume_socket(path, &named, name) != RIJN_EXIT_OK)
    return RIJN_EXIT_FAILED;
  if (lstat(path, &st) != 0 || !S_ISSOCK(st.st_mode)) {
    rijn_say("%s: is not open: there is no socket %s (of 'open --socket PATH', give PATH)", name, path);
    return RIJN_EXIT_FAILED;
  }
  return volume_stop(path, a->force);
}

int volume_close_command(struct volume_args *a) {
  int status = RIJN_EXIT_OK;
  for (int i = 0; i < a->disks_n; i++)
    if (close_one(a, a->disks[i]) != RIJN_EXIT_OK)
      status = RIJN_EXIT_FAILED;
  return status;
}
