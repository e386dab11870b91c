/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Makes a macro of each parameter that the set's file gives in TUNING (tune.def has the list, with ranges and
 * meanings), so that the preprocessor can ask as well, and holds TUNING to the list. Included by a set's file behind
 * that block.
 *
 * BY_COMPILER(gcc, clang), BY_WIDTH(32 bits, 64 bits): a value that depends on who compiles, or for what.
 */
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

/* TUNE_AT(n, TUNING): the value of entry n of the block. */
#define TUNE(name, value) value,
#define TUNE_AT(n, list) TUNE_##n(list)
#define TUNE_0(value, ...) value
#define TUNE_1(value, ...) TUNE_0(__VA_ARGS__)
#define TUNE_2(value, ...) TUNE_1(__VA_ARGS__)
#define TUNE_3(value, ...) TUNE_2(__VA_ARGS__)
#define TUNE_4(value, ...) TUNE_3(__VA_ARGS__)
#define TUNE_5(value, ...) TUNE_4(__VA_ARGS__)
#define TUNE_6(value, ...) TUNE_5(__VA_ARGS__)
#define TUNE_7(value, ...) TUNE_6(__VA_ARGS__)
#define TUNE_8(value, ...) TUNE_7(__VA_ARGS__)
#define TUNE_9(value, ...) TUNE_8(__VA_ARGS__)
#define TUNE_10(value, ...) TUNE_9(__VA_ARGS__)
#define TUNE_11(value, ...) TUNE_10(__VA_ARGS__)
#define TUNE_12(value, ...) TUNE_11(__VA_ARGS__)
#define TUNE_13(value, ...) TUNE_12(__VA_ARGS__)
#define TUNE_14(value, ...) TUNE_13(__VA_ARGS__)
#define TUNE_15(value, ...) TUNE_14(__VA_ARGS__)
#define TUNE_16(value, ...) TUNE_15(__VA_ARGS__)
#define TUNE_17(value, ...) TUNE_16(__VA_ARGS__)
#define TUNE_18(value, ...) TUNE_17(__VA_ARGS__)
#define TUNE_19(value, ...) TUNE_18(__VA_ARGS__)
#define TUNE_20(value, ...) TUNE_19(__VA_ARGS__)
#define TUNE_21(value, ...) TUNE_20(__VA_ARGS__)
#define TUNE_22(value, ...) TUNE_21(__VA_ARGS__)
#define TUNE_23(value, ...) TUNE_22(__VA_ARGS__)
#define TUNE_24(value, ...) TUNE_23(__VA_ARGS__)
#define TUNE_25(value, ...) TUNE_24(__VA_ARGS__)
#define TUNE_26(value, ...) TUNE_25(__VA_ARGS__)
#define TUNE_27(value, ...) TUNE_26(__VA_ARGS__)
#define TUNE_28(value, ...) TUNE_27(__VA_ARGS__)
#define TUNE_29(value, ...) TUNE_28(__VA_ARGS__)
#define TUNE_30(value, ...) TUNE_29(__VA_ARGS__)

#define VECTOR_BLOCKS TUNE_AT(0, TUNING)
#define REGISTERS TUNE_AT(1, TUNING)
#define HAS_MASKS TUNE_AT(2, TUNING)
#define BLOCK_IS_INTEGER TUNE_AT(3, TUNING)
#define SPILLS TUNE_AT(4, TUNING)
#define FRAME_MORE TUNE_AT(5, TUNING)
#define PIN_GCM TUNE_AT(6, TUNING)
#define PIN_MODES TUNE_AT(7, TUNING)
#define MODE_VECTORS TUNE_AT(8, TUNING)
#define PASS_VECTORS TUNE_AT(9, TUNING)
#define POWERS TUNE_AT(10, TUNING)
#define POWERS_AHEAD TUNE_AT(11, TUNING)
#define ONE_CALL_BYTES TUNE_AT(12, TUNING)
#define COUNTER_PAGES TUNE_AT(13, TUNING)
#define TABLE_FROM TUNE_AT(14, TUNING)
#define ONE_LOOP TUNE_AT(15, TUNING)
#define KEEP_TEXT TUNE_AT(16, TUNING)
#define MIDDLE_TERM TUNE_AT(17, TUNING)
#define HASH_PAIRS TUNE_AT(18, TUNING)
#define KEEP_LANES TUNE_AT(19, TUNING)
#define STITCH_ROUNDS TUNE_AT(20, TUNING)
#define STITCH_TABLED TUNE_AT(21, TUNING)
#define GROUP_LEAST TUNE_AT(22, TUNING)
#define GROUPS_JOINED TUNE_AT(23, TUNING)
#define GROUPS_LOOP TUNE_AT(24, TUNING)
#define MASK_EARLY TUNE_AT(25, TUNING)
#define J0_ALONE TUNE_AT(26, TUNING)
#define NARROW_ENCRYPT TUNE_AT(27, TUNING)
#define NARROW_DECRYPT TUNE_AT(28, TUNING)
#define NARROW_AAD TUNE_AT(29, TUNING)
#define BATCH_BYTES TUNE_AT(30, TUNING)

/* What is missing in TUNING has no name here, what is unknown makes it longer than the list, and what is out of order
 * has another place. */
enum {
#define TUNED(kind, name, least, most, meaning) LISTED_##name,
#include "tune.def"
  LISTED_ALL
};
#undef TUNE
#define TUNE(name, value) , GIVEN_##name
enum { GIVEN_NONE = -1 TUNING, GIVEN_ALL };
#undef TUNE
#define TUNE(name, value) enum { VALUE_##name = value };
TUNING
#undef TUNE
#define TUNE(name, value) value,
#define TUNED(kind, name, least, most, meaning)                                                                        \
  _Static_assert((int)GIVEN_##name == (int)LISTED_##name, #name " is out of order in TUNING");                         \
  _Static_assert(VALUE_##name >= least && VALUE_##name <= most, #name " is out of range in TUNING");                   \
  _Static_assert((int)VALUE_##name == name, #name " has another place in tune.h");
#include "tune.def"
_Static_assert((int)GIVEN_ALL == (int)LISTED_ALL, "TUNING has a parameter that tune.def has not");

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
#define FEW_REGISTERS (REGISTERS == 8)
#define STITCHED(kind) ((kind) == TABLED ? STITCH_TABLED : STITCH_ROUNDS)
/* Bytes of text that NARROW does at most; and does it that with more than a block of associated data, too? Not if there
 * is no text: this set encrypts J0 by itself then. */
#define NARROW_MAX(way) ((way) == ENCRYPT ? NARROW_ENCRYPT : NARROW_DECRYPT)
#define NARROW_LONG_AAD(len, aad_len) (NARROW_AAD && (len) && (len) <= NARROW_ENCRYPT && (aad_len) <= NARROW_AAD)
/* NOINLINE where the stack is cleared: the frame that clears it has to lie where that of the work was (clean_t.h). Else
 * INLINE, a call fewer (T-005). */
#if SPILLS
#define GCM_LONG NOINLINE
#else
#define GCM_LONG INLINE
#endif
/* NARROW_LONG_AAD has to be asked before there is a frame. */
#if NARROW_AAD
#define GCM_WIDE NOINLINE
#else
#define GCM_WIDE GCM_LONG
#endif
_Static_assert(NARROW_AAD == 0 || NARROW_ENCRYPT == NARROW_DECRYPT, "NARROW_LONG_AAD knows one direction");
_Static_assert(!ONE_LOOP || STITCH_ROUNDS == STITCH_TABLED, "one loop has one spread");
#if defined NARROW != (NARROW_ENCRYPT > 0)
#error "NARROW, and how much it does: both or none"
#endif
