/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * One engine for all that is done to chunks: batches are read, worked on and handed out by several threads. A batch is
 * claimed under the lock. What lies before `known` can be read at any place, so it is read outside; the rest, the end
 * of the input among it, is read in order and under the lock. So an input may grow while it is read, or be a pipe.
 * Output goes out in any order, or in that of the batches.
 */
#ifndef RIJN_FILE_ENGINE_H
#define RIJN_FILE_ENGINE_H

#include "message.h"

struct rijn_engine {
  const struct rijn_message *message;
  bool decrypt;
  unsigned threads;
  uint64_t origin; /* position in the caller's counting of the stream's first byte: for errors */

  /* Up to len bytes from position at, of the text, or of the stream as it is counted in layout.h; fewer only at the
   * end. len 0: 1 in *got where there is another byte. 0, or an errno value. */
  int (*read)(void *user, void *buf, size_t len, uint64_t at, size_t *got);
  uint64_t known;       /* what lies before it is there, and may be read in any order */
  uint64_t first_chunk; /* where to begin ... */
  uint64_t end_chunk;   /* ... and to stop, where the input does not end before; UINT64_MAX: at its end */
  bool unfinished;      /* encryption: the end of the input is not that of the message */

  /* All bytes, which belong at position at of the output, counted likewise. NULL: nothing is wanted. */
  int (*write)(void *user, const void *buf, size_t len, uint64_t at);
  bool ordered;
  bool large; /* few large pieces, for a file whose places are all there */
  int (*progress)(void *user, uint64_t text_bytes);
  int (*damage)(void *user, const rijn_file_error *e);
  void *io, *user; /* for read and write; for progress and damage */

  uint64_t text_bytes, chunks_bad; /* results */
};

/* 0, or the code of what went wrong in the earliest batch. */
int rijn_engine_run(struct rijn_engine *g, rijn_file_error *e);

/* As rijn_file_params says. */
unsigned rijn_threads(unsigned wanted);

#endif
