/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Included before the sources. PORT: clang 14's memory sanitizer does not know VPTERNLOG, and complains of any operand
 * that is a secret; so here it is what its manual says: bit 4a + 2b + c of imm, made of operations that the sanitizer
 * knows. */
#ifndef CT_MSAN_TERNARY_H
#define CT_MSAN_TERNARY_H
#include "isa/x86_intrin.h"

#define TERNARY(bits, a, b, c, imm)                                                                                    \
  __extension__({                                                                                                      \
    const __m##bits##i a_ = (a), b_ = (b), c_ = (c);                                                                   \
    __m##bits##i r_ = a_ ^ a_;                                                                                         \
    for (int i_ = 0; i_ < 8; i_++)                                                                                     \
      if ((imm) >> i_ & 1)                                                                                             \
        r_ |= (i_ & 4 ? a_ : ~a_) & (i_ & 2 ? b_ : ~b_) & (i_ & 1 ? c_ : ~c_);                                         \
    r_;                                                                                                                \
  })
#undef _mm256_ternarylogic_epi64
#undef _mm512_ternarylogic_epi64
#define _mm256_ternarylogic_epi64(a, b, c, imm) TERNARY(256, a, b, c, imm)
#define _mm512_ternarylogic_epi64(a, b, c, imm) TERNARY(512, a, b, c, imm)
#endif
