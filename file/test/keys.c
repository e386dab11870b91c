/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Keys as text, HPKE against RFC 9180, and the header of keys: each byte of it altered, each length cut, costs that
 * are absurd. */
#include "crypto.h"
#include "t.h"

static void from_hex(const char *hex, uint8_t *out) {
  for (size_t i = 0; hex[2 * i] != '\0'; i++) {
    unsigned v;
    REQUIRE(sscanf(hex + 2 * i, "%2x", &v) == 1);
    out[i] = (uint8_t)v;
  }
}

/* SPEC: RFC 9180, A.1.1.1: base mode, message 0. */
static void test_rfc9180(void) {
  uint8_t ephemeral[32], secret[32], public_key[32], derived[32], want[32 + 45], out[32 + 45], text[29];
  from_hex("52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736", ephemeral);
  from_hex("4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8", secret);
  from_hex("3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d", public_key);
  from_hex("37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431"
           "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a",
           want);
  const struct rijn_hpke h = {.key_len = 16, .info = {"Ode on a Grecian Urn", 20}, .aad = {"Count-0", 7}};
  CHECK(rijn_x25519_public(secret, derived));
  CHECK_MEM(derived, public_key, 32);
  CHECK_EQ(rijn_hpke_seal(&h, ephemeral, public_key, (struct rijn_bytes){"Beauty is truth, truth beauty", 29}, out), 0);
  CHECK_MEM(out, want, sizeof want);
  CHECK_EQ(rijn_hpke_open(&h, secret, (struct rijn_bytes){out, sizeof out}, text), 0);
  CHECK_MEM(text, "Beauty is truth, truth beauty", 29);
  for (size_t i = 0; i < sizeof out; i++) {
    out[i] ^= 0x40; /* bit 255 of the point, which X25519 passes over, is another */
    CHECK_EQ(rijn_hpke_open(&h, secret, (struct rijn_bytes){out, sizeof out}, text), RIJN_EAUTH);
    out[i] ^= 0x40;
  }
  memset(out, 0, 32); /* a point of small order: the shared secret would be zeros */
  CHECK_EQ(rijn_hpke_open(&h, secret, (struct rijn_bytes){out, sizeof out}, text), RIJN_EAUTH);
}

static void test_text(void) {
  for (int kind = RIJN_FILE_KEY_AES128; kind <= RIJN_FILE_KEY_PUBLIC; kind++) {
    uint8_t raw[32] = {0}, back[32] = {0};
    char text[RIJN_FILE_KEY_TEXT], print[RIJN_FILE_FINGERPRINT], other[RIJN_FILE_FINGERPRINT];
    int k;
    size_t n, size = kind == RIJN_FILE_KEY_AES128 ? 16 : 32;
    t_fill(raw, size);
    CHECK_EQ(rijn_file_key_write(kind, raw, text), 0);
    size_t len = strlen(text);
    CHECK(len < RIJN_FILE_KEY_TEXT);
    CHECK_EQ(rijn_file_key_read(text, len, &k, back, &n), 0);
    CHECK(k == kind && n == size);
    CHECK_MEM(back, raw, 32);
    CHECK_EQ(rijn_file_fingerprint(kind, raw, print), 0);
    CHECK_EQ(strlen(print), 32);
    for (size_t i = 0; i < len; i++) { /* a letter for another one, everywhere; and each length */
      char was = text[i];
      text[i] = was == '0' ? '8' : was == 'a' ? 'A' : '0';
      CHECK_EQ(rijn_file_key_read(text, len, &k, back, &n), RIJN_FILE_EKEYTEXT);
      text[i] = was;
      CHECK_EQ(rijn_file_key_read(text, i, &k, back, &n), RIJN_FILE_EKEYTEXT);
    }
    raw[3] ^= 1;
    CHECK_EQ(rijn_file_fingerprint(kind, raw, other), 0);
    CHECK(strcmp(print, other) != 0);
  }
  uint8_t a[32], b[32];
  CHECK_EQ(rijn_file_key_new(RIJN_FILE_KEY_SECRET, a), 0);
  CHECK_EQ(rijn_file_key_new(RIJN_FILE_KEY_SECRET, b), 0);
  CHECK(memcmp(a, b, 32) != 0);
  CHECK_EQ(rijn_file_key_new(RIJN_FILE_KEY_PUBLIC, a), RIJN_FILE_EARGUMENT);
  CHECK_EQ(rijn_file_key_new(0, a), RIJN_FILE_EARGUMENT);
}

static uint8_t secret[3][32], public_keys[2][32], header[RIJN_FILE_HEADER_MAX], key[32];
static size_t header_len;

static int open_with(const uint8_t *bytes, size_t len, const char *passphrase, const uint8_t *secret_key,
                     uint8_t out[32]) {
  const rijn_file_unlock u = {.size = sizeof u,
                              .passphrase = passphrase,
                              .passphrase_len = passphrase != NULL ? strlen(passphrase) : 0,
                              .secret_key = secret_key};
  rijn_file_error e;
  memset(out, T_POISON, 32);
  int r = rijn_file_header_open(bytes, len, &u, out, &e);
  CHECK(r == 0 || e.code == r);
  return r;
}

static void test_header(void) {
  uint8_t got[32];
  size_t len;
  rijn_file_header_info info = {.size = sizeof info};
  for (int i = 0; i < 3; i++)
    REQUIRE(rijn_file_key_new(RIJN_FILE_KEY_SECRET, secret[i]) == 0);
  for (int i = 0; i < 2; i++)
    REQUIRE(rijn_file_key_public(secret[i], public_keys[i]) == 0);
  const rijn_file_lock lock = {.size = sizeof lock,
                               .passphrase = "correct horse",
                               .passphrase_len = 13,
                               .cost = {64, 1, 2},
                               .public_keys = (const uint8_t(*)[32])public_keys,
                               .public_keys_n = 2};
  REQUIRE(rijn_file_header_make(&lock, header, &header_len, key, NULL) == 0);
  CHECK_EQ(header_len, 12 + 112 + 2 * 84 + 32);
  CHECK_EQ(rijn_file_header_len(header, RIJN_FILE_HEADER_MIN, &len), 0);
  CHECK_EQ(len, header_len);
  CHECK_EQ(rijn_file_header_read(header, header_len, &info), 0);
  CHECK(info.version == 1 && info.passphrase == 1 && info.recipients == 2 && info.unknown == 0);
  CHECK(info.cost.memory_kib == 64 && info.cost.passes == 1 && info.cost.lanes == 2);
  CHECK_EQ(open_with(header, header_len, "correct horse", NULL, got), 0);
  CHECK_MEM(got, key, 32);
  for (int i = 0; i < 2; i++) {
    CHECK_EQ(open_with(header, header_len, NULL, secret[i], got), 0);
    CHECK_MEM(got, key, 32);
  }
  CHECK_EQ(open_with(header, header_len, "wrong", secret[1], got), 0); /* one of the two is enough */
  CHECK_EQ(open_with(header, header_len, NULL, secret[2], got), RIJN_FILE_EUNLOCK);
  CHECK_ALL(got, 0, 32);
  CHECK_EQ(open_with(header, header_len, "correct hors", NULL, got), RIJN_FILE_EUNLOCK);
  CHECK_EQ(open_with(header, header_len, NULL, NULL, got), RIJN_FILE_ENOSLOT);
  /* A length of 0 is what rijn_file_header_len gives where there is no header. */
  CHECK_EQ(open_with(header, 0, "correct horse", NULL, got), RIJN_FILE_EFORM);
  CHECK_EQ(rijn_file_header_read(header, 0, &info), RIJN_FILE_EFORM);
}

/* Nothing that was altered, anywhere, opens; nor what was cut. */
static void test_altered(void) {
  uint8_t got[32], copy[RIJN_FILE_HEADER_MAX];
  for (size_t i = 0; i < header_len; i++) {
    T_AT("byte %zu", i);
    memcpy(copy, header, header_len);
    copy[i] ^= 0x20;
    CHECK(open_with(copy, header_len, NULL, secret[1], got) != 0);
    CHECK_ALL(got, 0, 32);
    CHECK(open_with(copy, header_len, "correct horse", NULL, got) != 0);
    CHECK_ALL(got, 0, 32);
    CHECK(open_with(header, i, NULL, secret[0], got) != 0);
    CHECK_ALL(got, 0, 32);
  }
}

static void put32(uint8_t *p, uint32_t v) {
  for (int i = 3; i >= 0; i--, v >>= 8)
    p[i] = (uint8_t)v;
}

/* Costs that would take all memory or all day: refused before anything is computed; and those that Argon2 has not. */
static void test_costs(void) {
  static const struct {
    uint32_t memory, passes, lanes;
    int result;
  } costs[] = {{UINT32_MAX, 1, 1, RIJN_FILE_ECOST},  {1 << 20 | 1, 1, 1, RIJN_FILE_ECOST},
               {64, UINT32_MAX, 1, RIJN_FILE_ECOST}, {64, 17, 1, RIJN_FILE_ECOST},
               {64, 1, UINT32_MAX, RIJN_FILE_ECOST}, {64, 1, 17, RIJN_FILE_ECOST},
               {64, 0, 1, RIJN_FILE_EFORM},          {64, 1, 0, RIJN_FILE_EFORM},
               {7, 1, 1, RIJN_FILE_EFORM},           {0, 0, 0, RIJN_FILE_EFORM}};
  uint8_t got[32], copy[RIJN_FILE_HEADER_MAX];
  for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
    T_AT("costs %zu", i);
    memcpy(copy, header, header_len);
    put32(copy + 16, costs[i].memory);
    put32(copy + 20, costs[i].passes);
    put32(copy + 24, costs[i].lanes);
    CHECK_EQ(open_with(copy, header_len, "correct horse", NULL, got), costs[i].result);
    CHECK_ALL(got, 0, 32);
  }
  const rijn_file_unlock u = {
      .size = sizeof u, .passphrase = "correct horse", .passphrase_len = 13, .limit = {.memory_kib = 63}};
  CHECK_EQ(rijn_file_header_open(header, header_len, &u, got, NULL), RIJN_FILE_ECOST); /* the caller's own limit */
}

static void test_forms(void) {
  uint8_t got[32], copy[RIJN_FILE_HEADER_MAX], key2[32];
  size_t len;
  rijn_file_header_info info = {.size = sizeof info};
  memcpy(copy, header, header_len);
  copy[8] = 2;
  CHECK_EQ(rijn_file_header_len(copy, header_len, &len), RIJN_FILE_EVERSION);
  CHECK_EQ(open_with(copy, header_len, NULL, secret[0], got), RIJN_FILE_EVERSION);
  copy[8] = 1;
  copy[0] = 0x88;
  CHECK(rijn_file_header_len(copy, header_len, &len) == 0 && len == 0);
  CHECK(rijn_file_header_len(header, RIJN_FILE_HEADER_MIN - 1, &len) == 0 && len == 0);
  memcpy(copy, header, header_len);
  copy[12 + 112] = 9; /* a kind of later times: passed over, but the code at the end sees it */
  CHECK_EQ(rijn_file_header_read(copy, header_len, &info), 0);
  CHECK(info.unknown == 1 && info.recipients == 1);
  CHECK_EQ(open_with(copy, header_len, NULL, secret[1], got), RIJN_FILE_EUNLOCK);
  const rijn_file_lock none = {.size = sizeof none};
  CHECK_EQ(rijn_file_header_make(&none, copy, &len, key2, NULL), RIJN_FILE_EARGUMENT);
  rijn_file_lock many = {.size = sizeof many, .public_keys = (const uint8_t(*)[32])public_keys, .public_keys_n = 65};
  CHECK_EQ(rijn_file_header_make(&many, copy, &len, key2, NULL), RIJN_FILE_EARGUMENT);
  static uint8_t sixty_four[64][32];
  for (int i = 0; i < 64; i++)
    memcpy(sixty_four[i], public_keys[i % 2], 32);
  many.public_keys = (const uint8_t(*)[32])sixty_four;
  many.public_keys_n = 64;
  many.passphrase = "p";
  many.passphrase_len = 1;
  many.cost = (rijn_file_cost){8, 1, 1};
  CHECK_EQ(rijn_file_header_make(&many, copy, &len, key2, NULL), 0); /* the largest there is */
  CHECK(len <= RIJN_FILE_HEADER_MAX);
  CHECK_EQ(open_with(copy, len, NULL, secret[1], got), 0);
  CHECK_MEM(got, key2, 32);
  memset(public_keys[0], 0, 32); /* a public key that is none */
  many.public_keys = (const uint8_t(*)[32])public_keys;
  many.public_keys_n = 1;
  CHECK_EQ(rijn_file_header_make(&many, copy, &len, key2, NULL), RIJN_FILE_ECRYPTO);
  CHECK_ALL(key2, 0, 32);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  test_rfc9180();
  test_text();
  test_header();
  test_altered();
  test_costs();
  test_forms();
  return t_done();
}
