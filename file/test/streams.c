/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Writer, reader and jobs, in every format, with one thread and with several: what was written comes back, whole and
 * in parts; each kind of damage is found at its chunk. Run under the thread sanitizer too. */
#include "layout.h"
#include "rijn-file.h"
#include "t.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX = 3 << 20 };
static uint8_t text[MAX], got[MAX], key[32];

struct memory {
  uint8_t *p;
  size_t n, most;
};
static struct memory file; /* what the writer wrote */

static int sink(void *user, const void *bytes, size_t len) {
  struct memory *m = user;
  if (m->n + len > m->most)
    return ENOSPC;
  memcpy(m->p + m->n, bytes, len);
  m->n += len;
  return 0;
}

static int source(void *user, void *bytes, size_t len, uint64_t at) {
  const struct memory *m = user;
  if (at + len > m->n) /* never asked */
    return EFAULT;
  memcpy(bytes, m->p + at, len);
  return 0;
}

static rijn_file_params params(int format, size_t key_len, unsigned threads) {
  return (rijn_file_params){.size = sizeof(rijn_file_params),
                            .format = format,
                            .key = key,
                            .key_len = key_len,
                            .context = "a context",
                            .context_len = 9,
                            .threads = threads};
}

/* Writes len bytes in pieces of at most piece. */
static void make(const rijn_file_params *p, size_t len, size_t piece) {
  rijn_file_writer *w;
  rijn_file_error e;
  uint64_t want;
  file.n = 0;
  REQUIRE(rijn_file_writer_new(&w, p, sink, &file, &e) == 0);
  for (size_t at = 0; at < len; at += piece)
    REQUIRE(rijn_file_write(w, text + at, len - at < piece ? len - at : piece, &e) == 0);
  CHECK_EQ(rijn_file_finish(w, &e), 0);
  CHECK_EQ(rijn_file_write(w, text, 1, &e), RIJN_ESTATE);
  CHECK_EQ(rijn_file_finish(w, &e), RIJN_ESTATE);
  rijn_file_writer_free(w);
  CHECK_EQ(rijn_file_sealed_len(p, len, &want), 0);
  CHECK_EQ(file.n, want);
}

/* The same through a job by descriptors; of its own (places) or in order (a pipe would be). */
static void check_job(const rijn_file_params *p, size_t len, unsigned flags) {
  rijn_file_job job = {.size = sizeof job, .in = memfd_create("in", 0), .out = memfd_create("out", 0), .flags = flags};
  rijn_file_error e;
  REQUIRE(write(job.in, text, len) == (ssize_t)len && lseek(job.in, 0, SEEK_SET) == 0);
  CHECK_EQ(rijn_file_encrypt_fd(p, &job, &e), 0);
  CHECK_EQ(job.text_bytes, len);
  rijn_file_job back = {.size = sizeof back, .in = job.out, .out = memfd_create("back", 0), .flags = flags};
  REQUIRE(lseek(job.out, 0, SEEK_SET) == 0);
  CHECK_EQ(rijn_file_decrypt_fd(p, &back, &e), 0);
  CHECK_EQ(pread(back.out, got, sizeof got, 0), (ssize_t)len);
  CHECK_MEM(got, text, len);
  close(job.in);
  close(job.out);
  close(back.out);
}

static void check_reader(const rijn_file_params *p, size_t len) {
  rijn_file_reader *r;
  rijn_file_error e;
  uint64_t chunks;
  REQUIRE(rijn_file_open(&r, p, source, &file, file.n, &e) == 0);
  CHECK_EQ(rijn_file_length(r), len);
  CHECK_EQ(rijn_file_chunk_count(p, len, &chunks), 0);
  CHECK_EQ(rijn_file_chunks(r), chunks);
  CHECK_EQ(rijn_file_complete(r), 0);
  CHECK_EQ(rijn_file_verify(r, NULL, NULL, &e), 0);
  CHECK_EQ(rijn_file_pread(r, got, len, 0, &e), 0);
  CHECK_MEM(got, text, len);
  const size_t edges[] = {0, 1, len / 3, 16343, 16384, 16385, 4056, 131072, len > 0 ? len - 1 : 0, len};
  for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
    for (size_t k = 0; k < sizeof edges / sizeof edges[0]; k++) {
      size_t at = edges[i], n = edges[k] < 40000 ? edges[k] : 40000;
      memset(got, T_POISON, n + 1);
      int result = rijn_file_pread(r, got, n, at, &e);
      if (at > len || n > len - at) {
        CHECK_EQ(result, RIJN_FILE_ERANGE);
        continue;
      }
      CHECK_EQ(result, 0);
      CHECK_MEM(got, text + at, n);
      CHECK_EQ(got[n], T_POISON);
    }
  rijn_file_close(r);
}

static void test_roundtrip(int format, size_t key_len) {
  const uint64_t full = rijn_chunk_text(rijn_layout_of(format, key_len)),
                 first = rijn_layout_of(format, key_len)->first;
  const uint64_t sizes[] = {
      0, 1, 16, full - first - 1, full - first, full - first + 1, 2 * full - first, 131072, 1 << 20, 2 * full + 77};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (unsigned threads = 1; threads <= 4; threads += 3) {
      size_t len = (size_t)sizes[i];
      T_AT("length %zu", len);
      const rijn_file_params p = params(format, key_len, threads);
      make(&p, len, threads == 1 ? 65536 : 100001);
      check_reader(&p, len);
      check_job(&p, len, threads == 1 ? 0 : RIJN_FILE_OWN_OUTPUT);
      check_job(&p, len, threads == 1 ? RIJN_FILE_OWN_OUTPUT : 0);
    }
}

/* ---------------------------------------------------------------- damage */

struct told {
  uint64_t chunk[8];
  size_t n;
};

static int tell(void *user, const rijn_file_error *e) {
  struct told *t = user;
  if (t->n < 8)
    t->chunk[t->n] = e->chunk;
  t->n++;
  return 0;
}

static void test_damage(int format) {
  const rijn_file_params p = params(format, 32, 4);
  const struct rijn_layout *l = rijn_layout_of(format, 32);
  const size_t bad[] = {2, 33, 39};
  const size_t len = format == RIJN_FILE_TINK_1MB ? MAX : 40 * rijn_chunk_text(l), chunks = format == 2 ? 3 : 40;
  size_t many = format == RIJN_FILE_TINK_1MB ? 1 : 3, end = rijn_text_at(l, 2);
  rijn_file_reader *r;
  rijn_file_error e;
  struct told t = {.n = 0};
  T_AT("format %zu", (size_t)format);
  make(&p, len, len);
  for (size_t i = 0; i < many; i++)
    file.p[rijn_sealed_at(l, bad[i]) + 5] ^= 1;
  REQUIRE(rijn_file_open(&r, &p, source, &file, file.n, &e) == 0);
  CHECK_EQ(rijn_file_verify(r, NULL, NULL, &e), chunks == 3 ? RIJN_FILE_EALTERED : RIJN_FILE_EALTERED);
  CHECK(e.chunk == 2 && e.from == rijn_sealed_at(l, 2) && e.to == rijn_sealed_at(l, 3));
  CHECK_EQ(rijn_file_verify(r, tell, &t, &e), 0);
  CHECK_EQ(t.n, many);
  for (size_t i = 0; i < many; i++)
    CHECK_EQ(t.chunk[i], bad[i]);
  CHECK_EQ(rijn_file_pread(r, got, end, 0, &e), 0);
  memset(got, T_POISON, end + 2);
  CHECK_EQ(rijn_file_pread(r, got, end + 1, 0, &e), RIJN_FILE_EALTERED);
  CHECK_ALL(got, 0, end + 1); /* nothing of it is handed out */
  CHECK_EQ(got[end + 1], T_POISON);
  rijn_file_close(r);
}

/* Cut at every byte: refused, where it opens at all, by what is there or by the last chunk. */
static void test_cuts(int format) {
  const rijn_file_params p = params(format, 16, 1);
  rijn_file_reader *r;
  rijn_file_error e;
  make(&p, 100, 100);
  const size_t whole = file.n;
  for (size_t cut = 0; cut < whole; cut++) {
    T_AT("cut at %zu", cut);
    file.n = cut;
    int result = rijn_file_open(&r, &p, source, &file, cut, &e);
    if (result == 0) {
      result = rijn_file_verify(r, NULL, NULL, &e);
      CHECK(rijn_file_complete(r) == 0 || rijn_file_complete(r) == result);
      rijn_file_close(r);
    } else {
      CHECK(r == NULL);
    }
    CHECK(result == RIJN_FILE_EHEADER || result == RIJN_FILE_EMISSING || result == RIJN_FILE_ETAG ||
          result == RIJN_FILE_ELAST);
    CHECK_EQ(e.code, result);
  }
  for (size_t at = 0; at < whole; at++) { /* and each byte altered */
    T_AT("byte %zu", at);
    file.n = whole;
    file.p[at] ^= 0x10;
    int result = rijn_file_open(&r, &p, source, &file, whole, &e);
    if (result == 0) {
      result = rijn_file_verify(r, NULL, NULL, &e);
      rijn_file_close(r);
    }
    CHECK(result == RIJN_FILE_EKEY || result == RIJN_FILE_ELAST);
    file.p[at] ^= 0x10;
  }
}

/* Cut where a chunk ends and closed by other bytes: of these, 16 are as long as a last chunk without text. */
static void test_forged_ends(int format) {
  const rijn_file_params p = params(format, 32, 2);
  const struct rijn_layout *l = rijn_layout_of(format, 32);
  rijn_file_reader *r;
  rijn_file_error e;
  for (uint64_t chunks = 0; chunks <= 2; chunks++) {
    make(&p, (size_t)rijn_text_at(l, 2) + 5, MAX);
    const size_t cut = (size_t)rijn_sealed_at(l, chunks), end = (size_t)rijn_text_at(l, chunks);
    for (size_t junk = 16; junk < 32; junk++) {
      T_AT("cut behind chunks and closed by %zu bytes", junk);
      const size_t len = end + junk - 16;
      memset(file.p + cut, 0, junk);
      file.n = cut + junk;
      REQUIRE(rijn_file_open(&r, &p, source, &file, cut + junk, &e) == 0);
      CHECK(rijn_file_complete(r) == 0 && rijn_file_length(r) == len);
      memset(got, T_POISON, len + 1);
      CHECK_EQ(rijn_file_pread(r, got, len, 0, &e), RIJN_FILE_ELAST);
      CHECK_ALL(got, 0, len);
      CHECK(e.chunk == chunks && e.from == cut && e.to == cut + junk);
      CHECK_EQ(rijn_file_pread(r, NULL, 0, len, &e), RIJN_FILE_ELAST);
      if (end > 0) {
        CHECK_EQ(rijn_file_pread(r, got, 1, len - 1, &e), RIJN_FILE_ELAST);
        CHECK_EQ(rijn_file_pread(r, got, end - 1, 0, &e), 0); /* what does not reach the end */
        CHECK_MEM(got, text, end - 1);
      }
      rijn_file_close(r);
    }
  }
}

/* ---------------------------------------------------------------- what fails */

static int full_sink(void *user, const void *bytes, size_t len) {
  size_t *left = user;
  (void)bytes;
  if (len > *left)
    return ENOSPC;
  *left -= len;
  return 0;
}

static int broken_source(void *user, void *bytes, size_t len, uint64_t at) {
  (void)user;
  return at > 200000 ? EIO : source(&file, bytes, len, at);
}

static int stop(void *user, uint64_t bytes) {
  (void)user;
  return bytes > 500000;
}

static void test_failures(void) {
  const rijn_file_params p = params(RIJN_FILE_COBBLESTONE, 32, 4);
  rijn_file_writer *w;
  rijn_file_reader *r;
  rijn_file_error e;
  size_t left = 1000000;
  T_AT("a sink that is full", 0);
  REQUIRE(rijn_file_writer_new(&w, &p, full_sink, &left, &e) == 0);
  int result = rijn_file_write(w, text, MAX, &e);
  CHECK(result == RIJN_FILE_EWRITE && e.system == ENOSPC);
  CHECK_EQ(rijn_file_finish(w, &e), RIJN_FILE_EWRITE); /* it does not come back */
  rijn_file_writer_free(w);
  left = 55;
  CHECK(rijn_file_writer_new(&w, &p, full_sink, &left, &e) == RIJN_FILE_EWRITE && w == NULL);

  T_AT("a source that breaks", 0);
  make(&p, 1 << 20, 1 << 20);
  REQUIRE(rijn_file_open(&r, &p, broken_source, &file, file.n, &e) == 0);
  CHECK(rijn_file_verify(r, NULL, NULL, &e) == RIJN_FILE_EREAD && e.system == EIO);
  CHECK_EQ(rijn_file_pread(r, got, 100000, 0, &e), 0);
  CHECK_EQ(rijn_file_pread(r, got, 300000, 0, &e), RIJN_FILE_EREAD);
  CHECK_ALL(got, 0, 300000);
  rijn_file_close(r);

  T_AT("a job that is stopped", 0);
  rijn_file_job job = {.size = sizeof job, .in = memfd_create("in", 0), .out = -1, .progress = stop};
  REQUIRE(write(job.in, file.p, file.n) == (ssize_t)file.n && lseek(job.in, 0, SEEK_SET) == 0);
  CHECK_EQ(rijn_file_decrypt_fd(&p, &job, &e), RIJN_FILE_ECANCEL);
  CHECK(job.text_bytes > 500000 && job.text_bytes < 1 << 20);
  close(job.in);

  T_AT("arguments", 0);
  rijn_file_params bad = p;
  bad.size = 1;
  CHECK_EQ(rijn_file_writer_new(&w, &bad, sink, &file, &e), RIJN_FILE_EARGUMENT);
  bad = p;
  bad.key_len = 24;
  CHECK_EQ(rijn_file_open(&r, &bad, source, &file, file.n, NULL), RIJN_FILE_EARGUMENT);
  bad = p;
  bad.context_len = RIJN_FILE_MAX_CONTEXT + 1;
  CHECK_EQ(rijn_file_writer_new(&w, &bad, sink, &file, &e), RIJN_FILE_EARGUMENT);
  CHECK_EQ(rijn_file_writer_new(&w, &p, NULL, NULL, &e), RIJN_FILE_EARGUMENT);
  CHECK_EQ(rijn_file_writer_new(&w, NULL, sink, &file, &e), RIJN_FILE_EARGUMENT);
  CHECK_EQ(rijn_file_encrypt_fd(NULL, &(rijn_file_job){.size = sizeof(rijn_file_job), .in = 0, .out = 1}, &e),
           RIJN_FILE_EARGUMENT);
  CHECK_EQ(rijn_file_encrypt_fd(&p, NULL, &e), RIJN_FILE_EARGUMENT);
  bad = p;
  bad.context_len = 8;
  CHECK_EQ(rijn_file_open(&r, &bad, source, &file, file.n, &e), RIJN_FILE_EKEY);
  for (int code = -130; code <= 0; code++)
    CHECK(rijn_file_strerror(code) != NULL && rijn_file_strerror(code)[0] != '\0');
  rijn_file_close(NULL);
  rijn_file_writer_free(NULL);
}

/* A stream behind something else: errors count from the input's first byte. */
static void test_start(void) {
  rijn_file_params p = params(RIJN_FILE_COBBLESTONE, 32, 2);
  rijn_file_reader *r;
  rijn_file_error e;
  make(&p, 50000, 50000);
  memmove(file.p + 1234, file.p, file.n);
  file.n += 1234;
  p.start = 1234;
  REQUIRE(rijn_file_open(&r, &p, source, &file, file.n, &e) == 0);
  CHECK_EQ(rijn_file_pread(r, got, 50000, 0, &e), 0);
  CHECK_MEM(got, text, 50000);
  file.p[1234 + 56 + 16400] ^= 1;
  CHECK_EQ(rijn_file_verify(r, NULL, NULL, &e), RIJN_FILE_EALTERED);
  CHECK(e.chunk == 1 && e.from == 1234 + 56 + 16400);
  rijn_file_close(r);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  t_fill(text, sizeof text);
  t_fill(key, sizeof key);
  file = (struct memory){.p = malloc(MAX + (1 << 18)), .most = MAX + (1 << 18)};
  REQUIRE(file.p != NULL);
  for (int format = RIJN_FILE_COBBLESTONE; format <= RIJN_FILE_TINK_1MB; format++) {
    test_roundtrip(format, 32);
    test_damage(format);
    test_cuts(format);
    test_forged_ends(format);
  }
  test_roundtrip(RIJN_FILE_COBBLESTONE, 16);
  test_roundtrip(RIJN_FILE_TINK_4KB, 16);
  test_failures();
  test_start();
  free(file.p);
  return t_done();
}
