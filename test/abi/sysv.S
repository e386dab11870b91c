/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* x86-64, System V: calls what the caller says with a machine state that is all poison, and notes what came back.
 * The offsets are those of struct machine in sysv.c, which asserts them. */
#define FN 0
#define ARGS 8
#define SP 80
#define KEPT 88
#define FLAGS 136
#define XMASK 144
#define XAREA 152
#define MXCSR 160
#define CW 164
#define RESULT 168
#define GOT_SP 176
#define GOT_KEPT 184
#define GOT_FLAGS 232
#define GOT_MXCSR 240
#define GOT_CW 244
#define GOT_TAGS 246
#define OWN_SP 248
#define FPU_ENV 256
#define XAREA_AFTER 288

  .text
  .globl abi_enter
  .type abi_enter, @function
abi_enter:
  endbr64
  pushq %rbx
  pushq %rbp
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $24, %rsp
  stmxcsr (%rsp)
  fnstcw 8(%rsp)
  movq %rdi, machine(%rip)
  movq %rsp, OWN_SP(%rdi)
  movq %rdi, %rax

  /* Vector registers, opmasks. */
  movq %rax, %r10
  movq XMASK(%r10), %rax
  testq %rax, %rax
  jz 1f
  xorl %edx, %edx
  movq XAREA(%r10), %rcx
  xrstor64 (%rcx)
1:
  ldmxcsr MXCSR(%r10)
  fldcw CW(%r10)

  /* The stack is the callee's; the three arguments that are not in registers lie at its top. */
  movq SP(%r10), %rsp
  movq ARGS+48(%r10), %rax
  movq %rax, (%rsp)
  movq ARGS+56(%r10), %rax
  movq %rax, 8(%rsp)
  movq ARGS+64(%r10), %rax
  movq %rax, 16(%rsp)

  movq KEPT(%r10), %rbx
  movq KEPT+8(%r10), %rbp
  movq KEPT+16(%r10), %r12
  movq KEPT+24(%r10), %r13
  movq KEPT+32(%r10), %r14
  movq KEPT+40(%r10), %r15
  movq ARGS(%r10), %rdi
  movq ARGS+8(%r10), %rsi
  movq ARGS+16(%r10), %rdx
  movq ARGS+24(%r10), %rcx
  movq ARGS+32(%r10), %r8
  movq ARGS+40(%r10), %r9
  pushq FLAGS(%r10)
  popfq
  movq FN(%r10), %r11
  movq $-1, %rax
  movq $-1, %r10
  call *%r11

  /* Nothing but moves until all is noted. */
  movq machine(%rip), %r10
  movq %rsp, GOT_SP(%r10)
  movq OWN_SP(%r10), %rsp
  pushfq
  popq GOT_FLAGS(%r10)
  cld
  movq %rax, RESULT(%r10)
  movq %rbx, GOT_KEPT(%r10)
  movq %rbp, GOT_KEPT+8(%r10)
  movq %r12, GOT_KEPT+16(%r10)
  movq %r13, GOT_KEPT+24(%r10)
  movq %r14, GOT_KEPT+32(%r10)
  movq %r15, GOT_KEPT+40(%r10)
  stmxcsr GOT_MXCSR(%r10)
  fnstcw GOT_CW(%r10)
  fnstenv FPU_ENV(%r10)
  movzwl FPU_ENV+8(%r10), %eax
  movw %ax, GOT_TAGS(%r10)
  movq XMASK(%r10), %rax
  testq %rax, %rax
  jz 2f
  xorl %edx, %edx
  movq XAREA_AFTER(%r10), %rcx
  xsave64 (%rcx)
2:
  fninit
  fldcw 8(%rsp)
  ldmxcsr (%rsp)
  addq $24, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbp
  popq %rbx
  ret
  .size abi_enter, .-abi_enter

/* Kernels that break one rule each: the test must see every one. */
#define BAD(name, ...) .globl name; .type name, @function; name: endbr64; __VA_ARGS__; ret; .size name, .-name
BAD(bad_none, nop)
BAD(bad_rbx, movl $1, %ebx)
BAD(bad_rbp, movl $1, %ebp)
BAD(bad_r12, incq %r12)
BAD(bad_r13, notq %r13)
BAD(bad_r14, movl $1, %r14d)
BAD(bad_r15, movl $1, %r15d)
BAD(bad_sp, pushq (%rsp))
BAD(bad_df, std)
BAD(bad_mxcsr, pushq $0x1f80; ldmxcsr (%rsp); popq %rax)
BAD(bad_cw, pushq $0x037f; fldcw (%rsp); popq %rax)
BAD(bad_x87, fldz)
BAD(bad_mmx, pxor %mm3, %mm3)
BAD(bad_stack, movb $1, 64(%rsp))
BAD(bad_upper, vpcmpeqd %xmm7, %xmm7, %xmm7; vinsertf128 $1, %xmm7, %ymm9, %ymm9)

  .bss
  .balign 8
machine: .zero 8
  .section .note.GNU-stack, "", @progbits
