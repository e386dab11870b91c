/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How long requests hold the vector unit, by the account of watch.c, and where they yield. */
#include "rtest.h"

#include <linux/scatterlist.h>
#include <linux/slab.h>

/* LIMIT: RIJN_ONE_CALL of kernel/glue.h. MOST_ENTRIES: of two lists, each of whose entries counts as 256 bytes at
 * least; and one of each, for which there was no room any more. */
enum { LIMIT = 65536, MOST_ENTRIES = 2 * LIMIT / 256 + 2, ALL = 262144, PIECES = 1280, BLOCK = 16 };

int rtest_within(const char *driver) {
  struct seen seen = rtest_seen();

  if (seen.most_bytes <= LIMIT && seen.most_entries <= MOST_ENTRIES && seen.wrong == 0)
    return 0;
  pr_err("rtest: alg: %s: a section of the vector unit had %lu bytes, or %lu pieces; %lu times one began, or the "
         "request yielded, within it\n",
         driver, seen.most_bytes, seen.most_entries, seen.wrong);
  return -ERANGE;
}

/* Associated data and text, cut into pieces of so many bytes; empty: so many empty ones stand behind each. */
struct shape {
  unsigned int aad, len, piece, empty;
};

static int lay_out(struct scatterlist *sg, u8 *bytes, const struct shape *of, unsigned int all) {
  unsigned int at, n = 0, i;

  sg_init_table(sg, PIECES);
  for (at = 0; at < all; at += of->piece) {
    if (n + of->empty + 1 > PIECES)
      return -E2BIG;
    sg_set_buf(&sg[n++], bytes + at, min(of->piece, all - at));
    for (i = 0; i < of->empty; i++)
      sg_set_buf(&sg[n++], bytes, 0);
  }
  sg_mark_end(&sg[n - 1]);
  return 0;
}

/* CBC takes longer to encrypt: a fourth is the limit there. */
static unsigned int limit_of(const struct subject *s, const struct request *q) {
  bool cbc = s->skcipher != NULL && strncmp(crypto_tfm_alg_name(crypto_skcipher_tfm(s->skcipher)), "cbc", 3) == 0;
  return cbc && !q->decrypts ? LIMIT / 4 : LIMIT;
}

/* Of a set with vectors: no section is too long, all of the request went through kernels but for parts of blocks, and
 * it yields between two sections if it may. */
static int as_it_is_to_be(const struct subject *s, const struct shape *of, const struct request *q) {
  struct seen seen = rtest_seen();
  unsigned int work = (s->salted ? q->aad - 8 : q->aad) + q->len, all = q->aad + q->len + (s->aead != NULL ? TAG : 0);
  unsigned int parts = BLOCK * (2 + all / of->piece + 1), limit = limit_of(s, q);

  if (seen.sections == 0 || seen.bytes + parts < work || seen.bytes > work + BLOCK)
    return -EIO;
  if (seen.yields != (q->must_not_sleep ? 0 : seen.sections - 1))
    return -EBUSY;
  if (seen.most_bytes > limit)
    return -ERANGE;
  /* A section is as long as it may be: else there would be more of them than is needed. */
  return of->piece < 4096 || of->empty != 0 || seen.sections <= work / limit + 1 ? 0 : -ERANGE;
}

static int one(const char *driver, struct subject *s, const struct shape *of, u8 *bytes, struct scatterlist *sg,
               bool must_not_sleep) {
  unsigned int aad = s->aead == NULL ? 0 : s->salted ? 16 : of->aad, all = aad + of->len + (s->aead != NULL ? TAG : 0);
  struct request q = {sg, sg, aad, of->len, false, must_not_sleep};
  bool vectors = strstr(driver, "-portable") == NULL;
  int way, err = lay_out(sg, bytes, of, all);

  for (way = 0; way < 2 && err == 0; way++) {
    q.decrypts = way;
    rtest_forget();
    err = rtest_ask(s, &q) ?: rtest_within(driver);
    if (err == 0 && vectors)
      err = as_it_is_to_be(s, of, &q);
    if (err == 0 && !vectors && rtest_seen().sections != 0)
      err = -EIO;
  }
  if (err != 0) {
    struct seen seen = rtest_seen();
    pr_err("rtest: alg: %s: aad %u, text %u, pieces of %u, %s: error %d, %lu sections, %lu bytes, at most %lu in one, "
           "yielded %lu times\n",
           driver, aad, of->len, of->piece, q.decrypts ? "decryption" : "encryption", err, seen.sections, seen.bytes,
           seen.most_bytes, seen.yields);
  }
  return err;
}

int rtest_sections(const char *driver, bool is_aead) {
  static const struct shape shapes[] = {
      {16, 64, ALL, 0},      {16, LIMIT - 16, ALL, 0}, {16, LIMIT, ALL, 0},          {16, LIMIT + 16, ALL, 0},
      {16, 200000, ALL, 0},  {16, 200000, 70001, 0},   {16, 200000, 4096, 3},        {16, 200000, 257, 0},
      {16, 1200, 1, 0},      {16, 16000, 17, 0},       {LIMIT, 16, ALL, 0},          {200000, 16, ALL, 0},
      {200000, 16, 1000, 1}, {1000, 160, 1, 0},        {100000, 100000, 33333, 150},
  };
  struct subject s;
  u8 *bytes = kzalloc(ALL, GFP_KERNEL);
  struct scatterlist *sg = kmalloc_array(PIECES, sizeof *sg, GFP_KERNEL);
  int i, err = rtest_open(&s, driver, is_aead);

  if (bytes == NULL || sg == NULL)
    err = -ENOMEM;
  for (i = 0; i < 2 * ARRAY_SIZE(shapes) && err == 0; i++)
    err = one(driver, &s, &shapes[i / 2], bytes, sg, i & 1);
  rtest_close(&s);
  kfree(bytes);
  kfree(sg);
  return err;
}
