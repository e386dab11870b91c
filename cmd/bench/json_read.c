/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "json_read.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 32

struct reader {
  const char *at, *end;
  const char *why;
};

static int fail(struct reader *r, const char *why) {
  if (!r->why)
    r->why = why;
  return -1;
}

static void space(struct reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t'))
    r->at++;
}

static bool next_is(struct reader *r, char c) {
  space(r);
  if (r->at == r->end || *r->at != c)
    return false;
  r->at++;
  return true;
}

static int word(struct reader *r, const char *w) {
  size_t n = strlen(w);
  if ((size_t)(r->end - r->at) < n || memcmp(r->at, w, n))
    return fail(r, "unknown word");
  r->at += n;
  return 0;
}

static int hex4(struct reader *r, unsigned *v) {
  *v = 0;
  for (int i = 0; i < 4; i++, r->at++) {
    if (r->at == r->end)
      return fail(r, "string does not end");
    char c = *r->at;
    unsigned d = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                 : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                        : 16;
    if (d == 16)
      return fail(r, "\\u without four hexadecimal digits");
    *v = *v << 4 | d;
  }
  return 0;
}

static size_t utf8(unsigned c, char *o) {
  if (c < 0x80) {
    o[0] = (char)c;
    return 1;
  }
  if (c < 0x800) {
    o[0] = (char)(0xc0 | c >> 6);
    o[1] = (char)(0x80 | (c & 63));
    return 2;
  }
  if (c < 0x10000) {
    o[0] = (char)(0xe0 | c >> 12);
    o[1] = (char)(0x80 | (c >> 6 & 63));
    o[2] = (char)(0x80 | (c & 63));
    return 3;
  }
  o[0] = (char)(0xf0 | c >> 18);
  o[1] = (char)(0x80 | (c >> 12 & 63));
  o[2] = (char)(0x80 | (c >> 6 & 63));
  o[3] = (char)(0x80 | (c & 63));
  return 4;
}

static int escape(struct reader *r, char *out, size_t *n) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  unsigned c, low;
  if (r->at == r->end)
    return fail(r, "string does not end");
  char e = *r->at++;
  const char *p = e ? strchr(from, e) : NULL;
  if (p) {
    out[(*n)++] = to[p - from];
    return 0;
  }
  if (e != 'u' || hex4(r, &c))
    return fail(r, "unknown escape");
  if (c >= 0xd800 && c < 0xdc00) { /* the first half of a pair */
    if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u')
      return fail(r, "half a surrogate pair");
    r->at += 2;
    if (hex4(r, &low) || low < 0xdc00 || low > 0xdfff)
      return fail(r, "half a surrogate pair");
    c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
  } else if (c >= 0xdc00 && c < 0xe000) {
    return fail(r, "half a surrogate pair");
  }
  if (c == 0)
    return fail(r, "zero character in a string");
  *n += utf8(c, out + *n);
  return 0;
}

static int string(struct reader *r, char **s) {
  size_t n = 0;
  if (!next_is(r, '"'))
    return fail(r, "string expected");
  const char *quote = r->at;
  while (quote < r->end && *quote != '"')
    quote += *quote == '\\' && quote + 1 < r->end ? 2 : 1;
  if (quote >= r->end)
    return fail(r, "string does not end");
  char *out = malloc((size_t)(quote - r->at) + 1); /* an escape is never longer than what it stands for */
  if (!out)
    return fail(r, "no memory");
  while (r->at < quote) {
    unsigned char c = (unsigned char)*r->at++;
    if (c < 0x20) {
      free(out);
      return fail(r, "control character in a string");
    }
    if (c != '\\') {
      out[n++] = (char)c;
    } else if (escape(r, out, &n)) {
      free(out);
      return -1;
    }
  }
  r->at = quote + 1;
  out[n] = 0;
  *s = out;
  return 0;
}

/* SPEC: RFC 8259, section 6: no leading zero, no plus, digits on both sides of the point. */
static int number(struct reader *r, double *v) {
  const char *p = r->at;
  char buf[64];
#define DIGITS                                                                                                         \
  do {                                                                                                                 \
    if (p == r->end || *p < '0' || *p > '9')                                                                           \
      return fail(r, "value expected");                                                                                \
    while (p < r->end && *p >= '0' && *p <= '9')                                                                       \
      p++;                                                                                                             \
  } while (0)
  p += p < r->end && *p == '-';
  if (p < r->end && *p == '0')
    p++;
  else
    DIGITS;
  if (p < r->end && *p == '.') {
    p++;
    DIGITS;
  }
  if (p < r->end && (*p == 'e' || *p == 'E')) {
    p++;
    p += p < r->end && (*p == '+' || *p == '-');
    DIGITS;
  }
#undef DIGITS
  size_t n = (size_t)(p - r->at);
  if (n >= sizeof buf)
    return fail(r, "number too long");
  memcpy(buf, r->at, n);
  buf[n] = 0;
  *v = strtod(buf, NULL);
  r->at = p;
  return 0;
}

static int value(struct reader *r, struct jv *v, int depth);

static int members(struct reader *r, struct jv *v, int depth) {
  size_t room = 0;
  bool object = v->type == JV_OBJECT;
  char close = object ? '}' : ']';
  if (next_is(r, close))
    return 0;
  do {
    if (v->n == room) {
      room = room ? 2 * room : 8;
      struct jv *items = realloc(v->items, room * sizeof *items);
      if (items)
        v->items = items;
      char **names = object ? realloc(v->names, room * sizeof *names) : NULL;
      if (names)
        v->names = names;
      if (!items || (object && !names))
        return fail(r, "no memory");
    }
    memset(&v->items[v->n], 0, sizeof v->items[v->n]);
    if (object) {
      v->names[v->n] = NULL;
      if (string(r, &v->names[v->n]))
        return -1;
    }
    v->n++; /* jv_free has it from here */
    if (object && !next_is(r, ':'))
      return fail(r, "\":\" expected");
    if (value(r, &v->items[v->n - 1], depth + 1))
      return -1;
  } while (next_is(r, ','));
  return next_is(r, close) ? 0 : fail(r, object ? "\",\" or \"}\" expected" : "\",\" or \"]\" expected");
}

static int value(struct reader *r, struct jv *v, int depth) {
  space(r);
  if (depth > MAX_DEPTH)
    return fail(r, "nested too deep");
  if (r->at == r->end)
    return fail(r, "value expected");
  switch (*r->at) {
  case '{':
  case '[':
    v->type = *r->at++ == '{' ? JV_OBJECT : JV_ARRAY;
    return members(r, v, depth);
  case '"':
    v->type = JV_STRING;
    return string(r, &v->string);
  case 't':
    v->type = JV_BOOL;
    v->number = 1;
    return word(r, "true");
  case 'f':
    v->type = JV_BOOL;
    return word(r, "false");
  case 'n':
    return word(r, "null");
  default:
    v->type = JV_NUMBER;
    return number(r, &v->number);
  }
}

int jv_read(struct jv *v, const char *text, size_t len, char *error, size_t error_size) {
  struct reader r = {text, text + len, NULL};
  memset(v, 0, sizeof *v);
  int err = value(&r, v, 0);
  space(&r);
  if (!err && r.at != r.end)
    err = fail(&r, "something follows the end");
  if (err) {
    size_t line = 1;
    for (const char *p = text; p < r.at; p++)
      line += *p == '\n';
    snprintf(error, error_size, "line %zu: %s", line, r.why ? r.why : "?");
    jv_free(v);
  }
  return err;
}

void jv_free(struct jv *v) {
  for (size_t i = 0; i < v->n; i++) {
    jv_free(&v->items[i]);
    if (v->names)
      free(v->names[i]);
  }
  free(v->items);
  free(v->names);
  free(v->string);
  memset(v, 0, sizeof *v);
}

const struct jv *jv_get(const struct jv *v, const char *name) {
  if (v && v->type == JV_OBJECT)
    for (size_t i = 0; i < v->n; i++)
      if (!strcmp(v->names[i], name))
        return &v->items[i];
  return NULL;
}
