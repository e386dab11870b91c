// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
// The life of keys: dropped, destroyed, in workers, with works on other threads. usage: keys.mjs [KEYS]
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Gcm, GcmSiv, Xts, seal } from '@rijn/rijn';
import { bytes, reference, rejects, run, same, throws } from './lib.mjs';

const KEYS = Number(process.argv[2] ?? 60000);
const raw = bytes(32), nonce = bytes(12), text = bytes(64);
const LONG = 1 << 20;
function megabytes() {
  try {
    return process.memoryUsage().rss / 2 ** 20;
  } catch { // a root without /proc
    return process.resourceUsage().maxRSS / 2 ** 10;
  }
}

// WHY so many: a key has 2 KB. If all of them stayed there would be far more than this.
const ROOM = 50;

async function bounded(make, turns) {
  for (let i = 0; i < 5000; i++) {
    make();
  }
  await turn();
  const before = megabytes();
  let most = 0;
  for (let i = 0; i < KEYS; i++) {
    make();
    if (i % 1000 === 0) {
      if (turns) {
        await turn();
      }
      most = Math.max(most, megabytes() - before);
    }
  }
  const limit = ROOM + KEYS * (turns ? 0 : 0.0004);
  assert.ok(most < limit, `${most} MB more, ${limit} were to be enough`);
  return `${KEYS} keys, ${most.toFixed(0)} MB more at most`;
}

const WORKER = new URL('./worker.cjs', import.meta.url);
async function workers(ends) {
  const want = reference(raw, nonce, text);
  for (let round = 0; round < 3; round++) {
    const all = Array.from({ length: 4 }, () => new Worker(WORKER, { workerData: { raw, nonce, text, ends } }));
    await Promise.all(all.map(async (worker) => {
      const [sealed] = await once(worker, 'message');
      same(sealed, want);
      await worker.terminate();
    }));
  }
}

await run({
  'keys that are dropped, while the loop turns': () => bounded(() => new Gcm(raw).seal(nonce, text), true),
  'keys that are dropped, without a turn': () => bounded(() => new Gcm(raw).seal(nonce, text), false),
  'keys that are destroyed': () => bounded(() => new Gcm(raw).destroy(), false),
  'keys that are refused': () => bounded(() => throws('ERR_RIJN_WEAK_KEY', '', () => new Xts(Buffer.alloc(64))), false),
  'one call with a raw key': () => bounded(() => seal(raw, nonce, text), false),
  'keys that are kept stay what they are': async () => {
    const keys = Array.from({ length: 9000 }, (_, i) => new Gcm(Buffer.alloc(32, i)));
    await turn();
    for (let i = 0; i < 9000; i += 37) {
      same(keys[i].seal(nonce, text), reference(Buffer.alloc(32, i), nonce, text));
    }
  },
  'a destroyed key': async () => {
    const key = new Gcm(raw);
    assert.equal(key.destroyed, false);
    key.destroy();
    key.destroy();
    assert.equal(key.destroyed, true);
    throws('ERR_RIJN_DESTROYED', 'key', () => key.seal(nonce, text));
    throws('ERR_RIJN_DESTROYED', 'key', () => key.openRows(nonce, bytes(50)));
    await rejects('ERR_RIJN_DESTROYED', key.sealAsync(nonce, bytes(LONG)));
    if (Symbol.dispose) {
      const other = new Xts(bytes(64));
      other[Symbol.dispose]();
      throws('ERR_RIJN_DESTROYED', 'key', () => other.encrypt(text, bytes(16)));
    }
  },
  'a key that is destroyed while others work with it': async () => {
    const data = bytes(LONG), want = reference(raw, nonce, data);
    for (let round = 0; round < 10; round++) {
      const key = new Gcm(raw);
      const all = Array.from({ length: 6 }, () => key.sealAsync(nonce, data));
      key.destroy();
      throws('ERR_RIJN_DESTROYED', 'key', () => key.seal(nonce, text));
      for (const sealed of await Promise.all(all)) {
        same(sealed, want);
      }
    }
  },
  'a key that is dropped while others work with it': async () => {
    const data = bytes(LONG), want = new GcmSiv(raw).seal(nonce, data);
    const all = Array.from({ length: 40 }, () => new GcmSiv(raw).sealAsync(nonce, data));
    for (let i = 0; i < 10000; i++) {
      new Gcm(raw);
    }
    for (const sealed of await Promise.all(all)) {
      same(sealed, want);
    }
  },
  'workers, each with its own': () => workers(false),
  'workers that end in the middle': () => workers(true),
});
