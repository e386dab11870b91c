/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Batches and runs of sectors, for those who have no call for them: one message after the other. */
#include "subject.h"

int b_batch_by_ones(const struct b_job *j, size_t n, b_run run) {
  struct b_job one = *j;
  uint32_t len;
  int bad = 0;
  one.lens = &len;
  one.lmask = one.nmask = one.kmask = 0;
  one.serial = false;
  for (size_t r = 0; r < n; r++) {
    for (size_t i = 0; i < j->c->count; i++) {
      const struct b_msg *m = &j->msgs[i];
      len = (uint32_t)b_batch_len(j, i);
      one.keys = j->keys + b_job_key(j, r, i);
      one.in = m->in;
      one.out = m->out;
      one.nonces = m->nonce;
      one.tags = m->tag;
      bad |= run(&one, 1);
    }
    if (j->serial)
      b_serialize();
  }
  return bad;
}

int b_run_by_ones(const struct b_job *j, size_t n, b_run run) {
  struct b_job one = *j;
  uint8_t tweak[16] = {0};
  int bad = 0;
  one.nonces = tweak;
  one.nmask = one.kmask = 0;
  one.serial = false;
  for (size_t r = 0; r < n; r++) {
    one.keys = j->keys + b_job_key(j, r, 0);
    for (size_t i = 0; i < j->c->count; i++) {
      uint64_t number = B_FIRST_SECTOR + i;
      for (int k = 0; k < 8; k++)
        tweak[k] = (uint8_t)(number >> 8 * k);
      one.in = j->in + i * j->c->size;
      one.out = j->out + i * j->c->size;
      bad |= run(&one, 1);
    }
    if (j->serial)
      b_serialize();
  }
  return bad;
}
