// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

package rijn

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"testing"
)

// BenchmarkSeal compares with crypto/cipher: AES-256, 16 bytes of associated
// data.
func BenchmarkSeal(b *testing.B) {
	key, nonce, aad := make([]byte, 32), make([]byte, 12), make([]byte, 16)
	std, _ := aes.NewCipher(key)
	own, err := NewCipher(key)
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{16, 64, 1420, 16384, 1 << 20} {
		for name, block := range map[string]cipher.Block{"std": std, "rijn": own} {
			aead, _ := cipher.NewGCM(block)
			text, out := make([]byte, n), make([]byte, 0, n+16)
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					aead.Seal(out, nonce, text, aad)
				}
			})
		}
	}
	aead, _ := cipher.NewGCM(own)
	const rows = 1000
	nonces, texts, out := make([]byte, 12*rows), make([]byte, 64*rows), make([]byte, 0, 80*rows)
	b.Run("rows of 64", func(b *testing.B) {
		for b.Loop() {
			SealRows(aead, out, nonces, texts, nil)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
	})
}
