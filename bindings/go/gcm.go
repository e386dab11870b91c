// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

package rijn

import (
	"crypto/cipher"
	"crypto/rand"
	"errors"

	"rijn.example/rijn-go/internal/core"
)

// NewGCM is [cipher.NewGCM]. A block of [NewCipher] has Rijn's GCM with either.
func NewGCM(block cipher.Block) (cipher.AEAD, error) { return cipher.NewGCM(block) }

// NewGCMWithNonceSize is [cipher.NewGCMWithNonceSize].
func NewGCMWithNonceSize(block cipher.Block, size int) (cipher.AEAD, error) {
	return cipher.NewGCMWithNonceSize(block, size)
}

// NewGCMWithTagSize is [cipher.NewGCMWithTagSize].
func NewGCMWithTagSize(block cipher.Block, tagSize int) (cipher.AEAD, error) {
	return cipher.NewGCMWithTagSize(block, tagSize)
}

// NewGCM is called by package cipher, for its three functions of that name.
func (b *block) NewGCM(nonceSize, tagSize int) (cipher.AEAD, error) {
	if tagSize < 12 || tagSize > 16 {
		return nil, errors.New("cipher: incorrect tag size given to GCM")
	}
	if nonceSize <= 0 {
		return nil, errors.New("cipher: the nonce can't have zero length")
	}
	return core.NewGCM(b.set, b.raw[:b.len], nonceSize, tagSize), nil
}

// NewGCMWithRandomNonce is [cipher.NewGCMWithRandomNonce], for blocks of
// [NewCipher] too: Seal makes a random nonce of 12 bytes and puts it before the
// ciphertext. One key seals at most 2^32 messages.
func NewGCMWithRandomNonce(b cipher.Block) (cipher.AEAD, error) {
	own, ok := b.(*block)
	if !ok {
		return cipher.NewGCMWithRandomNonce(b)
	}
	return randomNonce{core.NewGCM(own.set, own.raw[:own.len], nonceSize, tagSize)}, nil
}

const (
	nonceSize = 12
	tagSize   = 16
)

type randomNonce struct{ gcm *core.GCM }

func (randomNonce) NonceSize() int { return 0 }

func (randomNonce) Overhead() int { return nonceSize + tagSize }

// checkOverlap has the panics of crypto/cipher.
func checkOverlap(out, in, data []byte) {
	if core.InexactOverlap(out, in) {
		panic("crypto/cipher: invalid buffer overlap of output and input")
	}
	if core.AnyOverlap(out, data) {
		panic("crypto/cipher: invalid buffer overlap of output and additional data")
	}
}

func (g randomNonce) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	if len(nonce) != 0 {
		panic("crypto/cipher: non-empty nonce passed to GCMWithRandomNonce")
	}
	if uint64(len(plaintext)) > 1<<36-32 {
		panic("crypto/cipher: message too large for GCM")
	}
	ret, out := core.Append(dst, nonceSize+len(plaintext)+tagSize)
	checkOverlap(out, plaintext, additionalData)
	// In place the text moves to behind the nonce first.
	text := out[nonceSize : nonceSize+len(plaintext)]
	if core.AnyOverlap(out, plaintext) {
		copy(text, plaintext)
		plaintext = text
	}
	rand.Read(out[:nonceSize])
	core.SealTo(g.gcm, out[nonceSize:], out[:nonceSize], plaintext, additionalData)
	return ret
}

func (g randomNonce) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	if len(nonce) != 0 {
		panic("crypto/cipher: non-empty nonce passed to GCMWithRandomNonce")
	}
	n := len(ciphertext) - nonceSize - tagSize
	if n < 0 || uint64(n) > 1<<36-32 {
		return nil, core.ErrOpen
	}
	ret, out := core.Append(dst, n)
	checkOverlap(out, ciphertext, additionalData)
	own := [nonceSize]byte(ciphertext)
	in := ciphertext[nonceSize:]
	if core.AnyOverlap(out, ciphertext) { // in place: the ciphertext moves to where the text will be
		whole := ciphertext[:len(in)]
		copy(whole, in)
		in = whole
	}
	if !core.OpenTo(g.gcm, out, own[:], in, additionalData) {
		return nil, core.ErrOpen
	}
	return ret, nil
}
