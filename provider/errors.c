/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Errors: OpenSSL's own reasons, with a text of ours as the error's data.
 *
 * WHY no reasons of our own: libcrypto takes the strings of a provider that has some off its tables when the provider
 * is freed. An object that outlives libcrypto's cleanup (a static one of C++ that holds an SSL_CTX) frees it when these
 * tables are gone, and the program ends with a fault. And the data is still there when the module is not.
 */
#include <rijn.h>
#include <stdarg.h>
#include <stdio.h>

#include "prov.h"

static const struct {
  uint32_t reason; /* of OpenSSL's providers */
  const char *text;
} errors[RIJN_R_COUNT] = {
    [RIJN_R_SELFTEST] = {PROV_R_SELF_TEST_KAT_FAILURE, "self-test failed, the provider refuses to work"},
    [RIJN_R_IMPL] = {PROV_R_NOT_SUPPORTED,
                     "RIJN_IMPL names an implementation that is unknown or not supported by this machine"},
    [RIJN_R_CONFIG] = {PROV_R_INVALID_CONFIG_DATA, "mistake in the provider's section of the configuration"},
    [RIJN_R_KEY_LENGTH] = {PROV_R_INVALID_KEY_LENGTH, "key length is not the cipher's"},
    [RIJN_R_IV_LENGTH] = {PROV_R_INVALID_IV_LENGTH, "invalid IV length"},
    [RIJN_R_TAG] = {PROV_R_INVALID_TAG, "invalid tag: set on decryption only, got after encryption only"},
    [RIJN_R_TAG_NOT_SET] = {PROV_R_TAG_NOT_SET, "the tag to check is not set"},
    [RIJN_R_NO_KEY] = {PROV_R_NO_KEY_SET, "no key is set"},
    [RIJN_R_NO_IV] = {PROV_R_INVALID_STATE, "no IV is set (this provider makes none up)"},
    [RIJN_R_IV_REUSE] = {PROV_R_INVALID_STATE, "the message is over: a new one needs a new IV"},
    [RIJN_R_ORDER] = {PROV_R_INVALID_STATE, "associated data after text, or a call after the end"},
    [RIJN_R_RECORDS] = {PROV_R_TOO_MANY_RECORDS, "one key takes no more than 2^64 - 1 records"},
    [RIJN_R_OUTPUT_TOO_SMALL] = {PROV_R_OUTPUT_BUFFER_TOO_SMALL, "output buffer too small"},
    [RIJN_R_OVERLAP] = {PROV_R_INVALID_DATA, "output and input overlap without being equal"},
    [RIJN_R_LENGTH] = {PROV_R_INVALID_INPUT_LENGTH, "length beyond the mode's limit, or not a multiple it needs"},
    [RIJN_R_TLS_RECORD] = {PROV_R_INVALID_DATA,
                           "not a TLS record that can be processed (in place, with room for nonce and tag)"},
    [RIJN_R_GET_PARAM] = {PROV_R_FAILED_TO_GET_PARAMETER, "parameter of a wrong type, size or value"},
    [RIJN_R_SET_PARAM] = {PROV_R_FAILED_TO_SET_PARAMETER, "parameter of a wrong type, or too little room for it"},
    [RIJN_R_DATA] = {PROV_R_INVALID_DATA, "no data where there must be some"},
    [RIJN_R_RANDOM] = {PROV_R_ERROR_RETRIEVING_ENTROPY, "the operating system gives no random bytes"},
    [RIJN_R_MEMORY] = {ERR_R_MALLOC_FAILURE, "out of memory"},
    [RIJN_R_SHARED_TAG] = {PROV_R_INVALID_TAG, "a short tag must be set before the text when the context was copied"},
    [RIJN_R_LATE_TAG] = {PROV_R_INVALID_TAG, "a tag of this length must be set before the text"},
    [RIJN_R_CIPHER] = {PROV_R_CIPHER_OPERATION_FAILED, "the cipher refuses"},
    /* Programs look for these, to tell a wrong password, or a text that was cut, from a fault. */
    [RIJN_R_PADDING] = {PROV_R_BAD_DECRYPT, "wrong padding"},
    [RIJN_R_LAST_BLOCK] = {PROV_R_WRONG_FINAL_BLOCK_LENGTH, "the text is not whole blocks"},
    [RIJN_R_TAG_LENGTH] = {PROV_R_INVALID_TAG_LENGTH, "invalid tag length"},
    [RIJN_R_TAG_NOT_NEEDED] = {PROV_R_TAG_NOT_NEEDED, "encryption makes the tag, and is given none"},
    [RIJN_R_WEAK_KEY] = {PROV_R_XTS_DUPLICATED_KEYS, "the halves of the key are equal"},
};

static void put(const struct rijn_prov *prov, uint32_t reason, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  prov->vset_error(prov->core, ERR_PACK(ERR_LIB_PROV, 0, reason), fmt, args);
  va_end(args);
}

int rijn_raise(const struct rijn_prov *prov, const char *file, int line, const char *func, enum rijn_reason reason,
               const char *fmt, ...) {
  if (prov->new_error == NULL || prov->set_error_debug == NULL || prov->vset_error == NULL)
    return 0;
  prov->new_error(prov->core);
  prov->set_error_debug(prov->core, file, line, func);
  if (fmt == NULL) {
    put(prov, errors[reason].reason, "rijn: %s", errors[reason].text);
    return 0;
  }
  char detail[256];
  va_list args;
  va_start(args, fmt);
  vsnprintf(detail, sizeof detail, fmt, args);
  va_end(args);
  put(prov, errors[reason].reason, "rijn: %s: %s", errors[reason].text, detail);
  return 0;
}

int rijn_raise_err(const struct rijn_prov *prov, const char *file, int line, const char *func, int err) {
  static const struct {
    int err;
    enum rijn_reason reason;
  } of[] = {{RIJN_EKEYLEN, RIJN_R_KEY_LENGTH}, {RIJN_ENONCELEN, RIJN_R_IV_LENGTH}, {RIJN_ETAGLEN, RIJN_R_TAG},
            {RIJN_EOVERLAP, RIJN_R_OVERLAP},   {RIJN_EWEAKKEY, RIJN_R_WEAK_KEY},   {RIJN_EIMPL, RIJN_R_IMPL},
            {RIJN_ELEN, RIJN_R_LENGTH},        {RIJN_EAADLEN, RIJN_R_LENGTH},      {RIJN_ENULL, RIJN_R_DATA},
            {RIJN_ESELFTEST, RIJN_R_SELFTEST}};
  enum rijn_reason reason = RIJN_R_CIPHER;
  for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
    if (of[i].err == err)
      reason = of[i].reason;
  return rijn_raise(prov, file, line, func, reason, "%s", rijn_strerror(err));
}
