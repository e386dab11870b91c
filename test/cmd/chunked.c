/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What no file of a test can reach: the nonces of chunks whose numbers have several bytes, the last chunk that the
 * format has, and what the two calls refuse. */
#include "chunked.h"
#include "t.h"

enum { ROOM = RIJN_CHUNK_BATCH + 1 };
static uint8_t text[ROOM * RIJN_CHUNK], sealed[ROOM * RIJN_SEALED_CHUNK], got[ROOM * RIJN_CHUNK];
static struct rijn_chunked c;

static void start(size_t key_len) {
  uint8_t key[32], salt[RIJN_CHUNK_SALT], commitment[RIJN_CHUNK_COMMITMENT];
  t_fill(key, sizeof key);
  t_fill(salt, sizeof salt);
  REQUIRE(rijn_chunked_derive(&c, key, key_len, salt, NULL, 0, commitment) == 0);
}

/* SPEC: the base nonce XOR the number, big-endian, in 12 bytes. */
static void nonce_of(uint64_t number, uint8_t nonce[12]) {
  for (int i = 11; i >= 0; i--, number >>= 8)
    nonce[i] = c.base_nonce[i] ^ (uint8_t)number;
}

static void test_numbers(void) {
  static const uint64_t numbers[] = {
      0, 254, 0xffff, 0xffffff, 0xfffffffe, 0xffffffff, UINT64_C(0x1234567890), RIJN_CHUNK_LIMIT - 2};
  const size_t last = 100, len = RIJN_CHUNK + last;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    size_t n;
    uint8_t nonce[12];
    T_AT("chunk %zu", numbers[i]);
    c.next = numbers[i];
    CHECK_EQ(rijn_chunked_seal(&c, sealed, &n, text, len, 1), RIJN_OK);
    CHECK_EQ(n, len + 2 * RIJN_CHUNK_TAG);
    CHECK(c.next == numbers[i] + 2);
    for (size_t k = 0; k < 2; k++) {
      const uint8_t *from = sealed + k * RIJN_SEALED_CHUNK;
      size_t part = k == 0 ? RIJN_CHUNK : last;
      nonce_of(numbers[i] + k, nonce);
      CHECK_EQ(rijn_gcm_decrypt(&c.key, got, from, part, NULL, 0, nonce, 12, from + part), RIJN_OK);
      CHECK_MEM(got, text + k * RIJN_CHUNK, part);
    }
    c.next = numbers[i];
    CHECK_EQ(rijn_chunked_open(&c, got, &n, sealed, 1, last + RIJN_CHUNK_TAG), RIJN_OK);
    CHECK_EQ(n, len);
    CHECK_MEM(got, text, len);
    CHECK(c.next == numbers[i] + 2);
  }
}

/* Refused: nothing is written, and the number of the next chunk stays. */
static void seal_refused(uint64_t next, size_t len, int last) {
  size_t n = 77;
  memset(sealed, T_POISON, sizeof sealed);
  c.next = next;
  CHECK_EQ(rijn_chunked_seal(&c, sealed, &n, text, len, last), RIJN_ELEN);
  CHECK_EQ(n, 0);
  CHECK(c.next == next);
  CHECK_ALL(sealed, T_POISON, sizeof sealed);
}
static void open_refused(uint64_t next, size_t full, size_t last_len) {
  size_t n = 77;
  memset(got, T_POISON, sizeof got);
  c.next = next;
  CHECK_EQ(rijn_chunked_open(&c, got, &n, sealed, full, last_len), RIJN_ELEN);
  CHECK_EQ(n, 0);
  CHECK(c.next == next);
  CHECK_ALL(got, T_POISON, sizeof got);
}

static void test_refusals(void) {
  size_t n;
  T_AT("shapes", 0);
  seal_refused(0, 1, 0);
  seal_refused(0, RIJN_CHUNK - 1, 0);
  seal_refused(0, RIJN_CHUNK_BATCH * RIJN_CHUNK, 1);
  seal_refused(0, (RIJN_CHUNK_BATCH + 1) * RIJN_CHUNK, 0);
  open_refused(0, RIJN_CHUNK_BATCH + 1, 0);
  open_refused(0, RIJN_CHUNK_BATCH, RIJN_CHUNK_TAG);
  open_refused(0, 0, 1);
  open_refused(0, 0, RIJN_CHUNK_TAG - 1);
  open_refused(0, 0, RIJN_SEALED_CHUNK);

  /* A whole batch is none of these, nor is a last chunk without text. */
  c.next = 0;
  CHECK_EQ(rijn_chunked_seal(&c, sealed, &n, text, RIJN_CHUNK_BATCH * RIJN_CHUNK, 0), RIJN_OK);
  CHECK_EQ(n, RIJN_CHUNK_BATCH * RIJN_SEALED_CHUNK);
  CHECK_EQ(rijn_chunked_seal(&c, sealed + n, &n, text, 0, 1), RIJN_OK);
  CHECK_EQ(n, RIJN_CHUNK_TAG);
  c.next = 0;
  CHECK_EQ(rijn_chunked_open(&c, got, &n, sealed, RIJN_CHUNK_BATCH, 0), RIJN_OK);
  CHECK_EQ(n, RIJN_CHUNK_BATCH * RIJN_CHUNK);
  CHECK_MEM(got, text, n);
  CHECK_EQ(rijn_chunked_open(&c, got, &n, sealed + RIJN_CHUNK_BATCH * RIJN_SEALED_CHUNK, 0, RIJN_CHUNK_TAG), RIJN_OK);
  CHECK_EQ(n, 0);
  CHECK_EQ(c.next, RIJN_CHUNK_BATCH + 1);

  /* 2^38 - 1 is the last number there is. */
  T_AT("limit", 0);
  seal_refused(RIJN_CHUNK_LIMIT, 0, 1);
  seal_refused(RIJN_CHUNK_LIMIT - 1, RIJN_CHUNK, 1);
  seal_refused(RIJN_CHUNK_LIMIT - 1, 2 * RIJN_CHUNK, 0);
  open_refused(RIJN_CHUNK_LIMIT, 0, RIJN_CHUNK_TAG);
  open_refused(RIJN_CHUNK_LIMIT - 1, 1, RIJN_CHUNK_TAG);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  t_fill(text, sizeof text);
  for (size_t key_len = 16; key_len <= 32; key_len += 16) {
    start(key_len);
    test_numbers();
    test_refusals();
  }
  rijn_chunked_wipe(&c);
  CHECK_ALL(&c, 0, sizeof c);
  size_t n; /* and what the library says of a key that is none is handed on */
  CHECK_EQ(rijn_chunked_seal(&c, sealed, &n, text, RIJN_CHUNK, 1), RIJN_ESTATE);
  CHECK_EQ(rijn_chunked_open(&c, got, &n, sealed, 1, RIJN_CHUNK_TAG), RIJN_ESTATE);
  CHECK_EQ(n, 0);
  return t_done();
}
