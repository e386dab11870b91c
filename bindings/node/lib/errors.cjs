// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
'use strict';
// What a call refuses, as an error with a code. Numbers of the addon: c/addon.h, and RIJN_E... of rijn.h.

class RijnError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}
RijnError.prototype.name = 'RijnError';

class RijnTypeError extends TypeError {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}
RijnTypeError.prototype.name = 'RijnTypeError';

const CORE = {
  1: ['ERR_RIJN_AUTH', 'the message is not authentic'],
  3: ['ERR_RIJN_KEY_LENGTH', 'the key has a length that this mode does not take'],
  4: ['ERR_RIJN_NONCE_LENGTH', 'the nonce has a length that this mode does not take'],
  5: ['ERR_RIJN_TAG_LENGTH', 'tagLength must be 12 to 16, 4 or 8'],
  6: ['ERR_RIJN_LENGTH', 'the data has a length that this mode does not take'],
  7: ['ERR_RIJN_LENGTH', 'the associated data is longer than this mode takes'],
  8: ['ERR_RIJN_OVERLAP', 'out overlaps data, and does not begin where data begins'],
  9: ['ERR_RIJN_IMPL', 'RIJN_IMPL in the environment names no implementation that runs here'],
  10: ['ERR_RIJN_WEAK_KEY', 'both halves of the key are equal'],
  12: ['ERR_RIJN_SECTOR', 'sectors have 512 to 65536 bytes, a power of two, and numbers below 2^64'],
};
const OWN = [
  null,
  ['ERR_RIJN_TYPE', 'must be a Buffer, TypedArray, DataView or ArrayBuffer'],
  ['ERR_RIJN_SHARED', 'must not be in a SharedArrayBuffer: copy it first'],
  ['ERR_RIJN_LENGTH', 'has a length that does not fit'],
  ['ERR_RIJN_OVERLAP', 'overlaps what the call reads'],
  ['ERR_RIJN_DESTROYED', 'was destroyed'],
  ['ERR_RIJN_MEMORY', 'needs more memory than there is'],
  ['ERR_RIJN_TYPE', 'is no key of this kind'],
  ['ERR_RIJN_DETACHED', 'was detached: its memory is elsewhere'],
];
// Errors that a hint is about.
const HINTED = ['ERR_RIJN_LENGTH', 'ERR_RIJN_KEY_LENGTH', 'ERR_RIJN_SECTOR'];

/** The error of what the addon has given back; names: of the arguments, by their places; hint: what would have fitted. */
function refused(call, number, names, hint) {
  const [code, text] = number > 0 ? OWN[number >> 4] : (CORE[-number] ?? ['ERR_RIJN_INTERNAL', `error ${number} of the library`]);
  const what = number > 0 ? `${names[number & 15]} ${text}` : text;
  const message = `${call}: ${what}${hint && HINTED.includes(code) ? ` (${hint})` : ''}`;
  return code === 'ERR_RIJN_TYPE' ? new RijnTypeError(code, message) : new RijnError(code, message);
}

module.exports = { RijnError, RijnTypeError, refused };
