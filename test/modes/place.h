/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Where a text lies: right before a guard page, right behind one, or anywhere in poison; out of place or in place. */
#ifndef PLACE_H
#define PLACE_H

#include "t.h"

/* Without libcrypto the reference is a slow model: every so many lengths, then. */
#ifdef RIJN_REF_LIBCRYPTO
#define STRIDE 1
#else
#define STRIDE 7
#endif

enum { PLACE_END, PLACE_START, PLACE_BETWEEN, PLACES };

struct place {
  t_buf in_buf, out_buf;
  const t_buf *ob; /* where out lies */
  uint8_t *in, *out;
};

static inline void place_init(struct place *p, size_t room) {
  p->in_buf = t_buf_new(room + 64);
  p->out_buf = t_buf_new(room + 64);
}

static inline void place_free(struct place *p) {
  t_buf_free(&p->in_buf);
  t_buf_free(&p->out_buf);
}

static inline uint8_t *place_at(const t_buf *b, int how, size_t n) {
  return how == PLACE_END ? t_end(b, n) : t_start(b, how == PLACE_START ? 0 : t_below(64));
}

/* Puts n bytes of text into in, and poison into and around out. */
static inline void place(struct place *p, int how, bool in_place, const uint8_t *text, size_t n) {
  p->in = place_at(&p->in_buf, how, n);
  p->ob = in_place ? &p->in_buf : &p->out_buf;
  p->out = in_place ? p->in : place_at(p->ob, how, n);
  t_poison(p->ob, p->out, n);
  memcpy(p->in, text, n);
}

/* After the call: out is as wanted, nothing beside it was written, and out of place the text is still there. */
#define PLACE_CHECK(p, text, want, n)                                                                                  \
  do {                                                                                                                 \
    CHECK_MEM((p)->out, want, n);                                                                                      \
    CHECK_POISON((p)->ob, (p)->out, n);                                                                                \
    if ((p)->out != (p)->in)                                                                                           \
      CHECK_MEM((p)->in, text, n);                                                                                     \
  } while (0)

#endif
