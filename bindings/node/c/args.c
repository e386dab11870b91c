/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "addon.h"

void arguments(napi_env env, napi_callback_info info, size_t n, napi_value *to) {
  napi_get_cb_info(env, info, &n, to, NULL, NULL); /* it fills those left out */
}

bool truth(napi_env env, napi_value value) {
  bool is = false;
  napi_get_value_bool(env, value, &is);
  return is;
}

napi_value answer(napi_env env, int err) {
  napi_value number = NULL;
  if (err != 0) {
    napi_create_int32(env, err, &number);
  }
  return number;
}

int view_take(napi_env env, napi_value value, int place, struct view *to) {
  napi_value buffer;
  void *p = NULL;
  bool own = false;
  /* WHY the buffer is asked for: a small array has its bytes where the collector moves them, until it was. WHY not the
   * type: lib/rijn.cjs hands on Uint8Arrays alone, and items of others are no shorter. */
  if (napi_get_typedarray_info(env, value, NULL, &to->len, &p, &buffer, NULL) != napi_ok) {
    return refuse(NOT_BYTES, place);
  }
  /* WHY refused: another thread could change a ciphertext between the check of its tag and its decryption. */
  if (napi_is_arraybuffer(env, buffer, &own) != napi_ok || !own) {
    return refuse(SHARED, place);
  }
  to->p = p;
  return 0;
}

int view_take_optional(napi_env env, napi_value value, int place, struct view *to) {
  napi_valuetype type;
  int err = view_take(env, value, place, to);
  if (err != 0 && napi_typeof(env, value, &type) == napi_ok && type == napi_undefined) {
    to->p = NULL;
    to->len = 0;
    err = 0;
  }
  return err;
}
