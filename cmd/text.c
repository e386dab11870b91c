/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "cmd.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SPEC: RFC 3629, section 4. Bytes of the character at s; 0: none that UTF-8 has. */
static size_t character(const unsigned char *s) {
  size_t n = 4;
  if (s[0] < 0x80)
    n = 1;
  else if (s[0] < 0xc2 || s[0] > 0xf4)
    n = 0;
  else if (s[0] < 0xf0)
    n = s[0] < 0xe0 ? 2 : 3;
  for (size_t i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80) /* the zero at the end is none either */
      return 0;
  bool too_long = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
  bool none = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f); /* surrogates, and past the last */
  return too_long || none ? 0 : n;
}

void rijn_show(const char *s) {
  while (*s != '\0') {
    const unsigned char *p = (const unsigned char *)s;
    size_t n = rijn_control(p) == 0 ? character(p) : 0;
    if (n != 0)
      fwrite(s, 1, n, stdout);
    else
      printf("\\x%02x", *p);
    s += n != 0 ? n : 1;
  }
}

/* WHY not as it is: names of files can be any bytes, json-c hands them on, and no reader takes what is not UTF-8. */
struct json_object *rijn_json_string(const char *s) {
  static const char replacement[] = "\xef\xbf\xbd";
  char *clean = s != NULL ? malloc(3 * strlen(s) + 1) : NULL, *to = clean;
  if (clean == NULL)
    return NULL;
  while (*s != '\0') {
    size_t n = character((const unsigned char *)s), put = n != 0 ? n : 3;
    memcpy(to, n != 0 ? s : replacement, put);
    to += put;
    s += n != 0 ? n : 1;
  }
  struct json_object *t = json_object_new_string_len(clean, (int)(to - clean));
  free(clean);
  return t;
}
