/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Out is exactly in or disjoint from it, and raw bytes from their key object: every call, every distance. What is
 * allowed is right, what is not writes nothing. */
#include "t.h"

enum { MAX = 1024 };

/* A mode with everything fixed but the buffers. */
struct keys {
  rijn_gcm_key gcm;
  rijn_esp_key esp;
  rijn_aes_key aes;
  rijn_xts_key xts;
  rijn_ccm_key ccm;
};
static const uint8_t nonce[16] = {1, 2, 3}, aad[12] = {4, 5, 6};

typedef int crypt_fn(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len);

static int gcm_12(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  uint8_t tag[16];
  return rijn_gcm_encrypt(&k->gcm, out, in, len, aad, 12, nonce, 12, tag);
}
static int gcm_16(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  uint8_t tag[16];
  return rijn_gcm_encrypt(&k->gcm, out, in, len, aad, 12, nonce, 16, tag);
}
/* Decryption that succeeds needs its tag: what comes in is taken for ciphertext, whose text is its own encryption. */
static int gcm_dec(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len, size_t nonce_len) {
  uint8_t tag[16], text[MAX];
  int err = rijn_gcm_encrypt(&k->gcm, text, in, len, NULL, 0, nonce, nonce_len, tag);
  if (err == 0)
    err = rijn_gcm_encrypt(&k->gcm, text, text, len, aad, 12, nonce, nonce_len, tag);
  return err != 0 ? err : rijn_gcm_decrypt(&k->gcm, out, in, len, aad, 12, nonce, nonce_len, tag);
}
static int gcm_dec_12(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  return gcm_dec(k, out, in, len, 12);
}
static int gcm_dec_16(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  return gcm_dec(k, out, in, len, 16);
}
static int gcm_iov(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  uint8_t tag[16], copy[MAX];
  memcpy(copy, in, len); /* the base of an input run is not const, but in is */
  rijn_iov o = {out, len}, i = {(void *)(uintptr_t)in, len};
  int err = rijn_gcm_encrypt_iov(&k->gcm, &o, 1, &i, 1, NULL, 0, nonce, 12, tag);
  if (err == 0 && out != in)
    CHECK_MEM(in, copy, len);
  return err;
}
static int gcm_stream(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  rijn_gcm_stream s;
  CHECK_EQ(rijn_gcm_encrypt_start(&s, &k->gcm, nonce, 12), 0);
  int err = rijn_gcm_update(&s, out, in, len);
  rijn_gcm_stream_wipe(&s);
  return err;
}
static int rfc4106(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  uint8_t tag[16];
  return rijn_rfc4106_encrypt(&k->esp, out, in, len, aad, 12, nonce, tag);
}
static int ecb_enc(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  return rijn_ecb_encrypt(&k->aes, out, in, len / 16);
}
static int ecb_dec(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  return rijn_ecb_decrypt(&k->aes, out, in, len / 16);
}
static int cbc_enc(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  uint8_t iv[16] = {7};
  return rijn_cbc_encrypt(&k->aes, out, in, len / 16, iv);
}
static int cbc_dec(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  uint8_t iv[16] = {7};
  return rijn_cbc_decrypt(&k->aes, out, in, len / 16, iv);
}
static int cfb_enc(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  rijn_cfb_state st = {{1}, 3};
  return rijn_cfb_encrypt(&k->aes, out, in, len, &st);
}
static int cfb_dec(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  rijn_cfb_state st = {{1}, 3};
  return rijn_cfb_decrypt(&k->aes, out, in, len, &st);
}
static int cbc_many(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  uint8_t iv[2][16] = {{7}, {8}};
  rijn_cbc_msg m[2] = {{sizeof m[0], &k->aes, out, in, len / 16, iv[0], 0},
                       {sizeof m[0], &k->aes, NULL, NULL, 0, iv[1], 0}};
  int failed = rijn_cbc_encrypt_many(m, 2);
  CHECK_EQ(failed, m[0].result != 0);
  return m[0].result;
}
static int ccm(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  uint8_t tag[16];
  return rijn_ccm_encrypt(&k->ccm, out, in, len, aad, 12, nonce, 12, tag);
}
static int ctr(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  rijn_ctr_state st = {{1}, {2}, 3};
  return rijn_ctr_crypt(&k->aes, out, in, len, &st);
}
static int ctr32(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  rijn_ctr_state st = {{1}, {2}, 0};
  return rijn_ctr32_crypt(&k->aes, out, in, len, &st);
}
static int xts_enc(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  return rijn_xts_encrypt(&k->xts, out, in, len, nonce);
}
static int xts_dec(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  return rijn_xts_decrypt(&k->xts, out, in, len, nonce);
}
static int sectors_enc(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  return rijn_xts_encrypt_sectors(&k->xts, out, in, 512, len / 512, 9, 1);
}
static int sectors_dec(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  return rijn_xts_decrypt_sectors(&k->xts, out, in, 512, len / 512, 9, 1);
}
static int tweaks_enc(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  uint8_t tweaks[32] = {1};
  return rijn_xts_encrypt_tweaks(&k->xts, out, in, 512, len / 512, tweaks);
}
static int tweaks_dec(const struct keys *k, uint8_t *out, const uint8_t *in, size_t len) {
  uint8_t tweaks[32] = {1};
  return rijn_xts_decrypt_tweaks(&k->xts, out, in, 512, len / 512, tweaks);
}

static const struct {
  const char *name;
  crypt_fn *crypt;
  size_t lens[4]; /* 0 ends the list */
} modes[] = {
    {"gcm 12", gcm_12, {1, 16, 37, 130}},
    {"gcm 16", gcm_16, {1, 16, 37, 130}},
    {"gcm decrypt 12", gcm_dec_12, {1, 16, 37, 130}},
    {"gcm decrypt 16", gcm_dec_16, {1, 16, 37, 130}},
    {"gcm iov", gcm_iov, {1, 16, 37, 130}},
    {"gcm stream", gcm_stream, {1, 16, 37, 130}},
    {"rfc4106", rfc4106, {1, 16, 37, 130}},
    {"ecb", ecb_enc, {16, 48, 144, 0}},
    {"ecb decrypt", ecb_dec, {16, 48, 144, 0}},
    {"cbc", cbc_enc, {16, 48, 144, 0}},
    {"cbc decrypt", cbc_dec, {16, 48, 144, 0}},
    {"cbc, many", cbc_many, {16, 48, 144, 0}},
    {"cfb", cfb_enc, {1, 16, 37, 130}},
    {"cfb decrypt", cfb_dec, {1, 16, 37, 130}},
    {"ccm", ccm, {1, 16, 37, 130}},
    {"ctr", ctr, {1, 16, 37, 130}},
    {"ctr32", ctr32, {1, 16, 37, 130}},
    {"xts", xts_enc, {16, 37, 130, 0}},
    {"xts decrypt", xts_dec, {16, 37, 130, 0}},
    {"xts sectors", sectors_enc, {512, 1024, 0, 0}},
    {"xts sectors decrypt", sectors_dec, {512, 1024, 0, 0}},
    {"xts tweaks", tweaks_enc, {512, 1024, 0, 0}},
    {"xts tweaks decrypt", tweaks_dec, {512, 1024, 0, 0}},
};

static void matrix(int impl, const struct keys *k, size_t mode, size_t len) {
  static uint8_t mem[3 * MAX + 64], keep[3 * MAX + 64], want[MAX];
  /* d is the distance from in to out: all that overlap, equal, and up to 17 bytes apart. */
  const long reach = (long)len + 17;
  const long step = len > 200 ? 5 : 1; /* 1024 and 512 are no multiples of it, and 0 is met */
  t_fill(mem, sizeof mem);
  memcpy(keep, mem, sizeof mem);
  uint8_t *in = mem + MAX + 32;
  CHECK_EQ(modes[mode].crypt(k, want, in, len), 0);
  CHECK_MEM(mem, keep, sizeof mem);
  for (long d = -reach / step * step; d <= reach; d += step) {
    T_AT("impl %zu mode %zu len %zu out at %zu from in (modulo 2^64)", impl, mode, len, (size_t)d);
    uint8_t *out = in + d;
    bool allowed = d == 0 || d >= (long)len || -d >= (long)len;
    CHECK_EQ(modes[mode].crypt(k, out, in, len), allowed ? 0 : RIJN_EOVERLAP);
    if (allowed) {
      CHECK_MEM(out, want, len);
      memcpy(out, keep + (out - mem), len); /* then nothing else may differ */
    }
    CHECK_MEM(mem, keep, sizeof mem);
  }
  /* Right beside each other, and one byte too near. */
  static const int near[] = {0, 1};
  for (size_t n = 0; n < 2; n++)
    for (int below = 0; below < 2; below++) {
      uint8_t *out = below ? in - len + near[n] : in + len - near[n];
      int want_err = near[n] == 0 || len == 1 ? 0 : RIJN_EOVERLAP;
      CHECK_EQ(modes[mode].crypt(k, out, in, len), want_err);
      memcpy(mem, keep, sizeof mem);
    }
}

/* An init whose raw bytes share one with the key object: refused, and every byte stays. Beside it, they make the same
 * key as elsewhere. */
typedef int init_fn(void *key, const void *raw, size_t raw_len, int impl);
static int init_gcm(void *key, const void *raw, size_t raw_len, int impl) {
  return impl < 0 ? rijn_gcm_init(key, raw, raw_len) : rijn_gcm_init_impl(key, raw, raw_len, 16, impl);
}
static int init_taglen(void *key, const void *raw, size_t raw_len, int impl) {
  return impl < 0 ? rijn_gcm_init_taglen(key, raw, raw_len, 12) : rijn_gcm_init_impl(key, raw, raw_len, 12, impl);
}
static int init_4106(void *key, const void *raw, size_t raw_len, int impl) {
  return impl < 0 ? rijn_rfc4106_init(key, raw, raw_len, 8) : rijn_rfc4106_init_impl(key, raw, raw_len, 8, impl);
}
static int init_4543(void *key, const void *raw, size_t raw_len, int impl) {
  return impl < 0 ? rijn_rfc4543_init(key, raw, raw_len) : rijn_rfc4543_init_impl(key, raw, raw_len, impl);
}
static int init_ghash(void *key, const void *raw, size_t raw_len, int impl) {
  CHECK_EQ(raw_len, 16);
  return impl < 0 ? rijn_ghash_init(key, raw) : rijn_ghash_init_impl(key, raw, impl);
}
static int init_aes(void *key, const void *raw, size_t raw_len, int impl) {
  return impl < 0 ? rijn_aes_init(key, raw, raw_len) : rijn_aes_init_impl(key, raw, raw_len, impl);
}
static int init_xts(void *key, const void *raw, size_t raw_len, int impl) {
  return impl < 0 ? rijn_xts_init(key, raw, raw_len) : rijn_xts_init_impl(key, raw, raw_len, impl);
}
static int init_ccm(void *key, const void *raw, size_t raw_len, int impl) {
  return impl < 0 ? rijn_ccm_init(key, raw, raw_len) : rijn_ccm_init_impl(key, raw, raw_len, 16, impl);
}

static int init_siv(void *key, const void *raw, size_t raw_len, int impl) {
  return impl < 0 ? rijn_gcm_siv_init(key, raw, raw_len) : rijn_gcm_siv_init_impl(key, raw, raw_len, impl);
}

static const struct {
  init_fn *init;
  size_t size, lens[3];
} inits[] = {
    {init_gcm, sizeof(rijn_gcm_key), {16, 24, 32}},     {init_taglen, sizeof(rijn_gcm_key), {16, 24, 32}},
    {init_4106, sizeof(rijn_esp_key), {20, 28, 36}},    {init_4543, sizeof(rijn_esp_key), {20, 28, 36}},
    {init_ghash, sizeof(rijn_ghash_key), {16, 16, 16}}, {init_aes, sizeof(rijn_aes_key), {16, 24, 32}},
    {init_xts, sizeof(rijn_xts_key), {32, 64, 64}},     {init_ccm, sizeof(rijn_ccm_key), {16, 24, 32}},
    {init_siv, sizeof(rijn_gcm_siv_key), {16, 24, 32}},
};

static void test_init(int impl, size_t which, size_t len) {
  enum { BESIDE = 80 };
  static _Alignas(16) uint8_t mem[BESIDE + sizeof(rijn_esp_key) + BESIDE], want[sizeof(rijn_esp_key)];
  static uint8_t keep[sizeof mem];
  const size_t size = inits[which].size;
  uint8_t *key = mem + BESIDE;
  t_fill(keep, sizeof keep);
  for (size_t at = BESIDE - len; at <= BESIDE + size; at++) {
    T_AT("impl %zu init %zu raw %zu at %zu", impl, which, len, at);
    bool apart = at + len <= BESIDE || at >= BESIDE + size;
    memcpy(mem, keep, sizeof mem);
    CHECK_EQ(inits[which].init(key, mem + at, len, impl), apart ? 0 : RIJN_EOVERLAP);
    if (apart) {
      /* WHY a second object from the same start: an init need not write every byte of it. */
      memcpy(want, keep + BESIDE, size);
      CHECK_EQ(inits[which].init(want, keep + at, len, impl), 0);
      CHECK_MEM(key, want, size);
      memcpy(key, keep + BESIDE, size);
    }
    CHECK_MEM(mem, keep, sizeof mem);
  }
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  static struct keys k;
  uint8_t raw[64];
  t_fill(raw, sizeof raw);
  T_IMPLS(i) {
    CHECK_EQ(rijn_gcm_init_impl(&k.gcm, raw, 32, 16, i), 0);
    CHECK_EQ(rijn_rfc4106_init_impl(&k.esp, raw, 20, 16, i), 0);
    CHECK_EQ(rijn_aes_init_impl(&k.aes, raw, 24, i), 0);
    CHECK_EQ(rijn_xts_init_impl(&k.xts, raw, 32, i), 0);
    CHECK_EQ(rijn_ccm_init_impl(&k.ccm, raw, 16, 16, i), 0);
    for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++)
      for (size_t l = 0; l < 4 && modes[m].lens[l] != 0; l++)
        matrix(i, &k, m, modes[m].lens[l]);
  }
  for (size_t w = 0; w < sizeof inits / sizeof inits[0]; w++)
    for (size_t l = 0; l < 3; l++) {
      test_init(-1, w, inits[w].lens[l]);
      T_IMPLS(i) { test_init(i, w, inits[w].lens[l]); }
    }
  return t_done();
}
