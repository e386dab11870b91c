/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* x86-64, Windows. After a call
 *   - rbx, rbp, rdi, rsi, r12 to r15, xmm6 to xmm15 and the stack pointer are as they were, and so is what lies above
 *   the
 *     arguments and the 32 bytes below them, which are the callee's;
 *   - the direction flag is clear, the x87 stack is empty;
 *   - the control bits of MXCSR and the x87 control word are as they were.
 * The stack's alignment is 16 and no more, in turns of 16, 32 and 48 bytes beside a multiple of 64: compilers for
 * Windows have taken it to be 32 (GCC bug 54412). */
#include "abi.h"

struct machine {
  const void *fn;
  uint64_t args[9];
  uint64_t sp;
  uint64_t kept[8]; /* rbx rbp rdi rsi r12 r13 r14 r15 */
  uint64_t flags;
  uint32_t mxcsr;
  uint16_t cw, pad;
  uint64_t result, got_sp, got_kept[8], got_flags;
  uint32_t got_mxcsr;
  uint16_t got_cw, got_tags;
  uint64_t own_sp;
  uint8_t xmm[16][16], got_xmm[16][16];
  uint8_t fpu_env[28];
};
#define AT(field, offset) _Static_assert(offsetof(struct machine, field) == (offset), #field)
AT(args, 8);
AT(sp, 80);
AT(kept, 88);
AT(flags, 152);
AT(mxcsr, 160);
AT(cw, 164);
AT(result, 168);
AT(got_sp, 176);
AT(got_kept, 184);
AT(got_flags, 248);
AT(got_mxcsr, 256);
AT(got_cw, 260);
AT(got_tags, 262);
AT(own_sp, 264);
AT(xmm, 272);
AT(got_xmm, 528);
AT(fpu_env, 784);

void abi_enter(struct machine *m);

void bad_rbx(void), bad_rbp(void), bad_rdi(void), bad_rsi(void), bad_r12(void), bad_r13(void), bad_r14(void);
void bad_r15(void), bad_df(void), bad_mxcsr(void), bad_cw(void), bad_x87(void), bad_mmx(void), bad_stack(void);
void bad_xmm6(void), bad_xmm7(void), bad_xmm8(void), bad_xmm9(void), bad_xmm10(void), bad_xmm11(void);
void bad_xmm12(void), bad_xmm13(void), bad_xmm14(void), bad_xmm15(void), bad_sp(void), bad_none(void);

static _Alignas(64) uint8_t stack[ABI_STACK];

#define FLAG_DF 0x400u
#define FLAGS_ALL 0x8d5u /* CF PF AF ZF SF OF */

enum { KEPT_CHANGED = 1, XMM_CHANGED, SP_CHANGED, DF_LEFT, MXCSR_CHANGED, CW_CHANGED, X87_FULL, STACK_WRITTEN };
static const char *const broken[] = {"",
                                     "a callee-saved register has changed",
                                     "one of xmm6 to xmm15 has changed",
                                     "the stack pointer has changed",
                                     "the direction flag is set",
                                     "MXCSR has changed",
                                     "the x87 control word has changed",
                                     "the x87 stack is not empty",
                                     "the caller's stack was written"};

void abi_prepare(void) {}
const char *abi_broken(int rule) { return broken[rule]; }

int abi_call(const void *fn, const uint64_t args[9], unsigned turn, uint64_t *result) {
  struct machine m;
  uint8_t *top = stack + ABI_STACK - ABI_ABOVE - 128 - 16 * (turn % 4);
  memset(&m, 0, sizeof m);
  memset(stack, ABI_FILL, sizeof stack);
  m.fn = fn;
  memcpy(m.args, args, sizeof m.args);
  m.sp = k_arg(top);
  for (size_t i = 0; i < 8; i++)
    m.kept[i] = t_rnd() | UINT64_C(0x8000000000000000);
  t_fill(m.xmm, sizeof m.xmm);
  m.flags = 0x202 | (turn & 2 ? FLAGS_ALL : 0);
  m.mxcsr = turn & 1 ? 0xff80 : 0x3fc0; /* all masked; to zero, FTZ, DAZ; or down, DAZ */
  m.cw = turn & 1 ? 0x0c7f : 0x007f;    /* to zero; or single precision */
  abi_enter(&m);
  *result = m.result;
  if (memcmp(m.kept, m.got_kept, sizeof m.kept) != 0)
    return KEPT_CHANGED;
  if (memcmp(m.xmm[6], m.got_xmm[6], sizeof m.xmm - 6 * sizeof m.xmm[0]) != 0)
    return XMM_CHANGED;
  if (m.got_sp != m.sp)
    return SP_CHANGED;
  if (m.got_flags & FLAG_DF)
    return DF_LEFT;
  if ((m.got_mxcsr & ~0x3fu) != (m.mxcsr & ~0x3fu)) /* the lowest six say what has happened, and are nobody's */
    return MXCSR_CHANGED;
  if (m.got_cw != m.cw)
    return CW_CHANGED;
  if (m.got_tags != 0xffff)
    return X87_FULL;
  for (uint8_t *p = top + 72; p < stack + ABI_STACK; p++)
    if (*p != ABI_FILL)
      return STACK_WRITTEN;
  return 0;
}

const struct abi_bad abi_bad[] = {
    {bad_none, 0},
    {bad_rbx, KEPT_CHANGED},
    {bad_rbp, KEPT_CHANGED},
    {bad_rdi, KEPT_CHANGED},
    {bad_rsi, KEPT_CHANGED},
    {bad_r12, KEPT_CHANGED},
    {bad_r13, KEPT_CHANGED},
    {bad_r14, KEPT_CHANGED},
    {bad_r15, KEPT_CHANGED},
    {bad_xmm6, XMM_CHANGED},
    {bad_xmm7, XMM_CHANGED},
    {bad_xmm8, XMM_CHANGED},
    {bad_xmm9, XMM_CHANGED},
    {bad_xmm10, XMM_CHANGED},
    {bad_xmm11, XMM_CHANGED},
    {bad_xmm12, XMM_CHANGED},
    {bad_xmm13, XMM_CHANGED},
    {bad_xmm14, XMM_CHANGED},
    {bad_xmm15, XMM_CHANGED},
    {bad_sp, SP_CHANGED},
    {bad_df, DF_LEFT},
    {bad_mxcsr, MXCSR_CHANGED},
    {bad_cw, CW_CHANGED},
    {bad_x87, X87_FULL},
    {bad_mmx, X87_FULL},
    {bad_stack, STACK_WRITTEN},
};
const size_t abi_bad_n = sizeof abi_bad / sizeof abi_bad[0];
