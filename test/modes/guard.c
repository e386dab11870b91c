/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Guard pages around every pointer of every call: raw key, key object, input, output, initialisation vector, state of
 * CTR and CFB, tweaks, length of the output. Each ends right before a page that cannot be touched, then starts right
 * behind one; what a call may only read is read-only. Lengths 0 to 1024. What must come out is what portable makes of
 * plain memory; that this is right is for the tests beside this one.
 */
#include "place.h"

enum call {
  ECB_ENC, /* these have 16 bytes as their unit */
  ECB_DEC,
  CBC_ENC,
  CBC_DEC,
  UNPAD,
  PAD, /* these any */
  CTR,
  CTR32,
  CFB_ENC,
  CFB_DEC,
  XTS_ENC,
  XTS_DEC,
  SECTORS_ENC, /* these 512 */
  SECTORS_DEC,
  TWEAKS_ENC,
  TWEAKS_DEC,
  CALLS
};

enum { MOST = 1024, ROOM = MOST + 16 };
#define FIRST UINT64_C(0x123456789abcde)

struct args {
  const void *key;
  uint8_t *out;
  const uint8_t *in;
  size_t len, *out_len;
  void *iv; /* or the state, or the tweaks */
};

static bool is_xts(enum call c) { return c >= XTS_ENC; }
static size_t unit(enum call c) { return c <= UNPAD ? 16 : c >= SECTORS_ENC ? 512 : 1; }
static bool is_cfb(enum call c) { return c == CFB_ENC || c == CFB_DEC; }
static bool writes_iv(enum call c) { return c == CBC_ENC || c == CBC_DEC || c == CTR || c == CTR32 || is_cfb(c); }
static size_t iv_size(enum call c, size_t len) {
  if (c == CTR || c == CTR32)
    return sizeof(rijn_ctr_state);
  if (is_cfb(c))
    return sizeof(rijn_cfb_state);
  return c == TWEAKS_ENC || c == TWEAKS_DEC ? 16 * (len / 512) : 16;
}
static size_t out_size(enum call c, size_t len) { return c == PAD ? len + 16 - len % 16 : len; }

static int call(enum call c, const struct args *a) {
  switch (c) {
  case ECB_ENC:
    return rijn_ecb_encrypt(a->key, a->out, a->in, a->len / 16);
  case ECB_DEC:
    return rijn_ecb_decrypt(a->key, a->out, a->in, a->len / 16);
  case CBC_ENC:
    return rijn_cbc_encrypt(a->key, a->out, a->in, a->len / 16, a->iv);
  case CBC_DEC:
    return rijn_cbc_decrypt(a->key, a->out, a->in, a->len / 16, a->iv);
  case UNPAD:
    return rijn_cbc_decrypt_pkcs7(a->key, a->out, a->out_len, a->in, a->len, a->iv);
  case PAD:
    return rijn_cbc_encrypt_pkcs7(a->key, a->out, a->out_len, a->in, a->len, a->iv);
  case CTR:
    return rijn_ctr_crypt(a->key, a->out, a->in, a->len, a->iv);
  case CTR32:
    return rijn_ctr32_crypt(a->key, a->out, a->in, a->len, a->iv);
  case CFB_ENC:
    return rijn_cfb_encrypt(a->key, a->out, a->in, a->len, a->iv);
  case CFB_DEC:
    return rijn_cfb_decrypt(a->key, a->out, a->in, a->len, a->iv);
  case XTS_ENC:
    return rijn_xts_encrypt(a->key, a->out, a->in, a->len, a->iv);
  case XTS_DEC:
    return rijn_xts_decrypt(a->key, a->out, a->in, a->len, a->iv);
  case SECTORS_ENC:
    return rijn_xts_encrypt_sectors(a->key, a->out, a->in, 512, a->len / 512, FIRST, 3);
  case SECTORS_DEC:
    return rijn_xts_decrypt_sectors(a->key, a->out, a->in, 512, a->len / 512, FIRST, 3);
  case TWEAKS_ENC:
    return rijn_xts_encrypt_tweaks(a->key, a->out, a->in, 512, a->len / 512, a->iv);
  default:
    return rijn_xts_decrypt_tweaks(a->key, a->out, a->in, 512, a->len / 512, a->iv);
  }
}

static t_buf raw_b, key_b, in_b, out_b, iv_b, len_b;
static rijn_aes_key plain_aes;
static rijn_xts_key plain_xts;
static uint8_t raw[64], text[ROOM], want[ROOM], iv[sizeof(rijn_ctr_state)], want_iv[64];

/* A key object between guard pages, made from raw bytes between guard pages, and read-only from here on. */
static void *guarded_key(bool xts, size_t raw_len, int impl, bool at_end) {
  size_t size = xts ? sizeof(rijn_xts_key) : sizeof(rijn_aes_key);
  const uint8_t *r = t_lay(&raw_b, raw, raw_len, at_end, true);
  t_readonly(&key_b, false);
  void *key = at_end ? t_end(&key_b, size) : t_start(&key_b, 0);
  t_poison(&key_b, key, size);
  CHECK_EQ(xts ? rijn_xts_init_impl(key, r, raw_len, impl) : rijn_aes_init_impl(key, r, raw_len, impl), RIJN_OK);
  CHECK_POISON(&key_b, key, size);
  t_readonly(&key_b, true);
  return key;
}

static void wipe(bool xts, void *key) {
  size_t size = xts ? sizeof(rijn_xts_key) : sizeof(rijn_aes_key);
  t_readonly(&key_b, false);
  if (xts)
    rijn_xts_wipe(key);
  else
    rijn_aes_wipe(key);
  CHECK_ALL(key, 0, size);
  CHECK_POISON(&key_b, key, size);
}

static void one(enum call c, const void *key, size_t len, bool at_end, bool in_place) {
  size_t n = out_size(c, len), want_len = 0, zero = 0, iv_n = iv_size(c, len);
  struct args plain = {is_xts(c) ? (const void *)&plain_xts : &plain_aes, want, text, len, &want_len, want_iv};
  if (c == CTR || c == CTR32) { /* in the middle of a block at times */
    rijn_ctr_state s = {{0}, {0}, (uint32_t)(len / 3 % 16)};
    memcpy(s.ctr, text, 16);
    memcpy(s.ks, text + 16, 16);
    memcpy(iv, &s, sizeof s);
  }
  if (is_cfb(c)) {
    rijn_cfb_state s = {{0}, (uint32_t)(len / 3 % 16)};
    memcpy(s.iv, text, 16);
    memcpy(iv, &s, sizeof s);
  }
  memcpy(want_iv, iv, iv_n);
  int err = call(c, &plain);
  CHECK_EQ(err, RIJN_OK);

  const t_buf *ob = in_place ? &in_b : &out_b;
  struct args a = {.key = key, .len = len};
  if (in_place) { /* padding makes it longer */
    t_lay(&in_b, text, n, at_end, false);
    a.out = at_end ? t_end(&in_b, n) : t_start(&in_b, 0);
    a.in = a.out;
  } else {
    a.in = t_lay(&in_b, text, len, at_end, true);
    a.out = t_lay(&out_b, text, n, at_end, false);
    t_poison(&out_b, a.out, n);
  }
  a.iv = t_lay(&iv_b, iv, iv_n, at_end, !writes_iv(c));
  a.out_len = t_lay(&len_b, &zero, sizeof zero, at_end, false);
  CHECK_EQ(call(c, &a), err);
  CHECK_MEM(a.out, want, n);
  CHECK_POISON(ob, a.out, n);
  CHECK_MEM(a.iv, want_iv, iv_n);
  CHECK_POISON(&iv_b, a.iv, iv_n);
  CHECK_EQ(*a.out_len, want_len);
  CHECK_POISON(&len_b, (uint8_t *)a.out_len, sizeof zero);
  t_readonly(&in_b, false);
}

static void sweep(enum call c, size_t raw_len, int impl, bool at_end) {
  size_t least = c == UNPAD || c == XTS_ENC || c == XTS_DEC ? 16 : 0;
  size_t step = unit(c) > 1 ? unit(c) : STRIDE;
  if (is_xts(c))
    CHECK_EQ(rijn_xts_init_impl(&plain_xts, raw, raw_len, t_portable()), RIJN_OK);
  else
    CHECK_EQ(rijn_aes_init_impl(&plain_aes, raw, raw_len, t_portable()), RIJN_OK);
  void *key = guarded_key(is_xts(c), raw_len, impl, at_end);
  for (size_t len = least; len <= MOST; len += step) {
    T_AT("call %zu, key %zu, length %zu, at end %zu", c, raw_len, len, at_end);
    t_fill(iv, 16);
    t_fill(text, ROOM);
    if (c == UNPAD) { /* what it gets is something padded */
      size_t padded;
      CHECK_EQ(rijn_cbc_encrypt_pkcs7(&plain_aes, text, &padded, text, len - 1 - len / 16 % 16, iv), RIJN_OK);
    }
    one(c, key, len, at_end, false);
    one(c, key, len, at_end, true);
  }
  wipe(is_xts(c), key);
}

/* Tweaks of more than 16 bytes, for a run of sectors. */
_Static_assert(MOST / 512 * 16 <= sizeof iv, "the tweaks of the longest run");

int main(int argc, char **argv) {
  t_init(argc, argv);
  raw_b = t_buf_new(64);
  key_b = t_buf_new(sizeof(rijn_xts_key));
  in_b = t_buf_new(ROOM);
  out_b = t_buf_new(ROOM);
  iv_b = t_buf_new(64);
  len_b = t_buf_new(16);
  t_fill(raw, sizeof raw);
  t_fill(iv, sizeof iv);
  T_IMPLS(impl) {
    for (enum call c = 0; c < CALLS; c++) {
      for (size_t raw_len = 16; raw_len <= 32; raw_len += 8) {
        if (is_xts(c) && raw_len == 24)
          continue;
        for (int at_end = 0; at_end < 2; at_end++)
          sweep(c, is_xts(c) ? 2 * raw_len : raw_len, impl, at_end);
      }
    }
  }
  return t_done();
}
