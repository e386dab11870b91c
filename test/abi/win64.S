/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* x86-64, Windows: calls what the caller says with a machine state that is all poison, and notes what came back.
 * The offsets are those of struct machine in win64.c, which asserts them. */
#define FN 0
#define ARGS 8
#define SP 80
#define KEPT 88
#define FLAGS 152
#define MXCSR 160
#define CW 164
#define RESULT 168
#define GOT_SP 176
#define GOT_KEPT 184
#define GOT_FLAGS 248
#define GOT_MXCSR 256
#define GOT_CW 260
#define GOT_TAGS 262
#define OWN_SP 264
#define XMM 272
#define GOT_XMM 528
#define FPU_ENV 784

  .text
  .globl abi_enter
abi_enter:
  pushq %rbx
  pushq %rbp
  pushq %rdi
  pushq %rsi
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $184, %rsp
  stmxcsr (%rsp)
  fnstcw 8(%rsp)
  .irp i, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  movups %xmm\i, 16 * (\i - 5)(%rsp)
  .endr
  movq %rcx, machine(%rip)
  movq %rsp, OWN_SP(%rcx)
  movq %rcx, %r10

  .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  movups XMM + 16 * \i(%r10), %xmm\i
  .endr
  ldmxcsr MXCSR(%r10)
  fldcw CW(%r10)

  /* The stack is the callee's: 32 bytes that it may use, then the five arguments that are not in registers. */
  movq SP(%r10), %rsp
  .irp i, 4, 5, 6, 7, 8
  movq ARGS + 8 * \i(%r10), %rax
  movq %rax, 8 * \i(%rsp)
  .endr

  movq KEPT(%r10), %rbx
  movq KEPT+8(%r10), %rbp
  movq KEPT+16(%r10), %rdi
  movq KEPT+24(%r10), %rsi
  movq KEPT+32(%r10), %r12
  movq KEPT+40(%r10), %r13
  movq KEPT+48(%r10), %r14
  movq KEPT+56(%r10), %r15
  movq ARGS(%r10), %rcx
  movq ARGS+8(%r10), %rdx
  movq ARGS+16(%r10), %r8
  movq ARGS+24(%r10), %r9
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
  movq %rdi, GOT_KEPT+16(%r10)
  movq %rsi, GOT_KEPT+24(%r10)
  movq %r12, GOT_KEPT+32(%r10)
  movq %r13, GOT_KEPT+40(%r10)
  movq %r14, GOT_KEPT+48(%r10)
  movq %r15, GOT_KEPT+56(%r10)
  .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  movups %xmm\i, GOT_XMM + 16 * \i(%r10)
  .endr
  stmxcsr GOT_MXCSR(%r10)
  fnstcw GOT_CW(%r10)
  fnstenv FPU_ENV(%r10)
  movzwl FPU_ENV+8(%r10), %eax
  movw %ax, GOT_TAGS(%r10)
  fninit
  fldcw 8(%rsp)
  ldmxcsr (%rsp)
  .irp i, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  movups 16 * (\i - 5)(%rsp), %xmm\i
  .endr
  addq $184, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rsi
  popq %rdi
  popq %rbp
  popq %rbx
  ret

/* Kernels that break one rule each: the test must see every one. */
#define BAD(name, ...) .globl name; name: __VA_ARGS__; ret
BAD(bad_none, nop)
BAD(bad_rbx, movl $1, %ebx)
BAD(bad_rbp, movl $1, %ebp)
BAD(bad_rdi, movl $1, %edi)
BAD(bad_rsi, movl $1, %esi)
BAD(bad_r12, incq %r12)
BAD(bad_r13, notq %r13)
BAD(bad_r14, movl $1, %r14d)
BAD(bad_r15, movl $1, %r15d)
BAD(bad_xmm6, pxor %xmm6, %xmm6)
BAD(bad_xmm7, pxor %xmm7, %xmm7)
BAD(bad_xmm8, pxor %xmm8, %xmm8)
BAD(bad_xmm9, pxor %xmm9, %xmm9)
BAD(bad_xmm10, pxor %xmm10, %xmm10)
BAD(bad_xmm11, pxor %xmm11, %xmm11)
BAD(bad_xmm12, pxor %xmm12, %xmm12)
BAD(bad_xmm13, pxor %xmm13, %xmm13)
BAD(bad_xmm14, pxor %xmm14, %xmm14)
BAD(bad_xmm15, psllq $1, %xmm15)
BAD(bad_sp, pushq (%rsp))
BAD(bad_df, std)
BAD(bad_mxcsr, pushq $0x1f80; ldmxcsr (%rsp); popq %rax)
BAD(bad_cw, pushq $0x037f; fldcw (%rsp); popq %rax)
BAD(bad_x87, fldz)
BAD(bad_mmx, pxor %mm3, %mm3)
BAD(bad_stack, movb $1, 128(%rsp))

  .bss
  .balign 8
machine: .zero 8
