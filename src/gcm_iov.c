/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-GCM over buffer lists: the text is cut wherever either list is, and each piece goes to the streaming kernels. */
#include <rijn.h>
#include <stdbool.h>

#include "bytes.h"
#include "ct.h"
#include "gcm.h"

/* Sum of the lengths; UINT64_MAX, which is beyond every limit, when it does not fit. */
static uint64_t total(const rijn_iov *v, size_t n) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++) {
    if ((uint64_t)v[i].len > UINT64_MAX - sum)
      return UINT64_MAX;
    sum += v[i].len;
  }
  return sum;
}

static bool list_null(const rijn_iov *v, size_t n) {
  if (rijn_null(v, n))
    return true;
  for (size_t i = 0; i < n; i++)
    if (rijn_null(v[i].base, v[i].len))
      return true;
  return false;
}

/* Each output run is an input run in the same place of the text, or has no byte in common with any. */
static bool lists_alias_ok(const rijn_iov *out, size_t out_n, const rijn_iov *in, size_t in_n) {
  out_n = out_n < RIJN_IOV_CHECKED ? out_n : RIJN_IOV_CHECKED;
  in_n = in_n < RIJN_IOV_CHECKED ? in_n : RIJN_IOV_CHECKED;
  uint64_t out_at = 0;
  for (size_t i = 0; i < out_n; i++) {
    uint64_t in_at = 0;
    for (size_t j = 0; j < in_n; j++) {
      bool same = out[i].base == in[j].base && out[i].len == in[j].len && out_at == in_at;
      if (!same && !rijn_disjoint(out[i].base, out[i].len, in[j].base, in[j].len))
        return false;
      in_at += in[j].len;
    }
    for (size_t j = 0; j < i; j++)
      if (!rijn_disjoint(out[i].base, out[i].len, out[j].base, out[j].len))
        return false;
    out_at += out[i].len;
  }
  return true;
}

/* What a call is given beside key, nonce and tag. */
struct lists {
  const rijn_iov *out, *in, *aad;
  size_t out_n, in_n, aad_n;
};

static int iov_check(const rijn_gcm_key *key, const struct lists *l, const void *nonce, size_t nonce_len,
                     const void *tag) {
  int err = rijn_gcm_check_start(key, nonce, nonce_len);
  if (err != RIJN_OK)
    return err;
  if (list_null(l->out, l->out_n) || list_null(l->in, l->in_n) || list_null(l->aad, l->aad_n) || tag == NULL)
    return RIJN_ENULL;
  uint64_t len = total(l->in, l->in_n);
  if (len > RIJN_GCM_MAX_LEN || len != total(l->out, l->out_n))
    return RIJN_ELEN;
  if (total(l->aad, l->aad_n) > RIJN_GCM_MAX_AAD)
    return RIJN_EAADLEN;
  return lists_alias_ok(l->out, l->out_n, l->in, l->in_n) ? RIJN_OK : RIJN_EOVERLAP;
}

/* Both lists together, in the largest pieces that lie in one run of each. */
static void crypt_runs(struct rijn_gcm_ctx *r, const rijn_iov *out, size_t out_n, const rijn_iov *in, size_t in_n,
                       enum direction dir) {
  size_t i = 0, j = 0;         /* run of out, run of in */
  size_t o_off = 0, n_off = 0; /* how much of each is done */
  for (;;) {
    for (; i < out_n && o_off == out[i].len; i++)
      o_off = 0;
    for (; j < in_n && n_off == in[j].len; j++)
      n_off = 0;
    if (i == out_n || j == in_n)
      return;
    size_t o_left = out[i].len - o_off, n_left = in[j].len - n_off;
    size_t n = o_left < n_left ? o_left : n_left;
    rijn_gcm_ctx_text(r, (uint8_t *)out[i].base + o_off, (const uint8_t *)in[j].base + n_off, n, dir);
    o_off += n;
    n_off += n;
  }
}

static void iov_start(struct rijn_gcm_ctx *r, const rijn_gcm_key *key, const rijn_iov *aad, size_t aad_n,
                      const void *nonce, size_t nonce_len) {
  const struct rijn_gcm *k = rijn_gcm_of(key);
  rijn_gcm_ctx_start(r, rijn_impl_of(k->impl), k, nonce, nonce_len);
  for (size_t i = 0; i < aad_n; i++)
    rijn_gcm_ctx_aad(r, aad[i].base, aad[i].len);
  rijn_gcm_ctx_aad_end(r);
}

/* Lists of one run are a message in one piece, which has a kernel of its own (T-253). */
static bool one_piece(const struct lists *l) { return l->out_n == 1 && l->in_n == 1 && l->aad_n <= 1; }

/* A short message is put together first, and is one piece then: text and one byte of type, as TLS 1.3 has it, take a
 * third of the time (T-271). */
enum { TOGETHER = 512, TOGETHER_AAD = 64 };
static bool is_short(const struct lists *l) {
  return total(l->in, l->in_n) <= TOGETHER && total(l->aad, l->aad_n) <= TOGETHER_AAD;
}

static void gather(uint8_t *to, const rijn_iov *v, size_t n) {
  for (size_t i = 0; i < n; to += v[i].len, i++)
    rijn_ct_copy(to, v[i].base, v[i].len);
}

static void scatter(const rijn_iov *v, size_t n, const uint8_t *from) {
  for (size_t i = 0; i < n; from += v[i].len, i++)
    rijn_ct_copy(v[i].base, from, v[i].len);
}

/* A short message in one piece. What is written is written at the end, when all that lies in the same place is read; of
 * a forgery it is zeros, as the call for one piece leaves them. */
static int iov_gathered(const rijn_gcm_key *key, const struct lists *l, const void *nonce, size_t nonce_len, void *tag,
                        enum direction dir) {
  uint8_t text[TOGETHER], aad[TOGETHER_AAD];
  const size_t len = (size_t)total(l->in, l->in_n), aad_len = (size_t)total(l->aad, l->aad_n);
  int err;
  gather(text, l->in, l->in_n);
  gather(aad, l->aad, l->aad_n);
  if (dir == ENCRYPT)
    err = rijn_gcm_encrypt(key, text, text, len, aad, aad_len, nonce, nonce_len, tag);
  else
    err = rijn_gcm_decrypt(key, text, text, len, aad, aad_len, nonce, nonce_len, tag);
  scatter(l->out, l->out_n, text);
  rijn_wipe(text, len);
  rijn_wipe(aad, aad_len);
  return err;
}

int rijn_gcm_encrypt_iov(const rijn_gcm_key *key, const rijn_iov *out, size_t out_n, const rijn_iov *in, size_t in_n,
                         const rijn_iov *aad, size_t aad_n, const void *nonce, size_t nonce_len, void *tag) {
  const struct lists l = {out, in, aad, out_n, in_n, aad_n};
  int err = iov_check(key, &l, nonce, nonce_len, tag);
  if (err != RIJN_OK)
    return err;
  if (one_piece(&l))
    return rijn_gcm_encrypt(key, out->base, in->base, in->len, aad_n != 0 ? aad->base : NULL, aad_n != 0 ? aad->len : 0,
                            nonce, nonce_len, tag);
  if (is_short(&l))
    return iov_gathered(key, &l, nonce, nonce_len, tag, ENCRYPT);
  struct rijn_gcm_ctx r;
  iov_start(&r, key, aad, aad_n, nonce, nonce_len);
  crypt_runs(&r, out, out_n, in, in_n, ENCRYPT);
  rijn_gcm_ctx_seal(&r, tag);
  return RIJN_OK;
}

int rijn_gcm_decrypt_iov(const rijn_gcm_key *key, const rijn_iov *out, size_t out_n, const rijn_iov *in, size_t in_n,
                         const rijn_iov *aad, size_t aad_n, const void *nonce, size_t nonce_len, const void *tag) {
  const struct lists l = {out, in, aad, out_n, in_n, aad_n};
  int err = iov_check(key, &l, nonce, nonce_len, tag);
  if (err != RIJN_OK)
    return err;
  if (one_piece(&l))
    return rijn_gcm_decrypt(key, out->base, in->base, in->len, aad_n != 0 ? aad->base : NULL, aad_n != 0 ? aad->len : 0,
                            nonce, nonce_len, tag);
  if (is_short(&l))
    return iov_gathered(key, &l, nonce, nonce_len, (void *)(uintptr_t)tag, DECRYPT);
  struct rijn_gcm_ctx r;
  iov_start(&r, key, aad, aad_n, nonce, nonce_len);
  crypt_runs(&r, out, out_n, in, in_n, DECRYPT);
  err = rijn_gcm_ctx_open(&r, tag);
  if (err != RIJN_OK)
    for (size_t i = 0; i < out_n; i++)
      if (out[i].len != 0)
        memset(out[i].base, 0, out[i].len);
  return err;
}
