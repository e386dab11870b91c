/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A driver with a key, and a request to it. */
#include "rtest.h"

#include <linux/scatterlist.h>

void rtest_close(struct subject *s) {
  aead_request_free(s->aead_req);
  skcipher_request_free(s->skcipher_req);
  if (s->aead != NULL)
    crypto_free_aead(s->aead);
  if (s->skcipher != NULL)
    crypto_free_skcipher(s->skcipher);
}

static int open_aead(struct subject *s, const char *driver, const u8 *key) {
  struct crypto_aead *tfm = crypto_alloc_aead(driver, 0, 0);

  if (IS_ERR(tfm))
    return PTR_ERR(tfm);
  s->aead = tfm;
  s->salted = crypto_aead_ivsize(tfm) == 8;
  s->aead_req = aead_request_alloc(tfm, GFP_KERNEL);
  if (s->aead_req == NULL)
    return -ENOMEM;
  return crypto_aead_setkey(tfm, key, s->salted ? 20 : 16);
}

static int open_skcipher(struct subject *s, const char *driver, const u8 *key) {
  struct crypto_skcipher *tfm = crypto_alloc_skcipher(driver, 0, 0);

  if (IS_ERR(tfm))
    return PTR_ERR(tfm);
  s->skcipher = tfm;
  s->skcipher_req = skcipher_request_alloc(tfm, GFP_KERNEL);
  if (s->skcipher_req == NULL)
    return -ENOMEM;
  return crypto_skcipher_setkey(tfm, key, crypto_skcipher_max_keysize(tfm));
}

int rtest_open(struct subject *s, const char *driver, bool is_aead) {
  static const u8 key[64] = {1, [40] = 2};

  *s = (struct subject){0};
  crypto_init_wait(&s->wait);
  return is_aead ? open_aead(s, driver, key) : open_skcipher(s, driver, key);
}

bool rtest_takes(const struct subject *s, unsigned int len) {
  const char *name = s->skcipher == NULL ? "" : crypto_tfm_alg_name(crypto_skcipher_tfm(s->skcipher));

  if (strncmp(name, "xts", 3) == 0)
    return len >= 16;
  return len % 16 == 0 || s->skcipher == NULL || strncmp(name, "ctr", 3) == 0;
}

int rtest_ask(struct subject *s, const struct request *r) {
  u32 flags = r->must_not_sleep ? 0 : CRYPTO_TFM_REQ_MAY_SLEEP;
  u8 iv[16] = {1, 2, 3};

  if (s->aead != NULL) {
    aead_request_set_callback(s->aead_req, flags, crypto_req_done, &s->wait);
    aead_request_set_ad(s->aead_req, r->aad);
    aead_request_set_crypt(s->aead_req, r->src, r->dst, r->len + (r->decrypts ? crypto_aead_authsize(s->aead) : 0), iv);
    return crypto_wait_req(r->decrypts ? crypto_aead_decrypt(s->aead_req) : crypto_aead_encrypt(s->aead_req), &s->wait);
  }
  skcipher_request_set_callback(s->skcipher_req, flags, crypto_req_done, &s->wait);
  skcipher_request_set_crypt(s->skcipher_req, r->src, r->dst, r->len, iv);
  return crypto_wait_req(
      r->decrypts ? crypto_skcipher_decrypt(s->skcipher_req) : crypto_skcipher_encrypt(s->skcipher_req), &s->wait);
}
