/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* A fault for the memory sanitizer to find, in the library: the second half of an XTS key that nobody has written is
 * compared with the first. */
#include <rijn.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  rijn_xts_key key;
  unsigned char *raw = malloc(32);
  if (raw == NULL)
    return 0;
  memset(raw, 1, 16);
  return rijn_xts_init(&key, raw, 32) == RIJN_OK;
}
