// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
'use strict';
// A worker of keys.mjs: it has keys of its own, and works on other threads that end after it, or before.
const { parentPort, workerData } = require('node:worker_threads');
const { Gcm } = require('@rijn/rijn');

const { raw, nonce, text, ends } = workerData;
const keys = Array.from({ length: 50 }, () => new Gcm(raw));
const sealed = keys.map((key) => key.seal(nonce, text)).at(-1);
const works = keys.slice(1, ends ? 50 : 2).map((key) => key.sealAsync(nonce, Buffer.alloc(1 << 20)));
keys[0].destroy();
if (ends) {
  parentPort.postMessage(sealed);
  setInterval(() => {}, 1000);
} else {
  Promise.all(works).then(() => parentPort.postMessage(sealed));
}
