/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "modes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct b_mode b_modes[B_OPS] = {
#define MODE(id, ...) [B_##id] = {__VA_ARGS__}
#include "modes.def"
#undef MODE
};

int b_mode_find(const char *name) {
  for (int i = 0; i < B_OPS; i++)
    if (!strcmp(b_modes[i].name, name))
      return i;
  return -1;
}

bool b_mode_has_size(const struct b_mode *m, size_t size) {
  if (size < m->least || (m->most && size > m->most))
    return false;
  if (m->multiple && size % m->multiple)
    return false;
  return !m->power_of_two || (size & (size - 1)) == 0;
}

bool b_mode_has_key(const struct b_mode *m, size_t key_bits) {
  if (m->key == B_KEY_XAES)
    return key_bits == 256;
  return m->key != B_KEY_XTS || key_bits != 192;
}

static double unit_of(char letter) {
  if (letter == 'k' || letter == 'K')
    return 1024;
  return letter == 'm' || letter == 'M' ? 1048576 : 1;
}

bool b_number(const char *text, size_t n, double lo, double hi, double *v) {
  char buf[40], *end;
  if (n == 0 || n >= sizeof buf)
    return false;
  memcpy(buf, text, n);
  buf[n] = 0;
  if (!strchr("0123456789.", buf[0]) || strpbrk(buf, "xX")) /* strtod would take 0x10 */
    return false;
  *v = strtod(buf, &end);
  if (end == buf)
    return false;
  double unit = unit_of(*end);
  *v *= unit;
  end += unit > 1;
  return !*end && *v >= lo && *v <= hi;
}

int b_number_list(const char *text, double lo, double hi, size_t *v, size_t room, bool *mix) {
  size_t found = 0;
  for (const char *p = text;; p++) {
    size_t n = strcspn(p, ","), i = 0;
    double x = 0;
    if (mix && n == 3 && !strncmp(p, "mix", 3)) {
      *mix = true;
    } else if (!b_number(p, n, lo, hi, &x) || x != floor(x)) {
      return -1;
    } else {
      while (i < found && v[i] != (size_t)x)
        i++;
      if (i == room)
        return -1;
      v[i] = (size_t)x;
      found += i == found;
    }
    p += n;
    if (!*p)
      return (int)found;
  }
}

void b_case_title(const struct b_case *c, char *buf, size_t size) {
  const char *p = b_mode(c)->title;
  size_t at = 0;
  while (*p && at + 1 < size) {
    char value[24] = "";
    size_t name = 0;
    if (*p == '{') {
      name = strcspn(p, "}") + 1;
      if (!strncmp(p, "{key}", name))
        snprintf(value, sizeof value, "%d", c->key_bits);
      else if (!strncmp(p, "{dir}", name))
        snprintf(value, sizeof value, "%s", c->dir == B_ENC ? "encrypt" : "decrypt");
      else
        snprintf(value, sizeof value, "%zu", !strncmp(p, "{aad}", name) ? c->aad : c->count);
      at += (size_t)snprintf(buf + at, size - at, "%s", value);
      p += name;
    } else {
      buf[at++] = *p++;
    }
  }
  buf[at < size ? at : size - 1] = 0;
}
