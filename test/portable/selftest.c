/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The self-test passes with every implementation, and fails when any kernel is wrong in one bit of one output.
 *
 * This file brings its own "portable", a copy that can be broken, in the place of the library's. */
#define rijn_impl_portable good
#include "../../src/isa/portable.c"
#undef rijn_impl_portable
#include "rijn.h"
#include "t.h"

extern struct rijn_impl rijn_impl_portable;
struct rijn_impl rijn_impl_portable;

/* Each broken kernel flips one bit when its length is this one, or in every call for those without a length. */
static size_t bad_len;
static void flip(uint8_t *p, size_t len) {
  if (len == bad_len && len)
    p[len - 1] ^= 0x10;
}

static void bad_gcm_init(struct rijn_gcm *k, const uint8_t *raw) {
  good.gcm_init(k, raw);
  k->rk.b[16] ^= 1;
}
static void bad_ghash_init(struct rijn_ghash *k, const uint8_t h[16]) {
  good.ghash_init(k, h);
  k->h.pow[0][15] ^= 2;
}
static void bad_aes_init(struct rijn_aes *k, const uint8_t *raw) {
  good.aes_init(k, raw);
  k->dk.b[0] ^= 1;
}
static void bad_xts_init(struct rijn_xts *k, const uint8_t *raw) {
  good.xts_init(k, raw);
  k->tk.b[0] ^= 1;
}
static int bad_gcm_encrypt(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                           size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t *tag) {
  int e = good.gcm_encrypt(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);
  if (len == bad_len)
    tag[0] ^= 1;
  return e;
}
static int bad_gcm_decrypt(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                           size_t aad_len, const uint8_t *nonce, size_t nonce_len, const uint8_t *tag) {
  int e = good.gcm_decrypt(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);
  flip(out, len);
  return e;
}
/* Takes any tag. */
static int open_gcm_decrypt(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                            size_t aad_len, const uint8_t *nonce, size_t nonce_len, const uint8_t *tag) {
  (void)good.gcm_decrypt(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);
  return 0;
}
static void bad_gcm_enc_blocks(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk,
                               struct rijn_gcm_state *c, unsigned ends) {
  good.gcm_enc_blocks(k, out, in, nblk, c, ends);
  flip(out, 16 * nblk);
}
static void bad_gcm_dec_blocks(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk,
                               struct rijn_gcm_state *c, unsigned ends) {
  good.gcm_dec_blocks(k, out, in, nblk, c, ends);
  flip(out, 16 * nblk);
}
static void bad_gcm_blocks_tag(const struct rijn_gcm *k, struct rijn_gcm_state *c, const uint8_t j0[16],
                               uint64_t aad_len, uint64_t len, unsigned ends) {
  good.gcm_blocks_tag(k, c, j0, aad_len, len, ends);
  if (len == bad_len)
    c->acc[3] ^= 4;
}
static void bad_ghash_blocks(const struct rijn_hpow *h, uint8_t acc[16], const uint8_t *in, size_t nblk) {
  good.ghash_blocks(h, acc, in, nblk);
  if (16 * nblk == bad_len)
    acc[3] ^= 4;
}
#define BAD_ECB(name)                                                                                                  \
  static void bad_##name(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk) {    \
    good.name(rk, rounds, out, in, nblk);                                                                              \
    flip(out, 16 * nblk);                                                                                              \
  }
BAD_ECB(ecb_enc)
BAD_ECB(ecb_dec)
#define BAD_IV(name)                                                                                                   \
  static void bad_##name(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,      \
                         uint8_t iv[16]) {                                                                             \
    good.name(rk, rounds, out, in, nblk, iv);                                                                          \
    flip(out, 16 * nblk);                                                                                              \
  }
BAD_IV(ctr_blocks)
BAD_IV(ctr32_blocks)
BAD_IV(cbc_enc)
BAD_IV(cbc_dec)
BAD_IV(cfb_enc)
BAD_IV(cfb_dec)
static void bad_cbc_enc_many(const struct rijn_rk *rk, unsigned rounds, struct rijn_cbc_stream *s, size_t n,
                             size_t nblk) {
  good.cbc_enc_many(rk, rounds, s, n, nblk);
  if (n == bad_len)
    s[n - 1].out[16 * nblk - 1] ^= 1;
}
#define BAD_CCM(name)                                                                                                  \
  static void bad_##name(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t len,       \
                         struct rijn_ccm_state *c) {                                                                   \
    good.name(rk, rounds, out, in, len, c);                                                                            \
    flip(out, len);                                                                                                    \
  }
BAD_CCM(ccm_enc)
BAD_CCM(ccm_dec)
static void tag_ccm_enc(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t len,
                        struct rijn_ccm_state *c) {
  good.ccm_enc(rk, rounds, out, in, len, c);
  if (len == bad_len)
    c->mac[3] ^= 1;
}
#define BAD_XTS(name)                                                                                                  \
  static void bad_##name(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len,                        \
                         const uint8_t tweak[16]) {                                                                    \
    good.name(k, out, in, len, tweak);                                                                                 \
    flip(out, len);                                                                                                    \
  }
BAD_XTS(xts_enc)
BAD_XTS(xts_dec)
#define BAD_SECTORS(name)                                                                                              \
  static void bad_##name(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, const struct rijn_sectors *s) {    \
    good.name(k, out, in, s);                                                                                          \
    flip(out, s->size * s->n);                                                                                         \
  }
BAD_SECTORS(xts_enc_sectors)
BAD_SECTORS(xts_dec_sectors)

/* What portable has not: the table of counters, and batches, in which message bad_len is wrong. */
static void good_ctr_public(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                            uint8_t ctr[16], int wide) {
  (wide ? good.ctr_blocks : good.ctr32_blocks)(rk, rounds, out, in, nblk, ctr);
}
static int bad_wide;
static void bad_ctr_public(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                           uint8_t ctr[16], int wide) {
  good_ctr_public(rk, rounds, out, in, nblk, ctr, wide);
  if (wide == bad_wide)
    flip(out, 16 * nblk);
}
static void bad_ctr_public_end(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                               uint8_t ctr[16], int wide) {
  good_ctr_public(rk, rounds, out, in, nblk, ctr, wide);
  ctr[15] ^= (uint8_t)(wide == bad_wide);
}
static size_t batch(struct rijn_gcm_msg *m, size_t n, size_t *failed, int encrypt) {
  for (size_t i = 0; i < n; i++) {
    m[i].result = encrypt ? rijn_gcm_encrypt(m[i].key, m[i].out, m[i].in, m[i].len, m[i].aad, m[i].aad_len, m[i].nonce,
                                             m[i].nonce_len, m[i].tag)
                          : rijn_gcm_decrypt(m[i].key, m[i].out, m[i].in, m[i].len, m[i].aad, m[i].aad_len, m[i].nonce,
                                             m[i].nonce_len, m[i].tag);
    *failed += m[i].result != RIJN_OK;
  }
  return n;
}
static size_t good_encrypt_batch(struct rijn_gcm_msg *m, size_t n, size_t *failed) { return batch(m, n, failed, 1); }
static size_t good_decrypt_batch(struct rijn_gcm_msg *m, size_t n, size_t *failed) { return batch(m, n, failed, 0); }
static size_t bad_encrypt_batch(struct rijn_gcm_msg *m, size_t n, size_t *failed) {
  size_t taken = batch(m, n, failed, 1);
  ((uint8_t *)m[bad_len].tag)[11] ^= 1;
  return taken;
}
static size_t bad_decrypt_batch(struct rijn_gcm_msg *m, size_t n, size_t *failed) {
  size_t taken = batch(m, n, failed, 0);
  ((uint8_t *)m[bad_len].out)[0] ^= 1;
  return taken;
}
static size_t bad_results_batch(struct rijn_gcm_msg *m, size_t n, size_t *failed) {
  size_t taken = batch(m, n, failed, 0);
  m[bad_len].result ^= RIJN_EAUTH;
  return taken;
}

/* A key for one message. */
static void good_gcm_init_once(struct rijn_gcm *k, const uint8_t *raw, size_t aad_len, size_t len) {
  (void)aad_len, (void)len;
  good.gcm_init(k, raw);
}
static void bad_gcm_init_once(struct rijn_gcm *k, const uint8_t *raw, size_t aad_len, size_t len) {
  good_gcm_init_once(k, raw, aad_len, len);
  if (len == bad_len)
    k->rk.b[32] ^= 8;
}
static void good_gcm_wipe_once(struct rijn_gcm *k, size_t aad_len, size_t len) {
  (void)aad_len, (void)len;
  memset(k, 0, sizeof *k);
}

/* AES-GCM-SIV by kernels of other modes, which is what a set without kernels for it has. */
static int siv(const struct rijn_enc *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
               size_t aad_len, const uint8_t *nonce, uint8_t *tag, int encrypt) {
  const rijn_gcm_siv_key *key = (const rijn_gcm_siv_key *)(const void *)k;
  struct rijn_impl now = rijn_impl_portable;
  rijn_impl_portable.siv_encrypt = NULL;
  rijn_impl_portable.siv_decrypt = NULL;
  int e = encrypt ? rijn_gcm_siv_encrypt(key, out, in, len, aad, aad_len, nonce, tag)
                  : rijn_gcm_siv_decrypt(key, out, in, len, aad, aad_len, nonce, tag);
  rijn_impl_portable = now;
  return e;
}
static int good_siv_encrypt(const struct rijn_enc *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                            size_t aad_len, const uint8_t *nonce, uint8_t *tag) {
  return siv(k, out, in, len, aad, aad_len, nonce, tag, 1);
}
static int good_siv_decrypt(const struct rijn_enc *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                            size_t aad_len, const uint8_t *nonce, const uint8_t *tag) {
  uint8_t copy[16];
  memcpy(copy, tag, 16);
  return siv(k, out, in, len, aad, aad_len, nonce, copy, 0);
}
static int bad_siv_encrypt(const struct rijn_enc *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                           size_t aad_len, const uint8_t *nonce, uint8_t *tag) {
  int e = good_siv_encrypt(k, out, in, len, aad, aad_len, nonce, tag);
  if (len == bad_len)
    tag[9] ^= 2;
  return e;
}
static int bad_siv_decrypt(const struct rijn_enc *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                           size_t aad_len, const uint8_t *nonce, const uint8_t *tag) {
  int e = good_siv_decrypt(k, out, in, len, aad, aad_len, nonce, tag);
  flip(out, len);
  return e;
}
/* Takes any tag. */
static int open_siv_decrypt(const struct rijn_enc *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                            size_t aad_len, const uint8_t *nonce, const uint8_t *tag) {
  (void)good_siv_decrypt(k, out, in, len, aad, aad_len, nonce, tag);
  return 0;
}

/* Every mode with every length of its keys. How many are right, which must be none or all of a mode; bit m of *wrong:
 * mode m is not. */
static int modes_right(int impl, unsigned *wrong) {
  int right = 0;
  *wrong = 0;
  for (int mode = -1; mode <= RIJN_MODE_CCM + 1; mode++)
    for (size_t n = 0; n <= 72; n++) {
      bool aes = (n == 16 || n == 24 || n == 32) && mode >= 0 && mode <= RIJN_MODE_CCM;
      bool is = mode == RIJN_MODE_XTS ? n == 32 || n == 64 : mode == RIJN_MODE_XAES ? n == 32 : aes;
      int r = rijn_selftest_mode(impl, mode, n);
      CHECK_EQ(r == RIJN_EKEYLEN, !is);
      CHECK(!is || r == 0 || r == RIJN_ESELFTEST);
      right += r == 0;
      *wrong |= r == RIJN_ESELFTEST ? 1u << mode : 0;
    }
  return right;
}

/* The modes together find what the whole finds; and a mode is not told of another's faults. */
static void by_modes(int impl) {
  unsigned wrong;
  CHECK_EQ(modes_right(impl, &wrong), 3 + 3 + 1 + 2 + 3 + 3 + 3 + 3 + 3);
  CHECK_EQ(wrong, 0);
  for (int mode = 0; mode <= RIJN_MODE_CCM; mode++)
    CHECK_EQ(rijn_selftest_mode(rijn_impl_count(), mode, 32), RIJN_EIMPL);
  CHECK_EQ(rijn_selftest_mode(-1, RIJN_MODE_CBC, 16), 0);
  rijn_impl_portable.cbc_enc = bad_cbc_enc;
  bad_len = 64;
  modes_right(impl, &wrong);
  CHECK_EQ(wrong, 1u << RIJN_MODE_CBC);
  CHECK_EQ(rijn_selftest_mode(-1, RIJN_MODE_CBC, 16), RIJN_ESELFTEST);
  rijn_impl_portable = good;
  rijn_impl_portable.xts_dec_sectors = bad_xts_dec_sectors;
  bad_len = 512 * 33;
  modes_right(impl, &wrong);
  CHECK_EQ(wrong, 1u << RIJN_MODE_XTS);
  rijn_impl_portable = good;
  rijn_impl_portable.aes_init = bad_aes_init;
  modes_right(impl, &wrong);
  CHECK_EQ(wrong, 1u << RIJN_MODE_CBC | 1u << RIJN_MODE_ECB); /* what it spoils is for decryption */
  rijn_impl_portable = good;
}

/* Breaks one kernel, expects the self-test to see it, and mends it. */
static bool broken[RIJN_KERNELS];
#define BREAK(slot, with, len)                                                                                         \
  do {                                                                                                                 \
    broken[RIJN_KERNEL_##slot] = true;                                                                                 \
    bad_len = (len);                                                                                                   \
    rijn_impl_portable.slot = with;                                                                                    \
    CHECK_EQ(rijn_selftest(portable), RIJN_ESELFTEST);                                                                 \
    CHECK_EQ(rijn_selftest(-1), RIJN_ESELFTEST);                                                                       \
    rijn_impl_portable = good;                                                                                         \
  } while (0)

int main(int argc, char **argv) {
  int portable;

  rijn_impl_portable = good;
  t_init(argc, argv);
  portable = t_portable();
  T_IMPLS(i) { CHECK_EQ(rijn_selftest(i), 0); }
  CHECK_EQ(rijn_selftest(-1), 0);
  for (int i = 0; i < rijn_impl_count(); i++)
    if (!rijn_impl_supported(i))
      CHECK_EQ(rijn_selftest(i), RIJN_EIMPL);
  CHECK_EQ(rijn_selftest(rijn_impl_count()), RIJN_EIMPL);
  CHECK_EQ(rijn_selftest(-2), RIJN_EIMPL);
  by_modes(portable);

  BREAK(gcm_init, bad_gcm_init, 0);
  BREAK(ghash_init, bad_ghash_init, 0);
  BREAK(aes_init, bad_aes_init, 0);
  BREAK(xts_init, bad_xts_init, 0);
  BREAK(gcm_encrypt, bad_gcm_encrypt, 0);
  BREAK(gcm_encrypt, bad_gcm_encrypt, 99);
  BREAK(gcm_decrypt, bad_gcm_decrypt, 1);
  BREAK(gcm_decrypt, bad_gcm_decrypt, 48);
  BREAK(gcm_decrypt, open_gcm_decrypt, 0);
  BREAK(gcm_enc_blocks, bad_gcm_enc_blocks, 512);
  BREAK(gcm_dec_blocks, bad_gcm_dec_blocks, 256);
  BREAK(gcm_blocks_tag, bad_gcm_blocks_tag, 111);
  BREAK(ghash_blocks, bad_ghash_blocks, 16);
  BREAK(ecb_enc, bad_ecb_enc, 16 * 67);
  BREAK(ecb_dec, bad_ecb_dec, 16 * 15);
  BREAK(ctr_blocks, bad_ctr_blocks, 256);
  BREAK(ctr32_blocks, bad_ctr32_blocks, 512);
  BREAK(cbc_enc, bad_cbc_enc, 64);
  BREAK(cbc_dec, bad_cbc_dec, 96);
  BREAK(cbc_enc_many, bad_cbc_enc_many, 8);
  BREAK(cfb_enc, bad_cfb_enc, 256);
  BREAK(cfb_dec, bad_cfb_dec, 16);
  BREAK(ccm_enc, bad_ccm_enc, 1);
  BREAK(ccm_enc, tag_ccm_enc, 0);
  BREAK(ccm_dec, bad_ccm_dec, 16);
  BREAK(xts_enc, bad_xts_enc, 17);
  BREAK(xts_enc, bad_xts_enc, 2049);
  BREAK(xts_dec, bad_xts_dec, 16);
  BREAK(xts_enc_sectors, bad_xts_enc_sectors, 512 * 3);
  BREAK(xts_dec_sectors, bad_xts_dec_sectors, 512 * 4);
  /* Long calls, and what is checked where there is such a kernel. */
  BREAK(gcm_encrypt, bad_gcm_encrypt, 16891);
  BREAK(gcm_decrypt, bad_gcm_decrypt, 16891);
  BREAK(xts_enc_sectors, bad_xts_enc_sectors, 512 * 33);
  BREAK(xts_dec_sectors, bad_xts_dec_sectors, 512 * 33);
  rijn_impl_portable.ctr_public = good_ctr_public;
  rijn_impl_portable.gcm_encrypt_batch = good_encrypt_batch;
  rijn_impl_portable.gcm_decrypt_batch = good_decrypt_batch;
  CHECK_EQ(rijn_selftest(portable), 0);
  for (bad_wide = 0; bad_wide < 2; bad_wide++) {
    BREAK(ctr_public, bad_ctr_public, 16 * (16891 / 16));
    BREAK(ctr_public, bad_ctr_public_end, 0);
  }
  for (size_t i = 1; i < 21; i += 19) { /* in one of the three batches, message 0 has no text */
    BREAK(gcm_encrypt_batch, bad_encrypt_batch, i);
    rijn_impl_portable.gcm_encrypt_batch = good_encrypt_batch; /* who has none has no other either */
    BREAK(gcm_decrypt_batch, bad_decrypt_batch, i);
    rijn_impl_portable.gcm_encrypt_batch = good_encrypt_batch;
    BREAK(gcm_decrypt_batch, bad_results_batch, i);
  }
  CHECK_EQ(rijn_selftest(portable), 0);
  /* XAES-256-GCM comes to these. That keys are wiped no self-test can see: test/portable/residue.c does. */
  BREAK(gcm_encrypt_checked, bad_gcm_encrypt, 10);
  BREAK(gcm_decrypt_checked, bad_gcm_decrypt, 10);
  rijn_impl_portable.gcm_init_once = good_gcm_init_once;
  rijn_impl_portable.gcm_wipe_once = good_gcm_wipe_once;
  CHECK_EQ(rijn_selftest(portable), 0);
  BREAK(gcm_init_once, bad_gcm_init_once, 10);
  broken[RIJN_KERNEL_gcm_wipe_once] = true;
  rijn_impl_portable.siv_encrypt = good_siv_encrypt;
  rijn_impl_portable.siv_decrypt = good_siv_decrypt;
  CHECK_EQ(rijn_selftest(portable), 0);
  for (size_t n = 0; n <= 10; n += 10) {
    rijn_impl_portable.siv_decrypt = good_siv_decrypt;
    BREAK(siv_encrypt, bad_siv_encrypt, n);
  }
  rijn_impl_portable.siv_encrypt = good_siv_encrypt;
  BREAK(siv_decrypt, bad_siv_decrypt, 10);
  rijn_impl_portable.siv_encrypt = good_siv_encrypt;
  BREAK(siv_decrypt, open_siv_decrypt, 0);
  /* No public call comes to these: they are the Linux module's. test/portable/kernels.c has them. */
  broken[RIJN_KERNEL_xts_enc_part] = broken[RIJN_KERNEL_xts_dec_part] = true;
  for (int i = 0; i < RIJN_KERNELS; i++) {
    T_AT("kernel %zu (as src/kernels.def has them)", i);
    CHECK(broken[i]);
  }
  return t_done();
}
