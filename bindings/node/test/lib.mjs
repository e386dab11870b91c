// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
// What the tests share. They run in Node, Bun and Deno alike, so they use no runner of one of them.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';

export const bytes = (n) => crypto.randomBytes(n);
export const hex = (text) => Buffer.from(text ?? '', 'hex');
export const same = (a, b, what) => assert.ok(Buffer.compare(Buffer.from(a), Buffer.from(b)) === 0, what);
/** node:crypto's AES-GCM, the tag behind the text. */
export function reference(key, nonce, data, aad = Buffer.alloc(0), tagLength = 16) {
  const cipher = crypto.createCipheriv(`aes-${8 * key.length}-gcm`, key, nonce, { authTagLength: tagLength });
  cipher.setAAD(aad);
  return Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()]);
}
/** The call throws an error of this code, whose message has the words. */
export function throws(code, words, call) {
  assert.throws(call, (error) => {
    assert.ok(error instanceof Error, String(error));
    assert.equal(error.code, code, error.message);
    assert.ok(error.message.includes(words), error.message);
    return true;
  });
}
export async function rejects(code, promise) {
  await assert.rejects(promise, (error) => error.code === code);
}
/** Each property is a test; those that a runtime cannot have say so. */
export async function run(tests) {
  for (const [name, test] of Object.entries(tests)) {
    const count = await test();
    console.log(`ok ${name}${count === undefined ? '' : `: ${count}`}`);
  }
  console.log(`${Object.keys(tests).length} tests passed`);
}
