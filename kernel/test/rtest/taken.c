/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of drivers that somebody else has already.
 *     echo DRIVER ... > /sys/module/rtest/parameters/taken
 * registers ciphers of no use as algorithms of those names, so that Linux refuses drivers that are called so. It
 * removes those of the line before.
 */
#include <crypto/algapi.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/string.h>

#include "rtest.h"

static int set_key(struct crypto_tfm *tfm, const u8 *key, unsigned int len) { return 0; }
static void crypt(struct crypto_tfm *tfm, u8 *out, const u8 *in) {}

static struct crypto_alg ciphers[8];
static int taken;

void rtest_give_back(void) {
  while (taken > 0) {
    struct crypto_alg *alg = &ciphers[--taken];

    while (refcount_read(&alg->cra_refcnt) != 1) /* WHY: from Linux 6.12 on it is still being tested for a while */
      msleep(1);
    crypto_unregister_alg(alg);
  }
}

static int take(const char *line, const struct kernel_param *param) {
  char name[CRYPTO_MAX_ALG_NAME];
  int n, err = 0;

  rtest_give_back();
  for (; err == 0 && sscanf(line, " %127s%n", name, &n) == 1; line += n) {
    if (taken == ARRAY_SIZE(ciphers))
      return -ENOSPC;
    ciphers[taken] = (struct crypto_alg){.cra_flags = CRYPTO_ALG_TYPE_CIPHER,
                                         .cra_blocksize = 16,
                                         .cra_module = THIS_MODULE,
                                         .cra_cipher = {.cia_min_keysize = 16,
                                                        .cia_max_keysize = 16,
                                                        .cia_setkey = set_key,
                                                        .cia_encrypt = crypt,
                                                        .cia_decrypt = crypt}};
    strscpy(ciphers[taken].cra_name, name, sizeof name);
    snprintf(ciphers[taken].cra_driver_name, sizeof name, "taken-%d", taken);
    err = crypto_register_alg(&ciphers[taken]);
    taken += err == 0;
  }
  return err;
}
static const struct kernel_param_ops ops = {.set = take};
module_param_cb(taken, &ops, NULL, 0200);
