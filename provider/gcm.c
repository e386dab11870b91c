/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * AES-GCM as libcrypto calls it: keys, and messages in pieces.
 *
 * What a call does is what the default provider's does, with these differences, all but the last on the refusing side:
 * no IV is made up when none was set, nor is one generated that has less than 8 bytes or under which a message was
 * encrypted already; a key set in the middle of a message ends that message, and so does associated data after text,
 * and that of a TLS record when it is refused; associated data or text after a final that failed is refused; a tag is
 * handed out only when the message it belongs to is the last one; partial overlap of output and input is refused; tags
 * have 4, 8 or 12 to 16 bytes; text of no length (EVP_Cipher alone hands it over) does not close a block of associated
 * data, after which the default provider's tag is not GCM's.
 *
 * PERF: libcrypto hands a message over in pieces: IV, associated data, text, end. Most messages have one piece of text.
 * So the nonce and short associated data are held back, and a first piece of up to GCM_MAX_LONE bytes goes through the
 * one-shot call: on encryption as it is, on decryption when the tag is known already (TLS 1.3, OpenSSH). A copy of its
 * ciphertext is kept. If the message goes on after all, or the tag does not fit the first piece, the stream is opened
 * and the copy run through it, and what the caller gets is the same as if the stream had been there from the start;
 * until the next key the context then takes its messages for ones that come in pieces.
 */
#include "gcm.h"

#include <string.h>

/* ---------------------------------------------------------------- keys */

void rijn_gcm_key_drop(const struct rijn_prov *prov, struct gcm_key *k) {
  if (k != NULL && atomic_fetch_sub_explicit(&k->refs, 1, memory_order_acq_rel) == 1)
    rijn_prov_free(prov, k->block, sizeof *k);
}

static bool key_is_ours_alone(const struct gcm_key *k) {
  return atomic_load_explicit(&k->refs, memory_order_acquire) == 1;
}

/* The context's key becomes raw with tags of tag_len bytes; in the same place when no other context uses that. */
bool rijn_gcm_ctx_set_key(struct gcm *c, const uint8_t *raw, size_t raw_len, size_t tag_len) {
  struct gcm_key *k = c->key;
  if (k == NULL || !key_is_ours_alone(k)) {
    void *block;
    k = rijn_prov_alloc(c->prov, sizeof *k, &block);
    if (k == NULL)
      return false;
    k->block = block;
    atomic_init(&k->refs, 1);
  }
  int err = rijn_gcm_init_taglen(&k->k, raw, raw_len, tag_len);
  if (err != RIJN_OK) { /* not possible but by a broken machine: the key that was there is gone */
    RIJN_RAISE_ERR(c->prov, err);
    rijn_gcm_key_drop(c->prov, k);
    if (k == c->key)
      c->key = NULL;
    return false;
  }
  memmove(k->raw, raw, raw_len); /* raw may be k->raw */
  k->raw_len = raw_len;
  if (k != c->key) {
    rijn_gcm_key_drop(c->prov, c->key);
    c->key = k;
  }
  return true;
}

bool rijn_gcm_ctx_tag_len(struct gcm *c, size_t tag_len) {
  if (rijn_gcm_tag_len(&c->key->k) == tag_len)
    return true;
  /* WHY: the open stream points to the key, which must stay where it is; and another context must not see it change. */
  if (c->phase == GCM_LIVE && !key_is_ours_alone(c->key)) {
    RIJN_RAISE(c->prov, RIJN_R_SHARED_TAG);
    return false;
  }
  return rijn_gcm_ctx_set_key(c, c->key->raw, c->key->raw_len, tag_len);
}

/* ---------------------------------------------------------------- a message */

/* A message with text is over. */
static void leave(struct gcm *c) {
  if (c->phase == GCM_LIVE)
    rijn_gcm_stream_wipe(&c->stream);
  if (c->phase == GCM_LIVE || c->phase == GCM_LONE)
    c->tag_spent = true;
}

void rijn_gcm_ctx_begin(struct gcm *c) {
  leave(c);
  memcpy(c->nonce, c->iv, c->iv_len);
  c->held_aad = 0;
  c->tag_made = false;
  c->text_begun = false;
  c->phase = GCM_READY;
}

void rijn_gcm_ctx_spoil(struct gcm *c) {
  leave(c);
  if (c->phase != GCM_NONE)
    c->phase = GCM_DONE;
}

static int fail(struct gcm *c, int err) { return RIJN_RAISE_ERR(c->prov, err); }

/* The length of this message's tag, or what it most likely is. WHY not that of the key, or of a tag that an earlier
 * message had: it may have been a short one, and an open stream's cannot be changed once the context is copied.
 */
static size_t likely_tag_len(const struct gcm *c) {
  return c->enc || c->tag_len == GCM_UNSET || c->tag_spent ? GCM_TAG : c->tag_len;
}

/* The key gets the tag length of this message, which is over when that fails (another key takes memory). WHY over: data
 * was taken already, or is refused now, and who misses the error must not get a tag, or a verdict, that leaves it
 * out. */
static bool fit_key(struct gcm *c) {
  if (rijn_gcm_ctx_tag_len(c, likely_tag_len(c)))
    return true;
  rijn_gcm_ctx_spoil(c);
  return false;
}

/* READY to LIVE; or the message is over. */
static int open_stream(struct gcm *c) {
  if (!fit_key(c))
    return 0;
  const rijn_gcm_key *k = &c->key->k;
  int err = c->enc ? rijn_gcm_encrypt_start(&c->stream, k, c->nonce, c->iv_len)
                   : rijn_gcm_decrypt_start(&c->stream, k, c->nonce, c->iv_len);
  if (err == RIJN_OK)
    err = rijn_gcm_aad(&c->stream, c->aad, c->held_aad);
  if (err != RIJN_OK) {
    rijn_gcm_stream_wipe(&c->stream);
    rijn_gcm_ctx_spoil(c);
    return fail(c, err);
  }
  c->phase = GCM_LIVE;
  return 1;
}

/* LONE to LIVE: the message goes on, or is over. */
int rijn_gcm_ctx_go_on(struct gcm *c) {
  uint8_t text[GCM_MAX_LONE];
  const rijn_gcm_key *k = &c->key->k;
  int err = RIJN_OK;
  c->phase = GCM_READY;
  c->in_pieces = true;
  /* WHY decrypt: the text is not kept, for it is secret. From the ciphertext and the tag it comes back. */
  if (c->enc)
    err = rijn_gcm_decrypt(k, text, c->lone, c->lone_len, c->aad, c->held_aad, c->nonce, c->iv_len, c->tag);
  if (err != RIJN_OK) {
    rijn_gcm_ctx_spoil(c);
    return fail(c, err);
  }
  int ok = open_stream(c);
  if (ok) {
    err = rijn_gcm_update(&c->stream, text, c->enc ? text : c->lone, c->lone_len);
    if (err != RIJN_OK) {
      rijn_gcm_ctx_spoil(c);
      ok = fail(c, err);
    }
  }
  memset(text, 0, sizeof text);
  __asm__ volatile("" : : "r"(text) : "memory"); /* WHY: the compiler must not leave the wiping out */
  return ok;
}

/* The state in which a call for aad, text or the end can be served. */
static int check_ready(struct gcm *c) {
  if (c->key == NULL)
    return RIJN_RAISE(c->prov, RIJN_R_NO_KEY);
  if (c->phase == GCM_NONE)
    return RIJN_RAISE(c->prov, RIJN_R_NO_IV);
  if (c->phase == GCM_DONE)
    return RIJN_RAISE(c->prov, RIJN_R_IV_REUSE);
  return 1;
}

static int put_aad(struct gcm *c, const uint8_t *aad, size_t len) {
  /* WHY the message ends: who misses the error must not get a tag that leaves this data out. */
  if (c->text_begun) {
    rijn_gcm_ctx_spoil(c);
    return RIJN_RAISE(c->prov, RIJN_R_ORDER);
  }
  if (c->phase == GCM_READY) {
    if (len <= GCM_MAX_HELD_AAD - c->held_aad) {
      memcpy(c->aad + c->held_aad, aad, len);
      c->held_aad += len;
      return 1;
    }
    if (!open_stream(c))
      return 0;
  }
  int err = rijn_gcm_aad(&c->stream, aad, len);
  return err == RIJN_OK ? 1 : fail(c, err);
}

/* READY, and this may be all of the text: 1, or 0 for refused; *went says whether it took this way at all. */
static int put_lone(struct gcm *c, uint8_t *out, const uint8_t *in, size_t len, bool *went) {
  *went = false;
  if (len > GCM_MAX_LONE || c->in_pieces || (!c->enc && (c->tag_len == GCM_UNSET || c->tag_spent)))
    return 1;
  if (!fit_key(c))
    return 0;
  const rijn_gcm_key *k = &c->key->k;
  int err;
  if (c->enc) {
    err = rijn_gcm_encrypt(k, out, in, len, c->aad, c->held_aad, c->nonce, c->iv_len, c->tag);
  } else {
    memcpy(c->lone, in, len);
    err = rijn_gcm_decrypt(k, out, in, len, c->aad, c->held_aad, c->nonce, c->iv_len, c->tag);
  }
  *went = true;
  c->lone_len = len;
  if (err == RIJN_OK) {
    if (c->enc)
      memcpy(c->lone, out, len);
    c->phase = GCM_LONE;
    return 1;
  }
  if (err != RIJN_EAUTH)
    return fail(c, err);
  /* A forgery, or the first of several pieces. */
  c->in_pieces = true;
  if (!open_stream(c))
    return 0;
  err = rijn_gcm_update(&c->stream, out, c->lone, len);
  return err == RIJN_OK ? 1 : fail(c, err);
}

static int put_text(struct gcm *c, uint8_t *out, const uint8_t *in, size_t len) {
  if (c->phase == GCM_READY) {
    bool went;
    int ok = put_lone(c, out, in, len, &went);
    if (!ok || went)
      return ok;
    if (!open_stream(c))
      return 0;
  } else if (c->phase == GCM_LONE && !rijn_gcm_ctx_go_on(c)) {
    return 0;
  }
  int err = rijn_gcm_update(&c->stream, out, in, len);
  return err == RIJN_OK ? 1 : fail(c, err);
}

/* Text was encrypted, or a tag made. A generated IV has counted on by then, and is another than this message's. */
static void note_iv(struct gcm *c) {
  if (c->enc && c->iv_gen && memcmp(c->nonce, c->iv, c->iv_len) == 0)
    c->iv_spent = true;
}

static int finish(struct gcm *c) {
  if (!c->enc && c->tag_len == GCM_UNSET)
    return RIJN_RAISE(c->prov, RIJN_R_TAG_NOT_SET); /* and the message stays open: the tag can still be set */
  int err = RIJN_OK;
  if (c->phase == GCM_READY && !open_stream(c))
    return 0;
  if (c->phase == GCM_LIVE) {
    if (!rijn_gcm_ctx_tag_len(c, c->enc ? GCM_TAG : c->tag_len))
      return 0;
    err = c->enc ? rijn_gcm_encrypt_finish(&c->stream, c->tag) : rijn_gcm_decrypt_finish(&c->stream, c->tag);
  }
  c->phase = GCM_DONE;
  c->tag_spent = true;
  /* WHY no reason in the queue: the default provider puts none there, and programs take an end that fails without one
   * for a forgery, and with one for a fault of their own. */
  if (err == RIJN_EAUTH)
    return 0;
  if (err != RIJN_OK)
    return fail(c, err);
  if (c->enc) {
    c->tag_len = GCM_TAG;
    c->tag_made = true;
    note_iv(c);
  }
  return 1;
}

/* One call: associated data (no output), text, or the end (no input). */
static int gcm_call(struct gcm *c, uint8_t *out, size_t *out_len, size_t out_size, const uint8_t *in, size_t len) {
  *out_len = 0;
  if (!check_ready(c))
    return 0;
  if (in == NULL)
    return len == 0 ? finish(c) : RIJN_RAISEF(c->prov, RIJN_R_DATA, "no input, but a length");
  /* Nothing changes, as in an update of no length. As with the default provider, no data can come too late too. */
  if (len == 0)
    return out == NULL && c->text_begun ? RIJN_RAISE(c->prov, RIJN_R_ORDER) : 1;
  if (out == NULL) {
    if (!put_aad(c, in, len))
      return 0;
  } else {
    if (out_size < len)
      return RIJN_RAISE(c->prov, RIJN_R_OUTPUT_TOO_SMALL);
    if (!put_text(c, out, in, len))
      return 0;
    c->text_begun = true;
    note_iv(c);
    rijn_prov_count(RIJN_ALG_GCM, c->enc, len);
  }
  *out_len = len;
  return 1;
}

int rijn_prov_gcm_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                         size_t len) {
  struct gcm *c = vctx;
  if (len == 0) {
    *out_len = 0;
    return 1;
  }
  if (c->tls_aad_len != GCM_UNSET) {
    if (out_size < len)
      return RIJN_RAISE(c->prov, RIJN_R_OUTPUT_TOO_SMALL);
    return rijn_gcm_tls_record(c, out, out_len, in, len);
  }
  return gcm_call(c, out, out_len, out_size, in, len);
}

int rijn_prov_gcm_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size) {
  struct gcm *c = vctx;
  (void)out;
  (void)out_size;
  if (c->tls_aad_len != GCM_UNSET)
    return rijn_gcm_tls_record(c, NULL, out_len, NULL, 0); /* refused: a record has no end of its own */
  return gcm_call(c, NULL, out_len, 0, NULL, 0);
}

/* EVP_Cipher: associated data, text or the end, and it answers the length of the input. */
int rijn_prov_gcm_cipher(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                         size_t len) {
  struct gcm *c = vctx;
  if (c->tls_aad_len == GCM_UNSET)
    return gcm_call(c, out, out_len, out_size, in, len);
  if (out_size < len)
    return RIJN_RAISE(c->prov, RIJN_R_OUTPUT_TOO_SMALL);
  int ok = rijn_gcm_tls_record(c, out, out_len, in, len);
  if (ok)
    *out_len = len;
  return ok;
}
