/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Reading and answering OSSL_PARAM.
 * WHY not libcrypto's functions: the module then needs no libcrypto of its own and works with whichever one loads it, a
 * statically linked one too. */
#ifndef RIJN_PROVIDER_PARAMS_H
#define RIJN_PROVIDER_PARAMS_H

#include <openssl/core.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* PARAM_IS(p, OSSL_CIPHER_PARAM_IV): is p of that name? size: with the end mark, behind which nothing is read. WHY not
 * strcmp: libcrypto asks for lengths and tags through parameters at every message. The first letter decides most
 * comparisons, and short names are compared without a call (T-302). */
#define PARAM_IS(p, name) rijn_param_is((p)->key, name, sizeof(name))
static inline __attribute__((always_inline)) bool rijn_param_is(const char *key, const char *name, size_t size) {
  return key[0] == name[0] && (size <= 1 || key[1] == name[1]) && (size <= 2 || key[2] == name[2]) &&
         (size <= 3 || key[3] == name[3]) && (size <= 4 || key[4] == name[4]) && (size <= 5 || key[5] == name[5]) &&
         (size <= 6 || key[6] == name[6]) && (size <= 7 || strcmp(key + 7, name + 7) == 0);
}

/* Integers of 4 or 8 bytes, signed or not. false: another type or size, no data, or a value that does not fit. */
bool rijn_param_get_u64(const OSSL_PARAM *p, uint64_t *v);
bool rijn_param_get_size(const OSSL_PARAM *p, size_t *v);
bool rijn_param_get_uint(const OSSL_PARAM *p, unsigned *v);

/* Answers; with no data to write to, only the size is answered. false: another type, or too little room. */
bool rijn_param_set_u64(OSSL_PARAM *p, uint64_t v);
bool rijn_param_set_octets(OSSL_PARAM *p, const void *v, size_t len);
/* An octet string is copied, an octet pointer gets v itself. */
bool rijn_param_set_octets_or_ptr(OSSL_PARAM *p, const void *v, size_t len);
bool rijn_param_set_text(OSSL_PARAM *p, const char *text);

/* A record of TLS 1.2 with an AEAD. SPEC: RFC 5246 section 6.2.3.3 (sequence number, type, version, length), RFC 5288
 * section 3, and RFC 6655 section 3: bytes of the nonce in the record, and from the key exchange. */
enum { RIJN_TLS_AAD = 13, RIJN_TLS_EXPLICIT = 8, RIJN_TLS_FIXED = 4 };
/* Copies a record's associated data. Its last two bytes are the record's length, and become the text's, which is
 * shorter by `around` bytes. The record's length; to is left alone if that is less than around. */
size_t rijn_tls_aad(uint8_t to[RIJN_TLS_AAD], const uint8_t aad[RIJN_TLS_AAD], size_t around);

#endif
