// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
// The lines that are marked do not compile.
import { Gcm, GcmSiv, Xts, seal, type Code } from '@rijn/rijn';

const bytes = new Uint8Array(32);
const gcm = new Gcm(bytes);
seal('key', bytes, bytes); // wrong
seal(bytes, 'nonce', bytes); // wrong
seal(bytes, bytes, 'text'); // wrong
seal(bytes, bytes, [1, 2, 3]); // wrong
seal(new Xts(bytes), bytes, bytes); // wrong
gcm.seal(bytes); // wrong
const text: string = gcm.seal(bytes, bytes); // wrong
const out: Buffer = gcm.seal(bytes, bytes, null, new Uint16Array(8)); // wrong
new Gcm(bytes, { tagLength: '16' }); // wrong
new GcmSiv(bytes, { tagLength: 16 }); // wrong
new GcmSiv(bytes).sealRows(bytes, bytes); // wrong
gcm.tagLength = 12; // wrong
new Xts(bytes).encryptSectors(bytes, '0'); // wrong
new Xts(bytes).encryptSectors(bytes); // wrong
const code: Code = 'ERR_OTHER'; // wrong
console.log(text, out, code);
