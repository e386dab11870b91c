/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * libcrypto (OpenSSL), as a program that cares about speed calls it: EVP, the cipher fetched once, the context kept,
 * and only the nonce set for a message. "libcrypto:rekey" sets the key for each message too, which is what
 * `openssl speed` shows for short ones.
 */
#include "subject.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>

enum { KEEP, REKEY };

static int gcm(const struct b_job *j, size_t n, int enc, bool rekey) {
  int bad = 0, out_len;
  B_EACH_MESSAGE(j, n, {
    EVP_CIPHER_CTX *c = key;
    int ok = EVP_CipherInit_ex(c, NULL, NULL, rekey ? w.raw : NULL, nonce, -1);
    if (w.aad_len)
      ok &= EVP_CipherUpdate(c, NULL, &out_len, w.aad, (int)w.aad_len);
    if (len)
      ok &= EVP_CipherUpdate(c, w.out, &out_len, w.in, (int)len);
    if (!enc)
      ok &= EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 16, tag);
    ok &= EVP_CipherFinal_ex(c, w.out, &out_len);
    if (enc)
      ok &= EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag);
    bad |= ok != 1;
  });
  return bad;
}

static int gcm_enc(const struct b_job *j, size_t n) { return gcm(j, n, 1, false); }

static int gcm_dec(const struct b_job *j, size_t n) { return gcm(j, n, 0, false); }

static int gcm_enc_rekey(const struct b_job *j, size_t n) { return gcm(j, n, 1, true); }

static int gcm_dec_rekey(const struct b_job *j, size_t n) { return gcm(j, n, 0, true); }

static int gmac(const struct b_job *j, size_t n) {
  int bad = 0, out_len;
  B_EACH_MESSAGE(j, n, {
    EVP_CIPHER_CTX *c = key;
    int ok = EVP_CipherInit_ex(c, NULL, NULL, NULL, nonce, -1);
    ok &= EVP_CipherUpdate(c, NULL, &out_len, w.in, (int)len);
    ok &= EVP_CipherFinal_ex(c, tag, &out_len);
    ok &= EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag);
    bad |= ok != 1;
  });
  return bad;
}

/* One update is the whole text. Associated data stays from message to message until an update of no length. */
static int siv(const struct b_job *j, size_t n) {
  int bad = 0, out_len;
  bool enc = j->c->dir == B_ENC;
  B_EACH_MESSAGE(j, n, {
    EVP_CIPHER_CTX *c = key;
    int ok = EVP_CipherInit_ex(c, NULL, NULL, NULL, nonce, -1);
    if (!enc)
      ok &= EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 16, tag);
    ok &= EVP_CipherUpdate(c, NULL, &out_len, w.aad, 0);
    if (w.aad_len)
      ok &= EVP_CipherUpdate(c, NULL, &out_len, w.aad, (int)w.aad_len);
    ok &= EVP_CipherUpdate(c, w.out, &out_len, w.in, (int)len);
    ok &= EVP_CipherFinal_ex(c, w.out, &out_len);
    if (enc)
      ok &= EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag);
    bad |= ok != 1;
  });
  return bad;
}

static int keys(const struct b_job *j, size_t n) {
  int bad = 0;
  B_EACH_MESSAGE(j, n, bad |= EVP_CipherInit_ex(key, NULL, NULL, w.raw, NULL, -1) != 1);
  return bad;
}

static int batch_enc(const struct b_job *j, size_t n) { return b_batch_by_ones(j, n, gcm_enc); }

static int batch_dec(const struct b_job *j, size_t n) { return b_batch_by_ones(j, n, gcm_dec); }

/* XTS, CTR, CBC, ECB: a new tweak or IV, and one update. ECB has none, and a context that is between blocks goes on. */
static int plain(const struct b_job *j, size_t n) {
  int bad = 0, out_len;
  bool ecb = j->c->op == B_ECB;
  B_EACH_MESSAGE(j, n, {
    int ok = ecb ? 1 : EVP_CipherInit_ex(key, NULL, NULL, NULL, nonce, -1);
    ok &= EVP_CipherUpdate(key, w.out, &out_len, w.in, (int)len);
    bad |= ok != 1 || out_len != (int)len;
  });
  return bad;
}

static int xts_run(const struct b_job *j, size_t n) { return b_run_by_ones(j, n, plain); }

static b_loops loops = {
    [B_GCM] = {gcm_enc, gcm_dec},
    [B_MANYKEYS] = {gcm_enc, gcm_dec},
    [B_GMAC] = {gmac},
    [B_KEYS] = {keys},
    [B_BATCH] = {batch_enc, batch_dec},
    [B_BATCHKEYS] = {batch_enc, batch_dec},
    [B_SIV] = {siv, siv},
    [B_XTS] = {plain, plain},
    [B_XTSRUN] = {xts_run, xts_run},
    [B_CTR] = {plain},
    [B_CBC] = {plain, plain},
    [B_ECB] = {plain, plain},
};

static b_loops rekey_loops = {
    [B_GCM] = {gcm_enc_rekey, gcm_dec_rekey},
    [B_MANYKEYS] = {gcm_enc_rekey, gcm_dec_rekey},
};

/* WHY a context of its own: the default one is what openssl.cnf makes of it, and may take these ciphers from Rijn. */
static EVP_CIPHER *fetch(const struct b_case *c) {
  static OSSL_LIB_CTX *lib;
  char name[24];
  snprintf(name, sizeof name, "AES-%d-%s", c->key_bits, b_mode(c)->cipher);
  if (!lib)
    lib = OSSL_LIB_CTX_new();
  return lib ? EVP_CIPHER_fetch(lib, name, NULL) : NULL;
}

/* AES-GCM-SIV came with OpenSSL 3.2. */
static b_run runner(const struct b_subject *s, const struct b_case *c) {
  b_run run = b_loop(s->index == REKEY ? rekey_loops : loops, c);
  if (run == siv) {
    EVP_CIPHER *cipher = fetch(c);
    if (!cipher)
      return NULL;
    EVP_CIPHER_free(cipher);
  }
  return run;
}

static void *key_new(const struct b_subject *s, const struct b_case *c, const uint8_t *raw, size_t raw_len) {
  (void)s, (void)raw_len;
  EVP_CIPHER *cipher = fetch(c);
  EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
  bool ok = cipher && ctx && EVP_CipherInit_ex(ctx, cipher, NULL, raw, NULL, c->dir == B_ENC) == 1 &&
            EVP_CIPHER_CTX_set_padding(ctx, 0) == 1;
  EVP_CIPHER_free(cipher); /* the context holds it */
  if (!ok) {
    EVP_CIPHER_CTX_free(ctx);
    ctx = NULL;
  }
  return ctx;
}

static void key_free(const struct b_subject *s, const struct b_case *c, void *key) {
  (void)s, (void)c;
  EVP_CIPHER_CTX_free(key);
}

void b_subjects_libcrypto(struct b_subjects *all) {
  struct b_subject s = {.name = "libcrypto", .index = KEEP, .runner = runner, .key_new = key_new, .key_free = key_free};
  b_subject_add(all, &s);
  snprintf(s.name, sizeof s.name, "libcrypto:rekey");
  s.index = REKEY;
  b_subject_add(all, &s);
  b_peer_found(all, "libcrypto", "libcrypto %s", OpenSSL_version(OPENSSL_VERSION_STRING));
}
