/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn_table(): room for it. blob.py puts Go's instructions here, with the address that Go's linker knows. */
  .section .text.rijn_table, "ax"
  .balign 16
  .globl rijn_table
  .hidden rijn_table
  .type rijn_table, %function
rijn_table:
#ifdef __x86_64__
  .zero 8 /* LEAQ sym(SB), AX: 7 bytes; RET: 1 */
#else
  .zero 12 /* MOVD $sym(SB), R0: ADRP and ADD; RET */
  .zero 4
#endif
  .size rijn_table, . - rijn_table
  .section .note.GNU-stack, "", %progbits
