/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AES-GCM-SIV and XAES-256-GCM as one kind of thing, for tests that do the same to both. */
#ifndef RIJN_TEST_SIV_H
#define RIJN_TEST_SIV_H

#include "ref.h"
#include "t.h"

enum mode { SIV, XAES, MODES };
static const size_t nonce_len[MODES] = {12, 24};
union any_key {
  rijn_gcm_siv_key siv;
  rijn_xaes_key xaes;
};

static inline int any_init(enum mode m, union any_key *k, const void *raw, size_t raw_len, int impl) {
  return m == SIV ? rijn_gcm_siv_init_impl(&k->siv, raw, raw_len, impl)
                  : rijn_xaes_init_impl(&k->xaes, raw, raw_len, impl);
}
static inline int any_encrypt(enum mode m, const union any_key *k, void *out, const void *in, size_t len,
                              const void *aad, size_t aad_len, const uint8_t *nonce, void *tag) {
  return m == SIV ? rijn_gcm_siv_encrypt(&k->siv, out, in, len, aad, aad_len, nonce, tag)
                  : rijn_xaes_encrypt(&k->xaes, out, in, len, aad, aad_len, nonce, tag);
}
static inline int any_decrypt(enum mode m, const union any_key *k, void *out, const void *in, size_t len,
                              const void *aad, size_t aad_len, const uint8_t *nonce, const void *tag) {
  return m == SIV ? rijn_gcm_siv_decrypt(&k->siv, out, in, len, aad, aad_len, nonce, tag)
                  : rijn_xaes_decrypt(&k->xaes, out, in, len, aad, aad_len, nonce, tag);
}
static inline void any_wipe(enum mode m, union any_key *k) {
  if (m == SIV)
    rijn_gcm_siv_wipe(&k->siv);
  else
    rijn_xaes_wipe(&k->xaes);
}
static inline size_t any_size(enum mode m) { return m == SIV ? sizeof(rijn_gcm_siv_key) : sizeof(rijn_xaes_key); }
static inline void any_model(enum mode m, const uint8_t *raw, size_t raw_len, uint8_t *out, const uint8_t *in,
                             size_t len, const uint8_t *aad, size_t aad_len, const uint8_t *nonce, uint8_t tag[16]) {
  if (m == SIV)
    model_gcm_siv(raw, raw_len, out, in, len, aad, aad_len, nonce, tag);
  else
    model_xaes(raw, out, in, len, aad, aad_len, nonce, tag);
}

#endif
