// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

package rijn

import (
	"bytes"
	"compress/gzip"
	"crypto/aes"
	"crypto/cipher"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sync"
	"testing"

	"rijn.example/rijn-go/internal/core"
)

// Signals of the profiler and of preemption inside kernels, garbage collections
// all the time, and new goroutines, whose stacks of 2 KiB grow: right answers.
func TestStorm(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Fatal(err)
	}
	defer pprof.StopCPUProfile()
	key := bytes.Repeat([]byte{7}, 32)
	a, _ := aes.NewCipher(key)
	want, _ := cipher.NewGCM(a)
	sizes := []int{0, 16, 64, 500, 1420, 3000, 16384, 66_000, 150_000}
	answers := make([][]byte, len(sizes))
	nonce := make([]byte, 12)
	for i, n := range sizes {
		answers[i] = want.Seal(nil, nonce, make([]byte, n), nonce)
	}
	turns := 40
	if testing.Short() {
		turns = 10
	}
	for _, set := range core.Sets() {
		gcm, _ := cipher.NewGCM(mustBlock(t, set, key))
		var all sync.WaitGroup
		for g := range 64 {
			all.Go(func() {
				r := rand.New(rand.NewPCG(uint64(g), 0))
				for range turns {
					i := r.IntN(len(sizes))
					done := make(chan bool)
					go func() { // its stack is new
						var local [64]byte
						sealed := gcm.Seal(nil, nonce, make([]byte, sizes[i]), local[:12])
						open, err := gcm.Open(nil, nonce, sealed, local[:12])
						done <- bytes.Equal(sealed, answers[i]) && err == nil && len(open) == sizes[i] && local == [64]byte{}
					}()
					runtime.Gosched()
					if !<-done {
						t.Error(core.Name(set), sizes[i])
					}
				}
			})
		}
		all.Wait()
	}
}

// A profile names the kernels.
func TestProfile(t *testing.T) {
	if len(core.Sets()) == 0 {
		return
	}
	b, _ := NewCipher(make([]byte, 32))
	gcm, _ := NewGCM(b)
	text, nonce := make([]byte, 60_000), make([]byte, 12)
	for range 20 { // a busy machine may give it no sample
		var profile bytes.Buffer
		if err := pprof.StartCPUProfile(&profile); err != nil {
			t.Fatal(err)
		}
		for range 4000 {
			gcm.Seal(text[:0], nonce, text[:len(text)-16], nil)
		}
		pprof.StopCPUProfile()
		if bytes.Contains(unpacked(t, profile.Bytes()), []byte("internal/core.kernels")) {
			return
		}
	}
	t.Error("internal/core.kernels is in no profile")
}

func unpacked(t *testing.T, b []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
