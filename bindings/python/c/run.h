/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#ifndef RIJN_PYTHON_RUN_H
#define RIJN_PYTHON_RUN_H
/* How many messages go to the library in one call. */
#include "module.h"

#define RUN_MOST 64
/* Bytes of text that a run should have at most: with output, nonces and the descriptors it should stay in a first cache
 * of 32 KiB. */
#define RUN_BYTES 8192
/* Bytes of text that take as long as a message takes besides its text, about. */
#define RUN_COST 64

static inline Py_ssize_t run_length(Py_ssize_t width) {
  Py_ssize_t n = RUN_BYTES / (width + 1);
  if (n > RUN_MOST) {
    return RUN_MOST;
  }
  return n < 1 ? 1 : n;
}

#endif
