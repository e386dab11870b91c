/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-GCM, many messages in one call. */
#include <rijn.h>

#include "gcm.h"

/* May the call be begun at all? Nothing of a message but its size field is looked at. */
static int check_call(const rijn_gcm_msg *msgs, size_t n) {
  if (n > RIJN_BATCH_MAX)
    return RIJN_ELEN;
  if (msgs == NULL && n != 0)
    return RIJN_ENULL;
  for (size_t i = 0; i < n; i++)
    if (msgs[i].size != sizeof(rijn_gcm_msg))
      return RIJN_ESTRUCT;
  return RIJN_OK;
}

int rijn_gcm_encrypt_batch(rijn_gcm_msg *msgs, size_t n) {
  int err = check_call(msgs, n);
  if (err != RIJN_OK)
    return err;
  int failed = 0;
  for (size_t i = 0; i < n; i++) {
    rijn_gcm_msg *m = &msgs[i];
    m->result = rijn_gcm_encrypt(m->key, m->out, m->in, m->len, m->aad, m->aad_len, m->nonce, m->nonce_len, m->tag);
    failed += m->result != RIJN_OK;
  }
  return failed;
}

int rijn_gcm_decrypt_batch(rijn_gcm_msg *msgs, size_t n) {
  int err = check_call(msgs, n);
  if (err != RIJN_OK)
    return err;
  int failed = 0;
  for (size_t i = 0; i < n; i++) {
    rijn_gcm_msg *m = &msgs[i];
    m->result = rijn_gcm_decrypt(m->key, m->out, m->in, m->len, m->aad, m->aad_len, m->nonce, m->nonce_len, m->tag);
    failed += m->result != RIJN_OK;
  }
  return failed;
}
