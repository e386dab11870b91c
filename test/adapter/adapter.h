/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What the adapter's two files share: a request, and one function for each mode. */
#ifndef RIJN_ADAPTER_H
#define RIJN_ADAPTER_H

#include "t.h"

struct bytes {
  uint8_t *p;
  size_t n;
};

struct req {
  bool enc, in_place;
  struct bytes key, in, iv, aad, tag; /* key: with the salt behind it; tag: to check */
  size_t tag_len;
  size_t *cuts, n_cuts; /* pieces, when asked for */
  int out_off;          /* below 0: the output ends at the guard page */
  /* Answers. */
  uint8_t *out, tag_out[16], next_iv[16];
  size_t out_n;
  bool made_tag, made_iv;
};

/* Puts n bytes of output where the request wants them: zeros, with poison beside; or the input, in place. */
void place_output(struct req *r, size_t n);
/* The poison is still there. */
void check_output(const struct req *r);

/* Each fills in the answers and returns 0 or an error of the library. */
int run_gcm(struct req *r);
int run_gmac(struct req *r);
int run_rfc4106(struct req *r);
int run_rfc4543(struct req *r);
int run_ghash(struct req *r);
int run_gcm_siv(struct req *r);
int run_xaes(struct req *r);
int run_xts(struct req *r);
int run_ctr(struct req *r);
int run_cbc(struct req *r);
int run_ecb(struct req *r);
int run_pkcs7(struct req *r);
int run_cfb(struct req *r);
int run_ccm(struct req *r);

#endif
