/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "layout.h"

#include "rijn-file.h"

/* SPEC: c2sp.org/chunked-encryption: salt (24) || commitment (32); "If the chunk counter reaches or exceeds 2^38 [...]
 * implementations MUST abort."
 * PERF: 128 KiB stay in the second cache with their output; 512 KiB take four times as long to read (AMD EPYC with a
 * second cache of 512 KiB, tmpfs). */
static const struct rijn_layout cobblestone = {
    .header = 56, .full = 16384 + RIJN_TAG, .batch = 8, .limit = UINT64_C(1) << 38};

/* SPEC: Tink, "AES-GCM-HKDF Streaming AEAD": length of the header (1) || salt (as the key) || nonce prefix (7), all of
 * it in the first segment; the number of a segment has 32 bits. */
#define TINK(key, segment, segments)                                                                                   \
  {                                                                                                                    \
    .header = (key) + 8, .full = (segment), .first = (key) + 8, .batch = (segments), .last_full = true,                \
    .limit = UINT64_C(1) << 32                                                                                         \
  }
static const struct rijn_layout tink[2][2] = {{TINK(16, 4096, 32), TINK(32, 4096, 32)},
                                              {TINK(16, 1 << 20, 1), TINK(32, 1 << 20, 1)}};

const struct rijn_layout *rijn_layout_of(int format, size_t key_len) {
  if (key_len != 16 && key_len != 32)
    return NULL;
  if (format == RIJN_FILE_COBBLESTONE)
    return &cobblestone;
  if (format == RIJN_FILE_TINK_4KB || format == RIJN_FILE_TINK_1MB)
    return &tink[format == RIJN_FILE_TINK_1MB][key_len == 32];
  return NULL;
}

int rijn_layout_seal(const struct rijn_layout *l, uint64_t text_len, uint64_t *chunks, uint64_t *sealed_len) {
  if (text_len > l->limit * rijn_chunk_text(l))
    return RIJN_FILE_ELONG;
  uint64_t n = (text_len + l->first) / rijn_chunk_text(l), rest = (text_len + l->first) % rijn_chunk_text(l);
  if (rest != 0 || !l->last_full || n == 0)
    n++;
  if (n > l->limit)
    return RIJN_FILE_ELONG;
  *chunks = n;
  *sealed_len = l->header + text_len + n * RIJN_TAG;
  return 0;
}

int rijn_layout_open(const struct rijn_layout *l, uint64_t sealed_len, uint64_t *chunks, uint64_t *text_len) {
  *chunks = *text_len = 0;
  if (sealed_len < l->header)
    return RIJN_FILE_EHEADER;
  uint64_t body = sealed_len - l->header, n = (body + l->first) / l->full, rest = (body + l->first) % l->full;
  uint64_t part = n == 0 ? body : rest; /* bytes of the chunk that is not full */
  *chunks = n;
  *text_len = rijn_text_at(l, n);
  if (n > l->limit || (n == l->limit && part != 0))
    return RIJN_FILE_ELONG;
  if (part == 0)
    return n > 0 && l->last_full ? 0 : RIJN_FILE_EMISSING;
  if (part < RIJN_TAG)
    return RIJN_FILE_ETAG;
  *chunks = n + 1;
  *text_len += part - RIJN_TAG;
  return 0;
}

int rijn_file_sealed_len(const rijn_file_params *p, uint64_t text_len, uint64_t *sealed_len) {
  const struct rijn_layout *l = p != NULL && p->size == sizeof *p ? rijn_layout_of(p->format, p->key_len) : NULL;
  uint64_t chunks;
  *sealed_len = 0;
  return l != NULL ? rijn_layout_seal(l, text_len, &chunks, sealed_len) : RIJN_FILE_EARGUMENT;
}

int rijn_file_chunk_count(const rijn_file_params *p, uint64_t text_len, uint64_t *chunks) {
  const struct rijn_layout *l = p != NULL && p->size == sizeof *p ? rijn_layout_of(p->format, p->key_len) : NULL;
  uint64_t sealed_len;
  *chunks = 0;
  return l != NULL ? rijn_layout_seal(l, text_len, chunks, &sealed_len) : RIJN_FILE_EARGUMENT;
}

int rijn_file_text_len(const rijn_file_params *p, uint64_t sealed_len, uint64_t *text_len) {
  const struct rijn_layout *l = p != NULL && p->size == sizeof *p ? rijn_layout_of(p->format, p->key_len) : NULL;
  uint64_t chunks;
  *text_len = 0;
  return l != NULL ? rijn_layout_open(l, sealed_len, &chunks, text_len) : RIJN_FILE_EARGUMENT;
}
