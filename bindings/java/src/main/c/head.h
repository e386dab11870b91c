/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#ifndef RIJN_JNI_HEAD_H
#define RIJN_JNI_HEAD_H
/* A call with its nonce and its associated data, as Call.java hands them over. */
#include "text.h"

#define HEAD_SHORT 512 /* bytes of nonce and associated data that are copied onto the stack */

struct head {
  struct call call;
  uint8_t bytes[HEAD_SHORT];
};

static inline const uint8_t *nonce_of(const struct head *head) { return head->bytes; }
static inline const uint8_t *aad_of(const struct head *head) { return head->bytes + head->call.nonce_len; }

/* The array's first n bytes: into place, or into memory of their own where they are more. NULL: no memory, or lengths
 * that do not fit. */
struct head *head_open(JNIEnv *env, jbyteArray array, jint n, struct head *place);
void head_close(struct head *head, const struct head *place);

#endif
