/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Preloaded into the command: when it exits, looks through all its writable memory for secrets. RIJN_RESIDUE lists
 * them in hexadecimal, comma between; "planted" in front leaves a copy of the first one, to show that the search finds.
 * Says on the standard error which secret was found where, and at the end how much was searched. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECRETS = 8, SIZE = 64 };
static struct secret {
  uint8_t inverted[SIZE]; /* WHY: or the search would find itself */
  size_t len;
} secrets[SECRETS];
static size_t secrets_n;
static volatile uint8_t plant[SIZE]; /* volatile: or it would not be written, because nobody reads it */

static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

__attribute__((constructor)) static void start(void) {
  const char *p = getenv("RIJN_RESIDUE");
  int planted = p != NULL && strncmp(p, "planted,", 8) == 0;
  for (p = planted ? p + 8 : p; p != NULL && *p != '\0' && secrets_n < SECRETS; p += *p == ',') {
    struct secret *s = &secrets[secrets_n++];
    for (; digit(p[0]) >= 0 && digit(p[1]) >= 0 && s->len < SIZE; p += 2)
      s->inverted[s->len++] = (uint8_t) ~(digit(p[0]) * 16 + digit(p[1]));
    if (*p != ',' && *p != '\0')
      abort();
  }
  for (size_t i = 0; planted && i < secrets[0].len; i++)
    plant[i] = (uint8_t)~secrets[0].inverted[i];
}

static void search(const volatile uint8_t *from, size_t len, const char *where) {
  for (size_t k = 0; k < secrets_n; k++) {
    const struct secret *s = &secrets[k];
    for (size_t i = 0; s->len != 0 && i + s->len <= len; i++) {
      size_t j = 0;
      while (j < s->len && (from[i + j] ^ s->inverted[j]) == 0xff)
        j++;
      if (j == s->len)
        fprintf(stderr, "residue: secret %zu in %s\n", k, where);
    }
  }
}

static uintptr_t hex(const char **p) {
  uintptr_t v = 0;
  for (; digit(**p) >= 0; ++*p)
    v = v << 4 | (uintptr_t)digit(**p);
  return v;
}

/* WHY no stdio before the search: its buffers and its frames would lie where what was freed, and what returned, had
 * lain. The map is read whole first: the search must not change what it walks. */
__attribute__((destructor)) static void end(void) {
  static char map[1 << 16];
  static size_t n, total;
  int fd = open("/proc/self/maps", O_RDONLY);
  for (ssize_t r = 1; fd >= 0 && r > 0 && n<sizeof map - 1; n += r> 0 ? (size_t)r : 0)
    r = read(fd, map + n, sizeof map - 1 - n);
  for (char *line = map, *eol; (eol = strchr(line, '\n')) != NULL; line = eol + 1) {
    const char *p = line;
    uintptr_t from = hex(&p);
    p++;
    uintptr_t to = hex(&p);
    if (p[0] == ' ' && p[1] == 'r' && p[2] == 'w') {
      *eol = '\0';
      search((const volatile uint8_t *)from, to - from, line);
      total += to - from;
    }
  }
  fprintf(stderr, "residue: searched %zu bytes for %zu secrets\n", total, secrets_n);
}
