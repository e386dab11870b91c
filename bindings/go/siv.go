// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

package rijn

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"math/bits"

	"rijn.example/rijn-go/internal/core"
)

// NewGCMSIV is AES-GCM-SIV (RFC 8452), under a key of 16 or 32 bytes, or of 24
// as OpenSSL has it. Nonces have 12 bytes, tags 16. A nonce used twice gives
// away no more than whether two messages are equal. Texts and associated data
// have 64 GiB at most.
func NewGCMSIV(key []byte) (cipher.AEAD, error) {
	set, err := core.Set()
	if err != nil {
		return nil, err
	}
	return newSIV(set, key)
}

func newSIV(set int, key []byte) (cipher.AEAD, error) {
	b, err := newBlock(set, key)
	if err != nil {
		return nil, err
	}
	s := &siv{set: set, block: b, keyLen: len(key)}
	if set >= 0 {
		s.key = core.NewSIV(set, key)
	}
	return s, nil
}

// siv does messages of one section by Rijn's kernel for them, and others by
// blocks and GHASH.
type siv struct {
	set    int
	key    core.SIV
	block  cipher.Block
	keyLen int
}

func (*siv) NonceSize() int { return nonceSize }

func (*siv) Overhead() int { return tagSize }

const sivMax = 1 << 36 // RFC 8452, section 6

func (s *siv) check(nonce, in, data []byte, tag int) {
	if len(nonce) != nonceSize {
		panic("rijn: incorrect nonce length given to AES-GCM-SIV")
	}
	if uint64(len(in)-tag) > sivMax && len(in) >= tag {
		panic("rijn: message too large for AES-GCM-SIV")
	}
	if uint64(len(data)) > sivMax {
		panic("rijn: additional data too large for AES-GCM-SIV")
	}
}

func (s *siv) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	s.check(nonce, plaintext, additionalData, 0)
	ret, out := core.Append(dst, len(plaintext)+tagSize)
	checkOverlap(out, plaintext, additionalData)
	if s.set >= 0 && max(len(plaintext), len(additionalData)) <= core.MaxSIV {
		var own [24]byte
		copy(own[:], nonce)
		s.key.Seal(out, &own, plaintext, additionalData)
		return ret
	}
	m := s.message([nonceSize]byte(nonce))
	tag := m.tag(plaintext, additionalData)
	m.crypt(out, plaintext, tag)
	copy(out[len(plaintext):], tag[:])
	return ret
}

func (s *siv) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	s.check(nonce, ciphertext, additionalData, tagSize)
	n := len(ciphertext) - tagSize
	if n < 0 {
		return nil, core.ErrOpen
	}
	ret, out := core.Append(dst, n)
	checkOverlap(out, ciphertext, additionalData)
	if s.set >= 0 && max(n, len(additionalData)) <= core.MaxSIV {
		var own [24]byte
		copy(own[:], nonce)
		if !s.key.Open(out, &own, ciphertext, additionalData) {
			return nil, core.ErrOpen
		}
		return ret, nil
	}
	m := s.message([nonceSize]byte(nonce))
	given := [tagSize]byte(ciphertext[n:])
	m.crypt(out, ciphertext[:n], given)
	right := m.tag(out, additionalData)
	if subtle.ConstantTimeCompare(right[:], given[:]) != 1 {
		clear(out)
		return nil, core.ErrOpen
	}
	return ret, nil
}

// ---------------------------------------------------------------- by blocks and GHASH

// sivMessage has the keys of one message.
type sivMessage struct {
	block cipher.Block
	hash  ghash
	nonce [nonceSize]byte
}

// message derives them (RFC 8452, section 4).
func (s *siv) message(nonce [nonceSize]byte) *sivMessage {
	var b [16]byte
	var keys [16 + 32]byte
	for i := range 2 + s.keyLen/8 {
		binary.LittleEndian.PutUint32(b[:], uint32(i))
		copy(b[4:], nonce[:])
		s.block.Encrypt(b[:], b[:])
		copy(keys[8*i:], b[:8])
	}
	enc, err := newBlock(s.set, keys[16:16+s.keyLen])
	if err != nil {
		panic(err) // the length is one of AES
	}
	m := &sivMessage{enc, newGHASH(s.set, polyvalKey([16]byte(keys[:]))), nonce}
	clear(keys[:])
	return m
}

// polyvalKey is the subkey of GHASH for that of POLYVAL: its bytes reversed,
// times x (RFC 8452, appendix A). CT: the bit that falls out is a mask.
func polyvalKey(h [16]byte) (k [16]byte) {
	hi, lo := binary.LittleEndian.Uint64(h[8:]), binary.LittleEndian.Uint64(h[:])
	binary.BigEndian.PutUint64(k[:], hi>>1^-(lo&1)&(0xe1<<56))
	binary.BigEndian.PutUint64(k[8:], lo>>1|hi<<63)
	return k
}

const sivAtOnce = 4096

func (m *sivMessage) tag(text, data []byte) [tagSize]byte {
	var acc, lengths [16]byte
	m.absorb(&acc, data)
	m.absorb(&acc, text)
	binary.LittleEndian.PutUint64(lengths[:], uint64(len(data))*8)
	binary.LittleEndian.PutUint64(lengths[8:], uint64(len(text))*8)
	m.absorb(&acc, lengths[:])
	tag := reversed(acc)
	subtle.XORBytes(tag[:], tag[:nonceSize], m.nonce[:])
	tag[15] &= 0x7f
	m.block.Encrypt(tag[:], tag[:])
	return tag
}

// absorb adds bytes to the hash, with zeros up to a block.
func (m *sivMessage) absorb(acc *[16]byte, p []byte) {
	var buf [sivAtOnce]byte
	for len(p) != 0 {
		n := copy(buf[:], p)
		whole := (n + 15) &^ 15
		clear(buf[n:whole])
		for i := 0; i < whole; i += 16 {
			b := reversed([16]byte(buf[i:]))
			copy(buf[i:], b[:])
		}
		m.hash.Update(acc, buf[:whole])
		p = p[n:]
	}
	clear(buf[:])
}

func reversed(b [16]byte) (r [16]byte) {
	binary.LittleEndian.PutUint64(r[:], bits.ReverseBytes64(binary.LittleEndian.Uint64(b[8:])))
	binary.LittleEndian.PutUint64(r[8:], bits.ReverseBytes64(binary.LittleEndian.Uint64(b[:])))
	return r
}

// crypt is CTR from the tag on, whose first four bytes count.
func (m *sivMessage) crypt(out, in []byte, tag [tagSize]byte) {
	var buf [sivAtOnce]byte
	tag[15] |= 0x80
	counter := binary.LittleEndian.Uint32(tag[:])
	for len(in) != 0 {
		n := min(len(in), len(buf))
		whole := (n + 15) &^ 15
		for i := 0; i < whole; i += 16 {
			copy(buf[i:], tag[:])
			binary.LittleEndian.PutUint32(buf[i:], counter)
			counter++
		}
		encryptBlocks(m.block, buf[:whole])
		subtle.XORBytes(out, in[:n], buf[:n])
		out, in = out[n:], in[n:]
	}
	clear(buf[:])
}

// encryptBlocks is ECB in place.
func encryptBlocks(b cipher.Block, p []byte) {
	if own, ok := b.(*block); ok {
		own.key.ECB(true, p, p)
		return
	}
	for i := 0; i < len(p); i += aes.BlockSize {
		b.Encrypt(p[i:], p[i:])
	}
}
