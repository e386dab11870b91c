/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn volume open: nbdkit with this project's plugin on a Unix socket, one for each disk. */
#include "volume.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ARGS = VOLUME_KEY_FILES + 40 };

/* The arguments of nbdkit: owned strings. */
struct words {
  char *list[ARGS + 1];
  int n;
};

__attribute__((format(printf, 2, 3))) static bool add(struct words *w, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  int len = w->n < ARGS ? vasprintf(&w->list[w->n], format, ap) : -1;
  va_end(ap);
  if (len < 0)
    return false;
  w->list[++w->n] = NULL;
  return true;
}

static void free_words(struct words *w) {
  for (int i = 0; i < w->n; i++)
    free(w->list[i]);
  w->n = 0;
}

/* The plugin that was built or installed with this command; else nbdkit looks for it in its own folder. */
static void find_plugin(char *to, const struct volume_args *a) {
  static const char *const places[] = {"../volume/nbdkit/nbdkit-rijn-plugin.so", RIJN_PLUGIN_FROM_BIN};
  char self[PATH_MAX - 100];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (a->plugin != NULL) { /* WHY a slash: without one nbdkit takes it for a name in its own folder */
    snprintf(to, PATH_MAX, "%s%s", strchr(a->plugin, '/') == NULL ? "./" : "", a->plugin);
    return;
  }
  strcpy(to, "rijn");
  if (n <= 0)
    return;
  self[n] = '\0';
  const char *folder = dirname(self);
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, places[i]);
    if (access(path, R_OK) == 0) {
      strcpy(to, path);
      return;
    }
  }
}

/* WHY full names: nbdkit changes to / when it goes into the background. */
static bool add_file(struct words *w, const char *key, const char *file) {
  char *full = realpath(file, NULL);
  bool ok = add(w, "%s=%s", key, full != NULL ? full : file);
  free(full);
  return ok;
}

static bool add_options(struct words *w, const struct volume_args *a) {
  static const char *const formats[] = {NULL, "luks1", "luks2", "geli", "luks", "veracrypt", "bitlocker"};
  const rijn_volume_options *o = &a->options;
  bool ok = !o->read_only || add(w, "read-only=true");
  if (a->header != NULL)
    ok = ok && add_file(w, "header", a->header);
  if (a->partition != 0)
    ok = ok && add(w, "partition=%u", a->partition);
  for (size_t i = 0; i < a->key_files_n; i++)
    ok = ok && add_file(w, "key-file", a->key_files[i]);
  if (a->keyfile_offset != 0)
    ok = ok && add(w, "keyfile-offset=%llu", (unsigned long long)a->keyfile_offset);
  if (a->keyfile_size != 0)
    ok = ok && add(w, "keyfile-size=%llu", (unsigned long long)a->keyfile_size);
  if (a->slot >= 0)
    ok = ok && add(w, "slot=%d", a->slot);
  if (o->format != RIJN_VOLUME_ANY)
    ok = ok && add(w, "format=%s", formats[o->format]);
  if (o->provider_sector != 0)
    ok = ok && add(w, "provider-sector=%u", o->provider_sector);
  if (o->pim != 0)
    ok = ok && add(w, "pim=%u", o->pim);
  if (o->hash[0] != '\0')
    ok = ok && add(w, "hash=%s", o->hash);
  if (o->no_hidden)
    ok = ok && add(w, "no-hidden=true");
  if (o->allow_discards)
    ok = ok && add(w, "allow-discards=true");
  if (o->limit_memory_kib != 0)
    ok = ok && add(w, "limit-memory=%llu", (unsigned long long)o->limit_memory_kib >> 10);
  if (o->limit_rounds != 0)
    ok = ok && add(w, "limit-rounds=%llu", (unsigned long long)o->limit_rounds);
  return ok;
}

/* The passphrase goes through a pipe: an argument can be read by everyone. It fits into the pipe's buffer. */
static int pass_pipe(const struct volume_pass *pass, int *read_end) {
  int fds[2];
  if (memchr(pass->bytes, '\n', pass->len) != NULL || pipe(fds) != 0)
    return -1;
  bool ok = rijn_write_full(fds[1], pass->bytes, pass->len) == 0 && rijn_write_full(fds[1], "\n", 1) == 0;
  close(fds[1]);
  *read_end = fds[0];
  return ok ? 0 : -1;
}

static int run(const struct words *w, const char *disk) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    execvp("nbdkit", w->list);
    rijn_say_errno("nbdkit cannot be started (Debian: apt install nbdkit)");
    _exit(RIJN_EXIT_FAILED);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    rijn_say("%s: nbdkit does not serve it", disk);
    return RIJN_EXIT_FAILED;
  }
  return RIJN_EXIT_OK;
}

/* WHY: nbdkit is in the background before it has written its number, and who reads the lines below may want that. */
static bool has_number(const char *name) {
  const struct timespec moment = {.tv_nsec = 1000000};
  struct stat st = {.st_size = 0};
  for (int i = 0; i < 10000 && st.st_size == 0; i++)
    if (stat(name, &st) != 0 || st.st_size == 0)
      nanosleep(&moment, NULL);
  return st.st_size != 0;
}

static int serve(const struct volume_args *a, const char *disk, const struct volume_pass *pass) {
  struct words w = {.n = 0};
  char plugin[PATH_MAX], path[PATH_MAX], number[PATH_MAX + 4];
  int fd = -1, status = volume_socket(path, a, disk);
  if (status == RIJN_EXIT_OK)
    status = volume_socket_free(path);
  if (status != RIJN_EXIT_OK)
    return status;
  snprintf(number, sizeof number, "%s.pid", path);
  (void)unlink(number); /* of an nbdkit that was killed, and whose socket somebody has removed */
  find_plugin(plugin, a);
  bool ok = add(&w, "nbdkit") && add(&w, "-U") && add(&w, "%s", path) && add(&w, "-P") && add(&w, "%s", number);
  if (a->options.read_only)
    ok = ok && add(&w, "-r");
  ok = ok && add(&w, "%s", plugin) && add_file(&w, "file", disk) && add_options(&w, a);
  if (ok && pass->given)
    ok = pass_pipe(pass, &fd) == 0 && add(&w, "passphrase=-%d", fd);
  if (!ok) {
    rijn_say("%s: too many options, or a passphrase with a line break, which only a key file can be", disk);
    status = RIJN_EXIT_FAILED;
  } else {
    status = run(&w, disk);
  }
  if (status == RIJN_EXIT_OK && !has_number(number))
    rijn_say("%s: nbdkit serves %s, but has not written its number there", number, disk);
  if (fd >= 0)
    close(fd);
  free_words(&w);
  if (status == RIJN_EXIT_OK)
    printf("nbdfuse FOLDER nbd+unix:///?socket=%s\n"
           "qemu-nbd -f raw -c /dev/nbd0 nbd+unix:///?socket=%s\n"
           "nbdcopy nbd+unix:///?socket=%s FILE\n"
           "rijn volume close %s\n",
           path, path, path, path);
  return status;
}

/* WHY: who was not told where a volume is served does not know that it is. */
static void stop_all(const struct volume_args *a, int served) {
  char path[PATH_MAX];
  for (int i = 0; i < served; i++)
    if (volume_socket(path, a, a->disks[i]) == RIJN_EXIT_OK)
      (void)volume_stop(path, true);
}

int volume_serve(struct volume_args *a) {
  struct volume_pass *pass = calloc(1, sizeof *pass);
  int status = pass != NULL ? RIJN_EXIT_OK : RIJN_EXIT_FAILED;
  bool not_needed = true;
  /* WHY loaded here first: what cannot be opened is said before a passphrase is asked for. */
  for (int i = 0; status == RIJN_EXIT_OK && i < a->disks_n; i++) {
    struct volume_job j;
    status = volume_load(&j, a, a->disks[i], access(a->disks[i], W_OK) != 0);
    if (status != RIJN_EXIT_OK)
      break;
    if (rijn_volume_refusal(j.volume)->code != 0)
      status = volume_say(a->disks[i], rijn_volume_refusal(j.volume));
    not_needed = not_needed && rijn_volume_facts_of(j.volume)->opens_without_key;
    volume_close(&j);
  }
  if (status == RIJN_EXIT_OK)
    status = volume_get_pass(pass, a, a->disks_n == 1 ? a->disks[0] : "these disks", not_needed);
  if (status == RIJN_EXIT_OK && a->options.format == RIJN_VOLUME_VERACRYPT && !a->options.read_only &&
      !a->options.no_hidden)
    rijn_say("warning: an outer volume is served read only, for it may hide another (--no-hidden)");
  int served = 0;
  for (; status == RIJN_EXIT_OK && served < a->disks_n; served += status == RIJN_EXIT_OK)
    status = serve(a, a->disks[served], pass);
  status = rijn_finish_stdout(status);
  if (status != RIJN_EXIT_OK)
    stop_all(a, served);
  if (pass != NULL)
    explicit_bzero(pass, sizeof *pass);
  free(pass);
  return status;
}
