/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The implementation table as the public calls show it, and what RIJN_REQUIRE_IMPLS demands of it (t_init fails on a
 * name that is missing; lib.instruments proves that it does). */
#define _GNU_SOURCE
#include "t.h"

static const size_t key_sizes[] = {16, 24, 32};

static void table(void) {
  char why[256], tiny[4], features[2048];
  int n = rijn_impl_count(), chosen = rijn_impl_chosen();
  CHECK(n >= 1);
  for (int i = 0; i < n; i++) {
    const char *name = rijn_impl_name(i);
    REQUIRE(name != NULL);
    T_AT("index %zu", i);
    CHECK(*name != 0);
    CHECK_EQ(rijn_impl_find(name), i);
    CHECK(rijn_impl_supported(i) == 0 || rijn_impl_supported(i) == 1);
    const char *w = rijn_impl_why(i, why, sizeof why);
    REQUIRE(w != NULL);
    printf("%2d %-22s %s %s\n", i, name, rijn_impl_supported(i) ? "supported" : "not here ", w);
    if (!rijn_impl_supported(i)) {
      CHECK(strncmp(w, "missing ", 8) == 0);
    }
    memset(tiny, 'x', sizeof tiny);
    CHECK(rijn_impl_why(i, tiny, 3) == tiny);
    CHECK(strlen(w) < 2 ? strcmp(tiny, w) == 0 : memcmp(tiny, w, 2) == 0 && tiny[2] == 0);
    CHECK_EQ(tiny[3], 'x');
    CHECK_EQ(rijn_impl_why(i, NULL, 3)[0], 0);
    CHECK_EQ(rijn_impl_why(i, tiny, 0)[0], 0);
  }
  T_AT("portable");
  CHECK_EQ(rijn_impl_find("portable"), n - 1);
  CHECK_EQ(rijn_impl_supported(n - 1), 1);
  T_AT("out of range");
  CHECK(rijn_impl_name(-1) == NULL);
  CHECK(rijn_impl_name(n) == NULL);
  CHECK_EQ(rijn_impl_supported(-1), 0);
  CHECK_EQ(rijn_impl_supported(n), 0);
  CHECK_EQ(strcmp(rijn_impl_why(n, why, sizeof why), "no such implementation"), 0);
  CHECK_EQ(strcmp(rijn_impl_why(-2, why, sizeof why), "no such implementation"), 0);
  CHECK(strncmp(rijn_impl_why(-1, why, sizeof why), "policy: ", 8) == 0 && strstr(why, "record") != NULL);
  CHECK_EQ(rijn_impl_find("no-such-thing"), RIJN_EIMPL);
  CHECK_EQ(rijn_impl_find(""), RIJN_EIMPL);
  CHECK_EQ(rijn_impl_find(NULL), RIJN_EIMPL);
  T_AT("chosen");
  CHECK(chosen >= 0 && chosen < n);
  CHECK_EQ(rijn_impl_supported(chosen), 1);
  CHECK(rijn_cpu_features(features, sizeof features) == features);
  CHECK_EQ(rijn_cpu_features(NULL, 3)[0], 0);
  printf("chosen %s; features: %s\n", rijn_impl_name(chosen), features);
}

/* Keys are made by the implementation named, or not at all. */
static void inits(void) {
  uint8_t raw[64];
  rijn_gcm_key gcm;
  rijn_aes_key aes;
  rijn_xts_key xts;
  rijn_esp_key esp;
  rijn_ghash_key gh;
  t_fill(raw, sizeof raw);
  int n = rijn_impl_count();
  for (int i = -2; i <= n; i++) {
    int want = rijn_impl_supported(i) ? RIJN_OK : RIJN_EIMPL;
    T_AT("index %zu (-1 is out of range)", i);
    for (size_t k = 0; k < 3; k++) {
      CHECK_EQ(rijn_gcm_init_impl(&gcm, raw, key_sizes[k], 16, i), want);
      if (want == RIJN_OK) {
        CHECK_EQ(rijn_gcm_key_impl(&gcm), i);
      }
      CHECK_EQ(rijn_aes_init_impl(&aes, raw, key_sizes[k], i), want);
    }
    CHECK_EQ(rijn_xts_init_impl(&xts, raw, 64, i), want);
    CHECK_EQ(rijn_ghash_init_impl(&gh, raw, i), want);
    CHECK_EQ(rijn_rfc4106_init_impl(&esp, raw, 20, 16, i), want);
    CHECK_EQ(rijn_rfc4543_init_impl(&esp, raw, 36, i), want);
  }
  T_AT("default");
  CHECK_EQ(rijn_gcm_init(&gcm, raw, 16), RIJN_OK);
  CHECK_EQ(rijn_gcm_key_impl(&gcm), rijn_impl_chosen());
  rijn_gcm_wipe(&gcm);
  CHECK_EQ(rijn_gcm_key_impl(&gcm), RIJN_ESTATE);
  /* The choice is made once: what becomes of the environment afterwards does not matter. */
  int chosen = rijn_impl_chosen();
  REQUIRE(setenv("RIJN_IMPL", "no-such", 1) == 0);
  CHECK_EQ(rijn_impl_chosen(), chosen);
  CHECK_EQ(rijn_gcm_init(&gcm, raw, 16), RIJN_OK);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  table();
  inits();
  T_AT("self-test");
  CHECK_EQ(rijn_selftest(-1), RIJN_OK);
  CHECK_EQ(rijn_selftest(rijn_impl_count()), RIJN_EIMPL);
  printf("RIJN_REQUIRE_IMPLS names %d implementations\n", t_require_impls());
  return t_done();
}
