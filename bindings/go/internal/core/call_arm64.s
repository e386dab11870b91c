// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

//go:build !purego && !openbsd && !plan9

#include "funcdata.h"
#include "textflag.h"

// Calls R9 with the nine words at R10, by the procedure call standard, on the
// stack below R11. C code keeps R19 and R20; it is compiled without R18 and R28.
// TOPFRAME: RSP is not where Go's unwinder would look for it, so a signal's walk
// of the stack ends here.
TEXT enter<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0-0
	MOVD RSP, R19
	MOVD R30, R20
	AND $~63, R11, R11
	SUB $64, R11, R11
	MOVD R11, RSP
	MOVD 64(R10), R12
	MOVD R12, (R11)
	LDP 0(R10), (R0, R1)
	LDP 16(R10), (R2, R3)
	LDP 32(R10), (R4, R5)
	LDP 48(R10), (R6, R7)
	BL (R9)
	MOVD R19, RSP
	MOVD R20, R30
	RET

// The frame is C code's stack. WHY: its prologue has the stack grow, if need be.
#define CALL_WITH(name, frame) \
TEXT name(SB), 0, $frame-20; \
	NO_LOCAL_POINTERS; \
	MOVD fn+0(FP), R9; \
	MOVD a+8(FP), R10; \
	ADD $frame, RSP, R11; \
	BL enter<>(SB); \
	MOVW R0, ret+16(FP); \
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
	MOVD $·kernels(SB), R0
	MOVD R0, ret+0(FP)
	RET
