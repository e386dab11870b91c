/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-GCM, rows: messages of one key and equal lengths, at equal distances. They are described to the call for batches
 * a few at a time, so that the descriptors stay in the first cache however many rows there are. */
#include <rijn.h>
#include <stdbool.h>

#include "bytes.h"
#include "gcm.h"

enum { AT_ONCE = 32 }; /* rows described at a time, 88 bytes each: enough that what a batch does once costs little */

/* Bytes from the first of a row to behind the last of all, of rows at this distance. Some row is there. */
static size_t span(size_t step, size_t len, size_t rows) { return step * (rows - 1) + len; }

/* Do rows of len bytes, `step` bytes from one to the next, fit into memory? */
static bool fits(size_t step, size_t len, size_t rows) {
  return len == 0 || step == 0 || rows - 1 <= (SIZE_MAX - len) / step;
}

static bool all_fit(const rijn_gcm_rows *r) {
  return fits(r->out_step, r->len, r->rows) && fits(r->in_step, r->len, r->rows) &&
         fits(r->aad_step, r->aad_len, r->rows) && fits(r->nonce_step, 12, r->rows) &&
         fits(r->tag_step, rijn_gcm_tag_len(r->key), r->rows);
}

/* Do rows of len bytes lie beside one another? */
static bool apart(size_t step, size_t len, size_t rows) { return rows == 1 || step >= len; }

/* Each output row is exactly its input row, or shares no byte with any input row. Where both have the same distance
 * they may lie between one another, as columns of one table do. */
static bool rows_alias_ok(const rijn_gcm_rows *r) {
  if (r->len == 0 || (r->out == r->in && (r->out_step == r->in_step || r->rows == 1)))
    return true;
  if (rijn_disjoint(r->out, span(r->out_step, r->len, r->rows), r->in, span(r->in_step, r->len, r->rows)))
    return true;
  if (r->out_step != r->in_step || r->rows == 1)
    return false;
  uintptr_t off = (uintptr_t)r->out > (uintptr_t)r->in ? (uintptr_t)r->out - (uintptr_t)r->in
                                                       : (uintptr_t)r->in - (uintptr_t)r->out;
  off %= r->out_step;
  return off >= r->len && r->out_step - off >= r->len;
}

static int rows_check(const rijn_gcm_rows *r, enum direction dir) {
  if (r == NULL)
    return RIJN_ENULL;
  if (r->size != sizeof *r)
    return RIJN_ESTRUCT;
  if (rijn_over(r->rows, RIJN_GCM_ROWS_MAX))
    return RIJN_ELEN;
  if (r->rows == 0)
    return RIJN_OK;
  /* The key, and the lengths of a row: the rules of a single call, for the first. */
  int err = rijn_gcm_check(r->key, r->out, r->out, r->len, r->aad, r->aad_len, r->nonces, 12, r->tags);
  if (err != RIJN_OK)
    return err;
  if (rijn_null(r->in, r->len))
    return RIJN_ENULL;
  if (dir == ENCRYPT && r->nonce_step == 0 && r->rows > 1) /* one nonce for all of them gives the key away */
    return RIJN_ENONCELEN;
  if (!all_fit(r))
    return RIJN_ELEN;
  if (!apart(r->out_step, r->len, r->rows) || !apart(r->tag_step, rijn_gcm_tag_len(r->key), r->rows))
    return RIJN_EOVERLAP;
  return rows_alias_ok(r) ? RIJN_OK : RIJN_EOVERLAP;
}

/* The n rows from `first` on, as messages. */
static void describe(rijn_gcm_msg *m, const rijn_gcm_rows *r, size_t first, size_t n) {
  for (size_t i = 0; i < n; i++, m++) {
    const size_t row = first + i;
    m->out = r->len == 0 ? r->out : (uint8_t *)r->out + row * r->out_step;
    m->in = r->len == 0 ? r->in : (const uint8_t *)r->in + row * r->in_step;
    m->aad = r->aad_len == 0 ? r->aad : (const uint8_t *)r->aad + row * r->aad_step;
    m->nonce = (const uint8_t *)r->nonces + row * r->nonce_step;
    m->tag = (uint8_t *)r->tags + row * r->tag_step;
  }
}

static int rows(const rijn_gcm_rows *r, enum direction dir) {
  rijn_gcm_msg m[AT_ONCE];
  int err = rows_check(r, dir), failed = 0;
  if (err != RIJN_OK)
    return err;
  for (size_t i = 0; i < AT_ONCE; i++)
    m[i] = (rijn_gcm_msg){
        .size = sizeof *m, .key = r->key, .len = r->len, .aad_len = r->aad_len, .nonce_len = 12, .result = 0};
  for (size_t done = 0, n; done < r->rows; done += n) {
    n = r->rows - done < AT_ONCE ? r->rows - done : AT_ONCE;
    describe(m, r, done, n);
    failed += dir == ENCRYPT ? rijn_gcm_encrypt_batch(m, n) : rijn_gcm_decrypt_batch(m, n);
    for (size_t i = 0; r->forged != NULL && i < n; i++)
      r->forged[done + i] = m[i].result != RIJN_OK;
  }
  return failed;
}

int rijn_gcm_encrypt_rows(const rijn_gcm_rows *r) { return rows(r, ENCRYPT); }

int rijn_gcm_decrypt_rows(const rijn_gcm_rows *r) { return rows(r, DECRYPT); }
