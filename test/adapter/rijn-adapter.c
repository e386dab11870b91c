/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Every mode of Rijn behind a pipe: one request a line in JSON, one answer a line, in order. README.md beside this file
 * has the fields. So one program runs vectors of any source, through any implementation (RIJN_IMPL), with buffers that
 * end at a page which cannot be touched, misaligned, in place, or in pieces. Where the library has several ways to do
 * what is asked (one call, a batch; a stream, lists), all are run and must agree.
 *
 * rijn-adapter --list    names of the implementations that this machine can run
 */
#define _GNU_SOURCE
#include "adapter.h"
#include "json.h"

#include <unistd.h>

static t_buf buf_key, buf_in, buf_out, buf_aad, buf_iv, buf_tag;

/* ---- requests */

static int digit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/* Decodes a field into a guarded buffer: at its end, or off bytes from its start when off is not below 0. A field that
 * is not there has no bytes. */
static struct bytes field(struct json q, const char *name, t_buf *b, int off) {
  struct bytes r = {NULL, 0};
  struct json v = json_get(q, name), s = json_string(v);
  if ((v.p != NULL && s.p == NULL) || s.n % 2 != 0) {
    t_die(__FILE__, __LINE__, "field \"%s\" is no hex string", name);
  }
  r.n = s.n / 2;
  if (b->cap < r.n + 128) {
    t_buf_free(b);
    *b = t_buf_new(2 * r.n + 128);
  }
  r.p = off < 0 ? t_end(b, r.n) : t_start(b, (size_t)off);
  for (size_t i = 0; i < r.n; i++) {
    int hi = digit(s.p[2 * i]), lo = digit(s.p[2 * i + 1]);
    if (hi < 0 || lo < 0) {
      t_die(__FILE__, __LINE__, "field \"%s\": byte %zu is no hex", name, i);
    }
    r.p[i] = (uint8_t)(hi << 4 | lo);
  }
  return r;
}

static int offset(struct json variant, const char *name) {
  struct json v = json_get(variant, name);
  if (v.p == NULL) {
    return -1;
  }
  long off = json_number(v);
  REQUIRE(off >= 0 && off <= 64);
  return (int)off;
}

/* The lengths of the pieces, which must be the whole input. */
static void parse_cuts(struct json split, struct req *r) {
  struct json v = JSON_NONE;
  size_t pos = 0;
  r->cuts = malloc((split.n + 1) * sizeof *r->cuts); /* a number has a character at least */
  REQUIRE(*split.p == '[' && r->cuts != NULL);
  while ((v = json_next(split, v)).p != NULL) {
    long n = json_number(v);
    REQUIRE(n >= 0 && (size_t)n <= r->in.n - pos);
    r->cuts[r->n_cuts++] = (size_t)n;
    pos += (size_t)n;
  }
  REQUIRE(pos == r->in.n);
}

static void parse(struct json q, struct req *r) {
  struct json v = json_get(q, "variant"), op = json_get(q, "op"), t = json_get(q, "tag_len");
  memset(r, 0, sizeof *r);
  r->enc = json_is(op, "enc");
  if (!r->enc && !json_is(op, "dec")) {
    t_die(__FILE__, __LINE__, "a request needs \"op\": \"enc\" or \"dec\"");
  }
  int in_off = offset(v, "in_off"), out_off = offset(v, "out_off");
  r->in = field(q, "in", &buf_in, in_off);
  r->aad = field(q, "aad", &buf_aad, in_off);
  r->in_place = json_is_true(json_get(v, "inplace"));
  r->iv = field(q, "iv", &buf_iv, out_off);
  r->tag = field(q, "tag", &buf_tag, out_off);
  r->key = field(q, "key", &buf_key, -1);
  struct bytes salt = field(q, "salt", &buf_out, -1); /* its buffer is free until the output is placed */
  if (salt.n > 0) {
    uint8_t both[128];
    REQUIRE(r->key.n + salt.n <= sizeof both);
    memcpy(both, r->key.p, r->key.n);
    memcpy(both + r->key.n, salt.p, salt.n);
    r->key.n += salt.n;
    r->key.p = t_end(&buf_key, r->key.n);
    memcpy(r->key.p, both, r->key.n);
  }
  r->tag_len = r->tag.n;
  if (r->enc) {
    long n = t.p != NULL ? json_number(t) : 16;
    REQUIRE(n >= 0);
    r->tag_len = (size_t)n;
  }
  struct json split = json_get(v, "split");
  if (split.p != NULL) {
    parse_cuts(split, r);
  }
  r->out_off = out_off >= 0 ? out_off : in_off;
}

/* ---- places of the output */

void place_output(struct req *r, size_t n) {
  t_buf *b = r->in_place ? &buf_in : &buf_out;
  if (b->cap < n + 128) { /* padding makes more than it takes */
    t_buf bigger = t_buf_new(2 * n + 128);
    if (r->in_place) {
      uint8_t *p = r->out_off >= 0 ? t_start(&bigger, (size_t)r->out_off) : t_end(&bigger, n);
      memcpy(p, r->in.p, r->in.n);
      r->in.p = p;
    }
    t_buf_free(b);
    *b = bigger;
  }
  r->out_n = n;
  if (!r->in_place) {
    r->out = r->out_off >= 0 ? t_start(b, (size_t)r->out_off) : t_end(b, n);
    t_poison(b, r->out, n);
    memset(r->out, 0, n);
    return;
  }
  uint8_t *keep = malloc(r->in.n + 1);
  REQUIRE(keep != NULL);
  memcpy(keep, r->in.p, r->in.n);
  r->out = r->in.n >= n ? r->in.p : r->out_off >= 0 ? t_start(b, (size_t)r->out_off) : t_end(b, n);
  t_poison(b, r->out, r->in.n >= n ? r->in.n : n);
  memcpy(r->out, keep, r->in.n);
  r->in.p = r->out;
  free(keep);
}

void check_output(const struct req *r) {
  size_t n = r->in_place && r->in.n > r->out_n ? r->in.n : r->out_n;
  CHECK_POISON(r->in_place ? &buf_in : &buf_out, r->out, n);
}

/* ---- answers */

static void put_hex(FILE *f, const char *name, const uint8_t *p, size_t n) {
  static const char digits[] = "0123456789abcdef";
  fprintf(f, ",\"%s\":\"", name);
  for (size_t i = 0; i < n; i++) {
    putc_unlocked(digits[p[i] >> 4], f);
    putc_unlocked(digits[p[i] & 15], f);
  }
  putc_unlocked('"', f);
}

static void reply(struct json id, const struct req *r, int err, const char *error) {
  if (err == RIJN_OK) {
    printf("{\"id\":%.*s,\"ok\":true", (int)id.n, id.p);
    put_hex(stdout, "out", r->out, r->out_n);
    if (r->made_tag) {
      put_hex(stdout, "tag", r->tag_out, r->tag_len);
    }
    if (r->made_iv) {
      put_hex(stdout, "nextiv", r->next_iv, 16);
    }
  } else {
    printf("{\"id\":%.*s,\"ok\":false,\"error\":\"%s\"", (int)id.n, id.p, error);
    /* What a refused call has left alone in place is the input, and no output. */
    if (r->out_n > 0 && (!r->in_place || err == RIJN_EAUTH || err == RIJN_EPADDING)) {
      put_hex(stdout, "out", r->out, r->out_n);
    }
  }
  puts("}");
}

static const struct {
  const char *name;
  int (*run)(struct req *r);
} modes[] = {
    {"aes-gcm", run_gcm}, {"aes-gmac", run_gmac},       {"rfc4106", run_rfc4106},     {"rfc4543", run_rfc4543},
    {"ghash", run_ghash}, {"aes-xts", run_xts},         {"aes-ctr", run_ctr},         {"aes-cbc", run_cbc},
    {"aes-ecb", run_ecb}, {"aes-cbc-pkcs7", run_pkcs7}, {"aes-gcm-siv", run_gcm_siv}, {"xaes-256-gcm", run_xaes},
    {"aes-ccm", run_ccm}, {"aes-cfb128", run_cfb},
};

static void serve(const char *line, size_t len) {
  struct req r;
  struct json q = json_read(line, len), id = json_get(q, "id"), mode = json_get(q, "mode");
  if (id.p == NULL || json_string(mode).p == NULL) {
    t_die(__FILE__, __LINE__, "no request with an \"id\" and a \"mode\": %s", line);
  }
  size_t i = 0, n = sizeof modes / sizeof modes[0];
  while (i < n && !json_is(mode, modes[i].name)) {
    i++;
  }
  if (i == n) {
    printf("{\"id\":%.*s,\"skip\":true}\n", (int)id.n, id.p);
    return;
  }
  parse(q, &r);
  T_AT("key %zu, length %zu, associated data %zu", r.key.n, r.in.n, r.aad.n);
  uint64_t before = t_failures();
  int err = modes[i].run(&r);
  bool policy = err == RIJN_EWEAKKEY || err == RIJN_ETAGLEN || (err == RIJN_EKEYLEN && modes[i].run == run_xts);
  if (t_failures() != before) { /* the ways disagree, or memory beside the output was written: never an answer */
    fprintf(stderr, "rijn-adapter: %s %s of request %.*s\n", modes[i].name, r.enc ? "encryption" : "decryption",
            (int)id.n, id.p);
    exit(3);
  }
  reply(id, &r, err, policy ? "policy" : rijn_strerror(err));
  free(r.cuts);
}

int main(int argc, char **argv) {
  char *line = NULL, *no_options[] = {argv[0], NULL};
  size_t room = 0;
  ssize_t n;
  if (argc == 2 && strcmp(argv[1], "--list") == 0) {
    for (int i = 0; i < rijn_impl_count(); i++) {
      if (rijn_impl_supported(i)) {
        puts(rijn_impl_name(i));
      }
    }
    return 0;
  }
  if (argc != 1) {
    fprintf(stderr, "usage: rijn-adapter [--list] < requests > answers\n");
    return 2;
  }
  if (rijn_impl_chosen() < 0) {
    const char *name = getenv("RIJN_IMPL");
    fprintf(stderr, "rijn-adapter: RIJN_IMPL=%s: %s\n", name != NULL ? name : "", rijn_strerror(RIJN_EIMPL));
    return 2;
  }
  t_init_quiet(1, no_options);
  if (t_failures() != 0) {
    return 2;
  }
  t_set_impl(rijn_impl_chosen());
  buf_key = t_buf_new(128);
  buf_in = t_buf_new(4096);
  buf_out = t_buf_new(4096);
  buf_aad = t_buf_new(4096);
  buf_iv = t_buf_new(1024);
  buf_tag = t_buf_new(128);
  /* Whoever sends the next request after this answer gets it at once; a file of requests does not wait. */
  bool file = lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0;
  while ((n = getline(&line, &room, stdin)) > 0) {
    serve(line, (size_t)n);
    if (!file) {
      fflush(stdout);
    }
  }
  free(line);
  return ferror(stdin) ? 1 : 0;
}
