/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "json.h"

#include <stdint.h>
#include <string.h>

/* SPEC: RFC 8259. All skip_ functions take where to begin, and return where what they skip has ended, or NULL. */
static const char *skip_value(const char *p, const char *end, int depth);

static const char *skip_space(const char *p, const char *end) {
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
    p++;
  return p;
}

static const char *skip_string(const char *p, const char *end) {
  if (p == end || *p++ != '"')
    return NULL;
  /* PERF: nearly all of a request is hex digits. */
  for (const char *q; (q = memchr(p, '"', (size_t)(end - p))) != NULL; p = q + 1) {
    size_t slashes = 0;
    while (q - slashes > p && q[-1 - (ptrdiff_t)slashes] == '\\')
      slashes++;
    if (slashes % 2 == 0)
      return q + 1;
  }
  return NULL;
}

/* A number, true, false, null. */
static const char *skip_word(const char *p, const char *end) {
  static const char letters[] = "+-.0123456789abcdefghijklmnopqrstuvwxyzE";
  const char *from = p;
  while (p < end && *p != '\0' && strchr(letters, *p) != NULL)
    p++;
  return p > from ? p : NULL;
}

/* Elements of an array, or names and values of an object. */
static const char *skip_list(const char *p, const char *end, int depth) {
  char close = *p == '{' ? '}' : ']';
  p = skip_space(p + 1, end);
  if (p < end && *p == close)
    return p + 1;
  for (;;) {
    if (close == '}') {
      p = skip_string(skip_space(p, end), end);
      p = p != NULL ? skip_space(p, end) : NULL;
      if (p == NULL || p == end || *p++ != ':')
        return NULL;
    }
    p = skip_value(p, end, depth - 1);
    if (p == NULL || (p = skip_space(p, end)) == end)
      return NULL;
    if (*p++ != ',')
      return p[-1] == close ? p : NULL;
  }
}

static const char *skip_value(const char *p, const char *end, int depth) {
  p = skip_space(p, end);
  if (p == end || depth == 0)
    return NULL;
  return *p == '"' ? skip_string(p, end) : *p == '{' || *p == '[' ? skip_list(p, end, depth) : skip_word(p, end);
}

enum { DEPTH = 16 };

/* The value at p, without the space before it. */
static struct json value(const char *p, const char *end) {
  const char *from = skip_space(p, end), *to = skip_value(p, end, DEPTH);
  return to != NULL ? (struct json){from, (size_t)(to - from)} : JSON_NONE;
}

struct json json_read(const char *text, size_t n) {
  struct json v = value(text, text + n);
  return v.p != NULL && skip_space(v.p + v.n, text + n) == text + n ? v : JSON_NONE;
}

/* What is in an object or an array has been skipped once, hence is well formed. */
struct json json_get(struct json object, const char *name) {
  if (object.p == NULL || *object.p != '{')
    return JSON_NONE;
  const char *p = object.p + 1, *end = object.p + object.n;
  while ((p = skip_space(p, end)) < end && *p == '"') {
    struct json key = value(p, end);
    p = skip_space(key.p + key.n, end) + 1;
    struct json v = value(p, end);
    if (json_is(key, name))
      return v;
    p = skip_space(v.p + v.n, end) + 1;
  }
  return JSON_NONE;
}

struct json json_next(struct json array, struct json before) {
  if (array.p == NULL || *array.p != '[')
    return JSON_NONE;
  const char *end = array.p + array.n;
  const char *p = before.p != NULL ? skip_space(before.p + before.n, end) : array.p;
  return *p == ']' ? JSON_NONE : value(p + 1, end);
}

struct json json_string(struct json v) {
  return v.p != NULL && *v.p == '"' ? (struct json){v.p + 1, v.n - 2} : JSON_NONE;
}

bool json_is(struct json v, const char *string) {
  struct json s = json_string(v);
  return s.p != NULL && s.n == strlen(string) && memcmp(s.p, string, s.n) == 0;
}

long json_number(struct json v) {
  long number = 0;
  if (v.p == NULL || v.n == 0 || v.n > 9)
    return -1;
  for (size_t i = 0; i < v.n; i++) {
    if (v.p[i] < '0' || v.p[i] > '9')
      return -1;
    number = 10 * number + (v.p[i] - '0');
  }
  return number;
}

bool json_is_true(struct json v) { return v.n == 4 && memcmp(v.p, "true", 4) == 0; }
