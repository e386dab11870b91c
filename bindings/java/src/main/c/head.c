/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "head.h"

#include <stdlib.h>

struct head *head_open(JNIEnv *env, jbyteArray array, jint n, struct head *place) {
  if (n < (jint)sizeof(struct call) || n > (*env)->GetArrayLength(env, array)) {
    return NULL;
  }
  struct head *head = (size_t)n <= sizeof *place ? place : malloc((size_t)n);
  if (head == NULL) {
    return NULL;
  }
  (*env)->GetByteArrayRegion(env, array, 0, n, (jbyte *)head);
  const struct call *call = &head->call;
  if (call->nonce_len < 1 || call->aad_len < 0 || call->tag_len < 12 || call->tag_len > TAG_MAX ||
      (jlong)call->nonce_len + call->aad_len != n - (jint)sizeof(struct call)) {
    head_close(head, place);
    return NULL;
  }
  return head;
}

void head_close(struct head *head, const struct head *place) {
  if (head != place) {
    free(head);
  }
}
