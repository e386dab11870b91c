// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

//go:build vectors

package rijn

import (
	"bufio"
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The vectors that the library's own tests read: RIJN_VECTORS is their folder.

type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

type wycheproof struct {
	TestGroups []struct {
		TagSize int
		Tests   []struct {
			TcID                       int
			Key, Iv, Aad, Msg, Ct, Tag hexBytes
			Result                     string
		}
	}
}

func vectors(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(os.Getenv("RIJN_VECTORS"), name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestWycheproof(t *testing.T) {
	for name, make := range map[string]func(set int, key []byte, nonce int) (cipher.AEAD, error){
		"aes_gcm": func(set int, key []byte, nonce int) (cipher.AEAD, error) {
			return cipher.NewGCMWithNonceSize(mustBlock(t, set, key), nonce)
		},
		"aes_gcm_siv": func(set int, key []byte, _ int) (cipher.AEAD, error) { return newSIV(set, key) },
	} {
		var all wycheproof
		if err := json.Unmarshal(vectors(t, "wycheproof/"+name+"_test.json"), &all); err != nil {
			t.Fatal(err)
		}
		eachSet(t, func(t *testing.T, set int, _ *rand.Rand) {
			count := 0
			for _, g := range all.TestGroups {
				for _, v := range g.Tests {
					aead, err := make(set, v.Key, len(v.Iv))
					if err != nil || len(v.Iv) != aead.NonceSize() {
						if v.Result == "valid" {
							t.Errorf("%s %d: %v", name, v.TcID, err)
						}
						continue
					}
					open, err := aead.Open(nil, v.Iv, append(bytes.Clone(v.Ct), v.Tag...), v.Aad)
					if (err == nil) != (v.Result == "valid") || err == nil && !bytes.Equal(open, v.Msg) {
						t.Errorf("%s %d: %v", name, v.TcID, err)
					}
					if sealed := aead.Seal(nil, v.Iv, v.Msg, v.Aad); v.Result == "valid" && !bytes.Equal(sealed, append(bytes.Clone(v.Ct), v.Tag...)) {
						t.Errorf("%s %d: Seal", name, v.TcID)
					}
					count++
				}
			}
			if count < 50 {
				t.Errorf("%s: %d vectors", name, count)
			}
		})
	}
}

// cavp reads a file of NIST's: for each record, its fields.
func cavp(t *testing.T, name string, each func(f map[string]string)) {
	t.Helper()
	fields := map[string]string{}
	count := 0
	s := bufio.NewScanner(bytes.NewReader(vectors(t, "cavp/AES/"+name)))
	s.Buffer(nil, 1<<20)
	flush := func() {
		if fields["Key"] != "" {
			each(fields)
			count++
		}
		delete(fields, "Key")
		delete(fields, "FAIL")
	}
	for s.Scan() {
		line := strings.TrimSpace(s.Text())
		switch before, after, ok := strings.Cut(line, "="); {
		case line == "FAIL":
			fields["FAIL"] = "1"
		case strings.HasPrefix(line, "["):
			flush()
			fields["section"] = line
		case ok:
			if before = strings.TrimSpace(before); strings.EqualFold(before, "count") {
				flush()
			}
			fields[before] = strings.TrimSpace(after)
		}
	}
	if flush(); count < 100 {
		t.Fatalf("%s has %d records", name, count)
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCAVPGCM(t *testing.T) {
	eachSet(t, func(t *testing.T, set int, _ *rand.Rand) {
		for _, size := range []string{"128", "192", "256"} {
			for _, kind := range []string{"gcmDecrypt", "gcmEncryptExtIV"} {
				i := 0
				cavp(t, "GCM/"+kind+size+".rsp", func(f map[string]string) {
					tag, iv := unhex(t, f["Tag"]), unhex(t, f["IV"])
					if i++; len(tag) < 12 || i%4 != 0 && testing.Short() {
						return // shorter ones are not for package cipher
					}
					b := mustBlock(t, set, unhex(t, f["Key"]))
					var aead cipher.AEAD
					if len(iv) == 12 {
						aead, _ = cipher.NewGCMWithTagSize(b, len(tag))
					} else if len(tag) == 16 {
						aead, _ = cipher.NewGCMWithNonceSize(b, len(iv))
					} else {
						return
					}
					open, err := aead.Open(nil, iv, append(unhex(t, f["CT"]), tag...), unhex(t, f["AAD"]))
					if (err != nil) != (f["FAIL"] != "") || err == nil && !bytes.Equal(open, unhex(t, f["PT"])) {
						t.Fatalf("%s%s: %v", kind, size, f)
					}
				})
			}
		}
	})
}

func TestCAVPXTS(t *testing.T) {
	eachSet(t, func(t *testing.T, set int, _ *rand.Rand) {
		for _, size := range []string{"128", "256"} {
			cavp(t, "XTS/tweak-dataunitseqno/XTSGenAES"+size+".rsp", func(f map[string]string) {
				if n, _ := strconv.Atoi(f["DataUnitLen"]); n%8 != 0 {
					return
				}
				number, _ := strconv.ParseUint(f["DataUnitSeqNumber"], 10, 64)
				x, err := newXTS(set, unhex(t, f["Key"]))
				if err != nil {
					t.Fatal(err)
				}
				pt, ct := unhex(t, f["PT"]), unhex(t, f["CT"])
				got := make([]byte, len(pt))
				if x.Encrypt(got, pt, number); !bytes.Equal(got, ct) {
					t.Fatal("Encrypt", f)
				}
				var tweak [16]byte
				binary.LittleEndian.PutUint64(tweak[:], number)
				if x.DecryptTweak(got, ct, tweak); !bytes.Equal(got, pt) {
					t.Fatal("Decrypt", f)
				}
			})
		}
	})
}
