// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
'use strict';
const { Buffer } = require('node:buffer');
const { KeyObject } = require('node:crypto');
const { isArrayBuffer } = require('node:util').types;
const { RijnError, RijnTypeError, refused } = require('./errors.cjs');

function addon() {
  // WHY each in words: bundlers and packers look for them.
  if (process.platform === 'linux' && process.arch === 'x64') {
    return require('./linux-x64/rijn.node');
  }
  if (process.platform === 'linux' && process.arch === 'arm64') {
    return require('./linux-arm64/rijn.node');
  }
  throw new RijnError('ERR_RIJN_PLATFORM', `rijn: for Linux on x64 and arm64, not for ${process.platform} on ${process.arch}`);
}
const native = addon();
const GCM = 0, GCM_SIV = 1, XAES = 2, XTS = 3; // as in c/addon.h
const MESSAGE = ['key', 'nonce', 'data', 'aad', 'out'];
const ROWS = ['key', 'nonces', 'data', 'aad', 'out', 'forged'];
const SECTORS = ['key', 'data', 'out', 'first', 'sectorSize', 'step'];
const UNIT = ['key', 'data', 'out', 'tweak'];
const SECTOR_SIZES = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];
// Bytes from which another thread is worth what it costs to call one.
const LATER_FROM = 65536;

// ---------------------------------------------------------------- arguments

const TypedArray = Object.getPrototypeOf(Uint8Array.prototype);
const typeOf = Object.getOwnPropertyDescriptor(TypedArray, Symbol.toStringTag).get;

/** A Uint8Array over the same memory. */
function bytesOf(call, name, bytes) {
  return bytes instanceof Uint8Array && bytes.length > 0 ? bytes : othersOf(call, name, bytes);
}
/** The same for what is no Uint8Array, or is empty. WHY empty ones: what was detached, or lies beyond the end of what was
 * cut, has a length of 0, and would pass for an empty text. */
function othersOf(call, name, bytes) {
  if (!ArrayBuffer.isView(bytes) && !isArrayBuffer(bytes)) {
    throw refused(call, 16, [name]);
  }
  try {
    if (isArrayBuffer(bytes)) {
      return new Uint8Array(bytes);
    }
    if (typeOf.call(bytes) !== undefined) {
      TypedArray.at.call(bytes, 0);
    }
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } catch {
    throw refused(call, 8 * 16, [name]);
  }
}
/** Associated data, which may be left out. */
function optional(call, name, bytes) {
  return bytes === undefined || bytes === null ? undefined : bytesOf(call, name, bytes);
}
/** Memory for so many bytes: what the caller gives, or new. A text shorter than its tag is none that was sealed. */
function room(call, out, length) {
  if (out !== undefined) {
    return bytesOf(call, 'out', out);
  }
  if (length < 0) {
    throw refused(call, -1);
  }
  return Buffer.allocUnsafe(length);
}
/** A number of 64 bits as a BigInt. */
function big(call, name, value, least) {
  const whole = typeof value === 'bigint' || Number.isSafeInteger(value);
  if (!whole || value < least || value >= 2n ** 64n) {
    throw new RijnTypeError('ERR_RIJN_TYPE', `${call}: ${name} must be a whole number from ${least} to 2^64 - 1; beyond 2^53 a BigInt`);
  }
  return BigInt(value);
}
/** What a function makes of a raw key. Bytes that are taken out of a KeyObject are wiped. */
function withRaw(call, key, use) {
  if (!(key instanceof KeyObject)) {
    return use(bytesOf(call, 'key', key));
  }
  if (key.type !== 'secret') {
    throw new RijnTypeError('ERR_RIJN_TYPE', `${call}: key must be a secret one, not a ${key.type} one`);
  }
  const raw = key.export();
  try {
    return use(raw);
  } finally {
    raw.fill(0);
  }
}

// ---------------------------------------------------------------- keys

let externalOf;
class Key {
  #external;
  #destroyed = false;
  static {
    externalOf = (key) => key.#external;
  }
  constructor(kind, name, key, tagLength) {
    const made = withRaw(name, key, (raw) => native.key(kind, raw, tagLength));
    if (typeof made === 'number') {
      throw refused(name, made, ['kind', 'key'], `it has ${key.byteLength ?? key.symmetricKeySize} bytes`);
    }
    this.#external = made;
  }
  get destroyed() {
    return this.#destroyed;
  }
  destroy() {
    this.#destroyed = true;
    native.destroy(this.#external);
  }
}
if (Symbol.dispose) {
  const value = Key.prototype.destroy;
  Object.defineProperty(Key.prototype, Symbol.dispose, { value, configurable: true, writable: true });
}

class Aead extends Key {
  #tagLength;
  constructor(kind, name, key, tagLength = 16) {
    if (!(Number.isInteger(tagLength) && tagLength >= 0 && tagLength <= 16)) {
      throw refused(name, -5);
    }
    super(kind, name, key, tagLength);
    this.#tagLength = tagLength;
  }
  get tagLength() {
    return this.#tagLength;
  }
  seal(nonce, data, aad, out) {
    return message('seal', native.seal, this, this.#tagLength, nonce, data, aad, out);
  }
  open(nonce, data, aad, out) {
    return message('open', native.open, this, -this.#tagLength, nonce, data, aad, out);
  }
  async sealAsync(nonce, data, aad, out) {
    return later('sealAsync', this, this.#tagLength, nonce, data, aad, out);
  }
  async openAsync(nonce, data, aad, out) {
    return later('openAsync', this, -this.#tagLength, nonce, data, aad, out);
  }
}

// `grows`: by how many bytes the output is longer than the text; opening makes it shorter.
function message(call, work, key, grows, nonce, data, aad, out) {
  const text = bytesOf(call, 'data', data);
  const length = text.length + grows;
  const to = room(call, out, length);
  const error = work(externalOf(key), bytesOf(call, 'nonce', nonce), text, optional(call, 'aad', aad), to);
  if (error !== undefined) {
    throw refused(call, error, MESSAGE, `out needs ${length} bytes`);
  }
  return out ?? to;
}
async function later(call, key, grows, nonce, data, aad, out) {
  const text = bytesOf(call, 'data', data);
  const given = text.length;
  if (given < LATER_FROM) {
    return message(call, grows > 0 ? native.seal : native.open, key, grows, nonce, data, aad, out);
  }
  const to = room(call, out, given + grows);
  const [n, more] = [bytesOf(call, 'nonce', nonce), optional(call, 'aad', aad)];
  const error = await native.later(externalOf(key), n, text, more, to, grows > 0);
  if (error !== undefined) {
    throw refused(call, error, MESSAGE, `out needs ${given + grows} bytes`);
  }
  return out ?? to;
}

class Gcm extends Aead {
  constructor(key, { tagLength = 16 } = {}) {
    super(GCM, 'Gcm', key, tagLength);
  }
  sealRows(nonces, data, options) {
    return rows('sealRows', this, this.tagLength, nonces, data, options);
  }
  openRows(nonces, data, options) {
    return rows('openRows', this, -this.tagLength, nonces, data, options);
  }
}
function rows(call, key, grows, nonces, data, { aad, rowAad, out, forged } = {}) {
  const each = rowAad !== undefined && rowAad !== null;
  if (each && aad !== undefined && aad !== null) {
    throw new RijnTypeError('ERR_RIJN_TYPE', `${call}: aad or rowAad, not both`);
  }
  const [n, text] = [bytesOf(call, 'nonces', nonces), bytesOf(call, 'data', data)];
  const count = Math.floor(n.length / 12), length = text.length + count * grows;
  const to = room(call, out, length);
  const marks = grows > 0 ? undefined : forged === undefined ? new Uint8Array(count) : bytesOf(call, 'forged', forged);
  const more = optional(call, each ? 'rowAad' : 'aad', each ? rowAad : aad);
  const error = native.rows(externalOf(key), n, text, more, to, marks, each, grows > 0);
  if (error !== undefined && !(error === -1 && forged !== undefined)) {
    const hint = `${n.length / 12} nonces, ${text.length} bytes of data, ${to.length} of out, which needs ${length}`;
    const failure = refused(call, error, ROWS, hint);
    if (error === -1) {
      failure.rows = [...marks.keys()].filter((row) => marks[row] === 1);
    }
    throw failure;
  }
  return out ?? to;
}
class GcmSiv extends Aead {
  constructor(key) {
    super(GCM_SIV, 'GcmSiv', key);
  }
}
class Xaes256Gcm extends Aead {
  constructor(key) {
    super(XAES, 'Xaes256Gcm', key);
  }
}

// ---------------------------------------------------------------- AES-GCM with a raw key

function once(call, grows, raw, nonce, data, aad, out) {
  const text = bytesOf(call, 'data', data);
  const length = text.length + grows;
  const to = room(call, out, length);
  const [n, more] = [bytesOf(call, 'nonce', nonce), optional(call, 'aad', aad)];
  const error = withRaw(call, raw, (key) => native.once(key, n, text, more, to, grows > 0));
  if (error !== undefined) {
    throw refused(call, error, MESSAGE, `out needs ${length} bytes`);
  }
  return out ?? to;
}
function seal(key, nonce, data, aad, out) {
  return key instanceof Aead ? key.seal(nonce, data, aad, out) : once('seal', 16, key, nonce, data, aad, out);
}
function open(key, nonce, data, aad, out) {
  return key instanceof Aead ? key.open(nonce, data, aad, out) : once('open', -16, key, nonce, data, aad, out);
}

// ---------------------------------------------------------------- XTS

class Xts extends Key {
  constructor(key) {
    super(XTS, 'Xts', key, 0);
  }
  encryptSectors(data, first, options) {
    return sectors('encryptSectors', this, data, first, options, true);
  }
  decryptSectors(data, first, options) {
    return sectors('decryptSectors', this, data, first, options, false);
  }
  encrypt(data, tweak, out) {
    return unit('encrypt', this, data, tweak, out, true);
  }
  decrypt(data, tweak, out) {
    return unit('decrypt', this, data, tweak, out, false);
  }
}
function sectors(call, key, data, first, { sectorSize = 512, step = 1, out } = {}, encrypting) {
  const text = bytesOf(call, 'data', data);
  const to = room(call, out, text.length);
  const size = SECTOR_SIZES.includes(sectorSize) ? sectorSize : 0;
  const [from, by] = [big(call, 'first', first, 0), big(call, 'step', step, 1)]; // WHY 1: with 0 all have one tweak
  const error = native.sectors(externalOf(key), text, to, from, size, by, encrypting);
  if (error !== undefined) {
    throw refused(call, error, SECTORS, `${text.length} bytes of data, sectors of ${String(sectorSize)}`);
  }
  return out ?? to;
}
function unit(call, key, data, tweak, out, encrypting) {
  const text = bytesOf(call, 'data', data);
  const to = room(call, out, text.length);
  const error = native.unit(externalOf(key), text, to, bytesOf(call, 'tweak', tweak), encrypting);
  if (error !== undefined) {
    throw refused(call, error, UNIT, `${text.length} bytes of data; a tweak has 16`);
  }
  return out ?? to;
}

const { version } = native;
const implementation = () => native.implementation();
module.exports = { seal, open, Gcm, GcmSiv, Xaes256Gcm, Xts, RijnError, RijnTypeError, implementation, version };
