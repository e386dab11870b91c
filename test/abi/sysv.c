/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* x86-64, System V. After a call
 *   - rbx, rbp, r12 to r15 and the stack pointer are as they were, and so is what lies above the arguments;
 *   - the direction flag is clear, the x87 stack is empty (no MMX without EMMS);
 *   - the control bits of MXCSR and the x87 control word are as they were: rounding, flush to zero, masks;
 *   - the upper halves of ymm0 to ymm15 are zero if they were. WHY: after a kernel that leaves them full, code with SSE
 *     is slow, for as long as nobody clears them.
 * The stack's alignment is 16 and no more, in turns of 16, 32 and 48 bytes beside a multiple of 64. */
#include "abi.h"

#include <cpuid.h>

struct machine {
  const void *fn;
  uint64_t args[9];
  uint64_t sp;
  uint64_t kept[6]; /* rbx rbp r12 r13 r14 r15 */
  uint64_t flags;
  uint64_t xmask; /* state components of XSAVE; 0: no XSAVE */
  void *xarea;
  uint32_t mxcsr;
  uint16_t cw, pad;
  uint64_t result, got_sp, got_kept[6], got_flags;
  uint32_t got_mxcsr;
  uint16_t got_cw, got_tags;
  uint64_t own_sp;
  uint8_t fpu_env[28], pad2[4];
  void *xarea_after;
};
#define AT(field, offset) _Static_assert(offsetof(struct machine, field) == (offset), #field)
AT(args, 8);
AT(sp, 80);
AT(kept, 88);
AT(flags, 136);
AT(xmask, 144);
AT(xarea, 152);
AT(mxcsr, 160);
AT(cw, 164);
AT(result, 168);
AT(got_sp, 176);
AT(got_kept, 184);
AT(got_flags, 232);
AT(got_mxcsr, 240);
AT(got_cw, 244);
AT(got_tags, 246);
AT(own_sp, 248);
AT(fpu_env, 256);
AT(xarea_after, 288);

void abi_enter(struct machine *m);

void bad_rbx(void), bad_rbp(void), bad_r12(void), bad_r13(void), bad_r14(void), bad_r15(void), bad_df(void);
void bad_mxcsr(void), bad_cw(void), bad_x87(void), bad_mmx(void), bad_stack(void), bad_upper(void);
void bad_sp(void), bad_none(void);

static _Alignas(64) uint8_t stack[ABI_STACK], xbefore[8192], xafter[8192];
static uint64_t xmask;
static uint32_t ymm_upper; /* where in the area */

#define FLAG_DF 0x400u
#define FLAGS_ALL 0x8d5u /* CF PF AF ZF SF OF */

enum { KEPT_CHANGED = 1, SP_CHANGED, DF_LEFT, MXCSR_CHANGED, CW_CHANGED, X87_FULL, STACK_WRITTEN, UPPER_LEFT };
static const char *const broken[] = {"",
                                     "a callee-saved register has changed",
                                     "the stack pointer has changed",
                                     "the direction flag is set",
                                     "MXCSR has changed",
                                     "the x87 control word has changed",
                                     "the x87 stack is not empty",
                                     "the caller's stack was written",
                                     "an upper half of ymm0 to ymm15 is not zero"};

const char *abi_broken(int rule) { return broken[rule]; }

int abi_call(const void *fn, const uint64_t args[9], unsigned turn, uint64_t *result) {
  struct machine m;
  bool full = turn & 4;
  uint8_t *top = stack + ABI_STACK - ABI_ABOVE - 64 - 16 * (turn % 4);
  memset(&m, 0, sizeof m);
  memset(stack, ABI_FILL, sizeof stack);
  t_fill(xbefore, sizeof xbefore);
  /* The header: everything is here. MXCSR stands in the area too, and is taken from it. */
  m.mxcsr = turn & 1 ? 0xff80 : 0x3fc0; /* all masked; to zero, FTZ, DAZ; or down, DAZ */
  m.cw = turn & 1 ? 0x0c7f : 0x007f;    /* to zero; or single precision */
  memcpy(xbefore + 24, &m.mxcsr, 4);
  memset(xbefore + 28, 0xff, 4);
  memset(xbefore + 512, 0, 64);
  memcpy(xbefore + 512, &(uint64_t){full ? xmask : xmask & 2}, 8); /* what is not there is zero */
  memset(xafter, 0, sizeof xafter);
  m.fn = fn;
  memcpy(m.args, args, sizeof m.args);
  m.sp = k_arg(top);
  for (size_t i = 0; i < 6; i++)
    m.kept[i] = t_rnd() | UINT64_C(0x8000000000000000);
  m.flags = 0x202 | (turn & 2 ? FLAGS_ALL : 0);
  m.xmask = xmask;
  m.xarea = xbefore;
  m.xarea_after = xafter;
  abi_enter(&m);
  *result = m.result;
  if (memcmp(m.kept, m.got_kept, sizeof m.kept) != 0)
    return KEPT_CHANGED;
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
  for (uint8_t *p = top + 24; p < stack + ABI_STACK; p++)
    if (*p != ABI_FILL)
      return STACK_WRITTEN;
  if (!full && xafter[512] & 4) /* else XSAVE says that they are all zero */
    for (size_t i = 0; i < 256; i++)
      if (xafter[ymm_upper + i] != 0)
        return UPPER_LEFT;
  return 0;
}

void abi_prepare(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1))
    return;
  uint32_t lo, hi;
  __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
  xmask = lo & 0xe6; /* SSE, AVX, opmasks, both parts of AVX-512; x87 is set apart */
  for (unsigned i = 2; i < 8; i++)
    if (xmask >> i & 1) {
      REQUIRE(__get_cpuid_count(0xd, i, &a, &b, &c, &d));
      REQUIRE(b + a <= sizeof xbefore);
      if (i == 2)
        ymm_upper = b;
    }
  /* Only where there are upper halves, and they were empty. */
  static const uint64_t none[9];
  void (*upper)(void) = bad_upper;
  const void *fn;
  uint64_t result;
  memcpy(&fn, &upper, sizeof fn);
  for (unsigned turn = 0; xmask & 4 && turn < 8; turn++)
    CHECK_EQ(abi_call(fn, none, turn, &result), turn & 4 ? 0 : UPPER_LEFT);
}

const struct abi_bad abi_bad[] = {
    {bad_none, 0},           {bad_rbx, KEPT_CHANGED},    {bad_rbp, KEPT_CHANGED}, {bad_r12, KEPT_CHANGED},
    {bad_r13, KEPT_CHANGED}, {bad_r14, KEPT_CHANGED},    {bad_r15, KEPT_CHANGED}, {bad_sp, SP_CHANGED},
    {bad_df, DF_LEFT},       {bad_mxcsr, MXCSR_CHANGED}, {bad_cw, CW_CHANGED},    {bad_x87, X87_FULL},
    {bad_mmx, X87_FULL},     {bad_stack, STACK_WRITTEN},
};
const size_t abi_bad_n = sizeof abi_bad / sizeof abi_bad[0];
