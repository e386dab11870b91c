/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* A small reader of JSON (RFC 8259), for rijn bench compare. */
#ifndef RIJN_JSON_READ_H
#define RIJN_JSON_READ_H

#include <stddef.h>

enum jv_type { JV_NULL, JV_BOOL, JV_NUMBER, JV_STRING, JV_ARRAY, JV_OBJECT };

struct jv {
  enum jv_type type;
  double number;    /* or 0, 1 of a bool */
  char *string;     /* UTF-8; a zero character in it is refused */
  struct jv *items; /* of an array; the values of an object */
  char **names;     /* of an object */
  size_t n;
};

/* 0, or -1 with what is wrong and where in error. */
int jv_read(struct jv *v, const char *text, size_t len, char *error, size_t error_size);
void jv_free(struct jv *v);
/* The value of that name, or NULL when v is no object or has none. */
const struct jv *jv_get(const struct jv *v, const char *name);

#endif
