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

static inline int one(const rijn_gcm_msg *m, bool encrypt) {
  return encrypt ? rijn_gcm_encrypt(m->key, m->out, m->in, m->len, m->aad, m->aad_len, m->nonce, m->nonce_len, m->tag)
                 : rijn_gcm_decrypt(m->key, m->out, m->in, m->len, m->aad, m->aad_len, m->nonce, m->nonce_len, m->tag);
}

static int batch(rijn_gcm_msg *m, size_t n, bool encrypt) {
  int err = check_call(m, n);
  if (err != RIJN_OK)
    return err;
  size_t failed = 0;
  while (n != 0) {
    const struct rijn_impl *impl = m->key == NULL ? NULL : rijn_impl_of(rijn_gcm_of(m->key)->impl);
    size_t (*kernel)(rijn_gcm_msg *, size_t, size_t *) = NULL;
    size_t taken = 0;
    if (impl != NULL)
      kernel = encrypt ? impl->gcm_encrypt_batch : impl->gcm_decrypt_batch;
    if (kernel != NULL && n > 1)
      taken = kernel(m, n, &failed);
    if (taken == 0) {
      m->result = one(m, encrypt);
      failed += m->result != RIJN_OK;
      taken = 1;
    }
    m += taken;
    n -= taken;
  }
  return (int)failed;
}

int rijn_gcm_encrypt_batch(rijn_gcm_msg *msgs, size_t n) { return batch(msgs, n, true); }

int rijn_gcm_decrypt_batch(rijn_gcm_msg *msgs, size_t n) { return batch(msgs, n, false); }
