/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#define ISA_NAME "x86-vaes-avx512-256"
#define ISA_IMPL rijn_impl_x86_vaes_avx512_256
#define ISA_NEEDS                                                                                                      \
  RIJN_CPU(AESNI) | RIJN_CPU(PCLMUL) | RIJN_CPU(AVX2) | RIJN_CPU(BMI2) | RIJN_CPU(VAES) | RIJN_CPU(VPCLMUL) |          \
      RIJN_CPU(AVX512F) | RIJN_CPU(AVX512VL) | RIJN_CPU(AVX512BW) | RIJN_CPU(AVX512DQ)
#define VB 2
#define GCM_NV 8
#define GCM_SPILLS 0
#define V_MASKED 1
#define GF_KARATSUBA 0
#define GCM_POWERS 36 /* as x86_vaes_avx512.c, which hands it short messages */
#define GCM_CACHE 16384

#include "isa.h"
#include "ops_x86_256.h"
#include "../mode/all_t.h"
