/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: wiping secrets, for all modes, where they lie in an array of the function itself (what a compiler puts on
 * the stack on its own account is cleared by clean_t.h), and in registers. Parameter: VECTOR_BLOCKS, blocks in a
 * vector.
 *
 * A set may have more vector registers than a function needs (AVX-512 has 32). Then it says, in its operations:
 *   RESERVE_REGS(list)  at the start of a function: the compiler does not use the registers of the list in it
 *   CLEAR_UNRESERVED()  at its end, if the list was REGS_16_31: clears all others, the first 16
 *   CLEAR_MIDDLE()      at its end, if the list was REGS_TOP and a function called then clears the first 16:
 *                       clears those between
 *   CLEAR_REST()        in a caller of such functions that has used all registers: clears what they left
 * Elsewhere all are cleared at the end, and CLEAR_REST() is what clears the stack after a long GCM message.
 */
#ifndef RESERVE_REGS
#define RESERVE_REGS(list) ((void)0)
#define CLEAR_UNRESERVED() CLEAR_REGS()
#define CLEAR_MIDDLE() ((void)0)
#define CLEAR_REST() ZERO_STACK_LONG()
#endif

/* A set whose parts of blocks pass through general registers defines CLEAR_GENERAL, which clears the caller-saved ones
 * but the result's; and KEYS_IN_GENERAL, if words of keys do, too. */
#ifndef CLEAR_GENERAL
#define CLEAR_GENERAL() ((void)0)
#endif
#ifndef KEYS_IN_GENERAL
#define KEYS_IN_GENERAL 0
#endif
/* At the end of a function that has loaded or stored parts of blocks. Masks leave nothing. */
INLINE void clear_parts(void) {
  if (!HAS_MASKS)
    CLEAR_GENERAL();
}

/* PORT: clang after 14 (19 was looked at) puts more on the stack, in frames that are deeper. */
#if defined __clang__ && __clang_major__ > 14
#define SPILLS_MORE 1
#else
#define SPILLS_MORE 0
#endif

/* What was stored at p is in memory from here on, and is read from there. CT: a compiler short of registers would keep
 * a copy of it elsewhere on the stack. */
#define IN_MEMORY(p) __asm__ volatile("" ::"r"(p) : "memory")

/* CT: secrets that lay on the stack go before the kernel returns. n is a multiple of a vector.
 * PORT: gcc makes a plain loop a REP STOS, which takes long to start. For a table of 4 KB that is the faster way, or
 * what the C library takes, unless a vector has 64 bytes (T-152). */
INLINE void wipe(uint8_t *p, size_t n) {
  v_t zero = v_zero();
  size_t i = 0;
  if (VECTOR_BLOCKS < 4 && n >= 4096)
    memset(p, 0, i = n);
  for (; n - i >= 4 * VECTOR_BYTES; i += 4 * VECTOR_BYTES) {
    PIN(zero);
    EACH(j, 4, v_store(p + i + VECTOR_BYTES * j, zero));
  }
  for (; i < n; i += VECTOR_BYTES) {
    PIN(zero);
    v_store(p + i, zero);
  }
  IN_MEMORY(p);
}
