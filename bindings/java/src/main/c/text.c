/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "text.h"

#include <stdlib.h>
#include <string.h>

#include "rijn.h"

void wipe(void *p, size_t n) {
  memset(p, 0, n);
  __asm__ volatile("" : : "r"(p) : "memory");
}

/* Where a direct buffer's bytes begin; NULL for an array. WHY bounds again, which Java has checked: two threads that
 * misuse one Cipher must not write elsewhere. */
static int side_open(JNIEnv *env, jobject side, bool direct, jint off, jlong need, uint8_t **at) {
  *at = NULL;
  jlong size = 0;
  if (direct) {
    uint8_t *base = (*env)->GetDirectBufferAddress(env, side);
    size = (*env)->GetDirectBufferCapacity(env, side);
    if (base == NULL || off < 0 || off > size) {
      return JNI_EBOUNDS;
    }
    *at = base + off;
  } else {
    size = (*env)->GetArrayLength(env, side);
  }
  return off >= 0 && need <= size - off ? 0 : JNI_EBOUNDS;
}

int text_open(JNIEnv *env, struct text *text, const struct call *call, jint kinds) {
  text->in_off = call->in_off;
  text->out_off = call->out_off;
  text->len = call->len;
  text->copy = kinds & COPY;
  if (call->len < 0) {
    return JNI_EBOUNDS;
  }
  int err =
      side_open(env, text->in, kinds & IN_DIRECT, call->in_off, (jlong)call->len + text->tag_read, &text->in_direct);
  if (err == 0) {
    err = side_open(env, text->out, kinds & OUT_DIRECT, call->out_off, (jlong)call->len + text->tag_written,
                    &text->out_direct);
  }
  if (err == 0 && text->tag_read > 0) {
    if (text->in_direct) {
      memcpy(text->tag, text->in_direct + call->len, (size_t)text->tag_read);
    } else {
      (*env)->GetByteArrayRegion(env, text->in, call->in_off + call->len, text->tag_read, (jbyte *)text->tag);
    }
  }
  return err;
}

void text_put_tag(JNIEnv *env, const struct text *text) {
  if (text->out_direct) {
    memcpy(text->out_direct + text->len, text->tag, (size_t)text->tag_written);
  } else {
    (*env)->SetByteArrayRegion(env, text->out, text->out_off + text->len, text->tag_written, (const jbyte *)text->tag);
  }
}

/* Heap arrays pass through memory of ours. WHY the output in the input's place: the text is not left there. WHY the
 * output is written where the tag does not match: it is zeros then. With other errors the memory still has the input,
 * and the array is left as it was, as with arrays that are held. */
static int run_copied(JNIEnv *env, struct text *text, work *f, void *context, uint8_t *copy, size_t at, size_t len) {
  uint8_t *in = text->in_direct ? text->in_direct + at : copy;
  if (text->in_direct == NULL) {
    (*env)->GetByteArrayRegion(env, text->in, text->in_off + (jint)at, (jint)len, (jbyte *)copy);
  }
  uint8_t *out = text->out_direct ? text->out_direct + at : copy;
  int err = f(context, out, in, len);
  if (text->out_direct == NULL && (err == 0 || err == RIJN_EAUTH)) {
    (*env)->SetByteArrayRegion(env, text->out, text->out_off + (jint)at, (jint)len, (const jbyte *)copy);
  }
  return err;
}

/* One slice, arrays held in place. No JNI call may stand between Get and Release. */
static int run_held(JNIEnv *env, struct text *text, work *f, void *context, size_t at, size_t len) {
  uint8_t *in_base = NULL, *out_base = NULL;
  uint8_t *in = text->in_direct, *out = text->out_direct;
  if (in == NULL) {
    in_base = (*env)->GetPrimitiveArrayCritical(env, text->in, NULL);
    in = in_base ? in_base + text->in_off : NULL;
  }
  if (out == NULL) {
    out_base = (*env)->GetPrimitiveArrayCritical(env, text->out, NULL);
    out = out_base ? out_base + text->out_off : NULL;
  }
  int err = in && out ? f(context, out + at, in + at, len) : JNI_EMEMORY;
  if (out_base) {
    (*env)->ReleasePrimitiveArrayCritical(env, text->out, out_base, 0);
  }
  if (in_base) {
    (*env)->ReleasePrimitiveArrayCritical(env, text->in, in_base, JNI_ABORT);
  }
  return err;
}

/* Through memory that is allocated: a text that may not be cut and is too long to be held, or pieces of one. */
static int run_allocated(JNIEnv *env, struct text *text, work *f, void *context, size_t piece) {
  size_t len = (size_t)text->len;
  uint8_t *copy = malloc(piece);
  int err = copy ? 0 : JNI_EMEMORY;
  for (size_t at = 0; err == 0 && at < len; at += piece) {
    err = run_copied(env, text, f, context, copy, at, len - at < piece ? len - at : piece);
  }
  if (copy) {
    wipe(copy, piece);
  }
  free(copy);
  return err;
}

int text_run(JNIEnv *env, struct text *text, work *f, void *context, bool cut) {
  size_t len = (size_t)text->len;
  if (text->in_direct && text->out_direct) {
    return f(context, text->out_direct, text->in_direct, len);
  }
  if (len <= TEXT_SHORT) {
    uint8_t copy[TEXT_SHORT];
    int err = run_copied(env, text, f, context, copy, 0, len);
    wipe(copy, len);
    return err;
  }
  if (text->copy || (!cut && len > TEXT_SLICE)) {
    return run_allocated(env, text, f, context, cut && len > TEXT_PIECE ? TEXT_PIECE : len);
  }
  if (len <= TEXT_SLICE) {
    return run_held(env, text, f, context, 0, len);
  }
  for (size_t at = 0; at < len; at += TEXT_SLICE) {
    size_t left = len - at;
    int err = run_held(env, text, f, context, at, left < TEXT_SLICE ? left : TEXT_SLICE);
    if (err != 0) {
      return err;
    }
  }
  return 0;
}
