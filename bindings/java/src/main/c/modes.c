/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-CTR and AES-XTS for AesCtrCipher.java and AesXtsCipher.java. */
#include "native.h"
#include "rijn.h"
#include "text.h"

struct ctr {
  const rijn_aes_key *key;
  rijn_ctr_state *state;
};

static int ctr_once(void *context, uint8_t *out, const uint8_t *in, size_t len) {
  struct ctr *ctr = context;
  return rijn_ctr_crypt(ctr->key, out, in, len, ctr->state);
}

/* The state is in the array, before and after. */
static int ctr_secret_text(JNIEnv *env, struct text *text, struct ctr *ctr, jbyteArray array) {
  jbyte *bytes = (jbyte *)ctr->state;
  (*env)->GetByteArrayRegion(env, array, 0, sizeof *ctr->state, bytes);
  int err = (*env)->ExceptionCheck(env) ? JNI_EBOUNDS : text_run(env, text, ctr_once, ctr, true);
  if (err == 0) {
    (*env)->SetByteArrayRegion(env, array, 0, sizeof *ctr->state, bytes);
  }
  wipe(ctr->state, sizeof *ctr->state);
  return err;
}

JNIEXPORT jint JNICALL Java_org_rijn_jca_Native_ctrCrypt(JNIEnv *env, jclass c, jlong address, jbyteArray raw,
                                                         jbyteArray array, jbyteArray told, jobject in, jobject out,
                                                         jint kinds) {
  (void)c;
  struct call call;
  struct text text = {.in = in, .out = out};
  struct key key;
  rijn_ctr_state state;
  (*env)->GetByteArrayRegion(env, told, 0, sizeof call, (jbyte *)&call);
  int err = text_open(env, &text, &call, kinds);
  if (err == 0) {
    err = key_open(env, &key, MEMORY_AES_KEY, address, raw, 0);
  }
  if (err == 0) {
    struct ctr ctr = {key.at, &state};
    err = ctr_secret_text(env, &text, &ctr, array);
    key_close(&key);
  }
  return err;
}

JNIEXPORT jint JNICALL Java_org_rijn_jca_Native_ctrStateSize(JNIEnv *env, jclass c) {
  (void)env;
  (void)c;
  return (jint)sizeof(rijn_ctr_state);
}

struct xts {
  const rijn_xts_key *key;
  uint8_t tweak[16];
};

static int xts_encrypt(void *context, uint8_t *out, const uint8_t *in, size_t len) {
  struct xts *xts = context;
  return rijn_xts_encrypt(xts->key, out, in, len, xts->tweak);
}

static int xts_decrypt(void *context, uint8_t *out, const uint8_t *in, size_t len) {
  struct xts *xts = context;
  return rijn_xts_decrypt(xts->key, out, in, len, xts->tweak);
}

/* The tweak stands behind the call, where GCM has its nonce. */
JNIEXPORT jint JNICALL Java_org_rijn_jca_Native_xtsCrypt(JNIEnv *env, jclass c, jlong address, jbyteArray raw,
                                                         jboolean encrypt, jbyteArray told, jobject in, jobject out,
                                                         jint kinds) {
  (void)c;
  struct call call;
  struct text text = {.in = in, .out = out};
  struct key key;
  struct xts xts;
  (*env)->GetByteArrayRegion(env, told, 0, sizeof call, (jbyte *)&call);
  (*env)->GetByteArrayRegion(env, told, sizeof call, sizeof xts.tweak, (jbyte *)xts.tweak);
  int err = (*env)->ExceptionCheck(env) ? JNI_EBOUNDS : text_open(env, &text, &call, kinds);
  if (err == 0) {
    err = key_open(env, &key, MEMORY_XTS_KEY, address, raw, 0);
  }
  if (err == 0) {
    xts.key = key.at;
    err = text_run(env, &text, encrypt ? xts_encrypt : xts_decrypt, &xts, false);
    key_close(&key);
  }
  return err;
}
