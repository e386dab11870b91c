/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* POWER, 64-bit ELFv2: calls what the caller says with a machine state that is all poison, and notes what came back.
 * The offsets are those of struct machine in elfv2.c, which asserts them. */
#define FN 0
#define ARGS 8
#define SP 80
#define KEPT 88
#define VECTORS 240
#define CR 1264
#define VRSAVE 1272
#define VSCR 1280
#define FPSCR 1296
#define RESULT 1304
#define GOT_SP 1312
#define GOT_KEPT 1320
#define GOT_CR 1472
#define GOT_VRSAVE 1480
#define GOT_VECTORS 1488
#define GOT_VSCR 2512
#define GOT_FPSCR 2528
#define OWN_SP 2536

/* The frame: what this function owes to its own caller. */
#define FRAME 624
#define MY_GENERAL 96
#define MY_DOUBLES 240
#define MY_VECTORS 384
#define MY_VRSAVE 576
#define MY_FPSCR 584
#define MY_VSCR 592
#define MY_TOC 608
#define MY_THREAD 616
#define NINTH 96 /* where a ninth argument lies, from the stack pointer at the call */

  .macro general op, base, at
  .irp n, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  \op \n, \at + 8 * (\n - 14)(\base)
  .endr
  .endm
  .macro vectors op, base
  .irp n, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  li 4, MY_VECTORS + 16 * (\n - 20)
  \op \n, \base, 4
  .endr
  .endm
  /* All 64 VSX registers, from or to where r4 points. */
  .macro all_vsx op
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  \op \n, 0, 4
  addi 4, 4, 16
  .endr
  .irp n, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63
  \op \n, 0, 4
  addi 4, 4, 16
  .endr
  .endm
  /* r12: the address of machine. Without a TOC, because that is poison too. */
  .macro find_machine
  bcl 20, 31, 9f
9:
  mflr 12
  addis 12, 12, machine - 9b@ha
  addi 12, 12, machine - 9b@l
  .endm

  .machine power8
  .text
  .globl abi_enter
  .type abi_enter, @function
abi_enter:
  mflr 0
  std 0, 16(1)
  mfcr 0
  stw 0, 8(1)
  stdu 1, -FRAME(1)
  general std, 1, MY_GENERAL
  general stfd, 1, MY_DOUBLES
  vectors stvx, 1
  mfspr 0, 256
  std 0, MY_VRSAVE(1)
  mffs 0
  stfd 0, MY_FPSCR(1)
  mfvscr 0
  li 4, MY_VSCR
  stvx 0, 1, 4
  std 2, MY_TOC(1)
  std 13, MY_THREAD(1)
  find_machine
  std 3, 0(12)
  std 1, OWN_SP(3)
  std 13, KEPT(3)

  li 4, VSCR
  lvx 0, 3, 4
  mtvscr 0
  lfd 0, FPSCR(3)
  mtfsf 255, 0
  addi 4, 3, VECTORS
  all_vsx lxvd2x
  ld 0, VRSAVE(3)
  mtspr 256, 0
  general ld, 3, KEPT + 8
  ld 1, SP(3)
  ld 0, ARGS + 64(3)
  std 0, NINTH(1)
  ld 0, CR(3)
  mtcrf 255, 0
  ld 12, FN(3)
  mtctr 12
  ld 4, ARGS + 8(3)
  ld 5, ARGS + 16(3)
  ld 6, ARGS + 24(3)
  ld 7, ARGS + 32(3)
  ld 8, ARGS + 40(3)
  ld 9, ARGS + 48(3)
  ld 10, ARGS + 56(3)
  ld 3, ARGS(3)
  li 0, -1
  mtxer 0
  li 2, -1 /* a function that wants a TOC makes it of r12 */
  li 11, -1
  bctrl

  /* Nothing but moves until all is noted. */
  find_machine
  ld 12, 0(12)
  std 3, RESULT(12)
  std 1, GOT_SP(12)
  std 13, GOT_KEPT(12)
  general std, 12, GOT_KEPT + 8
  mfcr 0
  std 0, GOT_CR(12)
  mfspr 0, 256
  std 0, GOT_VRSAVE(12)
  addi 4, 12, GOT_VECTORS
  all_vsx stxvd2x
  mffs 0
  stfd 0, GOT_FPSCR(12)
  mfvscr 0
  li 4, GOT_VSCR
  stvx 0, 12, 4

  ld 1, OWN_SP(12)
  ld 13, MY_THREAD(1)
  ld 2, MY_TOC(1)
  li 4, MY_VSCR
  lvx 0, 1, 4
  mtvscr 0
  lfd 0, MY_FPSCR(1)
  mtfsf 255, 0
  ld 0, MY_VRSAVE(1)
  mtspr 256, 0
  vectors lvx, 1
  general lfd, 1, MY_DOUBLES
  general ld, 1, MY_GENERAL
  addi 1, 1, FRAME
  lwz 0, 8(1)
  mtcrf 255, 0
  ld 0, 16(1)
  mtlr 0
  blr
  .size abi_enter, .-abi_enter

/* Kernels that break one rule each: the test must see every one. */
  .macro function name
  .globl \name
  .type \name, @function
\name:
  .endm
  .macro end name
  blr
  .size \name, .-\name
  .endm
  .irp n, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  function bad_r\n
  xori \n, \n, 1
  end bad_r\n
  .endr
  .irp n, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  function bad_f\n
  xxlxor \n, \n, \n
  end bad_f\n
  .endr
  .irp n, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  function bad_v\n
  vxor \n, \n, \n
  end bad_v\n
  .endr
  .irp n, 2, 3, 4
  function bad_cr\n
  crnot 4 * \n + 1, 4 * \n + 1
  end bad_cr\n
  .endr
  function bad_vrsave
  li 0, 0
  mtspr 256, 0
  end bad_vrsave
  function bad_vscr
  mfvscr 0
  vspltisw 1, 1
  vspltisw 2, 8
  vslw 1, 1, 2
  vslw 1, 1, 2
  vxor 0, 0, 1
  mtvscr 0
  end bad_vscr
  function bad_fpscr
  mtfsfi 7, 0
  end bad_fpscr
  function bad_sp
  addi 1, 1, -16
  end bad_sp
  function bad_chain
  std 0, 0(1)
  end bad_chain
  function bad_stack
  stb 0, 104(1)
  end bad_stack
/* Takes all that a callee may have: the second halves of VSR 14 to 31 too. */
  function bad_none
  mflr 0
  std 0, 16(1)
  mfcr 0
  stw 0, 8(1)
  std 0, 24(1)
  .irp n, 32, 40, 48, 56, 64, 72, 80, 88, 96
  std 0, \n(1)
  .endr
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
  xxlxor \n, \n, \n
  .endr
  .irp n, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  xxpermdi \n, \n, 0, 0
  .endr
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19
  vxor \n, \n, \n
  .endr
  li 0, 0
  mtcrf 0xc7, 0
  mtctr 0
  mtxer 0
  .irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
  li \n, 0
  .endr
  end bad_none

  .bss
  .balign 8
machine: .zero 8
  .section .note.GNU-stack, "", @progbits
