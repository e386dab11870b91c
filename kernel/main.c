/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The module: which sets are registered, under which names, with which priority. */
#include "glue.h"

#include <linux/fips.h>
#include <linux/init.h>
#include <linux/slab.h>

/* PRIORITY_CHOSEN is above Linux's drivers that run on the processor. PRIORITY_OTHERS is below all of Linux's: whoever
 * names no driver gets such a set only while neither the chosen one nor Linux has the algorithm. */
enum { PRIORITY_CHOSEN = IS_ENABLED(CONFIG_PPC64) ? 2100 : 1000, PRIORITY_OTHERS = 1 };

static int priority = PRIORITY_CHOSEN;
module_param(priority, int, 0444);
MODULE_PARM_DESC(priority, "priority of the chosen instruction set; Linux's drivers that run on the processor have 800 "
                           "at most on x86-64 and Arm, 2000 on POWER; hardware has more");
static char *only;
module_param(only, charp, 0444);
MODULE_PARM_DESC(only, "register this instruction set alone, as the chosen one (/proc/crypto has their names)");

/* A set, and which of its algorithms are registered. */
struct set {
  struct rijn_aead aeads[RIJN_AEADS];
  struct rijn_skcipher skciphers[RIJN_SKCIPHERS];
  struct rijn_cipher aes;
  bool aeads_in[RIJN_AEADS], skciphers_in[RIJN_SKCIPHERS], aes_in;
};
static struct set *sets;
static int sets_n;

/* ---------------------------------------------------------------- registration */

/* "gcm(aes)" is "gcm-aes-rijn-SET": what is within the parentheses follows what is before them. */
static int name(struct crypto_alg *alg, int set, bool chosen) {
  char plain[CRYPTO_MAX_ALG_NAME];
  char *to = plain;
  const char *from;

  for (from = alg->cra_name; *from; from++)
    if (*from != ')')
      *to++ = *from == '(' ? '-' : *from;
  *to = 0;
  if (snprintf(alg->cra_driver_name, sizeof alg->cra_driver_name, "%s-rijn-%s", plain, rijn_impls[set]->name) >=
      sizeof alg->cra_driver_name)
    return -ENAMETOOLONG;
  alg->cra_priority = chosen ? priority : PRIORITY_OTHERS;
  alg->cra_module = THIS_MODULE;
  return 0;
}

static void unregister_set(struct set *s) {
  int i;

  if (s->aes_in)
    crypto_unregister_alg(&s->aes.alg);
  for (i = RIJN_SKCIPHERS - 1; i >= 0; i--)
    if (s->skciphers_in[i])
      crypto_unregister_skcipher(&s->skciphers[i].alg);
  for (i = RIJN_AEADS - 1; i >= 0; i--)
    if (s->aeads_in[i])
      crypto_unregister_aead(&s->aeads[i].alg);
}

/* Whether it is registered, by what its registration answered. */
static bool is_in(const struct crypto_alg *alg, int err) {
  if (err != 0)
    pr_warn("rijn: %s is not registered: error %d\n", alg->cra_driver_name, err);
  return err == 0;
}

/* 0 if any of the set's algorithms is registered now; else the last one's error. WHY one that fails is left out, and
 * those before it stay: they may be in use by now, and from Linux 6.12 on they are still being tested. Linux frees the
 * memory of a module whose start fails all the same. */
static int register_set(struct set *s, int set, bool chosen) {
  bool any = false;
  int i, err;

  rijn_gcm_algs(s->aeads);
  rijn_xts_alg(&s->skciphers[0]);
  rijn_mode_algs(s->skciphers + 1, &s->aes);
  for (i = 0; i < RIJN_AEADS; i++) {
    struct aead_alg *alg = &s->aeads[i].alg;

    s->aeads[i].set = set;
    err = name(&alg->base, set, chosen) ?: crypto_register_aead(alg);
    any |= s->aeads_in[i] = is_in(&alg->base, err);
  }
  for (i = 0; i < RIJN_SKCIPHERS; i++) {
    struct skcipher_alg *alg = &s->skciphers[i].alg;

    s->skciphers[i].set = set;
    err = name(&alg->base, set, chosen) ?: crypto_register_skcipher(alg);
    any |= s->skciphers_in[i] = is_in(&alg->base, err);
  }
  s->aes.set = set;
  err = name(&s->aes.alg, set, chosen) ?: crypto_register_alg(&s->aes.alg);
  any |= s->aes_in = is_in(&s->aes.alg, err);
  return any ? 0 : err;
}

/* `portable` does the work where no vector may be used. Nobody wants it for its speed, so only tests register it. */
static bool registrable(int set) {
#ifndef RIJN_TEST
  if (rijn_impls[set] == &rijn_impl_portable)
    return false;
#endif
  return true;
}
static bool wanted(int set, int chosen) {
  return rijn_impl_supported(set) && registrable(set) && (only == NULL || set == chosen);
}

static void all_out(void) {
  while (sets_n > 0)
    unregister_set(&sets[--sets_n]);
  kfree(sets);
  rijn_scratch_free();
}

/* What speaks against a start: 0, or the error, of which the log has the reason. */
static int __init check_start(int chosen) {
  const char *why = NULL;

  /* WHY: Linux panics when such a module registers an algorithm. */
  if (fips_enabled && !module_sig_ok(THIS_MODULE)) {
    pr_err("rijn: with fips=1 Linux takes algorithms only of modules whose signature it has verified\n");
    return -ENOKEY;
  }
  if (priority <= PRIORITY_OTHERS) {
    pr_err("rijn: priority=%d: it must be at least %d, above that of the sets that are not chosen\n", priority,
           PRIORITY_OTHERS + 1);
    return -EINVAL;
  }
  if (only == NULL && (chosen < 0 || !wanted(chosen, chosen)))
    why = "this machine runs no instruction set of Rijn's";
  else if (chosen < 0 || !rijn_impl_supported(chosen))
    why = "this machine does not run the instruction set that only= names";
  else if (!registrable(chosen))
    why = "only=portable is for tests: portable does the work where the vector unit may not be used";
  if (why == NULL)
    return 0;
  pr_err("rijn: %s\n", why);
  return -ENODEV;
}

static int __init rijn_init(void) {
  int chosen = only != NULL ? rijn_impl_find(only) : rijn_impl_chosen(), i, err = check_start(chosen);

  if (err != 0)
    return err;
  sets = kcalloc(rijn_impl_count(), sizeof *sets, GFP_KERNEL);
  err = sets != NULL ? rijn_scratch_make() : -ENOMEM;
  if (err != 0) {
    kfree(sets);
    return err;
  }
  /* WHY the chosen one first, and last to go: else whoever asks meanwhile might get another. */
  err = register_set(&sets[sets_n++], chosen, true);
  if (err != 0) {
    all_out();
    return err;
  }
  for (i = 0; i < rijn_impl_count(); i++)
    if (i != chosen && wanted(i, chosen))
      register_set(&sets[sets_n++], i, false);
  pr_info("rijn %s: %s is registered, priority %d\n", rijn_version(), rijn_impl_name(chosen), priority);
  return 0;
}

static void __exit rijn_exit(void) { all_out(); }

module_init(rijn_init);
module_exit(rijn_exit);

MODULE_DESCRIPTION("AES of Rijn: GCM, XTS, CTR, CBC, ECB");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(RIJN_VERSION_STRING);
MODULE_ALIAS_CRYPTO("gcm(aes)");
MODULE_ALIAS_CRYPTO("rfc4106(gcm(aes))");
MODULE_ALIAS_CRYPTO("xts(aes)");
MODULE_ALIAS_CRYPTO("ctr(aes)");
MODULE_ALIAS_CRYPTO("cbc(aes)");
MODULE_ALIAS_CRYPTO("ecb(aes)");
MODULE_ALIAS_CRYPTO("aes");
