// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

//go:build !purego && !openbsd && !plan9

#include "funcdata.h"
#include "textflag.h"

// Calls AX with the nine words at R10, by the convention of System V, on the
// stack below R11. C code keeps BX, and BP as Go wants it; ABI0 wants no other
// register back.
// TOPFRAME: SP is not where Go's unwinder would look for it, so a signal's walk
// of the stack ends here.
TEXT enter<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0-0
	MOVQ SP, BX
	ANDQ $~63, R11
	LEAQ -64(R11), SP
	MOVQ 48(R10), R12
	MOVQ 56(R10), R13
	MOVQ 64(R10), R11
	MOVQ R12, 0(SP)
	MOVQ R13, 8(SP)
	MOVQ R11, 16(SP)
	MOVQ 0(R10), DI
	MOVQ 8(R10), SI
	MOVQ 16(R10), DX
	MOVQ 24(R10), CX
	MOVQ 32(R10), R8
	MOVQ 40(R10), R9
	CALL AX
	MOVQ BX, SP
	RET

// The frame is C code's stack. WHY: its prologue has the stack grow, if need be.
#define CALL_WITH(name, frame) \
TEXT name(SB), 0, $frame-20; \
	NO_LOCAL_POINTERS; \
	MOVQ fn+0(FP), AX; \
	MOVQ a+8(FP), R10; \
	LEAQ frame(SP), R11; \
	CALL enter<>(SB); \
	MOVL AX, ret+16(FP); \
	RET

// func call2k(fn uintptr, a unsafe.Pointer) int32
CALL_WITH(·call2k, 2304)

// func call4k(fn uintptr, a unsafe.Pointer) int32
CALL_WITH(·call4k, 4352)

// func call8k(fn uintptr, a unsafe.Pointer) int32
CALL_WITH(·call8k, 7680)

// func call12k(fn uintptr, a unsafe.Pointer) int32
CALL_WITH(·call12k, 11520)

// func kernelsAt() uintptr
TEXT ·kernelsAt(SB), NOSPLIT, $0-8
	LEAQ ·kernels(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// func cpuid(leaf, part uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL part+4(FP), CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	MOVL DX, d+20(FP)
	RET

// func xgetbv() uint32
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, ret+0(FP)
	RET
