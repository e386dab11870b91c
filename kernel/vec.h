/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The vector unit: Linux saves the user's registers before vec_begin returns. Nothing between it and vec_end may sleep.
 * crypto_simd_usable() says whether it may be called. room: the caller's, until vec_end; some kernels save there what
 * a task has of the vector unit when they take it away within a section. What differs from version to version of Linux
 * is here, and nowhere else. */
#ifndef RIJN_VEC_H
#define RIJN_VEC_H

#include <crypto/internal/simd.h>
#include <linux/version.h>

#if defined(CONFIG_ARM64) && LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
#define VEC_HAS_ROOM
#endif

#if defined(CONFIG_X86_64)
#include <asm/fpu/api.h>
#include <asm/simd.h>
struct vec_room {};
static inline void vec_begin(struct vec_room *room) { kernel_fpu_begin(); }
static inline void vec_end(struct vec_room *room) { kernel_fpu_end(); }

#elif defined(CONFIG_ARM64)
#include <asm/neon.h>
#include <asm/simd.h>
#ifdef VEC_HAS_ROOM
struct vec_room {
  struct user_fpsimd_state state;
};
static inline void vec_begin(struct vec_room *room) { kernel_neon_begin(&room->state); }
static inline void vec_end(struct vec_room *room) { kernel_neon_end(&room->state); }
#else
struct vec_room {};
static inline void vec_begin(struct vec_room *room) { kernel_neon_begin(); }
static inline void vec_end(struct vec_room *room) { kernel_neon_end(); }
#endif

#elif defined(CONFIG_PPC64)
#include <asm/simd.h>
#include <asm/switch_to.h>
#include <linux/preempt.h>
#include <linux/uaccess.h>
struct vec_room {};
static inline void vec_begin(struct vec_room *room) {
  preempt_disable();
  pagefault_disable();
  enable_kernel_vsx();
}
static inline void vec_end(struct vec_room *room) {
  disable_kernel_vsx();
  pagefault_enable();
  preempt_enable();
}
#endif

#endif
