/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Rijn's implementations, through the public header like any user: the checks of arguments are in the figures. */
#include "bench.h"

#include <rijn.h>
#include <stdlib.h>
#include <string.h>

static int gcm_enc(const struct b_job *j, size_t n) {
  int bad = 0;
  B_EACH_MESSAGE(j, n, bad |= rijn_gcm_encrypt(key, w.out, w.in, len, w.aad, w.aad_len, nonce, 12, tag));
  return bad;
}

static int gcm_dec(const struct b_job *j, size_t n) {
  int bad = 0;
  B_EACH_MESSAGE(j, n, bad |= rijn_gcm_decrypt(key, w.out, w.in, len, w.aad, w.aad_len, nonce, 12, tag));
  return bad;
}

static int gmac(const struct b_job *j, size_t n) {
  int bad = 0;
  B_EACH_MESSAGE(j, n, bad |= rijn_gmac(key, w.in, len, nonce, 12, tag));
  return bad;
}

static int gcm_keys(const struct b_job *j, size_t n) {
  int bad = 0;
  int impl = rijn_gcm_key_impl(j->keys[0]);
  B_EACH_MESSAGE(j, n, bad |= rijn_gcm_init_impl(key, w.raw, w.raw_len, 16, impl));
  return bad;
}

static int batch(const struct b_job *j, size_t n, int (*call)(rijn_gcm_msg *, size_t)) {
  static _Thread_local rijn_gcm_msg m[128];
  size_t count = j->c->count;
  int bad = 0;
  if (count > sizeof m / sizeof *m)
    return -1;
  for (size_t i = 0; i < count; i++)
    m[i] = (rijn_gcm_msg){sizeof m[i],    j->keys[i & j->kmask], j->msgs[i].out,   j->msgs[i].in, j->c->size, j->aad,
                          j->aad_len,     j->msgs[i].nonce,      12,               j->msgs[i].tag, 0};
  for (size_t i = 0; i < n; i++) {
    bad |= call(m, count);
    if (j->serial)
      b_serialize();
  }
  return bad;
}

static int batch_enc(const struct b_job *j, size_t n) {
  return batch(j, n, rijn_gcm_encrypt_batch);
}

static int batch_dec(const struct b_job *j, size_t n) {
  return batch(j, n, rijn_gcm_decrypt_batch);
}

static b_run runner(const struct b_subject *s, const struct b_case *c) {
  (void)s;
  switch (c->op) {
  case B_GCM:
    return c->dir == B_ENC ? gcm_enc : gcm_dec;
  case B_GMAC:
    return gmac;
  case B_KEYS:
    return gcm_keys;
  case B_BATCH:
    return c->dir == B_ENC ? batch_enc : batch_dec;
  default:
    return NULL;
  }
}

static void *key_new(const struct b_subject *s, const struct b_case *c, const uint8_t *raw, size_t raw_len) {
  void *key = aligned_alloc(64, (sizeof(rijn_gcm_key) + 63) / 64 * 64);
  (void)c;
  if (key && rijn_gcm_init_impl(key, raw, raw_len, 16, s->index)) {
    free(key);
    key = NULL;
  }
  return key;
}

static void key_free(const struct b_subject *s, const struct b_case *c, void *key) {
  (void)s, (void)c;
  free(key);
}

void b_subjects_rijn(struct b_subjects *all) {
  for (int i = 0; i < rijn_impl_count(); i++) {
    struct b_subject s = {.is_rijn = true, .index = i, .runner = runner, .key_new = key_new, .key_free = key_free};
    if (!rijn_impl_supported(i))
      continue;
    snprintf(s.name, sizeof s.name, "%s", rijn_impl_name(i));
    b_subject_add(all, &s);
  }
}
