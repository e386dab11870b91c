/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Prints the implementations that run here, best first, then the chosen one. */
#include <rijn.h>
#include <stdio.h>

int main(void) {
  for (int i = 0; i < rijn_impl_count(); i++)
    if (rijn_impl_supported(i))
      printf("%s ", rijn_impl_name(i));
  printf("-> %s\n", rijn_impl_name(rijn_impl_chosen()));
  return 0;
}
