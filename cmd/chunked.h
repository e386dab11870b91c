/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * The C2SP chunked-encryption format (c2sp.org/chunked-encryption), as Cobblestone-256 and Cobblestone-128.
 *
 *   salt (24) || commitment (32) || chunk 0 || chunk 1 || ... || last chunk
 *
 * A chunk is up to 16 KiB of text and a tag of 16 bytes. All chunks but the last are full, and the last never is: an
 * empty message is one chunk of 16 bytes, one of exactly 16 KiB has a full chunk and an empty one. So a message that is
 * cut at a boundary of chunks shows it, and the place of a chunk is in its nonce.
 */
#ifndef RIJN_CHUNKED_H
#define RIJN_CHUNKED_H

#include <rijn.h>

enum {
  RIJN_CHUNK = 16384,
  RIJN_CHUNK_TAG = 16,
  RIJN_SEALED_CHUNK = RIJN_CHUNK + RIJN_CHUNK_TAG,
  RIJN_CHUNK_SALT = 24,
  RIJN_CHUNK_COMMITMENT = 32,
  RIJN_CHUNK_HEADER = RIJN_CHUNK_SALT + RIJN_CHUNK_COMMITMENT,
  /* PERF: half a MiB stays in the second cache with its output, and makes system calls rare. */
  RIJN_CHUNK_BATCH = 32,
  /* HKDF of libcrypto takes 32 KiB of info; this leaves room and is plenty. */
  RIJN_CHUNK_MAX_CONTEXT = 16384
};
/* SPEC: "If the chunk counter reaches or exceeds 2^38 [...] implementations MUST abort." */
#define RIJN_CHUNK_LIMIT (UINT64_C(1) << 38)

struct rijn_chunked {
  rijn_gcm_key key;
  uint8_t base_nonce[12];
  uint64_t next; /* number of the chunk that comes next */
};

/* Derives the key, the base nonce and the commitment of one message. key_len is 16 or 32. 0, a negative RIJN_E... of
 * the library, or 1 when libcrypto failed. */
int rijn_chunked_derive(struct rijn_chunked *c, const uint8_t *key, size_t key_len, const uint8_t salt[RIJN_CHUNK_SALT],
                        const uint8_t *context, size_t context_len, uint8_t commitment[RIJN_CHUNK_COMMITMENT]);

/* Encrypts len <= RIJN_CHUNK_BATCH * RIJN_CHUNK bytes. With last, the rest of a chunk (0 bytes, perhaps) becomes the
 * last chunk, and len is less than the batch; without, len is a multiple of RIJN_CHUNK. *out_len gets the bytes
 * written. */
int rijn_chunked_seal(struct rijn_chunked *c, uint8_t *out, size_t *out_len, const uint8_t *in, size_t len, int last);

/* Decrypts full chunks and, when last_len is not 0, a last one of last_len sealed bytes (16 .. RIJN_SEALED_CHUNK - 1);
 * together at most RIJN_CHUNK_BATCH. RIJN_EAUTH: c->next is the number of the first chunk that does not verify.
 * *out_len gets the bytes of all chunks before it, or of all. */
int rijn_chunked_open(struct rijn_chunked *c, uint8_t *out, size_t *out_len, uint8_t *in, size_t full, size_t last_len);

void rijn_chunked_wipe(struct rijn_chunked *c);

#endif
