/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* One message, at once. The tag is behind the text. */
#include "addon.h"

/* ---------------------------------------------------------------- the kinds of keys */

static int gcm_make(void *key, const void *raw, size_t raw_len, size_t tag_len) {
  return rijn_gcm_init_taglen(key, raw, raw_len, tag_len);
}
static void gcm_wipe(void *key) { rijn_gcm_wipe(key); }
static int gcm_seal(const void *key, const struct message *m) {
  return rijn_gcm_seal(key, m->out.p, m->data.p, m->data.len, m->aad.p, m->aad.len, m->nonce.p, m->nonce.len);
}
static int gcm_open(const void *key, const struct message *m) {
  return rijn_gcm_open(key, m->out.p, m->data.p, m->data.len, m->aad.p, m->aad.len, m->nonce.p, m->nonce.len);
}

static int siv_make(void *key, const void *raw, size_t raw_len, size_t tag_len) {
  (void)tag_len;
  return rijn_gcm_siv_init(key, raw, raw_len);
}
static void siv_wipe(void *key) { rijn_gcm_siv_wipe(key); }
static int siv_seal(const void *key, const struct message *m) {
  return rijn_gcm_siv_seal(key, m->out.p, m->data.p, m->data.len, m->aad.p, m->aad.len, m->nonce.p);
}
static int siv_open(const void *key, const struct message *m) {
  return rijn_gcm_siv_open(key, m->out.p, m->data.p, m->data.len, m->aad.p, m->aad.len, m->nonce.p);
}

static int xaes_make(void *key, const void *raw, size_t raw_len, size_t tag_len) {
  (void)tag_len;
  return rijn_xaes_init(key, raw, raw_len);
}
static void xaes_wipe(void *key) { rijn_xaes_wipe(key); }
static int xaes_seal(const void *key, const struct message *m) {
  return rijn_xaes_seal(key, m->out.p, m->data.p, m->data.len, m->aad.p, m->aad.len, m->nonce.p);
}
static int xaes_open(const void *key, const struct message *m) {
  return rijn_xaes_open(key, m->out.p, m->data.p, m->data.len, m->aad.p, m->aad.len, m->nonce.p);
}

static int xts_make(void *key, const void *raw, size_t raw_len, size_t tag_len) {
  (void)tag_len;
  return rijn_xts_init(key, raw, raw_len);
}
static void xts_wipe(void *key) { rijn_xts_wipe(key); }

const struct kind kinds[KINDS] = {
    [GCM] = {sizeof(rijn_gcm_key), 0, gcm_make, gcm_wipe, gcm_seal, gcm_open},
    [GCM_SIV] = {sizeof(rijn_gcm_siv_key), RIJN_GCM_SIV_NONCE_LEN, siv_make, siv_wipe, siv_seal, siv_open},
    [XAES] = {sizeof(rijn_xaes_key), RIJN_XAES_NONCE_LEN, xaes_make, xaes_wipe, xaes_seal, xaes_open},
    [XTS] = {sizeof(rijn_xts_key), 0, xts_make, xts_wipe, NULL, NULL},
};

/* ---------------------------------------------------------------- messages */

enum { NONCE, DATA, AAD, OUT };

int message_take(napi_env env, const napi_value *args, int place, struct message *m) {
  int err = view_take(env, args[NONCE], place + NONCE, &m->nonce);
  err = err != 0 ? err : view_take(env, args[DATA], place + DATA, &m->data);
  err = err != 0 ? err : view_take_optional(env, args[AAD], place + AAD, &m->aad);
  return err != 0 ? err : view_take(env, args[OUT], place + OUT, &m->out);
}

int message_fits(const struct message *m, const struct kind *kind, size_t tag_len, bool sealing, int place) {
  if (kind->nonce_len != 0 && m->nonce.len != kind->nonce_len) {
    return RIJN_ENONCELEN;
  }
  if (!sealing && m->data.len < tag_len) {
    return RIJN_EAUTH;
  }
  if (m->out.len != (sealing ? m->data.len + tag_len : m->data.len - tag_len)) {
    return refuse(WRONG_LENGTH, place + OUT);
  }
  if (meet(&m->out, &m->nonce) || meet(&m->out, &m->aad)) {
    return refuse(OVERLAPS, place + OUT);
  }
  return 0;
}

static napi_value aead_do(napi_env env, napi_callback_info info, bool sealing) {
  napi_value args[5];
  struct key *k;
  struct message m;
  arguments(env, info, 5, args);
  int err = key_take(env, args[0], NULL, &k);
  err = err == 0 && k->kind->seal == NULL ? refuse(NOT_A_KEY, 0) : err;
  err = err != 0 ? err : message_take(env, args + 1, 1, &m);
  err = err != 0 ? err : message_fits(&m, k->kind, k->tag_len, sealing, 1);
  if (err == 0) {
    err = sealing ? k->kind->seal(k->object, &m) : k->kind->open(k->object, &m);
  }
  return answer(env, err);
}
/* aead_seal(key, nonce, data, aad, out), aead_open. */
napi_value aead_seal(napi_env env, napi_callback_info info) { return aead_do(env, info, true); }
napi_value aead_open(napi_env env, napi_callback_info info) { return aead_do(env, info, false); }

/* aead_once(raw, nonce, data, aad, out, sealing): AES-GCM with a key that is made for this message alone. */
napi_value aead_once(napi_env env, napi_callback_info info) {
  napi_value args[6];
  struct view raw;
  struct message m;
  rijn_gcm_key key;
  arguments(env, info, 6, args);
  bool sealing = truth(env, args[5]);
  int err = view_take(env, args[0], 0, &raw);
  err = err != 0 ? err : message_take(env, args + 1, 1, &m);
  err = err != 0 ? err : message_fits(&m, &kinds[GCM], RIJN_GCM_TAG_MAX, sealing, 1);
  if (err == 0) {
    err = meet(&raw, &m.out) ? refuse(OVERLAPS, 1 + OUT) : rijn_gcm_init(&key, raw.p, raw.len);
    if (err == 0) {
      err = sealing ? gcm_seal(&key, &m) : gcm_open(&key, &m);
      rijn_gcm_wipe(&key);
    }
  }
  return answer(env, err);
}
