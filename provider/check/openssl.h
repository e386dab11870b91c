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

const char *rijn_ossl_modules_dir(void);
/* The queue of errors, indented, and emptied. */
void rijn_ossl_errors(void);
/* Does AES of this name come from Rijn in this library context? */
bool rijn_ossl_from_rijn(OSSL_LIB_CTX *lib, const char *name, const char *properties);
/* Is a module cut short? Says so. */
bool rijn_ossl_some_module_is_cut(void);
/* Each says why. */
bool rijn_ossl_knows_all_options(void);
void rijn_ossl_why_not_active(void);
void rijn_ossl_why_not_used(void);

#endif
