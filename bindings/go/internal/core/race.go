// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

//go:build race

package core

import (
	"runtime"
	"unsafe"
)

// The race detector does not see what machine code reads and writes.

func raceRead(b []byte) {
	if len(b) != 0 {
		runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(b)), len(b))
	}
}

func raceWrite(b []byte) {
	if len(b) != 0 {
		runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(b)), len(b))
	}
}
