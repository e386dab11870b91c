/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Clearing the vector registers of x86, at the end of every kernel of every mode. What there is besides, for functions
 * that use a part of them, is in ops_x86_128.h.
 *
 * CLEAR_REGS() clears all vector registers that code of this level may have used. VZEROUPPER tells the processor that
 * the upper halves are unused: without it SSE code in the caller is slower (T-158).
 * REGS_0_7, REGS_8_15, REGS_16_31: lists of registers by their numbers. REGS_..(c, op) is c(op, n) for each of them: an
 * instruction op that clears it, with three operands or two (ZERO_3, ZERO_2), or its name among clobbers (CLOBBER). */
#define ZERO_3(op, n) #op " %%xmm" #n ",%%xmm" #n ",%%xmm" #n "\n\t"
#define ZERO_2(op, n) #op " %%xmm" #n ",%%xmm" #n "\n\t"
#define REGS_0_7(c, op) c(op, 0) c(op, 1) c(op, 2) c(op, 3) c(op, 4) c(op, 5) c(op, 6) c(op, 7)
#define REGS_8_15(c, op) c(op, 8) c(op, 9) c(op, 10) c(op, 11) c(op, 12) c(op, 13) c(op, 14) c(op, 15)
#define REGS_16_19(c, op) c(op, 16) c(op, 17) c(op, 18) c(op, 19)
#define REGS_20_23(c, op) c(op, 20) c(op, 21) c(op, 22) c(op, 23)
#define REGS_24_27(c, op) c(op, 24) c(op, 25) c(op, 26) c(op, 27)
#define REGS_28_31(c, op) c(op, 28) c(op, 29) c(op, 30) c(op, 31)
#define REGS_16_31(c, op) REGS_16_19(c, op) REGS_20_23(c, op) REGS_24_27(c, op) REGS_28_31(c, op)
#define CLOBBER(op, n) , "xmm" #n
#define CLOBBERS_8 "memory" REGS_0_7(CLOBBER, )
#define CLOBBERS_16 CLOBBERS_8 REGS_8_15(CLOBBER, )
#define CLOBBERS_32 CLOBBERS_16 REGS_16_31(CLOBBER, )
#if !defined(__x86_64__)
#ifdef __AVX__
#define ZERO_ALL "vzeroupper\n\t" REGS_0_7(ZERO_3, vpxor)
#else
#define ZERO_ALL REGS_0_7(ZERO_2, pxor)
#endif
#define CLOBBER_ALL CLOBBERS_8
#elif defined(__AVX512F__) && !defined RIJN_EMULATED /* test/emulated */
#define ZERO_ALL "vzeroupper\n\t" REGS_0_7(ZERO_3, vpxor) REGS_8_15(ZERO_3, vpxor) REGS_16_31(ZERO_3, vpxord)
#define CLOBBER_ALL CLOBBERS_32
#elif defined(__AVX__)
#define ZERO_ALL "vzeroupper\n\t" REGS_0_7(ZERO_3, vpxor) REGS_8_15(ZERO_3, vpxor)
#define CLOBBER_ALL CLOBBERS_16
#else
#define ZERO_ALL REGS_0_7(ZERO_2, pxor) REGS_8_15(ZERO_2, pxor)
#define CLOBBER_ALL CLOBBERS_16
#endif
#define CLEAR_REGS() __asm__ volatile(ZERO_ALL ::: CLOBBER_ALL)
/* Clears the mask registers, into which compilers compare. */
#if defined __AVX512F__ && !defined RIJN_EMULATED
#define CLEAR_MASKS()                                                                                                  \
  __asm__ volatile("kxorw %%k0,%%k0,%%k1\n\tkxorw %%k0,%%k0,%%k2\n\tkxorw %%k0,%%k0,%%k3\n\tkxorw %%k0,%%k0,%%k4\n\t"  \
                   "kxorw %%k0,%%k0,%%k5\n\tkxorw %%k0,%%k0,%%k6\n\tkxorw %%k0,%%k0,%%k7\n\tkxorw %%k0,%%k0,%%k0" ::   \
                       : "memory")
#endif
#define CLEAR_GENERAL() RIJN_CLEAR_GENERAL() /* without masks parts of blocks go through them (part.h) */
