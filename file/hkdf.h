/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What is taken of libcrypto. */
#ifndef RIJN_FILE_HKDF_H
#define RIJN_FILE_HKDF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/types.h>

/* A context of its own for every use: the default one is what openssl.cnf makes of it, and that may have nothing. The
 * file is not read, and no module that it names is loaded. NULL: libcrypto failed. Freed by OSSL_LIB_CTX_free. */
OSSL_LIB_CTX *rijn_libcrypto(void);

struct rijn_bytes {
  const void *p;
  size_t n;
};
enum rijn_hkdf { RIJN_HKDF_BOTH, RIJN_HKDF_EXTRACT, RIJN_HKDF_EXPAND };

/* HKDF (RFC 5869), both steps or one; digest is SHA256 or SHA512. False: libcrypto failed. */
bool rijn_hkdf(enum rijn_hkdf mode, const char *digest, struct rijn_bytes key, struct rijn_bytes salt,
               struct rijn_bytes info, void *out, size_t out_len);

#endif
