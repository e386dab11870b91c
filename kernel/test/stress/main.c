/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls of AEAD and skcipher drivers in threads, one on each processor, while soft interrupts there call with the same
 * keys; each answer is compared with that of another driver, which was asked before. Between two calls a soft interrupt
 * meets the vector unit free, within one it may meet it taken. A call with a long text has several sections of the
 * vector unit. Threads let it yield between them, soft interrupts do not.
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

enum { AAD = 16, TAG = 16, PIECES = 64, PERIOD_NS = 300000, SECTION = 65536 /* RIJN_ONE_CALL of kernel/glue.h */ };
/* A text, and the number of pieces. WHY these lengths of the long ones: to a section, and beyond it by a block; units
 * of XTS that end by stealing, and that do not. */
static const struct kind {
  bool is_gcm;
  unsigned int len, pieces;
} kinds[] = {
    {true, 64, 1},      {false, 512, 1},          {true, 1420, 2},          {false, 528, 2},
    {true, 300, 2},     {false, 1040, 2},         {true, SECTION - AAD, 1}, {false, SECTION, 1},
    {true, SECTION, 1}, {false, SECTION + 16, 1}, {true, 16384, 5},         {false, 4096, 3},
    {true, 200003, 7},  {false, 200003, 7},       {true, 70000, PIECES},    {false, 140000, PIECES},
};
enum { KINDS = ARRAY_SIZE(kinds), SHORT = 6, MAX = 200003 + AAD + TAG };
/* Of so many calls one is of the long ones. WHY seldom in soft interrupts: without vectors such a call takes long, and
 * threads have to come to their turn. */
enum { LONG_OF_THREAD = 4, LONG_OF_TIMER = 64 };

static struct crypto_aead *gcm;
static struct crypto_skcipher *xts;
static u8 *expected[KINDS]; /* what is to come of zeros */

/* Who calls: a thread or a timer of a processor. */
struct caller {
  struct aead_request *gcm_req;
  struct skcipher_request *xts_req;
  struct scatterlist *sg;
  u8 *buf;
  unsigned int next, every;
  unsigned long calls, longs, without_vector, wrong;
};
struct place {
  struct caller thread, timer;
  struct hrtimer hrtimer;
  struct task_struct *task;
  int cpu;
};
static struct place places[4];

static unsigned int bytes_of(const struct kind *k) { return k->is_gcm ? AAD + k->len + TAG : k->len; }

/* Pieces of about the same length. WHY not of just the same: blocks are to lie in two of them. */
static void cut(struct scatterlist *sg, u8 *buf, const struct kind *k) {
  unsigned int i, at = 0, end, all = bytes_of(k);

  sg_init_table(sg, k->pieces);
  for (i = 0; i < k->pieces; i++, at = end) {
    end = i + 1 == k->pieces ? all : all / k->pieces * (i + 1) + i % 5;
    sg_set_buf(&sg[i], buf + at, end - at);
  }
}

static int kind_call(struct caller *c, const struct kind *k, bool decrypts) {
  u8 iv[16] = {1, 2, 3};

  cut(c->sg, c->buf, k);
  if (k->is_gcm) {
    aead_request_set_ad(c->gcm_req, AAD);
    aead_request_set_crypt(c->gcm_req, c->sg, c->sg, decrypts ? k->len + TAG : k->len, iv);
    return decrypts ? crypto_aead_decrypt(c->gcm_req) : crypto_aead_encrypt(c->gcm_req);
  }
  skcipher_request_set_crypt(c->xts_req, c->sg, c->sg, k->len, iv);
  return decrypts ? crypto_skcipher_decrypt(c->xts_req) : crypto_skcipher_encrypt(c->xts_req);
}

static void call(struct caller *c) {
  unsigned int n = c->next++, i = n % c->every == 0 ? SHORT + n / c->every % (KINDS - SHORT) : n % SHORT;
  const struct kind *k = &kinds[i];
  int err;

  c->without_vector += !crypto_simd_usable();
  memset(c->buf, 0, bytes_of(k));
  err = kind_call(c, k, false);
  c->wrong += err != 0 || memcmp(c->buf, expected[i], bytes_of(k)) != 0;
  err = kind_call(c, k, true);
  c->wrong += err != 0 || memchr_inv(c->buf + (k->is_gcm ? AAD : 0), 0, k->len) != NULL;
  c->calls++;
  c->longs += k->len >= SECTION;
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

static int caller_open(struct caller *c, unsigned int every, u32 flags) {
  c->every = every;
  c->gcm_req = aead_request_alloc(gcm, GFP_KERNEL);
  c->xts_req = skcipher_request_alloc(xts, GFP_KERNEL);
  c->buf = kzalloc(MAX, GFP_KERNEL);
  c->sg = kmalloc_array(PIECES, sizeof *c->sg, GFP_KERNEL);
  if (c->gcm_req == NULL || c->xts_req == NULL || c->buf == NULL || c->sg == NULL)
    return -ENOMEM;
  aead_request_set_callback(c->gcm_req, flags, NULL, NULL);
  skcipher_request_set_callback(c->xts_req, flags, NULL, NULL);
  return 0;
}

static void caller_close(struct caller *c) {
  aead_request_free(c->gcm_req);
  skcipher_request_free(c->xts_req);
  kfree(c->buf);
  kfree(c->sg);
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
    err = caller_open(&c, LONG_OF_THREAD, CRYPTO_TFM_REQ_MAY_SLEEP);
  for (i = 0; i < KINDS && err == 0; i++) {
    memset(c.buf, 0, MAX);
    err = kind_call(&c, &kinds[i], false);
    expected[i] = kmemdup(c.buf, bytes_of(&kinds[i]), GFP_KERNEL);
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

/* A message of nothing, whose pieces are empty and have no page: Linux's own tests send such ones. */
static int nothing(void) {
  struct caller c = {0};
  struct scatterlist dst;
  u8 iv[16] = {0};
  int err = caller_open(&c, LONG_OF_THREAD, CRYPTO_TFM_REQ_MAY_SLEEP);

  if (err == 0) {
    sg_init_table(c.sg, 2);
    sg_init_one(&dst, c.buf, TAG);
    aead_request_set_ad(c.gcm_req, 0);
    aead_request_set_crypt(c.gcm_req, c.sg, &dst, 0, iv);
    err = crypto_aead_encrypt(c.gcm_req);
  }
  caller_close(&c);
  return err;
}

static int all_places(void) {
  int cpu, n = 0, err = 0;
  unsigned long calls = 0, timer = 0, longs = 0, longs_timer = 0, without = 0, wrong = 0;

  for_each_online_cpu(cpu) {
    struct place *p = &places[n];
    if (n == ARRAY_SIZE(places))
      break;
    p->cpu = cpu;
    if (err == 0)
      err = caller_open(&p->thread, LONG_OF_THREAD, CRYPTO_TFM_REQ_MAY_SLEEP);
    if (err == 0)
      err = caller_open(&p->timer, LONG_OF_TIMER, 0);
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
    longs += p->thread.longs;
    longs_timer += p->timer.longs;
    without += p->timer.without_vector;
    wrong += p->thread.wrong + p->timer.wrong;
    caller_close(&p->thread);
    caller_close(&p->timer);
  }
  pr_info(
      "stress: %s %s, %d processors: %lu calls in threads, %lu of them long, %lu in soft interrupts, %lu of them long, "
      "%lu of them without vectors, %lu wrong\n",
      aead, skcipher, n, calls, longs, timer, longs_timer, without, wrong);
  return err != 0 ? err : (wrong != 0 ? -EIO : 0);
}

static int __init stress_init(void) {
  int i, err = learn();

  if (err == 0)
    err = open_keys(aead, skcipher);
  if (err == 0)
    err = nothing();
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
