/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#ifndef RIJN_JNI_NATIVE_H
#define RIJN_JNI_NATIVE_H
#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

#include "rijn.h"

/* What Memory.java holds. */
enum { MEMORY_GCM_KEY, MEMORY_GCM_STREAM, MEMORY_AES_KEY, MEMORY_XTS_KEY, MEMORY_SIV_KEY, MEMORY_KINDS };

/* What Native.java asks the addresses of. */
enum { FUNCTION_ENCRYPT, FUNCTION_DECRYPT, FUNCTION_ONCE };

/* A message in pieces, with a key of its own. */
struct gcm_state {
  rijn_gcm_key key;
  rijn_gcm_stream stream;
};

/* A key of that kind from raw bytes; tag_len is for GCM alone. */
int key_make(JNIEnv *env, void *key, jint kind, jbyteArray raw, jint tag_len);

/* The key of one call. It lies in memory that Memory.java holds, or it is made here of raw bytes, and wiped again. */
struct key {
  const void *at;
  jint kind;
  union {
    rijn_gcm_key gcm;
    rijn_aes_key aes;
    rijn_xts_key xts;
    rijn_gcm_siv_key siv;
  } made;
};
/* address 0: of the raw bytes. 0, or a negative error; then there is nothing to close. */
int key_open(JNIEnv *env, struct key *key, jint kind, jlong address, jbyteArray raw, jint tag_len);
void key_close(struct key *key);

/* FUNCTION_ONCE: rijn_gcm_encrypt or rijn_gcm_decrypt by raw bytes. told: their number, the tag's bytes << 8, and
 * encryption << 16. */
int gcm_once(const uint8_t *raw, int told, void *out, const void *in, size_t len, const void *aad, size_t aad_len,
             const void *nonce, size_t nonce_len, void *tag);

#endif
