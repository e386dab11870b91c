/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What the files of rijn openssl-check share. */
#ifndef RIJN_CMD_OPENSSL_H
#define RIJN_CMD_OPENSSL_H

#include <openssl/conf.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#define RIJN_PROVIDER "rijn"

struct json_object;

int rijn_cmd_openssl_check(int argc, char **argv);

/* What the user asked for. */
struct rijn_openssl {
  const char *argv0;
  enum { RIJN_OSSL_CHECK, RIJN_OSSL_ENABLE, RIJN_OSSL_DISABLE, RIJN_OSSL_PID } action;
  bool json, yes, dry_run;
  const char *service; /* NULL: the whole system */
  const char *config;  /* each NULL: the usual one */
  const char *module;
  const char *root; /* the folder of another system, or "" */
  const char *pid;
};

/* ---------------------------------------------------------------- openssl_why.c */

/* A part of the reasons, to the standard output or, after keep, into a text. */
void rijn_ossl_why(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* From now on reasons are kept, for JSON. */
void rijn_ossl_why_keep(void);
/* What was kept, on one line, to be freed; NULL: nothing. */
char *rijn_ossl_why_kept(void);

/* What the configuration says about the provider; each NULL when it says nothing. */
struct rijn_configured {
  CONF *conf;
  char *file;
  const char *init, *providers, *section, *module, *activate, *algorithms, *alg_section, *properties, *fips_mode;
};
/* file NULL: that which libcrypto reads. false: it cannot be read, and that was said. */
bool rijn_ossl_read(struct rijn_configured *c, const char *file);
void rijn_ossl_forget(struct rijn_configured *c);
const char *rijn_ossl_value(const struct rijn_configured *c, const char *section, const char *name);
/* The first section that the lines on the way to the provider name and that is not there. NULL: they all are. */
const char *rijn_ossl_missing_section(const struct rijn_configured *c);

const char *rijn_ossl_modules_dir(void);
/* The queue of errors, indented, and emptied. */
void rijn_ossl_errors(void);
/* Does AES of this name come from Rijn in this library context? */
bool rijn_ossl_from_rijn(OSSL_LIB_CTX *lib, const char *name, const char *properties);
/* Is a module cut short? Says so. */
bool rijn_ossl_cut_short(const char *path);
bool rijn_ossl_some_module_is_cut(void);
/* Can libcrypto load the module? NULL: that which it looks for itself. Else the errors are in the queue. */
bool rijn_ossl_loads(const char *module, const char *algorithms);
/* Each says why. */
bool rijn_ossl_knows_all_options(void);
void rijn_ossl_why_not_active(void);
void rijn_ossl_why_not_used(void);

/* ---------------------------------------------------------------- openssl_plan.c */

/* A change of a text: what comes in before the first line and behind the last one, or what goes out. */
struct rijn_ossl_plan {
  char *top, *end; /* lines, or NULL */
  char *text;      /* the whole, changed */
  size_t len;
  bool changes;
};
/* text: the configuration as it is, of file. An exit status; what is not understood was said. */
int rijn_ossl_plan_enable(struct rijn_ossl_plan *plan, const char *file, const char *text, const char *module,
                          bool other_system);
int rijn_ossl_plan_disable(struct rijn_ossl_plan *plan, const char *file, const char *text);
/* Has the file nothing that programs would lose with rijn-openssl.cnf in its place? Says what. */
bool rijn_ossl_has_no_more(const char *file);
void rijn_ossl_plan_free(struct rijn_ossl_plan *plan);

/* ---------------------------------------------------------------- openssl_paths.c */

/* Can the path stand in a configuration as it is? */
bool rijn_ossl_plain_path(const char *path);
/* A file of the installation of this command, by its path from the command's folder, else from the build's. path gets
 * what is there. An exit status; what is wrong was said, with the option that names another. */
int rijn_ossl_installed(char *path, size_t size, const char *from_bin, const char *from_build, const char *option);
/* Can nobody but root and the caller change this file, or put another in its place? path: as realpath answers it. */
bool rijn_ossl_safe(const char *path);
/* Is the path, which need not be there yet, in the folder of --root, links followed? Says when not. */
bool rijn_ossl_inside(const char *root, const char *path);

/* ---------------------------------------------------------------- openssl_switch.c, _service.c, _pid.c */

/* Each answers an exit status. */
int rijn_ossl_switch(const struct rijn_openssl *o);
int rijn_ossl_service(const struct rijn_openssl *o);
int rijn_ossl_pid(const struct rijn_openssl *o);

/* The file to change: --config's or, without it, what programs read that have no OPENSSL_CONF. */
void rijn_ossl_config(char *path, size_t size, const struct rijn_openssl *o);
/* All of a file that is no link, with a zero behind it, to be freed; NULL: said why. seen, which may be NULL, gets
 * which file it is. */
char *rijn_ossl_read_file(const char *path, struct stat *seen);
/* Shows the change, a line for each line of it with its sign in front. */
void rijn_ossl_show(const struct rijn_openssl *o, const char *file, const char *where, char sign, const char *lines);
/* May it be written? Asks on a terminal. RIJN_EXIT_OK: yes. */
int rijn_ossl_may_write(const struct rijn_openssl *o);
/* Puts text in the place of the file that was seen, all of it or nothing. seen NULL: there was none, and the new one
 * has mode 0644. */
int rijn_ossl_replace(const char *file, const char *text, size_t len, const struct stat *seen);
/* Says that another has changed the file. */
int rijn_ossl_changed(const char *file);
/* The end of a change: what was done, for people or as JSON. status is handed back. */
int rijn_ossl_told(const struct rijn_openssl *o, const char *file, bool changed, bool written, const char *next,
                   int status);

#endif
