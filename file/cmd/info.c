/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn info and rijn selftest: what there is on this machine, and whether it works. */
#include "args.h"
#include "cmd.h"

#include <rijn.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define ARCH_X86 1
#elif defined(__linux__)
#include <sys/auxv.h>
#endif

#if defined(__x86_64__)
#define ARCH "x86-64"
#elif defined(__i386__)
#define ARCH "i386"
#elif defined(__aarch64__)
#define ARCH "AArch64"
#elif defined(__powerpc64__)
#define ARCH "ppc64le"
#else
#define ARCH "other"
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

struct machine {
  char cpu[128];      /* as the processor, or the kernel, names it */
  char os_state[256]; /* what the operating system saves, or says there is */
};

/* ---------------------------------------------------------------- the processor */

#ifdef ARCH_X86
static void read_cpu(struct machine *m) {
  unsigned a, b, c, d, brand[12] = {0}, family, model;
  if (__get_cpuid(0x80000004, &a, &b, &c, &d))
    for (unsigned i = 0; i < 3; i++)
      __get_cpuid(0x80000002 + i, &brand[4 * i], &brand[4 * i + 1], &brand[4 * i + 2], &brand[4 * i + 3]);
  char text[sizeof brand + 1];
  memcpy(text, brand, sizeof brand);
  text[sizeof brand] = '\0';
  if (!__get_cpuid(1, &a, &b, &c, &d))
    return;
  family = a >> 8 & 15;
  model = a >> 4 & 15;
  if (family == 6 || family == 15)
    model |= a >> 12 & 0xf0;
  if (family == 15)
    family += a >> 20 & 255;
  size_t len = 0; /* processors pad their name with runs of spaces */
  for (const char *p = text + strspn(text, " "); *p != '\0'; p++)
    if (*p != ' ' || (p[1] != ' ' && p[1] != '\0'))
      m->cpu[len++] = *p;
  snprintf(m->cpu + len, sizeof m->cpu - len, " (family %u, model %u, stepping %u)", family, model, a & 15);
  if ((c & bit_OSXSAVE) == 0) {
    snprintf(m->os_state, sizeof m->os_state, "no XSAVE: only the 128-bit registers");
    return;
  }
  unsigned lo, hi;
  __asm__("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
  static const char *const bits[] = {"x87", "sse", "avx", NULL, NULL, "opmask", "zmm-high", "zmm16-31"};
  int n = snprintf(m->os_state, sizeof m->os_state, "XCR0 0x%llx, saved:", (unsigned long long)hi << 32 | lo);
  for (unsigned i = 0; i < sizeof bits / sizeof bits[0]; i++)
    if (bits[i] != NULL && (lo >> i & 1) != 0 && n > 0 && (size_t)n < sizeof m->os_state)
      n += snprintf(m->os_state + n, sizeof m->os_state - (size_t)n, " %s", bits[i]);
}
#else
/* The value of a line of /proc/cpuinfo, appended to cpu. */
static void cpuinfo(char *cpu, size_t size, const char *field) {
  FILE *f = fopen("/proc/cpuinfo", "re");
  char line[256];
  while (f != NULL && fgets(line, sizeof line, f) != NULL) {
    char *colon = strchr(line, ':');
    size_t len = strlen(field), at = strlen(cpu);
    if (colon == NULL || strncmp(line, field, len) != 0 || (line[len] != '\t' && line[len] != ' ' && line[len] != ':'))
      continue;
    colon[strcspn(colon, "\n")] = '\0';
    snprintf(cpu + at, size - at, "%s%s", at != 0 ? ", " : "", colon + 1 + strspn(colon + 1, " \t"));
    break;
  }
  if (f != NULL)
    fclose(f);
}

static void read_cpu(struct machine *m) {
  static const char *const fields[] = {"cpu", "model name", "CPU implementer", "CPU part"};
  for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++)
    cpuinfo(m->cpu, sizeof m->cpu, fields[i]);
#ifdef __linux__
  snprintf(m->os_state, sizeof m->os_state, "HWCAP 0x%lx, HWCAP2 0x%lx", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
#endif
}
#endif

/* ---------------------------------------------------------------- the module for Linux */

/* What Linux says of kernel/: is it there, and which driver is taken for gcm(aes)? "": none yet. */
struct module {
  bool loaded;
  char driver[128];
};

/* The value of "field   : value", if the line has that field; else NULL. */
static const char *crypto_value(const char *line, const char *field) {
  size_t len = strlen(field);
  const char *p = line + len;
  if (strncmp(line, field, len) != 0)
    return NULL;
  p += strspn(p, " ");
  return *p == ':' ? p + 1 + strspn(p + 1, " ") : NULL;
}

/* /proc/crypto has a paragraph for each driver, its fields in this order. Linux takes the highest priority, and of
 * equal ones the first. */
static struct module read_module(void) {
  struct module m = {0};
#ifdef __linux__
  FILE *f = fopen("/proc/crypto", "re");
  char line[256], driver[sizeof m.driver] = "";
  bool gcm = false;
  long best = -1;
  while (f != NULL && fgets(line, sizeof line, f) != NULL) {
    const char *value;
    line[strcspn(line, "\n")] = '\0';
    if ((value = crypto_value(line, "name")) != NULL)
      gcm = strcmp(value, "gcm(aes)") == 0;
    else if ((value = crypto_value(line, "driver")) != NULL)
      snprintf(driver, sizeof driver, "%s", value);
    else if ((value = crypto_value(line, "module")) != NULL)
      m.loaded = m.loaded || strcmp(value, "rijn") == 0;
    else if ((value = crypto_value(line, "priority")) != NULL && gcm && strtol(value, NULL, 10) > best) {
      best = strtol(value, NULL, 10);
      memcpy(m.driver, driver, sizeof m.driver);
    }
  }
  if (f != NULL)
    fclose(f);
#endif
  return m;
}

/* ---------------------------------------------------------------- info */

/* What the library has, by the names of the standards. */
static const char *const modes[] = {"AES-GCM",      "GMAC",    "RFC 4106", "RFC 4543", "AES-GCM-SIV",
                                    "XAES-256-GCM", "AES-XTS", "AES-CTR",  "AES-CBC",  "AES-ECB"};
enum { MODES = sizeof modes / sizeof modes[0] };

enum { COLUMNS = 80, FACTS = 12, REASONS = 24 }; /* of a terminal; where facts begin, and where reasons do */

/* A line whose first part is label. The words that do not fit go on in lines that begin at column indent. */
static void filled(const char *label, int indent, const char *text) {
  int at = printf("%-*s", indent, label);
  for (const char *p = text; *p != '\0';) {
    int len = (int)strcspn(p, " ");
    if (at > indent && at + 1 + len > COLUMNS)
      at = printf("\n%*s", indent, "") - 1;
    at += printf("%s%.*s", at > indent ? " " : "", len, p);
    p += len + (p[len] == ' ');
  }
  putchar('\n');
}

/* By which processor the default was chosen, and whether there is a record that it is the fastest. */
static const char *chosen_by(char *buf, size_t size) {
  const char *why = rijn_impl_why(-1, buf, size);
  return strncmp(why, "policy: ", 8) == 0 ? why + 8 : why;
}

static void text_info(const struct machine *m, const char *features) {
  printf("rijn %s (library %s, %s, %s)\n", RIJN_VERSION_STRING, rijn_version(), ARCH, COMPILER);
  filled("cpu:", FACTS, m->cpu[0] != '\0' ? m->cpu : "unknown");
  filled("features:", FACTS, features[0] != '\0' ? features : "none of those Rijn uses");
  filled("OS state:", FACTS, m->os_state[0] != '\0' ? m->os_state : "unknown");
  const struct module k = read_module();
  char text[512];
  snprintf(text, sizeof text, "%s%s%s%s", k.loaded ? "loaded" : "not loaded",
           k.driver[0] != '\0' ? "; Linux takes " : "", k.driver, k.driver[0] != '\0' ? " for gcm(aes)" : "");
  filled("module:", FACTS, text);
  const char *forced = secure_getenv("RIJN_IMPL"); /* as the library reads it */
  filled("RIJN_IMPL:", FACTS, forced != NULL ? forced : "not set");
  char choice[256];
  filled("choice:", FACTS, chosen_by(choice, sizeof choice));
  fputs("modes:      ", stdout);
  for (int i = 0; i + 1 < MODES; i++)
    printf("%s%s", modes[i], i + 1 == MODES / 2 ? ",\n            " : ", ");
  printf("%s\n", modes[MODES - 1]);
  puts("implementations, in order of choice:");
  for (int i = 0; i < rijn_impl_count(); i++) {
    char why[256];
    rijn_impl_why(i, why, sizeof why);
    bool chosen = i == rijn_impl_chosen(), supported = rijn_impl_supported(i);
    const char *state = supported ? "supported" : "not supported", *reason = why;
    if (chosen)
      state = "supported, chosen";
    /* Nothing speaks against it but its place in the list, or the user. */
    if (!chosen && why[0] == '\0')
      reason = forced != NULL ? "RIJN_IMPL names another" : "a better one is chosen";
    char label[REASONS];
    snprintf(label, sizeof label, "  %s", rijn_impl_name(i));
    snprintf(text, sizeof text, "%s%s%s", state, reason[0] != '\0' ? ": " : "", reason);
    filled(label, REASONS, text);
  }
}

static void json_string(const char *s) {
  putchar('"');
  for (; *s != '\0'; s++) {
    unsigned char c = (unsigned char)*s;
    if (c == '"' || c == '\\')
      printf("\\%c", c);
    else if (c < 0x20 || c > 0x7e)
      printf("\\u%04x", c);
    else
      putchar(c);
  }
  putchar('"');
}

static void json_field(const char *name, const char *value) {
  printf("  \"%s\": ", name);
  json_string(value);
  puts(",");
}

static void json_info(const struct machine *m, char *features) {
  puts("{");
  json_field("version", RIJN_VERSION_STRING);
  json_field("library", rijn_version());
  json_field("architecture", ARCH);
  json_field("compiler", COMPILER);
  json_field("cpu", m->cpu);
  json_field("os_state", m->os_state);
  const struct module k = read_module();
  printf("  \"module_loaded\": %s,\n", k.loaded ? "true" : "false");
  json_field("linux_gcm_driver", k.driver);
  fputs("  \"features\": [", stdout);
  const char *comma = "";
  for (char *save, *f = strtok_r(features, " ", &save); f != NULL; f = strtok_r(NULL, " ", &save)) {
    fputs(comma, stdout);
    json_string(f);
    comma = ", ";
  }
  puts("],");
  const char *forced = secure_getenv("RIJN_IMPL"); /* as the library reads it */
  fputs("  \"rijn_impl\": ", stdout);
  if (forced != NULL)
    json_string(forced);
  else
    fputs("null", stdout);
  puts(",");
  char choice[256];
  json_field("choice", chosen_by(choice, sizeof choice));
  fputs("  \"modes\": [", stdout);
  for (int i = 0; i < MODES; i++) {
    fputs(i != 0 ? ", " : "", stdout);
    json_string(modes[i]);
  }
  puts("],\n  \"implementations\": [");
  for (int i = 0, n = rijn_impl_count(); i < n; i++) {
    char why[256];
    fputs("    {\"name\": ", stdout);
    json_string(rijn_impl_name(i));
    printf(", \"supported\": %s, \"chosen\": %s, \"why\": ", rijn_impl_supported(i) ? "true" : "false",
           i == rijn_impl_chosen() ? "true" : "false");
    json_string(rijn_impl_why(i, why, sizeof why));
    puts(i + 1 < n ? "}," : "}");
  }
  puts("  ]\n}");
}

int rijn_info_machine(bool json) {
  struct machine m = {0};
  read_cpu(&m);
  char features[1024];
  rijn_cpu_features(features, sizeof features);
  if (json)
    json_info(&m, features);
  else
    text_info(&m, features);
  return rijn_finish_stdout(RIJN_EXIT_OK);
}

/* ---------------------------------------------------------------- selftest */

int rijn_cmd_selftest(int argc, char **argv) {
  static const struct rijn_command command = {
      .name = "rijn selftest",
      .usage = "Usage: rijn selftest\n\n"
               "Runs known answers through each implementation this machine supports, one line\n"
               "each. Exit status 1 when one comes out wrong.\n"};
  int status = rijn_args(&command, NULL, argc, argv);
  if (status != RIJN_EXIT_OK)
    return status < 0 ? rijn_finish_stdout(RIJN_EXIT_OK) : status;
  if (optind < argc)
    return rijn_usage(argv[0], "unexpected '%s'", argv[optind]);
  for (int i = 0; i < rijn_impl_count(); i++) {
    char why[256];
    if (!rijn_impl_supported(i)) {
      printf("%-20s  not supported: %s\n", rijn_impl_name(i), rijn_impl_why(i, why, sizeof why));
      continue;
    }
    int r = rijn_selftest(i);
    printf("%-20s  %s\n", rijn_impl_name(i), r == RIJN_OK ? "ok" : rijn_strerror(r));
    if (r != RIJN_OK)
      status = RIJN_EXIT_FAILED;
  }
  return rijn_finish_stdout(status);
}
