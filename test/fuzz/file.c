/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The reader of the command's file format. The first byte of the input says how:
 *   even: the rest of the input is the file, under a key of zeros. Only a file that this key made is read (corpus/file
 *   has some). odd:  a file is made, then damaged as the input says. One that is not as it was must be refused, and
 *   what is handed
 *         out before that is the beginning of the text, in whole chunks. */
#include "../../cmd/crypt.c"

#include "fuzz.h"

#include <sys/mman.h>

enum { CHUNKS = 4, FILE_MAX = RIJN_CHUNK_HEADER + CHUNKS * RIJN_SEALED_CHUNK + 256 };

static uint8_t text[CHUNKS * RIJN_CHUNK], file[2 * FILE_MAX], was[2 * FILE_MAX], got[2 * FILE_MAX];
static const uint8_t zero_key[32];

/* Status of the reader; its output in got. */
static int read_file(const uint8_t *p, size_t n, size_t key_len, size_t *got_len) {
  static uint8_t room_text[RIJN_CHUNK_BATCH * RIJN_CHUNK], room_sealed[RIJN_CHUNK_BATCH * RIJN_SEALED_CHUNK];
  struct rijn_progress progress;
  struct job j;
  memset(&j, 0, sizeof j);
  memset(&progress, 0, sizeof progress);
  j.argv0 = "rijn decrypt";
  j.decrypt = true;
  j.in_name = "input";
  j.in = memfd_create("in", 0);
  j.out.fd = memfd_create("out", 0);
  j.out.dir = -1;
  j.out.text = "output";
  REQUIRE(j.in >= 0 && j.out.fd >= 0);
  REQUIRE(rijn_write_full(j.in, p, n) == 0 && lseek(j.in, 0, SEEK_SET) == 0);
  memcpy(j.key, zero_key, 32);
  j.key_len = key_len;
  j.text = room_text;
  j.sealed = room_sealed;
  int status = decrypt(&j, &progress);
  REQUIRE(lseek(j.out.fd, 0, SEEK_SET) == 0);
  ssize_t m = rijn_read_full(j.out.fd, got, sizeof got);
  REQUIRE(m >= 0);
  *got_len = (size_t)m;
  rijn_chunked_wipe(&j.chunked);
  close(j.in);
  close(j.out.fd);
  return status;
}

static size_t make_file(size_t len, size_t key_len) {
  struct rijn_chunked c;
  size_t n;
  memset(file, 0x5a, RIJN_CHUNK_SALT);
  REQUIRE(rijn_chunked_derive(&c, zero_key, key_len, file, NULL, 0, file + RIJN_CHUNK_SALT) == 0);
  REQUIRE(rijn_chunked_seal(&c, file + RIJN_CHUNK_HEADER, &n, text, len, 1) == 0);
  return RIJN_CHUNK_HEADER + n;
}

/* One act of damage. */
static size_t damage(struct feed *f, size_t n) {
  size_t at = (feed_16(f) << 8 | feed_8(f)) % (n + 1), m = feed_8(f);
  size_t a = RIJN_CHUNK_HEADER + feed_8(f) % CHUNKS * RIJN_SEALED_CHUNK,
         b = RIJN_CHUNK_HEADER + feed_8(f) % CHUNKS * RIJN_SEALED_CHUNK;
  static uint8_t swap[RIJN_SEALED_CHUNK];
  switch (feed_8(f) % 7) {
  case 0: /* a byte */
    if (at < n)
      file[at] ^= (uint8_t)m;
    return n;
  case 1: /* cut short */
    return at;
  case 2: /* longer */
    memset(file + n, (int)m, m % 64);
    return n + m % 64;
  case 3: /* a chunk cut out */
    if (a + RIJN_SEALED_CHUNK <= n) {
      memmove(file + a, file + a + RIJN_SEALED_CHUNK, n - a - RIJN_SEALED_CHUNK);
      n -= RIJN_SEALED_CHUNK;
    }
    return n;
  case 4: /* two chunks that change places */
    if (a + RIJN_SEALED_CHUNK <= n && b + RIJN_SEALED_CHUNK <= n) {
      memcpy(swap, file + a, sizeof swap);
      memmove(file + a, file + b, sizeof swap);
      memcpy(file + b, swap, sizeof swap);
    }
    return n;
  case 6: /* cut short between two chunks */
    return a < n ? a : n;
  default: /* a chunk twice */
    if (a + RIJN_SEALED_CHUNK <= n && n + RIJN_SEALED_CHUNK <= sizeof file) {
      memmove(file + a + RIJN_SEALED_CHUNK, file + a, n - a);
      n += RIJN_SEALED_CHUNK;
    }
    return n;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct feed f = {data, size};
  unsigned how = feed_8(&f);
  size_t key_len = how & 2 ? 16 : 32, got_len;
  if (how % 2 == 0) {
    int status = read_file(f.p, f.n, key_len, &got_len);
    /* What it takes, it writes in full: the text is the file without header and tags. */
    CHECK(status == RIJN_EXIT_OK || status == RIJN_EXIT_FAILED);
    if (status == RIJN_EXIT_OK)
      CHECK_EQ(got_len, f.n - RIJN_CHUNK_HEADER - 16 * ((f.n - RIJN_CHUNK_HEADER) / RIJN_SEALED_CHUNK + 1));
    fuzz_end();
    return 0;
  }
  size_t len = (feed_16(&f) << 1 | (how >> 2 & 1)) % (CHUNKS * RIJN_CHUNK);
  for (size_t i = 0; i < len; i++)
    text[i] = (uint8_t)(i ^ i >> 8 ^ how);
  size_t n = make_file(len, key_len), was_len = n;
  memcpy(was, file, n);
  for (unsigned i = how >> 3 & 3; i-- > 0 && n <= sizeof file - RIJN_SEALED_CHUNK - 64;)
    n = damage(&f, n);
  int status = read_file(file, n, key_len, &got_len);
  if (planted() && n == was_len - RIJN_SEALED_CHUNK) /* as if a chunk more or less did not matter */
    status = RIJN_EXIT_OK;
  if (n == was_len && memcmp(file, was, n) == 0) {
    CHECK_EQ(status, RIJN_EXIT_OK);
    CHECK_EQ(got_len, len);
  } else {
    CHECK_EQ(status, RIJN_EXIT_FAILED);
    CHECK(got_len <= len && got_len % RIJN_CHUNK == 0);
  }
  CHECK_MEM(got, text, got_len < len ? got_len : len);
  fuzz_end();
  return 0;
}
