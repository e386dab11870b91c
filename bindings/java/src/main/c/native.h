/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#ifndef RIJN_JNI_NATIVE_H
#define RIJN_JNI_NATIVE_H
#include <jni.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "rijn.h"

/* What Memory.java holds. */
enum {
  MEMORY_GCM_KEY,
  MEMORY_GCM_STREAM,
  MEMORY_AES_KEY,
  MEMORY_XTS_KEY,
  MEMORY_CTR_STATE,
  MEMORY_SIV_KEY,
  MEMORY_KINDS
};

/* What Native.java asks the addresses of. */
enum { FUNCTION_ENCRYPT, FUNCTION_DECRYPT };

/* States that calls change. WHY busy: two threads that misuse one Cipher get an error, not a state that neither of them
 * made. */
struct gcm_state {
  rijn_gcm_stream stream;
  atomic_bool busy;
};
struct ctr_state {
  rijn_ctr_state state;
  atomic_bool busy;
};

static inline bool take(atomic_bool *busy) { return !atomic_exchange_explicit(busy, true, memory_order_acquire); }
static inline void give(atomic_bool *busy) { atomic_store_explicit(busy, false, memory_order_release); }

#endif
