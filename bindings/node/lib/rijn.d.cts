// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
/// <reference types="node" />
import type { KeyObject } from 'node:crypto';

/** Bytes that a call reads. Not in a SharedArrayBuffer. */
export type Bytes = NodeJS.TypedArray | DataView | ArrayBuffer;
/** Memory that a call writes to, of the very length of the result. It is what is returned. It may be `data` itself, or
 * begin where data begins. */
export type Out = NodeJS.TypedArray | DataView | ArrayBuffer;
/** Raw bytes, which are not kept and not wiped, or a secret KeyObject. */
export type RawKey = Bytes | KeyObject;

export type Code =
  | 'ERR_RIJN_AUTH'
  | 'ERR_RIJN_KEY_LENGTH'
  | 'ERR_RIJN_NONCE_LENGTH'
  | 'ERR_RIJN_TAG_LENGTH'
  | 'ERR_RIJN_LENGTH'
  | 'ERR_RIJN_OVERLAP'
  | 'ERR_RIJN_SECTOR'
  | 'ERR_RIJN_WEAK_KEY'
  | 'ERR_RIJN_TYPE'
  | 'ERR_RIJN_SHARED'
  | 'ERR_RIJN_DETACHED'
  | 'ERR_RIJN_DESTROYED'
  | 'ERR_RIJN_IMPL'
  | 'ERR_RIJN_MEMORY'
  | 'ERR_RIJN_PLATFORM'
  | 'ERR_RIJN_INTERNAL';
export class RijnError extends Error {
  readonly code: Code;
  /** Of openRows with ERR_RIJN_AUTH: the rows that are not authentic. */
  readonly rows?: number[];
}
export class RijnTypeError extends TypeError {
  readonly code: 'ERR_RIJN_TYPE';
}

/** A key. It is wiped by destroy, or when the last reference to it is gone. */
declare abstract class Key {
  /** Wipes the key. Works that are not done on other threads end first. */
  destroy(): void;
  [Symbol.dispose](): void;
  readonly destroyed: boolean;
}
declare abstract class Aead extends Key {
  readonly tagLength: number;
  /** The ciphertext, and the tag behind it. Never use a nonce twice with one key. */
  seal(nonce: Bytes, data: Bytes, aad?: Bytes | null): Buffer;
  seal<T extends Out>(nonce: Bytes, data: Bytes, aad: Bytes | null | undefined, out: T): T;
  /** The text of what seal has given. What is not authentic is ERR_RIJN_AUTH, and leaves zeros in out. */
  open(nonce: Bytes, data: Bytes, aad?: Bytes | null): Buffer;
  open<T extends Out>(nonce: Bytes, data: Bytes, aad: Bytes | null | undefined, out: T): T;
  /** The same on another thread, from 64 KiB on. The bytes are copied at the call, and out is written at the end. */
  sealAsync(nonce: Bytes, data: Bytes, aad?: Bytes | null): Promise<Buffer>;
  sealAsync<T extends Out>(nonce: Bytes, data: Bytes, aad: Bytes | null | undefined, out: T): Promise<T>;
  openAsync(nonce: Bytes, data: Bytes, aad?: Bytes | null): Promise<Buffer>;
  openAsync<T extends Out>(nonce: Bytes, data: Bytes, aad: Bytes | null | undefined, out: T): Promise<T>;
}

export interface RowOptions {
  /** Associated data of each row. */
  aad?: Bytes | null;
  /** Associated data of the rows, equally long, one behind the other. Not with aad. */
  rowAad?: Bytes | null;
}
/** AES-GCM: keys of 16, 24 or 32 bytes, nonces best of 12. */
export class Gcm extends Aead {
  /** tagLength: 12 to 16, 4 or 8. It belongs to the key, not to a message. */
  constructor(key: RawKey, options?: { tagLength?: number });
  /** Messages of one length: `nonces` has 12 bytes for each, `data` their texts one behind the other. Each tag is behind
   * its text. The nonces are not compared with each other: no two may be equal. */
  sealRows(nonces: Bytes, data: Bytes, options?: RowOptions): Buffer;
  sealRows<T extends Out>(nonces: Bytes, data: Bytes, options: RowOptions & { out: T }): T;
  /** `forged`: a byte a row, which becomes 1 where the row is not authentic. Without it one such row is ERR_RIJN_AUTH. */
  openRows(nonces: Bytes, data: Bytes, options?: RowOptions & { forged?: Uint8Array }): Buffer;
  openRows<T extends Out>(nonces: Bytes, data: Bytes, options: RowOptions & { out: T; forged?: Uint8Array }): T;
}
/** AES-GCM-SIV (RFC 8452), for nonces that may come twice: 12 bytes. */
export class GcmSiv extends Aead {
  constructor(key: RawKey);
}
/** XAES-256-GCM, for random nonces: 24 bytes. Keys of 32. */
export class Xaes256Gcm extends Aead {
  constructor(key: RawKey);
}
/** AES-GCM in one call, with raw bytes, or the mode of a key object. */
export function seal(key: RawKey | Gcm | GcmSiv | Xaes256Gcm, nonce: Bytes, data: Bytes, aad?: Bytes | null): Buffer;
export function seal<T extends Out>(
  key: RawKey | Gcm | GcmSiv | Xaes256Gcm,
  nonce: Bytes,
  data: Bytes,
  aad: Bytes | null | undefined,
  out: T,
): T;
export function open(key: RawKey | Gcm | GcmSiv | Xaes256Gcm, nonce: Bytes, data: Bytes, aad?: Bytes | null): Buffer;
export function open<T extends Out>(
  key: RawKey | Gcm | GcmSiv | Xaes256Gcm,
  nonce: Bytes,
  data: Bytes,
  aad: Bytes | null | undefined,
  out: T,
): T;

export interface SectorOptions {
  /** 512 to 65536, a power of two. 512 if it is left out. */
  sectorSize?: number;
  /** From one sector's number to the next one's, at least 1. 1 if it is left out; dm-crypt has 8 with sectors of 4096. */
  step?: number | bigint;
}
/** AES-XTS: keys of 32 or 64 bytes. It has no integrity. */
export class Xts extends Key {
  constructor(key: RawKey);
  /** A run of sectors, of which `first` is the number of the first. */
  encryptSectors(data: Bytes, first: number | bigint, options?: SectorOptions): Buffer;
  encryptSectors<T extends Out>(data: Bytes, first: number | bigint, options: SectorOptions & { out: T }): T;
  decryptSectors(data: Bytes, first: number | bigint, options?: SectorOptions): Buffer;
  decryptSectors<T extends Out>(data: Bytes, first: number | bigint, options: SectorOptions & { out: T }): T;
  /** One data unit, with a tweak of 16 bytes. */
  encrypt(data: Bytes, tweak: Bytes): Buffer;
  encrypt<T extends Out>(data: Bytes, tweak: Bytes, out: T): T;
  decrypt(data: Bytes, tweak: Bytes): Buffer;
  decrypt<T extends Out>(data: Bytes, tweak: Bytes, out: T): T;
}

/** The name of what is chosen for this processor. undefined if RIJN_IMPL names none that runs here. */
export function implementation(): string | undefined;
export const version: string;
