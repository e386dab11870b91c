/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* A long message on a thread of libuv's pool, as a promise. Nonce and associated data are copied. Text and output are
 * not: a copy takes as long as the cipher. References keep them. lib/rijn.cjs refuses memory that may be cut while the
 * thread is at it. */
#include <stdlib.h>
#include <string.h>

#include "addon.h"

enum { KEY, NONCE, DATA, AAD, OUT, SEALING, ARGS };

struct work {
  napi_async_work work;
  napi_deferred deferred;
  struct key *key;
  napi_ref held[3];
  struct message m;
  bool sealing;
  int err;
  uint8_t copy[];
};

static void execute(napi_env env, void *data) {
  (void)env;
  struct work *w = data;
  const struct kind *kind = w->key->kind;
  w->err = w->sealing ? kind->seal(w->key->object, &w->m) : kind->open(w->key->object, &w->m);
}

static void release(napi_env env, struct work *w) {
  for (int i = 0; i < 3; i++) {
    if (w->held[i] != NULL) {
      napi_delete_reference(env, w->held[i]);
    }
  }
  free(w);
}

static void complete(napi_env env, napi_status status, void *data) {
  struct work *w = data;
  napi_value value = NULL;
  if (status == napi_ok) {
    if (w->err == 0) {
      napi_get_undefined(env, &value);
    } else {
      napi_create_int32(env, w->err, &value);
    }
    napi_resolve_deferred(env, w->deferred, value);
  }
  key_let_go(env, w->key);
  napi_delete_async_work(env, w->work);
  release(env, w);
}

static struct work *work_new(const struct message *m, struct key *k, bool sealing) {
  struct work *w = calloc(1, sizeof *w + m->nonce.len + m->aad.len);
  if (w != NULL) {
    w->key = k;
    w->m = *m;
    w->sealing = sealing;
    w->m.nonce.p = w->copy;
    w->m.aad.p = w->copy + m->nonce.len;
    memcpy(w->m.nonce.p, m->nonce.p, m->nonce.len);
    if (m->aad.len > 0) {
      memcpy(w->m.aad.p, m->aad.p, m->aad.len);
    }
  }
  return w;
}

static bool start(napi_env env, struct work *w, const napi_value *args, napi_value *promise) {
  static const int kept[] = {KEY, DATA, OUT};
  napi_value name;
  for (int i = 0; i < 3; i++) {
    if (napi_create_reference(env, args[kept[i]], 1, &w->held[i]) != napi_ok) {
      return false;
    }
  }
  if (napi_create_string_utf8(env, "rijn", 4, &name) != napi_ok ||
      napi_create_async_work(env, NULL, name, execute, complete, w, &w->work) != napi_ok) {
    return false;
  }
  if (napi_create_promise(env, &w->deferred, promise) != napi_ok || napi_queue_async_work(env, w->work) != napi_ok) {
    napi_delete_async_work(env, w->work);
    return false;
  }
  return true;
}

/* aead_later(key, nonce, data, aad, out, sealing): a promise of what aead_seal and aead_open give back, or a number. */
napi_value aead_later(napi_env env, napi_callback_info info) {
  napi_value args[ARGS], promise = NULL;
  struct key *k;
  struct message m;
  arguments(env, info, ARGS, args);
  bool sealing = truth(env, args[SEALING]);
  int err = key_take(env, args[KEY], NULL, &k);
  err = err == 0 && k->kind->seal == NULL ? refuse(NOT_A_KEY, 0) : err;
  err = err != 0 ? err : message_take(env, args + NONCE, NONCE, &m);
  err = err != 0 ? err : message_fits(&m, k->kind, k->tag_len, sealing, NONCE);
  if (err != 0) {
    return answer(env, err);
  }
  struct work *w = work_new(&m, k, sealing);
  if (w == NULL) {
    return answer(env, refuse(NO_MEMORY, 0));
  }
  if (!start(env, w, args, &promise)) {
    release(env, w);
    return answer(env, refuse(NO_MEMORY, 0));
  }
  key_hold(k);
  return promise;
}
