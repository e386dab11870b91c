// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
// What is right compiles. It is not run.
import { createSecretKey } from 'node:crypto';
import rijn, { Gcm, GcmSiv, RijnError, Xaes256Gcm, Xts, open, seal, type Code } from '@rijn/rijn';

const bytes = new Uint8Array(32);
const sealed: Buffer = seal(bytes, Buffer.alloc(12), new Float32Array(4), null);
const text: Buffer = open(createSecretKey(bytes), new DataView(new ArrayBuffer(12)), sealed, undefined);
const into: Uint16Array = seal(bytes, bytes, text, bytes, new Uint16Array(40));
using gcm = new Gcm(bytes, { tagLength: 12 });
const later: Promise<Float64Array> = gcm.openAsync(bytes, into, null, new Float64Array(1));
const rows: Buffer = gcm.sealRows(bytes, bytes, { aad: bytes });
const opened: Uint8Array = gcm.openRows(bytes, rows, { rowAad: bytes, out: bytes, forged: new Uint8Array(1) });
const other: Buffer = seal(new GcmSiv(bytes), bytes, opened);
const random: Buffer = await new Xaes256Gcm(new ArrayBuffer(32)).sealAsync(bytes, other);
const sectors: Buffer = new Xts(bytes).encryptSectors(random, 5n, { sectorSize: 4096, step: 8 });
const unit: Uint8Array = new Xts(bytes).decrypt(sectors, bytes, bytes);
try {
  rijn.open(gcm, bytes, unit);
} catch (error) {
  if (error instanceof RijnError) {
    const code: Code = error.code;
    const wrong: number[] | undefined = error.rows;
    console.log(code === 'ERR_RIJN_AUTH', wrong, await later);
  }
}
gcm.destroy();
const gone: boolean = gcm.destroyed;
const name: string | undefined = rijn.implementation();
console.log(gone, name, rijn.version.length, gcm.tagLength.toFixed());
