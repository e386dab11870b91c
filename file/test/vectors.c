/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* X25519, HKDF and HPKE as librijn-file takes and composes them, against published vectors. vectors.py gives one a line
 * on the standard input: a name, then fields in hexadecimal, "-" for an empty one. A result of "refused" is one that
 * must not be given. The last line is the number of vectors of each name. */
#include "crypto.h"
#include "t.h"

enum { FIELDS = 9, FIELD = 1 << 16 };

static struct field {
  uint8_t b[FIELD];
  size_t n;
  bool refused;
} field[FIELDS];
static uint8_t out[FIELD];

static void take(struct field *f, const char *hex) {
  f->refused = strcmp(hex, "refused") == 0;
  f->n = f->refused || strcmp(hex, "-") == 0 ? 0 : strlen(hex) / 2;
  REQUIRE(f->n <= FIELD);
  for (size_t i = 0; i < f->n; i++) {
    unsigned v;
    REQUIRE(sscanf(hex + 2 * i, "%2x", &v) == 1);
    f->b[i] = (uint8_t)v;
  }
}

static struct rijn_bytes bytes(const struct field *f) { return (struct rijn_bytes){f->b, f->n}; }

/* secret, public, shared */
static void x25519(size_t n) {
  REQUIRE(n == 3 && field[0].n == 32 && field[1].n == 32);
  bool ok = rijn_x25519(field[0].b, field[1].b, out);
  CHECK_EQ(ok, !field[2].refused);
  if (ok)
    CHECK_MEM(out, field[2].b, 32);
}

/* digest (its name as text in hexadecimal), key, salt, info, output */
static void hkdf(size_t n) {
  REQUIRE(n == 5 && field[0].n == 6);
  field[0].b[6] = 0;
  const struct rijn_hkdf_in in = {.step = RIJN_HKDF_BOTH,
                                  .digest = strcmp((const char *)field[0].b, "SHA256") == 0 ? RIJN_SHA256 : RIJN_SHA512,
                                  .key = bytes(&field[1]),
                                  .salt = bytes(&field[2]),
                                  .info = bytes(&field[3])};
  rijn_hkdf(&in, out, field[4].n);
  CHECK_MEM(out, field[4].b, field[4].n);
}

/* ephemeral secret, recipient's secret, recipient's public, info, associated data, text, enc, ciphertext, key length */
static void hpke(size_t n) {
  REQUIRE(n == 9 && field[0].n == 32 && field[1].n == 32 && field[2].n == 32 && field[6].n == 32 && field[8].n == 1);
  const struct rijn_hpke h = {.key_len = field[8].b[0], .info = bytes(&field[3]), .aad = bytes(&field[4])};
  static uint8_t sealed[FIELD], public_key[32];
  const size_t len = RIJN_HPKE_ENC + field[7].n;
  CHECK(rijn_x25519_public(field[1].b, public_key));
  CHECK_MEM(public_key, field[2].b, 32);
  CHECK_EQ(rijn_hpke_seal(&h, field[0].b, field[2].b, bytes(&field[5]), sealed), 0);
  CHECK_MEM(sealed, field[6].b, 32);
  CHECK_MEM(sealed + 32, field[7].b, field[7].n);
  CHECK_EQ(rijn_hpke_open(&h, field[1].b, (struct rijn_bytes){sealed, len}, out), 0);
  CHECK_MEM(out, field[5].b, field[5].n);
  sealed[len - 1] ^= 1;
  CHECK_EQ(rijn_hpke_open(&h, field[1].b, (struct rijn_bytes){sealed, len}, out), RIJN_EAUTH);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*check)(size_t fields);
  } kinds[] = {{"x25519", x25519}, {"hkdf", hkdf}, {"hpke", hpke}};
  enum { KINDS = sizeof kinds / sizeof kinds[0] };
  static char line[FIELDS * (2 * FIELD + 1)];
  size_t done[KINDS] = {0}, want[KINDS] = {0};
  t_init(argc, argv);
  for (size_t number = 1; fgets(line, sizeof line, stdin) != NULL; number++) {
    size_t n = 0, kind = 0;
    char *save, *word = strtok_r(line, " \n", &save);
    REQUIRE(word != NULL);
    T_AT("line %zu", number);
    if (strcmp(word, "count") == 0) {
      REQUIRE(sscanf(save, "%zu %zu %zu", &want[0], &want[1], &want[2]) == KINDS);
      break;
    }
    while (kind < KINDS && strcmp(word, kinds[kind].name) != 0)
      kind++;
    REQUIRE(kind < KINDS);
    while ((word = strtok_r(NULL, " \n", &save)) != NULL) {
      REQUIRE(n < FIELDS);
      take(&field[n++], word);
    }
    kinds[kind].check(n);
    done[kind]++;
  }
  for (size_t i = 0; i < KINDS; i++) {
    printf("%s %zu\n", kinds[i].name, done[i]);
    CHECK(done[i] == want[i] && done[i] > 0);
  }
  return t_done();
}
