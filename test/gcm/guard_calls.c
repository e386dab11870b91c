/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Guard pages, as in guard.c, around every pointer of the other calls of GCM: buffer lists (the lists and each run),
 * batches (the descriptors and what they point to), streams (the object too), GMAC, RFC 4106, RFC 4543, raw GHASH.
 * Lengths 0 to 1024. What must come out is what portable makes in one call of plain memory.
 */
#include "t.h"

#ifdef RIJN_REF_LIBCRYPTO
#define STRIDE 1
#else
#define STRIDE 7 /* an emulator takes its time */
#endif

enum { MOST = 1024, RUNS = 3 };

static t_buf raw_b, key_b, nonce_b, tag_b, in_b[RUNS], out_b[RUNS], aad_b[RUNS], lists_b[3], stream_b, acc_b;
static uint8_t raw[36], nonce[64], text[MOST], aad[MOST], sealed[MOST], want_tag[16];
static size_t key_len, nonce_len, aad_len, len;
static bool at_end;

/* Room for an object between guard pages, poisoned. */
static void *room(const t_buf *b, size_t n) {
  t_readonly(b, false);
  uint8_t *p = at_end ? t_end(b, n) : t_start(b, 0);
  t_poison(b, p, n);
  return p;
}

/* What portable says. */
static void expect(void) {
  rijn_gcm_key key;
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, key_len, 16, t_portable()), RIJN_OK);
  CHECK_EQ(rijn_gcm_encrypt(&key, sealed, text, len, aad, aad_len, nonce, nonce_len, want_tag), RIJN_OK);
}

/* The tag of a message: to be written, or a right or a forged one to be read. */
enum pass { SEAL, OPEN, FORGED, PASSES };

static uint8_t *lay_tag(enum pass pass, size_t tag_len) {
  uint8_t tag[16];
  memcpy(tag, want_tag, 16);
  if (pass == SEAL)
    return room(&tag_b, tag_len);
  tag[tag_len - 1] ^= pass == FORGED;
  return t_lay(&tag_b, tag, tag_len, at_end, true);
}

static void check_tag(enum pass pass, const uint8_t *tag, size_t tag_len, int err) {
  CHECK_EQ(err, pass == FORGED ? RIJN_EAUTH : RIJN_OK);
  if (pass == SEAL)
    CHECK_MEM(tag, want_tag, tag_len);
  CHECK_POISON(&tag_b, tag, tag_len);
}

/* n bytes of an output, the answer of a message from place on. */
static void check_out(enum pass pass, const t_buf *b, const uint8_t *out, size_t place, size_t n) {
  if (pass == FORGED)
    CHECK_ALL(out, 0, n);
  else
    CHECK_MEM(out, (pass == SEAL ? sealed : text) + place, n);
  CHECK_POISON(b, out, n);
}

/* Cuts n bytes into RUNS runs, each in a buffer of its own. */
static const rijn_iov *lay_list(const t_buf *list_b, const t_buf *b, const uint8_t *bytes, size_t n, bool readonly) {
  rijn_iov v[RUNS];
  for (size_t i = 0; i < RUNS; i++) {
    size_t m = i == RUNS - 1 ? n : t_below(4) == 0 ? n / 16 * 16 : t_below(n + 1);
    v[i] = (rijn_iov){t_lay(&b[i], bytes, m, at_end, readonly), m};
    bytes += m;
    n -= m;
  }
  return t_lay(list_b, v, sizeof v, at_end, true);
}

static void lists(const rijn_gcm_key *key, enum pass pass) {
  const uint8_t *from = pass == SEAL ? text : sealed, *iv = t_lay(&nonce_b, nonce, nonce_len, at_end, true);
  const rijn_iov *in = lay_list(&lists_b[0], in_b, from, len, true);
  const rijn_iov *out = lay_list(&lists_b[1], out_b, text, len, false);
  const rijn_iov *ad = lay_list(&lists_b[2], aad_b, aad, aad_len, true);
  uint8_t *tag = lay_tag(pass, 16);
  int err = pass == SEAL ? rijn_gcm_encrypt_iov(key, out, RUNS, in, RUNS, ad, RUNS, iv, nonce_len, tag)
                         : rijn_gcm_decrypt_iov(key, out, RUNS, in, RUNS, ad, RUNS, iv, nonce_len, tag);
  check_tag(pass, tag, 16, err);
  for (size_t i = 0, place = 0; i < RUNS; place += out[i++].len)
    check_out(pass, &out_b[i], out[i].base, place, out[i].len);
}

/* BATCH messages, one of them at the pages: as lengths go up, each in turn. */
static void batch(const rijn_gcm_key *key, enum pass pass) {
  enum { BATCH = 17 };
  static uint8_t other[BATCH][MOST], other_tag[BATCH][16];
  const uint8_t *from = pass == SEAL ? text : sealed;
  uint8_t *out = room(&out_b[0], len), *tag = lay_tag(pass, 16);
  size_t at = len % BATCH;
  rijn_gcm_msg m[BATCH] = {{.size = sizeof m[0],
                            .key = key,
                            .in = t_lay(&in_b[0], from, len, at_end, true),
                            .len = len,
                            .aad = t_lay(&aad_b[0], aad, aad_len, at_end, true),
                            .aad_len = aad_len,
                            .nonce = t_lay(&nonce_b, nonce, nonce_len, at_end, true),
                            .nonce_len = nonce_len}};
  for (size_t i = 0; i < BATCH; i++) {
    memcpy(other_tag[i], want_tag, 16);
    m[i] = m[0];
    m[i].out = i == at ? out : other[i];
    m[i].tag = i == at ? tag : other_tag[i];
  }
  rijn_gcm_msg *list = t_lay(&lists_b[0], m, sizeof m, at_end, false);
  CHECK_EQ(pass == SEAL ? rijn_gcm_encrypt_batch(list, BATCH) : rijn_gcm_decrypt_batch(list, BATCH), pass == FORGED);
  CHECK_POISON(&lists_b[0], (uint8_t *)list, sizeof m);
  check_tag(pass, tag, 16, list[at].result);
  check_out(pass, &out_b[0], out, 0, len);
  for (size_t i = 0; i < BATCH; i++) {
    if (i == at)
      continue;
    CHECK_EQ(list[i].result, RIJN_OK);
    CHECK_MEM(other[i], pass == SEAL ? sealed : text, len);
    CHECK_MEM(other_tag[i], want_tag, 16);
  }
}

/* The stream itself between guard pages, in two pieces of each. */
static void stream(const rijn_gcm_key *key, enum pass pass) {
  const uint8_t *from = pass == SEAL ? text : sealed, *iv = t_lay(&nonce_b, nonce, nonce_len, at_end, true);
  rijn_gcm_stream *s = room(&stream_b, sizeof *s);
  size_t cut = t_below(aad_len + 1);
  CHECK_EQ((pass == SEAL ? rijn_gcm_encrypt_start : rijn_gcm_decrypt_start)(s, key, iv, nonce_len), RIJN_OK);
  CHECK_EQ(rijn_gcm_aad(s, t_lay(&aad_b[0], aad, cut, at_end, true), cut), RIJN_OK);
  CHECK_EQ(rijn_gcm_aad(s, t_lay(&aad_b[1], aad + cut, aad_len - cut, at_end, true), aad_len - cut), RIJN_OK);
  cut = t_below(len + 1);
  for (int i = 0; i < 2; i++) {
    size_t place = i == 0 ? 0 : cut, n = i == 0 ? cut : len - cut;
    uint8_t *out = room(&out_b[i], n);
    CHECK_EQ(rijn_gcm_update(s, out, t_lay(&in_b[i], from + place, n, at_end, true), n), RIJN_OK);
    check_out(pass == FORGED ? OPEN : pass, &out_b[i], out, place, n);
  }
  uint8_t *tag = lay_tag(pass, 16);
  check_tag(pass, tag, 16, pass == SEAL ? rijn_gcm_encrypt_finish(s, tag) : rijn_gcm_decrypt_finish(s, tag));
  CHECK_ALL(s, 0, sizeof *s);
  rijn_gcm_stream_wipe(s);
  CHECK_POISON(&stream_b, (uint8_t *)s, sizeof *s);
}

/* The data of GMAC is the text here. */
static void gmac(const rijn_gcm_key *key) {
  rijn_gcm_key plain;
  CHECK_EQ(rijn_gcm_init_impl(&plain, raw, key_len, 16, t_portable()), RIJN_OK);
  CHECK_EQ(rijn_gmac(&plain, text, len, nonce, nonce_len, want_tag), RIJN_OK);
  const uint8_t *iv = t_lay(&nonce_b, nonce, nonce_len, at_end, true), *in = t_lay(&in_b[0], text, len, at_end, true);
  for (enum pass pass = SEAL; pass < PASSES; pass++) {
    uint8_t *tag = lay_tag(pass, 16);
    check_tag(pass, tag, 16,
              pass == SEAL ? rijn_gmac(key, in, len, iv, nonce_len, tag)
                           : rijn_gmac_verify(key, in, len, iv, nonce_len, tag));
  }
}

static void messages(int impl) {
  static const size_t key_lens[] = {16, 24, 32}, nonce_lens[] = {12, 12, 12, 16, 1, 60};
  for (size_t n = 0; n <= MOST; n += STRIDE) {
    key_len = key_lens[n % 3];
    nonce_len = nonce_lens[n / 3 % 6];
    len = n;
    aad_len = n * 7 % (MOST + 1); /* takes every value too */
    T_AT("length %zu, associated data %zu, nonce %zu, at end %zu", len, aad_len, nonce_len, at_end);
    t_fill(text, len);
    t_fill(aad, aad_len);
    rijn_gcm_key *key = room(&key_b, sizeof *key);
    CHECK_EQ(rijn_gcm_init_impl(key, t_lay(&raw_b, raw, key_len, at_end, true), key_len, 16, impl), RIJN_OK);
    CHECK_POISON(&key_b, (uint8_t *)key, sizeof *key);
    t_readonly(&key_b, true);
    expect();
    for (enum pass pass = SEAL; pass < PASSES; pass++) {
      lists(key, pass);
      batch(key, pass);
      stream(key, pass);
    }
    gmac(key);
    t_readonly(&key_b, false);
    rijn_gcm_wipe(key);
    CHECK_ALL(key, 0, sizeof *key);
    CHECK_POISON(&key_b, (uint8_t *)key, sizeof *key);
  }
}

/* RFC 4106 and RFC 4543: the nonce is 4 bytes of the key and 8 of the packet. */
static void esp(int impl) {
  static const size_t tag_lens[] = {16, 8, 12};
  for (size_t n = 0; n <= MOST; n += STRIDE) {
    size_t tag_len = tag_lens[n % 3];
    key_len = 16 + n / 3 % 3 * 8;
    nonce_len = 12;
    len = n;
    aad_len = n % 2 ? 12 : 8;
    T_AT("RFC 4106: length %zu, tag %zu, at end %zu", len, tag_len, at_end);
    t_fill(text, len);
    t_fill(aad, aad_len);
    memcpy(nonce, raw + key_len, 4);
    expect();
    const uint8_t *r = t_lay(&raw_b, raw, key_len + 4, at_end, true);
    rijn_esp_key *key = room(&key_b, sizeof *key);
    CHECK_EQ(rijn_rfc4106_init_impl(key, r, key_len + 4, tag_len, impl), RIJN_OK);
    t_readonly(&key_b, true);
    const uint8_t *ad = t_lay(&aad_b[0], aad, aad_len, at_end, true);
    const uint8_t *iv = t_lay(&nonce_b, nonce + 4, 8, at_end, true);
    for (enum pass pass = SEAL; pass < PASSES; pass++) {
      const uint8_t *in = t_lay(&in_b[0], pass == SEAL ? text : sealed, len, at_end, true);
      uint8_t *out = room(&out_b[0], len), *tag = lay_tag(pass, tag_len);
      check_tag(pass, tag, tag_len,
                pass == SEAL ? rijn_rfc4106_encrypt(key, out, in, len, ad, aad_len, iv, tag)
                             : rijn_rfc4106_decrypt(key, out, in, len, ad, aad_len, iv, tag));
      check_out(pass, &out_b[0], out, 0, len);
    }

    T_AT("RFC 4543: length %zu, at end %zu", len, at_end);
    memcpy(aad, text, len); /* everything is associated data */
    aad_len = len;
    len = 0;
    expect();
    const uint8_t *data = t_lay(&in_b[0], aad, aad_len, at_end, true);
    t_readonly(&key_b, false);
    CHECK_EQ(rijn_rfc4543_init_impl(key, r, key_len + 4, impl), RIJN_OK);
    CHECK_POISON(&key_b, (uint8_t *)key, sizeof *key);
    t_readonly(&key_b, true);
    for (enum pass pass = SEAL; pass < PASSES; pass++) {
      uint8_t *tag = lay_tag(pass, 16);
      check_tag(pass, tag, 16,
                pass == SEAL ? rijn_rfc4543_tag(key, data, aad_len, iv, tag)
                             : rijn_rfc4543_verify(key, data, aad_len, iv, tag));
    }
    t_readonly(&key_b, false);
    rijn_esp_wipe(key);
    CHECK_ALL(key, 0, sizeof *key);
    CHECK_POISON(&key_b, (uint8_t *)key, sizeof *key);
  }
}

static void ghash(int impl) {
  for (size_t nblk = 0; nblk <= MOST / 16; nblk++) {
    T_AT("GHASH of %zu blocks, at end %zu", nblk, at_end);
    rijn_ghash_key plain;
    uint8_t want[16];
    t_fill(text, MOST);
    t_fill(want, 16);
    uint8_t *acc = t_lay(&acc_b, want, 16, at_end, false);
    CHECK_EQ(rijn_ghash_init_impl(&plain, raw, t_portable()), RIJN_OK);
    CHECK_EQ(rijn_ghash_update(&plain, want, text, nblk), RIJN_OK);
    rijn_ghash_key *key = room(&key_b, sizeof *key);
    CHECK_EQ(rijn_ghash_init_impl(key, t_lay(&raw_b, raw, 16, at_end, true), impl), RIJN_OK);
    CHECK_POISON(&key_b, (uint8_t *)key, sizeof *key);
    t_readonly(&key_b, true);
    CHECK_EQ(rijn_ghash_update(key, acc, t_lay(&in_b[0], text, 16 * nblk, at_end, true), nblk), RIJN_OK);
    CHECK_MEM(acc, want, 16);
    CHECK_POISON(&acc_b, acc, 16);
    t_readonly(&key_b, false);
    rijn_ghash_wipe(key);
    CHECK_ALL(key, 0, sizeof *key);
  }
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  raw_b = t_buf_new(64);
  key_b = t_buf_new(sizeof(rijn_esp_key));
  nonce_b = t_buf_new(64);
  tag_b = t_buf_new(16);
  stream_b = t_buf_new(sizeof(rijn_gcm_stream));
  acc_b = t_buf_new(16);
  for (size_t i = 0; i < RUNS; i++) {
    in_b[i] = t_buf_new(MOST);
    out_b[i] = t_buf_new(MOST);
    aad_b[i] = t_buf_new(MOST);
    lists_b[i] = t_buf_new(16 * sizeof(rijn_gcm_msg));
  }
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  T_IMPLS(impl) {
    for (int end = 0; end < 2; end++) {
      at_end = end != 0;
      messages(impl);
      esp(impl);
      ghash(impl);
    }
  }
  return t_done();
}
