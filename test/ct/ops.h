/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The operations whose time must not depend on a secret, each from raw key to result, for trace.c and poison.c. */
#ifndef CT_OPS_H
#define CT_OPS_H

#include "rijn.h"

#define CT_ROOM 17408 /* GCM keeps a table of counters from 16 KiB on, CTR from 12 KiB */
#define CT_CACHED 17000

struct job {
  int impl;
  size_t key_len, len; /* public, as are the nonces of 12 and 16 bytes, and counters made of them */
  /* Secrets. */
  _Alignas(64) uint8_t raw[64], in[CT_ROOM], aad[32], tag[16], iv[16];
  /* Results. */
  _Alignas(64) uint8_t out[CT_ROOM + 16], tag_out[16];
  int err;
  union {
    rijn_gcm_key gcm;
    rijn_xts_key xts;
    rijn_aes_key aes;
    rijn_ghash_key ghash;
    rijn_esp_key esp;
    rijn_gcm_siv_key siv;
    rijn_xaes_key xaes;
    rijn_ccm_key ccm;
  } key;
  rijn_gcm_stream stream;
};

/* What to do with raw, in, aad, tag and iv, filled with random bytes, before the operation: say, make a tag that fits.
 * variant: 0, 1, 2 ... where secrets of different kinds must look the same (the place of a wrong byte, the length of a
 * padding). */
enum { CT_MASKED = 2, CT_VARIANTS = 4 };
struct ct_op {
  const char *name;
  void (*prepare)(struct job *j, unsigned variant); /* NULL: nothing */
  void (*init)(struct job *j);
  void (*run)(struct job *j);
  size_t multiple, least; /* of len */
  int aes256_is_64;       /* XTS: keys of 32 and 64 bytes */
  int verdict;            /* so many results say whether a secret check passed: public, and a branch on each is meant */
  int vectors_only;       /* run: no secret in a general register, where kernels have vectors. CT_MASKED: and masks */
};

extern const struct ct_op ct_ops[];
extern const int ct_ops_n;
extern const struct ct_op ct_unsaid; /* a fault of the caller's, to be found where CTR has a table */

/* Lengths and key sizes that op takes, out of those that the caller wants. */
int ct_takes(const struct ct_op *op, size_t len);
size_t ct_key_len(const struct ct_op *op, size_t aes_key_len);

#endif
