// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

package rijn

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"

	"rijn.example/rijn-go/internal/core"
)

// XTS is AES-XTS (IEEE 1619) under one key, for disks. It has no integrity: a
// changed ciphertext decrypts to something, and nobody is told. Many goroutines
// may use it at once.
type XTS struct {
	set       int
	key       core.XTS
	data, twk cipher.Block // of a machine without kernels
}

// NewXTS makes a key of 32 bytes (AES-128) or 64 (AES-256), the data key first.
// Keys with two equal halves are refused.
func NewXTS(key []byte) (*XTS, error) {
	set, err := core.Set()
	if err != nil {
		return nil, err
	}
	return newXTS(set, key)
}

func newXTS(set int, key []byte) (*XTS, error) {
	half := len(key) / 2
	if len(key) != 32 && len(key) != 64 {
		return nil, errors.New("rijn: an XTS key has 32 or 64 bytes")
	}
	if subtle.ConstantTimeCompare(key[:half], key[half:]) == 1 {
		return nil, errors.New("rijn: both halves of the XTS key are equal")
	}
	x := &XTS{set: set}
	if set >= 0 {
		x.key, _ = core.NewXTS(set, key)
		return x, nil
	}
	var err error
	if x.data, err = aes.NewCipher(key[:half]); err != nil {
		return nil, err
	}
	x.twk, err = aes.NewCipher(key[half:])
	return x, err
}

// Encrypt encrypts one data unit, of 16 bytes to 16 MiB, whose tweak is the
// number of a sector: as 16 bytes, the lowest first. The length need not be a
// multiple of 16: then the end is by ciphertext stealing. It panics if the
// length is another, dst is shorter than src, or they overlap inexactly.
func (x *XTS) Encrypt(dst, src []byte, sector uint64) { x.unit(true, dst, src, tweakOf(sector)) }

// Decrypt is the inverse of Encrypt.
func (x *XTS) Decrypt(dst, src []byte, sector uint64) { x.unit(false, dst, src, tweakOf(sector)) }

// EncryptTweak is Encrypt with any tweak.
func (x *XTS) EncryptTweak(dst, src []byte, tweak [16]byte) { x.unit(true, dst, src, tweak) }

// DecryptTweak is Decrypt with any tweak.
func (x *XTS) DecryptTweak(dst, src []byte, tweak [16]byte) { x.unit(false, dst, src, tweak) }

// EncryptSectors encrypts a run of sectors of size bytes, a power of two from
// 512 to 65536. Sector i has the number first + i*step: step is 1 where numbers
// count sectors, and 8 where they count 512 bytes and sectors have 4096. It
// panics where Encrypt does, if src is no whole number of sectors, or if a
// number has more than 64 bits.
func (x *XTS) EncryptSectors(dst, src []byte, size int, first, step uint64) {
	x.sectors(true, dst, src, size, first, step)
}

// DecryptSectors is the inverse of EncryptSectors.
func (x *XTS) DecryptSectors(dst, src []byte, size int, first, step uint64) {
	x.sectors(false, dst, src, size, first, step)
}

func tweakOf(sector uint64) (t [16]byte) {
	binary.LittleEndian.PutUint64(t[:], sector)
	return t
}

func (x *XTS) unit(encrypt bool, dst, src []byte, tweak [16]byte) {
	if len(src) < 16 || len(src) > 16<<20 {
		panic("rijn: an XTS data unit has 16 bytes to 16 MiB")
	}
	checkText(dst, src)
	if x.set >= 0 {
		x.key.Unit(encrypt, dst, src, &tweak)
	} else {
		x.portable(encrypt, dst, src, tweak)
	}
}

func (x *XTS) sectors(encrypt bool, dst, src []byte, size int, first, step uint64) {
	if size < 512 || size > 65536 || size&(size-1) != 0 {
		panic("rijn: a sector has a power of two from 512 to 65536 bytes")
	}
	n := len(src) / size
	if len(src)%size != 0 {
		panic("rijn: no whole number of sectors")
	}
	if n > 1 && step > (1<<64-1-first)/uint64(n-1) {
		panic("rijn: the number of a sector has more than 64 bits")
	}
	checkText(dst, src)
	if x.set >= 0 {
		x.key.Sectors(encrypt, dst, src, size, first, step)
		return
	}
	for i := range n {
		at := i * size
		x.portable(encrypt, dst[at:at+size], src[at:at+size], tweakOf(first+uint64(i)*step))
	}
}

// portable is one data unit block by block (IEEE 1619, section 5.3).
func (x *XTS) portable(encrypt bool, dst, src []byte, tweak [16]byte) {
	crypt := x.data.Decrypt
	if encrypt {
		crypt = x.data.Encrypt
	}
	one := func(dst, src []byte, t *[16]byte) {
		var b [16]byte
		subtle.XORBytes(b[:], src[:16], t[:])
		crypt(b[:], b[:])
		subtle.XORBytes(dst, b[:], t[:])
	}
	t := &tweak
	x.twk.Encrypt(t[:], t[:])
	rest := len(src) % 16
	for ; len(src) >= 32 || len(src) == 16; dst, src = dst[16:], src[16:] {
		one(dst, src, t)
		times2(t)
	}
	if rest == 0 {
		return
	}
	// The last whole block and the rest change places. Decryption takes the two
	// tweaks in the other order.
	next := *t
	times2(&next)
	before, behind := t, &next
	if !encrypt {
		before, behind = behind, before
	}
	var b [16]byte
	one(b[:], src, before)
	end := b
	copy(end[:], src[16:])
	copy(dst[16:], b[:rest])
	one(dst, end[:], behind)
}

// times2 multiplies a tweak by x. CT: the bit that falls out is a mask.
func times2(t *[16]byte) {
	lo, hi := binary.LittleEndian.Uint64(t[:]), binary.LittleEndian.Uint64(t[8:])
	binary.LittleEndian.PutUint64(t[:], lo<<1^-(hi>>63)&0x87)
	binary.LittleEndian.PutUint64(t[8:], hi<<1|lo>>63)
}
