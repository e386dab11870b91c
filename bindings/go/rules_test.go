// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

package rijn

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"rijn.example/rijn-go/internal/core"
)

// said is what a function panics with, or "".
func said(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

// What crypto/cipher refuses is refused in the same words.
func TestRefused(t *testing.T) {
	eachSet(t, func(t *testing.T, set int, r *rand.Rand) {
		key := random(r, 32)
		std, _ := aes.NewCipher(key)
		own := mustBlock(t, set, key)
		buf := make([]byte, 200)
		aead := func(f func(cipher.AEAD)) func(cipher.Block) {
			return func(b cipher.Block) {
				g, err := cipher.NewGCM(b)
				if err != nil {
					t.Fatal(err)
				}
				f(g)
			}
		}
		nonce, iv := buf[180:192], buf[180:196]
		for name, f := range map[string]func(cipher.Block){
			"nonce":         aead(func(g cipher.AEAD) { g.Seal(nil, nonce[:11], nil, nil) }),
			"nonce, open":   aead(func(g cipher.AEAD) { g.Open(nil, nonce[:11], buf[:20], nil) }),
			"overlap":       aead(func(g cipher.AEAD) { g.Seal(buf[1:1], nonce, buf[:50], nil) }),
			"overlap, tag":  aead(func(g cipher.AEAD) { g.Seal(buf[:0], nonce, buf[40:80], nil) }),
			"overlap, open": aead(func(g cipher.AEAD) { g.Open(buf[1:1], nonce, buf[:50], nil) }),
			"overlap, data": aead(func(g cipher.AEAD) { g.Seal(buf[:0], nonce, buf[:50], buf[60:70]) }),
			"block":         func(b cipher.Block) { b.Encrypt(buf, buf[:15]) },
			"block, out":    func(b cipher.Block) { b.Encrypt(buf[:15], buf) },
			"block, both":   func(b cipher.Block) { b.Decrypt(buf[1:], buf) },
			"iv":            func(b cipher.Block) { cipher.NewCTR(b, iv[:15]) },
			"iv, cbc":       func(b cipher.Block) { cipher.NewCBCEncrypter(b, iv[:15]) },
			"iv, cbc, dec":  func(b cipher.Block) { cipher.NewCBCDecrypter(b, iv[:15]) },
			"cbc, part":     func(b cipher.Block) { cipher.NewCBCEncrypter(b, iv).CryptBlocks(buf, buf[:17]) },
			"cbc, out":      func(b cipher.Block) { cipher.NewCBCEncrypter(b, iv).CryptBlocks(buf[:16], buf[:32]) },
			"cbc, overlap":  func(b cipher.Block) { cipher.NewCBCDecrypter(b, iv).CryptBlocks(buf[16:], buf[:32]) },
			"ctr, out":      func(b cipher.Block) { cipher.NewCTR(b, iv).XORKeyStream(buf[:16], buf[:32]) },
			"ctr, overlap":  func(b cipher.Block) { cipher.NewCTR(b, iv).XORKeyStream(buf[1:], buf[:32]) },
		} {
			got, want := said(func() { f(own) }), said(func() { f(std) })
			if got != want || want == "" {
				t.Errorf("%s: %q, and crypto/cipher says %q", name, got, want)
			}
		}
		for _, sizes := range [][2]int{{12, 11}, {12, 17}, {0, 16}} {
			_, got := newGCM(own, sizes)
			_, want := newGCM(std, sizes)
			if got == nil || got.Error() != want.Error() {
				t.Errorf("sizes %v: %v, and crypto/cipher says %v", sizes, got, want)
			}
		}
		for _, n := range []int{0, 15, 17, 31, 33, 64} {
			if _, err := newBlock(set, make([]byte, n)); err == nil || err.Error() != aes.KeySizeError(n).Error() {
				t.Errorf("a key of %d bytes: %v", n, err)
			}
		}
		if _, err := newXAES(set, make([]byte, 16)); err == nil {
			t.Error("XAES-256-GCM with 16 bytes of key")
		}
		for _, n := range []int{0, 16, 48, 63} {
			if _, err := newXTS(set, random(r, n)); err == nil {
				t.Errorf("XTS with %d bytes of key", n)
			}
		}
		if _, err := newXTS(set, make([]byte, 64)); err == nil {
			t.Error("XTS with equal halves")
		}
		x, _ := newXTS(set, key)
		for _, f := range []func(){
			func() { x.Encrypt(buf, buf[:15], 0) },
			func() { x.Encrypt(buf[:16], buf[:32], 0) },
			func() { x.Encrypt(buf[1:], buf[:32], 0) },
			func() { x.EncryptSectors(nil, nil, 500, 0, 1) },
			func() { x.EncryptSectors(make([]byte, 600), make([]byte, 600), 512, 0, 1) },
			func() { x.EncryptSectors(make([]byte, 1024), make([]byte, 1024), 512, 1<<64-1, 1) },
		} {
			if said(f) == "" {
				t.Error("XTS takes what it should not")
			}
		}
	})
}

func newGCM(b cipher.Block, sizes [2]int) (cipher.AEAD, error) {
	if sizes[0] != 12 {
		return cipher.NewGCMWithNonceSize(b, sizes[0])
	}
	return cipher.NewGCMWithTagSize(b, sizes[1])
}

// A call allocates nothing if dst has room.
func TestAllocations(t *testing.T) {
	b, err := NewCipher(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	gcm, _ := NewGCM(b)
	nonce, text := make([]byte, 12), make([]byte, 1000)
	room := make([]byte, 0, 1016)
	n := testing.AllocsPerRun(100, func() {
		sealed := gcm.Seal(room, nonce, text, nonce)
		if _, err := gcm.Open(text[:0], nonce, sealed, nonce); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Error(n, "allocations")
	}
}

// RIJN_IMPL: each name that runs here is obeyed, another refused. The program is
// this test itself.
func TestEnvironment(t *testing.T) {
	if os.Getenv("RIJN_GO_TEST_SAY") != "" {
		_, err := NewCipher(make([]byte, 16))
		fmt.Printf("%s %v\n", Implementation(), err)
		os.Exit(0)
	}
	names := map[string]string{"portable": "portable <nil>", "x87": " rijn: RIJN_IMPL names x87, which is not an implementation that runs here"}
	for _, set := range core.Sets() {
		names[core.Name(set)] = core.Name(set) + " <nil>"
	}
	for name, want := range names {
		c := exec.Command(os.Args[0], "-test.run", "^TestEnvironment$")
		c.Env = append(os.Environ(), "RIJN_GO_TEST_SAY=1", "RIJN_IMPL="+name)
		out, err := c.CombinedOutput()
		if got := strings.TrimSuffix(string(out), "\n"); err != nil || got != want {
			t.Errorf("RIJN_IMPL=%s: %q, %v", name, got, err)
		}
	}
}
