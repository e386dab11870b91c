/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#ifndef RIJN_JNI_TEXT_H
#define RIJN_JNI_TEXT_H
/* How a call's text gets from Java to the library and back. */
#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_SHORT 1024          /* up to here heap arrays are copied, beyond they are held in place */
#define TEXT_SLICE (1024 * 1024) /* so much of a heap array is held at a time: a collection waits no longer */
#define TAG_MAX 16

#define TEXT_PIECE (64 * 1024) /* so much is copied at a time where heap arrays may not be held */

/* What Call.java writes at the start of its byte array. Nonce and associated data follow it there. */
struct call {
  jint in_off, len, out_off, nonce_len, aad_len, tag_len;
};

/* Which sides are direct buffers, the others are byte arrays; and whether these are copied, whatever their length. */
enum { IN_DIRECT = 1, OUT_DIRECT = 2, COPY = 4 };

/* Errors of this side, beside those of rijn.h. */
enum { JNI_EMEMORY = -100, JNI_EBOUNDS = -101 };

/* Does len bytes; out and in are as rijn.h wants them. */
typedef int work(void *context, uint8_t *out, const uint8_t *in, size_t len);

struct text {
  jobject in, out;
  jint in_off, out_off, len;
  jint tag_read, tag_written; /* bytes behind the text: in's are in tag before the work, out's come from it */
  uint8_t tag[TAG_MAX];
  uint8_t *in_direct, *out_direct; /* NULL: a byte array */
  bool copy;
};

/* Takes the sides of a call, checks that text and tag lie inside, and reads in's tag. 0, or a negative error. */
int text_open(JNIEnv *env, struct text *text, const struct call *call, jint kinds);
/* The whole text by one call of f, or, where it may be cut, by slices. The first result that is not 0. */
int text_run(JNIEnv *env, struct text *text, work *f, void *context, bool cut);
/* Writes the tag behind the output. */
void text_put_tag(JNIEnv *env, const struct text *text);
void wipe(void *p, size_t n);

#endif
