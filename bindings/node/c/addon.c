/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What is exported, once for each environment: the main thread, and each worker. */
#include "addon.h"

#include <stdlib.h>

static napi_value implementation(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value name = NULL;
  int i = rijn_impl_chosen();
  if (i >= 0) {
    napi_create_string_utf8(env, rijn_impl_name(i), NAPI_AUTO_LENGTH, &name);
  }
  return name;
}

NAPI_MODULE_INIT() {
  static const struct {
    const char *name;
    napi_callback function;
  } functions[] = {{"key", key_new},    {"destroy", key_destroy},
                   {"seal", aead_seal}, {"open", aead_open},
                   {"once", aead_once}, {"later", aead_later},
                   {"rows", gcm_rows},  {"sectors", xts_sectors},
                   {"unit", xts_unit},  {"implementation", implementation}};
  struct state *state = calloc(1, sizeof *state);
  if (state == NULL || napi_set_instance_data(env, state, keys_end, NULL) != napi_ok) {
    free(state);
    napi_throw_error(env, "ERR_RIJN_MEMORY", "rijn: no memory");
    return NULL;
  }
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    napi_value function;
    if (napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].function, NULL, &function) !=
            napi_ok ||
        napi_set_named_property(env, exports, functions[i].name, function) != napi_ok) {
      return NULL;
    }
  }
  napi_value version;
  napi_create_string_utf8(env, rijn_version(), NAPI_AUTO_LENGTH, &version);
  napi_set_named_property(env, exports, "version", version);
  return exports;
}
