/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Every implementation named on the command line is supported here, takes a key, and passes its known answers. */
#include "rijn.h"

#include <stdio.h>

int main(int argc, char **argv) {
  static const unsigned char raw[16];
  int failures = 0;
  for (int i = 1; i < argc; i++) {
    rijn_gcm_key key;
    char why[200];
    int impl = rijn_impl_find(argv[i]);
    if (impl < 0) {
      printf("%s: required, and not in this build\n", argv[i]);
      failures++;
    } else if (!rijn_impl_supported(impl)) {
      printf("%s: required by the kernel's list of CPU features, and not supported: %s\n", argv[i],
             rijn_impl_why(impl, why, sizeof why));
      failures++;
    } else if (rijn_gcm_init_impl(&key, raw, sizeof raw, 16, impl) != RIJN_OK || rijn_gcm_key_impl(&key) != impl) {
      printf("%s: a key could not be made for it\n", argv[i]);
      failures++;
    } else if (rijn_selftest(impl) != RIJN_OK) {
      printf("%s: self-test: %s\n", argv[i], rijn_strerror(rijn_selftest(impl)));
      failures++;
    } else {
      printf("%s: supported\n", argv[i]);
    }
  }
  return failures != 0 || argc < 2;
}
