/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * AES-GCM as libcrypto calls it: messages in pieces.
 *
 * What a call does is what the default provider's does, with these differences, all but the last on the refusing side:
 * no IV is made up when none was set, nor is one generated that has less than 8 bytes or under which a message was
 * encrypted already; a key set in the middle of a message ends that message, and so does associated data after text,
 * and that of a TLS record when it is refused; associated data or text after a final that failed is refused; a tag is
 * handed out only when the message it belongs to is the last one; partial overlap of output and input is refused; text
 * of no length (EVP_Cipher alone hands it over) does not close a block of associated data, after which the default
 * provider's tag is not GCM's.
 */
#include "gcm.h"

#include <string.h>

/* ---------------------------------------------------------------- a message */

/* Can a call for aad, text or the end be served? */
static bool is_ready(const struct gcm *c) { return c->key != NULL && c->phase != GCM_NONE && c->phase != GCM_DONE; }

static int not_ready(const struct gcm *c) {
  if (c->key == NULL)
    return RIJN_RAISE(c->prov, RIJN_R_NO_KEY);
  if (c->phase == GCM_NONE)
    return RIJN_RAISE(c->prov, RIJN_R_NO_IV);
  return RIJN_RAISE(c->prov, RIJN_R_IV_REUSE);
}

/* Text was encrypted, or a tag made. A generated IV has counted on by then, and is another than this message's. */
static void note_iv(struct gcm *c) {
  if (c->enc && c->iv_gen && memcmp(c->nonce, c->iv, c->iv_len) == 0)
    c->iv_spent = true;
}

static int finish(struct gcm *c) {
  if (!c->enc && c->tag_len == GCM_UNSET)
    return RIJN_RAISE(c->prov, RIJN_R_TAG_NOT_SET); /* and the message stays open: the tag can still be set */
  bool raised = false;
  int err = rijn_gcm_text_end(c, &raised);
  if (raised)
    return 0;
  rijn_gcm_text_drop(c);
  c->likely = c->second ? c->total : 0;
  c->phase = GCM_DONE;
  c->tag_spent = true;
  /* WHY no reason in the queue: the default provider puts none there, and programs take an end that fails without one
   * for a forgery, and with one for a fault of their own. */
  if (err == RIJN_EAUTH)
    return 0;
  if (err != RIJN_OK)
    return RIJN_RAISE_ERR(c->prov, err);
  if (c->enc) {
    c->tag_len = GCM_TAG;
    c->tag_made = true;
    note_iv(c);
  }
  return 1;
}

/* One call: associated data (no output), text, or the end (no input). */
static inline __attribute__((always_inline)) int gcm_call(struct gcm *c, uint8_t *out, size_t *out_len, size_t out_size,
                                                          const uint8_t *in, size_t len) {
  *out_len = 0;
  if (!is_ready(c))
    return not_ready(c);
  if (in == NULL)
    return len == 0 ? finish(c) : RIJN_RAISEF(c->prov, RIJN_R_DATA, "no input, but a length");
  /* Nothing changes, as in an update of no length. As with the default provider, no data can come too late too. */
  if (len == 0)
    return out == NULL && c->text_begun ? RIJN_RAISE(c->prov, RIJN_R_ORDER) : 1;
  if (out == NULL) {
    if (!rijn_gcm_text_put_aad(c, in, len))
      return 0;
  } else {
    if (out_size < len)
      return RIJN_RAISE(c->prov, RIJN_R_OUTPUT_TOO_SMALL);
    if (!rijn_gcm_text_put(c, out, in, len))
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
  /* Most of short pieces go here (T-302). What the first piece of a message sees to is not asked again. */
  if (c->phase == GCM_SHORT && out != NULL && in != NULL && len <= out_size && c->tls_aad_len == GCM_UNSET &&
      rijn_gcm_text_ahead(c, out, in, len)) {
    *out_len = len;
    rijn_prov_count(RIJN_ALG_GCM, c->enc, len);
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
