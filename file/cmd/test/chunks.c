/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What no file of a test can reach: the nonces of chunks whose numbers have several bytes, the last chunk that the
 * format has, and what the two calls refuse. */
#include "message.h"
#include "t.h"

enum { TEXT = 16384, SEALED = TEXT + RIJN_TAG, ROOM = RIJN_BATCH_CHUNKS + 1 };
static const uint64_t limit = UINT64_C(1) << 38;
static uint8_t text[ROOM * TEXT], sealed[ROOM * SEALED], got[ROOM * TEXT];
static struct rijn_message m;
static struct rijn_opened o;

static void start(size_t key_len) {
  uint8_t key[32], header[RIJN_HEADER_MAX];
  t_fill(key, sizeof key);
  const rijn_file_params p = {.size = sizeof p, .key = key, .key_len = key_len};
  REQUIRE(rijn_message_new(&m, &p, header, NULL) == 0);
}

/* SPEC: the base nonce XOR the number, big-endian, in 12 bytes. */
static void nonce_of(uint64_t number, uint8_t nonce[12]) {
  for (int i = 11; i >= 0; i--, number >>= 8)
    nonce[i] = m.nonce[i] ^ (uint8_t)number;
}

static void test_numbers(void) {
  const uint64_t numbers[] = {0, 254, 0xffff, 0xffffff, 0xfffffffe, 0xffffffff, UINT64_C(0x1234567890), limit - 2};
  const size_t last = 100, len = TEXT + last;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    size_t n;
    uint8_t nonce[12];
    T_AT("chunk %zu", numbers[i]);
    CHECK_EQ(rijn_chunks_seal(&m, numbers[i], sealed, &n, text, len, true), 0);
    CHECK_EQ(n, len + 2 * RIJN_TAG);
    for (size_t k = 0; k < 2; k++) {
      const uint8_t *from = sealed + k * SEALED;
      size_t part = k == 0 ? TEXT : last;
      nonce_of(numbers[i] + k, nonce);
      CHECK_EQ(rijn_gcm_decrypt(&m.key, got, from, part, NULL, 0, nonce, 12, from + part), RIJN_OK);
      CHECK_MEM(got, text + k * TEXT, part);
    }
    CHECK_EQ(rijn_chunks_open(&m, numbers[i], got, sealed, n, true, &o), 0);
    CHECK(o.n == 2 && o.ok[0] && o.ok[1] && o.rest == 0);
    CHECK_EQ(o.text_len, len);
    CHECK_MEM(got, text, len);
    CHECK_EQ(rijn_chunks_open(&m, numbers[i] ^ 4, got, sealed, n, true, &o), 0); /* elsewhere they do not verify */
    CHECK(!o.ok[0] && !o.ok[1]);
  }
}

/* Refused: nothing is written. */
static void seal_refused(uint64_t first, size_t len, bool last, int result) {
  size_t n = 77;
  memset(sealed, T_POISON, sizeof sealed);
  CHECK_EQ(rijn_chunks_seal(&m, first, sealed, &n, text, len, last), result);
  CHECK_EQ(n, 0);
  CHECK_ALL(sealed, T_POISON, sizeof sealed);
}
static void open_refused(uint64_t first, size_t len, bool last, int result) {
  memset(got, T_POISON, sizeof got);
  CHECK_EQ(rijn_chunks_open(&m, first, got, sealed, len, last, &o), result);
  CHECK_ALL(got, T_POISON, sizeof got);
}

static void test_refusals(void) {
  size_t n;
  T_AT("shapes", 0);
  seal_refused(0, 1, false, RIJN_ELEN);
  seal_refused(0, TEXT - 1, false, RIJN_ELEN);
  seal_refused(0, RIJN_BATCH_CHUNKS * TEXT, true, RIJN_FILE_ELONG);
  seal_refused(0, (RIJN_BATCH_CHUNKS + 1) * TEXT, false, RIJN_FILE_ELONG);
  open_refused(0, (RIJN_BATCH_CHUNKS + 1) * SEALED, false, RIJN_FILE_ELONG);
  open_refused(0, RIJN_BATCH_CHUNKS * SEALED + RIJN_TAG, true, RIJN_FILE_ELONG);
  open_refused(0, SEALED - 1, false, RIJN_ELEN);

  /* A whole batch is none of these, nor is a last chunk without text. */
  CHECK_EQ(rijn_chunks_seal(&m, 0, sealed, &n, text, RIJN_BATCH_CHUNKS * TEXT, false), 0);
  CHECK_EQ(n, RIJN_BATCH_CHUNKS * SEALED);
  CHECK_EQ(rijn_chunks_open(&m, 0, got, sealed, n, false, &o), 0);
  CHECK_EQ(o.text_len, RIJN_BATCH_CHUNKS * TEXT);
  CHECK_MEM(got, text, o.text_len);
  CHECK_EQ(rijn_chunks_seal(&m, RIJN_BATCH_CHUNKS, sealed, &n, text, 0, true), 0);
  CHECK_EQ(n, RIJN_TAG);
  CHECK_EQ(rijn_chunks_open(&m, RIJN_BATCH_CHUNKS, got, sealed, n, true, &o), 0);
  CHECK(o.n == 1 && o.ok[0] && o.text_len == 0 && o.rest == 0);
  CHECK_EQ(rijn_chunks_open(&m, 0, got, sealed, 15, true, &o), 0); /* less than a tag is no chunk */
  CHECK(o.n == 0 && o.rest == 15);

  /* 2^38 - 1 is the last number there is. */
  T_AT("limit", 0);
  seal_refused(limit, 0, true, RIJN_FILE_ELONG);
  seal_refused(limit - 1, TEXT, true, RIJN_FILE_ELONG);
  seal_refused(limit - 1, 2 * TEXT, false, RIJN_FILE_ELONG);
  open_refused(limit, RIJN_TAG, true, RIJN_FILE_ELONG);
  open_refused(limit - 1, SEALED + RIJN_TAG, true, RIJN_FILE_ELONG);
}

/* Lengths of streams, one way and the other, around every edge. */
static void test_lengths(int format, size_t key_len) {
  const struct rijn_layout *l = rijn_layout_of(format, key_len);
  REQUIRE(l != NULL);
  const uint64_t t = rijn_chunk_text(l);
  for (uint64_t chunk = 0; chunk < 4; chunk++)
    for (int d = -2; d <= 2; d++) {
      uint64_t len = chunk * t + (uint64_t)d, chunks, sealed_len, text_len, back;
      if (len > 4 * t)
        continue;
      T_AT("length %zu", len);
      CHECK_EQ(rijn_layout_seal(l, len, &chunks, &sealed_len), 0);
      CHECK_EQ(sealed_len, l->header + len + 16 * chunks);
      CHECK_EQ(rijn_layout_open(l, sealed_len, &back, &text_len), 0);
      CHECK(back == chunks && text_len == len);
      CHECK(rijn_chunk_of(l, rijn_text_at(l, chunks - 1)) == chunks - 1);
      CHECK(rijn_sealed_at(l, chunks - 1) < sealed_len && rijn_sealed_at(l, chunks) >= sealed_len);
    }
  uint64_t n, len;
  CHECK_EQ(rijn_layout_open(l, l->header - 1, &n, &len), RIJN_FILE_EHEADER);
  CHECK_EQ(rijn_layout_open(l, l->header, &n, &len), RIJN_FILE_EMISSING);
  CHECK_EQ(rijn_layout_open(l, l->header + 15, &n, &len), RIJN_FILE_ETAG);
  CHECK_EQ(rijn_layout_open(l, rijn_sealed_at(l, 3) + 15, &n, &len), RIJN_FILE_ETAG);
  CHECK(n == 3 && len == rijn_text_at(l, 3));
  CHECK_EQ(rijn_layout_open(l, rijn_sealed_at(l, 3), &n, &len), l->last_full ? 0 : RIJN_FILE_EMISSING);
  CHECK(n == 3 && len == rijn_text_at(l, 3));
  CHECK_EQ(rijn_layout_seal(l, UINT64_MAX, &n, &len), RIJN_FILE_ELONG);
  CHECK_EQ(rijn_layout_seal(l, l->limit * t, &n, &len), RIJN_FILE_ELONG);
  CHECK_EQ(rijn_layout_open(l, UINT64_MAX, &n, &len), RIJN_FILE_ELONG);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  t_fill(text, sizeof text);
  for (size_t key_len = 16; key_len <= 32; key_len += 16) {
    start(key_len);
    test_numbers();
    test_refusals();
    for (int format = RIJN_FILE_COBBLESTONE; format <= RIJN_FILE_TINK_1MB; format++)
      test_lengths(format, key_len);
  }
  CHECK(rijn_layout_of(RIJN_FILE_COBBLESTONE, 24) == NULL && rijn_layout_of(RIJN_FILE_TINK_1MB + 1, 32) == NULL);
  rijn_message_wipe(&m);
  CHECK_ALL(&m, 0, sizeof m);
  return t_done();
}
