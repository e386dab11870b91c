// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

package core

import "unsafe"

// XTS is a key of AES-XTS.
type XTS struct {
	key              unsafe.Pointer
	encrypt, decrypt uintptr // kernels for a part of a data unit
}

// NewXTS makes a key of 32 or 64 bytes. false: its halves are equal.
func NewXTS(set int, raw []byte) (XTS, bool) {
	k := XTS{newObject(sizeXts), rows[set].kernels[kernelXtsEncPart], rows[set].kernels[kernelXtsDecPart]}
	a := initArgs{key: k.key, raw: place(raw, nil), len: len(raw), x: set}
	const weak = -10 // RIJN_EWEAKKEY
	err := call2k(base+callXtsInitImpl, unsafe.Pointer(&a))
	if err == weak {
		return XTS{}, false
	}
	must(err)
	return k, true
}

type unitArgs struct {
	key, out, in unsafe.Pointer
	len          int
	tweak, next  unsafe.Pointer
	first        int
	_            [2]uintptr
}

// Unit does a data unit of 16 bytes to 2^20 blocks.
func (k XTS) Unit(encrypt bool, out, in []byte, tweak *[16]byte) {
	raceRead(in)
	raceWrite(out[:len(in)])
	kernel := k.decrypt
	if encrypt {
		kernel = k.encrypt
	}
	next := *tweak
	for first := 1; len(in) != 0; first = 0 {
		n := len(in)
		if n >= section+16 { // the last part has a whole block
			n = section
		}
		a := unitArgs{key: k.key, out: place(out, nil), in: place(in, nil), len: n, tweak: unsafe.Pointer(&next), next: unsafe.Pointer(&next),
			first: first}
		call2k(kernel, unsafe.Pointer(&a)) // it has no result
		out, in = out[n:], in[n:]
	}
	clear(next[:]) // CT: the tweak of what would follow is a secret
}

type sectorsArgs struct {
	key, out, in unsafe.Pointer
	size, n      int
	first, step  uint64
	_            [2]uintptr
}

// Sectors does a run of sectors. The rules about sizes and numbers have been
// looked at.
func (k XTS) Sectors(encrypt bool, out, in []byte, size int, first, step uint64) {
	raceRead(in)
	raceWrite(out[:len(in)])
	call := uintptr(callXtsDecryptSectors)
	if encrypt {
		call = callXtsEncryptSectors
	}
	for len(in) != 0 {
		n := min(len(in), section)
		a := sectorsArgs{key: k.key, out: place(out, nil), in: place(in, nil), size: size, n: n / size, first: first, step: step}
		must(call4k(base+call, unsafe.Pointer(&a)))
		first += uint64(n/size) * step
		out, in = out[n:], in[n:]
	}
}
