/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * rijn openssl-check --enable and --disable: which lines go into a configuration of OpenSSL, and which come out. No
 * file is written here.
 *
 * Lines go in as blocks between two marks, so that they come out as they went in. What stands in the file stays.
 * Sections of one name are joined by OpenSSL, so a block at the end adds to sections that are there. Only openssl_conf
 * must stand before the first section: where it is missing, a second block comes in front.
 */
#include "cmd.h"
#include "openssl.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BEGIN "# rijn: begin. Written by `rijn openssl-check --enable`; `--disable` takes it out, to the end mark."
#define BEGIN_ANY "# rijn: begin"
#define END "# rijn: end"

static int refuse(const char *file, const char *why) {
  rijn_say("%s: %s. Nothing was written", file, why);
  return RIJN_EXIT_FAILED;
}

static int refuse_about(const char *file, const char *section, const char *why) {
  char text[512];
  snprintf(text, sizeof text, "section [%s] %s", section, why);
  return refuse(file, text);
}

/* Does libcrypto take AES-GCM from Rijn, and the rest from elsewhere, with this text as its configuration? */
static bool works(const char *text, size_t len) {
  char path[64];
  bool ok = false;
  OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
  int fd = memfd_create("openssl.cnf", MFD_CLOEXEC);
  if (lib != NULL && fd >= 0 && rijn_write_full(fd, text, len) == 0) {
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ok = OSSL_LIB_CTX_load_config(lib, path) == 1 && rijn_ossl_from_rijn(lib, "AES-256-GCM", NULL);
    EVP_MD *md = ok ? EVP_MD_fetch(lib, "SHA2-256", NULL) : NULL;
    ok = md != NULL;
    EVP_MD_free(md);
  }
  ERR_clear_error();
  if (fd >= 0)
    close(fd);
  OSSL_LIB_CTX_free(lib);
  return ok;
}

/* Which of the providers is Rijn, by name or by module, and which others are activated. */
struct providers {
  bool rijn, others;
  const char *default_section;
  bool default_active;
};

static void look_at_providers(struct providers *p, const struct rijn_configured *c) {
  STACK_OF(CONF_VALUE) *all = c->providers != NULL ? NCONF_get_section(c->conf, c->providers) : NULL;
  *p = (struct providers){0};
  for (int i = 0; all != NULL && i < sk_CONF_VALUE_num(all); i++) {
    const CONF_VALUE *v = sk_CONF_VALUE_value(all, i);
    const char *module = rijn_ossl_value(c, v->value, "module");
    const char *base = module != NULL && strrchr(module, '/') != NULL ? strrchr(module, '/') + 1 : module;
    bool active = rijn_ossl_value(c, v->value, "activate") != NULL;
    if (strcmp(v->name, RIJN_PROVIDER) == 0 || (base != NULL && strcmp(base, RIJN_PROVIDER ".so") == 0)) {
      p->rijn = true;
    } else if (strcmp(v->name, "default") == 0) {
      p->default_section = v->value;
      p->default_active = active;
    } else {
      p->others = p->others || active;
    }
  }
  ERR_clear_error();
}

/* What is not understood. */
static int look_for_trouble(const struct rijn_configured *c, const struct providers *p, const char *file) {
  const char *missing = rijn_ossl_missing_section(c);
  if (p->rijn)
    return refuse(file, "has lines about Rijn that --enable did not write. `rijn openssl-check` says what they lack");
  if (missing != NULL)
    return refuse_about(file, missing, "is named and not there");
  if (c->fips_mode != NULL)
    return refuse_about(file, c->alg_section, "has fips_mode, and Rijn is no FIPS module");
  if (c->properties != NULL)
    return refuse_about(file, c->alg_section,
                        "has default_properties already: ?rijn.aes=yes has to be added to them by hand");
  if (p->others && !p->default_active)
    return refuse_about(file, c->providers,
                        "activates another provider and not the default one: that is for you to decide");
  return RIJN_EXIT_OK;
}

/* The blocks, as the configuration needs them. false: no memory. */
static bool write_blocks(struct rijn_ossl_plan *plan, const struct rijn_configured *c, const struct providers *p,
                         const char *module) {
  size_t len;
  const char *init = c->init != NULL ? c->init : "rijn_init";
  const char *providers = c->providers != NULL ? c->providers : "rijn_providers";
  const char *algorithms = c->alg_section != NULL ? c->alg_section : "rijn_properties";
  const char *rest = p->default_section != NULL ? p->default_section : "rijn_default";
  FILE *f = c->init == NULL ? open_memstream(&plan->top, &len) : NULL;
  bool ok = c->init != NULL || f != NULL;
  if (f != NULL) {
    fprintf(f, "%s\nopenssl_conf = %s\n%s\n", BEGIN, init, END);
    ok = fclose(f) == 0;
  }
  f = ok ? open_memstream(&plan->end, &len) : NULL;
  if (f == NULL)
    return false;
  fprintf(f, "%s\n", BEGIN);
  if (c->providers == NULL || c->alg_section == NULL)
    fprintf(f, "[%s]\n", init);
  if (c->providers == NULL)
    fprintf(f, "providers = %s\n", providers);
  if (c->alg_section == NULL)
    fprintf(f, "alg_section = %s\n", algorithms);
  fprintf(f, "[%s]\ndefault_properties = ?provider=" RIJN_PROVIDER "\n[%s]\n", algorithms, providers);
  if (p->default_section == NULL)
    fprintf(f, "default = %s\n", rest);
  fprintf(f, RIJN_PROVIDER " = rijn_provider\n");
  if (!p->default_active)
    fprintf(f, "[%s]\nactivate = 1\n", rest);
  fprintf(f, "[rijn_provider]\nmodule = %s\nactivate = 1\n%s\n", module, END);
  return fclose(f) == 0;
}

/* The whole text: blocks around what there is. false: no memory. */
static bool put_together(struct rijn_ossl_plan *plan, const char *text) {
  FILE *f = open_memstream(&plan->text, &plan->len);
  size_t n = strlen(text);
  if (f == NULL)
    return false;
  fprintf(f, "%s%s%s%s", plan->top != NULL ? plan->top : "", text, n > 0 && text[n - 1] != '\n' ? "\n" : "",
          plan->end != NULL ? plan->end : "");
  return fclose(f) == 0;
}

/* ---------------------------------------------------------------- marks */

static bool begins(const char *line, const char *mark) { return strncmp(line, mark, strlen(mark)) == 0; }

static const char *line_end(const char *line) {
  const char *end = strchr(line, '\n');
  return end != NULL ? end + 1 : line + strlen(line);
}

/* Lines between marks go to out, the others to rest; both may be NULL. false: the marks do not fit together. */
static bool divide(const char *text, FILE *out, FILE *rest) {
  bool inside = false;
  for (const char *line = text; *line != '\0'; line = line_end(line)) {
    bool begin = begins(line, BEGIN_ANY), end = begins(line, END);
    if (begin == inside && (begin || end))
      return false;
    FILE *to = inside || begin ? out : rest;
    if (to != NULL)
      fwrite(line, 1, (size_t)(line_end(line) - line), to);
    inside = (inside || begin) && !end;
  }
  return !inside;
}

static int lost_half(const char *file) {
  return refuse(file, "a mark of --enable has lost its other half: take Rijn's lines out by hand");
}

/* ---------------------------------------------------------------- enable */

/* Do the lines that --enable wrote name another module? */
static bool names_another(const struct rijn_configured *c, const char *text, const char *module, bool other_system) {
  struct stat a, b;
  if (strstr(text, BEGIN_ANY) == NULL || c->module == NULL || strcmp(c->module, module) == 0)
    return false;
  return other_system || stat(c->module, &a) != 0 || stat(module, &b) != 0 || !rijn_same_file(&a, &b);
}

static int plan_enable(struct rijn_ossl_plan *plan, const struct rijn_configured *c, const char *text,
                       const char *module, bool other_system) {
  struct providers p;
  if (!divide(text, NULL, NULL))
    return lost_half(c->file);
  look_at_providers(&p, c);
  if (p.rijn && (works(text, strlen(text)) || (other_system && strstr(text, BEGIN_ANY) != NULL))) {
    if (!names_another(c, text, module, other_system))
      return RIJN_EXIT_OK; /* nothing to do */
    rijn_say("%s: names %s, not %s: --disable first. Nothing was written", c->file, c->module, module);
    return RIJN_EXIT_FAILED;
  }
  if (p.rijn && strstr(text, BEGIN_ANY) != NULL)
    return refuse(c->file,
                  "has the lines of --enable, and they have no effect. `rijn openssl-check` says why; --disable "
                  "takes them out");
  int status = look_for_trouble(c, &p, c->file);
  if (status != RIJN_EXIT_OK)
    return status;
  if (!write_blocks(plan, c, &p, module) || !put_together(plan, text)) {
    rijn_say("out of memory");
    return RIJN_EXIT_FAILED;
  }
  if (!other_system && !works(plan->text, plan->len))
    return refuse(c->file, "would have Rijn's lines, and they would have no effect");
  plan->changes = true;
  return RIJN_EXIT_OK;
}

int rijn_ossl_plan_enable(struct rijn_ossl_plan *plan, const char *file, const char *text, const char *module,
                          bool other_system) {
  struct rijn_configured c;
  *plan = (struct rijn_ossl_plan){0};
  if (!other_system && (rijn_ossl_cut_short(module) || !rijn_ossl_loads(module, NULL))) {
    rijn_say("%s: libcrypto cannot load this module. Nothing was written", module);
    rijn_ossl_errors();
    return RIJN_EXIT_FAILED;
  }
  ERR_clear_error();
  int status = RIJN_EXIT_FAILED;
  if (rijn_ossl_read(&c, file))
    status = plan_enable(plan, &c, text, module, other_system);
  else
    rijn_say("%s: OpenSSL cannot read it. Nothing was written", file);
  rijn_ossl_forget(&c);
  return status;
}

/* ---------------------------------------------------------------- disable */

int rijn_ossl_plan_disable(struct rijn_ossl_plan *plan, const char *file, const char *text) {
  size_t out_len;
  *plan = (struct rijn_ossl_plan){0};
  FILE *out = open_memstream(&plan->end, &out_len), *rest = open_memstream(&plan->text, &plan->len);
  bool fits = out != NULL && rest != NULL && divide(text, out, rest);
  bool written = out != NULL && rest != NULL;
  written = (out == NULL || fclose(out) == 0) && written;
  written = (rest == NULL || fclose(rest) == 0) && written;
  if (!written) {
    rijn_say("out of memory");
    return RIJN_EXIT_FAILED;
  }
  if (!fits)
    return lost_half(file);
  plan->changes = out_len > 0;
  if (plan->changes)
    return RIJN_EXIT_OK;
  struct rijn_configured c;
  struct providers p = {0};
  if (rijn_ossl_read(&c, file))
    look_at_providers(&p, &c);
  rijn_ossl_forget(&c);
  return p.rijn ? refuse(file, "has lines about Rijn that --enable did not write: take them out by hand")
                : RIJN_EXIT_OK;
}

/* ---------------------------------------------------------------- another file in its place */

/* What is lost, into what. */
static void look_for_more(char *what, size_t size, const struct rijn_configured *c) {
  STACK_OF(CONF_VALUE) *all = c->init != NULL ? NCONF_get_section(c->conf, c->init) : NULL;
  struct providers p;
  for (int i = 0; all != NULL && i < sk_CONF_VALUE_num(all); i++) {
    const CONF_VALUE *v = sk_CONF_VALUE_value(all, i);
    if (strcmp(v->name, "providers") != 0 && strcmp(v->name, "alg_section") != 0)
      snprintf(what, size, "%s = %s", v->name, v->value);
  }
  ERR_clear_error();
  look_at_providers(&p, c);
  if (p.others)
    snprintf(what, size, "another provider");
  if (c->fips_mode != NULL)
    snprintf(what, size, "fips_mode = %s", c->fips_mode);
  if (c->properties != NULL && strstr(c->properties, RIJN_PROVIDER) == NULL)
    snprintf(what, size, "default_properties = %s", c->properties);
}

bool rijn_ossl_has_no_more(const char *file) {
  struct rijn_configured c;
  char what[256] = "";
  bool read = rijn_ossl_read(&c, file);
  if (!read)
    rijn_say("%s: OpenSSL cannot read it. Nothing was written", file);
  else
    look_for_more(what, sizeof what, &c);
  rijn_ossl_forget(&c);
  if (what[0] != '\0')
    rijn_say("%s: has %s, which the service would lose. Copy the file, --enable --config COPY, then --enable --service "
             "NAME --config COPY. Nothing was written",
             file, what);
  return read && what[0] == '\0';
}

void rijn_ossl_plan_free(struct rijn_ossl_plan *plan) {
  free(plan->top);
  free(plan->end);
  free(plan->text);
}
