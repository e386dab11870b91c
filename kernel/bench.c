/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rijn-bench.ko: measures drivers of Linux's crypto API, whoever's they are, for `rijn bench kernel`. Nothing loads it
 * but that command, or whoever asks for it.
 *
 * A line written into /proc/rijn-bench is one case, and is measured at once, of all its drivers in turn:
 *     ALGORITHM KEY_BYTES enc|dec|enc-key|dec-key TEXT_BYTES PIECES AAD_BYTES ROUNDS MICROSECONDS DRIVER...
 * What is read from the same open file then has a line "clock TICKS NANOSECONDS", and one of each driver, in the order
 * asked for:
 *     DRIVER MESSAGES TICKS TICKS...      of each round's sample, which has so many messages
 *     DRIVER error NUMBER                 it is not there, or failed
 *     DRIVER wrong                        it computes something else than the first does
 *
 * Encryption is in place, decryption is not: what was encrypted has to stay. One piece: associated data, text and tag
 * lie together. In pieces: the associated data has one of its own, and each piece of the text begins a page. With -key
 * the key is set before each message, and in one piece the tag has an entry of its own, as libspdm has both.
 */
#include <crypto/aead.h>
#include <crypto/skcipher.h>
#include <linux/crypto.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/scatterlist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

enum {
  MAX_DRIVERS = 32,
  MAX_PIECES = 16,
  MAX_TEXT = 1 << 21,
  MAX_AAD = 1024,
  MAX_ROUNDS = 10000,
  TAG = 16,
  LINE = 4096
};

/* Time stamps. WHY not ktime everywhere: user-mode Linux counts in steps of 256 ns. */
#if defined(CONFIG_X86_64) || defined(CONFIG_UML_X86)
static u64 ticks(void) {
  u32 lo, hi;
  asm volatile("lfence; rdtsc; lfence" : "=a"(lo), "=d"(hi)::"memory");
  return (u64)hi << 32 | lo;
}
#else
static u64 ticks(void) { return ktime_get_ns(); }
#endif

struct subject {
  const char *driver;
  struct crypto_aead *aead;
  struct aead_request *aead_req;
  struct crypto_skcipher *skcipher;
  struct skcipher_request *skcipher_req;
  struct crypto_wait wait;
  int err;
  bool wrong;
  unsigned int messages; /* in a sample */
  u64 *samples;
};

/* A buffer, and the pieces that a request sees of it. */
struct room {
  u8 *bytes;
  struct scatterlist sg[MAX_PIECES + 2];
};

struct bench {
  char alg[CRYPTO_MAX_ALG_NAME], dir[8];
  unsigned int key_len, len, pieces, aad, rounds, us;
  bool is_aead, decrypts, sets_key;
  struct room in, out;
  u8 *expected; /* text and tag that the first driver made */
  u8 iv[32];    /* Adiantum has as many */
  u64 ticks, ns;
  int n;
  struct subject s[MAX_DRIVERS];
  char line[LINE];
};

struct answer {
  size_t len;
  char text[];
};

/* ---------------------------------------------------------------- a request */

static unsigned int sealed(const struct bench *b) { return b->len + (b->is_aead ? TAG : 0); }

static void lay_out(const struct bench *b, struct room *r) {
  unsigned int each = DIV_ROUND_UP(b->len, b->pieces), at = PAGE_ALIGN(b->aad), left = sealed(b), i, n;
  int first = b->aad != 0;

  if (b->pieces == 1 && !b->sets_key) {
    sg_init_one(r->sg, r->bytes, b->aad + left);
    return;
  }
  sg_init_table(r->sg, first + b->pieces + b->sets_key);
  if (first)
    sg_set_buf(&r->sg[0], r->bytes, b->aad);
  for (i = 0; i < b->pieces; i++, left -= n, at += PAGE_ALIGN(n) + PAGE_SIZE) {
    n = i + 1 == b->pieces ? left - (b->sets_key ? TAG : 0) : each;
    sg_set_buf(&r->sg[first + i], r->bytes + at, n);
  }
  if (b->sets_key)
    sg_set_buf(&r->sg[first + i], r->bytes + at, TAG);
}

/* Every piece has whole pages, and one more that keeps it from its neighbour; so have associated data and tag. */
static size_t room_of(const struct bench *b) { return b->len + (b->pieces + 2) * 2 * PAGE_SIZE; }

static void fill(const struct bench *b, struct room *r) {
  u32 x = 1;
  size_t i;

  for (i = 0; i < room_of(b); i++, x = x * 1664525 + 1013904223)
    r->bytes[i] = x >> 24;
}

static const u8 key[64] = {1, 2, 3, [32] = 4, 5, 6, [63] = 7};

/* encrypts in `in`; decrypts from `in` to `out`. */
static int once(struct bench *b, struct subject *s, bool decrypts) {
  struct scatterlist *dst = decrypts ? b->out.sg : b->in.sg;
  int err = b->sets_key ? crypto_aead_setkey(s->aead, key, b->key_len) : 0;

  if (err != 0)
    return err;
  if (b->is_aead) {
    aead_request_set_ad(s->aead_req, b->aad);
    aead_request_set_crypt(s->aead_req, b->in.sg, dst, decrypts ? sealed(b) : b->len, b->iv);
    return crypto_wait_req(decrypts ? crypto_aead_decrypt(s->aead_req) : crypto_aead_encrypt(s->aead_req), &s->wait);
  }
  skcipher_request_set_crypt(s->skcipher_req, b->in.sg, dst, b->len, b->iv);
  return crypto_wait_req(decrypts ? crypto_skcipher_decrypt(s->skcipher_req) : crypto_skcipher_encrypt(s->skcipher_req),
                         &s->wait);
}

static int open_aead(struct bench *b, struct subject *s) {
  s->aead = crypto_alloc_aead(s->driver, 0, 0);
  if (IS_ERR(s->aead)) {
    int err = PTR_ERR(s->aead);
    s->aead = NULL;
    return err;
  }
  s->aead_req = aead_request_alloc(s->aead, GFP_KERNEL);
  if (s->aead_req == NULL)
    return -ENOMEM;
  aead_request_set_callback(s->aead_req, CRYPTO_TFM_REQ_MAY_SLEEP, crypto_req_done, &s->wait);
  return crypto_aead_setkey(s->aead, key, b->key_len);
}

static int open_skcipher(struct bench *b, struct subject *s) {
  s->skcipher = crypto_alloc_skcipher(s->driver, 0, 0);
  if (IS_ERR(s->skcipher)) {
    int err = PTR_ERR(s->skcipher);
    s->skcipher = NULL;
    return err;
  }
  s->skcipher_req = skcipher_request_alloc(s->skcipher, GFP_KERNEL);
  if (s->skcipher_req == NULL)
    return -ENOMEM;
  skcipher_request_set_callback(s->skcipher_req, CRYPTO_TFM_REQ_MAY_SLEEP, crypto_req_done, &s->wait);
  return crypto_skcipher_setkey(s->skcipher, key, b->key_len);
}

static void close_subject(struct subject *s) {
  aead_request_free(s->aead_req);
  if (s->aead != NULL)
    crypto_free_aead(s->aead);
  skcipher_request_free(s->skcipher_req);
  if (s->skcipher != NULL)
    crypto_free_skcipher(s->skcipher);
  kvfree(s->samples);
}

/* ---------------------------------------------------------------- the same answer */

/* Text and tag as they lie in a room, behind the associated data. */
static void take(const struct bench *b, struct room *r, u8 *to, unsigned int len) {
  sg_pcopy_to_buffer(r->sg, sg_nents(r->sg), to, len, b->aad);
}

/* Leaves in `in` what this one's encryption made. */
static int check(struct bench *b, struct subject *s, bool first, u8 *got) {
  int err;

  fill(b, &b->in);
  memset(b->iv, 7, sizeof b->iv);
  err = once(b, s, false);
  if (err != 0)
    return err;
  take(b, &b->in, first ? b->expected : got, sealed(b));
  s->wrong = !first && memcmp(b->expected, got, sealed(b)) != 0;
  memset(b->iv, 7, sizeof b->iv);
  err = once(b, s, true);
  if (err != 0)
    return err;
  take(b, &b->out, got, b->len);
  fill(b, &b->out);
  take(b, &b->out, got + b->len, b->len);
  s->wrong |= memcmp(got, got + b->len, b->len) != 0;
  return 0;
}

static int open_all(struct bench *b) {
  u8 *got = kvmalloc(2 * (b->len + TAG), GFP_KERNEL);
  struct subject *right = NULL;
  int i;

  if (got == NULL)
    return -ENOMEM;
  for (i = 0; i < b->n; i++) {
    struct subject *s = &b->s[i];
    crypto_init_wait(&s->wait);
    s->err = b->is_aead ? open_aead(b, s) : open_skcipher(b, s);
    if (s->err == 0)
      s->err = check(b, s, right == NULL, got);
    if (right == NULL && s->err == 0)
      right = s;
    s->samples = kvcalloc(b->rounds, sizeof *s->samples, GFP_KERNEL);
    if (s->samples == NULL)
      s->err = -ENOMEM;
  }
  kvfree(got);
  if (right == NULL)
    return 0;
  /* What the measured decryptions take is the first one's: the last one's may be wrong. */
  fill(b, &b->in);
  memset(b->iv, 7, sizeof b->iv);
  return once(b, right, false);
}

/* ---------------------------------------------------------------- time */

static bool takes_part(const struct subject *s) { return s->err == 0 && !s->wrong; }

/* Ticks of so many messages, after one that is not counted. */
static u64 sample(struct bench *b, struct subject *s, unsigned int messages) {
  u64 start;
  unsigned int i;

  s->err = once(b, s, b->decrypts);
  start = ticks();
  for (i = 0; i < messages && s->err == 0; i++)
    s->err = once(b, s, b->decrypts);
  return ticks() - start;
}

/* How many messages take as long as a sample is to take. */
static void settle(struct bench *b, struct subject *s) {
  u64 start, ns = 0;

  memset(b->iv, 7, sizeof b->iv);
  for (s->messages = 1; s->messages < 1 << 20 && s->err == 0; s->messages *= 2) {
    start = ktime_get_ns();
    sample(b, s, s->messages);
    ns = ktime_get_ns() - start;
    if (ns >= (u64)b->us * 500)
      break;
  }
  if (ns != 0)
    s->messages = max_t(u64, 1, div64_u64(((u64)s->messages + 1) * b->us * 1000, ns)); /* sample() does one more */
}

/* WHY the order changes: what one leaves in the caches would always meet the same next one. */
static int measure(struct bench *b) {
  u64 start_ns, start;
  unsigned int round, i;

  for (i = 0; i < b->n; i++)
    if (takes_part(&b->s[i]))
      settle(b, &b->s[i]);
  start_ns = ktime_get_ns();
  start = ticks();
  for (round = 0; round < b->rounds; round++)
    for (i = 0; i < b->n; i++) {
      struct subject *s = &b->s[(round & 1 ? b->n - 1 - i : i + round / 2) % b->n];
      if (!takes_part(s))
        continue;
      s->samples[round] = sample(b, s, s->messages);
      cond_resched();
      if (signal_pending(current)) /* the command unloads this module when it is interrupted */
        return -EINTR;
    }
  b->ticks = ticks() - start;
  b->ns = ktime_get_ns() - start_ns;
  return 0;
}

/* ---------------------------------------------------------------- the file */

static int parse(struct bench *b) {
  char *rest = b->line, *word;
  int i, end = 0;

  if (sscanf(rest, "%63s %u %7s %u %u %u %u %u%n", b->alg, &b->key_len, b->dir, &b->len, &b->pieces, &b->aad,
             &b->rounds, &b->us, &end) != 8)
    return -EINVAL;
  b->is_aead = strncmp(b->alg, "gcm(", 4) == 0 || strncmp(b->alg, "ccm(", 4) == 0;
  b->decrypts = strncmp(b->dir, "dec", 3) == 0;
  b->sets_key = b->is_aead && strcmp(b->dir + 3, "-key") == 0;
  if ((!b->decrypts && strncmp(b->dir, "enc", 3) != 0) || (!b->sets_key && b->dir[3] != 0) || b->key_len > 64 ||
      b->len == 0 || b->len > MAX_TEXT || b->pieces == 0 || b->pieces > MAX_PIECES || b->pieces > b->len ||
      b->aad > (b->is_aead ? MAX_AAD : 0) || b->rounds == 0 || b->rounds > MAX_ROUNDS || b->us == 0 || b->us > 100000)
    return -EINVAL;
  /* Equal pieces, the last one shorter: there has to be something for it. */
  if ((b->pieces - 1) * DIV_ROUND_UP(b->len, b->pieces) >= b->len && b->pieces > 1)
    return -EINVAL;
  rest += end;
  for (i = 0; (word = strsep(&rest, " \n")) != NULL;)
    if (*word != 0 && i < MAX_DRIVERS)
      b->s[i++].driver = word;
  b->n = i;
  return i != 0 ? 0 : -EINVAL;
}

static struct answer *tell(const struct bench *b) {
  size_t room = 64 + b->n * (CRYPTO_MAX_ALG_NAME + 32 + (size_t)b->rounds * 21), at;
  struct answer *a = kvmalloc(sizeof *a + room, GFP_KERNEL);
  unsigned int i, k;

  if (a == NULL)
    return NULL;
  at = scnprintf(a->text, room, "clock %llu %llu\n", b->ticks, b->ns);
  for (i = 0; i < b->n; i++) {
    const struct subject *s = &b->s[i];
    at += scnprintf(a->text + at, room - at, "%s ", s->driver);
    if (s->err != 0)
      at += scnprintf(a->text + at, room - at, "error %d\n", s->err);
    else if (s->wrong)
      at += scnprintf(a->text + at, room - at, "wrong\n");
    else {
      at += scnprintf(a->text + at, room - at, "%u", s->messages);
      for (k = 0; k < b->rounds; k++)
        at += scnprintf(a->text + at, room - at, " %llu", s->samples[k]);
      at += scnprintf(a->text + at, room - at, "\n");
    }
  }
  a->len = at;
  return a;
}

static int run(struct bench *b, struct answer **a) {
  int i, err = parse(b);

  if (err != 0)
    return err;
  b->in.bytes = kmalloc(room_of(b), GFP_KERNEL);
  b->out.bytes = kmalloc(room_of(b), GFP_KERNEL);
  b->expected = kvmalloc(b->len + TAG, GFP_KERNEL);
  err = b->in.bytes != NULL && b->out.bytes != NULL && b->expected != NULL ? 0 : -ENOMEM;
  if (err == 0) {
    lay_out(b, &b->in);
    lay_out(b, &b->out);
    err = open_all(b);
  }
  if (err == 0)
    err = measure(b);
  if (err == 0) {
    *a = tell(b);
    err = *a != NULL ? 0 : -ENOMEM;
  }
  for (i = 0; i < b->n; i++)
    close_subject(&b->s[i]);
  kfree(b->in.bytes);
  kfree(b->out.bytes);
  kvfree(b->expected);
  return err;
}

/* One measurement at a time, and nobody reads an answer that is being replaced. */
static DEFINE_MUTEX(lock);

static ssize_t bench_write(struct file *file, const char __user *from, size_t len, loff_t *at) {
  struct bench *b = kvzalloc(sizeof *b, GFP_KERNEL);
  struct answer *a = NULL;
  int err;

  if (b == NULL)
    return -ENOMEM;
  err = len < LINE ? 0 : -E2BIG;
  if (err == 0 && copy_from_user(b->line, from, len) != 0)
    err = -EFAULT;
  if (err == 0) {
    mutex_lock(&lock);
    kvfree(file->private_data);
    file->private_data = NULL;
    err = run(b, &a);
    if (err == 0)
      file->private_data = a;
    mutex_unlock(&lock);
  }
  kvfree(b);
  if (err != 0)
    return err;
  *at = 0;
  return len;
}

static ssize_t bench_read(struct file *file, char __user *to, size_t len, loff_t *at) {
  const struct answer *a;
  ssize_t n;

  mutex_lock(&lock);
  a = file->private_data;
  n = a != NULL ? simple_read_from_buffer(to, len, at, a->text, a->len) : 0;
  mutex_unlock(&lock);
  return n;
}

static int bench_release(struct inode *inode, struct file *file) {
  kvfree(file->private_data);
  return 0;
}

static const struct proc_ops ops = {
    .proc_write = bench_write, .proc_read = bench_read, .proc_release = bench_release, .proc_lseek = default_llseek};

static int __init bench_init(void) { return proc_create("rijn-bench", 0600, NULL, &ops) != NULL ? 0 : -ENOMEM; }
static void __exit bench_exit(void) { remove_proc_entry("rijn-bench", NULL); }
module_init(bench_init);
module_exit(bench_exit);

MODULE_DESCRIPTION("Measures drivers of the crypto API, for rijn bench kernel");
MODULE_LICENSE("Dual BSD/GPL");
