// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

//go:build !purego && !openbsd && !plan9

package core

// readCPU reads the processor as Linux describes it. Every Mac with such a
// processor has all features. Elsewhere there are none, and the standard
// library does the work.
func readCPU() (c cpu) {
	words := [1]uint64{hwcap()}
	for i, f := range features {
		if words[f.word]>>f.bit&1 != 0 {
			c.has |= 1 << i
		}
	}
	return c
}

func policy(*cpu) string { return sets[0].name }
