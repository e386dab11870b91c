// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

package rijn

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"

	"rijn.example/rijn-go/internal/core"
)

// NewXAES256GCM is XAES-256-GCM (C2SP), under a key of 32 bytes. Nonces have 24
// bytes, which may be random: 2^80 messages a key are safe then. Tags have 16.
func NewXAES256GCM(key []byte) (cipher.AEAD, error) {
	set, err := core.Set()
	if err != nil {
		return nil, err
	}
	return newXAES(set, key)
}

func newXAES(set int, key []byte) (cipher.AEAD, error) {
	if len(key) != 32 {
		return nil, aes.KeySizeError(len(key))
	}
	b, err := newBlock(set, key)
	if err != nil {
		return nil, err
	}
	x := &xaes{set: set, block: b}
	b.Encrypt(x.k1[:], x.k1[:])
	double(&x.k1)
	if set >= 0 {
		x.key = core.NewXAES(set, key)
	}
	return x, nil
}

// xaes does short messages by Rijn's call for them, and others by a key that it
// makes with the same blocks.
type xaes struct {
	set   int
	key   core.XAES
	block cipher.Block
	k1    [16]byte // the subkey of CMAC
}

const xaesNonce = 24

func (*xaes) NonceSize() int { return xaesNonce }

func (*xaes) Overhead() int { return tagSize }

// double is a shift by one bit (SP 800-38B, section 6.1). CT: the bit that falls
// out is a mask.
func double(b *[16]byte) {
	var carry byte
	for i := 15; i >= 0; i-- {
		b[i], carry = b[i]<<1|carry, b[i]>>7
	}
	b[15] ^= -carry & 0x87
}

// message makes the key of one message, and says which nonce it has.
func (x *xaes) message(nonce []byte) cipher.AEAD {
	raw := [32]byte{1: 1, 2: 'X', 17: 2, 18: 'X'}
	copy(raw[4:16], nonce)
	copy(raw[20:], nonce[:12])
	for i := 0; i < len(raw); i += 16 {
		subtle.XORBytes(raw[i:], raw[i:i+16], x.k1[:])
		x.block.Encrypt(raw[i:], raw[i:])
	}
	b, err := newBlock(x.set, raw[:])
	clear(raw[:])
	if err != nil {
		panic(err) // the length is one of AES
	}
	aead, err := cipher.NewGCM(b)
	if err != nil {
		panic(err)
	}
	return aead
}

func (x *xaes) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	if len(nonce) != xaesNonce {
		panic("rijn: incorrect nonce length given to XAES-256-GCM")
	}
	if x.set < 0 || max(len(plaintext), len(additionalData)) > core.MaxXAES {
		return x.message(nonce).Seal(dst, nonce[12:], plaintext, additionalData)
	}
	ret, out := core.Append(dst, len(plaintext)+tagSize)
	checkOverlap(out, plaintext, additionalData)
	own := [xaesNonce]byte(nonce)
	x.key.Seal(out, &own, plaintext, additionalData)
	return ret
}

func (x *xaes) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	if len(nonce) != xaesNonce {
		panic("rijn: incorrect nonce length given to XAES-256-GCM")
	}
	if x.set < 0 || max(len(ciphertext)-tagSize, len(additionalData)) > core.MaxXAES {
		return x.message(nonce).Open(dst, nonce[12:], ciphertext, additionalData)
	}
	if len(ciphertext) < tagSize {
		return nil, core.ErrOpen
	}
	ret, out := core.Append(dst, len(ciphertext)-tagSize)
	checkOverlap(out, ciphertext, additionalData)
	own := [xaesNonce]byte(nonce)
	if !x.key.Open(out, &own, ciphertext, additionalData) {
		return nil, core.ErrOpen
	}
	return ret, nil
}
