/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Linux's own tests of its algorithms, crypto/testmgr.c, as a module by itself, so that the fuzz tests, which no stock
 * kernel has, run in any. kernel/test/run.py builds it; testmgr.c is taken from the kernel's source package then, with
 * its function alg_test renamed. Behind them come two cases of an AEAD that they do not judge, and those of empty.c,
 * refused.c, long.c and sections.c. taken.c has a parameter of its own.
 *     echo "ALGORITHM DRIVER TYPE" > /sys/module/rtest/parameters/run
 * fails if the driver fails. Linux's log says why.
 */
#include "rtest.h"

#include <linux/crypto.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

/* What crypto_simd_usable() asks in a kernel that has those tests. */
DEFINE_PER_CPU(bool, crypto_simd_disabled_for_test);
EXPORT_PER_CPU_SYMBOL_GPL(crypto_simd_disabled_for_test);

int rijn_alg_test(const char *driver, const char *alg, u32 type, u32 mask);

enum { AAD = 16, IN = 0xa5, OUT = 0x5a };

/* The request's buffer, in pieces: the first ends within the associated data, the second within the text. */
static void cut(struct scatterlist sg[3], u8 *buf, unsigned int len) {
  sg_init_table(sg, 3);
  sg_set_buf(&sg[0], buf, 10);
  sg_set_buf(&sg[1], buf + 10, 43);
  sg_set_buf(&sg[2], buf + 53, len - 53);
}

/* A forged message: the text's place has zeros, and what is before and behind it is as it was. */
static int forged(struct aead_request *req, unsigned int text, bool in_place, bool whole) {
  unsigned int len = AAD + text + TAG;
  struct scatterlist src[3], dst[3];
  u8 iv[16] = {0}, *in = kmalloc(len, GFP_KERNEL), *out = in_place ? in : kmalloc(len, GFP_KERNEL);
  u8 was = in_place ? IN : OUT;
  int err = -ENOMEM;

  if (in != NULL && out != NULL) {
    memset(out, was, len);
    memset(in, IN, len);
    cut(src, in, len);
    cut(dst, out, len);
    if (whole) {
      sg_init_one(src, in, len);
      sg_init_one(dst, out, len);
    }
    aead_request_set_crypt(req, src, in_place ? src : dst, text + TAG, iv);
    aead_request_set_ad(req, AAD);
    err = crypto_aead_decrypt(req) == -EBADMSG ? 0 : -EIO;
    if (memchr_inv(out, was, AAD) || memchr_inv(out + AAD, 0, text) || memchr_inv(out + AAD + text, was, TAG))
      err = -EIO;
  }
  kfree(in);
  if (!in_place)
    kfree(out);
  return err;
}

/* More bytes than Linux counts within a scatterlist: refused before one is read, because they are not there. */
static int too_long(struct aead_request *req, bool encrypt) {
  struct scatterlist sg[2];
  u8 iv[16] = {0}, *buf = kzalloc(256, GFP_KERNEL);
  int err;

  if (buf == NULL)
    return -ENOMEM;
  sg_init_table(sg, 2);
  sg_set_buf(&sg[0], buf, UINT_MAX - 15);
  sg_set_buf(&sg[1], buf, 256);
  aead_request_set_crypt(req, sg, sg, 64, iv);
  aead_request_set_ad(req, UINT_MAX - 15);
  err = encrypt ? crypto_aead_encrypt(req) : crypto_aead_decrypt(req);
  kfree(buf);
  return err == -EINVAL ? 0 : -EIO;
}

static int aead_test(const char *driver) {
  static const u8 key[20] = {1};
  struct crypto_aead *tfm = crypto_alloc_aead(driver, 0, 0);
  struct aead_request *req;
  int i, err;

  if (IS_ERR(tfm))
    return PTR_ERR(tfm);
  req = aead_request_alloc(tfm, GFP_KERNEL);
  err = req != NULL ? crypto_aead_setkey(tfm, key, crypto_aead_ivsize(tfm) == 8 ? 20 : 16) : -ENOMEM;
  for (i = 0; i < 8 && err == 0; i++) /* WHY 65536: with the associated data it is more than one call of a kernel */
    err = forged(req, i & 1 ? 65536 : 100, i & 2, i & 4);
  for (i = 0; i < 2 && err == 0; i++)
    err = too_long(req, i != 0);
  aead_request_free(req);
  crypto_free_aead(tfm);
  return err;
}

/* Linux's own drivers in C of what is done piece by piece. */
static const struct {
  const char *alg, *driver;
} generic[] = {{"gcm(aes)", "gcm_base(ctr(aes-generic),ghash-generic)"},
               {"rfc4106(gcm(aes))", "rfc4106(gcm_base(ctr(aes-generic),ghash-generic))"},
               {"xts(aes)", "xts(ecb(aes-generic))"},
               {"ctr(aes)", "ctr(aes-generic)"},
               {"cbc(aes)", "cbc(aes-generic)"},
               {"ecb(aes)", "ecb(aes-generic)"}};

static int run(const char *line, const struct kernel_param *param) {
  char alg[64], driver[64];
  u32 type;
  int i, err;

  if (sscanf(line, "%63s %63s %u", alg, driver, &type) != 3)
    return -EINVAL;
  rtest_forget();
  err = rijn_alg_test(driver, alg, type, 0) ?: rtest_within(driver);
  if (err == 0 && type == CRYPTO_ALG_TYPE_AEAD)
    err = aead_test(driver);
  for (i = 0; i < ARRAY_SIZE(generic) && err == 0; i++)
    if (strcmp(alg, generic[i].alg) == 0)
      err = rijn_empty_test(driver, generic[i].driver, type == CRYPTO_ALG_TYPE_AEAD)
                ?: rijn_refused_test(driver, generic[i].driver, type == CRYPTO_ALG_TYPE_AEAD)
                ?: rijn_long_test(driver, generic[i].driver, type == CRYPTO_ALG_TYPE_AEAD);
  if (err == 0 && type != CRYPTO_ALG_TYPE_CIPHER)
    err = rtest_sections(driver, type == CRYPTO_ALG_TYPE_AEAD);
  pr_info("rtest: %s %s: %d\n", driver, alg, err);
  return err;
}
static const struct kernel_param_ops ops = {.set = run};
module_param_cb(run, &ops, NULL, 0200);

static int __init rtest_init(void) { return 0; }
static void __exit rtest_exit(void) { rtest_give_back(); }
module_init(rtest_init);
module_exit(rtest_exit);
MODULE_DESCRIPTION("Linux's tests of its algorithms, asked for one by one");
MODULE_LICENSE("GPL");
