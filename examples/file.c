/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * A file by librijn-file: written, then read from anywhere in the middle. It may have any length, the work is done in
 * parallel, and what was altered, cut or moved is found. `rijn decrypt` and other programs of the C2SP format read it
 * too.
 */
#define _GNU_SOURCE
#include "example.h"

#include <errno.h>
#include <rijn-file.h>
#include <unistd.h>

#define MUST_FILE(call) must_file((call), &error, #call, __LINE__)
static void must_file(int got, const rijn_file_error *e, const char *what, int line) {
  if (got == 0)
    return;
  fprintf(stderr, "line %d: %s: %s, chunk %llu\n", line, what, rijn_file_strerror(got), (unsigned long long)e->chunk);
  exit(1);
}

/* Where the encrypted bytes go: all of them, or an errno value. */
static int to_file(void *user, const void *bytes, size_t len) {
  return fwrite(bytes, 1, len, (FILE *)user) == len ? 0 : EIO;
}

int main(void) {
  enum { LINES = 20000 };
  rijn_file_error error;
  rijn_file_params params;
  rijn_file_writer *writer;
  rijn_file_reader *reader;
  unsigned char key[32];
  char line[32], want[32];
  FILE *f = tmpfile();
  EXPECT(f != NULL);

  memset(&params, 0, sizeof params);
  params.size = sizeof params;
  random_bytes(key, sizeof key);
  params.key = key;
  params.key_len = sizeof key;
  params.context = "example";
  params.context_len = 7;

  MUST_FILE(rijn_file_writer_new(&writer, &params, to_file, f, &error));
  for (int i = 0; i < LINES; i++) {
    snprintf(line, sizeof line, "line number %08d\n", i);
    MUST_FILE(rijn_file_write(writer, line, 21, &error));
  }
  MUST_FILE(rijn_file_finish(writer, &error)); /* without it the file is incomplete */
  rijn_file_writer_free(writer);
  EXPECT(fflush(f) == 0);

  /* Line 12345 alone: two chunks at most are read. */
  MUST_FILE(rijn_file_open_fd(&reader, &params, fileno(f), &error));
  EXPECT(rijn_file_length(reader) == 21u * LINES);
  MUST_FILE(rijn_file_pread(reader, line, 21, 21u * 12345, &error));
  snprintf(want, sizeof want, "line number %08d\n", 12345);
  EXPECT(memcmp(line, want, 21) == 0);
  MUST_FILE(rijn_file_verify(reader, NULL, NULL, &error));
  rijn_file_close(reader);

  /* A byte changes on the disk. Whoever reads that chunk is told. */
  unsigned char byte;
  EXPECT(pread(fileno(f), &byte, 1, 21 * 12345) == 1);
  byte ^= 1;
  EXPECT(pwrite(fileno(f), &byte, 1, 21 * 12345) == 1);
  MUST_FILE(rijn_file_open_fd(&reader, &params, fileno(f), &error));
  EXPECT(rijn_file_verify(reader, NULL, NULL, &error) == RIJN_FILE_EALTERED);
  rijn_file_close(reader);
  fclose(f);
  forget(key, sizeof key);
  printf("%d lines\n", LINES);
  return 0;
}
