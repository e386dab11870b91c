/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Errors of files, and results as JSON. */
#include "crypt.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rijn_tell_error(const struct rijn_crypt *c, const struct rijn_input *in, const char *out,
                    const rijn_file_error *e) {
  unsigned long long k = e->chunk, from = e->from, to = e->to;
  const char *other = e->code == RIJN_FILE_EKEY || e->code == RIJN_FILE_EHEADER ? rijn_foreign(in) : NULL;
  errno = e->system;
  if (other != NULL)
    rijn_say("%s: is a file of another kind (%s), not one that rijn encrypt made", in->name, other);
  else if (e->code == RIJN_FILE_EREAD)
    rijn_say_errno("%s: cannot read", in->name);
  else if (e->code == RIJN_FILE_EWRITE)
    rijn_say_errno("%s: cannot write", out);
  else if (e->code == RIJN_FILE_ERANDOM)
    rijn_say_errno("no random bytes for the salt");
  else if (e->code == RIJN_FILE_EHEADER)
    rijn_say("%s: header: cut short, %llu of %d bytes", in->name, to - from,
             c->format == RIJN_FILE_COBBLESTONE ? 56 : 40);
  else if (e->code == RIJN_FILE_EKEY)
    rijn_say("%s: header: %s%s", in->name, c->format == RIJN_FILE_COBBLESTONE ? "the commitment does not match: " : "",
             rijn_file_strerror(e->code));
  else if (e->code == RIJN_FILE_EMISSING)
    rijn_say("%s: chunk %llu (at byte %llu): %s", in->name, k, from, rijn_file_strerror(e->code));
  else if (e->code <= RIJN_FILE_EALTERED && e->code >= RIJN_FILE_ETAG)
    rijn_say("%s: chunk %llu (bytes %llu to %llu): %s", in->name, k, from, to - 1, rijn_file_strerror(e->code));
  else
    rijn_say("%s: %s", in->name, rijn_file_strerror(e->code));
  return RIJN_EXIT_FAILED;
}

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

void rijn_json_text(struct json_object *j, const char *name, const char *value) {
  json_object_object_add(j, name, rijn_json_string(value));
}

void rijn_json_number(struct json_object *j, const char *name, uint64_t value) {
  json_object_object_add(j, name, json_object_new_uint64(value));
}

struct json_object *rijn_json_result(const struct rijn_crypt *c, const char *name, int status) {
  struct json_object *j = json_object_new_object();
  rijn_json_text(j, "action", c->argv0 + strlen("rijn "));
  rijn_json_text(j, "file", name);
  rijn_json_text(j, "status", status == RIJN_EXIT_OK ? "ok" : "failed");
  if (status != RIJN_EXIT_OK)
    rijn_json_text(j, "error", rijn_last_said());
  return j;
}

void rijn_tell_json(const struct rijn_crypt *c, struct json_object *j) {
  bool taken = c->verb == RIJN_ENCRYPT || c->verb == RIJN_DECRYPT;
  rijn_progress_clear();
  fprintf(taken ? stderr : stdout, "%s\n", json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN));
  json_object_put(j);
}
