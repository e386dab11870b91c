/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What a kernel leaves on the stack and in vector registers depends on no secret.
 *
 * Each kernel runs twice on a stack of its own that was painted before, at the same addresses, with the same lengths,
 * but other keys and texts. Afterwards the two stacks, and the two sets of registers, must be equal, byte for byte:
 * whatever differs came from a secret. That finds spilt state in any form, which a search for round keys does not.
 *
 * The kernel is the last thing that runs there, but for the switch back, so that nothing paints over what it left.
 *
 * So do public calls that keep something between two kernels, or make it for one. */
#define _GNU_SOURCE
#include "../../src/impl.h"
#include "t.h"

#include <ucontext.h>

#define STACK (64 * 1024)
#define MAX 17000
#define LONG 16500 /* so long that GCM and CTR have their tables of counters */
#define SECRETS 2

static _Alignas(64) uint8_t stack[STACK], left[SECRETS][STACK];
static ucontext_t here, there;
static const struct rijn_impl *m;
static int impl;

/* All that is secret, or made from it. */
static _Alignas(64) struct {
  uint8_t raw[64], in[MAX], out[MAX], aad[1200], tweak[16], next[16], ctr[16], acc[16], iv[16], tag[16];
  struct rijn_gcm gcm, gcm2;
  struct rijn_ghash ghash;
  struct rijn_aes aes;
  struct rijn_xts xts;
  struct rijn_enc siv;
  struct rijn_gcm_state chain;
  struct rijn_ccm_state ccm;
  uint8_t ivs[5][16];
  rijn_gcm_siv_key siv_key;
  rijn_xaes_key xaes;
  rijn_ccm_key ccm_key;
  rijn_esp_key esp, esp_mac;
  rijn_gcm_stream stream;
  int verdict;
} v;
static const uint8_t nonce[12] = {1, 2, 3};
static size_t len;

static void gcm_init(void) { m->gcm_init(&v.gcm, v.raw); }
static void ghash_init(void) { m->ghash_init(&v.ghash, v.raw); }
static void aes_init(void) { m->aes_init(&v.aes, v.raw); }
static void xts_init(void) { m->xts_init(&v.xts, v.raw); }
/* Short calls have a way of their own up to a block of it, another up to what their powers reach, and one beyond. */
static size_t aad_len(void) { return len % 9 == 4 ? sizeof v.aad : len % (len % 2 != 0 ? 17 : 64); }
static void gcm_encrypt(void) {
  v.verdict = m->gcm_encrypt(&v.gcm, v.out, v.in, len, v.aad, aad_len(), nonce, 12, v.tag);
}
/* A forgery: its text is cleared, which may clear registers as well. */
static void gcm_decrypt(void) {
  v.verdict = m->gcm_decrypt(&v.gcm, v.out, v.in, len, v.aad, aad_len(), nonce, 12, v.tag);
}
static void gcm_encrypt_checked(void) {
  v.verdict = m->gcm_encrypt_checked(&v.gcm, v.out, v.in, len, v.aad, aad_len(), nonce, 12, v.tag);
}
static void gcm_decrypt_checked(void) {
  v.verdict = m->gcm_decrypt_checked(&v.gcm, v.out, v.in, len, v.aad, aad_len(), nonce, 12, v.tag);
}
/* What gcm_seal made. */
static void gcm_seal(void) { m->gcm_encrypt(&v.gcm, v.in, v.in, len, v.aad, aad_len(), nonce, 12, v.tag); }
static void gcm_open(void) { gcm_decrypt(); }
enum { MSGS = 17 };
static rijn_gcm_msg msgs[MSGS];
static uint8_t tags[MSGS][16], outs[MSGS][MAX];
/* Messages of len bytes, or each shorter than the one before. */
static void messages(const struct rijn_gcm *other, size_t shorter) {
  for (size_t i = 0; i < MSGS; i++)
    msgs[i] = (rijn_gcm_msg){.size = sizeof msgs[i],
                             .key = (const rijn_gcm_key *)(const void *)(i % 2 == 0 ? &v.gcm : other),
                             .out = outs[i],
                             .in = v.in,
                             .len = len > i * shorter ? len - i * shorter : 0,
                             .aad = v.aad,
                             .aad_len = len % 5 == 0 ? i * shorter : 16,
                             .nonce = nonce,
                             .nonce_len = 12,
                             .tag = tags[i]};
}
/* Decrypted, no tag fits but by chance of what the last call left. */
static void batch(size_t (*kernel)(rijn_gcm_msg *, size_t, size_t *), const struct rijn_gcm *other, size_t shorter) {
  size_t failed = 0;
  messages(other, shorter);
  kernel(msgs, MSGS, &failed);
}
static void gcm_encrypt_batch(void) { batch(m->gcm_encrypt_batch, &v.gcm, 1); }
static void gcm_decrypt_batch(void) { batch(m->gcm_decrypt_batch, &v.gcm, 1); }
static void gcm_encrypt_alike(void) { batch(m->gcm_encrypt_batch, &v.gcm, 0); }
static void gcm_decrypt_alike(void) { batch(m->gcm_decrypt_batch, &v.gcm, 0); }
static void gcm_encrypt_keys(void) { batch(m->gcm_encrypt_batch, &v.gcm2, 1); }
static void gcm_decrypt_keys(void) { batch(m->gcm_decrypt_batch, &v.gcm2, 1); }
static void gcm_seal_batch(void) {
  messages(&v.gcm, 1);
  for (rijn_gcm_msg *msg = msgs; msg < msgs + MSGS; msg++) {
    m->gcm_encrypt(&v.gcm, msg->out, msg->in, msg->len, msg->aad, msg->aad_len, nonce, 12, msg->tag);
    msg->in = msg->out;
  }
}
static void gcm_open_batch(void) {
  size_t failed = 0;
  m->gcm_decrypt_batch(msgs, MSGS, &failed);
  v.verdict = failed == 0 ? 0 : -1;
}
static void gcm_init_once(void) { m->gcm_init_once(&v.gcm, v.raw, aad_len(), len); }
static void gcm_wipe_once(void) { m->gcm_wipe_once(&v.gcm, aad_len(), len); }
static void siv_encrypt(void) { v.verdict = m->siv_encrypt(&v.siv, v.out, v.in, len, v.aad, aad_len(), nonce, v.tag); }
/* A forgery, and what siv_seal made. */
static void siv_decrypt(void) { v.verdict = m->siv_decrypt(&v.siv, v.out, v.in, len, v.aad, aad_len(), nonce, v.tag); }
static void siv_seal(void) { m->siv_encrypt(&v.siv, v.in, v.in, len, v.aad, aad_len(), nonce, v.tag); }
static void siv_open(void) { siv_decrypt(); }
static void gcm_enc_blocks(void) { m->gcm_enc_blocks(&v.gcm, v.out, v.in, len / 16, &v.chain, len % 4); }
static void gcm_dec_blocks(void) { m->gcm_dec_blocks(&v.gcm, v.out, v.in, len / 16, &v.chain, len % 4); }
static void gcm_enc_ends(void) { m->gcm_enc_blocks(&v.gcm, v.out, v.in, len / 16, &v.chain, 3); }
static void gcm_dec_ends(void) { m->gcm_dec_blocks(&v.gcm, v.out, v.in, len / 16, &v.chain, 3); }
static void gcm_blocks_tag(void) { m->gcm_blocks_tag(&v.gcm, &v.chain, v.ctr, 3, len, len & RIJN_HASH_PENDING); }
static void ghash_blocks(void) { m->ghash_blocks(&v.ghash.h, v.acc, v.in, len / 16); }
static void ecb_enc(void) { m->ecb_enc(&v.aes.rk, v.aes.rounds, v.out, v.in, len / 16); }
static void ecb_dec(void) { m->ecb_dec(&v.aes.dk, v.aes.rounds, v.out, v.in, len / 16); }
static void ctr_blocks(void) { m->ctr_blocks(&v.aes.rk, v.aes.rounds, v.out, v.in, len / 16, v.ctr); }
static void ctr32_blocks(void) { m->ctr32_blocks(&v.aes.rk, v.aes.rounds, v.out, v.in, len / 16, v.ctr); }
/* Its counter is public, and may stay. */
static void ctr_public(void) {
  memcpy(v.ctr, nonce, sizeof nonce);
  memset(v.ctr + 12, (int)len, 4);
  m->ctr_public(&v.aes.rk, v.aes.rounds, v.out, v.in, len / 16, v.ctr, (int)(len & 1));
}
static void cbc_enc(void) { m->cbc_enc(&v.aes.rk, v.aes.rounds, v.out, v.in, len / 16, v.iv); }
static void cbc_dec(void) { m->cbc_dec(&v.aes.dk, v.aes.rounds, v.out, v.in, len / 16, v.iv); }
static void cfb_enc(void) { m->cfb_enc(&v.aes.rk, v.aes.rounds, v.out, v.in, len / 16, v.iv); }
static void cfb_dec(void) { m->cfb_dec(&v.aes.rk, v.aes.rounds, v.out, v.in, len / 16, v.iv); }
static void ccm_enc(void) { m->ccm_enc(&v.aes.rk, v.aes.rounds, v.out, v.in, len, &v.ccm); }
static void ccm_dec(void) { m->ccm_dec(&v.aes.rk, v.aes.rounds, v.out, v.in, len, &v.ccm); }
static struct rijn_cbc_stream runs[RIJN_CBC_STREAMS];
static void cbc_enc_many(void) {
  size_t n = 2 + len % 4, nblk = len / 16 / n == 0 ? 1 : len / 16 / n;
  for (size_t i = 0; i < n; i++)
    runs[i] = (struct rijn_cbc_stream){v.out + 16 * nblk * i, v.in + 16 * nblk * i, v.ivs[i]};
  m->cbc_enc_many(&v.aes.rk, v.aes.rounds, runs, n, nblk);
}
static void xts_enc(void) { m->xts_enc(&v.xts, v.out, v.in, len, v.tweak); }
static void xts_dec(void) { m->xts_dec(&v.xts, v.out, v.in, len, v.tweak); }
/* What it leaves in next is a secret that it is asked for. */
static void xts_enc_part(void) { m->xts_enc_part(&v.xts, v.out, v.in, len, v.tweak, v.next, len % 3 == 0); }
static void xts_dec_part(void) { m->xts_dec_part(&v.xts, v.out, v.in, len, v.tweak, v.next, len % 3 == 0); }
static void xts_enc_sectors(void) {
  struct rijn_sectors s = {.size = 512, .n = 2, .first = len, .step = 1, .tweaks = NULL};
  m->xts_enc_sectors(&v.xts, v.out, v.in, &s);
}
static void xts_dec_sectors(void) {
  struct rijn_sectors s = {.size = 512, .n = 2, .first = len, .step = 1, .tweaks = NULL};
  m->xts_dec_sectors(&v.xts, v.out, v.in, &s);
}

/* ---- public calls */
#define GCM ((const rijn_gcm_key *)(const void *)&v.gcm)
#define AES ((const rijn_aes_key *)(const void *)&v.aes)
static const uint8_t long_nonce[16] = {4, 5, 6};
static void call_encrypt(void) {
  v.verdict = rijn_gcm_encrypt(GCM, v.out, v.in, len, v.aad, aad_len(), long_nonce, 16, v.tag);
}
/* A forgery, as those below. */
static void call_decrypt(void) {
  v.verdict = rijn_gcm_decrypt(GCM, v.out, v.in, len, v.aad, aad_len(), long_nonce, 16, v.tag);
}
static void iov(bool encrypt) {
  rijn_iov out[2] = {{v.out, len / 2}, {v.out + len / 2, len - len / 2}};
  rijn_iov in[2] = {{v.in, len / 3}, {v.in + len / 3, len - len / 3}}, aad = {v.aad, aad_len()};
  v.verdict = encrypt ? rijn_gcm_encrypt_iov(GCM, out, 2, in, 2, &aad, 1, nonce, 12, v.tag)
                      : rijn_gcm_decrypt_iov(GCM, out, 2, in, 2, &aad, 1, nonce, 12, v.tag);
}
static void call_encrypt_iov(void) { iov(true); }
static void call_decrypt_iov(void) { iov(false); }
static void call_stream(void) {
  v.verdict = rijn_gcm_encrypt_start(&v.stream, GCM, nonce, 12) | rijn_gcm_aad(&v.stream, v.aad, aad_len()) |
              rijn_gcm_update(&v.stream, v.out, v.in, len) | rijn_gcm_encrypt_finish(&v.stream, v.tag);
}
static void call_rfc4106_encrypt(void) {
  v.verdict = rijn_rfc4106_encrypt(&v.esp, v.out, v.in, len, v.aad, 8, nonce, v.tag);
}
static void call_rfc4106_decrypt(void) {
  v.verdict = rijn_rfc4106_decrypt(&v.esp, v.out, v.in, len, v.aad, 8, nonce, v.tag);
}
static void call_rfc4543_tag(void) { v.verdict = rijn_rfc4543_tag(&v.esp_mac, v.in, len, nonce, v.tag); }
static void call_rfc4543_verify(void) { v.verdict = rijn_rfc4543_verify(&v.esp_mac, v.in, len, nonce, v.tag); }
static const uint8_t nonce24[24] = {7, 8, 9};
static void call_siv_encrypt(void) {
  v.verdict = rijn_gcm_siv_encrypt(&v.siv_key, v.out, v.in, len, v.aad, aad_len(), nonce, v.tag);
}
static void call_siv_decrypt(void) {
  v.verdict = rijn_gcm_siv_decrypt(&v.siv_key, v.out, v.in, len, v.aad, aad_len(), nonce, v.tag);
}
static void call_siv_init(void) { v.verdict = rijn_gcm_siv_init_impl(&v.siv_key, v.raw, 32, impl); }
static void call_xaes_encrypt(void) {
  v.verdict = rijn_xaes_encrypt(&v.xaes, v.out, v.in, len, v.aad, aad_len(), nonce24, v.tag);
}
static void call_xaes_decrypt(void) {
  v.verdict = rijn_xaes_decrypt(&v.xaes, v.out, v.in, len, v.aad, aad_len(), nonce24, v.tag);
}
static void call_xaes_init(void) { v.verdict = rijn_xaes_init_impl(&v.xaes, v.raw, 32, impl); }
static void call_ccm_init(void) { v.verdict = rijn_ccm_init_impl(&v.ccm_key, v.raw, 32, 16, impl); }
static void call_ccm_encrypt(void) {
  v.verdict = rijn_ccm_encrypt(&v.ccm_key, v.out, v.in, len, v.aad, aad_len(), nonce, 12, v.tag);
}
static void call_ccm_decrypt(void) {
  v.verdict = rijn_ccm_decrypt(&v.ccm_key, v.out, v.in, len, v.aad, aad_len(), nonce, 12, v.tag);
}
static rijn_cfb_state cfb;
static void call_cfb(void) {
  memcpy(cfb.iv, v.iv, 16);
  cfb.used = 0;
  v.verdict = rijn_cfb_encrypt(AES, v.out, v.in, len, &cfb);
}
static void call_pkcs7(void) {
  size_t n;
  v.verdict = rijn_cbc_encrypt_pkcs7(AES, v.out, &n, v.in, len, v.iv);
}

/* A kernel that leaves its key: the test must see it. */
static __attribute__((noinline)) void leaky(void) {
  volatile uint8_t copy[1024];
  for (size_t i = 0; i < sizeof copy; i++)
    copy[i] = v.raw[i % 64];
}

/* By shape (src/kernels.def): whether a kernel's work depends on len, and the least there is. */
#define LEN_INIT 0, 0
#define LEN_SEAL 1, 0
#define LEN_OPEN 1, 0
#define LEN_BATCH 1, 0
#define LEN_GCM_BLOCKS 1, 0
#define LEN_GCM_TAG 1, 0
#define LEN_GHASH 1, 0
#define LEN_ECB 1, 0
#define LEN_CTR 1, 0
#define LEN_CTR_PUBLIC 1, 0
#define LEN_CBC 1, 0
#define LEN_CBC_MANY 1, 0
#define LEN_CCM 1, 0
#define LEN_XTS 1, 16
#define LEN_XTS_PART 1, 16
#define LEN_SECTORS 0, 0
#define LEN_INIT_ONCE 1, 0
#define LEN_WIPE_ONCE 1, 0
#define LEN_SIV_SEAL 1, 0
#define LEN_SIV_OPEN 1, 0
static const struct {
  const char *name;
  void (*run)(void);
  int kernel;
  int has_len;
  size_t min;
} rows[] = {
#define KERNEL(name, shape, key) {#name, name, RIJN_KERNEL_##name, LEN_##shape},
#include "../../src/kernels.def"
    {"gcm_enc_ends", gcm_enc_ends, RIJN_KERNEL_gcm_enc_blocks, 1, 0},
    {"gcm_dec_ends", gcm_dec_ends, RIJN_KERNEL_gcm_dec_blocks, 1, 0},
    {"gcm_open", gcm_open, RIJN_KERNEL_gcm_decrypt, 1, 0},
    {"siv_open", siv_open, RIJN_KERNEL_siv_decrypt, 1, 0},
    {"gcm_open_batch", gcm_open_batch, RIJN_KERNEL_gcm_decrypt_batch, 1, 0},
    {"gcm_encrypt_keys", gcm_encrypt_keys, RIJN_KERNEL_gcm_encrypt_batch, 1, 0},
    {"gcm_decrypt_keys", gcm_decrypt_keys, RIJN_KERNEL_gcm_decrypt_batch, 1, 0},
    {"gcm_encrypt_alike", gcm_encrypt_alike, RIJN_KERNEL_gcm_encrypt_batch, 1, 0},
    {"gcm_decrypt_alike", gcm_decrypt_alike, RIJN_KERNEL_gcm_decrypt_batch, 1, 0},
};
/* Not every implementation has all kernels. */
static bool has_kernel(int kernel) {
#define KERNEL(name, shape, key)                                                                                       \
  if (kernel == RIJN_KERNEL_##name)                                                                                    \
    return m->name != NULL;
#include "../../src/kernels.def"
  return false;
}
/* What it answers, and how many bytes that differ are ciphertext, as a chaining value is. */
static const struct {
  const char *name;
  void (*run)(void);
  int verdict;
  size_t ciphertext;
} calls[] = {
    {"rijn_gcm_encrypt", call_encrypt, RIJN_OK, 0},
    {"rijn_gcm_decrypt", call_decrypt, RIJN_EAUTH, 0},
    {"rijn_gcm_encrypt_iov", call_encrypt_iov, RIJN_OK, 0},
    {"rijn_gcm_decrypt_iov", call_decrypt_iov, RIJN_EAUTH, 0},
    {"a stream", call_stream, RIJN_OK, 0},
    {"rijn_rfc4106_encrypt", call_rfc4106_encrypt, RIJN_OK, 0},
    {"rijn_rfc4106_decrypt", call_rfc4106_decrypt, RIJN_EAUTH, 0},
#ifndef OBJECTS_OF_LINUX /* they have no CFB and CCM, and what the others authenticate is public */
    {"rijn_cfb_encrypt", call_cfb, RIJN_OK, 16},
    {"rijn_ccm_init", call_ccm_init, RIJN_OK, 0},
    {"rijn_ccm_encrypt", call_ccm_encrypt, RIJN_OK, 0},
    {"rijn_ccm_decrypt", call_ccm_decrypt, RIJN_EAUTH, 0},
    {"rijn_rfc4543_tag", call_rfc4543_tag, RIJN_OK, 0},
    {"rijn_rfc4543_verify", call_rfc4543_verify, RIJN_EAUTH, 0},
#endif
    {"rijn_cbc_encrypt_pkcs7", call_pkcs7, RIJN_OK, 16},
    {"rijn_gcm_siv_init", call_siv_init, RIJN_OK, 0},
    {"rijn_gcm_siv_encrypt", call_siv_encrypt, RIJN_OK, 0},
    {"rijn_gcm_siv_decrypt", call_siv_decrypt, RIJN_EAUTH, 0},
    {"rijn_xaes_init", call_xaes_init, RIJN_OK, 0},
    {"rijn_xaes_encrypt", call_xaes_encrypt, RIJN_OK, 0},
    {"rijn_xaes_decrypt", call_xaes_decrypt, RIJN_EAUTH, 0},
};
static void (*run)(void);

/* ---- vector registers: all zero before a kernel, stored after it */
static _Alignas(64) uint8_t regs[4096], left_regs[SECRETS][sizeof regs];

#if defined(__x86_64__)
#include <cpuid.h>
/* XSAVE components 1, 2, 5, 6, 7: SSE, AVX, opmasks, both parts of AVX-512. x87 is nobody's here. */
#define COMPONENTS 0xe6
static unsigned have_xsave;
static void prepare(void) {
  /* WHY not where it is used: leaf 1 has the number of the core, and would be on the stack. */
  unsigned a, b, c, d;
  have_xsave = __get_cpuid(1, &a, &b, &c, &d) ? c >> 27 & 1 : 0;
}
static __attribute__((noinline)) void clear_regs(void) {
  /* An area whose header says that nothing is in it: xrstor puts zeros into everything. MXCSR is taken all the same.
   * */
  static _Alignas(64) uint8_t none[4096];
  static const uint8_t mxcsr[4] = {0x80, 0x1f};
  memcpy(none + 24, mxcsr, 4);
  if (have_xsave)
    __asm__ volatile("xrstor64 %0" : : "m"(none), "a"(COMPONENTS), "d"(0) : "memory");
}
static __attribute__((noinline)) void store_regs(void) {
  if (have_xsave)
    __asm__ volatile("xsave64 %0" : "+m"(regs) : "a"(COMPONENTS), "d"(0) : "memory");
  else
    __asm__ volatile("fxsave64 %0" : "+m"(regs) : : "memory");
  memset(regs, 0, 160); /* x87, MXCSR */
  memset(regs + 416, 0, 96);
  memset(regs + 512, 0, 64); /* the header: which components are in use changes when another program runs between */
}
/* A register that is left full: the test must see it. */
static __attribute__((noinline)) void fill_reg(void) {
  __asm__ volatile("movdqu %0, %%xmm13" : : "m"(v.raw) : "xmm13");
}
#elif defined(__aarch64__)
#define PAIRS(op)                                                                                                      \
  op(0, 1) op(2, 3) op(4, 5) op(6, 7) op(8, 9) op(10, 11) op(12, 13) op(14, 15) op(16, 17) op(18, 19) op(20, 21)       \
      op(22, 23) op(24, 25) op(26, 27) op(28, 29) op(30, 31)
#define CLEAR(a, b) "movi v" #a ".16b, #0\n\tmovi v" #b ".16b, #0\n\t"
#define STORE(a, b) "stp q" #a ", q" #b ", [%0, #16 * " #a "]\n\t"
static __attribute__((noinline)) void clear_regs(void) { __asm__ volatile(PAIRS(CLEAR)); }
static __attribute__((noinline)) void store_regs(void) { __asm__ volatile(PAIRS(STORE) : : "r"(regs) : "memory"); }
static __attribute__((noinline)) void fill_reg(void) {
  __asm__ volatile("ldr q29, [%0]" : : "r"(v.raw) : "v29", "memory");
}
static void prepare(void) {}
#elif defined(__powerpc64__) && defined(__VSX__)
/* All 64, of which 0 to 31 have the floating-point registers as their first halves. */
#define ALL(operation)                                                                                                 \
  ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, " \
  "29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, "   \
  "57, 58, 59, 60, 61, 62, 63\n\t" operation "\n\t.endr"
static __attribute__((noinline)) void clear_regs(void) { __asm__ volatile(ALL("xxlxor \\n, \\n, \\n")); }
static __attribute__((noinline)) void store_regs(void) {
  uint8_t *p = regs;
  __asm__ volatile(ALL("stxvd2x \\n, 0, %0\n\taddi %0, %0, 16") : "+b"(p) : : "memory");
}
/* The second half of one that has a callee-saved register in its first: nobody restores it. */
static __attribute__((noinline)) void fill_reg(void) {
  __asm__ volatile("lxvd2x 0, 0, %0\n\txxpermdi 29, 29, 0, 0\n\txxlxor 0, 0, 0" : : "b"(v.raw) : "memory", "fr0");
}
static void prepare(void) {}
#else
/* PORT: elsewhere only the stack is looked at. */
static void prepare(void) {}
static void clear_regs(void) {}
static void store_regs(void) {}
#define NO_REGS
#endif

static void on_stack(void) {
  clear_regs();
  run();
  store_regs();
  setcontext(&here);
}

/* WHY not inlined: on POWER makecontext writes the address that it returns to on the new stack. Where a compiler
 * unrolls the loop over the secrets, it is called from two places, and the stacks differ by that. */
static __attribute__((noinline)) void call(void (*what)(void)) {
  memset(stack, 0x5a, STACK);
  run = what;
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = STACK;
  there.uc_link = NULL;
  makecontext(&there, on_stack, 0);
  REQUIRE(swapcontext(&here, &there) == 0);
}

static void other_secrets(unsigned rounds) {
  memset(&v, 0, sizeof v);
  t_fill(v.raw, sizeof v.raw);
  t_fill(v.in, sizeof v.in);
#ifndef OBJECTS_OF_LINUX /* kernel/test: its compiler's flags leave some */
  t_fill(v.aad, sizeof v.aad);
#endif
  t_fill(v.tweak, 16);
  t_fill(v.ctr, 16);
  t_fill(v.acc, 16);
  t_fill(&v.chain, sizeof v.chain);
  t_fill(v.iv, 16);
  t_fill(v.tag, 16);
  v.gcm.rounds = v.aes.rounds = v.xts.rounds = v.siv.rounds = (uint8_t)rounds;
  v.gcm.tag_len = len % 5 == 0 ? 12 : 16;
  m->gcm_init(&v.gcm, v.raw);
  v.gcm2 = v.gcm;
  m->gcm_init(&v.gcm2, v.in);
  m->ghash_init(&v.ghash, v.raw);
  m->aes_init(&v.aes, v.raw);
  m->xts_init(&v.xts, v.raw);
  v.siv.rk = v.aes.rk;
  REQUIRE(rijn_gcm_siv_init_impl(&v.siv_key, v.raw, rounds == 10 ? 16 : 32, impl) == 0);
  REQUIRE(rijn_ccm_init_impl(&v.ccm_key, v.raw, rounds == 10 ? 16 : 32, 16, impl) == 0);
  REQUIRE(rijn_xaes_init_impl(&v.xaes, v.raw, 32, impl) == 0);
  v.gcm.impl = v.aes.impl = (uint8_t)(impl + 1);
  REQUIRE(rijn_rfc4106_init_impl(&v.esp, v.raw, rounds == 10 ? 20 : 36, 16, impl) == 0);
  REQUIRE(rijn_rfc4543_init_impl(&v.esp_mac, v.raw, rounds == 10 ? 20 : 36, impl) == 0);
}

/* Bytes by which the two stacks, and the two sets of registers, differ. */
static size_t differing(void (*what)(void), unsigned rounds, size_t *depth) {
  void (*seal)(void) = what == gcm_open         ? gcm_seal
                       : what == gcm_open_batch ? gcm_seal_batch
                       : what == siv_open       ? siv_seal
                                                : NULL;
  size_t n = 0;
  for (unsigned s = 0; s < SECRETS; s++) {
    other_secrets(rounds);
    if (seal)
      seal();
    call(what);
    CHECK(!seal || v.verdict == 0);
    memcpy(left[s], stack, STACK);
    memcpy(left_regs[s], regs, sizeof regs);
  }
  *depth = 0;
  for (size_t i = STACK; i-- > 0;)
    if (left[0][i] != left[1][i]) {
      n++;
      *depth = STACK - i;
    }
  for (size_t i = 0; i < sizeof regs; i++)
    n += left_regs[0][i] != left_regs[1][i];
  return n;
}

/* The next length: each of short ones, and some of each way that a longer message goes. */
static size_t longer(size_t n) {
  return n < 80 ? n + 1 : n < 600 ? n + 7 : n < 2100 ? n + 71 : n < 5000 ? 5000 : n < LONG ? LONG : n + MAX;
}

int main(int argc, char **argv) {
  size_t depth;
  t_init(argc, argv);
  prepare();
  /* WHY once: the registers it takes down are those each kernel starts with, and saves on its stack. */
  REQUIRE(getcontext(&there) == 0);
  T_IMPLS(i) {
    m = rijn_impls[i];
    impl = i;
    other_secrets(10);
    call(leaky); /* whatever is resolved or loaded at the first call is so now */
    CHECK(differing(leaky, 10, &depth) > 64);
#ifndef NO_REGS
    CHECK(differing(fill_reg, 10, &depth) > 4);
#endif
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
      /* Keys of 192 bits differ from others by their set-up alone, which has a way of its own. */
      for (unsigned rounds = 10; rounds <= 14; rounds += rows[r].has_len ? 4 : 2)
        for (len = rows[r].min; len <= (rows[r].has_len ? (size_t)MAX : rows[r].min); len = longer(len)) {
          if (!has_kernel(rows[r].kernel))
            continue;
          T_AT("row %zu, rounds %zu, len %zu", r, rounds, len);
          size_t n = differing(rows[r].run, rounds, &depth);
          if (n != 0)
            t_fail(__FILE__, __LINE__,
                   "%s left %zu bytes that depend on secrets, the deepest %zu below (0: in registers)", rows[r].name, n,
                   depth);
          CHECK(n == 0);
        }
    for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++)
      for (unsigned rounds = 10; rounds <= 14; rounds += 4)
        for (len = 0; len <= (size_t)MAX; len = longer(len)) {
          T_AT("call %zu, rounds %zu, len %zu", c, rounds, len);
          size_t n = differing(calls[c].run, rounds, &depth);
          CHECK_EQ(v.verdict, calls[c].verdict);
          if (n > calls[c].ciphertext)
            t_fail(__FILE__, __LINE__,
                   "%s left %zu bytes that depend on secrets, the deepest %zu below (0: in registers)", calls[c].name,
                   n, depth);
        }
  }
  return t_done();
}
