// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
import rijn = require('@rijn/rijn');
import type { Bytes, Out, RawKey, RowOptions, SectorOptions } from '@rijn/rijn';

const key: RawKey = Buffer.alloc(16);
const out: Out = new DataView(new ArrayBuffer(40));
const nonce: Bytes = new ArrayBuffer(12);
const rows: RowOptions = { rowAad: nonce };
const sectors: SectorOptions = { step: 1n };
const view: Out = rijn.seal(key, nonce, nonce, undefined, out);
console.log(new rijn.Gcm(key).sealRows(nonce, view, rows), new rijn.Xts(key).decryptSectors(view, 0, sectors));
