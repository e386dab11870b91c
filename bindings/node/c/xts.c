/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* XTS: runs of sectors, and one data unit. */
#include <string.h>

#include "addon.h"

enum { KEY, DATA, OUT, TWEAK, FIRST = TWEAK, SIZE, STEP };

static int texts_take(napi_env env, const napi_value *args, struct key **k, struct view *in, struct view *out) {
  int err = key_take(env, args[KEY], &kinds[XTS], k);
  err = err != 0 ? err : view_take(env, args[DATA], DATA, in);
  err = err != 0 ? err : view_take(env, args[OUT], OUT, out);
  return err != 0 || out->len == in->len ? err : refuse(WRONG_LENGTH, OUT);
}

/* A number of 64 bits. */
static int number_take(napi_env env, napi_value value, int place, uint64_t *to) {
  bool whole = false;
  return napi_get_value_bigint_uint64(env, value, to, &whole) == napi_ok && whole ? 0 : refuse(WRONG_LENGTH, place);
}

/* xts_sectors(key, data, out, first, size, step, encrypting); first and step are BigInts. */
napi_value xts_sectors(napi_env env, napi_callback_info info) {
  napi_value args[7];
  struct key *k;
  struct view in, out;
  uint64_t first, step;
  uint32_t size = 0;
  arguments(env, info, 7, args);
  int err = texts_take(env, args, &k, &in, &out);
  err = err != 0 ? err : number_take(env, args[FIRST], FIRST, &first);
  err = err != 0 ? err : number_take(env, args[STEP], STEP, &step);
  napi_get_value_uint32(env, args[SIZE], &size);
  if (err == 0 && size == 0) {
    err = RIJN_ESECTOR;
  }
  if (err == 0 && in.len % size != 0) {
    err = refuse(WRONG_LENGTH, DATA);
  }
  if (err == 0) {
    err = truth(env, args[6]) ? rijn_xts_encrypt_sectors(k->object, out.p, in.p, size, in.len / size, first, step)
                              : rijn_xts_decrypt_sectors(k->object, out.p, in.p, size, in.len / size, first, step);
  }
  return answer(env, err);
}

/* xts_unit(key, data, out, tweak, encrypting). */
napi_value xts_unit(napi_env env, napi_callback_info info) {
  napi_value args[5];
  struct key *k;
  struct view in, out, tweak;
  uint8_t copy[16];
  arguments(env, info, 5, args);
  int err = texts_take(env, args, &k, &in, &out);
  err = err != 0 ? err : view_take(env, args[TWEAK], TWEAK, &tweak);
  if (err == 0 && tweak.len != sizeof copy) {
    err = refuse(WRONG_LENGTH, TWEAK);
  }
  if (err == 0) {
    memcpy(copy, tweak.p, sizeof copy); /* WHY: it may lie in out */
    err = truth(env, args[4]) ? rijn_xts_encrypt(k->object, out.p, in.p, in.len, copy)
                              : rijn_xts_decrypt(k->object, out.p, in.p, in.len, copy);
  }
  return answer(env, err);
}
