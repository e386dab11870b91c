/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Guard pages: every buffer of a call ends right before a page that cannot be touched, then starts right after one.
 * What the call may only read (key, input, associated data, nonce, and the tag when decrypting) is read-only as well,
 * so that neither a byte too far nor a write that is undone later goes unseen.
 */
#include "ref.h"
#include "t.h"

#define MAX_LEN 4400
#define MAX_AAD 1100

static t_buf key_b, raw_b, in_b, out_b, aad_b, nonce_b, tag_b;
static uint8_t want[MAX_LEN], want_tag[16], text[MAX_LEN];

static uint8_t *place(const t_buf *b, size_t n, bool at_end) { return at_end ? t_end(b, n) : t_start(b, 0); }

static rijn_gcm_key *make_key(int impl, const uint8_t *raw, size_t key_len, size_t tag_len, bool at_end) {
  t_readonly(&key_b, false);
  uint8_t *r = place(&raw_b, key_len, at_end);
  memcpy(r, raw, key_len);
  rijn_gcm_key *key = (rijn_gcm_key *)(void *)place(&key_b, sizeof(rijn_gcm_key), at_end);
  t_readonly(&raw_b, true);
  CHECK_EQ(rijn_gcm_init_impl(key, r, key_len, tag_len, impl), RIJN_OK);
  t_readonly(&raw_b, false);
  t_readonly(&key_b, true);
  return key;
}

/* All of one message. The reference is taken by the caller: want, want_tag, for text. */
static void message(const rijn_gcm_key *key, size_t len, const uint8_t *aad_bytes, size_t aad_len,
                    const uint8_t *nonce_bytes, size_t nonce_len, bool at_end, bool in_place) {
  size_t tag_len = rijn_gcm_tag_len(key);
  uint8_t *in = place(&in_b, len, at_end), *out = in_place ? in : place(&out_b, len, at_end);
  uint8_t *aad = place(&aad_b, aad_len, at_end), *nonce = place(&nonce_b, nonce_len, at_end);
  uint8_t *tag = place(&tag_b, tag_len, at_end);
  const t_buf *ob = in_place ? &in_b : &out_b;
  memcpy(aad, aad_bytes, aad_len);
  memcpy(nonce, nonce_bytes, nonce_len);
  t_readonly(&aad_b, true);
  t_readonly(&nonce_b, true);
  for (int pass = 0; pass < 3; pass++) { /* encrypt, decrypt, decrypt a forgery */
    t_poison(ob, out, len);
    t_poison(&tag_b, tag, tag_len);
    memcpy(in, pass == 0 ? text : want, len);
    if (pass > 0) {
      memcpy(tag, want_tag, tag_len);
    }
    if (pass == 2) {
      tag[tag_len - 1] ^= 0x80;
    }
    t_readonly(&in_b, !in_place);
    t_readonly(&tag_b, pass > 0);
    if (pass == 0) {
      CHECK_EQ(rijn_gcm_encrypt(key, out, in, len, aad, aad_len, nonce, nonce_len, tag), RIJN_OK);
      CHECK_MEM(out, want, len);
      CHECK_MEM(tag, want_tag, tag_len);
    } else if (pass == 1) {
      CHECK_EQ(rijn_gcm_decrypt(key, out, in, len, aad, aad_len, nonce, nonce_len, tag), RIJN_OK);
      CHECK_MEM(out, text, len);
    } else {
      CHECK_EQ(rijn_gcm_decrypt(key, out, in, len, aad, aad_len, nonce, nonce_len, tag), RIJN_EAUTH);
      CHECK_ALL(out, 0, len);
    }
    t_readonly(&in_b, false);
    t_readonly(&tag_b, false);
    CHECK_POISON(ob, out, len);
    CHECK_POISON(&tag_b, tag, tag_len);
  }
  t_readonly(&aad_b, false);
  t_readonly(&nonce_b, false);
}

static void sweep(int impl, size_t key_len, size_t nonce_len, size_t max, bool at_end) {
  static const size_t aads[] = {0, 1, 13, 16, 20, 33, 100, 255, 256, 300};
  uint8_t raw[32], aad[MAX_AAD], nonce[64];
  t_fill(raw, sizeof raw);
  t_fill(aad, sizeof aad);
  t_fill(nonce, sizeof nonce);
  t_fill(text, sizeof text);
  rijn_gcm_key *key = make_key(impl, raw, key_len, 16, at_end);
  for (size_t len = 0; len <= max; len++) {
    size_t al = aads[len % (sizeof aads / sizeof aads[0])];
    T_AT("key %zu, nonce %zu, len %zu, aad %zu", key_len, nonce_len, len, al);
    ref_gcm(raw, key_len, want, text, len, aad, al, nonce, nonce_len, want_tag);
    message(key, len, aad, al, nonce, nonce_len, at_end, false);
    message(key, len, aad, al, nonce, nonce_len, at_end, true);
  }
  for (size_t al = 0; al <= max; al++) {
    size_t len = al % 40;
    T_AT("key %zu, nonce %zu, len %zu, aad %zu", key_len, nonce_len, len, al);
    ref_gcm(raw, key_len, want, text, len, aad, al, nonce, nonce_len, want_tag);
    message(key, len, aad, al, nonce, nonce_len, at_end, al % 2 != 0);
  }
  /* One block short of a pass of 16, 32 or 64 blocks up to one more, for each rest. */
  for (size_t k = 512; k <= 4096; k *= 2) {
    for (size_t len = k - 16; len <= k + 16; len += 1) {
      T_AT("key %zu, nonce %zu, len %zu, aad 20", key_len, nonce_len, len);
      ref_gcm(raw, key_len, want, text, len, aad, 20, nonce, nonce_len, want_tag);
      message(key, len, aad, 20, nonce, nonce_len, at_end, len % 2 != 0);
    }
  }
}

/* Short tags: only their own bytes are written, and only they are read. */
static void short_tags(int impl, bool at_end) {
  static const size_t tag_lens[] = {4, 8, 12, 13, 14, 15};
  uint8_t raw[16], nonce[16];
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  for (size_t i = 0; i < sizeof tag_lens / sizeof tag_lens[0]; i++) {
    rijn_gcm_key *key = make_key(impl, raw, 16, tag_lens[i], at_end);
    for (size_t nl = 12; nl <= 16; nl += 4) {
      for (size_t len = 0; len < 70; len++) {
        T_AT("tag %zu, nonce %zu, len %zu", tag_lens[i], nl, len);
        ref_gcm(raw, 16, want, text, len, text, len, nonce, nl, want_tag);
        message(key, len, text, len, nonce, nl, at_end, false);
      }
    }
  }
}

static void nonces(int impl, bool at_end) {
  uint8_t raw[32], nonce[100];
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  rijn_gcm_key *key = make_key(impl, raw, 32, 16, at_end);
  for (size_t nl = 1; nl <= 100; nl++) {
    T_AT("nonce %zu", nl);
    ref_gcm(raw, 32, want, text, 50, text, 7, nonce, nl, want_tag);
    message(key, 50, text, 7, nonce, nl, at_end, false);
  }
}

/* Streams in pieces that end at the page, and raw GHASH. */
static void streams(int impl, bool at_end) {
  uint8_t raw[32], nonce[12], tag[16];
  static const size_t steps[] = {1, 5, 15, 16, 17, 31, 48, 63, 64, 65, 130, 256, 257, 0};
  rijn_gcm_stream s;
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  t_fill(text, sizeof text);
  rijn_gcm_key *key = make_key(impl, raw, 24, 16, at_end);
  for (size_t i = 0; steps[i] != 0; i++) {
    size_t len = 700, step = steps[i];
    ref_gcm(raw, 24, want, text, len, text, len, nonce, 12, want_tag);
    for (int dec = 0; dec < 2; dec++) {
      T_AT("stream in steps of %zu, decrypt %zu", step, dec);
      CHECK_EQ(dec ? rijn_gcm_decrypt_start(&s, key, nonce, 12) : rijn_gcm_encrypt_start(&s, key, nonce, 12), RIJN_OK);
      for (size_t p = 0; p < len; p += step) {
        size_t n = len - p < step ? len - p : step;
        uint8_t *aad = place(&aad_b, n, at_end);
        memcpy(aad, text + p, n);
        CHECK_EQ(rijn_gcm_aad(&s, aad, n), RIJN_OK);
      }
      for (size_t p = 0; p < len; p += step) {
        size_t n = len - p < step ? len - p : step;
        uint8_t *in = place(&in_b, n, at_end), *out = place(&out_b, n, at_end);
        memcpy(in, (dec ? want : text) + p, n);
        t_poison(&out_b, out, n);
        CHECK_EQ(rijn_gcm_update(&s, out, in, n), RIJN_OK);
        CHECK_MEM(out, (dec ? text : want) + p, n);
        CHECK_POISON(&out_b, out, n);
      }
      if (dec) {
        CHECK_EQ(rijn_gcm_decrypt_finish(&s, want_tag), RIJN_OK);
      } else {
        CHECK_EQ(rijn_gcm_encrypt_finish(&s, tag), RIJN_OK);
        CHECK_MEM(tag, want_tag, 16);
      }
    }
  }
}

static void ghash(int impl, bool at_end) {
  uint8_t h[16], acc[16], model[16];
  rijn_ghash_key key;
  for (size_t n = 0; n <= 70; n++) {
    T_AT("GHASH of %zu blocks", n);
    t_fill(h, 16);
    uint8_t *in = place(&in_b, 16 * n, at_end);
    t_fill(in, 16 * n);
    t_readonly(&in_b, true);
    memset(acc, 0, 16);
    memset(model, 0, 16);
    model_ghash(model, h, in, 16 * n);
    model_ghash(model, h, in, 16 * (n / 2));
    CHECK_EQ(rijn_ghash_init_impl(&key, h, impl), RIJN_OK);
    CHECK_EQ(rijn_ghash_update(&key, acc, in, n), RIJN_OK);
    CHECK_EQ(rijn_ghash_update(&key, acc, in, n / 2), RIJN_OK);
    CHECK_MEM(acc, model, 16);
    t_readonly(&in_b, false);
  }
  rijn_ghash_wipe(&key);
  CHECK_ALL(&key, 0, sizeof key);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  key_b = t_buf_new(sizeof(rijn_gcm_key));
  raw_b = t_buf_new(64);
  in_b = t_buf_new(MAX_LEN);
  out_b = t_buf_new(MAX_LEN);
  aad_b = t_buf_new(MAX_AAD);
  nonce_b = t_buf_new(128);
  tag_b = t_buf_new(16);
  T_IMPLS(impl) {
    for (int at_end = 1; at_end >= 0; at_end--) {
      sweep(impl, 16, 12, 1024, at_end);
      sweep(impl, 24, 12, 70, at_end);
      sweep(impl, 32, 12, 300, at_end);
      sweep(impl, 16, 17, 300, at_end); /* guard_calls.c has these up to 1024 */
      short_tags(impl, at_end);
      nonces(impl, at_end);
      streams(impl, at_end);
      ghash(impl, at_end);
    }
  }
  return t_done();
}
