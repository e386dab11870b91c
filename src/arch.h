/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What this compiler makes code for, in the words of isa/sets.def: IN_x86(text) is text where the architecture, or its
 * family, is x86, and nothing elsewhere. The build asks here as well (cmake/RijnTarget.cmake). */
#ifndef RIJN_ARCH_H
#define RIJN_ARCH_H

#if defined(__x86_64__) && !defined(__ILP32__) /* x32 has the portable set alone */
#define IN_x86_64(...) __VA_ARGS__
#define IN_x86(...) __VA_ARGS__
#elif defined(__i386__)
#define IN_i386(...) __VA_ARGS__
#define IN_x86(...) __VA_ARGS__
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
#define IN_aarch64(...) __VA_ARGS__
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define IN_ppc64le(...) __VA_ARGS__
#endif

#ifndef IN_x86_64
#define IN_x86_64(...)
#endif
#ifndef IN_i386
#define IN_i386(...)
#endif
#ifndef IN_x86
#define IN_x86(...)
#endif
#ifndef IN_aarch64
#define IN_aarch64(...)
#endif
#ifndef IN_ppc64le
#define IN_ppc64le(...)
#endif

#endif
