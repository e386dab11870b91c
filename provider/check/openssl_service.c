/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * rijn openssl-check --enable --service NAME, and --disable: a drop-in for a unit of systemd, which gives the service
 * OPENSSL_CONF. The drop-in is a file of our own: it is made whole, and only removed when it is as it was made.
 */
#include "cmd.h"
#include "openssl.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARK "# Written by `rijn openssl-check --enable --service`; `--disable --service` removes it.\n"
#define VARIABLE "OPENSSL_CONF"

static const char *const folders[] = {"/etc/systemd/system",     "/run/systemd/system", "/usr/local/lib/systemd/system",
                                      "/usr/lib/systemd/system", "/lib/systemd/system", "/run/systemd/generator.late"};
enum { FOLDERS = sizeof folders / sizeof folders[0] };

/* The unit of a service, "nginx" or "nginx.service", into unit; instances keep their name. */
static int unit_of(char *unit, size_t size, const struct rijn_openssl *o) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_.\\-@";
  static const char suffix[] = ".service";
  size_t len = strlen(o->service), tail = strlen(suffix);
  if (len == 0 || len > 200 || strspn(o->service, letters) != len || o->service[0] == '.' || o->service[0] == '-')
    return rijn_usage(o->argv0, "--service: '%s' is not the name of a service", o->service);
  bool whole = len > tail && strcmp(o->service + len - tail, suffix) == 0;
  snprintf(unit, size, "%s%s", o->service, whole ? "" : suffix);
  return RIJN_EXIT_OK;
}

/* nginx@one.service has its lines in nginx@.service. */
static bool template_of(char *name, size_t size, const char *unit) {
  const char *at = strchr(unit, '@');
  if (at == NULL || at[1] == '.')
    return false;
  snprintf(name, size, "%.*s@.service", (int)(at - unit), unit);
  return true;
}

static const char sets[] = "sets " VARIABLE " already, itself or by a file it names";
static const char cannot_read[] = "cannot be read, and may set " VARIABLE;

/* A file of variables, or several (EnvironmentFile=), has this one, or may have it; NULL: no. */
static const char *in_files(const char *root, const char *pattern) {
  char path[PATH_MAX], line[4096];
  glob_t files = {0};
  const char *found = NULL;
  snprintf(path, sizeof path, "%s%s", root, pattern);
  if (glob(path, 0, NULL, &files) == 0)
    for (size_t i = 0; i < files.gl_pathc; i++) {
      FILE *f = fopen(files.gl_pathv[i], "re");
      if (f == NULL && errno != ENOENT)
        found = "names a file of variables that cannot be read, and may set " VARIABLE;
      while (f != NULL && found == NULL && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line + strspn(line, " \t"), VARIABLE "=", strlen(VARIABLE "=")) == 0)
          found = sets;
      if (f != NULL)
        fclose(f);
    }
  globfree(&files);
  return found;
}

/* The line is key=, with the variable's name as a word behind. */
static bool names_variable(const char *line, const char *key) {
  static const char between[] = " \t\r=\"'";
  size_t len = strlen(VARIABLE), n = strlen(key);
  if (strncmp(line, key, n) != 0)
    return false;
  for (const char *p = line + n; (p = strstr(p, VARIABLE)) != NULL; p += len)
    if (strchr(between, p[-1]) != NULL && (p[len] == '\0' || strchr(between, p[len]) != NULL))
      return true;
  return false;
}

/* The next line, in its place in the text; *rest: what comes behind it. NULL: there is none. SPEC: systemd.syntax(7): a
 * line goes on behind a backslash at its end; comments, in between too, are left out before that. Two backslashes are
 * none that counts. */
static char *next_line(char **rest) {
  char *line = NULL, *to = NULL, *p = *rest;
  while (*p != '\0') {
    p += strspn(p, " \t");
    size_t n = strcspn(p, "\r\n"), backslashes = 0;
    char *next = p + n;
    next += *next == '\r';
    next += *next == '\n';
    if (*p != '#' && *p != ';') {
      while (backslashes < n && p[n - 1 - backslashes] == '\\')
        backslashes++;
      if (line == NULL)
        line = to = p;
      memmove(to, p, n);
      to += n;
      if (backslashes % 2 == 0) {
        p = next;
        break;
      }
      to[-1] = ' ';
    }
    p = next;
  }
  if (to != NULL)
    *to = '\0';
  *rest = p;
  return line;
}

/* What one line of a unit does with the variable; NULL: nothing. */
static const char *line_does(const char *root, char *line) {
  static const char from_file[] = "EnvironmentFile";
  if (strncmp(line, "Environment", 11) == 0 && strstr(line, VARIABLE "=") != NULL)
    return sets;
  if (names_variable(line, "PassEnvironment"))
    return "passes " VARIABLE " of systemd itself on (PassEnvironment=)";
  if (names_variable(line, "UnsetEnvironment")) /* SPEC: systemd.exec(5): it comes last */
    return "takes " VARIABLE " away (UnsetEnvironment=)";
  if (strncmp(line, from_file, strlen(from_file)) != 0)
    return NULL;
  line += strlen(from_file) + strspn(line + strlen(from_file), " \t=-");
  line[strcspn(line, " \t\r")] = '\0';
  return in_files(root, line);
}

/* What a unit, or a drop-in of another's, does with the variable, or may do; NULL: nothing. */
static const char *does_with_variable(const char *root, const char *path) {
  char *text = NULL;
  size_t size = 0;
  const char *found = NULL;
  FILE *f = fopen(path, "re");
  if (f == NULL)
    return errno == ENOENT ? NULL : cannot_read;
  if (getdelim(&text, &size, '\0', f) > 0) {
    char *rest = text, *line;
    while (found == NULL && (line = next_line(&rest)) != NULL)
      found = line_does(root, line);
  } else if (ferror(f)) {
    found = cannot_read;
  }
  free(text);
  fclose(f);
  return found;
}

/* A folder that is not there has no drop-ins. Of one that cannot be read nobody knows: glob() is to stop. */
static int stop_at(const char *folder, int no) {
  (void)folder;
  return no != ENOENT && no != ENOTDIR;
}

/* Looks at the unit's files of one name. own: the drop-in that is ours. RIJN_EXIT_FAILED, which was said: another does
 * something with the variable. */
static int look_at(const struct rijn_openssl *o, const char *name, const char *own, bool *there) {
  for (int i = 0; i < FOLDERS; i++) {
    char path[PATH_MAX];
    glob_t drop_ins = {0};
    const char *what = NULL;
    snprintf(path, sizeof path, "%s%s/%s", o->root, folders[i], name);
    if (access(path, F_OK) == 0) {
      *there = true;
      what = does_with_variable(o->root, path);
    } else if (errno != ENOENT && errno != ENOTDIR) {
      what = cannot_read;
    }
    if (what == NULL) {
      snprintf(path, sizeof path, "%s%s/%s.d/*.conf", o->root, folders[i], name);
      /* WHY without escapes: systemd's names of units have backslashes. */
      int r = glob(path, GLOB_NOESCAPE, stop_at, &drop_ins);
      if (r != 0 && r != GLOB_NOMATCH)
        what = cannot_read;
      else
        for (size_t k = 0; k < drop_ins.gl_pathc && what == NULL; k++)
          if (strcmp(drop_ins.gl_pathv[k], own) != 0) {
            snprintf(path, sizeof path, "%s", drop_ins.gl_pathv[k]);
            what = does_with_variable(o->root, path);
          }
      globfree(&drop_ins);
    }
    if (what != NULL) {
      rijn_say("%s: %s. Nothing was written", path, what);
      return RIJN_EXIT_FAILED;
    }
  }
  return RIJN_EXIT_OK;
}

/* The same, and what counts for all units whose names begin so. SPEC: systemd.unit(5): a-b-c.service has drop-ins in
 * a-b-.service.d and a-.service.d, too. An instance a-b-c@d.service has those, and some with its own @d. */
static int look_at_prefixes(const struct rijn_openssl *o, const char *name, const char *own, bool *there) {
  int status = look_at(o, name, own, there);
  const char *suffix = strrchr(name, '.'), *at = strchr(name, '@');
  size_t stem = (size_t)((at != NULL ? at : suffix) - name);
  bool any;
  for (size_t i = 0; i + 1 < stem && status == RIJN_EXIT_OK; i++)
    if (name[i] == '-') {
      char prefix[256];
      snprintf(prefix, sizeof prefix, "%.*s%s", (int)i + 1, name, name + stem);
      status = look_at(o, prefix, own, &any);
      snprintf(prefix, sizeof prefix, "%.*s%s", (int)i + 1, name, suffix);
      if (status == RIJN_EXIT_OK && at != NULL)
        status = look_at(o, prefix, own, &any);
    }
  return status;
}

/* The drop-in as it should be. */
static int wanted(char *text, size_t size, const struct rijn_openssl *o) {
  char config[PATH_MAX], path[2 * PATH_MAX];
  if (o->config != NULL) {
    snprintf(config, sizeof config, "%s", o->config);
  } else if (rijn_ossl_installed(config, sizeof config, RIJN_CNF_FROM_BIN, RIJN_CNF_FROM_BIN, "--config") !=
             RIJN_EXIT_OK) {
    return RIJN_EXIT_FAILED;
  }
  /* WHY: with OPENSSL_CONF the service reads nothing of that file. Whoever names a configuration has decided. */
  if (o->config == NULL) {
    rijn_ossl_config(path, sizeof path, o);
    if (access(path, F_OK) == 0 && !rijn_ossl_has_no_more(path))
      return RIJN_EXIT_FAILED;
  }
  snprintf(path, sizeof path, "%s%s", o->root, config);
  if (access(path, R_OK) != 0) {
    rijn_say_errno("%s", path);
    return RIJN_EXIT_FAILED;
  }
  snprintf(text, size, MARK "[Service]\nEnvironment=" VARIABLE "=%s\n", config);
  return RIJN_EXIT_OK;
}

static int make_folder(const char *file) {
  char folder[PATH_MAX];
  /* WHY, whatever the umask: every user may look at a unit. */
  mode_t mask = umask(022);
  int status = RIJN_EXIT_OK;
  snprintf(folder, sizeof folder, "%s", file);
  for (char *p = folder + 1; status == RIJN_EXIT_OK && (p = strchr(p, '/')) != NULL; p++) {
    *p = '\0';
    if (mkdir(folder, 0755) != 0 && errno != EEXIST) {
      rijn_say_errno("%s: cannot create this folder", folder);
      status = RIJN_EXIT_FAILED;
    }
    *p = '/';
  }
  umask(mask);
  return status;
}

/* Is the drop-in as --enable makes it, for whichever configuration? */
static bool is_ours(const char *text) {
  static const char start[] = MARK "[Service]\nEnvironment=" VARIABLE "=";
  size_t n = strlen(start);
  const char *end = strncmp(text, start, n) == 0 ? strchr(text + n, '\n') : NULL;
  return end != NULL && end[1] == '\0';
}

/* The drop-in alone, and its folder if nothing else is in it. */
static int remove_file(const char *file, const struct stat *seen) {
  char folder[PATH_MAX];
  struct stat now;
  if (lstat(file, &now) != 0 || !rijn_same_file(&now, seen))
    return rijn_ossl_changed(file);
  snprintf(folder, sizeof folder, "%s", file);
  *strrchr(folder, '/') = '\0';
  if (unlink(file) != 0) {
    rijn_say_errno("%s: cannot remove", file);
    return RIJN_EXIT_FAILED;
  }
  (void)rmdir(folder);
  return RIJN_EXIT_OK;
}

/* seen: the drop-in that is there, or NULL. */
static int carry_out(const struct rijn_openssl *o, const char *file, const char *text, const struct stat *seen) {
  int status = rijn_ossl_may_write(o);
  if (status != RIJN_EXIT_OK)
    return status;
  if (o->action == RIJN_OSSL_DISABLE)
    return remove_file(file, seen);
  status = make_folder(file);
  return status == RIJN_EXIT_OK ? rijn_ossl_replace(file, text, strlen(text), seen) : status;
}

int rijn_ossl_service(const struct rijn_openssl *o) {
  char unit[256], template[256], file[PATH_MAX], text[2 * PATH_MAX] = "", next[1024];
  bool enable = o->action == RIJN_OSSL_ENABLE, there = false, written = false;
  int status = unit_of(unit, sizeof unit, o);
  if (status != RIJN_EXIT_OK)
    return status;
  if (o->json)
    rijn_ossl_why_keep();
  snprintf(file, sizeof file, "%s/etc/systemd/system/%s.d/rijn-openssl.conf", o->root, unit);
  if (!rijn_ossl_inside(o->root, file))
    status = RIJN_EXIT_FAILED;
  if (enable && status == RIJN_EXIT_OK)
    status = look_at_prefixes(o, unit, file, &there);
  bool any;
  if (enable && status == RIJN_EXIT_OK)
    status = look_at(o, "service", file, &any); /* what all services have */
  if (enable && status == RIJN_EXIT_OK && template_of(template, sizeof template, unit))
    status = look_at_prefixes(o, template, file, &there);
  if (enable && status == RIJN_EXIT_OK && !there) {
    rijn_say("there is no unit %s. Nothing was written", unit);
    status = RIJN_EXIT_FAILED;
  }
  struct stat seen;
  bool exists = lstat(file, &seen) == 0;
  char *now = exists ? rijn_ossl_read_file(file, &seen) : NULL;
  if (exists && now == NULL)
    status = RIJN_EXIT_FAILED;
  if (status == RIJN_EXIT_OK && enable)
    status = wanted(text, sizeof text, o);
  if (status == RIJN_EXIT_OK && now != NULL && !is_ours(now)) {
    rijn_say("%s: --enable did not write it so. Nothing was written", file);
    status = RIJN_EXIT_FAILED;
  }
  bool changes = status == RIJN_EXIT_OK && (enable ? now == NULL || strcmp(now, text) != 0 : now != NULL);
  if (changes) {
    rijn_ossl_show(o, file, "this file goes", '-', now);
    rijn_ossl_show(o, file, "a new file", '+', text);
    if (!o->dry_run) {
      status = carry_out(o, file, text, exists ? &seen : NULL);
      written = status == RIJN_EXIT_OK;
    }
  }
  snprintf(next, sizeof next, "It counts after: systemctl daemon-reload && systemctl restart %s", unit);
  free(now);
  return rijn_ossl_told(o, file, changes, written, next, status);
}
