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

JNIEXPORT jint JNICALL Java_org_rijn_jca_Native_ctrStart(JNIEnv *env, jclass c, jlong address, jbyteArray iv) {
  (void)c;
  struct ctr_state *ctr = (struct ctr_state *)(intptr_t)address;
  if ((*env)->GetArrayLength(env, iv) != sizeof ctr->state.ctr) {
    return JNI_EBOUNDS;
  }
  if (!take(&ctr->busy)) {
    return JNI_EBUSY;
  }
  wipe(&ctr->state, sizeof ctr->state);
  (*env)->GetByteArrayRegion(env, iv, 0, sizeof ctr->state.ctr, (jbyte *)ctr->state.ctr);
  give(&ctr->busy);
  return 0;
}

JNIEXPORT jint JNICALL Java_org_rijn_jca_Native_ctrCrypt(JNIEnv *env, jclass c, jlong key, jlong address,
                                                         jbyteArray array, jobject in, jobject out, jint kinds) {
  (void)c;
  struct ctr_state *state = (struct ctr_state *)(intptr_t)address;
  struct call call;
  struct text text = {.in = in, .out = out};
  struct ctr ctr = {(const rijn_aes_key *)(intptr_t)key, &state->state};
  (*env)->GetByteArrayRegion(env, array, 0, sizeof call, (jbyte *)&call);
  int err = text_open(env, &text, &call, kinds);
  if (err == 0 && !take(&state->busy)) {
    err = JNI_EBUSY;
  } else if (err == 0) {
    err = text_run(env, &text, ctr_once, &ctr, true);
    give(&state->busy);
  }
  return err;
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
JNIEXPORT jint JNICALL Java_org_rijn_jca_Native_xtsCrypt(JNIEnv *env, jclass c, jlong key, jboolean encrypt,
                                                         jbyteArray array, jobject in, jobject out, jint kinds) {
  (void)c;
  struct call call;
  struct text text = {.in = in, .out = out};
  struct xts xts = {.key = (const rijn_xts_key *)(intptr_t)key};
  (*env)->GetByteArrayRegion(env, array, 0, sizeof call, (jbyte *)&call);
  (*env)->GetByteArrayRegion(env, array, sizeof call, sizeof xts.tweak, (jbyte *)xts.tweak);
  if ((*env)->ExceptionCheck(env)) {
    return JNI_EBOUNDS;
  }
  int err = text_open(env, &text, &call, kinds);
  return err ? err : text_run(env, &text, encrypt ? xts_encrypt : xts_decrypt, &xts, false);
}
