// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

//go:build vectors && !purego

package core

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// The code in this program is the linker's output, byte for byte, but for the
// one call that Go's linker fills in. RIJN_BLOB is that file.
func TestBlob(t *testing.T) {
	want, err := os.ReadFile(os.Getenv("RIJN_BLOB"))
	if err != nil {
		t.Fatal(err)
	}
	got := unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&base))), blobSize)
	if len(want) != blobSize || base%64 != 0 {
		t.Fatal(len(want), blobSize, base%64)
	}
	differ := -1
	for i := range want {
		if want[i] != got[i] {
			if differ < 0 {
				differ = i &^ 15
			}
			if i-differ >= 16 {
				t.Fatalf("byte %d is another", i)
			}
		}
	}
	if differ < 0 || !bytes.Equal(want[differ:differ+8], make([]byte, 8)) {
		t.Error("rijn_table has not been filled in")
	}
}

// Go's policy is that of src/policy.c. RIJN_POLICY has its answers: vendor,
// family, model, recent, and the set it names, which has to be in the blob.
func TestPolicy(t *testing.T) {
	text, err := os.ReadFile(os.Getenv("RIJN_POLICY"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(text))
	for _, line := range lines {
		f := strings.Split(line, ",")
		var n [4]uint32
		for i := range n {
			v, err := strconv.Atoi(f[i])
			if err != nil {
				t.Fatal(err)
			}
			n[i] = uint32(v)
		}
		c := cpu{vendor: n[0], family: n[1], model: n[2], recent: n[3] != 0}
		if named := policy(&c); named != f[4] || !slices.ContainsFunc(sets[:], func(s set) bool { return s.name == f[4] }) {
			t.Errorf("%s: Go says %q", line, named)
		}
	}
	if len(lines) < 10_000 {
		t.Error(len(lines), "processors")
	}
}
