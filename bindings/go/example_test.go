// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

package rijn_test

import (
	"crypto/cipher"
	"crypto/rand"
	"fmt"

	rijn "rijn.example/rijn-go"
)

func Example() {
	key := make([]byte, 32)
	rand.Read(key)
	block, err := rijn.NewCipher(key)
	if err != nil {
		panic(err) // RIJN_IMPL names what is not there
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	nonce := make([]byte, aead.NonceSize()) // counts: never twice with one key
	sealed := aead.Seal(nil, nonce, []byte("hello"), []byte("to: all"))
	text, err := aead.Open(nil, nonce, sealed, []byte("to: all"))
	fmt.Println(string(text), err)
	// Output: hello <nil>
}

func ExampleNewXAES256GCM() {
	key, nonce := make([]byte, 32), make([]byte, 24)
	rand.Read(key)
	rand.Read(nonce) // 24 random bytes are safe
	aead, err := rijn.NewXAES256GCM(key)
	if err != nil {
		panic(err)
	}
	sealed := aead.Seal(nonce, nonce, []byte("hello"), nil) // the nonce goes ahead
	text, err := aead.Open(nil, sealed[:24], sealed[24:], nil)
	fmt.Println(string(text), err)
	// Output: hello <nil>
}

func ExampleSealRows() {
	block, err := rijn.NewCipher(make([]byte, 32))
	if err != nil {
		panic(err)
	}
	aead, err := rijn.NewGCM(block)
	if err != nil {
		panic(err)
	}
	const rows = 1000
	nonces, texts := make([]byte, 12*rows), make([]byte, 64*rows)
	for i := range rows {
		nonces[12*i], nonces[12*i+1] = byte(i), byte(i>>8)
	}
	sealed := rijn.SealRows(aead, nil, nonces, texts, nil)
	sealed[80*7] ^= 1 // row 7 is forged
	_, err = rijn.OpenRows(aead, nil, nonces, sealed, nil)
	fmt.Println(len(sealed), err)
	// Output: 80000 rijn: 1 rows are not authentic: 7
}

func ExampleNewXTS() {
	key := make([]byte, 64)
	rand.Read(key)
	disk, err := rijn.NewXTS(key)
	if err != nil {
		panic(err)
	}
	sectors := make([]byte, 8*4096)
	disk.EncryptSectors(sectors, sectors, 4096, 0, 8) // numbers count 512 bytes
	disk.DecryptSectors(sectors, sectors, 4096, 0, 8)
	fmt.Println(sectors[0])
	// Output: 0
}
