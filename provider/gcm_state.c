/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What a context of AES-GCM is made of: its key, the text it holds, where its message stands. */
#include "gcm.h"

/* ---------------------------------------------------------------- keys */

void rijn_gcm_key_drop(const struct rijn_prov *prov, struct gcm_key *k) {
  if (k != NULL && atomic_fetch_sub_explicit(&k->refs, 1, memory_order_acq_rel) == 1)
    rijn_prov_free(prov, k->block, k, sizeof *k);
}

/* The context has another key from now on. */
static void change_key(struct gcm *c, struct gcm_key *k) {
  if (c->key != c->own)
    rijn_gcm_key_drop(c->prov, c->key);
  c->key = k;
}

static bool key_is_ours_alone(const struct gcm_key *k) {
  return atomic_load_explicit(&k->refs, memory_order_acquire) == 1;
}

/* The context's key becomes raw with tags of tag_len bytes; in the same place when no other context uses that. */
bool rijn_gcm_ctx_set_key(struct gcm *c, const uint8_t *raw, size_t raw_len, size_t tag_len) {
  struct gcm_key *k = c->key;
  if ((k == NULL || !key_is_ours_alone(k)) && c->own != NULL && key_is_ours_alone(c->own)) {
    k = c->own;
  } else if (k == NULL || !key_is_ours_alone(k)) {
    void *block;
    k = rijn_prov_alloc(c->prov, sizeof *k, 0, &block);
    if (k == NULL)
      return false;
    k->block = block;
    atomic_init(&k->refs, 1);
  }
  int err = rijn_gcm_init_taglen(&k->k, raw, raw_len, tag_len);
  if (err != RIJN_OK) { /* not possible but by a broken machine: the key that was there is gone */
    RIJN_RAISE_ERR(c->prov, err);
    if (k == c->key)
      change_key(c, NULL);
    else if (k != c->own)
      rijn_gcm_key_drop(c->prov, k);
    return false;
  }
  memmove(k->raw, raw, raw_len); /* raw may be k->raw */
  k->raw_len = raw_len;
  k->tag_len = tag_len;
  if (k != c->key)
    change_key(c, k);
  return true;
}

bool rijn_gcm_ctx_change_tag(struct gcm *c, size_t tag_len) {
  /* WHY: the open stream points to the key, which must stay where it is; and another context must not see it change. */
  if (c->phase == GCM_LIVE && !key_is_ours_alone(c->key)) {
    RIJN_RAISE(c->prov, RIJN_R_SHARED_TAG);
    return false;
  }
  return rijn_gcm_ctx_set_key(c, c->key->raw, c->key->raw_len, tag_len);
}

/* ---------------------------------------------------------------- a message */

void rijn_gcm_text_release(struct gcm *c) {
  if (c->held == NULL)
    return;
  if (c->phase != GCM_LONE) /* then it is ciphertext, as it came or went */
    rijn_prov_wipe(c->held, c->held_size);
  c->prov->free(c->held, __FILE__, __LINE__);
  c->held = NULL;
  c->held_size = 0;
}

void rijn_gcm_text_drop(struct gcm *c) {
  rijn_gcm_text_release(c);
  if (c->phase == GCM_LIVE)
    rijn_gcm_stream_wipe(&c->u.stream);
  else if (c->phase == GCM_SHORT)
    rijn_prov_wipe(c->u.near, c->end < GCM_NEAR ? c->end : GCM_NEAR);
  c->at = 0;
  c->end = 0;
}

/* A message with text is over. */
static void leave(struct gcm *c) {
  if (c->phase == GCM_LIVE || c->phase == GCM_LONE || c->phase == GCM_SHORT) {
    rijn_gcm_text_drop(c);
    c->tag_spent = true;
  }
}

void rijn_gcm_ctx_begin(struct gcm *c) {
  leave(c);
  rijn_gcm_ctx_copy_iv(c->nonce, c->iv, c->iv_len);
  c->held_aad = 0;
  c->tag_made = false;
  c->text_begun = false;
  c->second = false;
  c->total = 0;
  c->phase = GCM_READY;
}

void rijn_gcm_ctx_spoil(struct gcm *c) {
  leave(c);
  if (c->phase != GCM_NONE)
    c->phase = GCM_DONE;
}
