// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
// C2SP Wycheproof and NIST CAVP; XAES-256-GCM beside its definition; GCM beside node:crypto.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Gcm, GcmSiv, Xaes256Gcm, Xts, open, seal } from '@rijn/rijn';
import { bytes, hex, reference, run, same, throws } from './lib.mjs';

const FOLDER = process.env.RIJN_VECTORS;

function* wycheproof(name) {
  const file = path.join(FOLDER, 'wycheproof', name);
  for (const group of JSON.parse(fs.readFileSync(file, 'utf8')).testGroups) {
    for (const test of group.tests) {
      yield [group, test, hex(test.key), hex(test.iv), hex(test.msg), hex(test.aad), hex(test.ct + (test.tag ?? ''))];
    }
  }
}

function aead(name, make, once) {
  let done = 0;
  for (const [group, test, key, nonce, text, aad, sealed] of wycheproof(name)) {
    const mine = make(key, group.tagSize / 8);
    if (test.result === 'valid') {
      same(mine.seal(nonce, text, aad), sealed, test.tcId);
      same(mine.open(nonce, sealed, aad), text, test.tcId);
      if (once && group.tagSize === 128) {
        same(seal(key, nonce, text, aad), sealed, test.tcId);
        same(open(key, nonce, sealed, aad), text, test.tcId);
      }
    } else {
      throws(nonce.length === 0 ? 'ERR_RIJN_NONCE_LENGTH' : 'ERR_RIJN_AUTH', '', () => mine.open(nonce, sealed, aad));
    }
    done++;
  }
  return done;
}

/** Records of a .rsp file: fields by name, those in brackets kept until they change. */
function* cavp(file) {
  const kept = {};
  let record = {};
  for (const line of fs.readFileSync(path.join(FOLDER, 'cavp/AES', file), 'utf8').split(/\r?\n/)) {
    const section = /^\[(\w+) = (\w+)\]$/.exec(line), field = /^(\w+) ?= ?(\w*)$/.exec(line);
    if (section) {
      kept[section[1]] = section[2];
    } else if (/^\[(ENCRYPT|DECRYPT)\]$/.test(line)) {
      kept.way = line;
    } else if (field) {
      record[field[1]] = field[2];
    } else if (line === 'FAIL') {
      record.FAIL = true;
    } else if (line === '' && record.Key !== undefined) {
      yield { ...kept, ...record };
      record = {};
    }
  }
}

function gcmOfCavp() {
  let done = 0;
  for (const size of [128, 192, 256]) {
    for (const way of ['EncryptExtIV', 'Decrypt']) {
      for (const r of cavp(`GCM/gcm${way}${size}.rsp`)) {
        const mine = new Gcm(hex(r.Key), { tagLength: r.Taglen / 8 });
        const [nonce, aad, sealed] = [hex(r.IV), hex(r.AAD), hex(r.CT + r.Tag)];
        if (r.FAIL) {
          throws('ERR_RIJN_AUTH', '', () => mine.open(nonce, sealed, aad));
        } else {
          same(mine.seal(nonce, hex(r.PT), aad), sealed, JSON.stringify(r));
          same(mine.open(nonce, sealed, aad), hex(r.PT), JSON.stringify(r));
        }
        mine.destroy();
        done++;
      }
    }
  }
  return done;
}

function xtsOfCavp() {
  let done = 0;
  for (const size of [128, 256]) {
    for (const r of cavp(`XTS/tweak-128hexstr/XTSGenAES${size}.rsp`)) {
      if (r.DataUnitLen % 8 === 0) {
        const mine = new Xts(hex(r.Key));
        same(mine.encrypt(hex(r.PT), hex(r.i)), hex(r.CT));
        same(mine.decrypt(hex(r.CT), hex(r.i)), hex(r.PT));
        done++;
      }
    }
  }
  return done;
}

/** C2SP XAES-256-GCM: two blocks of CMAC make the key. */
function xaes(key, nonce, data, aad) {
  const aes = (block) => {
    const cipher = crypto.createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
    return cipher.update(block);
  };
  const doubled = BigInt(`0x${aes(Buffer.alloc(16)).toString('hex')}`) << 1n;
  const k1 = BigInt.asUintN(128, doubled >> 128n ? doubled ^ 0x87n : doubled);
  const made = [1, 2].map((i) => {
    const block = Buffer.concat([Buffer.from([0, i, 0x58, 0]), nonce.subarray(0, 12)]);
    return aes(hex((BigInt(`0x${block.toString('hex')}`) ^ k1).toString(16).padStart(32, '0')));
  });
  return reference(Buffer.concat(made), nonce.subarray(12), data, aad);
}

await run({
  'Wycheproof, GCM': () => aead('aes_gcm_test.json', (key, tagLength) => new Gcm(key, { tagLength }), true),
  'Wycheproof, GCM-SIV': () => aead('aes_gcm_siv_test.json', (key) => new GcmSiv(key)),
  'Wycheproof, XTS': () => {
    let done = 0;
    for (const [, test, key, nonce, text, , sealed] of wycheproof('aes_xts_test.json')) {
      if ([32, 64].includes(key.length) && test.result === 'valid') {
        const tweak = Buffer.concat([nonce, Buffer.alloc(16)]).subarray(0, 16);
        same(new Xts(key).encrypt(text, tweak), sealed, test.tcId);
        same(new Xts(key).decrypt(sealed, tweak), text, test.tcId);
        done++;
      }
    }
    assert.ok(done > 30);
    return done;
  },
  'CAVP, GCM': () => {
    const done = gcmOfCavp();
    assert.ok(done > 40000, String(done));
    return done;
  },
  'CAVP, XTS': () => {
    const done = xtsOfCavp();
    assert.ok(done > 500, String(done));
    return done;
  },
  'XAES-256-GCM is its definition': () => {
    for (let i = 0; i < 100; i++) {
      const [key, nonce, data, aad] = [bytes(32), bytes(24), bytes(i * 7), bytes(i)];
      const sealed = xaes(key, nonce, data, aad);
      same(new Xaes256Gcm(key).seal(nonce, data, aad), sealed);
      same(new Xaes256Gcm(key).open(nonce, sealed, aad), data);
    }
  },
  'all lengths beside node:crypto': () => {
    for (let size = 0; size < 1100; size++) {
      const [key, nonce, data, aad] = [bytes([16, 32][size % 2]), bytes(12), bytes(size), bytes(size % 67)];
      const sealed = reference(key, nonce, data, aad);
      same(seal(key, nonce, data, aad), sealed, `${size}`);
      same(open(key, nonce, sealed, aad), data, `${size}`);
    }
  },
  'nonces of other lengths, and counters before their wrap': () => {
    // Their counters begin with 2^32 - 1, - 2, - 16, - 64 and - 128.
    const raw = Buffer.from([...Array(32).keys()]);
    for (const nonce of ['15316b6dc8251865bf54f98a24e2eb9e', '8db93b7232bdcaee187da59ac570d0c2', '12ca5bcdf929b18af3c08d7f8c8d91ee',
      '614559cd03bec844647ece6da7e94fbb', '65515e33a58a6aadae29ca55c3679888']) {
      for (const size of [0, 16, 100, 1000, 3000, 20000]) {
        same(new Gcm(raw).seal(hex(nonce), Buffer.alloc(size)), reference(raw, hex(nonce), Buffer.alloc(size)), nonce);
      }
    }
    for (const size of [1, 7, 8, 11, 13, 16, 17, 32, 128]) {
      const [key, nonce, data] = [bytes(32), bytes(size), bytes(300)];
      same(new Gcm(key).seal(nonce, data), reference(key, nonce, data), `${size}`);
    }
  },
});
