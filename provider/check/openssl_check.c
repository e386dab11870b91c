/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * rijn openssl-check: does the libcrypto of this machine, configured as it is, take AES-GCM from Rijn? And if not,
 * why? openssl_why.c says why; rijn-openssl-switch, a script, changes the configuration and looks at a process.
 *
 * WHY a command: a provider that is not found, not activated or not preferred changes nothing, and nobody is told.
 */
#include "args.h"
#include "cmd.h"
#include "openssl.h"

#include <dlfcn.h>
#include <json-c/json.h>
#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The ciphers that the configuration's \"algorithms\" names, each with its family. */
static const struct {
  const char *name;
  bool must;
} ciphers[] = {
    {"AES-128-GCM", true},      {"AES-192-GCM", true},  {"AES-256-GCM", true},  {"AES-128-GCM-SIV", false},
    {"AES-256-GCM-SIV", false}, {"AES-128-CCM", false}, {"AES-256-CCM", false}, {"AES-128-CFB", false},
    {"AES-256-CFB", false},     {"AES-128-CTR", false}, {"AES-256-CTR", false}, {"AES-128-CBC", false},
    {"AES-256-CBC", false},     {"AES-128-XTS", false}, {"AES-256-XTS", false}, {"AES-128-ECB", false},
    {"AES-256-ECB", false},
};

/* Which provider name comes from; NULL: from none. Text of the provider. */
static const char *provider_of(const char *name) {
  EVP_CIPHER *c = EVP_CIPHER_fetch(NULL, name, NULL);
  if (c == NULL) {
    ERR_clear_error();
    return NULL;
  }
  const char *from = OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(c));
  EVP_CIPHER_free(c);
  return from;
}

/* SPEC: test case 2 of the GCM specification (all zeros), through EVP as a program would. */
static bool encrypts(const char *name) {
  static const uint8_t zero[16];
  static const uint8_t want[32] = {0x03, 0x88, 0xda, 0xce, 0x60, 0xb6, 0xa3, 0x92, 0xf3, 0x28, 0xc2,
                                   0xb9, 0x71, 0xb2, 0xfe, 0x78, 0xab, 0x6e, 0x47, 0xd4, 0x2c, 0xec,
                                   0x13, 0xbd, 0xf5, 0x3a, 0x67, 0xb2, 0x12, 0x57, 0xbd, 0xdf};
  uint8_t got[32] = {0};
  int n = 0, last = 0;
  EVP_CIPHER *c = EVP_CIPHER_fetch(NULL, name, NULL);
  EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
  bool ok = c != NULL && ctx != NULL && EVP_EncryptInit_ex2(ctx, c, zero, zero, NULL) == 1 &&
            EVP_EncryptUpdate(ctx, got, &n, zero, 16) == 1 && EVP_EncryptFinal_ex(ctx, got + n, &last) == 1 &&
            EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, got + 16) == 1 && memcmp(got, want, sizeof want) == 0;
  EVP_CIPHER_CTX_free(ctx);
  EVP_CIPHER_free(c);
  return ok;
}

/* A fact of the check: for people where j is NULL. */
static void fact(struct json_object *j, const char *name, const char *value) {
  if (j != NULL)
    json_object_object_add(j, name, rijn_json_string(value));
}

/* The file of the libcrypto that this program is linked with, or NULL. */
static const char *libcrypto_file(void) {
  Dl_info where;
  return dladdr((const void *)(uintptr_t)&OpenSSL_version, &where) != 0 ? where.dli_fname : NULL;
}

static void surroundings(struct json_object *j) {
  const char *file = libcrypto_file(), *from = getenv("OPENSSL_CONF"), *modules = rijn_ossl_modules_dir();
  char *conf = CONF_get1_default_config_file();
  bool readable = conf != NULL && access(conf, R_OK) == 0;
  fact(j, "libcrypto", OpenSSL_version(OPENSSL_VERSION));
  fact(j, "libcrypto_file", file);
  fact(j, "configuration", conf);
  if (j != NULL) {
    json_object_object_add(j, "configuration_from_environment", json_object_new_boolean(from != NULL));
    json_object_object_add(j, "configuration_readable", json_object_new_boolean(readable));
  }
  fact(j, "modules_folder", modules);
  if (j == NULL) {
    printf("libcrypto:      %s\n", OpenSSL_version(OPENSSL_VERSION));
    if (file != NULL)
      printf("                in %s\n", file);
    printf("configuration:  %s%s%s\n", conf != NULL ? conf : "?", from != NULL ? " (from OPENSSL_CONF)" : "",
           conf != NULL && !readable ? ", WHICH CANNOT BE READ" : "");
    printf("modules folder: %s%s\n", modules, getenv("OPENSSL_MODULES") != NULL ? " (from OPENSSL_MODULES)" : "");
  }
  OPENSSL_free(conf);
}

/* The active provider of this name. */
static void provider(struct json_object *j, const char *name) {
  char *version = NULL, *impl = NULL;
  OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_VERSION, &version, 0),
                         OSSL_PARAM_construct_utf8_ptr("implementation", &impl, 0), OSSL_PARAM_construct_end()};
  OSSL_PROVIDER *p = OSSL_PROVIDER_try_load(NULL, name, 1);
  if (p != NULL && OSSL_PROVIDER_get_params(p, params) == 1 && version != NULL) {
    fact(j, "provider_version", version);
    fact(j, "implementation", impl);
    if (j == NULL)
      printf("provider:       %s %s, implementation %s\n", RIJN_PROVIDER, version, impl != NULL ? impl : "?");
  }
  OSSL_PROVIDER_unload(p);
}

/* From where the ciphers come. Is AES-GCM Rijn's? */
static bool tell_ciphers(struct json_object *j) {
  struct json_object *list = j != NULL ? json_object_new_object() : NULL;
  bool all = true;
  for (size_t i = 0; i < sizeof ciphers / sizeof ciphers[0]; i++) {
    const char *from = provider_of(ciphers[i].name);
    bool ours = rijn_ossl_from_rijn(NULL, ciphers[i].name, NULL);
    if (list == NULL && (ciphers[i].must || ours))
      printf("%s:    from %s\n", ciphers[i].name, from != NULL ? from : "nowhere");
    fact(list, ciphers[i].name, from);
    if (ciphers[i].must && !ours)
      all = false;
  }
  if (j != NULL)
    json_object_object_add(j, "ciphers", list);
  return all;
}

/* What Rijn does not have has to come from elsewhere; a digest stands for all of it. WHY: where it does not, AES-GCM
 * is Rijn's and every program fails. */
static bool finds_the_rest(void) {
  EVP_MD *md = EVP_MD_fetch(NULL, "SHA2-256", NULL);
  bool found = md != NULL;
  EVP_MD_free(md);
  if (found)
    return true;
  ERR_clear_error();
  rijn_ossl_why("OpenSSL takes AES-GCM from Rijn, but finds nothing else (no SHA-256): most programs will fail.\n");
  if (OSSL_PROVIDER_available(NULL, "default") == 1)
    rijn_ossl_why("Why: the configuration asks for Rijn alone. With the question mark it asks for Rijn rather than "
                  "another:\n     default_properties = ?provider=rijn\n");
  else
    rijn_ossl_why("Why: the configuration does not activate the default provider. Once any provider is activated, it "
                  "needs\n     activate = 1  in a section of its own, named in that of the providers:  default = "
                  "default_sect\n");
  return false;
}

/* Is all well? Everything but the last line is told. */
static bool check_all(struct json_object *j) {
  static const char not_used[] = "OpenSSL does NOT take AES-GCM from Rijn.";
  if (rijn_ossl_some_module_is_cut()) {
    if (j == NULL)
      puts(not_used);
    return false;
  }
  OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL);
  surroundings(j);
  const char *name = rijn_ossl_from_rijn(NULL, "AES-256-GCM", NULL) ? provider_of("AES-256-GCM") : RIJN_PROVIDER;
  bool active = OSSL_PROVIDER_available(NULL, name) == 1;
  if (j != NULL)
    json_object_object_add(j, "provider_active", json_object_new_boolean(active));
  if (active)
    provider(j, name);
  else if (j == NULL)
    printf("provider:       %s is not active\n", RIJN_PROVIDER);
  if (tell_ciphers(j)) {
    if (encrypts("AES-128-GCM"))
      return finds_the_rest() && rijn_ossl_knows_all_options();
    rijn_ossl_why("OpenSSL takes AES-GCM from Rijn, but a known answer came out wrong.\n");
    rijn_ossl_errors();
    return false;
  }
  if (j == NULL)
    puts(not_used);
  if (!active)
    rijn_ossl_why_not_active();
  else
    rijn_ossl_why_not_used();
  return false;
}

static int check(const struct rijn_openssl *o) {
  struct json_object *j = o->json ? json_object_new_object() : NULL;
  if (o->json)
    rijn_ossl_why_keep();
  bool well = check_all(j);
  if (o->json) {
    char *why = rijn_ossl_why_kept();
    json_object_object_add(j, "used", json_object_new_boolean(well));
    fact(j, "why", why);
    puts(json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN));
    json_object_put(j);
    free(why);
  } else if (well) {
    puts("OpenSSL takes AES-GCM from Rijn.");
  }
  return well ? RIJN_EXIT_OK : RIJN_EXIT_FAILED;
}

/* ---------------------------------------------------------------- options */

static int take_action(const struct rijn_given *g) {
  static const char *const names[] = {"", "enable", "disable", "pid"};
  struct rijn_openssl *o = g->all;
  if (o->action != RIJN_OSSL_CHECK)
    return rijn_usage(g->argv0, "--enable, --disable and --pid: one of them, once");
  while (strcmp(names[o->action], g->option->name) != 0)
    o->action++;
  if (g->text != NULL)
    o->pid = g->text;
  return RIJN_EXIT_OK;
}

#define AT(field) .at = offsetof(struct rijn_openssl, field)
static const struct rijn_option options[] = {
    {"enable", 0, NULL, 1, 0, take_action, .help = "put Rijn into the configuration of the whole system"},
    {"disable", 0, NULL, 1, 0, take_action, .help = "take out what --enable wrote, and nothing else"},
    {"service", 0, "NAME", 1, AT(service), .help = "of one service of systemd instead (a drop-in for its unit)"},
    {"dry-run", 0, NULL, 1, AT(dry_run), .help = "show the change, and write nothing"},
    {"yes", 'y', NULL, 1, AT(yes), .help = "write it without asking"},
    {"config", 0, "FILE", 1, AT(config),
     .help = "this configuration, instead of openssl.cnf; with --service, the one that the service gets"},
    {"module", 0, "FILE", 1, AT(module), .help = "this rijn.so, instead of the one that is installed"},
    {"root", 0, "DIR", 1, AT(root), .help = "of the system that lies in this folder"},
    {"pid", 0, "N", 1, 0, take_action,
     .help = "which libcrypto, and which Rijn, a running process has. Status 0: it has loaded Rijn. 1: it has not"},
    {"json", 0, NULL, 1, AT(json), .help = "for programs"},
    {.name = NULL},
};
#undef AT

static const struct rijn_command command = {
    .name = "rijn openssl-check",
    .usage = "Usage: rijn openssl-check [--json]\n"
             "       rijn openssl-check --enable|--disable [--service NAME] [options]\n"
             "       rijn openssl-check --pid N [--json]\n"
             "\n"
             "Asks the libcrypto that this command is linked with from which provider AES-GCM\n"
             "comes. It reads the configuration that other programs get too: OPENSSL_CONF,\n"
             "OPENSSL_MODULES, or the built-in places. It says why when AES-GCM does not come\n"
             "from Rijn, or nothing else is found any more. Status 0: it does, and the rest is\n"
             "found too. 1: not so.\n",
    .footer = "--enable shows the lines, asks, and writes all of the file or nothing. It\n"
              "refuses a configuration that it does not understand, or that would have no\n"
              "effect, and a service that would lose rules of openssl.cnf, for TLS say: it\n"
              "no longer reads that file.\n"
              "Status of --enable and --disable: 0: done, nothing to do, or --dry-run.\n"
              "1: refused, declined, or no terminal to ask on. 130: Ctrl-C.\n"
              "Programs with a libcrypto of their own, setuid programs and those that load no\n"
              "configuration are not covered.\n",
    .options = options,
    .bit = 1,
    .once = true,
};

/* Paths go into files that other programs read from other folders, one a line. */
static int check_path(const struct rijn_openssl *o, const char *option, const char *path) {
  if (path == NULL)
    return RIJN_EXIT_OK;
  if (path[0] != '/')
    return rijn_usage(o->argv0, "%s: '%s' is not a full path", option, path);
  for (const char *p = path; *p != '\0'; p++)
    if ((unsigned char)*p < 0x21 || *p == 0x7f || strchr("\"'\\$#%=;", *p) != NULL)
      return rijn_usage(o->argv0, "%s: '%s' has characters that mean something in a configuration", option, path);
  return RIJN_EXIT_OK;
}

/* "nginx" or "nginx.service"; instances keep their name. */
static int check_service(const struct rijn_openssl *o) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_.\\-@";
  size_t len = o->service != NULL ? strlen(o->service) : 1;
  if (len == 0 || len > 200 ||
      (o->service != NULL && (strspn(o->service, letters) != len || o->service[0] == '.' || o->service[0] == '-')))
    return rijn_usage(o->argv0, "--service: '%s' is not the name of a service", o->service);
  return RIJN_EXIT_OK;
}

static int check_pid(const struct rijn_openssl *o) {
  if (o->pid != NULL &&
      (o->pid[0] < '1' || o->pid[0] > '9' || strspn(o->pid, "0123456789") != strlen(o->pid) || strlen(o->pid) > 9))
    return rijn_usage(o->argv0, "--pid: '%s' is not the number of a process", o->pid);
  return RIJN_EXIT_OK;
}

static int check_options(struct rijn_openssl *o) {
  bool switches = o->action == RIJN_OSSL_ENABLE || o->action == RIJN_OSSL_DISABLE;
  if (!switches &&
      (o->service != NULL || o->config != NULL || o->module != NULL || o->root != NULL || o->dry_run || o->yes))
    return rijn_usage(o->argv0,
                      "--service, --config, --module, --root, --dry-run and --yes go with --enable or --disable");
  if (o->service != NULL && o->module != NULL)
    return rijn_usage(o->argv0, "--module: a service gets a configuration, which names the module (--config)");
  int status = check_path(o, "--config", o->config);
  if (status == RIJN_EXIT_OK)
    status = check_path(o, "--module", o->module);
  if (status == RIJN_EXIT_OK)
    status = check_path(o, "--root", o->root);
  if (status == RIJN_EXIT_OK)
    status = check_service(o);
  return status == RIJN_EXIT_OK ? check_pid(o) : status;
}

/* Becomes the script beside this program, with what was asked for as words NAME=VALUE. */
static int run_switch(const struct rijn_openssl *o) {
  enum { WORDS = 12, ROOM = 2 * PATH_MAX };
  const struct {
    const char *name, *value;
  } all[WORDS] = {{"libcrypto", libcrypto_file()},
                  {"module", RIJN_MODULE_FROM_BIN},
                  {"cnf", RIJN_CNF_FROM_BIN},
                  {"action", o->action == RIJN_OSSL_ENABLE ? "enable" : "disable"},
                  {"service", o->service},
                  {"config", o->config},
                  {"named_module", o->module},
                  {"root", o->root},
                  {"pid", o->pid},
                  {"json", o->json ? "1" : NULL},
                  {"yes", o->yes ? "1" : NULL},
                  {"dry_run", o->dry_run ? "1" : NULL}};
  char path[PATH_MAX], *words[WORDS + 2] = {path};
  int n = 1;
  if (!rijn_beside("openssl-switch", path, sizeof path))
    path[0] = '\0';
  for (size_t i = 0; i < WORDS; i++)
    if (all[i].value != NULL && asprintf(&words[n++], "%s=%s", all[i].name, all[i].value) < 0) {
      rijn_say("out of memory");
      return RIJN_EXIT_FAILED;
    }
  execv(path, words);
  rijn_say_errno("cannot run %s", path);
  return RIJN_EXIT_FAILED;
}

int rijn_cmd_openssl_check(int argc, char **argv) {
  struct rijn_openssl o = {.argv0 = command.name};
  int status = rijn_args(&command, &o, argc, argv);
  if (status != RIJN_EXIT_OK)
    return status < 0 ? rijn_finish_stdout(RIJN_EXIT_OK) : status;
  if (optind != argc)
    return rijn_usage(argv[0], "unexpected '%s'", argv[optind]);
  status = check_options(&o);
  if (status != RIJN_EXIT_OK)
    return status;
  return o.action == RIJN_OSSL_CHECK ? rijn_finish_stdout(check(&o)) : run_switch(&o);
}
