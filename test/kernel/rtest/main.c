/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Linux's own tests of its algorithms, crypto/testmgr.c, as a module by itself, so that the fuzz tests, which no stock
 * kernel has, run in any. test/kernel/boot.py builds it; testmgr.c is taken from the kernel's source package then, with
 * its function alg_test renamed.
 *     echo "ALGORITHM DRIVER TYPE" > /sys/module/rtest/parameters/run
 * fails if the driver fails. Linux's log says why.
 */
#include <linux/module.h>
#include <linux/percpu.h>

/* What crypto_simd_usable() asks in a kernel that has those tests. */
DEFINE_PER_CPU(bool, crypto_simd_disabled_for_test);
EXPORT_PER_CPU_SYMBOL_GPL(crypto_simd_disabled_for_test);

int rijn_alg_test(const char *driver, const char *alg, u32 type, u32 mask);

static int run(const char *line, const struct kernel_param *param) {
  char alg[64], driver[64];
  u32 type;
  int err;

  if (sscanf(line, "%63s %63s %u", alg, driver, &type) != 3)
    return -EINVAL;
  err = rijn_alg_test(driver, alg, type, 0);
  pr_info("rtest: %s %s: %d\n", driver, alg, err);
  return err;
}
static const struct kernel_param_ops ops = {.set = run};
module_param_cb(run, &ops, NULL, 0200);

static int __init rtest_init(void) { return 0; }
static void __exit rtest_exit(void) {}
module_init(rtest_init);
module_exit(rtest_exit);
MODULE_DESCRIPTION("Linux's tests of its algorithms, asked for one by one");
MODULE_LICENSE("GPL");
