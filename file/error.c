/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "message.h"

const char *rijn_file_strerror(int code) {
  static const struct {
    int code;
    const char *text;
  } texts[] = {
      {RIJN_FILE_EREAD, "cannot read"},
      {RIJN_FILE_EWRITE, "cannot write"},
      {RIJN_FILE_EHEADER, "the input ends within its header"},
      {RIJN_FILE_EKEY, "wrong key, wrong context, or the header is altered"},
      {RIJN_FILE_EALTERED, "does not verify: altered, out of order, or the input was extended behind its last chunk"},
      {RIJN_FILE_ELAST, "the last one, does not verify: altered, out of order, cut short or extended"},
      {RIJN_FILE_EMISSING, "is missing: the input was cut short (a last chunk is always shorter than the others)"},
      {RIJN_FILE_ETAG, "is shorter than its tag of 16 bytes: the input was cut short or extended"},
      {RIJN_FILE_ELONG, "longer than the format's limit"},
      {RIJN_FILE_ESHRUNK, "became shorter while it was read"},
      {RIJN_FILE_EMEMORY, "out of memory"},
      {RIJN_FILE_ECRYPTO, "libsodium or libargon2 failed"},
      {RIJN_FILE_ERANDOM, "the system gives no random bytes"},
      {RIJN_FILE_EARGUMENT, "an argument makes no sense"},
      {RIJN_FILE_ERANGE, "beyond the end of the text"},
      {RIJN_FILE_ECANCEL, "stopped"},
      {RIJN_FILE_EKEYTEXT, "is no key: its checksum does not match, so it is mistyped or cut"},
      {RIJN_FILE_EFORM, "the header of keys contradicts itself: it is damaged"},
      {RIJN_FILE_EVERSION, "the header of keys is of a later version than this program knows"},
      {RIJN_FILE_ECOST, "the header asks for more memory or time than is allowed"},
      {RIJN_FILE_ENOSLOT, "was not encrypted for what was given"},
      {RIJN_FILE_EUNLOCK, "wrong passphrase or secret key, or the header of keys is altered"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (texts[i].code == code)
      return texts[i].text;
  return rijn_strerror(code);
}
