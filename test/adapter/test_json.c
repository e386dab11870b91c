/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The adapter's reader of JSON: what it takes, what it refuses, and that it never looks behind the text. */
#include "json.h"
#include "t.h"

static t_buf buf;

/* At the end of a page: a byte read too far is a fault. */
static struct json read(const char *text) {
  size_t n = strlen(text);
  char *p = (char *)t_end(&buf, n);
  memcpy(p, text, n);
  return json_read(p, n);
}

static void good(void) {
  static const char *const all[] = {
      "{}",
      "[]",
      "0",
      "-1.5e+3",
      "true",
      "null",
      "\"\"",
      " { } ",
      "[1]",
      "[1,2 , [ ] ,{}]",
      "{\"a\":1}",
      "{\"a\" : \"b\\\"c\" , \"d\":[1,{\"e\":\"f\"}] }",
      "\"\\\\\"",
      "{\"x\":\"]}\"}",
      "[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]",
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    T_AT("good %zu", i);
    struct json v = read(all[i]);
    CHECK(v.p != NULL && v.n > 0 && v.n <= strlen(all[i]));
  }
}

static void bad(void) {
  static const char *const all[] = {
      "",           " ",      "{",         "}",        "[",
      "]",          "[1",     "[1,",       "[1,]",     "[,1]",
      "{\"",        "{\"a\"", "{\"a\":",   "{\"a\":}", "\"",
      "\"\\\"",     "\"a\\",  "{\"a\":1,", "{1:2}",    "{\"a\" 1}",
      "1 2",        "{}{}",   "{\"a\":1]", "[1}",      "[1;",
      "{\"a\":1,}", "{} x\"", "*",         "[\"]",     "[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]", /* too deep */
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    T_AT("bad %zu", i);
    CHECK(read(all[i]).p == NULL);
  }
}

static void parts(void) {
  struct json q = read("{\"id\": 7, \"variant\":{\"split\":[0, 12,3],\"inplace\":true,\"none\":[]}, \"s\\\"\":\"x\", "
                       "\"mode\":\"aes-gcm\",\"n\":\"\\\"\"}");
  T_AT("parts");
  CHECK_EQ(json_number(json_get(q, "id")), 7);
  CHECK(json_is(json_get(q, "mode"), "aes-gcm"));
  CHECK(!json_is(json_get(q, "mode"), "aes-gc") && !json_is(json_get(q, "mode"), "aes-gcm2"));
  CHECK_EQ(json_string(json_get(q, "n")).n, 2);
  CHECK(json_get(q, "split").p == NULL); /* of an inner object */
  CHECK(json_get(json_get(q, "id"), "id").p == NULL);
  struct json v = json_get(q, "variant"), split = json_get(v, "split"), e = JSON_NONE;
  CHECK(json_is_true(json_get(v, "inplace")) && !json_is_true(json_get(v, "split")));
  static const long want[] = {0, 12, 3};
  size_t n = 0;
  while ((e = json_next(split, e)).p != NULL)
    CHECK(n < 3 && json_number(e) == want[n++]);
  CHECK_EQ(n, 3);
  CHECK(json_next(json_get(v, "none"), JSON_NONE).p == NULL && json_get(v, "none").p != NULL);
  CHECK(json_next(q, JSON_NONE).p == NULL);
  CHECK_EQ(json_number(read("-1")), -1);
  CHECK_EQ(json_number(read("1.5")), -1);
  CHECK_EQ(json_number(read("1000000000")), -1);
  CHECK_EQ(json_number(read("999999999")), 999999999);
  CHECK_EQ(json_number(read("\"1\"")), -1);
}

/* Every beginning of a text is no text, and each byte changed is read without a fault. */
static void damaged(void) {
  static const char text[] = "{\"a\":[1,{\"b\\\\\":\"c\\\"\"},true],\"d\":{}}";
  static const char others[] = "\"\\[]{},: 0\n";
  char copy[sizeof text];
  for (size_t i = 0; i < sizeof text - 1; i++) {
    T_AT("cut at %zu", i);
    memcpy(copy, text, i);
    copy[i] = '\0';
    CHECK(read(copy).p == NULL);
    for (size_t k = 0; k < sizeof others - 1; k++) {
      memcpy(copy, text, sizeof text);
      copy[i] = others[k];
      struct json v = read(copy), e = JSON_NONE;
      CHECK(json_get(v, "z").p == NULL);
      while ((e = json_next(json_get(v, "a"), e)).p != NULL)
        json_get(e, "b");
    }
  }
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  buf = t_buf_new(200);
  good();
  bad();
  parts();
  damaged();
  return t_done();
}
