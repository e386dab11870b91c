// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

package core

import (
	"errors"
	"strconv"
	"unsafe"
)

const (
	maxText  = 1<<36 - 32 // SP 800-38D, section 5.2.1.1
	standard = 12         // bytes of a nonce that need not be hashed
)

// ErrOpen is the error of a message that is not authentic. It says what
// crypto/cipher says.
var ErrOpen = errors.New("cipher: message authentication failed")

// GCM is AES-GCM under one key: a cipher.AEAD.
type GCM struct {
	key                unsafe.Pointer
	seal, open         uintptr // kernels of the key's set
	tagSize, nonceSize int
}

type initArgs struct {
	key unsafe.Pointer
	raw unsafe.Pointer
	len int
	// GCM's has the tag's length here, and the set behind it.
	x, y int
	_    [4]uintptr
}

// NewGCM makes a key. The sizes have been looked at.
func NewGCM(set int, raw []byte, nonceSize, tagSize int) *GCM {
	g := &GCM{newObject(sizeGcm), rows[set].kernels[kernelGcmEncrypt], rows[set].kernels[kernelGcmDecrypt], tagSize, nonceSize}
	a := initArgs{key: g.key, raw: place(raw, nil), len: len(raw), x: tagSize, y: set}
	must(call2k(base+callGcmInitImpl, unsafe.Pointer(&a)))
	return g
}

// must panics where C code refuses what Go has made sure of.
func must(err int32) {
	if err != 0 {
		panic("rijn: internal error " + strconv.Itoa(int(err)))
	}
}

// NonceSize is that of cipher.AEAD.
func (g *GCM) NonceSize() int { return g.nonceSize }

// Overhead is that of cipher.AEAD.
func (g *GCM) Overhead() int { return g.tagSize }

type gcmArgs struct {
	key, out, in unsafe.Pointer
	len          int
	aad          unsafe.Pointer
	aadLen       int
	nonce        unsafe.Pointer
	nonceLen     int
	tag          unsafe.Pointer
}

// checkOverlap has the panics of crypto/cipher.
func checkOverlap(out, in, aad []byte) {
	if InexactOverlap(out, in) {
		panic("crypto/cipher: invalid buffer overlap of output and input")
	}
	if AnyOverlap(out, aad) {
		panic("crypto/cipher: invalid buffer overlap of output and additional data")
	}
}

// Seal is that of cipher.AEAD.
func (g *GCM) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	if len(nonce) != g.nonceSize {
		panic("crypto/cipher: incorrect nonce length given to GCM")
	}
	if uint64(len(plaintext)) > maxText {
		panic("crypto/cipher: message too large for GCM")
	}
	ret, out := Append(dst, len(plaintext)+g.tagSize)
	checkOverlap(out, plaintext, additionalData)
	SealTo(g, out, nonce, plaintext, additionalData)
	return ret
}

// SealTo writes text and tag. The rules have been looked at. WHY no method:
// crypto/cipher's tests want no other methods than those of an AEAD.
func SealTo(g *GCM, out, nonce, plaintext, additionalData []byte) {
	raceRead(plaintext)
	raceRead(additionalData)
	raceWrite(out)
	n := len(plaintext)
	if n > section || len(additionalData) > section {
		g.sealLong(out, nonce, plaintext, additionalData)
		return
	}
	p := unsafe.Pointer(unsafe.SliceData(out))
	var own [standard]byte
	a := gcmArgs{g.key, p, place(plaintext, p), n, place(additionalData, nil), len(additionalData), place(nonce, nil), len(nonce), unsafe.Add(p, n)}
	if len(nonce) == standard && AnyOverlap(out, nonce) { // kernels read it again when some text is written
		own = [standard]byte(nonce)
		a.nonce = unsafe.Pointer(&own)
	}
	g.call(g.seal, &a)
}

// call calls a kernel for one message, by the frame that such a text needs.
func (g *GCM) call(kernel uintptr, a *gcmArgs) int32 {
	if a.len < tableFrom {
		return call2k(kernel, unsafe.Pointer(a))
	}
	return call12k(kernel, unsafe.Pointer(a))
}

// Open is that of cipher.AEAD. What is not authentic leaves zeros.
func (g *GCM) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	if len(nonce) != g.nonceSize {
		panic("crypto/cipher: incorrect nonce length given to GCM")
	}
	n := len(ciphertext) - g.tagSize
	if n < 0 || uint64(n) > maxText {
		return nil, ErrOpen
	}
	ret, out := Append(dst, n)
	checkOverlap(out, ciphertext, additionalData)
	if !OpenTo(g, out, nonce, ciphertext, additionalData) {
		return nil, ErrOpen
	}
	return ret, nil
}

// OpenTo writes the text, or zeros. The rules have been looked at.
func OpenTo(g *GCM, out, nonce, ciphertext, additionalData []byte) bool {
	raceRead(ciphertext)
	raceRead(additionalData)
	raceWrite(out)
	n := len(out)
	if n > section || len(additionalData) > section {
		return g.openLong(out, nonce, ciphertext, additionalData)
	}
	in := unsafe.Pointer(unsafe.SliceData(ciphertext))
	var own [standard]byte
	a := gcmArgs{g.key, place(out, in), in, n, place(additionalData, nil), len(additionalData), place(nonce, nil), len(nonce), unsafe.Add(in, n)}
	if len(nonce) == standard && AnyOverlap(out, nonce) { // kernels read it again when some text is written
		own = [standard]byte(nonce)
		a.nonce = unsafe.Pointer(&own)
	}
	return g.call(g.open, &a) == 0
}

// ---------------------------------------------------------------- long messages, in sections

const sizeStream = 256 // RIJN_GCM_STREAM_SIZE

// A stream of rijn.h. It names the key and the table, which stay where they are.
type stream struct{ p unsafe.Pointer }

type streamArgs struct {
	stream, a unsafe.Pointer // out, key or associated data
	b         unsafe.Pointer // in or nonce
	len       int
	_         [5]uintptr
}

// begin opens a stream and gives it the associated data.
func (g *GCM) begin(call uintptr, nonce, aad []byte) stream {
	s := stream{newObject(sizeStream)}
	a := streamArgs{stream: s.p, a: g.key, b: place(nonce, nil), len: len(nonce)}
	must(call2k(base+call, unsafe.Pointer(&a)))
	type aadArgs struct {
		stream, data unsafe.Pointer
		len          int
		_            [6]uintptr
	}
	for len(aad) != 0 {
		part := aad[:min(len(aad), section)]
		d := aadArgs{stream: s.p, data: place(part, nil), len: len(part)}
		must(call2k(base+callGcmAad, unsafe.Pointer(&d)))
		aad = aad[len(part):]
	}
	return s
}

// update does the text, from in to out.
func (s stream) update(out, in []byte) {
	for len(in) != 0 {
		n := min(len(in), section)
		a := streamArgs{stream: s.p, a: place(out, nil), b: place(in, nil), len: n}
		must(call2k(base+callGcmUpdate, unsafe.Pointer(&a)))
		out, in = out[n:], in[n:]
	}
}

func (g *GCM) sealLong(out, nonce, plaintext, aad []byte) {
	s := g.begin(callGcmEncryptStart, nonce, aad)
	s.update(out, plaintext)
	a := streamArgs{stream: s.p, a: place(out[len(plaintext):], nil)}
	must(call2k(base+callGcmEncryptFinish, unsafe.Pointer(&a)))
}

func (g *GCM) openLong(out, nonce, ciphertext, aad []byte) bool {
	s := g.begin(callGcmDecryptStart, nonce, aad)
	s.update(out, ciphertext[:len(out)])
	a := streamArgs{stream: s.p, a: place(ciphertext[len(out):], nil)}
	ok := call2k(base+callGcmDecryptFinish, unsafe.Pointer(&a)) == 0
	if !ok {
		clear(out)
	}
	return ok
}
