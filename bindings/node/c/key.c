/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Keys: an External of JavaScript, over memory that is wiped when the last reference is gone, or by destroy. */
#include <stdlib.h>

#include "addon.h"

/* Keys that may wait for the collector's callback. WHY not for the callback alone: Node calls it when the event loop
 * turns, so a loop that makes a million keys would have them all. */
enum { LOOK_FROM = 4096 };

/* The memory is wiped and given back. What is left of the struct belongs to the finalizer. */
static void forget(napi_env env, struct key *k) {
  if (k->object == NULL) {
    return;
  }
  k->kind->wipe(k->object);
  free(k->object);
  k->object = NULL;
  *k->at = k->next;
  if (k->next != NULL) {
    k->next->at = k->at;
  }
  int64_t all;
  napi_adjust_external_memory(env, -(int64_t)k->kind->size, &all);
  k->state->count--;
  if (k->state->ended && k->state->count == 0) {
    free(k->state);
  }
}

void keys_end(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  struct state *state = data;
  state->ended = true;
  if (state->count == 0) {
    free(state);
  }
}

static void finalize(napi_env env, void *data, void *hint) {
  (void)hint;
  struct key *k = data;
  forget(env, k);
  napi_delete_reference(env, k->self);
  free(k);
}

/* Wipes the keys that JavaScript has dropped. */
static void look(napi_env env, struct state *state) {
  for (struct key *k = state->keys, *next; k != NULL; k = next) {
    napi_handle_scope scope;
    napi_value alive = NULL;
    next = k->next;
    napi_open_handle_scope(env, &scope);
    if (napi_get_reference_value(env, k->self, &alive) == napi_ok && alive == NULL) {
      forget(env, k);
    }
    napi_close_handle_scope(env, scope);
  }
  state->look_at = state->count < LOOK_FROM / 2 ? LOOK_FROM : 2 * state->count;
}

static void enlist(struct state *state, struct key *k) {
  k->state = state;
  k->next = state->keys;
  k->at = &state->keys;
  if (k->next != NULL) {
    k->next->at = &k->next;
  }
  state->keys = k;
  state->count++;
}

/* An External over memory for a key of that kind, or NULL. */
static napi_value make(napi_env env, struct state *state, const struct kind *kind, struct key **to) {
  struct key *k = calloc(1, sizeof *k);
  void *object = calloc(1, kind->size);
  napi_value external = NULL;
  if (k == NULL || object == NULL || napi_create_external(env, k, NULL, NULL, &external) != napi_ok ||
      napi_add_finalizer(env, external, k, finalize, NULL, &k->self) != napi_ok) {
    free(object);
    free(k);
    return NULL;
  }
  int64_t all;
  k->kind = kind;
  k->object = object;
  enlist(state, k);
  napi_adjust_external_memory(env, (int64_t)kind->size, &all);
  *to = k;
  return external;
}

/* key_new(kind, raw, tagLength): an External, or a number. */
napi_value key_new(napi_env env, napi_callback_info info) {
  napi_value args[3];
  struct state *state = NULL;
  struct view raw;
  struct key *k;
  uint32_t kind = KINDS, tag_len = 0;
  arguments(env, info, 3, args);
  napi_get_value_uint32(env, args[0], &kind);
  napi_get_value_uint32(env, args[2], &tag_len);
  napi_get_instance_data(env, (void **)&state);
  int err = kind < KINDS && state != NULL ? view_take(env, args[1], 1, &raw) : refuse(NOT_A_KEY, 0);
  if (err != 0) {
    return answer(env, err);
  }
  if (state->count >= state->look_at) {
    look(env, state);
  }
  napi_value external = make(env, state, &kinds[kind], &k);
  if (external == NULL) {
    return answer(env, refuse(NO_MEMORY, 0));
  }
  k->tag_len = kind == GCM ? tag_len : RIJN_GCM_TAG_MAX; /* the others write 16 bytes whatever is asked for */
  err = kinds[kind].make(k->object, raw.p, raw.len, tag_len);
  if (err != 0) {
    forget(env, k);
    return answer(env, err);
  }
  return external;
}

int key_take(napi_env env, napi_value value, const struct kind *kind, struct key **to) {
  void *data = NULL;
  if (napi_get_value_external(env, value, &data) != napi_ok || data == NULL) {
    return refuse(NOT_A_KEY, 0);
  }
  struct key *k = data;
  if (kind != NULL && k->kind != kind) {
    return refuse(NOT_A_KEY, 0);
  }
  if (k->destroyed || k->object == NULL) {
    return refuse(DESTROYED, 0);
  }
  *to = k;
  return 0;
}

void key_let_go(napi_env env, struct key *k) {
  k->pending--;
  if (k->destroyed && k->pending == 0) {
    forget(env, k);
  }
}

/* key_destroy(key): at once, or when the last work with it has ended. */
napi_value key_destroy(napi_env env, napi_callback_info info) {
  napi_value args[1];
  struct key *k;
  arguments(env, info, 1, args);
  if (key_take(env, args[0], NULL, &k) == 0) {
    key_hold(k);
    k->destroyed = true;
    key_let_go(env, k);
  }
  return NULL;
}
