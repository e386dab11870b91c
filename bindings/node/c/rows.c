/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Many messages of one length in one call, each with its tag behind it. */
#include "addon.h"

enum { KEY, NONCES, DATA, AAD, OUT, FORGED, AAD_EACH, SEALING, ARGS };

/* What of the buffers does not fit the number of rows: 0, or a refusal. */
static int lay_out(rijn_gcm_rows *rows, const struct message *m, size_t tag_len, bool sealing, bool aad_each) {
  size_t n = m->nonce.len / RIJN_GCM_NONCE_LEN, in = n == 0 ? 0 : m->data.len / n;
  if (m->nonce.len % RIJN_GCM_NONCE_LEN != 0) {
    return RIJN_ENONCELEN;
  }
  if (m->data.len != n * in || (!sealing && n > 0 && in < tag_len)) {
    return refuse(WRONG_LENGTH, DATA);
  }
  size_t len = sealing || n == 0 ? in : in - tag_len, out = sealing ? len + tag_len : len;
  if (m->out.len != n * out) {
    return refuse(WRONG_LENGTH, OUT);
  }
  size_t aad = m->aad.len;
  if (aad_each && n > 0) {
    aad /= n;
  }
  if (aad_each && m->aad.len != n * aad) {
    return refuse(WRONG_LENGTH, AAD);
  }
  if (meet(&m->out, &m->nonce) || meet(&m->out, &m->aad)) {
    return refuse(OVERLAPS, OUT);
  }
  rows->rows = n;
  rows->len = len;
  rows->aad_len = aad;
  rows->out = m->out.p;
  rows->in = m->data.p;
  rows->aad = m->aad.p;
  rows->nonces = m->nonce.p;
  rows->tags = (sealing ? m->out.p : m->data.p) + len;
  rows->out_step = out;
  rows->in_step = in;
  rows->aad_step = aad_each ? aad : 0;
  rows->nonce_step = RIJN_GCM_NONCE_LEN;
  rows->tag_step = len + tag_len;
  return 0;
}

/* gcm_rows(key, nonces, data, aad, out, forged, aadEach, sealing). forged: a byte a row, or undefined. */
napi_value gcm_rows(napi_env env, napi_callback_info info) {
  napi_value args[ARGS];
  struct key *k;
  struct message m;
  struct view forged;
  rijn_gcm_rows rows = RIJN_GCM_ROWS_INIT;
  arguments(env, info, ARGS, args);
  bool sealing = truth(env, args[SEALING]);
  int err = key_take(env, args[KEY], &kinds[GCM], &k);
  err = err != 0 ? err : message_take(env, args + NONCES, NONCES, &m);
  err = err != 0 ? err : view_take_optional(env, args[FORGED], FORGED, &forged);
  err = err != 0 ? err : lay_out(&rows, &m, k->tag_len, sealing, truth(env, args[AAD_EACH]));
  if (err != 0 || rows.rows == 0) {
    return answer(env, err);
  }
  if (!sealing && forged.len != rows.rows) {
    return answer(env, refuse(WRONG_LENGTH, FORGED));
  }
  if (!sealing &&
      (meet(&forged, &m.out) || meet(&forged, &m.data) || meet(&forged, &m.nonce) || meet(&forged, &m.aad))) {
    return answer(env, refuse(OVERLAPS, FORGED));
  }
  rows.key = k->object;
  rows.forged = sealing ? NULL : forged.p;
  err = sealing ? rijn_gcm_encrypt_rows(&rows) : rijn_gcm_decrypt_rows(&rows);
  return answer(env, err > 0 ? RIJN_EAUTH : err);
}
