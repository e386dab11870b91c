// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

//go:build (!amd64 && !arm64) || purego || openbsd || plan9

package core

import "unsafe"

func readCPU() cpu       { return cpu{} }
func policy(*cpu) string { return Portable }
func kernelsAt() uintptr { return 0 }

// Nothing makes a key here, so nobody comes to these.
func call2k(uintptr, unsafe.Pointer) int32  { panic("rijn: no kernels in this build") }
func call4k(uintptr, unsafe.Pointer) int32  { panic("rijn: no kernels in this build") }
func call8k(uintptr, unsafe.Pointer) int32  { panic("rijn: no kernels in this build") }
func call12k(uintptr, unsafe.Pointer) int32 { panic("rijn: no kernels in this build") }
