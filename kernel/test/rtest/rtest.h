/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of this folder share. */
#ifndef RTEST_H
#define RTEST_H

#include <crypto/aead.h>
#include <crypto/skcipher.h>

enum { TAG = 16 };

/* subject.c. A driver, of either kind, with a key. salted: of RFC 4106. Each answers 0, or an error. */
struct subject {
  struct crypto_aead *aead;
  struct aead_request *aead_req;
  struct crypto_skcipher *skcipher;
  struct skcipher_request *skcipher_req;
  struct crypto_wait wait;
  bool salted;
};
int rtest_open(struct subject *s, const char *driver, bool is_aead);
void rtest_close(struct subject *s);

/* A request: associated data of aad bytes, text of len bytes, and a tag of TAG bytes, or as many as were set. */
struct request {
  struct scatterlist *src, *dst;
  unsigned int aad, len;
  bool decrypts, must_not_sleep;
};
int rtest_ask(struct subject *s, const struct request *r);
/* Does the mode take a text of so many bytes? */
bool rtest_takes(const struct subject *s, unsigned int len);

/* long.c, empty.c, refused.c. other: a driver that computes the same. 0, or an error. */
int rijn_long_test(const char *driver, const char *other, bool is_aead);
int rijn_empty_test(const char *driver, const char *other, bool is_aead);
int rijn_refused_test(const char *driver, const char *other, bool is_aead);

/* watch.c. What was seen of sections of the vector unit since the last rtest_forget: how many there were; the bytes
 * that kernels were given, in all and in one section at most; the entries of lists that one went on to at most; how
 * often a request was about to yield; and how often a section began, or a request was about to yield, within one. */
struct seen {
  unsigned long sections, bytes, most_bytes, most_entries, yields, wrong;
};
void rtest_forget(void);
struct seen rtest_seen(void);

/* taken.c. Removes the ciphers that have drivers' names, if there are any. */
void rtest_give_back(void);

/* sections.c. 0, or an error. rtest_within: of what was seen last, whatever it was. */
int rtest_sections(const char *driver, bool is_aead);
int rtest_within(const char *driver);

#endif
