/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Test builds only: peers that are wrong on purpose, to see that the check before the timing finds them. */
#include "subject.h"

#include <rijn.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT, TAG, REJECTS, LONG };
static const char *const planted[] = {"planted:text", "planted:tag", "planted:rejects", "planted:long"};

static int text(const struct b_job *j, size_t n) {
  int bad = 0;
  B_EACH_MESSAGE(j, n, {
    bad |= rijn_gcm_encrypt(key, w.out, w.in, len, w.aad, w.aad_len, nonce, 12, tag);
    if (len)
      w.out[len - 1] ^= 0x80;
  });
  return bad;
}

static int tag_bit(const struct b_job *j, size_t n) {
  int bad = 0;
  B_EACH_MESSAGE(j, n, {
    bad |= rijn_gcm_encrypt(key, w.out, w.in, len, w.aad, w.aad_len, nonce, 12, tag);
    tag[15] ^= 1;
  });
  return bad;
}

static int rejects(const struct b_job *j, size_t n) {
  uint8_t other[16] = {0};
  int bad = 0;
  B_EACH_MESSAGE(j, n, bad |= rijn_gcm_decrypt(key, w.out, w.in, len, w.aad, w.aad_len, nonce, 12, other));
  return bad;
}

/* Rejects the longest message of the mix. */
static int rejects_long(const struct b_job *j, size_t n) {
  int bad = 0;
  B_EACH_MESSAGE(j, n, {
    bad |= rijn_gcm_decrypt(key, w.out, w.in, len, w.aad, w.aad_len, nonce, 12, tag);
    bad |= len == 1500;
  });
  return bad;
}

static b_run runner(const struct b_subject *s, const struct b_case *c) {
  if (c->op != B_GCM)
    return NULL;
  bool rejecting = s->index == REJECTS || s->index == LONG;
  if (rejecting != (c->dir == B_DEC))
    return NULL;
  if (rejecting)
    return s->index == LONG ? rejects_long : rejects;
  return s->index == TEXT ? text : tag_bit;
}

static void *key_new(const struct b_subject *s, const struct b_case *c, const uint8_t *raw, size_t raw_len) {
  rijn_gcm_key *key = aligned_alloc(16, sizeof *key);
  (void)s, (void)c;
  if (key && rijn_gcm_init(key, raw, raw_len)) {
    free(key);
    key = NULL;
  }
  return key;
}

static void key_free(const struct b_subject *s, const struct b_case *c, void *key) {
  (void)s, (void)c;
  free(key);
}

void b_subjects_planted(struct b_subjects *all) {
  for (int i = TEXT; i <= LONG; i++) {
    struct b_subject s = {.index = i, .runner = runner, .key_new = key_new, .key_free = key_free};
    snprintf(s.name, sizeof s.name, "%s", planted[i]);
    b_subject_add(all, &s);
  }
}
