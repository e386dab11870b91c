// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

//go:build !purego && !openbsd && !plan9

package core

func cpuid(leaf, part uint32) (a, b, c, d uint32)
func xgetbv() uint32

const intel, amd = 1, 2

// readCPU is rijn_cpu_read of src/cpu.c.
func readCPU() (c cpu) {
	most, b, l, d := cpuid(0, 0)
	switch {
	case b == 0x756e6547 && d == 0x49656e69 && l == 0x6c65746e: // GenuineIntel
		c.vendor = intel
	case b == 0x68747541 && d == 0x69746e65 && l == 0x444d4163: // AuthenticAMD
		c.vendor = amd
	}
	if most < 1 {
		return c
	}
	var words [3]uint32
	var a, saved uint32
	a, _, words[0], _ = cpuid(1, 0)
	c.family = a >> 8 & 15
	c.model = a >> 4 & 15
	if c.family == 6 || c.family == 15 {
		c.model |= a >> 16 & 15 << 4
	}
	if c.family == 15 {
		c.family += a >> 20 & 255
	}
	if words[0]>>27&1 != 0 { // OSXSAVE: without it XGETBV is no instruction
		saved = xgetbv()
	}
	if most >= 7 {
		_, words[1], words[2], d = cpuid(7, 0)
		c.recent = d&(1<<22|1<<23|1<<24|1<<25) != 0 // AMX-BF16, AVX512-FP16, AMX-TILE, AMX-INT8
	}
	for i, f := range features {
		if words[f.word]>>f.bit&1 != 0 && saved&uint32(f.state) == uint32(f.state) {
			c.has |= 1 << i
		}
	}
	return c
}

// policy is the set that src/policy.c names for a processor, which says why. A
// test compares the two.
func policy(c *cpu) string {
	if c.vendor == amd && c.family >= 0x19 {
		return "x86-vaes-avx512-zen4"
	}
	if c.vendor == intel && c.family == 6 && !c.recent {
		switch c.model {
		case 85, 102, 106, 108, 125, 126, 140, 141, 167:
			return "x86-vaes-avx512-256"
		}
	}
	return "x86-vaes-avx512"
}
