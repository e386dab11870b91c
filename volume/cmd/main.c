/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn-volume, which rijn volume runs. */
#include "volume.h"
#include "cmd.h"

int main(int argc, char **argv) {
  rijn_begin();
  return rijn_run("volume", rijn_cmd_volume, true, argc, argv);
}
