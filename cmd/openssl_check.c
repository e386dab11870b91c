/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * rijn openssl-check: does the libcrypto of this machine, configured as it is, take AES-GCM from Rijn? And if not,
 * why?
 *
 * WHY a command: a provider that is not found, not activated or not preferred changes nothing, and nobody is told.
 */
#include "cmd.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <openssl/conf.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROVIDER "rijn"

static const char help[] = "Usage: rijn openssl-check\n"
                           "\n"
                           "Asks the libcrypto that this command is linked with from which provider AES-GCM\n"
                           "comes. It reads the configuration that other programs get too: OPENSSL_CONF,\n"
                           "OPENSSL_MODULES, or the built-in places. It says why when AES-GCM does not come\n"
                           "from Rijn, or nothing else is found any more. Status 0: it does, and the rest is\n"
                           "found too. 1: not so.\n"
                           "\n"
                           "  -h, --help  show this\n"
                           "\n"
                           "Programs with a libcrypto of their own, setuid programs and those that load no\n"
                           "configuration are not covered.\n";

/* The ciphers that the configuration's \"algorithms\" names, each with its family. */
static const struct {
  const char *name;
  bool must;
} ciphers[] = {
    {"AES-128-GCM", true},      {"AES-192-GCM", true},  {"AES-256-GCM", true},  {"AES-128-GCM-SIV", false},
    {"AES-256-GCM-SIV", false}, {"AES-128-CTR", false}, {"AES-256-CTR", false}, {"AES-128-CBC", false},
    {"AES-256-CBC", false},     {"AES-128-XTS", false}, {"AES-256-XTS", false}, {"AES-128-ECB", false},
    {"AES-256-ECB", false},
};

/* The queue of errors, indented, and emptied. */
static void print_errors(void) {
  unsigned long e;
  const char *data;
  int flags;
  while ((e = ERR_get_error_all(NULL, NULL, NULL, &data, &flags)) != 0) {
    char text[256];
    ERR_error_string_n(e, text, sizeof text);
    printf("    %s%s%s\n", text, data != NULL && *data != '\0' ? ": " : "", data != NULL ? data : "");
  }
}

/* Which provider name comes from under the properties; NULL: from none. Text of the provider. */
static const char *provider_of(const char *name, const char *properties) {
  EVP_CIPHER *c = EVP_CIPHER_fetch(NULL, name, properties);
  if (c == NULL) {
    ERR_clear_error();
    return NULL;
  }
  const char *from = OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(c));
  EVP_CIPHER_free(c);
  return from;
}

/* WHY not by the provider's name: that is the configuration's, the property is the module's. */
static bool from_rijn(const char *name, const char *properties) {
  EVP_CIPHER *c = EVP_CIPHER_fetch(NULL, name, properties), *ours = EVP_CIPHER_fetch(NULL, name, "provider=" PROVIDER);
  bool same = c != NULL && ours != NULL && EVP_CIPHER_get0_provider(c) == EVP_CIPHER_get0_provider(ours);
  EVP_CIPHER_free(c);
  EVP_CIPHER_free(ours);
  ERR_clear_error();
  return same;
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

/* The folder libcrypto loads modules from, and the configuration it reads. */
static const char *modules_dir(void) {
  const char *dir = getenv("OPENSSL_MODULES");
  if (dir == NULL)
    dir = OPENSSL_info(OPENSSL_INFO_MODULES_DIR);
  return dir != NULL ? dir : "?";
}

static void print_surroundings(void) {
  Dl_info where;
  printf("libcrypto:      %s\n", OpenSSL_version(OPENSSL_VERSION));
  if (dladdr((const void *)(uintptr_t)&OpenSSL_version, &where) != 0 && where.dli_fname != NULL)
    printf("                in %s\n", where.dli_fname);
  char *conf = CONF_get1_default_config_file();
  printf("configuration:  %s%s%s\n", conf != NULL ? conf : "?",
         getenv("OPENSSL_CONF") != NULL ? " (from OPENSSL_CONF)" : "",
         conf != NULL && access(conf, R_OK) != 0 ? ", WHICH CANNOT BE READ" : "");
  OPENSSL_free(conf);
  printf("modules folder: %s%s\n", modules_dir(), getenv("OPENSSL_MODULES") != NULL ? " (from OPENSSL_MODULES)" : "");
}

static void print_provider(OSSL_PROVIDER *p) {
  char *version = NULL, *impl = NULL;
  OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_VERSION, &version, 0),
                         OSSL_PARAM_construct_utf8_ptr("implementation", &impl, 0), OSSL_PARAM_construct_end()};
  if (OSSL_PROVIDER_get_params(p, params) == 1 && version != NULL)
    printf("provider:       %s %s, implementation %s\n", PROVIDER, version, impl != NULL ? impl : "?");
}

/* What the configuration says about the provider; each NULL when it says nothing. */
struct configured {
  CONF *conf;
  char *file;
  const char *init, *providers, *section, *module, *activate, *algorithms, *alg_section, *properties, *fips_mode;
};

static const char *value_of(const struct configured *c, const char *section, const char *name) {
  const char *v = section != NULL ? NCONF_get_string(c->conf, section, name) : NULL;
  ERR_clear_error();
  return v;
}

/* false: the file cannot be read, and that was said. */
static bool read_configuration(struct configured *c) {
  long line = 0;
  *c = (struct configured){.conf = NCONF_new(NULL), .file = CONF_get1_default_config_file()};
  if (c->conf == NULL || c->file == NULL)
    return false;
  ERR_clear_error();
  if (NCONF_load(c->conf, c->file, &line) != 1) {
    if (line > 0)
      printf("Why: the configuration has a mistake in line %ld. What OpenSSL says:\n", line);
    else
      printf("Why: the configuration cannot be read. What OpenSSL says:\n");
    print_errors();
    return false;
  }
  c->init = value_of(c, "default", "openssl_conf");
  c->providers = value_of(c, c->init, "providers");
  c->section = value_of(c, c->providers, PROVIDER);
  c->module = value_of(c, c->section, "module");
  c->activate = value_of(c, c->section, "activate");
  c->algorithms = value_of(c, c->section, "algorithms");
  c->alg_section = value_of(c, c->init, "alg_section");
  c->properties = value_of(c, c->alg_section, "default_properties");
  c->fips_mode = value_of(c, c->alg_section, "fips_mode");
  return true;
}

/* An option of the provider's section that nobody reads; NULL: there is none. */
static const char *unknown_option(const struct configured *c) {
  static const char *const known[] = {"module", "identity", "soft_load", "activate", "algorithms"};
  STACK_OF(CONF_VALUE) *all = c->section != NULL ? NCONF_get_section(c->conf, c->section) : NULL;
  ERR_clear_error();
  for (int i = 0; all != NULL && i < sk_CONF_VALUE_num(all); i++) {
    const char *name = sk_CONF_VALUE_value(all, i)->name;
    bool found = false;
    for (size_t j = 0; j < sizeof known / sizeof known[0]; j++)
      found = found || strcmp(name, known[j]) == 0;
    if (!found)
      return name;
  }
  return NULL;
}

/* Where libcrypto looks for the module of a provider. WHY a relative path not from the working directory: libcrypto
 * does not look there. */
static void module_path(char *path, size_t size, const char *module, const char *name) {
  if (module != NULL && module[0] == '/')
    snprintf(path, size, "%s", module);
  else
    snprintf(path, size, "%s/%s%s", modules_dir(), module != NULL ? module : name, module != NULL ? "" : ".so");
}

/* Bytes that the file of a module must have for all that its program headers load; 0: it is no such file. */
static uint64_t bytes_needed(int fd) {
  Elf64_Ehdr head;
  Elf64_Phdr part;
  uint64_t most = 0;
  if (pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof part)
    return 0;
  for (unsigned i = 0; i < head.e_phnum; i++) {
    if (pread(fd, &part, sizeof part, (off_t)(head.e_phoff + i * sizeof part)) != (ssize_t)sizeof part)
      return head.e_phoff + head.e_phnum * sizeof part;
    if (part.p_type == PT_LOAD && part.p_offset + part.p_filesz > most)
      most = part.p_offset + part.p_filesz;
  }
  return most;
}

/* Is a module that the configuration names cut short? WHY before libcrypto loads anything: the loader maps what is not
 * there, and the program ends with SIGBUS. Says so. */
static bool cut_short(const char *path) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  bool cut = false;
  if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
    uint64_t need = bytes_needed(fd);
    cut = (uint64_t)st.st_size < need;
    if (cut)
      printf("Why: the module %s is cut short: it has %llu bytes, and its headers speak of %llu.\n"
             "     Programs that load it end with SIGBUS. Install it anew.\n",
             path, (unsigned long long)st.st_size, (unsigned long long)need);
  }
  if (fd >= 0)
    close(fd);
  return cut;
}

/* Any provider's module: each would end the program. */
static bool some_module_is_cut(void) {
  struct configured c = {.conf = NCONF_new(NULL), .file = CONF_get1_default_config_file()};
  long line = 0;
  bool cut = false;
  if (c.conf != NULL && c.file != NULL && NCONF_load(c.conf, c.file, &line) == 1) {
    const char *providers = value_of(&c, value_of(&c, "default", "openssl_conf"), "providers");
    STACK_OF(CONF_VALUE) *all = providers != NULL ? NCONF_get_section(c.conf, providers) : NULL;
    for (int i = 0; all != NULL && i < sk_CONF_VALUE_num(all); i++) {
      char path[4096];
      const CONF_VALUE *v = sk_CONF_VALUE_value(all, i);
      module_path(path, sizeof path, value_of(&c, v->value, "module"), v->name);
      cut = cut_short(path) || cut;
    }
  }
  ERR_clear_error();
  NCONF_free(c.conf);
  OPENSSL_free(c.file);
  return cut;
}

/* Loads the provider as configured. WHY like this: when libcrypto activates a provider of its configuration and fails,
 * it drops the reasons. So they are brought about again, in a library context of its own, which has the provider
 * described but not activated. false: it fails, and the errors are in the queue. */
static bool loads(const struct configured *c) {
  char path[64];
  bool ok = false;
  OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
  int fd = memfd_create("rijn-openssl.cnf", MFD_CLOEXEC);
  if (lib != NULL && fd >= 0) {
    dprintf(fd, "openssl_conf = a\n[a]\nproviders = b\n[b]\n%s = c\n[c]\n", PROVIDER);
    if (c->module != NULL)
      dprintf(fd, "module = %s\n", c->module);
    if (c->algorithms != NULL)
      dprintf(fd, "algorithms = %s\n", c->algorithms);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (OSSL_LIB_CTX_load_config(lib, path) == 1) {
      OSSL_PROVIDER *p = OSSL_PROVIDER_try_load(lib, PROVIDER, 1);
      ok = p != NULL;
      OSSL_PROVIDER_unload(p);
    }
  }
  if (fd >= 0)
    close(fd);
  OSSL_LIB_CTX_free(lib);
  return ok;
}

/* The first section that the lines on the way to the provider name and that is not there. NULL: they all are. */
static const char *missing_section(const struct configured *c) {
  const char *const named[] = {c->init, c->providers, c->section};
  const char *missing = NULL;
  for (size_t i = 0; missing == NULL && i < sizeof named / sizeof named[0]; i++)
    if (named[i] != NULL && NCONF_get_section(c->conf, named[i]) == NULL)
      missing = named[i];
  ERR_clear_error();
  return missing;
}

/* Does OpenSSL stop in the middle of the configuration, so that lines which are right count for nothing? WHY here and
 * in a library context of its own: where a program is started it stops in silence. Says so when it does. */
static bool stops(const struct configured *c) {
  ERR_clear_error();
  OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
  bool failed = lib != NULL && OSSL_LIB_CTX_load_config(lib, c->file) != 1;
  if (failed) {
    printf("Why: OpenSSL stops at a mistake in the configuration; what comes after it counts for nothing.\n"
           "     What OpenSSL says:\n");
    print_errors();
  }
  OSSL_LIB_CTX_free(lib);
  return failed;
}

static void print_unknown(const struct configured *c) {
  printf("Why: section [%s] of the configuration has an option that Rijn does not know: %s\n"
         "     (it has one of its own: algorithms).\n",
         c->section, unknown_option(c));
}

/* Rijn is used, and an option of its section does nothing. */
static bool knows_all_options(void) {
  struct configured c;
  bool known = !read_configuration(&c) || unknown_option(&c) == NULL;
  if (!known) {
    printf("OpenSSL takes AES-GCM from Rijn, but not all is as the configuration has it.\n");
    print_unknown(&c);
  }
  NCONF_free(c.conf);
  OPENSSL_free(c.file);
  return known;
}

/* The provider is not active: it was not asked for, or could not be loaded. */
static void why_not_active(void) {
  struct configured c;
  if (read_configuration(&c)) {
    const char *how = "Put the lines of rijn-openssl.cnf into it, or set OPENSSL_CONF to that file.";
    const char *missing = missing_section(&c);
    if (c.init == NULL)
      printf("Why: the configuration has no openssl_conf before its first section.\n     %s\n", how);
    else if (missing != NULL)
      printf("Why: the configuration names section [%s], but has none of that name.\n     %s\n", missing, how);
    else if (c.providers == NULL)
      printf("Why: section [%s] of the configuration names no section of providers.\n     %s\n", c.init, how);
    else if (c.section == NULL)
      printf("Why: section [%s] of the configuration does not name %s.\n     %s\n", c.providers, PROVIDER, how);
    else if (c.activate == NULL)
      printf("Why: section [%s] of the configuration lacks  activate = 1\n", c.section);
    else if (unknown_option(&c) != NULL)
      print_unknown(&c);
    else if (loads(&c)) {
      if (!stops(&c))
        printf("Why: the provider can be loaded, but the configuration does not activate it (activate = %s).\n",
               c.activate);
    } else {
      char path[4096];
      module_path(path, sizeof path, c.module, PROVIDER);
      if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
        printf("Why: the configuration activates %s, but there is no %s.\n     Install the module there, or name its "
               "path in the configuration: module = /path/%s.so\n",
               PROVIDER, path, PROVIDER);
      else
        printf("Why: the configuration activates %s, but it cannot be loaded. What OpenSSL says:\n", path);
      print_errors();
    }
  }
  NCONF_free(c.conf);
  OPENSSL_free(c.file);
}

/* Is AES-GCM among what the active provider has? WHY not by a fetch: the default properties are added to any query. */
static bool offers_gcm(void) {
  bool found = false;
  int no_cache = 0;
  OSSL_PROVIDER *p = OSSL_PROVIDER_try_load(NULL, PROVIDER, 1);
  const OSSL_ALGORITHM *all = p != NULL ? OSSL_PROVIDER_query_operation(p, OSSL_OP_CIPHER, &no_cache) : NULL;
  for (const OSSL_ALGORITHM *a = all; a != NULL && a->algorithm_names != NULL; a++)
    found = found || strncmp(a->algorithm_names, "AES-256-GCM:", 12) == 0;
  if (p != NULL)
    OSSL_PROVIDER_unquery_operation(p, OSSL_OP_CIPHER, all);
  OSSL_PROVIDER_unload(p);
  return found;
}

static void why_not_used(void) {
  static const char wanted[] = "default_properties = ?provider=" PROVIDER;
  struct configured c;
  if (!offers_gcm()) {
    printf("Why: the provider is active, but offers no AES-GCM: look at \"algorithms\" in its section of the\n"
           "     configuration; it must name gcm.\n");
    return;
  }
  if (read_configuration(&c) && !stops(&c)) {
    bool excluded = !from_rijn("AES-256-GCM", "provider=" PROVIDER);
    if (c.properties != NULL)
      printf("Why: the provider is active, but section [%s] of the configuration has\n"
             "         default_properties = %s\n     which %s. It needs\n         %s\n",
             c.alg_section, c.properties,
             excluded ? "excludes Rijn, whose properties are provider=" PROVIDER " and rijn.aes=yes"
                      : "does not make OpenSSL prefer it",
             wanted);
    else if (excluded && c.fips_mode != NULL)
      printf("Why: the provider is active, but section [%s] of the configuration has  fips_mode = %s\n"
             "     and Rijn is no FIPS module.\n",
             c.alg_section, c.fips_mode);
    else {
      printf("Why: the provider is active, but nothing makes OpenSSL prefer it: among equal ciphers it takes the "
             "first.\n");
      if (c.alg_section != NULL)
        printf("     The configuration needs, in section [%s]:  %s\n", c.alg_section, wanted);
      else
        printf("     Section [%s] of the configuration needs  alg_section = evp_properties  and the configuration a\n"
               "     section [evp_properties] with  %s\n",
               c.init != NULL ? c.init : "openssl_init", wanted);
    }
  }
  NCONF_free(c.conf);
  OPENSSL_free(c.file);
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
  printf("OpenSSL takes AES-GCM from Rijn, but finds nothing else (no SHA-256): most programs will fail.\n");
  if (OSSL_PROVIDER_available(NULL, "default") == 1)
    printf("Why: the configuration asks for Rijn alone. With the question mark it asks for Rijn rather than another:\n"
           "     default_properties = ?provider=rijn\n");
  else
    printf("Why: the configuration does not activate the default provider. Once any provider is activated, it needs\n"
           "     activate = 1  in a section of its own, named in that of the providers:  default = default_sect\n");
  return false;
}

static int check(void) {
  if (some_module_is_cut()) {
    printf("OpenSSL does NOT take AES-GCM from Rijn.\n");
    return RIJN_EXIT_FAILED;
  }
  OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL);
  print_surroundings();
  const char *name = from_rijn("AES-256-GCM", NULL) ? provider_of("AES-256-GCM", NULL) : PROVIDER;
  bool active = OSSL_PROVIDER_available(NULL, name) == 1;
  if (active) {
    OSSL_PROVIDER *p = OSSL_PROVIDER_try_load(NULL, name, 1);
    if (p != NULL)
      print_provider(p);
    OSSL_PROVIDER_unload(p);
  } else {
    printf("provider:       %s is not active\n", PROVIDER);
  }

  bool all = true;
  for (size_t i = 0; i < sizeof ciphers / sizeof ciphers[0]; i++) {
    const char *from = provider_of(ciphers[i].name, NULL);
    bool ours = from_rijn(ciphers[i].name, NULL);
    if (ciphers[i].must || ours)
      printf("%s:    from %s\n", ciphers[i].name, from != NULL ? from : "nowhere");
    if (ciphers[i].must && !ours)
      all = false;
  }
  if (all && !encrypts("AES-128-GCM")) {
    printf("OpenSSL takes AES-GCM from Rijn, but a known answer came out wrong.\n");
    print_errors();
    return RIJN_EXIT_FAILED;
  }
  if (all) {
    if (!finds_the_rest() || !knows_all_options())
      return RIJN_EXIT_FAILED;
    printf("OpenSSL takes AES-GCM from Rijn.\n");
    return RIJN_EXIT_OK;
  }
  printf("OpenSSL does NOT take AES-GCM from Rijn.\n");
  if (!active)
    why_not_active();
  else
    why_not_used();
  return RIJN_EXIT_FAILED;
}

int rijn_cmd_openssl_check(int argc, char **argv) {
  static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
  static const char letters[] = ":h";
  int c;
  while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
    switch (c) {
    case 'h':
      fputs(help, stdout);
      return rijn_finish_stdout(RIJN_EXIT_OK);
    default:
      return rijn_refuse_option(argv[0], c, argv, letters, options);
    }
  }
  if (optind != argc)
    return rijn_usage(argv[0], "unexpected '%s'", argv[optind]);
  return rijn_finish_stdout(check());
}
