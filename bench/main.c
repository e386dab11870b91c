/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn-bench, which rijn bench runs. */
#include "bench.h"
#include "cmd.h"

int main(int argc, char **argv) {
  rijn_begin();
  return rijn_run("bench", rijn_cmd_bench, true, argc, argv);
}
