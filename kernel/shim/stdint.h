/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For the glue, which includes Linux's headers and the core's: what stdint.h has is in Linux's own. */
#include <linux/types.h>
#ifndef UINT64_C
#define UINT64_C(n) n##ULL
#define UINT32_C(n) n##U
#endif
#ifndef UINT64_MAX
#define UINT64_MAX U64_MAX
#endif
