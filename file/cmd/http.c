/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Ranges of a file on an HTTP(S) server, by libcurl.
 *
 * WHY it is loaded when it is needed: it brings some forty libraries, and a program that is linked with them takes
 * three times as long to start.
 */
#include "crypt.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The calls of libcurl, of the kinds its header gives them. */
struct curl_calls {
  __typeof__(&curl_easy_init) init;
  __typeof__(&curl_easy_setopt) setopt;
  __typeof__(&curl_easy_perform) perform;
  __typeof__(&curl_easy_getinfo) getinfo;
  __typeof__(&curl_easy_strerror) error;
  __typeof__(&curl_easy_cleanup) cleanup;
};

struct rijn_http {
  void *library;
  struct curl_calls c;
  CURL *curl;
  const char *url;
  /* of the request that runs */
  uint8_t *to;
  size_t len, got;
  uint64_t total;      /* of Content-Range; 0: none came */
  char validator[160]; /* ETag or Last-Modified of the first answer: it must stay the same file */
  bool changed;
};

bool rijn_is_url(const char *name) { return strncmp(name, "http://", 7) == 0 || strncmp(name, "https://", 8) == 0; }

static bool load(struct rijn_http *h) {
  const struct {
    const char *name;
    void *call;
  } calls[] = {{"curl_easy_init", &h->c.init},       {"curl_easy_setopt", &h->c.setopt},
               {"curl_easy_perform", &h->c.perform}, {"curl_easy_getinfo", &h->c.getinfo},
               {"curl_easy_strerror", &h->c.error},  {"curl_easy_cleanup", &h->c.cleanup}};
  h->library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  for (size_t i = 0; h->library != NULL && i < sizeof calls / sizeof calls[0]; i++) {
    void *f = dlsym(h->library, calls[i].name);
    if (f == NULL)
      return false;
    memcpy(calls[i].call, &f, sizeof f);
  }
  return h->library != NULL;
}

/* No more than was asked for: a server that ignores the range is stopped here. */
static size_t take(char *bytes, size_t size, size_t n, void *user) {
  struct rijn_http *h = user;
  size_t len = size * n;
  if (len > h->len - h->got)
    return 0;
  memcpy(h->to + h->got, bytes, len);
  h->got += len;
  return len;
}

/* The value of the header line, where it is that of name. */
static bool value_of(const char *line, size_t len, const char *name, char *value, size_t size) {
  size_t n = strlen(name);
  if (len <= n || strncasecmp(line, name, n) != 0)
    return false;
  while (n < len && line[n] == ' ')
    n++;
  while (len > n && (line[len - 1] == '\r' || line[len - 1] == '\n'))
    len--;
  snprintf(value, size, "%.*s", (int)(len - n), line + n);
  return true;
}

static size_t see_header(char *line, size_t size, size_t n, void *user) {
  struct rijn_http *h = user;
  char value[160];
  unsigned long long total;
  if (value_of(line, size * n, "content-range:", value, sizeof value) &&
      sscanf(value, "bytes %*u-%*u/%llu", &total) == 1)
    h->total = total;
  if (value_of(line, size * n, "etag:", value, sizeof value)) {
    h->changed = h->changed || (h->validator[0] != '\0' && strcmp(h->validator, value) != 0);
    memcpy(h->validator, value, sizeof value);
  }
  return size * n;
}

/* One request: 0, or an errno value; what curl says of it in *why, and the status of the answer in *status. */
static int request(struct rijn_http *h, uint64_t at, CURLcode *why, long *status) {
  char range[64];
  snprintf(range, sizeof range, "%llu-%llu", (unsigned long long)at, (unsigned long long)(at + h->len - 1));
  h->got = 0;
  *status = 0;
  h->c.setopt(h->curl, CURLOPT_RANGE, range);
  *why = h->c.perform(h->curl);
  h->c.getinfo(h->curl, CURLINFO_RESPONSE_CODE, status);
  if (*why != CURLE_OK || *status != 206)
    return EIO;
  return h->changed ? ESTALE : 0;
}

int rijn_http_pread(void *http, void *bytes, size_t len, uint64_t at) {
  struct rijn_http *h = http;
  CURLcode why;
  long status;
  if (len == 0)
    return 0;
  h->to = bytes;
  h->len = len;
  int err = request(h, at, &why, &status);
  if (err == 0 && h->got != len)
    err = EIO;
  return err;
}

/* The first byte, and with it the length. */
static bool begin(struct rijn_http *h, uint64_t *len) {
  uint8_t byte;
  CURLcode why;
  long status;
  h->c.setopt(h->curl, CURLOPT_URL, h->url);
  h->c.setopt(h->curl, CURLOPT_PROTOCOLS_STR, "http,https");
  h->c.setopt(h->curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  h->c.setopt(h->curl, CURLOPT_FOLLOWLOCATION, 1L);
  h->c.setopt(h->curl, CURLOPT_MAXREDIRS, 5L);
  h->c.setopt(h->curl, CURLOPT_FAILONERROR, 1L);
  h->c.setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
  h->c.setopt(h->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  h->c.setopt(h->curl, CURLOPT_LOW_SPEED_TIME, 60L);
  h->c.setopt(h->curl, CURLOPT_WRITEFUNCTION, take);
  h->c.setopt(h->curl, CURLOPT_WRITEDATA, h);
  h->c.setopt(h->curl, CURLOPT_HEADERFUNCTION, see_header);
  h->c.setopt(h->curl, CURLOPT_HEADERDATA, h);
  h->to = &byte;
  h->len = 1;
  if (request(h, 0, &why, &status) == 0 && h->total != 0) {
    *len = h->total;
    return true;
  }
  if (status == 200)
    rijn_say("%s: the server gives no ranges", h->url);
  else
    rijn_say("%s: %s", h->url, h->c.error(why));
  return false;
}

struct rijn_http *rijn_http_open(const char *url, uint64_t *len) {
  struct rijn_http *h = calloc(1, sizeof *h);
  if (h == NULL) {
    rijn_say("out of memory");
    return NULL;
  }
  h->url = url;
  if (!load(h))
    rijn_say("%s: libcurl.so.4 is needed for this, and not there", url);
  else if ((h->curl = h->c.init()) == NULL)
    rijn_say("%s: libcurl does not start", url);
  else if (begin(h, len))
    return h;
  rijn_http_close(h);
  return NULL;
}

void rijn_http_close(struct rijn_http *h) {
  if (h == NULL)
    return;
  if (h->curl != NULL)
    h->c.cleanup(h->curl);
  if (h->library != NULL)
    dlclose(h->library);
  free(h);
}
