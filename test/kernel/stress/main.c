/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls of AEAD and skcipher drivers in threads, one on each processor, while soft interrupts there call with the same
 * keys; each answer is compared with that of another driver, which was asked before. Between two calls a soft interrupt
 * meets the vector unit free, within one it may meet it taken.
 *     insmod stress.ko seconds=N aead=DRIVER aead_other=DRIVER skcipher=DRIVER skcipher_other=DRIVER
 * Loading it does all, and says how often. It fails with EIO if an answer was wrong.
 */
#include <asm/simd.h>
#include <crypto/aead.h>
#include <crypto/internal/simd.h>
#include <crypto/skcipher.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

static int seconds = 5;
module_param(seconds, int, 0444);
static char *aead = "gcm(aes)", *aead_other = "gcm_base(ctr(aes-generic),ghash-generic)";
module_param(aead, charp, 0444);
module_param(aead_other, charp, 0444);
static char *skcipher = "xts(aes)", *skcipher_other = "xts(ecb(aes-generic))";
module_param(skcipher, charp, 0444);
module_param(skcipher_other, charp, 0444);

enum { AAD = 16, TAG = 16, KINDS = 6, MAX = 2048, PERIOD_NS = 300000 };
/* A text in one piece, and in two, of each length; the odd ones are XTS. */
static const unsigned int lens[KINDS] = {64, 512, 1420, 528, 300, 1040};

static struct crypto_aead *gcm;
static struct crypto_skcipher *xts;
static u8 *expected[KINDS]; /* what is to come of zeros */

/* Who calls: a thread or a timer of a processor. */
struct caller {
  struct aead_request *gcm_req;
  struct skcipher_request *xts_req;
  u8 *buf;
  unsigned int next;
  unsigned long calls, without_vector, wrong;
};
struct place {
  struct caller thread, timer;
  struct hrtimer hrtimer;
  struct task_struct *task;
  int cpu;
};
static struct place places[4];

static int kind_call(struct caller *c, unsigned int kind, bool decrypts) {
  struct scatterlist sg[2];
  u8 iv[16] = {1, 2, 3};
  bool is_gcm = kind % 2 == 0;
  unsigned int len = lens[kind], total = is_gcm ? AAD + len + TAG : len, cut = kind >= 2 ? total / 2 : total;

  sg_init_table(sg, cut < total ? 2 : 1);
  sg_set_buf(&sg[0], c->buf, cut);
  if (cut < total)
    sg_set_buf(&sg[1], c->buf + cut, total - cut);
  if (is_gcm) {
    aead_request_set_ad(c->gcm_req, AAD);
    aead_request_set_crypt(c->gcm_req, sg, sg, decrypts ? len + TAG : len, iv);
    return decrypts ? crypto_aead_decrypt(c->gcm_req) : crypto_aead_encrypt(c->gcm_req);
  }
  skcipher_request_set_crypt(c->xts_req, sg, sg, len, iv);
  return decrypts ? crypto_skcipher_decrypt(c->xts_req) : crypto_skcipher_encrypt(c->xts_req);
}

static unsigned int bytes_of(unsigned int kind) { return kind % 2 == 0 ? AAD + lens[kind] + TAG : lens[kind]; }

static void call(struct caller *c) {
  unsigned int kind = c->next++ % KINDS, len = lens[kind], at = kind % 2 == 0 ? AAD : 0;
  int err;

  c->without_vector += !crypto_simd_usable();
  memset(c->buf, 0, MAX);
  err = kind_call(c, kind, false);
  c->wrong += err != 0 || memcmp(c->buf, expected[kind], bytes_of(kind)) != 0;
  err = kind_call(c, kind, true);
  c->wrong += err != 0 || memchr_inv(c->buf + at, 0, len) != NULL;
  c->calls++;
}

static int thread(void *data) {
  struct place *p = data;

  while (!kthread_should_stop()) {
    call(&p->thread);
    cond_resched();
  }
  return 0;
}

static enum hrtimer_restart tick(struct hrtimer *timer) {
  struct place *p = container_of(timer, struct place, hrtimer);

  call(&p->timer);
  hrtimer_forward_now(timer, ns_to_ktime(PERIOD_NS));
  return HRTIMER_RESTART;
}

static int caller_open(struct caller *c) {
  c->gcm_req = aead_request_alloc(gcm, GFP_KERNEL);
  c->xts_req = skcipher_request_alloc(xts, GFP_KERNEL);
  c->buf = kzalloc(MAX, GFP_KERNEL);
  if (c->gcm_req == NULL || c->xts_req == NULL || c->buf == NULL)
    return -ENOMEM;
  aead_request_set_callback(c->gcm_req, 0, NULL, NULL);
  skcipher_request_set_callback(c->xts_req, 0, NULL, NULL);
  return 0;
}

static void caller_close(struct caller *c) {
  aead_request_free(c->gcm_req);
  skcipher_request_free(c->xts_req);
  kfree(c->buf);
}

static void close_keys(void) {
  if (gcm != NULL)
    crypto_free_aead(gcm);
  if (xts != NULL)
    crypto_free_skcipher(xts);
  gcm = NULL;
  xts = NULL;
}

static int open_keys(const char *aead_name, const char *skcipher_name) {
  static const u8 key[64] = {1, [40] = 2};
  int err;

  gcm = crypto_alloc_aead(aead_name, 0, CRYPTO_ALG_ASYNC);
  xts = crypto_alloc_skcipher(skcipher_name, 0, CRYPTO_ALG_ASYNC);
  if (IS_ERR(gcm) || IS_ERR(xts)) {
    err = IS_ERR(gcm) ? PTR_ERR(gcm) : PTR_ERR(xts);
    gcm = IS_ERR(gcm) ? NULL : gcm;
    xts = IS_ERR(xts) ? NULL : xts;
    return err;
  }
  err = crypto_aead_setkey(gcm, key, 16);
  return err != 0 ? err : crypto_skcipher_setkey(xts, key, 64);
}

static int learn(void) {
  struct caller c = {0};
  int i, err = open_keys(aead_other, skcipher_other);

  if (err == 0)
    err = caller_open(&c);
  for (i = 0; i < KINDS && err == 0; i++) {
    memset(c.buf, 0, MAX);
    err = kind_call(&c, i, false);
    expected[i] = kmemdup(c.buf, MAX, GFP_KERNEL);
    if (expected[i] == NULL)
      err = -ENOMEM;
  }
  caller_close(&c);
  close_keys();
  return err;
}

static void start_timer(void *data) {
  struct place *p = data;

  hrtimer_init(&p->hrtimer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_SOFT);
  p->hrtimer.function = tick;
  hrtimer_start(&p->hrtimer, ns_to_ktime(PERIOD_NS), HRTIMER_MODE_REL_PINNED_SOFT);
}

static int all_places(void) {
  int cpu, n = 0, err = 0;
  unsigned long calls = 0, timer = 0, without = 0, wrong = 0;

  for_each_online_cpu(cpu) {
    struct place *p = &places[n];
    if (n == ARRAY_SIZE(places))
      break;
    p->cpu = cpu;
    if (err == 0)
      err = caller_open(&p->thread);
    if (err == 0)
      err = caller_open(&p->timer);
    n++;
  }
  for (cpu = 0; cpu < n && err == 0; cpu++) {
    places[cpu].task = kthread_create_on_cpu(thread, &places[cpu], places[cpu].cpu, "stress/%u");
    if (IS_ERR(places[cpu].task)) {
      err = PTR_ERR(places[cpu].task);
      places[cpu].task = NULL;
      break;
    }
    wake_up_process(places[cpu].task);
    smp_call_function_single(places[cpu].cpu, start_timer, &places[cpu], 1);
  }
  if (err == 0)
    ssleep(seconds);
  for (cpu = 0; cpu < n; cpu++) {
    struct place *p = &places[cpu];
    if (p->task != NULL) {
      hrtimer_cancel(&p->hrtimer);
      kthread_stop(p->task);
    }
    calls += p->thread.calls;
    timer += p->timer.calls;
    without += p->timer.without_vector;
    wrong += p->thread.wrong + p->timer.wrong;
    caller_close(&p->thread);
    caller_close(&p->timer);
  }
  pr_info(
      "stress: %s %s, %d processors: %lu calls in threads, %lu in soft interrupts, %lu of them without vectors, %lu "
      "wrong\n",
      aead, skcipher, n, calls, timer, without, wrong);
  return err != 0 ? err : (wrong != 0 ? -EIO : 0);
}

static int __init stress_init(void) {
  int i, err = learn();

  if (err == 0)
    err = open_keys(aead, skcipher);
  if (err == 0)
    err = all_places();
  close_keys();
  for (i = 0; i < KINDS; i++)
    kfree(expected[i]);
  return err;
}
static void __exit stress_exit(void) {}
module_init(stress_init);
module_exit(stress_exit);
MODULE_DESCRIPTION("Calls in threads and in soft interrupts at once");
MODULE_LICENSE("Dual BSD/GPL");
