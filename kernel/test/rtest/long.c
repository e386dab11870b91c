/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests of several sections of the vector unit (kernel/glue.h), compared with Linux's own drivers in C, and requests
 * that overlap themselves.
 */
#include "rtest.h"

#include <linux/scatterlist.h>
#include <linux/slab.h>

enum { LEN = 200003, SPACE = 4096, ROOM = LEN + SPACE, PIECES = 1024 };
/* How many pieces of which length, one behind the other, again and again. WHY 300 of a byte: they are a section by
 * themselves, for each counts as 256 bytes. */
static const struct {
  unsigned int times, len;
} cuts[] = {{300, 1}, {1, 65537}, {2, 0}, {3, 4095}, {40, 17}, {300, 0}, {1, 16}, {1, 70001}, {5, 33}, {1, 8192}};

struct room {
  u8 *bytes;
  struct scatterlist *sg;
};
struct rooms {
  struct room in, out, expected;
};

/* ---------------------------------------------------------------- long ones, in pieces */

/* A room in pieces: a cut of cuts after the other, from number first on. Behind the last byte the list goes on where
 * nothing can be read. */
static int lay_out(struct room *r, unsigned int len, unsigned int first) {
  unsigned int at = 0, n = 0, cut = first, i, here;

  sg_init_table(r->sg, PIECES);
  for (;; cut = (cut + 1) % ARRAY_SIZE(cuts))
    for (i = 0; i < cuts[cut].times; i++, n++, at += here) {
      if (n == PIECES - 1)
        return -E2BIG;
      here = min(cuts[cut].len, len - at);
      sg_set_buf(&r->sg[n], r->bytes + at, here);
      if (at + here == len) {
        __sg_chain(&r->sg[n + 1], (struct scatterlist *)sizeof *r->sg);
        return 0;
      }
    }
}

/* In pieces, which are others in and out unless it is in place, what `other` makes in one piece; and the way back. */
static int both_ways(struct subject *s, struct subject *other, struct rooms *r, const struct request *of,
                     bool in_place) {
  bool is_aead = s->aead != NULL;
  unsigned int aad = is_aead ? of->aad : 0, all = aad + of->len + (is_aead ? TAG : 0), i;
  struct room *out = in_place ? &r->in : &r->out;
  struct scatterlist one;
  struct request q = {&one, &one, aad, of->len, false};
  int err;

  for (i = 0; i < ROOM; i++)
    r->in.bytes[i] = r->expected.bytes[i] = i * 7 + i / 251;
  memcpy(r->out.bytes, r->in.bytes, aad);
  sg_init_one(&one, r->expected.bytes, all);
  err = rtest_ask(other, &q);
  q.src = r->in.sg;
  q.dst = out->sg;
  err = err ?: lay_out(&r->in, all, 0) ?: lay_out(&r->out, all, 5) ?: rtest_ask(s, &q);
  if (err != 0 || memcmp(out->bytes, r->expected.bytes, all) != 0)
    return err ?: -EIO;
  swap(q.src, q.dst);
  q.decrypts = true;
  err = rtest_ask(s, &q);
  for (i = aad; i < aad + of->len && err == 0; i++)
    if (r->in.bytes[i] != (u8)(i * 7 + i / 251))
      err = -EIO;
  return err;
}

static int long_ones(struct subject *s, struct subject *other, struct rooms *r) {
  /* WHY these lengths: one end of an XTS unit steals, the other does not. */
  static const struct request of[] = {
      {.aad = 16, .len = LEN - 19}, {.aad = 16, .len = LEN}, {.aad = 3000, .len = LEN - 4}};
  struct request one;
  int i, err = 0;

  for (i = 0; i < 2 * ARRAY_SIZE(of) && err == 0; i++) {
    one = of[i / 2];
    if (!rtest_takes(s, one.len))
      one.len = round_down(one.len, 16);
    if (one.aad == 16 || !s->salted)
      err = both_ways(s, other, r, &one, i % 2);
  }
  return err;
}

/* ---------------------------------------------------------------- those that overlap themselves */

/* Text in one piece, as it is and as it is to be, by a block apart: an error, and nothing is written. in_pieces: the
 * associated data is, and is long. */
static int overlaps(struct subject *s, struct room *r, unsigned int len, bool decrypts, bool in_pieces) {
  bool is_aead = s->aead != NULL;
  unsigned int aad = !is_aead ? 0 : in_pieces ? 100 : 16, end = len + (is_aead ? TAG : 0), i;
  struct scatterlist src[3], dst[3];
  struct request q = {src, dst, aad, len, decrypts};

  memset(r->bytes, 0x5a, ROOM);
  sg_init_table(src, in_pieces ? 3 : 1);
  sg_init_table(dst, in_pieces ? 3 : 1);
  if (in_pieces) {
    sg_set_buf(&src[0], r->bytes, 40);
    sg_set_buf(&src[1], r->bytes + 50, 60);
    sg_set_buf(&src[2], r->bytes + 1000, end);
    memcpy(dst, src, sizeof dst);
    sg_set_buf(&dst[2], r->bytes + 1016, end);
  } else {
    sg_set_buf(&src[0], r->bytes + 1000, aad + end);
    sg_set_buf(&dst[0], r->bytes + 1016, aad + end);
  }
  for (i = 0; i < 2; i++) {
    if (rtest_ask(s, &q) != -EINVAL || memchr_inv(r->bytes, 0x5a, ROOM) != NULL)
      return -EIO;
    swap(q.src, q.dst);
  }
  return 0;
}

static int overlaps_all(struct subject *s, struct room *r) {
  static const unsigned int lens[] = {64, 4096, 65520, 65536, 65552, LEN};
  int i, err = 0;

  for (i = 0; i < 4 * ARRAY_SIZE(lens) && err == 0; i++)
    if (!(i & 1) || (s->aead != NULL && !s->salted))
      err = overlaps(s, r, lens[i / 4], i & 2, i & 1);
  return err;
}

/* ---------------------------------------------------------------- all */

static int room_open(struct room *r) {
  r->bytes = kmalloc(ROOM, GFP_KERNEL);
  r->sg = kmalloc_array(PIECES, sizeof *r->sg, GFP_KERNEL);
  return r->bytes != NULL && r->sg != NULL ? 0 : -ENOMEM;
}
static void room_close(struct room *r) {
  kfree(r->bytes);
  kfree(r->sg);
}

int rijn_long_test(const char *driver, const char *other, bool is_aead) {
  struct subject s, o = {0};
  struct rooms r = {0};
  int err = rtest_open(&s, driver, is_aead);

  err = err ?: rtest_open(&o, other, is_aead) ?: room_open(&r.in) ?: room_open(&r.out) ?: room_open(&r.expected);
  if (err == 0) {
    err = long_ones(&s, &o, &r);
    if (err != 0)
      pr_err("rtest: alg: %s: long, in pieces: %d\n", driver, err);
  }
  if (err == 0 && (is_aead || strncmp(driver, "xts", 3) == 0)) {
    err = overlaps_all(&s, &r.in);
    if (err != 0)
      pr_err("rtest: alg: %s: overlaps itself: %d\n", driver, err);
  }
  rtest_close(&s);
  rtest_close(&o);
  room_close(&r.in);
  room_close(&r.out);
  room_close(&r.expected);
  return err;
}
