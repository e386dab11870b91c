/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests with empty pieces: before the first byte, behind the last, and within associated data, text and tag. Linux's
 * drivers in C, which get one piece, say what is to come of them.
 */
#include "rtest.h"

#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

enum { MOST = 512, ROOM = 640, PIECES = 400, WAS = 0x5a };

struct room {
  u8 *bytes;
  struct scatterlist *sg;
};
struct rooms {
  struct room in, out;
  u8 *expected, *page;
};

/* The first bytes of a room in pieces of so many bytes. Before each and behind the last are three empty ones: at the
 * beginning of a page, within it, and without a page. */
static void lay_out(const struct rooms *all, struct room *r, unsigned int len, unsigned int piece) {
  unsigned int at = 0, n = 0, here;

  sg_init_table(r->sg, PIECES);
  for (;; at += here) {
    sg_set_buf(&r->sg[n++], all->page, 0);
    sg_set_buf(&r->sg[n++], all->page + 100, 0);
    n++;
    here = min(piece, len - at);
    if (here == 0)
      break;
    sg_set_buf(&r->sg[n++], r->bytes + at, here);
  }
  sg_mark_end(&r->sg[n - 1]);
}

/* Has the text's place what it is to have, and is all behind `all` as it was? */
static bool as_it_is_to_be(const struct room *r, const u8 *text, unsigned int at, unsigned int len, unsigned int all) {
  return memcmp(r->bytes + at, text, len) == 0 && memchr_inv(r->bytes + all, WAS, ROOM - all) == NULL;
}

/* There, back, and a forgery. */
static int one(struct subject *s, struct subject *other, struct rooms *r, const struct request *of, unsigned int piece,
               bool in_place) {
  unsigned int tag = s->aead != NULL ? crypto_aead_authsize(s->aead) : 0, all = of->aad + of->len + tag, i;
  struct room *out = in_place ? &r->in : &r->out;
  struct request q = *of;
  struct scatterlist whole;
  u8 text[MOST];
  int err;

  memset(r->in.bytes, WAS, ROOM);
  memset(r->out.bytes, WAS, ROOM);
  for (i = 0; i < all; i++)
    r->in.bytes[i] = r->expected[i] = i * 7 + 1;
  memcpy(text, r->expected + of->aad, of->len);
  memcpy(out->bytes, r->expected, of->aad);
  sg_init_one(&whole, r->expected, all);
  q.src = q.dst = &whole;
  lay_out(r, &r->in, all, piece);
  lay_out(r, &r->out, all, piece + 4);
  err = of->len + tag != 0 ? rtest_ask(other, &q) : 0;
  q.src = r->in.sg;
  q.dst = out->sg;
  err = err ?: rtest_ask(s, &q);
  if (err != 0 || !as_it_is_to_be(out, r->expected, 0, all, all))
    return err ?: -EIO;
  swap(q.src, q.dst);
  q.decrypts = true;
  err = rtest_ask(s, &q);
  if (err != 0 || !as_it_is_to_be(&r->in, text, of->aad, of->len, all))
    return err ?: -EIO;
  if (s->aead == NULL)
    return 0;
  memcpy(out->bytes, r->expected, all);
  out->bytes[all - 1] ^= 1;
  memset(text, 0, of->len);
  if (rtest_ask(s, &q) != -EBADMSG || !as_it_is_to_be(&r->in, text, of->aad, of->len, all))
    return -EIO;
  return 0;
}

static int lengths(struct subject *s, struct subject *other, struct rooms *r) {
  static const unsigned int aads[] = {16, 20, 0, 100}, lens[] = {0, 1, 16, 40, 48, 304}, cuts[] = {5, 16, 33};
  unsigned int i, j, k, tag = s->aead != NULL ? crypto_aead_authsize(s->aead) : 0;
  struct request of = {0};
  int err = 0;

  for (i = 0; i < (s->salted ? 2 : s->aead != NULL ? ARRAY_SIZE(aads) : 1); i++)
    for (j = 0; j < ARRAY_SIZE(lens); j++)
      for (k = 0; k < 2 * ARRAY_SIZE(cuts); k++) {
        of.aad = s->aead != NULL ? aads[i] : 0;
        of.len = lens[j];
        if (rtest_takes(s, of.len))
          err = one(s, other, r, &of, cuts[k / 2], k % 2);
        if (err != 0) {
          pr_err("rtest: alg: aad %u, text %u, tag %u, pieces of %u, with empty ones: %d\n", of.aad, of.len, tag,
                 cuts[k / 2], err);
          return err;
        }
      }
  return 0;
}

static int tags(struct subject *s, struct subject *other, struct rooms *r) {
  static const unsigned int tags[] = {16, 12, 8};
  int i, err = s->aead == NULL ? lengths(s, other, r) : 0;

  for (i = 0; i < ARRAY_SIZE(tags) && s->aead != NULL && err == 0; i++)
    err = crypto_aead_setauthsize(s->aead, tags[i])
              ?: crypto_aead_setauthsize(other->aead, tags[i]) ?: lengths(s, other, r);
  return err;
}

static int room_open(struct room *r) {
  r->bytes = kmalloc(ROOM, GFP_KERNEL);
  r->sg = kmalloc_array(PIECES, sizeof *r->sg, GFP_KERNEL);
  return r->bytes != NULL && r->sg != NULL ? 0 : -ENOMEM;
}

int rijn_empty_test(const char *driver, const char *other, bool is_aead) {
  struct subject s, o = {0};
  struct rooms r = {.expected = kmalloc(ROOM, GFP_KERNEL), .page = (u8 *)__get_free_page(GFP_KERNEL)};
  int err = rtest_open(&s, driver, is_aead);

  err = err ?: rtest_open(&o, other, is_aead) ?: room_open(&r.in) ?: room_open(&r.out);
  if (r.expected == NULL || r.page == NULL)
    err = -ENOMEM;
  err = err ?: tags(&s, &o, &r);
  if (err != 0)
    pr_err("rtest: alg: %s: with empty pieces: %d\n", driver, err);
  rtest_close(&s);
  rtest_close(&o);
  kfree(r.in.bytes);
  kfree(r.in.sg);
  kfree(r.out.bytes);
  kfree(r.out.sg);
  kfree(r.expected);
  free_page((unsigned long)r.page);
  return err;
}
