/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What a calling convention brings (sysv.c, aapcs64.c, elfv2.c) for the walk over all kernels (abi.c). */
#ifndef RIJN_TEST_ABI_H
#define RIJN_TEST_ABI_H

#include "kernels.h"

/* The callee's stack: its top lies ABI_ABOVE bytes and some below the end, and all of it is ABI_FILL before a call. */
#define ABI_STACK (256 * 1024)
#define ABI_ABOVE 512
#define ABI_FILL 0xc7

/* Once, before anything else: what of the machine's state there is here, and checks of instruments for it. */
void abi_prepare(void);
/* fn called with args, every other register poison; turn varies the alignment of the stack, and flags and modes. 0, or
 * which rule was broken, a number that abi_broken names. */
int abi_call(const void *fn, const uint64_t args[9], unsigned turn, uint64_t *result);
const char *abi_broken(int rule);

/* Functions that break one rule each: abi_call must see every one, and nothing in the first, which breaks none. */
struct abi_bad {
  void (*fn)(void);
  int rule;
};
extern const struct abi_bad abi_bad[];
extern const size_t abi_bad_n;

#endif
