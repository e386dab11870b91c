/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* POWER, 64-bit ELFv2. After a call
 *   - r14 to r31, the thread's r13 and the stack pointer are as they were, and so are the back chain and what lies
 *   above
 *     the arguments on the stack;
 *   - f14 to f31 and v20 to v31 are as they were, which in the numbers of VSX are the first halves of 14 to 31, and 52
 *   to
 *     63: a kernel that counts in VSX numbers may forget either;
 *   - fields 2 to 4 of the condition register, VRSAVE, the control bits of FPSCR, and non-Java mode in VSCR.
 * r2 is poison: a function that wants a TOC makes it of its own address.
 * The stack's alignment is 16 and no more, in turns of 16, 32 and 48 bytes beside a multiple of 64. */
#include "abi.h"

struct machine {
  const void *fn;
  uint64_t args[9];
  uint64_t sp;
  uint64_t kept[19]; /* r13, which is not changed, to r31 */
  _Alignas(16) uint64_t vectors[64][2];
  uint64_t cr, vrsave;
  _Alignas(16) uint32_t vscr[4];
  uint64_t fpscr;
  uint64_t result, got_sp, got_kept[19], got_cr, got_vrsave;
  _Alignas(16) uint64_t got_vectors[64][2];
  _Alignas(16) uint32_t got_vscr[4];
  uint64_t got_fpscr;
  uint64_t own_sp;
};
#define AT(field, offset) _Static_assert(offsetof(struct machine, field) == (offset), #field)
AT(args, 8);
AT(sp, 80);
AT(kept, 88);
AT(vectors, 240);
AT(cr, 1264);
AT(vrsave, 1272);
AT(vscr, 1280);
AT(fpscr, 1296);
AT(result, 1304);
AT(got_sp, 1312);
AT(got_kept, 1320);
AT(got_cr, 1472);
AT(got_vrsave, 1480);
AT(got_vectors, 1488);
AT(got_vscr, 2512);
AT(got_fpscr, 2528);
AT(own_sp, 2536);

void abi_enter(struct machine *m);

static _Alignas(64) uint8_t stack[ABI_STACK];

#define CR_KEPT UINT64_C(0x00fff000) /* fields 2, 3, 4 */
#define FPSCR_CONTROL UINT64_C(0x7000000ff)
#define VSCR_NJ 0x10000u
#define ABOVE_ARGS (32 + 9 * 8)

enum {
  KEPT_CHANGED = 1,
  SP_CHANGED,
  DOUBLE_CHANGED,
  VECTOR_CHANGED,
  CR_CHANGED,
  VRSAVE_CHANGED,
  MODE_CHANGED,
  STACK_WRITTEN
};
static const char *const broken[] = {"",
                                     "a callee-saved register of r13 to r31 has changed",
                                     "the stack pointer has changed",
                                     "a callee-saved register of f14 to f31 has changed",
                                     "a callee-saved register of v20 to v31 has changed",
                                     "a field of CR 2 to 4 has changed",
                                     "VRSAVE has changed",
                                     "a control bit of FPSCR or VSCR has changed",
                                     "the caller's stack was written"};

const char *abi_broken(int rule) { return broken[rule]; }

int abi_call(const void *fn, const uint64_t args[9], unsigned turn, uint64_t *result) {
  struct machine m;
  uint8_t *top = stack + ABI_STACK - ABI_ABOVE - 64 - 16 * (turn % 4);
  memset(&m, 0, sizeof m);
  memset(stack, ABI_FILL, sizeof stack);
  m.fn = fn;
  memcpy(m.args, args, sizeof m.args);
  m.sp = k_arg(top);
  for (size_t i = 0; i < 19; i++)
    m.kept[i] = t_rnd();
  t_fill(m.vectors, sizeof m.vectors);
  m.cr = t_rnd() & UINT32_MAX;
  m.vrsave = (t_rnd() & UINT32_MAX) | 1;
  m.vscr[0] = turn & 1 ? VSCR_NJ : 0;
  m.fpscr = turn & 2 ? 1 : 6; /* to zero; or up, and not as the standard has it */
  abi_enter(&m);
  *result = m.result;
  if (memcmp(m.kept, m.got_kept, sizeof m.kept) != 0)
    return KEPT_CHANGED;
  if (m.got_sp != m.sp)
    return SP_CHANGED;
  for (size_t i = 14; i < 32; i++)
    if (m.got_vectors[i][0] != m.vectors[i][0])
      return DOUBLE_CHANGED;
  if (memcmp(m.got_vectors[52], m.vectors[52], sizeof m.vectors[0] * 12) != 0)
    return VECTOR_CHANGED;
  if ((m.got_cr & CR_KEPT) != (m.cr & CR_KEPT))
    return CR_CHANGED;
  if (m.got_vrsave != m.vrsave)
    return VRSAVE_CHANGED;
  if ((m.got_fpscr & FPSCR_CONTROL) != m.fpscr || (m.got_vscr[0] & VSCR_NJ) != m.vscr[0])
    return MODE_CHANGED;
  for (uint8_t *p = top; p < stack + ABI_STACK; p++)
    if (*p != ABI_FILL && (p < top + 8 || p >= top + ABOVE_ARGS))
      return STACK_WRITTEN;
  return 0;
}

void abi_prepare(void) {}

#define FROM_20(op) op(20) op(21) op(22) op(23) op(24) op(25) op(26) op(27) op(28) op(29) op(30) op(31)
#define FROM_14(op) op(14) op(15) op(16) op(17) op(18) op(19) FROM_20(op)
#define DECLARE_R(n) void bad_r##n(void);
#define DECLARE_F(n) void bad_f##n(void);
#define DECLARE_V(n) void bad_v##n(void);
#define ROW_R(n) {bad_r##n, KEPT_CHANGED},
#define ROW_F(n) {bad_f##n, DOUBLE_CHANGED},
#define ROW_V(n) {bad_v##n, VECTOR_CHANGED},
FROM_14(DECLARE_R)
FROM_14(DECLARE_F)
FROM_20(DECLARE_V)
void bad_r13(void), bad_cr2(void), bad_cr3(void), bad_cr4(void), bad_vrsave(void), bad_vscr(void), bad_fpscr(void);
void bad_sp(void), bad_chain(void), bad_stack(void), bad_none(void);

const struct abi_bad abi_bad[] = {{bad_none, 0},
                                  {bad_r13, KEPT_CHANGED},
                                  {bad_cr2, CR_CHANGED},
                                  {bad_cr3, CR_CHANGED},
                                  {bad_cr4, CR_CHANGED},
                                  {bad_vrsave, VRSAVE_CHANGED},
                                  {bad_vscr, MODE_CHANGED},
                                  {bad_fpscr, MODE_CHANGED},
                                  {bad_sp, SP_CHANGED},
                                  {bad_chain, STACK_WRITTEN},
                                  {bad_stack, STACK_WRITTEN},
                                  FROM_14(ROW_R) FROM_14(ROW_F) FROM_20(ROW_V)};
const size_t abi_bad_n = sizeof abi_bad / sizeof abi_bad[0];
