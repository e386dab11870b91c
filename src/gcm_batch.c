/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-GCM, many messages in one call: what the kernel for batches takes, and the rest by the call for one. */
#include <rijn.h>
#include <stdbool.h>

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

/* Are there enough under one key that a kernel for batches may take some? Asked before it is called (T-240). */
static inline bool batch_follows(const rijn_gcm_msg *m, size_t n) {
  return n >= 4 && m[1].key == m->key && m[2].key == m->key && m[3].key == m->key;
}

/* The direction is a constant. The implementation's own call for one, and a key looked at where it is another
 * (T-241). */
static inline int batch(rijn_gcm_msg *m, size_t n, const enum direction dir) {
  const struct rijn_impl *impl = NULL;
  const rijn_gcm_key *key = NULL;
  size_t failed = 0, taken;
  int err = check_call(m, n);
  if (err != RIJN_OK)
    return err;
  for (; n != 0; m += taken, n -= taken) {
    if (m->key != key) {
      key = m->key;
      impl = key == NULL ? NULL : rijn_impl_of(rijn_gcm_of(key)->impl);
    }
    taken = 0;
    if (impl != NULL && impl->gcm_encrypt_batch != NULL && batch_follows(m, n))
      taken = dir == ENCRYPT ? impl->gcm_encrypt_batch(m, n, &failed) : impl->gcm_decrypt_batch(m, n, &failed);
    if (taken != 0)
      continue;
    taken = 1;
    if (impl == NULL)
      m->result = key == NULL ? RIJN_ENULL : RIJN_ESTATE;
    else if (dir == ENCRYPT)
      m->result = impl->gcm_encrypt(rijn_gcm_of(key), m->out, m->in, m->len, m->aad, m->aad_len, m->nonce, m->nonce_len,
                                    m->tag);
    else
      m->result = impl->gcm_decrypt(rijn_gcm_of(key), m->out, m->in, m->len, m->aad, m->aad_len, m->nonce, m->nonce_len,
                                    m->tag);
    failed += m->result != RIJN_OK;
  }
  return (int)failed;
}

int rijn_gcm_encrypt_batch(rijn_gcm_msg *msgs, size_t n) { return batch(msgs, n, ENCRYPT); }

int rijn_gcm_decrypt_batch(rijn_gcm_msg *msgs, size_t n) { return batch(msgs, n, DECRYPT); }
