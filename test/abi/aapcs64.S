/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AArch64, AAPCS64: calls what the caller says with a machine state that is all poison, and notes what came back.
 * The offsets are those of struct machine in aapcs64.c, which asserts them. */
#define FN 0
#define ARGS 8
#define SP 80
#define KEPT 88
#define FPCR 176
#define FLAGS 184
#define VECTORS 192
#define RESULT 704
#define GOT_SP 712
#define GOT_KEPT 720
#define GOT_FPCR 808
#define GOT_D 816
#define OWN_SP 880

/* x19 to x28; d8 to d15 */
  .macro general op, base, at
  \op x19, x20, [\base, #\at]
  \op x21, x22, [\base, #\at + 16]
  \op x23, x24, [\base, #\at + 32]
  \op x25, x26, [\base, #\at + 48]
  \op x27, x28, [\base, #\at + 64]
  .endm
  .macro doubles op, base, at
  \op d8, d9, [\base, #\at]
  \op d10, d11, [\base, #\at + 16]
  \op d12, d13, [\base, #\at + 32]
  \op d14, d15, [\base, #\at + 48]
  .endm

  .text
  .globl abi_enter
  .type abi_enter, %function
abi_enter:
  hint #34 /* bti c */
  stp x29, x30, [sp, #-176]!
  general stp, sp, 16
  doubles stp, sp, 96
  mrs x1, fpcr
  str x1, [sp, #160]
  adrp x1, machine
  str x0, [x1, :lo12:machine]
  mov x1, sp
  str x1, [x0, #OWN_SP]

  add x1, x0, #VECTORS
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  ldr q\n, [x1], #16
  .endr
  mov x16, x0
  general ldp, x16, KEPT
  ldr x29, [x16, #KEPT + 80]

  /* The stack is the callee's; the one argument that is not in a register lies at its top. */
  ldr x1, [x16, #SP]
  mov sp, x1
  ldr x1, [x16, #ARGS + 64]
  str x1, [sp]
  ldr x17, [x16, #FN]
  ldp x0, x1, [x16, #ARGS]
  ldp x2, x3, [x16, #ARGS + 16]
  ldp x4, x5, [x16, #ARGS + 32]
  ldp x6, x7, [x16, #ARGS + 48]
  ldr x8, [x16, #FPCR]
  msr fpcr, x8
  ldr x8, [x16, #FLAGS]
  msr nzcv, x8
  .irp n, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18
  mov x\n, #-1
  .endr
  blr x17

  /* Nothing but moves until all is noted. */
  adrp x16, machine
  ldr x16, [x16, :lo12:machine]
  str x0, [x16, #RESULT]
  mov x17, sp
  str x17, [x16, #GOT_SP]
  add x17, x16, #GOT_KEPT
  general stp, x17, 0
  str x29, [x17, #80]
  add x17, x16, #GOT_D
  doubles stp, x17, 0
  mrs x17, fpcr
  str x17, [x16, #GOT_FPCR]

  ldr x17, [x16, #OWN_SP]
  mov sp, x17
  ldr x17, [sp, #160]
  msr fpcr, x17
  doubles ldp, sp, 96
  general ldp, sp, 16
  ldp x29, x30, [sp], #176
  ret
  .size abi_enter, .-abi_enter

/* Kernels that break one rule each: the test must see every one. */
  .macro function name
  .globl \name
  .type \name, %function
\name:
  hint #34
  .endm
  .macro end name
  ret
  .size \name, .-\name
  .endm
  .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
  function bad_x\n
  eor x\n, x\n, #1
  end bad_x\n
  .endr
  .irp n, 8, 9, 10, 11, 12, 13, 14, 15
  function bad_d\n
  movi v\n\().16b, #0
  end bad_d\n
  .endr
  function bad_fpcr
  msr fpcr, xzr
  end bad_fpcr
  function bad_sp
  sub sp, sp, #16
  end bad_sp
  function bad_stack
  strb wzr, [sp, #64]
  end bad_stack
/* Takes all that a callee may have: the upper halves of v8 to v15 too. */
  function bad_none
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  movi v\n\().16b, #0
  .endr
  .irp n, 8, 9, 10, 11, 12, 13, 14, 15
  ins v\n\().d[1], xzr
  .endr
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18
  mov x\n, #0
  .endr
  str xzr, [sp]
  stp xzr, xzr, [sp, #-16]
  cmp x0, x0
  end bad_none

  .bss
  .balign 8
machine: .zero 8
  .section .note.GNU-stack, "", %progbits
