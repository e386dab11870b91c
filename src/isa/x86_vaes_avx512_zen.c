/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Zen 5 and later. x86_zen.h has what is different from x86_vaes_avx512.c. */
#define ISA x86_vaes_avx512_zen
/* Encrypted only: decrypted they are slower (T-191, T-192). An empty text to be decrypted goes there all the same, for
 * which it may be either. */
#define GCM_NARROW_MAX (GCM_ENC ? 16 : 0)
#include "x86_zen.h"
