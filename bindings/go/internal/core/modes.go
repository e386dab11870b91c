// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

package core

import "unsafe"

// What is here does no more than call: package rijn has the rules about
// slices. Long texts go in sections.

// AES is a key for ECB, CBC and CTR.
type AES struct{ key unsafe.Pointer }

// NewAES makes a key of 16, 24 or 32 bytes.
func NewAES(set int, raw []byte) AES {
	k := AES{newObject(sizeAes)}
	a := initArgs{key: k.key, raw: place(raw, nil), len: len(raw), x: set}
	must(call2k(base+callAesInitImpl, unsafe.Pointer(&a)))
	return k
}

type aesArgs struct {
	key, out, in unsafe.Pointer
	len          int // blocks; CTR: bytes
	state        unsafe.Pointer
	_            [4]uintptr
}

// ECB does whole blocks, each on its own.
func (k AES) ECB(encrypt bool, out, in []byte) {
	call := uintptr(callEcbDecrypt)
	if encrypt {
		call = callEcbEncrypt
	}
	k.blocks(call, out, in, nil)
}

// CBC does whole blocks. iv becomes the chaining value to go on with.
func (k AES) CBC(encrypt bool, out, in []byte, iv *[16]byte) {
	call := uintptr(callCbcDecrypt)
	if encrypt {
		call = callCbcEncrypt
	}
	k.blocks(call, out, in, unsafe.Pointer(iv))
}

func (k AES) blocks(call uintptr, out, in []byte, state unsafe.Pointer) {
	raceRead(in)
	raceWrite(out[:len(in)])
	for len(in) != 0 {
		n := min(len(in), section)
		a := aesArgs{key: k.key, out: place(out, nil), in: place(in, nil), len: n / 16, state: state}
		must(call2k(base+call, unsafe.Pointer(&a)))
		out, in = out[n:], in[n:]
	}
}

// Counter is rijn_ctr_state of rijn.h: the next counter, the keystream of the
// block before it, and how many bytes of that are spent.
type Counter struct {
	Next [16]byte
	ks   [16]byte
	used uint32
}

// CTR does the next bytes of a stream.
func (k AES) CTR(out, in []byte, c *Counter) {
	raceRead(in)
	raceWrite(out[:len(in)])
	for len(in) != 0 {
		n := min(len(in), section)
		a := aesArgs{key: k.key, out: place(out, nil), in: place(in, nil), len: n, state: unsafe.Pointer(c)}
		must(call8k(base+callCtrCrypt, unsafe.Pointer(&a)))
		out, in = out[n:], in[n:]
	}
}

// GHASH is raw GHASH under one key (SP 800-38D, section 6.4).
type GHASH struct{ key unsafe.Pointer }

// NewGHASH makes a key of a hash subkey.
func NewGHASH(set int, h *[16]byte) GHASH {
	k := GHASH{newObject(sizeGhash)}
	a := initArgs{key: k.key, raw: unsafe.Pointer(h), len: set}
	must(call2k(base+callGhashInitImpl, unsafe.Pointer(&a)))
	return k
}

// Update adds whole blocks, of a section at most.
func (k GHASH) Update(acc *[16]byte, in []byte) {
	type args struct {
		key, acc, in unsafe.Pointer
		nblk         int
		_            [5]uintptr
	}
	a := args{key: k.key, acc: unsafe.Pointer(acc), in: place(in, nil), nblk: len(in) / 16}
	must(call2k(base+callGhashUpdate, unsafe.Pointer(&a)))
}

// Wipe wipes the key.
func (k GHASH) Wipe() { clearObject(k.key, sizeGhash) }

// SIV is a key of AES-GCM-SIV, for messages that one call may take.
type SIV struct{ key unsafe.Pointer }

// XAES is a key of XAES-256-GCM, likewise.
type XAES struct{ key unsafe.Pointer }

// MaxSIV and MaxXAES are the most bytes of text, and of associated data, that
// one call takes.
const (
	MaxSIV  = section
	MaxXAES = min(section, tableFrom-1)
)

// NewSIV makes a key of 16, 24 or 32 bytes.
func NewSIV(set int, raw []byte) SIV {
	k := SIV{newObject(sizeGcmSiv)}
	a := initArgs{key: k.key, raw: place(raw, nil), len: len(raw), x: set}
	must(call2k(base+callGcmSivInitImpl, unsafe.Pointer(&a)))
	return k
}

// NewXAES makes a key of 32 bytes.
func NewXAES(set int, raw []byte) XAES {
	k := XAES{newObject(sizeXaes)}
	a := initArgs{key: k.key, raw: place(raw, nil), len: len(raw), x: set}
	must(call2k(base+callXaesInitImpl, unsafe.Pointer(&a)))
	return k
}

type messageArgs struct {
	key, out, in unsafe.Pointer
	len          int
	aad          unsafe.Pointer
	aadLen       int
	nonce, tag   unsafe.Pointer
	_            uintptr
}

func sealArgs(key unsafe.Pointer, out []byte, nonce *[24]byte, text, aad []byte) messageArgs {
	raceRead(text)
	raceRead(aad)
	raceWrite(out)
	p := unsafe.Pointer(unsafe.SliceData(out))
	n := len(text)
	return messageArgs{key: key, out: p, in: place(text, p), len: n, aad: place(aad, nil), aadLen: len(aad),
		nonce: unsafe.Pointer(nonce), tag: unsafe.Add(p, n)}
}

func openArgs(key unsafe.Pointer, out []byte, nonce *[24]byte, in, aad []byte) messageArgs {
	raceRead(in)
	raceRead(aad)
	raceWrite(out)
	p := unsafe.Pointer(unsafe.SliceData(in))
	n := len(out)
	return messageArgs{key: key, out: place(out, p), in: p, len: n, aad: place(aad, nil), aadLen: len(aad),
		nonce: unsafe.Pointer(nonce), tag: unsafe.Add(p, n)}
}

// Seal writes text and tag. The nonce is the first 12 bytes.
func (k SIV) Seal(out []byte, nonce *[24]byte, text, aad []byte) {
	a := sealArgs(k.key, out, nonce, text, aad)
	must(call8k(base+callGcmSivEncrypt, unsafe.Pointer(&a)))
}

// Open writes the text, or zeros.
func (k SIV) Open(out []byte, nonce *[24]byte, in, aad []byte) bool {
	a := openArgs(k.key, out, nonce, in, aad)
	return call8k(base+callGcmSivDecrypt, unsafe.Pointer(&a)) == 0
}

// Seal writes text and tag.
func (k XAES) Seal(out []byte, nonce *[24]byte, text, aad []byte) {
	a := sealArgs(k.key, out, nonce, text, aad)
	must(call4k(base+callXaesEncrypt, unsafe.Pointer(&a)))
}

// Open writes the text, or zeros.
func (k XAES) Open(out []byte, nonce *[24]byte, in, aad []byte) bool {
	a := openArgs(k.key, out, nonce, in, aad)
	return call4k(base+callXaesDecrypt, unsafe.Pointer(&a)) == 0
}
