/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn-openssl-check, which rijn openssl-check runs. */
#include "openssl.h"
#include "cmd.h"

int main(int argc, char **argv) {
  rijn_begin();
  return rijn_run("openssl-check", rijn_cmd_openssl_check, true, argc, argv);
}
