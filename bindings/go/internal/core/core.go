// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

// Package core calls Rijn's kernels. They are machine code that C compilers
// made of the library's sources (bindings/go/blob), and lie in this package as
// an assembly file. It imports nothing of crypto/cipher, so that crypto/cipher
// itself can be built with it.
//
// The rules of the modes are in that code, too: this package keeps Go's own,
// which are about slices, panics and stacks.
package core

import (
	"errors"
	"unsafe"
)

// A row of the table that the kernels read, struct rijn_impl in src/impl.h.
type row struct {
	name    uintptr
	needs   uint64
	kernels [numKernels]uintptr
}

var (
	rows  [numSets]row
	table [numSets]*row // kernels() reads it; nil: that set does not run here
	base  uintptr       // of kernels()
)

// A set of kernels, as src/isa/sets.def has it.
type set struct {
	name  string
	needs uint64
}

// A feature of the processor, and where it is found.
type feature struct {
	name      string
	word, bit uint8
	state     uint8  // bits of XCR0: what the operating system has to save
	bases     uint64 // without these it is taken for absent
}

// What is known of a processor: has are bits of features.
type cpu struct {
	has                   uint64
	vendor, family, model uint32
	recent                bool // has AMX or AVX512-FP16
}

// Portable is the name of what is not Rijn's: the standard library's own code.
const Portable = "portable"

const section = 64 << 10 // bytes that a call takes at most: the kernels cannot be preempted

var chosen, errChosen = choose(readCPU(), implFromEnvironment())

// Set is the index of the set that makes keys, or -1: there is none here, and
// the standard library is to do the work. The error is that of a variable
// RIJN_IMPL that names no set which runs here.
func Set() (int, error) { return chosen, errChosen }

// Name is the name of a set, or Portable.
func Name(set int) string {
	if set < 0 {
		return Portable
	}
	return sets[set].name
}

// Sets are the sets that run here, best first.
func Sets() []int {
	var runs []int
	for i := range table {
		if table[i] != nil {
			runs = append(runs, i)
		}
	}
	return runs
}

// choose fills the table and chooses: the set of that name; without a name the
// one that the policy names, or the first behind it that runs.
func choose(c cpu, name string) (int, error) {
	c.has = closed(c.has)
	base = kernelsAt()
	best, behind, from := -1, false, policy(&c)
	for i := range sets {
		s := &sets[i]
		behind = behind || s.name == from
		if s.needs&^c.has != 0 {
			continue
		}
		rows[i].needs = s.needs
		for k, offset := range offsets[i] {
			if offset != 0 {
				rows[i].kernels[k] = base + uintptr(offset)
			}
		}
		table[i] = &rows[i]
		if best < 0 && (name == s.name || name == "" && behind) {
			best = i
		}
	}
	if best < 0 && name != "" && name != Portable {
		return -1, errors.New("rijn: RIJN_IMPL names " + name + ", which is not an implementation that runs here")
	}
	return best, nil
}

// closed takes away each feature whose bases are missing. Bases stand before
// what stands on them.
func closed(has uint64) uint64 {
	for i, f := range features {
		if has&f.bases != f.bases {
			has &^= 1 << i
		}
	}
	return has
}

// newObject is memory of the heap that is aligned as kernels like it. It holds
// no pointer to memory that Go may move or free.
func newObject(size int) unsafe.Pointer {
	const line = 64
	b := make([]byte, size+line-1)
	p := unsafe.Pointer(unsafe.SliceData(b))
	return unsafe.Add(p, -uintptr(p)&(line-1))
}

// clearObject wipes one.
func clearObject(p unsafe.Pointer, size int) { clear(unsafe.Slice((*byte)(p), size)) }
