/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-GCM for AesGcmCipher.java and GmacMac.java: a message by one call, or a stream. */
#include <string.h>

#include "head.h"
#include "native.h"
#include "rijn.h"
#include "text.h"

struct gcm {
  const rijn_gcm_key *key;
  const struct head *head;
  struct text text;
  rijn_gcm_stream stream;
};

static int seal_once(void *context, uint8_t *out, const uint8_t *in, size_t len) {
  struct gcm *gcm = context;
  const struct call *call = &gcm->head->call;
  return rijn_gcm_encrypt(gcm->key, out, in, len, aad_of(gcm->head), (size_t)call->aad_len, nonce_of(gcm->head),
                          (size_t)call->nonce_len, gcm->text.tag);
}

static int open_once(void *context, uint8_t *out, const uint8_t *in, size_t len) {
  struct gcm *gcm = context;
  const struct call *call = &gcm->head->call;
  return rijn_gcm_decrypt(gcm->key, out, in, len, aad_of(gcm->head), (size_t)call->aad_len, nonce_of(gcm->head),
                          (size_t)call->nonce_len, gcm->text.tag);
}

static int stream_once(void *stream, uint8_t *out, const uint8_t *in, size_t len) {
  return rijn_gcm_update(stream, out, in, len);
}

static int zero(void *context, uint8_t *out, const uint8_t *in, size_t len) {
  (void)context;
  (void)in;
  memset(out, 0, len);
  return 0;
}

static int start(rijn_gcm_stream *s, const rijn_gcm_key *key, const struct head *head, bool encrypt) {
  size_t nonce_len = (size_t)head->call.nonce_len;
  int err = encrypt ? rijn_gcm_encrypt_start(s, key, nonce_of(head), nonce_len)
                    : rijn_gcm_decrypt_start(s, key, nonce_of(head), nonce_len);
  return err ? err : rijn_gcm_aad(s, aad_of(head), (size_t)head->call.aad_len);
}

/* A text in arrays that is longer than a slice. */
static int run_cut(JNIEnv *env, struct gcm *gcm, bool encrypt) {
  int err = start(&gcm->stream, gcm->key, gcm->head, encrypt);
  if (err == 0) {
    err = text_run(env, &gcm->text, stream_once, &gcm->stream, true);
  }
  if (err == 0) {
    err = encrypt ? rijn_gcm_encrypt_finish(&gcm->stream, gcm->text.tag)
                  : rijn_gcm_decrypt_finish(&gcm->stream, gcm->text.tag);
  }
  rijn_gcm_stream_wipe(&gcm->stream);
  if (err != 0 && !encrypt) {
    (void)text_run(env, &gcm->text, zero, NULL, true);
  }
  return err;
}

/* Whether text_run would hold an array for longer than it should, or copy more than it should at a time. */
static bool must_cut(const struct text *text) {
  return text->len > (text->copy ? TEXT_PIECE : TEXT_SLICE) && !(text->in_direct && text->out_direct);
}

static int run(JNIEnv *env, struct gcm *gcm, jint kinds, bool encrypt) {
  jint tag_len = gcm->head->call.tag_len;
  if (tag_len != (jint)rijn_gcm_tag_len(gcm->key)) {
    return RIJN_ETAGLEN;
  }
  gcm->text.tag_read = encrypt ? 0 : tag_len;
  gcm->text.tag_written = encrypt ? tag_len : 0;
  int err = text_open(env, &gcm->text, &gcm->head->call, kinds);
  if (err == 0) {
    err = must_cut(&gcm->text) ? run_cut(env, gcm, encrypt)
                               : text_run(env, &gcm->text, encrypt ? seal_once : open_once, gcm, false);
  }
  if (err == 0 && encrypt) {
    text_put_tag(env, &gcm->text);
  }
  return err;
}

static jint message(JNIEnv *env, jlong address, jbyteArray raw, struct gcm *gcm, jbyteArray call, jint call_len,
                    jint kinds, bool encrypt) {
  struct head place;
  struct key key;
  struct head *head = head_open(env, call, call_len, &place);
  if (head == NULL) {
    return JNI_EBOUNDS;
  }
  int err = key_open(env, &key, MEMORY_GCM_KEY, address, raw, head->call.tag_len);
  if (err == 0) {
    gcm->key = key.at;
    gcm->head = head;
    err = run(env, gcm, kinds, encrypt);
    key_close(&key);
  }
  head_close(head, &place);
  return err;
}

JNIEXPORT jint JNICALL Java_org_rijn_jca_Native_gcmSeal(JNIEnv *env, jclass c, jlong key, jbyteArray raw,
                                                        jbyteArray call, jint call_len, jobject in, jobject out,
                                                        jint kinds) {
  (void)c;
  struct gcm gcm;
  gcm.text.in = in;
  gcm.text.out = out;
  return message(env, key, raw, &gcm, call, call_len, kinds, true);
}

JNIEXPORT jint JNICALL Java_org_rijn_jca_Native_gcmOpen(JNIEnv *env, jclass c, jlong key, jbyteArray raw,
                                                        jbyteArray call, jint call_len, jobject in, jobject out,
                                                        jint kinds) {
  (void)c;
  struct gcm gcm;
  gcm.text.in = in;
  gcm.text.out = out;
  return message(env, key, raw, &gcm, call, call_len, kinds, false);
}

int gcm_once(const uint8_t *raw, int told, void *out, const void *in, size_t len, const void *aad, size_t aad_len,
             const void *nonce, size_t nonce_len, void *tag) {
  rijn_gcm_key key;
  int err = rijn_gcm_init_taglen(&key, raw, (size_t)(told & 0xff), (size_t)(told >> 8 & 0xff));
  if (err == 0) {
    err = told >> 16 != 0 ? rijn_gcm_encrypt(&key, out, in, len, aad, aad_len, nonce, nonce_len, tag)
                          : rijn_gcm_decrypt(&key, out, in, len, aad, aad_len, nonce, nonce_len, tag);
    rijn_gcm_wipe(&key);
  }
  return err;
}

/* ---------------------------------------------------------------- pieces */

static struct gcm_state *state_of(jlong address) { return (struct gcm_state *)(intptr_t)address; }

JNIEXPORT jint JNICALL Java_org_rijn_jca_Native_gcmStart(JNIEnv *env, jclass c, jlong address, jbyteArray raw,
                                                         jbyteArray call, jint call_len) {
  (void)c;
  struct gcm_state *state = state_of(address);
  struct head place;
  struct head *head = head_open(env, call, call_len, &place);
  if (head == NULL) {
    return JNI_EBOUNDS;
  }
  int err = key_make(env, &state->key, MEMORY_GCM_KEY, raw, head->call.tag_len);
  if (err == 0) {
    err = start(&state->stream, &state->key, head, true);
  }
  head_close(head, &place);
  return err;
}

JNIEXPORT jint JNICALL Java_org_rijn_jca_Native_gcmUpdate(JNIEnv *env, jclass c, jlong address, jbyteArray array,
                                                          jobject in, jobject out, jint kinds) {
  (void)c;
  struct call call;
  struct text text = {.in = in, .out = out};
  (*env)->GetByteArrayRegion(env, array, 0, sizeof call, (jbyte *)&call);
  int err = text_open(env, &text, &call, kinds);
  return err ? err : text_run(env, &text, stream_once, &state_of(address)->stream, true);
}

/* Associated data of GMAC, a piece at a time. */
JNIEXPORT jint JNICALL Java_org_rijn_jca_Native_gcmAad(JNIEnv *env, jclass c, jlong address, jbyteArray array, jint off,
                                                       jint len) {
  (void)c;
  uint8_t piece[TEXT_SHORT];
  int err = 0;
  for (jint at = 0, n = 0; err == 0 && at < len; at += n) {
    n = len - at < TEXT_SHORT ? len - at : TEXT_SHORT;
    (*env)->GetByteArrayRegion(env, array, off + at, n, (jbyte *)piece);
    err = (*env)->ExceptionCheck(env) ? JNI_EBOUNDS : rijn_gcm_aad(&state_of(address)->stream, piece, (size_t)n);
  }
  return err;
}

/* The tag of an encrypted stream goes into the array. */
JNIEXPORT jint JNICALL Java_org_rijn_jca_Native_gcmFinish(JNIEnv *env, jclass c, jlong address, jbyteArray out,
                                                          jint tag_len) {
  (void)c;
  uint8_t tag[TAG_MAX] = {0};
  if (tag_len < 0 || tag_len > TAG_MAX) {
    return JNI_EBOUNDS;
  }
  int err = rijn_gcm_encrypt_finish(&state_of(address)->stream, tag);
  if (err == 0) {
    (*env)->SetByteArrayRegion(env, out, 0, tag_len, (const jbyte *)tag);
  }
  return err;
}
