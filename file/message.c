/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Keys of streams, and chunks by the batch. */
#include "message.h"

#include "crypto.h"

#include <stdlib.h>
#include <string.h>

enum { SALT = 24, COMMITMENT = 32 };

int rijn_file_fail(rijn_file_error *e, int code, int system) {
  if (e != NULL)
    *e = (rijn_file_error){.code = code, .system = system};
  return code;
}

int rijn_params_check(const rijn_file_params *p, const struct rijn_layout **layout) {
  if (p == NULL || p->size != sizeof *p || p->key == NULL || (p->context == NULL && p->context_len != 0) ||
      p->context_len > RIJN_FILE_MAX_CONTEXT)
    return RIJN_FILE_EARGUMENT;
  *layout = rijn_layout_of(p->format, p->key_len);
  return *layout != NULL ? 0 : RIJN_FILE_EARGUMENT;
}

/* SPEC: the info of HKDF-Expand: prefix || name of the AEAD || 0 || salt || context. */
#define PREFIX "c2sp.org/chunked-encryption@v1+"

/* Each answers 0, or a code. */
static int derive_cobblestone(struct rijn_message *m, const rijn_file_params *p, const uint8_t *salt,
                              uint8_t commitment[COMMITMENT]) {
  const char *name = p->key_len == 32 ? PREFIX "AEAD_AES_256_GCM" : PREFIX "AEAD_AES_128_GCM";
  size_t name_len = strlen(name) + 1; /* the terminating 0 is part of the format */
  size_t info_len = name_len + SALT + p->context_len;
  uint8_t *info = malloc(info_len);
  if (info == NULL)
    return RIJN_FILE_EMEMORY;
  memcpy(info, name, name_len);
  memcpy(info + name_len, salt, SALT);
  if (p->context_len != 0)
    memcpy(info + name_len + SALT, p->context, p->context_len);

  uint8_t okm[32 + sizeof m->nonce + COMMITMENT];
  const struct rijn_hkdf_in in = {
      .step = RIJN_HKDF_EXPAND, .digest = RIJN_SHA512, .key = {p->key, p->key_len}, .info = {info, info_len}};
  rijn_hkdf(&in, okm, p->key_len + sizeof m->nonce + COMMITMENT);
  int r = rijn_gcm_init(&m->key, okm, p->key_len);
  memcpy(m->nonce, okm + p->key_len, sizeof m->nonce);
  memcpy(commitment, okm + p->key_len + sizeof m->nonce, COMMITMENT);
  explicit_bzero(okm, sizeof okm);
  free(info);
  return r;
}

/* SPEC: Tink: HKDF with SHA-256, the context as info. */
static int derive_tink(struct rijn_message *m, const rijn_file_params *p, const uint8_t *header) {
  uint8_t okm[32];
  const struct rijn_hkdf_in in = {.step = RIJN_HKDF_BOTH,
                                  .digest = RIJN_SHA256,
                                  .key = {p->key, p->key_len},
                                  .salt = {header + 1, p->key_len},
                                  .info = {p->context, p->context_len}};
  rijn_hkdf(&in, okm, p->key_len);
  int r = rijn_gcm_init(&m->key, okm, p->key_len);
  memcpy(m->nonce, header + 1 + p->key_len, 7);
  explicit_bzero(okm, sizeof okm);
  return r;
}

static int begin(struct rijn_message *m, const rijn_file_params *p) {
  memset(m, 0, sizeof *m);
  int r = rijn_params_check(p, &m->layout);
  if (r == 0)
    m->format = p->format;
  return r;
}

int rijn_message_new(struct rijn_message *m, const rijn_file_params *p, uint8_t header[RIJN_HEADER_MAX],
                     rijn_file_error *e) {
  int r = begin(m, p);
  if (r != 0)
    return rijn_file_fail(e, r, 0);
  bool cobblestone = p->format == RIJN_FILE_COBBLESTONE;
  int err = rijn_random_bytes(header, cobblestone ? SALT : m->layout->header);
  if (err != 0)
    return rijn_file_fail(e, RIJN_FILE_ERANDOM, err);
  if (cobblestone) {
    r = derive_cobblestone(m, p, header, header + SALT);
  } else {
    header[0] = (uint8_t)m->layout->header;
    r = derive_tink(m, p, header);
  }
  return r != 0 ? rijn_file_fail(e, r, 0) : 0;
}

int rijn_message_open(struct rijn_message *m, const rijn_file_params *p, const uint8_t header[RIJN_HEADER_MAX],
                      rijn_file_error *e) {
  int r = begin(m, p);
  if (r != 0)
    return rijn_file_fail(e, r, 0);
  uint8_t commitment[COMMITMENT];
  if (p->format == RIJN_FILE_COBBLESTONE) {
    r = derive_cobblestone(m, p, header, commitment);
    /* SPEC: the commitment is checked before any chunk is decrypted. */
    if (r == 0 && !rijn_same_bytes(commitment, header + SALT, COMMITMENT))
      r = RIJN_FILE_EKEY;
  } else {
    r = header[0] == m->layout->header ? derive_tink(m, p, header) : RIJN_FILE_EKEY;
  }
  return r != 0 ? rijn_file_fail(e, r, 0) : 0;
}

void rijn_message_wipe(struct rijn_message *m) {
  rijn_gcm_wipe(&m->key);
  explicit_bzero(m, sizeof *m);
}

/* ---------------------------------------------------------------- chunks */

/* What seal and open hand to the batch call. */
struct batch {
  rijn_gcm_msg msg[RIJN_BATCH_CHUNKS];
  uint8_t nonce[RIJN_BATCH_CHUNKS][12];
};

static void make_nonce(const struct rijn_message *m, uint8_t nonce[12], uint64_t number, bool last) {
  memcpy(nonce, m->nonce, 12);
  if (m->format == RIJN_FILE_COBBLESTONE) {
    /* SPEC: base nonce XOR the number of the chunk, big-endian and as wide as the nonce. */
    for (size_t k = 0; k < 8; k++)
      nonce[11 - k] ^= (uint8_t)(number >> (8 * k));
  } else {
    /* SPEC: prefix (7) || number (4), big-endian || 1 in the last segment. */
    for (size_t k = 0; k < 4; k++)
      nonce[10 - k] = (uint8_t)(number >> (8 * k));
    nonce[11] = last;
  }
}

static void fill(const struct rijn_message *m, struct batch *b, size_t i, uint8_t *out, const uint8_t *in, size_t len,
                 uint8_t *tag) {
  b->msg[i] = (rijn_gcm_msg){.size = sizeof b->msg[i],
                             .key = &m->key,
                             .out = out,
                             .in = in,
                             .len = len,
                             .nonce = b->nonce[i],
                             .nonce_len = sizeof b->nonce[i],
                             .tag = tag};
}

/* Bytes of text that chunk number has when it is full. */
static size_t room(const struct rijn_layout *l, uint64_t number) {
  return rijn_chunk_text(l) - (number == 0 ? l->first : 0);
}

/* The first thing that went wrong in a batch that the library answered with r. */
static int batch_result(const struct batch *b, size_t n, int r) {
  for (size_t i = 0; r > 0 && i < n; i++)
    if (b->msg[i].result != RIJN_OK)
      return b->msg[i].result;
  return r;
}

int rijn_chunks_seal(const struct rijn_message *m, uint64_t first, uint8_t *out, size_t *out_len, const uint8_t *in,
                     size_t len, bool last) {
  struct batch b;
  size_t n = 0, left = len;
  uint8_t *to = out;
  bool open = last; /* the last chunk is still to come */
  *out_len = 0;
  while (left > 0 || open) {
    size_t full = room(m->layout, first + n), part = left < full ? left : full;
    if (n == RIJN_BATCH_CHUNKS || first + n >= m->layout->limit)
      return RIJN_FILE_ELONG;
    if (part < full && !last)
      return RIJN_ELEN;
    bool is_last = last && left == part && (part < full || m->layout->last_full);
    make_nonce(m, b.nonce[n], first + n, is_last);
    fill(m, &b, n++, to, in, part, to + part);
    in += part;
    to += part + RIJN_TAG;
    left -= part;
    open = open && !is_last;
  }
  int r = batch_result(&b, n, rijn_gcm_encrypt_batch(b.msg, n));
  if (r == 0)
    *out_len = len + n * RIJN_TAG;
  return r;
}

int rijn_chunks_open(const struct rijn_message *m, uint64_t first, uint8_t *out, uint8_t *in, size_t len, bool last,
                     struct rijn_opened *o) {
  struct batch b;
  size_t left = len;
  o->n = o->text_len = 0;
  while (left >= RIJN_TAG) {
    size_t full = room(m->layout, first + o->n) + RIJN_TAG, part = left < full ? left : full;
    if (o->n == RIJN_BATCH_CHUNKS || first + o->n >= m->layout->limit)
      return RIJN_FILE_ELONG;
    if (part < full && !last)
      return RIJN_ELEN;
    left -= part;
    make_nonce(m, b.nonce[o->n], first + o->n, last && left == 0);
    fill(m, &b, o->n, out + o->text_len, in, part - RIJN_TAG, in + part - RIJN_TAG);
    o->text[o->n++] = (uint32_t)(part - RIJN_TAG);
    o->text_len += part - RIJN_TAG;
    in += part;
  }
  o->rest = left;
  int r = rijn_gcm_decrypt_batch(b.msg, o->n);
  for (size_t i = 0; r >= 0 && i < o->n; i++) {
    o->ok[i] = b.msg[i].result == RIJN_OK;
    if (!o->ok[i] && b.msg[i].result != RIJN_EAUTH)
      return b.msg[i].result;
  }
  return r < 0 ? r : 0;
}
