// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

package core

import "unsafe"

// The rules of crypto/cipher about slices that share memory.

func at(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// AnyOverlap reports whether the two share a byte.
func AnyOverlap(a, b []byte) bool {
	return len(a) != 0 && len(b) != 0 && at(a)-at(b)+uintptr(len(a))-1 < uintptr(len(a)+len(b)-1)
}

// InexactOverlap reports whether they share a byte, but do not begin together.
func InexactOverlap(a, b []byte) bool { return at(a) != at(b) && AnyOverlap(a, b) }

// Append is b with n more bytes behind it, and these alone.
func Append(b []byte, n int) (whole, more []byte) {
	if total := len(b) + n; cap(b) >= total {
		whole = b[:total]
	} else {
		whole = make([]byte, total)
		copy(whole, b)
	}
	return whole, whole[len(b):]
}

// place is where a slice's bytes are. WHY other: kernels compute with the place
// of a text of no bytes, so it is never nil.
func place(b []byte, other unsafe.Pointer) unsafe.Pointer {
	if len(b) == 0 {
		return other
	}
	return unsafe.Pointer(unsafe.SliceData(b))
}
