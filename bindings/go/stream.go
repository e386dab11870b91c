// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

package rijn

import (
	"crypto/aes"
	"crypto/cipher"

	"rijn.example/rijn-go/internal/core"
)

// NewCTR is called by [cipher.NewCTR]. The counter has 128 bits, and is public,
// as a nonce is.
func (b *block) NewCTR(iv []byte) cipher.Stream {
	if len(iv) != aes.BlockSize {
		panic("bad IV length")
	}
	return &ctr{key: b.key, counter: core.Counter{Next: [aes.BlockSize]byte(iv)}}
}

type ctr struct {
	key     core.AES
	counter core.Counter
}

func (c *ctr) XORKeyStream(dst, src []byte) {
	if len(dst) < len(src) {
		panic("crypto/aes: len(dst) < len(src)")
	}
	if core.InexactOverlap(dst[:len(src)], src) {
		panic("crypto/aes: invalid buffer overlap")
	}
	c.key.CTR(dst, src, &c.counter)
}

// checkText has the panics of crypto/cipher.
func checkText(dst, src []byte) {
	if len(dst) < len(src) {
		panic("crypto/cipher: output smaller than input")
	}
	if core.InexactOverlap(dst[:len(src)], src) {
		panic("crypto/cipher: invalid buffer overlap")
	}
}

// NewCBCEncrypter is called by [cipher.NewCBCEncrypter].
func (b *block) NewCBCEncrypter(iv []byte) cipher.BlockMode {
	return newCBC(b, iv, true, "cipher.NewCBCEncrypter: IV length must equal block size")
}

// NewCBCDecrypter is called by [cipher.NewCBCDecrypter].
func (b *block) NewCBCDecrypter(iv []byte) cipher.BlockMode {
	return newCBC(b, iv, false, "cipher.NewCBCDecrypter: IV length must equal block size")
}

type cbc struct {
	key     core.AES
	iv      [aes.BlockSize]byte
	encrypt bool
}

func newCBC(b *block, iv []byte, encrypt bool, wrong string) cipher.BlockMode {
	if len(iv) != aes.BlockSize {
		panic(wrong)
	}
	return &cbc{b.key, [aes.BlockSize]byte(iv), encrypt}
}

func (c *cbc) BlockSize() int { return aes.BlockSize }

func (c *cbc) CryptBlocks(dst, src []byte) {
	if len(src)%aes.BlockSize != 0 {
		panic("crypto/cipher: input not full blocks")
	}
	checkText(dst, src)
	c.key.CBC(c.encrypt, dst, src, &c.iv)
}

// SetIV begins anew, as the modes of crypto/cipher can.
func (c *cbc) SetIV(iv []byte) {
	if len(iv) != aes.BlockSize {
		panic("cipher: incorrect length IV")
	}
	copy(c.iv[:], iv)
}
