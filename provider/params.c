/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "params.h"

bool rijn_param_get_u64(const OSSL_PARAM *p, uint64_t *v) {
  if (p->data == NULL)
    return false;
  if (p->data_type == OSSL_PARAM_UNSIGNED_INTEGER) {
    if (p->data_size == sizeof(uint64_t)) {
      memcpy(v, p->data, sizeof *v);
      return true;
    }
    if (p->data_size == sizeof(uint32_t)) {
      uint32_t w;
      memcpy(&w, p->data, sizeof w);
      *v = w;
      return true;
    }
    return false;
  }
  if (p->data_type != OSSL_PARAM_INTEGER)
    return false;
  int64_t i;
  if (p->data_size == sizeof(int64_t)) {
    memcpy(&i, p->data, sizeof i);
  } else if (p->data_size == sizeof(int32_t)) {
    int32_t w;
    memcpy(&w, p->data, sizeof w);
    i = w;
  } else {
    return false;
  }
  if (i < 0)
    return false;
  *v = (uint64_t)i;
  return true;
}

bool rijn_param_get_size(const OSSL_PARAM *p, size_t *v) {
  uint64_t w;
  if (!rijn_param_get_u64(p, &w) || w > SIZE_MAX)
    return false;
  *v = (size_t)w;
  return true;
}

bool rijn_param_get_uint(const OSSL_PARAM *p, unsigned *v) {
  uint64_t w;
  if (!rijn_param_get_u64(p, &w) || w > UINT32_MAX)
    return false;
  *v = (unsigned)w;
  return true;
}

bool rijn_param_set_u64(OSSL_PARAM *p, uint64_t v) {
  if (p->data_type != OSSL_PARAM_UNSIGNED_INTEGER && p->data_type != OSSL_PARAM_INTEGER)
    return false;
  uint64_t max64 = p->data_type == OSSL_PARAM_INTEGER ? (uint64_t)INT64_MAX : UINT64_MAX;
  uint64_t max32 = p->data_type == OSSL_PARAM_INTEGER ? (uint64_t)INT32_MAX : (uint64_t)UINT32_MAX;
  p->return_size = sizeof v;
  if (p->data == NULL)
    return true;
  if (p->data_size == sizeof(uint64_t) && v <= max64) {
    memcpy(p->data, &v, sizeof v);
    return true;
  }
  if (p->data_size == sizeof(uint32_t) && v <= max32) {
    uint32_t w = (uint32_t)v;
    p->return_size = sizeof w;
    memcpy(p->data, &w, sizeof w);
    return true;
  }
  return false;
}

bool rijn_param_set_octets(OSSL_PARAM *p, const void *v, size_t len) {
  if (p->data_type != OSSL_PARAM_OCTET_STRING)
    return false;
  p->return_size = len;
  if (p->data == NULL)
    return true;
  if (p->data_size < len)
    return false;
  memcpy(p->data, v, len);
  return true;
}

bool rijn_param_set_octets_or_ptr(OSSL_PARAM *p, const void *v, size_t len) {
  if (p->data_type != OSSL_PARAM_OCTET_PTR)
    return rijn_param_set_octets(p, v, len);
  p->return_size = len;
  if (p->data != NULL)
    memcpy(p->data, &v, sizeof v);
  return true;
}

bool rijn_param_set_text(OSSL_PARAM *p, const char *text) {
  size_t len = strlen(text);
  p->return_size = len;
  if (p->data_type == OSSL_PARAM_UTF8_PTR) {
    if (p->data != NULL)
      memcpy(p->data, &text, sizeof text);
    return true;
  }
  if (p->data_type != OSSL_PARAM_UTF8_STRING)
    return false;
  if (p->data == NULL)
    return true;
  if (p->data_size <= len)
    return false;
  memcpy(p->data, text, len + 1);
  return true;
}

size_t rijn_tls_aad(uint8_t to[RIJN_TLS_AAD], const uint8_t aad[RIJN_TLS_AAD], size_t around) {
  size_t record = (size_t)aad[RIJN_TLS_AAD - 2] << 8 | aad[RIJN_TLS_AAD - 1];
  if (record >= around) {
    memcpy(to, aad, RIJN_TLS_AAD);
    to[RIJN_TLS_AAD - 2] = (uint8_t)((record - around) >> 8);
    to[RIJN_TLS_AAD - 1] = (uint8_t)(record - around);
  }
  return record;
}
