/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn openssl-check --enable and --disable: the change is shown, asked for, and written. */
#include "cmd.h"
#include "openssl.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MOST = 1 << 20 }; /* a configuration has a few kilobytes */

static struct json_object *shown; /* for JSON: the lines of the change */

char *rijn_ossl_read_file(const char *path, struct stat *seen) {
  struct stat st;
  /* WHY no link: the caller has followed those that are meant. */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  char *text = fd >= 0 ? malloc(MOST + 1) : NULL;
  ssize_t n = text != NULL && fstat(fd, &st) == 0 ? rijn_read_full(fd, text, MOST) : -1;
  bool plain = n >= 0 && S_ISREG(st.st_mode) && n < MOST && memchr(text, '\0', (size_t)n) == NULL;
  if (n < 0)
    rijn_say_errno("%s: cannot read", path);
  else if (!plain)
    rijn_say("%s: is no text file of less than a megabyte", path);
  if (fd >= 0)
    close(fd);
  if (!plain) {
    free(text);
    return NULL;
  }
  text[n] = '\0';
  if (seen != NULL)
    *seen = st;
  return text;
}

void rijn_ossl_show(const struct rijn_openssl *o, const char *file, const char *where, char sign, const char *lines) {
  if (lines == NULL || *lines == '\0')
    return;
  if (!o->json)
    printf("%s, %s:\n", file, where);
  for (const char *line = lines, *end; *line != '\0'; line = end + (*end == '\n')) {
    end = line + strcspn(line, "\n");
    if (!o->json) {
      printf("%c %.*s\n", sign, (int)(end - line), line);
      continue;
    }
    char head[2] = {sign, '\0'};
    struct json_object *row = json_object_new_object();
    char *one = strndup(line, (size_t)(end - line));
    shown = shown != NULL ? shown : json_object_new_array();
    json_object_object_add(row, "where", rijn_json_string(where));
    json_object_object_add(row, "sign", rijn_json_string(head));
    json_object_object_add(row, "line", rijn_json_string(one));
    free(one);
    json_object_array_add(shown, row);
  }
}

int rijn_ossl_may_write(const struct rijn_openssl *o) {
  char answer[16];
  if (o->yes)
    return RIJN_EXIT_OK;
  if (o->json || !isatty(STDIN_FILENO)) {
    rijn_say("nothing was written: --yes writes it, --dry-run only shows it");
    return RIJN_EXIT_FAILED;
  }
  fputs("Write this? [y/N] ", stdout);
  fflush(stdout);
  if (fgets(answer, sizeof answer, stdin) != NULL && (strcmp(answer, "y\n") == 0 || strcmp(answer, "yes\n") == 0))
    return RIJN_EXIT_OK;
  rijn_say("nothing was written");
  return RIJN_EXIT_FAILED;
}

int rijn_ossl_changed(const char *file) {
  rijn_say("%s: was changed meanwhile. Nothing was written", file);
  return RIJN_EXIT_FAILED;
}

int rijn_ossl_replace(const char *file, const char *text, size_t len, const struct stat *seen) {
  struct rijn_output out;
  struct stat like = {.st_mode = S_IFREG | 0644}, now;
  int status = rijn_output_open(&out, file, true, &like, NULL, 0);
  if (status != RIJN_EXIT_OK) {
    rijn_output_abandon(&out);
    return status;
  }
  /* WHY in the folder that is open: by its path, another's folder or file could have come between. */
  bool there = out.dir >= 0 && fstatat(out.dir, out.name, &now, AT_SYMLINK_NOFOLLOW) == 0;
  if (out.dir < 0 || there != (seen != NULL) || (there && !rijn_same_file(seen, &now))) {
    rijn_output_abandon(&out);
    return rijn_ossl_changed(file);
  }
  /* WHY, whatever the umask: every program of every user reads it. Its owner stays who it was. */
  out.mode = there ? seen->st_mode & 07777 : 0644;
  if (out.no_modes || (there && fchown(out.fd, seen->st_uid, seen->st_gid) != 0)) {
    rijn_say("%s: cannot be given its owner and permissions. Nothing was written", file);
    rijn_output_abandon(&out);
    return RIJN_EXIT_FAILED;
  }
  status = rijn_output_write(&out, text, len);
  if (status != RIJN_EXIT_OK) {
    rijn_output_abandon(&out);
    return status;
  }
  return rijn_output_commit(&out);
}

int rijn_ossl_told(const struct rijn_openssl *o, const char *file, bool changed, bool written, const char *next,
                   int status) {
  bool enable = o->action == RIJN_OSSL_ENABLE;
  if (o->json) {
    struct json_object *j = json_object_new_object();
    json_object_object_add(j, "action", rijn_json_string(enable ? "enable" : "disable"));
    json_object_object_add(j, "file", rijn_json_string(file));
    json_object_object_add(j, "status", rijn_json_string(status == RIJN_EXIT_OK ? "ok" : "failed"));
    if (status != RIJN_EXIT_OK)
      json_object_object_add(j, "error", rijn_json_string(rijn_last_said()));
    char *why = rijn_ossl_why_kept();
    json_object_object_add(j, "why", rijn_json_string(why));
    free(why);
    json_object_object_add(j, "to_change", json_object_new_boolean(changed));
    json_object_object_add(j, "written", json_object_new_boolean(written));
    json_object_object_add(j, "lines", shown != NULL ? shown : json_object_new_array());
    puts(json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN));
    json_object_put(j);
  } else if (status == RIJN_EXIT_OK && written) {
    printf("%s: written. %s\n", file, next);
  } else if (status == RIJN_EXIT_OK && !changed) {
    printf("%s: Rijn is %s: there is nothing to do.\n", file, enable ? "in it already" : "not in it");
  } else if (status == RIJN_EXIT_OK) {
    printf("%s: nothing was written (--dry-run).\n", file);
  }
  return status;
}

/* ---------------------------------------------------------------- the whole system */

void rijn_ossl_config(char *path, size_t size, const struct rijn_openssl *o) {
  const char *folder = OPENSSL_info(OPENSSL_INFO_CONFIG_DIR);
  if (o->config != NULL)
    snprintf(path, size, "%s%s", o->root, o->config);
  else
    snprintf(path, size, "%s%s/openssl.cnf", o->root, folder != NULL ? folder : "");
  /* PORT: on Debian that is a symbolic link to /etc/ssl, which in another root leads out of it. */
  char link[PATH_MAX];
  ssize_t n = o->root[0] != '\0' ? readlink(path, link, sizeof link - 1) : -1;
  if (n > 0 && link[0] == '/') {
    link[n] = '\0';
    snprintf(path, size, "%s%s", o->root, link);
  }
}

static int find_file(char *file, size_t size, const struct rijn_openssl *o) {
  char path[PATH_MAX];
  rijn_ossl_config(path, sizeof path, o);
  char *real = realpath(path, NULL);
  snprintf(file, size, "%s", path); /* for JSON, if it is refused */
  if (real == NULL || strlen(real) >= size) {
    rijn_say_errno("%s", path);
    free(real);
    return RIJN_EXIT_FAILED;
  }
  if (!rijn_ossl_inside(o->root, real)) {
    free(real);
    return RIJN_EXIT_FAILED;
  }
  strcpy(file, real);
  free(real);
  return RIJN_EXIT_OK;
}

static int find_module(char *module, size_t size, const struct rijn_openssl *o) {
  char path[2 * PATH_MAX];
  if (o->module != NULL)
    snprintf(module, size, "%s", o->module);
  else if (rijn_ossl_installed(module, size, RIJN_MODULE_FROM_BIN, "../provider/rijn.so", "--module") != RIJN_EXIT_OK)
    return RIJN_EXIT_FAILED;
  /* WHY: every program of the system will load it, those of root too. */
  if (o->module == NULL && o->config == NULL && o->root[0] == '\0' && !rijn_ossl_safe(module)) {
    rijn_say("%s: can be changed by others: install it first, or name it with --module. Nothing was written", module);
    return RIJN_EXIT_FAILED;
  }
  snprintf(path, sizeof path, "%s%s", o->root, module);
  if (access(path, R_OK) == 0)
    return RIJN_EXIT_OK;
  rijn_say_errno("%s", path);
  return RIJN_EXIT_FAILED;
}

/* WHY once more: another may have written it while the question stood. */
static int write_plan(const char *file, const char *text, const struct stat *seen, const struct rijn_ossl_plan *plan) {
  char *now = rijn_ossl_read_file(file, NULL);
  bool same = now != NULL && strcmp(now, text) == 0;
  free(now);
  return same ? rijn_ossl_replace(file, plan->text, plan->len, seen) : rijn_ossl_changed(file);
}

static int plan(struct rijn_ossl_plan *p, const struct rijn_openssl *o, const char *file, const char *text) {
  char module[PATH_MAX];
  /* WHY: the file that takes its place would have none. */
  if (getxattr(file, "system.posix_acl_access", NULL, 0) > 0) {
    rijn_say("%s: has an access list, which would be lost. Nothing was written", file);
    return RIJN_EXIT_FAILED;
  }
  if (o->action == RIJN_OSSL_DISABLE)
    return rijn_ossl_plan_disable(p, file, text);
  int status = find_module(module, sizeof module, o);
  return status == RIJN_EXIT_OK ? rijn_ossl_plan_enable(p, file, text, module, o->root[0] != '\0') : status;
}

int rijn_ossl_switch(const struct rijn_openssl *o) {
  char file[PATH_MAX] = "";
  struct rijn_ossl_plan p = {0};
  struct stat seen;
  bool enable = o->action == RIJN_OSSL_ENABLE, written = false;
  if (o->json)
    rijn_ossl_why_keep();
  int status = find_file(file, sizeof file, o);
  char *text = status == RIJN_EXIT_OK ? rijn_ossl_read_file(file, &seen) : NULL;
  status = text != NULL ? plan(&p, o, file, text) : RIJN_EXIT_FAILED;
  if (status == RIJN_EXIT_OK && p.changes) {
    rijn_ossl_show(o, file, "before the first line", '+', p.top);
    rijn_ossl_show(o, file, enable ? "behind the last line" : "out of it", enable ? '+' : '-', p.end);
    if (!o->dry_run) {
      status = rijn_ossl_may_write(o);
      if (status == RIJN_EXIT_OK)
        status = write_plan(file, text, &seen, &p);
      written = status == RIJN_EXIT_OK;
    }
  }
  const char *env = getenv("OPENSSL_CONF");
  status = rijn_ossl_told(o, file, p.changes, written,
                          env != NULL ? "Programs read it when they start; those with OPENSSL_CONF, which is set here, "
                                        "read another."
                                      : "Programs read it when they start.",
                          status);
  rijn_ossl_plan_free(&p);
  free(text);
  return status;
}
