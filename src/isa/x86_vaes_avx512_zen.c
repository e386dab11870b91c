/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Zen 5 and later. x86_zen.h has what is different from x86_vaes_avx512.c. */
#define ISA_NAME "x86-vaes-avx512-zen"
#define ISA_IMPL rijn_impl_x86_vaes_avx512_zen
/* PERF: encrypted, up to 16 bytes in 43 cycles (AES-256: 49) instead of 46 (53). REJECTED: decrypted too, 43 instead of
 * 40. An empty text to be decrypted goes there all the same, for which it may be either. */
#define GCM_NARROW_MAX (GCM_ENC ? 16 : 0)
#include "x86_zen.h"
