/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * References that share no line with Rijn.
 *
 * ref_...    OpenSSL's libcrypto; the model where the target has none.
 * model_...  the text of the standards, bit by bit. Slow. For what libcrypto does not do (nonces over 128 bytes) and
 *            for finding nonces that give a wanted counter.
 */
#ifndef RIJN_REF_H
#define RIJN_REF_H

#include <stddef.h>
#include <stdint.h>

/* GCM, tag of 16. nonce_len is 1 to 128. */
void ref_gcm(const uint8_t *key, size_t key_len, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
             size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t tag[16]);

/* Any other cipher of libcrypto by name ("AES-128-CTR", "AES-256-XTS", "AES-192-CBC", "AES-128-CFB", "AES-128-ECB"), no
 * padding. iv_out, when not NULL, gets the updated 16-byte IV. */
void ref_cipher(const char *name, int encrypt, const uint8_t *key, const uint8_t *iv, uint8_t *out, const uint8_t *in,
                size_t len, uint8_t *iv_out);

/* One block of AES. */
void ref_aes_block(const uint8_t *key, size_t key_len, const uint8_t in[16], uint8_t out[16]);

/* FIPS 197. */
struct model_aes {
  unsigned rounds;
  uint8_t w[60][4];
};
void model_aes_init(struct model_aes *k, const uint8_t *key, size_t key_len);
void model_aes_enc(const struct model_aes *k, const uint8_t in[16], uint8_t out[16]);
void model_aes_dec(const struct model_aes *k, const uint8_t in[16], uint8_t out[16]);

/* What ref_cipher does. */
void model_cipher(const char *name, int encrypt, const uint8_t *key, const uint8_t *iv, uint8_t *out, const uint8_t *in,
                  size_t len, uint8_t *iv_out);

/* SP 800-38D, section 6.3: z = x * y, by bits. z may be x or y. */
void model_gf_mul(uint8_t z[16], const uint8_t x[16], const uint8_t y[16]);
/* z = 1 / x, x not 0. */
void model_gf_inv(uint8_t z[16], const uint8_t x[16]);
/* acc = (acc ^ block) * h for each 16 bytes of p, the last filled up with zeros. */
void model_ghash(uint8_t acc[16], const uint8_t h[16], const uint8_t *p, size_t len);
/* J0 of a nonce (section 7.1). */
void model_j0(const uint8_t *key, size_t key_len, const uint8_t *nonce, size_t nonce_len, uint8_t j0[16]);
/* The 16-byte nonce that has this J0: solves J0 = (nonce * H ^ lengths) * H. */
void model_nonce_for_j0(const uint8_t *key, size_t key_len, const uint8_t j0[16], uint8_t nonce[16]);
/* GCM encryption with any nonce. */
void model_gcm(const uint8_t *key, size_t key_len, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
               size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t tag[16]);
/* RFC 8452; a key of 24 bytes as OpenSSL derives from it. out is not in. */
void model_gcm_siv(const uint8_t *key, size_t key_len, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                   size_t aad_len, const uint8_t nonce[12], uint8_t tag[16]);
/* SP 800-38C. out is not in. */
void model_ccm(const uint8_t *key, size_t key_len, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
               size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t *tag, size_t tag_len);
/* C2SP, XAES-256-GCM: the message's key by the model, and ref_gcm. */
void model_xaes(const uint8_t key[32], uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad, size_t aad_len,
                const uint8_t nonce[24], uint8_t tag[16]);

#ifdef RIJN_REF_LIBCRYPTO
/* The first n bytes that SHAKE-128 makes of in. */
void ref_shake128(uint8_t *out, size_t n, const uint8_t *in, size_t len);
#endif

#endif
