/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Loading the module: what it offers under which configuration, when it refuses, whether it is used at all, what
 * OpenSSL's random generator uses, unloading. Each case is a process of its own, because a library is configured
 * once. */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <openssl/conf.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/proverr.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t.h"

enum { GCM, CTR, CBC, XTS, ECB, GCM_SIV, CCM, CFB, FAMILIES };
static char dir[] = "load.XXXXXX";
static char config_path[64], count_path[64];

static void write_config(const char *module_dir, bool preferred, const char *more) {
  FILE *f = fopen(config_path, "w");
  REQUIRE(f != NULL);
  fprintf(f,
          "openssl_conf = init\n[init]\nproviders = providers\n%s[properties]\n%s[providers]\ndefault = default_sect\n"
          "rijn = rijn_sect\n[default_sect]\nactivate = 1\n[rijn_sect]\nmodule = %s/rijn.so\nactivate = 1\n%s\n",
          "alg_section = properties\n", preferred ? "default_properties = ?provider=rijn\n" : "", module_dir, more);
  REQUIRE(fclose(f) == 0);
}

/* Runs f in a child; its checks count by its exit status. */
static void in_child(const char *what, void (*f)(void)) {
  fflush(NULL);
  pid_t pid = fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    f();
    int status = t_done();
    fflush(NULL);
    _exit(status);
  }
  int status = -1;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    t_fail(__FILE__, __LINE__, "in the child: %s", what);
  t_check(__FILE__, __LINE__, what, true);
}

static bool rijn_has(const char *name) {
  EVP_CIPHER *c = EVP_CIPHER_fetch(NULL, name, "provider=rijn");
  EVP_CIPHER_free(c);
  ERR_clear_error();
  return c != NULL;
}

static const char *from(const char *name) {
  EVP_CIPHER *c = EVP_CIPHER_fetch(NULL, name, NULL);
  const char *p = c != NULL ? OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(c)) : "nowhere";
  EVP_CIPHER_free(c);
  return p;
}

static void configure(void) { CHECK(OSSL_LIB_CTX_load_config(NULL, config_path) == 1); }

/* ---------------------------------------------------------------- what is offered */

static const char *const all[FAMILIES][4] = {{"AES-128-GCM", "AES-192-GCM", "AES-256-GCM", NULL},
                                             {"AES-128-CTR", "AES-192-CTR", "AES-256-CTR", NULL},
                                             {"AES-128-CBC", "AES-192-CBC", "AES-256-CBC", NULL},
                                             {"AES-128-XTS", "AES-256-XTS", NULL, NULL},
                                             {"AES-128-ECB", "AES-192-ECB", "AES-256-ECB", NULL},
                                             {"AES-128-GCM-SIV", "AES-192-GCM-SIV", "AES-256-GCM-SIV", NULL},
                                             {"AES-128-CCM", "AES-192-CCM", "AES-256-CCM", NULL},
                                             {"AES-128-CFB", "AES-192-CFB", "AES-256-CFB", NULL}};
static const char *const family_names[FAMILIES] = {"gcm", "ctr", "cbc", "xts", "ecb", "gcm-siv", "ccm", "cfb"};
/* Has libcrypto's own provider the family? AES-GCM-SIV came with 3.2. */
static bool default_has(int family) { return family != GCM_SIV || OpenSSL_version_num() >= 0x30200000L; }

enum { BY_DEFAULT = 1u << GCM | 1u << GCM_SIV | 1u << CCM | 1u << CFB };
static unsigned offered; /* bit i: family i must be there */
static void child_offers(void) {
  configure();
  for (int i = 0; i < FAMILIES; i++)
    for (int j = 0; all[i][j] != NULL; j++) {
      bool here = offered >> i & 1u;
      CHECK_EQ(rijn_has(all[i][j]), here);
      CHECK(strcmp(from(all[i][j]), here ? "rijn" : default_has(i) ? "default" : "nowhere") == 0);
    }
  OSSL_PROVIDER *p = OSSL_PROVIDER_load(NULL, "rijn");
  REQUIRE(p != NULL);
  char *name = NULL, *version = NULL, *impl = NULL;
  int status = 0;
  unsigned algs = 0;
  OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_NAME, &name, 0),
                         OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_VERSION, &version, 0),
                         OSSL_PARAM_construct_utf8_ptr("implementation", &impl, 0),
                         OSSL_PARAM_construct_int(OSSL_PROV_PARAM_STATUS, &status),
                         OSSL_PARAM_construct_uint("algorithms", &algs),
                         OSSL_PARAM_END};
  CHECK(OSSL_PROVIDER_get_params(p, params) == 1);
  CHECK(name != NULL && strncmp(name, "Rijn", 4) == 0);
  CHECK(version != NULL && strcmp(version, rijn_version()) == 0);
  CHECK(impl != NULL && rijn_impl_find(impl) == rijn_impl_chosen());
  CHECK_EQ(status, 1);
  CHECK_EQ(algs, offered);
  CHECK(OSSL_PROVIDER_self_test(p) == 1);
  CHECK(OSSL_PROVIDER_unload(p) == 1);
}

/* A self-test that is asked for later is one, and tells. */
static void child_asked(void) {
  OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
  CHECK(OSSL_PROVIDER_set_default_search_path(lib, RIJN_MODULES_COUNTED) == 1);
  OSSL_PROVIDER *p = OSSL_PROVIDER_load(lib, "rijn");
  REQUIRE(p != NULL);
  CHECK(OSSL_PROVIDER_self_test(p) == 1);
  REQUIRE(setenv("RIJN_PROVIDER_BREAK_SELFTEST", "1", 1) == 0);
  CHECK(OSSL_PROVIDER_self_test(p) == 0);
  CHECK(OSSL_PROVIDER_unload(p) == 1);
  OSSL_LIB_CTX_free(lib);
}

/* Where the default provider is not loaded, and so has named nothing: every name of its ciphers' is known, numbers
 * too. */
struct seen {
  OSSL_LIB_CTX *ours;
  int key_len, names;
};
static void same_cipher(const char *name, void *arg) {
  struct seen *s = arg;
  EVP_CIPHER *c = EVP_CIPHER_fetch(s->ours, name, "provider=rijn");
  if (c == NULL)
    t_fail(__FILE__, __LINE__, "\"%s\" is not known", name);
  else
    CHECK_EQ(EVP_CIPHER_get_key_length(c), s->key_len);
  EVP_CIPHER_free(c);
  s->names++;
}
static void child_names(void) {
  struct seen s = {OSSL_LIB_CTX_new(), 0, 0};
  OSSL_LIB_CTX *theirs = OSSL_LIB_CTX_new();
  CHECK(OSSL_LIB_CTX_load_config(s.ours, config_path) == 1);
  for (int i = 0; i < FAMILIES; i++)
    for (int j = 0; default_has(i) && all[i][j] != NULL; j++) {
      EVP_CIPHER *c = EVP_CIPHER_fetch(theirs, all[i][j], NULL);
      REQUIRE(c != NULL);
      s.key_len = EVP_CIPHER_get_key_length(c);
      CHECK(EVP_CIPHER_names_do_all(c, same_cipher, &s) == 1);
      EVP_CIPHER_free(c);
    }
  CHECK(s.names > 25);
  OSSL_LIB_CTX_free(theirs);
  OSSL_LIB_CTX_free(s.ours);
}
static void test_names(void) {
  FILE *f = fopen(config_path, "w");
  REQUIRE(f != NULL);
  fprintf(f,
          "openssl_conf = a\n[a]\nproviders = b\n[b]\nrijn = c\n[c]\nmodule = %s/rijn.so\nactivate = 1\n"
          "algorithms = all\n",
          RIJN_MODULES);
  REQUIRE(fclose(f) == 0);
  in_child("names", child_names);
}

static void test_offers(void) {
  offered = BY_DEFAULT;
  write_config(RIJN_MODULES, true, "");
  in_child("nothing said", child_offers);
  for (unsigned set = 1; set < 1u << FAMILIES; set += set < 4 ? 1 : 21) {
    char line[100] = "algorithms = ";
    for (int i = 0; i < FAMILIES; i++)
      if (set >> i & 1u) {
        strcat(line, family_names[i]);
        strcat(line, i % 2 ? "," : ", ");
      }
    offered = set;
    write_config(RIJN_MODULES, true, line);
    in_child(line, child_offers);
  }
}

/* ---------------------------------------------------------------- refusals */

static const char *refusal_word;
/* The provider is described but not activated, so that the errors of loading it are seen. */
static void child_refuses(void) {
  configure();
  OSSL_PROVIDER *p = OSSL_PROVIDER_try_load(NULL, "rijn", 1);
  CHECK(p == NULL);
  char text[1024] = "";
  unsigned long e;
  const char *data;
  int flags;
  while ((e = ERR_get_error_all(NULL, NULL, NULL, &data, &flags)) != 0)
    if (data != NULL && strlen(text) + strlen(data) < sizeof text)
      strcat(text, data);
  if (strstr(text, refusal_word) == NULL)
    t_fail(__FILE__, __LINE__, "the errors have no \"%s\": %s", refusal_word, text);
  CHECK(!rijn_has("AES-256-GCM"));
  CHECK(strcmp(from("AES-256-GCM"), "default") == 0); /* and the others go on */
}

static void refuse(const char *module_dir, const char *more, const char *word) {
  FILE *f = fopen(config_path, "w");
  REQUIRE(f != NULL);
  fprintf(f,
          "openssl_conf = a\n[a]\nproviders = b\n[b]\ndefault = d\nrijn = c\n[d]\nactivate = 1\n[c]\nmodule = "
          "%s/rijn.so\n%s\n",
          module_dir, more);
  REQUIRE(fclose(f) == 0);
  refusal_word = word;
  in_child(word, child_refuses);
}

static void test_refusals(void) {
  refuse(RIJN_MODULES, "algorithms = gcm,gmc", "unknown word \"gmc\"");
  refuse(RIJN_MODULES, "algorithms = GCM", "unknown word \"GCM\"");
  refuse(RIJN_MODULES, "algorithms = gcmx", "unknown word \"gcmx\"");
  refuse(RIJN_MODULES, "algorithms = ,", "names none");
  /* A misspelt option, with the right one beside it or not: one letter wrong at any place. */
  static const char *const misspelt[] = {"algoritms",   "algorithm",   "algroithms", "algorihtms", "lgorithms",
                                         "aalgorithms", "algorithmss", "algorythms", "Algorithms", "algorithmS"};
  for (size_t i = 0; i < sizeof misspelt / sizeof misspelt[0]; i++) {
    char line[80], word[80];
    snprintf(line, sizeof line, "%s%s = gcm", i % 2 ? "algorithms = gcm\n" : "", misspelt[i]);
    snprintf(word, sizeof word, "unknown option \"%s\"", misspelt[i]);
    refuse(RIJN_MODULES, line, word);
  }
  char before[64] = "";
  const char *was = getenv("RIJN_IMPL");
  if (was != NULL)
    snprintf(before, sizeof before, "%s", was);
  REQUIRE(setenv("RIJN_IMPL", "no-such", 1) == 0);
  refuse(RIJN_MODULES, "", "RIJN_IMPL");
  REQUIRE((was != NULL ? setenv("RIJN_IMPL", before, 1) : unsetenv("RIJN_IMPL")) == 0);
}

/* ---------------------------------------------------------------- known answers */

/* A context of each cipher, with a key. How many could be had? Of the others the error has to say why. */
static int contexts(OSSL_LIB_CTX *lib) {
  static const uint8_t key[64] = {1}, iv[16];
  int n = 0;
  for (int i = 0; i < FAMILIES; i++)
    for (int j = 0; all[i][j] != NULL; j++) {
      EVP_CIPHER *cipher = EVP_CIPHER_fetch(lib, all[i][j], "provider=rijn");
      EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
      REQUIRE(cipher != NULL && ctx != NULL);
      ERR_clear_error();
      bool ok = EVP_EncryptInit_ex2(ctx, cipher, key, iv, NULL) == 1;
      CHECK(ok || ERR_GET_REASON(ERR_peek_error()) == PROV_R_SELF_TEST_KAT_FAILURE);
      n += ok;
      EVP_CIPHER_CTX_free(ctx);
      EVP_CIPHER_free(cipher);
    }
  return n;
}

/* Before a cipher's first context its known answers run, in each library context, and only its own. Where one is wrong
 * no context is made. */
static void child_first_use(void) {
  configure();
  CHECK(rijn_has("AES-256-GCM"));
  REQUIRE(unsetenv("RIJN_PROVIDER_BREAK_SELFTEST") == 0);
  EVP_CIPHER *gcm = EVP_CIPHER_fetch(NULL, "AES-256-GCM", "provider=rijn");
  EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
  CHECK(EVP_EncryptInit_ex2(ctx, gcm, NULL, NULL, NULL) == 1);
  REQUIRE(setenv("RIJN_PROVIDER_BREAK_SELFTEST", "1", 1) == 0);
  CHECK_EQ(contexts(NULL), 1);
  REQUIRE(unsetenv("RIJN_PROVIDER_BREAK_SELFTEST") == 0);
  CHECK_EQ(contexts(NULL), 23);
  REQUIRE(setenv("RIJN_PROVIDER_BREAK_SELFTEST", "1", 1) == 0);
  CHECK_EQ(contexts(NULL), 23); /* once is enough */
  EVP_CIPHER_CTX_free(ctx);
  EVP_CIPHER_free(gcm);
}

/* What is installed has no such switch. */
static void child_no_switch(void) {
  configure();
  CHECK_EQ(contexts(NULL), 23);
}

static void test_first_use(void) {
  REQUIRE(setenv("RIJN_PROVIDER_BREAK_SELFTEST", "1", 1) == 0);
  write_config(RIJN_MODULES_COUNTED, true, "algorithms = all");
  in_child("known answers at the first use", child_first_use);
  write_config(RIJN_MODULES, true, "algorithms = all");
  in_child("no switch in what is installed", child_no_switch);
  REQUIRE(unsetenv("RIJN_PROVIDER_BREAK_SELFTEST") == 0);
}

/* ---------------------------------------------------------------- who is called */

/* Calls of family so far, of both directions. */
static uint64_t calls(int family) {
  uint64_t words[FAMILIES * 4] = {0};
  int fd = open(count_path, O_RDONLY);
  if (fd < 0)
    return 0;
  ssize_t n = read(fd, words, sizeof words);
  close(fd);
  REQUIRE(n == (ssize_t)sizeof words);
  return words[family * 4] + words[family * 4 + 2];
}

/* Without a word on properties, as nearly all programs do it. */
static void encrypt_once(const char *name) {
  uint8_t key[64], iv[16] = {0}, in[64], out[80];
  int n;
  t_fill(key, sizeof key);
  t_fill(in, sizeof in);
  EVP_CIPHER *c = EVP_CIPHER_fetch(NULL, name, NULL);
  EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
  CHECK(EVP_EncryptInit_ex2(ctx, c, key, iv, NULL) == 1 && EVP_EncryptUpdate(ctx, out, &n, in, 64) == 1);
  EVP_CIPHER_CTX_free(ctx);
  EVP_CIPHER_free(c);
}

static bool preferred;
static void child_selection(void) {
  configure();
  CHECK(OSSL_PROVIDER_available(NULL, "rijn") == 1);
  CHECK_EQ(calls(GCM), 0);
  encrypt_once("AES-256-GCM");
  CHECK_EQ(calls(GCM), preferred);
  /* The old way, without a fetch. */
  EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
  uint8_t key[16] = {0}, out[16];
  int n;
  CHECK(EVP_EncryptInit_ex(ctx, EVP_aes_128_gcm(), NULL, key, key) == 1 &&
        EVP_EncryptUpdate(ctx, out, &n, key, 16) == 1);
  EVP_CIPHER_CTX_free(ctx);
  CHECK_EQ(calls(GCM), 2 * preferred);
}

static void test_selection(void) {
  for (int i = 0; i < 2; i++) {
    unlink(count_path);
    preferred = i == 1;
    write_config(RIJN_MODULES_COUNTED, preferred, "");
    in_child("selection", child_selection);
  }
}

static bool captured;
static void child_random(void) {
  uint8_t buf[1000] = {0}, more[1000] = {0};
  configure();
  for (int i = 0; i < 50; i++)
    CHECK(RAND_bytes(buf, sizeof buf) == 1 && RAND_priv_bytes(more, sizeof more) == 1);
  CHECK(memcmp(buf, more, sizeof buf) != 0);
  if (captured && OpenSSL_version_num() < 0x30500000L) {
    /* WHY this half: it shows that the count below would see a generator that uses Rijn. Newer ones never do. */
    CHECK(calls(CTR) + calls(ECB) > 0);
  } else {
    for (int i = 0; i < FAMILIES; i++)
      CHECK_EQ(calls(i), 0);
  }
  encrypt_once("AES-256-GCM");
  CHECK_EQ(calls(GCM), 1);
}

static void test_random(void) {
  for (int i = 0; i < 2; i++) {
    unlink(count_path);
    captured = i == 1;
    write_config(RIJN_MODULES_COUNTED, true, captured ? "algorithms = gcm,ctr,ecb" : "");
    in_child(captured ? "the generator uses Rijn when ctr is asked for" : "the generator is untouched", child_random);
  }
}

/* Beside another preferred provider, which "provider" can name alone; and as Node.js reads the file. */
static const char *application;
static void child_property(void) {
  CHECK(CONF_modules_load_file(config_path, application, 0) == 1);
  CHECK(strcmp(from("AES-256-GCM"), "rijn") == 0 && strcmp(from("AES-256-CTR"), "default") == 0);
}

static void test_property(void) {
  static const char *const applications[] = {NULL, "nodejs_conf"};
  for (int i = 0; i < 2; i++) {
    FILE *f = fopen(config_path, "w");
    REQUIRE(f != NULL);
    application = applications[i];
    fprintf(
        f,
        "%s = a\n[a]\nproviders = b\nalg_section = p\n[p]\ndefault_properties = ?provider=legacy,?rijn.aes=yes\n[b]\n"
        "default = d\nrijn = c\n[d]\nactivate = 1\n[c]\nmodule = %s/rijn.so\nactivate = 1\n",
        application != NULL ? application : "openssl_conf", RIJN_MODULES);
    REQUIRE(fclose(f) == 0);
    in_child("property", child_property);
  }
}

/* ---------------------------------------------------------------- unloading */

static bool mapped(void) {
  char line[512];
  bool found = false;
  FILE *f = fopen("/proc/self/maps", "r");
  REQUIRE(f != NULL);
  while (fgets(line, sizeof line, f) != NULL)
    found = found || strstr(line, "/rijn.so") != NULL;
  fclose(f);
  return found;
}

static void child_unload(void) {
  CHECK(!mapped());
  for (int i = 0; i < 30; i++) {
    OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new(), *other = OSSL_LIB_CTX_new();
    CHECK(OSSL_PROVIDER_set_default_search_path(lib, RIJN_MODULES) == 1);
    CHECK(OSSL_PROVIDER_set_default_search_path(other, RIJN_MODULES) == 1);
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(lib, "rijn"), *q = OSSL_PROVIDER_load(other, "rijn");
    REQUIRE(p != NULL && q != NULL);
    EVP_CIPHER *c = EVP_CIPHER_fetch(lib, "AES-256-GCM", "provider=rijn");
    REQUIRE(c != NULL);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    uint8_t key[32] = {1}, out[64], tag[16];
    int n;
    CHECK(EVP_EncryptInit_ex2(ctx, c, key, key, NULL) == 1 && EVP_EncryptUpdate(ctx, out, &n, out, 0) == 1);
    /* A context outlives the provider's unloading: it holds it. */
    CHECK(OSSL_PROVIDER_unload(q) == 1);
    OSSL_LIB_CTX_free(other);
    if (i % 2)
      CHECK(OSSL_PROVIDER_unload(p) == 1);
    CHECK(mapped());
    CHECK(EVP_EncryptUpdate(ctx, out, &n, key, 32) == 1 && EVP_EncryptFinal_ex(ctx, tag, &n) == 1);
    CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(c);
    if (i % 2 == 0)
      CHECK(OSSL_PROVIDER_unload(p) == 1);
    OSSL_LIB_CTX_free(lib);
    CHECK(!mapped());
  }
}

/* A module that has reasons of its own gets a number for them in each context, and the numbers wrap. */
static void child_many_contexts(void) {
  enum { MANY = 300 };
  OSSL_LIB_CTX *libs[MANY];
  for (int i = 0; i < MANY; i++) {
    uint8_t out[16];
    int n;
    libs[i] = OSSL_LIB_CTX_new();
    CHECK(OSSL_PROVIDER_set_default_search_path(libs[i], RIJN_MODULES) == 1);
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(libs[i], "rijn");
    EVP_CIPHER *c = EVP_CIPHER_fetch(libs[i], "AES-256-GCM", NULL);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    REQUIRE(p != NULL && c != NULL && ctx != NULL);
    CHECK(EVP_EncryptInit_ex2(ctx, c, NULL, NULL, NULL) == 1 && EVP_EncryptUpdate(ctx, out, &n, out, 16) == 0);
    const char *data = "";
    int flags;
    unsigned long e = ERR_get_error_all(NULL, NULL, NULL, &data, &flags);
    CHECK_EQ(ERR_GET_LIB(e), ERR_LIB_PROV);
    CHECK_EQ(ERR_GET_REASON(e), PROV_R_NO_KEY_SET);
    CHECK(strcmp(ERR_reason_error_string(e), "no key set") == 0 && strcmp(data, "rijn: no key is set") == 0);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(c);
    CHECK(OSSL_PROVIDER_unload(p) == 1);
  }
  for (int i = 0; i < MANY; i++)
    OSSL_LIB_CTX_free(libs[i]);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  REQUIRE(mkdtemp(dir) != NULL);
  snprintf(config_path, sizeof config_path, "%s/openssl.cnf", dir);
  snprintf(count_path, sizeof count_path, "%s/count", dir);
  REQUIRE(setenv("RIJN_PROVIDER_COUNT", count_path, 1) == 0);
  test_offers();
  in_child("self-test when asked", child_asked);
  test_names();
  test_refusals();
  test_first_use();
  test_selection();
  test_property();
  test_random();
  in_child("unloading", child_unload);
  in_child("many contexts", child_many_contexts);
  unlink(config_path);
  unlink(count_path);
  CHECK(rmdir(dir) == 0);
  return t_done();
}
