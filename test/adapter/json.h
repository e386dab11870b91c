/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * As much JSON as requests have. A value is a piece of the line it was read from: nothing is copied, nothing is freed,
 * and the adapter needs no library, so that it can be built for any machine.
 */
#ifndef RIJN_ADAPTER_JSON_H
#define RIJN_ADAPTER_JSON_H

#include <stdbool.h>
#include <stddef.h>

struct json {
  const char *p; /* NULL: none */
  size_t n;
};
#define JSON_NONE ((struct json){NULL, 0})

/* The one value that the text consists of, or none if it is not JSON. */
struct json json_read(const char *text, size_t n);
/* The value of that name in an object; none if it has no such name, or is no object. */
struct json json_get(struct json object, const char *name);
/* The element of an array that follows another; the first one after none; none at the end. */
struct json json_next(struct json array, struct json before);
/* What stands between the quotes, its escapes as they are; none if it is no string. */
struct json json_string(struct json v);
/* Is it this string (which has nothing to escape)? */
bool json_is(struct json v, const char *string);
/* A number of digits alone; -1 for anything else. */
long json_number(struct json v);
bool json_is_true(struct json v);

#endif
