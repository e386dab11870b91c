/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Memory for keys and states, the self-test, and what the library is. */
#include "native.h"

#include <stdlib.h>

#include "text.h"

static size_t size_of(jint kind) {
  static const size_t sizes[MEMORY_KINDS] = {sizeof(rijn_gcm_key), sizeof(struct gcm_state), sizeof(rijn_aes_key),
                                             sizeof(rijn_xts_key), sizeof(rijn_gcm_siv_key)};
  return kind >= 0 && kind < MEMORY_KINDS ? sizes[kind] : 0;
}

/* WHY rounded up: aligned_alloc takes multiples only. */
static size_t rounded(jint kind) { return (size_of(kind) + 63) & ~(size_t)63; }

/* Memory of zeros, or 0. */
JNIEXPORT jlong JNICALL Java_org_rijn_jca_Native_allocate(JNIEnv *env, jclass c, jint kind) {
  (void)env;
  (void)c;
  size_t size = rounded(kind);
  void *p = size > 0 ? aligned_alloc(64, size) : NULL;
  if (p != NULL) {
    wipe(p, size);
  }
  return (jlong)(intptr_t)p;
}

JNIEXPORT void JNICALL Java_org_rijn_jca_Native_free(JNIEnv *env, jclass c, jlong address, jint kind) {
  (void)env;
  (void)c;
  wipe((void *)(intptr_t)address, size_of(kind));
  free((void *)(intptr_t)address);
}

/* The key of a cipher object that has another one from now on. */
JNIEXPORT void JNICALL Java_org_rijn_jca_Native_wipe(JNIEnv *env, jclass c, jlong address, jint kind) {
  (void)env;
  (void)c;
  wipe((void *)(intptr_t)address, size_of(kind));
}

int key_make(JNIEnv *env, void *key, jint kind, jbyteArray array, jint tag_len) {
  uint8_t raw[64];
  jint len = array != NULL ? (*env)->GetArrayLength(env, array) : 0;
  if (len > (jint)sizeof raw) {
    return RIJN_EKEYLEN;
  }
  if (len > 0) {
    (*env)->GetByteArrayRegion(env, array, 0, len, (jbyte *)raw);
  }
  int err = RIJN_ESTATE;
  switch (kind) {
  case MEMORY_GCM_KEY:
    err = rijn_gcm_init_taglen(key, raw, (size_t)len, (size_t)tag_len);
    break;
  case MEMORY_AES_KEY:
    err = rijn_aes_init(key, raw, (size_t)len);
    break;
  case MEMORY_XTS_KEY:
    err = rijn_xts_init(key, raw, (size_t)len);
    break;
  case MEMORY_SIV_KEY:
    err = rijn_gcm_siv_init(key, raw, (size_t)len);
    break;
  default:
    break;
  }
  wipe(raw, sizeof raw);
  return err;
}

JNIEXPORT jint JNICALL Java_org_rijn_jca_Native_makeKey(JNIEnv *env, jclass c, jlong address, jint kind, jbyteArray raw,
                                                        jint tag_len) {
  (void)c;
  return key_make(env, (void *)(intptr_t)address, kind, raw, tag_len);
}

int key_open(JNIEnv *env, struct key *key, jint kind, jlong address, jbyteArray raw, jint tag_len) {
  key->kind = kind;
  key->at = address != 0 ? (const void *)(intptr_t)address : &key->made;
  return address != 0 ? 0 : key_make(env, &key->made, kind, raw, tag_len);
}

void key_close(struct key *key) {
  if (key->at == &key->made) {
    wipe(&key->made, size_of(key->kind));
  }
}

/* Where Ffm.java calls GCM. WHY not by name: the library exports none that another could answer for. */
JNIEXPORT jlong JNICALL Java_org_rijn_jca_Native_gcmFunction(JNIEnv *env, jclass c, jint which) {
  (void)env;
  (void)c;
  switch (which) {
  case FUNCTION_ENCRYPT:
    return (jlong)(intptr_t)&rijn_gcm_encrypt;
  case FUNCTION_DECRYPT:
    return (jlong)(intptr_t)&rijn_gcm_decrypt;
  case FUNCTION_ONCE:
    return (jlong)(intptr_t)&gcm_once;
  default:
    return 0;
  }
}

/* The self-test of the implementation that keys will be made for. */
JNIEXPORT jint JNICALL Java_org_rijn_jca_Native_selftest(JNIEnv *env, jclass c) {
  (void)env;
  (void)c;
  int chosen = rijn_impl_chosen();
  return chosen < 0 ? chosen : rijn_selftest(chosen);
}

JNIEXPORT jstring JNICALL Java_org_rijn_jca_Native_implementation(JNIEnv *env, jclass c) {
  (void)c;
  return (*env)->NewStringUTF(env, rijn_impl_name(rijn_impl_chosen()));
}

JNIEXPORT jstring JNICALL Java_org_rijn_jca_Native_version(JNIEnv *env, jclass c) {
  (void)c;
  return (*env)->NewStringUTF(env, rijn_version());
}

JNIEXPORT jstring JNICALL Java_org_rijn_jca_Native_reason(JNIEnv *env, jclass c, jint err) {
  (void)c;
  return (*env)->NewStringUTF(env, rijn_strerror(err));
}
