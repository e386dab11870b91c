/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Holds the parameters that a set's file defines to tune.def: each is there, in its range, and they are valid together.
 * Included by a set's file behind them.
 *
 * BY_COMPILER(gcc, clang), BY_WIDTH(32 bits, 64 bits): a value that depends on who compiles, or for what.
 */
#include "../impl.h"

#ifdef __clang__
#define BY_COMPILER(gcc, clang) clang
#else
#define BY_COMPILER(gcc, clang) gcc
#endif

#if __SIZEOF_POINTER__ == 4
#define BY_WIDTH(bits32, bits64) bits32
#else
#define BY_WIDTH(bits32, bits64) bits64
#endif

/* Values of MIDDLE_TERM; ghash_t.h says what they mean. */
enum { FOUR_MULS, HALVES_KEPT, HALVES_PAIRED, HALVES_MADE };

/* What is missing is an error here. */
#define TUNED(kind, name, least, most, meaning)                                                                        \
  _Static_assert((int)(name) >= (least) && (int)(name) <= (most), #name " is out of range: tune.def");
#define VALID(condition, why) _Static_assert(condition, why);
#include "tune.def"

/* Linux's stacks are small: there is no batch, and the rows of a long message's end lie elsewhere. */
#ifdef RIJN_IN_KERNEL
#if VECTOR_BLOCKS == 4 && FRAME_MORE > 128 /* frames are smaller without rows */
#undef FRAME_MORE
#define FRAME_MORE 128
#elif VECTOR_BLOCKS == 2 && FRAME_MORE == 0
#undef FRAME_MORE
#define FRAME_MORE (-64)
#endif
#endif

/* What follows from them. */
enum { VECTOR_BYTES = 16 * VECTOR_BLOCKS };
#define FEW_REGISTERS (REGISTERS == 8)
#define STITCHED(kind) ((kind) == TABLED ? STITCH_TABLED : STITCH_ROUNDS)
/* NARROW_MAX: bytes of text that go to the short messages' set, NARROW, at most. NARROW_LONG_AAD: does a text that
 * short go there with more than a block of associated data, too? Not without text: this set encrypts J0 by itself
 * then. */
#define NARROW_MAX(dir) ((dir) == ENCRYPT ? NARROW_ENCRYPT : NARROW_DECRYPT)
#define NARROW_LONG_AAD(len, aad_len) (NARROW_AAD && (len) && (len) <= NARROW_ENCRYPT && (aad_len) <= NARROW_AAD)
/* NOINLINE where the stack is cleared: the frame that clears it has to lie where that of the work was (clean_t.h). Else
 * INLINE, a call fewer (T-005). */
#if SPILLS
#define GCM_PASSES_FN NOINLINE
#else
#define GCM_PASSES_FN INLINE
#endif
/* NARROW_LONG_AAD has to be asked before there is a frame. */
#if NARROW_AAD
#define GCM_ANY_AAD_FN NOINLINE
#else
#define GCM_ANY_AAD_FN GCM_PASSES_FN
#endif
#if defined NARROW != (NARROW_ENCRYPT > 0)
#error "NARROW, and how much it does: both or none"
#endif
