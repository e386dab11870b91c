/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* A long message on a thread of libuv's pool, as a promise. The thread works in a copy, in place; the result is copied
 * to `out` at the end. WHY, though each copy takes about as long as the cipher: a program may transfer or cut a buffer
 * meanwhile, and no reference keeps the memory then. And no text is seen before its verdict. */
#include <stdlib.h>
#include <string.h>

#include "addon.h"

enum { KEY, NONCE, DATA, AAD, OUT, SEALING, ARGS };

struct work {
  napi_async_work work;
  napi_deferred deferred;
  struct key *key;
  napi_ref held[2];
  struct message m;
  bool sealing;
  int err;
  size_t copied;
  uint8_t copy[]; /* text, nonce, associated data */
};

static void copy(const struct view *to, const struct view *from) {
  if (from->len > 0) {
    memcpy(to->p, from->p, from->len);
  }
}

static void execute(napi_env env, void *data) {
  (void)env;
  struct work *w = data;
  const struct kind *kind = w->key->kind;
  w->err = w->sealing ? kind->seal(w->key->object, &w->m) : kind->open(w->key->object, &w->m);
}

static void release(napi_env env, struct work *w) {
  for (int i = 0; i < 2; i++) {
    if (w->held[i] != NULL) {
      napi_delete_reference(env, w->held[i]);
    }
  }
  memset(w->copy, 0, w->copied);
  __asm__ volatile("" : : "r"(w->copy) : "memory"); /* the memset stays, though free follows */
  free(w);
}

/* The result goes to the caller's memory, if that is still there. Zeros do, of what is not authentic. */
static int hand_out(napi_env env, const struct work *w) {
  napi_value value;
  struct view out;
  if (w->err != 0 && w->err != RIJN_EAUTH) {
    return w->err;
  }
  if (napi_get_reference_value(env, w->held[1], &value) != napi_ok || view_take(env, value, OUT, &out) != 0 ||
      out.len < w->m.out.len) {
    return refuse(DETACHED, OUT);
  }
  copy(&out, &w->m.out);
  return w->err;
}

static void complete(napi_env env, napi_status status, void *data) {
  struct work *w = data;
  napi_value value = NULL;
  if (status == napi_ok) {
    int err = hand_out(env, w);
    if (err == 0) {
      napi_get_undefined(env, &value);
    } else {
      napi_create_int32(env, err, &value);
    }
    napi_resolve_deferred(env, w->deferred, value);
  }
  key_let_go(env, w->key);
  napi_delete_async_work(env, w->work);
  release(env, w);
}

static struct work *work_new(const struct message *m, struct key *k, bool sealing) {
  size_t room = sealing ? m->out.len : m->data.len, copied = room + m->nonce.len + m->aad.len;
  struct work *w = malloc(sizeof *w + copied); /* WHY not calloc: zeros for a long text take time */
  if (w != NULL) {
    *w = (struct work){.key = k, .m = *m, .sealing = sealing, .copied = copied};
    w->m.data.p = w->m.out.p = w->copy;
    w->m.nonce.p = w->copy + room;
    w->m.aad.p = w->m.nonce.p + m->nonce.len;
    copy(&w->m.data, &m->data);
    copy(&w->m.nonce, &m->nonce);
    copy(&w->m.aad, &m->aad);
  }
  return w;
}

static bool start(napi_env env, struct work *w, const napi_value *args, napi_value *promise) {
  static const int kept[] = {KEY, OUT};
  napi_value name;
  for (int i = 0; i < 2; i++) {
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
  err = err == 0 && m.out.p != m.data.p && meet(&m.out, &m.data) ? RIJN_EOVERLAP : err;
  if (err != 0) {
    return answer(env, err);
  }
  struct work *w = work_new(&m, k, sealing);
  if (w == NULL) {
    return answer(env, refuse(NO_MEMORY, DATA));
  }
  if (!start(env, w, args, &promise)) {
    release(env, w);
    return answer(env, refuse(NO_MEMORY, 0));
  }
  key_hold(k);
  return promise;
}
