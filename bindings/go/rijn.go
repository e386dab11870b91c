// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

// Package rijn is AES at the speed of the machine: GCM, GCM-SIV, XAES-256-GCM,
// XTS, CTR and CBC, by the types of crypto/cipher.
//
// A program that has
//
//	block, err := aes.NewCipher(key)
//	aead, err := cipher.NewGCM(block)
//
// needs one other word: [NewCipher] of this package. What it returns is a
// [cipher.Block] of which [cipher.NewGCM], [cipher.NewCTR],
// [cipher.NewCBCEncrypter] and [cipher.NewCBCDecrypter] make Rijn's modes.
//
// The kernels are machine code for amd64 and arm64, in this module, without
// cgo. On other processors, on amd64 without AVX and with the build tag purego
// the standard library does the same work; [Implementation] says which it is.
// The variable RIJN_IMPL of the environment names another implementation, or
// "portable" for the standard library's. Where it names none that runs here,
// every constructor returns an error.
//
// In FIPS 140 mode use the standard library: this module is not validated.
package rijn

import (
	"crypto/aes"
	"crypto/cipher"

	"rijn.example/rijn-go/internal/core"
)

// Implementation is the name of what makes keys: a set of instructions such as
// "x86-vaes-avx512", or "portable" for the standard library.
func Implementation() string {
	set, err := core.Set()
	if err != nil {
		return ""
	}
	return core.Name(set)
}

// block is AES under one key.
type block struct {
	set int
	key core.AES
	raw [32]byte
	len int
}

// NewCipher is [aes.NewCipher] with Rijn's modes. The key has 16, 24 or 32
// bytes.
func NewCipher(key []byte) (cipher.Block, error) {
	set, err := core.Set()
	if err != nil {
		return nil, err
	}
	return newBlock(set, key)
}

func newBlock(set int, key []byte) (cipher.Block, error) {
	if set < 0 {
		return aes.NewCipher(key)
	}
	switch len(key) {
	case 16, 24, 32:
	default:
		return nil, aes.KeySizeError(len(key))
	}
	b := &block{set: set, key: core.NewAES(set, key), len: len(key)}
	copy(b.raw[:], key)
	return b, nil
}

func (b *block) BlockSize() int { return aes.BlockSize }

func (b *block) Encrypt(dst, src []byte) { b.one(true, dst, src) }

func (b *block) Decrypt(dst, src []byte) { b.one(false, dst, src) }

func (b *block) one(encrypt bool, dst, src []byte) {
	if len(src) < aes.BlockSize {
		panic("crypto/aes: input not full block")
	}
	if len(dst) < aes.BlockSize {
		panic("crypto/aes: output not full block")
	}
	dst, src = dst[:aes.BlockSize], src[:aes.BlockSize]
	if core.InexactOverlap(dst, src) {
		panic("crypto/aes: invalid buffer overlap")
	}
	b.key.ECB(encrypt, dst, src)
}
