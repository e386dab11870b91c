/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The reader of the command's file format. The first byte of the input says how:
 *   even: the rest of the input is the file, under a key of zeros. Only a file that this key made is read (corpus/file
 *   has some). odd:  a file is made, then damaged as the input says. One that is not as it was must be refused, and
 *   what is handed
 *         out before that is the beginning of the text, in whole chunks. */
#include "fuzz.h"
#include "layout.h"
#include "rijn-file.h"

#include <sys/mman.h>
#include <unistd.h>

enum { CHUNKS = 4, HEADER = 56, TEXT = 16384, SEALED = TEXT + RIJN_TAG };
enum { FILE_MAX = HEADER + CHUNKS * SEALED + 256 };

static uint8_t text[CHUNKS * TEXT], file[2 * FILE_MAX], was[2 * FILE_MAX], got[2 * FILE_MAX];
static const uint8_t zero_key[32];

static rijn_file_params params(size_t key_len) {
  return (rijn_file_params){.size = sizeof(rijn_file_params), .key = zero_key, .key_len = key_len, .threads = 1};
}

/* Result of the reader; its output in got. */
static int read_file(const uint8_t *p, size_t n, size_t key_len, size_t *got_len) {
  const rijn_file_params how = params(key_len);
  rijn_file_job job = {.size = sizeof job, .in = memfd_create("in", 0), .out = memfd_create("out", 0)};
  rijn_file_error e;
  REQUIRE(job.in >= 0 && job.out >= 0);
  REQUIRE(write(job.in, p, n) == (ssize_t)n && lseek(job.in, 0, SEEK_SET) == 0);
  int result = rijn_file_decrypt_fd(&how, &job, &e);
  CHECK(result == 0 || e.code == result);
  ssize_t m = pread(job.out, got, sizeof got, 0);
  REQUIRE(m >= 0);
  CHECK_EQ(m, job.text_bytes);
  *got_len = (size_t)m;
  close(job.in);
  close(job.out);
  return result;
}

static int to_file(void *user, const void *bytes, size_t len) {
  size_t *n = user;
  memcpy(file + *n, bytes, len);
  *n += len;
  return 0;
}

static size_t make_file(size_t len, size_t key_len) {
  const rijn_file_params how = params(key_len);
  rijn_file_writer *w;
  size_t n = 0;
  REQUIRE(rijn_file_writer_new(&w, &how, to_file, &n, NULL) == 0);
  REQUIRE(rijn_file_write(w, text, len, NULL) == 0 && rijn_file_finish(w, NULL) == 0);
  rijn_file_writer_free(w);
  return n;
}

/* One act of damage. */
static size_t damage(struct feed *f, size_t n) {
  size_t at = (feed_16(f) << 8 | feed_8(f)) % (n + 1), m = feed_8(f);
  size_t a = HEADER + feed_8(f) % CHUNKS * SEALED, b = HEADER + feed_8(f) % CHUNKS * SEALED;
  static uint8_t swap[SEALED];
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
    if (a + SEALED <= n) {
      memmove(file + a, file + a + SEALED, n - a - SEALED);
      n -= SEALED;
    }
    return n;
  case 4: /* two chunks that change places */
    if (a + SEALED <= n && b + SEALED <= n) {
      memcpy(swap, file + a, sizeof swap);
      memmove(file + a, file + b, sizeof swap);
      memcpy(file + b, swap, sizeof swap);
    }
    return n;
  case 6: /* cut short between two chunks */
    return a < n ? a : n;
  default: /* a chunk twice */
    if (a + SEALED <= n && n + SEALED <= sizeof file) {
      memmove(file + a + SEALED, file + a, n - a);
      n += SEALED;
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
    if (status == 0)
      CHECK_EQ(got_len, f.n - HEADER - 16 * ((f.n - HEADER) / SEALED + 1));
    fuzz_end();
    return 0;
  }
  size_t len = (feed_16(&f) << 1 | (how >> 2 & 1)) % (CHUNKS * TEXT);
  for (size_t i = 0; i < len; i++)
    text[i] = (uint8_t)(i ^ i >> 8 ^ how);
  size_t n = make_file(len, key_len), was_len = n;
  memcpy(was, file, n);
  for (unsigned i = how >> 3 & 3; i-- > 0 && n <= sizeof file - SEALED - 64;)
    n = damage(&f, n);
  int status = read_file(file, n, key_len, &got_len);
  if (planted() && n == was_len - SEALED) /* as if a chunk more or less did not matter */
    status = 0;
  if (n == was_len && memcmp(file, was, n) == 0) {
    CHECK_EQ(status, 0);
    CHECK_EQ(got_len, len);
  } else {
    CHECK(status != 0);
    CHECK(got_len <= len && got_len % TEXT == 0);
  }
  CHECK_MEM(got, text, got_len < len ? got_len : len);
  fuzz_end();
  return 0;
}
