// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

//go:build (amd64 || arm64) && !purego && !openbsd && !plan9

package core

import "unsafe"

// The frames of the four ways to call C code, which differ in how much stack
// they have. A goroutine's stack grows to what it needs and not beyond.
const (
	frame2k  = 2304
	frame4k  = 4352
	frame8k  = 7680
	frame12k = 11520
	ofCall   = 192 // of a frame: arguments, and what aligns them
)

// A depth that has no room in its frame does not compile.
const (
	_ = uint(frame2k - ofCall - max(depthKernelGcmEncrypt, depthKernelGcmDecrypt, depthKernelXtsEncPart, depthKernelXtsDecPart,
		depthGcmInitImpl, depthGcmEncryptStart, depthGcmDecryptStart, depthGcmAad, depthGcmUpdate, depthGcmEncryptFinish,
		depthGcmDecryptFinish, depthGcmSivInitImpl, depthXaesInitImpl, depthXtsInitImpl, depthXtsEncrypt, depthXtsDecrypt,
		depthGhashInitImpl, depthGhashUpdate, depthAesInitImpl, depthEcbEncrypt, depthEcbDecrypt, depthCbcEncrypt, depthCbcDecrypt))
	_ = uint(frame4k - ofCall - max(depthXaesEncrypt, depthXaesDecrypt, depthXtsEncryptSectors, depthXtsDecryptSectors))
	_ = uint(frame8k - ofCall - max(depthGcmEncryptRows, depthGcmDecryptRows, depthGcmEncryptBatch, depthGcmDecryptBatch,
		depthGcmSivEncrypt, depthGcmSivDecrypt, depthCtrCrypt))
	_ = uint(frame12k - ofCall - depthLongGcm)
)

// Calls C code with the nine words at a, and returns its int.

//go:noescape
func call2k(fn uintptr, a unsafe.Pointer) int32

//go:noescape
func call4k(fn uintptr, a unsafe.Pointer) int32

//go:noescape
func call8k(fn uintptr, a unsafe.Pointer) int32

//go:noescape
func call12k(fn uintptr, a unsafe.Pointer) int32

// kernels is the machine code. Nobody calls it as a function of Go's.
func kernels()

// kernelsAt is where kernels begins.
func kernelsAt() uintptr
