// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

package rijn

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"rijn.example/rijn-go/internal/core"
)

// eachSet runs a test with every set that this machine has, and with -1, which
// is the standard library.
func eachSet(t *testing.T, f func(t *testing.T, set int, r *rand.Rand)) {
	if _, err := core.Set(); err != nil {
		t.Fatal(err)
	}
	for _, set := range append(core.Sets(), -1) {
		t.Run(core.Name(set), func(t *testing.T) { f(t, set, rand.New(rand.NewPCG(1, 2))) })
	}
}

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// length draws one: short ones most often, and some that go in sections.
func length(r *rand.Rand, i int) int {
	switch {
	case i%40 == 39:
		return r.IntN(200_000)
	case i%8 == 7:
		return r.IntN(20_000)
	default:
		return r.IntN(2200)
	}
}

func rounds() int {
	if testing.Short() {
		return 200
	}
	return 800
}

func mustBlock(t testing.TB, set int, key []byte) cipher.Block {
	t.Helper()
	b, err := newBlock(set, key)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// checkAEAD holds two AEADs against each other: a message, in place and not, and
// one that is forged.
func checkAEAD(t *testing.T, r *rand.Rand, a, want cipher.AEAD, n, data int) {
	t.Helper()
	text, aad, nonce := random(r, n), random(r, data), random(r, a.NonceSize())
	right := want.Seal(nil, nonce, text, aad)
	if got := a.Seal([]byte("head"), nonce, text, aad); !bytes.Equal(got[4:], right) || string(got[:4]) != "head" {
		t.Fatalf("Seal of %d bytes, %d of associated data: another answer", n, data)
	}
	inPlace := append(make([]byte, 0, n+a.Overhead()), text...)
	if got := a.Seal(inPlace[:0], nonce, inPlace, aad); !bytes.Equal(got, right) {
		t.Fatalf("Seal of %d bytes in place: another answer", n)
	}
	if got, err := a.Open(nil, nonce, right, aad); err != nil || !bytes.Equal(got, text) {
		t.Fatalf("Open of %d bytes: %v", n, err)
	}
	if got, err := a.Open(inPlace[:0], nonce, inPlace[:n+a.Overhead()], aad); err != nil || !bytes.Equal(got, text) {
		t.Fatalf("Open of %d bytes in place: %v", n, err)
	}
	right[r.IntN(len(right))] ^= 1 << r.IntN(8)
	room := bytes.Repeat([]byte{0xaa}, n)
	if _, err := a.Open(room[:0], nonce, right, aad); err == nil || err.Error() != "cipher: message authentication failed" {
		t.Fatalf("Open of a forgery of %d bytes: %v", n, err)
	}
	if !bytes.Equal(room, make([]byte, n)) {
		t.Fatalf("Open of a forgery of %d bytes left something", n)
	}
}

func TestGCM(t *testing.T) {
	eachSet(t, func(t *testing.T, set int, r *rand.Rand) {
		for i := range rounds() {
			key := random(r, 16+8*(i%3))
			a, _ := aes.NewCipher(key)
			b := mustBlock(t, set, key)
			got, _ := cipher.NewGCM(b)
			want, _ := cipher.NewGCM(a)
			if i%5 == 1 {
				got, _ = cipher.NewGCMWithNonceSize(b, 1+i%40)
				want, _ = cipher.NewGCMWithNonceSize(a, 1+i%40)
			}
			if i%5 == 2 {
				got, _ = cipher.NewGCMWithTagSize(b, 12+i%5)
				want, _ = cipher.NewGCMWithTagSize(a, 12+i%5)
			}
			data := r.IntN(100)
			if i%50 == 49 {
				data = r.IntN(150_000)
			}
			checkAEAD(t, r, got, want, length(r, i), data)
		}
	})
}

// Each length up to where a message has passes of the kernels.
func TestGCMLengths(t *testing.T) {
	eachSet(t, func(t *testing.T, set int, r *rand.Rand) {
		key := random(r, 32)
		a, _ := aes.NewCipher(key)
		want, _ := cipher.NewGCM(a)
		got, _ := cipher.NewGCM(mustBlock(t, set, key))
		step := 1
		if testing.Short() {
			step = 7
		}
		for n := 0; n < 2300; n += step {
			checkAEAD(t, r, got, want, n, n%33)
		}
	})
}

func TestRandomNonce(t *testing.T) {
	eachSet(t, func(t *testing.T, set int, r *rand.Rand) {
		key := random(r, 32)
		got, err := NewGCMWithRandomNonce(mustBlock(t, set, key))
		if err != nil {
			t.Fatal(err)
		}
		std, _ := aes.NewCipher(key)
		want, _ := cipher.NewGCMWithRandomNonce(std)
		if got.NonceSize() != 0 || got.Overhead() != 28 {
			t.Fatal("sizes", got.NonceSize(), got.Overhead())
		}
		for _, n := range []int{0, 1, 16, 100, 5000, 100_000} {
			text, aad := random(r, n), random(r, 20)
			room := append(make([]byte, 0, n+28), text...)
			sealed := got.Seal(room[:0], nil, room, aad)
			if open, err := want.Open(nil, nil, sealed, aad); err != nil || !bytes.Equal(open, text) {
				t.Fatal("crypto/cipher does not open it", n, err)
			}
			if open, err := got.Open(sealed[:0], nil, sealed, aad); err != nil || !bytes.Equal(open, text) {
				t.Fatal("Open in place", n, err)
			}
			sealed = want.Seal(nil, nil, text, aad)
			if open, err := got.Open(nil, nil, sealed, aad); err != nil || !bytes.Equal(open, text) {
				t.Fatal("Open", n, err)
			}
		}
	})
}

// The modes that the standard library has not, beside what this package does
// without kernels.
func TestSIVAndXAES(t *testing.T) {
	eachSet(t, func(t *testing.T, set int, r *rand.Rand) {
		for i := range rounds() / 4 {
			key := random(r, 16+8*(i%3))
			got, _ := newSIV(set, key)
			want, _ := newSIV(-1, key)
			checkAEAD(t, r, got, want, length(r, i)/2, r.IntN(80))
			key = random(r, 32)
			got, _ = newXAES(set, key)
			want, _ = newXAES(-1, key)
			checkAEAD(t, r, got, want, length(r, i), r.IntN(80))
		}
	})
}

// C2SP, XAES-256-GCM, and RFC 8452, appendix C.1.
func TestAnswers(t *testing.T) {
	eachSet(t, func(t *testing.T, set int, _ *rand.Rand) {
		x, _ := newXAES(set, bytes.Repeat([]byte{1}, 32))
		got := x.Seal(nil, []byte("ABCDEFGHIJKLMNOPQRSTUVWX"), []byte("XAES-256-GCM"), nil)
		if hex.EncodeToString(got) != "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271" {
			t.Errorf("XAES-256-GCM: %x", got)
		}
		key := make([]byte, 16)
		key[0] = 1
		nonce := make([]byte, 12)
		nonce[0] = 3
		s, _ := newSIV(set, key)
		got = s.Seal(nil, nonce, []byte{1, 0, 0, 0, 0, 0, 0, 0}, nil)
		if hex.EncodeToString(got) != "b5d839330ac7b786578782fff6013b815b287c22493a364c" {
			t.Errorf("AES-GCM-SIV: %x", got)
		}
	})
}

func TestStreams(t *testing.T) {
	eachSet(t, func(t *testing.T, set int, r *rand.Rand) {
		for i := range rounds() / 2 {
			key, iv := random(r, 16+8*(i%3)), random(r, 16)
			if i%4 == 0 {
				iv = append(bytes.Repeat([]byte{0xff}, 15), byte(256-i%9-1))
			}
			a, _ := aes.NewCipher(key)
			b := mustBlock(t, set, key)
			got, want := cipher.NewCTR(b, iv), cipher.NewCTR(a, iv)
			for range 4 {
				text := random(r, length(r, i))
				x, y := make([]byte, len(text)), make([]byte, len(text))
				got.XORKeyStream(x, text)
				want.XORKeyStream(y, text)
				if !bytes.Equal(x, y) {
					t.Fatal("CTR", len(text))
				}
			}
			text := random(r, length(r, i)&^15)
			for _, modes := range [][2]cipher.BlockMode{
				{cipher.NewCBCEncrypter(b, iv), cipher.NewCBCEncrypter(a, iv)},
				{cipher.NewCBCDecrypter(b, iv), cipher.NewCBCDecrypter(a, iv)},
			} {
				for range 2 {
					x, y := bytes.Clone(text), make([]byte, len(text))
					modes[0].CryptBlocks(x, x)
					modes[1].CryptBlocks(y, text)
					if !bytes.Equal(x, y) {
						t.Fatal("CBC", len(text))
					}
				}
			}
			one := random(r, 16)
			x, y := make([]byte, 16), make([]byte, 16)
			b.Encrypt(x, one)
			a.Encrypt(y, one)
			b.Decrypt(one, x)
			a.Decrypt(x, y)
			if !bytes.Equal(one, x) {
				t.Fatal("a block")
			}
		}
	})
}

func TestXTS(t *testing.T) {
	eachSet(t, func(t *testing.T, set int, r *rand.Rand) {
		for i := range rounds() / 2 {
			key := random(r, 32+32*(i%2))
			got, err := newXTS(set, key)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := newXTS(-1, key)
			text := random(r, 16+length(r, i))
			if i%40 == 3 {
				text = random(r, 2<<16+i%50)
			}
			tweak := [16]byte(random(r, 16))
			x, y := make([]byte, len(text)), make([]byte, len(text))
			got.EncryptTweak(x, text, tweak)
			want.EncryptTweak(y, text, tweak)
			if !bytes.Equal(x, y) {
				t.Fatal("Encrypt", len(text))
			}
			if got.DecryptTweak(x, x, tweak); !bytes.Equal(x, text) {
				t.Fatal("Decrypt", len(text))
			}
			if want.DecryptTweak(y, y, tweak); !bytes.Equal(y, text) {
				t.Fatal("Decrypt without kernels", len(text))
			}
			size := 512 << (i % 4)
			text = random(r, size*(1+i%70))
			x, y = make([]byte, len(text)), bytes.Clone(text)
			got.EncryptSectors(x, text, size, uint64(i), 8)
			want.EncryptSectors(y, y, size, uint64(i), 8)
			if !bytes.Equal(x, y) {
				t.Fatal("EncryptSectors", size, len(text))
			}
			if got.DecryptSectors(x, x, size, uint64(i), 8); !bytes.Equal(x, text) {
				t.Fatal("DecryptSectors", size, len(text))
			}
		}
	})
}

func TestRows(t *testing.T) {
	eachSet(t, func(t *testing.T, set int, r *rand.Rand) {
		for i := range rounds() / 4 {
			key := random(r, 32)
			gcm, _ := cipher.NewGCM(mustBlock(t, set, key))
			n, size, data := r.IntN(300), r.IntN(200), r.IntN(3)*8
			if i%20 == 0 {
				size = 20_000 // longer than a row for the kernels
				n %= 5
			}
			nonces, texts, aad := random(r, 12*n), random(r, n*size), random(r, n*data)
			sealed := SealRows(gcm, []byte("x"), nonces, texts, aad)[1:]
			for k := range n {
				want := gcm.Seal(nil, nonces[12*k:12*k+12], texts[k*size:(k+1)*size], aad[k*data:(k+1)*data])
				if !bytes.Equal(want, sealed[k*(size+16):(k+1)*(size+16)]) {
					t.Fatal("SealRows", n, size, data, k)
				}
			}
			if got, err := OpenRows(gcm, nil, nonces, sealed, aad); err != nil || !bytes.Equal(got, texts) {
				t.Fatal("OpenRows", n, size, data, err)
			}
			if n == 0 {
				continue
			}
			bad := r.IntN(n)
			sealed[bad*(size+16)+size] ^= 1
			got, err := OpenRows(gcm, nil, nonces, sealed, aad)
			e, ok := err.(*RowsError)
			if !ok || len(e.Rows) != 1 || e.Rows[0] != bad {
				t.Fatal("OpenRows of a forgery", err)
			}
			clear(texts[bad*size : (bad+1)*size])
			if !bytes.Equal(got, texts) {
				t.Fatal("OpenRows of a forgery left something, or spoilt another")
			}
		}
	})
}

func TestBatch(t *testing.T) {
	eachSet(t, func(t *testing.T, set int, r *rand.Rand) {
		for i := range rounds() / 8 {
			gcm, _ := cipher.NewGCM(mustBlock(t, set, random(r, 32)))
			m := make([]Message, r.IntN(200))
			for k := range m {
				m[k] = Message{Nonce: random(r, 12), Text: random(r, length(r, k+i)), AdditionalData: random(r, r.IntN(20))}
			}
			SealBatch(gcm, m)
			open := make([]Message, len(m))
			for k, one := range m {
				if want := gcm.Seal(nil, one.Nonce, one.Text, one.AdditionalData); !bytes.Equal(want, one.Out) {
					t.Fatal("SealBatch", k, len(one.Text))
				}
				open[k] = Message{Nonce: one.Nonce, Text: one.Out, AdditionalData: one.AdditionalData}
			}
			bad := -1
			if len(m) != 0 && i%2 == 0 {
				bad = r.IntN(len(m))
				open[bad].Text = bytes.Clone(open[bad].Text)
				open[bad].Text[0] ^= 1
			}
			if err := OpenBatch(gcm, open); (err != nil) != (bad >= 0) {
				t.Fatal("OpenBatch", err)
			}
			for k, one := range open {
				if (one.Err != nil) != (k == bad) || k != bad && !bytes.Equal(one.Out, m[k].Text) {
					t.Fatal("OpenBatch", k, one.Err)
				}
			}
		}
	})
}

// FuzzGCM: every set against the standard library.
func FuzzGCM(f *testing.F) {
	f.Add([]byte("0123456789abcdef"), []byte("nonce of 12b"), []byte("text"), []byte("data"))
	f.Add(make([]byte, 32), make([]byte, 12), make([]byte, 70_000), []byte{})
	f.Fuzz(func(t *testing.T, key, nonce, text, data []byte) {
		a, err := aes.NewCipher(key)
		if err != nil || len(nonce) == 0 {
			return
		}
		want, _ := cipher.NewGCMWithNonceSize(a, len(nonce))
		right := want.Seal(nil, nonce, text, data)
		for _, set := range core.Sets() {
			got, _ := cipher.NewGCMWithNonceSize(mustBlock(t, set, key), len(nonce))
			if !bytes.Equal(got.Seal(nil, nonce, text, data), right) {
				t.Fatal(core.Name(set))
			}
			if open, err := got.Open(nil, nonce, right, data); err != nil || !bytes.Equal(open, text) {
				t.Fatal(core.Name(set), err)
			}
		}
	})
}
