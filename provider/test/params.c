/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Parameters of every type and size that libcrypto may hand over: what is taken from them, and what is answered. */
#include "params.h"
#include "t.h"

enum { ROOM = 32 };
static uint8_t mem[ROOM];

/* A parameter whose value lies in mem, which is all poison. */
static OSSL_PARAM param(unsigned type, size_t size) {
  memset(mem, T_POISON, sizeof mem);
  return (OSSL_PARAM){"x", type, mem, size, OSSL_PARAM_UNMODIFIED};
}

static OSSL_PARAM integer(bool is_signed, size_t size, int64_t value) {
  OSSL_PARAM p = param(is_signed ? OSSL_PARAM_INTEGER : OSSL_PARAM_UNSIGNED_INTEGER, size);
  int32_t small = (int32_t)value;
  if (size == sizeof small)
    memcpy(mem, &small, sizeof small);
  else
    memcpy(mem, &value, sizeof value);
  return p;
}

static void test_get(void) {
  static const int64_t values[] = {
      0, 1, 16, INT32_MAX, (int64_t)INT32_MAX + 1, UINT32_MAX, (int64_t)UINT32_MAX + 1, INT64_MAX, -1, INT64_MIN};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    for (int is_signed = 0; is_signed < 2; is_signed++)
      for (size_t size = 0; size <= 16; size++) {
        T_AT("value %zu, signed %zu, size %zu", i, is_signed, size);
        OSSL_PARAM p = integer(is_signed, size, values[i]);
        int64_t seen = size == 8 ? values[i] : is_signed ? (int32_t)values[i] : (int64_t)(uint32_t)values[i];
        bool fits = (size == 4 || size == 8) && !(is_signed && seen < 0);
        uint64_t v = 77;
        size_t n = 77;
        unsigned u = 77;
        CHECK_EQ(rijn_param_get_u64(&p, &v), fits);
        CHECK(v == (fits ? (uint64_t)seen : 77));
        bool fits_size = fits && (uint64_t)seen <= SIZE_MAX, fits_uint = fits && (uint64_t)seen <= UINT32_MAX;
        CHECK_EQ(rijn_param_get_size(&p, &n), fits_size);
        CHECK(n == (fits_size ? (size_t)seen : 77));
        CHECK_EQ(rijn_param_get_uint(&p, &u), fits_uint);
        CHECK(u == (fits_uint ? (unsigned)seen : 77));
      }
  for (unsigned type = OSSL_PARAM_REAL; type <= OSSL_PARAM_OCTET_PTR; type++) {
    uint64_t v = 77;
    OSSL_PARAM p = integer(true, 8, 1);
    p.data_type = type;
    CHECK(!rijn_param_get_u64(&p, &v));
    CHECK(v == 77);
  }
  uint64_t v;
  OSSL_PARAM p = integer(false, 8, 1);
  p.data = NULL;
  CHECK(!rijn_param_get_u64(&p, &v));
}

static void test_set_u64(void) {
  static const uint64_t values[] = {0,          16,
                                    INT32_MAX,  (uint64_t)INT32_MAX + 1,
                                    UINT32_MAX, (uint64_t)UINT32_MAX + 1,
                                    INT64_MAX,  (uint64_t)INT64_MAX + 1,
                                    UINT64_MAX};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    for (int is_signed = 0; is_signed < 2; is_signed++)
      for (size_t size = 0; size <= 16; size++) {
        T_AT("value %zu, signed %zu, size %zu", i, is_signed, size);
        OSSL_PARAM p = param(is_signed ? OSSL_PARAM_INTEGER : OSSL_PARAM_UNSIGNED_INTEGER, size);
        uint64_t v = values[i];
        uint32_t w = (uint32_t)v;
        bool fits = size == 8   ? !is_signed || v <= INT64_MAX
                    : size == 4 ? v <= (is_signed ? INT32_MAX : UINT32_MAX)
                                : false;
        CHECK_EQ(rijn_param_set_u64(&p, v), fits);
        if (fits) {
          CHECK_EQ(p.return_size, size);
          CHECK_MEM(mem, size == 8 ? (void *)&v : (void *)&w, size);
        }
        CHECK_ALL(mem + (fits ? size : 0), T_POISON, ROOM - (fits ? size : 0));
        p.data = NULL;
        CHECK(rijn_param_set_u64(&p, v)); /* asked for the size alone */
        CHECK_EQ(p.return_size, 8);
      }
  OSSL_PARAM p = param(OSSL_PARAM_REAL, 8);
  CHECK(!rijn_param_set_u64(&p, 1));
  CHECK_ALL(mem, T_POISON, ROOM);
}

static void test_set_octets(void) {
  static const uint8_t bytes[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const size_t n = sizeof bytes;
  for (size_t size = 0; size <= ROOM; size++)
    for (int or_ptr = 0; or_ptr < 2; or_ptr++) {
      T_AT("octets, size %zu", size);
      OSSL_PARAM p = param(OSSL_PARAM_OCTET_STRING, size);
      bool fits = size >= n;
      CHECK_EQ((or_ptr ? rijn_param_set_octets_or_ptr : rijn_param_set_octets)(&p, bytes, n), fits);
      CHECK_EQ(p.return_size, n);
      CHECK_MEM(mem, bytes, fits ? n : 0);
      CHECK_ALL(mem + (fits ? n : 0), T_POISON, ROOM - (fits ? n : 0));
    }
  OSSL_PARAM p = {"x", OSSL_PARAM_OCTET_STRING, NULL, 0, OSSL_PARAM_UNMODIFIED};
  CHECK(rijn_param_set_octets(&p, bytes, n));
  CHECK_EQ(p.return_size, n);
  p = param(OSSL_PARAM_UTF8_STRING, ROOM);
  CHECK(!rijn_param_set_octets(&p, bytes, n));
  CHECK(!rijn_param_set_octets_or_ptr(&p, bytes, n));
  CHECK_ALL(mem, T_POISON, ROOM);

  const void *place = NULL;
  p = (OSSL_PARAM){"x", OSSL_PARAM_OCTET_PTR, &place, 0, OSSL_PARAM_UNMODIFIED};
  CHECK(!rijn_param_set_octets(&p, bytes, n));
  CHECK(place == NULL);
  CHECK(rijn_param_set_octets_or_ptr(&p, bytes, n));
  CHECK(place == bytes);
  CHECK_EQ(p.return_size, n);
  p.data = NULL;
  CHECK(rijn_param_set_octets_or_ptr(&p, bytes, n));
}

static void test_set_text(void) {
  static const char text[] = "portable";
  const size_t len = sizeof text - 1;
  for (size_t size = 0; size <= ROOM; size++) {
    T_AT("text, size %zu", size);
    OSSL_PARAM p = param(OSSL_PARAM_UTF8_STRING, size);
    bool fits = size > len; /* with the 0 at its end */
    CHECK_EQ(rijn_param_set_text(&p, text), fits);
    CHECK_EQ(p.return_size, len);
    CHECK_MEM(mem, text, fits ? len + 1 : 0);
    CHECK_ALL(mem + (fits ? len + 1 : 0), T_POISON, ROOM - (fits ? len + 1 : 0));
  }
  OSSL_PARAM p = {"x", OSSL_PARAM_UTF8_STRING, NULL, 0, OSSL_PARAM_UNMODIFIED};
  CHECK(rijn_param_set_text(&p, text));
  CHECK_EQ(p.return_size, len);
  p = param(OSSL_PARAM_OCTET_STRING, ROOM);
  CHECK(!rijn_param_set_text(&p, text));
  CHECK_ALL(mem, T_POISON, ROOM);

  const char *place = NULL;
  p = (OSSL_PARAM){"x", OSSL_PARAM_UTF8_PTR, &place, 0, OSSL_PARAM_UNMODIFIED};
  CHECK(rijn_param_set_text(&p, text));
  CHECK(place == text);
  CHECK_EQ(p.return_size, len);
  p.data = NULL;
  CHECK(rijn_param_set_text(&p, text));
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  test_get();
  test_set_u64();
  test_set_octets();
  test_set_text();
  return t_done();
}
