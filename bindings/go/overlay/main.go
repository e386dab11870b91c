// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

// Overlay writes what `go build -overlay` needs to build crypto/cipher and
// crypto/tls with Rijn's AES-GCM, for programs that nobody changes:
//
//	go run rijn.example/rijn-go/overlay DIR
//	go build -overlay DIR/overlay.json ./...
//
// DIR gets changed copies of two files of the Go at hand, one new file of
// package cipher, and overlay.json, which names them and Rijn's kernels. It
// knows Go 1.25 to 1.27 and refuses others. In FIPS 140 mode such a program
// does what it did.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

func main() {
	if len(os.Args) != 2 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintln(os.Stderr, "usage: overlay DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "overlay:", err)
		os.Exit(1)
	}
}

var known = regexp.MustCompile(`^go1\.2[567](\.|rc|$)`)

func write(dir string) error {
	out, err := exec.Command("go", "env", "GOVERSION", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	version, root, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if !known.MatchString(version) {
		return fmt.Errorf("this is %s; the overlay is for go1.25, go1.26 and go1.27", version)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	replace := map[string]string{}
	src := filepath.Join(root, "src")
	for _, c := range changes {
		if err := change(c, src, dir, replace); err != nil {
			return fmt.Errorf("%s: %w", version, err)
		}
	}
	glue := filepath.Join(dir, "rijn.go.txt")
	if err := os.WriteFile(glue, []byte(cipherGlue), 0o666); err != nil {
		return err
	}
	replace[filepath.Join(src, "crypto/cipher/rijn.go")] = glue
	if err := kernels(src, replace); err != nil {
		return err
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "overlay.json"), append(text, '\n'), 0o666)
}

// kernels makes package crypto/internal of this module's internal/core. WHY there: the
// assembler goes to the folder, so it has to be one, and this one has no package.
func kernels(src string, replace map[string]string) error {
	_, here, _, ok := runtime.Caller(0)
	if !ok {
		return errors.New("no idea where this module lies")
	}
	core := filepath.Join(filepath.Dir(here), "../internal/core")
	files, err := os.ReadDir(core)
	if err != nil {
		return fmt.Errorf("the module's sources: %w (built with -trimpath?)", err)
	}
	for _, f := range files {
		if name := f.Name(); !strings.HasSuffix(name, "_test.go") {
			replace[filepath.Join(src, "crypto/internal", name)] = filepath.Join(core, name)
		}
	}
	return nil
}

// changed is a file of the standard library, and what stands in it in place of
// what.
type changed struct {
	file string
	by   [][2]string
}

func change(c changed, src, dir string, replace map[string]string) error {
	path := filepath.Join(src, c.file)
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(b)
	for _, by := range c.by {
		if strings.Count(text, by[0]) != 1 {
			return fmt.Errorf("%s is not as it should be: %q", c.file, by[0])
		}
		text = strings.Replace(text, by[0], by[1], 1)
	}
	copied := filepath.Join(dir, strings.ReplaceAll(c.file, "/", "_")+".txt")
	replace[path] = copied
	return os.WriteFile(copied, []byte(text), 0o666)
}

var changes = []changed{
	{"crypto/cipher/gcm.go", [][2]string{
		{"	g, err := gcm.New(c, nonceSize, tagSize)\n	if err != nil {\n		return nil, err\n	}\n",
			"	g, err := gcm.New(c, nonceSize, tagSize)\n	if err != nil {\n		return nil, err\n	}\n" +
				"	if r, err := rijnGCM(c, nonceSize, tagSize); r != nil || err != nil {\n		return r, err\n	}\n"},
	}},
	// WHY the other constructor: those of this package count nonces themselves, for FIPS 140, and have no way to Rijn.
	{"crypto/tls/cipher_suites.go", [][2]string{
		{"import (\n", "import (\n	rijnfips \"crypto/internal/fips140\"\n"},
		{"		aead, err = gcm.NewGCMForTLS12(aes.(*fipsaes.Block))\n", tls("NewGCMForTLS12")},
		{"		aead, err = gcm.NewGCMForTLS13(aes.(*fipsaes.Block))\n", tls("NewGCMForTLS13")},
	}},
}

func tls(constructor string) string {
	return "		if rijnfips.Enabled {\n			aead, err = gcm." + constructor + "(aes.(*fipsaes.Block))\n" +
		"		} else {\n			aead, err = cipher.NewGCM(aes)\n		}\n"
}

const cipherGlue = `// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

//go:build (amd64 || arm64) && !purego

package cipher

import (
	"crypto/internal/fips140"
	"crypto/internal/fips140/aes"
	rijn "crypto/internal"
	"unsafe"
)

// rijnGCM is Rijn's GCM with that key, or nil: it does not run here, or this is
// FIPS 140 mode. The key is the beginning of its schedule; whether it is, is
// looked at, because that is this Go's business.
func rijnGCM(c *aes.Block, nonceSize, tagSize int) (AEAD, error) {
	set, err := rijn.Set()
	if err != nil {
		return nil, err
	}
	if set < 0 || fips140.Enabled {
		return nil, nil
	}
	schedule := aes.EncryptionKeySchedule(c)
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&schedule[0])), len(schedule)-28) // 44, 52, 60 words: 16, 24, 32 bytes
	var a, b [16]byte
	aes.EncryptBlockInternal(c, a[:], a[:])
	rijn.NewAES(set, raw).ECB(true, b[:], b[:])
	if a != b {
		return nil, nil
	}
	return rijn.NewGCM(set, raw, nonceSize, tagSize), nil
}
`
