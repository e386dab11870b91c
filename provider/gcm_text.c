/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * The text of a GCM message, which libcrypto hands over in pieces: IV, associated data, text, end.
 *
 * A stream costs more than a call for a whole message, and most messages have one piece of text. So the nonce and short
 * associated data are held back, and a first piece of up to GCM_MAX_LONE bytes goes through the one-shot call: on
 * encryption as it is; on decryption when the tag is known already (TLS 1.3, OpenSSH). When it is not, and the piece is
 * short, its text is what encryption makes of it, because the keystream is the same, and the end decrypts what was held
 * once more, to check it. A copy of the ciphertext is kept. If the message goes on after all, or the tag does not fit
 * the first piece, the stream is opened and the copy run through it, and what the caller gets is the same as if the
 * stream had been there from the start. What the last message was like decides which way the next one takes first.
 *
 * Short pieces get keystream that was made ahead, by a call for as many zeros; the text is held, and the end makes or
 * checks the tag by one call. When it becomes too long there is a stream, a copy of which makes keystream for small
 * pieces, and which sees many of them at once.
 *
 * Tags of lengths that Rijn does not have (1 to 3, 5 to 7, 9 to 11 bytes) are what encryption hands out as any other
 * length, so decryption takes them: it makes the whole tag and compares. A tag is made by encryption alone. So a copy
 * of the stream deciphers, and the stream enciphers the text again ("forward"). Such a tag must be set before the text
 * when that is long.
 */
#include <string.h>

#include "gcm.h"
#include "masks.h"

static int fail(struct gcm *c, int err) { return RIJN_RAISE_ERR(c->prov, err); }

static bool odd_tag(const struct gcm *c) {
  return !c->enc && c->tag_len != GCM_UNSET && !c->tag_spent && !rijn_gcm_tag_is_own(c->tag_len);
}

/* CT: the right tag of a forgery is a secret; the verdict is not. */
static int compare_tag(const struct gcm *c, const uint8_t right[GCM_TAG]) {
  uint32_t differ = 0;
  for (size_t i = 0; i < c->tag_len; i++)
    differ |= barrier((uint32_t)(right[i] ^ c->tag[i]));
  return equal(differ, 0) != 0 ? RIJN_OK : RIJN_EAUTH;
}

/* ---------------------------------------------------------------- what is held */

/* Memory for n bytes, in held. false: there is none, and no error. */
static bool hold(struct gcm *c, size_t n) {
  c->held = c->prov->malloc(n, __FILE__, __LINE__);
  if (c->held == NULL)
    return false;
  c->held_size = n;
  return true;
}

static uint8_t *held_text(struct gcm *c) { return c->held != NULL ? c->held : c->u.near; }

/* ---------------------------------------------------------------- the stream */

/* READY to LIVE; or the message is over. */
static int open_stream(struct gcm *c) {
  if (!rijn_gcm_ctx_fit_key(c))
    return 0;
  const rijn_gcm_key *k = &c->key->k;
  c->forward = odd_tag(c);
  int err = c->enc || c->forward ? rijn_gcm_encrypt_start(&c->u.stream, k, c->nonce, c->iv_len)
                                 : rijn_gcm_decrypt_start(&c->u.stream, k, c->nonce, c->iv_len);
  if (err == RIJN_OK)
    err = rijn_gcm_aad(&c->u.stream, c->aad, c->held_aad);
  if (err != RIJN_OK) {
    rijn_gcm_stream_wipe(&c->u.stream);
    rijn_gcm_ctx_spoil(c);
    return fail(c, err);
  }
  c->phase = GCM_LIVE;
  return 1;
}

static bool overlaps(const uint8_t *out, const uint8_t *in, size_t len) {
  return out != in && (uintptr_t)out < (uintptr_t)in + len && (uintptr_t)in < (uintptr_t)out + len;
}

/* Text through the stream. */
static int through(struct gcm *c, uint8_t *out, const uint8_t *in, size_t len) {
  if (!c->forward)
    return rijn_gcm_update(&c->u.stream, out, in, len);
  uint8_t again[1024];
  if (overlaps(out, in, len))
    return RIJN_EOVERLAP;
  int err = RIJN_OK;
  while (len != 0 && err == RIJN_OK) {
    size_t n = len < sizeof again ? len : sizeof again;
    rijn_gcm_stream copy = c->u.stream;
    err = rijn_gcm_update(&copy, out, in, n);
    if (err == RIJN_OK)
      err = rijn_gcm_update(&c->u.stream, again, out, n);
    rijn_prov_wipe(&copy, sizeof copy);
    out += n;
    in += n;
    len -= n;
  }
  return err;
}

/* The stream sees the small pieces that it has not seen; keystream that is left is dropped. */
static int catch_up(struct gcm *c) {
  int err = c->at != 0 ? rijn_gcm_update(&c->u.stream, c->held, c->held, c->at) : RIJN_OK;
  if (c->end != 0)
    rijn_prov_wipe(c->held, c->end);
  c->at = 0;
  c->end = 0;
  return err;
}

/* The stream sees what it has not seen, and there is keystream for twice as much as before. false: that cannot be, and
 * the pieces go through the stream themselves. */
static bool make_ahead(struct gcm *c, int *err) {
  size_t n = c->end == 0 ? GCM_NEAR : 2 * c->end;
  n = n < GCM_AHEAD ? n : GCM_AHEAD;
  *err = catch_up(c);
  if (*err != RIJN_OK || (c->held == NULL && !hold(c, GCM_AHEAD)))
    return false;
  rijn_gcm_stream copy = c->u.stream;
  memset(c->held, 0, n);
  bool made = rijn_gcm_update(&copy, c->held, c->held, n) == RIJN_OK;
  rijn_prov_wipe(&copy, sizeof copy);
  c->end = made ? n : 0;
  return made;
}

/* out = in XOR held; held becomes what the stream is to see: its input, or its output. WHY words: they stay in
 * registers, where an array would leave text on the stack. */
static inline __attribute__((always_inline)) void crypt_ahead(uint8_t *out, const uint8_t *in, uint8_t *held, size_t n,
                                                              bool sees_output) {
  for (; n >= 16; n -= 16, out += 16, in += 16) {
    uint64_t from0, from1, to0, to1;
    memcpy(&from0, in, 8);
    memcpy(&from1, in + 8, 8);
    memcpy(&to0, held, 8);
    memcpy(&to1, held + 8, 8);
    to0 ^= from0;
    to1 ^= from1;
    memcpy(out, &to0, 8);
    memcpy(out + 8, &to1, 8);
    memcpy(held, sees_output ? &to0 : &from0, 8);
    memcpy(held + 8, sees_output ? &to1 : &from1, 8);
    held += 16;
  }
  size_t i = 0;
  for (; n - i >= 4; i += 4) {
    uint32_t from, to;
    memcpy(&from, in + i, 4);
    memcpy(&to, held + i, 4);
    to ^= from;
    memcpy(out + i, &to, 4);
    memcpy(held + i, sees_output ? &to : &from, 4);
  }
  for (; i < n; i++) {
    uint8_t from = in[i], to = (uint8_t)(from ^ held[i]);
    out[i] = to;
    held[i] = sees_output ? to : from;
  }
}

static int put_live(struct gcm *c, uint8_t *out, const uint8_t *in, size_t len) {
  int err = RIJN_OK;
  if (len > GCM_MAX_SMALL) {
    err = catch_up(c);
    if (err == RIJN_OK)
      err = through(c, out, in, len);
    return err == RIJN_OK ? 1 : fail(c, err);
  }
  if (overlaps(out, in, len))
    return fail(c, RIJN_EOVERLAP);
  while (len != 0) {
    if (c->at == c->end && !make_ahead(c, &err)) {
      if (err == RIJN_OK)
        err = through(c, out, in, len);
      return err == RIJN_OK ? 1 : fail(c, err);
    }
    size_t n = c->end - c->at < len ? c->end - c->at : len;
    crypt_ahead(out, in, c->held + c->at, n, c->forward);
    c->at += n;
    out += n;
    in += n;
    len -= n;
  }
  return 1;
}

/* LONE or SHORT to LIVE: the message goes on, or is over. */
static int go_on(struct gcm *c) {
  uint8_t text[GCM_MAX_LONE];
  size_t len = c->at;
  int err = RIJN_OK;
  /* WHY decrypt: the text is not kept, since it is secret. From the ciphertext and the tag it comes back. */
  if (c->enc && c->phase == GCM_LONE)
    err = rijn_gcm_decrypt(&c->key->k, text, held_text(c), len, c->aad, c->held_aad, c->nonce, c->iv_len, c->tag);
  else
    memcpy(text, held_text(c), len);
  rijn_gcm_text_drop(c);
  c->phase = GCM_READY;
  if (err != RIJN_OK) {
    rijn_gcm_ctx_spoil(c);
    return fail(c, err);
  }
  int ok = open_stream(c);
  if (ok) {
    err = through(c, text, text, len);
    if (err != RIJN_OK) {
      rijn_gcm_ctx_spoil(c);
      ok = fail(c, err);
    }
  }
  rijn_prov_wipe(text, len);
  return ok;
}

/* ---------------------------------------------------------------- short pieces */

/* Room for n bytes, of which those up to at are there already. false: there is no memory. */
static bool make_room(struct gcm *c, size_t n) {
  if (n <= (c->held != NULL ? c->held_size : GCM_NEAR))
    return true;
  uint8_t *more = c->prov->malloc(n, __FILE__, __LINE__);
  if (more == NULL)
    return RIJN_RAISE(c->prov, RIJN_R_MEMORY) != 0;
  memcpy(more, held_text(c), c->at);
  if (c->held != NULL)
    rijn_gcm_text_release(c);
  else
    rijn_prov_wipe(c->u.near, c->end); /* keystream too */
  c->held = more;
  c->held_size = n;
  return true;
}

/* Keystream behind the text that is held, enough for len bytes and then some. back: what is held is ciphertext, and
 * becomes text. */
static int stretch(struct gcm *c, size_t len, bool back) {
  static const uint8_t zeros[GCM_MAX_LONE];
  uint8_t made[GCM_MAX_LONE], scratch[GCM_TAG];
  size_t n = 64;
  while (n <= c->at + len && n < GCM_MAX_LONE)
    n *= 2;
  if (n < c->likely)
    n = c->likely;
  if (!make_room(c, n)) {
    rijn_gcm_ctx_spoil(c); /* who misses the error must not get a tag that leaves this text out */
    return 0;
  }
  uint8_t *text = held_text(c), *stream = c->at == 0 ? text : made;
  int err = rijn_gcm_encrypt(&c->key->k, stream, zeros, n, NULL, 0, c->nonce, c->iv_len, scratch);
  if (err != RIJN_OK)
    return fail(c, err);
  c->end = n;
  if (stream == made) {
    for (size_t i = 0; back && i < c->at; i++)
      text[i] ^= stream[i];
    memcpy(text + c->at, stream + c->at, n - c->at);
    rijn_prov_wipe(made, n);
  }
  rijn_prov_wipe(scratch, sizeof scratch);
  return 1;
}

/* READY, LONE or SHORT to SHORT, with this piece; at + len is GCM_MAX_LONE at most. */
static int put_short(struct gcm *c, uint8_t *out, const uint8_t *in, size_t len) {
  if (overlaps(out, in, len))
    return fail(c, RIJN_EOVERLAP);
  if (c->end - c->at < len && !stretch(c, len, c->phase == GCM_LONE && c->enc))
    return 0;
  c->phase = GCM_SHORT;
  crypt_ahead(out, in, held_text(c) + c->at, len, false);
  c->at += len;
  return 1;
}

/* ---------------------------------------------------------------- pieces */

int rijn_gcm_text_put_aad(struct gcm *c, const uint8_t *aad, size_t len) {
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
  int err = rijn_gcm_aad(&c->u.stream, aad, len);
  return err == RIJN_OK ? 1 : fail(c, err);
}

/* Is the tag to check not set, or one that only the end can check? */
static bool tag_later(const struct gcm *c) {
  return !c->enc && (c->tag_len == GCM_UNSET || c->tag_spent || !rijn_gcm_tag_is_own(c->tag_len));
}

/* READY, and this may be all of the text: 1, or 0 for refused; *went says whether it took this way at all. */
static int put_lone(struct gcm *c, uint8_t *out, const uint8_t *in, size_t len, bool *went) {
  bool later = tag_later(c);
  *went = false;
  if (c->likely != 0 || len > (later ? GCM_MAX_LATE : GCM_MAX_LONE) || (len > GCM_NEAR && !hold(c, len)))
    return 1;
  *went = true;
  if (!rijn_gcm_ctx_fit_key(c)) {
    if (c->held != NULL)
      rijn_gcm_text_release(c); /* it has room for this piece alone */
    return 0;
  }
  const rijn_gcm_key *k = &c->key->k;
  uint8_t scratch[GCM_TAG], *keep = held_text(c);
  int err;
  if (c->enc) {
    err = rijn_gcm_encrypt(k, out, in, len, c->aad, c->held_aad, c->nonce, c->iv_len, c->tag);
  } else {
    memcpy(keep, in, len);
    err = later ? rijn_gcm_encrypt(k, out, in, len, NULL, 0, c->nonce, c->iv_len, scratch)
                : rijn_gcm_decrypt(k, out, in, len, c->aad, c->held_aad, c->nonce, c->iv_len, c->tag);
  }
  if (err == RIJN_OK) {
    if (c->enc)
      memcpy(keep, out, len);
    c->at = len;
    c->end = len;
    c->checked = !later;
    c->phase = GCM_LONE;
    return 1;
  }
  if (err != RIJN_EAUTH) {
    rijn_gcm_text_release(c);
    return fail(c, err);
  }
  /* A forgery, or the first of several pieces. */
  memcpy(out, keep, len); /* which is zeros */
  rijn_gcm_text_release(c);
  if (!open_stream(c))
    return 0;
  err = through(c, out, out, len);
  return err == RIJN_OK ? 1 : fail(c, err);
}

static int put(struct gcm *c, uint8_t *out, const uint8_t *in, size_t len) {
  if (c->phase == GCM_READY) {
    bool went;
    int ok = put_lone(c, out, in, len, &went);
    if (!ok || went)
      return ok;
  }
  if (c->phase != GCM_LIVE) {
    if (c->likely <= GCM_MAX_LONE && len <= GCM_NEAR && len <= GCM_MAX_LONE - c->at)
      return put_short(c, out, in, len);
    if (!(c->phase == GCM_READY ? open_stream(c) : go_on(c)))
      return 0;
  }
  return put_live(c, out, in, len);
}

bool rijn_gcm_text_ahead(struct gcm *c, uint8_t *out, const uint8_t *in, size_t len) {
  if (len > c->end - c->at || overlaps(out, in, len))
    return false;
  uint8_t *held = held_text(c) + c->at;
  c->at += len;
  c->second = true;
  c->total += len;
  crypt_ahead(out, in, held, len, false);
  return true;
}

int rijn_gcm_text_put(struct gcm *c, uint8_t *out, const uint8_t *in, size_t len) {
  if (!put(c, out, in, len))
    return 0;
  c->second = c->total != 0;
  c->total += len;
  return 1;
}

/* ---------------------------------------------------------------- the end */

/* The text that is held, of n bytes, is checked by the tag, and gone. */
static int check_held(struct gcm *c, size_t n) {
  const rijn_gcm_key *k = &c->key->k;
  uint8_t right[GCM_TAG], *text = held_text(c);
  int err;
  if (!odd_tag(c)) {
    err = rijn_gcm_decrypt(k, text, text, n, c->aad, c->held_aad, c->nonce, c->iv_len, c->tag);
  } else {
    err = n != 0 ? rijn_gcm_encrypt(k, text, text, n, NULL, 0, c->nonce, c->iv_len, right) : RIJN_OK;
    if (err == RIJN_OK)
      err = rijn_gcm_encrypt(k, text, text, n, c->aad, c->held_aad, c->nonce, c->iv_len, right);
    if (err == RIJN_OK)
      err = compare_tag(c, right);
    rijn_prov_wipe(right, sizeof right);
  }
  rijn_prov_wipe(text, n);
  return err;
}

static int end_live(struct gcm *c, bool *raised) {
  uint8_t right[GCM_TAG];
  int err = catch_up(c);
  if (err != RIJN_OK)
    return err;
  if (odd_tag(c) && !c->forward) {
    *raised = true;
    return RIJN_RAISEF(c->prov, RIJN_R_LATE_TAG, "%zu bytes", c->tag_len);
  }
  if (!c->forward) {
    if (!rijn_gcm_ctx_tag_len(c, c->enc ? GCM_TAG : c->tag_len)) {
      *raised = true;
      return 0;
    }
    c->phase = GCM_DONE; /* the stream is wiped by its end */
    return c->enc ? rijn_gcm_encrypt_finish(&c->u.stream, c->tag) : rijn_gcm_decrypt_finish(&c->u.stream, c->tag);
  }
  c->phase = GCM_DONE;
  err = rijn_gcm_encrypt_finish(&c->u.stream, right);
  if (err == RIJN_OK)
    err = compare_tag(c, right);
  rijn_prov_wipe(right, sizeof right);
  return err;
}

int rijn_gcm_text_end(struct gcm *c, bool *raised) {
  c->tag_spent = false; /* whatever tag stands now is the one that is compared, at its length */
  if (c->phase == GCM_LIVE)
    return end_live(c, raised);
  if (c->phase == GCM_LONE && (c->enc || c->checked))
    return RIJN_OK;
  if (!rijn_gcm_ctx_fit_key(c)) {
    *raised = true;
    return 0;
  }
  uint8_t *text = held_text(c);
  int err = c->enc ? rijn_gcm_encrypt(&c->key->k, text, text, c->at, c->aad, c->held_aad, c->nonce, c->iv_len, c->tag)
                   : check_held(c, c->at);
  if (err == RIJN_OK && c->phase == GCM_SHORT) {
    rijn_prov_wipe(text + c->at, c->end - c->at);
    c->phase = GCM_LONE; /* what is held is ciphertext, or wiped: it is not wiped again (T-302) */
  }
  return err;
}
