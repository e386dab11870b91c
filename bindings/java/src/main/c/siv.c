/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-GCM-SIV for AesGcmSivCipher.java: a message by one call. */
#include "head.h"
#include "native.h"
#include "rijn.h"
#include "text.h"

#define SIV_NONCE 12
#define SIV_TAG 16

struct siv {
  const rijn_gcm_siv_key *key;
  const struct head *head;
  struct text text;
};

static int siv_encrypt(void *context, uint8_t *out, const uint8_t *in, size_t len) {
  struct siv *siv = context;
  return rijn_gcm_siv_encrypt(siv->key, out, in, len, aad_of(siv->head), (size_t)siv->head->call.aad_len,
                              nonce_of(siv->head), siv->text.tag);
}

static int siv_decrypt(void *context, uint8_t *out, const uint8_t *in, size_t len) {
  struct siv *siv = context;
  return rijn_gcm_siv_decrypt(siv->key, out, in, len, aad_of(siv->head), (size_t)siv->head->call.aad_len,
                              nonce_of(siv->head), siv->text.tag);
}

/* WHY the text is never cut: it is gone over twice, so there is no stream. */
static int run(JNIEnv *env, struct siv *siv, jint kinds, bool encrypt) {
  const struct call *call = &siv->head->call;
  if (call->nonce_len != SIV_NONCE || call->tag_len != SIV_TAG) {
    return JNI_EBOUNDS;
  }
  siv->text.tag_read = encrypt ? 0 : SIV_TAG;
  siv->text.tag_written = encrypt ? SIV_TAG : 0;
  int err = text_open(env, &siv->text, call, kinds);
  if (err == 0) {
    err = text_run(env, &siv->text, encrypt ? siv_encrypt : siv_decrypt, siv, false);
  }
  if (err == 0 && encrypt) {
    text_put_tag(env, &siv->text);
  }
  return err;
}

JNIEXPORT jint JNICALL Java_org_rijn_jca_Native_sivCrypt(JNIEnv *env, jclass c, jlong address, jbyteArray raw,
                                                         jboolean encrypt, jbyteArray call, jint call_len, jobject in,
                                                         jobject out, jint kinds) {
  (void)c;
  struct head place;
  struct key key;
  struct head *head = head_open(env, call, call_len, &place);
  if (head == NULL) {
    return JNI_EBOUNDS;
  }
  int err = key_open(env, &key, MEMORY_SIV_KEY, address, raw, SIV_TAG);
  if (err == 0) {
    struct siv siv = {.key = key.at, .head = head};
    siv.text.in = in;
    siv.text.out = out;
    err = run(env, &siv, kinds, encrypt);
    key_close(&key);
  }
  head_close(head, &place);
  return err;
}
