/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The drivers that Linux has, and the module that measures them (the head of kernel/bench.c says how it is asked). */
#include "kernel.h"

#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WHO "rijn bench kernel"
#define MODULE_FILE "/proc/rijn-bench"
#define MODPROBE "/sbin/modprobe"

/* ---------------------------------------------------------------- drivers */

struct driver {
  char name[K_NAME];
  int priority;
  bool is_rijn;
};

/* Is the set that a driver of Rijn's is named after in a list of names, comma between? */
static bool listed(const char *driver, const char *names) {
  const char *set = strstr(driver, "-rijn-");
  if (!set)
    return false;
  set += strlen("-rijn-");
  for (const char *p = names;; p++) {
    size_t n = strcspn(p, ",");
    if (strlen(set) == n && !strncmp(p, set, n))
      return true;
    p += n;
    if (!*p)
      return false;
  }
}

/* The drivers of an algorithm whose tests passed, as /proc/crypto has them; at most room. -1: there is no such file. */
static int drivers_of(const char *alg, struct driver *d, int room) {
  FILE *f = fopen("/proc/crypto", "r");
  char line[256], value[128], name[128] = "";
  bool usable = true;
  struct driver now = {{0}, 0, false};
  int n = 0;
  if (!f)
    return -1;
  while (fgets(line, sizeof line, f)) {
    if (sscanf(line, "name : %127s", value) == 1)
      snprintf(name, sizeof name, "%s", value);
    else if (sscanf(line, "driver : %63s", now.name) == 1 || sscanf(line, "priority : %d", &now.priority) == 1)
      continue;
    else if (sscanf(line, "selftest : %127s", value) == 1)
      usable &= !strcmp(value, "passed");
    else if (sscanf(line, "internal : %127s", value) == 1)
      usable &= !strcmp(value, "no");
    else if (line[0] == '\n') {
      now.is_rijn = strstr(now.name, "-rijn-") && !strchr(now.name, '('); /* no template over one of Rijn's */
      if (usable && !strcmp(name, alg) && n < room)
        d[n++] = now;
      usable = true;
    }
  }
  fclose(f);
  return n;
}

static int by_place(const void *a, const void *b) {
  const struct driver *x = a, *y = b;
  return x->is_rijn != y->is_rijn ? y->is_rijn - x->is_rijn : y->priority - x->priority;
}

/* How many names a list has, comma between. */
static int names_in(const char *list) {
  int n = 1;
  for (; *list; list++)
    n += *list == ',';
  return n;
}

/* Those that are measured: Rijn's that were asked for, the chosen one first, and all others; that of Linux's AES in C
 * is made when it is asked for. -1: there is none of a name that was asked for, or no /proc/crypto. */
static int choose(const struct k_options *o, const struct k_mode *m, struct driver *d) {
  int found = drivers_of(m->alg, d, K_MAX_DRIVERS - 1), n = 0;
  bool generic = false, all = !strcmp(o->impls, "all"), chosen = !strcmp(o->impls, "chosen");
  int rijns = 0;
  if (found < 0)
    return found;
  qsort(d, (size_t)found, sizeof *d, by_place);
  for (int i = 0; i < found; i++) {
    bool wanted = all || (chosen ? i == 0 : listed(d[i].name, o->impls));
    generic |= !strcmp(d[i].name, m->generic);
    rijns += d[i].is_rijn && wanted;
    if (!d[i].is_rijn || wanted)
      d[n++] = d[i];
  }
  if (rijns < (all || chosen ? 1 : names_in(o->impls)))
    return -1;
  if (!generic) {
    d[n] = (struct driver){.is_rijn = false};
    snprintf(d[n++].name, K_NAME, "%s", m->generic);
  }
  return n;
}

/* ---------------------------------------------------------------- the module */

/* Also in a handler of signals: nothing but calls that may be made there. */
static int modprobe(bool remove) {
  char *const argv[] = {(char[]){MODPROBE}, (char[]){"-q"}, remove ? (char[]){"-r"} : (char[]){"--"},
                        (char[]){"rijn-bench"}, NULL};
  char *const env[] = {NULL};
  int status = -1;
  pid_t pid = fork();
  if (pid == 0) {
    execve(MODPROBE, argv, env);
    _exit(127);
  }
  if (pid < 0)
    return -1;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return status == 0 ? 0 : -1;
}

/* A signal ends the command: the module that it has loaded goes, too. */
static void unload(void) { modprobe(true); }

/* No signal ends the command between the module's loading and what unloads it; nor modprobe, which inherits that. */
static bool load(void) {
  sigset_t old;
  rijn_signals_hold(&old);
  bool loaded = modprobe(false) == 0;
  if (loaded)
    rijn_signals_tidy(unload);
  rijn_signals_release(&old);
  return loaded;
}

static int refuse(const char *why) {
  rijn_say_as(WHO, "%s", why);
  return B_EXIT_SYSTEM;
}

int k_open(struct k_run *r) {
  struct driver d[K_MAX_DRIVERS];
  int n = drivers_of("gcm(aes)", d, K_MAX_DRIVERS);
  bool loaded = false;
  if (n < 0)
    return refuse("/proc/crypto cannot be read: drivers are measured in Linux alone");
  for (int i = 0; i < n; i++)
    loaded |= d[i].is_rijn;
  if (!loaded)
    return refuse("the module rijn is not loaded (modprobe rijn; doc/kernel.md says how it is installed)");
  r->fd = open(MODULE_FILE, O_RDWR | O_CLOEXEC);
  if (r->fd < 0 && errno == ENOENT) {
    r->loaded = load();
    if (!r->loaded)
      return refuse("the module rijn-bench cannot be loaded: it is for root, and is installed with the module rijn");
    r->fd = open(MODULE_FILE, O_RDWR | O_CLOEXEC);
  }
  if (r->fd >= 0)
    return 0;
  rijn_say_as(WHO, "%s cannot be opened: %s", MODULE_FILE, strerror(errno));
  return B_EXIT_SYSTEM;
}

void k_close(struct k_run *r) {
  if (r->fd >= 0)
    close(r->fd);
  r->fd = -1;
  if (!r->loaded)
    return;
  sigset_t old;
  rijn_signals_hold(&old);
  if (modprobe(true))
    rijn_say_as(WHO, "the module rijn-bench stays loaded");
  r->loaded = false;
  rijn_signals_tidy(NULL);
  rijn_signals_release(&old);
}

/* ---------------------------------------------------------------- a case */

/* What the module says of a case, to be freed; NULL, and errno. */
static char *ask(int fd, const char *line) {
  size_t room = 1 << 16, n = 0;
  ssize_t put;
  do /* who stops the command and lets it go on has the case measured anew */
    put = write(fd, line, strlen(line));
  while (put < 0 && errno == EINTR);
  if (put != (ssize_t)strlen(line))
    return NULL;
  char *text = malloc(room);
  while (text) {
    ssize_t got = pread(fd, text + n, room - n - 1, (off_t)n);
    if (got < 0 && errno != EINTR)
      break;
    if (got == 0) {
      text[n] = 0;
      return text;
    }
    n += got > 0 ? (size_t)got : 0;
    char *more = n + 1 < room ? text : realloc(text, room *= 2);
    if (!more)
      break;
    text = more;
  }
  free(text);
  return NULL;
}

/* "DRIVER MESSAGES TICKS...", "DRIVER error NUMBER", "DRIVER wrong": all behind the driver's name. */
static int read_row(struct k_row *row, char *text, size_t rounds, double ns_per_tick) {
  char *end = text;
  row->wrong = !strcmp(text, "wrong");
  if (row->wrong || sscanf(text, "error %d", &row->error) == 1)
    return 0;
  row->messages = strtoul(text, &end, 10);
  row->ns = calloc(rounds, sizeof *row->ns);
  for (char *at = end; row->ns && row->messages && row->n < rounds; at = end) {
    unsigned long long ticks = strtoull(at, &end, 10);
    if (end == at)
      break;
    row->ns[row->n++] = (double)ticks * ns_per_tick / (double)row->messages;
  }
  return row->n == rounds ? 0 : -1;
}

static void figures(struct k_row *rows, size_t n) {
  for (size_t i = 0; i < n; i++) {
    struct k_row *row = &rows[i];
    row->low = b_quantile(row->ns, row->n, 0.1);
    row->median = b_quantile(row->ns, row->n, 0.5);
    row->ratio = NAN;
    double *q = row->n && row->n == rows[0].n ? malloc(row->n * sizeof *q) : NULL;
    for (size_t k = 0; q && k < row->n; k++)
      q[k] = row->ns[k] / rows[0].ns[k]; /* of one round: both saw the same moment */
    if (q)
      row->ratio = b_quantile(q, row->n, 0.5);
    free(q);
  }
}

static int read_answer(struct k_run *r, const struct k_case *c, const struct driver *d, int n, char *text) {
  unsigned long long ticks, ns;
  char *save, *line = strtok_r(text, "\n", &save);
  if (!line || sscanf(line, "clock %llu %llu", &ticks, &ns) != 2 || ticks == 0)
    ticks = ns = 0; /* nothing was measured, and no row has samples */
  size_t from = r->n_rows;
  for (int i = 0; i < n; i++) {
    line = strtok_r(NULL, "\n", &save);
    size_t len = strlen(d[i].name);
    if (!line || strncmp(line, d[i].name, len) || line[len] != ' ')
      return -1;
    struct k_row row = {.c = *c, .is_rijn = d[i].is_rijn};
    memcpy(row.driver, d[i].name, sizeof row.driver);
    if (read_row(&row, line + len + 1, r->o->rounds, ticks ? (double)ns / (double)ticks : 0)) {
      free(row.ns);
      return -1;
    }
    /* Linux has no AES in C here, or another name for it: nobody asked for it. */
    if (row.error && !strcmp(row.driver, k_modes[c->mode].generic))
      continue;
    r->rows[r->n_rows++] = row;
  }
  figures(r->rows + from, r->n_rows - from);
  return 0;
}

int k_measure(struct k_run *r, const struct k_case *c) {
  const struct k_mode *m = &k_modes[c->mode];
  struct driver d[K_MAX_DRIVERS];
  int n = choose(r->o, m, d);
  if (n < 0) {
    rijn_say_as(WHO, "--impl %s: Linux has no such drivers of Rijn's for %s", r->o->impls, m->alg);
    return B_EXIT_USAGE;
  }
  char line[4096];
  int at = snprintf(line, sizeof line, "%s %d %s%s %zu %zu %zu %zu %.0f", m->alg, m->keys * c->key_bits / 8,
                    c->dir == B_ENC ? "enc" : "dec", r->o->set_key ? "-key" : "", c->size, c->pieces,
                    m->aead ? r->o->aad : 0, r->o->rounds, r->o->sample_us);
  for (int i = 0; i < n; i++)
    at += snprintf(line + at, sizeof line - (size_t)at, " %s", d[i].name);
  struct k_row *rows = realloc(r->rows, (r->n_rows + (size_t)n) * sizeof *rows);
  if (!rows)
    return b_refused("memory");
  r->rows = rows;
  char *text = ask(r->fd, line);
  if (text && read_answer(r, c, d, n, text) == 0) {
    free(text);
    return 0;
  }
  if (text)
    rijn_say_as(WHO, "the module rijn-bench answered something else than this command understands");
  else if (errno == EINVAL)
    rijn_say_as(WHO, "%zu bytes in %zu pieces: the module does not measure that", c->size, c->pieces);
  else
    rijn_say_as(WHO, "the module rijn-bench refused: %s", strerror(errno));
  free(text);
  return B_EXIT_SYSTEM;
}
