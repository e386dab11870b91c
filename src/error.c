/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Error codes in words. */
#include <rijn.h>

const char *rijn_strerror(int err) {
  switch (err) {
  case RIJN_OK:
    return "success";
  case RIJN_EAUTH:
    return "authentication failed: the tag does not match";
  case RIJN_ENULL:
    return "null pointer with a length that is not 0, or a null object";
  case RIJN_EKEYLEN:
    return "key length not supported by this mode";
  case RIJN_ENONCELEN:
    return "nonce length 0, or not the one this construction has";
  case RIJN_ETAGLEN:
    return "tag length not allowed";
  case RIJN_ELEN:
    return "text length beyond the limit of the mode, or not a multiple it needs";
  case RIJN_EAADLEN:
    return "associated data length not allowed";
  case RIJN_EOVERLAP:
    return "output and input overlap without being equal, or a key object and the bytes it is made from";
  case RIJN_EIMPL:
    return "implementation unknown, or not supported by this machine";
  case RIJN_EWEAKKEY:
    return "both halves of the XTS key are equal";
  case RIJN_ESTATE:
    return "call out of order, or on an object never made or already wiped";
  case RIJN_ESECTOR:
    return "sector size not a power of two from 512 to 65536, or the run of sectors is too long";
  case RIJN_EPADDING:
    return "padding not valid";
  case RIJN_ESELFTEST:
    return "self-test failed: the build or the machine is broken";
  case RIJN_ESTRUCT:
    return "descriptor of a size this library does not know";
  default:
    return "unknown error";
  }
}
