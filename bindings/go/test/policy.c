/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Prints what src/policy.c says of processors, for the Go module's test: vendor,family,model,recent,set. */
#include <stdio.h>

#include "cpu.h"

int main(void) {
  for (uint32_t vendor = 0; vendor < 3; vendor++)
    for (uint32_t family = 4; family < 32; family++)
      for (uint32_t model = 0; model < 256; model++)
        for (uint32_t hints = 0; hints < 2; hints++) {
          const struct rijn_cpu cpu = {0, family, model, vendor, hints};
          printf("%u,%u,%u,%u,%s\n", vendor, family, model, hints, rijn_policy(&cpu)->set);
        }
  return 0;
}
