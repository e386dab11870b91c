/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The parser of the command's arguments: the input is the words, each ended by a 0. Whatever they are, it answers help,
 * a mistake, or a job that makes sense. */
#include "../../cmd/crypt.c"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { WORDS = 24 };
  char *argv[WORDS + 2], *words = malloc(size + 1);
  char name[] = "rijn decrypt";
  int argc = 0;
  if (words == NULL || size == 0) {
    free(words);
    return 0;
  }
  memcpy(words, data + 1, size - 1);
  words[size - 1] = '\0';
  argv[argc++] = name;
  for (size_t i = 0; i < size - 1 && argc <= WORDS; i += strlen(words + i) + 1)
    argv[argc++] = words + i;
  argv[argc] = NULL;

  struct job *j = calloc(1, sizeof *j);
  REQUIRE(j != NULL);
  j->argv0 = name;
  j->decrypt = data[0] & 1;
  j->key_fd = j->in = j->out.fd = j->out.dir = -1;
  optind = 0; /* getopt_long starts anew */
  int status = parse(j, argc, argv);
  CHECK(status == -1 || status == RIJN_EXIT_OK || status == RIJN_EXIT_USAGE);
  if (status == RIJN_EXIT_OK) {
    if (planted() && j->context_text != NULL && j->key_file != NULL)
      j->key_fd = 0;
    CHECK((j->key_file != NULL) != (j->key_fd >= 0));
    CHECK(j->context_text == NULL || j->context_file == NULL);
    CHECK(j->in_name != NULL);
    status = default_output(j);
    CHECK(status == RIJN_EXIT_OK || status == RIJN_EXIT_USAGE);
    if (status == RIJN_EXIT_OK && j->out_name == j->default_out && strcmp(j->in_name, "-") != 0) {
      /* A name of its own: an input is never its own output. */
      CHECK(strcmp(j->out_name, j->in_name) != 0);
      CHECK(j->out_name[0] != '\0');
    }
  }
  free(j);
  free(words);
  fuzz_end();
  return 0;
}
