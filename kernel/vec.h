/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The vector unit: Linux saves the user's registers before vec_begin returns. Nothing between it and vec_end may sleep.
 * crypto_simd_usable() says whether it may be called. */
#ifndef RIJN_VEC_H
#define RIJN_VEC_H

#include <crypto/internal/simd.h>

#if defined(CONFIG_X86_64)
#include <asm/fpu/api.h>
#include <asm/simd.h>
static inline void vec_begin(void) { kernel_fpu_begin(); }
static inline void vec_end(void) { kernel_fpu_end(); }

#elif defined(CONFIG_ARM64)
#include <asm/neon.h>
#include <asm/simd.h>
static inline void vec_begin(void) { kernel_neon_begin(); }
static inline void vec_end(void) { kernel_neon_end(); }

#elif defined(CONFIG_PPC64)
#include <asm/simd.h>
#include <asm/switch_to.h>
#include <linux/preempt.h>
#include <linux/uaccess.h>
static inline void vec_begin(void) {
  preempt_disable();
  pagefault_disable();
  enable_kernel_vsx();
}
static inline void vec_end(void) {
  disable_kernel_vsx();
  pagefault_enable();
  preempt_enable();
}
#endif

#endif
