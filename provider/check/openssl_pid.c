/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * rijn openssl-check --pid N: which libcrypto a running process has, and which module of Rijn, by its memory's map.
 *
 * What a map cannot tell: whether AES-GCM comes from Rijn, and a libcrypto that is part of the program.
 */
#include "cmd.h"
#include "openssl.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 16 };

/* A file that is mapped: its path, and whether that name now means another file, or none. */
struct mapped {
  char *path;
  bool deleted;
};

struct process {
  struct mapped files[MOST_FILES];
  size_t n;
  char *conf; /* its OPENSSL_CONF, or NULL */
  bool environment_readable;
};

/* Is the file of this path one to tell? */
static bool is_module(const char *path) {
  const char *base = strrchr(path, '/');
  return base != NULL && strcmp(base, "/" RIJN_PROVIDER ".so") == 0;
}

static bool is_libcrypto(const char *path) {
  const char *base = strrchr(path, '/');
  return base != NULL && (strncmp(base, "/libcrypto.so", 13) == 0 || strncmp(base, "/libcrypto-", 11) == 0);
}

/* SPEC: proc(5): in a name only a newline is written as an octal number. What ends in " (deleted)" has lost its name.
 */
static void take_line(struct process *p, char *line) {
  static const char gone[] = " (deleted)";
  char *path = strchr(line, '/');
  if (path == NULL || p->n == MOST_FILES)
    return;
  path[strcspn(path, "\n")] = '\0';
  size_t len = strlen(path), tail = strlen(gone);
  bool deleted = len > tail && strcmp(path + len - tail, gone) == 0;
  if (deleted)
    path[len - tail] = '\0';
  if (!is_module(path) && !is_libcrypto(path))
    return;
  for (size_t i = 0; i < p->n; i++)
    if (strcmp(p->files[i].path, path) == 0 && p->files[i].deleted == deleted)
      return;
  p->files[p->n].path = strdup(path);
  p->files[p->n].deleted = deleted;
  if (p->files[p->n].path != NULL)
    p->n++;
}

static int read_maps(struct process *p, const char *pid) {
  char name[64], *line = NULL;
  size_t size = 0, lines = 0;
  snprintf(name, sizeof name, "/proc/%s/maps", pid);
  FILE *f = fopen(name, "re");
  errno = f == NULL ? errno : 0;
  while (f != NULL && getline(&line, &size, f) > 0) {
    lines++;
    take_line(p, line);
  }
  int err = errno;
  if (f != NULL)
    fclose(f);
  free(line);
  if (f != NULL && lines > 0)
    return RIJN_EXIT_OK;
  errno = err;
  if (err == ENOENT || err == ESRCH)
    rijn_say("--pid %s: there is no such process", pid);
  else if (err != 0)
    rijn_say_errno("--pid %s: its memory's map cannot be read%s", pid,
                   err == EACCES || err == EPERM ? " (root may, and who started it)" : "");
  else
    rijn_say("--pid %s: has no memory: it has ended, or is a part of Linux", pid);
  return RIJN_EXIT_FAILED;
}

/* The environment that the process was started with. */
static void read_environment(struct process *p, const char *pid) {
  static const char variable[] = "OPENSSL_CONF=";
  char name[64], *word = NULL;
  size_t size = 0;
  snprintf(name, sizeof name, "/proc/%s/environ", pid);
  FILE *f = fopen(name, "re");
  p->environment_readable = f != NULL;
  while (f != NULL && p->conf == NULL && getdelim(&word, &size, '\0', f) > 0)
    if (strncmp(word, variable, strlen(variable)) == 0)
      p->conf = strdup(word + strlen(variable));
  if (f != NULL)
    fclose(f);
  free(word);
}

/* A name that another chose: nothing in it tells a terminal what to do. */
static void print_name(const char *name) {
  for (const unsigned char *s = (const unsigned char *)name; *s != '\0'; s++) {
    int n = rijn_control(s);
    putchar(n != 0 ? '?' : *s);
    s += n > 1 ? n - 1 : 0;
  }
}

static void print_files(const struct process *p, const char *what, bool (*is)(const char *), const char *none) {
  bool any = false;
  for (size_t i = 0; i < p->n; i++)
    if (is(p->files[i].path)) {
      printf("%-15s ", any ? "" : what);
      print_name(p->files[i].path);
      puts(p->files[i].deleted ? ", which was replaced or deleted since: restart the process" : "");
      any = true;
    }
  if (!any)
    printf("%-15s %s\n", what, none);
}

static struct json_object *json_files(const struct process *p, bool (*is)(const char *)) {
  struct json_object *list = json_object_new_array();
  for (size_t i = 0; i < p->n; i++)
    if (is(p->files[i].path)) {
      struct json_object *one = json_object_new_object();
      json_object_object_add(one, "file", rijn_json_string(p->files[i].path));
      json_object_object_add(one, "deleted", json_object_new_boolean(p->files[i].deleted));
      json_object_array_add(list, one);
    }
  return list;
}

static void tell(const struct rijn_openssl *o, const struct process *p, bool loaded) {
  if (o->json) {
    struct json_object *j = json_object_new_object();
    json_object_object_add(j, "pid", json_object_new_int(atoi(o->pid)));
    json_object_object_add(j, "libcrypto", json_files(p, is_libcrypto));
    json_object_object_add(j, "rijn", json_files(p, is_module));
    json_object_object_add(j, "environment_readable", json_object_new_boolean(p->environment_readable));
    json_object_object_add(j, "openssl_conf", rijn_json_string(p->conf));
    json_object_object_add(j, "loaded", json_object_new_boolean(loaded));
    puts(json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN));
    json_object_put(j);
    return;
  }
  print_files(p, "libcrypto:", is_libcrypto, "none: another library, or a part of the program");
  print_files(p, "Rijn:", is_module, "none");
  printf("%-15s ", "OPENSSL_CONF:");
  if (p->conf != NULL)
    print_name(p->conf);
  else
    fputs(p->environment_readable ? "not set" : "cannot be read", stdout);
  putchar('\n');
  printf("The process has %s Rijn.\n", loaded ? "loaded" : "NOT loaded");
}

int rijn_ossl_pid(const struct rijn_openssl *o) {
  struct process p = {.n = 0};
  bool loaded = false;
  if (o->pid[0] < '1' || o->pid[0] > '9' || strspn(o->pid, "0123456789") != strlen(o->pid) || strlen(o->pid) > 9)
    return rijn_usage(o->argv0, "--pid: '%s' is not the number of a process", o->pid);
  int status = read_maps(&p, o->pid);
  if (status == RIJN_EXIT_OK) {
    read_environment(&p, o->pid);
    for (size_t i = 0; i < p.n; i++)
      loaded = loaded || is_module(p.files[i].path);
    tell(o, &p, loaded);
    status = loaded ? RIJN_EXIT_OK : RIJN_EXIT_FAILED;
  } else if (o->json) {
    struct json_object *j = json_object_new_object();
    json_object_object_add(j, "pid", json_object_new_int(atoi(o->pid)));
    json_object_object_add(j, "error", rijn_json_string(rijn_last_said()));
    puts(json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN));
    json_object_put(j);
  }
  for (size_t i = 0; i < p.n; i++)
    free(p.files[i].path);
  free(p.conf);
  return status;
}
