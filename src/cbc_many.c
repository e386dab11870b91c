/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-CBC, many texts in one call. A text is encrypted block by block, each of which waits for the one before. So those
 * under one key go side by side, RIJN_CBC_STREAMS at a time; where one ends, the next takes its place. */
#include <rijn.h>

#include "aes.h"

static int cbc_many_check(const rijn_cbc_msg *m) {
  int err = rijn_aes_check_blocks(m->key, m->out, m->in, m->nblk);
  return err == RIJN_OK && m->iv == NULL ? RIJN_ENULL : err;
}

/* The texts of one key from m on, at most n. Returns how many they are. */
static size_t one_key(rijn_cbc_msg *m, size_t n, size_t *failed) {
  const rijn_aes_key *key = m->key;
  const struct rijn_aes *k = key == NULL ? NULL : rijn_aes_of(key);
  struct rijn_cbc_stream runs[RIJN_CBC_STREAMS];
  size_t left[RIJN_CBC_STREAMS], live = 0, taken = 0;
  for (;;) {
    for (; live < RIJN_CBC_STREAMS && taken < n && m[taken].key == key; taken++) {
      rijn_cbc_msg *next = &m[taken];
      next->result = cbc_many_check(next);
      *failed += next->result != RIJN_OK;
      if (next->result != RIJN_OK || next->nblk == 0)
        continue;
      left[live] = next->nblk;
      runs[live++] = (struct rijn_cbc_stream){next->out, next->in, next->iv};
    }
    if (live == 0)
      return taken;
    size_t nblk = left[0], still = 0;
    for (size_t i = 1; i < live; i++)
      nblk = left[i] < nblk ? left[i] : nblk;
    if (live == 1)
      rijn_impl_of(k->impl)->cbc_enc(&k->rk, k->rounds, runs[0].out, runs[0].in, nblk, runs[0].iv);
    else
      rijn_impl_of(k->impl)->cbc_enc_many(&k->rk, k->rounds, runs, live, nblk);
    for (size_t i = 0; i < live; i++) {
      if (left[i] == nblk)
        continue;
      left[still] = left[i] - nblk;
      runs[still++] = (struct rijn_cbc_stream){runs[i].out + 16 * nblk, runs[i].in + 16 * nblk, runs[i].iv};
    }
    live = still;
  }
}

int rijn_cbc_encrypt_many(rijn_cbc_msg *msgs, size_t n) {
  size_t failed = 0;
  if (n > RIJN_BATCH_MAX)
    return RIJN_ELEN;
  if (msgs == NULL && n != 0)
    return RIJN_ENULL;
  for (size_t i = 0; i < n; i++)
    if (msgs[i].size != sizeof(rijn_cbc_msg))
      return RIJN_ESTRUCT;
  for (size_t done = 0; done < n;)
    done += one_key(msgs + done, n - done, &failed);
  return (int)failed;
}
