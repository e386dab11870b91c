/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* AArch64, AAPCS64. After a call
 *   - x19 to x29 and the stack pointer are as they were, and so is what lies above the argument on the stack;
 *   - the lower halves of v8 to v15 are as they were;
 *   - FPCR is as it was: rounding, flush to zero, default NaN.
 * The stack's alignment is 16 and no more, in turns of 16, 32 and 48 bytes beside a multiple of 64. */
#include "abi.h"

struct machine {
  const void *fn;
  uint64_t args[9];
  uint64_t sp;
  uint64_t kept[11]; /* x19 to x29 */
  uint64_t fpcr, flags;
  uint64_t vectors[32][2];
  uint64_t result, got_sp, got_kept[11], got_fpcr, got_d[8];
  uint64_t own_sp;
};
#define AT(field, offset) _Static_assert(offsetof(struct machine, field) == (offset), #field)
AT(args, 8);
AT(sp, 80);
AT(kept, 88);
AT(fpcr, 176);
AT(flags, 184);
AT(vectors, 192);
AT(result, 704);
AT(got_sp, 712);
AT(got_kept, 720);
AT(got_fpcr, 808);
AT(got_d, 816);
AT(own_sp, 880);

void abi_enter(struct machine *m);

static _Alignas(64) uint8_t stack[ABI_STACK];

enum { KEPT_CHANGED = 1, SP_CHANGED, DOUBLE_CHANGED, FPCR_CHANGED, STACK_WRITTEN };
static const char *const broken[] = {"",
                                     "a callee-saved register of x19 to x29 has changed",
                                     "the stack pointer has changed",
                                     "a lower half of v8 to v15 has changed",
                                     "FPCR has changed",
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
  for (size_t i = 0; i < 11; i++)
    m.kept[i] = t_rnd();
  m.fpcr = turn & 1 ? 0x03c00000 : 0x00400000; /* default NaN, flush, to zero; or up */
  m.flags = turn & 2 ? 0xf0000000 : 0;
  t_fill(m.vectors, sizeof m.vectors);
  abi_enter(&m);
  *result = m.result;
  if (memcmp(m.kept, m.got_kept, sizeof m.kept) != 0)
    return KEPT_CHANGED;
  if (m.got_sp != m.sp)
    return SP_CHANGED;
  for (size_t i = 0; i < 8; i++)
    if (m.got_d[i] != m.vectors[8 + i][0])
      return DOUBLE_CHANGED;
  if (m.got_fpcr != m.fpcr)
    return FPCR_CHANGED;
  for (uint8_t *p = top + 16; p < stack + ABI_STACK; p++)
    if (*p != ABI_FILL)
      return STACK_WRITTEN;
  return 0;
}

void abi_prepare(void) {}

#define GENERAL(op) op(19) op(20) op(21) op(22) op(23) op(24) op(25) op(26) op(27) op(28) op(29)
#define DOUBLES(op) op(8) op(9) op(10) op(11) op(12) op(13) op(14) op(15)
#define DECLARE_X(n) void bad_x##n(void);
#define DECLARE_D(n) void bad_d##n(void);
#define ROW_X(n) {bad_x##n, KEPT_CHANGED},
#define ROW_D(n) {bad_d##n, DOUBLE_CHANGED},
GENERAL(DECLARE_X)
DOUBLES(DECLARE_D)
void bad_fpcr(void), bad_sp(void), bad_stack(void), bad_none(void);

const struct abi_bad abi_bad[] = {{bad_none, 0},
                                  {bad_fpcr, FPCR_CHANGED},
                                  {bad_sp, SP_CHANGED},
                                  {bad_stack, STACK_WRITTEN},
                                  GENERAL(ROW_X) DOUBLES(ROW_D)};
const size_t abi_bad_n = sizeof abi_bad / sizeof abi_bad[0];
