/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is to be refused: keys, tags, texts and associated data of wrong lengths, with the errors of Linux's drivers in
 * C; and lists that are too short, which those do not look for. A request that is refused writes nothing.
 */
#include "rtest.h"

#include <linux/scatterlist.h>
#include <linux/slab.h>

enum { ROOM = 256, WAS = 0x5a };

/* ---------------------------------------------------------------- lengths */

static int set_key(struct subject *s, const u8 *key, unsigned int len) {
  return s->aead != NULL ? crypto_aead_setkey(s->aead, key, len) : crypto_skcipher_setkey(s->skcipher, key, len);
}

/* The key is the last that both take. */
static int keys(struct subject *s, struct subject *other) {
  static const u8 key[80] = {1, [40] = 2};
  unsigned int len, taken = 0, last = 0;
  int err;

  for (len = 0; len <= sizeof key; len++) {
    err = set_key(s, key, len);
    if (err != set_key(other, key, len))
      return -EIO;
    taken += err == 0;
    last = err == 0 ? len : last;
  }
  return taken == 3 && set_key(s, key, last) == 0 && set_key(other, key, last) == 0 ? 0 : -EIO;
}

static int tags(struct subject *s, struct subject *other) {
  unsigned int len, taken = 0;
  int err;

  for (len = 0; len <= 20; len++) {
    err = crypto_aead_setauthsize(s->aead, len);
    if (err != crypto_aead_setauthsize(other->aead, len))
      return -EIO;
    taken += err == 0;
  }
  return taken == (s->salted ? 3 : 7) ? crypto_aead_setauthsize(s->aead, TAG) : -EIO;
}

/* Of all lengths to 40: those that Linux takes are taken, the others get its error. */
static int texts(struct subject *s, struct subject *other, u8 *bytes) {
  unsigned int n;
  int err, way;

  for (n = 0; n <= 40; n++)
    for (way = 0; way < 2; way++) {
      struct scatterlist sg;
      struct request q = {&sg, &sg, s->aead != NULL ? n : 0, s->aead != NULL ? 32 : n, false};
      memset(bytes, WAS, ROOM);
      sg_init_one(&sg, bytes, ROOM);
      err = rtest_ask(way ? other : s, &q);
      if (err != (s->salted && n != 16 && n != 20 ? -EINVAL : rtest_takes(s, q.len) ? 0 : -EINVAL))
        return -EIO;
      /* WHY not `other`: Linux's CBC and ECB in C write the whole blocks before they look. */
      if (err != 0 && !way && memchr_inv(bytes, WAS, ROOM) != NULL)
        return -EIO;
    }
  return 0;
}

/* ---------------------------------------------------------------- lists */

/* A list of `have` bytes in one piece, or in two and an empty one. */
static void lay_out(struct scatterlist sg[3], u8 *bytes, unsigned int have, bool in_pieces) {
  sg_init_table(sg, in_pieces ? 3 : 1);
  sg_set_buf(&sg[0], bytes, in_pieces ? have / 2 : have);
  if (in_pieces) {
    sg_set_buf(&sg[1], bytes + have / 2, have - have / 2);
    sg_set_buf(&sg[2], bytes, 0);
  }
}

/* One of the lists lacks some of its last bytes. */
static int one(struct subject *s, u8 *in, u8 *out, unsigned int lacks, unsigned int how) {
  bool decrypts = how & 1, in_pieces = how & 2, in_place = how & 4, short_in = how & 8;
  unsigned int aad = s->aead != NULL ? 16 : 0, tag = s->aead != NULL ? TAG : 0, all = aad + 48 + tag;
  unsigned int need_in = in_place || decrypts ? all : all - tag, need_out = decrypts ? all - tag : all;
  struct scatterlist src[3], dst[3];
  struct request q = {src, in_place ? src : dst, aad, 48, decrypts};

  memset(in, WAS, ROOM);
  memset(out, WAS, ROOM);
  lay_out(src, in, need_in - (short_in ? lacks : 0), in_pieces);
  lay_out(dst, out, need_out - (short_in ? 0 : lacks), in_pieces);
  if (rtest_ask(s, &q) != -EINVAL || memchr_inv(in, WAS, ROOM) != NULL || memchr_inv(out, WAS, ROOM) != NULL)
    return -EIO;
  return 0;
}

static int short_lists(struct subject *s, u8 *in, u8 *out) {
  /* WHY these: of the last piece, a tag or a block, text, associated data. */
  static const unsigned int lack[] = {1, 16, 40};
  unsigned int i, how;
  int err = 0;

  for (i = 0; i < ARRAY_SIZE(lack); i++)
    for (how = 0; how < 16 && err == 0; how++)
      if (!(how & 4) || (how & 8))
        err = one(s, in, out, lack[i], how);
  return err;
}

int rijn_refused_test(const char *driver, const char *other, bool is_aead) {
  struct subject s, o = {0};
  u8 *bytes = kmalloc(2 * ROOM, GFP_KERNEL);
  int err = bytes != NULL ? 0 : -ENOMEM, opened = rtest_open(&s, driver, is_aead);

  err = err ?: opened ?: rtest_open(&o, other, is_aead);
  err = err ?: keys(&s, &o);
  if (err == 0 && is_aead)
    err = tags(&s, &o);
  err = err ?: texts(&s, &o, bytes) ?: short_lists(&s, bytes, bytes + ROOM);
  if (err != 0)
    pr_err("rtest: alg: %s: what is to be refused: %d\n", driver, err);
  rtest_close(&s);
  rtest_close(&o);
  kfree(bytes);
  return err;
}
