// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
// ns a message of AES-256-GCM with 16 bytes of associated data: node:crypto's four calls, Rijn's one, and the same library
// by koffi. All take turns; the least of all rounds. A folder with @rijn/rijn and koffi in node_modules, then:
//   node seal.mjs [build/release/src/librijn.so]
import crypto from 'node:crypto';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import path from 'node:path';

const require = createRequire(path.join(process.cwd(), 'here.js'));
const { Gcm, seal, implementation } = require('@rijn/rijn');
const raw = crypto.randomBytes(32), nonce = crypto.randomBytes(12), aad = crypto.randomBytes(16);
const gcm = new Gcm(raw);

function four(data) {
  const cipher = crypto.createCipheriv('aes-256-gcm', raw, nonce);
  cipher.setAAD(aad);
  const text = cipher.update(data);
  cipher.final();
  return [text, cipher.getAuthTag()];
}

function byKoffi(file) {
  const koffi = require('koffi');
  const library = koffi.load(file);
  const init = library.func('int rijn_gcm_init(void *key, const void *raw, size_t len)');
  const call = library.func('int rijn_gcm_seal(const void *key, void *out, const void *in, size_t len, const void *aad, ' +
    'size_t aad_len, const void *nonce, size_t nonce_len)');
  const key = Buffer.allocUnsafeSlow(1984);
  if (init(key, raw, 32) !== 0) {
    throw new Error('rijn_gcm_init');
  }
  return (data, out) => {
    if (call(key, out, data, data.length, aad, 16, nonce, 12) !== 0) {
      throw new Error('rijn_gcm_seal');
    }
    return out;
  };
}

function least(ways, times) {
  const best = Object.fromEntries(Object.keys(ways).map((name) => [name, Infinity]));
  for (let round = 0; round < 150; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const began = process.hrtime.bigint();
      for (let i = 0; i < times; i++) {
        way();
      }
      const took = Number(process.hrtime.bigint() - began);
      best[name] = Math.min(best[name], took / times);
    }
  }
  return best;
}

const foreign = process.argv[2] ? byKoffi(process.argv[2]) : undefined;
console.log(`Node ${process.versions.node}, ${implementation()}, ${cpus()[0].model}`);
for (const size of [64, 1420, 16384]) {
  const data = Buffer.alloc(size), out = Buffer.alloc(size + 16);
  const ways = {
    'node:crypto': () => four(data),
    'seal': () => gcm.seal(nonce, data, aad),
    'seal, out': () => gcm.seal(nonce, data, aad, out),
    'raw key, out': () => seal(raw, nonce, data, aad, out),
  };
  if (foreign) {
    ways.koffi = () => foreign(data, Buffer.allocUnsafe(size + 16));
    ways['koffi, out'] = () => foreign(data, out);
  }
  const best = least(ways, size > 10000 ? 200 : 1000);
  const cells = Object.entries(best).map(([name, ns]) => `${name} ${ns.toFixed(0)} (${(ns / best['node:crypto']).toFixed(3)})`);
  console.log(`${size}: ${cells.join('  ')}`);
}
