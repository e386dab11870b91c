/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#ifndef RIJN_NODE_ADDON_H
#define RIJN_NODE_ADDON_H
/* The addon: what JavaScript cannot do. lib/rijn.cjs has the classes over it, and makes errors of what is returned
 * here: undefined where all is well, else a number, which is an RIJN_E... or a refusal with the argument's place. */
#define NAPI_VERSION 8
#include <node_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "rijn.h"

/* Refusals: 16 times one of these, and the place of the argument. lib/errors.cjs has the same numbers. */
enum { NOT_BYTES = 1, SHARED, WRONG_LENGTH, OVERLAPS, DESTROYED, NO_MEMORY, NOT_A_KEY, DETACHED };
static inline int refuse(int why, int place) { return 16 * why + place; }

/* What an environment (a thread of JavaScript) has of its own. */
struct state {
  struct key *keys; /* all that are not wiped: count */
  size_t count, look_at;
  bool ended; /* the environment has; the last key frees the state */
};

/* ---------------------------------------------------------------- arguments (args.c) */

struct view {
  uint8_t *p;
  size_t len;
};
/* Bytes of a Uint8Array: 0, or a refusal. They stay while no JavaScript runs. */
int view_take(napi_env env, napi_value value, int place, struct view *to);
/* The same, where undefined is no bytes. */
int view_take_optional(napi_env env, napi_value value, int place, struct view *to);
/* Whether two stretches of memory have a byte in common. */
static inline bool meet(const struct view *a, const struct view *b) {
  uintptr_t x = (uintptr_t)a->p, y = (uintptr_t)b->p;
  return a->len > 0 && b->len > 0 && x < y + b->len && y < x + a->len;
}
/* The arguments of a call into to[0 .. n-1]; undefined for those left out. */
void arguments(napi_env env, napi_callback_info info, size_t n, napi_value *to);
bool truth(napi_env env, napi_value value);
/* What a function gives back. */
napi_value answer(napi_env env, int err);

/* ---------------------------------------------------------------- keys (key.c) */

enum { GCM, GCM_SIV, XAES, XTS, KINDS };
struct message {
  struct view nonce, data, aad, out;
};
struct kind {
  size_t size;      /* of the key object */
  size_t nonce_len; /* 0: any */
  int (*make)(void *key, const void *raw, size_t raw_len, size_t tag_len);
  void (*wipe)(void *key);
  int (*seal)(const void *key, const struct message *m);
  int (*open)(const void *key, const struct message *m);
};
extern const struct kind kinds[KINDS];

struct key {
  struct state *state;
  struct key *next, **at; /* in the state's list */
  napi_ref self;          /* weak: empty when JavaScript has no reference left */
  const struct kind *kind;
  void *object; /* NULL: wiped */
  size_t tag_len;
  unsigned pending; /* works on other threads, which a wipe waits for */
  bool destroyed;
};
/* 0 or a refusal: the key of an External that key_new made. */
int key_take(napi_env env, napi_value value, const struct kind *kind, struct key **to);
/* A work on another thread begins, or has ended. */
static inline void key_hold(struct key *k) { k->pending++; }
void key_let_go(napi_env env, struct key *k);

/* Of napi_set_instance_data. */
void keys_end(napi_env env, void *state, void *hint);
napi_value key_new(napi_env env, napi_callback_info info);
napi_value key_destroy(napi_env env, napi_callback_info info);

/* ---------------------------------------------------------------- functions (aead.c, later.c, rows.c, xts.c) */

/* Of arguments nonce, data, aad, out at args[0]. 0, or a refusal that names one by its place, from `place` on. */
int message_take(napi_env env, const napi_value *args, int place, struct message *m);
/* Whether out is as long as it has to be, and lies on nothing that it must not. */
int message_fits(const struct message *m, const struct kind *kind, size_t tag_len, bool sealing, int place);

napi_value aead_seal(napi_env env, napi_callback_info info);
napi_value aead_open(napi_env env, napi_callback_info info);
napi_value aead_once(napi_env env, napi_callback_info info);
napi_value aead_later(napi_env env, napi_callback_info info);
napi_value gcm_rows(napi_env env, napi_callback_info info);
napi_value xts_sectors(napi_env env, napi_callback_info info);
napi_value xts_unit(napi_env env, napi_callback_info info);

#endif
