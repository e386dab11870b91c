/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* One GCM context of the provider, shared by gcm.c (messages, parameters) and gcm_tls.c (nonces and records of TLS). */
#ifndef RIJN_PROVIDER_GCM_H
#define RIJN_PROVIDER_GCM_H

#include <rijn.h>
#include <stdatomic.h>
#include <string.h>

#include "params.h"
#include "prov.h"

#define GCM_MAX_IV 128     /* bytes; as the default provider */
#define GCM_UNSET SIZE_MAX /* tag length or TLS data that nobody has set */
#define GCM_TAG 16
#define GCM_MAX_HELD_AAD 64
#define GCM_MAX_LONE 2048 /* a first piece of text that goes through the one-shot call */
#define GCM_MAX_LATE 512  /* the same on decryption when the tag is not known: more goes through the stream */
#define GCM_NEAR 256      /* of held text, what is in the context itself; the longest of short pieces */
#define GCM_AHEAD 512     /* the most keystream that is made ahead for a stream */
#define GCM_MAX_SMALL 80  /* the longest piece that takes of it */

/* Where a message stands. */
enum gcm_phase {
  GCM_NONE,  /* no IV was ever set */
  GCM_READY, /* nonce set, no text yet; associated data, when it is short, is held back */
  GCM_LONE,  /* one piece of text went through the one-shot call: tag made, or checked, or still to be checked */
  GCM_SHORT, /* short pieces, GCM_MAX_LONE bytes at most: all are held, with keystream behind */
  GCM_LIVE,  /* the stream is open */
  GCM_DONE   /* the message is over, or was spoiled: a new IV is needed */
};

/* WHY counted: a stream points to its key, and a copied context copies the stream. */
struct gcm_key {
  rijn_gcm_key k;
  void *block;      /* the memory it is in, which goes with it */
  atomic_uint refs; /* the context whose memory that is, if there is one, and each other with this key */
  size_t raw_len, tag_len;
  uint8_t raw[32]; /* for a tag length other than 16, which with Rijn belongs to the key */
};

struct gcm {
  const struct rijn_prov *prov;
  void *block;         /* of a copy */
  struct gcm_key *key; /* NULL: none set */
  struct gcm_key *own; /* room for one behind the context, of which it is a part then; NULL in a copy */
  size_t key_len, iv_len;
  size_t tag_len; /* GCM_UNSET, or the bytes in tag */
  enum gcm_phase phase;
  bool enc, iv_gen, iv_random, tag_made;
  bool text_begun, second;     /* in this message; a second piece of it */
  bool checked;                /* LONE, on decryption: by the tag as it stands */
  bool forward;                /* LIVE: the stream encrypts though the message is decrypted, see gcm_text.c */
  bool iv_spent;               /* a message was encrypted under iv as it stands, which is then not one to generate */
  bool tag_spent;              /* the tag was an earlier message's */
  size_t tls_aad_len, tls_pad; /* tls_aad_len: GCM_UNSET, or the next call is a TLS record */
  uint64_t tls_records;
  size_t held_aad;
  /* Text that is held, in memory of its own or (NULL) near. LONE: ciphertext of at bytes. SHORT: all of the message's
   * text, at bytes, and from there to end keystream. LIVE: only what the stream has not seen yet, and keystream. */
  uint8_t *held;
  size_t held_size, at, end;
  size_t total;             /* bytes of text in this message so far */
  struct rijn_pipes *pipes; /* NULL: none were made (pipe_gcm.c) */
  size_t likely;            /* in the next one: 0 for one piece, or all that the last one had, in several */
  uint8_t tag[GCM_TAG], tls_aad[RIJN_TLS_AAD];
  uint8_t iv[GCM_MAX_IV]; /* what the caller sees; the next one, when they are generated */
  /* From here on not zeroed in a new context. */
  uint8_t nonce[GCM_MAX_IV]; /* of this message, of iv_len bytes */
  uint8_t aad[GCM_MAX_HELD_AAD];
  union {
    rijn_gcm_stream stream; /* LIVE */
    uint8_t near[GCM_NEAR]; /* LONE, SHORT */
  } u;
};

/* gcm_state.c */
/* The context's key becomes raw with tags of tag_len bytes; in the same place when no other context uses that. */
bool rijn_gcm_ctx_set_key(struct gcm *c, const uint8_t *raw, size_t raw_len, size_t tag_len);
/* Makes the key one of tags of tag_len bytes, which it is not. */
bool rijn_gcm_ctx_change_tag(struct gcm *c, size_t tag_len);
/* The same for a key that may be one already. */
static inline bool rijn_gcm_ctx_tag_len(struct gcm *c, size_t tag_len) {
  return c->key->tag_len == tag_len || rijn_gcm_ctx_change_tag(c, tag_len);
}
/* One context less uses k, which is wiped and its memory given back when none is left. NULL: nothing. */
void rijn_gcm_key_drop(const struct rijn_prov *prov, struct gcm_key *k);
/* The message in hand, if there is one, is over. */
void rijn_gcm_ctx_spoil(struct gcm *c);
/* Has Rijn tags of n bytes? */
static inline bool rijn_gcm_tag_is_own(size_t n) { return (n >= 12 && n <= GCM_TAG) || n == 8 || n == 4; }
/* The length of this message's tag, or what it most likely is. WHY not that of the key, or of a tag that an earlier
 * message had: it may have been a short one, and an open stream's cannot be changed once the context is copied. */
static inline size_t rijn_gcm_likely_tag(const struct gcm *c) {
  return c->enc || c->tag_spent || !rijn_gcm_tag_is_own(c->tag_len) ? GCM_TAG : c->tag_len;
}
/* The key gets the tag length of this message, which is over when that fails. WHY it is over: data was taken already,
 * or is refused now, and who misses the error (another key takes memory) must not get a tag, or a verdict, that leaves
 * it out. */
static inline bool rijn_gcm_ctx_fit_key(struct gcm *c) {
  if (rijn_gcm_ctx_tag_len(c, rijn_gcm_likely_tag(c)))
    return true;
  rijn_gcm_ctx_spoil(c);
  return false;
}
/* Gives back what is held. */
void rijn_gcm_text_release(struct gcm *c);
/* Wipes what a message leaves in the context but its tag, and gives back what is held. */
void rijn_gcm_text_drop(struct gcm *c);

/* gcm.c */
int rijn_prov_gcm_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                         size_t len);
int rijn_prov_gcm_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size);
int rijn_prov_gcm_cipher(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                         size_t len);
/* WHY the constant: it makes stores of 8 and 4 bytes, which the kernel's loads take before they are in memory. Those of
 * the C library's copy lie one over the other (T-302). */
static inline void rijn_gcm_ctx_copy_iv(uint8_t *to, const uint8_t *from, size_t len) {
  if (len == 12)
    memcpy(to, from, 12);
  else
    memcpy(to, from, len);
}
/* A message with the nonce iv as it stands. */
void rijn_gcm_ctx_begin(struct gcm *c);

/* gcm_text.c: the text of a message. 1, or 0 with an error in the queue. */
int rijn_gcm_text_put_aad(struct gcm *c, const uint8_t *aad, size_t len);
int rijn_gcm_text_put(struct gcm *c, uint8_t *out, const uint8_t *in, size_t len);
/* The same for a piece of a message that is SHORT, if its keystream is there already; false: nothing is done. */
bool rijn_gcm_text_ahead(struct gcm *c, uint8_t *out, const uint8_t *in, size_t len);
/* The end: makes the tag, or checks it. A result of the library: RIJN_EAUTH without an error in the queue; *raised:
 * another error is there already. */
int rijn_gcm_text_end(struct gcm *c, bool *raised);

/* gcm_tls.c */
int rijn_gcm_tls_set_aad(struct gcm *c, const uint8_t *aad, size_t len);
int rijn_gcm_tls_set_fixed(struct gcm *c, const uint8_t *iv, size_t len);
int rijn_gcm_tls_get_gen(struct gcm *c, uint8_t *out, size_t len);
int rijn_gcm_tls_set_inv(struct gcm *c, const uint8_t *in, size_t len);
int rijn_gcm_tls_record(struct gcm *c, uint8_t *out, size_t *out_len, const uint8_t *in, size_t len);

#endif
