// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
// What is taken, what is refused and with which words, and that a refusal writes nothing.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import vm from 'node:vm';
import * as rijn from '@rijn/rijn';
import { bytes, reference, rejects, run, same, throws } from './lib.mjs';

const { Gcm, GcmSiv, Xaes256Gcm, Xts, open, seal } = rijn;
const raw = bytes(32), nonce = bytes(12), data = bytes(100), aad = bytes(20);
const gcm = new Gcm(raw);
const sealed = reference(raw, nonce, data, aad);
const LONG = 1 << 17;

const detach = (view) => structuredClone(view.buffer, { transfer: [view.buffer] });
const views = (from) => {
  const copy = () => new Uint8Array(from).buffer;
  return [copy(), Buffer.from(from), new Uint8Array(from), new DataView(copy()), new Int8Array(copy()), new Uint8ClampedArray(copy()),
    new Uint16Array(copy()), new Int32Array(copy()), new Float32Array(copy())];
};

/** Any value that JavaScript has. */
function anything(random) {
  const kinds = [undefined, null, 0, -1, 1.5, NaN, 2 ** 40, 5n, '', 'text', true, Symbol('s'), {}, [], [1, 2], () => 1, new Map(),
    { byteLength: 5 }, { byteLength: -1 }, { length: 2 ** 33 }, new Proxy(new Uint8Array(16), {}), Object.create(Uint8Array.prototype),
    Object.setPrototypeOf(new Float64Array(4), Uint8Array.prototype), new SharedArrayBuffer(16), new Uint8Array(new SharedArrayBuffer(16)),
    new DataView(new ArrayBuffer(12)), new Float64Array(3), Buffer.alloc(0), Buffer.alloc(12), Buffer.alloc(16), Buffer.alloc(32, 7),
    Buffer.alloc(24), Buffer.alloc(64, 9), new BigInt64Array(2), new ArrayBuffer(32), gcm, new Error('x'), new Date(),
    { get byteLength() { throw new Error('from a getter'); } }, new (class extends Uint8Array { get byteLength() { return 1e6; } })(12)];
  return kinds[random(kinds.length)];
}
function generator(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

await run({
  'each view of bytes is taken, and any may be out': () => {
    for (const [k, n, d, a] of views(raw).map((v, i) => [v, views(nonce)[i], views(data)[i], views(aad)[i]])) {
      same(seal(k, n, d, a), sealed);
      same(new Gcm(k).seal(n, d, a), sealed);
    }
    for (const out of views(new Uint8Array(116))) {
      assert.equal(gcm.seal(nonce, data, aad, out), out);
      same(out instanceof ArrayBuffer ? new Uint8Array(out) : new Uint8Array(out.buffer, out.byteOffset, out.byteLength), sealed);
    }
    const foreign = vm.runInNewContext('[new Uint8Array(100), new DataView(new ArrayBuffer(100)), new ArrayBuffer(100)]');
    for (const view of foreign) {
      same(gcm.seal(nonce, view, aad), reference(raw, nonce, Buffer.alloc(100), aad));
    }
    same(seal(crypto.createSecretKey(raw), nonce, data, aad), sealed);
    same(new Gcm(crypto.createSecretKey(raw)).seal(nonce, data, aad), sealed);
    same(seal(gcm, nonce, data, aad), sealed);
    same(gcm.seal(nonce, data, null), reference(raw, nonce, data));
  },
  'small arrays on the heap of JavaScript': () => {
    for (let i = 0; i < 20000; i++) {
      const [n, d] = [new Uint8Array(12).fill(i), new Uint8Array(i % 60).fill(i)];
      const out = gcm.seal(n, d, new Uint8Array(3));
      if (i % 100 === 0) {
        same(out, reference(raw, n, d, new Uint8Array(3)));
      }
    }
  },
  'in place': () => {
    const buffer = Buffer.concat([data, Buffer.alloc(16)]);
    gcm.seal(nonce, buffer.subarray(0, 100), aad, buffer);
    same(buffer, sealed);
    gcm.open(nonce, buffer, aad, buffer.subarray(0, 100));
    same(buffer.subarray(0, 100), data);
  },
  'a forged message: an error, and zeros': () => {
    for (let at = 0; at < sealed.length; at += 5) {
      const forged = Buffer.from(sealed), out = Buffer.alloc(100, 1);
      forged[at] ^= 1;
      throws('ERR_RIJN_AUTH', 'not authentic', () => gcm.open(nonce, forged, aad, out));
      same(out, Buffer.alloc(100));
    }
    throws('ERR_RIJN_AUTH', 'open', () => open(raw, nonce, sealed, nonce));
    throws('ERR_RIJN_AUTH', 'open', () => open(raw, nonce, sealed.subarray(0, 15)));
    throws('ERR_RIJN_AUTH', 'open', () => gcm.open(nonce, sealed.subarray(0, 15), aad, bytes(1)));
  },
  'a tag is as long as its key says: no shorter one is taken, and nothing is written behind it': () => {
    for (const tagLength of [4, 8, 12, 13, 14, 15, 16]) {
      const mine = new Gcm(raw, { tagLength }), want = reference(raw, nonce, data, aad, tagLength);
      const memory = Buffer.alloc(100 + tagLength + 16, 0xa5);
      mine.seal(nonce, data, aad, memory.subarray(0, 100 + tagLength));
      same(memory.subarray(0, 100 + tagLength), want);
      same(memory.subarray(100 + tagLength), Buffer.alloc(16, 0xa5));
      for (let less = 1; less <= tagLength; less++) {
        throws('ERR_RIJN_AUTH', 'open', () => mine.open(nonce, want.subarray(0, want.length - less), aad));
      }
    }
    for (const tagLength of [0, 1, 3, 5, 7, 9, 10, 11, 17, -1, 12.5, NaN, '16', 2 ** 32 + 16, null]) {
      throws('ERR_RIJN_TAG_LENGTH', '12 to 16, 4 or 8', () => new Gcm(raw, { tagLength }));
    }
  },
  'a tag has 16 bytes in other modes, whatever their base class is told': () => {
    for (const [kind, of, n] of [[1, GcmSiv, nonce], [2, Xaes256Gcm, bytes(24)]]) {
      const mine = new (Object.getPrototypeOf(of))(kind, 'mine', raw, 4), memory = Buffer.alloc(200, 0xa5);
      throws('ERR_RIJN_LENGTH', 'out', () => mine.seal(n, data, aad, memory.subarray(0, 104)));
      throws('ERR_RIJN_LENGTH', 'out', () => mine.open(n, new of(raw).seal(n, data, aad), aad));
      same(memory, Buffer.alloc(200, 0xa5));
    }
  },
  'what is refused, and by which name': () => {
    throws('ERR_RIJN_TYPE', 'data must be a Buffer', () => gcm.seal(nonce, 'text'));
    throws('ERR_RIJN_TYPE', 'nonce must be', () => gcm.seal('123456789012', data));
    throws('ERR_RIJN_TYPE', 'aad must be', () => gcm.seal(nonce, data, 'aad'));
    throws('ERR_RIJN_TYPE', 'out must be', () => gcm.seal(nonce, data, aad, 'out'));
    throws('ERR_RIJN_TYPE', 'key must be', () => seal('key', nonce, data));
    throws('ERR_RIJN_TYPE', 'key must be a secret', () => seal(crypto.generateKeyPairSync('ed25519').publicKey, nonce, data));
    throws('ERR_RIJN_KEY_LENGTH', 'it has 17 bytes', () => new Gcm(bytes(17)));
    throws('ERR_RIJN_KEY_LENGTH', 'seal', () => seal(bytes(15), nonce, data));
    throws('ERR_RIJN_KEY_LENGTH', 'Xaes256Gcm', () => new Xaes256Gcm(bytes(16)));
    throws('ERR_RIJN_NONCE_LENGTH', 'seal', () => gcm.seal(Buffer.alloc(0), data));
    throws('ERR_RIJN_NONCE_LENGTH', 'seal', () => new GcmSiv(raw).seal(bytes(13), data));
    throws('ERR_RIJN_NONCE_LENGTH', 'seal', () => new Xaes256Gcm(raw).seal(nonce, data));
    throws('ERR_RIJN_LENGTH', 'out needs 116 bytes', () => gcm.seal(nonce, data, aad, bytes(115)));
    throws('ERR_RIJN_LENGTH', 'out needs 84 bytes', () => gcm.open(nonce, data, aad, bytes(100)));
    throws('ERR_RIJN_WEAK_KEY', 'Xts', () => new Xts(Buffer.alloc(32)));
    assert.throws(() => Gcm.prototype.seal.call({}, nonce, data), TypeError);
    assert.throws(() => Xts.prototype.encrypt.call(gcm, data, bytes(16)), { code: 'ERR_RIJN_TYPE' });
    assert.throws(() => Gcm.prototype.sealRows.call(new GcmSiv(raw), nonce, data), { code: 'ERR_RIJN_TYPE' });
    assert.throws(() => Gcm(raw), TypeError);
    assert.ok(new rijn.RijnError('c', 'm') instanceof Error && new rijn.RijnTypeError('c', 'm') instanceof TypeError);
  },
  'memory that overlaps': () => {
    const memory = Buffer.alloc(300);
    throws('ERR_RIJN_OVERLAP', 'begins', () => gcm.seal(nonce, memory.subarray(0, 100), aad, memory.subarray(1, 117)));
    throws('ERR_RIJN_OVERLAP', 'out', () => gcm.seal(memory.subarray(20, 32), data, aad, memory.subarray(0, 116)));
    throws('ERR_RIJN_OVERLAP', 'out', () => gcm.seal(nonce, data, memory.subarray(115, 117), memory.subarray(0, 116)));
    throws('ERR_RIJN_OVERLAP', 'out', () => seal(memory.subarray(0, 32), nonce, data, aad, memory.subarray(31, 147)));
    same(memory, Buffer.alloc(300));
  },
  'memory that is shared, or elsewhere': () => {
    const shared = new Uint8Array(new SharedArrayBuffer(116));
    throws('ERR_RIJN_SHARED', 'nonce', () => gcm.seal(shared.subarray(0, 12), data));
    throws('ERR_RIJN_SHARED', 'data', () => gcm.seal(nonce, shared));
    throws('ERR_RIJN_SHARED', 'aad', () => gcm.seal(nonce, data, shared));
    throws('ERR_RIJN_SHARED', 'out', () => gcm.seal(nonce, data, aad, shared));
    throws('ERR_RIJN_SHARED', 'key', () => seal(shared.subarray(0, 32), nonce, data, aad));
    for (const make of [() => new Uint8Array(100), () => new DataView(new ArrayBuffer(100)), () => new Float32Array(4)]) {
      const gone = make();
      detach(gone);
      throws('ERR_RIJN_DETACHED', 'data', () => gcm.seal(nonce, gone));
      throws('ERR_RIJN_DETACHED', 'aad', () => gcm.seal(nonce, data, gone));
      throws('ERR_RIJN_DETACHED', 'out', () => gcm.seal(nonce, data, aad, gone));
      throws('ERR_RIJN_DETACHED', 'key', () => seal(gone, nonce, data));
    }
    if (ArrayBuffer.prototype.resize) {
      const buffer = new ArrayBuffer(64, { maxByteLength: 128 }), view = new Uint8Array(buffer, 32, 32);
      same(gcm.seal(nonce, view), reference(raw, nonce, Buffer.alloc(32)));
      buffer.resize(40);
      throws('ERR_RIJN_DETACHED', 'data', () => gcm.seal(nonce, view));
    }
  },
  rows: () => {
    const count = 17, nonces = bytes(12 * count), rowAad = bytes(5 * count);
    for (const size of [0, 1, 16, 64, 100]) {
      const texts = bytes(size * count);
      const row = (i, a) => gcm.seal(nonces.subarray(12 * i, 12 * i + 12), texts.subarray(size * i, size * i + size), a);
      const common = Buffer.concat([...Array(count).keys()].map((i) => row(i, aad)));
      const each = Buffer.concat([...Array(count).keys()].map((i) => row(i, rowAad.subarray(5 * i, 5 * i + 5))));
      same(gcm.sealRows(nonces, texts, { aad }), common);
      same(gcm.sealRows(nonces, texts, { rowAad }), each);
      same(gcm.sealRows(nonces, texts, { aad, rowAad: null }), common);
      same(gcm.sealRows(nonces, texts, { aad: null, rowAad }), each);
      same(gcm.openRows(nonces, common, { aad, rowAad: null }), texts);
      same(gcm.openRows(nonces, common, { aad }), texts);
      const out = Buffer.alloc(texts.length, 1), forged = new Uint8Array(count).fill(7);
      assert.equal(gcm.openRows(nonces, each, { rowAad, out, forged }), out);
      same(out, texts);
      same(forged, new Uint8Array(count));
    }
    const texts = bytes(10 * count), whole = gcm.sealRows(nonces, texts);
    whole[26 * 3] ^= 1;
    whole[26 * 9 + 25] ^= 1;
    assert.throws(() => gcm.openRows(nonces, whole), (e) => e.code === 'ERR_RIJN_AUTH' && e.rows.join() === '3,9');
    const forged = new Uint8Array(count), opened = gcm.openRows(nonces, whole, { forged });
    assert.equal(forged.join(), [...forged.keys()].map((i) => (i === 3 || i === 9 ? 1 : 0)).join());
    same(opened.subarray(0, 30), texts.subarray(0, 30));
    same(opened.subarray(30, 40), Buffer.alloc(10));
    assert.equal(gcm.sealRows(Buffer.alloc(0), Buffer.alloc(0)).length, 0);
    throws('ERR_RIJN_NONCE_LENGTH', 'sealRows', () => gcm.sealRows(bytes(13), data));
    throws('ERR_RIJN_LENGTH', 'data', () => gcm.sealRows(bytes(36), data));
    throws('ERR_RIJN_LENGTH', 'aad', () => gcm.sealRows(bytes(24), data, { rowAad: bytes(3) }));
    throws('ERR_RIJN_TYPE', 'not both', () => gcm.sealRows(bytes(24), data, { aad, rowAad: bytes(4) }));
    throws('ERR_RIJN_TYPE', 'not both', () => gcm.openRows(bytes(24), data, { aad, rowAad: bytes(4) }));
    throws('ERR_RIJN_LENGTH', 'forged', () => gcm.openRows(bytes(24), data, { forged: bytes(3) }));
    throws('ERR_RIJN_LENGTH', 'data', () => gcm.openRows(bytes(24), bytes(30), { out: bytes(0) }));
    throws('ERR_RIJN_OVERLAP', 'forged', () => gcm.openRows(nonces, whole, { forged: whole.subarray(0, count) }));
  },
  sectors: () => {
    const key = bytes(64), xts = new Xts(key), disk = bytes(4096);
    const tweak = (number) => {
      const made = Buffer.alloc(16);
      made.writeBigUInt64LE(BigInt.asUintN(64, number));
      return made;
    };
    const by = (size, first, step) => Buffer.concat([...Array(4096 / size).keys()].map((i) =>
      xts.encrypt(disk.subarray(size * i, size * i + size), tweak(first + BigInt(i) * step))));
    same(xts.encryptSectors(disk, 5), by(512, 5n, 1n));
    same(xts.encryptSectors(disk, 2n ** 64n - 8n), by(512, 2n ** 64n - 8n, 1n));
    same(xts.encryptSectors(disk, 8, { sectorSize: 1024, step: 2 }), by(1024, 8n, 2n));
    const copy = Buffer.from(disk);
    assert.equal(xts.encryptSectors(copy, 1, { out: copy }), copy);
    assert.equal(xts.decryptSectors(copy, 1, { out: copy }), copy);
    same(copy, disk);
    throws('ERR_RIJN_SECTOR', 'sectors of 500', () => xts.encryptSectors(disk, 0, { sectorSize: 500, out: bytes(4096) }));
    for (const sectorSize of [0, -512, 512.5, 131072, 2 ** 32 + 512, '512', null]) {
      throws('ERR_RIJN_SECTOR', 'sectors of', () => xts.encryptSectors(disk, 0, { sectorSize }));
    }
    throws('ERR_RIJN_SECTOR', '2^64', () => xts.encryptSectors(disk, 2n ** 64n - 7n));
    throws('ERR_RIJN_LENGTH', 'data', () => xts.encryptSectors(bytes(513), 0));
    for (const first of [-1, 1.5, 2 ** 53, '1', undefined, 2n ** 64n, -1n]) {
      throws('ERR_RIJN_TYPE', 'first must be', () => xts.encryptSectors(disk, first));
    }
    for (const step of [0, 0n, -1, 1.5, null]) {
      throws('ERR_RIJN_TYPE', 'step must be a whole number from 1', () => xts.encryptSectors(disk, 0, { step }));
      throws('ERR_RIJN_TYPE', 'step must be a whole number from 1', () => xts.decryptSectors(disk, 0, { step }));
    }
    throws('ERR_RIJN_LENGTH', 'tweak', () => xts.encrypt(disk, bytes(15)));
    throws('ERR_RIJN_LENGTH', 'encrypt', () => xts.encrypt(bytes(15), bytes(16)));
    throws('ERR_RIJN_LENGTH', 'out', () => xts.decrypt(bytes(16), bytes(16), bytes(17)));
  },
  'promises: the same answers': async () => {
    for (const key of [gcm, new GcmSiv(raw), new Xaes256Gcm(raw)]) {
      const n = key instanceof Xaes256Gcm ? bytes(24) : nonce;
      for (const size of [0, 100, 65535, 65536, LONG + 3]) {
        const text = bytes(size), want = key.seal(n, text, aad), out = Buffer.alloc(size + 16);
        same(await key.sealAsync(n, text, aad), want);
        assert.equal(await key.sealAsync(n, text, aad, out), out);
        same(await key.openAsync(n, out, aad), text);
        want[3] ^= 1;
        await rejects('ERR_RIJN_AUTH', key.openAsync(n, want, aad));
      }
    }
    await rejects('ERR_RIJN_TYPE', gcm.sealAsync(nonce, 'text'));
    await rejects('ERR_RIJN_LENGTH', gcm.sealAsync(nonce, bytes(LONG), aad, bytes(5)));
    await rejects('ERR_RIJN_SHARED', gcm.sealAsync(nonce, new Uint8Array(new SharedArrayBuffer(LONG))));
    const memory = Buffer.alloc(2 * LONG);
    await rejects('ERR_RIJN_OVERLAP', gcm.sealAsync(nonce, memory.subarray(0, LONG), aad, memory.subarray(1, LONG + 17)));
    await gcm.sealAsync(nonce, memory.subarray(0, LONG), aad, memory.subarray(0, LONG + 16));
    same(memory.subarray(0, LONG + 16), reference(raw, nonce, Buffer.alloc(LONG), aad));
  },
  'promises: what is done to the memory meanwhile': async () => {
    const text = bytes(LONG), want = reference(raw, nonce, text, aad);
    // The pool is busy with others first.
    const others = Array.from({ length: 8 }, () => gcm.sealAsync(nonce, Buffer.alloc(64 * LONG)));
    const n = Buffer.from(nonce), d = Buffer.from(text), a = Buffer.from(aad), changed = gcm.sealAsync(n, d, a);
    [n, d, a].forEach((view) => view.fill(0));
    const gone = Uint8Array.from(text), left = gcm.sealAsync(nonce, gone, aad);
    detach(gone);
    const out = new Uint8Array(LONG), lost = gcm.openAsync(nonce, want, aad, out), elsewhere = detach(out);
    const buffer = ArrayBuffer.prototype.resize && new ArrayBuffer(LONG + 16, { maxByteLength: 2 * LONG });
    const cut = buffer && gcm.sealAsync(nonce, text, aad, new Uint8Array(buffer));
    buffer?.resize(LONG);
    same(await changed, want);
    same(await left, want);
    await rejects('ERR_RIJN_DETACHED', lost);
    same(new Uint8Array(elsewhere), Buffer.alloc(LONG));
    if (buffer) {
      await rejects('ERR_RIJN_DETACHED', cut);
      same(new Uint8Array(buffer), Buffer.alloc(LONG));
    }
    await Promise.all(others);
  },
  'promises: out has nothing before the verdict, and zeros after a bad one': async () => {
    const forged = gcm.seal(nonce, bytes(LONG)), out = Buffer.alloc(LONG, 1);
    forged[5] ^= 1;
    const opened = gcm.openAsync(nonce, forged, null, out);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    same(out, Buffer.alloc(LONG, 1));
    await rejects('ERR_RIJN_AUTH', opened);
    same(out, Buffer.alloc(LONG));
  },
  'arguments of any kind': async () => {
    const random = generator(2026);
    const keys = [gcm, new GcmSiv(raw), new Xaes256Gcm(raw), new Xts(bytes(64))];
    const calls = [
      (a) => new Gcm(a[0], a[1]), (a) => new GcmSiv(a[0]), (a) => new Xts(a[0]), (a) => seal(...a), (a) => open(...a),
      ...['seal', 'open', 'sealAsync', 'openAsync', 'sealRows', 'openRows', 'encrypt', 'decrypt', 'encryptSectors', 'decryptSectors']
        .map((name) => (a) => keys[random(4)][name]?.(...a)),
      (a) => gcm.openRows(a[0], a[1], { aad: a[2], out: a[3], forged: a[4] }),
      (a) => keys[3].encryptSectors(a[0], a[1], { sectorSize: a[2], step: a[3], out: a[4] }),
    ];
    let taken = 0, refused = 0;
    for (let i = 0; i < 30000; i++) {
      const given = Array.from({ length: random(6) }, () => anything(random));
      try {
        await calls[random(calls.length)](given);
        taken++;
      } catch (error) {
        refused++;
        assert.ok(error instanceof Error, String(error));
        assert.ok(/^ERR_RIJN_/.test(error.code) || error instanceof TypeError || error.message === 'from a getter', `${error.stack}`);
        assert.notEqual(error.code, 'ERR_RIJN_INTERNAL');
      }
    }
    assert.ok(taken > 100 && refused > 10000, `${taken} ${refused}`);
    same(gcm.seal(nonce, data, aad), sealed);
    return `${taken} taken, ${refused} refused`;
  },
  'names and numbers': () => {
    assert.match(rijn.version, /^\d+\.\d+\.\d+$/);
    assert.match(rijn.implementation(), /^(x86|arm|portable)/);
    assert.equal(gcm.tagLength, 16);
    assert.equal(JSON.stringify(gcm), '{}');
  },
});
