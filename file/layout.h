/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Where things lie in a stream. One set of five numbers describes all formats:
 *
 *   header || chunk 0 || chunk 1 || ... || last chunk
 *
 * A chunk is text and a tag of 16 bytes. All but the last are full. Tink's header counts as a part of the first
 * segment, which therefore holds less text. Cobblestone's last chunk is never full: an empty text is one chunk of 16
 * bytes, and one of exactly 16 KiB has a full chunk and an empty one. Tink's last segment may be full, and is marked
 * in its nonce.
 */
#ifndef RIJN_FILE_LAYOUT_H
#define RIJN_FILE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RIJN_TAG = 16, RIJN_BATCH_CHUNKS = 32, RIJN_HEADER_MAX = 56 };

struct rijn_layout {
  uint32_t header; /* bytes before the first chunk */
  uint32_t full;   /* bytes of a full chunk, its tag included */
  uint32_t first;  /* by so many bytes the first chunk is shorter than a full one */
  uint32_t batch;  /* chunks that are read, worked on and written at once; at most RIJN_BATCH_CHUNKS */
  bool last_full;  /* the last chunk may be full */
  uint64_t limit;  /* chunks of a stream, at most */
};

/* NULL: no such format, or it has no such key. */
const struct rijn_layout *rijn_layout_of(int format, size_t key_len);

/* Text of a full chunk. */
static inline uint32_t rijn_chunk_text(const struct rijn_layout *l) { return l->full - RIJN_TAG; }
/* Where a chunk begins, in the text and in the stream. */
static inline uint64_t rijn_text_at(const struct rijn_layout *l, uint64_t chunk) {
  return chunk == 0 ? 0 : chunk * rijn_chunk_text(l) - l->first;
}
static inline uint64_t rijn_sealed_at(const struct rijn_layout *l, uint64_t chunk) {
  return l->header + (chunk == 0 ? 0 : chunk * l->full - l->first);
}
static inline uint64_t rijn_chunk_of(const struct rijn_layout *l, uint64_t text_at) {
  return (text_at + l->first) / rijn_chunk_text(l);
}

/* Chunks of a text of that length, and bytes of its stream. RIJN_FILE_ELONG: more than the format has. */
int rijn_layout_seal(const struct rijn_layout *l, uint64_t text_len, uint64_t *chunks, uint64_t *sealed_len);
/* Chunks and text of a stream of that length. RIJN_FILE_EHEADER, EMISSING, ETAG: no stream has it; then what is there
 * without the part at the end. */
int rijn_layout_open(const struct rijn_layout *l, uint64_t sealed_len, uint64_t *chunks, uint64_t *text_len);

#endif
