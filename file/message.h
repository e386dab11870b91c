/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The key of one stream, and its chunks. */
#ifndef RIJN_FILE_MESSAGE_H
#define RIJN_FILE_MESSAGE_H

#include "layout.h"
#include "rijn-file.h"

/* Says a refused call's reason, and hands it on. */
int rijn_file_fail(rijn_file_error *e, int code, int system);

struct rijn_message {
  const struct rijn_layout *layout;
  int format;
  rijn_gcm_key key;
  uint8_t nonce[12]; /* Cobblestone: the base nonce; Tink: the prefix, and zeros */
};

/* Checks p, and finds its layout. */
int rijn_params_check(const rijn_file_params *p, const struct rijn_layout **layout);
/* A new stream: makes its header, of layout->header bytes. */
int rijn_message_new(struct rijn_message *m, const rijn_file_params *p, uint8_t header[RIJN_HEADER_MAX],
                     rijn_file_error *e);
/* The stream that has this header. RIJN_FILE_EKEY: the key cannot be it. */
int rijn_message_open(struct rijn_message *m, const rijn_file_params *p, const uint8_t header[RIJN_HEADER_MAX],
                      rijn_file_error *e);
void rijn_message_wipe(struct rijn_message *m);

/* Encrypts len bytes as the chunks from number first on, RIJN_BATCH_CHUNKS at most, all of them full unless last.
 * *out_len gets the bytes written. */
int rijn_chunks_seal(const struct rijn_message *m, uint64_t first, uint8_t *out, size_t *out_len, const uint8_t *in,
                     size_t len, bool last);

/* What of a batch of chunks did not verify: there is a zero in ok for each such chunk, n in all. */
struct rijn_opened {
  size_t n;
  bool ok[RIJN_BATCH_CHUNKS];
  uint32_t text[RIJN_BATCH_CHUNKS]; /* bytes of each */
  size_t text_len;                  /* of all, zeros for those that did not verify included */
  size_t rest;                      /* bytes at the end that are less than a tag */
};
/* Decrypts len bytes, the chunks from number first on. Negative when the library refuses the call; what does not
 * verify is no error here. */
int rijn_chunks_open(const struct rijn_message *m, uint64_t first, uint8_t *out, uint8_t *in, size_t len, bool last,
                     struct rijn_opened *o);

#endif
