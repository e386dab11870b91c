/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn openssl-check: what the configuration says, and why AES-GCM does not come from Rijn. */
#include "cmd.h"
#include "openssl.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What the configuration says about the provider; each NULL when it says nothing. */
struct rijn_configured {
  CONF *conf;
  char *file;
  const char *init, *providers, *section, *module, *activate, *algorithms, *alg_section, *properties, *fips_mode;
};

static FILE *kept;
static char *kept_text;
static size_t kept_len;

void rijn_ossl_why_keep(void) { kept = open_memstream(&kept_text, &kept_len); }

void rijn_ossl_why(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vfprintf(kept != NULL ? kept : stdout, format, args);
  va_end(args);
}

char *rijn_ossl_why_kept(void) {
  if (kept == NULL || fclose(kept) != 0)
    return NULL;
  kept = NULL;
  size_t n = 0; /* lines and indents become one space */
  for (const char *p = kept_text; *p != '\0'; p++)
    if (*p != ' ' && *p != '\n')
      kept_text[n++] = *p;
    else if (n > 0 && kept_text[n - 1] != ' ')
      kept_text[n++] = ' ';
  while (n > 0 && kept_text[n - 1] == ' ')
    n--;
  kept_text[n] = '\0';
  if (n == 0) {
    free(kept_text);
    return NULL;
  }
  return kept_text;
}

/* The queue of errors, indented, and emptied. */
void rijn_ossl_errors(void) {
  unsigned long e;
  const char *data;
  int flags;
  while ((e = ERR_get_error_all(NULL, NULL, NULL, &data, &flags)) != 0) {
    char text[256];
    ERR_error_string_n(e, text, sizeof text);
    rijn_ossl_why("    %s%s%s\n", text, data != NULL && *data != '\0' ? ": " : "", data != NULL ? data : "");
  }
}

/* The folder libcrypto loads modules from, and the configuration it reads. */
const char *rijn_ossl_modules_dir(void) {
  const char *dir = getenv("OPENSSL_MODULES");
  if (dir == NULL)
    dir = OPENSSL_info(OPENSSL_INFO_MODULES_DIR);
  return dir != NULL ? dir : "?";
}

/* WHY not by the provider's name: that is the configuration's, the property is the module's. */
bool rijn_ossl_from_rijn(OSSL_LIB_CTX *lib, const char *name, const char *properties) {
  EVP_CIPHER *c = EVP_CIPHER_fetch(lib, name, properties);
  EVP_CIPHER *ours = EVP_CIPHER_fetch(lib, name, "provider=" RIJN_PROVIDER);
  bool same = c != NULL && ours != NULL && EVP_CIPHER_get0_provider(c) == EVP_CIPHER_get0_provider(ours);
  EVP_CIPHER_free(c);
  EVP_CIPHER_free(ours);
  ERR_clear_error();
  return same;
}

static const char *value(const struct rijn_configured *c, const char *section, const char *name) {
  const char *v = section != NULL ? NCONF_get_string(c->conf, section, name) : NULL;
  ERR_clear_error();
  return v;
}

static bool read_configured(struct rijn_configured *c) {
  long line = 0;
  *c = (struct rijn_configured){.conf = NCONF_new(NULL), .file = CONF_get1_default_config_file()};
  if (c->conf == NULL || c->file == NULL)
    return false;
  ERR_clear_error();
  struct stat st;
  if (stat(c->file, &st) == 0 && S_ISDIR(st.st_mode)) { /* libcrypto reads it as if it had no lines */
    rijn_ossl_why("Why: the configuration is to be %s, which is a folder, not a file.\n", c->file);
    return false;
  }
  if (NCONF_load(c->conf, c->file, &line) != 1) {
    if (line > 0)
      rijn_ossl_why("Why: the configuration has a mistake in line %ld. What OpenSSL says:\n", line);
    else
      rijn_ossl_why("Why: the configuration cannot be read. What OpenSSL says:\n");
    rijn_ossl_errors();
    return false;
  }
  c->init = value(c, "default", "openssl_conf");
  c->providers = value(c, c->init, "providers");
  c->section = value(c, c->providers, RIJN_PROVIDER);
  c->module = value(c, c->section, "module");
  c->activate = value(c, c->section, "activate");
  c->algorithms = value(c, c->section, "algorithms");
  c->alg_section = value(c, c->init, "alg_section");
  c->properties = value(c, c->alg_section, "default_properties");
  c->fips_mode = value(c, c->alg_section, "fips_mode");
  return true;
}

static void forget(struct rijn_configured *c) {
  NCONF_free(c->conf);
  OPENSSL_free(c->file);
}

/* An option of the provider's section that nobody reads; NULL: there is none. */
static const char *unknown_option(const struct rijn_configured *c) {
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
    snprintf(path, size, "%s/%s%s", rijn_ossl_modules_dir(), module != NULL ? module : name,
             module != NULL ? "" : ".so");
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

/* WHY before libcrypto loads anything: the loader maps what is not
 * there, and the program ends with SIGBUS. Says so. */
static bool cut_short(const char *path) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  bool cut = false;
  if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
    uint64_t need = bytes_needed(fd);
    cut = (uint64_t)st.st_size < need;
    if (cut)
      rijn_ossl_why("Why: the module %s is cut short: it has %llu bytes, and its headers speak of %llu.\n"
                    "     Programs that load it end with SIGBUS. Install it anew.\n",
                    path, (unsigned long long)st.st_size, (unsigned long long)need);
  }
  if (fd >= 0)
    close(fd);
  return cut;
}

/* Any provider's module: each would end the program. */
bool rijn_ossl_some_module_is_cut(void) {
  struct rijn_configured c = {.conf = NCONF_new(NULL), .file = CONF_get1_default_config_file()};
  long line = 0;
  bool cut = false;
  if (c.conf != NULL && c.file != NULL && NCONF_load(c.conf, c.file, &line) == 1) {
    const char *providers = value(&c, value(&c, "default", "openssl_conf"), "providers");
    STACK_OF(CONF_VALUE) *all = providers != NULL ? NCONF_get_section(c.conf, providers) : NULL;
    for (int i = 0; all != NULL && i < sk_CONF_VALUE_num(all); i++) {
      char path[4096];
      const CONF_VALUE *v = sk_CONF_VALUE_value(all, i);
      module_path(path, sizeof path, value(&c, v->value, "module"), v->name);
      cut = cut_short(path) || cut;
    }
  }
  ERR_clear_error();
  forget(&c);
  return cut;
}

/* Loads the provider as configured. WHY like this: when libcrypto activates a provider of its configuration and fails,
 * it drops the reasons. So they are brought about again, in a library context of its own, which has the provider
 * described but not activated. false: it fails, and the errors are in the queue. */
static bool loads(const char *module, const char *algorithms) {
  char path[64];
  bool ok = false;
  OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
  int fd = memfd_create("rijn-openssl.cnf", MFD_CLOEXEC);
  if (lib != NULL && fd >= 0) {
    dprintf(fd, "openssl_conf = a\n[a]\nproviders = b\n[b]\n%s = c\n[c]\n", RIJN_PROVIDER);
    if (module != NULL)
      dprintf(fd, "module = %s\n", module);
    if (algorithms != NULL)
      dprintf(fd, "algorithms = %s\n", algorithms);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (OSSL_LIB_CTX_load_config(lib, path) == 1) {
      OSSL_PROVIDER *p = OSSL_PROVIDER_try_load(lib, RIJN_PROVIDER, 1);
      ok = p != NULL;
      OSSL_PROVIDER_unload(p);
    }
  }
  if (fd >= 0)
    close(fd);
  OSSL_LIB_CTX_free(lib);
  return ok;
}

static const char *missing_section(const struct rijn_configured *c) {
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
static bool stops(const struct rijn_configured *c) {
  ERR_clear_error();
  OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
  bool failed = lib != NULL && OSSL_LIB_CTX_load_config(lib, c->file) != 1;
  if (failed) {
    rijn_ossl_why("Why: OpenSSL stops at a mistake in the configuration; what comes after it counts for nothing.\n"
                  "     What OpenSSL says:\n");
    rijn_ossl_errors();
  }
  OSSL_LIB_CTX_free(lib);
  return failed;
}

static void print_unknown(const struct rijn_configured *c) {
  rijn_ossl_why("Why: section [%s] of the configuration has an option that Rijn does not know: %s\n"
                "     (it has one of its own: algorithms).\n",
                c->section, unknown_option(c));
}

/* Rijn is used, and an option of its section does nothing. */
bool rijn_ossl_knows_all_options(void) {
  struct rijn_configured c;
  bool known = !read_configured(&c) || unknown_option(&c) == NULL;
  if (!known) {
    rijn_ossl_why("OpenSSL takes AES-GCM from Rijn, but not all is as the configuration has it.\n");
    print_unknown(&c);
  }
  forget(&c);
  return known;
}

/* The provider is not active: it was not asked for, or could not be loaded. */
void rijn_ossl_why_not_active(void) {
  struct rijn_configured c;
  if (read_configured(&c)) {
    const char *how = "Put the lines of rijn-openssl.cnf into it, or set OPENSSL_CONF to that file.";
    const char *missing = missing_section(&c);
    if (c.init == NULL)
      rijn_ossl_why("Why: the configuration has no openssl_conf before its first section.\n     %s\n", how);
    else if (missing != NULL)
      rijn_ossl_why("Why: the configuration names section [%s], but has none of that name.\n     %s\n", missing, how);
    else if (c.providers == NULL)
      rijn_ossl_why("Why: section [%s] of the configuration names no section of providers.\n     %s\n", c.init, how);
    else if (c.section == NULL)
      rijn_ossl_why("Why: section [%s] of the configuration does not name %s.\n     %s\n", c.providers, RIJN_PROVIDER,
                    how);
    else if (c.activate == NULL)
      rijn_ossl_why("Why: section [%s] of the configuration lacks  activate = 1\n", c.section);
    else if (unknown_option(&c) != NULL)
      print_unknown(&c);
    else if (loads(c.module, c.algorithms)) {
      if (!stops(&c))
        rijn_ossl_why("Why: the provider can be loaded, but the configuration does not activate it (activate = %s).\n",
                      c.activate);
    } else {
      char path[4096];
      module_path(path, sizeof path, c.module, RIJN_PROVIDER);
      if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
        rijn_ossl_why(
            "Why: the configuration activates %s, but there is no %s.\n     Install the module there, or name its "
            "path in the configuration: module = /path/%s.so\n",
            RIJN_PROVIDER, path, RIJN_PROVIDER);
      else
        rijn_ossl_why("Why: the configuration activates %s, but it cannot be loaded. What OpenSSL says:\n", path);
      rijn_ossl_errors();
    }
  }
  forget(&c);
}

/* Is AES-GCM among what the active provider has? WHY not by a fetch: the default properties are added to any query. */
static bool offers_gcm(void) {
  bool found = false;
  int no_cache = 0;
  OSSL_PROVIDER *p = OSSL_PROVIDER_try_load(NULL, RIJN_PROVIDER, 1);
  const OSSL_ALGORITHM *all = p != NULL ? OSSL_PROVIDER_query_operation(p, OSSL_OP_CIPHER, &no_cache) : NULL;
  for (const OSSL_ALGORITHM *a = all; a != NULL && a->algorithm_names != NULL; a++)
    found = found || strncmp(a->algorithm_names, "AES-256-GCM:", 12) == 0;
  if (p != NULL)
    OSSL_PROVIDER_unquery_operation(p, OSSL_OP_CIPHER, all);
  OSSL_PROVIDER_unload(p);
  return found;
}

/* Whose module the active provider is, if it is not Rijn's, which alone says its implementation; NULL: it is Rijn's. */
static const char *another_module(OSSL_PROVIDER *p) {
  char *impl = NULL, *name = NULL;
  OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_ptr("implementation", &impl, 0),
                         OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_NAME, &name, 0), OSSL_PARAM_construct_end()};
  if (p == NULL || (OSSL_PROVIDER_get_params(p, params) == 1 && impl != NULL))
    return NULL;
  return name != NULL ? name : "a provider without a name";
}

static bool is_another_module(void) {
  OSSL_PROVIDER *p = OSSL_PROVIDER_try_load(NULL, RIJN_PROVIDER, 1);
  const char *name = another_module(p);
  struct rijn_configured c;
  if (name != NULL && read_configured(&c)) {
    char path[4096];
    module_path(path, sizeof path, c.module, RIJN_PROVIDER);
    rijn_ossl_why("Why: what is active under the name %s is not Rijn, but \"%s\", in\n     %s\n"
                  "     Install Rijn's module there, or name its path in the configuration: module = /path/%s.so\n",
                  RIJN_PROVIDER, name, path, RIJN_PROVIDER);
    forget(&c);
  }
  OSSL_PROVIDER_unload(p);
  return name != NULL;
}

/* Does fips_mode keep Rijn away, and not the properties themselves? */
static bool fips_excludes(const struct rijn_configured *c) {
  return c->fips_mode != NULL && EVP_default_properties_is_fips_enabled(NULL) == 1 &&
         (c->properties == NULL || strstr(c->properties, "fips") == NULL);
}

void rijn_ossl_why_not_used(void) {
  static const char wanted[] = "default_properties = ?provider=" RIJN_PROVIDER;
  struct rijn_configured c;
  if (is_another_module())
    return;
  if (!offers_gcm()) {
    rijn_ossl_why("Why: the provider is active, but offers no AES-GCM: look at \"algorithms\" in its section of the\n"
                  "     configuration; it must name gcm.\n");
    return;
  }
  if (read_configured(&c) && !stops(&c)) {
    bool excluded = !rijn_ossl_from_rijn(NULL, "AES-256-GCM", "provider=" RIJN_PROVIDER);
    if (excluded && fips_excludes(&c))
      rijn_ossl_why("Why: the provider is active, but section [%s] of the configuration has  fips_mode = %s\n"
                    "     and Rijn is no FIPS module.\n",
                    c.alg_section, c.fips_mode);
    else if (c.properties != NULL)
      rijn_ossl_why("Why: the provider is active, but section [%s] of the configuration has\n"
                    "         default_properties = %s\n     which %s. It needs\n         %s\n",
                    c.alg_section, c.properties,
                    excluded ? "excludes Rijn, whose properties are provider=" RIJN_PROVIDER " and rijn.aes=yes"
                             : "does not make OpenSSL prefer it",
                    wanted);
    else {
      rijn_ossl_why(
          "Why: the provider is active, but nothing makes OpenSSL prefer it: among equal ciphers it takes the "
          "first.\n");
      if (c.alg_section != NULL)
        rijn_ossl_why("     The configuration needs, in section [%s]:  %s\n", c.alg_section, wanted);
      else
        rijn_ossl_why(
            "     Section [%s] of the configuration needs  alg_section = evp_properties  and the configuration a\n"
            "     section [evp_properties] with  %s\n",
            c.init != NULL ? c.init : "openssl_init", wanted);
    }
  }
  forget(&c);
}
