// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

//go:build !purego

package core

import _ "unsafe" // for go:linkname

// runtimeAuxv is the auxiliary vector, in pairs. Go keeps this name for
// golang.org/x/sys/cpu, which asks in the same way.
//
//go:linkname runtimeAuxv runtime.getAuxv
func runtimeAuxv() []uintptr

func hwcap() uint64 {
	const atHWCAP = 16
	auxv := runtimeAuxv()
	for i := 0; i+1 < len(auxv); i += 2 {
		if auxv[i] == atHWCAP {
			return uint64(auxv[i+1])
		}
	}
	return 0
}
