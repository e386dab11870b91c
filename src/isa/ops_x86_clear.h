/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Clearing the vector registers of x86, at the end of every kernel of every mode. What GCM has besides, for functions
 * that use a part of them, is in ops_x86_128.h.
 *
 * CLEAR_REGS() clears all vector registers that code of this level may have used. VZEROUPPER tells the processor that
 * the upper halves are unused: without it SSE code in the caller is slower (T-158). The lists of registers:
 * CLEAR_LOW 0 to 7, CLEAR_HIGH 8 to 15, CLEAR_MORE 16 to 31, each element by way of c: CLEAR_3 and CLEAR_2 make an
 * instruction with three and two operands of it, LIST_ONE a name in a list of clobbers. */
#define CLEAR_3(op, n) #op " %%xmm" #n ",%%xmm" #n ",%%xmm" #n "\n\t"
#define CLEAR_2(op, n) #op " %%xmm" #n ",%%xmm" #n "\n\t"
#define CLEAR_LOW(c, op) c(op, 0) c(op, 1) c(op, 2) c(op, 3) c(op, 4) c(op, 5) c(op, 6) c(op, 7)
#define CLEAR_HIGH(c, op) c(op, 8) c(op, 9) c(op, 10) c(op, 11) c(op, 12) c(op, 13) c(op, 14) c(op, 15)
#define CLEAR_16(c, op) c(op, 16) c(op, 17) c(op, 18) c(op, 19)
#define CLEAR_20(c, op) c(op, 20) c(op, 21) c(op, 22) c(op, 23)
#define CLEAR_24(c, op) c(op, 24) c(op, 25) c(op, 26) c(op, 27)
#define CLEAR_28(c, op) c(op, 28) c(op, 29) c(op, 30) c(op, 31)
#define CLEAR_MORE(c, op) CLEAR_16(c, op) CLEAR_20(c, op) CLEAR_24(c, op) CLEAR_28(c, op)
#define LIST_ONE(op, n) , "xmm" #n
#define LIST_LOW "memory" CLEAR_LOW(LIST_ONE, )
#define LIST_HIGH LIST_LOW CLEAR_HIGH(LIST_ONE, )
#define LIST_MORE LIST_HIGH CLEAR_MORE(LIST_ONE, )
#if !defined(__x86_64__)
#ifdef __AVX__
#define CLEAR_TEXT "vzeroupper\n\t" CLEAR_LOW(CLEAR_3, vpxor)
#else
#define CLEAR_TEXT CLEAR_LOW(CLEAR_2, pxor)
#endif
#define CLEAR_LIST LIST_LOW
#elif defined(__AVX512F__) && !defined RIJN_EMULATED /* test/emulated */
#define CLEAR_TEXT "vzeroupper\n\t" CLEAR_LOW(CLEAR_3, vpxor) CLEAR_HIGH(CLEAR_3, vpxor) CLEAR_MORE(CLEAR_3, vpxord)
#define CLEAR_LIST LIST_MORE
#elif defined(__AVX__)
#define CLEAR_TEXT "vzeroupper\n\t" CLEAR_LOW(CLEAR_3, vpxor) CLEAR_HIGH(CLEAR_3, vpxor)
#define CLEAR_LIST LIST_HIGH
#else
#define CLEAR_TEXT CLEAR_LOW(CLEAR_2, pxor) CLEAR_HIGH(CLEAR_2, pxor)
#define CLEAR_LIST LIST_HIGH
#endif
#define CLEAR_REGS() __asm__ volatile(CLEAR_TEXT ::: CLEAR_LIST)
/* Clears the mask registers, into which compilers compare. */
#if defined __AVX512F__ && !defined RIJN_EMULATED
#define CLEAR_MASKS()                                                                                                  \
  __asm__ volatile("kxorw %%k0,%%k0,%%k1\n\tkxorw %%k0,%%k0,%%k2\n\tkxorw %%k0,%%k0,%%k3\n\tkxorw %%k0,%%k0,%%k4\n\t"  \
                   "kxorw %%k0,%%k0,%%k5\n\tkxorw %%k0,%%k0,%%k6\n\tkxorw %%k0,%%k0,%%k7\n\tkxorw %%k0,%%k0,%%k0" ::   \
                       : "memory")
#endif
