/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* librijn-file leaves libcrypto's configuration to the program: it is loaded for the program's own calls, also if the
 * library was called before. */
#include "rijn-file.h"
#include "t.h"

#include <openssl/provider.h>
#include <stdlib.h>
#include <unistd.h>

static int sink(void *user, const void *bytes, size_t len) {
  (void)bytes;
  *(size_t *)user += len;
  return 0;
}

int main(int argc, char **argv) {
  static const char text[] = "openssl_conf = start\n[start]\nproviders = all\n[all]\nnull = one\n[one]\nactivate = 1\n";
  static const uint8_t key[32] = {1};
  char name[] = "/tmp/rijn-config-XXXXXX";
  rijn_file_params p = {.size = sizeof p, .format = RIJN_FILE_COBBLESTONE, .key = key, .key_len = sizeof key};
  rijn_file_writer *w;
  rijn_file_error e;
  size_t written = 0;
  t_init(argc, argv);
  int fd = mkstemp(name);
  REQUIRE(fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1 && close(fd) == 0);
  REQUIRE(setenv("OPENSSL_CONF", name, 1) == 0);
  REQUIRE(rijn_file_writer_new(&w, &p, sink, &written, &e) == 0);
  CHECK_EQ(rijn_file_finish(w, &e), 0);
  rijn_file_writer_free(w);
  CHECK(written > 0);
  CHECK(OSSL_PROVIDER_available(NULL, "null") == 1);
  unlink(name);
  return t_done();
}
