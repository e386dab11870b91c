/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The compiler's own intrinsics, without libc. PORT: <immintrin.h> of gcc and clang includes <mm_malloc.h>, which
 * includes <stdlib.h>: its guards, defined first, keep that out of freestanding builds. gcc 12 cannot read it on i386
 * where SSE is asked for by a pragma. */
#define _MM_MALLOC_H_INCLUDED
#define __MM_MALLOC_H
#if defined __i386__ && !defined __AVX__
#include <smmintrin.h>
#include <wmmintrin.h>
#else
#include <immintrin.h>
#endif
