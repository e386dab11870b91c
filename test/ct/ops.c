/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "ops.h"
#include "t.h"

static const uint8_t nonce[16] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 11, 12, 13, 14, 15, 16};
#define AAD(j) (j)->aad, 20

static void gcm_init(struct job *j) { j->err = rijn_gcm_init_impl(&j->key.gcm, j->raw, j->key_len, 16, j->impl); }
static void gcm_encrypt(struct job *j) {
  j->err = rijn_gcm_encrypt(&j->key.gcm, j->out, j->in, j->len, AAD(j), nonce, 12, j->tag_out);
}
/* Another nonce than of 12 bytes makes the counter a secret. */
static void gcm_encrypt16(struct job *j) {
  j->err = rijn_gcm_encrypt(&j->key.gcm, j->out, j->in, j->len, AAD(j), nonce, 16, j->tag_out);
}
static void take_result(struct job *j) {
  memcpy(j->in, j->out, j->len);
  memcpy(j->tag, j->tag_out, 16);
}
static void make_tag(struct job *j, unsigned variant) {
  (void)variant;
  gcm_init(j);
  gcm_encrypt(j);
  take_result(j);
}
static void make_tag16(struct job *j, unsigned variant) {
  (void)variant;
  gcm_init(j);
  gcm_encrypt16(j);
  take_result(j);
}
static void forge(struct job *j, unsigned variant) { j->tag[variant * 5 % 16] ^= (uint8_t)(1 << variant % 8); }
static void make_forgery(struct job *j, unsigned variant) {
  make_tag(j, variant);
  forge(j, variant);
}
static void make_forgery16(struct job *j, unsigned variant) {
  make_tag16(j, variant);
  forge(j, variant);
}
static void gcm_decrypt(struct job *j) {
  j->err = rijn_gcm_decrypt(&j->key.gcm, j->out, j->in, j->len, AAD(j), nonce, 12, j->tag);
}
static void gcm_decrypt16(struct job *j) {
  j->err = rijn_gcm_decrypt(&j->key.gcm, j->out, j->in, j->len, AAD(j), nonce, 16, j->tag);
}
/* The tag behind the text. */
static void gcm_seal(struct job *j) { j->err = rijn_gcm_seal(&j->key.gcm, j->out, j->in, j->len, AAD(j), nonce, 12); }
static void gcm_open(struct job *j) { j->err = rijn_gcm_open(&j->key.gcm, j->out, j->in, j->len, AAD(j), nonce, 12); }
/* Of less than 16 bytes nothing can be opened: they stay as they are. */
static void make_sealed(struct job *j, unsigned variant) {
  (void)variant;
  if (j->len < 16)
    return;
  gcm_init(j);
  rijn_gcm_seal(&j->key.gcm, j->in, j->in, j->len - 16, AAD(j), nonce, 12);
}
static void make_sealed_forgery(struct job *j, unsigned variant) {
  make_sealed(j, variant);
  j->in[j->len - 1 - variant * 5 % 16] ^= (uint8_t)(1 << variant % 8);
}
/* The iv of a record's nonce is derived from a secret; what is made of it, the nonce, is public. */
static void gcm_nonce(struct job *j) { j->err = rijn_gcm_nonce(j->tag_out, j->iv, j->len); }
static void gcm_stream(struct job *j) {
  size_t cut = j->len / 3;
  rijn_gcm_encrypt_start(&j->stream, &j->key.gcm, nonce, 16);
  rijn_gcm_aad(&j->stream, AAD(j));
  rijn_gcm_update(&j->stream, j->out, j->in, cut);
  rijn_gcm_update(&j->stream, j->out + cut, j->in + cut, j->len - cut);
  j->err = rijn_gcm_encrypt_finish(&j->stream, j->tag_out);
}
static void gcm_unstream(struct job *j) {
  size_t cut = j->len / 2;
  rijn_gcm_decrypt_start(&j->stream, &j->key.gcm, nonce, 12);
  rijn_gcm_aad(&j->stream, AAD(j));
  rijn_gcm_update(&j->stream, j->out, j->in, cut);
  j->err = rijn_gcm_update(&j->stream, j->out + cut, j->in + cut, j->len - cut);
}
/* One text in many messages, or each shorter than the one before; the second's tag is another's. */
enum { IN_BATCH = 17, BATCH_TEXT = 300 };
static void batch(struct job *j, int (*call)(rijn_gcm_msg *, size_t), uint8_t *tag, uint8_t *second, size_t shorter) {
  rijn_gcm_msg m[IN_BATCH];
  size_t len = j->len < BATCH_TEXT ? j->len : BATCH_TEXT;
  memset(m, 0, sizeof m);
  for (size_t i = 0; i < IN_BATCH; i++) {
    m[i].size = sizeof m[i];
    m[i].key = &j->key.gcm;
    m[i].out = j->out + i * BATCH_TEXT;
    m[i].in = j->in;
    m[i].len = len > i * shorter ? len - i * shorter : 0;
    m[i].aad = j->aad;
    m[i].aad_len = 16;
    m[i].nonce = nonce;
    m[i].nonce_len = 12;
    m[i].tag = i == 1 ? second : tag;
  }
  j->err = call(m, IN_BATCH);
}
static void gcm_encrypt_batch(struct job *j) { batch(j, rijn_gcm_encrypt_batch, j->tag_out, j->tag_out, 0); }
static void gcm_encrypt_lengths(struct job *j) { batch(j, rijn_gcm_encrypt_batch, j->tag_out, j->tag_out, 3); }
static void gcm_decrypt_batch(struct job *j) { batch(j, rijn_gcm_decrypt_batch, j->tag, j->iv, 0); }
static void gcm_decrypt_lengths(struct job *j) { batch(j, rijn_gcm_decrypt_batch, j->tag, j->iv, 3); }
/* One text in many rows, each with its tag behind it; to be decrypted it is a forgery everywhere. */
enum { ROW_TEXT = BATCH_TEXT - 16 };
static void rows(struct job *j, int (*call)(const rijn_gcm_rows *)) {
  static const uint8_t nonces[IN_BATCH][12];
  rijn_gcm_rows r = {.size = sizeof r, .key = &j->key.gcm, .rows = IN_BATCH, .aad_len = 16, .out = j->out, .in = j->in};
  r.len = j->len < ROW_TEXT ? j->len : ROW_TEXT;
  r.aad = j->aad;
  r.nonces = nonces;
  r.tags = j->out + ROW_TEXT;
  r.out_step = r.tag_step = BATCH_TEXT;
  r.nonce_step = 12;
  j->err = call(&r);
}
static void gcm_encrypt_rows(struct job *j) { rows(j, rijn_gcm_encrypt_rows); }
static void gcm_decrypt_rows(struct job *j) { rows(j, rijn_gcm_decrypt_rows); }
static void make_batch(struct job *j, unsigned variant) {
  gcm_init(j);
  gcm_encrypt_batch(j);
  memcpy(j->in, j->out, j->len < BATCH_TEXT ? j->len : BATCH_TEXT);
  memcpy(j->tag, j->tag_out, 16);
  memcpy(j->iv, j->tag_out, 16);
  j->iv[variant * 5 % 16] ^= (uint8_t)(1 << variant % 8);
}
static void gcm_unstream_end(struct job *j) {
  gcm_unstream(j);
  j->err = rijn_gcm_decrypt_finish(&j->stream, j->tag);
}
/* Text and output in two runs each, cut in different places, and so is the associated data. */
static void lists(struct job *j, bool encrypt) {
  size_t a = j->len / 3, b = j->len / 2;
  const rijn_iov in[2] = {{j->in, a}, {j->in + a, j->len - a}}, out[2] = {{j->out, b}, {j->out + b, j->len - b}};
  const rijn_iov aad[2] = {{j->aad, 7}, {j->aad + 7, 13}};
  j->err = encrypt ? rijn_gcm_encrypt_iov(&j->key.gcm, out, 2, in, 2, aad, 2, nonce, 12, j->tag_out)
                   : rijn_gcm_decrypt_iov(&j->key.gcm, out, 2, in, 2, aad, 2, nonce, 12, j->tag);
}
static void gcm_encrypt_lists(struct job *j) { lists(j, true); }
static void gcm_decrypt_lists(struct job *j) { lists(j, false); }
enum { SHORT_TAG = 12 };
static void gcm_init_short(struct job *j) {
  j->err = rijn_gcm_init_impl(&j->key.gcm, j->raw, j->key_len, SHORT_TAG, j->impl);
}
static void make_short(struct job *j, unsigned variant) {
  (void)variant;
  gcm_init_short(j);
  gcm_encrypt(j);
  take_result(j);
}
static void make_short_forgery(struct job *j, unsigned variant) {
  make_short(j, variant);
  j->tag[variant * 5 % SHORT_TAG] ^= (uint8_t)(1 << variant % 8);
}
static void gmac(struct job *j) { j->err = rijn_gmac(&j->key.gcm, j->in, j->len, nonce, 12, j->tag_out); }
static void gmac_verify(struct job *j) { j->err = rijn_gmac_verify(&j->key.gcm, j->in, j->len, nonce, 12, j->tag); }
static void make_gmac(struct job *j, unsigned variant) {
  (void)variant;
  gcm_init(j);
  gmac(j);
  memcpy(j->tag, j->tag_out, 16);
}
static void make_gmac_forgery(struct job *j, unsigned variant) {
  make_gmac(j, variant);
  forge(j, variant);
}

/* ESP: the salt, the last four bytes of what a key is made of, is a secret too. */
static void esp_init(struct job *j) {
  j->err = rijn_rfc4106_init_impl(&j->key.esp, j->raw, j->key_len + 4, 16, j->impl);
}
static void esp_encrypt(struct job *j) {
  j->err = rijn_rfc4106_encrypt(&j->key.esp, j->out, j->in, j->len, j->aad, 12, nonce, j->tag_out);
}
/* The key lent to GCM's calls. The nonce has the salt in it, a secret. */
static void esp_lent(struct job *j) {
  uint8_t full[12];
  j->err = rijn_rfc4106_nonce(full, &j->key.esp, nonce);
  if (j->err == RIJN_OK)
    j->err = rijn_gcm_encrypt(rijn_rfc4106_gcm_key(&j->key.esp), j->out, j->in, j->len, AAD(j), full, 12, j->tag_out);
}
static void esp_decrypt(struct job *j) {
  j->err = rijn_rfc4106_decrypt(&j->key.esp, j->out, j->in, j->len, j->aad, 12, nonce, j->tag);
}
static void make_esp(struct job *j, unsigned variant) {
  (void)variant;
  esp_init(j);
  esp_encrypt(j);
  take_result(j);
}
static void make_esp_forgery(struct job *j, unsigned variant) {
  make_esp(j, variant);
  forge(j, variant);
}
static void esp_mac_init(struct job *j) {
  j->err = rijn_rfc4543_init_impl(&j->key.esp, j->raw, j->key_len + 4, j->impl);
}
static void esp_mac(struct job *j) { j->err = rijn_rfc4543_tag(&j->key.esp, j->in, j->len, nonce, j->tag_out); }
static void esp_mac_verify(struct job *j) { j->err = rijn_rfc4543_verify(&j->key.esp, j->in, j->len, nonce, j->tag); }
static void make_esp_mac(struct job *j, unsigned variant) {
  (void)variant;
  esp_mac_init(j);
  esp_mac(j);
  memcpy(j->tag, j->tag_out, 16);
}
static void make_esp_mac_forgery(struct job *j, unsigned variant) {
  make_esp_mac(j, variant);
  forge(j, variant);
}

static void siv_init(struct job *j) { j->err = rijn_gcm_siv_init_impl(&j->key.siv, j->raw, j->key_len, j->impl); }
static void siv_encrypt(struct job *j) {
  j->err = rijn_gcm_siv_encrypt(&j->key.siv, j->out, j->in, j->len, AAD(j), nonce, j->tag_out);
}
static void siv_decrypt(struct job *j) {
  j->err = rijn_gcm_siv_decrypt(&j->key.siv, j->out, j->in, j->len, AAD(j), nonce, j->tag);
}
/* The tag behind the text: of less than 16 bytes nothing can be opened. */
static void siv_seal(struct job *j) { j->err = rijn_gcm_siv_seal(&j->key.siv, j->out, j->in, j->len, AAD(j), nonce); }
static void siv_open(struct job *j) { j->err = rijn_gcm_siv_open(&j->key.siv, j->out, j->in, j->len, AAD(j), nonce); }
static void make_siv_sealed(struct job *j, unsigned variant) {
  (void)variant;
  siv_init(j);
  if (j->len >= 16)
    rijn_gcm_siv_seal(&j->key.siv, j->in, j->in, j->len - 16, AAD(j), nonce);
}
static void make_siv(struct job *j, unsigned variant) {
  (void)variant;
  siv_init(j);
  siv_encrypt(j);
  take_result(j);
}
static void make_siv_forgery(struct job *j, unsigned variant) {
  make_siv(j, variant);
  forge(j, variant);
}
/* Three messages; the second's tag is another's. */
static void siv_batch(struct job *j, int (*call)(rijn_gcm_siv_msg *, size_t), uint8_t *tag, uint8_t *second) {
  rijn_gcm_siv_msg m[3];
  size_t len = j->len < BATCH_TEXT ? j->len : BATCH_TEXT;
  memset(m, 0, sizeof m);
  for (size_t i = 0; i < 3; i++) {
    m[i].size = sizeof m[i];
    m[i].key = &j->key.siv;
    m[i].out = j->out + i * BATCH_TEXT;
    m[i].in = j->in;
    m[i].len = len;
    m[i].aad = j->aad;
    m[i].aad_len = 20;
    m[i].nonce = nonce;
    m[i].tag = i == 1 ? second : tag;
  }
  j->err = call(m, 3);
}
static void siv_encrypt_batch(struct job *j) { siv_batch(j, rijn_gcm_siv_encrypt_batch, j->tag_out, j->tag_out); }
static void siv_decrypt_batch(struct job *j) { siv_batch(j, rijn_gcm_siv_decrypt_batch, j->tag, j->iv); }
static void make_siv_batch(struct job *j, unsigned variant) {
  siv_init(j);
  siv_encrypt_batch(j);
  memcpy(j->in, j->out, j->len < BATCH_TEXT ? j->len : BATCH_TEXT);
  memcpy(j->tag, j->tag_out, 16);
  memcpy(j->iv, j->tag_out, 16);
  j->iv[variant * 5 % 16] ^= (uint8_t)(1 << variant % 8);
}
/* Its keys have 32 bytes, whatever the turn. */
static const uint8_t nonce24[24] = {3, 1, 4, 1, 5, 9};
static void xaes_init(struct job *j) { j->err = rijn_xaes_init_impl(&j->key.xaes, j->raw, 32, j->impl); }
static void xaes_encrypt(struct job *j) {
  j->err = rijn_xaes_encrypt(&j->key.xaes, j->out, j->in, j->len, AAD(j), nonce24, j->tag_out);
}
static void xaes_decrypt(struct job *j) {
  j->err = rijn_xaes_decrypt(&j->key.xaes, j->out, j->in, j->len, AAD(j), nonce24, j->tag);
}
static void xaes_seal(struct job *j) { j->err = rijn_xaes_seal(&j->key.xaes, j->out, j->in, j->len, AAD(j), nonce24); }
static void xaes_open(struct job *j) { j->err = rijn_xaes_open(&j->key.xaes, j->out, j->in, j->len, AAD(j), nonce24); }
static void make_xaes_sealed(struct job *j, unsigned variant) {
  (void)variant;
  xaes_init(j);
  if (j->len >= 16)
    rijn_xaes_seal(&j->key.xaes, j->in, j->in, j->len - 16, AAD(j), nonce24);
}
static void make_xaes(struct job *j, unsigned variant) {
  (void)variant;
  xaes_init(j);
  xaes_encrypt(j);
  take_result(j);
}
static void make_xaes_forgery(struct job *j, unsigned variant) {
  make_xaes(j, variant);
  forge(j, variant);
}

static void ghash_init(struct job *j) { j->err = rijn_ghash_init_impl(&j->key.ghash, j->raw, j->impl); }
static void ghash(struct job *j) { j->err = rijn_ghash_update(&j->key.ghash, j->iv, j->in, j->len / 16); }

static void xts_init(struct job *j) { j->err = rijn_xts_init_impl(&j->key.xts, j->raw, j->key_len, j->impl); }
static void xts_encrypt(struct job *j) { j->err = rijn_xts_encrypt(&j->key.xts, j->out, j->in, j->len, nonce); }
static void xts_decrypt(struct job *j) { j->err = rijn_xts_decrypt(&j->key.xts, j->out, j->in, j->len, nonce); }
static void xts_sectors(struct job *j) {
  j->err = rijn_xts_encrypt_sectors(&j->key.xts, j->out, j->in, 512, j->len / 512, 7, 1);
}
static void xts_unsectors(struct job *j) {
  j->err = rijn_xts_decrypt_sectors(&j->key.xts, j->out, j->in, 512, j->len / 512, 7, 1);
}
/* Tweaks that nobody knows: the text's first bytes. */
static void xts_tweaks(struct job *j) {
  j->err = rijn_xts_encrypt_tweaks(&j->key.xts, j->out, j->in, 512, j->len / 512, j->in);
}
static void xts_untweaks(struct job *j) {
  j->err = rijn_xts_decrypt_tweaks(&j->key.xts, j->out, j->in, 512, j->len / 512, j->in);
}
/* Halves that are equal but for one byte: where it stands must not show. */
static void almost_equal_halves(struct job *j, unsigned variant) {
  size_t half = j->key_len / 2;
  memcpy(j->raw + half, j->raw, half);
  j->raw[half + variant * 7 % half] ^= (uint8_t)(1 << variant % 8);
}

static void aes_init(struct job *j) { j->err = rijn_aes_init_impl(&j->key.aes, j->raw, j->key_len, j->impl); }
static void ecb_encrypt(struct job *j) { j->err = rijn_ecb_encrypt(&j->key.aes, j->out, j->in, j->len / 16); }
static void ecb_decrypt(struct job *j) { j->err = rijn_ecb_decrypt(&j->key.aes, j->out, j->in, j->len / 16); }
static void cbc_encrypt(struct job *j) { j->err = rijn_cbc_encrypt(&j->key.aes, j->out, j->in, j->len / 16, j->iv); }
static void cbc_decrypt(struct job *j) { j->err = rijn_cbc_decrypt(&j->key.aes, j->out, j->in, j->len / 16, j->iv); }
/* Three texts that lie one behind the other. */
static void cbc_many(struct job *j) {
  size_t nblk = j->len / 48;
  rijn_cbc_msg m[3];
  uint8_t ivs[3][16];
  for (size_t i = 0; i < 3; i++) {
    memcpy(ivs[i], j->iv, 16);
    m[i] = (rijn_cbc_msg){sizeof m[i], &j->key.aes, j->out + 16 * nblk * i, j->in + 16 * nblk * i, nblk, ivs[i], 0};
  }
  j->err = rijn_cbc_encrypt_many(m, 3);
}
/* In two pieces. */
static void cfb(struct job *j, int (*crypt)(const rijn_aes_key *, void *, const void *, size_t, rijn_cfb_state *)) {
  rijn_cfb_state s = {{0}, 0};
  size_t n = j->len / 3;
  memcpy(s.iv, j->iv, 16);
  crypt(&j->key.aes, j->out, j->in, n, &s);
  j->err = crypt(&j->key.aes, j->out + n, j->in + n, j->len - n, &s);
}
static void cfb_encrypt(struct job *j) { cfb(j, rijn_cfb_encrypt); }
static void cfb_decrypt(struct job *j) { cfb(j, rijn_cfb_decrypt); }
static void ccm_init(struct job *j) { j->err = rijn_ccm_init_impl(&j->key.ccm, j->raw, j->key_len, 16, j->impl); }
static void ccm_encrypt(struct job *j) {
  j->err = rijn_ccm_encrypt(&j->key.ccm, j->out, j->in, j->len, AAD(j), nonce, 12, j->tag_out);
}
static void ccm_decrypt(struct job *j) {
  j->err = rijn_ccm_decrypt(&j->key.ccm, j->out, j->in, j->len, AAD(j), nonce, 12, j->tag);
}
static void make_ccm(struct job *j, unsigned variant) {
  (void)variant;
  ccm_init(j);
  ccm_encrypt(j);
  take_result(j);
}
static void make_ccm_forgery(struct job *j, unsigned variant) {
  make_ccm(j, variant);
  forge(j, variant);
}
static void cbc_pad(struct job *j) {
  size_t out_len;
  j->err = rijn_cbc_encrypt_pkcs7(&j->key.aes, j->out, &out_len, j->in, j->len, j->iv);
}
static void encrypt_text(struct job *j) {
  uint8_t iv[16];
  aes_init(j);
  memcpy(iv, j->iv, 16);
  cbc_encrypt(j);
  memcpy(j->iv, iv, 16);
  memcpy(j->in, j->out, j->len);
}
/* The last bytes of the text make a padding of 1 to 16, by turns. All are valid: validity is the result. */
static void make_padding(struct job *j, unsigned variant) {
  size_t pad = 1 + variant * 5 % 16;
  memset(j->in + j->len - pad, (int)pad, pad);
  encrypt_text(j);
}
/* And one that is not: too small, too large, wrong in its first byte or in the middle. */
static void make_bad_padding(struct job *j, unsigned variant) {
  static const uint8_t pads[] = {0, 17, 16, 9};
  memset(j->in + j->len - 16, pads[variant % 4], 16);
  if (variant % 4 >= 2)
    j->in[j->len - (variant % 4 == 2 ? 16 : 4)] ^= 1;
  encrypt_text(j);
}
static void cbc_unpad(struct job *j) {
  size_t out_len;
  j->err = rijn_cbc_decrypt_pkcs7(&j->key.aes, j->out, &out_len, j->in, j->len, j->iv);
}
/* The first counter a secret, too, and said to be one. */
static void ctr(struct job *j) {
  rijn_ctr_state s = {{0}, {0}, RIJN_CTR_SECRET};
  memcpy(s.ctr, j->iv, 16);
  rijn_ctr_crypt(&j->key.aes, j->out, j->in, j->len / 3, &s);
  j->err = rijn_ctr_crypt(&j->key.aes, j->out, j->in, j->len, &s);
}
static void ctr32(struct job *j) {
  rijn_ctr_state s = {{0}, {0}, RIJN_CTR_SECRET};
  memcpy(s.ctr, j->iv, 16);
  j->err = rijn_ctr32_crypt(&j->key.aes, j->out, j->in, j->len, &s);
}
/* Whole blocks, many of them at times: with such a counter, with one that is public, and (a fault, to be found) with a
 * secret one that is not said to be one. */
enum { MANY = 16 * 780 };
static int many(struct job *j, const uint8_t first[16], uint32_t used,
                int (*crypt)(const rijn_aes_key *, void *, const void *, size_t, rijn_ctr_state *)) {
  rijn_ctr_state s = {{0}, {0}, used};
  memcpy(s.ctr, first, 16);
  return crypt(&j->key.aes, j->out, j->in, j->len < MANY ? j->len / 16 * 16 : MANY, &s);
}
static void ctr_many(struct job *j) { j->err = many(j, j->iv, RIJN_CTR_SECRET, rijn_ctr_crypt); }
static void ctr32_many(struct job *j) { j->err = many(j, j->iv, RIJN_CTR_SECRET, rijn_ctr32_crypt); }
static void ctr_public(struct job *j) { j->err = many(j, nonce, 0, rijn_ctr_crypt); }
static void ctr_unsaid(struct job *j) { j->err = many(j, j->iv, 0, rijn_ctr_crypt); }
/* Counters that carry through more bytes, or fewer. */
static void near_wrap(struct job *j, unsigned variant) {
  memset(j->iv + 16 - variant * 3 % 17, 0xff, variant * 3 % 17);
}

const struct ct_op ct_ops[] = {
    {"gcm encrypt", NULL, gcm_init, gcm_encrypt, 1, 0, 0, 0, CT_MASKED},
    {"gcm encrypt, nonce of 16", NULL, gcm_init, gcm_encrypt16, 1, 0, 0, 0, 0},
    {"gcm decrypt", make_tag, gcm_init, gcm_decrypt, 1, 0, 0, 1, CT_MASKED},
    {"gcm decrypt, forged", make_forgery, gcm_init, gcm_decrypt, 1, 0, 0, 1, CT_MASKED},
    {"gcm decrypt, nonce of 16", make_tag16, gcm_init, gcm_decrypt16, 1, 0, 0, 1, 0},
    {"gcm decrypt, nonce of 16, forged", make_forgery16, gcm_init, gcm_decrypt16, 1, 0, 0, 1, 0},
    {"gcm seal", NULL, gcm_init, gcm_seal, 1, 0, 0, 0, CT_MASKED},
    {"gcm open", make_sealed, gcm_init, gcm_open, 1, 16, 0, 1, CT_MASKED},
    {"gcm open, forged", make_sealed_forgery, gcm_init, gcm_open, 1, 16, 0, 1, CT_MASKED},
    {"gcm nonce of a record", NULL, gcm_init, gcm_nonce, 1, 0, 0, 0, 0},
    {"gcm encrypt, batch", NULL, gcm_init, gcm_encrypt_batch, 1, 0, 0, 0, CT_MASKED},
    {"gcm decrypt, batch", make_batch, gcm_init, gcm_decrypt_batch, 1, 0, 0, IN_BATCH, CT_MASKED},
    {"gcm encrypt, batch of lengths", NULL, gcm_init, gcm_encrypt_lengths, 1, 0, 0, 0, CT_MASKED},
    {"gcm decrypt, batch of lengths", make_batch, gcm_init, gcm_decrypt_lengths, 1, 0, 0, IN_BATCH, CT_MASKED},
    {"gcm encrypt, rows", NULL, gcm_init, gcm_encrypt_rows, 1, 0, 0, 0, CT_MASKED},
    {"gcm decrypt, rows", NULL, gcm_init, gcm_decrypt_rows, 1, 0, 0, IN_BATCH, CT_MASKED},
    {"gcm encrypt in pieces", NULL, gcm_init, gcm_stream, 1, 0, 0, 0, 0},
    {"gcm decrypt in pieces", NULL, gcm_init, gcm_unstream, 1, 0, 0, 0, 0},
    {"gcm decrypt in pieces, to the end", make_tag, gcm_init, gcm_unstream_end, 1, 0, 0, 1, 0},
    {"gcm decrypt in pieces, forged", make_forgery, gcm_init, gcm_unstream_end, 1, 0, 0, 1, 0},
    {"gcm encrypt, buffer lists", NULL, gcm_init, gcm_encrypt_lists, 1, 0, 0, 0, 0},
    {"gcm decrypt, buffer lists", make_tag, gcm_init, gcm_decrypt_lists, 1, 0, 0, 1, 0},
    {"gcm decrypt, buffer lists, forged", make_forgery, gcm_init, gcm_decrypt_lists, 1, 0, 0, 1, 0},
    {"gcm encrypt, short tag", NULL, gcm_init_short, gcm_encrypt, 1, 0, 0, 0, 0},
    {"gcm decrypt, short tag", make_short, gcm_init_short, gcm_decrypt, 1, 0, 0, 1, CT_MASKED},
    {"gcm decrypt, short tag, forged", make_short_forgery, gcm_init_short, gcm_decrypt, 1, 0, 0, 1, CT_MASKED},
    {"gmac", NULL, gcm_init, gmac, 1, 0, 0, 0, CT_MASKED},
    {"gmac, verified", make_gmac, gcm_init, gmac_verify, 1, 0, 0, 1, 0},
    {"gmac, forged", make_gmac_forgery, gcm_init, gmac_verify, 1, 0, 0, 1, 0},
    {"esp encrypt", NULL, esp_init, esp_encrypt, 1, 0, 0, 0, 0},
    {"esp encrypt, key lent", NULL, esp_init, esp_lent, 1, 0, 0, 0, 0},
    {"esp decrypt", make_esp, esp_init, esp_decrypt, 1, 0, 0, 1, 0},
    {"esp decrypt, forged", make_esp_forgery, esp_init, esp_decrypt, 1, 0, 0, 1, 0},
    {"esp mac", NULL, esp_mac_init, esp_mac, 1, 0, 0, 0, 0},
    {"esp mac, verified", make_esp_mac, esp_mac_init, esp_mac_verify, 1, 0, 0, 1, 0},
    {"esp mac, forged", make_esp_mac_forgery, esp_mac_init, esp_mac_verify, 1, 0, 0, 1, 0},
    {"gcm-siv encrypt", NULL, siv_init, siv_encrypt, 1, 0, 0, 0, 0},
    {"gcm-siv decrypt", make_siv, siv_init, siv_decrypt, 1, 0, 0, 1, 0},
    {"gcm-siv decrypt, forged", make_siv_forgery, siv_init, siv_decrypt, 1, 0, 0, 1, 0},
    {"gcm-siv seal", NULL, siv_init, siv_seal, 1, 0, 0, 0, 0},
    {"gcm-siv open", make_siv_sealed, siv_init, siv_open, 1, 16, 0, 1, 0},
    {"gcm-siv encrypt, batch", NULL, siv_init, siv_encrypt_batch, 1, 0, 0, 0, 0},
    {"gcm-siv decrypt, batch", make_siv_batch, siv_init, siv_decrypt_batch, 1, 0, 0, 3, 0},
    {"xaes encrypt", NULL, xaes_init, xaes_encrypt, 1, 0, 0, 0, 0},
    {"xaes decrypt", make_xaes, xaes_init, xaes_decrypt, 1, 0, 0, 1, 0},
    {"xaes seal", NULL, xaes_init, xaes_seal, 1, 0, 0, 0, 0},
    {"xaes open", make_xaes_sealed, xaes_init, xaes_open, 1, 16, 0, 1, 0},
    {"xaes decrypt, forged", make_xaes_forgery, xaes_init, xaes_decrypt, 1, 0, 0, 1, 0},
    {"ghash", NULL, ghash_init, ghash, 16, 0, 0, 0, 1},
    {"xts encrypt", NULL, xts_init, xts_encrypt, 1, 16, 1, 0, 1},
    {"xts decrypt", almost_equal_halves, xts_init, xts_decrypt, 1, 16, 1, 0, 1},
    {"xts encrypt sectors", NULL, xts_init, xts_sectors, 512, 512, 1, 0, 1},
    {"xts decrypt sectors", NULL, xts_init, xts_unsectors, 512, 512, 1, 0, 1},
    {"xts encrypt, tweaks given", NULL, xts_init, xts_tweaks, 512, 512, 1, 0, 1},
    {"xts decrypt, tweaks given", NULL, xts_init, xts_untweaks, 512, 512, 1, 0, 1},
    {"ecb encrypt", NULL, aes_init, ecb_encrypt, 16, 16, 0, 0, 1},
    {"ecb decrypt", NULL, aes_init, ecb_decrypt, 16, 16, 0, 0, 1},
    {"cbc encrypt", NULL, aes_init, cbc_encrypt, 16, 16, 0, 0, 1},
    {"cbc decrypt", NULL, aes_init, cbc_decrypt, 16, 16, 0, 0, 1},
    {"cbc encrypt, three texts", NULL, aes_init, cbc_many, 48, 48, 0, 0, 0},
    {"cfb encrypt", NULL, aes_init, cfb_encrypt, 1, 0, 0, 0, 0},
    {"cfb decrypt", NULL, aes_init, cfb_decrypt, 1, 0, 0, 0, 0},
    {"ccm encrypt", NULL, ccm_init, ccm_encrypt, 1, 0, 0, 0, 0},
    {"ccm decrypt", make_ccm, ccm_init, ccm_decrypt, 1, 0, 0, 1, 0},
    {"ccm decrypt, forged", make_ccm_forgery, ccm_init, ccm_decrypt, 1, 0, 0, 1, 0},
    {"cbc encrypt, padding", NULL, aes_init, cbc_pad, 1, 0, 0, 0, 0},
    {"cbc decrypt, padding", make_padding, aes_init, cbc_unpad, 16, 16, 0, 1, 0},
    {"cbc decrypt, bad padding", make_bad_padding, aes_init, cbc_unpad, 16, 16, 0, 1, 0},
    {"ctr", near_wrap, aes_init, ctr, 1, 1, 0, 0, 0},
    {"ctr32", near_wrap, aes_init, ctr32, 1, 1, 0, 0, 0},
    {"ctr, blocks", near_wrap, aes_init, ctr_many, 16, 16, 0, 0, CT_MASKED},
    {"ctr32, blocks", near_wrap, aes_init, ctr32_many, 16, 16, 0, 0, CT_MASKED},
    {"ctr, public counter", NULL, aes_init, ctr_public, 16, 16, 0, 0, CT_MASKED},
};
const struct ct_op ct_unsaid = {"ctr, not said to be secret", NULL, aes_init, ctr_unsaid, 16, 16, 0, 0, 0};
const int ct_ops_n = sizeof ct_ops / sizeof ct_ops[0];

int ct_takes(const struct ct_op *op, size_t len) { return len >= op->least && len % op->multiple == 0; }
size_t ct_key_len(const struct ct_op *op, size_t aes_key_len) {
  return op->aes256_is_64 ? (aes_key_len == 24 ? 0 : 2 * aes_key_len) : aes_key_len;
}
