/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The parser of the command's arguments: the input is the words, each ended by a 0. Whatever they are, it answers
 * help, a mistake, or a job that makes sense. */
#include "../../file/cmd/options.c"

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

  static const enum rijn_verb verbs[] = {RIJN_ENCRYPT, RIJN_DECRYPT, RIJN_VERIFY, RIJN_CAT, RIJN_INFO};
  struct rijn_crypt c;
  enum rijn_verb verb = verbs[data[0] % 5];
  int status = rijn_crypt_parse(&c, verb, argc, argv);
  CHECK(status == -1 || status == RIJN_EXIT_OK || status == RIJN_EXIT_USAGE);
  if (status == RIJN_EXIT_OK && (verb != RIJN_INFO || c.names_n != 0)) {
    if (planted() && c.context_text != NULL && c.key_file != NULL)
      c.key_fd = 0;
    CHECK(c.key_file == NULL || c.key_fd < 0);
    CHECK(c.context_text == NULL || c.context_file == NULL);
    CHECK(verb != RIJN_ENCRYPT || (c.key_file != NULL || c.key_fd >= 0) != (c.passphrase || c.recipients != 0));
    CHECK(c.names_n > 0 && (c.names_n == 1 || c.out_name == NULL));
    for (int i = 0; i < c.names_n && (verb == RIJN_ENCRYPT || verb == RIJN_DECRYPT); i++) {
      char out[4096];
      status = rijn_default_output(&c, c.names[i], out, sizeof out);
      CHECK(status == RIJN_EXIT_OK || status == RIJN_EXIT_USAGE);
      /* A name of its own: an input is never its own output. */
      CHECK(status != RIJN_EXIT_OK || rijn_is_standard(c.names[i], 0) ||
            (strcmp(out, c.names[i]) != 0 && out[0] != '\0'));
    }
  }
  free(words);
  fuzz_end();
  return 0;
}
